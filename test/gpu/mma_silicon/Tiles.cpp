//===- Tiles.cpp - operands that tell models apart ------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/gpu/mma_silicon/Tiles.h"
#include "compiler/arith/Formats.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <thread>

using namespace girih;
using namespace girih::silicon;
using sim::Type;

namespace {

/// SplitMix64: the same everywhere.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t bits() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  int within(int low, int high) { // both included
    return low + int(bits() % uint64_t(high - low + 1));
  }
  bool percent(int chance) { return within(0, 99) < chance; }

private:
  uint64_t state;
};

struct Format {
  int exponentBits, fractionBits;
  bool hasInfinity;
  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  int least() const { return 1 - bias(); } ///< exponent of a normal number
  int most() const {
    return hasInfinity ? bias() : bias() + 1; // f8e4m3: no infinity
  }
  uint64_t sign(bool negative) const {
    return uint64_t(negative) << (exponentBits + fractionBits);
  }
  uint64_t fractionMask() const { return (uint64_t(1) << fractionBits) - 1; }
};

Format formatOf(Type type) {
  switch (type) {
  case Type::F16:
    return {5, 10, true};
  case Type::BF16:
    return {8, 7, true};
  case Type::E4M3:
    return {4, 3, false};
  case Type::E5M2:
    return {5, 2, true};
  case Type::F64:
    return {11, 52, true};
  default: // tf32 operands are any f32
    return {8, 23, true};
  }
}

/// Where the exponents of operands lie. In the last three A's are around some
/// exponent that is different in every tile, and B's so that products are
/// around the smallest number that C has, the largest one, or 1.
enum class Where : uint8_t {
  Middle,
  Bottom,
  Top,
  Everywhere,
  SmallProducts,
  LargeProducts,
  UnlikeOperands
};

/// How a tile of floats is made.
struct Recipe {
  const char *name;
  Where where = Where::Middle;
  int low = 0, high = 0; ///< around 0, above the smallest, below the largest
  int kept = 64;         ///< upper fraction bits that are not zero
  int zeros = 0;         ///< percent
  int specials = 0;      ///< percent: infinities, NaN, the largest number
  /// The accumulator's exponent, relative to a product of the tile's.
  int accumulatorLow = -2, accumulatorHigh = 4;
  int accumulatorZeros = 2;
  bool cancels = false; ///< products in pairs that add up to zero
};

} // namespace

static constexpr Recipe kRecipes[] = {
    {"near one", Where::Middle, -3, 1},
    {"equal exponents", Where::Middle, 0, 0, 64, 0, 0, 0, 8},
    {"medium range", Where::Middle, -10, 6, 64, 2, 0, -16, 8},
    {"whole range", Where::Everywhere, 0, 0, 64, 2, 0, -30, 30},
    {"small and denormal", Where::Bottom, -12, 6, 64, 5, 0, -12, 12},
    {"smallest times large", Where::Everywhere, 0, 0, 64, 20, 0, -40, 8, 30},
    {"infinities and NaN", Where::Middle, -4, 4, 64, 4, 2},
    {"cancellation", Where::Middle, -6, 6, 64, 0, 0, -28, 4, 40, true},
    {"wide cancellation", Where::UnlikeOperands, -9, 9, 64, 0, 0, -40, 4, 30,
     true},
    {"large accumulator", Where::Middle, -3, 1, 64, 0, 0, 10, 32, 0},
    {"sparse", Where::Everywhere, 0, 0, 64, 75, 0, -40, 10, 50},
    {"overflow", Where::Top, -3, 0, 64, 10, 0, -3, 12},
    {"few bits", Where::Middle, -8, 4, 1, 10, 0, -6, 20, 10},
    {"small accumulator", Where::Middle, -2, 2, 64, 0, 0, -32, -14, 0},
    {"small products", Where::SmallProducts, -6, 6, 64, 4, 0, -20, 8, 20},
    {"tiny products", Where::SmallProducts, -14, 2, 3, 4, 0, -10, 16, 30},
    {"tiny alone", Where::SmallProducts, -40, -2, 1, 50, 0, 0, 0, 100},
    {"large cancellation", Where::Top, -3, 0, 64, 0, 0, -140, 0, 30, true},
    {"lone accumulators", Where::Middle, -2, 2, 64, 97, 0, -150, 128, 5},
    {"large products", Where::LargeProducts, -4, 0, 64, 4, 0, -8, 4, 20},
    {"unlike operands", Where::UnlikeOperands, -8, 8, 64, 4, 0, -16, 12},
    {"zeros beside large", Where::UnlikeOperands, -24, 8, 64, 60, 0, -50, 0,
     60},
};
static constexpr const char *kIntegerRecipes[] = {"anything", "extremes",
                                                  "large accumulator", "zeros"};

size_t silicon::recipeCount(const Form &form) {
  return formatOf(form.kind.a).exponentBits && isFloat(form.kind.a)
             ? std::size(kRecipes)
             : std::size(kIntegerRecipes);
}

std::string silicon::recipeName(const Form &form, size_t tile) {
  size_t index = tile % recipeCount(form);
  return isFloat(form.kind.a) ? kRecipes[index].name : kIntegerRecipes[index];
}

// Values ---------------------------------------------------------------------

/// A number with an exponent; below the smallest a denormal or zero, above the
/// largest the largest power of two.
static uint64_t number(Random &random, const Format &format, int exponent,
                       int kept) {
  uint64_t fraction = random.bits() & format.fractionMask();
  if (kept < format.fractionBits)
    fraction = fraction >> (format.fractionBits - kept)
                               << (format.fractionBits - kept);
  uint64_t sign = format.sign(random.bits() & 1);
  exponent = std::min(exponent, format.most());
  int below = format.least() - exponent;
  if (below > 0) {
    uint64_t whole = fraction | uint64_t(1) << format.fractionBits;
    return sign | (below > format.fractionBits ? 0 : whole >> below);
  }
  uint64_t field = uint64_t(exponent + format.bias());
  uint64_t result = field << format.fractionBits | fraction;
  if (!format.hasInfinity && (result & 0x7f) == 0x7f)
    result -= 1; // that would be f8e4m3's NaN
  return sign | result;
}

static uint64_t special(Random &random, const Format &format) {
  uint64_t sign = format.sign(random.bits() & 1);
  uint64_t top = ((uint64_t(1) << format.exponentBits) - 1)
                 << format.fractionBits;
  switch (random.within(0, 3)) {
  case 0:
    return sign | (format.hasInfinity ? top : top | format.fractionMask());
  case 1:
    return sign | top |
           (format.hasInfinity ? 1 + random.bits() % 3 : format.fractionMask());
  default: // the largest number
    return sign |
           (format.hasInfinity ? top - 1 : (top | format.fractionMask()) - 1);
  }
}

namespace {

struct Range {
  int low, high;
  int pick(Random &random) const { return random.within(low, high); }
};

/// Exponents of A's and B's numbers in one tile.
struct Ranges {
  Range a, b;
};

} // namespace

static Range rangeOf(const Format &format, const Recipe &recipe) {
  switch (recipe.where) {
  case Where::Bottom:
    return {format.least() + std::max(recipe.low, -format.fractionBits),
            format.least() + recipe.high};
  case Where::Top:
    return {format.most() + recipe.low, format.most() + recipe.high};
  case Where::Everywhere:
    return {format.least() - std::min(format.fractionBits, 12), format.most()};
  default:
    return {recipe.low, recipe.high};
  }
}

static Ranges rangesOf(Random &random, const sim::MmaKind &kind,
                       const Recipe &recipe) {
  Format a = formatOf(kind.a), b = formatOf(kind.b), c = formatOf(kind.sum);
  if (recipe.where < Where::SmallProducts)
    return {rangeOf(a, recipe), rangeOf(b, recipe)};
  int product = recipe.where == Where::SmallProducts   ? c.least()
                : recipe.where == Where::LargeProducts ? c.most()
                                                       : 0;
  product = std::clamp(product, a.least() + b.least(), a.most() + b.most());
  int center = random.within(std::max(a.least(), product - b.most()),
                             std::min(a.most(), product - b.least()));
  // Half of the spread falls to each side.
  auto around = [&](int middle) {
    return Range{middle + recipe.low / 2, middle + recipe.high / 2};
  };
  return {around(center), around(product - center)};
}

static uint64_t operand(Random &random, const Format &format,
                        const Recipe &recipe, Range range) {
  if (random.percent(recipe.zeros))
    return format.sign(random.bits() & 1);
  if (random.percent(recipe.specials))
    return special(random, format);
  return number(random, format, range.pick(random), recipe.kept);
}

// Matrices -------------------------------------------------------------------

namespace {

/// Bits of elements: a by row, b by column, c by row.
struct Matrices {
  std::vector<uint64_t> a, b, c;
};

} // namespace

static Matrices makeFloats(Random &random, const sim::MmaKind &kind,
                           const Recipe &recipe) {
  Format a = formatOf(kind.a), b = formatOf(kind.b), c = formatOf(kind.sum);
  Ranges ranges = rangesOf(random, kind, recipe);
  Matrices made;
  for (unsigned i = 0; i < unsigned(kind.m) * kind.k; ++i)
    made.a.push_back(operand(random, a, recipe, ranges.a));
  for (unsigned i = 0; i < 8u * kind.k; ++i)
    made.b.push_back(operand(random, b, recipe, ranges.b));
  // Pairs k, k + 1 or k, k + half, with the signs of one side reversed; a few
  // stay alone.
  unsigned apart = random.bits() & 1 ? 1 : kind.k / 2u;
  for (unsigned k = 0; recipe.cancels && k < kind.k; ++k) {
    if (k / apart % 2 == 1 || k + apart >= kind.k || random.percent(10))
      continue;
    for (unsigned row = 0; row < kind.m; ++row)
      made.a[row * kind.k + k + apart] = made.a[row * kind.k + k];
    for (unsigned column = 0; column < 8; ++column)
      made.b[column * kind.k + k + apart] =
          made.b[column * kind.k + k] ^ b.sign(true);
  }
  for (unsigned i = 0; i < kind.m * 8u; ++i) {
    if (random.percent(recipe.accumulatorZeros)) {
      made.c.push_back(c.sign(random.bits() & 1));
      continue;
    }
    if (random.percent(recipe.specials)) {
      made.c.push_back(special(random, c));
      continue;
    }
    int product = ranges.a.pick(random) + ranges.b.pick(random) +
                  random.within(recipe.accumulatorLow, recipe.accumulatorHigh);
    made.c.push_back(number(random, c, product, 64));
  }
  return made;
}

static uint64_t integer(Random &random, Type type, size_t recipe) {
  unsigned bits = bitsOf(type);
  uint64_t mask = (uint64_t(1) << bits) - 1;
  if (recipe == 1) { // extremes
    if (bits == 1)
      return random.percent(95);
    bool negative = random.percent(50);
    return isSigned(type) ? (negative ? mask / 2 + 1 : mask / 2)
                          : (negative ? mask : mask - 1);
  }
  if (recipe == 3 && random.percent(80))
    return 0;
  return random.bits() & mask;
}

static Matrices makeIntegers(Random &random, const sim::MmaKind &kind,
                             size_t recipe) {
  Matrices made;
  for (unsigned i = 0; i < unsigned(kind.m) * kind.k; ++i)
    made.a.push_back(integer(random, kind.a, recipe));
  for (unsigned i = 0; i < 8u * kind.k; ++i)
    made.b.push_back(integer(random, kind.b, recipe));
  for (unsigned i = 0; i < kind.m * 8u; ++i) {
    uint32_t value = uint32_t(random.bits());
    if (recipe == 1 || recipe == 2) { // near where sums wrap around
      uint32_t distance = value % (recipe == 1 ? 1u << 18 : 1u << 14);
      value = random.bits() & 1 ? 0x7fffffff - distance : 0x80000000 + distance;
    } else if (recipe == 3) {
      value = 0;
    }
    made.c.push_back(value);
  }
  return made;
}

// Registers ------------------------------------------------------------------

/// Ors an element into the registers of a tile (Mma.h has the layout; here it
/// is turned round). `index` counts along k or, of C, along a row.
static void place(const Form &form, std::vector<uint8_t> &words, size_t start,
                  unsigned reg, unsigned lane, unsigned shift, uint64_t bits) {
  size_t at = start + (reg * 32 + lane) * form.wordBytes();
  uint64_t word = 0;
  std::memcpy(&word, &words[at], form.wordBytes());
  word |= bits << shift;
  std::memcpy(&words[at], &word, form.wordBytes());
}

static void placeAll(const Form &form, const Matrices &matrices, Tiles &tiles,
                     size_t tile) {
  const sim::MmaKind &kind = form.kind;
  unsigned bits = bitsOf(kind.a);
  unsigned e = kind.a == Type::F64 ? 1 : 32 / bits;
  for (unsigned row = 0; row < kind.m; ++row)
    for (unsigned k = 0; k < kind.k; ++k) {
      unsigned group = k / (4 * e), inGroup = k % (4 * e);
      unsigned reg = kind.m == 16 ? 2 * group + row / 8 : group;
      place(form, tiles.a, tile * form.bytesA(), reg, row % 8 * 4 + inGroup / e,
            inGroup % e * bits, matrices.a[row * kind.k + k]);
    }
  for (unsigned column = 0; column < 8; ++column)
    for (unsigned k = 0; k < kind.k; ++k) {
      unsigned inGroup = k % (4 * e);
      place(form, tiles.b, tile * form.bytesB(), k / (4 * e),
            column * 4 + inGroup / e, inGroup % e * bits,
            matrices.b[column * kind.k + k]);
    }
  bool isF16 = kind.sum == Type::F16;
  for (unsigned row = 0; row < kind.m; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      unsigned j = 2 * (row / 8) + column % 2;
      place(form, tiles.c, tile * form.bytesC(), isF16 ? j / 2 : j,
            row % 8 * 4 + column / 2, isF16 ? j % 2 * 16 : 0,
            matrices.c[row * 8 + column]);
    }
}

void silicon::inParallel(size_t count,
                         const std::function<void(size_t)> &body) {
  size_t workers = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (size_t worker = 0; worker < workers; ++worker)
    threads.emplace_back([&, worker] {
      for (size_t i = worker; i < count; i += workers)
        body(i);
    });
  for (std::thread &thread : threads)
    thread.join();
}

Tiles silicon::makeTiles(const Form &form, size_t count, uint64_t seed) {
  Tiles tiles;
  tiles.count = count;
  tiles.a.resize(count * form.bytesA());
  tiles.b.resize(count * form.bytesB());
  tiles.c.resize(count * form.bytesC());
  for (char letter : form.instruction)
    seed = seed * 31 + uint8_t(letter);
  inParallel(count, [&](size_t tile) {
    Random random(seed + tile * 0x632be59bd9b4e019);
    size_t recipe = tile % recipeCount(form);
    placeAll(form,
             isFloat(form.kind.a)
                 ? makeFloats(random, form.kind, kRecipes[recipe])
                 : makeIntegers(random, form.kind, recipe),
             tiles, tile);
  });
  return tiles;
}

sim::MmaRegisters silicon::registersOf(const Form &form, const Tiles &tiles,
                                       size_t i, uint8_t *d) {
  sim::MmaRegisters registers;
  size_t step = 32 * form.wordBytes();
  for (unsigned r = 0; r < form.kind.registersA(); ++r)
    registers.a[r] = &tiles.a[i * form.bytesA() + r * step];
  for (unsigned r = 0; r < form.kind.registersB(); ++r)
    registers.b[r] = &tiles.b[i * form.bytesB() + r * step];
  for (unsigned r = 0; r < form.kind.registersC(); ++r) {
    registers.c[r] = &tiles.c[i * form.bytesC() + r * step];
    registers.d[r] = d + r * step;
  }
  return registers;
}
