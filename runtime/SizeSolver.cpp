//===- SizeSolver.cpp - tensors against a signature -----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/SizeSolver.h"

#include "compiler/artifact/SizeSum.h"
#include "compiler/artifact/View.h"
#include "runtime/Text.h"
#include "runtime/View.h"

using namespace girih;
using namespace girih::rt;
using artifact::OuterDim;
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
  const char *before = "[";
  for (const OuterDim &dim : artifact::outerDims(param)) {
    text += before + artifact::print(dim, param, signature.sizes);
    before = ", ";
  }
  return param.shape.empty() ? text : text + "]";
}

/// Any rank from `rank` on for leading dimensions, of which there may be none.
static bool takesRank(const TensorParam &param, size_t rank) {
  size_t dims = artifact::outerDims(param).size();
  return param.leading ? rank + 1 >= dims : rank == dims;
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
    if (!takesRank(param, tensor.shape.size())) {
      size_t rank = artifact::outerDims(param).size();
      return Failure{param.name + " has rank " +
                     std::to_string(tensor.shape.size()) + ", but '" +
                     signature.op + "' takes " + printType(signature, param) +
                     ", which has rank " +
                     (param.leading ? std::to_string(rank - 1) + " or more"
                                    : std::to_string(rank))};
    }
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

namespace {
/// An extent of an argument: the product of the members of its dimension.
struct Equation {
  const TensorParam &param;
  OuterDim dim;
  int64_t extent;
  size_t place; ///< the argument's dimension

  const SizeExpr &member(unsigned number = 0) const {
    return param.shape[dim.first + number];
  }
  /// `in X (dimension 1)`
  std::string where() const {
    return "in " + param.name +
           (dim.leading ? " (the leading dimensions)"
                        : " (dimension " + std::to_string(place) + ")");
  }
  /// `dimension 1 of X has extent 5, but 'f' takes f32[2 * N]`
  std::string mismatch(const Signature &signature) const {
    return (dim.leading ? "the leading part of "
                        : "dimension " + std::to_string(place) + " of ") +
           param.name + " has extent " + std::to_string(extent) + ", but '" +
           signature.op + "' takes " + printType(signature, param);
  }
};
} // namespace

static std::vector<Equation> equationsOf(const Signature &signature,
                                         const std::vector<Tensor> &params) {
  std::vector<Equation> equations;
  for (size_t index = 0; index < params.size(); ++index) {
    const TensorParam &param = signature.params[index];
    std::vector<OuterDim> dims = artifact::outerDims(param);
    std::vector<int64_t> extents = mergedShape(param, params[index].shape);
    size_t before = params[index].shape.size() - dims.size();
    for (size_t outer = 0; outer < dims.size(); ++outer)
      equations.push_back({param, dims[outer], extents[outer], outer + before});
  }
  return equations;
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
  // No data can keep this one, and kernels rely on it: an element has a group.
  for (const TensorParam &param : signature.params) {
    if (!param.hasOffsets() || param.shape.size() != 1)
      continue;
    Result<int64_t> extent = artifact::evaluate(param.shape[0], sizes);
    Result<int64_t> total = artifact::evaluate(param.range[2], sizes);
    if (!extent || !total || *total < 0 || (*extent < 2 && *total != 0))
      return Failure{
          "'" + param.name + "' promises the offsets of " +
          artifact::print(param.range[2], signature.sizes) +
          (total ? " = " + std::to_string(*total) : "") + " elements in " +
          (extent ? std::to_string(std::max<int64_t>(*extent - 1, 0)) : "?") +
          " groups, which cannot be"};
  }
  return {};
}

/// The product of the members of a group whose sizes are known, all but the one
/// that is left over; that one's number. Nothing where several are left over.
static std::optional<std::pair<int64_t, unsigned>>
knownProduct(const Equation &equation, const std::vector<int64_t> &sizes) {
  int64_t product = 1;
  std::optional<unsigned> left;
  for (unsigned member = 0; member < equation.dim.count; ++member) {
    std::optional<artifact::SizeSum> sum =
        artifact::sumOf(equation.member(member));
    bool known = sum.has_value();
    for (size_t term = 0; known && term < sum->terms.size(); ++term)
      known = sizes[sum->terms[term].first] != -1;
    if (!known && left)
      return std::nullopt;
    if (!known) {
      left = member;
      continue;
    }
    Result<int64_t> value = artifact::evaluate(equation.member(member), sizes);
    if (!value || __builtin_mul_overflow(product, *value, &product))
      return std::nullopt;
  }
  if (!left)
    return std::nullopt;
  return std::pair(product, *left);
}

/// The size that follows from one dimension, if one does.
static Result<std::optional<artifact::SolvedSize>>
solveOne(const Equation &equation, const std::vector<int64_t> &sizes,
         const Signature &signature) {
  if (equation.dim.count == 1)
    return artifact::solveFor(equation.member(), equation.extent, sizes);
  auto known = knownProduct(equation, sizes);
  if (!known || known->first == 0)
    return std::optional<artifact::SolvedSize>();
  if (equation.extent % known->first != 0)
    return Failure{
        std::to_string(equation.extent) + " is not a multiple of " +
        std::to_string(known->first) + ", what is left of the group without " +
        artifact::print(equation.member(known->second), signature.sizes)};
  return artifact::solveFor(equation.member(known->second),
                            equation.extent / known->first, sizes);
}

/// Computes derived sizes whose parts are known; `progress` where one was not.
static Status derive(const Signature &signature, std::vector<Seen> &seen,
                     bool &progress) {
  for (const artifact::DerivedSize &derived : signature.derived) {
    std::vector<int64_t> sizes;
    for (const Seen &size : seen)
      sizes.push_back(size.value);
    const std::string &name = signature.sizes[derived.size];
    std::string text = artifact::print(derived, signature.sizes);
    Result<std::optional<int64_t>> value = artifact::evaluate(derived, sizes);
    if (!value)
      return Failure{"size '" + name +
                     "' cannot be computed: " + value.message()};
    if (!*value)
      continue;
    std::string where = name == text ? "by the other sizes" : "as " + text;
    if (**value < 0)
      return Failure{"size '" + name + "' would be " + std::to_string(**value) +
                     " " + where + ", and a size is not negative"};
    progress |= seen[derived.size].value == -1;
    if (Status status = see(seen[derived.size], name, **value, where); !status)
      return status;
  }
  return {};
}

/// Sizes that only sums and groups show, such as N in X: f32[N + 2], one after
/// the other.
static Status solveSums(const Signature &signature,
                        const std::vector<Equation> &equations,
                        std::vector<Seen> &seen) {
  for (bool progress = true; progress;) {
    progress = false;
    for (const Equation &equation : equations) {
      std::vector<int64_t> sizes;
      for (const Seen &size : seen)
        sizes.push_back(size.value);
      auto solved = solveOne(equation, sizes, signature);
      if (!solved)
        return Failure{equation.mismatch(signature) +
                       ", and no size makes that: " + solved.message()};
      if (!*solved)
        continue;
      seen[(*solved)->size] = {(*solved)->value, equation.where()};
      progress = true;
    }
    if (Status status = derive(signature, seen, progress); !status)
      return status;
  }
  return {};
}

/// The product of the members of a dimension.
static Result<int64_t> extentOf(const Equation &equation,
                                const std::vector<int64_t> &sizes) {
  int64_t product = 1;
  for (unsigned member = 0; member < equation.dim.count; ++member) {
    Result<int64_t> extent = artifact::evaluate(equation.member(member), sizes);
    if (!extent)
      return extent;
    if (equation.dim.count > 1 && *extent < 0)
      return Failure{"a member of its group is negative"};
    if (__builtin_mul_overflow(product, *extent, &product))
      return Failure{"it does not fit 64 bits"};
  }
  return product;
}

/// Extents that are no plain size: constants, formulas and groups.
static Status checkOtherExtents(const Signature &signature,
                                const std::vector<Equation> &equations,
                                const std::vector<int64_t> &sizes) {
  for (const Equation &equation : equations) {
    Result<int64_t> extent = extentOf(equation, sizes);
    if (!extent)
      return Failure{
          "the extent of dimension " + std::to_string(equation.place) + " of " +
          equation.param.name + " cannot be computed: " + extent.message()};
    if (*extent == equation.extent)
      continue;
    std::string text = equation.mismatch(signature);
    if (equation.dim.count > 1 ||
        equation.member().kind != SizeExpr::Kind::Constant)
      text += ", here " + std::to_string(*extent);
    return Failure{text};
  }
  return {};
}

/// Why sizes without a value have none.
static std::string whyMissing(const std::vector<Equation> &equations,
                              const std::vector<Seen> &seen) {
  size_t missing = 0;
  for (const Seen &size : seen)
    missing += size.value == -1;
  for (const Equation &equation : equations)
    for (unsigned member = 0; member < equation.dim.count; ++member)
      if (auto sum = artifact::sumOf(equation.member(member)))
        for (const auto &term : sum->terms)
          if (seen[term.first].value == -1)
            return std::string(missing == 1 ? " does" : " do") +
                   " not follow from the tensors' shapes";
  return std::string(missing == 1 ? " is" : " are") + " in no tensor's shape";
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

  std::vector<Equation> equations = equationsOf(signature, params);
  for (const Equation &equation : equations) {
    if (equation.dim.count > 1 ||
        equation.member().kind != SizeExpr::Kind::Size)
      continue;
    unsigned size = equation.member().size;
    if (Status status = see(seen[size], signature.sizes[size], equation.extent,
                            equation.where());
        !status)
      return Failure{status.message()};
  }
  if (Result<LeadingDims> leading = leadingDims(signature, params); !leading)
    return Failure{leading.message()};
  if (Status status = solveSums(signature, equations, seen); !status)
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
                   joinNames(missing) + whyMissing(equations, seen) +
                   ": give a value with -D"};
  if (Status status = checkOtherExtents(signature, equations, sizes); !status)
    return Failure{status.message()};
  if (Status status = checkConstraints(signature, sizes); !status)
    return Failure{status.message()};
  return sizes;
}

Result<std::vector<std::vector<int64_t>>>
rt::parameterShapes(const Signature &signature,
                    const std::vector<int64_t> &sizes,
                    const LeadingDims &leading) {
  std::vector<std::vector<int64_t>> shapes;
  for (const TensorParam &param : signature.params) {
    std::vector<int64_t> &shape = shapes.emplace_back();
    for (const OuterDim &dim : artifact::outerDims(param)) {
      Result<int64_t> extent = extentOf({param, dim, 0, 0}, sizes);
      if (!extent || *extent < 0)
        return Failure{"an extent of " + param.name + " cannot be computed: " +
                       (extent ? "it is negative" : extent.message())};
      unsigned size = dim.leading ? param.shape[0].size : 0;
      if (dim.leading && size < leading.size() && leading[size])
        shape = *leading[size];
      else
        shape.push_back(*extent);
    }
    if (!elementCount(shape))
      return Failure{param.name + " would have the shape " + printShape(shape) +
                     " and 2^63 elements or more: no memory holds them"};
  }
  return shapes;
}
