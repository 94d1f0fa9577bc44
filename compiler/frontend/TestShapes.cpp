//===- TestShapes.cpp - sizes and shapes of a test ------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/TestChecker.h"

#include "compiler/frontend/Dimensions.h"
#include "compiler/frontend/IndexSums.h"

#include <fmt/format.h>

namespace girih::frontend {

std::string TestChecker::printed(const std::vector<int64_t> &shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

bool TestChecker::bindSize(const TestArgument &argument) {
  const TestValue &value = argument.value;
  const LiteralExpr *literal =
      value.kind == TestValue::Kind::List && value.shape.empty()
          ? value.elements[0]->as<LiteralExpr>()
          : nullptr;
  bool isInteger =
      literal && !literal->suffix &&
      literal->digits.find_first_not_of("0123456789") == std::string::npos;
  constexpr size_t kMostDigits = 13; // of 2^40
  constexpr int64_t kEndOfSizes = int64_t(1) << 40;
  if (isInteger && (literal->digits.size() > kMostDigits ||
                    std::stoll(literal->digits) >= kEndOfSizes)) {
    error(codes::kIntegerOutOfRange,
          fmt::format("the size '{}' is {}; a size is below 2^40 ({})",
                      argument.name.text, literal->digits, kEndOfSizes),
          value.range);
    return false;
  }
  if (!isInteger) {
    error(codes::kBadParameterValue,
          fmt::format("the size '{}' is an integer from 0 on",
                      argument.name.text),
          value.range);
    return false;
  }
  return setSize(argument.name.text, std::stoll(literal->digits), value.range);
}

bool TestChecker::setSize(const std::string &name, int64_t value,
                          SourceRange range) {
  auto [place, fresh] = sizes.try_emplace(name, KnownSize{value, range});
  if (fresh || place->second.value == value)
    return true;
  error(codes::kShapesDiffer,
        fmt::format("'{}' is {} here and {} there", name, value,
                    place->second.value),
        range)
      .note(fmt::format("there: '{}' is {}", name, place->second.value),
            place->second.range);
  return false;
}

std::optional<std::vector<int64_t>> TestChecker::shapeOf(const TensorDecl &decl,
                                                         SourceRange range) {
  std::vector<int64_t> shape;
  for (const OuterDim &outer : outerDims(decl)) {
    if (outer.leading) {
      auto known = leading.find(*leadingName(decl));
      if (known != leading.end()) {
        shape = known->second.dims;
        continue;
      }
    }
    std::optional<int64_t> product = 1;
    for (unsigned member = 0; member < outer.count; ++member) {
      auto extent = extentOf(decl, outer.first + member, range);
      if (!extent)
        return std::nullopt;
      if (__builtin_mul_overflow(*product, *extent, &*product)) {
        error(codes::kIntegerOutOfRange,
              fmt::format("the dimension {} of '{}' has too many elements",
                          outer.text, decl.name.text),
              range);
        return std::nullopt;
      }
    }
    shape.push_back(*product);
  }
  return shape;
}

std::optional<int64_t> TestChecker::extentOf(const TensorDecl &decl, size_t dim,
                                             SourceRange range) {
  const Expr &value = *decl.dims[dim].value;
  NamedSum rest = namedSum(value).value_or(NamedSum());
  int64_t extent = takeKnown(rest);
  if (!rest.factors.empty()) {
    const std::string &name = rest.factors.begin()->first;
    error(codes::kSizeUnknown,
          fmt::format("nothing says how large '{}' is", name), range)
        .help(fmt::format("give it: {}(..., {} = 4)", op->name.text, name));
    return std::nullopt;
  }
  if (extent < 0) {
    error(codes::kNegativeExtent,
          fmt::format("'{}' would have {} elements in the dimension {}",
                      decl.name.text, extent, printExpr(value)),
          range)
        .note("it is declared here", decl.range);
    return std::nullopt;
  }
  return extent;
}

int64_t TestChecker::takeKnown(NamedSum &sum) const {
  int64_t value = sum.constant;
  for (const auto &[name, size] : sizes)
    if (auto found = sum.factors.find(name); found != sum.factors.end()) {
      value += found->second * size.value;
      sum.factors.erase(found);
    }
  return value;
}

bool TestChecker::solvePending() {
  bool good = true;
  for (bool progress = true; progress && good;) {
    progress = false;
    for (auto it = pending.begin(); it != pending.end() && good;) {
      bool later = false;
      good = solveDim(*it, later);
      if (later) {
        ++it;
        continue;
      }
      it = pending.erase(it);
      progress = true;
    }
    for (const auto &derived : instance->derived)
      if (good)
        good = setDerived(*derived, progress);
  }
  return good;
}

bool TestChecker::setDerived(const DerivedSize &derived, bool &progress) {
  NamedSum rest = derived.sum;
  int64_t value = takeKnown(rest), left = value % derived.divisor;
  if (!rest.factors.empty())
    return true;
  value = (value - left) / derived.divisor - (left < 0);
  if (value < 0) {
    error(codes::kNegativeExtent,
          fmt::format("the size '{}' of '{}' would be {}", derived.name.text,
                      op->name.text, value),
          run.op.range)
        .note("it is defined here", derived.range);
    return false;
  }
  progress |= !sizes.count(derived.name.text);
  return setSize(derived.name.text, value, derived.range);
}

bool TestChecker::solveDim(const PendingDim &dim, bool &later) {
  int64_t known = 1, part = 0;
  NamedSum open;
  for (unsigned member = 0; member < dim.dim.count; ++member) {
    NamedSum rest = memberOf(dim, member);
    int64_t value = takeKnown(rest);
    later |= rest.factors.size() > 1 ||
             (!rest.factors.empty() && !open.factors.empty());
    if (!rest.factors.empty()) {
      open = std::move(rest);
      part = value;
    } else if (__builtin_mul_overflow(known, value, &known)) {
      return refuseDim(dim);
    }
  }
  if (later)
    return true;
  if (open.factors.empty())
    return known == dim.extent || refuseDim(dim);
  // Without elements a group says nothing of its other size.
  if (known == 0)
    return dim.extent == 0 || refuseDim(dim);
  if (known < 0 || dim.extent % known != 0)
    return refuseDim(dim);
  auto [name, factor] = *open.factors.begin();
  int64_t left = dim.extent / known - part;
  if (left % factor != 0 || left / factor < 0)
    return refuseDim(dim);
  return setSize(name, left / factor, dim.range);
}

NamedSum TestChecker::memberOf(const PendingDim &dim, unsigned member) {
  return namedSum(*dim.decl->dims[dim.dim.first + member].value)
      .value_or(NamedSum());
}

bool TestChecker::refuseDim(const PendingDim &dim) {
  std::string known;
  for (unsigned member = 0; member < dim.dim.count; ++member)
    for (const auto &[name, factor] : memberOf(dim, member).factors)
      if (auto size = sizes.find(name); size != sizes.end())
        known += fmt::format("{}{} = {}", known.empty() ? ", with " : ", ",
                             name, size->second.value);
  error(codes::kShapesDiffer,
        fmt::format("'{}' has {} elements in dimension {}{}; this value has "
                    "{}",
                    dim.decl->name.text, dim.dim.text, dim.place, known,
                    dim.extent),
        dim.range)
      .note(fmt::format("'{}' is declared here", dim.decl->name.text),
            dim.decl->range);
  return false;
}

bool TestChecker::bindShape(const TensorDecl &decl,
                            const std::vector<int64_t> &shape,
                            SourceRange range) {
  auto refuse = [&](std::string message) {
    Diagnostic &d = error(codes::kShapesDiffer, std::move(message), range);
    d.note(fmt::format("'{}' is declared here", decl.name.text), decl.range);
    if (shape.empty())
      d.help("write lists in brackets, or fill(...) for the same value "
             "everywhere");
    return false;
  };
  std::vector<OuterDim> dims = outerDims(decl);
  const std::string *lead = leadingName(decl);
  size_t own = dims.size() - (lead ? 1 : 0);
  if (lead ? shape.size() < own : shape.size() != own)
    return refuse(fmt::format("'{}' has {} dimension{}{}, this value has {}",
                              decl.name.text, own, own == 1 ? "" : "s",
                              lead ? " or more" : "", shape.size()));
  size_t before = shape.size() - own;
  bool good =
      !lead ||
      setLeading(*lead, {shape.begin(), shape.begin() + long(before)}, range);
  for (size_t i = before; i < shape.size() && good; ++i) {
    const OuterDim &outer = dims[i - before + (lead ? 1 : 0)];
    NamedSum dim = namedSum(*decl.dims[outer.first].value).value_or(NamedSum());
    if (const std::string *name = dim.plainName(); name && outer.count == 1)
      good = setSize(*name, shape[i], range);
    else if (!dim.factors.empty() || outer.count > 1)
      pending.push_back({&decl, outer, i, shape[i], range});
    else if (dim.constant != shape[i])
      good = refuse(fmt::format("'{}' has {} elements in dimension {}, this "
                                "value has {}",
                                decl.name.text, dim.constant, i, shape[i]));
  }
  return good;
}

bool TestChecker::setLeading(const std::string &name, std::vector<int64_t> dims,
                             SourceRange range) {
  int64_t product = 1;
  for (int64_t dim : dims)
    if (__builtin_mul_overflow(product, dim, &product))
      product = 0; // of a list: never that long
  auto [place, fresh] = leading.try_emplace(name, KnownLeading{dims, range});
  if (!fresh && place->second.dims != dims) {
    error(codes::kShapesDiffer,
          fmt::format("'..{}' is {} here and {} there", name, printed(dims),
                      printed(place->second.dims)),
          range)
        .note(fmt::format("there: '..{}' is {}", name,
                          printed(place->second.dims)),
              place->second.range);
    return false;
  }
  return setSize(name, product, range);
}

} // namespace girih::frontend
