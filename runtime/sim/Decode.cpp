//===- Decode.cpp - from syntax to instructions ---------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the statements and asks the families. What operands become is in
// DecodeOperands.cpp, where registers and variables lie in DecodeKernel.cpp.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Decode.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <unordered_map>

using namespace girih;
using namespace girih::sim;

namespace {

using Rows = std::vector<const OpcodeRow *>;

/// All rows of all families by opcode. A family's table may be empty.
const std::unordered_map<std::string_view, Rows> &allRows() {
  static const std::unordered_map<std::string_view, Rows> table = [] {
    std::unordered_map<std::string_view, Rows> made;
    for (std::span<const OpcodeRow> rows :
         {kControlRows, kIntegerRows,  kCarryRows, kLogicRows,   kBitRows,
          kMoveRows,    kCompareRows,  kFloatRows, kHalfRows,    kSpecialRows,
          kConvertRows, kWarpRows,     kMiscRows,  kMemoryRows,  kAtomicRows,
          kBarrierRows, kMbarrierRows, kAsyncRows, kClusterRows, kMatrixRows})
      for (const OpcodeRow &row : rows)
        made[row.opcode].push_back(&row);
    return made;
  }();
  return table;
}

} // namespace

/// The opcode with its modifiers: `mul.hi.u32`.
static std::string fullName(const SyntaxStatement &statement) {
  std::string name = statement.opcode;
  for (const std::string &modifier : statement.modifiers)
    name += "." + modifier;
  return name;
}

/// Where `word` stands in a line by itself, not as a part of another.
static size_t findWord(const std::string &line, const std::string &word) {
  auto isPart = [&](size_t at) {
    return at < line.size() &&
           (std::isalnum(uint8_t(line[at])) || std::strchr("_$%.", line[at]));
  };
  size_t at = line.find(word);
  while (at != std::string::npos &&
         ((at > 0 && isPart(at - 1)) || isPart(at + word.size())))
    at = line.find(word, at + 1);
  return at;
}

std::string sim::textOf(const SyntaxModule &module,
                        const SyntaxStatement &statement) {
  std::string name = fullName(statement);
  uint32_t line = statement.location.line;
  if (line == 0 || line > module.lines.size())
    return name;
  size_t start = findWord(module.lines[line - 1], name);
  if (start == std::string::npos)
    return name;
  std::string text;
  // A statement may go on for several lines; a few are enough for any.
  for (uint32_t i = line; i <= module.lines.size() && i < line + 16; ++i) {
    const std::string &whole = module.lines[i - 1];
    for (size_t at = i == line ? start : 0; at < whole.size(); ++at) {
      if (whole[at] == '/' && at + 1 < whole.size() && whole[at + 1] == '/')
        break;
      bool isSpace = whole[at] == ' ' || whole[at] == '\t';
      if (!isSpace)
        text += whole[at];
      else if (!text.empty() && text.back() != ' ')
        text += ' ';
      if (whole[at] == ';')
        return text;
    }
    if (!text.empty() && text.back() != ' ')
      text += ' ';
  }
  return name;
}

// Modifiers ------------------------------------------------------------------

std::string_view Decoder::peek() const {
  return cursor < current->modifiers.size()
             ? std::string_view(current->modifiers[cursor])
             : std::string_view();
}

bool Decoder::take(std::string_view name) {
  if (cursor >= current->modifiers.size() || peek() != name)
    return false;
  ++cursor;
  return true;
}

std::optional<unsigned>
Decoder::takeOneOf(std::initializer_list<const char *> names) {
  unsigned index = 0;
  for (const char *name : names) {
    if (take(name))
      return index;
    ++index;
  }
  return std::nullopt;
}

std::optional<Type> Decoder::takeType() {
  std::optional<Type> type = parseType(peek());
  if (type)
    ++cursor;
  return type;
}

bool Decoder::has(std::string_view name) const {
  return std::find(current->modifiers.begin(), current->modifiers.end(),
                   name) != current->modifiers.end();
}

std::optional<Type> Decoder::lastType() const {
  if (current->modifiers.empty())
    return std::nullopt;
  return parseType(current->modifiers.back());
}

Status Decoder::finishModifiers() const {
  if (cursor >= current->modifiers.size())
    return {};
  return fail("modifier '." + std::string(peek()) + "' is not supported here");
}

// Messages -------------------------------------------------------------------

Failure Decoder::fail(const std::string &what) const {
  std::string text = textOf(*code.module, *current);
  if (!text.empty() && text.back() == ';')
    text.pop_back();
  return {"line " + std::to_string(current->location.line) + ": '" + text +
          "': " + what};
}

Failure Decoder::notMine() {
  isNotMine = true;
  return {"not an instruction of this family"};
}

Status Decoder::expectOperands(size_t count) const {
  return expectOperands(count, count);
}

Status Decoder::expectOperands(size_t least, size_t most) const {
  size_t have = current->operands.size();
  if (have >= least && have <= most)
    return {};
  std::string wanted = std::to_string(least);
  if (most != least)
    wanted += " to " + std::to_string(most);
  return fail("takes " + wanted + (most == 1 ? " operand" : " operands") +
              ", not " + std::to_string(have));
}

void Decoder::noteAccess(Space space, unsigned elementBytes) {
  auto note = [&](uint8_t &granule) {
    granule = uint8_t(std::min<unsigned>(granule, std::max(1u, elementBytes)));
  };
  bool isAny = space == Space::Generic;
  if (isAny || space == Space::Shared || space == Space::SharedCluster)
    note(code.sharedGranule);
  if (isAny || space == Space::Global)
    note(code.globalGranule);
}

// Statements -----------------------------------------------------------------

Status Decoder::decodeGuard() {
  if (!current->guard)
    return {};
  Slot slot = code.registerSlots[*current->guard];
  if (slot.bits != 1)
    return fail("the guard " + code.syntax->registers[*current->guard].name +
                " is not a predicate");
  made->guard = slot;
  made->guardNegated = current->guardNegated;
  return {};
}

Status Decoder::decodeOne(uint32_t index) {
  current = &code.syntax->statements[index];
  made = &code.instructions[index];
  auto rows = allRows().find(current->opcode);
  if (rows == allRows().end())
    return fail("instruction '" + current->opcode +
                "' is not one that the simulator knows");
  for (const OpcodeRow *row : rows->second) {
    *made = Instruction();
    made->statement = index;
    cursor = 0;
    results.clear();
    sources.clear();
    isNotMine = false;
    Status status = row->decode(*this);
    if (!status && isNotMine)
      continue;
    if (!status)
      return status;
    if (Status left = finishModifiers(); !left)
      return left;
    code.slotLists.push_back(results);
    made->results = code.slotLists.back();
    code.slotLists.push_back(sources);
    made->sources = code.slotLists.back();
    return decodeGuard();
  }
  return fail("this form of '" + current->opcode + "' is not supported");
}

Status Decoder::decodeAll() {
  code.instructions.resize(code.syntax->statements.size());
  for (uint32_t i = 0; i < code.instructions.size(); ++i)
    if (Status status = decodeOne(i); !status)
      return status;
  return {};
}
