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
    for (const Name &target : statement->moreTargets)
      scope.firstStatement.try_emplace(target.text, statement.get());
  }
  collectSizes(scope);
  declareTensors(scope);
  solveSizes(scope);
  checkConstraints(scope);
  if (reporter.errors() == before)
    checkOutputExtents(scope);
  for (size_t i = 0; i < op.statements.size();)
    if (!isCall(*op.statements[i]))
      checkStatement(scope, *op.statements[i++]);
    else if (!expandCall(scope, i))
      abandonCall(scope, *op.statements[i++]);
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

/// A size is solved from the arguments: some input has a dimension in which it
/// is the only one not known.
void Sema::solveSizes(OpScope &scope) {
  std::set<const SizeSymbol *> solved;
  for (bool progress = true; progress;) {
    progress = false;
    for (const TensorDecl &decl : scope.op.inputs)
      for (const Extent &dim : decl.tensor->dims) {
        const SizeSymbol *unknown = nullptr;
        unsigned count = 0;
        for (auto [size, factor] : dim.terms)
          if (!solved.count(size)) {
            unknown = factor > 0 ? size : nullptr;
            ++count;
          }
        if (count == 1 && unknown)
          progress |= solved.insert(unknown).second;
      }
  }
  for (const auto &size : scope.op.sizes) {
    if (solved.count(size.get()) || scope.clashed.count(size->name.text))
      continue;
    Diagnostic &d = reporter.error(
        codes::kSizeNotSolved,
        fmt::format("no input says how large '{}' is", size->name.text),
        size->name.range);
    bool inInput = false;
    for (const TensorDecl &decl : scope.op.inputs)
      for (const Extent &dim : decl.tensor->dims)
        for (auto [other, factor] : dim.terms)
          inInput |= other == size.get();
    d.help(inInput ? "it must be the only unknown of some input's dimension"
                   : "use a size of an input, or a constant");
  }
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
  for (const DimDecl &dim : decl.dims)
    tensor->dims.push_back(extentOf(scope, dim).value_or(Extent()));
  if (decl.first)
    checkPromise(scope, decl, *tensor);
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

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

SourceRange Sema::declarationOf(const OpScope &scope,
                                const Tensor &tensor) const {
  for (const TensorDecl &decl : scope.op.outputs)
    if (decl.tensor == &tensor)
      return decl.range;
  return tensor.name.range;
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
  if (tensor->role == Tensor::Role::Input) {
    reporter
        .error(codes::kInputAssigned,
               fmt::format("'{}' is an input and cannot be defined", name.text),
               name.range)
        .note("it is declared here", tensor->name.range)
        .help("give the result a name of its own");
    return nullptr;
  }
  if (tensor->definition) {
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
  std::optional<Note> context;
  if (const Name &from = statement.inlinedFrom; !from.text.empty())
    context =
        Note{fmt::format("in the call of '{}' here", from.text), from.range};
  reporter.setContext(context);
  checkDefinition(scope, statement);
  reporter.setContext(std::nullopt);
}

/// What a literal that a scatter puts is of: `H[b[i]] += 1`.
static std::optional<ScalarType> scatterType(const Statement &statement,
                                             const Tensor *tensor) {
  bool isOutput = tensor && tensor->role == Tensor::Role::Output;
  if (statement.scatter && isOutput && statement.value->untyped)
    return tensor->type;
  return std::nullopt;
}

void Sema::checkDefinition(OpScope &scope, Statement &statement) {
  unsigned before = reporter.errors();
  if (!statement.moreTargets.empty())
    reporter.error(codes::kWrongKind,
                   "only a call of an operator gives several tensors",
                   statement.value->range);
  Tensor *tensor = targetOf(scope, statement);
  statement.tensor = tensor;
  // A temporary becomes visible behind its statement only, but its own
  // statement must say what is wrong when it reads itself.
  bool temporary = tensor && tensor->role == Tensor::Role::Temporary;
  if (temporary) {
    tensor->definition = &statement;
    scope.tensors[tensor->name.text] = tensor;
  }
  if (statement.scatter)
    makeScatterIndices(scope, statement);
  ExprChecker checker(*this, scope, tensor);
  for (auto &index : statement.indices)
    checker.bind(*index);
  auto type = checker.check(*statement.value, scatterType(statement, tensor));
  if (tensor && statement.scatter && tensor->role == Tensor::Role::Output)
    checker.checkPlace(*statement.scatter->place, *tensor);
  if (!tensor)
    return;
  bool fine = type.has_value() && reporter.errors() == before;
  tensor->definition = &statement;
  if (!fine) {
    // What is wrong is reported; a declared output keeps its declared shape.
    if (temporary)
      scope.poisoned.insert(tensor);
    return;
  }
  if (statement.scatter) {
    if (!checkScatter(scope, statement, *tensor, checker) && temporary)
      scope.poisoned.insert(tensor);
    return;
  }
  tensor->type = temporary ? *type : tensor->type;
  bool typed = temporary ? checkTemporaryType(statement)
                         : checkOutput(scope, statement, *tensor);
  bool ranged = typed && finishRanges(scope, statement, *tensor, checker);
  if (temporary && !ranged)
    scope.poisoned.insert(tensor);
  else if (temporary)
    for (const auto &index : statement.indices)
      tensor->dims.push_back(*index->extent);
  uint64_t size = 0;
  unsigned depth = 0;
  countInlined(*statement.value, size, depth);
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
  if (statement.indices.size() != tensor.dims.size()) {
    reporter
        .error(codes::kRankMismatch,
               fmt::format("'{}' has {} dimension{}, this statement gives {} "
                           "ind{}",
                           tensor.name.text, tensor.dims.size(),
                           tensor.dims.size() == 1 ? "" : "s",
                           statement.indices.size(),
                           statement.indices.size() == 1 ? "ex" : "ices"),
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

bool Sema::finishRanges(OpScope &scope, Statement &statement,
                        const Tensor &tensor, ExprChecker &checker) {
  RangeSolver solver(reporter, scope.op, checker.allIndices(),
                     checker.allAccesses());
  // The whole output must be defined: its declaration is one more access.
  for (const TensorDecl &decl : scope.op.outputs)
    if (decl.tensor == &tensor)
      for (size_t i = 0; i < tensor.dims.size(); ++i)
        solver.declare(*statement.indices[i], tensor.dims[i],
                       decl.dims[i].range, /*checked=*/true);
  if (tensor.role == Tensor::Role::Temporary &&
      statement.declared.size() == statement.indices.size())
    for (size_t i = 0; i < statement.declared.size(); ++i)
      solver.declare(*statement.indices[i], statement.declared[i].first,
                     statement.declared[i].second, /*checked=*/false);
  return solver.run() && checker.checkOrders();
}

void Sema::checkUses(OpScope &scope, bool clean) {
  for (const TensorDecl &decl : scope.op.outputs)
    if (!decl.tensor->definition)
      reporter
          .error(
              codes::kOutputUndefined,
              fmt::format("the output '{}' is never defined", decl.name.text),
              decl.range)
          .help(fmt::format("add a statement for '{}'", decl.name.text));
  // After an error the reads of a faulty statement are not all known.
  if (!clean)
    return;
  for (const auto &tensor : scope.op.tensors) {
    if (scope.read.count(tensor.get()) || tensor->role == Tensor::Role::Output)
      continue;
    // What reads it may be what this instance leaves out.
    if (tensor->role == Tensor::Role::Input && scope.op.written)
      continue;
    if (tensor->role == Tensor::Role::Input)
      reporter.warning(
          codes::kUnusedInput,
          fmt::format("the input '{}' is never read", tensor->name.text),
          tensor->name.range);
    else
      reporter.warning(
          codes::kUnusedTemporary,
          fmt::format("'{}' is defined and never read", tensor->name.text),
          tensor->name.range);
  }
}

} // namespace girih::frontend
