//===- Moves.cpp - ldmatrix, stmatrix, movmatrix --------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/gpu/mma_silicon/Moves.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <random>

using namespace girih;
using namespace girih::silicon;

static constexpr unsigned kBlocks = 64;

static std::string list(unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text.append(i ? ", %w" : "%w").append(std::to_string(i));
  return text + "}";
}

/// A block has 512 bytes of the input, 16 a lane, and 512 of the output, and
/// each lane the number of a row.
static std::string kernel(const std::string &body) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n"
         ".visible .entry tiles(.param .u64 in, .param .u64 rows, .param .u64 "
         "out)\n{\n"
         "  .reg .b32 %lane, %block, %own, %row, %w<4>;\n"
         "  .reg .b64 %p, %q, %o;\n"
         "  .shared .align 16 .b8 tile[512];\n"
         "  mov.u32 %lane, %tid.x;\n"
         "  mov.u32 %block, %ctaid.x;\n"
         "  ld.param.u64 %p, [in];\n"
         "  mad.wide.u32 %p, %block, 512, %p;\n"
         "  mad.wide.u32 %p, %lane, 16, %p;\n"
         "  ld.param.u64 %q, [rows];\n"
         "  mad.wide.u32 %q, %block, 128, %q;\n"
         "  mad.wide.u32 %q, %lane, 4, %q;\n"
         "  ld.param.u64 %o, [out];\n"
         "  mad.wide.u32 %o, %block, 512, %o;\n"
         "  mad.wide.u32 %o, %lane, 16, %o;\n"
         "  ld.global.b32 %row, [%q];\n"
         "  mov.u32 %own, tile;\n"
         "  mad.lo.u32 %row, %row, 16, %own;\n"
         "  mad.lo.u32 %own, %lane, 16, %own;\n"
         "  ld.global.v4.b32 {%w0, %w1, %w2, %w3}, [%p];\n"
         "  st.shared.v4.b32 [%own], {%w0, %w1, %w2, %w3};\n"
         "  bar.warp.sync 0xffffffff;\n" +
         body +
         "  st.global.v4.b32 [%o], {%w0, %w1, %w2, %w3};\n"
         "  ret;\n}\n";
}

static bool check(const rt::cuda::Context &context, const std::string &name,
                  const std::string &body) {
  std::mt19937 random(7);
  std::vector<uint8_t> input(kBlocks * 512), rows(kBlocks * 128);
  std::generate(input.begin(), input.end(), [&] { return uint8_t(random()); });
  for (unsigned block = 0; block < kBlocks; ++block) {
    uint32_t order[32];
    std::iota(order, order + 32, 0u);
    std::shuffle(order, order + 32, random);
    std::memcpy(&rows[block * 128], order, sizeof order);
  }
  Launch launch{kernel(body), kBlocks, 32, {&input, &rows}, kBlocks * 512};
  Result<std::vector<uint8_t>> silicon = runOnGpu(context, launch);
  Result<std::vector<uint8_t>> simulated = runOnSimulator(launch);
  if (!silicon || !simulated) {
    std::printf("%s: %s\n", name.c_str(),
                (silicon ? simulated : silicon).message().c_str());
    return false;
  }
  bool isEqual = *silicon == *simulated;
  std::printf("%-56s simulator: %s\n", name.c_str(),
              isEqual ? "equal" : "differs");
  return isEqual;
}

size_t silicon::checkMoves(const rt::cuda::Context &context) {
  size_t differ = 0;
  for (unsigned count : {1, 2, 4})
    for (const char *transposes : {"", ".trans"}) {
      std::string form = ".sync.aligned.m8n8.x" + std::to_string(count) +
                         transposes + ".shared.b16";
      differ += !check(context, "ldmatrix" + form,
                       "  ldmatrix" + form + " " + list(count) + ", [%row];\n");
      differ += !check(context, "stmatrix" + form,
                       "  stmatrix" + form + " [%row], " + list(count) +
                           ";\n  bar.warp.sync 0xffffffff;\n"
                           "  ld.shared.v4.b32 {%w0, %w1, %w2, %w3}, "
                           "[%own];\n");
    }
  std::string move = "movmatrix.sync.aligned.m8n8.trans.b16";
  differ += !check(context, move, "  " + move + " %w0, %w1;\n");
  return differ;
}
