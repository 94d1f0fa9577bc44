//===- StridedCopy.cpp - copies between strided tensors -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/StridedCopy.h"

#include "compiler/reference/Parallel.h"

#include <algorithm>
#include <cstdlib>

using namespace girih;
using namespace girih::reference;

namespace {

/// The two dimensions walked inside a block: the one where writes are closest
/// together, and the one where reads are.
struct InnerDims {
  int write = -1, read = -1;
};

InnerDims chooseInner(const StridedView &to, const StridedView &from,
                      const std::vector<int64_t> &shape) {
  InnerDims inner;
  auto closest = [&](const std::vector<int64_t> &strides, int other) {
    int best = -1;
    for (int d = static_cast<int>(shape.size()) - 1; d >= 0; --d)
      if (d != other && shape[d] > 1 &&
          (best < 0 || std::abs(strides[d]) < std::abs(strides[best])))
        best = d;
    return best;
  };
  inner.write = closest(to.strides, -1);
  inner.read = closest(from.strides, -1);
  if (inner.read == inner.write)
    inner.read = closest(from.strides, inner.write);
  return inner;
}

constexpr int64_t kBlock = 32;

template <typename T>
void copyElements(const StridedView &to, const StridedView &from,
                  const std::vector<int64_t> &shape, unsigned threads) {
  InnerDims inner = chooseInner(to, from, shape);
  auto extentOf = [&](int d) { return d < 0 ? int64_t(1) : shape[d]; };
  auto strideOf = [](const StridedView &view, int d) {
    return d < 0 ? int64_t(0) : view.strides[d];
  };
  int64_t reads = extentOf(inner.read), writes = extentOf(inner.write);
  int64_t toRead = strideOf(to, inner.read),
          toWrite = strideOf(to, inner.write);
  int64_t fromRead = strideOf(from, inner.read);
  int64_t fromWrite = strideOf(from, inner.write);
  int64_t blocks = (reads + kBlock - 1) / kBlock;
  int64_t outer = 1;
  for (int d = 0; d < static_cast<int>(shape.size()); ++d)
    if (d != inner.read && d != inner.write)
      outer *= shape[d];
  auto run = [&](unsigned, int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      int64_t rest = item / blocks;
      T *target = reinterpret_cast<T *>(to.data);
      const T *source = reinterpret_cast<const T *>(from.data);
      for (int d = static_cast<int>(shape.size()) - 1; d >= 0; --d) {
        if (d == inner.read || d == inner.write)
          continue;
        target += rest % shape[d] * to.strides[d];
        source += rest % shape[d] * from.strides[d];
        rest /= shape[d];
      }
      int64_t first = item % blocks * kBlock;
      int64_t last = std::min(first + kBlock, reads);
      // Through a small square: reads run along the lines they lie in, writes
      // along theirs, and rows a power of two apart do not evict one another.
      T square[kBlock][kBlock];
      for (int64_t w0 = 0; w0 < writes; w0 += kBlock) {
        int64_t w1 = std::min(w0 + kBlock, writes);
        for (int64_t w = w0; w < w1; ++w)
          for (int64_t r = first; r < last; ++r)
            square[r - first][w - w0] = source[r * fromRead + w * fromWrite];
        for (int64_t r = first; r < last; ++r)
          for (int64_t w = w0; w < w1; ++w)
            target[r * toRead + w * toWrite] = square[r - first][w - w0];
      }
    }
  };
  if (outer * reads * writes < (int64_t(1) << 16))
    threads = 1; // not worth starting any
  parallelFor(outer * blocks, threads, run);
}

} // namespace

void reference::stridedCopy(const StridedView &to, const StridedView &from,
                            const std::vector<int64_t> &shape,
                            unsigned elementBytes, unsigned threads) {
  for (int64_t extent : shape)
    if (extent == 0)
      return;
  switch (elementBytes) {
  case 1:
    return copyElements<uint8_t>(to, from, shape, threads);
  case 2:
    return copyElements<uint16_t>(to, from, shape, threads);
  case 4:
    return copyElements<uint32_t>(to, from, shape, threads);
  default:
    return copyElements<uint64_t>(to, from, shape, threads);
  }
}

std::vector<int64_t> reference::packedStrides(const std::vector<int64_t> &shape,
                                              int innermost) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  auto place = [&](int d) {
    strides[d] = stride;
    stride *= std::max<int64_t>(shape[d], 1);
  };
  if (innermost >= 0)
    place(innermost);
  for (int d = static_cast<int>(shape.size()) - 1; d >= 0; --d)
    if (d != innermost)
      place(d);
  return strides;
}
