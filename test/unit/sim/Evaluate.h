//===- Evaluate.h - one instruction for many operands --------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs statements through the simulator for many tuples of operands, a thread
// each. A tuple's word i is there as %d<i> (.b64), %r<i> (.b32), %h<i> (.b16)
// and %p<i> (.pred: bit 0). The statements write %D, %R, %H or %P <k>, which
// come back zero-extended.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_SIM_EVALUATE_H
#define GIRIH_TEST_UNIT_SIM_EVALUATE_H

#include "runtime/sim/Simulator.h"

#include <catch2/catch.hpp>

#include <random>

namespace girih::sim::test {

using Tuple = std::array<uint64_t, 4>;
using Outputs = std::array<uint64_t, 4>;

inline const char *kKernelHead = R"(
.version 8.7
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .pred %p<4>; .reg .pred %P<4>; .reg .b16 %h<4>; .reg .b16 %H<4>;
.reg .b32 %r<4>; .reg .b32 %R<4>; .reg .b64 %d<4>; .reg .b64 %D<4>;
.reg .b32 %t<4>; .reg .b64 %a<4>; .reg .b16 %th<4>; .reg .b64 %td<4>;
)";

/// The kernel around the statements. `results`: a letter each: D, R, H or P.
inline std::string evaluationKernel(const std::string &statements,
                                    const std::string &results) {
  std::string text = kKernelHead;
  text += "mov.u32 %t0, %ctaid.x; mov.u32 %t1, %tid.x;\n"
          "mad.lo.u32 %t0, %t0, 128, %t1;\n"
          "ld.param.u64 %a0, [in]; ld.param.u64 %a1, [out];\n"
          "mad.wide.u32 %a0, %t0, 32, %a0; mad.wide.u32 %a1, %t0, 32, %a1;\n";
  for (int i = 0; i < 4; ++i) {
    std::string n = std::to_string(i);
    text += "ld.global.b64 %d" + n + ", [%a0+" + std::to_string(8 * i) +
            "]; mov.b64 {%r" + n + ", _}, %d" + n + "; mov.b32 {%h" + n +
            ", _}, %r" + n + "; and.b32 %t2, %r" + n + ", 1; setp.ne.b32 %p" +
            n + ", %t2, 0;\n";
  }
  text += statements + "\n";
  for (size_t i = 0; i < results.size(); ++i) {
    std::string n = std::to_string(i);
    std::string value = "%D" + n;
    if (results[i] == 'R')
      text += "mov.b64 %td0, {%R" + n + ", 0}; ";
    else if (results[i] == 'H')
      text += "mov.b64 %td0, {%H" + n + ", 0, 0, 0}; ";
    else if (results[i] == 'P')
      text += "selp.b64 %td0, 1, 0, %P" + n + "; ";
    if (results[i] != 'D')
      value = "%td0";
    text +=
        "st.global.b64 [%a1+" + std::to_string(8 * i) + "], " + value + ";\n";
  }
  return text + "ret;\n}\n";
}

inline std::vector<Outputs> evaluate(const std::string &statements,
                                     const std::string &results,
                                     std::vector<Tuple> inputs) {
  size_t count = inputs.size();
  while (inputs.size() % 128 != 0) // whole warps over again, if there are
    inputs.push_back(inputs[inputs.size() % count]);
  SimulatorOptions options;
  options.threads = 1;
  Simulator card(options);
  std::string text = evaluationKernel(statements, results);
  Result<Kernel> kernel = card.load(text, "k");
  INFO(statements);
  if (!kernel)
    FAIL(kernel.message());
  uint64_t in = *card.upload(inputs);
  uint64_t out = *card.upload(std::vector<Outputs>(inputs.size()));
  LaunchShape shape;
  shape.grid = {uint32_t(inputs.size() / 128), 1, 1};
  shape.block = {128, 1, 1};
  Report report = card.run(*kernel, shape, {in, out});
  if (!report.ok())
    FAIL(report.text());
  std::vector<Outputs> found = *card.download<Outputs>(out, inputs.size());
  found.resize(count);
  return found;
}

/// Checks that output 0 is f(tuple) for every tuple.
template <typename F>
void expectAll(const std::string &statements, const std::string &result,
               const std::vector<Tuple> &inputs, F &&f) {
  std::vector<Outputs> found = evaluate(statements, result, inputs);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (uint64_t expected = f(inputs[i]); found[i][0] != expected) {
      INFO(statements << std::hex << " of 0x" << inputs[i][0] << " 0x"
                      << inputs[i][1] << " 0x" << inputs[i][2] << " 0x"
                      << inputs[i][3]);
      CHECK(found[i][0] == expected);
      return;
    }
  SUCCEED();
}

/// Numbers at which something changes, at 16, 32 or 64 bits.
inline std::vector<uint64_t> edges() {
  std::vector<uint64_t> values = {0,
                                  1,
                                  2,
                                  3,
                                  7,
                                  8,
                                  15,
                                  16,
                                  17,
                                  24,
                                  31,
                                  32,
                                  33,
                                  63,
                                  64,
                                  65,
                                  0xff,
                                  0x100,
                                  0x5555555555555555,
                                  0xaaaaaaaaaaaaaaaa};
  for (int bits : {8, 16, 24, 32, 64}) {
    uint64_t top = uint64_t(1) << (bits - 1);
    for (uint64_t value : {top, top - 1, top + 1, top * 2 - 1, 0 - top})
      values.push_back(value);
  }
  values.push_back(~uint64_t(0));
  values.push_back(~uint64_t(1));
  return values;
}

/// All pairs of edges, with more edges beside them, and random tuples.
inline std::vector<Tuple> sampleTuples() {
  std::vector<Tuple> tuples;
  std::vector<uint64_t> values = edges();
  std::mt19937_64 random(7);
  auto any = [&] {
    return random() % 3 ? random() >> random() % 64
                        : values[random() % values.size()];
  };
  for (uint64_t a : values)
    for (uint64_t b : values)
      tuples.push_back({a, b, any(), any()});
  for (int i = 0; i < 1500; ++i)
    tuples.push_back({any(), any(), any(), any()});
  for (int i = 0; i < 500; ++i)
    tuples.push_back({random(), random(), random(), random()});
  return tuples;
}

/// What loading a kernel with this statement fails with.
inline std::string refusal(const std::string &statement) {
  Simulator card;
  Result<Kernel> kernel = card.load(evaluationKernel(statement, ""), "k");
  return kernel ? std::string("accepted") : kernel.message();
}

} // namespace girih::sim::test

#endif // GIRIH_TEST_UNIT_SIM_EVALUATE_H
