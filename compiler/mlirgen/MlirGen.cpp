//===- MlirGen.cpp - typed tree to te dialect -----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/mlirgen/MlirGen.h"

#include "compiler/frontend/Dimensions.h"
#include "compiler/mlirgen/Codes.h"
#include "compiler/mlirgen/ExprGen.h"
#include "compiler/mlirgen/GivenSizes.h"
#include "compiler/support/Suggest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Verifier.h"

#include <fmt/format.h>

namespace girih::mlirgen {

using frontend::OpDecl;
using frontend::Program;
using frontend::SizeConstraint;
using frontend::Statement;
using frontend::Tensor;
using frontend::TensorDecl;
using mlir::Attribute;
using mlir::Value;

//===----------------------------------------------------------------------===//
// Which operator
//===----------------------------------------------------------------------===//

static std::string writtenName(const OpDecl &op) {
  return (op.written ? op.written : &op)->name.text;
}

/// Null, reported, where a parameter has no value.
static const OpDecl *checkBound(const OpDecl &op, Diagnostics &diags) {
  if (op.unbound.empty())
    return &op;
  diags
      .error(codes::kUnboundParameter,
             fmt::format("the parameter '{}' of '{}' has no value", op.unbound,
                         op.name.text),
             op.name.range)
      .help(fmt::format("give one: -D {}=...", op.unbound));
  return nullptr;
}

static const OpDecl *chooseOp(const Program &program, const std::string &name,
                              Diagnostics &diags) {
  // Operators of used files can be named, too.
  if (!name.empty())
    if (const OpDecl *op = program.findOp(name))
      return checkBound(*op, diags);
  std::vector<const OpDecl *> ops = program.ops();
  if (ops.empty()) {
    diags.error(codes::kUnknownOp, "the file defines no operator");
    return nullptr;
  }
  std::vector<std::string> names;
  for (const OpDecl *op : ops)
    names.push_back(writtenName(*op));
  if (name.empty()) {
    if (ops.size() == 1)
      return checkBound(*ops.front(), diags);
    diags
        .error(codes::kManyOps, fmt::format("the file defines {} operators: {}",
                                            ops.size(), fmt::join(names, ", ")))
        .help(fmt::format("name the one that is meant, for example {}",
                          names.front()));
    return nullptr;
  }
  Diagnostic &error = diags.error(codes::kUnknownOp,
                                  fmt::format("the file has no operator '{}'{}",
                                              name, didYouMean(name, names)));
  error.note(ops.size() == 1
                 ? fmt::format("its operator is {}", names.front())
                 : fmt::format("its operators are {}", fmt::join(names, ", ")));
  return nullptr;
}

/// Refuses values that were given to no parameter.
static bool checkKnown(const OpDecl &op,
                       const std::vector<std::string> &unknown,
                       Diagnostics &diags) {
  if (unknown.empty())
    return true;
  const OpDecl &written = op.written ? *op.written : op;
  std::vector<std::string> names;
  for (const frontend::OpParam &param : written.params)
    names.push_back(param.name.text);
  for (const TensorDecl &input : written.inputs)
    if (input.optional)
      names.push_back(input.name.text);
  for (const std::string &name : unknown) {
    Diagnostic &error = diags.error(codes::kUnknownParameter,
                                    fmt::format("'{}' has no parameter '{}'{}",
                                                written.name.text, name,
                                                didYouMean(name, names)));
    if (names.empty())
      error.note("it has none; sizes are integers");
    else
      error.note(fmt::format("its parameters: {}", fmt::join(names, ", ")));
  }
  return false;
}

//===----------------------------------------------------------------------===//
// The operator
//===----------------------------------------------------------------------===//

static te::SizeConstraintAttr attributeOf(const SizeConstraint &constraint,
                                          mlir::Builder &builder) {
  using Kind = SizeConstraint::Kind;
  te::ConstraintKind kind = te::ConstraintKind::Equal;
  int64_t value = constraint.value; // at most 2^40, so that one more fits
  switch (constraint.kind) {
  case Kind::Multiple:
    kind = te::ConstraintKind::Divisible;
    break;
  case Kind::Less:
    kind = te::ConstraintKind::AtMost;
    --value;
    break;
  case Kind::LessEqual:
    kind = te::ConstraintKind::AtMost;
    break;
  case Kind::Greater:
    kind = te::ConstraintKind::AtLeast;
    ++value;
    break;
  case Kind::GreaterEqual:
    kind = te::ConstraintKind::AtLeast;
    break;
  case Kind::Equal:
    break;
  }
  return te::SizeConstraintAttr::get(
      builder.getContext(), builder.getStringAttr(constraint.name.text), kind,
      value);
}

static te::Accuracy functionsOf(const OpDecl &op, const GenOptions &options) {
  if (options.functions && *options.functions != te::Accuracy::Unset)
    return *options.functions;
  return op.functions == frontend::Accuracy::Portable ? te::Accuracy::Portable
                                                      : te::Accuracy::Fast;
}

namespace {

/// Emits one te.func.
class OpGen {
public:
  OpGen(const OpDecl &op, mlir::OpBuilder &builder, const SourceFile &source,
        Diagnostics &diags, bool oneAccuracy)
      : op(op), builder(builder), exprs(builder, source, diags) {
    if (oneAccuracy)
      exprs.useOneAccuracy();
  }

  void emit(const std::vector<int64_t> &given, te::Accuracy functions) {
    mlir::Location loc = exprs.at(op.name.range);
    llvm::SmallVector<Attribute> sizes, constraints, resultTypes;
    for (const auto &size : op.sizes)
      sizes.push_back(builder.getStringAttr(size->name.text));
    for (const SizeConstraint &constraint : op.constraints)
      constraints.push_back(attributeOf(constraint, builder));
    for (const TensorDecl &output : op.outputs)
      resultTypes.push_back(mlir::TypeAttr::get(tensorType(*output.tensor)));

    auto func = te::FuncOp::create(
        builder, loc, op.name.text, builder.getArrayAttr(sizes), given,
        namesOf(op.inputs), namesOf(op.outputs),
        builder.getArrayAttr(resultTypes), builder.getArrayAttr(constraints),
        functions, /*in_place=*/nullptr, factsOf());
    mlir::Block *body = builder.createBlock(&func.getBody());
    for (const TensorDecl &input : op.inputs)
      exprs.bind(*input.tensor, body->addArgument(tensorType(*input.tensor),
                                                  exprs.at(input.name.range)));
    for (const auto &statement : op.statements)
      emitStatement(*statement);

    llvm::SmallVector<Value> results;
    for (const TensorDecl &output : op.outputs)
      results.push_back(exprs.tensorValue(*output.tensor));
    te::ReturnOp::create(builder, loc, results);
  }

private:
  /// What the declarations say besides types; null where they say nothing.
  mlir::DictionaryAttr factsOf() const {
    mlir::NamedAttrList facts;
    for (auto *decls : {&op.inputs, &op.outputs})
      for (const TensorDecl &decl : *decls)
        if (te::FactsAttr attribute = factsOf(decl))
          facts.set(decl.name.text, attribute);
    return facts.empty() ? mlir::DictionaryAttr()
                         : facts.getDictionary(builder.getContext());
  }

  te::FactsAttr factsOf(const TensorDecl &decl) const {
    std::vector<frontend::OuterDim> dims = frontend::outerDims(decl);
    llvm::SmallVector<int64_t> groups, layout;
    bool leading = false, grouped = false, finite = false;
    for (const frontend::OuterDim &dim : dims) {
      groups.push_back(dim.count);
      leading |= dim.leading;
      grouped |= dim.count > 1;
    }
    if (!grouped)
      groups.clear();
    for (unsigned place : decl.layout)
      for (unsigned member = 0; member < dims[place].count; ++member)
        layout.push_back(dims[place].first + member);
    for (const frontend::Assumption &assumption : op.assumptions)
      finite |= assumption.tensor.text == decl.name.text;
    if (groups.empty() && !leading && layout.empty() && decl.align == 0 &&
        !finite)
      return {};
    return te::FactsAttr::get(builder.getContext(), groups, leading, layout,
                              decl.align, finite);
  }

  te::TeTensorType tensorType(const Tensor &tensor) const {
    llvm::SmallVector<Attribute> shape;
    for (const frontend::Extent &extent : tensor.dims)
      shape.push_back(exprs.extentOf(extent));
    return te::TeTensorType::get(builder.getContext(), shape,
                                 exprs.typeOf(tensor.type));
  }

  mlir::ArrayAttr namesOf(const std::vector<TensorDecl> &decls) const {
    llvm::SmallVector<Attribute> names;
    for (const TensorDecl &decl : decls)
      names.push_back(builder.getStringAttr(decl.name.text));
    return builder.getArrayAttr(names);
  }

  void emitStatement(const Statement &statement) {
    mlir::Location loc = exprs.at(statement.range);
    auto compute = te::ComputeOp::create(
        builder, loc, tensorType(*statement.tensor), statement.target.text,
        exprs.namesOf(statement.indices));
    {
      mlir::OpBuilder::InsertionGuard guard(builder);
      mlir::Block *body = builder.createBlock(&compute.getBody());
      exprs.bindIndices(statement.indices, *body);
      Value value = exprs.emit(*statement.value);
      te::YieldOp::create(builder, exprs.at(statement.value->range), value);
    }
    exprs.bind(*statement.tensor, compute.getResult());
  }

  const OpDecl &op;
  mlir::OpBuilder &builder;
  ExprGen exprs;
};

} // namespace

/// True when the module verifies; else a fault of the compiler is reported.
static bool checkModule(mlir::ModuleOp module, const OpDecl &op,
                        Diagnostics &diags) {
  std::string problems;
  mlir::ScopedDiagnosticHandler handler(
      module.getContext(), [&](mlir::Diagnostic &problem) {
        problems += (problems.empty() ? "" : "; ") + problem.str();
        return mlir::success();
      });
  if (succeeded(mlir::verify(module)))
    return true;
  diags.error(codes::kNotVerified,
              fmt::format("a fault of the compiler: the te module of '{}' is "
                          "malformed: {}",
                          op.name.text, problems),
              op.name.range);
  return false;
}

mlir::OwningOpRef<mlir::ModuleOp> generateTe(const Program &program,
                                             const std::string &opName,
                                             const GenOptions &options,
                                             mlir::MLIRContext &context,
                                             Diagnostics &diags) {
  if (!diags.file())
    diags.setFile(program.source);
  const OpDecl *op = chooseOp(program, opName, diags);
  if (!op || !checkKnown(*op, options.unknown, diags))
    return {};
  auto given = resolveGivenSizes(*op, options.given, diags);
  if (!given)
    return {};

  context.loadDialect<te::TeDialect, mlir::arith::ArithDialect>();
  auto fileStart =
      mlir::FileLineColLoc::get(&context, program.source->name(), 1, 1);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(fileStart);
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(module->getBody());
  size_t reported = diags.all().size();
  OpGen(*op, builder, *program.source, diags, options.functions.has_value())
      .emit(*given, functionsOf(*op, options));
  if (diags.all().size() != reported || !checkModule(*module, *op, diags))
    return {};
  return module;
}

} // namespace girih::mlirgen
