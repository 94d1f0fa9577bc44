//===- Placement.h - tensors in plain and awkward memory --------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TOOLS_GIRIH_PLACEMENT_H
#define GIRIH_TOOLS_GIRIH_PLACEMENT_H

#include "runtime/Device.h"
#include "runtime/HostArray.h"

#include <memory>

namespace girih::cli {

/// How a tensor lies in device memory.
enum class Placement {
  Plain,     ///< without gaps, aligned
  Padded,    ///< a gap after each row, and no alignment
  Transposed ///< the first dimension runs fastest
};

/// `padded` or `transposed`
Result<Placement> parsePlacement(std::string_view name);

/// A tensor on a device and its memory, which copies of it share. Gaps hold
/// rt::kPoisonByte. Where `param` is given, plain memory keeps what it
/// promises, and awkward memory leaves its leading dimensions one.
class PlacedTensor {
public:
  /// Copies an array to the device.
  static Result<PlacedTensor>
  upload(rt::Device &device, const rt::HostArray &array, Placement placement,
         const artifact::TensorParam *param = nullptr);
  /// Poisoned memory for an output.
  static Result<PlacedTensor>
  allocate(rt::Device &device, artifact::ScalarType type,
           std::vector<int64_t> shape, Placement placement,
           const artifact::TensorParam *param = nullptr);

  const rt::Tensor &tensor() const { return view; }
  /// Copies an array of its type and shape to its memory, gaps included.
  Status write(rt::Device &device, const rt::HostArray &array);
  /// Fills all of an output's memory anew.
  Status poison(rt::Device &device);
  /// The values, row-major. Refuses memory whose gaps were written to.
  Result<rt::HostArray> download(rt::Device &device) const;

private:
  Status poisonGaps(rt::Device &device);
  static Result<PlacedTensor> place(rt::Device &device,
                                    artifact::ScalarType type,
                                    std::vector<int64_t> shape,
                                    Placement placement,
                                    const artifact::TensorParam *param);
  std::shared_ptr<rt::Buffer> storage;
  rt::Tensor view;
  int64_t offset = 0; ///< of the first element, in elements
};

} // namespace girih::cli

#endif // GIRIH_TOOLS_GIRIH_PLACEMENT_H
