//===- TensorSet.h - the tensors of one launch ------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TOOLS_GIRIH_TENSORSET_H
#define GIRIH_TOOLS_GIRIH_TENSORSET_H

#include "runtime/Random.h"
#include "tools/girih/Command.h"
#include "tools/girih/Placement.h"
#include "tools/girih/Sizes.h"
#include "tools/girih/TensorFile.h"

namespace girih::cli {

/// Flags that say where the values of inputs come from and how tensors lie.
struct TensorFlags {
  explicit TensorFlags(Command &command);
  Setting seed, random;
  Settings strided;
};

/// What the flags and the positional arguments ask for.
struct TensorPlan {
  std::vector<TensorFile> files;
  rt::RandomKind kind = rt::RandomKind::Normal;
  uint64_t seed = 0;
  std::vector<std::pair<std::string, Placement>> placements;
};
std::optional<TensorPlan> planTensors(Console &console,
                                      const TensorFlags &flags,
                                      llvm::ArrayRef<std::string> inputs);

/// Values on the host, memory on the device.
struct TensorSet {
  std::vector<int64_t> sizes;               ///< parallel to the signature's
  std::vector<std::vector<int64_t>> shapes; ///< of every parameter
  std::vector<rt::HostArray> inputs;
  /// Inputs, then outputs; one in an input's place shares its memory, one that
  /// may be apart from it does not.
  std::vector<PlacedTensor> placed;
  bool isAliased = false; ///< those that may be apart share it too

  /// From now on they do; false where there are none.
  bool alias(const artifact::Signature &signature);

  /// Makes the memory what it was before the first run: poisons outputs, gives
  /// inputs that are written in place their values back.
  Status restore(rt::Device &device, const artifact::Signature &signature);
  /// Views of `placed`.
  std::vector<rt::Tensor> params() const;
};

/// Reads the files, solves the sizes from them and from `sizes`, draws what is
/// missing, and places everything on the device. Reports what is wrong.
std::optional<TensorSet> makeTensors(Console &console, rt::Device &device,
                                     const artifact::Signature &signature,
                                     const TensorPlan &plan,
                                     const Sizes &sizes);

} // namespace girih::cli

#endif // GIRIH_TOOLS_GIRIH_TENSORSET_H
