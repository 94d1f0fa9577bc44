//===- Instance.cpp - an operator with its parameters resolved ------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Instance.h"

#include "compiler/frontend/ConstFold.h"
#include "compiler/frontend/Sema.h"

#include <algorithm>
#include <cstdlib>

namespace girih::frontend {

namespace {

template <typename Map>
const typename Map::mapped_type *find(const Map &map, std::string_view name) {
  auto found = map.find(name);
  return found == map.end() ? nullptr : &found->second;
}

std::optional<bool> known(const Expr &expr) {
  auto *value = expr.as<BoolExpr>();
  return value ? std::optional(value->value) : std::nullopt;
}

std::unique_ptr<OrderTerm> cloneTerm(const OrderTerm &term) {
  auto copy = std::make_unique<OrderTerm>();
  copy->kind = term.kind;
  copy->range = term.range;
  copy->length = term.length;
  copy->width = term.width;
  copy->model = term.model;
  if (term.inner)
    copy->inner = cloneTerm(*term.inner);
  if (term.merge)
    copy->merge = cloneTerm(*term.merge);
  return copy;
}

ReduceOrder cloneOrder(const ReduceOrder &order) {
  ReduceOrder copy;
  copy.kind = order.kind;
  copy.range = order.range;
  if (order.term)
    copy.term = cloneTerm(*order.term);
  return copy;
}

template <typename T> bool holds(BinaryOp op, T a, T b) {
  switch (op) {
  case BinaryOp::Equal:
    return a == b;
  case BinaryOp::NotEqual:
    return a != b;
  case BinaryOp::Less:
    return a < b;
  case BinaryOp::LessEqual:
    return a <= b;
  case BinaryOp::Greater:
    return a > b;
  default:
    return a >= b;
  }
}

} // namespace

const CallExpr *callOf(const Statement &statement) {
  return statement.value->as<CallExpr>();
}

bool needsInstance(const OpDecl &op) {
  if (!op.params.empty())
    return true;
  for (const TensorDecl &input : op.inputs)
    if (input.optional)
      return true;
  // What is printed shows the scans and ragged loops, not what takes their
  // place.
  return !op.raggedLoops.empty() || holdsScan(op);
}

//===----------------------------------------------------------------------===//
// Known conditions
//===----------------------------------------------------------------------===//

std::optional<ScalarType> Cloner::typeOf(const Expr &expr) const {
  if (auto *literal = expr.as<LiteralExpr>())
    return literal->suffix;
  if (auto *unary = expr.as<UnaryExpr>())
    return typeOf(*unary->operand);
  if (auto *name = expr.as<NameExpr>())
    if (auto *constant = find(constants, name->name))
      return (*constant)->type;
  return std::nullopt;
}

std::optional<Cloner::Number> Cloner::valueOf(const LiteralExpr &literal,
                                              ScalarType type,
                                              bool negated) const {
  if (isFloat(type)) {
    RoundedNumber rounded = roundLiteral(literal.digits, formatOf(type));
    if (rounded.overflow)
      return std::nullopt;
    return Number{negated ? -rounded.value : rounded.value, 0};
  }
  auto whole = integerLiteral(literal.digits);
  if (!whole || whole->tooLarge || !isInRange(type, negated, whole->value))
    return std::nullopt;
  return Number{0, negated ? ~whole->value + 1 : whole->value};
}

/// `bits` as an integer of `type` has them: its sign in all 64.
static uint64_t wrapped(uint64_t bits, ScalarType type) {
  unsigned unused = 64 - widthOf(type);
  if (isUnsigned(type))
    return bits << unused >> unused;
  return static_cast<uint64_t>(static_cast<int64_t>(bits << unused) >> unused);
}

std::optional<Cloner::Number> Cloner::valueOf(const Expr &expr,
                                              ScalarType type) const {
  if (auto *literal = expr.as<LiteralExpr>())
    return valueOf(*literal, type, /*negated=*/false);
  if (auto *name = expr.as<NameExpr>()) {
    auto *constant = find(constants, name->name);
    if (!constant)
      return std::nullopt;
    return Number{(*constant)->folded, (*constant)->foldedBits};
  }
  auto *unary = expr.as<UnaryExpr>();
  if (!unary || unary->op != UnaryOp::Neg)
    return std::nullopt;
  // The sign of a literal is part of it, any other wraps.
  if (auto *literal = unary->operand->as<LiteralExpr>())
    return valueOf(*literal, type, /*negated=*/true);
  auto number = valueOf(*unary->operand, type);
  if (!number)
    return std::nullopt;
  return isFloat(type) ? Number{-number->value, 0}
                       : Number{0, wrapped(~number->bits + 1, type)};
}

std::optional<bool> Cloner::compare(BinaryOp op, const Expr &lhs,
                                    const Expr &rhs) const {
  auto left = known(lhs), right = known(rhs);
  bool isEquality = op == BinaryOp::Equal || op == BinaryOp::NotEqual;
  if (left && right && isEquality)
    return holds(op, *left, *right);
  std::optional<ScalarType> leftType = typeOf(lhs), rightType = typeOf(rhs);
  // What does not fit together is said where types are checked.
  if (leftType && rightType && *leftType != *rightType)
    return std::nullopt;
  // Without a type both sides are integers: sizes that became numbers.
  ScalarType type = leftType    ? *leftType
                    : rightType ? *rightType
                                : ScalarType::F64;
  if (isStorageOnly(type) || (!isFloat(type) && !isInteger(type)))
    return std::nullopt;
  auto a = valueOf(lhs, type), b = valueOf(rhs, type);
  if (!a || !b)
    return std::nullopt;
  if (isFloat(type))
    return holds(op, a->value, b->value);
  if (isUnsigned(type))
    return holds(op, a->bits, b->bits);
  return holds(op, static_cast<int64_t>(a->bits),
               static_cast<int64_t>(b->bits));
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

template <typename Node>
ExprPtr Cloner::make(Node node, const Expr &original) const {
  auto expr = std::make_unique<Expr>();
  expr->node = std::move(node);
  expr->range = original.range;
  expr->untyped = isUntyped(expr->node);
  forEachChild(*expr, [&](const Expr &child) {
    expr->depth = std::max(expr->depth, child.depth + 1);
  });
  return expr;
}

ExprPtr Cloner::clone(const Expr &expr) const {
  return std::visit([&](const auto &node) { return cloneNode(node, expr); },
                    expr.node);
}

ExprPtr Cloner::cloneNode(const LiteralExpr &node, const Expr &expr) const {
  return make(node, expr);
}

ExprPtr Cloner::cloneNode(const BoolExpr &node, const Expr &expr) const {
  return make(node, expr);
}

ExprPtr Cloner::cloneNode(const NameExpr &node, const Expr &expr) const {
  if (const bool *value = find(booleans, node.name))
    return make(BoolExpr{*value}, expr);
  NameExpr copy;
  copy.name = node.name;
  if (auto *constant = find(constants, node.name)) {
    copy.name = (*constant)->name.text;
  } else if (const std::string *tensor = find(tensors, node.name)) {
    copy.name = *tensor;
  } else if (const std::string *index = find(indices, node.name)) {
    copy.name = *index;
  } else if (const Extent *size = find(sizes, node.name)) {
    return sumOf(*size, expr);
  }
  return make(std::move(copy), expr);
}

ExprPtr Cloner::number(int64_t value, const Expr &original) const {
  LiteralExpr literal;
  literal.digits = std::to_string(value < 0 ? 0 - uint64_t(value) : value);
  ExprPtr digits = make(std::move(literal), original);
  if (value >= 0)
    return digits;
  UnaryExpr negated;
  negated.operand = std::move(digits);
  return make(std::move(negated), original);
}

ExprPtr Cloner::sumOf(const Extent &extent, const Expr &original) const {
  ExprPtr sum;
  auto add = [&](ExprPtr term, bool subtract) {
    BinaryExpr binary;
    binary.op = subtract ? BinaryOp::Sub : BinaryOp::Add;
    binary.opRange = original.range;
    binary.lhs = std::move(sum);
    binary.rhs = std::move(term);
    sum = make(std::move(binary), original);
  };
  for (auto [size, factor] : extent.terms) {
    NameExpr name;
    name.name = size->name.text;
    ExprPtr term = make(std::move(name), original);
    bool subtract = sum && factor < 0;
    int64_t times = subtract ? -factor : factor;
    if (times != 1) {
      BinaryExpr product;
      product.op = BinaryOp::Mul;
      product.opRange = original.range;
      product.lhs = number(times, original);
      product.rhs = std::move(term);
      term = make(std::move(product), original);
    }
    if (sum)
      add(std::move(term), subtract);
    else
      sum = std::move(term);
  }
  if (!sum)
    return number(extent.constant, original);
  if (extent.constant != 0)
    add(number(std::abs(extent.constant), original), extent.constant < 0);
  return sum;
}

ExprPtr Cloner::cloneSum(const Expr &expr) const {
  if (auto *name = expr.as<NameExpr>()) {
    auto *constant = find(constants, name->name);
    if (constant && isInteger((*constant)->type))
      return number(static_cast<int64_t>((*constant)->foldedBits), expr);
    return clone(expr);
  }
  if (auto *unary = expr.as<UnaryExpr>()) {
    UnaryExpr copy;
    copy.op = unary->op;
    copy.operand = cloneSum(*unary->operand);
    return make(std::move(copy), expr);
  }
  if (auto *binary = expr.as<BinaryExpr>()) {
    BinaryExpr copy;
    copy.op = binary->op;
    copy.opRange = binary->opRange;
    copy.lhs = cloneSum(*binary->lhs);
    copy.rhs = cloneSum(*binary->rhs);
    return make(std::move(copy), expr);
  }
  return clone(expr);
}

Extent Cloner::replaced(const Extent &extent) const {
  Extent sum = Extent::of(extent.constant);
  for (auto [size, factor] : extent.terms) {
    const Extent *other = find(sizes, size->name.text);
    sum = sum + (other ? *other : Extent::of(size)) * factor;
  }
  return sum;
}

ExprPtr Cloner::cloneNode(const AccessExpr &node, const Expr &expr) const {
  AccessExpr copy;
  copy.tensorName = node.tensorName;
  if (const std::string *tensor = find(tensors, node.tensorName.text))
    copy.tensorName.text = *tensor;
  for (const Subscript &subscript : node.subscripts) {
    auto *name = subscript.value->as<NameExpr>();
    if (auto *names = name ? find(spread, name->name) : nullptr) {
      for (const std::string &index : *names) {
        Subscript &other = copy.subscripts.emplace_back();
        other.value = make(NameExpr{index, {}}, *subscript.value);
        other.range = subscript.range;
      }
      continue;
    }
    Subscript &other = copy.subscripts.emplace_back();
    other.value = cloneSum(*subscript.value);
    other.rule = subscript.rule;
    other.range = subscript.range;
  }
  copy.isPlace = node.isPlace;
  copy.drops = node.drops;
  if (node.otherwise)
    copy.otherwise = clone(*node.otherwise);
  return make(std::move(copy), expr);
}

ExprPtr Cloner::cloneNode(const CastExpr &node, const Expr &expr) const {
  CastExpr copy;
  copy.to = node.to;
  copy.made = node.made;
  copy.typeParam = node.typeParam;
  if (const ScalarType *type = find(types, node.typeParam)) {
    copy.to = *type;
    copy.typeParam.clear();
  }
  copy.operand = clone(*node.operand);
  return make(std::move(copy), expr);
}

ExprPtr Cloner::cloneNode(const UnaryExpr &node, const Expr &expr) const {
  UnaryExpr copy;
  copy.op = node.op;
  copy.operand = clone(*node.operand);
  if (node.op == UnaryOp::Not)
    if (auto value = known(*copy.operand))
      return make(BoolExpr{!*value}, expr);
  return make(std::move(copy), expr);
}

ExprPtr Cloner::cloneNode(const BinaryExpr &node, const Expr &expr) const {
  BinaryExpr copy;
  copy.op = node.op;
  copy.opRange = node.opRange;
  copy.lhs = clone(*node.lhs);
  copy.rhs = clone(*node.rhs);
  if (node.op == BinaryOp::And || node.op == BinaryOp::Or) {
    bool decides = node.op == BinaryOp::Or; // the side that ends the search
    auto left = known(*copy.lhs), right = known(*copy.rhs);
    if (left)
      return *left == decides ? make(BoolExpr{decides}, expr)
                              : std::move(copy.rhs);
    if (right)
      return *right == decides ? make(BoolExpr{decides}, expr)
                               : std::move(copy.lhs);
  }
  if (isComparison(node.op))
    if (auto value = compare(node.op, *copy.lhs, *copy.rhs))
      return make(BoolExpr{*value}, expr);
  return make(std::move(copy), expr);
}

ExprPtr Cloner::cloneNode(const IfExpr &node, const Expr &expr) const {
  IfExpr copy;
  copy.condition = clone(*node.condition);
  if (auto value = known(*copy.condition))
    return clone(*value ? *node.thenValue : *node.elseValue);
  copy.thenValue = clone(*node.thenValue);
  copy.elseValue = clone(*node.elseValue);
  return make(std::move(copy), expr);
}

ExprPtr Cloner::cloneNode(const CallExpr &node, const Expr &expr) const {
  CallExpr copy;
  copy.callee = node.callee;
  copy.accuracy = node.accuracy;
  copy.inherited = node.inherited;
  copy.inheritedContract = node.inheritedContract;
  for (const ExprPtr &argument : node.arguments)
    copy.arguments.push_back(clone(*argument));
  for (const NamedArgument &argument : node.named) {
    NamedArgument named{argument.name, nullptr, argument.word};
    if (argument.value)
      named.value = clone(*argument.value);
    if (const ScalarType *type = find(types, argument.word))
      named.word = spelling(*type);
    copy.named.push_back(std::move(named));
  }
  return make(std::move(copy), expr);
}

ExprPtr Cloner::cloneNode(const ReduceExpr &node, const Expr &expr) const {
  ReduceExpr copy;
  copy.kind = node.kind;
  for (const auto &index : node.indices)
    copy.indices.push_back(clone(*index));
  if (node.condition)
    copy.condition = clone(*node.condition);
  copy.exclusive = node.exclusive;
  copy.reverse = node.reverse;
  copy.order = cloneOrder(node.order);
  copy.body = clone(*node.body);
  copy.contract = node.contract;
  return make(std::move(copy), expr);
}

ExprPtr Cloner::cloneNode(const IsNoneExpr &node, const Expr &expr) const {
  if (const bool *given = find(present, node.tensor.text))
    return make(BoolExpr{*given == node.negated}, expr);
  return make(node, expr);
}

//===----------------------------------------------------------------------===//
// Statements and declarations
//===----------------------------------------------------------------------===//

std::unique_ptr<IndexVariable> Cloner::clone(const IndexVariable &index) const {
  auto copy = std::make_unique<IndexVariable>();
  copy->name = index.name;
  copy->reduced = index.reduced;
  if (index.first)
    copy->first = cloneSum(*index.first);
  if (index.end)
    copy->end = cloneSum(*index.end);
  if (const std::string *name = find(indices, index.name.text))
    copy->name.text = *name;
  return copy;
}

bool Cloner::isNumber(const std::string &name) const {
  auto *constant = find(constants, name);
  return constant && isInteger((*constant)->type);
}

/// Puts `how` on the uses of functions that say nothing.
static void setAccuracy(Expr &expr, Accuracy how) {
  if (auto *call = expr.as<CallExpr>(); call && !call->accuracy)
    call->inherited = call->inherited ? call->inherited : how;
  forEachChild(expr, [&](Expr &child) { setAccuracy(child, how); });
}

/// The same for sums.
static void setContract(Expr &expr, bool contract) {
  if (auto *call = expr.as<CallExpr>(); call && !call->inheritedContract)
    call->inheritedContract = contract;
  if (auto *reduce = expr.as<ReduceExpr>(); reduce && !reduce->contract)
    reduce->contract = contract;
  forEachChild(expr, [&](Expr &child) { setContract(child, contract); });
}

std::unique_ptr<Statement> Cloner::clone(const Statement &statement) const {
  auto copy = std::make_unique<Statement>();
  auto rename = [&](Name name) {
    if (const std::string *other = find(tensors, name.text))
      name.text = *other;
    return name;
  };
  copy->target = rename(statement.target);
  for (const Name &target : statement.moreTargets)
    copy->moreTargets.push_back(rename(target));
  for (const auto &index : statement.indices) {
    // In a subscript a const parameter is a number, and a size is none.
    if (!statement.at.empty() &&
        (isNumber(index->name.text) || find(sizes, index->name.text)))
      continue;
    auto *names = find(spread, index->name.text);
    if (!names)
      copy->indices.push_back(clone(*index));
    for (const std::string &name :
         names ? *names : std::vector<std::string>()) {
      copy->indices.push_back(clone(*index));
      copy->indices.back()->name.text = name;
    }
  }
  for (const Subscript &subscript : statement.at) {
    auto *name = subscript.value->as<NameExpr>();
    auto *names = name ? find(spread, name->name) : nullptr;
    for (size_t i = 0; i < (names ? names->size() : 1); ++i) {
      Subscript &other = copy->at.emplace_back();
      other.value = cloneSum(*subscript.value);
      other.range = subscript.range;
      if (names)
        other.value->as<NameExpr>()->name = (*names)[i];
    }
  }
  if (statement.where)
    copy->where = clone(*statement.where);
  if (statement.otherwise)
    copy->otherwise = clone(*statement.otherwise);
  if (const auto &scatter = statement.scatter) {
    Scatter &other = copy->scatter.emplace();
    other.kind = scatter->kind;
    other.place = clone(*scatter->place);
    other.order = cloneOrder(scatter->order);
    other.opRange = scatter->opRange;
    other.unique = scatter->unique;
    other.drop = scatter->drop;
    other.uniqueRange = scatter->uniqueRange;
  }
  copy->value = clone(*statement.value);
  if (functions)
    for (const ExprPtr *expr : {&copy->value, &copy->where, &copy->otherwise})
      if (*expr)
        setAccuracy(**expr, *functions);
  if (contract)
    for (const ExprPtr *expr : {&copy->value, &copy->where, &copy->otherwise})
      if (*expr)
        setContract(**expr, *contract);
  copy->range = statement.range;
  auto loop = loops.find(statement.loop);
  copy->loop = loop == loops.end() ? around : loop->second;
  if (statement.ragged)
    copy->ragged = raggedLoops.at(statement.ragged);
  copy->inlinedFrom = statement.inlinedFrom;
  copy->inPlace = statement.inPlace;
  for (auto &[extent, range] : statement.declared)
    copy->declared.emplace_back(replaced(extent), range);
  return copy;
}

void Cloner::cloneLoops(const OpDecl &from, OpDecl &to) {
  for (const auto &loop : from.loops) {
    auto copy = std::make_unique<TimeLoop>();
    copy->index = clone(*loop->index);
    auto parent = loops.find(loop->parent);
    copy->parent = parent == loops.end() ? around : parent->second;
    copy->range = loop->range;
    loops[loop.get()] = copy.get();
    to.loops.push_back(std::move(copy));
  }
  for (const auto &loop : from.raggedLoops) {
    auto copy = std::make_unique<RaggedLoop>();
    copy->group = clone(*loop->group);
    copy->element = clone(*loop->element);
    if (loop->otherwise)
      copy->otherwise = clone(*loop->otherwise);
    auto parent = loops.find(loop->parent);
    copy->parent = parent == loops.end() ? around : parent->second;
    copy->range = loop->range;
    raggedLoops[loop.get()] = copy.get();
    to.raggedLoops.push_back(std::move(copy));
  }
}

std::unique_ptr<DerivedSize> Cloner::clone(const DerivedSize &size) const {
  auto copy = std::make_unique<DerivedSize>();
  copy->name = size.name;
  copy->value = cloneSum(*size.value);
  copy->written = size.written;
  copy->range = size.range;
  // Computed: it holds no parameters.
  copy->sum = size.sum;
  copy->divisor = size.divisor;
  return copy;
}

TensorDecl Cloner::clone(const TensorDecl &decl) const {
  TensorDecl copy;
  copy.name = decl.name;
  copy.type = decl.type;
  for (const DimDecl &dim : decl.dims)
    copy.dims.push_back({cloneSum(*dim.value), dim.range, dim.place});
  copy.range = decl.range;
  copy.optional = decl.optional;
  copy.inOut = decl.inOut;
  copy.layout = decl.layout;
  copy.align = decl.align;
  copy.aliases = decl.aliases;
  if (decl.first) {
    copy.first = cloneSum(*decl.first);
    copy.end = cloneSum(*decl.end);
  }
  if (decl.offsets)
    copy.offsets = cloneSum(*decl.offsets);
  copy.typeParam = decl.typeParam;
  if (const ScalarType *type = find(types, decl.typeParam)) {
    copy.type = *type;
    copy.typeParam.clear();
  }
  return copy;
}

} // namespace girih::frontend
