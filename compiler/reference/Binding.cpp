//===- Binding.cpp - sizes and checks of a run's tensors ------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Binding.h"

#include "compiler/artifact/SizeSum.h"

#include <algorithm>
#include <cstdlib>

using namespace girih;
using namespace girih::reference;
using artifact::Signature;
using artifact::SizeExpr;

static std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t d = 0; d < shape.size(); ++d)
    text += (d ? ", " : "") + std::to_string(shape[d]);
  return text + "]";
}

static Status checkParam(const artifact::TensorParam &param,
                         const HostTensor &tensor) {
  if (tensor.type != param.type)
    return Failure{param.name + " is " +
                   std::string(artifact::nameOf(tensor.type)) +
                   " but must be " + std::string(artifact::nameOf(param.type))};
  if (tensor.shape.size() != param.shape.size())
    return Failure{param.name + " has shape " + shapeText(tensor.shape) +
                   " but must have " + std::to_string(param.shape.size()) +
                   " dimensions"};
  if (tensor.strides.size() != tensor.shape.size())
    return Failure{param.name + " has " +
                   std::to_string(tensor.strides.size()) + " strides for " +
                   std::to_string(tensor.shape.size()) + " dimensions"};
  int64_t elements = 1;
  for (int64_t extent : tensor.shape) {
    if (extent < 0)
      return Failure{param.name + " has shape " + shapeText(tensor.shape) +
                     " with a negative extent"};
    if (__builtin_mul_overflow(elements, extent, &elements))
      return Failure{param.name + " has more than 2^63 elements"};
  }
  if (elements != 0 && !tensor.data)
    return Failure{param.name + " has no data"};
  return {};
}

static Status checkConstraint(const Signature &signature,
                              const artifact::SizeConstraint &constraint,
                              int64_t value) {
  using Kind = artifact::SizeConstraint::Kind;
  std::string bound = std::to_string(constraint.value);
  const char *must = nullptr;
  switch (constraint.kind) {
  case Kind::Divisible:
    must = value % constraint.value ? "divisible by " : nullptr;
    break;
  case Kind::AtMost:
    must = value > constraint.value ? "at most " : nullptr;
    break;
  case Kind::AtLeast:
    must = value < constraint.value ? "at least " : nullptr;
    break;
  case Kind::Equal:
    must = value != constraint.value ? "equal to " : nullptr;
    break;
  }
  if (!must)
    return {};
  return Failure{signature.sizes[constraint.size] + " = " +
                 std::to_string(value) + " but must be " + must + bound};
}

/// Sizes that only sums show, such as N in X: f32[N + 2], one after the other;
/// given ones are known from the start.
static Status solveSums(const Signature &signature,
                        const std::vector<HostTensor> &params,
                        std::vector<int64_t> &sizes,
                        std::vector<std::string> &from) {
  for (bool progress = true; progress;) {
    progress = false;
    for (size_t p = 0; p < params.size(); ++p) {
      const artifact::TensorParam &param = signature.params[p];
      for (size_t d = 0; d < param.shape.size(); ++d) {
        std::vector<int64_t> known = sizes;
        for (size_t s = 0; s < known.size(); ++s)
          if (known[s] < 0)
            known[s] = signature.given[s];
        auto solved =
            artifact::solveFor(param.shape[d], params[p].shape[d], known);
        if (!solved)
          return Failure{param.name + " has shape " +
                         shapeText(params[p].shape) + " but extent " +
                         std::to_string(d) + " must be " +
                         artifact::print(param.shape[d], signature.sizes) +
                         ": " + solved.message()};
        if (!*solved)
          continue;
        sizes[(*solved)->size] = (*solved)->value;
        from[(*solved)->size] = param.name;
        progress = true;
      }
    }
    for (const artifact::DerivedSize &derived : signature.derived) {
      std::vector<int64_t> known = sizes;
      for (size_t s = 0; s < known.size(); ++s)
        if (known[s] < 0)
          known[s] = signature.given[s];
      Result<std::optional<int64_t>> value = artifact::evaluate(derived, known);
      std::string text = signature.sizes[derived.size] + ", which is " +
                         artifact::print(derived, signature.sizes);
      if (!value)
        return Failure{text + ", cannot be computed: " + value.message()};
      if (!*value)
        continue;
      if (**value < 0)
        return Failure{text + ", would be " + std::to_string(**value)};
      int64_t &size = sizes[derived.size];
      if (size >= 0 && size != **value)
        return Failure{text + ", is " + std::to_string(**value) + " but " +
                       std::to_string(size) + " by " + from[derived.size]};
      if (size < 0) {
        size = **value;
        from[derived.size] = artifact::print(derived, signature.sizes);
        progress = true;
      }
    }
  }
  return {};
}

/// Extents that are sums have the value that the sizes give.
static Status checkSums(const Signature &signature,
                        const std::vector<HostTensor> &params,
                        const std::vector<int64_t> &sizes) {
  for (size_t p = 0; p < params.size(); ++p) {
    const artifact::TensorParam &param = signature.params[p];
    for (size_t d = 0; d < param.shape.size(); ++d) {
      Result<int64_t> extent = artifact::evaluate(param.shape[d], sizes);
      std::string what = artifact::print(param.shape[d], signature.sizes);
      if (!extent)
        return Failure{param.name + " has the extent " + what +
                       ", which cannot be computed: " + extent.message()};
      if (*extent != params[p].shape[d])
        return Failure{param.name + " has shape " + shapeText(params[p].shape) +
                       " but extent " + std::to_string(d) + " is " + what +
                       ", which is " + std::to_string(*extent)};
    }
  }
  return {};
}

Result<std::vector<int64_t>>
reference::bindSizes(const Signature &signature,
                     const std::vector<HostTensor> &params) {
  if (params.size() != signature.params.size())
    return Failure{signature.op + " takes " +
                   std::to_string(signature.params.size()) + " tensors, not " +
                   std::to_string(params.size())};
  std::vector<int64_t> sizes(signature.sizes.size(), -1);
  std::vector<std::string> from(signature.sizes.size());
  // Inputs come first in a signature, so they decide before outputs do.
  for (size_t p = 0; p < params.size(); ++p) {
    const artifact::TensorParam &param = signature.params[p];
    if (Status status = checkParam(param, params[p]); !status)
      return Failure{status.message()};
    for (size_t d = 0; d < param.shape.size(); ++d) {
      const SizeExpr &extent = param.shape[d];
      int64_t found = params[p].shape[d];
      std::string where =
          param.name + " has shape " + shapeText(params[p].shape);
      if (extent.kind == SizeExpr::Kind::Constant) {
        if (found != extent.value)
          return Failure{where + " but extent " + std::to_string(d) +
                         " must be " + std::to_string(extent.value)};
        continue;
      }
      if (extent.kind != SizeExpr::Kind::Size)
        continue;
      int64_t &size = sizes[extent.size];
      if (size < 0) {
        size = found;
        from[extent.size] = param.name;
      } else if (size != found) {
        return Failure{where + " but extent " + std::to_string(d) + " is " +
                       signature.sizes[extent.size] + ", which is " +
                       std::to_string(size) + " by " + from[extent.size]};
      }
    }
  }
  if (Status status = solveSums(signature, params, sizes, from); !status)
    return Failure{status.message()};
  for (size_t s = 0; s < sizes.size(); ++s) {
    int64_t given = signature.given[s];
    if (sizes[s] < 0)
      sizes[s] = given;
    if (sizes[s] < 0)
      return Failure{"no tensor tells the size " + signature.sizes[s]};
    if (given >= 0 && sizes[s] != given)
      return Failure{signature.sizes[s] + " = " + std::to_string(sizes[s]) +
                     " by " + from[s] + " but was compiled for " +
                     std::to_string(given)};
  }
  if (Status status = checkSums(signature, params, sizes); !status)
    return Failure{status.message()};
  for (const artifact::SizeConstraint &constraint : signature.constraints)
    if (Status status =
            checkConstraint(signature, constraint, sizes[constraint.size]);
        !status)
      return Failure{status.message()};
  return sizes;
}

/// The bytes that a tensor may touch: [first, last).
static std::pair<uintptr_t, uintptr_t> bytesOf(const HostTensor &tensor) {
  auto base = reinterpret_cast<uintptr_t>(tensor.data);
  int64_t low = 0, high = 0;
  for (size_t d = 0; d < tensor.shape.size(); ++d) {
    if (tensor.shape[d] == 0)
      return {base, base};
    int64_t reach = (tensor.shape[d] - 1) * tensor.strides[d];
    (reach < 0 ? low : high) += reach;
  }
  int64_t bytes = artifact::bytesOf(tensor.type);
  return {base + low * bytes, base + (high + 1) * bytes};
}

bool reference::sharesMemory(const std::vector<HostTensor> &params,
                             size_t param) {
  auto [begin, end] = bytesOf(params[param]);
  for (size_t other = 0; other < params.size(); ++other) {
    auto [otherBegin, otherEnd] = bytesOf(params[other]);
    if (other != param && begin < otherEnd && otherBegin < end)
      return true;
  }
  return false;
}

bool reference::isInjective(const std::vector<int64_t> &shape,
                            const std::vector<int64_t> &strides) {
  // Sorted by stride, each dimension steps over everything within it.
  std::vector<std::pair<int64_t, int64_t>> dims;
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] > 1)
      dims.push_back({std::abs(strides[d]), shape[d]});
  std::sort(dims.begin(), dims.end());
  int64_t reach = 0;
  for (auto [stride, extent] : dims) {
    if (stride <= reach)
      return false;
    reach += stride * (extent - 1);
  }
  return true;
}
