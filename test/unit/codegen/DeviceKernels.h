//===- DeviceKernels.h - elementwise kernels on a real GPU ------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_CODEGEN_DEVICEKERNELS_H
#define GIRIH_TEST_UNIT_CODEGEN_DEVICEKERNELS_H

#include "compiler/artifact/Result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace girih::codegen::test {

/// A kernel `name` that reads %a, %b, %c of `type` from three arrays at its
/// thread's index, and stores %r of `result` that `body` defines.
std::string elementwiseKernel(const std::string &name, const std::string &type,
                              const std::string &body,
                              const std::string &result);

/// The first GPU with a module loaded on it.
class DeviceKernels {
public:
  /// Fails, with the reason, where there is no GPU.
  static Result<std::unique_ptr<DeviceKernels>> open();
  ~DeviceKernels();

  /// 90 for compute capability 9.0.
  int capability() const;
  Status load(const std::string &ptx);
  /// Runs `name` over arrays of elements of `bytes`, as raw bits in the low
  /// bits of each word; the results likewise. Sizes are multiples of 256.
  Result<std::vector<uint64_t>>
  run(const std::string &name, const std::vector<uint64_t> *const inputs[3],
      unsigned bytes, unsigned resultBytes);

private:
  struct State;
  explicit DeviceKernels(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace girih::codegen::test

#endif // GIRIH_TEST_UNIT_CODEGEN_DEVICEKERNELS_H
