//===- IslText.h - isl's text of a map as plain constraints -----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_PRESBURGER_ISLTEXT_H
#define GIRIH_TEST_UNIT_PRESBURGER_ISLTEXT_H

#include "compiler/poly/Scop.h"
#include "test/unit/presburger/Integers.h"

#include <string>

namespace girih::test {

/// Pairs of instances of two statements from isl's text, over source and sink.
/// Throws std::runtime_error where the text is not understood.
Union readPairs(const poly::Scop &scop, unsigned source, unsigned sink,
                const std::string &text);

} // namespace girih::test

#endif // GIRIH_TEST_UNIT_PRESBURGER_ISLTEXT_H
