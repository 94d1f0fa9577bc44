//===- Validate.cpp - what every artifact must satisfy --------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/artifact/Validate.h"

#include "compiler/artifact/SizeSum.h"

namespace girih::artifact {

namespace {

/// Walks an artifact and keeps the first fault. Each check returns whether it
/// holds, so that callers can stop.
class Validator {
public:
  explicit Validator(const Artifact &artifact)
      : artifact(artifact), signature(artifact.signature) {}

  Status run() {
    if (checkSignature())
      for (const Variant &variant : artifact.variants)
        if (!checkVariant(variant))
          break;
    return status;
  }

private:
  bool fail(std::string message) {
    if (status.ok())
      status = Failure{std::move(message)};
    return false;
  }

  bool checkIndex(size_t index, size_t count, const std::string &where,
                  const char *what) {
    if (index < count)
      return true;
    return fail(where + " names " + what + " " + std::to_string(index) +
                " of " + std::to_string(count));
  }

  bool checkPositive(int64_t value, const std::string &where) {
    if (value >= 1)
      return true;
    return fail(where + " has the value " + std::to_string(value) +
                ", which must be positive");
  }

  bool checkExpr(const SizeExpr &expr, const std::string &where,
                 unsigned depth = 1) {
    if (depth > kDeepestSizeExpr)
      return fail(where + ": " + tooDeepMessage());
    if (Status count = checkOperandCount(expr.kind, expr.operands.size());
        !count)
      return fail(where + ": " + count.message());
    if (expr.kind == SizeExpr::Kind::Size)
      return checkIndex(expr.size, signature.sizes.size(), where, "size");
    for (const SizeExpr &operand : expr.operands)
      if (!checkExpr(operand, where, depth + 1))
        return false;
    return true;
  }

  bool checkParam(const TensorParam &param) {
    std::string where = "the shape of '" + param.name + "'";
    for (const SizeExpr &extent : param.shape) {
      if (!sumOf(extent))
        return fail(where + " is neither constants nor sums over sizes");
      if (extent.kind == SizeExpr::Kind::Constant && extent.value < 0)
        return fail(where + " has the negative extent " +
                    std::to_string(extent.value));
      if (!checkExpr(extent, where))
        return false;
    }
    return checkFacts(param);
  }

  /// What is said of a parameter besides its shape.
  bool checkFacts(const TensorParam &param) {
    size_t rank = param.shape.size(), members = 0;
    std::string of = " of '" + param.name + "'";
    for (unsigned group : param.groups) {
      if (group < 1 || group > rank)
        return fail("a group" + of + " has " + std::to_string(group) +
                    " members");
      members += group;
    }
    if (!param.groups.empty() && members != rank)
      return fail("the groups" + of + " do not cover its dimensions");
    if (param.leading &&
        (rank == 0 || param.shape[0].kind != SizeExpr::Kind::Size ||
         (!param.groups.empty() && param.groups[0] != 1)))
      return fail("the leading dimensions" + of + " are not one size");
    std::vector<bool> named(rank);
    for (unsigned dim : param.layout) {
      if (dim >= rank || named[dim])
        return fail("the layout" + of + " names dimension " +
                    std::to_string(dim) + " twice or in vain");
      named[dim] = true;
    }
    if (!param.layout.empty() && param.layout.size() != rank)
      return fail("the layout" + of + " leaves dimensions out");
    constexpr int64_t kMaxAlign = 4096;
    if (param.align < 0 || param.align > kMaxAlign ||
        (param.align & (param.align - 1)) != 0)
      return fail("the alignment" + of + " is " + std::to_string(param.align) +
                  ", which is no power of two up to 4096");
    if (param.finite && (param.isOutput || !isFloat(param.type)))
      return fail("'" + param.name +
                  "' is assumed finite and is no input of "
                  "floats");
    return true;
  }

  /// No two outputs are in one input's place.
  bool checkInPlace(const TensorParam &param) {
    if (param.inPlace == -1)
      return !param.apart || fail("'" + param.name +
                                  "' may be apart from an input, and is in the "
                                  "place of none");
    std::string where = "the output '" + param.name + "'";
    if (param.inPlace < 0 || !param.isOutput)
      return fail("'" + param.name + "' is in the place of parameter " +
                  std::to_string(param.inPlace));
    if (!checkIndex(size_t(param.inPlace), signature.params.size(), where,
                    "parameter"))
      return false;
    const TensorParam &input = signature.params[size_t(param.inPlace)];
    if (input.isOutput || input.type != param.type ||
        print(input) != print(param))
      return fail(where + " is in the place of '" + input.name +
                  "', which is no input of its type and shape");
    for (const TensorParam &other : signature.params)
      if (&other != &param && other.inPlace == param.inPlace)
        return fail("two outputs are in the place of '" + input.name + "'");
    return true;
  }

  /// The extents, as text.
  std::string print(const TensorParam &param) const {
    std::string text;
    for (const SizeExpr &extent : param.shape)
      text += artifact::print(extent, signature.sizes) + ",";
    return text;
  }

  /// Against the loops before it.
  bool checkLoop(const Variant &variant, size_t number, const std::string &in) {
    const LaunchLoop &loop = variant.loops[number];
    std::string where = "loop " + std::to_string(number) + in;
    if (loop.begin >= loop.end || loop.end > variant.launches.size())
      return fail(where + " repeats launches " + std::to_string(loop.begin) +
                  " to " + std::to_string(loop.end) + " of " +
                  std::to_string(variant.launches.size()));
    for (size_t outer = 0; outer < number; ++outer) {
      const LaunchLoop &other = variant.loops[outer];
      bool inside = other.begin <= loop.begin && loop.end <= other.end;
      bool behind = other.end <= loop.begin;
      if (!inside && !behind)
        return fail(where + " is neither inside loop " + std::to_string(outer) +
                    " nor behind it");
    }
    return checkExpr(loop.count, "the count of " + where);
  }

  bool checkRange(const TensorParam &param) {
    std::string where = "the range of '" + param.name + "'";
    if (param.range.empty())
      return true;
    bool isKnown = param.range.size() == 2 || param.hasOffsets();
    if (!isKnown || param.isOutput || !isInteger(param.type))
      return fail(where + " is none that an integer input may promise");
    if (param.hasOffsets() && param.shape.size() != 1)
      return fail("'" + param.name + "' holds offsets, and has " +
                  std::to_string(param.shape.size()) + " dimensions");
    for (const SizeExpr &end : param.range)
      if (!checkExpr(end, where))
        return false;
    return true;
  }

  bool checkWord(const CheckWord &word) {
    std::string where = "the check of '" + word.tensor + "'";
    for (unsigned param : {word.where, word.value}) {
      if (!checkIndex(param, signature.params.size(), where, "parameter"))
        return false;
      const TensorParam &output = signature.params[param];
      bool isOne = word.kind == CheckWord::Kind::Subscript
                       ? output.shape.empty()
                       : output.shape.size() == 1 &&
                             output.shape[0].kind == SizeExpr::Kind::Constant &&
                             output.shape[0].value == 1;
      if (!output.isOutput || !isOne || output.type != ScalarType::I64)
        return fail(where + " names an output that is no i64");
    }
    if (word.names.size() != word.starts.size() ||
        word.names.size() != word.extents.size())
      return fail(where + " has as many names as starts and extents");
    for (const auto *list : {&word.starts, &word.extents})
      for (const SizeExpr &expr : *list)
        if (!checkExpr(expr, where))
          return false;
    return checkExpr(word.end, where);
  }

  bool checkDerived() {
    for (size_t i = 0; i < signature.derived.size(); ++i) {
      const DerivedSize &derived = signature.derived[i];
      std::string where = "derived size " + std::to_string(i);
      if (!checkIndex(derived.size, signature.sizes.size(), where, "size") ||
          !checkPositive(derived.divisor, where) ||
          !checkExpr(derived.sum, where))
        return false;
      std::optional<SizeSum> sum = sumOf(derived.sum);
      if (!sum)
        return fail(where + " divides what is no sum of sizes");
      for (size_t later = i; later < signature.derived.size(); ++later)
        for (const auto &term : sum->terms)
          if (term.first == signature.derived[later].size)
            return fail(where + " uses one that is not known before it");
    }
    return true;
  }

  bool checkSignature() {
    if (signature.given.size() != signature.sizes.size())
      return fail("the signature has " +
                  std::to_string(signature.sizes.size()) + " sizes and " +
                  std::to_string(signature.given.size()) + " given values");
    for (size_t i = 0; i < signature.given.size(); ++i)
      if (signature.given[i] < -1)
        return fail("the size '" + signature.sizes[i] + "' is given as " +
                    std::to_string(signature.given[i]));
    if (!checkDerived())
      return false;
    for (const TensorParam &param : signature.params)
      if (!checkParam(param) || !checkInPlace(param) || !checkRange(param))
        return false;
    for (const CheckWord &word : signature.checks)
      if (!checkWord(word))
        return false;
    for (const SizeConstraint &constraint : signature.constraints) {
      if (!checkIndex(constraint.size, signature.sizes.size(), "a constraint",
                      "size"))
        return false;
      if (constraint.kind == SizeConstraint::Kind::Divisible &&
          !checkPositive(constraint.value, "a divisibility constraint"))
        return false;
    }
    return true;
  }

  /// A parameter, and for strides one of its dimensions.
  bool checkTensor(unsigned param, const unsigned *dim,
                   const std::string &where) {
    if (!checkIndex(param, signature.params.size(), where, "parameter"))
      return false;
    return !dim || checkIndex(*dim, signature.params[param].shape.size(), where,
                              "dimension");
  }

  bool checkGuard(const Guard &guard, const std::string &where) {
    switch (guard.kind) {
    case Guard::Kind::UnitStride:
      return checkTensor(guard.param, &guard.dim, where);
    case Guard::Kind::StrideDivisible:
      return checkTensor(guard.param, &guard.dim, where) &&
             checkPositive(guard.value, where);
    case Guard::Kind::AlignedPointer:
      return checkTensor(guard.param, nullptr, where) &&
             checkPositive(guard.value, where);
    case Guard::Kind::SizeDivisible:
      return checkIndex(guard.size, signature.sizes.size(), where, "size") &&
             checkPositive(guard.value, where);
    case Guard::Kind::SizeAtMost:
    case Guard::Kind::SizeAtLeast:
      return checkIndex(guard.size, signature.sizes.size(), where, "size");
    }
    return fail(where + " is of an unknown kind");
  }

  bool checkArgument(const Argument &argument, const Variant &variant,
                     size_t launch, const std::string &where) {
    switch (argument.kind) {
    case Argument::Kind::Pointer:
      return checkTensor(argument.index, nullptr, where);
    case Argument::Kind::Stride:
      return checkTensor(argument.index, &argument.dim, where);
    case Argument::Kind::Size:
      return checkIndex(argument.index, signature.sizes.size(), where, "size");
    case Argument::Kind::Workspace:
      return checkIndex(argument.index, variant.workspace.size(), where,
                        "workspace buffer");
    case Argument::Kind::Value:
      return checkExpr(argument.value, where);
    case Argument::Kind::Turn:
      if (!checkIndex(argument.index, variant.loops.size(), where, "loop"))
        return false;
      if (launch >= variant.loops[argument.index].begin &&
          launch < variant.loops[argument.index].end)
        return true;
      return fail(where + " counts the turns of loop " +
                  std::to_string(argument.index) +
                  ", which the launch is not in");
    }
    return fail(where + " is of an unknown kind");
  }

  bool checkVariant(const Variant &variant) {
    std::string in = " of variant '" + variant.name + "'";
    for (const Guard &guard : variant.guards)
      if (!checkGuard(guard, "a guard" + in))
        return false;
    for (const WorkspaceBuffer &buffer : variant.workspace)
      if (!checkExpr(buffer.bytes,
                     "the workspace buffer '" + buffer.name + "'" + in))
        return false;
    for (size_t loop = 0; loop < variant.loops.size(); ++loop)
      if (!checkLoop(variant, loop, in))
        return false;
    for (const Launch &launch : variant.launches) {
      std::string kernel = "kernel '" + launch.kernel + "'" + in;
      if (!checkExpr(launch.grid, "the grid of " + kernel))
        return false;
      if (launch.threads == 0)
        return fail(kernel + " is launched with no threads");
      for (const Argument &argument : launch.arguments)
        if (!checkArgument(argument, variant,
                           size_t(&launch - variant.launches.data()),
                           "an argument of " + kernel))
          return false;
    }
    return true;
  }

  const Artifact &artifact;
  const Signature &signature;
  Status status;
};

} // namespace

Status validate(const Artifact &artifact) { return Validator(artifact).run(); }

} // namespace girih::artifact
