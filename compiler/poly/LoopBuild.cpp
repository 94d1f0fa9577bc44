//===- LoopBuild.cpp - isl's loop tree as plain data ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/LoopBuild.h"

#include <isl/ast.h>
#include <isl/id.h>

#include <algorithm>
#include <cstring>

namespace girih::poly {

const char kGridTag = 'g';
const char kIteratorTag = 'i';

LoopExpr makeExpr(LoopExpr::Kind kind, std::vector<LoopExpr> operands) {
  LoopExpr expr;
  expr.kind = kind;
  expr.operands = std::move(operands);
  return expr;
}

LoopExpr constantExpr(int64_t value) {
  LoopExpr expr;
  expr.value = value;
  return expr;
}

LoopExpr addConstant(LoopExpr expr, int64_t value) {
  using Kind = LoopExpr::Kind;
  if (value == 0)
    return expr;
  auto isConstant = [](const LoopExpr &e) { return e.kind == Kind::Constant; };
  switch (expr.kind) {
  case Kind::Constant:
    return constantExpr(expr.value + value);
  case Kind::Min:
  case Kind::Max:
    for (LoopExpr &operand : expr.operands)
      operand = addConstant(std::move(operand), value);
    return expr;
  case Kind::FloorDiv: {
    // floor(a / d) + v is floor((a + v d) / d).
    int64_t product;
    if (isConstant(expr.operands[1]) &&
        !__builtin_mul_overflow(expr.operands[1].value, value, &product)) {
      expr.operands[0] = addConstant(std::move(expr.operands[0]), product);
      return expr;
    }
    break;
  }
  case Kind::Add:
  case Kind::Sub:
    if (isConstant(expr.operands[1])) {
      int64_t old = expr.kind == Kind::Add ? expr.operands[1].value
                                           : -expr.operands[1].value;
      LoopExpr rest = std::move(expr.operands[0]);
      return addConstant(std::move(rest), old + value);
    }
    break;
  default:
    break;
  }
  return makeExpr(value < 0 ? Kind::Sub : Kind::Add,
                  {std::move(expr), constantExpr(value < 0 ? -value : value)});
}

LoopExpr affineExpr(const Affine &affine) {
  using Kind = LoopExpr::Kind;
  std::optional<LoopExpr> sum;
  for (unsigned p = 0; p < affine.params.size(); ++p) {
    int64_t c = affine.params[p];
    if (c == 0)
      continue;
    LoopExpr term;
    term.kind = Kind::Param;
    term.index = p;
    int64_t magnitude = c < 0 ? -c : c;
    if (magnitude != 1)
      term = makeExpr(Kind::Mul, {constantExpr(magnitude), std::move(term)});
    if (!sum)
      sum = c < 0 ? makeExpr(Kind::Neg, {std::move(term)}) : std::move(term);
    else
      sum = makeExpr(c < 0 ? Kind::Sub : Kind::Add,
                     {std::move(*sum), std::move(term)});
  }
  return sum ? addConstant(std::move(*sum), affine.constant)
             : constantExpr(affine.constant);
}

LoopExpr floorDivExpr(LoopExpr dividend, int64_t divisor) {
  if (divisor == 1)
    return dividend;
  if (dividend.kind == LoopExpr::Kind::Constant) {
    int64_t v = dividend.value;
    return constantExpr(v / divisor - (v % divisor < 0));
  }
  return makeExpr(LoopExpr::Kind::FloorDiv,
                  {std::move(dividend), constantExpr(divisor)});
}

bool sameExpr(const LoopExpr &a, const LoopExpr &b) {
  return a.kind == b.kind && a.value == b.value && a.index == b.index &&
         std::equal(a.operands.begin(), a.operands.end(), b.operands.begin(),
                    b.operands.end(), sameExpr);
}

LoopNode LoopReader::read(const isl::ast_node &node) {
  values.assign(names.iterators.size(), std::nullopt);
  return any(node.get());
}

LoopNode LoopReader::any(isl_ast_node *node) {
  switch (isl_ast_node_get_type(node)) {
  case isl_ast_node_for:
    return forLoop(node);
  case isl_ast_node_if:
    return branch(node);
  case isl_ast_node_block:
    return block(node);
  case isl_ast_node_user:
    return tile(node);
  case isl_ast_node_mark:
  case isl_ast_node_error:
    break;
  }
  throw LoopError("isl made a node of an unknown kind");
}

LoopNode LoopReader::block(isl_ast_node *node) {
  LoopNode result;
  isl::ast_node_list children =
      own(model.ctx(), isl_ast_node_block_get_children(node));
  for (int i = 0; i < isl_ast_node_list_n_ast_node(children.get()); ++i)
    result.children.push_back(
        any(own(model.ctx(), isl_ast_node_list_get_ast_node(children.get(), i))
                .get()));
  return result;
}

namespace {

size_t indexOf(const std::vector<isl::id> &list, const isl::id &id) {
  size_t index = 0;
  while (index < list.size() && list[index].get() != id.get())
    ++index;
  return index;
}

const LoopNode *firstTile(const LoopNode &node) {
  if (node.kind == LoopNode::Kind::Tile)
    return &node;
  for (const LoopNode &child : node.children)
    if (const LoopNode *tile = firstTile(child))
      return tile;
  return nullptr;
}

} // namespace

LoopNode LoopReader::forLoop(isl_ast_node *node) {
  isl_ctx *ctx = model.ctx();
  LoopExpr first = expression(own(ctx, isl_ast_node_for_get_init(node)).get());
  isl::ast_node body = own(ctx, isl_ast_node_for_get_body(node));
  // isl makes no node for a member of a single value, so nesting does not
  // count: the iterator says which member this is.
  size_t depth = depthOf(own(ctx, isl_ast_node_for_get_iterator(node)).get());
  if (isTrue(ctx, isl_ast_node_for_is_degenerate(node))) {
    values[depth] = std::move(first);
    LoopNode result = any(body.get());
    values[depth].reset();
    return result;
  }
  LoopNode result;
  result.kind = LoopNode::Kind::For;
  result.iterator = nextIterator++;
  result.lower = std::move(first);
  LoopExpr self;
  self.kind = LoopExpr::Kind::Iterator;
  self.index = result.iterator;
  values[depth] = self;
  LoopExpr condition =
      expression(own(ctx, isl_ast_node_for_get_cond(node)).get());
  bool inclusive = condition.kind == LoopExpr::Kind::Le;
  if ((!inclusive && condition.kind != LoopExpr::Kind::Lt) ||
      !sameExpr(condition.operands[0], self))
    throw LoopError("isl made a loop whose end is not one upper bound");
  result.upper = addConstant(std::move(condition.operands[1]), inclusive);
  LoopExpr step = expression(own(ctx, isl_ast_node_for_get_inc(node)).get());
  if (step.kind != LoopExpr::Kind::Constant || step.value < 1)
    throw LoopError("isl made a loop whose step is not a positive constant");
  result.step = step.value;
  result.children.push_back(any(body.get()));
  values[depth].reset();
  // Loops at one depth come from one band, so any tile below tells which.
  if (const LoopNode *below = firstTile(result))
    result.name = tiles[below->statement].members.at(gridCount + depth);
  return result;
}

LoopNode LoopReader::branch(isl_ast_node *node) {
  isl_ctx *ctx = model.ctx();
  LoopNode result;
  result.kind = LoopNode::Kind::If;
  result.condition = expression(own(ctx, isl_ast_node_if_get_cond(node)).get());
  result.children.push_back(
      any(own(ctx, isl_ast_node_if_get_then_node(node)).get()));
  if (isTrue(ctx, isl_ast_node_if_has_else_node(node)))
    result.children.push_back(
        any(own(ctx, isl_ast_node_if_get_else_node(node)).get()));
  return result;
}

LoopNode LoopReader::tile(isl_ast_node *node) {
  isl_ctx *ctx = model.ctx();
  isl::ast_expr call = own(ctx, isl_ast_node_user_get_expr(node));
  LoopNode result;
  result.kind = LoopNode::Kind::Tile;
  int count = isl_ast_expr_get_op_n_arg(call.get());
  for (int i = 0; i < count; ++i) {
    isl::ast_expr argument = own(ctx, isl_ast_expr_op_get_arg(call.get(), i));
    if (i > 0) {
      result.outer.push_back(expression(argument.get()));
      continue;
    }
    isl::id id = own(ctx, isl_ast_expr_id_get_id(argument.get()));
    result.statement = model.statementOf(isl_id_get_name(id.get()));
  }
  if (result.statement >= tiles.size() || !tiles[result.statement].node ||
      result.outer.size() != tiles[result.statement].members.size())
    throw LoopError("isl made a call of an unknown statement");
  result.node = tiles[result.statement].node;
  return result;
}

size_t LoopReader::depthOf(isl_ast_expr *iterator) const {
  return indexOf(names.iterators,
                 own(model.ctx(), isl_ast_expr_id_get_id(iterator)));
}

LoopExpr LoopReader::identifier(isl_ast_expr *expr) {
  isl::id id = own(model.ctx(), isl_ast_expr_id_get_id(expr));
  LoopExpr result;
  // isl keeps one object for each name and user pointer.
  size_t depth = depthOf(expr);
  if (depth < names.iterators.size()) {
    if (!values[depth])
      throw LoopError("isl used an iterator outside its loop");
    return *values[depth];
  }
  size_t grid = indexOf(names.grid, id);
  if (grid < names.grid.size()) {
    result.kind = LoopExpr::Kind::Grid;
    result.index = static_cast<unsigned>(grid);
    return result;
  }
  const auto &params = model.scop().params;
  const char *name = isl_id_get_name(id.get());
  auto found = std::find(params.begin(), params.end(), name ? name : "");
  if (found == params.end())
    throw LoopError("isl used an unknown name");
  result.kind = LoopExpr::Kind::Param;
  result.index = static_cast<unsigned>(found - params.begin());
  return result;
}

LoopExpr LoopReader::expression(isl_ast_expr *expr) {
  using Kind = LoopExpr::Kind;
  isl_ctx *ctx = model.ctx();
  switch (isl_ast_expr_get_type(expr)) {
  case isl_ast_expr_int: {
    isl::val value = own(ctx, isl_ast_expr_int_get_val(expr));
    if (isl_val_cmp_si(value.get(), int64_t(1) << 53) > 0 ||
        isl_val_cmp_si(value.get(), -(int64_t(1) << 53)) < 0)
      throw LoopError("isl made a number larger than 2^53");
    return constantExpr(isl_val_get_num_si(value.get()));
  }
  case isl_ast_expr_id:
    return identifier(expr);
  case isl_ast_expr_op:
    break;
  case isl_ast_expr_error:
    isl::exception::throw_last_error(isl::ctx(ctx));
  }
  Kind kind;
  switch (isl_ast_expr_get_op_type(expr)) {
  case isl_ast_expr_op_and:
  case isl_ast_expr_op_and_then:
    kind = Kind::And;
    break;
  case isl_ast_expr_op_or:
  case isl_ast_expr_op_or_else:
    kind = Kind::Or;
    break;
  case isl_ast_expr_op_max:
    kind = Kind::Max;
    break;
  case isl_ast_expr_op_min:
    kind = Kind::Min;
    break;
  case isl_ast_expr_op_minus:
    kind = Kind::Neg;
    break;
  case isl_ast_expr_op_add:
    kind = Kind::Add;
    break;
  case isl_ast_expr_op_sub:
    kind = Kind::Sub;
    break;
  case isl_ast_expr_op_mul:
    kind = Kind::Mul;
    break;
  case isl_ast_expr_op_div:
  case isl_ast_expr_op_fdiv_q:
  case isl_ast_expr_op_pdiv_q:
    kind = Kind::FloorDiv;
    break;
  case isl_ast_expr_op_pdiv_r:
  case isl_ast_expr_op_zdiv_r:
    kind = Kind::Mod;
    break;
  case isl_ast_expr_op_eq:
    kind = Kind::Eq;
    break;
  case isl_ast_expr_op_le:
    kind = Kind::Le;
    break;
  case isl_ast_expr_op_lt:
    kind = Kind::Lt;
    break;
  case isl_ast_expr_op_ge:
    kind = Kind::Ge;
    break;
  case isl_ast_expr_op_gt:
    kind = Kind::Gt;
    break;
  case isl_ast_expr_op_cond:
  case isl_ast_expr_op_select:
    throw LoopError("a bound of a loop that several statements share is a "
                    "choice between expressions");
  default:
    throw LoopError("isl made an expression of an unknown kind");
  }
  std::vector<LoopExpr> operands;
  for (int i = 0; i < isl_ast_expr_get_op_n_arg(expr); ++i)
    operands.push_back(
        expression(own(ctx, isl_ast_expr_op_get_arg(expr, i)).get()));
  if (kind == Kind::Add && operands[1].kind == Kind::Constant)
    return addConstant(std::move(operands[0]), operands[1].value);
  if (kind == Kind::Sub && operands[1].kind == Kind::Constant)
    return addConstant(std::move(operands[0]), -operands[1].value);
  return makeExpr(kind, std::move(operands));
}

} // namespace girih::poly
