//===- CudaGpuTest.cpp - the CUDA path on a real GPU ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Skipped, with the reason, where no GPU can be opened.
//
//===----------------------------------------------------------------------===//

#include "runtime/Bench.h"
#include "runtime/CudaDevice.h"
#include "runtime/Transfer.h"

#include <catch2/catch.hpp>

#include <iostream>
#include <thread>

using namespace girih;
using namespace girih::rt;
using artifact::Argument;
using artifact::Launch;
using artifact::ScalarType;
using artifact::SizeExpr;
using artifact::Variant;

/// doubled: T[i] = X[i * strideX] * 2, by one thread an element.
/// reversed: Y[i] = T[n - 1 - i] through 64 KiB of dynamic shared memory.
static const char *kPtx = R"(
.version 7.0
.target sm_75
.address_size 64

.extern .shared .align 16 .b8 tile[];

.visible .entry doubled(
  .param .u64 .ptr .global .align 4 doubled_x,
  .param .u64 .ptr .global .align 4 doubled_t,
  .param .u64 doubled_stride,
  .param .u64 doubled_n
)
{
  .reg .pred %p;
  .reg .b32 %r<4>;
  .reg .b64 %d<10>;
  .reg .f32 %f;
  ld.param.u64 %d1, [doubled_x];
  ld.param.u64 %d2, [doubled_t];
  ld.param.u64 %d3, [doubled_stride];
  ld.param.u64 %d4, [doubled_n];
  cvta.to.global.u64 %d1, %d1;
  cvta.to.global.u64 %d2, %d2;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.wide.u32 %d5, %r1, %r2, 0;
  cvt.u64.u32 %d6, %r3;
  add.s64 %d5, %d5, %d6;
  setp.ge.s64 %p, %d5, %d4;
  @%p ret;
  mul.lo.s64 %d7, %d5, %d3;
  shl.b64 %d7, %d7, 2;
  add.s64 %d7, %d1, %d7;
  ld.global.f32 %f, [%d7];
  add.rn.f32 %f, %f, %f;
  shl.b64 %d8, %d5, 2;
  add.s64 %d8, %d2, %d8;
  st.global.f32 [%d8], %f;
  ret;
}

.visible .entry reversed(
  .param .u64 .ptr .global .align 4 reversed_t,
  .param .u64 .ptr .global .align 4 reversed_y,
  .param .u64 reversed_n
)
{
  .reg .pred %p;
  .reg .b32 %r<6>;
  .reg .b64 %d<10>;
  .reg .f32 %f;
  ld.param.u64 %d1, [reversed_t];
  ld.param.u64 %d2, [reversed_y];
  ld.param.u64 %d3, [reversed_n];
  cvta.to.global.u64 %d1, %d1;
  cvta.to.global.u64 %d2, %d2;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.wide.u32 %d5, %r1, %r2, 0;
  cvt.u64.u32 %d6, %r3;
  add.s64 %d5, %d5, %d6;
  setp.ge.s64 %p, %d5, %d3;
  @%p ret;
  shl.b64 %d7, %d5, 2;
  add.s64 %d7, %d1, %d7;
  ld.global.f32 %f, [%d7];
  shl.b32 %r4, %r3, 2;
  mov.u32 %r5, tile;
  add.u32 %r5, %r5, %r4;
  // The last words of the 64 KiB: they exist only if the launch asked well.
  st.shared.f32 [%r5+65024], %f;
  ld.shared.f32 %f, [%r5+65024];
  sub.s64 %d8, %d3, %d5;
  sub.s64 %d8, %d8, 1;
  shl.b64 %d8, %d8, 2;
  add.s64 %d8, %d2, %d8;
  st.global.f32 [%d8], %f;
  ret;
}
)";

static artifact::Artifact reverseArtifact() {
  SizeExpr n = SizeExpr::sizeRef(0);
  artifact::Artifact artifact;
  artifact.target = "sm_75";
  artifact.signature.op = "double_reverse";
  artifact.signature.sizes = {"N"};
  artifact.signature.given = {-1};
  artifact.signature.params = {{"X", ScalarType::F32, {n}, false},
                               {"Y", ScalarType::F32, {n}, true}};
  auto argument = [](Argument::Kind kind, unsigned index) {
    Argument argument;
    argument.kind = kind;
    argument.index = index;
    return argument;
  };
  using AK = Argument::Kind;
  Launch doubled;
  doubled.kernel = "doubled";
  doubled.grid =
      SizeExpr::binary(SizeExpr::Kind::CeilDiv, n, SizeExpr::constant(128));
  doubled.threads = 128;
  doubled.arguments = {argument(AK::Pointer, 0), argument(AK::Workspace, 0),
                       argument(AK::Stride, 0), argument(AK::Size, 0)};
  Launch reversed = doubled;
  reversed.kernel = "reversed";
  reversed.sharedBytes = 65024 + 512; // 64 KiB, all that sm_75 has
  reversed.arguments = {argument(AK::Workspace, 0), argument(AK::Pointer, 1),
                        argument(AK::Size, 0)};
  Variant variant;
  variant.name = "only";
  variant.ptx = kPtx;
  variant.workspace = {
      {"T", SizeExpr::binary(SizeExpr::Kind::Mul, n, SizeExpr::constant(4))}};
  variant.launches = {doubled, reversed};
  artifact.variants = {variant};
  return artifact;
}

/// The device, or null after saying why the test is skipped.
static std::unique_ptr<Device> openOrSkip() {
  Result<std::unique_ptr<Device>> device = openCudaDevice();
  if (device)
    return std::move(*device);
  std::cout << "skipped: " << device.message() << std::endl;
  return nullptr;
}

static Result<HostArray> ramp(int64_t count) {
  Result<HostArray> array = HostArray::create(ScalarType::F32, {count});
  for (int64_t i = 0; array && i < count; ++i)
    storeElement(array->data(), ScalarType::F32, i, double(i));
  return array;
}

/// Runs with X strided and checks every element of Y.
static void checkRun(Device &device, Executable &executable, int64_t count,
                     int64_t stride) {
  Result<HostArray> input = ramp(count * stride);
  REQUIRE(input);
  Result<DeviceArray> x = upload(device, *input);
  Result<DeviceArray> y = allocatePoisoned(device, ScalarType::F32, {count});
  REQUIRE(x);
  REQUIRE(y);
  x->tensor.shape = {count};
  x->tensor.strides = {stride};
  RunOptions options;
  options.synchronize = true;
  Status status = executable.run({x->tensor, y->tensor}, options);
  INFO((status ? "" : status.message()));
  REQUIRE(status);
  Result<HostArray> output = download(device, *y);
  REQUIRE(output);
  int64_t wrong = 0;
  for (int64_t i = 0; i < count; ++i)
    wrong += loadElement(output->tensor(), i) !=
             2.0 * double((count - 1 - i) * stride);
  CHECK(wrong == 0);
}

TEST_CASE("two kernels, a workspace and 64 KiB of shared memory") {
  std::unique_ptr<Device> device = openOrSkip();
  if (!device)
    return;
  std::cout << device->description() << std::endl;
  std::optional<target::GpuTarget> target = device->target();
  REQUIRE(target);
  CHECK(target->multiprocessors > 0);
  std::cout << target->name << ", " << target->multiprocessors
            << " multiprocessors, " << target->dramBandwidth / 1e9 << " GB/s, "
            << target->l2Bytes << " bytes of L2" << std::endl;
  Result<std::unique_ptr<Executable>> executable =
      device->load(reverseArtifact());
  INFO(executable.message());
  REQUIRE(executable);
  for (const KernelInfo &info : (*executable)->kernels()) {
    CHECK(info.registers > 0);
    CHECK(info.localBytes == 0);
    CHECK(info.maxThreads >= 128);
  }
  std::cout << (*executable)->loadLog();
  for (int64_t count : {1, 5, 128, 129, 100000, 7, 0})
    for (int64_t stride : {1, 3})
      checkRun(*device, **executable, count, stride);

  std::thread([&] { checkRun(*device, **executable, 1000, 1); }).join();
}

TEST_CASE("the driver's assembler explains what it refuses") {
  std::unique_ptr<Device> device = openOrSkip();
  if (!device)
    return;
  artifact::Artifact artifact = reverseArtifact();
  std::string &ptx = artifact.variants[0].ptx;
  ptx.replace(ptx.find("add.rn.f32"), 10, "odd.rn.f32");
  Result<std::unique_ptr<Executable>> executable = device->load(artifact);
  REQUIRE_FALSE(executable);
  CHECK(executable.message().rfind(
            "cannot load 'double_reverse': cuModuleLoadDataEx of variant "
            "'only' failed: CUDA_ERROR_INVALID_PTX",
            0) == 0);
  CHECK(executable.message().find("odd") != std::string::npos);
}

TEST_CASE("a bench gives plausible times") {
  std::unique_ptr<Device> device = openOrSkip();
  if (!device)
    return;
  Result<std::unique_ptr<Executable>> executable =
      device->load(reverseArtifact());
  REQUIRE(executable);
  constexpr int64_t kCount = 1 << 24;
  Result<HostArray> input = ramp(kCount);
  REQUIRE(input);
  Result<DeviceArray> x = upload(*device, *input);
  Result<DeviceArray> y = allocatePoisoned(*device, ScalarType::F32, {kCount});
  REQUIRE(x);
  REQUIRE(y);
  Result<BenchResult> result =
      bench(*device, **executable, {x->tensor, y->tensor}, {});
  INFO(result.message());
  REQUIRE(result);
  // Four passes over 64 MiB cannot be faster than the memory allows, with
  // room for what stays in the cache.
  double bytes = 4.0 * 4 * kCount;
  CHECK(result->min > bytes / device->target()->dramBandwidth * 1e6 / 4);
  CHECK(result->median < 1e5);
  std::cout << "double_reverse of 2^24: " << result->median << " us (min "
            << result->min << ", max " << result->max << ")" << std::endl;
}
