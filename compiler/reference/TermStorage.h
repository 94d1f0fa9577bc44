//===- TermStorage.h - what a term needs of an extent and of memory --*- C++
//-*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_REFERENCE_TERMSTORAGE_H
#define GIRIH_COMPILER_REFERENCE_TERMSTORAGE_H

#include "compiler/arith/Term.h"

#include <cstdint>
#include <optional>
#include <string>

namespace girih::reference {

/// Why `term` cannot reduce `n` elements: a tree(m) in it that meets a number
/// of elements that m does not divide. Nothing when it can.
std::optional<std::string> termProblem(const arith::Term &term, int64_t n);

/// The term itself, or a merge, is a tree over a number of values that depends
/// on the reduction's extent, which must then be constant.
bool needsConstantExtent(const arith::Term &term);

/// `term` or a part of it is an mma chain.
bool holdsMma(const arith::Term &term);

/// Bytes of partial results that generated code stores for `term` over `n`
/// elements, `entryBytes` for one. Saturates at INT64_MAX.
int64_t scratchBytes(const arith::Term &term, int64_t n, int64_t entryBytes);

/// The most entries alive at once that do not depend on the extent: lanes and
/// tree segments. Used to pick a tile whose partial results stay in cache.
int64_t fixedEntries(const arith::Term &term);

} // namespace girih::reference

#endif // GIRIH_COMPILER_REFERENCE_TERMSTORAGE_H
