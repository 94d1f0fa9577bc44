//===- MlirGen.cpp - typed tree to te dialect -----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/mlirgen/MlirGen.h"

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
        builder.getArrayAttr(resultTypes), rangesOf(op.inputs),
        builder.getArrayAttr({}), builder.getArrayAttr(constraints), functions,
        /*in_place=*/nullptr);
    mlir::Block *body = builder.createBlock(&func.getBody());
    for (const TensorDecl &input : op.inputs)
      exprs.bind(*input.tensor, body->addArgument(tensorType(*input.tensor),
                                                  exprs.at(input.name.range)));
    for (const auto &statement : op.statements) {
      emitStatement(*statement);
      emitChecks(*statement);
    }

    llvm::SmallVector<Value> results;
    for (const TensorDecl &output : op.outputs)
      results.push_back(exprs.tensorValue(*output.tensor));
    if (!words.empty()) {
      llvm::SmallVector<Attribute> names(func.getResultNames().getValue());
      for (Value word : words) {
        names.push_back(builder.getStringAttr(
            word.getDefiningOp<te::ComputeOp>().getName()));
        resultTypes.push_back(mlir::TypeAttr::get(word.getType()));
        results.push_back(word);
      }
      func.setResultNamesAttr(builder.getArrayAttr(names));
      func.setResultTypesAttr(builder.getArrayAttr(resultTypes));
      func.setChecksAttr(builder.getArrayAttr(checks));
    }
    te::ReturnOp::create(builder, loc, results);
  }

private:
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

  /// What each input promises of its elements.
  mlir::ArrayAttr rangesOf(const std::vector<TensorDecl> &decls) const {
    llvm::SmallVector<Attribute> ranges;
    for (const TensorDecl &decl : decls) {
      const auto &promise = decl.tensor->promise;
      ranges.push_back(promise ? Attribute(builder.getArrayAttr(
                                     {exprs.extentOf(promise->first),
                                      exprs.extentOf(promise->second)}))
                               : Attribute(builder.getUnitAttr()));
    }
    return builder.getArrayAttr(ranges);
  }

  /// A tensor over the statement's indices, or over the dimensions of `type`,
  /// that holds what `body` emits.
  Value emitCompute(mlir::Location loc, te::TeTensorType type,
                    const std::string &name, mlir::ArrayAttr names,
                    llvm::function_ref<Value(mlir::Block &)> body) {
    auto compute = te::ComputeOp::create(builder, loc, type, name, names);
    mlir::OpBuilder::InsertionGuard guard(builder);
    mlir::Block *block = builder.createBlock(&compute.getBody());
    te::YieldOp::create(builder, loc, body(*block));
    return compute.getResult();
  }

  /// What a scatter works in: 0, or what max and min start from.
  Value emitStart(const Statement &statement, te::TeTensorType type,
                  mlir::Location loc) {
    llvm::SmallVector<Attribute> names;
    for (unsigned d = 0; d < type.getRank(); ++d)
      names.push_back(builder.getStringAttr("i" + std::to_string(d)));
    return emitCompute(
        loc, type, statement.target.text + "_start",
        builder.getArrayAttr(names), [&](mlir::Block &block) -> Value {
          for (unsigned d = 0; d < type.getRank(); ++d)
            block.addArgument(builder.getIndexType(), loc);
          return te::ConstantOp::create(
              builder, loc,
              startOf(statement.scatter->kind, type.getElementType()));
        });
  }

  mlir::TypedAttr startOf(frontend::Scatter::Kind kind, mlir::Type type) const {
    using Kind = frontend::Scatter::Kind;
    bool isMax = kind == Kind::Max, isMin = kind == Kind::Min;
    if (auto real = mlir::dyn_cast<mlir::FloatType>(type)) {
      double infinity = std::numeric_limits<double>::infinity();
      return builder.getFloatAttr(type, isMax   ? -infinity
                                        : isMin ? infinity
                                                : 0.0);
    }
    unsigned width = type.getIntOrFloatBitWidth();
    bool isSigned = !type.isUnsignedInteger();
    llvm::APInt value(width, 0);
    if (isMax && isSigned)
      value = llvm::APInt::getSignedMinValue(width);
    if (isMin)
      value = isSigned ? llvm::APInt::getSignedMaxValue(width)
                       : llvm::APInt::getMaxValue(width);
    return builder.getIntegerAttr(type, value);
  }

  static bool holdsReduction(const frontend::Expr &expr) {
    bool found = expr.as<frontend::ReduceExpr>();
    frontend::forEachChild(expr, [&](const frontend::Expr &child) {
      found |= holdsReduction(child);
    });
    return found;
  }

  void emitScatter(const Statement &statement) {
    mlir::Location loc = exprs.at(statement.range);
    const frontend::Scatter &scatter = *statement.scatter;
    te::TeTensorType type = tensorType(*statement.tensor);
    llvm::SmallVector<Attribute> extents;
    for (const auto &index : statement.indices)
      extents.push_back(exprs.extentOf(*index->extent));
    mlir::ArrayAttr names = exprs.namesOf(statement.indices);
    // Reductions have a tensor of their own.
    Value values;
    if (holdsReduction(*statement.value))
      values = emitCompute(loc,
                           te::TeTensorType::get(builder.getContext(), extents,
                                                 type.getElementType()),
                           statement.target.text + "_value", names,
                           [&](mlir::Block &block) {
                             exprs.bindIndices(statement.indices, block);
                             return exprs.emit(*statement.value);
                           });
    Value start = emitStart(statement, type, loc);
    auto put = te::ScatterOp::create(
        builder, loc, type, static_cast<te::ScatterKind>(scatter.kind),
        statement.target.text, names, builder.getArrayAttr(extents), start,
        scatter.unique, scatter.drop);
    mlir::OpBuilder::InsertionGuard guard(builder);
    mlir::Block *body = builder.createBlock(&put.getBody());
    exprs.bindIndices(statement.indices, *body);
    Value value = values ? Value(te::ReadOp::create(
                               builder, loc, type.getElementType(), values,
                               mlir::ValueRange(body->getArguments()),
                               /*guarded=*/false))
                         : exprs.emit(*statement.value);
    const auto &place = *scatter.place->as<frontend::AccessExpr>();
    te::PutOp::create(builder, exprs.at(scatter.place->range), value,
                      exprs.emitSubscripts(place));
    exprs.bind(*statement.tensor, put.getResult());
  }

  /// A name that no tensor has.
  std::string freshName(const std::string &wanted) const {
    std::string name = wanted;
    auto taken = [&](const auto &tensor) { return tensor->name.text == name; };
    for (unsigned n = 2;
         llvm::any_of(op.tensors, taken) ||
         llvm::any_of(words,
                      [&](Value word) {
                        return word.getDefiningOp<te::ComputeOp>().getName() ==
                               name;
                      });
         ++n)
      name = wanted + "_" + std::to_string(n);
    return name;
  }

  /// The error words of what `statement` has checked.
  void emitChecks(const Statement &statement) {
    for (const ExprGen::CheckedUse &use : exprs.takeChecked()) {
      std::string base = statement.target.text + "_outside";
      auto number = [&] {
        return builder.getI64IntegerAttr(op.outputs.size() + words.size());
      };
      llvm::SmallVector<Attribute> names, starts, extents;
      for (const frontend::IndexVariable *index : use.indices) {
        names.push_back(builder.getStringAttr(index->name.text));
        starts.push_back(exprs.extentOf(index->start));
        extents.push_back(exprs.extentOf(*index->extent));
      }
      mlir::NamedAttrList entry;
      entry.set("where", number());
      words.push_back(exprs.emitCheckWord(use, freshName(base), {}));
      entry.set("value", number());
      words.push_back(
          exprs.emitCheckWord(use, freshName(base + "_value"), words.back()));
      entry.set("tensor", builder.getStringAttr(use.tensor));
      entry.set("subscript", builder.getStringAttr(
                                 frontend::printExpr(*use.subscript->value)));
      entry.set("names", builder.getArrayAttr(names));
      entry.set("starts", builder.getArrayAttr(starts));
      entry.set("extents", builder.getArrayAttr(extents));
      entry.set("end", exprs.extentOf(use.end));
      checks.push_back(entry.getDictionary(builder.getContext()));
    }
  }

  void emitStatement(const Statement &statement) {
    if (statement.scatter)
      return emitScatter(statement);
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
  std::vector<Value> words; ///< in pairs, results behind the outputs
  llvm::SmallVector<Attribute> checks;
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
