//===- Random.cpp - values that find differences --------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/gpu/sim_silicon/Random.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

using namespace girih::silicon;

uint64_t Rng::next() {
  // SplitMix64.
  uint64_t mixed = state += 0x9e3779b97f4a7c15;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

using Kind = TypeInfo::Kind;
static const TypeInfo kTypes[] = {
    {"pred", 1, Kind::Bits},
    {"b8", 8, Kind::Bits},
    {"u8", 8, Kind::Unsigned},
    {"s8", 8, Kind::Signed},
    {"b16", 16, Kind::Bits},
    {"u16", 16, Kind::Unsigned},
    {"s16", 16, Kind::Signed},
    {"b32", 32, Kind::Bits},
    {"u32", 32, Kind::Unsigned},
    {"s32", 32, Kind::Signed},
    {"b64", 64, Kind::Bits},
    {"u64", 64, Kind::Unsigned},
    {"s64", 64, Kind::Signed},
    {"b128", 128, Kind::Bits},
    {"u16x2", 32, Kind::Unsigned, 2},
    {"s16x2", 32, Kind::Signed, 2},
    {"f16", 16, Kind::Float, 1, 5, 10},
    {"f16x2", 32, Kind::Float, 2, 5, 10},
    {"bf16", 16, Kind::Float, 1, 8, 7},
    {"bf16x2", 32, Kind::Float, 2, 8, 7},
    {"tf32", 32, Kind::Float, 1, 8, 23},
    {"f32", 32, Kind::Float, 1, 8, 23},
    {"f64", 64, Kind::Float, 1, 11, 52},
    {"e4m3x2", 16, Kind::Float, 2, 4, 3},
    {"e5m2x2", 16, Kind::Float, 2, 5, 2},
};

const TypeInfo &girih::silicon::typeInfo(std::string_view name) {
  for (const TypeInfo &type : kTypes)
    if (type.name == name)
      return type;
  std::fprintf(stderr, "no type is called '%.*s'\n", int(name.size()),
               name.data());
  std::abort();
}

unsigned girih::silicon::registerBits(std::string_view type) {
  unsigned bits = typeInfo(type).bits;
  return bits == 8 ? 16 : bits;
}

static uint64_t lowBits(unsigned count) {
  return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
}

static uint64_t drawInteger(Rng &rng, unsigned bits) {
  uint64_t mask = lowBits(bits);
  switch (rng.below(8)) {
  case 0:
    return rng.below(20);
  case 1:
    return (0 - rng.below(20)) & mask;
  case 2: { // a power of two, or next to one
    uint64_t power = uint64_t(1) << rng.below(bits);
    return (power + rng.below(3) - 1) & mask;
  }
  case 3: { // a run of ones, perhaps all
    uint64_t run = lowBits(unsigned(1 + rng.below(bits)));
    return (run << rng.below(bits)) & mask;
  }
  case 4: // the ends of the signed range
    return ((mask >> 1) + rng.below(4) - 1) & mask;
  case 5: // every byte or half the same sort
    return rng.next() & rng.next() & mask;
  default:
    return rng.next() & mask;
  }
}

/// Of a small number that the format holds, or nearly: low bits are cut.
static uint64_t encode(double value, unsigned exponentBits,
                       unsigned mantissaBits) {
  uint64_t sign = std::signbit(value);
  value = std::fabs(value);
  uint64_t encoded = 0;
  if (value != 0) {
    int exponent = 0;
    double fraction = std::frexp(value, &exponent) * 2 - 1; // [0, 1)
    int64_t biased = exponent - 1 + int64_t(lowBits(exponentBits - 1));
    if (biased > 0 && biased < int64_t(lowBits(exponentBits)))
      encoded = (uint64_t(biased) << mantissaBits) |
                uint64_t(std::ldexp(fraction, int(mantissaBits)));
  }
  return sign << (exponentBits + mantissaBits) | encoded;
}

static uint64_t drawSpecialFloat(Rng &rng, unsigned exponentBits,
                                 unsigned mantissaBits) {
  uint64_t infinity = lowBits(exponentBits) << mantissaBits;
  uint64_t one = lowBits(exponentBits - 1) << mantissaBits;
  uint64_t quiet = uint64_t(1) << (mantissaBits - 1);
  const uint64_t values[] = {
      0,
      1,                            // the smallest denormal
      2,                            //
      lowBits(mantissaBits),        // the largest
      lowBits(mantissaBits) + 1,    // the smallest normal number
      lowBits(mantissaBits) + 2,    //
      rng.next() & (quiet * 2 - 1), // a denormal
      infinity - 1,                 // the largest finite number
      infinity,                     //
      infinity | quiet,             // NaN
      infinity | 1,                 // a signalling one
      infinity | (quiet * 2 - 1),   // all ones
      infinity | quiet | rng.below(quiet),
      one,
      one + 1,
      one - 1,
      one + quiet, // 1.5
  };
  return rng.pick(values) | rng.below(2) << (exponentBits + mantissaBits);
}

static uint64_t drawFloat(Rng &rng, unsigned exponentBits,
                          unsigned mantissaBits) {
  unsigned bits = 1 + exponentBits + mantissaBits;
  uint64_t sign = rng.below(2) << (bits - 1);
  uint64_t bias = lowBits(exponentBits - 1);
  uint64_t mantissa = rng.next() & lowBits(mantissaBits);
  switch (rng.below(8)) {
  case 0:
  case 1:
    return drawSpecialFloat(rng, exponentBits, mantissaBits);
  case 2:
    return rng.next() & lowBits(bits);
  case 3: // small multiples of a quarter
    return encode((double(rng.below(161)) - 80) / 4, exponentBits,
                  mantissaBits);
  case 4: { // next to a power of two: where integer types end
    uint64_t exponent = bias + rng.below(std::min<uint64_t>(bias, 66));
    return sign | ((exponent << mantissaBits) + rng.below(5) - 2);
  }
  case 5: { // few bits set: products and sums fall halfway
    unsigned cleared = unsigned(rng.below(mantissaBits + 1));
    uint64_t exponent = bias + rng.below(bias) / 4 - bias / 8;
    return sign | (exponent << mantissaBits) | (mantissa >> cleared << cleared);
  }
  case 6: { // with a fraction of its integer part's size: for conversions
    uint64_t exponent = bias + rng.below(std::min(bias, mantissaBits + 2ul));
    return sign | (exponent << mantissaBits) | mantissa;
  }
  default: { // of similar size: sums cancel and round
    uint64_t exponent = bias - 2 + rng.below(5);
    return sign | (exponent << mantissaBits) | mantissa;
  }
  }
}

static uint64_t drawShift(Rng &rng, unsigned bits) {
  if (rng.chance(70))
    return rng.below(67);
  if (rng.chance(50))
    return rng.below(300);
  return drawInteger(rng, bits);
}

uint64_t girih::silicon::draw(Rng &rng, std::string_view type, Spread spread) {
  const TypeInfo &info = typeInfo(type);
  switch (spread) {
  case Spread::Natural:
    break;
  case Spread::Shift:
    return drawShift(rng, info.bits);
  case Spread::Bit:
    return rng.below(2);
  case Spread::Lane:
    return rng.below(32);
  case Spread::Offset:
    return (rng.below(67) - 33) & lowBits(info.bits);
  }
  if (info.kind != Kind::Float) {
    unsigned bits = info.bits > 64 ? 64 : info.bits / info.lanes;
    uint64_t value = drawInteger(rng, bits);
    return info.lanes == 1 ? value : value | drawInteger(rng, bits) << bits;
  }
  unsigned bits = info.bits / info.lanes;
  uint64_t value = drawFloat(rng, info.exponent, info.mantissa);
  if (info.lanes == 2)
    value |= drawFloat(rng, info.exponent, info.mantissa) << bits;
  return value;
}

std::string girih::silicon::expand(Rng &rng, std::string_view pattern,
                                   std::string_view type) {
  std::string text;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '$') {
      text += type;
      continue;
    }
    if (pattern[i] != '{') {
      text += pattern[i];
      continue;
    }
    size_t end = pattern.find('}', i);
    std::vector<std::string_view> choices(1, pattern.substr(i + 1, 0));
    for (++i; i < end; ++i) {
      if (pattern[i] == '|')
        choices.push_back(pattern.substr(i + 1, 0));
      else
        choices.back() =
            std::string_view(choices.back().data(), choices.back().size() + 1);
    }
    text += rng.pick(choices);
  }
  return text;
}

std::vector<std::string> girih::silicon::words(std::string_view text) {
  std::vector<std::string> found;
  std::string word;
  for (char c : text) {
    if (c != ' ')
      word += c;
    else if (!word.empty())
      found.push_back(std::exchange(word, {}));
  }
  if (!word.empty())
    found.push_back(word);
  return found;
}
