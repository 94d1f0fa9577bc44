//===- Ptx.h - facts read from PTX text -------------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_PTX_H
#define GIRIH_RUNTIME_PTX_H

#include "compiler/artifact/Artifact.h"

namespace girih::rt {

/// `.version 8.8`
struct PtxVersion {
  unsigned major = 0;
  unsigned minor = 0;
};

/// Empty where the text names none.
std::optional<PtxVersion> ptxVersion(std::string_view ptx);

/// The CUDA release that first accepts this PTX, such as "12.9"; empty if it
/// is newer than the table.
std::string cudaForPtx(PtxVersion version);

/// The driver reads as many words as the kernel declares, whatever it is
/// given: checks that every kernel that a variant launches is an entry of its
/// PTX and declares exactly the 64-bit parameters of its launches.
Status checkPtxEntries(const artifact::Variant &variant);

} // namespace girih::rt

#endif // GIRIH_RUNTIME_PTX_H
