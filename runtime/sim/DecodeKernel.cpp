//===- DecodeKernel.cpp - where registers and variables lie ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Decode.h"

#include <algorithm>
#include <set>

using namespace girih;
using namespace girih::sim;

static uint64_t alignUp(uint64_t value, uint64_t alignment) {
  alignment = std::max<uint64_t>(alignment, 1);
  return (value + alignment - 1) / alignment * alignment;
}

/// Lanes' values first, each at a multiple of 64 bytes; then predicates.
static void placeRegisters(KernelCode &code) {
  const std::vector<SyntaxRegister> &registers = code.syntax->registers;
  code.registerSlots.resize(registers.size());
  uint32_t end = 0;
  for (bool predicates : {false, true})
    for (size_t i = 0; i < registers.size(); ++i) {
      unsigned bits = bitsOf(registers[i].type);
      if ((registers[i].type == Type::Pred) != predicates)
        continue;
      Slot &slot = code.registerSlots[i];
      slot.bits = uint8_t(bits);
      slot.reg = int32_t(i);
      slot.offset = end;
      end += predicates ? 4 : bits <= 32 ? 128 : bits == 64 ? 256 : 512;
    }
  code.registerBytes = end;
}

/// Variables of the module that the kernel names; a kernel does not pay for the
/// shared memory of others.
static void collectGlobals(const SyntaxOperand &operand,
                           std::set<uint32_t> &used) {
  if (operand.kind == SyntaxOperand::Kind::Variable && operand.isGlobal)
    used.insert(operand.index);
  for (const SyntaxOperand &element : operand.elements)
    collectGlobals(element, used);
}

/// Module's shared variables first, then the body's; dynamic ones all begin
/// behind them.
static Status placeVariables(KernelCode &code) {
  std::set<uint32_t> used;
  for (const SyntaxStatement &statement : code.syntax->statements)
    for (const SyntaxOperand &operand : statement.operands)
      collectGlobals(operand, used);
  std::vector<const SyntaxVariable *> variables;
  for (uint32_t index : used)
    variables.push_back(&code.module->variables[index]);
  for (const SyntaxVariable &variable : code.syntax->variables)
    variables.push_back(&variable);
  uint64_t shared = 0, local = 0, dynamicAlignment = 16;
  std::vector<const SyntaxVariable *> dynamic;
  for (const SyntaxVariable *variable : variables) {
    bool isLocal = variable->space == Space::Local;
    if (!isLocal && variable->space != Space::Shared)
      continue;
    if (variable->isDynamic) {
      dynamic.push_back(variable);
      dynamicAlignment =
          std::max<uint64_t>(dynamicAlignment, variable->alignment);
      continue;
    }
    uint64_t &end = isLocal ? local : shared;
    end = alignUp(end, variable->alignment);
    (isLocal ? code.local : code.shared).push_back({variable, uint32_t(end)});
    end += variable->bytes;
    if (end >= (uint64_t(1) << 24))
      return Failure{"line " + std::to_string(variable->location.line) +
                     ": variable '" + variable->name + "' of " +
                     std::to_string(variable->bytes) +
                     " bytes is larger than any card's memory of its kind"};
  }
  code.staticSharedBytes = uint32_t(shared);
  code.dynamicSharedOffset = uint32_t(alignUp(shared, dynamicAlignment));
  for (const SyntaxVariable *variable : dynamic)
    code.shared.push_back({variable, code.dynamicSharedOffset});
  code.localBytes = uint32_t(alignUp(local, 16));
  return {};
}

static void placeParameters(KernelCode &code) {
  uint64_t end = 0;
  for (const SyntaxVariable &parameter : code.syntax->parameters) {
    end = alignUp(end, parameter.alignment);
    code.parameterOffsets.push_back(uint32_t(end));
    end += parameter.bytes;
  }
  code.parameterBytes = uint32_t(end);
}

Result<std::shared_ptr<KernelCode>>
sim::decodeKernel(const SyntaxModule &module, const SyntaxKernel &kernel,
                  const VariableAddresses &addresses) {
  auto code = std::make_shared<KernelCode>();
  code->module = &module;
  code->syntax = &kernel;
  placeRegisters(*code);
  placeParameters(*code);
  if (Status status = placeVariables(*code); !status)
    return Failure{status.message()};
  Decoder decoder(*code, addresses);
  if (Status status = decoder.decodeAll(); !status)
    return Failure{status.message()};
  return code;
}
