//===- KernelCost.cpp - what a kernel takes and moves ---------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/cost/KernelCost.h"

#include <algorithm>
#include <optional>

using namespace girih;
using namespace girih::cost;

int64_t Buffer::bytes() const {
  int64_t elements = 1;
  for (size_t d = 0; d < extents.size(); ++d)
    elements *= extents[d] + (d + 1 == extents.size() ? rowPadding : 0);
  if (!padsLastRow)
    elements -= rowPadding;
  int64_t one = elements * elementBytes;
  return (one + unit - 1) / unit * unit * slots;
}

int64_t KernelCost::sharedBytes() const {
  int64_t bytes = 0;
  for (const Buffer &buffer : buffers)
    if (buffer.isShared)
      bytes += buffer.bytes();
  return bytes;
}

int64_t KernelCost::localBytes() const {
  int64_t bytes = 0;
  for (const Buffer &buffer : buffers)
    bytes += buffer.bytes();
  return bytes;
}

/// Sums one figure over the tensors, or over the kernels.
template <class List, class Figure>
static double sum(const List &list, Figure figure) {
  double result = 0;
  for (const auto &entry : list)
    result += figure(entry);
  return result;
}

double KernelCost::readBytes() const {
  return sum(traffic, [](const TensorTraffic &t) { return t.readBytes; });
}
double KernelCost::requestedBytes() const {
  return sum(traffic, [](const TensorTraffic &t) { return t.requestedBytes; });
}
double KernelCost::writtenBytes() const {
  return sum(traffic, [](const TensorTraffic &t) { return t.writtenBytes; });
}

bool KernelCost::isExact() const {
  return std::all_of(traffic.begin(), traffic.end(),
                     [](const TensorTraffic &t) { return t.isExact; });
}

const TensorTraffic *KernelCost::find(const std::string &tensor) const {
  for (const TensorTraffic &entry : traffic)
    if (entry.tensor == tensor)
      return &entry;
  return nullptr;
}

double Plan::readBytes() const {
  return sum(kernels, [](const KernelCost &k) { return k.readBytes(); });
}
double Plan::writtenBytes() const {
  return sum(kernels, [](const KernelCost &k) { return k.writtenBytes(); });
}
double Plan::flops() const {
  return sum(kernels, [](const KernelCost &k) { return k.flops(); });
}
double Plan::launches() const {
  return sum(kernels, [](const KernelCost &k) { return k.launches; });
}

double girih::cost::peakLiveBytes(const Plan &plan) {
  double peak = 0;
  for (size_t now = 0; now < plan.kernels.size(); ++now) {
    double live = 0;
    for (const Plan::Tensor &tensor : plan.tensors) {
      std::optional<size_t> first, last;
      for (size_t k = 0; k < plan.kernels.size(); ++k)
        if (plan.kernels[k].find(tensor.name)) {
          if (!first)
            first = k;
          last = k;
        }
      if (!first)
        continue;
      if (tensor.role == Plan::Tensor::Role::Input)
        first = 0;
      if (tensor.role == Plan::Tensor::Role::Output)
        last = plan.kernels.size();
      if (*first <= now && now <= *last)
        live += tensor.bytes;
    }
    peak = std::max(peak, live);
  }
  return peak;
}

unsigned girih::cost::warpsOf(const KernelCost &kernel,
                              const target::GpuTarget &target) {
  return (kernel.threads + target.warpSize - 1) / target.warpSize;
}

target::Occupancy girih::cost::residency(const KernelCost &kernel,
                                         const target::GpuTarget &target) {
  return target::occupancy(target, kernel.threads, kernel.registers,
                           unsigned(kernel.sharedBytes()));
}

double girih::cost::occupancyOf(const KernelCost &kernel,
                                const target::GpuTarget &target) {
  double most = target.maxThreadsPerMultiprocessor / target.warpSize;
  return residency(kernel, target).resident * warpsOf(kernel, target) / most;
}
