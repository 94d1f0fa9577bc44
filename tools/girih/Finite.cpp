//===- Finite.cpp - inputs without infinities and NaN ---------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/Finite.h"

#include <cmath>

using namespace girih;
using namespace girih::cli;

Status cli::checkFinite(const artifact::Signature &signature,
                        const artifact::TensorParam &param,
                        const rt::HostArray &array) {
  for (int64_t at = 0; param.finite && at < array.elements(); ++at) {
    double value = rt::loadElement(array.tensor(), at);
    if (std::isfinite(value))
      continue;
    std::string place = array.shape().empty()
                            ? ""
                            : rt::printShape(rt::unflatten(array.shape(), at));
    return Failure{param.name + place + " is " +
                   (std::isnan(value) ? "nan"
                    : value > 0       ? "inf"
                                      : "-inf") +
                   ", but '" + signature.op + "' assumes finite(" + param.name +
                   ")"};
  }
  return {};
}

void cli::makeFinite(const artifact::TensorParam &param, rt::HostArray &array) {
  // Drawn arrays are row-major: the flat index is the place in memory.
  for (int64_t at = 0; param.finite && at < array.elements(); ++at)
    if (!std::isfinite(rt::loadElement(array.tensor(), at)))
      rt::storeElement(array.data(), param.type, at, 1);
}
