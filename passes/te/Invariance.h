//===- Invariance.h - do results depend on a size? --------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A result is invariant in a size M when the bits of each of its elements are
// the same at every M at which the element exists, given inputs that agree in
// the elements that exist at both. The answer comes from the text of te alone:
// terms hold literals only, and a schedule cannot change them.
//
// It is conservative: what is called invariant is, what is not may still be.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_TE_INVARIANCE_H
#define GIRIH_PASSES_TE_INVARIANCE_H

#include "dialects/te/Te.h"

#include <string>
#include <vector>

namespace girih::te {

/// Something that makes elements depend on the size.
struct SizeDependence {
  std::vector<std::string> results; ///< that may depend through it
  std::string what;                 ///< `S sums over j in 0..M`
  std::string help;
  /// How the first result comes to it: `Y reads T, which reads S`; or empty.
  std::string path;
  mlir::Location place;
};

struct InvarianceAnswer {
  /// Why it is refused; empty where every result is invariant.
  std::vector<SizeDependence> reasons;
  /// Why each result is invariant, one sentence each; of those that are.
  std::vector<std::string> proved;
};

/// Of a function in assoc form; `size` is one of its sizes. Sizes made from it
/// change with it, and one that follows from others stands for those. Results
/// that no text names (`checks`) are left out.
InvarianceAnswer invarianceIn(FuncOp func, llvm::StringRef size);

} // namespace girih::te

#endif // GIRIH_PASSES_TE_INVARIANCE_H
