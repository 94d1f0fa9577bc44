//===- Reference.h - the host replay of a te module: the oracle -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns a te module whose reductions carry terms into host code (LLVM ORC) and
// runs it. Every operation rounds as the text says and every reduction runs its
// term, vectorised and threaded over outputs, never along a chain. Nothing here
// knows about schedules: what a device computes must equal this.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_REFERENCE_REFERENCE_H
#define GIRIH_COMPILER_REFERENCE_REFERENCE_H

#include "compiler/artifact/Artifact.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace girih::reference {

/// A tensor in host memory; strides in elements, may be zero or negative.
struct HostTensor {
  void *data = nullptr;
  artifact::ScalarType type = artifact::ScalarType::F32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
};

struct RunOptions {
  unsigned threads = 0; ///< 0: all of the host's
  /// Called from the calling thread with the fraction done (0..1); may be
  /// empty.
  std::function<void(double)> progress;
};

/// A compiled reference program. Immutable; may run in several threads at once.
class ReferenceProgram {
public:
  ~ReferenceProgram();
  ReferenceProgram(ReferenceProgram &&) noexcept;

  /// Compiles the te module text (the form with terms, after the assoc phase).
  static Result<ReferenceProgram> compile(const std::string &teModule);

  const artifact::Signature &signature() const;

  /// Runs on `params` (inputs, then outputs, as in the signature) with the
  /// sizes solved from the inputs' shapes. Checks shapes, types and
  /// constraints.
  Status run(const std::vector<HostTensor> &params,
             const RunOptions &options) const;

  /// Like run, and also bounds how far a correct device may be from the values
  /// written: for output o, bounds[o][flat row-major index] is an absolute
  /// error (0 where every operation on the path is exactly rounded, so that the
  /// bits must agree). The bound is a running error: fast functions contribute
  /// their table's ulps, later operations propagate it and add their rounding.
  Status runWithBounds(const std::vector<HostTensor> &params,
                       std::vector<std::vector<double>> &bounds,
                       const RunOptions &options) const;

private:
  struct Impl;
  explicit ReferenceProgram(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace girih::reference

#endif // GIRIH_COMPILER_REFERENCE_REFERENCE_H
