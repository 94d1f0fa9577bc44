//===- TypesTest.cpp - integers, booleans and f8 on the host --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "compiler/arith/Formats.h"

#include <cmath>
#include <limits>

using namespace girih;
using namespace girih::reference;
using namespace girih::reference::test;

namespace {

/// The numbers of T at its ends and around zero, all pairs of them.
template <typename T> std::vector<T> interesting() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values;
  for (int i = -9; i <= 9; ++i)
    values.push_back(static_cast<T>(i));
  for (int i = 0; i < 4; ++i) {
    values.push_back(static_cast<T>(Limits::max() - i));
    values.push_back(static_cast<T>(Limits::min() + i));
  }
  values.push_back(static_cast<T>(8 * sizeof(T)));
  values.push_back(static_cast<T>(8 * sizeof(T) - 1));
  return values;
}

/// te's binary operation on every pair.
template <typename T, typename Expected>
void checkBinary(const std::string &kind, const std::string &type,
                 ScalarType scalar, Expected expected) {
  INFO(kind << " " << type);
  std::vector<T> values = interesting<T>();
  int64_t n = static_cast<int64_t>(values.size());
  Array<T> x(scalar, {n * n}), y(scalar, {n * n}), w(scalar, {n * n}),
      z(scalar, {n * n});
  for (int64_t i = 0; i < n * n; ++i) {
    x.data[i] = values[i / n];
    y.data[i] = values[i % n];
  }
  auto program = compiled(ternaryText(type, "    %z = te.binary " + kind +
                                                " %x, %y : " + type + "\n"));
  runs(program, {x.view(), y.view(), w.view(), z.view()});
  int64_t wrong = 0;
  for (int64_t i = 0; i < n * n; ++i) {
    // Exact in 128 bits, then cut to the type.
    __int128 exact = expected(__int128(x.data[i]), __int128(y.data[i]));
    if (z.data[i] != static_cast<T>(exact)) {
      UNSCOPED_INFO(+x.data[i] << " " << kind << " " << +y.data[i] << " = "
                               << +z.data[i]);
      ++wrong;
    }
  }
  CHECK(wrong == 0);
}

template <typename T>
void checkIntegers(const std::string &type, ScalarType scalar) {
  using Wide = __int128;
  constexpr bool isSigned = std::numeric_limits<T>::is_signed;
  const Wide width = 8 * sizeof(T), count = Wide(1) << width;
  auto check = [&](const char *kind, auto expected) {
    checkBinary<T>(kind, type, scalar, expected);
  };
  auto amount = [&](Wide y) { return y < 0 ? y + count : y; };
  auto floorDiv = [](Wide x, Wide y) {
    Wide q = x / y;
    return q * y != x && (x < 0) != (y < 0) ? q - 1 : q;
  };
  check("add", [](Wide x, Wide y) { return x + y; });
  check("sub", [](Wide x, Wide y) { return x - y; });
  check("mul", [](Wide x, Wide y) { return Wide(T(x)) * Wide(T(y)); });
  check("min", [](Wide x, Wide y) { return x < y ? x : y; });
  check("max", [](Wide x, Wide y) { return x > y ? x : y; });
  check("and", [](Wide x, Wide y) { return x & y; });
  check("or", [](Wide x, Wide y) { return x | y; });
  check("xor", [](Wide x, Wide y) { return x ^ y; });
  check("tdiv", [](Wide x, Wide y) { return y == 0 ? 0 : x / y; });
  check("tmod", [](Wide x, Wide y) { return y == 0 ? x : x % y; });
  check("floordiv",
        [&](Wide x, Wide y) { return y == 0 ? 0 : floorDiv(x, y); });
  check("mod",
        [&](Wide x, Wide y) { return y == 0 ? x : x - floorDiv(x, y) * y; });
  check("shl", [&](Wide x, Wide y) {
    return amount(y) >= width ? 0 : x * (Wide(1) << amount(y));
  });
  check("shr", [&](Wide x, Wide y) {
    if (amount(y) >= width)
      return Wide(isSigned && x < 0 ? -1 : 0);
    return floorDiv(x, Wide(1) << amount(y));
  });
}

/// Y = cast of X, element by element.
template <typename To, typename From>
std::vector<To> castAll(const std::string &from, ScalarType fromType,
                        const std::string &to, ScalarType toType,
                        const std::vector<From> &values) {
  int64_t n = static_cast<int64_t>(values.size());
  Array<From> x(fromType, {n});
  Array<To> y(toType, {n});
  x.data = values;
  auto program = compiled(
      mapText(from, to, "    %y = te.cast %x : " + from + " to " + to + "\n"));
  runs(program, {x.view(), y.view()});
  return y.data;
}

/// Around every integer's end, halves and denormals.
std::vector<double> someDoubles() {
  std::vector<double> values = {0.0,
                                -0.0,
                                0.5,
                                -0.5,
                                0x1p-1074,
                                1.5,
                                -1.5,
                                std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::quiet_NaN()};
  for (int bit : {7, 8, 15, 16, 31, 32, 63, 64}) {
    double end = std::ldexp(1.0, bit);
    for (double value :
         {end, std::nextafter(end, 0), std::nextafter(end, 2 * end), end - 1,
          end - 0.5, end + 0.5, end + 1, 3 * end}) {
      values.push_back(value);
      values.push_back(-value);
    }
  }
  return values;
}

template <typename T>
void checkFromDouble(const std::string &type, ScalarType scalar) {
  INFO(type);
  std::vector<double> values = someDoubles();
  std::vector<T> cast =
      castAll<T>("f64", ScalarType::F64, type, scalar, values);
  // The ends as doubles: max + 1 is a power of two, exactly.
  double top = std::ldexp(1.0, std::numeric_limits<T>::digits);
  for (size_t i = 0; i < values.size(); ++i) {
    double whole = std::trunc(values[i]);
    T expected = 0;
    if (whole >= top)
      expected = std::numeric_limits<T>::max();
    else if (whole <= double(std::numeric_limits<T>::min()))
      expected = std::numeric_limits<T>::min();
    else if (whole == whole)
      expected = static_cast<T>(whole);
    INFO(values[i]);
    CHECK(cast[i] == expected);
  }
}

} // namespace

TEST_CASE("integer arithmetic on the host wraps and is defined everywhere") {
  checkIntegers<int8_t>("i8", ScalarType::I8);
  checkIntegers<int16_t>("i16", ScalarType::I16);
  checkIntegers<int32_t>("i32", ScalarType::I32);
  checkIntegers<int64_t>("i64", ScalarType::I64);
  checkIntegers<uint8_t>("ui8", ScalarType::U8);
  checkIntegers<uint16_t>("ui16", ScalarType::U16);
  checkIntegers<uint32_t>("ui32", ScalarType::U32);
  checkIntegers<uint64_t>("ui64", ScalarType::U64);
}

TEST_CASE("floats to integers on the host truncate and saturate") {
  checkFromDouble<int8_t>("i8", ScalarType::I8);
  checkFromDouble<int16_t>("i16", ScalarType::I16);
  checkFromDouble<int32_t>("i32", ScalarType::I32);
  checkFromDouble<int64_t>("i64", ScalarType::I64);
  checkFromDouble<uint8_t>("ui8", ScalarType::U8);
  checkFromDouble<uint16_t>("ui16", ScalarType::U16);
  checkFromDouble<uint32_t>("ui32", ScalarType::U32);
  checkFromDouble<uint64_t>("ui64", ScalarType::U64);
}

TEST_CASE("integers to narrow floats on the host round once") {
  // 2^53 + 1 ties in f64; with more bits set below, it decides for f16's and
  // bf16's midpoints: 2^8 + 1 of 2^9 parts is one of bf16.
  std::vector<uint64_t> values;
  for (int shift = 0; shift <= 55; ++shift)
    for (uint64_t pattern : {0x101u, 0x103u, 0x1ffu, 0x17fu})
      for (int64_t off : {-1, 0, 1})
        values.push_back((uint64_t(pattern) << shift) + uint64_t(off));
  values.push_back(~uint64_t(0));
  values.push_back(uint64_t(1) << 63);
  auto bf16 = castAll<uint16_t>("ui64", ScalarType::U64, "bf16",
                                ScalarType::BF16, values);
  auto e4m3 = castAll<uint8_t>("ui64", ScalarType::U64, "f8E4M3FN",
                               ScalarType::F8E4M3FN, values);
  for (size_t i = 0; i < values.size(); ++i) {
    INFO(values[i]);
    // Rounded by hand to 8 digits: the spacing is 2^(top - 7).
    int top = 63 - __builtin_clzll(values[i] | 1);
    __int128 spacing = top > 7 ? __int128(1) << (top - 7) : 1;
    __int128 down = values[i] / spacing, rest = values[i] % spacing;
    if (2 * rest > spacing || (2 * rest == spacing && (down & 1)))
      ++down;
    CHECK(widenBf16(bf16[i]) == static_cast<float>(down * spacing));
    if (values[i] > 448)
      CHECK(e4m3[i] == 0x7e);
  }
  auto f16 = castAll<uint16_t>("i32", ScalarType::I32, "f16", ScalarType::F16,
                               std::vector<int32_t>{2049, 2051, -65520, 65519});
  CHECK(arith::fromF16(f16[0]) == 2048); // ties to even
  CHECK(arith::fromF16(f16[1]) == 2052);
  CHECK(arith::fromF16(f16[2]) == -INFINITY);
  CHECK(arith::fromF16(f16[3]) == 65504);
}

TEST_CASE("f8 on the host: every code, and every rounding") {
  struct Format {
    const char *name;
    ScalarType type;
    float (*widen)(uint8_t);
    uint8_t (*narrow)(double);
  };
  const Format formats[] = {{"f8E4M3FN", ScalarType::F8E4M3FN,
                             arith::fromF8E4M3,
                             [](double x) { return arith::toF8E4M3(x); }},
                            {"f8E5M2", ScalarType::F8E5M2, arith::fromF8E5M2,
                             [](double x) { return arith::toF8E5M2(x); }}};
  for (const Format &format : formats) {
    INFO(format.name);
    std::vector<uint8_t> codes(256);
    for (int i = 0; i < 256; ++i)
      codes[i] = static_cast<uint8_t>(i);
    auto wide =
        castAll<float>(format.name, format.type, "f32", ScalarType::F32, codes);
    for (int i = 0; i < 256; ++i)
      CHECK(same(wide[i], format.widen(codes[i])));
    // Each value, each midpoint, and what lies just beside them.
    std::vector<double> values = someDoubles();
    for (int i = 0; i + 1 < 128; ++i) {
      double here = format.widen(codes[i]), next = format.widen(codes[i + 1]);
      for (double value : {here, (here + next) / 2})
        for (double beside : {value, std::nextafter(value, 1e300),
                              std::nextafter(value, -1e300)}) {
          values.push_back(beside);
          values.push_back(-beside);
        }
    }
    auto narrow = castAll<uint8_t>("f64", ScalarType::F64, format.name,
                                   format.type, values);
    for (size_t i = 0; i < values.size(); ++i) {
      INFO(values[i]);
      CHECK(same(format.widen(narrow[i]),
                 format.widen(format.narrow(values[i]))));
    }
  }
}

TEST_CASE("booleans on the host") {
  auto flags = castAll<uint8_t>(
      "f32", ScalarType::F32, "i1", ScalarType::Bool,
      std::vector<float>{0.0f, -0.0f, 0x1p-149f, -1.0f, NAN, INFINITY});
  CHECK(flags == std::vector<uint8_t>{0, 0, 1, 1, 1, 1});
  // Any byte but 0 is read as true, and true is 1.
  auto numbers =
      castAll<int32_t>("i1", ScalarType::Bool, "i32", ScalarType::I32,
                       std::vector<uint8_t>{0, 1, 2, 255});
  CHECK(numbers == std::vector<int32_t>{0, 1, 1, 1});
  auto floats = castAll<float>("i1", ScalarType::Bool, "f32", ScalarType::F32,
                               std::vector<uint8_t>{0, 1, 128});
  CHECK(floats == std::vector<float>{0, 1, 1});
}

TEST_CASE("tf32 on the host rounds to nearest even") {
  std::vector<float> values = {1.0f + 0x1p-11f,
                               1.0f + 3 * 0x1p-11f,
                               1.0f + 0x1p-11f + 0x1p-23f,
                               -0x1.ffcp127f,
                               -0x1.fffp127f,
                               0x1p-149f,
                               0x1p-137f,
                               INFINITY};
  Array<float> x = floats({int64_t(values.size())}), y = x;
  x.data = values;
  auto program = compiled(
      mapText("f32", "f32", "    %y = te.unary tf32 unset %x : f32\n"));
  runs(program, {x.view(), y.view()});
  CHECK(y.data == std::vector<float>{1.0f, 1.0f + 0x1p-9f, 1.0f + 0x1p-10f,
                                     -0x1.ffcp127f, -INFINITY, 0.0f, 0.0f,
                                     INFINITY});
}

TEST_CASE("integer reductions on the host: any term gives the same bits") {
  constexpr int64_t kRows = 3, kColumns = 5000;
  Random random(3);
  Array<int8_t> x(ScalarType::I8, {kRows, kColumns});
  for (int8_t &value : x.data)
    value = static_cast<int8_t>(random.bits());
  uint8_t sums[kRows] = {}, products[kRows] = {1, 1, 1};
  for (int64_t i = 0; i < kRows * kColumns; ++i) {
    sums[i / kColumns] += static_cast<uint8_t>(x.data[i]);
    products[i / kColumns] *= static_cast<uint8_t>(x.data[i]);
  }
  for (const char *term :
       {"seq", "lanes(4096, 16)", "lanes(32, 1)", "seg(100, seq)"}) {
    INFO(term);
    Array<int8_t> s(ScalarType::I8, {kRows});
    runs(compiled(rowReduceText("sum", "i8", term)), {x.view(), s.view()});
    for (int64_t i = 0; i < kRows; ++i)
      CHECK(s.data[i] == static_cast<int8_t>(sums[i]));
    runs(compiled(rowReduceText("prod", "i8", term)), {x.view(), s.view()});
    for (int64_t i = 0; i < kRows; ++i)
      CHECK(s.data[i] == static_cast<int8_t>(products[i]));
  }
}

TEST_CASE("reductions of nothing start where they should") {
  auto nothing = [](const char *kind, const char *type, ScalarType scalar,
                    auto zero) {
    using T = decltype(zero);
    Array<T> x(scalar, {1, 0}), s(scalar, {1});
    runs(compiled(rowReduceText(kind, type, "seq")), {x.view(), s.view()});
    return s.data[0];
  };
  CHECK(nothing("max", "i8", ScalarType::I8, int8_t()) == -128);
  CHECK(nothing("min", "i8", ScalarType::I8, int8_t()) == 127);
  CHECK(nothing("max", "ui16", ScalarType::U16, uint16_t()) == 0);
  CHECK(nothing("min", "ui16", ScalarType::U16, uint16_t()) == 65535);
  CHECK(nothing("sum", "i64", ScalarType::I64, int64_t()) == 0);
  CHECK(nothing("prod", "i64", ScalarType::I64, int64_t()) == 1);
  CHECK(nothing("max", "i1", ScalarType::Bool, uint8_t()) == 0); // any
  CHECK(nothing("min", "i1", ScalarType::Bool, uint8_t()) == 1); // all
}
