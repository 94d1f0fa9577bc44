//===- PlanText.cpp - the launch plan as an MLIR attribute ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/PlanText.h"

#include "mlir/IR/Builders.h"

#include <array>

using namespace girih;
using namespace girih::pipeline;
using artifact::Argument;
using artifact::Guard;
using artifact::SizeExpr;
using mlir::ArrayAttr;
using mlir::Attribute;
using mlir::cast;
using mlir::DictionaryAttr;
using mlir::dyn_cast_if_present;
using mlir::IntegerAttr;
using mlir::StringAttr;

namespace {

constexpr std::array kExprKinds = {"constant", "size",     "add", "mul",
                                   "ceildiv",  "floordiv", "min", "max"};
constexpr std::array kGuardKinds = {"unit_stride",     "stride_divisible",
                                    "aligned_pointer", "size_divisible",
                                    "size_at_most",    "size_at_least"};
constexpr std::array kArgumentKinds = {"pointer",   "stride", "size",
                                       "workspace", "value",  "turn"};

class Writer {
public:
  explicit Writer(mlir::MLIRContext &context) : builder(&context) {}

  Attribute number(int64_t value) { return builder.getI64IntegerAttr(value); }
  Attribute text(const std::string &value) {
    return builder.getStringAttr(value);
  }
  /// 7, ["size", 0], ["mul", a, b].
  Attribute expr(const SizeExpr &value) {
    if (value.kind == SizeExpr::Kind::Constant)
      return number(value.value);
    std::vector<Attribute> parts{text(kExprKinds[size_t(value.kind)])};
    if (value.kind == SizeExpr::Kind::Size)
      parts.push_back(number(value.size));
    for (const SizeExpr &operand : value.operands)
      parts.push_back(expr(operand));
    return builder.getArrayAttr(parts);
  }
  Attribute texts(const std::vector<std::string> &values) {
    std::vector<Attribute> list;
    for (const std::string &value : values)
      list.push_back(text(value));
    return builder.getArrayAttr(list);
  }
  Attribute guard(const Guard &value) {
    return builder.getArrayAttr({text(kGuardKinds[size_t(value.kind)]),
                                 number(value.param), number(value.dim),
                                 number(value.size), number(value.value)});
  }
  Attribute launch(const artifact::Launch &value) {
    std::vector<Attribute> arguments;
    for (const Argument &argument : value.arguments) {
      std::vector<Attribute> parts{text(kArgumentKinds[size_t(argument.kind)])};
      if (argument.kind == Argument::Kind::Value) {
        parts.push_back(expr(argument.value));
      } else {
        parts.push_back(number(argument.index));
        if (argument.kind == Argument::Kind::Stride)
          parts.push_back(number(argument.dim));
      }
      arguments.push_back(builder.getArrayAttr(parts));
    }
    return dictionary({{"kernel", text(value.kernel)},
                       {"grid", expr(value.grid)},
                       {"threads", number(value.threads)},
                       {"shared", number(value.sharedBytes)},
                       {"arguments", builder.getArrayAttr(arguments)}});
  }
  Attribute variant(const artifact::Variant &value) {
    std::vector<Attribute> guards, launches, loops, workspace, reports;
    for (const Guard &entry : value.guards)
      guards.push_back(guard(entry));
    for (const artifact::Launch &entry : value.launches)
      launches.push_back(launch(entry));
    for (const artifact::LaunchLoop &entry : value.loops)
      loops.push_back(builder.getArrayAttr(
          {number(entry.begin), number(entry.end), expr(entry.count)}));
    for (const artifact::WorkspaceBuffer &entry : value.workspace)
      workspace.push_back(dictionary(
          {{"name", text(entry.name)}, {"bytes", expr(entry.bytes)}}));
    for (const artifact::KernelReport &entry : value.reports)
      reports.push_back(dictionary(
          {{"kernel", text(entry.kernel)}, {"lines", texts(entry.lines)}}));
    return dictionary({{"name", text(value.name)},
                       {"guards", builder.getArrayAttr(guards)},
                       {"launches", builder.getArrayAttr(launches)},
                       {"loops", builder.getArrayAttr(loops)},
                       {"workspace", builder.getArrayAttr(workspace)},
                       {"reports", builder.getArrayAttr(reports)}});
  }
  DictionaryAttr
  dictionary(std::initializer_list<std::pair<const char *, Attribute>> list) {
    std::vector<mlir::NamedAttribute> entries;
    for (auto [name, value] : list)
      entries.push_back(builder.getNamedAttr(name, value));
    return builder.getDictionaryAttr(entries);
  }
  mlir::Builder builder;
};

/// Reads with one sticky error; every accessor checks the attribute's kind.
class Reader {
public:
  explicit Reader(std::string &error) : error(error) {}
  bool ok() const { return error.empty(); }

  int64_t number(Attribute attr, const char *what, int64_t low, int64_t high) {
    auto value = dyn_cast_if_present<IntegerAttr>(attr);
    if (!value || !value.getType().isInteger(64) || value.getInt() < low ||
        value.getInt() > high)
      return fail(what), 0;
    return value.getInt();
  }
  unsigned index(Attribute attr, const char *what) {
    return number(attr, what, 0, 1 << 20);
  }
  std::string text(Attribute attr, const char *what) {
    auto value = dyn_cast_if_present<StringAttr>(attr);
    if (!value)
      return fail(what), "";
    return value.str();
  }
  template <size_t N>
  size_t word(Attribute attr, const std::array<const char *, N> &words,
              const char *what) {
    std::string value = text(attr, what);
    for (size_t w = 0; w < N; ++w)
      if (value == words[w])
        return w;
    return fail(what), 0;
  }
  llvm::ArrayRef<Attribute> list(Attribute attr, const char *what) {
    auto value = dyn_cast_if_present<ArrayAttr>(attr);
    if (!value)
      return fail(what), llvm::ArrayRef<Attribute>();
    return value.getValue();
  }
  DictionaryAttr dictionary(Attribute attr, const char *what) {
    auto value = dyn_cast_if_present<DictionaryAttr>(attr);
    if (!value)
      return fail(what), DictionaryAttr();
    return value;
  }
  SizeExpr expr(Attribute attr, unsigned depth = 0) {
    if (isa_and_present<IntegerAttr>(attr))
      return SizeExpr::constant(
          number(attr, "a constant", INT64_MIN, INT64_MAX));
    llvm::ArrayRef<Attribute> parts = list(attr, "a size expression");
    SizeExpr result;
    if (parts.size() < 2 || depth > 60)
      return fail("a size expression"), result;
    result.kind = static_cast<SizeExpr::Kind>(
        word(parts[0], kExprKinds, "the kind of a size expression"));
    if (result.kind == SizeExpr::Kind::Size) {
      result.size = index(parts[1], "a size's index");
      return result;
    }
    for (Attribute part : parts.drop_front())
      result.operands.push_back(expr(part, depth + 1));
    if (result.operands.size() < 2)
      fail("the operands of a size expression");
    return result;
  }
  void fail(const char *what) {
    if (error.empty())
      error = std::string("the launch plan is broken at ") + what;
  }

private:
  template <typename T> bool isa_and_present(Attribute attr) {
    return attr && mlir::isa<T>(attr);
  }
  std::string &error;
};

Guard readGuard(Reader &reader, Attribute attr) {
  Guard guard;
  llvm::ArrayRef<Attribute> parts = reader.list(attr, "a guard");
  if (parts.size() != 5)
    return reader.fail("a guard"), guard;
  guard.kind = static_cast<Guard::Kind>(
      reader.word(parts[0], kGuardKinds, "the kind of a guard"));
  guard.param = reader.index(parts[1], "a guard's parameter");
  guard.dim = reader.index(parts[2], "a guard's dimension");
  guard.size = reader.index(parts[3], "a guard's size");
  guard.value = reader.number(parts[4], "a guard's value", 0, INT64_MAX);
  return guard;
}

Argument readArgument(Reader &reader, Attribute attr) {
  Argument argument;
  llvm::ArrayRef<Attribute> parts = reader.list(attr, "an argument");
  if (parts.size() < 2)
    return reader.fail("an argument"), argument;
  argument.kind = static_cast<Argument::Kind>(
      reader.word(parts[0], kArgumentKinds, "the kind of an argument"));
  if (argument.kind == Argument::Kind::Value) {
    argument.value = reader.expr(parts[1]);
    return argument;
  }
  argument.index = reader.index(parts[1], "an argument's index");
  if (argument.kind == Argument::Kind::Stride) {
    if (parts.size() != 3)
      return reader.fail("a stride argument"), argument;
    argument.dim = reader.index(parts[2], "an argument's dimension");
  }
  return argument;
}

artifact::Variant readVariant(Reader &reader, Attribute attr) {
  artifact::Variant variant;
  DictionaryAttr dictionary = reader.dictionary(attr, "a variant");
  if (!dictionary)
    return variant;
  variant.name = reader.text(dictionary.get("name"), "a variant's name");
  for (Attribute entry : reader.list(dictionary.get("guards"), "the guards"))
    variant.guards.push_back(readGuard(reader, entry));
  for (Attribute entry :
       reader.list(dictionary.get("launches"), "the launches")) {
    DictionaryAttr fields = reader.dictionary(entry, "a launch");
    if (!fields)
      return variant;
    artifact::Launch launch;
    launch.kernel = reader.text(fields.get("kernel"), "a launch's kernel");
    launch.grid = reader.expr(fields.get("grid"));
    launch.threads =
        reader.number(fields.get("threads"), "a launch's threads", 1, 1024);
    launch.sharedBytes = reader.number(fields.get("shared"),
                                       "a launch's shared bytes", 0, 1 << 30);
    for (Attribute argument :
         reader.list(fields.get("arguments"), "a launch's arguments"))
      launch.arguments.push_back(readArgument(reader, argument));
    variant.launches.push_back(std::move(launch));
  }
  for (Attribute entry : reader.list(dictionary.get("loops"), "the loops")) {
    llvm::ArrayRef<Attribute> parts = reader.list(entry, "a loop of launches");
    if (parts.size() != 3)
      return reader.fail("a loop of launches"), variant;
    artifact::LaunchLoop loop;
    loop.begin = reader.index(parts[0], "a loop's first launch");
    loop.end = reader.index(parts[1], "a loop's end");
    loop.count = reader.expr(parts[2]);
    variant.loops.push_back(std::move(loop));
  }
  for (Attribute entry :
       reader.list(dictionary.get("workspace"), "the workspace")) {
    DictionaryAttr fields = reader.dictionary(entry, "a workspace buffer");
    if (!fields)
      return variant;
    variant.workspace.push_back(
        {reader.text(fields.get("name"), "a workspace buffer's name"),
         reader.expr(fields.get("bytes"))});
  }
  for (Attribute entry :
       reader.list(dictionary.get("reports"), "the reports")) {
    DictionaryAttr fields = reader.dictionary(entry, "a report");
    if (!fields)
      return variant;
    artifact::KernelReport report;
    report.kernel = reader.text(fields.get("kernel"), "a report's kernel");
    for (Attribute line : reader.list(fields.get("lines"), "a report's lines"))
      report.lines.push_back(reader.text(line, "a report's line"));
    variant.reports.push_back(std::move(report));
  }
  return variant;
}

} // namespace

DictionaryAttr girih::pipeline::planToAttr(mlir::MLIRContext &context,
                                           const artifact::Artifact &plan) {
  Writer writer(context);
  std::vector<Attribute> variants;
  for (const artifact::Variant &variant : plan.variants)
    variants.push_back(writer.variant(variant));
  return writer.dictionary(
      {{"target", writer.text(plan.target)},
       {"functions", writer.text(plan.contract.functions)},
       {"reductions", writer.texts(plan.contract.reductions)},
       {"provenance", writer.text(plan.provenance)},
       {"variants", writer.builder.getArrayAttr(variants)},
       {"te", writer.text(plan.teModule)}});
}

bool girih::pipeline::planFromAttr(Attribute attr, artifact::Artifact &plan,
                                   std::string &error) {
  Reader reader(error);
  DictionaryAttr dictionary = reader.dictionary(attr, "its attribute");
  if (!dictionary)
    return false;
  plan.target = reader.text(dictionary.get("target"), "the target");
  plan.contract.functions =
      reader.text(dictionary.get("functions"), "the functions");
  for (Attribute line :
       reader.list(dictionary.get("reductions"), "the reductions"))
    plan.contract.reductions.push_back(reader.text(line, "a reduction"));
  plan.provenance = reader.text(dictionary.get("provenance"), "the provenance");
  plan.teModule = reader.text(dictionary.get("te"), "the te module");
  for (Attribute entry :
       reader.list(dictionary.get("variants"), "the variants"))
    plan.variants.push_back(readVariant(reader, entry));
  return reader.ok();
}
