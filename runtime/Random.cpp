//===- Random.cpp - test inputs from a seed -------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Random.h"

#include "compiler/arith/Formats.h"
#include "runtime/Text.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <thread>

using namespace girih;
using namespace girih::rt;
using artifact::ScalarType;

static constexpr std::string_view kNames[] = {
    "normal",    "uniform",   "ones",  "special", "cancel",
    "denormals", "nonfinite", "zeros", "ties"};

std::vector<std::string> rt::randomKindNames() {
  return std::vector<std::string>(std::begin(kNames), std::end(kNames));
}

Result<RandomKind> rt::parseRandomKind(std::string_view name) {
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (kNames[i] == name)
      return RandomKind(i);
  return Failure{"unknown kind of random input '" + std::string(name) +
                 "'; known: " + joinNames(randomKindNames())};
}

namespace {
/// Two independent 64-bit words.
struct Words {
  uint64_t first;
  uint64_t second;
};
} // namespace

/// Philox-4x32-10 (Salmon et al., SC 2011).
static Words philox(uint64_t seed, uint32_t stream, uint64_t index) {
  std::array<uint32_t, 4> counter = {uint32_t(index), uint32_t(index >> 32),
                                     stream, 0};
  uint32_t key0 = uint32_t(seed), key1 = uint32_t(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    uint64_t product0 = uint64_t(0xD2511F53u) * counter[0];
    uint64_t product1 = uint64_t(0xCD9E8D57u) * counter[2];
    counter = {uint32_t(product1 >> 32) ^ counter[1] ^ key0, uint32_t(product1),
               uint32_t(product0 >> 32) ^ counter[3] ^ key1,
               uint32_t(product0)};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return {uint64_t(counter[1]) << 32 | counter[0],
          uint64_t(counter[3]) << 32 | counter[2]};
}

/// [0, 1), a multiple of 2^-53.
static double unit(uint64_t word) { return double(word >> 11) * 0x1p-53; }

// The library's log and cos differ between machines in the last bit; these are
// made of exactly rounded operations only.

/// log(x) for normal x in (0, 1], to about 1e-15.
static double portableLog(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent); // [1/2, 1)
  if (m < 0.70710678118654752) {
    m *= 2;
    --exponent;
  }
  double s = (m - 1) / (m + 1), square = s * s, sum = 0;
  for (int k = 23; k >= 1; k -= 2) // 2 atanh(s) = 2 (s + s^3/3 + ...)
    sum = sum * square + 1.0 / k;
  return 2 * s * sum + exponent * 0.69314718055994531;
}

/// cos and sin of 2 pi u for u in [0, 1).
static void portableCosSin(double u, double &cosine, double &sine) {
  int quarter = int(u * 4 + 0.5);                            // nearest
  double angle = (u - quarter * 0.25) * 6.28318530717958648; // |a| <= pi / 4
  double square = angle * angle;
  double c = 0, s = 0;
  for (int k = 16; k >= 2; k -= 2)
    c = (1 + c) * (-square / (k * (k - 1)));
  for (int k = 17; k >= 3; k -= 2)
    s = (1 + s) * (-square / (k * (k - 1)));
  c = 1 + c;
  s = angle * (1 + s);
  switch (quarter & 3) {
  case 0:
    cosine = c, sine = s;
    break;
  case 1:
    cosine = -s, sine = c;
    break;
  case 2:
    cosine = -c, sine = -s;
    break;
  case 3:
    cosine = s, sine = -c;
    break;
  }
}

/// Box and Muller: each pair of elements shares two words.
static double normal(uint64_t seed, uint32_t stream, uint64_t index) {
  Words words = philox(seed, stream, index / 2);
  double radius = std::sqrt(-2 * portableLog(1 - unit(words.first)));
  double cosine = 0, sine = 0;
  portableCosSin(unit(words.second), cosine, sine);
  return radius * (index % 2 ? sine : cosine);
}

namespace {
/// What is extreme in a type.
struct Extremes {
  double smallestDenormal, largestDenormal, smallestNormal, largest;
  int cancelExponent; ///< magnitudes 2^-e .. 2^e
  int mantissa;       ///< bits behind the point
};
} // namespace

static Extremes extremesOf(ScalarType type) {
  switch (type) {
  case ScalarType::F64:
    return {0x1p-1074, 0x0.fffffffffffffp-1022,
            0x1p-1022, std::numeric_limits<double>::max(),
            40,        52};
  case ScalarType::F32:
    return {0x1p-149, 0x0.fffffep-126,
            0x1p-126, std::numeric_limits<float>::max(),
            20,       23};
  case ScalarType::F16:
    return {0x1p-24, 0x0.ffcp-14, 0x1p-14, 65504, 10, 10};
  case ScalarType::BF16:
    return {0x1p-133, 0x0.fep-126, 0x1p-126, 0x1.fep127, 20, 7};
  case ScalarType::F8E4M3FN:
    return {0x1p-9, 0x0.ep-6, 0x1p-6, 448, 5, 3};
  case ScalarType::F8E5M2:
    return {0x1p-16, 0x0.cp-14, 0x1p-14, 57344, 10, 2};
  default:
    break; // integers have no use for it
  }
  return {};
}

/// Streams of words besides the one that `normal` uses.
static constexpr uint64_t kOtherWords = uint64_t(1) << 63;

static double special(ScalarType type, uint64_t seed, uint32_t stream,
                      uint64_t index) {
  Words words = philox(seed, stream, index | kOtherWords);
  if (words.first >> 63)
    return normal(seed, stream, index);
  Extremes extremes = extremesOf(type);
  const double magnitudes[] = {0,
                               extremes.smallestDenormal,
                               extremes.largestDenormal,
                               extremes.smallestNormal,
                               extremes.largest,
                               std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN(),
                               1};
  double magnitude = magnitudes[words.first & 7];
  return words.second & 1 ? -magnitude : magnitude;
}

static double cancel(ScalarType type, uint64_t seed, uint32_t stream,
                     uint64_t index) {
  // A pair shares its exponent, so that its sum loses most digits.
  Words pair = philox(seed, stream, index / 2 | kOtherWords);
  Words own = philox(seed, stream, index);
  int limit = extremesOf(type).cancelExponent;
  int exponent = int(pair.first % uint64_t(2 * limit + 1)) - limit;
  double magnitude = std::ldexp(1 + unit(own.first), exponent);
  return index % 2 ? -magnitude : magnitude;
}

/// Every size of a denormal alike, up to twice the smallest normal.
static double denormal(ScalarType type, uint64_t seed, uint32_t stream,
                       uint64_t index) {
  Words words = philox(seed, stream, index | kOtherWords);
  Extremes extremes = extremesOf(type);
  uint64_t steps = words.first >> (63 - extremes.mantissa);
  steps >>= (words.second >> 1) % uint64_t(extremes.mantissa + 1);
  double magnitude = double(steps) * extremes.smallestDenormal;
  return words.second & 1 ? -magnitude : magnitude;
}

static double nonfinite(uint64_t seed, uint32_t stream, uint64_t index) {
  Words words = philox(seed, stream, index | kOtherWords);
  if (words.first % 16)
    return normal(seed, stream, index);
  double infinity = std::numeric_limits<double>::infinity();
  switch (words.second % 3) {
  case 0:
    return infinity;
  case 1:
    return -infinity;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

static double zeros(uint64_t seed, uint32_t stream, uint64_t index) {
  Words words = philox(seed, stream, index | kOtherWords);
  if (words.first % 4 == 0)
    return normal(seed, stream, index);
  return words.second & 1 ? -0.0 : 0.0;
}

/// Mantissas of the types that a value may be rounded to.
static std::vector<int> narrowMantissas(ScalarType type,
                                        const std::vector<ScalarType> &narrow) {
  std::vector<int> mantissas;
  int own = extremesOf(type).mantissa;
  for (ScalarType other : narrow)
    if (artifact::isFloat(other) && extremesOf(other).mantissa < own)
      mantissas.push_back(extremesOf(other).mantissa);
  return mantissas;
}

/// One bit more than a narrower type has, and that bit is set; or half way
/// between two integers.
static double tie(ScalarType type, const Draw &draw, uint64_t index) {
  Words words = philox(draw.seed, draw.stream, index | kOtherWords);
  std::vector<int> mantissas = narrowMantissas(type, draw.narrow);
  bool halves = mantissas.empty();
  if (halves)
    mantissas = narrowMantissas(type, {ScalarType::F32, ScalarType::F16,
                                       ScalarType::BF16, ScalarType::F8E4M3FN,
                                       ScalarType::F8E5M2});
  size_t which = (words.second >> 8) % (mantissas.size() + halves);
  double magnitude = 0;
  if (which == mantissas.size()) {
    int bits = std::min(extremesOf(type).mantissa, 8);
    magnitude = double(words.first >> (64 - bits)) + 0.5;
  } else {
    int bits = mantissas[which];
    uint64_t odd = 2 * (words.first >> (64 - bits)) + 1;
    int exponent = int(words.second >> 1 & 7) - 4;
    magnitude = std::ldexp(1 + std::ldexp(double(odd), -bits - 1), exponent);
  }
  return words.second & 1 ? -magnitude : magnitude;
}

static double valueOf(const Draw &draw, ScalarType type, uint64_t index) {
  uint64_t seed = draw.seed;
  uint32_t stream = draw.stream;
  switch (draw.kind) {
  case RandomKind::Normal:
    return normal(seed, stream, index);
  case RandomKind::Uniform: {
    // Truncated, not rounded, so that 1 is never reached in a narrow type.
    double value = unit(philox(seed, stream, index).first);
    double step = std::ldexp(1, -extremesOf(type).mantissa - 1);
    return std::floor(value / step) * step;
  }
  case RandomKind::Ones:
    return 1;
  case RandomKind::Special:
    return special(type, seed, stream, index);
  case RandomKind::Cancel:
    return cancel(type, seed, stream, index);
  case RandomKind::Denormals:
    return denormal(type, seed, stream, index);
  case RandomKind::Nonfinite:
    return nonfinite(seed, stream, index);
  case RandomKind::Zeros:
    return zeros(seed, stream, index);
  case RandomKind::Ties:
    return tie(type, draw, index);
  }
  return 0;
}

static uint64_t smallInteger(ScalarType type, uint64_t seed, uint32_t stream,
                             uint64_t index) {
  auto value = int64_t(std::floor(8 * normal(seed, stream, index) + 0.5));
  return uint64_t(artifact::isUnsigned(type) ? std::abs(value) : value);
}

/// Odd numbers: small ones, which half is no integer of, and such that lie
/// half way between neighbours of a float type.
static uint64_t integerTie(ScalarType type, const Words &words) {
  int width = 8 * int(artifact::bytesOf(type));
  uint64_t odd = 2 * (words.first >> 60) + 1;
  std::vector<int> tops; // the float type's bits: 2^top is exact, 2^top + 1 not
  for (int top : {4, 8, 11, 24, 53})
    if (top < width - 1)
      tops.push_back(top);
  size_t which = words.second % (2 * tops.size());
  uint64_t value = odd;
  if (which < tops.size()) // neighbours there are 2 apart
    value = (uint64_t(1) << tops[which]) + odd % (uint64_t(1) << tops[which]);
  bool isNegative = words.second >> 63 && !artifact::isUnsigned(type);
  return isNegative ? ~value + 1 : value;
}

/// The bits of an integer; those above its width are cut off.
static uint64_t integerOf(const Draw &draw, ScalarType type, uint64_t index) {
  uint64_t seed = draw.seed;
  uint32_t stream = draw.stream;
  Words words = philox(seed, stream, index | kOtherWords);
  int width = 8 * int(artifact::bytesOf(type));
  switch (draw.kind) {
  case RandomKind::Uniform:
    return words.first;
  case RandomKind::Ones:
    return 1;
  case RandomKind::Special: {
    if (words.first >> 63)
      return smallInteger(type, seed, stream, index);
    if (draw.range)
      return uint64_t(words.second & 1 ? draw.range->high - 1
                                       : draw.range->low);
    uint64_t top = uint64_t(1) << (width - 1);
    const uint64_t extremes[] = {0,       1, ~uint64_t(0), top, top - 1,
                                 top + 1, 2, width - 1u};
    return extremes[words.second & 7];
  }
  case RandomKind::Cancel: {
    // Any number of bits; every second element is about the first's negative.
    Words pair = philox(seed, stream, index / 2 | kOtherWords);
    uint64_t magnitude = pair.first >> (65 - width + pair.second % (width - 1));
    magnitude += words.second & 3;
    return index % 2 ? ~magnitude + 1 : magnitude;
  }
  case RandomKind::Denormals:
    return artifact::isUnsigned(type) ? words.first & 1 : words.first % 3 - 1;
  case RandomKind::Zeros:
    return words.first % 4 ? 0 : smallInteger(type, seed, stream, index);
  case RandomKind::Ties:
    return integerTie(type, words);
  default:
    return smallInteger(type, seed, stream, index);
  }
}

/// The bits of an integer or a bool.
static uint64_t bitsOf(const Draw &draw, ScalarType type, uint64_t index) {
  if (type == ScalarType::Bool)
    return draw.kind == RandomKind::Ones ||
           philox(draw.seed, draw.stream, index | kOtherWords).first >> 63;
  uint64_t bits = integerOf(draw, type, index);
  if (!draw.range)
    return bits;
  // As the type reads them: cut, then with the sign of a signed one.
  int cut = 64 - 8 * int(artifact::bytesOf(type));
  bits <<= cut;
  bits =
      artifact::isUnsigned(type) ? bits >> cut : uint64_t(int64_t(bits) >> cut);
  auto [low, high] = *draw.range;
  if (low >= high)
    return uint64_t(low);
  bool isHuge = type == ScalarType::U64 && bits >> 63;
  if (!isHuge && int64_t(bits) >= low && int64_t(bits) < high)
    return bits;
  return uint64_t(low) + bits % (uint64_t(high) - uint64_t(low));
}

static void fillPart(HostArray &array, const Draw &draw, int64_t begin,
                     int64_t end) {
  bool dense = array.strides() == denseStrides(array.shape());
  for (int64_t index = begin; index < end; ++index) {
    int64_t position = index;
    if (!dense) {
      std::vector<int64_t> at = unflatten(array.shape(), index);
      position = 0;
      for (size_t dim = 0; dim < at.size(); ++dim)
        position += at[dim] * array.strides()[dim];
    }
    if (!artifact::isFloat(array.type()))
      storeBits(array.data(), array.type(), position,
                bitsOf(draw, array.type(), uint64_t(index)));
    else
      storeElement(array.data(), array.type(), position,
                   valueOf(draw, array.type(), uint64_t(index)));
  }
}

void rt::fillRandom(HostArray &array, const Draw &draw) {
  constexpr int64_t kElementsWorthAThread = 1 << 18;
  int64_t count = array.elements();
  int64_t threads = std::min<int64_t>(std::thread::hardware_concurrency(),
                                      count / kElementsWorthAThread);
  if (threads <= 1)
    return fillPart(array, draw, 0, count);
  std::vector<std::thread> workers;
  int64_t share = (count + threads - 1) / threads;
  for (int64_t begin = 0; begin < count; begin += share)
    workers.emplace_back([&, begin] {
      fillPart(array, draw, begin, std::min(begin + share, count));
    });
  for (std::thread &worker : workers)
    worker.join();
}
