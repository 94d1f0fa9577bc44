//===- PlacementTest.cpp - tensors in awkward memory ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/Placement.h"

#include "runtime/HostMemory.h"
#include "runtime/Random.h"

#include <catch2/catch.hpp>

#include <cstring>

using namespace girih;
using namespace girih::cli;
using artifact::ScalarType;

namespace {

class Memory : public rt::HostMemoryDevice {
public:
  std::string name() const override { return "memory"; }
  std::string description() const override { return "memory"; }
  Result<std::unique_ptr<rt::Executable>>
  load(const artifact::Artifact &) override {
    return Failure{"it runs nothing"};
  }
  Status poison(void *destination, uint64_t bytes) override {
    poisoned += bytes;
    return rt::HostMemoryDevice::poison(destination, bytes);
  }
  uint64_t poisoned = 0;
};

rt::HostArray randomArray(std::vector<int64_t> shape) {
  Result<rt::HostArray> array =
      rt::HostArray::create(ScalarType::F16, std::move(shape));
  REQUIRE(array);
  rt::fillRandom(*array, rt::RandomKind::Normal, 1, 0);
  return std::move(*array);
}

} // namespace

TEST_CASE("values survive every placement") {
  Memory device;
  for (Placement placement :
       {Placement::Plain, Placement::Padded, Placement::Transposed})
    for (std::vector<int64_t> shape :
         {std::vector<int64_t>{}, {7}, {0}, {3, 5}, {3, 0}, {2, 3, 4}}) {
      rt::HostArray array = randomArray(shape);
      Result<PlacedTensor> placed =
          PlacedTensor::upload(device, array, placement);
      REQUIRE(placed);
      CHECK(placed->tensor().shape == shape);
      for (int64_t at = 0; at < array.elements(); ++at)
        CHECK(rt::loadBits(placed->tensor(), at) ==
              rt::loadBits(array.tensor(), at));
      Result<rt::HostArray> back = placed->download(device);
      REQUIRE(back);
      CHECK(std::memcmp(back->data(), array.data(), array.bytes()) == 0);
    }
}

TEST_CASE("a column-major array keeps its values") {
  Memory device;
  Result<rt::HostArray> array =
      rt::HostArray::createColumnMajor(ScalarType::F16, {3, 5});
  REQUIRE(array);
  rt::fillRandom(*array, rt::RandomKind::Normal, 1, 0);
  for (Placement placement :
       {Placement::Plain, Placement::Padded, Placement::Transposed}) {
    Result<PlacedTensor> placed =
        PlacedTensor::upload(device, *array, placement);
    REQUIRE(placed);
    for (int64_t at = 0; at < array->elements(); ++at)
      CHECK(rt::loadBits(placed->tensor(), at) ==
            rt::loadBits(array->tensor(), at));
  }
}

TEST_CASE("strides are as named") {
  Memory device;
  auto strides = [&](std::vector<int64_t> shape, Placement placement) {
    Result<PlacedTensor> placed = PlacedTensor::allocate(
        device, ScalarType::F32, std::move(shape), placement);
    REQUIRE(placed);
    return placed->tensor().strides;
  };
  using List = std::vector<int64_t>;
  CHECK(strides({3, 5}, Placement::Plain) == List{5, 1});
  CHECK(strides({3, 5}, Placement::Padded) == List{6, 1});
  CHECK(strides({5}, Placement::Padded) == List{2});
  CHECK(strides({3, 5}, Placement::Transposed) == List{1, 3});
  CHECK_FALSE(PlacedTensor::allocate(
      device, ScalarType::F32, {int64_t(1) << 60, 16}, Placement::Padded));
}

TEST_CASE("a write between elements is noticed") {
  Memory device;
  Result<PlacedTensor> placed = PlacedTensor::allocate(
      device, ScalarType::F32, {3, 5}, Placement::Padded);
  REQUIRE(placed);
  CHECK(placed->download(device));
  // The gap behind the first row.
  static_cast<float *>(placed->tensor().data)[5] = 0;
  Result<rt::HostArray> array = placed->download(device);
  REQUIRE_FALSE(array);
  CHECK(array.message() ==
        "byte 24 of its memory belongs to no element and was overwritten");
  REQUIRE(placed->poison(device));
  CHECK(placed->download(device));
}

TEST_CASE("gaps are poisoned, so that a device sees reads of them") {
  Memory device;
  rt::HostArray array = randomArray({3, 5});
  REQUIRE(PlacedTensor::upload(device, array, Placement::Plain));
  CHECK(device.poisoned == 0);
  REQUIRE(PlacedTensor::upload(device, array, Placement::Transposed));
  CHECK(device.poisoned == 0);
  // Of 2 bytes each: one before, one after each row, one after all rows (each
  // dimension is padded) and one behind.
  REQUIRE(PlacedTensor::upload(device, array, Placement::Padded));
  CHECK(device.poisoned == (1 + 3 + 1 + 1) * 2);
}
