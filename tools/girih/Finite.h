//===- Finite.h - inputs without infinities and NaN -------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TOOLS_GIRIH_FINITE_H
#define GIRIH_TOOLS_GIRIH_FINITE_H

#include "compiler/artifact/Artifact.h"
#include "runtime/HostArray.h"

namespace girih::cli {

/// Refuses an element that the operator assumes away (`assume finite(V)`).
Status checkFinite(const artifact::Signature &signature,
                   const artifact::TensorParam &param,
                   const rt::HostArray &array);

/// Replaces what the operator assumes away by 1: for inputs that are drawn.
void makeFinite(const artifact::TensorParam &param, rt::HostArray &array);

} // namespace girih::cli

#endif // GIRIH_TOOLS_GIRIH_FINITE_H
