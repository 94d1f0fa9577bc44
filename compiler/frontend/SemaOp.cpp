//===- SemaOp.cpp - names, shapes and types of an operator ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/ExprChecker.h"
#include "compiler/frontend/IndexSums.h"
#include "compiler/frontend/Sema.h"
#include "compiler/support/Suggest.h"

#include <fmt/format.h>

namespace girih::frontend {

void Sema::checkOp(OpDecl &op) {
  OpScope scope(op);
  unsigned before = reporter.errors();
  for (const auto &statement : op.statements) {
    scope.firstStatement.try_emplace(statement->target.text, statement.get());
    ++scope.statementCount[statement->target.text];
    for (const Name &target : statement->moreTargets)
      scope.firstStatement.try_emplace(target.text, statement.get());
  }
  nameQuotients(op);
  collectSizes(scope);
  declareDerived(scope);
  declareTensors(scope);
  checkAliases(scope);
  checkLeading(scope);
  solveSizes(scope);
  checkAssumptions(scope);
  checkConstraints(scope);
  checkInvariant(scope);
  if (reporter.errors() == before)
    checkSatisfiable(scope);
  if (reporter.errors() == before)
    checkOutputExtents(scope);
  for (size_t i = 0; i < op.statements.size();) {
    if (!expandRagged(scope, i)) {
      scope.faulty = true;
      abandonCall(scope, *op.statements[i++]);
    } else if (isCall(*op.statements[i])) {
      if (!expandCall(scope, i))
        abandonCall(scope, *op.statements[i++]);
    } else {
      if (expandScans(scope, i))
        checkStatement(scope, *op.statements[i]);
      else
        abandonCall(scope, *op.statements[i]);
      ++i;
    }
  }
  checkUses(scope, reporter.errors() == before);
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

void Sema::collectSize(OpScope &scope, const std::string &name,
                       SourceRange range) {
  if (scope.sizes.count(name))
    return;
  auto size = std::make_unique<SizeSymbol>();
  size->name = {name, range};
  size->number = scope.op.sizes.size();
  scope.sizes[name] = size.get();
  scope.op.sizes.push_back(std::move(size));
  if (const Global *global = findGlobal(name)) {
    scope.clashed.insert(name);
    reporter
        .error(
            global->constant ? codes::kWrongKind : codes::kSpaceClash,
            global->constant
                ? fmt::format("the constant '{}' is {}, not a size", name,
                              spelling(global->constant->type))
                : fmt::format("'{}' names a size and {}", name, global->kind()),
            range)
        .note("defined here", global->range);
  }
}

void Sema::collectSizes(OpScope &scope) {
  for (const auto *decls : {&scope.op.inputs, &scope.op.outputs})
    for (const TensorDecl &decl : *decls)
      for (const DimDecl &dim : decl.dims)
        forEachName(*dim.value, [&](const std::string &name, SourceRange at) {
          collectSize(scope, name, at);
        });
}

std::optional<Extent> Sema::extentOf(OpScope &scope, const DimDecl &dim) {
  IndexSums sums{*this, reporter, scope, "a dimension", codes::kNoDimension};
  auto sum = sums.of(*dim.value);
  if (!sum)
    return std::nullopt;
  if (sum->offset.isConstant() && sum->offset.constant < 0) {
    reporter.error(
        codes::kNegativeExtent,
        fmt::format("a dimension of {} elements", sum->offset.constant),
        dim.range);
    return std::nullopt;
  }
  return sum->offset;
}

/// An input's dimensions are what the arguments have; an output's must be
/// computable.
void Sema::checkOutputExtents(OpScope &scope) {
  Prover prover = proverOf(scope.op);
  for (const TensorDecl &decl : scope.op.outputs)
    for (size_t d = 0; d < decl.dims.size(); ++d) {
      const Extent &dim = decl.tensor->dims[d];
      if (dim.isBare() || prover.proves(formOf(dim)))
        continue;
      std::string example;
      if (auto values = prover.counterexample(formOf(dim))) {
        int64_t extent = dim.constant;
        for (auto [size, factor] : dim.terms) {
          extent += factor * (*values)[size->number];
          example += fmt::format("{}{} = {}", example.empty() ? "" : ", ",
                                 size->name.text, (*values)[size->number]);
        }
        example = fmt::format(": with {} it is {}", example, extent);
      }
      Diagnostic &error = reporter.error(
          codes::kNegativeExtent,
          fmt::format("the dimension {} of '{}' may be negative{}",
                      spelling(dim), decl.name.text, example),
          decl.dims[d].range);
      if (dim.terms.size() == 1 && dim.terms[0].second == 1)
        error.help(fmt::format("add the constraint 'where {} >= {}'",
                               dim.terms[0].first->name.text, -dim.constant));
      else
        error.help("let an input's dimension be the sum, for example "
                   "X: f32[N + K - 1] for an output of N");
    }
}

void Sema::declareTensors(OpScope &scope) {
  for (TensorDecl &decl : scope.op.inputs)
    declareTensor(scope, decl, Tensor::Role::Input);
  for (TensorDecl &decl : scope.op.outputs)
    declareTensor(scope, decl, Tensor::Role::Output);
}

void Sema::declareTensor(OpScope &scope, TensorDecl &decl, Tensor::Role role) {
  auto tensor = std::make_unique<Tensor>();
  tensor->name = decl.name;
  tensor->role = role;
  tensor->type = decl.type;
  tensor->inOut = decl.inOut;
  for (const DimDecl &dim : decl.dims) {
    tensor->dims.push_back(extentOf(scope, dim).value_or(Extent()));
    tensor->sums.push_back(dim.value && dim.value->as<BinaryExpr>());
  }
  if (decl.first)
    checkPromise(scope, decl, *tensor);
  if (decl.offsets)
    checkOffsets(scope, decl, *tensor);
  decl.tensor = tensor.get();
  scope.op.tensors.push_back(std::move(tensor));
  auto [place, fresh] = scope.tensors.try_emplace(decl.name.text, decl.tensor);
  if (!fresh) {
    reporter
        .error(codes::kRedefined,
               fmt::format("the tensor '{}' is declared twice", decl.name.text),
               decl.name.range)
        .note("first declared here", place->second->name.range);
    return;
  }
  checkTensorName(scope, decl.name);
}

bool Sema::checkTensorName(const OpScope &scope, const Name &name) {
  auto size = scope.sizes.find(name.text);
  if (size != scope.sizes.end()) {
    reporter
        .error(codes::kSpaceClash,
               fmt::format("'{}' names a tensor and a size", name.text),
               name.range)
        .note("the size stands here", size->second->name.range)
        .help("rename one of them");
    return false;
  }
  if (const Global *global = findGlobal(name.text)) {
    reporter
        .error(global->constant ? codes::kSpaceClash : codes::kRedefined,
               fmt::format("'{}' names a tensor and {}", name.text,
                           global->kind()),
               name.range)
        .note(fmt::format("{} is defined here", global->what()), global->range)
        .help("rename one of them");
    return false;
  }
  return true;
}

void Sema::checkIndexName(OpScope &scope, const IndexVariable &index) {
  const std::string &name = index.name.text;
  auto clash = [&](const char *code, std::string message, SourceRange place) {
    if (!scope.clashed.insert(name).second)
      return;
    reporter.error(code, std::move(message), index.name.range)
        .note("the other one stands here", place)
        .help("rename one of them");
  };
  auto size = scope.sizes.find(name);
  if (size != scope.sizes.end())
    return clash(codes::kSpaceClash,
                 fmt::format("'{}' names an index and a size", name),
                 size->second->name.range);
  auto tensor = scope.tensors.find(name);
  auto later = scope.firstStatement.find(name);
  if (tensor != scope.tensors.end() || later != scope.firstStatement.end())
    return clash(codes::kSpaceClash,
                 fmt::format("'{}' names an index and a tensor", name),
                 tensor != scope.tensors.end() ? tensor->second->name.range
                                               : later->second->target.range);
  if (const Global *global = findGlobal(name))
    return clash(
        codes::kSpaceClash,
        fmt::format("'{}' names an index and {}", name, global->kind()),
        global->range);
}

void Sema::checkConstraints(OpScope &scope) {
  for (SizeConstraint &constraint : scope.op.constraints) {
    auto size = scope.sizes.find(constraint.name.text);
    if (size != scope.sizes.end()) {
      constraint.size = size->second;
      continue;
    }
    std::vector<std::string> names;
    for (auto &[name, symbol] : scope.sizes)
      names.push_back(name);
    reporter.error(codes::kUndefined,
                   fmt::format("there is no size '{}'{}", constraint.name.text,
                               didYouMean(constraint.name.text, names)),
                   constraint.name.range);
  }
}

/// Where no size keeps all constraints everything could be proved.
void Sema::checkSatisfiable(const OpScope &scope) {
  LinearForm never;
  never.constant = -1;
  const auto &constraints = scope.op.constraints;
  if (constraints.empty() || !proverOf(scope.op).proves(never))
    return;
  std::string all;
  for (const SizeConstraint &constraint : constraints)
    all += (all.empty() ? "" : ", ") + printConstraint(constraint);
  reporter
      .error(codes::kBadConstraint,
             fmt::format("no sizes keep all constraints: {}", all),
             constraints.back().name.range)
      .help("leave one out; of sizes that follow from others, those must be "
            "able to have them");
}

/// `invariant = M, N`.
void Sema::checkInvariant(OpScope &scope) {
  std::vector<std::string> names, seen;
  for (auto &[name, symbol] : scope.sizes)
    names.push_back(name);
  for (const Name &size : scope.op.invariant) {
    if (!scope.sizes.count(size.text))
      reporter.error(codes::kUndefined,
                     fmt::format("there is no size '{}'{}", size.text,
                                 didYouMean(size.text, names)),
                     size.range);
    else if (std::count(seen.begin(), seen.end(), size.text))
      reporter.error(codes::kMisplaced,
                     fmt::format("'{}' stands in 'invariant' twice", size.text),
                     size.range);
    seen.push_back(size.text);
  }
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

SourceRange Sema::declarationOf(const OpScope &scope,
                                const Tensor &tensor) const {
  const TensorDecl *decl = declOf(scope, tensor);
  return decl ? decl->range : tensor.name.range;
}

/// The tensor a statement defines; a new one for a temporary. Null where the
/// name cannot be defined (again).
Tensor *Sema::targetOf(OpScope &scope, Statement &statement) {
  const Name &name = statement.target;
  auto found = scope.tensors.find(name.text);
  if (found == scope.tensors.end()) {
    if (!checkTensorName(scope, name))
      return nullptr;
    auto tensor = std::make_unique<Tensor>();
    tensor->name = name;
    Tensor *result = tensor.get();
    scope.op.tensors.push_back(std::move(tensor));
    return result;
  }
  Tensor *tensor = found->second;
  if (tensor->role == Tensor::Role::Input && !tensor->inOut) {
    reporter
        .error(codes::kInputAssigned,
               fmt::format("'{}' is an input and cannot be defined", name.text),
               name.range)
        .note("it is declared here", tensor->name.range)
        .help("give the result a name of its own, or declare it inout");
    return nullptr;
  }
  if (!checkUpdate(statement, *tensor))
    return nullptr;
  bool whole = statement.at.empty() && !statement.where;
  const Statement *first = tensor->definition;
  bool scatters = statement.scatter || (first && first->scatter);
  if (first && !statement.updates &&
      (scatters || (whole && first->at.empty() && !first->where))) {
    reporter
        .error(codes::kTensorRedefined,
               fmt::format("'{}' is defined twice", name.text), name.range)
        .note("first defined here", tensor->definition->target.range)
        .help("give the second one a name of its own");
    return nullptr;
  }
  return tensor;
}

void Sema::checkStatement(OpScope &scope, Statement &statement) {
  reporter.setContext(contextOf(scope, statement));
  checkDefinition(scope, statement);
  reporter.setContext(std::nullopt);
}

/// What a literal that a scatter puts is of: `H[b[i]] += 1`.
static std::optional<ScalarType> scatterType(const Statement &statement,
                                             const Tensor *tensor) {
  bool isOutput =
      tensor && (tensor->role == Tensor::Role::Output || tensor->inOut);
  if (!statement.scatter || !statement.value->untyped)
    return std::nullopt;
  if (isOutput)
    return tensor->type;
  // Refused later, with the type that it probably has.
  auto *literal = statement.value->as<LiteralExpr>();
  return literal && integerLiteral(literal->digits) ? ScalarType::I32
                                                    : ScalarType::F32;
}

void Sema::checkDefinition(OpScope &scope, Statement &statement) {
  unsigned before = reporter.errors();
  if (!statement.moreTargets.empty())
    reporter.error(codes::kWrongKind,
                   "only a call of an operator gives several tensors",
                   statement.value->range);
  scope.loop = statement.loop;
  if (statement.loop && !checkLoop(scope, *statement.loop)) {
    scope.faulty = true;
    return;
  }
  sortLeftNames(scope, statement);
  Tensor *tensor = targetOf(scope, statement);
  statement.tensor = tensor;
  // A temporary becomes visible behind its statement only, but its own
  // statement must say what is wrong when it reads itself.
  bool temporary = tensor && tensor->role == Tensor::Role::Temporary;
  bool later = tensor && tensor->definition;
  if (temporary && !later) {
    tensor->definition = &statement;
    scope.tensors[tensor->name.text] = tensor;
  }
  if (temporary && !later && statement.like) {
    tensor->type = statement.like->type;
    tensor->dims = statement.like->dims;
    for (const Extent &dim : tensor->dims)
      statement.declared.emplace_back(dim, statement.range);
  }
  if (statement.scatter)
    makeScatterIndices(scope, statement);
  giveRanges(scope, statement);
  bool typedBefore = later || !temporary || statement.like;
  ExprChecker checker(*this, scope, tensor, typedBefore);
  for (const TimeLoop *loop = statement.loop; loop; loop = loop->parent)
    checker.bind(*loop->index);
  for (auto &index : statement.indices)
    checker.bind(*index);
  bool left = checkLeftSide(scope, statement) &&
              (!statement.scatter || checkScatterParts(statement));
  if (tensor && !later && !tensor->inOut)
    tensor->home = homeOf(statement);
  auto type =
      !left ? std::nullopt
      : statement.scatter
          ? checker.check(*statement.value, scatterType(statement, tensor))
          : checker.checkStatement(statement);
  if (left && tensor && statement.scatter &&
      (tensor->role == Tensor::Role::Output || tensor->inOut))
    checker.checkPlace(*statement.scatter->place, *tensor);
  if (!tensor)
    return;
  bool fine = type.has_value() && reporter.errors() == before;
  if (!later)
    tensor->definition = &statement;
  if (!fine) {
    // What is wrong is reported; a declared output keeps its declared shape.
    scope.faulty = true;
    if (temporary)
      scope.poisoned.insert(tensor);
    return;
  }
  if (temporary && !typedBefore)
    tensor->type = *type;
  for (const SeenAccess &seen : checker.allAccesses())
    statement.readsItself |=
        seen.access->tensor == tensor && !seen.access->isPlace;
  bool ruled = checkChecked(statement, checker);
  if (statement.scatter) {
    if (!ruled || !checkScatter(scope, statement, *tensor, checker)) {
      scope.faulty = true;
      if (temporary)
        scope.poisoned.insert(tensor);
    }
    return;
  }
  bool typed =
      !temporary ? checkOutput(scope, statement, *tensor)
      : typedBefore && !statement.like
          ? scope.poisoned.count(tensor) || checkLaterPart(statement, *tensor)
          : checkTemporaryType(statement);
  bool ranged =
      ruled && typed && finishRanges(scope, statement, *tensor, checker) &&
      (scope.poisoned.count(tensor) || addPart(scope, statement, *tensor));
  scope.faulty |= !ranged;
  if (temporary && !ranged)
    scope.poisoned.insert(tensor);
  uint64_t size = 0;
  unsigned depth = 0;
  for (const ExprPtr *expr :
       {&statement.value, &statement.where, &statement.otherwise})
    if (*expr)
      countInlined(**expr, size, depth);
}

bool Sema::checkTemporaryType(const Statement &statement) {
  if (statement.value->type != ScalarType::Index)
    return true;
  reporter
      .error(codes::kWrongOperandType, "an index is not a tensor's element",
             statement.value->range)
      .help("cast it, for example f32(i) or i64(i)");
  return false;
}

bool Sema::checkOutput(const OpScope &scope, const Statement &statement,
                       const Tensor &tensor) {
  SourceRange declared = declarationOf(scope, tensor);
  size_t rank =
      statement.at.empty() ? statement.indices.size() : statement.at.size();
  if (rank != tensor.dims.size()) {
    reporter
        .error(codes::kRankMismatch,
               fmt::format("'{}' has {} dimension{}, this statement gives {} "
                           "ind{}",
                           tensor.name.text, tensor.dims.size(),
                           tensor.dims.size() == 1 ? "" : "s", rank,
                           rank == 1 ? "ex" : "ices"),
               statement.target.range)
        .note("it is declared here", declared);
    return false;
  }
  ScalarType type = statement.value->type;
  if (type != tensor.type) {
    Diagnostic &d = reporter.error(
        codes::kResultTypeDiffers,
        fmt::format("'{}' is declared {}, this value is {}", tensor.name.text,
                    spelling(tensor.type), spelling(type)),
        statement.value->range);
    d.note("it is declared here", declared);
    d.help(fmt::format("cast it: {}({})", spelling(tensor.type),
                       shortened(*statement.value)));
    return false;
  }
  return true;
}

void Sema::checkUses(OpScope &scope, bool clean) {
  for (const TensorDecl &decl : scope.op.outputs)
    if (decl.tensor->definition && decl.tensor->home)
      reporter
          .error(codes::kOutputUndefined,
                 fmt::format("the output '{}' is defined in a loop only",
                             decl.name.text),
                 decl.tensor->definition->target.range)
          .note("it is declared here", decl.range)
          .help("define it before the loop: a loop may have no turn; or let "
                "each turn define elements of its own, as Y[t, i] does");
    else if (!decl.tensor->definition)
      reporter
          .error(
              codes::kOutputUndefined,
              fmt::format("the output '{}' is never defined", decl.name.text),
              decl.range)
          .help(fmt::format("add a statement for '{}'", decl.name.text));
  for (const TensorDecl &decl : scope.op.inputs)
    if (decl.inOut && !decl.tensor->definition)
      reporter
          .error(codes::kOutputUndefined,
                 fmt::format("the inout tensor '{}' is never written",
                             decl.name.text),
                 decl.range)
          .help("take 'inout' away");
  // After an error the reads of a faulty statement are not all known.
  if (!clean)
    return;
  for (const TensorDecl &decl : scope.op.outputs)
    checkCovered(scope, decl);
  for (const auto &tensor : scope.op.tensors) {
    if (scope.read.count(tensor.get()) ||
        tensor->role == Tensor::Role::Output || tensor->inOut)
      continue;
    // What reads it may be what this instance leaves out.
    if (tensor->role == Tensor::Role::Input && scope.op.written)
      continue;
    if (tensor->role == Tensor::Role::Input)
      reporter.warning(
          codes::kUnusedInput,
          fmt::format("the input '{}' is never read", tensor->name.text),
          tensor->name.range);
    else if (tensor->name.text != "_")
      reporter.warning(
          codes::kUnusedTemporary,
          fmt::format("'{}' is defined and never read", tensor->name.text),
          tensor->name.range);
  }
}

} // namespace girih::frontend
