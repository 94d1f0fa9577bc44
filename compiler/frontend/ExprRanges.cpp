//===- ExprRanges.cpp - reads, reductions and their indices ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/ExprChecker.h"
#include "compiler/frontend/IndexSums.h"
#include "compiler/frontend/OrderTerms.h"
#include "compiler/support/Suggest.h"

#include <fmt/format.h>

namespace girih::frontend {

IndexVariable *ExprChecker::findIndex(std::string_view name) const {
  for (auto it = indices.rbegin(); it != indices.rend(); ++it)
    if ((*it)->name.text == name)
      return *it;
  return nullptr;
}

std::vector<std::string> ExprChecker::indexNames() const {
  std::vector<std::string> names;
  for (const IndexVariable *index : indices)
    names.push_back(index->name.text);
  return names;
}

std::vector<std::string> ExprChecker::tensorNames() const {
  std::vector<std::string> names;
  if (op)
    for (auto &[name, tensor] : op->tensors)
      names.push_back(name);
  return names;
}

void ExprChecker::bind(IndexVariable &index) {
  if (IndexVariable *other = findIndex(index.name.text))
    sema.report()
        .error(codes::kIndexShadowed,
               fmt::format("the index '{}' is in use already", index.name.text),
               index.name.range)
        .note("first used here", other->name.range)
        .help("give this one a name of its own");
  else
    sema.checkIndexName(*op, index);
  indices.push_back(&index);
  bound.push_back(&index);
}

/// An optional tensor that this instance of the operator was not given.
bool ExprChecker::isAbsent(std::string_view name) const {
  if (op && op->op.written)
    for (const TensorDecl &input : op->op.written->inputs)
      if (input.optional && input.name.text == name)
        return true;
  return false;
}

const Tensor *ExprChecker::findTensor(const Name &name) {
  if (fn) {
    sema.report().error(codes::kNotInFunction,
                        "a function computes from its parameters only: it "
                        "reads no tensors",
                        name.range);
    return nullptr;
  }
  auto found = op->tensors.find(name.text);
  auto first = op->firstStatement.find(name.text);
  if (found == op->tensors.end()) {
    if (first != op->firstStatement.end()) {
      sema.report()
          .error(codes::kReadBeforeDefined,
                 fmt::format("'{}' is read before it is defined", name.text),
                 name.range)
          .note("it is defined here", first->second->target.range)
          .help("move its statement up");
      return nullptr;
    }
    auto notATensor = [&](const char *what, SourceRange place) {
      sema.report()
          .error(codes::kWrongKind,
                 fmt::format("{} '{}' is not a tensor", what, name.text),
                 name.range)
          .note("defined here", place);
    };
    auto size = op->sizes.find(name.text);
    if (size != op->sizes.end())
      return notATensor("the size", size->second->name.range), nullptr;
    if (IndexVariable *index = findIndex(name.text))
      return notATensor("the index", index->name.range), nullptr;
    if (const Global *global = sema.findGlobal(name.text))
      return notATensor(global->what(), global->range), nullptr;
    if (isAbsent(name.text)) {
      sema.report()
          .error(codes::kNotOptional,
                 fmt::format("'{}' is none here and cannot be read", name.text),
                 name.range)
          .help(fmt::format(
              "read it where 'if {} == none' takes the other side", name.text));
      return nullptr;
    }
    undefined(name.text, name.range, "tensor", tensorNames());
    return nullptr;
  }
  const Tensor *tensor = found->second;
  if (tensor == defining && !typed) {
    sema.report()
        .error(codes::kRecurrence,
               fmt::format("the first statement of '{}' reads it: nothing says "
                           "its type yet",
                           name.text),
               name.range)
        .help("define its first elements in a statement of their own, or make "
              "it an output, which is declared");
    return nullptr;
  }
  if (tensor == defining) {
    op->read.insert(tensor);
    return op->poisoned.count(tensor) ? nullptr : tensor;
  }
  if (!sema.checkAlive(*op, *tensor, name.range))
    return nullptr;
  if (tensor->role == Tensor::Role::Output && !tensor->definition) {
    Diagnostic &d = sema.report().error(
        codes::kReadBeforeDefined,
        fmt::format("'{}' is read before it is defined", name.text),
        name.range);
    if (first != op->firstStatement.end())
      d.note("it is defined here", first->second->target.range)
          .help("move its statement up");
    return nullptr;
  }
  op->read.insert(tensor);
  return op->poisoned.count(tensor) ? nullptr : tensor;
}

ExprChecker::Type ExprChecker::checkNode(AccessExpr &node, Expr &expr, Type) {
  const Tensor *tensor = findTensor(node.tensorName);
  if (!tensor)
    return std::nullopt;
  node.tensor = tensor;
  bool fine = checkSubscripts(node, expr);
  if (tensor->dims.size() != node.subscripts.size())
    return std::nullopt;
  if (node.otherwise)
    fine &= checkOtherwise(node, *tensor);
  return fine ? Type(tensor->type) : std::nullopt;
}

/// The value outside is of the tensor's type.
bool ExprChecker::checkOtherwise(AccessExpr &node, const Tensor &tensor) {
  Type type = check(*node.otherwise,
                    node.otherwise->untyped ? Type(tensor.type) : std::nullopt);
  if (!type)
    return false;
  if (*type == tensor.type)
    return true;
  sema.report()
      .error(codes::kOperandTypesDiffer,
             fmt::format("'{}' holds {}, the value outside it is {}",
                         tensor.name.text, spelling(tensor.type),
                         spelling(*type)),
             node.otherwise->range)
      .note(fmt::format("'{}' is defined here", tensor.name.text),
            tensor.name.range)
      .help(fmt::format("cast it: {}({})", spelling(tensor.type),
                        shortened(*node.otherwise)));
  return false;
}

ExprChecker::Type ExprChecker::checkNode(ReduceExpr &node, Expr &expr, Type) {
  if (fn) {
    sema.report().error(codes::kNotInFunction,
                        "a function is scalar: it cannot hold a reduction",
                        expr.range);
    return std::nullopt;
  }
  bool rangesFine = true;
  for (auto &index : node.indices) {
    rangesFine &= checkRange(*index);
    bind(*index);
  }
  around.push_back(&node);
  rangesFine = rangesFine && checkCondition(node);
  Type type = check(*node.body);
  around.pop_back();
  for (size_t i = 0; i < node.indices.size(); ++i)
    unbind();
  if (!type || !rangesFine)
    return std::nullopt;
  std::string what = fmt::format("'{}'", spelling(node.kind));
  if (node.kind == ReduceKind::Any || node.kind == ReduceKind::All) {
    if (*type != ScalarType::Bool) {
      sema.report()
          .error(codes::kWrongOperandType,
                 fmt::format("{} needs booleans, this is {}", what,
                             spelling(*type)),
                 node.body->range)
          .help("compare it, for example with '> 0'");
      return std::nullopt;
    }
  } else if (!needNumber(*type, node.body->range, what)) {
    return std::nullopt;
  }
  reductions.push_back({&node, *type});
  return isArgument(node.kind) ? ScalarType::I64 : *type;
}

bool ExprChecker::checkOrders() {
  bool fine = true;
  for (auto [reduce, type] : reductions)
    fine &= checkOrder(*reduce, type);
  return fine;
}

bool ExprChecker::checkOrder(const ReduceExpr &node, ScalarType type) {
  const ReduceOrder &order = node.order;
  bool associative = !isFloat(type) || node.kind == ReduceKind::Max ||
                     node.kind == ReduceKind::Min || isArgument(node.kind);
  // These give the same bits in any order; the clause is harmless, and worth a
  // word because its author expected something of it.
  if (associative && order.range.end > order.range.begin)
    sema.report().warning(
        codes::kOrderWithoutEffect,
        fmt::format("'{}'{} gives the same bits in any order: the clause has "
                    "no effect",
                    spelling(node.kind),
                    isInteger(type) ? fmt::format(" of {}", spelling(type))
                                    : ""),
        order.range);
  if (order.kind != ReduceOrder::Kind::Pinned)
    return true;
  if (const OrderTerm *mma = findMma(*order.term)) {
    sema.report().error(codes::kNoOrder,
                        "tensor-core orders ('mma') are not supported yet",
                        mma->range);
    return false;
  }
  if (node.indices.size() > 1 && order.term->kind != OrderTerm::Kind::Seq) {
    sema.report()
        .error(codes::kNoOrder,
               fmt::format("'{}' over several indices is not supported yet",
                           spelling(*order.term)),
               order.range)
        .help("nest the sums, one index each");
    return false;
  }
  const IndexVariable &index = *node.indices.front();
  auto fault = findTreeFault(*order.term, *index.extent);
  if (!fault)
    return true;
  Diagnostic &d = sema.report().error(
      codes::kTreeExtent,
      fault->symbolic
          ? fmt::format("'tree' needs a constant extent, '{}' runs over {}",
                        index.name.text, spelling(*index.extent))
          : fmt::format("tree({}) cannot split {} elements evenly",
                        fault->tree->length, fault->extent),
      fault->tree->range);
  d.note(fmt::format("this fixes '{}' to {}", index.name.text,
                     spelling(*index.extent)),
         index.fixedBy);
  d.help(fault->symbolic ? "use seg or lanes, which take any extent"
                         : "use a number that divides the extent");
  return false;
}

} // namespace girih::frontend
