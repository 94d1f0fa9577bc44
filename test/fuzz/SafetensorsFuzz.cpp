//===- SafetensorsFuzz.cpp - any bytes as a safetensors file --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Safetensors.h"

#include <cstdlib>
#include <cstring>

using namespace girih;

/// The bytes are refused with a message, or the tensor that was read is written
/// and read again as the same values. The first eight bytes are tried as they
/// stand and as the length of what follows up to the last '}', which mutations
/// would rarely keep right.
static void feed(std::string_view bytes) {
  rt::SafetensorsWish wish;
  wish.otherwise = "x";
  Result<rt::HostArray> array = rt::parseSafetensors(bytes, "f", wish);
  if (!array) {
    if (array.message().empty())
      std::abort();
    return;
  }
  Result<std::string> written =
      rt::formatSafetensors({{"x", &*array}, {"\n\"", &*array}});
  if (!written)
    std::abort();
  Result<rt::HostArray> again = rt::parseSafetensors(*written, "g", wish);
  if (!again || again->type() != array->type() ||
      again->shape() != array->shape() ||
      rt::rowMajorBytes(*again) != rt::rowMajorBytes(*array))
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string bytes(reinterpret_cast<const char *>(data), size);
  feed(bytes);
  size_t last = bytes.rfind('}');
  if (last == std::string::npos || last < 8)
    return 0;
  uint64_t length = last + 1 - 8;
  std::memcpy(bytes.data(), &length, 8);
  feed(bytes);
  return 0;
}
