//===- TargetFields.h - a target's figures by name --------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers of a GpuTarget as a table, for whoever reads or writes one as
// text: its key, what it means, and between what bounds it makes sense.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_TARGET_TARGETFIELDS_H
#define GIRIH_COMPILER_TARGET_TARGETFIELDS_H

#include "compiler/target/GpuTarget.h"

namespace girih::target {

struct TargetField {
  const char *key;
  const char *meaning; ///< with its unit
  bool isInteger;
  double least, most; ///< what is accepted
  bool mayBeZero;     ///< 0 besides: not known, or there is none
  double (*get)(const GpuTarget &);
  void (*set)(GpuTarget &, double);
};

/// In the order of GpuTarget.h.
const std::vector<TargetField> &targetFields();

/// What does not fit together in a target whose figures are each within their
/// bounds, in words; empty if it is one.
std::string contradictionIn(const GpuTarget &target);

} // namespace girih::target

#endif // GIRIH_COMPILER_TARGET_TARGETFIELDS_H
