//===- ConvertTest.cpp - cvt ----------------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/sim/Evaluate.h"
#include "test/unit/sim/Harness.h"
#include "test/unit/sim/HostFloat.h"

#include "compiler/arith/Formats.h"
#include "runtime/sim/FloatDecode.h"

using namespace girih;
using namespace girih::sim;
using namespace girih::sim::test;
using Catch::Matchers::Contains;

namespace {

using Int = __int128;
using Real = long double; // holds every operand here exactly

struct IntType {
  std::string name;
  unsigned bits;
  bool isSigned;
  Int least() const { return isSigned ? -(Int(1) << (bits - 1)) : 0; }
  Int most() const { return (Int(1) << (bits - isSigned)) - 1; }
  /// The number in the low bits of a word.
  Int value(uint64_t word) const {
    Int modulus = Int(1) << bits, number = Int(word) % modulus;
    return number > most() ? number - modulus : number;
  }
  /// A register that holds values of the type: %d, %r or %h.
  std::string letter() const {
    return bits == 64 ? "d" : bits == 32 ? "r" : "h";
  }
};
const IntType kInts[] = {{"u8", 8, false},   {"s8", 8, true},
                         {"u16", 16, false}, {"s16", 16, true},
                         {"u32", 32, false}, {"s32", 32, true},
                         {"u64", 64, false}, {"s64", 64, true}};

struct FloatType {
  std::string name;
  const FloatFormat &format;
  std::string letter;
  Real value(uint64_t bits) const {
    if (name == "f16")
      return arith::fromF16(uint16_t(bits));
    if (name == "bf16")
      return arith::fromBf16(uint16_t(bits));
    if (name == "f32")
      return valueOf<float>(bits);
    return valueOf<double>(bits);
  }
  /// Like value(), where infinity is the power of two that follows the largest
  /// finite number.
  Real border(uint64_t bits) const {
    Real number = value(bits);
    return std::isinf(number)
               ? std::copysign(std::ldexp(Real(1), format.bias() + 1), number)
               : number;
  }
};
const FloatType kF16{"f16", kFormatF16, "h"};
const FloatType kBf16{"bf16", kFormatBf16, "h"};
const FloatType kF32{"f32", kFormatF32, "r"};
const FloatType kF64{"f64", kFormatF64, "d"};
const FloatType *const kFloats[] = {&kF16, &kBf16, &kF32, &kF64};

std::string upper(const std::string &letter) {
  return letter == "d" ? "D" : letter == "r" ? "R" : "H";
}

std::string text(const std::string &form, const std::string &to,
                 const std::string &from) {
  return form + " %" + upper(to) + "0, %" + from + "0;";
}

uint64_t cut(Int number, unsigned width) {
  return uint64_t(number) &
         (width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1);
}

unsigned widthOf(const std::string &letter) {
  return letter == "d" ? 64 : letter == "r" ? 32 : 16;
}

/// True if `bits` is what `exact` rounds to: it lies between the neighbours'
/// right borders.
bool isRounded(const FloatType &type, Real exact, uint64_t bits,
               Rounding rounding) {
  const FloatFormat &format = type.format;
  if (exact != exact)
    return bits == format.nan;
  bool isNegative = bits & format.sign();
  if (std::signbit(exact) != isNegative)
    return false;
  uint64_t code = bits & (format.sign() - 1);
  if (std::isinf(exact))
    return code == format.infinity();
  if (code > format.infinity())
    return false;
  Real magnitude = std::fabs(exact), here = type.border(code);
  bool isInfinite = code == format.infinity();
  Real above = isInfinite ? INFINITY : type.border(code + 1);
  Real below = code ? type.border(code - 1) : 0;
  bool inward = rounding == Rounding::Zero ||
                rounding == (isNegative ? Rounding::Up : Rounding::Down);
  if (rounding == Rounding::Nearest) {
    Real low = (below + here) / 2, high = (here + above) / 2;
    bool even = !(code & 1);
    return (magnitude > low || (even && magnitude == low) || code == 0) &&
           (magnitude < high || (even && magnitude == high) || isInfinite);
  }
  // Nothing finite rounds inward to infinity, so the largest number takes all.
  if (inward)
    return !isInfinite && magnitude >= here &&
           (magnitude < above || code + 1 == format.infinity());
  return magnitude <= here || isInfinite
             ? magnitude > below || magnitude == here
             : false;
}

/// Runs the form and lets isRounded judge.
template <typename F>
void expectRounded(const std::string &form, const FloatType &to,
                   const std::string &from, const std::vector<Tuple> &tuples,
                   Rounding rounding, F &&exact) {
  std::string statement = text(form, to.letter, from);
  std::vector<Outputs> found = evaluate(statement, upper(to.letter), tuples);
  for (size_t i = 0; i < tuples.size(); ++i)
    if (!isRounded(to, exact(tuples[i][0]), found[i][0], rounding)) {
      INFO(statement << std::hex << " of 0x" << tuples[i][0] << " gives 0x"
                     << found[i][0]);
      CHECK(false);
      return;
    }
  SUCCEED();
}

std::vector<Tuple> integers(int count) {
  std::mt19937_64 random(21);
  std::vector<Tuple> tuples;
  for (int shift = 0; shift < 64; ++shift)
    for (int64_t step = -3; step <= 3; ++step)
      for (uint64_t top :
           {uint64_t(1), uint64_t(3), uint64_t(0x801), uint64_t(0x1000001)}) {
        uint64_t value = (top << shift) + uint64_t(step);
        tuples.push_back({value});
        tuples.push_back({0 - value});
      }
  for (int i = 0; i < count; ++i)
    tuples.push_back({random() >> random() % 64});
  return tuples;
}

std::vector<Tuple> floatsOf(const FloatFormat &format, int count) {
  FloatSource source(format);
  std::vector<Tuple> tuples;
  for (uint64_t edge : source.allEdges())
    tuples.push_back({edge});
  if (format.sign() == 0x8000)
    for (uint64_t i = 0; i < 0x10000; ++i)
      tuples.push_back({i});
  else
    for (int i = 0; i < count; ++i)
      tuples.push_back({source.any()});
  // Around integers and halves of them, up to 2^66.
  uint64_t one = uint64_t(format.bias()) << format.fractionBits;
  for (int exponent = -3; exponent < 66 && exponent <= format.bias();
       ++exponent)
    for (int i = 0; i < 6; ++i) {
      uint64_t drop = format.fractionBits > exponent + 1 && exponent > -2
                          ? uint64_t(1) << (format.fractionBits - exponent - 1)
                          : 1;
      uint64_t bits = one + uint64_t(exponent) * format.smallestNormal() +
                      (source.next() & (format.smallestNormal() - drop));
      for (int step = -1; step <= 1; ++step) {
        tuples.push_back({bits + uint64_t(step)});
        tuples.push_back({(bits + uint64_t(step)) | format.sign()});
      }
    }
  for (Tuple &tuple : tuples)
    tuple[0] &= 2 * format.sign() - 1;
  return tuples;
}

} // namespace

TEST_CASE("cvt between integers", "[sim]") {
  std::vector<Tuple> tuples = integers(500);
  for (const IntType &from : kInts)
    for (const IntType &to : kInts)
      for (bool sat : {false, true}) {
        if (sat && to.least() <= from.least() && to.most() >= from.most())
          continue; // refused
        std::string form =
            std::string(sat ? "cvt.sat." : "cvt.") + to.name + "." + from.name;
        // Results fill their registers: 8 bits are extended to 16.
        expectAll(text(form, to.letter(), from.letter()), upper(to.letter()),
                  tuples, [&](const Tuple &in) {
                    Int value = from.value(in[0]);
                    if (sat)
                      value = std::clamp(value, to.least(), to.most());
                    return cut(to.value(cut(value, to.bits)),
                               widthOf(to.letter()));
                  });
      }
}

TEST_CASE("cvt of integers in wider registers", "[sim]") {
  std::vector<Tuple> tuples = integers(300);
  for (const IntType &from : kInts)
    for (const IntType &to : kInts)
      expectAll(text("cvt." + to.name + "." + from.name, "d", "d"), "D", tuples,
                [&](const Tuple &in) {
                  return cut(to.value(cut(from.value(in[0]), to.bits)), 64);
                });
  expectAll("cvt.s16.s8 %R0, %d0;", "R", tuples, [&](const Tuple &in) {
    return uint64_t(uint32_t(int32_t(int8_t(in[0]))));
  });
  CHECK(runOne("cvt.u8.u32 %b0, %r1; cvt.s32.s8 %r2, %b0;", "%r2", "b32",
               {{"%r1", "b32", {0x180}}}) == 0xffffff80);
}

TEST_CASE("cvt from integers to floats", "[sim]") {
  std::vector<Tuple> tuples = integers(800);
  for (bool wide : {true, false}) {
    allowWide(wide);
    for (const IntType &from : kInts)
      for (const FloatType *to : kFloats) {
        if (to == &kBf16 && from.bits == 8)
          continue; // ptxas has no registers for it
        for (const RoundingName &mode : kRoundings)
          expectRounded("cvt." + mode.ptx + "." + to->name + "." + from.name,
                        *to, from.letter(), tuples, mode.rounding,
                        [&](uint64_t in) { return Real(from.value(in)); });
      }
  }
  allowWide(true);
}

TEST_CASE("cvt from floats to integers", "[sim]") {
  auto rounded = [](Real value, Rounding rounding) {
    return rounding == Rounding::Zero   ? std::trunc(value)
           : rounding == Rounding::Down ? std::floor(value)
           : rounding == Rounding::Up   ? std::ceil(value)
                                        : std::nearbyint(value);
  };
  for (const FloatType *from : kFloats) {
    std::vector<Tuple> tuples = floatsOf(from->format, 600);
    if (from->letter == "h") // a sample of them
      for (size_t i = 0; i * 5 < tuples.size(); ++i)
        tuples[i] = tuples[i * 5];
    tuples.resize(std::min<size_t>(tuples.size(), 14000));
    for (const IntType &to : kInts)
      for (const RoundingName &mode : kRoundings) {
        if (from == &kBf16 && to.bits == 8)
          continue;
        bool is64 = to.bits == 64 || from == &kF64;
        expectAll(text("cvt." + mode.ptx + "i." + to.name + "." + from->name,
                       to.letter(), from->letter),
                  upper(to.letter()), tuples, [&](const Tuple &in) {
                    unsigned width = widthOf(to.letter());
                    Real value = from->value(in[0]);
                    if (value != value) {
                      uint64_t top = uint64_t(1) << (to.bits - 1);
                      return is64 ? cut(to.value(top), width) : 0;
                    }
                    value = rounded(value, mode.rounding);
                    if (value >= Real(to.most()))
                      return cut(to.most(), width);
                    return cut(value <= Real(to.least()) ? to.least()
                                                         : Int(value),
                               width);
                  });
      }
  }
}

TEST_CASE("cvt flushes denormals of f32", "[sim]") {
  std::vector<Tuple> tuples = {{1}, {0x80000001}, {0x007fffff}, {0x00800000}};
  auto list = [&](const std::string &form, const std::string &to) {
    std::vector<uint64_t> values;
    for (const Outputs &out : evaluate(text(form, to, "r"), upper(to), tuples))
      values.push_back(out[0]);
    return values;
  };
  using List = std::vector<uint64_t>;
  CHECK(list("cvt.rpi.s32.f32", "r") == List{1, 0, 1, 1});
  CHECK(list("cvt.rpi.ftz.s32.f32", "r") == List{0, 0, 0, 1});
  CHECK(list("cvt.rmi.ftz.f32.f32", "r") == List{0, 0x80000000, 0, 0});
  CHECK(list("cvt.rmi.f32.f32", "r") == List{0, 0xbf800000, 0, 0});
  CHECK(list("cvt.ftz.f32.f32", "r") == List{0, 0x80000000, 0, 0x00800000});
  CHECK(list("cvt.ftz.f64.f32", "d") ==
        List{0, uint64_t(1) << 63, 0, bits(0x1p-126)});
  // Not so to f16: measured on an H200.
  CHECK(list("cvt.rp.ftz.f16.f32", "h") == List{1, 0x8000, 1, 1});
  CHECK(list("cvt.rp.ftz.sat.f16.f32", "h") == List{1, 0, 1, 1});
  CHECK(list("cvt.rm.ftz.f16.f32", "h") == List{0, 0x8001, 0, 0});
  CHECK(list("cvt.rn.ftz.f16.f32", "h") == List{0, 0x8000, 0, 0});
  CHECK(list("cvt.rn.ftz.bf16.f32", "h") == List{0, 0x8000, 0, 0x0080});
  CHECK(list("cvt.rn.bf16.f32", "h") == List{0, 0x8000, 0x0080, 0x0080});
}

TEST_CASE("cvt from f64 to f32 flushes what stays denormal", "[sim]") {
  std::vector<Tuple> tuples;
  for (int i = -64; i < 64; ++i) // around 2^-126, in eighths of f32's unit
    for (uint64_t step : {uint64_t(0), uint64_t(1)})
      for (uint64_t sign : {uint64_t(0), uint64_t(1) << 63})
        tuples.push_back(
            {(bits(0x1p-126 + std::ldexp(double(i), -152)) + step) | sign});
  if (kHostFlushes)
    for (const RoundingName &mode : kRoundings)
      expectAll(text("cvt." + mode.ptx + ".ftz.f32.f64", "r", "d"), "R", tuples,
                [&](const Tuple &in) {
                  HostMode host(mode.host, true);
                  volatile double value = valueOf<double>(in[0]);
                  volatile float narrow = float(value);
                  return bitsOfHost(float(narrow));
                });
}

TEST_CASE("cvt between floats", "[sim]") {
  for (bool wide : {true, false}) {
    allowWide(wide);
    for (const FloatType *from : kFloats)
      for (const FloatType *to : kFloats) {
        if (to == from)
          continue;
        bool narrows = to->format.fractionBits < from->format.fractionBits ||
                       to->format.exponentBits < from->format.exponentBits;
        std::vector<Tuple> tuples = floatsOf(from->format, 2500);
        auto exact = [&](uint64_t in) { return from->value(in); };
        if (from == &kF64 || to == &kF64) // tested below
          std::erase_if(tuples, [&](const Tuple &tuple) {
            return from->format.isNan(tuple[0]);
          });
        if (narrows) {
          for (const RoundingName &mode : kRoundings)
            expectRounded("cvt." + mode.ptx + "." + to->name + "." + from->name,
                          *to, from->letter, tuples, mode.rounding, exact);
          continue;
        }
        // Exact. ptxas moves the bits of a bf16, a NaN's too.
        std::vector<Tuple> numbers;
        for (const Tuple &tuple : tuples)
          if (from != &kBf16 || !from->format.isNan(tuple[0]))
            numbers.push_back(tuple);
        expectRounded("cvt." + to->name + "." + from->name, *to, from->letter,
                      numbers, Rounding::Zero, exact);
      }
  }
  allowWide(true);
  CHECK(runOne("cvt.f32.bf16 %f0, %h0;", "%f0", "f32",
               {{"%h0", "b16", {0xff81}}}) == 0xff810000);
  CHECK(runOne("cvt.ftz.f32.bf16 %f0, %h0;", "%f0", "f32",
               {{"%h0", "b16", {0xff81}}}) == 0x7fffffff);
}

TEST_CASE("cvt of f64 that is NaN", "[sim]") {
  struct {
    std::string form;
    const FloatType &to;
    uint64_t in, out;
  } measured[] = {// on an H200
                  {"rm.f32", kF32, 0x7ff85599908f0f67, 0x7fc2accc},
                  {"rm.ftz.f32", kF32, 0xffffffffffffffff, 0xffffffff},
                  {"rp.f32", kF32, 0xffffffffffffffff, 0xffffffff},
                  {"rp.ftz.f32", kF32, 0x7ff8000000000000, 0x7fc00000},
                  {"rz.ftz.f32", kF32, 0xfff82ac6c627230b, 0xffc15636},
                  {"rm.f16", kF16, 0x7ff8000000000000, 0x7e00},
                  {"rn.f16", kF16, 0x7ff0000000000001, 0x7e00},
                  {"rp.f16", kF16, 0xfff0000000000001, 0xfe00},
                  {"rz.f16", kF16, 0x7ff0000000000001, 0x7e00},
                  {"rm.bf16", kBf16, 0x7ff8000000000000, 0x7fc0},
                  {"rn.bf16", kBf16, 0xfff0000000000001, 0xffc0},
                  {"rp.bf16", kBf16, 0x7ff8000000000000, 0x7fc0},
                  {"rz.bf16", kBf16, 0xffff38bbf0803d37, 0xfff9},
                  // .sat is an instruction of its own, which makes 0 of it.
                  {"rn.sat.f32", kF32, 0x7ff8000000000000, 0},
                  {"rz.sat.f16", kF16, 0xfff8000000000000, 0}};
  for (const auto &row : measured) {
    INFO(row.form << std::hex << " of 0x" << row.in);
    CHECK(evaluate(text("cvt." + row.form + ".f64", row.to.letter, "d"),
                   upper(row.to.letter), {{row.in}})[0][0] == row.out);
  }
  // The sign, all ones, and what fits of the fraction behind a first one.
  std::vector<Tuple> nans;
  std::mt19937_64 random(41);
  for (int i = 0; i < 300; ++i)
    nans.push_back({random() | 0x7ff0000000000001});
  for (const FloatType *to : {&kF16, &kBf16, &kF32})
    for (const RoundingName &mode : kRoundings)
      expectAll(
          text("cvt." + mode.ptx + "." + to->name + ".f64", to->letter, "d"),
          upper(to->letter), nans, [&](const Tuple &in) {
            bool isNegative = in[0] >> 63;
            uint64_t shifted = in[0] << 12 >> (64 - to->format.fractionBits);
            return uint64_t(isNegative) * to->format.sign() +
                   (to->format.infinity() | to->format.smallestNormal() / 2 |
                    shifted);
          });
}

TEST_CASE("cvt of NaN to f64", "[sim]") {
  struct {
    std::string form;
    const FloatType &from;
    uint64_t in, out;
  } rows[] = {// measured on an H200
              {"cvt.f64.f16", kF16, 0x7fff, 0x7ffffc0000000000},
              {"cvt.f64.bf16", kBf16, 0x7fff, 0x7fffe00000000000},
              // the same unit
              {"cvt.f64.f16", kF16, 0xfc01, 0xfff8040000000000},
              {"cvt.f64.bf16", kBf16, 0xff81, 0xfff8200000000000},
              {"cvt.f64.f32", kF32, 0x7fffffff, 0x7fffffffe0000000},
              {"cvt.f64.f32", kF32, 0x7fc00000, 0x7ff8000000000000},
              {"cvt.f64.f32", kF32, 0xff800001, 0xfff8000020000000},
              // .ftz is a multiplication before it, .sat a maximum behind.
              {"cvt.ftz.f64.f32", kF32, 0xffc00001, 0x7fffffffe0000000},
              {"cvt.sat.f64.f32", kF32, 0x7fffffff, 0},
              {"cvt.sat.f64.f16", kF16, 0x7fff, 0},
              {"cvt.rni.f64.f64", kF64, 0x7ff0000000000001, 0x7ff8000000000001},
              {"cvt.rzi.f64.f64", kF64, 0xfffc000000000002, 0xfffc000000000002},
              {"cvt.rmi.sat.f64.f64", kF64, 0xfffc000000000002, 0},
              {"cvt.f64.f64", kF64, 0x7ff0000000000001, 0x7ff0000000000001}};
  for (const auto &row : rows) {
    INFO(row.form << std::hex << " of 0x" << row.in);
    CHECK(evaluate(text(row.form, "d", row.from.letter), "D",
                   {{row.in}})[0][0] == row.out);
  }
}

TEST_CASE("cvt of halves in wider registers", "[sim]") {
  std::vector<Tuple> tuples;
  for (uint64_t i = 0; i < 200; ++i)
    tuples.push_back({i * 0x123456789abcdef1});
  for (std::string from : {"r", "d"})
    expectAll(text("cvt.f32.f16", "r", from), "R", tuples, [](const Tuple &in) {
      return bitsOfHost(arith::fromF16(uint16_t(in[0])));
    });
  expectAll(text("cvt.rn.f16.f32", "d", "d"), "D", tuples,
            [](const Tuple &in) -> uint64_t {
              return arith::toF16(double(valueOf<float>(in[0])));
            });
}

TEST_CASE("cvt to integers that stay floats", "[sim]") {
  for (const FloatType *type : kFloats)
    for (const RoundingName &mode : kRoundings) {
      std::string form =
          "cvt." + mode.ptx + "i." + type->name + "." + type->name;
      std::vector<Tuple> tuples = floatsOf(type->format, 1500);
      std::vector<Outputs> found = evaluate(
          text(form, type->letter, type->letter), upper(type->letter), tuples);
      size_t wrong = 0;
      for (size_t i = 0; i < tuples.size(); ++i) {
        Real in = type->value(tuples[i][0]), out = type->value(found[i][0]);
        if (in != in) {
          uint64_t quiet = tuples[i][0] | uint64_t(1) << 51;
          wrong += found[i][0] != (type == &kF64 ? quiet : type->format.nan);
          continue;
        }
        Real lower = std::floor(in), expected = lower;
        if (lower != in) {
          bool up = mode.rounding == Rounding::Up ||
                    (mode.rounding == Rounding::Zero && in < 0);
          if (mode.rounding == Rounding::Nearest)
            up = in - lower > 0.5L ||
                 (in - lower == 0.5L && std::fmod(lower, 2) != 0);
          expected = up ? lower + 1 : lower;
        }
        wrong += out != expected || std::signbit(out) != std::signbit(in);
      }
      INFO(form);
      CHECK(wrong == 0);
    }
}

TEST_CASE("cvt that saturates floats", "[sim]") {
  auto clamp = [](Real value) { // NaN to 0, f64 as well: so on an H200
    return value != value || value <= 0 ? 0.0L : std::min(value, 1.0L);
  };
  struct {
    std::string form;
    const FloatType *to, *from;
  } rows[] = {{"cvt.sat.f32.f32", &kF32, &kF32},
              {"cvt.ftz.sat.f32.f32", &kF32, &kF32},
              {"cvt.sat.f64.f64", &kF64, &kF64},
              {"cvt.sat.f16.f16", &kF16, &kF16},
              {"cvt.sat.f32.f16", &kF32, &kF16},
              {"cvt.sat.f64.f32", &kF64, &kF32},
              {"cvt.rn.sat.f16.f32", &kF16, &kF32},
              {"cvt.rn.sat.f32.f64", &kF32, &kF64},
              {"cvt.rni.sat.f32.f32", &kF32, &kF32}};
  for (const auto &row : rows) {
    std::vector<Tuple> tuples = floatsOf(row.from->format, 1000);
    bool flush = row.form.find("ftz") != std::string::npos;
    bool integral = row.form.find("rni") != std::string::npos;
    expectRounded(row.form, *row.to, row.from->letter, tuples,
                  Rounding::Nearest, [&](uint64_t in) {
                    Real value = row.from->value(in);
                    if (flush && std::fabs(value) < 0x1p-126L)
                      value = 0;
                    return clamp(integral ? std::nearbyint(value) : value);
                  });
  }
  expectAll(
      text("cvt.rn.sat.f32.s32", "r", "r"), "R", integers(50),
      [](const Tuple &in) { return int32_t(in[0]) > 0 ? bits(1.0f) : 0; });
}

TEST_CASE("cvt clamps halves", "[sim]") {
  std::vector<Tuple> tuples = floatsOf(kFormatF32, 2500);
  for (const FloatType *to : {&kF16, &kBf16})
    for (const RoundingName &mode : kRoundings)
      for (int flags = 1; flags < 4; ++flags) {
        if (mode.rounding != Rounding::Nearest &&
            mode.rounding != Rounding::Zero)
          continue;
        bool relu = flags & 1, satfinite = flags & 2;
        uint64_t infinity = to->format.infinity();
        Real largest = to->value(infinity - 1);
        std::string form = "cvt." + mode.ptx + (relu ? ".relu" : "") +
                           (satfinite ? ".satfinite" : "") + "." + to->name +
                           ".f32";
        expectRounded(form, *to, "r", tuples, mode.rounding, [&](uint64_t in) {
          Real value = kF32.value(in);
          if (value != value)
            return value;
          if (relu && std::signbit(value))
            return 0.0L;
          return satfinite && std::fabs(value) > largest
                     ? std::copysign(largest, value)
                     : value;
        });
      }
}

TEST_CASE("cvt packs two halves", "[sim]") {
  std::vector<Tuple> tuples;
  FloatSource source(kFormatF32);
  for (int i = 0; i < 3000; ++i)
    tuples.push_back({source.any(), source.any(), 0, 0});
  for (bool wide : {true, false}) {
    allowWide(wide);
    expectAll("cvt.rn.f16x2.f32 %R0, %r0, %r1;", "R", tuples,
              [](const Tuple &in) {
                return uint64_t(arith::toF16(valueOf<float>(in[0]))) << 16 |
                       arith::toF16(valueOf<float>(in[1]));
              });
    expectAll("cvt.rn.bf16x2.f32 %R0, %r0, %r1;", "R", tuples,
              [](const Tuple &in) {
                return uint64_t(arith::toBf16(valueOf<float>(in[0]))) << 16 |
                       arith::toBf16(valueOf<float>(in[1]));
              });
  }
  allowWide(true);
  // The other forms, against the scalar ones.
  for (std::string half : {"f16", "bf16"})
    for (std::string how :
         {"rz", "rn.relu", "rz.satfinite", "rn.relu.satfinite", "rz.relu"}) {
      std::string scalar = "cvt." + how + "." + half + ".f32 ";
      for (const Outputs &out :
           evaluate("cvt." + how + "." + half + "x2.f32 %R0, %r0, %r1;" +
                        scalar + "%H1, %r0;" + scalar + "%H2, %r1;",
                    "RHH", tuples))
        if (out[0] != (out[1] << 16 | out[2])) {
          INFO(scalar);
          CHECK(out[0] == (out[1] << 16 | out[2]));
          break;
        }
    }
}

TEST_CASE("cvt to tf32", "[sim]") {
  std::vector<Tuple> tuples = floatsOf(kFormatF32, 2000);
  for (uint64_t i = 0; i < 600; ++i) // around ties
    tuples.push_back({0x3f800000 + (i / 3) * 0x1000 + i % 3 - 1, 0, 0, 0});
  constexpr uint64_t low = 0x1fff, inf = 0x7f800000, sign = 0x80000000;
  constexpr uint64_t nan = 0x7fffe000; // measured on an H200
  auto isNan = [](uint64_t x) { return (x & 0x7fffffff) > inf; };
  auto run = [&](const std::string &form, auto &&f) {
    expectAll("cvt." + form + ".tf32.f32 %R0, %r0;", "R", tuples,
              [&](const Tuple &in) -> uint64_t { return f(in[0]); });
  };
  run("rz", [&](uint64_t x) { return isNan(x) ? nan : x & ~low; });
  run("rz.relu", [&](uint64_t x) {
    return isNan(x) ? nan : x & sign ? 0 : x & ~low;
  });
  run("rn", [&](uint64_t x) {
    float rounded = arith::roundToTf32(valueOf<float>(x));
    return isNan(x) ? nan : bitsOfHost(rounded);
  });
  run("rn.relu", [&](uint64_t x) {
    float rounded = arith::roundToTf32(valueOf<float>(x));
    return isNan(x) ? nan : x & sign ? 0 : bitsOfHost(rounded);
  });
  // Ties away from zero: half a unit is added to the magnitude, then cut. The
  // three instructions that ptxas makes for sm_90 leave NaN as it is cut.
  run("rna", [&](uint64_t x) {
    return ((x & 0x7fffffff) < inf ? x + 0x1000 : x) & ~low;
  });
  run("rna.satfinite", [&](uint64_t x) {
    uint64_t cut = ((x & 0x7fffffff) < inf ? x + 0x1000 : x) & ~low;
    return (cut & 0x7fffffff) >= inf ? cut - 0x2000 : cut;
  });
}

TEST_CASE("cvt to and from fp8", "[sim]") {
  struct {
    std::string name;
    uint8_t (*narrow)(float);
    float (*widen)(uint8_t);
  } rows[] = {{"e4m3x2", arith::toF8E4M3, arith::fromF8E4M3},
              {"e5m2x2", arith::toF8E5M2, arith::fromF8E5M2}};
  std::vector<Tuple> all, pairs;
  for (uint64_t i = 0; i < 0x10000; ++i)
    all.push_back({i | (i * 40503 & 0xffff) << 16});
  FloatSource source(kFormatF32);
  for (int i = 0; i < 4000; ++i) {
    // Most between 2^-20 and 2^20.
    auto any = [&] {
      return i % 4 ? 0x35800000 + source.next() % 0x14000000 +
                         (source.next() & 0x80000000)
                   : source.any();
    };
    pairs.push_back({any(), any(), 0, 0});
  }
  for (const auto &row : rows)
    for (bool relu : {false, true}) {
      std::string how = relu ? ".relu" : "";
      auto narrow = [&](float value) -> uint64_t {
        return relu && value < 0    ? 0
               : relu && value == 0 ? 0
                                    : row.narrow(value);
      };
      auto widen = [&](uint64_t bits) -> uint64_t {
        float value = row.widen(uint8_t(bits));
        return relu && std::signbit(value) ? 0 : arith::toF16(value);
      };
      expectAll("cvt.rn.satfinite" + how + "." + row.name +
                    ".f32 %H0, %r0, %r1;",
                "H", pairs, [&](const Tuple &in) {
                  return narrow(valueOf<float>(in[0])) << 8 |
                         narrow(valueOf<float>(in[1]));
                });
      expectAll("cvt.rn.satfinite" + how + "." + row.name + ".f16x2 %H0, %r0;",
                "H", all, [&](const Tuple &in) {
                  return narrow(arith::fromF16(uint16_t(in[0] >> 16))) << 8 |
                         narrow(arith::fromF16(uint16_t(in[0])));
                });
      expectAll("cvt.rn" + how + ".f16x2." + row.name + " %R0, %h0;", "R", all,
                [&](const Tuple &in) {
                  return widen(in[0] >> 8 & 0xff) << 16 | widen(in[0] & 0xff);
                });
    }
}

TEST_CASE("cvt.pack", "[sim]") {
  std::mt19937_64 random(31);
  std::vector<Tuple> tuples;
  for (int i = 0; i < 2000; ++i) {
    auto any = [&] {
      uint64_t value = uint32_t(random()) >> random() % 32;
      return random() & 1 ? value : uint32_t(0 - value);
    };
    tuples.push_back({any(), any(), uint32_t(random()), 0});
  }
  for (unsigned width : {16u, 8u, 4u, 2u})
    for (bool isSigned : {false, true}) {
      IntType type{(isSigned ? "s" : "u") + std::to_string(width), width,
                   isSigned};
      bool fills = width == 16;
      std::string form =
          "cvt.pack.sat." + type.name + ".s32" +
          (fills ? " %R0, %r0, %r1;" : ".b32 %R0, %r0, %r1, %r2;");
      expectAll(form, "R", tuples, [&](const Tuple &in) {
        auto part = [&](uint64_t word) {
          Int value = int32_t(word);
          return cut(std::clamp(value, type.least(), type.most()), width);
        };
        uint64_t packed = part(in[0]) << width | part(in[1]);
        return cut(fills ? packed : in[2] << 2 * width | packed, 32);
      });
    }
}

TEST_CASE("cvt: what is refused", "[sim]") {
  auto says = [](const std::string &statement, const std::string &words,
                 const std::string &target = "sm_90a") {
    INFO(statement);
    CHECK_THAT(decodeFailure(statement, target), Contains(words));
  };
  says("cvt.s32.f32 %r0, %f1;", "a conversion from .f32 to .s32 needs a "
                                "rounding: .rni, .rzi, .rmi or .rpi");
  says("cvt.rn.s32.f32 %r0, %f1;", "needs a rounding: .rni");
  says("cvt.f32.s32 %f0, %r1;", "a conversion from .s32 to .f32 needs a "
                                "rounding: .rn, .rz, .rm or .rp");
  says("cvt.rzi.f16.f32 %h0, %f1;", "needs a rounding: .rn");
  says("cvt.bf16.f16 %h0, %h1;", "needs a rounding: .rn");
  says("cvt.rn.f32.f16 %f0, %h1;",
       "a conversion from .f16 to .f32 does not round");
  says("cvt.rn.f32.f32 %f0, %f1;", "does not round");
  says("cvt.rzi.f32.f16 %f0, %h1;", "rounding to an integer needs equal types");
  says("cvt.rzi.s32.u16 %r0, %h1;",
       "a conversion from .u16 to .s32 does not round");
  says("cvt.rna.f32.f64 %f0, %d1;", "'.rna' goes with .tf32 only");
  says("cvt.sat.s64.s32 %rd0, %r1;",
       "'.sat' has nothing to do: .s64 holds all values of .s32");
  says("cvt.rn.sat.bf16.f32 %h0, %f1;", "'.sat' does not go with .bf16");
  says("cvt.rn.ftz.f16.s32 %h0, %r1;", "'.ftz' goes with .f32 only");
  says("cvt.rn.relu.f16.f64 %h0, %d1;",
       "'.relu' does not go with a conversion from .f64 to .f16");
  says("cvt.rm.satfinite.f16.f32 %h0, %f1;",
       "'.satfinite' needs a rounding: .rn or .rz");
  says("cvt.rn.ftz.relu.f16.f32 %h0, %f1;", "'.relu' does not go with .ftz");
  says("cvt.u32.b32 %r0, %r1;", "there is no conversion from .b32 to .u32");
  says("cvt.u32 %r0, %r1;", "needs two types: the result's and the source's");
  says("cvt.foo.u32.u32 %r0, %r1;", "modifier '.foo' is not supported here");
  says("cvt.rm.f16x2.f32 %r0, %f1, %f2;", "needs a rounding: .rn or .rz");
  says("cvt.rn.sat.f16x2.f32 %r0, %f1, %f2;",
       "'.sat' does not go with this form");
  says("cvt.rm.tf32.f32 %r0, %f1;", "needs a rounding: .rna, .rn or .rz");
  says("cvt.rna.relu.tf32.f32 %r0, %f1;", "'.relu' does not go with this form");
  says("cvt.rn.satfinite.tf32.f32 %r0, %f1;",
       "this form needs sm_100 or newer; the module's target is sm_90a");
  says("cvt.rn.e4m3x2.f32 %h0, %f1, %f2;", "needs .satfinite");
  says("cvt.rz.satfinite.e4m3x2.f32 %h0, %f1, %f2;", "needs a rounding: .rn");
  says("cvt.rn.satfinite.e4m3x2.bf16x2 %h0, %r1;",
       "a conversion from .bf16x2 to .e4m3x2 is not supported");
  says("cvt.rn.satfinite.e4m3x2.s32 %h0, %r1;",
       "there is no conversion from .s32 to .e4m3x2");
  says("cvt.rn.f32.e4m3x2 %f0, %h1;",
       "there is no conversion from .e4m3x2 to .f32");
  says("cvt.f16x2.e4m3x2 %r0, %h1;", "needs a rounding: .rn");
  for (std::string format : {"e2m1x2", "e3m2x2", "e2m3x2", "ue8m0x2", "s2f6x2"})
    says("cvt.rn.satfinite." + format + ".f32 %h0, %f1, %f2;",
         "format '." + format + "' is not supported");
  says("cvt.rn.f16x2.e2m1x2 %r0, %h1;", "format '.e2m1x2' is not supported");
  says("cvt.rs.f16x2.f32 %r0, %f1, %f2, %r3;",
       "rounding '.rs' is not supported");
  says("cvt.rn.bf16.f32 %r0, %f1;", "cannot be an operand of type .bf16");
  says("cvt.f32.bf16 %f0, %r1;", "cannot be an operand of type .bf16");
  says("cvt.u32.u16 %r0, %b1;", "cannot be an operand of type .u16");
  says("cvt.u32.u16 _, %h1;", "operand 1 is the result and cannot be '_'");
  says("cvt.u32.u16 %r0, %h1, %h2;", "takes 2 operands, not 3");
  says("cvt.pack.s16.s32 %r0, %r1, %r2;", "needs .sat");
  says("cvt.pack.sat.s32.s32 %r0, %r1, %r2;",
       "packs to .u16, .s16, .u8, .s8, .u4, .s4, .u2 or .s2");
  says("cvt.pack.sat.s16.u32 %r0, %r1, %r2;", "packs values of type .s32");
  says("cvt.pack.sat.u8.s32 %r0, %r1, %r2;",
       "needs .b32, the type of what fills the upper bits");
  says("cvt.rn.bf16.s32 %h0, %r1;",
       "a conversion from .s32 to .bf16 needs "
       "sm_90 or newer; the module's target is "
       "sm_80",
       "sm_80");
  says("cvt.rn.satfinite.e5m2x2.f32 %h0, %f1, %f2;",
       "a conversion to .e5m2x2 needs sm_89 or newer", "sm_80");
  says("cvt.rn.bf16x2.f32 %r0, %f1, %f2;",
       "a conversion to .bf16x2 needs sm_80 or newer", "sm_75");
  says("cvt.rn.tf32.f32 %r0, %f1;",
       "this form needs sm_90 or newer; the module's target is sm_80", "sm_80");
}
