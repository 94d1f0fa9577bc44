//===- Builtins.cpp - names that every file knows -------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Builtins.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace girih::frontend {

namespace {

constexpr BuiltinInfo kBuiltins[] = {
    {"abs", Builtin::Abs, 1, false},
    {"neg", Builtin::Neg, 1, false},
    {"sqrt", Builtin::Sqrt, 1, false},
    {"rsqrt", Builtin::Rsqrt, 1, true},
    {"rcp", Builtin::Rcp, 1, true},
    {"exp", Builtin::Exp, 1, true},
    {"exp2", Builtin::Exp2, 1, true},
    {"log", Builtin::Log, 1, true},
    {"log2", Builtin::Log2, 1, true},
    {"tanh", Builtin::Tanh, 1, true},
    {"sin", Builtin::Sin, 1, true},
    {"cos", Builtin::Cos, 1, true},
    {"erf", Builtin::Erf, 1, true},
    {"pow", Builtin::Pow, 2, true},
    {"on_grid", Builtin::OnGrid, 2, false},
    {"philox", Builtin::Philox, 3, false},
    {"uniform", Builtin::Uniform, 2, false},
    {"floor", Builtin::Floor, 1, false},
    {"ceil", Builtin::Ceil, 1, false},
    {"round", Builtin::Round, 1, false},
    {"trunc", Builtin::Trunc, 1, false},
    {"fma", Builtin::Fma, 3, false},
    {"min", Builtin::Min, 2, false},
    {"max", Builtin::Max, 2, false},
    {"tf32", Builtin::Tf32, 1, false},
    {"tdiv", Builtin::TDiv, 2, false},
    {"tmod", Builtin::TMod, 2, false},
    {"bits", Builtin::Bits, 3, false},
    {"sbits", Builtin::SBits, 3, false},
    {"floordiv", Builtin::FloorDiv, 2, false},
    {"behind", Builtin::Behind, 4, false},
};

// A statement of its own (ParserLoop.cpp).
constexpr std::string_view kUnsupportedReductions[] = {"topk"};

struct LibraryFn {
  std::string_view name;
  std::string_view body;
};
// Visible text: each operation rounds in the type of x.
constexpr LibraryFn kLibrary[] = {
    {"sigmoid", "1 / (1 + exp(-x))"},
    {"silu", "x / (1 + exp(-x))"},
    {"relu", "max(x, 0)"},
    {"gelu", "0.5 * x * (1 + erf(x * 0.70710678118654752440))"},
    {"gelu_tanh", "0.5 * x * (1 + tanh(0.79788456080286535588 * "
                  "(x + 0.044715 * x * x * x)))"},
    {"softplus", "max(x, 0) + log(1 + exp(-abs(x)))"},
};

template <typename Range>
bool contains(const Range &range, std::string_view s) {
  return std::find(std::begin(range), std::end(range), s) != std::end(range);
}

} // namespace

const BuiltinInfo *findBuiltin(std::string_view name) {
  for (const BuiltinInfo &info : kBuiltins)
    if (info.name == name)
      return &info;
  return nullptr;
}

std::vector<std::string> builtinNames() {
  std::vector<std::string> names;
  for (const BuiltinInfo &info : kBuiltins)
    names.emplace_back(info.name);
  return names;
}

std::optional<ScalarType> typeNamed(std::string_view name) {
  for (ScalarType type = ScalarType::F64; type != ScalarType::Index;
       type = ScalarType(uint8_t(type) + 1))
    if (spelling(type) == name)
      return type;
  return std::nullopt;
}

std::vector<std::string> typeNames() {
  std::vector<std::string> names;
  for (ScalarType type = ScalarType::F64; type != ScalarType::Index;
       type = ScalarType(uint8_t(type) + 1))
    names.emplace_back(spelling(type));
  return names;
}

std::optional<ReduceKind> reduceKind(std::string_view name) {
  for (ReduceKind kind :
       {ReduceKind::Sum, ReduceKind::Prod, ReduceKind::Max, ReduceKind::Min,
        ReduceKind::Any, ReduceKind::All, ReduceKind::ArgMax,
        ReduceKind::ArgMin, ReduceKind::CumSum, ReduceKind::CumProd})
    if (spelling(kind) == name)
      return kind;
  return std::nullopt;
}

bool isUnsupportedReduction(std::string_view name) {
  return contains(kUnsupportedReductions, name);
}

bool isReservedName(std::string_view name) {
  return typeNamed(name) || findBuiltin(name) || reduceKind(name) ||
         isUnsupportedReduction(name);
}

std::string libraryText(std::string_view name, ScalarType type) {
  for (const LibraryFn &fn : kLibrary)
    if (fn.name == name)
      return fmt::format("fn {0}(x: {1}) -> {1} = {2}", name, spelling(type),
                         fn.body);
  return {};
}

std::vector<std::string> libraryNames() {
  std::vector<std::string> names;
  for (const LibraryFn &fn : kLibrary)
    names.emplace_back(fn.name);
  return names;
}

} // namespace girih::frontend
