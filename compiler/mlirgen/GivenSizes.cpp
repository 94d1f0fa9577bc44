//===- GivenSizes.cpp - sizes fixed at compile time -----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/mlirgen/GivenSizes.h"

#include "compiler/frontend/Constraints.h"
#include "compiler/frontend/Frontend.h"
#include "compiler/mlirgen/Codes.h"
#include "compiler/support/Suggest.h"

#include <algorithm>
#include <fmt/format.h>

namespace girih::mlirgen {

using frontend::OpDecl;
using frontend::SizeConstraint;
using Kind = SizeConstraint::Kind;

namespace {

std::string textOf(const SizeConstraint &constraint) {
  const char *relation = "";
  switch (constraint.kind) {
  case Kind::Multiple:
    return fmt::format("{} % {} == 0", constraint.name.text, constraint.value);
  case Kind::Less:
    relation = "<";
    break;
  case Kind::LessEqual:
    relation = "<=";
    break;
  case Kind::Greater:
    relation = ">";
    break;
  case Kind::GreaterEqual:
    relation = ">=";
    break;
  case Kind::Equal:
    relation = "==";
    break;
  }
  return fmt::format("{} {} {}", constraint.name.text, relation,
                     constraint.value);
}

/// The value nearest to `value` that the constraint allows; may be none that
/// can be given.
int64_t nearestAllowed(const SizeConstraint &constraint, int64_t value) {
  int64_t bound = constraint.value;
  switch (constraint.kind) {
  case Kind::Multiple:
    return bound > value ? bound : value - value % bound;
  case Kind::Less:
    return bound - 1;
  case Kind::Greater:
    return bound + 1;
  default:
    return bound;
  }
}

void checkConstraints(const OpDecl &op, const std::string &name, int64_t value,
                      Diagnostics &diags) {
  for (const SizeConstraint &constraint : op.constraints) {
    if (constraint.name.text != name || holds(constraint, value))
      continue;
    Diagnostic &error =
        diags.error(codes::kConstraintBroken,
                    fmt::format("the size '{}' is given as {}, but '{}' demands"
                                " {}",
                                name, value, op.name.text, textOf(constraint)));
    error.note("the constraint stands here", constraint.range);
    int64_t allowed = nearestAllowed(constraint, value);
    if (allowed >= 0 && allowed <= kMaxGivenSize)
      error.help(fmt::format("give another value, for example -D {}={}", name,
                             allowed));
  }
}

/// `OH = (H + 1) / 2`, or `D / 2` where that is the name.
std::string textOf(const frontend::DerivedSize &derived) {
  return derived.written ? frontend::printDefinition(derived)
                         : derived.name.text;
}

/// Sizes that follow from given ones are given, too.
void deriveSizes(const OpDecl &op, std::vector<int64_t> &values,
                 Diagnostics &diags) {
  for (const auto &derived : op.derived) {
    int64_t value = derived->numerator.constant;
    bool known = true;
    for (auto [size, factor] : derived->numerator.terms) {
      known &= values[size->number] >= 0;
      value += factor * values[size->number];
    }
    if (!known)
      continue;
    int64_t rest = value % derived->divisor;
    value = (value - rest) / derived->divisor - (rest < 0);
    const std::string &name = derived->name.text;
    int64_t &place = values[derived->size->number];
    if (value < 0)
      diags
          .error(codes::kBadGivenSize,
                 fmt::format("the size '{}' would be {}; a size is not "
                             "negative",
                             name, value))
          .note("it is defined here: " + textOf(*derived), derived->range);
    else if (place >= 0 && place != value)
      diags
          .error(codes::kBadGivenSize,
                 fmt::format("the size '{}' is given as {}, but the other "
                             "sizes make it {}",
                             name, place, value))
          .note("it is defined here: " + textOf(*derived), derived->range)
          .help("leave it out: it follows from the others");
    else if (place < 0 && value <= kMaxGivenSize)
      checkConstraints(op, name, place = value, diags);
  }
}

} // namespace

std::optional<std::vector<int64_t>>
resolveGivenSizes(const OpDecl &op,
                  const std::vector<std::pair<std::string, int64_t>> &given,
                  Diagnostics &diags) {
  std::vector<std::string> names;
  for (const auto &size : op.sizes)
    names.push_back(size->name.text);
  std::vector<int64_t> values(names.size(), -1);
  size_t errorsBefore = diags.all().size();

  for (const auto &[name, value] : given) {
    auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      Diagnostic &error =
          diags.error(codes::kUnknownSize,
                      fmt::format("'{}' has no size '{}'{}", op.name.text, name,
                                  didYouMean(name, names)));
      error.note(names.empty()
                     ? fmt::format("'{}' has no sizes at all", op.name.text)
                     : fmt::format("its sizes are {}", fmt::join(names, ", ")),
                 op.name.range);
      continue;
    }
    int64_t &place = values[found - names.begin()];
    if (value < 0) {
      diags.error(
          codes::kBadGivenSize,
          fmt::format("the size '{}' is given as {}; a size is not negative",
                      name, value));
    } else if (value > kMaxGivenSize) {
      diags.error(codes::kBadGivenSize,
                  fmt::format("the size '{}' is given as {}, the largest size "
                              "is {}",
                              name, value, kMaxGivenSize));
    } else if (place >= 0) {
      diags.error(codes::kBadGivenSize,
                  fmt::format("the size '{}' is given twice, as {} and as {}",
                              name, place, value));
    } else {
      place = value;
      checkConstraints(op, name, value, diags);
    }
  }
  if (diags.all().size() == errorsBefore)
    deriveSizes(op, values, diags);
  if (diags.all().size() != errorsBefore)
    return std::nullopt;
  return values;
}

} // namespace girih::mlirgen
