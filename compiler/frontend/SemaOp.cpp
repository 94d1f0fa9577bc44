//===- SemaOp.cpp - names, shapes and types of an operator ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/ExprChecker.h"
#include "compiler/frontend/Sema.h"
#include "compiler/support/Suggest.h"

#include <fmt/format.h>

namespace girih::frontend {

void Sema::checkOp(OpDecl &op) {
  OpScope scope(op);
  unsigned before = reporter.errors();
  for (const auto &statement : op.statements)
    scope.firstStatement.try_emplace(statement->target.text, statement.get());
  collectSizes(scope);
  declareTensors(scope);
  checkConstraints(scope);
  for (auto &statement : op.statements)
    checkStatement(scope, *statement);
  checkUses(scope, reporter.errors() == before);
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

/// A size is solved from the arguments, so some input must show it.
void Sema::collectSizes(OpScope &scope) {
  auto collect = [&](const std::vector<TensorDecl> &decls, bool inputs) {
    for (const TensorDecl &decl : decls)
      for (const DimDecl &dim : decl.dims) {
        if (dim.symbol.empty() || scope.sizes.count(dim.symbol))
          continue;
        auto size = std::make_unique<SizeSymbol>();
        size->name = {dim.symbol, dim.range};
        scope.sizes[dim.symbol] = size.get();
        scope.op.sizes.push_back(std::move(size));
        if (const Global *global = findGlobal(dim.symbol)) {
          Diagnostic &d = reporter.error(
              global->constant ? codes::kWrongKind : codes::kSpaceClash,
              global->constant
                  ? fmt::format("the constant '{}' is {}, not a size",
                                dim.symbol, spelling(global->constant->type))
                  : fmt::format("'{}' names a size and {}", dim.symbol,
                                global->kind()),
              dim.range);
          d.note("defined here", global->range);
          continue;
        }
        if (!inputs)
          reporter
              .error(codes::kSizeNotSolved,
                     fmt::format("no input says how large '{}' is", dim.symbol),
                     dim.range)
              .help("use a size of an input, or a constant");
      }
  };
  collect(scope.op.inputs, true);
  collect(scope.op.outputs, false);
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
  for (const DimDecl &dim : decl.dims) {
    Extent extent;
    extent.constant = dim.constant;
    if (!dim.symbol.empty())
      extent.size = scope.sizes.at(dim.symbol);
    tensor->dims.push_back(extent);
  }
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
  unsigned before = reporter.errors();
  Tensor *tensor = targetOf(scope, statement);
  statement.tensor = tensor;
  // A temporary becomes visible behind its statement only, but its own
  // statement must say what is wrong when it reads itself.
  bool temporary = tensor && tensor->role == Tensor::Role::Temporary;
  if (temporary) {
    tensor->definition = &statement;
    scope.tensors[tensor->name.text] = tensor;
  }
  ExprChecker checker(*this, scope, tensor);
  for (auto &index : statement.indices)
    checker.bind(*index);
  auto type = checker.check(*statement.value);
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
  tensor->type = temporary ? *type : tensor->type;
  if (temporary)
    finishTemporary(scope, statement, *tensor);
  else
    finishOutput(scope, statement, *tensor);
  uint64_t size = 0;
  unsigned depth = 0;
  countInlined(*statement.value, size, depth);
}

void Sema::finishTemporary(OpScope &scope, Statement &statement,
                           Tensor &tensor) {
  ScalarType type = statement.value->type;
  if (type == ScalarType::Index) {
    scope.poisoned.insert(&tensor);
    reporter
        .error(codes::kWrongOperandType, "an index is not a tensor's element",
               statement.value->range)
        .help("cast it, for example f32(i) or i64(i)");
    return;
  }
  for (auto &index : statement.indices) {
    if (!index->extent) {
      scope.poisoned.insert(&tensor);
      reporter
          .error(codes::kRangeNotFixed,
                 fmt::format("nothing says how far the index '{}' runs",
                             index->name.text),
                 index->name.range)
          .help("use it as a subscript of a tensor");
      return;
    }
    tensor.dims.push_back(*index->extent);
  }
}

void Sema::finishOutput(OpScope &scope, Statement &statement, Tensor &tensor) {
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
    return;
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
    return;
  }
  // The whole output must be defined: its declaration is one more access.
  ExprChecker checker(*this, scope, &tensor);
  for (const TensorDecl &decl : scope.op.outputs)
    if (decl.tensor == &tensor)
      for (size_t i = 0; i < tensor.dims.size(); ++i)
        checker.fix(*statement.indices[i], tensor.dims[i], decl.dims[i].range);
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
