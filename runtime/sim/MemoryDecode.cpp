//===- MemoryDecode.cpp - modifiers of memory instructions ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/MemoryDecode.h"

namespace girih::sim {

std::optional<Space> takeSpace(Decoder &d) {
  static constexpr Space kSpaces[] = {
      Space::Global, Space::Shared, Space::Shared, Space::SharedCluster,
      Space::Local,  Space::Const,  Space::Param,  Space::Param};
  if (auto index =
          d.takeOneOf({"global", "shared", "shared::cta", "shared::cluster",
                       "local", "const", "param", "param::entry"}))
    return kSpaces[*index];
  return std::nullopt;
}

std::optional<Scope> takeScope(Decoder &d) {
  if (auto index = d.takeOneOf({"cta", "cluster", "gpu", "sys"}))
    return Scope(*index);
  return std::nullopt;
}

std::optional<Order> takeOrder(Decoder &d) {
  static constexpr Order kOrders[] = {Order::Relaxed, Order::Acquire,
                                      Order::Release, Order::AcquireRelease};
  if (auto index = d.takeOneOf({"relaxed", "acquire", "release", "acq_rel"}))
    return kOrders[*index];
  return std::nullopt;
}

bool takeHint(Decoder &d) {
  return d
      .takeOneOf({"ca", "cg", "cs", "lu", "cv", "wb", "wt", "L1::evict_normal",
                  "L1::evict_unchanged", "L1::evict_first", "L1::evict_last",
                  "L1::no_allocate", "L2::evict_normal", "L2::evict_unchanged",
                  "L2::evict_first", "L2::evict_last", "L2::64B", "L2::128B",
                  "L2::256B"})
      .has_value();
}

std::optional<unsigned> takeVector(Decoder &d) {
  if (auto index = d.takeOneOf({"v2", "v4", "v8"}))
    return 2u << *index;
  return std::nullopt;
}

bool AccessModifiers::takeOne(Decoder &d) {
  // The names of scopes and spaces differ (`cluster`, `shared::cluster`).
  auto keep = [&](auto &place, auto found) {
    isDouble |= place.has_value();
    place = found;
    return true;
  };
  if (auto found = takeSpace(d))
    return keep(space, found);
  if (auto found = takeScope(d))
    return keep(scope, found);
  if (auto found = takeOrder(d))
    return keep(order, found);
  if (auto found = takeVector(d))
    return keep(vector, found);
  if (d.take("volatile"))
    return isVolatile = true;
  if (d.take("weak"))
    return isWeak = true;
  if (d.take("mmio"))
    return isMmio = true;
  if (d.take("L2::cache_hint"))
    return hasPolicy = true;
  return takeHint(d);
}

Status applyModifiers(Decoder &d, const AccessModifiers &modifiers) {
  Instruction &instruction = d.instruction();
  instruction.space = modifiers.space.value_or(Space::Generic);
  instruction.order = modifiers.order.value_or(Order::Weak);
  instruction.scope = modifiers.scope.value_or(Scope::Gpu);
  if (modifiers.isDouble)
    return d.fail("two modifiers contradict each other");
  if (int(modifiers.isVolatile) + int(modifiers.isWeak) +
          int(modifiers.order.has_value()) >
      1)
    return d.fail("only one of '.weak', '.volatile', '.relaxed', '.acquire' "
                  "and '.release' can be given");
  if (modifiers.isMmio && modifiers.order != Order::Relaxed)
    return d.fail("'.mmio' needs '.relaxed.sys'");
  if (modifiers.isVolatile) {
    instruction.order = Order::Relaxed;
    instruction.scope = Scope::System;
  }
  return {};
}

Status noteOrder(Decoder &d) {
  Space space = d.instruction().space;
  if (d.instruction().order == Order::Weak)
    return {};
  if (space == Space::Const || space == Space::Param || space == Space::Local)
    return d.fail("only accesses of global and shared memory can be volatile "
                  "or ordered");
  noteCommunication(d, space);
  return {};
}

void noteCommunication(Decoder &d, Space space) {
  d.kernel().hasFineSync = true;
  if (space == Space::Global || space == Space::Generic)
    d.kernel().blocksCommunicate = true;
}

Status policyOperand(Decoder &d, size_t index) {
  if (Result<unsigned> policy = d.source(index, Type::B64); !policy)
    return Failure{policy.message()};
  return {};
}

unsigned targetNumber(Decoder &d) {
  if (!d.kernel().module)
    return 0;
  unsigned number = 0;
  for (char c : d.kernel().module->target)
    if (c >= '0' && c <= '9')
      number = number * 10 + unsigned(c - '0');
  return number;
}

static Space spaceOf(Decoder &d, const SyntaxOperand &variable) {
  if (variable.isParameter)
    return Space::Param;
  return variable.isGlobal ? d.kernel().module->variables[variable.index].space
                           : d.kernel().syntax->variables[variable.index].space;
}

Result<unsigned> addressIn(Decoder &d, size_t index, Space &space) {
  Result<unsigned> base = d.addressSource(index);
  if (!base)
    return base;
  const SyntaxOperand &variable = d.statement().operands[index].elements[0];
  if (variable.kind != SyntaxOperand::Kind::Variable)
    return base;
  Space found = spaceOf(d, variable);
  if (space == Space::Generic)
    space = found;
  if (space == found ||
      (space == Space::SharedCluster && found == Space::Shared))
    return base;
  return d.fail("'" + variable.name + "' is a variable of " +
                std::string(nameOf(found)) + " memory, not of " +
                std::string(nameOf(space)));
}

Result<AddressSources> addressPair(Decoder &d, size_t index, Space &space) {
  Result<unsigned> base = addressIn(d, index, space);
  if (!base)
    return Failure{base.message()};
  SyntaxOperand number;
  number.kind = SyntaxOperand::Kind::Integer;
  number.bits = uint64_t(d.instruction().offset);
  d.instruction().offset = 0;
  Result<unsigned> offset = d.source(number, Type::B64);
  if (!offset)
    return Failure{offset.message()};
  return AddressSources{*base, *offset};
}

void gatherAddresses(const Context &context, const Instruction &instruction,
                     AddressSources from,
                     std::array<uint64_t, kLanes> &address) {
  // The offset is a constant: the same for all lanes.
  int64_t offset =
      int64_t(context.lanes64(instruction.sources[from.offset])[0]);
  gatherAddresses(context, instruction.sources[from.base], offset, address);
}

} // namespace girih::sim
