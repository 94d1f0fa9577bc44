//===- TargetFit.cpp - may PTX for this target run on this GPU? -----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/TargetFit.h"

#include "compiler/target/GpuTarget.h"

using namespace girih;

static std::string dotted(unsigned capability) {
  return std::to_string(capability / 10) + "." +
         std::to_string(capability % 10);
}

Status rt::checkTargetFits(const std::string &artifactTarget,
                           unsigned capability, const std::string &product) {
  std::optional<target::GpuTarget> compiledFor =
      target::findTarget(artifactTarget);
  if (!compiledFor)
    return Failure{"the artifact is for the unknown target '" + artifactTarget +
                   "'"};
  bool fits = compiledFor->archSpecific ? compiledFor->capability == capability
                                        : compiledFor->capability <= capability;
  if (fits)
    return {};
  std::string need = "capability " + dotted(compiledFor->capability) +
                     (compiledFor->archSpecific ? " exactly" : " or newer");
  return Failure{"the artifact is for " + artifactTarget + ", which needs " +
                 need + ", but " + product + " has " + dotted(capability) +
                 ": compile for this GPU's own target"};
}
