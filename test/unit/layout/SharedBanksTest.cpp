//===- SharedBanksTest.cpp - unit tests of bank wavefronts ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/layout/Layout.h"

#include <catch2/catch.hpp>

using girih::layout::sharedWavefronts;

/// 32 lanes, byte offset by lane.
template <typename Address>
static unsigned wavefronts(unsigned bytes, Address address) {
  std::vector<int64_t> addresses;
  for (int64_t lane = 0; lane < 32; ++lane)
    addresses.push_back(address(lane));
  return sharedWavefronts(addresses, bytes);
}

TEST_CASE("a 32 x 32 tile of f32") {
  CHECK(wavefronts(4, [](int64_t lane) { return 4 * lane; }) == 1);
  CHECK(wavefronts(4, [](int64_t lane) { return 4 * 32 * lane; }) == 32);
  // Rows padded to 33 words.
  CHECK(wavefronts(4, [](int64_t lane) { return 4 * 33 * lane; }) == 1);
  // XOR swizzle: element (row, column) stands at column ^ row.
  for (int64_t column : {0, 5, 31})
    CHECK(wavefronts(4, [=](int64_t lane) {
            return 4 * (32 * lane + (column ^ lane));
          }) == 1);
}

TEST_CASE("lanes that want one word share it") {
  CHECK(wavefronts(4, [](int64_t) { return 64; }) == 1);
  CHECK(wavefronts(4, [](int64_t lane) { return lane / 2 * 4; }) == 1);
  CHECK(wavefronts(4, [](int64_t lane) { return lane % 2 * 128; }) == 2);
}

TEST_CASE("wide accesses go in half and quarter warps") {
  CHECK(wavefronts(8, [](int64_t lane) { return 8 * lane; }) == 2);
  CHECK(wavefronts(16, [](int64_t lane) { return 16 * lane; }) == 4);
  CHECK(wavefronts(16, [](int64_t lane) { return 128 * lane; }) == 32);
}
