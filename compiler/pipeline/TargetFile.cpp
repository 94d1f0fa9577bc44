//===- TargetFile.cpp - a GPU described in a file -------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/TargetFile.h"

#include "compiler/support/Suggest.h"
#include "compiler/target/TargetFields.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cstdio>

using namespace girih;
using namespace girih::pipeline;
namespace js = llvm::json;
using target::ClusterCount;
using target::GpuTarget;
using target::MatrixRate;
using target::TargetField;

static constexpr char kCode[] = "G0823";

/// `3.35`, `1e+15`; integers below that with all digits.
static std::string numberText(double value) {
  if (value == double(int64_t(value)) && value < 1e15)
    return std::to_string(int64_t(value));
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

std::string girih::pipeline::printTarget(const GpuTarget &target) {
  js::Object object{{"name", target.name},
                    {"card", target.card},
                    {"product", target.product},
                    {"arithmeticModel", target.arithmeticModel}};
  for (const TargetField &field : target::targetFields()) {
    double value = field.get(target);
    object[field.key] =
        field.isInteger ? js::Value(int64_t(value)) : js::Value(value);
  }
  js::Array matrix, clusters;
  for (const MatrixRate &rate : target.matrix)
    matrix.push_back(
        js::Object{{"type", llvm::StringRef(target::nameOf(rate.type))},
                   {"instruction", rate.instruction},
                   {"m", int64_t(rate.m)},
                   {"n", int64_t(rate.n)},
                   {"k", int64_t(rate.k)},
                   {"flops", rate.flops}});
  for (const ClusterCount &count : target.clusters)
    clusters.push_back(js::Object{{"size", int64_t(count.size)},
                                  {"resident", int64_t(count.resident)}});
  object["matrix"] = std::move(matrix);
  object["clusters"] = std::move(clusters);
  return llvm::formatv("{0:2}\n", js::Value(std::move(object)));
}

namespace {

class Reader {
public:
  Reader(const SourceFile &file, Diagnostics &diags)
      : text(file.text()), diags(diags) {}

  std::optional<GpuTarget> read() {
    llvm::Expected<js::Value> parsed =
        js::parse(llvm::StringRef(text.data(), text.size()));
    if (!parsed) {
      std::string why = llvm::toString(parsed.takeError());
      diags.error(kCode, "the target is no JSON: " + why).help(kStart);
      return std::nullopt;
    }
    const js::Object *object = parsed->getAsObject();
    if (!object) {
      diags.error(kCode, "a target is a JSON object").help(kStart);
      return std::nullopt;
    }
    checkKeys(*object, topKeys(), "");
    readName(*object);
    words(*object, "card", target.card);
    words(*object, "product", target.product);
    words(*object, "arithmeticModel", target.arithmeticModel);
    for (const TargetField &field : target::targetFields())
      if (std::optional<double> value =
              number(*object, field.key, field.isInteger, field.least,
                     field.most, field.mayBeZero, field.meaning))
        field.set(target, *value);
    readMatrix(*object);
    readClusters(*object);
    if (diags.hasErrors())
      return std::nullopt;
    std::string contradiction = target::contradictionIn(target);
    if (!contradiction.empty()) {
      fail(contradiction.substr(0, contradiction.find(' ')), contradiction);
      return std::nullopt;
    }
    return std::move(target);
  }

private:
  static constexpr char kStart[] =
      "girih doctor --target-json h100 prints a whole one to start from";

  static std::vector<std::string> topKeys() {
    std::vector<std::string> keys = {
        "name", "card", "product", "arithmeticModel", "matrix", "clusters"};
    for (const TargetField &field : target::targetFields())
      keys.push_back(field.key);
    return keys;
  }

  /// Where `"key"` stands first: keys are names, which no value holds.
  std::optional<SourceRange> placeOf(const std::string &key) const {
    std::string quoted = '"' + key + '"';
    size_t at = text.find(quoted);
    if (at == std::string_view::npos)
      return std::nullopt;
    return SourceRange{uint32_t(at), uint32_t(at + quoted.size())};
  }

  Diagnostic &fail(const std::string &key, const std::string &message) {
    return diags.error(kCode, message, placeOf(key));
  }

  void checkKeys(const js::Object &object,
                 const std::vector<std::string> &known,
                 const std::string &where) {
    for (const auto &entry : object) {
      std::string key = entry.first.str();
      if (llvm::is_contained(known, key))
        continue;
      fail(key, "unknown key '" + js::fixUTF8(key) + "'" + where +
                    didYouMean(key, known));
    }
  }

  const js::Value *find(const js::Object &object, const std::string &key,
                        const std::string &where = "") {
    const js::Value *value = object.get(key);
    if (!value)
      diags.error(kCode, "the target lacks '" + key + "'" + where).help(kStart);
    return value;
  }

  void words(const js::Object &object, const std::string &key,
             std::string &to) {
    const js::Value *value = find(object, key);
    if (!value)
      return;
    if (std::optional<llvm::StringRef> string = value->getAsString())
      to = string->str();
    else
      fail(key, "'" + key + "' is a string");
  }

  void readName(const js::Object &object) {
    std::string name;
    words(object, "name", name);
    if (name.empty())
      return;
    std::optional<GpuTarget> row = target::findTarget(name);
    if (!row || row->name != name) {
      // A card stands for a name.
      std::string near = row ? row->name : target::nearestTarget(name);
      fail("name", "the name is what is compiled for, such as sm_90a; '" +
                       name + "' is none" +
                       (near.empty() ? "" : "; did you mean '" + near + "'?"))
          .note("known: " + llvm::join(target::knownTargets(), ", "));
      return;
    }
    target.name = row->name;
    target.capability = row->capability;
    target.archSpecific = row->archSpecific;
  }

  std::optional<double> number(const js::Object &object, const std::string &key,
                               bool isInteger, double least, double most,
                               bool mayBeZero, const std::string &meaning,
                               const std::string &where = "") {
    const js::Value *value = find(object, key, where);
    if (!value)
      return std::nullopt;
    std::optional<double> given = value->getAsNumber();
    if (!given || (isInteger && *given != double(int64_t(*given)))) {
      fail(key, "'" + key + "'" + where + " is " +
                    (isInteger ? "an integer: " : "a number: ") + meaning);
      return std::nullopt;
    }
    if ((*given >= least && *given <= most) || (mayBeZero && *given == 0))
      return *given;
    fail(key, "'" + key + "'" + where + " is " + meaning + ": " +
                  numberText(*given) + " does not lie between " +
                  numberText(least) + " and " + numberText(most));
    return std::nullopt;
  }

  /// The objects of a list.
  std::vector<const js::Object *> listOf(const js::Object &object,
                                         const std::string &key) {
    std::vector<const js::Object *> list;
    const js::Value *value = find(object, key);
    if (!value)
      return list;
    const js::Array *array = value->getAsArray();
    bool good = array != nullptr;
    if (array)
      for (const js::Value &element : *array) {
        list.push_back(element.getAsObject());
        good &= list.back() != nullptr;
      }
    if (good)
      return list;
    fail(key, "'" + key + "' is a list of objects");
    return {};
  }

  void readMatrix(const js::Object &object) {
    const std::string where = " of a matrix instruction";
    for (const js::Object *entry : listOf(object, "matrix")) {
      MatrixRate rate;
      checkKeys(*entry, {"type", "instruction", "m", "n", "k", "flops"}, where);
      std::optional<llvm::StringRef> type = entry->getString("type");
      std::optional<target::MatrixType> found =
          type ? target::findMatrixType(type->str()) : std::nullopt;
      if (!found) {
        fail("matrix", "a matrix instruction's 'type' is f16, bf16, tf32, f8, "
                       "int8 or f64");
        continue;
      }
      rate.type = *found;
      if (std::optional<llvm::StringRef> name = entry->getString("instruction"))
        rate.instruction = name->str();
      else
        fail("matrix", "a matrix instruction's 'instruction' is its name");
      auto extent = [&](const char *key, unsigned &to) {
        if (auto value = number(*entry, key, true, 1, 4096, false,
                                "an extent of its shape", where))
          to = unsigned(*value);
      };
      extent("m", rate.m);
      extent("n", rate.n);
      extent("k", rate.k);
      if (auto value = number(*entry, "flops", false, 1e9, 1e19, false,
                              "FLOP a second of the whole card", where))
        rate.flops = *value;
      target.matrix.push_back(rate);
    }
  }

  void readClusters(const js::Object &object) {
    const std::string where = " of a cluster";
    for (const js::Object *entry : listOf(object, "clusters")) {
      checkKeys(*entry, {"size", "resident"}, where);
      auto size = number(*entry, "size", true, 1, 64, false, "blocks", where);
      auto resident = number(*entry, "resident", true, 1, 4096, false,
                             "how many are resident at once", where);
      if (size && resident)
        target.clusters.push_back({unsigned(*size), unsigned(*resident)});
    }
  }

  std::string_view text;
  Diagnostics &diags;
  GpuTarget target;
};

} // namespace

std::optional<GpuTarget> girih::pipeline::readTarget(const SourceFile &file,
                                                     Diagnostics &diags) {
  return Reader(file, diags).read();
}
