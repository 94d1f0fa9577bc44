//===- Promise.cpp - what inputs promise, and error words -----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Promise.h"

#include "runtime/Text.h"

#include <algorithm>
#include <limits>

using namespace girih;
using namespace girih::rt;
using artifact::ScalarType;

namespace {

/// Of elements: 64 bits, whose sign the type knows.
struct Range {
  __int128 first = 0, end = 0;
  bool isGiven = false;
};

} // namespace

static Result<Range> rangeOf(const artifact::TensorParam &param,
                             const std::vector<int64_t> &sizes) {
  Range range;
  if (param.range.size() < 2)
    return range;
  Result<int64_t> first = artifact::evaluate(param.range[0], sizes);
  Result<int64_t> end = artifact::evaluate(param.range[1], sizes);
  if (!first || !end)
    return Failure{"the range of '" + param.name + "' cannot be computed"};
  return Range{*first, *end, true};
}

/// `0..16 (NP = 16)`
static std::string textOf(const artifact::TensorParam &param,
                          const artifact::Signature &signature,
                          const Range &range) {
  std::string written = artifact::print(param.range[0], signature.sizes) +
                        ".." + artifact::print(param.range[1], signature.sizes);
  std::string values = std::to_string(int64_t(range.first)) + ".." +
                       std::to_string(int64_t(range.end));
  return written == values ? written : written + ", here " + values;
}

/// Where the element of a row-major number lies.
static int64_t positionOf(const HostArray &array, bool dense, int64_t at) {
  if (dense)
    return at;
  std::vector<int64_t> index = unflatten(array.shape(), at);
  int64_t position = 0;
  for (size_t d = 0; d < index.size(); ++d)
    position += index[d] * array.strides()[d];
  return position;
}

/// `offsets(T), here T = 5`: what the text promises, and what it comes to.
static std::string offsetsText(const artifact::TensorParam &param,
                               const artifact::Signature &signature,
                               int64_t total) {
  std::string written = artifact::print(param.range[2], signature.sizes);
  std::string value = std::to_string(total);
  return "offsets(" + written + ")" +
         (written == value ? "" : ", here " + written + " = " + value);
}

/// The bits of a row-major element, with the sign of its type in all 64.
static int64_t integerAt(const HostArray &array, int64_t at) {
  uint64_t bits = loadBits(array.tensor(), at);
  const unsigned unused = 64 - 8 * artifact::bytesOf(array.type());
  return artifact::isUnsigned(array.type()) ? int64_t(bits)
                                            : int64_t(bits << unused) >> unused;
}

/// Makes evenly drawn values within 0 .. total the ends of groups.
static Status sortOffsets(HostArray &array,
                          const artifact::Signature &signature,
                          const artifact::TensorParam &param, int64_t total,
                          bool dense) {
  std::vector<int64_t> values(size_t(array.elements()));
  for (size_t at = 0; at < values.size(); ++at)
    values[at] = integerAt(array, int64_t(at));
  std::sort(values.begin(), values.end());
  values.front() = 0;
  if (values.size() == 1 && total != 0)
    return Failure{"'" + param.name + "' promises " +
                   offsetsText(param, signature, total) +
                   ", of no groups: no value can be drawn"};
  values.back() = total;
  for (size_t at = 0; at < values.size(); ++at)
    storeBits(array.data(), array.type(), positionOf(array, dense, int64_t(at)),
              uint64_t(values[at]));
  return {};
}

Status rt::fillPromised(HostArray &array, const artifact::Signature &signature,
                        const artifact::TensorParam &param,
                        const std::vector<int64_t> &sizes, RandomKind kind,
                        uint64_t seed, uint32_t stream) {
  Result<Range> range = rangeOf(param, sizes);
  if (!range)
    return Failure{range.message()};
  bool isOnes = kind == RandomKind::Ones && range->first <= 1 &&
                1 < range->end && !param.hasOffsets();
  fillRandom(array, !range->isGiven || isOnes ? kind : RandomKind::Uniform,
             seed, stream);
  if (!range->isGiven || isOnes || array.elements() == 0)
    return {};
  if (range->first >= range->end)
    return Failure{"'" + param.name + "' promises the range " +
                   textOf(param, signature, *range) +
                   ", which is empty: no value can be drawn"};
  // Evenly drawn bits: what is left of a division is so nearly.
  auto span = static_cast<unsigned __int128>(range->end - range->first);
  bool dense = array.strides() == denseStrides(array.shape());
  for (int64_t at = 0; at < array.elements(); ++at) {
    uint64_t bits = loadBits(array.tensor(), at);
    storeBits(array.data(), array.type(), positionOf(array, dense, at),
              uint64_t(range->first + __int128(bits % span)));
  }
  return param.hasOffsets() ? sortOffsets(array, signature, param,
                                          int64_t(range->end - 1), dense)
                            : Status();
}

/// Of values that lie in 0 .. total: whether they are offsets.
static Status checkOffsets(const HostArray &array,
                           const artifact::Signature &signature,
                           const artifact::TensorParam &param, int64_t total) {
  auto element = [&](int64_t at) {
    return param.name + "[" + std::to_string(at) + "]";
  };
  auto fail = [&](int64_t at, std::string what) {
    return Failure{element(at) + " is " + std::to_string(integerAt(array, at)) +
                   what + ": '" + param.name + "' promises " +
                   offsetsText(param, signature, total)};
  };
  int64_t last = array.elements() - 1;
  if (last < 0)
    return Failure{"'" + param.name +
                   "' has no elements, and offsets of no "
                   "groups are one"};
  if (integerAt(array, 0) != 0)
    return fail(0, ", and offsets begin at 0");
  for (int64_t at = 1; at <= last; ++at)
    if (int64_t before = integerAt(array, at - 1);
        integerAt(array, at) < before)
      return fail(at, ", less than " + element(at - 1) + ", " +
                          std::to_string(before));
  if (integerAt(array, last) != total)
    return fail(last, ", and offsets end at " + std::to_string(total));
  return {};
}

Status rt::checkPromise(const HostArray &array,
                        const artifact::Signature &signature,
                        const artifact::TensorParam &param,
                        const std::vector<int64_t> &sizes) {
  Result<Range> range = rangeOf(param, sizes);
  if (!range)
    return Failure{range.message()};
  if (!range->isGiven)
    return {};
  const unsigned unused = 64 - 8 * artifact::bytesOf(array.type());
  const bool isUnsigned = artifact::isUnsigned(array.type());
  for (int64_t at = 0; at < array.elements(); ++at) {
    uint64_t bits = loadBits(array.tensor(), at);
    if (!isUnsigned)
      bits = uint64_t(int64_t(bits << unused) >> unused);
    __int128 value = isUnsigned ? __int128(bits) : __int128(int64_t(bits));
    if (value >= range->first && value < range->end)
      continue;
    std::string element = param.name;
    if (!array.shape().empty())
      element += printShape(unflatten(array.shape(), at));
    return Failure{
        element + " is " +
        (isUnsigned ? std::to_string(bits) : std::to_string(int64_t(bits))) +
        ", outside the range that '" + param.name +
        "' promises: " + textOf(param, signature, *range)};
  }
  return param.hasOffsets()
             ? checkOffsets(array, signature, param, int64_t(range->end - 1))
             : Status();
}

Status rt::checkWord(const artifact::Signature &signature,
                     const artifact::CheckWord &word,
                     const std::vector<int64_t> &sizes, int64_t where,
                     int64_t value) {
  if (where == std::numeric_limits<int64_t>::max())
    return {};
  Result<int64_t> end = artifact::evaluate(word.end, sizes);
  std::string place;
  for (size_t d = word.names.size(); d-- > 0;) {
    Result<int64_t> start = artifact::evaluate(word.starts[d], sizes);
    Result<int64_t> extent = artifact::evaluate(word.extents[d], sizes);
    if (!start || !extent || *extent <= 0 || where < 0)
      return Failure{"the error word of '" + word.tensor + "' is broken"};
    std::string index =
        word.names[d] + " = " + std::to_string(*start + where % *extent);
    place = index + (place.empty() ? "" : ", " + place);
    where /= *extent;
  }
  using Kind = artifact::CheckWord::Kind;
  if (word.kind != Kind::Subscript) {
    std::string what =
        word.kind == Kind::Spread
            ? "an element over '" + word.subscript + "' lies more than " +
                  (end ? std::to_string(*end) : "?") + " below '" +
                  word.tensor + "'"
            : "'" + word.subscript + "', which '" + word.tensor +
                  "' multiplies weights by, is smaller than 2^" +
                  std::to_string(word.low) + " or larger than 2^" +
                  (end ? std::to_string(*end) : "?");
    return Failure{"in '" + signature.op + "' " + what +
                   (place.empty() ? "" : " at " + place) +
                   ": there the one pass need not have the bits of the text"};
  }
  return Failure{"in '" + signature.op + "' the subscript " + word.subscript +
                 " of '" + word.tensor + "' is " + std::to_string(value) +
                 (place.empty() ? "" : " at " + place) + ", outside 0.." +
                 (end ? std::to_string(*end) : "?")};
}
