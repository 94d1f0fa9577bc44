//===- DebugLines.cpp - the program's lines in PTX ------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/DebugLines.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Path.h"

using namespace mlir;

/// The first place in a file that a location names.
static FileLineColLoc placeOf(Location location) {
  FileLineColLoc found;
  location->walk([&](Location part) {
    found = dyn_cast<FileLineColLoc>(part);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

void girih::codegen::addLineScopes(ModuleOp module) {
  MLIRContext *context = module.getContext();
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    Location location = function.getLoc();
    FileLineColLoc place = placeOf(location);
    if (function.isExternal() || !place ||
        location->findInstanceOf<FusedLocWith<LLVM::DISubprogramAttr>>())
      continue;
    auto file = LLVM::DIFileAttr::get(context, place.getFilename(), "");
    auto unit = LLVM::DICompileUnitAttr::get(
        DistinctAttr::create(UnitAttr::get(context)), llvm::dwarf::DW_LANG_C,
        file, StringAttr::get(context, "girih"), /*isOptimized=*/true,
        LLVM::DIEmissionKind::DebugDirectivesOnly);
    auto type = LLVM::DISubroutineTypeAttr::get(context, {});
    auto subprogram = LLVM::DISubprogramAttr::get(
        context, DistinctAttr::create(UnitAttr::get(context)), unit, file,
        function.getSymNameAttr(), function.getSymNameAttr(), file,
        place.getLine(), place.getLine(),
        LLVM::DISubprogramFlags::Definition |
            LLVM::DISubprogramFlags::Optimized,
        type, /*retainedNodes=*/{}, /*annotations=*/{});
    function->setLoc(FusedLoc::get(context, {location}, subprogram));
  }
}
