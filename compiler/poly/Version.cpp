//===- Version.cpp - which isl does the counting --------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/Version.h"

#include <isl/version.h>

std::string girih::poly::islVersion() {
  std::string text = isl_version();
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  return text;
}
