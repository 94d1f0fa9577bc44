//===- LaunchRules.cpp - what a card would refuse to launch ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Limits: CUDA C++ Programming Guide 12.9, "Technical Specifications per
// Compute Capability".
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/LaunchRules.h"
#include "compiler/target/GpuTarget.h"
#include "runtime/sim/Simulator.h"

#include <algorithm>

using namespace girih;
using namespace girih::sim;

using Dim = std::array<uint32_t, 3>;

static constexpr uint64_t kMaxThreads = 1024;
static constexpr uint64_t kMaxCluster = 16; ///< 8 without opting in
static constexpr Dim kMaxBlock = {1024, 1024, 64};
static constexpr Dim kMaxGrid = {2147483647, 65535, 65535};

static std::string textOf(const Dim &dim) {
  return std::to_string(dim[0]) + "x" + std::to_string(dim[1]) + "x" +
         std::to_string(dim[2]);
}

static uint64_t product(const Dim &dim) {
  return uint64_t(dim[0]) * dim[1] * dim[2];
}

Status sim::checkTarget(const SyntaxModule &module, unsigned capability) {
  const std::string &name = module.target;
  unsigned wanted = 0;
  size_t at = name.rfind("sm_", 0) == 0 ? 3 : name.size();
  while (at < name.size() && name[at] >= '0' && name[at] <= '9' &&
         wanted < 10000)
    wanted = wanted * 10 + unsigned(name[at++] - '0');
  std::string card = "the card that is played has capability " +
                     std::to_string(capability / 10) + "." +
                     std::to_string(capability % 10);
  std::string suffix = name.substr(at);
  if (wanted == 0 || (suffix != "" && suffix != "a" && suffix != "f"))
    return Failure{"the module's target '" + name + "' is not known"};
  bool fits = suffix == "a" ? wanted == capability
              : suffix == "f"
                  ? wanted <= capability && wanted / 10 == capability / 10
                  : wanted <= capability;
  if (fits)
    return {};
  return Failure{
      "the module is for " + name + ", " + card +
      (suffix == "a" ? " and would have to have exactly that one" : "")};
}

static Status checkBlock(const Launch &launch) {
  const SyntaxKernel &kernel = *launch.code->syntax;
  std::string block = "a block of " + textOf(launch.block) + " threads";
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (launch.block[axis] == 0)
      return Failure{block + " has none"};
    if (launch.block[axis] > kMaxBlock[axis])
      return Failure{block + " is too large: at most " + textOf(kMaxBlock) +
                     " along its axes"};
    if (launch.grid[axis] == 0)
      return Failure{"a grid of " + textOf(launch.grid) + " blocks has none"};
    if (launch.grid[axis] > kMaxGrid[axis])
      return Failure{"a grid of " + textOf(launch.grid) +
                     " blocks is too large: at most " + textOf(kMaxGrid)};
  }
  if (product(launch.block) > kMaxThreads)
    return Failure{block +
                   " is too large: " + std::to_string(product(launch.block)) +
                   " threads, at most 1024"};
  if (kernel.requiredThreads[0] != 0) {
    Dim required = kernel.requiredThreads;
    for (uint32_t &extent : required)
      extent = std::max(1u, extent);
    if (required != launch.block)
      return Failure{block + " does not fit kernel '" + kernel.name +
                     "', which requires " + textOf(required) + " (.reqntid)"};
  }
  if (kernel.maximalThreads[0] != 0) {
    Dim most = kernel.maximalThreads;
    for (uint32_t &extent : most)
      extent = std::max(1u, extent);
    if (product(launch.block) > product(most))
      return Failure{block + " is too large for kernel '" + kernel.name +
                     "', which is made for at most " +
                     std::to_string(product(most)) + " threads (.maxntid)"};
  }
  return {};
}

static Status shapeCluster(Launch &launch, Dim asked) {
  const SyntaxKernel &kernel = *launch.code->syntax;
  Dim declared = kernel.requiredCluster;
  bool isDeclared = declared[0] != 0, isAsked = asked != Dim{0, 0, 0};
  for (uint32_t &extent : declared)
    extent = std::max(1u, extent);
  for (uint32_t &extent : asked)
    extent = std::max(1u, extent);
  if (kernel.explicitCluster && !isDeclared && !isAsked)
    return Failure{"kernel '" + kernel.name +
                   "' is declared .explicitcluster and has to be launched "
                   "with a cluster size"};
  if (isDeclared && isAsked && asked != declared)
    return Failure{"clusters of " + textOf(asked) +
                   " blocks do not fit kernel '" + kernel.name +
                   "', which requires " + textOf(declared) +
                   " (.reqnctapercluster)"};
  launch.cluster = isAsked ? asked : declared;
  if (product(launch.cluster) > 1 && launch.capability < 90)
    return Failure{"clusters of " + textOf(launch.cluster) +
                   " blocks need capability 9.0"};
  if (product(launch.cluster) > kMaxCluster)
    return Failure{"clusters of " + textOf(launch.cluster) +
                   " blocks are too large: at most 16 blocks"};
  for (unsigned axis = 0; axis < 3; ++axis)
    if (launch.grid[axis] % launch.cluster[axis] != 0)
      return Failure{"a grid of " + textOf(launch.grid) +
                     " blocks cannot be divided into clusters of " +
                     textOf(launch.cluster)};
  return {};
}

static Status shapeShared(Launch &launch, uint64_t dynamicBytes) {
  const KernelCode &code = *launch.code;
  uint64_t bytes = dynamicBytes == 0 ? code.staticSharedBytes
                                     : code.dynamicSharedOffset + dynamicBytes;
  std::optional<target::GpuTarget> card =
      target::findTarget("sm_" + std::to_string(launch.capability));
  if (!card)
    return Failure{"no card of capability " +
                   std::to_string(launch.capability) + " is known"};
  if (bytes > card->maxSharedBytesPerBlock)
    return Failure{"kernel '" + code.syntax->name + "' asks for " +
                   std::to_string(bytes) + " bytes of shared memory a block (" +
                   std::to_string(code.staticSharedBytes) + " static, " +
                   std::to_string(dynamicBytes) + " dynamic), " + card->name +
                   " has " + std::to_string(card->maxSharedBytesPerBlock)};
  launch.sharedBytes = uint32_t(bytes);
  launch.dynamicSharedBytes = uint32_t(dynamicBytes);
  return {};
}

Status sim::shapeLaunch(Launch &launch, const LaunchShape &shape,
                        size_t arguments) {
  const KernelCode &code = *launch.code;
  size_t parameters = code.syntax->parameters.size();
  if (Status status = checkTarget(*code.module, launch.capability); !status)
    return status;
  if (arguments != parameters)
    return Failure{"kernel '" + code.syntax->name + "' takes " +
                   std::to_string(parameters) +
                   (parameters == 1 ? " argument, " : " arguments, ") +
                   std::to_string(arguments) + " given"};
  launch.grid = shape.grid;
  launch.block = shape.block;
  // `{256}` is an array whose other elements are 0.
  for (Dim *dim : {&launch.grid, &launch.block})
    if ((*dim)[0] != 0 && (*dim)[1] == 0 && (*dim)[2] == 0)
      *dim = {(*dim)[0], 1, 1};
  if (Status status = checkBlock(launch); !status)
    return status;
  launch.threads = uint32_t(product(launch.block));
  if (Status status = shapeCluster(launch, shape.cluster); !status)
    return status;
  return shapeShared(launch, shape.dynamicSharedBytes);
}
