//===- SampleArtifact.h - an artifact that uses every field -----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_ARTIFACT_SAMPLEARTIFACT_H
#define GIRIH_TEST_UNIT_ARTIFACT_SAMPLEARTIFACT_H

#include "compiler/artifact/Artifact.h"

/// A two-kernel matrix product: every list is filled, every enumerator occurs.
girih::artifact::Artifact sampleArtifact();

#endif // GIRIH_TEST_UNIT_ARTIFACT_SAMPLEARTIFACT_H
