//===- Forms.h - the matrix instructions to compare ----------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_GPU_MMA_SILICON_FORMS_H
#define GIRIH_TEST_GPU_MMA_SILICON_FORMS_H

#include "runtime/sim/Mma.h"

#include <string>
#include <vector>

namespace girih::silicon {

/// One instruction. A warp runs it once for each tile; wgmma runs it with four
/// warps that all have the same tile.
struct Form {
  sim::MmaKind kind;
  bool isWgmma = false;
  bool sharesA = false;    ///< of wgmma: A lies in shared memory, as B does
  std::string instruction; ///< with all modifiers

  unsigned wordBytes() const { return kind.a == sim::Type::F64 ? 8 : 4; }
  // Bytes of a tile: registers, each 32 words.
  size_t bytesA() const { return kind.registersA() * 32 * wordBytes(); }
  size_t bytesB() const { return kind.registersB() * 32 * wordBytes(); }
  size_t bytesC() const { return kind.registersC() * 32 * wordBytes(); }
};

/// Every mma.sync that the simulator runs, and wgmma's float types.
std::vector<Form> allForms();

/// A module with one kernel, `tiles`, whose parameters are the addresses of A,
/// B, C and D; block i takes tile i.
std::string ptxOf(const Form &form);
unsigned threadsOf(const Form &form);

} // namespace girih::silicon

#endif // GIRIH_TEST_GPU_MMA_SILICON_FORMS_H
