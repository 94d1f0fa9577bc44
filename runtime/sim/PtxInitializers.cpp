//===- PtxInitializers.cpp - values of variables --------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 5.4.4 (initializers).
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/PtxParser.h"

#include <bit>

namespace girih::sim {

namespace {

constexpr uint64_t kInitializedBytes = uint64_t(64) << 20; ///< of a module

/// A constant's bits in a variable of `type`; none where it does not fit it.
std::optional<uint64_t> convertTo(Type type, const PtxConstant &value) {
  unsigned bits = bitsOf(type);
  bool isBits = type == Type::B32 || type == Type::B64;
  if (value.kind == PtxConstant::Kind::Integer) {
    if (isFloat(type))
      return std::nullopt;
    return value.bits;
  }
  if (!isBits && type != Type::F32 && type != Type::F64)
    return std::nullopt;
  if (value.kind == PtxConstant::Kind::Float32 && bits == 32)
    return value.bits;
  if (value.kind == PtxConstant::Kind::Float64 && bits == 64)
    return value.bits;
  if (bits == 32)
    return std::bit_cast<uint32_t>(float(std::bit_cast<double>(value.bits)));
  return std::bit_cast<uint64_t>(
      double(std::bit_cast<float>(uint32_t(value.bits))));
}

} // namespace

/// Current is the `=`. Sets the variable's size.
bool PtxParser::parseInitializer(const Declaration &declaration,
                                 SyntaxVariable &variable,
                                 std::vector<uint64_t> &dimensions,
                                 bool isUnsized) {
  uint32_t line = current.line;
  advance();
  if (declaration.space != Space::Global && declaration.space != Space::Const)
    return fail(line, "a '." + std::string(nameOf(declaration.space)) +
                          "' variable has no initializer: '" + variable.name +
                          "'");
  if (variable.type == Type::F16 || variable.type == Type::F16x2 ||
      variable.type == Type::B128)
    return fail(line, "a variable of type '." +
                          std::string(nameOf(variable.type)) +
                          "' has no initializer: '" + variable.name + "'");
  uint64_t inner = bitsOf(variable.type) / 8;
  for (size_t i = isUnsized ? 1 : 0; i < dimensions.size(); ++i)
    if (__builtin_mul_overflow(inner, dimensions[i], &inner))
      inner = UINT64_MAX;
  if (inner > kInitializedBytes - initializedBytes)
    return fail(line, "initialized variables have more than " +
                          std::to_string(kInitializedBytes) + " bytes");
  if (!isUnsized)
    variable.initializer.resize(inner);
  else
    dimensions[0] = UINT64_MAX / inner;
  uint64_t count = 0;
  if (!parseInitializerLevel(variable, dimensions, 0, 0, count))
    return false;
  if (isUnsized && count == 0)
    return fail(line, "variable '" + variable.name +
                          "' has neither a size nor values");
  variable.bytes = isUnsized ? count * inner : inner;
  variable.initializer.resize(variable.bytes);
  initializedBytes += variable.bytes;
  return true;
}

/// Braces around dimension `level` and those below; a value below the last.
/// `count`: values or braces in this level.
bool PtxParser::parseInitializerLevel(SyntaxVariable &variable,
                                      const std::vector<uint64_t> &dimensions,
                                      size_t level, uint64_t offset,
                                      uint64_t &count) {
  if (level == dimensions.size())
    return parseInitializerValue(variable, offset);
  uint64_t stride = bitsOf(variable.type) / 8;
  for (size_t i = level + 1; i < dimensions.size(); ++i)
    stride *= dimensions[i];
  if (!expect("{"))
    return false;
  count = 0;
  if (takeIf("}"))
    return true;
  do {
    if (count == dimensions[level])
      return fail(current.line, "the initializer of '" + variable.name +
                                    "' has more than " + std::to_string(count) +
                                    " values in a row");
    // Only the unsized dimension makes it grow.
    uint64_t end = offset + (count + 1) * stride;
    if (end > kInitializedBytes - initializedBytes)
      return fail(current.line, "initialized variables have more than " +
                                    std::to_string(kInitializedBytes) +
                                    " bytes");
    if (variable.initializer.size() < end)
      variable.initializer.resize(end);
    uint64_t below = 0;
    if (!parseInitializerLevel(variable, dimensions, level + 1,
                               offset + count * stride, below))
      return false;
    ++count;
  } while (takeIf(","));
  return current.is("}") ? expect("}")
                         : expected("',' or '}' in an initializer");
}

bool PtxParser::parseInitializerValue(SyntaxVariable &variable,
                                      uint64_t offset) {
  uint32_t line = current.line;
  if (current.isWord() && current.text != "WARP_SZ")
    return fail(line, "the initializer of '" + variable.name +
                          "' has the symbol '" + std::string(current.text) +
                          "': only numbers are supported");
  PtxConstant value;
  if (!startsConstant())
    return expected("a number in the initializer of '" + variable.name + "'");
  if (!parseConstant(value))
    return false;
  if (current.is("("))
    return fail(line, "the initializer of '" + variable.name +
                          "' has a mask of a symbol: only numbers are "
                          "supported");
  std::optional<uint64_t> bits = convertTo(variable.type, value);
  if (!bits)
    return fail(line, "a value of '" + variable.name + "' is no '." +
                          std::string(nameOf(variable.type)) +
                          "': floating-point variables take numbers with a "
                          "point, integers those without");
  unsigned bytes = bitsOf(variable.type) / 8;
  if (variable.initializer.size() < offset + bytes)
    variable.initializer.resize(offset + bytes);
  for (unsigned i = 0; i < bytes; ++i)
    variable.initializer[offset + i] = uint8_t(*bits >> (8 * i));
  return true;
}

} // namespace girih::sim
