//===- Binding.h - sizes and checks of a run's tensors ----------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_REFERENCE_BINDING_H
#define GIRIH_COMPILER_REFERENCE_BINDING_H

#include "compiler/reference/Reference.h"

namespace girih::reference {

/// Checks number, types and shapes of `params` against the signature and
/// returns the value of every size. Sizes are solved from the inputs, then from
/// the outputs, then from values given at compile time; every extent and every
/// constraint must agree.
Result<std::vector<int64_t>> bindSizes(const artifact::Signature &signature,
                                       const std::vector<HostTensor> &params);

/// Whether the bytes between a parameter's first and last element meet those of
/// another one. Slices that interleave count as meeting.
bool sharesMemory(const std::vector<HostTensor> &params, size_t param);

/// Whether distinct indices are known to have distinct addresses.
bool isInjective(const std::vector<int64_t> &shape,
                 const std::vector<int64_t> &strides);

} // namespace girih::reference

#endif // GIRIH_COMPILER_REFERENCE_BINDING_H
