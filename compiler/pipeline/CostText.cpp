//===- CostText.cpp - figures as people read them -------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/CostText.h"

#include "llvm/Support/FormatVariadic.h"

using namespace girih;
namespace js = llvm::json;

std::string girih::pipeline::bytesText(double bytes) {
  constexpr const char *kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024)
    return llvm::formatv("{0} bytes", int64_t(bytes));
  int unit = 0;
  for (bytes /= 1024; bytes >= 1024 && unit < 3; ++unit)
    bytes /= 1024;
  return llvm::formatv("{0:f2} {1}", bytes, kUnits[unit]);
}

std::string girih::pipeline::timeText(double seconds) {
  if (seconds < 1e-3)
    return llvm::formatv("{0:f2} us", seconds * 1e6);
  return llvm::formatv("{0:f3} ms", seconds * 1e3);
}

std::string girih::pipeline::countText(double value) {
  return llvm::formatv("{0}", int64_t(value));
}

std::string girih::pipeline::shapeText(const cost::Buffer &buffer) {
  std::string text = "[";
  for (size_t d = 0; d < buffer.extents.size(); ++d)
    text += (d ? ", " : "") + std::to_string(buffer.extents[d]);
  text += "] of " + std::to_string(buffer.elementBytes) +
          (buffer.elementBytes == 1 ? " byte" : " bytes");
  if (buffer.rowPadding)
    text += ", rows " + std::to_string(buffer.rowPadding) + " apart";
  if (buffer.slots > 1)
    text += ", " + std::to_string(buffer.slots) + " of it";
  return text;
}

std::string
girih::pipeline::tableText(const std::vector<std::vector<std::string>> &rows) {
  std::vector<size_t> widths;
  for (const auto &row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto &row : rows) {
    std::string line = "  ";
    for (size_t c = 0; c < row.size(); ++c) {
      std::string space(widths[c] - row[c].size(), ' ');
      line += c == 0 ? row[c] + space : "  " + space + row[c];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

namespace {

/// Objects from the outermost to the row's.
using Around = std::vector<const js::Object *>;

const js::Value *find(const js::Object &object, llvm::StringRef name) {
  auto [first, rest] = name.split('.');
  const js::Value *value = object.get(first);
  if (!value || rest.empty())
    return value;
  const js::Object *inner = value->getAsObject();
  return inner ? find(*inner, rest) : nullptr;
}

std::string field(const js::Value *value) {
  if (!value || value->kind() == js::Value::Null)
    return "";
  std::optional<llvm::StringRef> text = value->getAsString();
  if (!text)
    return llvm::formatv("{0}", *value);
  if (text->find_first_of(",\"\n") == llvm::StringRef::npos)
    return text->str();
  std::string quoted = "\"";
  for (char c : *text)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

void addRows(const js::Object &object, llvm::ArrayRef<std::string> path,
             Around around, llvm::ArrayRef<std::string> columns,
             std::string &text) {
  around.push_back(&object);
  if (!path.empty()) {
    if (const js::Array *list = object.getArray(path[0]))
      for (const js::Value &item : *list)
        if (const js::Object *inner = item.getAsObject())
          addRows(*inner, path.drop_front(), around, columns, text);
    return;
  }
  for (size_t c = 0; c < columns.size(); ++c) {
    llvm::StringRef name = columns[c];
    bool isAround = name.consume_front("../");
    const js::Value *value = isAround ? nullptr : find(object, name);
    for (size_t level = around.size() - 1; isAround && level-- > 0 && !value;)
      value = find(*around[level], name);
    text += (c ? "," : "") + field(value);
  }
  text += "\n";
}

} // namespace

std::string girih::pipeline::csvText(const js::Value &view,
                                     const std::vector<std::string> &path,
                                     const std::vector<std::string> &columns) {
  std::string text;
  for (size_t c = 0; c < columns.size(); ++c)
    text += (c ? "," : "") + columns[c].substr(columns[c].rfind('/') + 1);
  text += "\n";
  if (const js::Object *object = view.getAsObject())
    addRows(*object, path, {}, columns, text);
  return text;
}
