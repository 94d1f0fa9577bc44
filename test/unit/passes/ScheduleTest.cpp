//===- ScheduleTest.cpp - the schedules nobody wrote ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/passes/Programs.h"
#include "test/unit/passes/Scheduled.h"
#include "test/unit/passes/ScopRun.h"

#include "passes/schedule/FusionGroups.h"

#include <set>

using namespace girih;
using namespace girih::test;

namespace {

std::vector<std::pair<std::string, int64_t>> givenOf(const Sizes &sizes) {
  return {sizes.begin(), sizes.end()};
}

/// Runs the schedule in its own order, twice in different orders of what may
/// run at once, and compares with the meaning of the program's text.
void checkScheduled(Middle &program, const Scheduled &scheduled,
                    const Sizes &sizes) {
  auto arguments = program.arguments(sizes);
  auto expected = program.expected(sizes, arguments);
  std::string text;
  for (auto [name, value] : sizes)
    text += name + " = " + std::to_string(value) + " ";
  INFO(text);
  INFO(scheduled.text());
  std::vector<int64_t> params = program.params(sizes);
  int64_t instances = 0;
  for (const poly::Statement &statement : program.scop().scop.statements)
    forEachInstance(statement, params, [&](const Point &) { ++instances; });
  for (unsigned seed : {1, 2}) {
    std::string problem;
    try {
      ScopRun run(program.func(), program.scop(), params, arguments);
      run.runScheduled(scheduled.tree, scheduled.loops, seed);
      CHECK(run.instancesRun() == instances);
      problem = difference(run.results(), expected);
    } catch (const std::runtime_error &error) {
      problem = error.what();
    }
    CHECK(problem == "");
  }
}

/// Statements of one kernel by index.
const poly::Node &kernelOf(const Scheduled &scheduled, size_t number) {
  return *scheduled.loops.at(number).kernel;
}

/// How many leading dims of a kernel's statements are on its grid.
unsigned gridMembers(const poly::KernelLoops &kernel) {
  return kernel.grid.size();
}

/// What a kernel reads of its own arrays, it reads at its own grid dims.
void checkSharedReads(const poly::Scop &scop, const Scheduled &scheduled) {
  for (size_t k = 0; k < scheduled.loops.size(); ++k) {
    const std::vector<unsigned> &inside = kernelOf(scheduled, k).statements;
    unsigned shared = gridMembers(scheduled.loops[k]);
    std::set<unsigned> written;
    for (unsigned s : inside)
      written.insert(scop.statements[s].write().array);
    for (unsigned s : inside)
      for (const poly::Access &access : scop.statements[s].accesses) {
        if (!written.count(access.array))
          continue;
        INFO(scop.statements[s].name << " and "
                                     << scop.arrays[access.array].name);
        REQUIRE(access.subscripts.size() >= shared);
        for (unsigned d = 0; d < shared; ++d)
          CHECK(access.subscripts[d] == poly::Affine::dim(d));
      }
  }
}

} // namespace

TEST_CASE("default schedules are legal and few kernels", "[schedule]") {
  for (const Program &program : programs()) {
    INFO(program.name);
    Middle dynamic(program.text);
    Scheduled scheduled(dynamic);
    CHECK(scheduled.loops.size() == program.kernels);
    CHECK(scheduled.reasons.size() == program.kernels);
    for (const schedule::KernelReason &reason : scheduled.reasons)
      CHECK(reason.lines.size() >= 2);
    checkSharedReads(dynamic.scop().scop, scheduled);
    for (const Sizes &sizes : program.sizes) {
      Middle fixed(program.text, givenOf(sizes));
      Scheduled given(fixed);
      CHECK(given.loops.size() == program.kernels);
      checkSharedReads(fixed.scop().scop, given);
    }
  }
}

TEST_CASE("the scheduled order keeps every bit", "[schedule]") {
  for (const Program &program : programs()) {
    INFO(program.name);
    Middle dynamic(program.text);
    Scheduled scheduled(dynamic);
    for (const Sizes &sizes : program.sizes)
      checkScheduled(dynamic, scheduled, sizes);
    const Sizes &last = program.sizes.back();
    Middle fixed(program.text, givenOf(last));
    Scheduled given(fixed);
    checkScheduled(fixed, given, last);
  }
}

TEST_CASE("a schedule is the same twice and survives its text", "[schedule]") {
  for (const Program &program : programs()) {
    INFO(program.name);
    Middle first(program.text), second(program.text);
    Scheduled a(first), b(second);
    CHECK(a.text() == b.text());
    Diagnostics diags;
    auto read = poly::readScheduleTree(first.scop().scop, a.text(), diags);
    INFO(diags.renderText(false));
    REQUIRE(read);
    CHECK(poly::printScheduleTree(first.scop().scop, *read) == a.text());
  }
}

TEST_CASE("schedules for every target", "[schedule]") {
  for (const std::string &target : target::knownTargets())
    for (const char *name : {"row_sum", "ffn_silu", "softmax"}) {
      INFO(target << " " << name);
      Middle program(exampleText(name));
      Scheduled scheduled(program, target);
      unsigned limit = target::findTarget(target)->maxThreadsPerBlock;
      for (const poly::KernelLoops &kernel : scheduled.loops)
        CHECK(kernel.kernel->kernel.threads <= limit);
    }
}

TEST_CASE("fusion stays at its own subscripts", "[schedule]") {
  auto kernels = [](const std::string &text) {
    Middle program(text);
    Scheduled scheduled(program);
    checkSharedReads(program.scop().scop, scheduled);
    return scheduled.loops.size();
  };
  // Elementwise chains are inlined or fused; what is read elsewhere is not.
  CHECK(kernels("op f(X: f32[M, M]) -> Y: f32[M, M], Z: f32[M, M] {\n"
                "  Y[i, j] = X[i, j] * 2\n  Z[i, j] = Y[i, j] + 1\n}\n") == 1);
  CHECK(kernels("op f(X: f32[M, M]) -> Y: f32[M, M], Z: f32[M, M] {\n"
                "  Y[i, j] = X[i, j] * 2\n  Z[i, j] = Y[j, i] + 1\n}\n") == 2);
  CHECK(kernels("op f(X: f32[8, M]) -> s: f32[8], Z: f32[8] {\n"
                "  s[i] = sum[k](X[i, k])\n  Z[i] = s[0] + s[i]\n}\n") == 2);
  CHECK(kernels("op f(X: f32[M, M]) -> s: f32[M], Z: f32[M, M] {\n"
                "  s[i] = sum[k](X[i, k])\n  Z[i, j] = X[i, j] + s[j]\n}\n") ==
        2);
  // Row i of the sum is finished in its block; row j is not.
  CHECK(kernels("op f(X: f32[M, M]) -> s: f32[M], Z: f32[M, M] {\n"
                "  s[i] = sum[k](X[i, k])\n  Z[i, j] = s[i] * s[i]\n}\n") == 1);
  CHECK(kernels("op f(X: f32[M, N], V: f32[N]) -> s: f32[M], t: f32[N] {\n"
                "  s[i] = sum[k](X[i, k])\n  t[i] = V[i] * 2\n}\n") == 2);
}

TEST_CASE("units and groups of a Scop", "[schedule]") {
  Middle softmax(exampleText("softmax"));
  auto units = schedule::findUnits(softmax.scop().scop);
  std::vector<size_t> counts;
  std::vector<unsigned> outer;
  for (const schedule::Unit &unit : units) {
    counts.push_back(unit.statements.size());
    outer.push_back(unit.outerDims);
    CHECK_FALSE(schedule::isContraction(softmax.scop().scop, unit));
  }
  CHECK(counts == std::vector<size_t>{3, 1, 3, 1});
  CHECK(outer == std::vector<unsigned>{1, 2, 1, 2});
  auto groups = schedule::groupUnits(softmax.scop().scop);
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].sharedDims == 1);

  Middle product(exampleText("ffn_silu"));
  groups = schedule::groupUnits(product.scop().scop);
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].sharedDims == 2);
  CHECK(schedule::isContraction(product.scop().scop, groups[0].units[0]));
}

TEST_CASE("two operands of 16 bits take half a turn at a time", "[schedule]") {
  auto textOf = [](const std::string &body) {
    Middle program("op f(X: bf16[M, N], Y: bf16[M, N]) -> s: f32[M] {\n"
                   "  s[i] = sum[k](" +
                   body + ")\n}\n");
    return Scheduled(program).text();
  };
  // 1024 threads have 64 registers each: 4 cells times 8 elements of each
  // operand would take them all.
  std::string dot = textOf("f32(X[i, k]) * f32(Y[i, k])");
  CHECK(dot.find("threads 1024") != std::string::npos);
  CHECK(dot.find("member eo loop: s_upd -> floor(e/4)") != std::string::npos);
  CHECK(dot.find("tile [1, 4096, 1, 4] ") != std::string::npos);
  // A square loads one operand.
  std::string square = textOf("f32(X[i, k]) * f32(X[i, k])");
  CHECK(square.find("member eo") == std::string::npos);
  CHECK(square.find("tile [1, 4096, 1, 8] ") != std::string::npos);
}

TEST_CASE("terms of any width fit into registers", "[schedule]") {
  auto textOf = [](const std::string &term, const std::string &element,
                   const std::string &type) {
    Middle program("op f(X: " + type + "[M, M]) -> s: " + type +
                   "[M] {\n  s[i] = sum[k, order=" + term + "](X[" + element +
                   "])\n}\n");
    return Scheduled(program).text();
  };
  // A turn of 1000 elements in steps of 32, the last one partial.
  std::string wide = textOf("lanes(2, 1000)", "i, k", "f32");
  CHECK(wide.find("member eo loop: s_upd -> floor(e/32)") != std::string::npos);
  CHECK(wide.find("tile [1, 2, 1, 32] ") != std::string::npos);
  // A column's cells are kept by 8 threads, many cells by a whole block.
  std::string column = textOf("lanes(256, 1)", "k, i", "f32");
  CHECK(column.find("tile [32, 256] ") != std::string::npos);
  std::string many = textOf("lanes(512, 1)", "k, i", "f32");
  CHECK(many.find("tile [1, 512] ") != std::string::npos);
}

TEST_CASE("16-bit accumulators are no tile of a product", "[schedule]") {
  auto isProduct = [](const std::string &type) {
    Middle program("op f(A: " + type + "[M, K], B: " + type +
                   "[K, N]) -> Y: " + type +
                   "[M, N] {\n"
                   "  Y[i, j] = sum[k](A[i, k] * B[k, j])\n}\n");
    auto groups = schedule::groupUnits(program.scop().scop);
    return schedule::isContraction(program.scop().scop, groups[0].units[0]);
  };
  CHECK(isProduct("f32"));
  CHECK(isProduct("f64"));
  CHECK_FALSE(isProduct("f16"));
  CHECK_FALSE(isProduct("bf16"));
}
