//===- View.cpp - dimensions of an argument -------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/artifact/View.h"

#include <algorithm>

namespace girih::artifact {

std::vector<OuterDim> outerDims(const TensorParam &param) {
  std::vector<OuterDim> dims;
  unsigned first = 0;
  while (first < param.shape.size()) {
    // A picture of groups that fit no shape is still drawn.
    unsigned left = unsigned(param.shape.size()) - first;
    unsigned count =
        dims.size() < param.groups.size() ? param.groups[dims.size()] : 1;
    count = std::min(std::max(count, 1u), left);
    dims.push_back({first, count, param.leading && first == 0});
    first += count;
  }
  return dims;
}

std::string print(const OuterDim &dim, const TensorParam &param,
                  const std::vector<std::string> &sizeNames) {
  if (dim.count == 1)
    return (dim.leading ? ".." : "") + print(param.shape[dim.first], sizeNames);
  std::string text;
  for (unsigned member = 0; member < dim.count; ++member)
    text += (member ? ", " : "(") +
            print(param.shape[dim.first + member], sizeNames);
  return text + ")";
}

std::vector<unsigned> outerLayout(const TensorParam &param) {
  std::vector<unsigned> layout;
  std::vector<OuterDim> dims = outerDims(param);
  for (unsigned inner : param.layout)
    for (unsigned outer = 0; outer < dims.size(); ++outer)
      if (inner == dims[outer].first)
        layout.push_back(outer);
  return layout;
}

std::string printPromises(const TensorParam &param,
                          const std::vector<std::string> &sizeNames) {
  std::string text;
  if (!param.layout.empty()) {
    std::vector<OuterDim> dims = outerDims(param);
    const char *before = " layout(";
    for (unsigned outer : outerLayout(param)) {
      text += before + print(dims[outer], param, sizeNames);
      before = ", ";
    }
    text += ")";
  }
  if (param.align != 0)
    text += " align " + std::to_string(param.align);
  return text;
}

} // namespace girih::artifact
