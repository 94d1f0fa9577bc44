//===- View.cpp - arguments as kernels index them -------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/View.h"

#include "compiler/artifact/View.h"
#include "runtime/SizeSolver.h"
#include "runtime/Text.h"

#include <algorithm>

using namespace girih;
using namespace girih::rt;
using artifact::OuterDim;
using artifact::Signature;
using artifact::TensorParam;

/// How many dimensions of an argument are its leading ones.
static size_t countLeading(const TensorParam &param, size_t rank) {
  return param.leading ? rank + 1 - artifact::outerDims(param).size() : 0;
}

/// Products and strides of tensors without elements may exceed 64 bits, where
/// nothing reads them.
static int64_t multiplied(int64_t a, int64_t b) {
  return int64_t(uint64_t(a) * uint64_t(b));
}

std::vector<int64_t> rt::mergedShape(const TensorParam &param,
                                     const std::vector<int64_t> &shape) {
  if (!param.leading)
    return shape;
  size_t leading = countLeading(param, shape.size());
  std::vector<int64_t> merged = {1};
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (dim < leading)
      merged[0] = multiplied(merged[0], shape[dim]);
    else
      merged.push_back(shape[dim]);
  return merged;
}

Result<LeadingDims> rt::leadingDims(const Signature &signature,
                                    const std::vector<Tensor> &params) {
  LeadingDims found(signature.sizes.size());
  std::vector<std::string> seenIn(signature.sizes.size());
  for (size_t index = 0; index < params.size(); ++index) {
    const TensorParam &param = signature.params[index];
    if (!param.leading)
      continue;
    unsigned size = param.shape[0].size;
    const std::vector<int64_t> &shape = params[index].shape;
    auto end = shape.begin() + long(countLeading(param, shape.size()));
    std::vector<int64_t> dims(shape.begin(), end);
    if (found[size] && *found[size] != dims)
      return Failure{"the leading dimensions '.." + signature.sizes[size] +
                     "' are " + printShape(*found[size]) + " in " +
                     seenIn[size] + " but " + printShape(dims) + " in " +
                     param.name};
    found[size] = std::move(dims);
    seenIn[size] = param.name;
  }
  return found;
}

/// The one stride of leading dimensions; nothing where there is none.
static std::optional<int64_t> mergedStride(const Tensor &tensor,
                                           size_t leading) {
  for (size_t dim = 0; dim < leading; ++dim)
    if (tensor.shape[dim] == 0)
      return 0;
  std::optional<int64_t> stride;
  int64_t count = 1;
  for (size_t dim = leading; dim-- > 0;) {
    if (tensor.shape[dim] == 1)
      continue;
    if (stride && tensor.strides[dim] != multiplied(*stride, count))
      return std::nullopt;
    if (!stride)
      stride = tensor.strides[dim];
    count = multiplied(count, tensor.shape[dim]);
  }
  return stride.value_or(0);
}

Result<Tensor> rt::indexedView(const Signature &signature,
                               const TensorParam &param, const Tensor &tensor,
                               const std::vector<int64_t> &sizes) {
  if (!param.isView())
    return tensor;
  Tensor view;
  view.data = tensor.data;
  view.type = tensor.type;
  size_t leading = countLeading(param, tensor.shape.size());
  std::vector<int64_t> shape = mergedShape(param, tensor.shape);
  std::vector<OuterDim> dims = artifact::outerDims(param);
  for (size_t outer = 0; outer < dims.size(); ++outer) {
    int64_t stride = 0;
    if (dims[outer].leading) {
      std::optional<int64_t> merged = mergedStride(tensor, leading);
      if (!merged)
        return Failure{param.name + "'s leading dimensions have the shape " +
                       printShape({tensor.shape.begin(),
                                   tensor.shape.begin() + long(leading)}) +
                       " and the strides " +
                       printShape({tensor.strides.begin(),
                                   tensor.strides.begin() + long(leading)}) +
                       ", which no single stride walks, and '" + signature.op +
                       "' takes them as one ('.." +
                       signature.sizes[param.shape[0].size] +
                       "'): make it contiguous (x.contiguous(), "
                       "numpy.ascontiguousarray(x))"};
      stride = *merged;
    } else {
      stride = tensor.strides[outer + tensor.shape.size() - dims.size()];
    }
    view.shape.resize(view.shape.size() + dims[outer].count);
    view.strides.resize(view.shape.size());
    for (unsigned member = dims[outer].count; member-- > 0;) {
      unsigned inner = dims[outer].first + member;
      int64_t extent = shape[outer];
      if (dims[outer].count > 1) {
        Result<int64_t> value = artifact::evaluate(param.shape[inner], sizes);
        if (!value)
          return Failure{value.message()};
        extent = *value;
      }
      view.shape[inner] = extent;
      view.strides[inner] = stride;
      stride = multiplied(stride, extent);
    }
  }
  return view;
}

std::vector<int64_t> rt::promisedStrides(const TensorParam &param,
                                         const std::vector<int64_t> &shape) {
  if (param.layout.empty())
    return denseStrides(shape);
  size_t leading = countLeading(param, shape.size());
  std::vector<unsigned> layout = artifact::outerLayout(param);
  // The dimensions of the argument from the fastest to the slowest.
  std::vector<size_t> order;
  for (size_t at = layout.size(); at-- > 0;) {
    if (param.leading && layout[at] == 0)
      for (size_t dim = leading; dim-- > 0;)
        order.push_back(dim);
    else
      order.push_back(layout[at] + (param.leading ? leading - 1 : 0));
  }
  std::vector<int64_t> strides(shape.size());
  int64_t next = 1;
  for (size_t dim : order) {
    strides[dim] = next;
    next = multiplied(next, std::max<int64_t>(shape[dim], 1));
  }
  return strides;
}

/// Strides of dimensions with one element at most say nothing.
static bool agree(const std::vector<int64_t> &shape,
                  const std::vector<int64_t> &strides,
                  const std::vector<int64_t> &wanted) {
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] == 0)
      return true;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] != 1 && strides[dim] != wanted[dim])
      return false;
  return true;
}

static Status checkPromises(const Signature &signature,
                            const TensorParam &param, const Tensor &tensor) {
  std::string promise = artifact::printPromises(param, signature.sizes);
  if (!param.layout.empty()) {
    std::vector<int64_t> wanted = promisedStrides(param, tensor.shape);
    if (!agree(tensor.shape, tensor.strides, wanted))
      return Failure{param.name + " has the strides " +
                     printShape(tensor.strides) + ", but '" + signature.op +
                     "' is promised" + promise + ", which makes them " +
                     printShape(wanted) + " for the shape " +
                     printShape(tensor.shape)};
  }
  uint64_t address = reinterpret_cast<uintptr_t>(tensor.data);
  if (param.align != 0 && address % uint64_t(param.align) != 0)
    return Failure{param.name + "'s address " + hex(address) +
                   " is not a multiple of " + std::to_string(param.align) +
                   " bytes, but '" + signature.op + "' is promised" + promise};
  return {};
}

Result<BoundTensors> rt::bindTensors(const Signature &signature,
                                     const std::vector<Tensor> &params) {
  if (Status status = checkTensors(signature, params); !status)
    return Failure{status.message()};
  Result<std::vector<int64_t>> sizes = solveSizes(signature, params);
  if (!sizes)
    return Failure{sizes.message()};
  BoundTensors bound;
  bound.sizes = std::move(*sizes);
  for (size_t index = 0; index < params.size(); ++index) {
    const TensorParam &param = signature.params[index];
    Result<Tensor> view =
        indexedView(signature, param, params[index], bound.sizes);
    if (!view)
      return Failure{view.message()};
    if (Status status = checkPromises(signature, param, params[index]); !status)
      return Failure{status.message()};
    bound.views.push_back(std::move(*view));
  }
  return bound;
}
