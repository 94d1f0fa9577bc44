//===- TileAccess.h - which register touches what ---------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names of compiler/layout/Runs.h, on which code generation rests.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_CODEGEN_TILEACCESS_H
#define GIRIH_PASSES_CODEGEN_TILEACCESS_H

#include "compiler/layout/Runs.h"

namespace girih::codegen {

using layout::coverByRuns;
using layout::denseStrides;
using layout::elementCount;
using layout::ownsItsElement;
using layout::registerParts;
using layout::Run;
using layout::threadGranule;

} // namespace girih::codegen

#endif // GIRIH_PASSES_CODEGEN_TILEACCESS_H
