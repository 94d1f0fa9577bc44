//===- Support.h - tensors and programs for reference tests -----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_REFERENCE_SUPPORT_H
#define GIRIH_TEST_UNIT_REFERENCE_SUPPORT_H

#include "compiler/reference/Reference.h"

#include <catch2/catch.hpp>

#include <cctype>
#include <cstring>
#include <string>
#include <vector>

namespace girih::reference::test {

using artifact::ScalarType;

/// The obvious conversions, independent of the code under test.
inline float widenBf16(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  float value;
  std::memcpy(&value, &wide, 4);
  return value;
}
inline uint16_t narrowBf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if (value != value)
    return 0x7fff;
  uint32_t rest = bits & 0xffff, kept = bits >> 16;
  if (rest > 0x8000 || (rest == 0x8000 && (kept & 1)))
    ++kept;
  return kept;
}
inline uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}
inline bool same(float a, float b) {
  return bitsOf(a) == bitsOf(b) || (a != a && b != b);
}

/// A small reproducible generator.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed * 2 + 1) {}
  uint32_t bits() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state >> 32);
  }
  /// In [-1, 1), with 20 random bits.
  float unit() {
    return static_cast<float>(static_cast<int32_t>(bits() >> 11) - (1 << 20)) /
           (1 << 20);
  }

private:
  uint64_t state;
};

/// A dense row-major tensor; `view` may be edited to look at it otherwise.
template <typename T> struct Array {
  std::vector<T> data;
  std::vector<int64_t> shape;
  ScalarType type;

  Array(ScalarType type, std::vector<int64_t> shape)
      : shape(std::move(shape)), type(type) {
    int64_t elements = 1;
    for (int64_t extent : this->shape)
      elements *= extent;
    data.resize(elements);
  }
  HostTensor view() {
    HostTensor tensor{data.data(), type, shape,
                      std::vector<int64_t>(shape.size())};
    int64_t stride = 1;
    for (size_t d = shape.size(); d-- > 0;) {
      tensor.strides[d] = stride;
      stride *= shape[d];
    }
    return tensor;
  }
};

inline Array<float> floats(std::vector<int64_t> shape) {
  return Array<float>(ScalarType::F32, std::move(shape));
}
inline Array<double> doubles(std::vector<int64_t> shape) {
  return Array<double>(ScalarType::F64, std::move(shape));
}
inline Array<uint16_t> bf16s(std::vector<int64_t> shape) {
  return Array<uint16_t>(ScalarType::BF16, std::move(shape));
}
inline Array<uint16_t> f16s(std::vector<int64_t> shape) {
  return Array<uint16_t>(ScalarType::F16, std::move(shape));
}

inline ReferenceProgram compiled(const std::string &text) {
  Result<ReferenceProgram> program = ReferenceProgram::compile(text);
  INFO((program ? std::string() : program.message()));
  REQUIRE(program.ok());
  return std::move(*program);
}

inline void runs(const ReferenceProgram &program,
                 const std::vector<HostTensor> &params, unsigned threads = 2) {
  RunOptions options;
  options.threads = threads;
  Status status = program.run(params, options);
  INFO((status ? std::string() : status.message()));
  REQUIRE(status.ok());
}

/// The message of a refused run.
inline std::string refusal(const ReferenceProgram &program,
                           const std::vector<HostTensor> &params) {
  Status status = program.run(params, {});
  return status ? std::string() : status.message();
}

/// `Y[i] = body` over `X: from[N]`, with `%x` the element read.
inline std::string mapText(const std::string &from, const std::string &to,
                           const std::string &body,
                           const std::string &functions = "fast") {
  return "te.func @map sizes [\"N\"](%X \"X\": !te.tensor<[N], " + from +
         ">) -> (\"Y\": !te.tensor<[N], " + to + ">) functions " + functions +
         " {\n"
         "  %Y = te.compute \"Y\" [\"i\"] : !te.tensor<[N], " +
         to +
         "> {\n"
         "  ^bb0(%i: index):\n"
         "    %x = te.read %X[%i] : !te.tensor<[N], " +
         from + ">\n" + body + "    te.yield %y : " + to +
         "\n  }\n"
         "  te.return %Y : !te.tensor<[N], " +
         to + ">\n}\n";
}

/// `Z[i] = op(X[i], Y[i], W[i])` in one type.
inline std::string ternaryText(const std::string &type,
                               const std::string &body) {
  std::string tensor = "!te.tensor<[N], " + type + ">";
  return "te.func @three sizes [\"N\"](%X \"X\": " + tensor +
         ", %Y \"Y\": " + tensor + ", %W \"W\": " + tensor +
         ") -> (\"Z\": " + tensor +
         ") functions fast {\n  %Z = te.compute \"Z\" [\"i\"] : " + tensor +
         " {\n  ^bb0(%i: index):\n"
         "    %x = te.read %X[%i] : " +
         tensor +
         "\n"
         "    %y = te.read %Y[%i] : " +
         tensor +
         "\n"
         "    %w = te.read %W[%i] : " +
         tensor + "\n" + body + "    te.yield %z : " + type +
         "\n  }\n  te.return %Z : " + tensor + "\n}\n";
}

/// `S[i] = kind[k] X[i, k]`, with extents as text ("M", "4096").
inline std::string rowReduceText(const std::string &kind,
                                 const std::string &type,
                                 const std::string &term,
                                 const std::string &m = "M",
                                 const std::string &k = "K") {
  std::string x = "!te.tensor<[" + m + ", " + k + "], " + type + ">";
  std::string s = "!te.tensor<[" + m + "], " + type + ">";
  // A size that no tensor mentions could not be told from the arguments.
  auto isName = [](const std::string &e) { return !std::isdigit(e[0]); };
  std::string sizes = isName(m) ? "\"" + m + "\"" : "";
  if (isName(k))
    sizes += (sizes.empty() ? "\"" : ", \"") + k + "\"";
  return "te.func @rows sizes [" + sizes + "](%X \"X\": " + x +
         ") -> (\"S\": " + s +
         ") functions fast {\n"
         "  %S = te.compute \"S\" [\"i\"] : " +
         s +
         " {\n"
         "  ^bb0(%i: index):\n"
         "    %s = te.reduce " +
         kind + " [\"k\"] in [" + k + "] order \"fixed\" term <\"" + term +
         "\"> leaf plain : " + type +
         " {\n    ^bb0(%k: index):\n"
         "      %x = te.read %X[%i, %k] : " +
         x +
         "\n"
         "      te.yield %x : " +
         type +
         "\n    }\n"
         "    te.yield %s : " +
         type +
         "\n  }\n"
         "  te.return %S : " +
         s + "\n}\n";
}

/// `C[i, j] = sum[k] A[i, k] * B[k, j]` (or `B[j, k]`), operands cast to f32.
inline std::string matmulText(const std::string &type, const std::string &term,
                              bool transposed = false,
                              const std::string &leaf = "fma") {
  std::string a = "!te.tensor<[M, K], " + type + ">";
  std::string bType = std::string("!te.tensor<[") +
                      (transposed ? "N, K" : "K, N") + "], " + type + ">";
  std::string c = "!te.tensor<[M, N], f32>";
  std::string text =
      "te.func @matmul sizes [\"M\", \"N\", \"K\"](%A \"A\": " + a +
      ", %B \"B\": " + bType + ") -> (\"C\": " + c +
      ") functions fast {\n"
      "  %C = te.compute \"C\" [\"i\", \"j\"] : " +
      c +
      " {\n"
      "  ^bb0(%i: index, %j: index):\n"
      "    %s = te.reduce sum [\"k\"] in [K] order \"fixed\" term <\"" +
      term + "\"> leaf " + leaf +
      " : f32 {\n    ^bb0(%k: index):\n"
      "      %a = te.read %A[%i, %k] : " +
      a +
      "\n"
      "      %b = te.read %B[" +
      (transposed ? "%j, %k" : "%k, %j") + "] : " + bType + "\n";
  std::string left = "%a", right = "%b";
  if (type != "f32") {
    text += "      %af = te.cast %a : " + type +
            " to f32\n"
            "      %bf = te.cast %b : " +
            type + " to f32\n";
    left = "%af", right = "%bf";
  }
  return text + "      %p = te.binary mul " + left + ", " + right +
         " : f32\n      te.yield %p : f32\n    }\n"
         "    te.yield %s : f32\n  }\n"
         "  te.return %C : " +
         c + "\n}\n";
}

} // namespace girih::reference::test

#endif // GIRIH_TEST_UNIT_REFERENCE_SUPPORT_H
