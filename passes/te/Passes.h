//===- Passes.h - passes over the te dialect --------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One create function a pass (createHoistReductions() ...) and
// registerTePasses(), all from Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_TE_PASSES_H
#define GIRIH_PASSES_TE_PASSES_H

#include "dialects/te/Te.h"

#include "mlir/Pass/Pass.h"

#include <memory>

namespace girih::te {

#define GEN_PASS_DECL
#include "passes/te/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/te/Passes.h.inc"

} // namespace girih::te

#endif // GIRIH_PASSES_TE_PASSES_H
