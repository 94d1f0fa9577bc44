//===- Device.h - run a form's tiles -------------------------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_GPU_MMA_SILICON_DEVICE_H
#define GIRIH_TEST_GPU_MMA_SILICON_DEVICE_H

#include "runtime/CudaContext.h"
#include "test/gpu/mma_silicon/Tiles.h"

namespace girih::silicon {

/// A kernel `tiles` whose parameters are the addresses of the inputs and of the
/// output, in order.
struct Launch {
  std::string ptx;
  unsigned blocks = 1, threads = 32;
  std::vector<const std::vector<uint8_t> *> inputs;
  size_t outputBytes = 0;
};
/// D of all tiles of a form, or what matrix moves give.
Launch launchOf(const Form &form, const Tiles &tiles);

Result<std::vector<uint8_t>> runOnGpu(const rt::cuda::Context &context,
                                      const Launch &launch);
/// The same kernel by the simulator; not wgmma.
Result<std::vector<uint8_t>> runOnSimulator(const Launch &launch);

} // namespace girih::silicon

#endif // GIRIH_TEST_GPU_MMA_SILICON_DEVICE_H
