//===- SafetensorsTest.cpp - safetensors files, good and hostile ----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Safetensors.h"
#include "runtime/SafetensorsHeader.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <random>

using namespace girih;
using namespace girih::rt;
using artifact::ScalarType;
using namespace std::string_literals;

static std::string file(const std::string &header, const std::string &data,
                        std::optional<uint64_t> length = std::nullopt) {
  uint64_t claimed = length.value_or(header.size());
  std::string bytes;
  for (int i = 0; i < 8; ++i)
    bytes += char(claimed >> 8 * i & 0xFF);
  return bytes + header + data;
}

static std::string entry(const std::string &name, const std::string &dtype,
                         const std::string &shape, const std::string &offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":[" + shape +
         "],\"data_offsets\":[" + offsets + "]}";
}

static std::string refusal(const std::string &bytes,
                           const SafetensorsWish &wish = {"", "x", {}}) {
  Result<HostArray> array = parseSafetensors(bytes, "w", wish);
  if (array)
    return "accepted";
  REQUIRE(array.message().substr(0, 15) == "cannot read w: ");
  return array.message().substr(15);
}

/// What a header is refused for, with 4 bytes of data.
static std::string headerRefusal(const std::string &header) {
  return refusal(file(header, "abcd"));
}

TEST_CASE("tensors are found by name") {
  std::string header = "{\"__metadata__\":{\"format\":\"pt\"}," +
                       entry("b", "F32", "2,1", "2,10") + "," +
                       entry("a.w", "BF16", "1", "0,2") + "}  ";
  std::string bytes =
      file(header, "\x80\x3f"s + "\0\0\x80\x3f\0\0\0\xc0"s); // 1; 1, -2
  Result<HostArray> b = parseSafetensors(bytes, "w", {"b", "x", {}});
  REQUIRE(b);
  CHECK(b->type() == ScalarType::F32);
  CHECK(b->shape() == std::vector<int64_t>{2, 1});
  CHECK(loadElement(b->tensor(), 0) == 1);
  CHECK(loadElement(b->tensor(), 1) == -2);
  Result<HostArray> a = parseSafetensors(bytes, "w", {"", "a.w", {}});
  REQUIRE(a);
  CHECK(a->type() == ScalarType::BF16);
  CHECK(loadElement(a->tensor(), 0) == 1);
  CHECK(refusal(bytes) == "it has no tensor 'x'; it has 'a.w' and 'b'");
  CHECK(refusal(bytes, {"c", "b", {}}) ==
        "it has no tensor 'c'; it has 'a.w' and 'b'");
  // The only tensor of a file needs no name.
  std::string one = file("{" + entry("q", "U8", "", "0,1") + "}", "\7");
  CHECK(refusal(one) == "accepted");
  CHECK(refusal(one, {"x", "x", {}}) == "it has no tensor 'x'; it has 'q'");
}

TEST_CASE("every element type is read and written") {
  const std::pair<const char *, ScalarType> types[] = {
      {"F64", ScalarType::F64},
      {"F32", ScalarType::F32},
      {"F16", ScalarType::F16},
      {"BF16", ScalarType::BF16},
      {"F8_E4M3", ScalarType::F8E4M3FN},
      {"F8_E5M2", ScalarType::F8E5M2},
      {"I8", ScalarType::I8},
      {"I16", ScalarType::I16},
      {"I32", ScalarType::I32},
      {"I64", ScalarType::I64},
      {"U8", ScalarType::U8},
      {"U16", ScalarType::U16},
      {"U32", ScalarType::U32},
      {"U64", ScalarType::U64},
      {"BOOL", ScalarType::Bool}};
  for (const auto &[dtype, type] : types) {
    INFO(dtype);
    std::string data;
    for (size_t i = 0; i < 3 * artifact::bytesOf(type); ++i)
      data += char(type == ScalarType::Bool ? i % 2 : 17 * i + 1);
    std::string header =
        "{" + entry("x", dtype, "3", "0," + std::to_string(data.size())) + "}";
    Result<HostArray> array =
        parseSafetensors(file(header, data), "w", {"x", "", {}});
    REQUIRE(array);
    CHECK(array->type() == type);
    CHECK(rowMajorBytes(*array) == data);
    Result<std::string> written = formatSafetensors({{"x", &*array}});
    REQUIRE(written);
    // Padded to a multiple of 8, then the data as they were.
    std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
    CHECK(*written == file(padded, data));
  }
}

TEST_CASE("bits of types that the writer did not know") {
  std::string bits =
      file("{" + entry("x", "U16", "1", "0,2") + "}", "\x80\x3f"s);
  Result<HostArray> array =
      parseSafetensors(bits, "w", {"", "x", ScalarType::BF16});
  REQUIRE(array);
  CHECK(loadElement(array->tensor(), 0) == 1);
  CHECK(refusal(bits, {"", "x", ScalarType::F16}) ==
        "its tensor 'x' holds U16, not f16");
  CHECK(refusal(file("{" + entry("x", "F4", "8", "0,4") + "}", "abcd")) ==
        "its tensor 'x' holds F4, which is none of the language's types");
}

TEST_CASE("names and escapes") {
  std::string header =
      "{\"\\u0078\\ud83d\\ude00\\n\\\"\\/\":{\"shape\" : [ ] , "
      "\"data_offsets\":[0,1],\"dtype\":\"I8\"}}";
  std::string name = "x\xF0\x9F\x98\x80\n\"/";
  Result<HostArray> array =
      parseSafetensors(file(header, "\5"), "w", {name, "", {}});
  REQUIRE(array);
  Result<std::string> written = formatSafetensors({{name, &*array}});
  REQUIRE(written);
  CHECK(parseSafetensors(*written, "w", {name, "", {}}).ok());
  CHECK(formatSafetensors({{"\xFF", &*array}}).message() ==
        "a name in a safetensors file is UTF-8");
  CHECK(formatSafetensors({{"a", &*array}, {"a", &*array}}).message() ==
        "a safetensors file holds one tensor 'a', not two");
  CHECK(formatSafetensors({{"__metadata__", &*array}}).message() ==
        "no tensor of a safetensors file is called __metadata__");
}

TEST_CASE("wider types come first, whatever the order given") {
  Result<HostArray> bytes = HostArray::create(ScalarType::I8, {3});
  Result<HostArray> wide =
      HostArray::createColumnMajor(ScalarType::F32, {2, 2});
  REQUIRE((bytes && wide));
  for (int i = 0; i < 4; ++i) // position 1 in memory is element [1, 0]
    storeElement(wide->data(), ScalarType::F32, i, i);
  Result<std::string> written =
      formatSafetensors({{"b", &*bytes}, {"w", &*wide}});
  REQUIRE(written);
  CHECK(written->substr(8, 5) == "{\"w\":");
  Result<HostArray> again = parseSafetensors(*written, "w", {"w", "", {}});
  REQUIRE(again);
  CHECK(loadElement(again->tensor(), 1) == 2);
  CHECK(loadElement(again->tensor(), 2) == 1);
}

TEST_CASE("files that lie about their length are refused") {
  CHECK(refusal("") == "it is no safetensors file: it has less than 8 bytes");
  CHECK(refusal("1234567") ==
        "it is no safetensors file: it has less than 8 bytes");
  CHECK(refusal(file("{}", "", ~uint64_t(0))) ==
        "it is no safetensors file: its header claims 18446744073709551615 "
        "bytes; at most 100000000 are read");
  CHECK(refusal(file("{}", "", 3)) == "the file is cut short: its header "
                                      "claims 3 bytes, the file has 2 more");
  CHECK(refusal(file("{}", "a")) ==
        "the file has 1 byte after the data of its tensors");
  CHECK(refusal(file("{}", "")) == "it has no tensor 'x'; it has none");
  CHECK(refusal(file("", "")) ==
        "its header is malformed at byte 0: '{' expected");
}

TEST_CASE("headers that are no JSON of this kind are refused") {
  const std::pair<std::string, const char *> cases[] = {
      {"[]", "at byte 0: '{' expected"},
      {"{", "at byte 1: a string expected"},
      {"{\"x\"}", "at byte 4: ':' expected"},
      {"{\"x\":1}", "at byte 5: '{' expected"},
      {"{\"x", "at byte 3: a string that does not end"},
      {"{\"x\ny", "at byte 3: a control character in a string"},
      {"{\"\\q", "at byte 4: an unknown escape in a string"},
      {"{\"\\u12G4\":", "at byte 6: four hexadecimal digits expected"},
      {"{\"\\ud800\":", "at byte 8: half a surrogate pair"},
      {"{\"\\udc00\":", "at byte 8: half a surrogate pair"},
      {"{\"\\ud800\\u0041\":", "at byte 14: half a surrogate pair"},
      {"{\"\xC0\x80\":", "at byte 2: bytes that are no UTF-8"},
      {"{\"\xED\xA0\x80\":", "at byte 2: bytes that are no UTF-8"},
      {"{\"x\":{\"dtype\":\"F32\",\"dtype\"",
       "at byte 27: the key 'dtype' a second time"},
      {"{\"x\":{\"type\":", "at byte 13: the unknown key 'type'"},
      {"{\"x\":{\"shape\":[NaN]", "at byte 15: an integer from 0 on expected"},
      {"{\"x\":{\"shape\":[-1]", "at byte 15: an integer from 0 on expected"},
      {"{\"x\":{\"shape\":[1.5]", "at byte 16: an integer from 0 on expected"},
      {"{\"x\":{\"shape\":[1e3]", "at byte 16: an integer from 0 on expected"},
      {"{\"x\":{\"shape\":[01]", "at byte 17: an integer from 0 on expected"},
      {"{\"x\":{\"shape\":[1,]", "at byte 17: an integer from 0 on expected"},
      {"{\"x\":{\"shape\":[1 2]", "at byte 17: ',' or ']' expected"},
      {"{\"x\":{\"shape\":[9223372036854775808]",
       "at byte 33: a number that does not fit 64 bits"},
      {"{\"x\":{\"data_offsets\":[0,1,2]", "at byte 26: more than 2 offsets"},
      {"{\"__metadata__\":{\"a\":1}}", "at byte 21: a string expected"},
      {"{\"__metadata__\":{\"a\":\"b\",\"a\"",
       "at byte 28: the key 'a' a second time"},
      {"{\"__metadata__\":{}} x", "at byte 20: text after the last '}'"},
      {"{\"x\":" + std::string(100000, '['), "at byte 5: '{' expected"}};
  for (const auto &[header, words] : cases)
    CHECK(headerRefusal(header) == "its header is malformed "s + words);
  std::string twice = "{" + entry("x", "U8", "4", "0,4") + ",\"x\":";
  CHECK(headerRefusal(twice).find(": the key 'x' a second time") !=
        std::string::npos);
  std::string ones = "1";
  for (int i = 0; i < 64; ++i)
    ones += ",1";
  CHECK(headerRefusal("{" + entry("x", "U8", ones, "0,1") + "}")
            .find("more than 64 dimensions") != std::string::npos);
}

TEST_CASE("tensors that do not fit their data are refused") {
  auto one = [](const char *dtype, const char *shape, const char *offsets) {
    return headerRefusal("{" + entry("x", dtype, shape, offsets) + "}");
  };
  CHECK(one("U8", "4", "0,4") == "accepted");
  CHECK(one("U8", "5", "0,5") ==
        "its tensor 'x' has the data_offsets 0 to 5, the data has 4 bytes");
  CHECK(one("U8", "4", "4,0") ==
        "its tensor 'x' has the data_offsets 4 to 0, the data has 4 bytes");
  CHECK(one("U8", "4", "9223372036854775807,9223372036854775807") ==
        "its tensor 'x' has the data_offsets 9223372036854775807 to "
        "9223372036854775807, the data has 4 bytes");
  CHECK(one("F32", "2", "0,4") ==
        "its tensor 'x' has 4 bytes of data, F32[2] needs 8");
  CHECK(one("F64", "4611686018427387904", "0,4") ==
        "its tensor 'x' has 4 bytes of data, F64[4611686018427387904] needs "
        "more than 64 bits can count");
  CHECK(one("U8", "4294967296,4294967296", "0,0") ==
        "its tensor 'x' has a shape with more elements than 64 bits can count: "
        "[4294967296, 4294967296]");
  CHECK(one("U8", "4", "0") == "its tensor 'x' lacks one of two data_offsets");
  CHECK(headerRefusal("{\"x\":{\"dtype\":\"U8\",\"shape\":[4]}}") ==
        "its tensor 'x' lacks 'data_offsets'");
  CHECK(headerRefusal("{\"x\":{\"shape\":[4],\"data_offsets\":[0,4]}}") ==
        "its tensor 'x' lacks 'dtype'");
  CHECK(one("U8", "3", "1,4") ==
        "the bytes 0 to 1 of its data belong to no tensor");
  CHECK(one("U8", "3", "0,3") ==
        "the file has 1 byte after the data of its tensors");
  CHECK(headerRefusal("{" + entry("x", "U8", "3", "0,3") + "," +
                      entry("y", "U8", "2", "2,4") + "}") ==
        "the data of its tensors 'x' and 'y' overlap");
  CHECK(headerRefusal("{" + entry("x", "U8", "4", "0,4") + "," +
                      entry("y", "U8", "4", "0,4") + "}")
            .find("overlap") != std::string::npos);
  // Tensors without elements share a place with others.
  CHECK(headerRefusal("{" + entry("x", "U8", "4", "0,4") + "," +
                      entry("y", "F32", "0,5", "4,4") + "," +
                      entry("z", "F32", "0", "0,0") + "}") == "accepted");
}

TEST_CASE("every cut and every changed byte is refused or read whole") {
  std::string whole = file("{" + entry("x", "F32", "2", "0,8") + "," +
                               entry("y", "BOOL", "1", "8,9") + "}",
                           "abcdefgh\1");
  for (size_t length = 0; length < whole.size(); ++length)
    CHECK(refusal(whole.substr(0, length)) != "accepted");
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string changed = whole;
    for (unsigned edits = 1 + random() % 3; edits; --edits)
      changed[random() % changed.size()] = char(random());
    refusal(changed); // must not crash
  }
}
