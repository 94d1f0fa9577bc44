//===- CascadeWitness.cpp - two beginnings that one state cannot tell -----===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pass carries the earlier reduction and the sum, and nothing else of what
// it has seen. If two sequences leave the same two values, but give different
// sums once the same elements follow, no factor can put that right.
//
//===----------------------------------------------------------------------===//

#include "passes/te/Cascade.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

using namespace mlir;
using namespace girih::te;

namespace {

using Sequence = std::vector<double>;

/// The sum and the reduction it uses, over elements of one tensor; everything
/// else that is read is 1.
class Example {
public:
  Example(ComputeOp sum, ComputeOp earlier) : sum(sum), earlier(earlier) {}

  std::string find() {
    ReduceOp reduce = earlier.getReduction();
    if (!reduce || !sum.getReduction())
      return "";
    Value body = yielded(reduce.getBlock());
    varied = firstInput(body);
    if (!varied)
      return "";
    std::vector<Sequence> beginnings = sequences(0, 2), ends = sequences(1, 1);
    for (const Sequence &a : beginnings)
      for (const Sequence &b : llvm::reverse(beginnings)) {
        if (a == b)
          continue;
        std::optional<State> left = run(a), right = run(b);
        if (!left || !right)
          return "";
        if (!(left->earlier == right->earlier && left->sum == right->sum) ||
            !std::isfinite(left->earlier))
          continue;
        for (const Sequence &end : ends) {
          std::optional<State> first = run(joined(a, end)),
                               second = run(joined(b, end));
          if (!first || !second)
            return "";
          if (std::abs(first->sum - second->sum) > 1e-9)
            return text(a, b, end, *left, *first, *second);
        }
      }
    return "";
  }

private:
  struct State {
    double earlier = 0, sum = 0;
  };

  static Value yielded(Block &block) {
    return cast<YieldOp>(block.getTerminator()).getValue();
  }
  static Sequence joined(Sequence a, const Sequence &b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
  /// All sequences of 1, -1, 0 and 2 of those lengths, longer ones first.
  static std::vector<Sequence> sequences(size_t least, size_t most) {
    std::vector<Sequence> all{{}}, result;
    for (size_t length = 0; length <= most; ++length) {
      if (length >= least)
        result.insert(result.begin(), all.begin(), all.end());
      std::vector<Sequence> longer;
      for (const Sequence &shorter : all)
        for (double value : {1.0, -1.0, 0.0, 2.0})
          longer.push_back(joined(shorter, {value}));
      all = std::move(longer);
    }
    return result;
  }

  /// The first tensor that is no te.compute, below a value.
  Value firstInput(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return {};
    if (auto read = dyn_cast<ReadOp>(op)) {
      auto source = read.getTensor().getDefiningOp<ComputeOp>();
      if (!source || source.getReduction())
        return read.getTensor();
      return firstInput(yielded(source.getBlock()));
    }
    for (Value operand : op->getOperands())
      if (Value found = firstInput(operand))
        return found;
    return {};
  }

  std::optional<State> run(const Sequence &elements) {
    State state;
    ReduceOp reduce = earlier.getReduction();
    switch (reduce.getKind()) {
    case ReduceKind::Sum:
      break;
    case ReduceKind::Prod:
      state.earlier = 1;
      break;
    case ReduceKind::Max:
      state.earlier = -std::numeric_limits<double>::infinity();
      break;
    case ReduceKind::Min:
      state.earlier = std::numeric_limits<double>::infinity();
      break;
    }
    for (double element : elements) {
      std::optional<double> value =
          evaluate(yielded(reduce.getBlock()), element, 0);
      if (!value)
        return std::nullopt;
      switch (reduce.getKind()) {
      case ReduceKind::Sum:
        state.earlier += *value;
        break;
      case ReduceKind::Prod:
        state.earlier *= *value;
        break;
      case ReduceKind::Max:
        state.earlier = std::max(state.earlier, *value);
        break;
      case ReduceKind::Min:
        state.earlier = std::min(state.earlier, *value);
        break;
      }
    }
    for (double element : elements) {
      std::optional<double> value = evaluate(
          yielded(sum.getReduction().getBlock()), element, state.earlier);
      if (!value)
        return std::nullopt;
      state.sum += *value;
    }
    return state;
  }

  std::optional<double> evaluate(Value value, double element, double before) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return std::nullopt;
    if (auto read = dyn_cast<ReadOp>(op)) {
      auto source = read.getTensor().getDefiningOp<ComputeOp>();
      if (source == earlier)
        return before;
      if (read.getTensor() == varied)
        return element;
      if (!source || source.getReduction())
        return 1;
      return evaluate(yielded(source.getBlock()), element, before);
    }
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      auto real = dyn_cast<FloatAttr>(constant.getValue());
      return real ? std::optional(real.getValueAsDouble()) : std::nullopt;
    }
    std::vector<double> at;
    for (Value operand : op->getOperands()) {
      std::optional<double> one = evaluate(operand, element, before);
      if (!one)
        return std::nullopt;
      at.push_back(*one);
    }
    if (isa<CastOp>(op))
      return at[0];
    if (auto unary = dyn_cast<UnaryOp>(op))
      switch (unary.getKind()) {
      case UnaryKind::Neg:
        return -at[0];
      case UnaryKind::Abs:
        return std::abs(at[0]);
      case UnaryKind::Exp:
        return std::exp(at[0]);
      case UnaryKind::Exp2:
        return std::exp2(at[0]);
      case UnaryKind::Ceil:
        return std::ceil(at[0]);
      case UnaryKind::Floor:
        return std::floor(at[0]);
      default:
        return std::nullopt;
      }
    if (auto binary = dyn_cast<BinaryOp>(op))
      switch (binary.getKind()) {
      case BinaryKind::Add:
        return at[0] + at[1];
      case BinaryKind::Sub:
        return at[0] - at[1];
      case BinaryKind::Mul:
        return at[0] * at[1];
      case BinaryKind::Div:
        return at[0] / at[1];
      case BinaryKind::Max:
        return std::max(at[0], at[1]);
      case BinaryKind::Min:
        return std::min(at[0], at[1]);
      default:
        return std::nullopt;
      }
    if (isa<FmaOp>(op))
      return at[0] * at[1] + at[2];
    return std::nullopt;
  }

  std::string nameOfVaried() {
    if (auto argument = dyn_cast<BlockArgument>(varied)) {
      auto func = sum->getParentOfType<FuncOp>();
      return cast<StringAttr>(func.getArgNames()[argument.getArgNumber()])
          .str();
    }
    return varied.getDefiningOp<ComputeOp>().getName().str();
  }

  static std::string printed(double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof(buffer), "%g", value);
    return buffer;
  }

  std::string text(const Sequence &a, const Sequence &b, const Sequence &end,
                   const State &both, const State &first, const State &second) {
    auto listed = [](const Sequence &sequence) {
      std::string list;
      for (double value : sequence)
        list += (list.empty() ? "" : ", ") + printed(value);
      return "[" + list + "]";
    };
    std::string before = earlier.getName().str(), after = sum.getName().str();
    return "what is carried does not suffice. " + nameOfVaried() + " = " +
           listed(a) + " and " + nameOfVaried() + " = " + listed(b) +
           " both leave " + before + " = " + printed(both.earlier) + " and " +
           after + " = " + printed(both.sum) + ", but " + after + " is " +
           printed(first.sum) + " over " + listed(joined(a, end)) + " and " +
           printed(second.sum) + " over " + listed(joined(b, end)) +
           " (all other factors 1)";
  }

  ComputeOp sum, earlier;
  Value varied;
};

} // namespace

std::string girih::te::insufficientState(ComputeOp sum, ComputeOp earlier) {
  return Example(sum, earlier).find();
}
