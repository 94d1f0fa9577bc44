//===- MmaTest.cpp - mma.sync ---------------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts are those of PTX ISA 9.0, 9.7.14.5, written down for each shape by
// the index of an element as there; the products are of small integers, which
// every type and every order of additions gets right.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Mma.h"
#include "compiler/arith/Formats.h"
#include "test/unit/sim/Harness.h"

#include <catch2/catch.hpp>

#include <bit>
#include <map>
#include <random>

using namespace girih;
using namespace girih::sim;
using namespace girih::sim::test;

namespace {

struct Place {
  unsigned row, column;
};

/// One instruction of a test.
struct Case {
  std::string sum, a, b; ///< types
  unsigned m, k;
  std::string before = "", after = ""; ///< `.satfinite`, `.xor.popc`
  std::string text() const {
    std::string name = "mma.sync.aligned.m";
    name.append(std::to_string(m)).append("n8k").append(std::to_string(k));
    name.append(".row.col").append(before);
    for (const std::string &type : {sum, a, b, sum})
      name.append(".").append(type);
    return name.append(after);
  }
};

unsigned bitsOfElement(const std::string &type) {
  if (type == "tf32")
    return 32;
  if (type == "e4m3" || type == "e5m2")
    return 8;
  size_t digit = type.find_first_of("0123456789");
  return unsigned(std::stoul(type.substr(digit)));
}

} // namespace

// Layouts, as the manual words them -------------------------------------------

static Place placeOfA(const Case &c, unsigned lane, unsigned i) {
  unsigned group = lane >> 2, inGroup = lane % 4;
  switch (bitsOfElement(c.a)) {
  case 64: // .m8n8k4; .m16n8k4, k8, k16
    if (c.m == 8)
      return {group, inGroup};
    return {i % 2 == 0 ? group : group + 8, i / 2 * 4 + inGroup};
  case 32: // a0, a1 of .m16n8k4; a0 .. a3 of .m16n8k8
    return {i == 0 || i == 2 ? group : group + 8,
            i < 2 ? inGroup : inGroup + 4};
  case 16:
    if (c.k == 8)
      return {i < 2 ? group : group + 8, inGroup * 2 + (i & 1)};
    return {i < 2 || (4 <= i && i < 6) ? group : group + 8,
            i < 4 ? inGroup * 2 + (i & 1) : inGroup * 2 + (i & 1) + 8};
  case 8:
    if (c.m == 8)
      return {group, inGroup * 4 + i};
    if (c.k == 16)
      return {i < 4 ? group : group + 8, inGroup * 4 + (i & 3)};
    return {i < 4 || (8 <= i && i < 12) ? group : group + 8,
            i < 8 ? inGroup * 4 + (i & 3) : inGroup * 4 + (i & 3) + 16};
  case 4:
    if (c.m == 8)
      return {group, inGroup * 8 + i};
    if (c.k == 32)
      return {i < 8 ? group : group + 8, inGroup * 8 + (i & 7)};
    return {i < 8 || (16 <= i && i < 24) ? group : group + 8,
            i < 16 ? inGroup * 8 + (i & 7) : inGroup * 8 + (i & 7) + 32};
  default: // b1
    if (c.m == 8)
      return {group, inGroup * 32 + i};
    if (c.k == 128)
      return {i < 32 ? group : group + 8, inGroup * 32 + (i & 31)};
    return {i < 32 || (64 <= i && i < 96) ? group : group + 8,
            i < 64 ? inGroup * 32 + (i & 31) : inGroup * 32 + (i & 31) + 128};
  }
}

/// Row (along k) and column.
static Place placeOfB(const Case &c, unsigned lane, unsigned i) {
  unsigned group = lane >> 2, inGroup = lane % 4;
  switch (bitsOfElement(c.b)) {
  case 64:
  case 32:
    return {inGroup + 4 * i, group};
  case 16:
    return {i < 2 ? inGroup * 2 + (i & 1) : inGroup * 2 + (i & 1) + 8, group};
  case 8:
    return {i < 4 ? inGroup * 4 + (i & 3) : inGroup * 4 + (i & 3) + 16, group};
  case 4:
    return {i < 8 ? inGroup * 8 + (i & 7) : inGroup * 8 + (i & 7) + 32, group};
  default:
    return {i < 32 ? inGroup * 32 + (i & 31) : inGroup * 32 + (i & 31) + 128,
            group};
  }
}

static Place placeOfC(unsigned lane, unsigned i) {
  return {i < 2 ? lane >> 2 : (lane >> 2) + 8, lane % 4 * 2 + (i & 1)};
}

// Values
// -----------------------------------------------------------------------

/// A small integer in a type's bits.
static uint64_t encode(const std::string &type, int value) {
  if (type == "f64")
    return bits(double(value));
  if (type == "f32" || type == "tf32")
    return bits(float(value));
  if (type == "f16")
    return arith::toF16(float(value));
  if (type == "bf16")
    return arith::toBf16(float(value));
  if (type == "e4m3")
    return arith::toF8E4M3(float(value));
  if (type == "e5m2")
    return arith::toF8E5M2(float(value));
  unsigned width = bitsOfElement(type);
  return uint64_t(uint32_t(value)) & ((uint64_t(1) << width) - 1);
}

static int pick(std::mt19937 &random, const std::string &type) {
  if (type[0] == 'u')
    return int(random() % 8);
  if (type == "b1")
    return int(random() & 1);
  return int(random() % 8) - 4; // e5m2 has -4 .. 4
}

/// The registers of a matrix by lane, from elements in the order of indices.
using Registers = std::vector<std::vector<uint64_t>>;

/// Runs one instruction on registers of 32 lanes.
static Registers run(const Case &c, const Registers &a, const Registers &b,
                     const Registers &sums,
                     const SimulatorOptions &options = {}) {
  bool isF64 = c.sum == "f64";
  std::string operand = isF64 ? "%d" : "%r", type = isF64 ? "f64" : "b32";
  std::string sumReg = c.sum == "f32" ? "%f" : operand;
  std::string sumType = c.sum == "f32" ? "f32" : type;
  std::vector<LaneInput> inputs;
  unsigned next = 0;
  auto list = [&](const Registers &matrix, const std::string &prefix,
                  const std::string &kind) {
    std::string text = "{";
    for (const std::vector<uint64_t> &lanes : matrix) {
      std::string name = prefix + std::to_string(next++);
      text.append(text.size() > 1 ? ", " : "").append(name);
      inputs.push_back({name, kind, lanes});
    }
    return text + "}";
  };
  std::string operands = list(a, operand, type) + ", ";
  operands += list(b, operand, type) + ", ";
  operands += list(sums, sumReg, sumType);
  std::vector<std::pair<std::string, std::string>> results;
  std::string d = "{";
  for (size_t i = 0; i < sums.size(); ++i) {
    std::string name = sumReg + std::to_string(next++);
    d.append(d.size() > 1 ? ", " : "").append(name);
    results.push_back({name, sumType});
  }
  return runLanes(c.text() + " " + d + "}, " + operands + ";", results, inputs,
                  options);
}

/// Packs elements of `width` bits, the first lowest.
template <typename Element>
static Registers pack(unsigned elements, unsigned width, Element element) {
  unsigned each = width >= 32 ? 1 : 32 / width;
  Registers registers(elements / each, std::vector<uint64_t>(32, 0));
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < elements; ++i)
      registers[i / each][lane] |= element(lane, i) << (i % each * width);
  return registers;
}

/// D as a matrix of bits.
static std::vector<uint64_t> unpackD(const Case &c, const Registers &d) {
  std::vector<uint64_t> matrix(c.m * 8);
  bool isF16 = c.sum == "f16";
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < c.m / 4; ++i) {
      Place place = placeOfC(lane, i);
      uint64_t word =
          isF16 ? d[i / 2][lane] >> i % 2 * 16 & 0xffff : d[i][lane];
      matrix[place.row * 8 + place.column] = word;
    }
  return matrix;
}

/// Bits by row and column, into registers and back.
static std::vector<uint64_t> multiply(const Case &c,
                                      const std::vector<uint64_t> &a,
                                      const std::vector<uint64_t> &b,
                                      const std::vector<uint64_t> &sums,
                                      const SimulatorOptions &options = {}) {
  unsigned widthA = bitsOfElement(c.a), widthB = bitsOfElement(c.b);
  return unpackD(c, run(c,
                        pack(c.m * c.k / 32, widthA,
                             [&](unsigned lane, unsigned i) {
                               Place place = placeOfA(c, lane, i);
                               return a[place.row * c.k + place.column];
                             }),
                        pack(c.k * 8 / 32, widthB,
                             [&](unsigned lane, unsigned i) {
                               Place place = placeOfB(c, lane, i);
                               return b[place.row * 8 + place.column];
                             }),
                        pack(c.m / 4, bitsOfElement(c.sum),
                             [&](unsigned lane, unsigned i) {
                               Place place = placeOfC(lane, i);
                               return sums[place.row * 8 + place.column];
                             }),
                        options));
}

static void checkProduct(const Case &c, unsigned seed,
                         const SimulatorOptions &options = {}) {
  std::mt19937 random(seed);
  std::vector<int> a(c.m * c.k), b(c.k * 8), sums(c.m * 8);
  std::vector<uint64_t> bitsA, bitsB, bitsC, expected;
  for (int &value : a)
    bitsA.push_back(encode(c.a, value = pick(random, c.a)));
  for (int &value : b)
    bitsB.push_back(encode(c.b, value = pick(random, c.b)));
  for (int &value : sums)
    bitsC.push_back(encode(c.sum, value = int(random() % 200) - 100));
  for (unsigned row = 0; row < c.m; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      int sum = sums[row * 8 + column];
      for (unsigned k = 0; k < c.k; ++k) {
        int x = a[row * c.k + k], y = b[k * 8 + column];
        sum += c.after == ".xor.popc" ? x ^ y : x * y;
      }
      expected.push_back(encode(c.sum, sum));
    }
  CHECK(multiply(c, bitsA, bitsB, bitsC, options) == expected);
}

// Every shape and type
// ---------------------------------------------------------

static std::vector<Case> allCases() {
  std::vector<Case> cases;
  for (const char *sum : {"f32", "f16"}) {
    cases.push_back({sum, "f16", "f16", 16, 8});
    cases.push_back({sum, "f16", "f16", 16, 16});
    for (const char *a : {"e4m3", "e5m2"})
      for (const char *b : {"e4m3", "e5m2"})
        for (unsigned k : {16, 32})
          cases.push_back({sum, a, b, 16, k});
  }
  for (unsigned k : {8, 16})
    cases.push_back({"f32", "bf16", "bf16", 16, k});
  for (unsigned k : {4, 8})
    cases.push_back({"f32", "tf32", "tf32", 16, k});
  for (const char *a : {"s", "u"})
    for (const char *b : {"s", "u"})
      for (const char *width : {"8", "4"})
        for (const char *saturates : {"", ".satfinite"}) {
          unsigned least = *width == '8' ? 16 : 32;
          Case c{"s32",
                 std::string(a) + width,
                 std::string(b) + width,
                 8,
                 least,
                 saturates};
          cases.push_back(c);
          c.m = 16;
          cases.push_back(c);
          c.k *= 2;
          cases.push_back(c);
        }
  for (const char *bits : {".and.popc", ".xor.popc"}) {
    cases.push_back({"s32", "b1", "b1", 8, 128, "", bits});
    cases.push_back({"s32", "b1", "b1", 16, 128, "", bits});
    cases.push_back({"s32", "b1", "b1", 16, 256, "", bits});
  }
  cases.push_back({"f64", "f64", "f64", 8, 4});
  for (unsigned k : {4, 8, 16})
    cases.push_back({"f64", "f64", "f64", 16, k});
  return cases;
}

TEST_CASE("mma multiplies matrices of every shape and type") {
  unsigned seed = 0;
  for (const Case &c : allCases()) {
    INFO(c.text());
    checkProduct(c, ++seed);
  }
  // Each shape of the table is among them.
  std::map<std::string, unsigned> tested;
  for (const Case &c : allCases())
    ++tested[c.a + std::to_string(c.m) + "/" + std::to_string(c.k)];
  CHECK(tested.size() == mmaShapes().size());
}

TEST_CASE("mma on cards of other capabilities") {
  for (unsigned capability : {80u, 86u, 89u, 90u, 100u, 120u}) {
    INFO(capability);
    SimulatorOptions options;
    options.capability = capability;
    checkProduct({"f32", "f16", "f16", 16, 16}, capability, options);
    checkProduct({"f16", "f16", "f16", 16, 16}, capability, options);
    checkProduct({"f32", "tf32", "tf32", 16, 8}, capability, options);
    checkProduct({"f64", "f64", "f64", 8, 4}, capability, options);
    if (capability >= 89)
      checkProduct({"f32", "e4m3", "e5m2", 16, 32}, capability, options);
  }
}

// Arithmetic
// -------------------------------------------------------------------

/// All of A is 1 in its first column and 0 elsewhere, B's first row is `b`;
/// `c` everywhere. D's elements are all the same then.
static uint64_t oneProduct(const Case &c, uint64_t a, uint64_t b, uint64_t sum,
                           unsigned capability = 90) {
  std::vector<uint64_t> bitsA(c.m * c.k), bitsB(c.k * 8);
  for (unsigned row = 0; row < c.m; ++row)
    bitsA[row * c.k] = a;
  for (unsigned column = 0; column < 8; ++column)
    bitsB[column] = b;
  SimulatorOptions options;
  options.capability = capability;
  std::vector<uint64_t> d =
      multiply(c, bitsA, bitsB, std::vector<uint64_t>(c.m * 8, sum), options);
  for (uint64_t element : d)
    CHECK(element == d[0]);
  return d[0];
}

TEST_CASE("mma of infinities and NaN") {
  Case c{"f32", "f16", "f16", 16, 16};
  CHECK(oneProduct(c, 0x7c00, 0x3c00, bits(1.0f)) == 0x7f800000);
  CHECK(oneProduct(c, 0xfc00, 0x3c00, bits(1.0f)) == 0xff800000);
  CHECK(oneProduct(c, 0x7c00, 0x0000, bits(1.0f)) == 0x7fffffff);
  CHECK(oneProduct(c, 0x7e01, 0x3c00, bits(1.0f)) == 0x7fffffff);
  CHECK(oneProduct(c, 0x3c00, 0x3c00, 0xffc00000) == 0x7fffffff);
  CHECK(oneProduct(c, 0x7c00, 0x3c00, 0xff800000) == 0x7fffffff);
  Case half{"f16", "f16", "f16", 16, 16};
  CHECK(oneProduct(half, 0x7c00, 0x0000, 0x3c00) == 0x7fff);
  CHECK(oneProduct(half, 0x7bff, 0x7bff, 0x3c00) == 0x7c00);
  CHECK(oneProduct(half, 0xfbff, 0x3c00, 0xfbff) == 0xfc00);
  // f8e4m3 has no infinity; its NaN becomes the result's.
  CHECK(oneProduct({"f32", "e4m3", "e4m3", 16, 32}, 0x7f, 0x38, 0) ==
        0x7fffffff);
  // tf32 operands lose their 13 low bits, a NaN that has no others too.
  Case tf32{"f32", "tf32", "tf32", 16, 8};
  CHECK(oneProduct(tf32, 0x7f800001, bits(1.0f), 0) == 0x7f800000);
  CHECK(oneProduct(tf32, 0x7f802000, bits(1.0f), 0) == 0x7fffffff);
}

TEST_CASE("mma rounds as the card's tensor cores") {
  // 2^-25 is the last bit that sm_90 keeps beside 1; a product of -2^-25 then
  // pulls the sum below 1, where there is one more bit.
  Case bf16{"f32", "bf16", "bf16", 16, 16};
  uint64_t minus = arith::toBf16(-0x1p-13f), small = arith::toBf16(0x1p-12f);
  CHECK(oneProduct(bf16, minus, small, bits(1.0f)) == bits(1 - 0x1p-24f));
  CHECK(oneProduct(bf16, minus, small, bits(1.0f), 80) == bits(1.0f));
  // Cut toward zero, where the nearest is above.
  uint64_t most = arith::toBf16(0x1.8p-12f);
  CHECK(oneProduct(bf16, most, small, bits(1.0f)) == bits(1.0f));
  // f16 sums go to the nearest: 1 + 1.5 * 2^-11.
  Case half{"f16", "f16", "f16", 16, 16};
  CHECK(oneProduct(half, arith::toF16(0x1.8p-5f), arith::toF16(0x1p-6f),
                   0x3c00) == 0x3c01);
}

TEST_CASE("f8 is summed differently on each generation") {
  Case c{"f32", "e4m3", "e4m3", 16, 32};
  uint64_t tiny = arith::toF8E4M3(0x1p-7f);
  // 1 + 2^-14: sm_89 keeps 13 bits, sm_90 goes by f16 and an f32 addition.
  CHECK(oneProduct(c, tiny, tiny, bits(1.0f), 89) == bits(1.0f));
  CHECK(oneProduct(c, tiny, tiny, bits(1.0f), 90) == bits(1 + 0x1p-14f));
  CHECK(oneProduct(c, tiny, tiny, bits(1.0f), 100) == bits(1 + 0x1p-14f));
  // The accumulator is added last and to the nearest on sm_90: 2^24 + 1.5.
  uint64_t one = arith::toF8E4M3(1.5f), unit = arith::toF8E4M3(1.0f);
  CHECK(oneProduct(c, one, unit, bits(0x1p24f), 90) == bits(0x1p24f + 2));
  CHECK(oneProduct(c, one, unit, bits(0x1p24f), 100) == bits(0x1p24f));
}

TEST_CASE("integer sums wrap around or saturate") {
  Case wraps{"s32", "s8", "s8", 16, 32};
  Case clamps{"s32", "s8", "s8", 16, 32, ".satfinite"};
  CHECK(oneProduct(wraps, 0x7f, 0x7f, 0x7fffffff) == 0x80003f00);
  CHECK(oneProduct(clamps, 0x7f, 0x7f, 0x7fffffff) == 0x7fffffff);
  CHECK(oneProduct(wraps, 0x80, 0x7f, 0x80000000) == 0x7fffc080);
  CHECK(oneProduct(clamps, 0x80, 0x7f, 0x80000000) == 0x80000000);
  CHECK(oneProduct({"s32", "u8", "s8", 16, 32}, 0xff, 0xff, 0) ==
        uint32_t(-255));
  CHECK(oneProduct({"s32", "u4", "s4", 16, 64}, 0xf, 0x8, 0) ==
        uint32_t(15 * -8));
}

TEST_CASE("f64 is a chain of fused multiply-adds") {
  Case c{"f64", "f64", "f64", 16, 16};
  std::mt19937_64 random(5);
  auto value = [&] { return double(int64_t(random())) * 0x1p-63; };
  std::vector<double> a(16 * 16), b(16 * 8), sums(16 * 8);
  std::vector<uint64_t> bitsA, bitsB, bitsC, expected;
  for (double &x : a)
    bitsA.push_back(bits(x = value()));
  for (double &x : b)
    bitsB.push_back(bits(x = value()));
  for (double &x : sums)
    bitsC.push_back(bits(x = value()));
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      double sum = sums[row * 8 + column];
      for (unsigned k = 0; k < 16; ++k)
        sum = std::fma(a[row * 16 + k], b[k * 8 + column], sum);
      expected.push_back(bits(sum));
    }
  CHECK(multiply(c, bitsA, bitsB, bitsC) == expected);
  // The NaN of B wins, then that of C; quiet ones are made.
  Case small{"f64", "f64", "f64", 8, 4};
  uint64_t nanA = 0x7ff0000000000001, nanB = 0xfff0000000000002;
  uint64_t nanC = 0x7ff8000000000003, one = bits(1.0);
  CHECK(oneProduct(small, nanA, nanB, nanC) == 0xfff8000000000002);
  CHECK(oneProduct(small, nanA, one, nanC) == nanC);
  CHECK(oneProduct(small, nanA, one, one) == 0x7ff8000000000001);
  CHECK(oneProduct(small, bits(double(INFINITY)), one,
                   bits(-double(INFINITY))) == 0xfff8000000000000);
}

// Use
// --------------------------------------------------------------------------

TEST_CASE("numbers may stand for C, and sinks for D") {
  std::vector<LaneInput> inputs = {{"%r0", "b32", {0x01010101}},
                                   {"%r1", "b32", {0x01010101}}};
  std::vector<uint64_t> d =
      runLanes("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {_, %r2}, "
               "{%r0}, {%r1}, {5, 7};",
               "%r2", "b32", inputs);
  CHECK(d == std::vector<uint64_t>(32, 16 + 7));
  d = runLanes("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0, %f1, "
               "%f2, %f3}, {%r0, %r0}, {%r0}, {%f4, 1.0, 2.0, 3.0};",
               "%f3", "f32",
               {{"%r0", "b32", {0}}, {"%f4", "f32", {bits(1.0f)}}});
  CHECK(d == std::vector<uint64_t>(32, bits(3.0f)));
}

TEST_CASE("mma refuses what is not supported, and says so") {
  auto failure = [](const std::string &text) {
    return decodeFailure(text + " {%f0, %f1, %f2, %f3}, {%r0, %r1}, {%r2}, "
                                "{%f0, %f1, %f2, %f3};");
  };
  auto says = [](const std::string &text) { return Catch::Contains(text); };
  CHECK_THAT(failure("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"),
             says("mma of sparse matrices is not supported"));
  CHECK_THAT(failure("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32"),
             says("m8n8k4 of f16 is an instruction of capability 7.0 and not "
                  "supported; use m16n8k8, m16n8k16"));
  CHECK_THAT(failure("mma.sync.aligned.m16n8k64.row.col.f32.f16.f16.f32"),
             says("there is no m16n8k64 of f16, only m16n8k8, m16n8k16"));
  CHECK_THAT(failure("mma.sync.aligned.m17n8k8.row.col.f32.f16.f16.f32"),
             says("'.m17n8k8' is not a shape of mma"));
  CHECK_THAT(failure("mma.sync.aligned.m16n8k8.col.row.f32.f16.f16.f32"),
             says("only the layouts .row.col are supported"));
  CHECK_THAT(failure("mma.sync.aligned.m16n8k8.row.col.f32.f16.bf16.f32"),
             says("mma has no sum of type f32 for A of f16, B of bf16 and C of "
                  "f32"));
  CHECK_THAT(failure("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16"),
             says("four types are expected"));
  CHECK_THAT(failure("mma.aligned.m16n8k8.row.col.f32.f16.f16.f32"),
             says("mma is written mma.sync.aligned"));
  CHECK_THAT(
      failure("mma.sync.aligned.m16n8k8.row.col.satfinite.f32.f16.f16.f32"),
      says("'.satfinite' is for integers of 4 and 8 bits"));
  CHECK_THAT(failure("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e4m3."
                     "e4m3.f32"),
             says("mma with '.kind::f8f6f4' (capability 12.0) is not "
                  "supported"));
  CHECK_THAT(
      failure("mma.sync.aligned.kind::mxf8f6f4.block_scale.m16n8k32.row.col."
              "f32.e4m3.e4m3.f32.ue8m0"),
      says("not supported"));
  CHECK_THAT(failure("mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32"),
             says("ends in .and.popc or .xor.popc"));
  CHECK_THAT(failure("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"),
             says("A is a list of 4 registers, not 2"));
  CHECK_THAT(decodeFailure("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 "
                           "{%r0, %r1}, {%r2}, {3}, {%r0, %r1};"),
             says("B is a list of 1 register; numbers are for C alone"));
  CHECK_THAT(decodeFailure("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 "
                           "{%r0, %r1}, %r2, {%r3}, {%r0, %r1};"),
             says("A is a list of 1 register in braces"));
  CHECK_THAT(decodeFailure("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 "
                           "{%r0, %r1}, {%f2}, {%r3}, {%r0, %r1};"),
             says("%f2"));
  CHECK_THAT(
      decodeFailure("wgmma.fence.sync.aligned;"),
      says("'wgmma' is not supported; of the matrix instructions there are "
           "mma.sync, ldmatrix, stmatrix and movmatrix"));
  CHECK_THAT(
      decodeFailure("wmma.store.d.sync.aligned.row.m16n16k16.f32 [%rd0], "
                    "{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7};"),
      says("'wmma' is not supported"));
}

static Report runIdentity(const SimulatorOptions &options, unsigned threads,
                          const std::string &instruction) {
  Simulator card(options);
  LaunchShape shape;
  shape.block[0] = threads;
  return runKernel(card,
                   kernelText("mov.b32 %r0, 0; mov.b32 %r1, 0; mov.b32 %r2, 0; "
                              "mov.b32 %r3, 0; mov.f32 %f0, 0f00000000; " +
                                  instruction,
                              0, options.capability == 90 ? "sm_90a" : "sm_80"),
                   shape, {});
}

TEST_CASE("mma needs a whole warp and a new enough card") {
  std::string f8 = "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f0, "
                   "%f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r0, %r1}, {%f0, "
                   "%f0, %f0, %f0};";
  SimulatorOptions options;
  options.capability = 80;
  CHECK_THAT(
      runIdentity(options, 32, f8).text(),
      Catch::Contains("it needs a card of capability 8.9, and one of 8.0 "
                      "is played"));
  options.capability = 90;
  CHECK(runIdentity(options, 64, f8).ok());
  CHECK_THAT(runIdentity(options, 48, f8).text(),
             Catch::Contains("16 of 32 lanes are there, and each holds a part "
                             "of the matrices; make the block's threads a "
                             "multiple of 32"));
}

TEST_CASE("matrix instructions are counted") {
  Report report = runIdentity(
      {}, 64,
      "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r0, %r1}, {%r2}, "
      "{%r3}, {%r0, %r1};"
      "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r0, %r1}, {%r2}, "
      "{%r3}, {%r0, %r1};");
  REQUIRE(report.ok());
  CHECK(report.counters.mix[unsigned(Category::Matrix)] == 4);
  CHECK(report.counters.matrix.at("mma.m8n8k16") == 4);
}
