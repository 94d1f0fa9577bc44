//===- Ptxas.h - NVIDIA's assembler, where it is installed ------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_CODEGEN_PTXAS_H
#define GIRIH_PASSES_CODEGEN_PTXAS_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace girih::codegen {

/// What ptxas says about one kernel. Bytes are per thread, shared bytes per
/// block and static.
struct PtxasKernel {
  std::string name;
  unsigned registers = 0;
  unsigned barriers = 0;
  unsigned stackBytes = 0;
  unsigned spillStoreBytes = 0;
  unsigned spillLoadBytes = 0;
  unsigned sharedBytes = 0;
};

struct PtxasReport {
  std::vector<PtxasKernel> kernels; ///< in the order ptxas names them
  /// Warnings and C75xx notes (wgmma serialised, setmaxnreg ignored), each one
  /// line without ptxas's prefix: a fault in a kernel the compiler ranked
  /// first.
  std::vector<std::string> notes;
  std::string cubin;

  const PtxasKernel *find(std::string_view name) const;
  bool spills() const;
};

struct PtxasOptions {
  std::string path; ///< empty: PATH, then /usr/local/cuda/bin
  unsigned optimization = 3;
};

/// The ptxas to run, or nothing if there is none.
std::optional<std::string> findPtxas(const PtxasOptions &options = {});

/// Assembles `ptx` for `arch` ("sm_90a"). Nothing if ptxas is missing or
/// refuses, with the reason in `error`.
std::optional<PtxasReport> assemble(std::string_view ptx, std::string_view arch,
                                    std::string &error,
                                    const PtxasOptions &options = {});

/// The part of `assemble` that reads what `ptxas --verbose` prints; the cubin
/// stays empty.
PtxasReport parsePtxasOutput(std::string_view text);

} // namespace girih::codegen

#endif // GIRIH_PASSES_CODEGEN_PTXAS_H
