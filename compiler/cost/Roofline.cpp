//===- Roofline.cpp - what bounds a plan, and from below ------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/cost/Roofline.h"

#include <algorithm>
#include <cmath>

using namespace girih;
using namespace girih::cost;

double girih::cost::ridgePoint(double flopsPerSecond, double bytesPerSecond) {
  return flopsPerSecond / bytesPerSecond;
}

double girih::cost::ridgePoint(const target::GpuTarget &target,
                               target::MatrixType type) {
  const target::MatrixRate *rate = target.matrixOf(type);
  return ridgePoint(rate ? rate->flops : target.fp32Flops,
                    target.dramBandwidth);
}

double Roofline::cap() const {
  return ridge > 0 ? std::min(1.0, intensity / ridge) : 1;
}

Roofline girih::cost::rooflineOf(double flops, double bytes,
                                 double flopsPerSecond, double bytesPerSecond) {
  Roofline result;
  result.intensity = bytes > 0 ? flops / bytes : 0;
  result.ridge = ridgePoint(flopsPerSecond, bytesPerSecond);
  return result;
}

double LowerBound::bytes() const { return std::max(compulsory, atCapacity); }

double girih::cost::localCapacity(const target::GpuTarget &target) {
  double one = double(target.registersPerMultiprocessor) * 4 +
               double(target.sharedBytesPerMultiprocessor);
  return one * target.multiprocessors;
}

double girih::cost::productReads(double m, double n, double k,
                                 double elements) {
  return elements > 0 ? 2 * m * n * k / std::sqrt(elements) : 0;
}

LowerBound girih::cost::lowerBound(const Plan &plan,
                                   const std::vector<Product> &products,
                                   const target::GpuTarget &target) {
  LowerBound bound;
  double results = 0;
  for (const Plan::Tensor &tensor : plan.tensors) {
    if (tensor.role == Plan::Tensor::Role::Temporary)
      continue;
    double read = 0, written = 0;
    for (const KernelCost &kernel : plan.kernels)
      if (const TensorTraffic *entry = kernel.find(tensor.name)) {
        read = std::max(read, entry->readFootprint);
        written = std::max(written, entry->writtenFootprint);
      }
    bool isInput = tensor.role == Plan::Tensor::Role::Input;
    // A result that the plan reads again need not be read.
    bound.compulsory += (isInput ? read : 0) + written;
    results += written;
  }
  for (const Product &product : products)
    bound.atCapacity +=
        product.operandBytes *
        productReads(product.m, product.n, product.k,
                     localCapacity(target) / product.operandBytes);
  if (bound.atCapacity > 0)
    bound.atCapacity += results;
  return bound;
}
