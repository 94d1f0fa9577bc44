//===- Plan.h - an artifact bound to tensors --------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same for every device: which variant runs, with how many blocks, on
// which argument words. Everything that a person can get wrong is refused
// here, before a device is touched.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_PLAN_H
#define GIRIH_RUNTIME_PLAN_H

#include "runtime/SizeSolver.h"

#include <functional>

namespace girih::rt {

constexpr int64_t kMaxGridBlocks = 2147483647; ///< x dimension, every GPU

/// One launch of the chosen variant.
struct BoundLaunch {
  struct WorkspaceUse {
    unsigned argument; ///< position in `arguments`
    unsigned buffer;   ///< index into the variant's workspace
  };
  unsigned launch = 0;             ///< index into Variant::launches
  uint32_t grid = 0;               ///< blocks, at least 1
  std::vector<uint64_t> arguments; ///< pointers, strides, sizes, turns
  std::vector<WorkspaceUse> workspaceUses;
  struct TurnUse {
    unsigned argument; ///< position in `arguments`
    unsigned loop;     ///< index into BoundPlan::loops
  };
  std::vector<TurnUse> turnUses;
};

/// Launches [begin, end) of a BoundPlan, `count` times over.
struct BoundLoop {
  unsigned begin = 0, end = 0; ///< equal where no launch is left
  int64_t count = 0;
};

/// Bytes that are copied before the launches, from an input to the output that
/// is in its place and has a memory of its own.
struct BoundCopy {
  void *to = nullptr;
  const void *from = nullptr;
  uint64_t bytes = 0;
};

struct BoundPlan {
  unsigned variant = 0; ///< index into Artifact::variants
  std::vector<int64_t> sizes;
  /// All workspace buffers share one block of `workspaceBytes`; each starts at
  /// its offset, a multiple of 256.
  std::vector<uint64_t> workspaceOffsets;
  uint64_t workspaceBytes = 0;
  std::vector<BoundCopy> copies;
  /// In order; launches without blocks are left out.
  std::vector<BoundLaunch> launches;

  /// One inside the other or apart, an outer one first.
  std::vector<BoundLoop> loops;

  /// Calls `launch` for every launch in order, the loops' turns filled in;
  /// stops at the first failure.
  Status forEachLaunch(const std::function<Status(BoundLaunch &)> &launch);
  /// How many launches that makes.
  double launchCount() const;

  /// Fills in the workspace arguments for a block at `base`, which must be
  /// aligned to 256 bytes.
  void attachWorkspace(uint64_t base);
};

/// Checks that outputs have distinct elements and share no memory with other
/// parameters, but for those that are or may be in an input's place. Expects
/// all parameters.
Status checkMemory(const artifact::Signature &signature,
                   const std::vector<Tensor> &params);

/// Checks the tensors (all parameters, inputs then outputs), solves the sizes,
/// chooses the first variant whose guards hold and evaluates its launches.
Result<BoundPlan> bindPlan(const artifact::Artifact &artifact,
                           const std::vector<Tensor> &params);

/// The sentence that tells which guard of a variant fails first, such as
/// `X's stride of dimension 1 is 2, not 1`; empty if all hold. Takes the views
/// of bindTensors.
std::string firstFailingGuard(const artifact::Artifact &artifact,
                              const artifact::Variant &variant,
                              const std::vector<Tensor> &params,
                              const std::vector<int64_t> &sizes);

/// What happens to one variant, for people.
struct VariantExplanation {
  std::string variant;
  bool chosen = false;
  std::string reason; ///< the guard that failed, or why it is (not) chosen
};
Result<std::vector<VariantExplanation>>
explainVariants(const artifact::Artifact &artifact,
                const std::vector<Tensor> &params);

} // namespace girih::rt

#endif // GIRIH_RUNTIME_PLAN_H
