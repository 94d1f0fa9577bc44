//===- PtxTest.cpp - facts read from PTX, fitting targets -----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Ptx.h"
#include "runtime/TargetFit.h"

#include <catch2/catch.hpp>

using namespace girih;
using namespace girih::rt;

TEST_CASE("the PTX version is found behind comments") {
  std::optional<PtxVersion> version = ptxVersion(
      "// .version 1.0\n/* .version 2.0 */\n\n.version 8.8\n.target sm_90a\n");
  REQUIRE(version);
  CHECK(version->major == 8);
  CHECK(version->minor == 8);
  CHECK(cudaForPtx(*version) == "12.9");
  CHECK(cudaForPtx({42, 0}) == "");
  CHECK_FALSE(ptxVersion(".target sm_80"));
  CHECK_FALSE(ptxVersion(".version eight"));
  CHECK_FALSE(ptxVersion(".version 8"));
  CHECK_FALSE(ptxVersion(".version"));
}

static std::string check(const std::string &ptx, const std::string &kernel,
                         size_t arguments) {
  artifact::Variant variant;
  variant.name = "v";
  variant.ptx = ptx;
  artifact::Launch launch;
  launch.kernel = kernel;
  launch.arguments.resize(arguments);
  variant.launches = {launch};
  Status status = checkPtxEntries(variant);
  return status ? "fits" : status.message();
}

TEST_CASE("a launch must pass what its kernel declares") {
  const std::string ptx =
      ".version 8.8\n.target sm_90a\n.address_size 64\n"
      "// .entry other(.param .u64 x)\n"
      ".extern .shared .align 16 .b8 smem[];\n"
      ".visible .entry row_sum__0_F( // two\n"
      "\t.param .u64 .ptr .global .align 1 row_sum_param_0,\n"
      "\t.param .u64 row_sum_param_1\n)\n.maxntid 128, 1, 1\n{ ret; }\n"
      ".visible .entry none()\n{ ret; }\n"
      ".visible .entry bare\n{ ret; }\n"
      ".visible .entry narrow(.param .u32 n)\n{ ret; }\n"
      ".visible .entry array(.param .align 8 .b8 n[16])\n{ ret; }\n"
      ".visible .entry words(.param .b64 n[2])\n{ ret; }\n";
  CHECK(check(ptx, "row_sum__0_F", 2) == "fits");
  CHECK(check(ptx, "none", 0) == "fits");
  CHECK(check(ptx, "bare", 0) == "fits");
  CHECK(check(ptx, "row_sum__0_F", 3) ==
        "kernel 'row_sum__0_F' of variant 'v' declares 2 parameters but its "
        "launch passes 3");
  CHECK(check(ptx, "row_sum__0_F", 1) ==
        "kernel 'row_sum__0_F' of variant 'v' declares 2 parameters but its "
        "launch passes 1");
  CHECK(check(ptx, "other", 1) ==
        "kernel 'other' of variant 'v' is not in its PTX");
  CHECK(check(ptx, "row_sum", 2) ==
        "kernel 'row_sum' of variant 'v' is not in its PTX");
  const std::string notAWord =
      " of variant 'v' has a parameter that is not one 64-bit value";
  CHECK(check(ptx, "narrow", 1) == "kernel 'narrow'" + notAWord);
  CHECK(check(ptx, "array", 1) == "kernel 'array'" + notAWord);
  CHECK(check(ptx, "words", 1) == "kernel 'words'" + notAWord);
  CHECK(check(ptx + '\0' + "x", "none", 0) ==
        "the PTX of variant 'v' contains a zero byte");
  CHECK(check(".entry cut(.param .u64", "cut", 1) == "fits");
}

TEST_CASE("PTX runs on its capability or newer, the a-forms on one only") {
  CHECK(checkTargetFits("sm_80", 80, "G"));
  CHECK(checkTargetFits("sm_80", 120, "G"));
  CHECK(checkTargetFits("sm_90", 90, "G"));
  CHECK(checkTargetFits("sm_90a", 90, "G"));
  Status older = checkTargetFits("sm_90", 80, "NVIDIA A100");
  REQUIRE_FALSE(older);
  CHECK(older.message() ==
        "the artifact is for sm_90, which needs capability 9.0 or newer, but "
        "NVIDIA A100 has 8.0: compile for this GPU's own target");
  Status newer = checkTargetFits("sm_90a", 100, "NVIDIA B200");
  REQUIRE_FALSE(newer);
  CHECK(newer.message() ==
        "the artifact is for sm_90a, which needs capability 9.0 exactly, but "
        "NVIDIA B200 has 10.0: compile for this GPU's own target");
  CHECK(checkTargetFits("sm_12x", 90, "G").message() ==
        "the artifact is for the unknown target 'sm_12x'");
}
