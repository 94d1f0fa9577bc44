//===- Compare.cpp - where silicon and simulator differ -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/gpu/sim_silicon/Compare.h"

#include "test/gpu/sim_silicon/Random.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace girih::silicon;

static constexpr size_t kNanExamples = 3;

void NanStatistics::add(const NanStatistics &other) {
  compared += other.compared;
  different += other.different;
  for (size_t i = 0; i < ofOperand.size(); ++i)
    ofOperand[i] += other.ofOperand[i];
  for (const std::string &example : other.examples)
    if (examples.size() < kNanExamples)
      examples.push_back(example);
}

void LabelStatistics::add(const LabelStatistics &other) {
  compared += other.compared;
  mismatches += other.mismatches;
  nans.add(other.nans);
  if (example.empty())
    example = other.example;
  isApproximate |= other.isApproximate;
  equal += other.equal;
  oneApart += other.oneApart;
  furtherApart += other.furtherApart;
  if (other.distance > distance || farthest.empty())
    farthest = other.farthest;
  distance = std::max(distance, other.distance);
  absolute = std::max(absolute, other.absolute);
}

void FamilyStatistics::add(const FamilyStatistics &other) {
  programs += other.programs;
  instructions += other.instructions;
  compared += other.compared;
  mismatches += other.mismatches;
  skipped += other.skipped;
  payloads += other.payloads;
  for (const auto &[label, statistics] : other.labels)
    labels[label].add(statistics);
}

static uint64_t lowBits(unsigned count) {
  return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
}

static double decode(uint64_t bits, const TypeInfo &type) {
  unsigned width = 1 + type.exponent + type.mantissa;
  int64_t exponent = int64_t(bits >> type.mantissa & lowBits(type.exponent));
  int64_t bias = int64_t(lowBits(type.exponent - 1));
  double mantissa = double(bits & lowBits(type.mantissa));
  double one = std::ldexp(1.0, int(type.mantissa));
  double value;
  if (exponent == int64_t(lowBits(type.exponent)))
    value = mantissa != 0 ? NAN : INFINITY;
  else if (exponent == 0)
    value = std::ldexp(mantissa, int(1 - bias - type.mantissa));
  else
    value = std::ldexp(one + mantissa, int(exponent - bias - type.mantissa));
  return bits >> (width - 1) & 1 ? -value : value;
}

static uint64_t valueAt(const std::vector<uint8_t> &buffer,
                        const Column &column, size_t i) {
  uint64_t value = 0;
  std::memcpy(&value, &buffer[column.offset + i * column.bytes],
              std::min(column.bytes, 8u));
  return value;
}

static std::string hex(uint64_t value, unsigned bytes) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%0*llx", int(bytes * 2),
                static_cast<unsigned long long>(value));
  return text;
}

/// The bits, and the number where it is one.
static std::string describe(uint64_t value, const Column &column) {
  std::string text = hex(value, column.bytes);
  const TypeInfo &type = typeInfo(column.type);
  if (type.kind != TypeInfo::Kind::Float || type.lanes != 1)
    return text;
  char number[40];
  std::snprintf(number, sizeof number, " (%.9g)", decode(value, type));
  return text + number;
}

namespace {
class Comparer {
public:
  Comparer(const Program &program, const std::vector<uint8_t> &silicon,
           const std::vector<uint8_t> &simulator, FamilyStatistics &statistics)
      : program(program), silicon(silicon), simulator(simulator),
        statistics(statistics), differs(program.results.size()) {}
  void run();

private:
  void column(size_t index);
  bool isTainted(const Instruction &instruction, size_t i) const;
  bool operandDiffers(size_t result, Reach reach, size_t i) const;
  void approximate(const Column &column, size_t i, uint64_t real,
                   uint64_t simulated, LabelStatistics &label);
  std::string example(const Column &column, size_t i) const;
  uint64_t operandValue(const Operand &operand, size_t i) const;
  void value(const Column &column, size_t i, bool same, LabelStatistics &label);
  void nan(const Column &column, size_t i, NanStatistics &nans);

  const Program &program;
  const std::vector<uint8_t> &silicon, &simulator;
  FamilyStatistics &statistics;
  /// By result, by element; empty: none does.
  std::vector<std::vector<bool>> differs;
};
} // namespace

bool Comparer::operandDiffers(size_t result, Reach reach, size_t i) const {
  const std::vector<bool> &column = differs[result];
  if (column.empty())
    return false;
  if (reach == Reach::Thread)
    return column[i];
  size_t begin = reach == Reach::Warp ? i / 32 * 32 : 0;
  size_t end = reach == Reach::Warp ? begin + 32 : column.size();
  for (size_t at = begin; at < std::min(end, column.size()); ++at)
    if (column[at])
      return true;
  return false;
}

bool Comparer::isTainted(const Instruction &instruction, size_t i) const {
  for (const Operand &operand : instruction.operands)
    if (operand.kind == Operand::Kind::Result &&
        operandDiffers(operand.index, instruction.reach, i))
      return true;
  return false;
}

std::string Comparer::example(const Column &column, size_t i) const {
  const Instruction &instruction = program.instructions[column.instruction];
  std::string text = program.name + ", ";
  text += column.count == program.threads() ? "thread " : "element ";
  text += std::to_string(i) + ": " + instruction.text;
  for (const Operand &operand : instruction.operands) {
    if (operand.kind == Operand::Kind::Immediate || i >= program.threads())
      continue;
    bool isInput = operand.kind == Operand::Kind::Input;
    const Column &from = isInput ? program.inputs[operand.index]
                                 : program.results[operand.index];
    uint64_t value = valueAt(isInput ? program.in : silicon, from, i);
    text += "\n      " + operand.text + " = " + describe(value, from);
  }
  text += "\n      silicon " + describe(valueAt(silicon, column, i), column);
  text += ", simulator " + describe(valueAt(simulator, column, i), column);
  return text;
}

static bool isNanF64(uint64_t bits) { return bits << 1 > 0xffe0000000000000; }

/// On silicon; 0 where it is unknown.
uint64_t Comparer::operandValue(const Operand &operand, size_t i) const {
  if (operand.kind == Operand::Kind::Immediate)
    return operand.text.rfind("0d", 0) == 0
               ? std::strtoull(operand.text.c_str() + 2, nullptr, 16)
               : 0;
  bool isInput = operand.kind == Operand::Kind::Input;
  return valueAt(isInput ? program.in : silicon,
                 isInput ? program.inputs[operand.index]
                         : program.results[operand.index],
                 i);
}

/// Two NaNs of f64.
void Comparer::nan(const Column &column, size_t i, NanStatistics &nans) {
  uint64_t real = valueAt(silicon, column, i);
  ++nans.compared;
  if (real == valueAt(simulator, column, i))
    return;
  ++statistics.payloads;
  ++nans.different;
  if (nans.examples.size() < kNanExamples)
    nans.examples.push_back(example(column, i));
  if (i >= program.threads())
    return;
  const Instruction &instruction = program.instructions[column.instruction];
  constexpr uint64_t quiet = uint64_t(1) << 51;
  for (size_t k = 0; k < instruction.operands.size() && k < 3; ++k) {
    uint64_t value = operandValue(instruction.operands[k], i);
    if (isNanF64(value) && (value | quiet) == real) {
      ++nans.ofOperand[k];
      return;
    }
  }
}

/// Bits as a number that grows with the value; both zeros are 0.
static int64_t ordered(uint64_t bits, unsigned width) {
  int64_t magnitude = int64_t(bits & lowBits(width - 1));
  return bits >> (width - 1) & 1 ? -magnitude : magnitude;
}

void Comparer::approximate(const Column &column, size_t i, uint64_t real,
                           uint64_t simulated, LabelStatistics &label) {
  const TypeInfo &type = typeInfo(column.type);
  unsigned width = type.bits / type.lanes;
  label.isApproximate = true;
  bool mismatch = false;
  for (unsigned lane = 0; lane < type.lanes; ++lane) {
    uint64_t x = real >> (lane * width) & lowBits(width);
    uint64_t y = simulated >> (lane * width) & lowBits(width);
    double first = decode(x, type), second = decode(y, type);
    if (x == y || (std::isnan(first) && std::isnan(second) && width == 64)) {
      ++label.equal;
      continue;
    }
    // A zero's sign, a NaN and an infinity are no approximations.
    if (std::isnan(first) || std::isnan(second) ||
        (first == 0 && second == 0) ||
        (std::isinf(first) && std::isinf(second))) {
      mismatch = true;
      continue;
    }
    uint64_t distance =
        uint64_t(std::llabs(ordered(x, width) - ordered(y, width)));
    ++(distance == 1 ? label.oneApart : label.furtherApart);
    if (std::isfinite(first) && std::isfinite(second))
      label.absolute = std::max(label.absolute, std::fabs(first - second));
    if (distance > label.distance) {
      label.distance = distance;
      label.farthest = example(column, i);
    }
  }
  if (!mismatch)
    return;
  ++statistics.mismatches;
  if (label.mismatches++ == 0)
    label.example = example(column, i);
}

/// One whose operands agree.
void Comparer::value(const Column &column, size_t i, bool same,
                     LabelStatistics &label) {
  bool isExact = column.agreement == Agreement::Exact;
  bool mayBeNan = !isExact && column.type == "f64";
  if (same && !mayBeNan && column.agreement != Agreement::Approximate)
    return;
  uint64_t real = valueAt(silicon, column, i);
  uint64_t simulated = valueAt(simulator, column, i);
  bool areNans = mayBeNan && isNanF64(real) && isNanF64(simulated);
  if (areNans)
    nan(column, i, label.nans);
  if (column.agreement == Agreement::Approximate) {
    approximate(column, i, real, simulated, label);
    return;
  }
  if (same || areNans)
    return;
  ++statistics.mismatches;
  if (label.mismatches++ == 0)
    label.example = example(column, i);
}

void Comparer::column(size_t index) {
  const Column &column = program.results[index];
  const Instruction &instruction = program.instructions[column.instruction];
  LabelStatistics &label = statistics.labels[instruction.label];
  for (size_t i = 0; i < column.count; ++i) {
    size_t at = column.offset + i * column.bytes;
    bool same = !std::memcmp(&silicon[at], &simulator[at], column.bytes);
    if (!same && differs[index].empty())
      differs[index].resize(column.count);
    if (!same)
      differs[index][i] = true;
    if (isTainted(instruction, i)) {
      ++statistics.skipped;
      continue;
    }
    ++statistics.compared;
    ++label.compared;
    value(column, i, same, label);
  }
}

void Comparer::run() {
  ++statistics.programs;
  statistics.instructions += program.instructions.size();
  for (size_t i = 0; i < program.results.size(); ++i)
    column(i);
}

void girih::silicon::compareProgram(const Program &program,
                                    const std::vector<uint8_t> &silicon,
                                    const std::vector<uint8_t> &simulator,
                                    FamilyStatistics &statistics) {
  Comparer(program, silicon, simulator, statistics).run();
}
