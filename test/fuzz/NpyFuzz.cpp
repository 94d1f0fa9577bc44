//===- NpyFuzz.cpp - any bytes as a .npy file -----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Npy.h"

#include <cstdlib>

using namespace girih;

/// The bytes are refused with a message, or what was read is written and read
/// again as the same values.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  for (auto expected : {std::optional<artifact::ScalarType>(),
                        std::optional(artifact::ScalarType::BF16),
                        std::optional(artifact::ScalarType::F8E5M2)}) {
    Result<rt::HostArray> array = rt::parseNpy(bytes, "f", expected);
    if (!array) {
      if (array.message().empty())
        std::abort();
      continue;
    }
    std::string written = rt::formatNpy(*array);
    Result<rt::HostArray> again = rt::parseNpy(written, "g", array->type());
    if (!again || again->shape() != array->shape() ||
        rt::rowMajorBytes(*again) != rt::rowMajorBytes(*array))
      std::abort();
  }
  return 0;
}
