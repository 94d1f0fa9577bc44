//===- SearchTest.cpp - the search over programs --------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/Search.h"

#include "compiler/frontend/Schedules.h"
#include "compiler/pipeline/Pipeline.h"

#include <catch2/catch.hpp>

using namespace girih;
using namespace girih::pipeline;

namespace {

constexpr const char *kProduct = R"(
op product(A: bf16[M, K], W: bf16[K, N]) -> Y: bf16[M, N] {
  C[i, j] = bf16(sum[k](f32(A[i, k]) * f32(W[k, j])))
  Y[i, j] = bf16(silu(f32(C[i, j])))
}
)";

constexpr const char *kRows = R"(
op rows(X: bf16[M, N]) -> S: f32[M] {
  S[i] = sum[j](f32(X[i, j]))
}
)";

using Sizes = std::vector<std::pair<std::string, int64_t>>;

void searched(const char *text, const Sizes &sizes,
              const std::function<void(CompileState &, const Found &)> &look,
              const std::string &target = "h200") {
  auto source = std::make_shared<SourceFile>("test.te", text);
  Diagnostics diags(source);
  CompileOptions options;
  options.target = target;
  options.given = sizes;
  options.last = Phase::Schedule;
  bool looked = false;
  options.inspect = [&](CompileState &state) {
    look(state, search(state));
    looked = true;
  };
  compile(source, options, diags);
  INFO(diags.renderText(false));
  REQUIRE(looked);
}

} // namespace

TEST_CASE("candidates are dropped with a number, or ranked by time",
          "[cost][search]") {
  searched(kProduct, {{"M", 1024}, {"K", 4096}, {"N", 12288}},
           [](CompileState &state, const Found &found) {
             CHECK(found.candidates > 200);
             CHECK(found.kept > 50);
             CHECK(found.kept < found.candidates);
             for (const FoundKernel &kernel : found.kernels) {
               bool isDropped = false;
               int64_t last = 0;
               for (const FoundTile &tile : kernel.tiles) {
                 INFO(kernel.tensors << " " << tile.candidate.text());
                 if (!tile.isKept()) {
                   isDropped = true;
                   if (tile.excess)
                     CHECK(tile.excess->needed > 0);
                   continue;
                 }
                 CHECK_FALSE(isDropped); // those that are kept come first
                 int64_t step = cost::stepOf(tile.time.total());
                 CHECK((last == 0 || step >= last));
                 last = step;
                 CHECK(tile.cost.sharedBytes() <=
                       int64_t(state.target->maxSharedBytesPerBlock));
                 CHECK(tile.time.resident > 0);
               }
             }
             // Keeping C in registers moves less than writing it.
             REQUIRE(found.plans.size() >= 2);
             CHECK(found.plans.front().cuts == 0);
             CHECK(found.plans.front().bytes < found.plans.back().bytes);
           });
}

TEST_CASE("what is ranked first is proved, and is what was counted",
          "[cost][search]") {
  struct Row {
    const char *text;
    Sizes sizes;
  };
  const Row rows[] = {{kProduct, {{"M", 512}, {"K", 512}, {"N", 768}}},
                      {kRows, {{"M", 1024}, {"N", 4096}}},
                      {"op add(A: f32[M, N], B: f32[M, N]) -> C: f32[M, N] {\n"
                       "  C[i, j] = A[i, j] + B[i, j]\n}\n",
                       {{"M", 1024}, {"N", 4096}}},
                      {"op columns(A: f32[M, N]) -> S: f32[N] {\n"
                       "  S[j] = sum[i](A[i, j])\n}\n",
                       {{"M", 4096}, {"N", 1024}}}};
  for (const Row &row : rows)
    searched(row.text, row.sizes, [&](CompileState &state, const Found &found) {
      INFO(row.text);
      std::string why;
      std::vector<ProvedChoice> proved = proveBest(state, found, 3, why);
      INFO(why);
      REQUIRE(!proved.empty());
      for (const ProvedChoice &choice : proved) {
        INFO(frontend::printSchedule(choice.decl));
        const FoundPlan &plan = found.plans[choice.choice.plan];
        REQUIRE(choice.plan.kernels.size() == plan.kernels.size());
        double bytes = 0;
        int64_t shared = 0, provedShared = 0;
        for (size_t k = 0; k < plan.kernels.size(); ++k) {
          const FoundTile &tile =
              found.kernels[plan.kernels[k]].tiles[choice.choice.tiles[k]];
          bytes += tile.cost.bytes();
          shared += tile.cost.sharedBytes();
          provedShared += choice.plan.kernels[k].sharedBytes();
        }
        CHECK(choice.plan.bytes() == bytes);
        CHECK(provedShared == shared);
        CHECK(cost::predictTime(choice.plan, *state.target) ==
              Approx(choice.choice.time).epsilon(1e-9));
      }
    });
}

TEST_CASE("a search is the same every time", "[cost][search]") {
  std::vector<std::string> texts;
  for (int turn = 0; turn < 2; ++turn)
    searched(kProduct, {{"M", 1024}, {"K", 512}, {"N", 4096}},
             [&](CompileState &state, const Found &found) {
               std::string why, text;
               for (const ProvedChoice &choice :
                    proveBest(state, found, 4, why))
                 text += frontend::printSchedule(choice.decl);
               texts.push_back(text);
             });
  CHECK(texts[0] == texts[1]);
  CHECK(!texts[0].empty());
}

TEST_CASE("a small card drops more", "[cost][search]") {
  size_t large = 0, small = 0;
  const Sizes sizes = {{"M", 1024}, {"K", 1024}, {"N", 1024}};
  searched(kProduct, sizes,
           [&](CompileState &, const Found &found) { large = found.kept; });
  searched(
      kProduct, sizes,
      [&](CompileState &, const Found &found) { small = found.kept; }, "t4");
  CHECK(small < large);
  CHECK(small > 0);
}
