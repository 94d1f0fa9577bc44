//===- ConcurrentRunTest.cpp - two threads compile and run ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/HostDevice.h"
#include "runtime/CudaDevice.h"
#include "runtime/Random.h"
#include "runtime/SizeSolver.h"
#include "runtime/Transfer.h"
#include "test/unit/pipeline/Compile.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <cstring>
#include <thread>

using namespace girih;
using namespace girih::test;

namespace {

struct Job {
  std::string source;
  std::vector<int64_t> sizes; ///< in the order of the signature
};

/// The outputs' bytes of one compile, load and run on `device`; empty after a
/// failure.
std::string runOnce(rt::Device &device, const Job &job) {
  Outcome outcome = compileText(job.source);
  if (!outcome)
    return "";
  const artifact::Artifact &artifact = *outcome.result->artifact;
  auto executable = device.load(artifact);
  auto shapes = rt::parameterShapes(artifact.signature, job.sizes);
  if (!executable || !shapes)
    return "";
  std::vector<rt::DeviceArray> arrays;
  std::vector<rt::Tensor> params;
  for (size_t p = 0; p < shapes->size(); ++p) {
    const artifact::TensorParam &param = artifact.signature.params[p];
    auto host = rt::HostArray::create(param.type, (*shapes)[p]);
    rt::fillRandom(*host, rt::RandomKind::Normal, 11, p);
    auto array = param.isOutput
                     ? rt::allocatePoisoned(device, param.type, (*shapes)[p])
                     : rt::upload(device, *host);
    if (!array)
      return "";
    arrays.push_back(std::move(*array));
    params.push_back(arrays.back().tensor);
  }
  rt::RunOptions options;
  options.synchronize = true;
  options.threads = 1;
  if (!(*executable)->run(params, options))
    return "";
  std::string bytes;
  for (size_t p = 0; p < params.size(); ++p) {
    if (!artifact.signature.params[p].isOutput)
      continue;
    auto host = rt::download(device, arrays[p]);
    if (!host)
      return "";
    bytes.append(reinterpret_cast<const char *>(host->data()), host->bytes());
  }
  return bytes;
}

void runInTwoThreads(rt::Device &device) {
  std::vector<Job> jobs = {{exampleText("row_sum"), {5, 700}},
                           {exampleText("swiglu"), {3, 130}},
                           {exampleText("softmax"), {4, 99}},
                           {exampleText("whole_sum"), {70000}},
                           {exampleText("ffn_silu"), {17, 40, 33}}};
  std::vector<std::string> expected;
  for (const Job &job : jobs) {
    expected.push_back(runOnce(device, job));
    REQUIRE_FALSE(expected.back().empty());
  }
  std::atomic<int> different{0};
  auto work = [&](size_t first) {
    for (size_t n = 0; n < 100; ++n) {
      size_t job = (first + n) % jobs.size();
      different += runOnce(device, jobs[job]) != expected[job];
    }
  };
  std::thread one(work, 0), two(work, 2);
  one.join();
  two.join();
  CHECK(different == 0);
}

} // namespace

TEST_CASE("two threads compile and run what one thread does", "[pipeline]") {
  rt::DeviceRegistry registry;
  pipeline::registerHostDevice(registry);
  auto device = registry.openDevice("host");
  REQUIRE(device.ok());
  runInTwoThreads(**device);
}

TEST_CASE("two threads compile and run on one GPU", "[pipeline][gpu]") {
  auto device = rt::openCudaDevice();
  if (!device) {
    WARN("skipped: " << device.message());
    return;
  }
  runInTwoThreads(**device);
}
