//===- DeviceTest.cpp - the registry, transfers and the bench -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Bench.h"
#include "runtime/CudaDevice.h"
#include "runtime/DeviceRegistry.h"
#include "runtime/HostMemory.h"
#include "runtime/Plan.h"
#include "runtime/Transfer.h"
#include "test/unit/runtime/TestArtifact.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <thread>

using namespace girih;
using namespace girih::rt;
using artifact::ScalarType;

namespace {
/// Counts its runs; each writes the count to the last parameter's memory.
class CountingExecutable : public Executable {
public:
  explicit CountingExecutable(const artifact::Artifact &artifact)
      : plan(artifact) {}
  const artifact::Artifact &artifact() const override { return plan; }
  Status run(const std::vector<Tensor> &params,
             const RunOptions &options) override {
    if (options.stream || options.progress)
      return Failure{"a bench uses the device's own stream"};
    if (runs == failAt)
      return Failure{"run " + std::to_string(runs) + " failed"};
    ++runs;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    return {};
  }
  unsigned runs = 0;
  unsigned failAt = ~0u;

private:
  artifact::Artifact plan;
};

class CountingDevice : public HostMemoryDevice {
public:
  std::string name() const override { return "counting"; }
  std::string description() const override { return "counts runs"; }
  Result<std::unique_ptr<Executable>>
  load(const artifact::Artifact &artifact) override {
    return std::unique_ptr<Executable>(
        std::make_unique<CountingExecutable>(artifact));
  }
  Status fill(void *destination, uint8_t byte, uint64_t bytes) override {
    ++fills;
    filledBytes += bytes;
    return HostMemoryDevice::fill(destination, byte, bytes);
  }
  unsigned fills = 0;
  uint64_t filledBytes = 0;
};
} // namespace

TEST_CASE("devices are opened by name and number") {
  DeviceRegistry registry;
  unsigned opened = 99;
  registry.registerDevice("counting", [&](unsigned index) {
    opened = index;
    return Result<std::unique_ptr<Device>>(
        std::unique_ptr<Device>(std::make_unique<CountingDevice>()));
  });
  registry.registerDevice("broken", [](unsigned) {
    return Result<std::unique_ptr<Device>>(Failure{"it is broken"});
  });
  REQUIRE(registry.openDevice("counting"));
  CHECK(opened == 0);
  REQUIRE(registry.openDevice("counting:3"));
  CHECK(opened == 3);
  CHECK(registry.openDevice("counting:x").message() ==
        "'counting:x' is not a device: after ':' stands the number of the "
        "device, as in counting:0");
  CHECK(registry.openDevice("counting:").message() ==
        "'counting:' is not a device: after ':' stands the number of the "
        "device, as in counting:0");
  CHECK(registry.openDevice("counting:-1").message() ==
        "'counting:-1' is not a device: after ':' stands the number of the "
        "device, as in counting:0");
  CHECK(registry.openDevice("broken").message() == "it is broken");
  CHECK(registry.openDevice("gpu").message() ==
        "unknown device 'gpu'; known: counting and broken");

  std::vector<DeviceInfo> infos = registry.listDevices();
  REQUIRE(infos.size() == 2);
  CHECK(infos[0].available);
  CHECK(infos[0].description == "counts runs");
  CHECK_FALSE(infos[1].available);
  CHECK(infos[1].reason == "it is broken");
}

TEST_CASE("a later factory of the same name replaces the earlier") {
  DeviceRegistry registry;
  for (const char *text : {"first", "second"})
    registry.registerDevice("x", [text](unsigned) {
      return Result<std::unique_ptr<Device>>(Failure{text});
    });
  CHECK(registry.listDevices().size() == 1);
  CHECK(registry.openDevice("x").message() == "second");
}

TEST_CASE("without a driver, cuda says what to do") {
  DeviceRegistry registry;
  registerCuda(registry, "libcuda-that-nobody-has.so.1");
  Result<std::unique_ptr<Device>> device = registry.openDevice("cuda");
  REQUIRE_FALSE(device);
  CHECK(device.message() ==
        "the CUDA driver library libcuda-that-nobody-has.so.1 was not found "
        "(libcuda-that-nobody-has.so.1: cannot open shared object file: No "
        "such file or directory): install NVIDIA's driver, or run on the CPU "
        "with --device=host");
  std::vector<DeviceInfo> infos = registry.listDevices();
  REQUIRE(infos.size() == 1);
  CHECK_FALSE(infos[0].available);
  CHECK(infos[0].reason == device.message());
}

TEST_CASE("a library that is no driver is refused") {
  Result<std::unique_ptr<Device>> device = openCudaDevice(0, "libm.so.6");
  REQUIRE_FALSE(device);
  CHECK(device.message() ==
        "the CUDA driver library libm.so.6 has no function 'cuInit': update "
        "NVIDIA's driver, or run on the CPU with --device=host");
}

TEST_CASE("arrays travel to a device and back with their strides") {
  CountingDevice device;
  for (bool columnMajor : {false, true}) {
    Result<HostArray> array =
        columnMajor ? HostArray::createColumnMajor(ScalarType::F32, {2, 3})
                    : HostArray::create(ScalarType::F32, {2, 3});
    REQUIRE(array);
    for (int64_t i = 0; i < 6; ++i)
      storeElement(array->data(), ScalarType::F32, i, double(i));
    Result<DeviceArray> there = upload(device, *array);
    REQUIRE(there);
    CHECK(there->tensor.data != array->data());
    CHECK(there->tensor.strides == array->strides());
    Result<HostArray> back = download(device, *there);
    REQUIRE(back);
    CHECK(back->strides() == array->strides());
    CHECK(std::memcmp(back->data(), array->data(), array->bytes()) == 0);
    there->tensor.strides = {7, 1};
    CHECK(download(device, *there).message() ==
          "cannot copy back a tensor of shape [2, 3] that is neither "
          "row-major nor column-major");
  }
}

TEST_CASE("poison reads as NaN in every type") {
  CountingDevice device;
  for (ScalarType type :
       {ScalarType::F64, ScalarType::F32, ScalarType::F16, ScalarType::BF16}) {
    Result<DeviceArray> output = allocatePoisoned(device, type, {3});
    REQUIRE(output);
    for (int64_t i = 0; i < 3; ++i)
      CHECK(std::isnan(loadElement(output->tensor, i)));
  }
  CHECK(allocatePoisoned(device, ScalarType::F32, {-1}).message() ==
        "cannot make a tensor of shape [-1]: its size is negative or does not "
        "fit 64 bits");
  CHECK(allocatePoisoned(device, ScalarType::F32, {INT64_MAX / 4}).message() ==
        "not enough host memory for a buffer of 8.0 EiB");
}

TEST_CASE("arrays that cannot exist are refused") {
  CHECK(HostArray::create(ScalarType::F64, {INT64_MAX}).message() ==
        "cannot make a tensor of shape [9223372036854775807]: its size is "
        "negative or does not fit 64 bits");
  CHECK(HostArray::create(ScalarType::F64, {INT64_MAX / 8}).message() ==
        "not enough host memory for a tensor of shape [1152921504606846975] "
        "(9223372036854775800 bytes)");
}

TEST_CASE("a bench flushes before each repetition and counts every run") {
  CountingDevice device;
  CountingExecutable executable(test::matmulArtifact());
  BenchOptions options;
  options.warmup = 2;
  options.repetitions = 40;
  options.flushBytes = 1000;
  std::vector<double> fractions;
  options.progress = [&](double done) { fractions.push_back(done); };
  int stream = 0;
  options.run.stream = &stream; // replaced by the device's own
  Result<BenchResult> result = bench(device, executable, {}, options);
  REQUIRE(result);
  CHECK(executable.runs == 42);
  CHECK(device.fills == 40);
  CHECK(device.filledBytes == 40000);
  CHECK(result->microseconds.size() == 40);
  CHECK(result->min >= 200);
  CHECK(result->min <= result->median);
  CHECK(result->median <= result->max);
  REQUIRE(fractions.size() == 42);
  CHECK(fractions.front() == Approx(1.0 / 42));
  CHECK(fractions.back() == 1);
}

TEST_CASE("a bench of an unknown cache flushes 256 MiB, or nothing if asked") {
  CountingDevice device;
  CountingExecutable executable(test::matmulArtifact());
  BenchOptions options;
  options.warmup = 0;
  options.repetitions = 1;
  REQUIRE(bench(device, executable, {}, options));
  CHECK(device.filledBytes == uint64_t(256) << 20);
  options.flushBytes = 0;
  REQUIRE(bench(device, executable, {}, options));
  CHECK(device.fills == 1);
}

TEST_CASE("a bench reports the first fault") {
  CountingDevice device;
  CountingExecutable executable(test::matmulArtifact());
  BenchOptions options;
  options.flushBytes = 0;
  executable.failAt = 1;
  CHECK(bench(device, executable, {}, options).message() == "run 1 failed");
  executable.failAt = 5;
  CHECK(bench(device, executable, {}, options).message() == "run 5 failed");
  options.repetitions = 0;
  CHECK(bench(device, executable, {}, options).message() ==
        "a bench needs at least one repetition");
}
