//===- ArtifactJsonTest.cpp - the JSON picture ----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleArtifact.h"

#include <catch2/catch.hpp>

using namespace girih::artifact;

/// How the string `bytes` comes out, quotes included.
static std::string quoted(const std::string &bytes) {
  Artifact artifact;
  artifact.provenance = bytes;
  std::string json = printJson(artifact);
  std::string key = "\"provenance\": ";
  size_t begin = json.find(key) + key.size();
  return json.substr(begin, json.find(",\n  \"edited\"") - begin);
}

TEST_CASE("the picture of an empty artifact") {
  CHECK(printJson(Artifact()) == R"({
  "op": "",
  "target": "",
  "sizes": [],
  "parameters": [],
  "constraints": [],
  "contract": {
    "functions": "",
    "reductions": []
  },
  "variants": [],
  "te": "",
  "provenance": "",
  "edited": false
}
)");
}

TEST_CASE("the picture names what indices stand for") {
  std::string json = printJson(sampleArtifact());
  for (const char *expected : {
           R"J("op": "matmul")J",
           R"J("name": "N",
      "given": 4096)J",
           R"J("type": "bf16",
      "shape": [
        "M",
        "K"
      ],
      "output": false,
      "dims": [
        "..M",
        "K"
      ],
      "layout": [],
      "align": 0,
      "finite": true)J",
           R"J("dims": [
        "(K, N)"
      ],
      "layout": [
        0
      ],
      "align": 256,
      "finite": false)J",
           R"J("M % 8 == 0",
    "N <= 65536",
    "K >= -5",
    "N == 4096")J",
           R"J("stride(A, 1) == 1",
        "stride(W, 0) % 8 == 0",
        "address(C) % 16 == 0",
        "K % 64 == 0",
        "M <= 1048576")J",
           R"J("bytes": "(M + 1) * min(N, 64)")J",
           R"J("grid": "ceildiv(M, 128) * floordiv(N, 128)",
          "threads": 256,
          "sharedBytes": 98304,
          "arguments": [
            "pointer(A)",
            "stride(A, 1)",
            "K",
            "workspace(counters)",
            "M + 1"
          ])J",
           R"J("96 KiB of \"shared\"")J",
           R"J("te": "te.op @matmul {\n}\n")J",
           R"J("edited": true)J",
       }) {
    INFO(expected);
    CHECK(json.find(expected) != std::string::npos);
  }
  // "K" has no given value.
  CHECK(json.find("\"name\": \"K\",\n      \"is\": \"(M + 1) / 2\"\n    }") !=
        std::string::npos);
}

TEST_CASE("strings are escaped") {
  CHECK(quoted("plain") == R"("plain")");
  CHECK(quoted("a\"b\\c/d") == R"("a\"b\\c/d")");
  CHECK(quoted("a\nb\tc\rd") == R"("a\nb\tc\rd")");
  CHECK(quoted(std::string("\0\x01\x1f\x7f", 4)) ==
        R"("\u0000\u0001\u001f\u007f")");
}

TEST_CASE("UTF-8 passes, anything else becomes the replacement character") {
  CHECK(quoted("gi\xc5\x99ih \xe2\x86\x92 \xf0\x9f\x94\xb7") ==
        "\"gi\xc5\x99ih \xe2\x86\x92 \xf0\x9f\x94\xb7\"");
  CHECK(quoted("\xff!") == R"("\ufffd!")");
  CHECK(quoted("\x80") == R"("\ufffd")");
  CHECK(quoted("\xc5") == R"("\ufffd")");           // cut off
  CHECK(quoted("\xc0\xaf") == R"("\ufffd\ufffd")"); // overlong
  CHECK(quoted("\xe0\x80\xaf") == R"("\ufffd\ufffd\ufffd")");
  CHECK(quoted("\xed\xa0\x80") == R"("\ufffd\ufffd\ufffd")"); // surrogate
  CHECK(quoted("\xf4\x90\x80\x80") == R"("\ufffd\ufffd\ufffd\ufffd")");
  CHECK(quoted("\xe2\x86") == R"("\ufffd\ufffd")");
}

TEST_CASE("an artifact with wrong indices still has a picture") {
  Artifact artifact = sampleArtifact();
  artifact.variants[0].guards[0].param = 99;
  artifact.variants[0].launches[0].arguments[3].index = 99;
  artifact.variants[0].launches[0].grid = SizeExpr::sizeRef(99);
  std::string json = printJson(artifact);
  CHECK(json.find("stride(parameter#99, 1) == 1") != std::string::npos);
  CHECK(json.find("workspace#99") != std::string::npos);
  CHECK(json.find("\"grid\": \"size#99\"") != std::string::npos);
}
