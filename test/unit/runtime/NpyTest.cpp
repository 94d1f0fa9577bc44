//===- NpyTest.cpp - NumPy files, good and bad ----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Npy.h"

#include <catch2/catch.hpp>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <unistd.h>

using namespace girih;
using namespace girih::rt;
using artifact::ScalarType;

/// A file of format 1.0 with this dictionary and data.
static std::string npy(const std::string &dictionary, const std::string &data) {
  std::string text = dictionary + "\n";
  std::string bytes = "\x93NUMPY";
  bytes += '\1';
  bytes += '\0';
  bytes += char(text.size() & 0xff);
  bytes += char(text.size() >> 8);
  return bytes + text + data;
}

static std::string floats(const std::vector<float> &values) {
  return std::string(reinterpret_cast<const char *>(values.data()),
                     values.size() * 4);
}

static std::string refusal(const std::string &bytes,
                           std::optional<ScalarType> expected = std::nullopt) {
  Result<HostArray> array = parseNpy(bytes, "x.npy", expected);
  return array ? "accepted" : array.message();
}

namespace {
/// A folder that goes away with the test.
struct Folder {
  std::filesystem::path path;
  Folder() {
    path = std::filesystem::temp_directory_path() /
           ("girih-npy-" + std::to_string(getpid()));
    std::filesystem::create_directory(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string file(const char *name) const { return path / name; }
};
} // namespace

TEST_CASE("what NumPy writes is read") {
  // np.save of np.arange(6, dtype='<f4').reshape(2, 3)
  std::string bytes = npy("{'descr': '<f4', 'fortran_order': False, 'shape': "
                          "(2, 3), }                                        "
                          "                 ",
                          floats({0, 1, 2, 3, 4, 5}));
  Result<HostArray> array = parseNpy(bytes, "x.npy");
  REQUIRE(array);
  CHECK(array->type() == ScalarType::F32);
  CHECK(array->shape() == std::vector<int64_t>{2, 3});
  CHECK(array->strides() == std::vector<int64_t>{3, 1});
  CHECK(loadElement(array->tensor(), 4) == 4);
}

TEST_CASE("Fortran order becomes strides") {
  std::string bytes =
      npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }",
          floats({0, 3, 1, 4, 2, 5}));
  Result<HostArray> array = parseNpy(bytes, "x.npy");
  REQUIRE(array);
  CHECK(array->strides() == std::vector<int64_t>{1, 2});
  for (int64_t i = 0; i < 6; ++i)
    CHECK(loadElement(array->tensor(), i) == double(i));
  // Written in C order again.
  Result<HostArray> again = parseNpy(formatNpy(*array), "y.npy");
  REQUIRE(again);
  CHECK(again->strides() == std::vector<int64_t>{3, 1});
  for (int64_t i = 0; i < 6; ++i)
    CHECK(loadElement(again->tensor(), i) == double(i));
}

TEST_CASE("scalars, empty arrays, other versions and spellings") {
  Result<HostArray> scalar =
      parseNpy(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (), }",
                   floats({7})),
               "x");
  REQUIRE(scalar);
  CHECK(scalar->shape().empty());
  CHECK(loadElement(scalar->tensor(), 0) == 7);
  Result<HostArray> empty = parseNpy(
      npy("{\"shape\":(3,0L),'fortran_order':True,'descr':'<f8'}", ""), "x");
  REQUIRE(empty);
  CHECK(empty->elements() == 0);
  std::string text = "{'descr': '<f2', 'fortran_order': False, 'shape': (1,)}";
  for (char major : {2, 3}) {
    std::string bytes = "\x93NUMPY";
    bytes += major;
    bytes += '\0';
    bytes += char(text.size());
    bytes += std::string(3, '\0');
    Result<HostArray> array =
        parseNpy(bytes + text + std::string("\x00\x3c", 2), "x");
    REQUIRE(array);
    CHECK(loadElement(array->tensor(), 0) == 1);
  }
}

TEST_CASE("malformed files are refused in words") {
  const std::string data = floats({1, 2});
  const std::string good =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  REQUIRE(refusal(npy(good, data)) == "accepted");
  const std::string at = "cannot read x.npy: ";
  const std::string malformed = at + "its header is malformed at byte ";
  CHECK(refusal("") == at + "it is not a .npy file");
  CHECK(refusal("PK\3\4zip file") == at + "it is not a .npy file");
  CHECK(refusal("\x93NUMPY\1") ==
        at + "the file ends within its first 8 bytes");
  CHECK(refusal(std::string("\x93NUMPY\1\0\6", 9)) ==
        at + "the file ends before its header");
  CHECK(refusal(std::string("\x93NUMPY\4\0\0\0", 10)) ==
        at + "its format version 4.0 is unknown; known are 1.0, 2.0 and 3.0");
  CHECK(refusal(std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12)) ==
        at + "its header claims 4294967295 bytes; at most 65536 are read");
  CHECK(refusal(npy(good, data).substr(0, 40)) ==
        at + "the file ends within its header");
  CHECK(refusal(npy(good, data).substr(0, 72)) ==
        at + "the file is cut short: shape [2] needs 8 bytes of data, it has "
             "4");
  CHECK(refusal(npy(good, data + "x")) ==
        at + "the file has 1 byte after the data of its shape [2]");
  CHECK(refusal(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (2,)}",
                    data)) ==
        at + "it holds big-endian data ('>f4'): convert it with "
             ".astype('<f4')");
  CHECK(refusal(npy("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}",
                    data)) ==
        at + "its element type '<c8' is not one of the language's");
  CHECK(refusal(npy("{'descr': [('a', '<f4')], 'fortran_order': False, "
                    "'shape': (2,)}",
                    data)) == at + "it holds records, not one element type");
  CHECK(refusal(npy("{'descr': '<f4', 'fortran_order': False, 'shape': "
                    "(-2,)}",
                    data)) == at + "its shape has a negative extent");
  CHECK(refusal(npy("{'descr': '<f4', 'fortran_order': False, 'shape': "
                    "(99999999999999999999,)}",
                    data)) ==
        at + "an extent of its shape does not fit 64 bits");
  CHECK(refusal(npy("{'descr': '<f4', 'fortran_order': False, 'shape': "
                    "(4294967296, 4294967296)}",
                    data)) ==
        at + "its shape [4294967296, 4294967296] has more bytes than 64 bits "
             "can count");
  CHECK(refusal(npy("{'descr': '<f4', 'fortran_order': False, 'shape': "
                    "(0, 4294967296, 4294967296)}",
                    "")) ==
        at + "its shape [0, 4294967296, 4294967296] has more bytes than 64 "
             "bits can count");
  CHECK(refusal(npy("{'descr': '<f4', 'fortran_order': False, 'shape': "
                    "(1000000000000,)}",
                    data)) ==
        at + "the file is cut short: shape [1000000000000] needs "
             "4000000000000 bytes of data, it has 8");
  CHECK(refusal(npy("{'descr': '<f4', 'shape': (2,)}", data)) ==
        at + "its header lacks 'fortran_order'");
  CHECK(refusal(npy("{'descr': '<f4', 'descr': '<f4'}", data)) ==
        malformed + "25: the key 'descr' a second time");
  CHECK(refusal(npy("{'order': 'C'}", data)) ==
        malformed + "9: the unknown key 'order'");
  CHECK(refusal(npy("{'descr': '<f4', 'fortran_order': Maybe}", data)) ==
        malformed + "34: True or False expected");
  CHECK(refusal(npy("{'shape': (2)}", data)) ==
        malformed + "13: (n) is no shape, (n,) is");
  CHECK(refusal(npy("{'shape': (2 3)}", data)) ==
        malformed + "13: ',' or ')' expected");
  CHECK(refusal(npy("{'descr': '<f4}", data)) ==
        malformed + "10: the string does not end");
  CHECK(refusal(npy("import os", data)) == malformed + "0: '{' expected");
  CHECK(refusal(npy(good + " {}", data)) == malformed + "58: text after '}'");
  std::string many = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (int i = 0; i < 65; ++i)
    many += "1, ";
  CHECK(refusal(npy(many + ")}", data)) == at + "it has more than 64 "
                                                "dimensions");
}

TEST_CASE("integers and booleans are read and written as what they are") {
  struct Case {
    const char *descr;
    ScalarType type;
    std::string data; ///< two elements
    const char *first, *second;
  };
  const Case cases[] = {
      {"|i1", ScalarType::I8, "\x80\x7f", "-128", "127"},
      {"<i2", ScalarType::I16, std::string("\x00\x80\xff\x7f", 4), "-32768",
       "32767"},
      {"<i4", ScalarType::I32,
       std::string("\xff\xff\xff\xff\x01\x00\x00\x00", 8), "-1", "1"},
      {"<i8", ScalarType::I64,
       std::string("\xff\xff\xff\xff\xff\xff\xff\x7f\x00\x00\x00\x00\x00\x00"
                   "\x00\x80",
                   16),
       "9223372036854775807", "-9223372036854775808"},
      {"|u1", ScalarType::U8, std::string("\x00\xff", 2), "0", "255"},
      {"<u2", ScalarType::U16, std::string("\x00\x01\xff\xff", 4), "256",
       "65535"},
      {"<u4", ScalarType::U32,
       std::string("\x00\x00\x00\x80\xff\xff\xff\xff", 8), "2147483648",
       "4294967295"},
      {"<u8", ScalarType::U64,
       std::string("\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00"
                   "\x00\x80",
                   16),
       "18446744073709551615", "9223372036854775808"},
      {"|b1", ScalarType::Bool, std::string("\x00\x01", 2), "false", "true"},
  };
  for (const Case &c : cases) {
    INFO(c.descr);
    std::string bytes = npy(std::string("{'descr': '") + c.descr +
                                "', 'fortran_order': False, 'shape': (2,)}",
                            c.data);
    Result<HostArray> array = parseNpy(bytes, "x.npy");
    REQUIRE(array);
    CHECK(array->type() == c.type);
    CHECK(printElement(c.type, loadBits(array->tensor(), 0), 6) == c.first);
    CHECK(printElement(c.type, loadBits(array->tensor(), 1), 6) == c.second);
    std::string written = formatNpy(*array);
    CHECK(written.find(std::string("'descr': '") + c.descr + "'") !=
          std::string::npos);
    CHECK(written.substr(written.size() - c.data.size()) == c.data);
  }
}

TEST_CASE("f8 is read where the caller says so") {
  for (const char *descr : {"|u1", "|V1"}) {
    std::string bytes = npy(std::string("{'descr': '") + descr +
                                "', 'fortran_order': False, 'shape': (2,)}",
                            "\x38\xbc");
    Result<HostArray> e4m3 = parseNpy(bytes, "x.npy", ScalarType::F8E4M3FN);
    REQUIRE(e4m3);
    CHECK(loadElement(e4m3->tensor(), 0) == 1);
    CHECK(loadElement(e4m3->tensor(), 1) == -1.5);
    Result<HostArray> e5m2 = parseNpy(bytes, "x.npy", ScalarType::F8E5M2);
    REQUIRE(e5m2);
    CHECK(loadElement(e5m2->tensor(), 0) == 0.5);
    CHECK(loadElement(e5m2->tensor(), 1) == -1);
  }
  std::string raw = npy("{'descr': '|V1', 'fortran_order': False, 'shape': "
                        "(1,)}",
                        "\x38");
  CHECK(refusal(raw) == "cannot read x.npy: it holds 8-bit data without a type "
                        "('|V1'): say what the bits are, as in "
                        "X:f8e4m3fn=x.npy");
  std::string f32 = npy(
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", floats({1}));
  CHECK(refusal(f32, ScalarType::F8E5M2) ==
        "cannot read x.npy: it holds f32, not f8e5m2 (f8e5m2 is stored as its "
        "bits, '|u1')");
}

TEST_CASE("bf16 is read where the caller says so") {
  std::string bits("\x80\x3f\x00\xc0", 4);
  for (const char *descr : {"<u2", "|V2", "<V2"}) {
    std::string bytes = npy(std::string("{'descr': '") + descr +
                                "', 'fortran_order': False, 'shape': (2,)}",
                            bits);
    Result<HostArray> array = parseNpy(bytes, "x.npy", ScalarType::BF16);
    REQUIRE(array);
    CHECK(array->type() == ScalarType::BF16);
    CHECK(loadElement(array->tensor(), 0) == 1);
    CHECK(loadElement(array->tensor(), 1) == -2);
    // Unsigned integers are a type of their own, raw bytes are none.
    bool isInteger = std::string(descr) == "<u2";
    CHECK(refusal(bytes) ==
          (isInteger
               ? "accepted"
               : std::string("cannot read x.npy: it holds 16-bit data "
                             "without a type ('") +
                     descr + "'): say what the bits are, as in X:bf16=x.npy"));
    CHECK(refusal(bytes, ScalarType::F16) ==
          (isInteger ? "cannot read x.npy: it holds u16, not f16"
                     : std::string("cannot read x.npy: its element type '") +
                           descr + "' is not f16"));
  }
  std::string f32 = npy(
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", floats({1}));
  CHECK(refusal(f32, ScalarType::F32) == "accepted");
  CHECK(refusal(f32, ScalarType::F64) ==
        "cannot read x.npy: it holds f32, not f64");
  CHECK(refusal(f32, ScalarType::BF16) ==
        "cannot read x.npy: it holds f32, not bf16 (bf16 is stored as its "
        "bits, '<u2')");
}

TEST_CASE("every type survives a file") {
  Folder folder;
  for (ScalarType type :
       {ScalarType::F64, ScalarType::F32, ScalarType::F16, ScalarType::BF16})
    for (std::vector<int64_t> shape :
         {std::vector<int64_t>{}, {5}, {2, 3, 4}, {0, 7}}) {
      Result<HostArray> array = HostArray::create(type, shape);
      REQUIRE(array);
      for (uint64_t i = 0; i < array->bytes(); ++i)
        array->data()[i] = std::byte(i * 37);
      REQUIRE(writeNpy(*array, folder.file("a.npy")));
      Result<HostArray> read = readNpy(folder.file("a.npy"), type);
      REQUIRE(read);
      CHECK(read->shape() == shape);
      CHECK(std::memcmp(read->data(), array->data(), array->bytes()) == 0);
      std::ifstream file(folder.file("a.npy"), std::ios::binary);
      std::string bytes((std::istreambuf_iterator<char>(file)), {});
      CHECK(bytes == formatNpy(*array));
      CHECK((bytes.size() - array->bytes()) % 64 == 0);
    }
  // Nothing but the file itself is left.
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path),
                      std::filesystem::directory_iterator()) == 1);
}

TEST_CASE("files that cannot be opened or written are named") {
  Folder folder;
  Result<HostArray> none = readNpy(folder.file("none.npy"));
  REQUIRE_FALSE(none);
  CHECK(none.message() == "cannot open " + folder.file("none.npy") +
                              ": No such file or directory");
  Result<HostArray> array = HostArray::create(ScalarType::F32, {1});
  REQUIRE(array);
  Status status = writeNpy(*array, folder.file("no/such/a.npy"));
  REQUIRE_FALSE(status);
  CHECK(status.message() == "cannot write " + folder.file("no/such/a.npy") +
                                ": No such file or directory");
  std::filesystem::create_directory(folder.file("folder"));
  status = writeNpy(*array, folder.file("folder"));
  REQUIRE_FALSE(status);
  CHECK(status.message() ==
        "cannot write " + folder.file("folder") + ": Is a directory");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path),
                      std::filesystem::directory_iterator()) == 1);
}

TEST_CASE("mutated files are refused or read whole, never worse") {
  std::mt19937 random(20);
  std::vector<std::string> seeds = {
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
          floats({0, 1, 2, 3, 4, 5})),
      npy("{'descr': '<f8', 'fortran_order': True, 'shape': (1, 1, 3), }",
          floats({0, 1, 2, 3, 4, 5})),
      npy("{'descr': '<u2', 'fortran_order': False, 'shape': (4,)}",
          floats({0, 1}))};
  const std::string alphabet = "0123456789-(),'\"{}[]:<>|fuVL \nTrueFalse";
  unsigned accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = seeds[random() % seeds.size()];
    for (unsigned edits = 1 + random() % 4; edits > 0 && !bytes.empty();
         --edits) {
      size_t where = random() % bytes.size();
      switch (random() % 5) {
      case 0:
        bytes[where] = char(random());
        break;
      case 1:
        bytes[where] = alphabet[random() % alphabet.size()];
        break;
      case 2:
        bytes.insert(where, 1, alphabet[random() % alphabet.size()]);
        break;
      case 3:
        bytes.erase(where, 1 + random() % 3);
        break;
      default:
        bytes.resize(1 + where);
        break;
      }
    }
    std::optional<ScalarType> expected;
    if (random() % 2)
      expected = ScalarType(random() % 4);
    Result<HostArray> array = parseNpy(bytes, "x", expected);
    if (!array) {
      REQUIRE(array.message().rfind("cannot read x: ", 0) == 0);
      continue;
    }
    ++accepted;
    REQUIRE(array->bytes() <= bytes.size());
    REQUIRE(elementCount(array->shape()) == array->elements());
    if (expected)
      REQUIRE(array->type() == *expected);
    for (int64_t i = 0; i < array->elements(); ++i)
      (void)loadBits(array->tensor(), i);
  }
  CHECK(accepted > 200);
}
