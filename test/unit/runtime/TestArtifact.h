//===- TestArtifact.h - small artifacts and tensors for the tests --*- C++
//-*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_RUNTIME_TESTARTIFACT_H
#define GIRIH_TEST_UNIT_RUNTIME_TESTARTIFACT_H

#include "runtime/Tensor.h"

namespace girih::rt::test {

/// `matmul(A: bf16[M, K], W: bf16[K, N]) -> Y: f32[M, N] where K % 16 == 0`
/// with a `vector` variant of two launches over a workspace (unit stride of
/// A's rows, W aligned to 16 bytes, N % 8 == 0) and a `general` one.
inline artifact::Artifact matmulArtifact() {
  using namespace artifact;
  using Kind = SizeExpr::Kind;
  SizeExpr m = SizeExpr::sizeRef(0), k = SizeExpr::sizeRef(1),
           n = SizeExpr::sizeRef(2);
  auto by = [](SizeExpr a, int64_t tile) {
    return SizeExpr::binary(Kind::CeilDiv, a, SizeExpr::constant(tile));
  };
  Artifact artifact;
  artifact.target = "sm_80";
  Signature &s = artifact.signature;
  s.op = "matmul";
  s.sizes = {"M", "K", "N"};
  s.given = {-1, -1, -1};
  s.params = {{"A", ScalarType::BF16, {m, k}, false},
              {"W", ScalarType::BF16, {k, n}, false},
              {"Y", ScalarType::F32, {m, n}, true}};
  s.constraints = {{1, SizeConstraint::Kind::Divisible, 16}};

  auto argument = [](Argument::Kind kind, unsigned index, unsigned dim = 0) {
    Argument argument;
    argument.kind = kind;
    argument.index = index;
    argument.dim = dim;
    return argument;
  };
  using AK = Argument::Kind;
  Launch split;
  split.kernel = "split";
  split.grid = SizeExpr::binary(Kind::Mul, by(m, 128), by(n, 64));
  split.threads = 128;
  split.sharedBytes = 65536;
  split.arguments = {argument(AK::Pointer, 0), argument(AK::Pointer, 1),
                     argument(AK::Workspace, 1), argument(AK::Stride, 0, 0),
                     argument(AK::Size, 1)};
  Launch merge;
  merge.kernel = "merge";
  merge.grid = by(m, 128);
  merge.threads = 64;
  Argument value;
  value.kind = AK::Value;
  value.value = SizeExpr::binary(Kind::Add, n, SizeExpr::constant(-5));
  merge.arguments = {argument(AK::Workspace, 1), argument(AK::Workspace, 0),
                     argument(AK::Pointer, 2), value};

  Variant vector;
  vector.name = "vector";
  Guard unit, aligned, divisible;
  unit.kind = Guard::Kind::UnitStride;
  unit.param = 0;
  unit.dim = 1;
  aligned.kind = Guard::Kind::AlignedPointer;
  aligned.param = 1;
  aligned.value = 16;
  divisible.kind = Guard::Kind::SizeDivisible;
  divisible.size = 2;
  divisible.value = 8;
  vector.guards = {unit, aligned, divisible};
  vector.workspace = {
      {"flags", by(m, 128)},
      {"parts", SizeExpr::binary(Kind::Mul, m, SizeExpr::constant(4))}};
  vector.launches = {split, merge};
  vector.ptx = ".version 8.0\n.target sm_80\n.address_size 64\n"
               ".visible .entry split(\n  .param .u64 a, .param .u64 b,\n"
               "  .param .u64 c, .param .u64 d, .param .u64 e)\n{ ret; }\n"
               ".visible .entry merge(\n  .param .u64 a, .param .u64 b,\n"
               "  .param .u64 c, .param .s64 d)\n{ ret; }\n";

  Launch plain;
  plain.kernel = "plain";
  plain.grid = SizeExpr::binary(Kind::Mul, m, n);
  plain.threads = 32;
  plain.arguments = {argument(AK::Pointer, 0), argument(AK::Pointer, 1),
                     argument(AK::Pointer, 2), argument(AK::Stride, 0, 0),
                     argument(AK::Stride, 0, 1)};
  Variant general;
  general.name = "general";
  general.launches = {plain};
  general.ptx = ".version 8.0\n.target sm_80\n.address_size 64\n"
                ".visible .entry plain(\n  .param .u64 a, .param .u64 b,\n"
                "  .param .u64 c, .param .u64 d, .param .u64 e)\n{ ret; }\n";
  artifact.variants = {vector, general};
  return artifact;
}

/// A dense tensor at an address that is never read.
inline Tensor at(uint64_t address, artifact::ScalarType type,
                 std::vector<int64_t> shape) {
  Tensor tensor;
  tensor.data = reinterpret_cast<void *>(uintptr_t(address));
  tensor.type = type;
  tensor.strides = denseStrides(shape);
  tensor.shape = std::move(shape);
  return tensor;
}

/// A, W and Y for matmulArtifact, far from each other.
inline std::vector<Tensor> matmulTensors(int64_t m, int64_t k, int64_t n) {
  using artifact::ScalarType;
  return {at(0x100000000000, ScalarType::BF16, {m, k}),
          at(0x200000000000, ScalarType::BF16, {k, n}),
          at(0x300000000000, ScalarType::F32, {m, n})};
}

} // namespace girih::rt::test

#endif // GIRIH_TEST_UNIT_RUNTIME_TESTARTIFACT_H
