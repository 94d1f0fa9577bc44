//===- RangeText.h - says how far indices run -------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_RANGETEXT_H
#define GIRIH_COMPILER_FRONTEND_RANGETEXT_H

#include "compiler/frontend/Ast.h"

#include <string>

namespace girih::frontend {

/// How far each index of a checked operator runs, and what says so: a line for
/// each statement, index and condition.
std::string explainRanges(const OpDecl &op, const SourceFile &source);

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_RANGETEXT_H
