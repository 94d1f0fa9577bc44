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
#include "compiler/mlirgen/StatementGen.h"
#include "compiler/support/Suggest.h"
#include "dialects/te/TeFacts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Verifier.h"

#include <algorithm>
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
    diags.error(codes::kUnknownOp, "the file defines no operator")
        .help("write one, for example op twice(X: f32[N]) -> Y: f32[N] { Y[i] "
              "= 2 * X[i] }");
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

/// A hexadecimal number in decimal digits; of anything else an example.
static std::string decimalOf(const std::string &value) {
  uint64_t number = 1024;
  llvm::StringRef text = value;
  if (text.starts_with_insensitive("0x"))
    text.getAsInteger(0, number);
  return std::to_string(number);
}

/// Refuses values that were given to no parameter.
static bool checkKnown(const OpDecl &op, const GivenValues &unknown,
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
  for (const auto &[name, value] : unknown) {
    bool isSize =
        std::any_of(op.sizes.begin(), op.sizes.end(),
                    [&](const auto &size) { return size->name.text == name; });
    if (isSize) {
      diags
          .error(codes::kUnknownParameter,
                 fmt::format("'{}' is a size: its value is written in decimal "
                             "digits, not as '{}'",
                             name, value))
          .help(fmt::format("for example -D {}={}", name, decimalOf(value)));
      continue;
    }
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
    if (!op.contract.value_or(true))
      exprs.useNoContraction();
  }

  void emit(const std::vector<int64_t> &given, te::Accuracy functions) {
    mlir::Location loc = exprs.at(op.name.range);
    llvm::SmallVector<Attribute> sizes, constraints, resultTypes;
    for (const auto &size : op.sizes)
      sizes.push_back(builder.getStringAttr(size->name.text));
    for (const SizeConstraint &constraint : op.constraints)
      constraints.push_back(attributeOf(constraint, builder));
    // What is written in place comes behind the outputs.
    llvm::SmallVector<Attribute> resultNames;
    llvm::SmallVector<int64_t> inPlace;
    llvm::SmallVector<const Tensor *> resultTensors;
    auto addResult = [&](const TensorDecl &decl, int64_t argument) {
      resultTypes.push_back(mlir::TypeAttr::get(tensorType(*decl.tensor)));
      resultNames.push_back(builder.getStringAttr(decl.name.text));
      resultTensors.push_back(decl.tensor);
      inPlace.push_back(argument);
    };
    // Where the caller may give one memory for both, it is written in place.
    auto aliased = [&](const TensorDecl &output) {
      for (size_t i = 0; i < op.inputs.size(); ++i)
        if (output.tensor->aliases == op.inputs[i].tensor)
          return int64_t(i);
      return int64_t(-1);
    };
    for (const TensorDecl &output : op.outputs)
      addResult(output, aliased(output));
    for (size_t i = 0; i < op.inputs.size(); ++i)
      if (op.inputs[i].inOut)
        addResult(op.inputs[i], int64_t(i));
    bool anyInPlace =
        llvm::any_of(inPlace, [](int64_t argument) { return argument >= 0; });

    auto func = te::FuncOp::create(
        builder, loc, op.name.text, builder.getArrayAttr(sizes), given,
        namesOf(op.inputs), builder.getArrayAttr(resultNames),
        builder.getArrayAttr(resultTypes), rangesOf(op.inputs),
        builder.getArrayAttr({}), builder.getArrayAttr(constraints), functions,
        anyInPlace ? builder.getDenseI64ArrayAttr(inPlace)
                   : mlir::DenseI64ArrayAttr(),
        factsOf(), derivedSizes());
    if (!op.invariant.empty())
      te::setInvariant(func, invariantSizes());
    if (op.online)
      te::setOnline(func, op.online);
    llvm::SmallVector<Attribute> apart;
    for (const TensorDecl &output : op.outputs)
      if (output.tensor->aliases)
        apart.push_back(builder.getStringAttr(output.name.text));
    if (!apart.empty())
      te::setApart(func, builder.getArrayAttr(apart));
    mlir::Block *body = builder.createBlock(&func.getBody());
    for (const TensorDecl &input : op.inputs)
      exprs.bind(*input.tensor, body->addArgument(tensorType(*input.tensor),
                                                  exprs.at(input.name.range)));
    for (const TensorDecl &output : op.outputs)
      if (const Tensor *input = output.tensor->aliases)
        exprs.bind(*output.tensor, exprs.tensorValue(*input));
    firstWord = resultTensors.size();
    emitStatements(0, op.statements.size(), nullptr);

    llvm::SmallVector<Value> results;
    for (const Tensor *tensor : resultTensors)
      results.push_back(exprs.tensorValue(*tensor));
    if (!words.empty()) {
      for (Value word : words) {
        resultNames.push_back(builder.getStringAttr(
            word.getDefiningOp<te::ComputeOp>().getName()));
        resultTypes.push_back(mlir::TypeAttr::get(word.getType()));
        inPlace.push_back(-1);
        results.push_back(word);
      }
      func.setResultNamesAttr(builder.getArrayAttr(resultNames));
      func.setResultTypesAttr(builder.getArrayAttr(resultTypes));
      if (anyInPlace)
        func.setInPlaceAttr(builder.getDenseI64ArrayAttr(inPlace));
      func.setChecksAttr(builder.getArrayAttr(checks));
    }
    te::ReturnOp::create(builder, loc, results);
  }

private:
  /// Null where there are none.
  mlir::ArrayAttr derivedSizes() const {
    llvm::SmallVector<Attribute> list;
    for (const auto &derived : op.derived)
      list.push_back(te::DerivedSizeAttr::get(
          builder.getContext(), builder.getStringAttr(derived->name.text),
          exprs.extentOf(derived->numerator), derived->divisor));
    return list.empty() ? mlir::ArrayAttr() : builder.getArrayAttr(list);
  }

  mlir::ArrayAttr invariantSizes() const {
    llvm::SmallVector<Attribute> list;
    for (const frontend::Name &size : op.invariant)
      list.push_back(builder.getStringAttr(size.text));
    return builder.getArrayAttr(list);
  }

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

  /// What each input promises of its elements.
  mlir::ArrayAttr rangesOf(const std::vector<TensorDecl> &decls) const {
    llvm::SmallVector<Attribute> ranges;
    for (const TensorDecl &decl : decls) {
      const frontend::Tensor &tensor = *decl.tensor;
      if (!tensor.promise) {
        ranges.push_back(builder.getUnitAttr());
        continue;
      }
      llvm::SmallVector<Attribute> range = {
          exprs.extentOf(tensor.promise->first),
          exprs.extentOf(tensor.promise->second)};
      if (tensor.offsets)
        range.push_back(exprs.extentOf(*tensor.offsets));
      ranges.push_back(builder.getArrayAttr(range));
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
    Value start = exprs.tensorValue(*statement.tensor); // of inout tensors
    if (!start)
      start = emitStart(statement, type, loc);
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
        return builder.getI64IntegerAttr(firstWord + words.size());
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

  /// Statements [begin, end), which stand in `loop`.
  void emitStatements(size_t begin, size_t end,
                      const frontend::TimeLoop *loop) {
    while (begin < end) {
      const frontend::TimeLoop *inner = op.statements[begin]->loop;
      if (inner == loop) {
        emitStatement(*op.statements[begin]);
        emitChecks(*op.statements[begin++]);
        continue;
      }
      while (inner->parent != loop)
        inner = inner->parent;
      size_t after = begin;
      while (after < end &&
             frontend::isAround(inner, op.statements[after]->loop))
        ++after;
      emitLoop(*inner, begin, after);
      begin = after;
    }
  }

  /// Carries what is written inside and was defined before.
  void emitLoop(const frontend::TimeLoop &loop, size_t begin, size_t end) {
    mlir::Location loc = exprs.at(loop.range);
    llvm::SmallVector<const Tensor *> carried;
    llvm::SmallVector<Value> inits;
    llvm::SmallVector<mlir::Type> types;
    for (size_t s = begin; s < end; ++s) {
      const Tensor *tensor = op.statements[s]->tensor;
      Value before = exprs.tensorValue(*tensor);
      if (llvm::is_contained(carried, tensor))
        continue;
      // Its turns define it.
      if (!before && !tensor->inOut &&
          frontend::isAround(tensor->home, loop.parent))
        before = mlirgen::emitNothing(exprs, builder, *tensor,
                                      tensorType(*tensor), loc);
      if (!before)
        continue;
      exprs.bind(*tensor, before);
      carried.push_back(tensor);
      inits.push_back(before);
      types.push_back(before.getType());
    }
    auto repeat = te::ForOp::create(builder, loc, types, loop.index->name.text,
                                    exprs.extentOf(*loop.index->extent), inits);
    llvm::SmallVector<const Tensor *> local;
    {
      mlir::OpBuilder::InsertionGuard guard(builder);
      mlir::Block *body = builder.createBlock(&repeat.getBody());
      exprs.bindIndex(*loop.index,
                      body->addArgument(builder.getIndexType(), loc));
      for (const Tensor *tensor : carried)
        exprs.bind(*tensor, body->addArgument(
                                exprs.tensorValue(*tensor).getType(), loc));
      for (size_t s = begin; s < end; ++s)
        if (!exprs.tensorValue(*op.statements[s]->tensor))
          local.push_back(op.statements[s]->tensor);
      emitStatements(begin, end, &loop);
      llvm::SmallVector<Value> next;
      for (const Tensor *tensor : carried)
        next.push_back(exprs.tensorValue(*tensor));
      te::NextOp::create(builder, loc, next);
    }
    for (auto [tensor, result] : llvm::zip(carried, repeat.getResults()))
      exprs.bind(*tensor, result);
    for (const Tensor *tensor : local)
      exprs.bind(*tensor, Value());
  }

  void emitStatement(const Statement &statement) {
    if (statement.scatter)
      return emitScatter(statement);
    const Tensor &tensor = *statement.tensor;
    exprs.bind(tensor, mlirgen::emitStatement(exprs, builder, statement,
                                              tensorType(tensor),
                                              exprs.tensorValue(tensor)));
    // What is read of the input below was not overwritten (SemaAliases.cpp).
    if (tensor.aliases)
      exprs.bind(*tensor.aliases, exprs.tensorValue(tensor));
  }

  const OpDecl &op;
  mlir::OpBuilder &builder;
  ExprGen exprs;
  size_t firstWord = 0;     ///< the results in front of those
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
