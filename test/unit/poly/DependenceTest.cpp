//===- DependenceTest.cpp - dependences against brute force ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/Dependence.h"
#include "compiler/poly/Isl.h"
#include "compiler/support/Diagnostics.h"
#include "test/unit/poly/Samples.h"

#include <catch2/catch.hpp>

#include <isl/point.h>

#include <map>
#include <set>
#include <thread>
#include <tuple>

using namespace girih;
using namespace girih::poly;

namespace {

using Point = std::vector<int64_t>;
/// array, within a reduction, kind, source, its instance, sink, its instance.
using Pair = std::tuple<unsigned, bool, DependenceKind, unsigned, Point,
                        unsigned, Point>;

struct Touch {
  unsigned statement;
  Point at;
  bool reads = false;
  bool writes = false;
  bool isUpdate = false; ///< hides nothing from others
};

void collect(const Scop &scop, const Access &access, Point element,
             const Point &sizes, std::vector<Point> &elements) {
  const Array &array = scop.arrays[access.array];
  if (element.size() == array.extents.size()) {
    elements.push_back(element);
    return;
  }
  int64_t extent = test::value(array.extents[element.size()], {}, sizes);
  int64_t divisor = array.extentDivisor(element.size());
  element.push_back(0);
  for (; element.back() * divisor < extent; ++element.back())
    collect(scop, access, element, sizes, elements);
}

std::set<Pair> bruteForce(const Scop &scop, const Point &sizes) {
  std::map<std::pair<unsigned, Point>, std::vector<Touch>> cells;
  std::set<Pair> pairs;
  for (unsigned s = 0; s < scop.statements.size(); ++s) {
    const Statement &statement = scop.statements[s];
    std::vector<Point> all = test::points(scop, s, sizes);
    for (const Point &at : all)
      for (const Access &access : statement.accesses) {
        Point prefix;
        for (const Affine &subscript : access.subscripts)
          prefix.push_back(test::value(subscript, at, sizes));
        std::vector<Point> elements;
        collect(scop, access, prefix, sizes, elements);
        for (const Point &element : elements) {
          auto &list = cells[{access.array, element}];
          if (list.empty() || list.back().statement != s ||
              list.back().at != at)
            list.push_back({s, at});
          Touch &touch = list.back();
          (access.isWrite ? touch.writes : touch.reads) = true;
          touch.isUpdate = statement.kind == StatementKind::Update &&
                           statement.write().array == access.array;
        }
      }
    for (const Reduction &reduction : scop.reductions)
      if (reduction.update == s && !reduction.associative)
        for (const Point &a : all)
          for (const Point &b : all)
            if (a < b &&
                std::equal(a.begin(), a.begin() + reduction.cellEnd, b.begin()))
              pairs.emplace(reduction.accumulator, true, DependenceKind::Flow,
                            s, a, s, b);
  }
  for (const auto &[key, list] : cells)
    for (size_t b = 0; b < list.size(); ++b)
      for (auto kind : {DependenceKind::Flow, DependenceKind::Anti,
                        DependenceKind::Output}) {
        const Touch &sink = list[b];
        if (kind == DependenceKind::Flow ? !sink.reads : !sink.writes)
          continue;
        for (size_t a = b; a-- > 0;) {
          const Touch &source = list[a];
          bool counts =
              kind == DependenceKind::Anti ? source.reads : source.writes;
          bool same = source.isUpdate && source.statement == sink.statement;
          if (counts && !same)
            pairs.emplace(key.first, false, kind, source.statement, source.at,
                          sink.statement, sink.at);
          if (source.writes && !source.isUpdate)
            break;
        }
      }
  return pairs;
}

std::set<Pair> evaluated(const Scop &scop, const Dependences &dependences,
                         const Point &sizes) {
  std::set<Pair> pairs;
  IslSession session;
  isl_ctx *ctx = session.get();
  for (const Dependence &d : dependences.list) {
    isl_map *map = isl_map_read_from_str(ctx, d.relation.c_str());
    REQUIRE(map);
    for (size_t p = 0; p < scop.params.size(); ++p) {
      int at =
          isl_map_find_dim_by_name(map, isl_dim_param, scop.params[p].c_str());
      if (at >= 0)
        map = isl_map_fix_si(map, isl_dim_param, static_cast<unsigned>(at),
                             static_cast<int>(sizes[p]));
    }
    map = isl_map_project_out(map, isl_dim_param, 0,
                              isl_map_dim(map, isl_dim_param));
    isl_set *set = isl_map_wrap(map);
    struct Context {
      std::set<Pair> &pairs;
      const Dependence &d;
      size_t sourceDims;
    } context{pairs, d, scop.statements[d.source].dims.size()};
    isl_set_foreach_point(
        set,
        [](isl_point *point, void *user) {
          auto &c = *static_cast<Context *>(user);
          Point source, sink;
          isl_space *space = isl_point_get_space(point);
          auto dims = static_cast<unsigned>(isl_space_dim(space, isl_dim_set));
          isl_space_free(space);
          for (unsigned i = 0; i < dims; ++i) {
            isl_val *v = isl_point_get_coordinate_val(point, isl_dim_set,
                                                      static_cast<int>(i));
            (i < c.sourceDims ? source : sink).push_back(isl_val_get_num_si(v));
            isl_val_free(v);
          }
          isl_point_free(point);
          c.pairs.emplace(c.d.array, c.d.withinReduction, c.d.kind, c.d.source,
                          source, c.d.sink, sink);
          return isl_stat_ok;
        },
        &context);
    isl_set_free(set);
  }
  return pairs;
}

Dependences dependencesOf(const Scop &scop, PolyBudget budget = {}) {
  Diagnostics diags;
  std::optional<Dependences> result = computeDependences(scop, budget, diags);
  INFO(diags.renderText(false));
  REQUIRE(result);
  return *result;
}

} // namespace

TEST_CASE("dependences equal brute force pair by pair", "[dependence]") {
  for (const Scop &scop :
       {test::matmulSilu(), test::rowSum(2, 2), test::rowSum(4, 1),
        test::softmax(), test::wholeSum(2), test::recurrence()}) {
    Dependences found = dependencesOf(scop);
    INFO(printDependences(scop, found));
    CHECK_FALSE(found.conservative);
    for (const Point &sizes : test::allSizes(scop.params.size(), 0, 5)) {
      if (!test::admits(scop, sizes))
        continue;
      std::set<Pair> expected = bruteForce(scop, sizes);
      std::set<Pair> actual = evaluated(scop, found, sizes);
      CAPTURE(scop.name, sizes, expected.size(), actual.size());
      REQUIRE(expected == actual);
    }
  }
}

TEST_CASE("a statement that rewrites an array in place", "[dependence]") {
  // X := f(X) twice: flow, anti and output chains through every instance.
  Diagnostics diags;
  std::optional<Scop> scop = readScop(R"(scop twice
  params N
  context 0 <= N
  array X temporary 4 [N]
  array Y output 4 [N]
  statement A map
    domain [N] -> { A[i] : 0 <= i < N }
    write [N] -> { A[i] -> X[i] }
  statement B map
    domain [N] -> { B[i] : 0 <= i < N }
    read [N] -> { B[i] -> X[i] }
    write [N] -> { B[i] -> Y[i] }
  statement C map
    domain [N] -> { C[i] : 0 <= i < N }
    write [N] -> { C[i] -> X[i] }
  statement D map
    domain [N] -> { D[i] : 0 <= i < N }
    read [N] -> { D[i] -> X[i] }
    read [N] -> { D[i] -> Y[i] }
    write [N] -> { D[i] -> Y[i] }
)",
                                      diags);
  INFO(diags.renderText(false));
  REQUIRE(scop);
  Dependences found = dependencesOf(*scop);
  INFO(printDependences(*scop, found));
  for (const Point &sizes : test::allSizes(1, 0, 5))
    REQUIRE(bruteForce(*scop, sizes) == evaluated(*scop, found, sizes));
  // Value-based: D reads C's X, not A's.
  for (const Dependence &d : found.list)
    CHECK_FALSE(
        (d.kind == DependenceKind::Flow && d.source == 0 && d.sink == 3));
}

TEST_CASE("an accumulator that is used twice", "[dependence]") {
  // The second init hides the first reduction from the second, but no update
  // hides another: every update comes before its use and the next init.
  Diagnostics diags;
  std::optional<Scop> scop = readScop(R"(scop again
  params N
  context 0 <= N
  array X input 4 [N]
  array T accumulator 4 []
  array A output 4 []
  array B output 4 []
  statement A_init init
    domain [N] -> { A_init[] }
    write [N] -> { A_init[] -> T[] }
  statement A_sum update
    domain [N] -> { A_sum[i] : 0 <= i < N }
    read [N] -> { A_sum[i] -> T[] }
    read [N] -> { A_sum[i] -> X[i] }
    write [N] -> { A_sum[i] -> T[] }
  statement A map
    domain [N] -> { A[] }
    read [N] -> { A[] -> T[] }
    write [N] -> { A[] -> A[] }
  statement B_init init
    domain [N] -> { B_init[] : N >= 2 }
    write [N] -> { B_init[] -> T[] }
  statement B_sum update
    domain [N] -> { B_sum[i] : 0 <= i < N }
    read [N] -> { B_sum[i] -> T[] }
    read [N] -> { B_sum[i] -> X[i] }
    write [N] -> { B_sum[i] -> T[] }
  statement B map
    domain [N] -> { B[] }
    read [N] -> { B[] -> T[] }
    write [N] -> { B[] -> B[] }
  reduction init A_init update A_sum accumulator T value 0 cell 0 ordered term "seq"
  reduction init B_init update B_sum accumulator T value 0 cell 0 associative term "max"
)",
                                      diags);
  INFO(diags.renderText(false));
  REQUIRE(scop);
  Dependences found = dependencesOf(*scop);
  INFO(printDependences(*scop, found));
  for (const Point &sizes : test::allSizes(1, 0, 5))
    REQUIRE(bruteForce(*scop, sizes) == evaluated(*scop, found, sizes));
}

TEST_CASE("a merge that reads ceil(N/4) cells", "[dependence]") {
  std::string text = R"te(scop cells
  params N
  context 0 <= N
  array X input 4 [N]
  array T accumulator 4 [ceil(N/4)]
  array S output 4 []
  statement S_init init
    domain [N] -> { S_init[p] : 0 <= p and 4p < N }
    write [N] -> { S_init[p] -> T[p] }
  statement S_sum update
    domain [N] -> { S_sum[p, k] : 4p <= k and k < 4p + 4 and 0 <= p and k < N }
    read [N] -> { S_sum[p, k] -> T[p] }
    read [N] -> { S_sum[p, k] -> X[k] }
    write [N] -> { S_sum[p, k] -> T[p] }
  statement S_merge merge
    domain [N] -> { S_merge[] }
    read [N] -> { S_merge[] -> T[c] : 0 <= c and 4c < N }
    write [N] -> { S_merge[] -> S[] }
  reduction init S_init update S_sum merge S_merge accumulator T value 0 cell 1 ordered term "seg(4, seq)"
)te";
  Diagnostics diags;
  std::optional<Scop> scop = readScop(text, diags);
  INFO(diags.renderText(false));
  REQUIRE(scop);
  CHECK(printAccess(*scop, 2, 0) ==
        "[N] -> { S_merge[] -> T[w0] : 0 <= w0 and 4w0 < N }");
  std::optional<Scop> again = readScop(printScop(*scop), diags);
  REQUIRE(again);
  CHECK(*again == *scop);
  Dependences found = dependencesOf(*scop);
  INFO(printDependences(*scop, found));
  for (const Point &sizes : test::allSizes(1, 0, 13))
    REQUIRE(bruteForce(*scop, sizes) == evaluated(*scop, found, sizes));
}

TEST_CASE("a stopped analysis is larger, never smaller", "[dependence]") {
  for (const Scop &scop :
       {test::matmulSilu(), test::rowSum(2, 2), test::softmax(),
        test::wholeSum(2), test::recurrence()})
    for (uint64_t quota : {1, 50, 1000, 3000}) {
      Dependences found = dependencesOf(scop, {quota});
      CAPTURE(scop.name, quota);
      if (quota <= 50)
        CHECK(found.conservative);
      for (const Point &sizes : test::allSizes(scop.params.size(), 2, 3)) {
        if (!test::admits(scop, sizes))
          continue;
        std::set<Pair> actual = evaluated(scop, found, sizes);
        for (const Pair &pair : bruteForce(scop, sizes))
          REQUIRE(actual.count(pair) == 1);
      }
    }
}

TEST_CASE("two threads analyse at once and agree", "[dependence]") {
  Scop scop = test::softmax();
  std::string expected = printDependences(scop, dependencesOf(scop));
  std::vector<std::string> texts(4);
  std::vector<std::thread> threads;
  for (std::string &text : texts)
    threads.emplace_back([&] {
      for (int round = 0; round < 3; ++round) {
        Diagnostics diags;
        auto found = computeDependences(scop, {}, diags);
        text = found ? printDependences(scop, *found) : "";
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &text : texts)
    CHECK(text == expected);
}

TEST_CASE("dependences of a broken Scop are refused", "[dependence]") {
  Scop scop = test::matmulSilu();
  scop.statements[1].accesses[0].subscripts.pop_back();
  Diagnostics diags;
  CHECK_FALSE(computeDependences(scop, {}, diags));
  CHECK(diags.all()[0].message ==
        "statement 'C_sum' accesses 'C_acc' with 1 subscripts where 2 are due");
}
