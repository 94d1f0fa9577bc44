//===- Harness.cpp - small PTX kernels in tests ---------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/sim/Harness.h"

#include <catch2/catch.hpp>

#include <cstring>

using namespace girih;
using namespace girih::sim;

std::string test::header(const std::string &target) {
  return ".version 8.6\n.target " + target + "\n.address_size 64\n";
}

std::string test::registers() {
  return ".reg .pred %p<16>;\n.reg .b8 %b<16>;\n.reg .b16 %h<64>;\n"
         ".reg .b32 %r<128>;\n.reg .f32 %f<64>;\n.reg .b64 %rd<64>;\n"
         ".reg .f64 %d<64>;\n.reg .b128 %q<8>;\n";
}

std::string test::kernelText(const std::string &body, unsigned parameters,
                             const std::string &target) {
  std::string text = header(target) + ".visible .entry k(";
  for (unsigned i = 0; i < parameters; ++i)
    text += std::string(i ? ", " : "") + ".param .u64 a" + std::to_string(i);
  return text + ")\n{\n" + registers() + body + "\nret;\n}\n";
}

namespace {

unsigned bytesOf(const std::string &type) {
  if (type == "pred")
    return 4;
  return unsigned(std::stoi(type.substr(type.find_first_of("0123456789")))) / 8;
}

/// A bits type of the size: moves any register of it.
std::string bitsType(const std::string &type) {
  return ".b" + std::to_string(bytesOf(type) * 8);
}

/// `%t_base` + lane * 8, the lane's element of a buffer.
std::string addressOf(unsigned parameter) {
  return "ld.param.u64 %t_base, [a" + std::to_string(parameter) +
         "];\nadd.s64 %t_at, %t_base, %t_lane;\n";
}

std::string
laneKernel(const std::string &body,
           const std::vector<std::pair<std::string, std::string>> &results,
           const std::vector<test::LaneInput> &inputs, unsigned capability) {
  std::string text = ".reg .b64 %t_base, %t_at, %t_lane;\n"
                     ".reg .b32 %t_word;\n"
                     "mov.u32 %t_word, %tid.x;\n"
                     "mul.wide.u32 %t_lane, %t_word, 8;\n";
  unsigned parameter = 0;
  for (const test::LaneInput &input : inputs) {
    text += addressOf(parameter++);
    if (input.type == "pred")
      text += "ld.global.u32 %t_word, [%t_at];\nsetp.ne.u32 " + input.reg +
              ", %t_word, 0;\n";
    else
      text +=
          "ld.global" + bitsType(input.type) + " " + input.reg + ", [%t_at];\n";
  }
  text += body + "\n";
  for (const auto &[reg, type] : results) {
    text += addressOf(parameter++);
    if (type == "pred")
      text += "selp.u32 %t_word, 1, 0, " + reg +
              ";\nst.global.u32 [%t_at], %t_word;\n";
    else
      text += "st.global" + bitsType(type) + " [%t_at], " + reg + ";\n";
  }
  std::string target = "sm_" + std::to_string(capability);
  return test::kernelText(text, parameter,
                          capability == 90 ? "sm_90a" : target);
}

struct LaneRun {
  Report report;
  std::vector<std::vector<uint64_t>> results;
};

LaneRun
runOnLanes(const std::string &body,
           const std::vector<std::pair<std::string, std::string>> &results,
           const std::vector<test::LaneInput> &inputs,
           const SimulatorOptions &options, uint32_t lanes) {
  Simulator card(options);
  std::vector<uint64_t> arguments;
  for (const test::LaneInput &input : inputs) {
    std::vector<uint64_t> values = input.values;
    REQUIRE((values.size() == 1 || values.size() >= lanes));
    if (values.size() == 1)
      values.resize(lanes, input.values[0]);
    Result<uint64_t> address = card.upload(values);
    REQUIRE(address.ok());
    arguments.push_back(*address);
  }
  std::vector<uint64_t> outputs;
  for (size_t i = 0; i < results.size(); ++i) {
    Result<uint64_t> address = card.upload(std::vector<uint64_t>(lanes, 0));
    REQUIRE(address.ok());
    outputs.push_back(*address);
    arguments.push_back(*address);
  }
  LaunchShape shape;
  shape.block = {lanes, 1, 1};
  LaneRun run;
  std::string text = laneKernel(body, results, inputs, options.capability);
  INFO(text);
  run.report = test::runKernel(card, text, shape, arguments);
  for (uint64_t address : outputs)
    run.results.push_back(*card.download<uint64_t>(address, lanes));
  return run;
}

} // namespace

std::vector<std::vector<uint64_t>>
test::runLanes(const std::string &body,
               const std::vector<std::pair<std::string, std::string>> &results,
               const std::vector<LaneInput> &inputs,
               const SimulatorOptions &options) {
  LaneRun run = runOnLanes(body, results, inputs, options, kLanes);
  INFO(run.report.text());
  REQUIRE(run.report.ok());
  return run.results;
}

std::vector<uint64_t> test::runLanes(const std::string &body,
                                     const std::string &result,
                                     const std::string &resultType,
                                     const std::vector<LaneInput> &inputs) {
  return runLanes(body, {{result, resultType}}, inputs)[0];
}

uint64_t test::runOne(const std::string &body, const std::string &result,
                      const std::string &resultType,
                      const std::vector<LaneInput> &inputs) {
  LaneRun run = runOnLanes(body, {{result, resultType}}, inputs, {}, 1);
  INFO(run.report.text());
  REQUIRE(run.report.ok());
  return run.results[0][0];
}

Report test::runForFaults(const std::string &body,
                          const std::vector<LaneInput> &inputs,
                          const SimulatorOptions &options) {
  return runOnLanes(body, {}, inputs, options, kLanes).report;
}

Report test::runKernel(Simulator &card, const std::string &ptx,
                       const LaunchShape &shape,
                       const std::vector<uint64_t> &arguments) {
  Result<Kernel> kernel = card.load(ptx, "k");
  INFO((kernel ? std::string() : kernel.message()));
  REQUIRE(kernel.ok());
  return card.run(*kernel, shape, arguments);
}

std::string test::decodeFailure(const std::string &body,
                                const std::string &target) {
  Simulator card;
  Result<Kernel> kernel = card.load(kernelText(body, 0, target), "k");
  return kernel ? "" : kernel.message();
}

template <typename To, typename From> static To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

uint64_t test::bits(float value) { return bitCast<uint32_t>(value); }
uint64_t test::bits(double value) { return bitCast<uint64_t>(value); }
float test::asFloat(uint64_t bits) { return bitCast<float>(uint32_t(bits)); }
double test::asDouble(uint64_t bits) { return bitCast<double>(bits); }
