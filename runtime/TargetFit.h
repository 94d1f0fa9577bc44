//===- TargetFit.h - may PTX for this target run on this GPU? ---*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_TARGETFIT_H
#define GIRIH_RUNTIME_TARGETFIT_H

#include "compiler/artifact/Result.h"

#include <string>

namespace girih::rt {

/// PTX for sm_80 runs on every GPU of capability 8.0 or newer; PTX for sm_90a
/// on 9.0 alone. `capability` is 90 for 9.0; `product` names the GPU in the
/// refusal.
Status checkTargetFits(const std::string &artifactTarget, unsigned capability,
                       const std::string &product);

} // namespace girih::rt

#endif // GIRIH_RUNTIME_TARGETFIT_H
