//===- Promise.h - what inputs promise, and error words ---------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels rely on the ranges that inputs promise and do not look themselves;
// whoever gives the inputs can ask here. After a run the error words tell of
// subscripts that `checked` held inside.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_PROMISE_H
#define GIRIH_RUNTIME_PROMISE_H

#include "runtime/Random.h"

#include "compiler/artifact/Artifact.h"

namespace girih::rt {

/// fillRandom, within the range that `param` promises: evenly there, whatever
/// the kind, but for `ones`; offsets are sorted, from the first to the last.
/// Fails where the range is empty and the array is not.
Status fillPromised(HostArray &array, const artifact::Signature &signature,
                    const artifact::TensorParam &param,
                    const std::vector<int64_t> &sizes, RandomKind kind,
                    uint64_t seed, uint32_t stream);

/// Whether the elements of `array`, which is given for `param`, lie in the
/// range that it promises, and are offsets where it promises that; the message
/// names the first that does not fit.
Status checkPromise(const HostArray &array,
                    const artifact::Signature &signature,
                    const artifact::TensorParam &param,
                    const std::vector<int64_t> &sizes);

/// What the words of one check say; fails where a subscript lay outside.
Status checkWord(const artifact::Signature &signature,
                 const artifact::CheckWord &word,
                 const std::vector<int64_t> &sizes, int64_t where,
                 int64_t value);

} // namespace girih::rt

#endif // GIRIH_RUNTIME_PROMISE_H
