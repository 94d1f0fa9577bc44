//===- LaneOps.cpp - decoding of plain instructions -----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/LaneOps.h"

using namespace girih;
using namespace girih::sim;

using Kind = SyntaxOperand::Kind;

bool sim::isInteger(Type type) {
  switch (type) {
  case Type::U16:
  case Type::U32:
  case Type::U64:
  case Type::S16:
  case Type::S32:
  case Type::S64:
    return true;
  default:
    return false;
  }
}

bool sim::isBits(Type type) {
  return type == Type::B16 || type == Type::B32 || type == Type::B64;
}

Failure sim::needsType(const Decoder &d, const char *types) {
  return d.fail(std::string("needs type ") + types);
}

Status sim::realResult(Decoder &d, size_t index, Type type) {
  const SyntaxOperand &operand = d.statement().operands[index];
  if (operand.kind == Kind::Sink)
    return d.fail("operand " + std::to_string(index + 1) +
                  " is the result and cannot be '_'");
  Result<unsigned> result =
      type == Type::Pred ? d.predicateResult(operand) : d.result(operand, type);
  return result ? Status() : Failure{result.message()};
}

Status sim::plainOperands(Decoder &d, Type result,
                          std::initializer_list<Type> sources) {
  if (Status status = d.finishModifiers(); !status)
    return status;
  if (Status status = d.expectOperands(1 + sources.size()); !status)
    return status;
  if (Status status = realResult(d, 0, result); !status)
    return status;
  size_t index = 1;
  for (Type type : sources)
    if (Result<unsigned> source = d.source(index++, type); !source)
      return Failure{source.message()};
  return {};
}

Status sim::pairResult(Decoder &d, size_t index, Type type, bool dMaySink) {
  const SyntaxOperand &operand = d.statement().operands[index];
  bool isPair = operand.kind == Kind::Pair;
  const SyntaxOperand &first = isPair ? operand.elements[0] : operand;
  if (first.kind == Kind::Sink && !(isPair && dMaySink))
    return d.fail("the first result cannot be '_'");
  Result<unsigned> value =
      type == Type::Pred ? d.predicateResult(first) : d.result(first, type);
  if (!value)
    return Failure{value.message()};
  Result<unsigned> predicate =
      d.predicateResult(isPair ? operand.elements[1] : SyntaxOperand());
  return predicate ? Status() : Failure{predicate.message()};
}
