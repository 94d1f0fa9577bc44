//===- SampleArtifact.cpp - an artifact that uses every field -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleArtifact.h"

using namespace girih::artifact;

static SizeExpr size(unsigned index) { return SizeExpr::sizeRef(index); }
static SizeExpr constant(int64_t value) { return SizeExpr::constant(value); }
static SizeExpr binary(SizeExpr::Kind kind, SizeExpr a, SizeExpr b) {
  return SizeExpr::binary(kind, std::move(a), std::move(b));
}

static Signature sampleSignature() {
  Signature signature;
  signature.op = "matmul";
  signature.sizes = {"M", "N", "K"};
  signature.given = {-1, 4096, -1};
  signature.params = {
      {"A", ScalarType::BF16, {size(0), size(2)}, false},
      {"W", ScalarType::F16, {size(2), size(1)}, false},
      {"bias", ScalarType::F64, {constant(4096)}, false},
      {"C", ScalarType::F32, {size(0), size(1)}, true},
  };
  signature.params[0].leading = true;
  signature.params[0].finite = true;
  signature.params[1].groups = {2};
  signature.params[1].layout = {1, 0};
  signature.params[1].align = 256;
  signature.constraints = {{0, SizeConstraint::Kind::Divisible, 8},
                           {1, SizeConstraint::Kind::AtMost, 65536},
                           {2, SizeConstraint::Kind::AtLeast, -5},
                           {1, SizeConstraint::Kind::Equal, 4096}};
  signature.derived = {
      {2, binary(SizeExpr::Kind::Add, size(0), constant(1)), 2}};
  return signature;
}

static Variant vectorVariant() {
  using Kind = SizeExpr::Kind;
  Variant variant;
  variant.name = "vector";
  variant.guards = {{Guard::Kind::UnitStride, 0, 1, 0, 0},
                    {Guard::Kind::StrideDivisible, 1, 0, 0, 8},
                    {Guard::Kind::AlignedPointer, 3, 0, 0, 16},
                    {Guard::Kind::SizeDivisible, 0, 0, 2, 64},
                    {Guard::Kind::SizeAtMost, 0, 0, 0, 1 << 20}};
  SizeExpr tiles =
      binary(Kind::Mul, binary(Kind::CeilDiv, size(0), constant(128)),
             binary(Kind::FloorDiv, size(1), constant(128)));
  variant.workspace = {
      {"partials", binary(Kind::Mul, binary(Kind::Add, size(0), constant(1)),
                          binary(Kind::Min, size(1), constant(64)))},
      {"counters", constant(4)}};
  variant.launches = {{"matmul__0_C",
                       tiles,
                       256,
                       98304,
                       {{Argument::Kind::Pointer, 0, 0},
                        {Argument::Kind::Stride, 0, 1},
                        {Argument::Kind::Size, 2, 0},
                        {Argument::Kind::Workspace, 1, 0},
                        {Argument::Kind::Value, 0, 0,
                         binary(Kind::Add, size(0), constant(1))}}},
                      {"matmul__1_C",
                       binary(Kind::Max, size(0), constant(1)),
                       1,
                       0,
                       {{Argument::Kind::Pointer, 3, 0}}}};
  variant.ptx = ".version 8.8\n.target sm_90a\n.visible .entry matmul__0_C()\n";
  variant.ptx.push_back('\0'); // bytes are kept as they are
  variant.ptx += "\xff end";
  variant.reports = {
      {"matmul__0_C", {"tile 128 x 128", "96 KiB of \"shared\""}},
      {"matmul__1_C", {}}};
  return variant;
}

Artifact sampleArtifact() {
  Artifact artifact;
  artifact.signature = sampleSignature();
  artifact.target = "sm_90a";
  artifact.contract = {"portable", {"C.sum over k: seq, leaf fma"}};
  Variant general;
  general.name = "general";
  artifact.variants = {vectorVariant(), general};
  artifact.teModule = "te.op @matmul {\n}\n";
  artifact.provenance = "girih 0.1.0";
  artifact.edited = true;
  return artifact;
}
