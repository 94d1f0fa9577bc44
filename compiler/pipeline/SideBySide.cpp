//===- SideBySide.cpp - figures of two schedules or targets ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/SideBySide.h"

#include "compiler/pipeline/CostText.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

using namespace girih;
using namespace girih::pipeline;
namespace js = llvm::json;

namespace {

struct Figure {
  std::string name;
  std::optional<js::Value> a, b;
};

/// What an entry of a list is called by.
std::string nameOf(const js::Value &entry, size_t number) {
  if (const js::Object *object = entry.getAsObject())
    for (const char *key : {"kernel", "tensor", "name"})
      if (std::optional<llvm::StringRef> text = object->getString(key))
        return text->str();
  return std::to_string(number);
}

class Figures {
public:
  void add(const js::Value &value, const std::string &name, bool isA) {
    if (const js::Object *object = value.getAsObject()) {
      std::vector<llvm::StringRef> keys;
      for (const auto &[key, inner] : *object)
        keys.push_back(key);
      std::sort(keys.begin(), keys.end());
      for (llvm::StringRef key : keys)
        if (key != "kernel" && key != "tensor" && key != "name")
          add(*object->get(key),
              name.empty() ? key.str() : name + "." + key.str(), isA);
      return;
    }
    if (const js::Array *list = value.getAsArray()) {
      // Lists have names of their own: `kernels.x` is `x`.
      std::string around = name.substr(0, name.rfind('.'));
      for (size_t i = 0; i < list->size(); ++i)
        add((*list)[i], around + "." + nameOf((*list)[i], i), isA);
      return;
    }
    auto place = std::find_if(all.begin(), all.end(),
                              [&](const Figure &f) { return f.name == name; });
    if (place == all.end())
      place = all.insert(all.end(), Figure{name, {}, {}});
    (isA ? place->a : place->b) = value;
  }
  std::vector<Figure> all;
};

std::vector<Figure> figuresOf(const Side &a, const Side &b) {
  Figures figures;
  figures.add(a.views, "", true);
  figures.add(b.views, "", false);
  return std::move(figures.all);
}

std::optional<double> ratioOf(const Figure &figure) {
  if (!figure.a || !figure.b)
    return std::nullopt;
  std::optional<double> a = figure.a->getAsNumber(),
                        b = figure.b->getAsNumber();
  if (!a || !b || *a == 0)
    return std::nullopt;
  return *b / *a;
}

std::string valueText(const std::optional<js::Value> &value) {
  if (!value)
    return "-";
  if (std::optional<llvm::StringRef> text = value->getAsString())
    return text->str();
  std::optional<double> number = value->getAsNumber();
  if (!number)
    return llvm::formatv("{0}", *value);
  if (*number == std::floor(*number) && std::fabs(*number) < 1e15)
    return std::to_string(int64_t(*number));
  return std::fabs(*number) < 1e-2 ? llvm::formatv("{0:E3}", *number).str()
                                   : llvm::formatv("{0:F3}", *number).str();
}

} // namespace

std::string girih::pipeline::sideBySideText(const Side &a, const Side &b) {
  std::vector<std::vector<std::string>> rows{{"figure", "A", "B", "B / A"}};
  for (const Figure &figure : figuresOf(a, b)) {
    std::optional<double> ratio = ratioOf(figure);
    rows.push_back({figure.name, valueText(figure.a), valueText(figure.b),
                    ratio ? llvm::formatv("{0:F2}", *ratio).str()
                    : figure.a == figure.b ? "same"
                                           : ""});
  }
  return "A: " + a.name + "\nB: " + b.name + "\n" + tableText(rows);
}

js::Value girih::pipeline::sideBySideJson(const Side &a, const Side &b) {
  js::Array list;
  for (const Figure &figure : figuresOf(a, b)) {
    js::Object object{{"figure", figure.name},
                      {"a", figure.a ? *figure.a : js::Value(nullptr)},
                      {"b", figure.b ? *figure.b : js::Value(nullptr)}};
    if (std::optional<double> ratio = ratioOf(figure))
      object["ratio"] = *ratio;
    list.push_back(std::move(object));
  }
  return js::Object{{"a", a.name}, {"b", b.name}, {"figures", std::move(list)}};
}
