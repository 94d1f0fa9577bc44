//===- Builtins.h - names that every file knows -----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_BUILTINS_H
#define GIRIH_COMPILER_FRONTEND_BUILTINS_H

#include "compiler/frontend/Ast.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace girih::frontend {

struct BuiltinInfo {
  std::string_view name;
  Builtin builtin;
  unsigned arity;
  bool hasAccuracy; ///< takes `.fast` and `.portable`
};

/// Null where `name` is no built-in function.
const BuiltinInfo *findBuiltin(std::string_view name);
std::vector<std::string> builtinNames();

/// The type of values and tensors that is spelled `name`.
std::optional<ScalarType> typeNamed(std::string_view name);
std::vector<std::string> typeNames();

std::optional<ReduceKind> reduceKind(std::string_view name);

/// Reductions of the language that are recognised and refused.
bool isUnsupportedReduction(std::string_view name);

/// Types, built-in functions and reductions: no definition may take the name.
/// (Library functions are ordinary text that a file may define anew.)
bool isReservedName(std::string_view name);

/// The text of a library function at `type`, e.g. `fn relu(x: f32) -> f32 =
/// max(x, 0)`; "" where there is no such function.
std::string libraryText(std::string_view name, ScalarType type);
std::vector<std::string> libraryNames();

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_BUILTINS_H
