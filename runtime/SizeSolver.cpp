//===- SizeSolver.cpp - tensors against a signature -----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/SizeSolver.h"

#include "compiler/artifact/SizeSum.h"
#include "runtime/Text.h"

using namespace girih;
using namespace girih::rt;
using artifact::Signature;
using artifact::SizeConstraint;
using artifact::SizeExpr;
using artifact::TensorParam;

static std::vector<std::string> parameterNames(const Signature &signature) {
  std::vector<std::string> names;
  for (const TensorParam &param : signature.params)
    names.push_back(param.name);
  return names;
}

std::string rt::printType(const Signature &signature,
                          const TensorParam &param) {
  std::string text(artifact::nameOf(param.type));
  for (size_t dim = 0; dim < param.shape.size(); ++dim)
    text +=
        (dim ? ", " : "[") + artifact::print(param.shape[dim], signature.sizes);
  return param.shape.empty() ? text : text + "]";
}

Result<std::vector<Tensor>>
rt::orderByName(const Signature &signature,
                const std::vector<std::pair<std::string, Tensor>> &named) {
  std::vector<const Tensor *> found(signature.params.size());
  for (const auto &[name, tensor] : named) {
    size_t index = 0;
    while (index < found.size() && signature.params[index].name != name)
      ++index;
    if (index == found.size())
      return Failure{"'" + signature.op + "' has no tensor '" + name +
                     "'; it takes " + joinNames(parameterNames(signature))};
    if (found[index])
      return Failure{"tensor '" + name + "' is given twice"};
    found[index] = &tensor;
  }
  std::vector<Tensor> ordered;
  std::vector<std::string> missing;
  for (size_t index = 0; index < found.size(); ++index) {
    if (found[index])
      ordered.push_back(*found[index]);
    else
      missing.push_back(signature.params[index].name);
  }
  if (!missing.empty())
    return Failure{"'" + signature.op + "' also needs " + joinNames(missing)};
  return ordered;
}

Status rt::checkTensors(const Signature &signature,
                        const std::vector<Tensor> &params) {
  if (params.size() > signature.params.size())
    return Failure{plural(int64_t(params.size()), "tensor") + " given, but '" +
                   signature.op + "' takes " +
                   std::to_string(signature.params.size()) + ": " +
                   joinNames(parameterNames(signature))};
  for (size_t index = 0; index < params.size(); ++index) {
    const TensorParam &param = signature.params[index];
    const Tensor &tensor = params[index];
    if (tensor.type != param.type)
      return Failure{param.name + " holds " +
                     std::string(artifact::nameOf(tensor.type)) + ", but '" +
                     signature.op + "' takes " + printType(signature, param)};
    if (tensor.shape.size() != param.shape.size())
      return Failure{param.name + " has rank " +
                     std::to_string(tensor.shape.size()) + ", but '" +
                     signature.op + "' takes " + printType(signature, param) +
                     ", which has rank " + std::to_string(param.shape.size())};
    Result<ByteRange> range = byteRange(tensor);
    if (!range)
      return Failure{param.name + " cannot be used: " + range.message()};
    if (range->empty())
      continue;
    if (!tensor.data)
      return Failure{param.name + " has " +
                     plural(*elementCount(tensor.shape), "element") +
                     " but no memory"};
    uint64_t address = reinterpret_cast<uintptr_t>(tensor.data);
    unsigned bytes = artifact::bytesOf(tensor.type);
    if (address % bytes != 0)
      return Failure{param.name + " starts at address " + hex(address) +
                     ", which is not a multiple of its element's " +
                     std::to_string(bytes) + " bytes"};
  }
  return {};
}

namespace {
/// One value of a size and where it was seen first, in words.
struct Seen {
  int64_t value = -1;
  std::string where;
};
} // namespace

static std::string placeOf(const TensorParam &param, size_t dim) {
  return "in " + param.name + " (dimension " + std::to_string(dim) + ")";
}

static Status see(Seen &seen, const std::string &name, int64_t value,
                  std::string where) {
  if (seen.value == -1) {
    seen = {value, std::move(where)};
    return {};
  }
  if (seen.value == value)
    return {};
  return Failure{"size '" + name + "' is " + std::to_string(seen.value) + " " +
                 seen.where + " but " + std::to_string(value) + " " + where};
}

static std::string printConstraint(const SizeConstraint &constraint,
                                   const std::string &name) {
  std::string value = std::to_string(constraint.value);
  switch (constraint.kind) {
  case SizeConstraint::Kind::Divisible:
    return name + " % " + value + " == 0";
  case SizeConstraint::Kind::AtMost:
    return name + " <= " + value;
  case SizeConstraint::Kind::AtLeast:
    return name + " >= " + value;
  case SizeConstraint::Kind::Equal:
    return name + " == " + value;
  }
  return "";
}

static bool holds(const SizeConstraint &constraint, int64_t size) {
  switch (constraint.kind) {
  case SizeConstraint::Kind::Divisible:
    return constraint.value > 0 && size % constraint.value == 0;
  case SizeConstraint::Kind::AtMost:
    return size <= constraint.value;
  case SizeConstraint::Kind::AtLeast:
    return size >= constraint.value;
  case SizeConstraint::Kind::Equal:
    return size == constraint.value;
  }
  return false;
}

static Status checkConstraints(const Signature &signature,
                               const std::vector<int64_t> &sizes) {
  for (const SizeConstraint &constraint : signature.constraints) {
    const std::string &name = signature.sizes[constraint.size];
    int64_t size = sizes[constraint.size];
    if (!holds(constraint, size))
      return Failure{"size '" + name + "' is " + std::to_string(size) +
                     ", but '" + signature.op + "' requires " +
                     printConstraint(constraint, name)};
  }
  return {};
}

/// Sizes that only sums show, such as N in X: f32[N + 2], one after the other.
static Status solveSums(const Signature &signature,
                        const std::vector<Tensor> &params,
                        std::vector<Seen> &seen) {
  for (bool progress = true; progress;) {
    progress = false;
    for (size_t index = 0; index < params.size(); ++index) {
      const TensorParam &param = signature.params[index];
      for (size_t dim = 0; dim < param.shape.size(); ++dim) {
        std::vector<int64_t> sizes;
        for (const Seen &size : seen)
          sizes.push_back(size.value);
        int64_t extent = params[index].shape[dim];
        auto solved = artifact::solveFor(param.shape[dim], extent, sizes);
        if (!solved)
          return Failure{"dimension " + std::to_string(dim) + " of " +
                         param.name + " has extent " + std::to_string(extent) +
                         ", but '" + signature.op + "' takes " +
                         printType(signature, param) +
                         ", and no size makes that: " + solved.message()};
        if (!*solved)
          continue;
        seen[(*solved)->size] = {(*solved)->value, placeOf(param, dim)};
        progress = true;
      }
    }
  }
  return {};
}

/// Extents that are no plain size: constants and formulas.
static Status checkOtherExtents(const Signature &signature,
                                const std::vector<Tensor> &params,
                                const std::vector<int64_t> &sizes) {
  for (size_t index = 0; index < params.size(); ++index) {
    const TensorParam &param = signature.params[index];
    for (size_t dim = 0; dim < param.shape.size(); ++dim) {
      const SizeExpr &expr = param.shape[dim];
      Result<int64_t> extent = artifact::evaluate(expr, sizes);
      if (!extent)
        return Failure{"the extent of dimension " + std::to_string(dim) +
                       " of " + param.name +
                       " cannot be computed: " + extent.message()};
      if (*extent == params[index].shape[dim])
        continue;
      std::string text =
          "dimension " + std::to_string(dim) + " of " + param.name +
          " has extent " + std::to_string(params[index].shape[dim]) +
          ", but '" + signature.op + "' takes " + printType(signature, param);
      if (expr.kind != SizeExpr::Kind::Constant)
        text += ", here " + std::to_string(*extent);
      return Failure{text};
    }
  }
  return {};
}

Result<std::vector<int64_t>> rt::solveSizes(const Signature &signature,
                                            const std::vector<Tensor> &params,
                                            const std::vector<int64_t> &known) {
  std::vector<Seen> seen(signature.sizes.size());
  auto seeAll = [&](const std::vector<int64_t> &values,
                    const std::string &where) -> Status {
    for (size_t size = 0; size < seen.size() && size < values.size(); ++size)
      if (values[size] != -1)
        if (Status status =
                see(seen[size], signature.sizes[size], values[size], where);
            !status)
          return status;
    return {};
  };
  if (Status status = seeAll(signature.given, "in the compiled program (-D)");
      !status)
    return Failure{status.message()};
  if (Status status = seeAll(known, "as given"); !status)
    return Failure{status.message()};

  for (size_t index = 0; index < params.size(); ++index) {
    const TensorParam &param = signature.params[index];
    for (size_t dim = 0; dim < param.shape.size(); ++dim) {
      if (param.shape[dim].kind != SizeExpr::Kind::Size)
        continue;
      unsigned size = param.shape[dim].size;
      if (Status status = see(seen[size], signature.sizes[size],
                              params[index].shape[dim], placeOf(param, dim));
          !status)
        return Failure{status.message()};
    }
  }

  if (Status status = solveSums(signature, params, seen); !status)
    return Failure{status.message()};

  std::vector<int64_t> sizes;
  std::vector<std::string> missing;
  for (size_t size = 0; size < seen.size(); ++size) {
    if (seen[size].value == -1)
      missing.push_back("'" + signature.sizes[size] + "'");
    else if (seen[size].value < 0)
      return Failure{"size '" + signature.sizes[size] + "' is negative (" +
                     std::to_string(seen[size].value) + ")"};
    sizes.push_back(seen[size].value);
  }
  if (!missing.empty())
    return Failure{std::string(missing.size() == 1 ? "size " : "sizes ") +
                   joinNames(missing) + (missing.size() == 1 ? " is" : " are") +
                   " in no tensor's shape: give a value with -D"};
  if (Status status = checkOtherExtents(signature, params, sizes); !status)
    return Failure{status.message()};
  if (Status status = checkConstraints(signature, sizes); !status)
    return Failure{status.message()};
  return sizes;
}

Result<std::vector<std::vector<int64_t>>>
rt::parameterShapes(const Signature &signature,
                    const std::vector<int64_t> &sizes) {
  std::vector<std::vector<int64_t>> shapes;
  for (const TensorParam &param : signature.params) {
    std::vector<int64_t> &shape = shapes.emplace_back();
    for (const SizeExpr &expr : param.shape) {
      Result<int64_t> extent = artifact::evaluate(expr, sizes);
      if (!extent || *extent < 0)
        return Failure{"an extent of " + param.name + " cannot be computed: " +
                       (extent ? "it is negative" : extent.message())};
      shape.push_back(*extent);
    }
    if (!elementCount(shape))
      return Failure{param.name + " would have the shape " + printShape(shape) +
                     " and 2^63 elements or more: no memory holds them"};
  }
  return shapes;
}
