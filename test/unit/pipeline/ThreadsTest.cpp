//===- ThreadsTest.cpp - two compiles in two threads ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/pipeline/Compile.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

using namespace girih;
using namespace girih::test;
using pipeline::CompileOptions;
using pipeline::Phase;

TEST_CASE("two threads compile what one thread compiles", "[pipeline]") {
  struct Job {
    std::string text;
    CompileOptions options;
    std::string expected;
  };
  std::vector<Job> jobs;
  for (const char *name : {"row_sum", "whole_sum", "swiglu", "softmax"})
    for (const char *target : {"sm_90a", "sm_80"}) {
      Job job{exampleText(name), {}, ""};
      job.options.target = target;
      jobs.push_back(job);
      job.options.given = {{"N", 640}};
      jobs.push_back(job);
    }
  // A refusal is a result too.
  jobs.push_back(
      {"op f(X: f32[M]) -> Y: f32[M] {\n  Y[i] = Z[i]\n}\n", {}, ""});
  auto run = [](const Job &job) {
    Outcome outcome = compileText(job.text, job.options);
    return outcome ? outcome.result->text : outcome.errors;
  };
  for (Job &job : jobs)
    job.expected = run(job);
  std::atomic<int> different{0};
  auto work = [&](size_t first, size_t step) {
    for (size_t n = 0; n < 100; ++n) {
      const Job &job = jobs[(first + n * step) % jobs.size()];
      different += run(job) != job.expected;
    }
  };
  std::thread one(work, 0, 1), two(work, 7, 5);
  one.join();
  two.join();
  CHECK(different == 0);
}
