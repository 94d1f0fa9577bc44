//===- PresburgerTest.cpp - isl's answers by another library --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dependences, legality and parallel members as isl decides them against what
// MLIR's Presburger library says of sets that are built here from the same
// plain data. GIRIH_PRESBURGER_CASES says how many trees are drawn,
// GIRIH_PRESBURGER_SEED from which seed on.
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/Pipeline.h"
#include "compiler/poly/Legality.h"
#include "test/unit/order/DrawnTree.h"
#include "test/unit/order/Judged.h"
#include "test/unit/order/RandomProgram.h"
#include "test/unit/poly/RandomTree.h"
#include "test/unit/presburger/IslText.h"
#include "test/unit/presburger/OtherJudge.h"
#include "test/unit/presburger/RandomScop.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>

using namespace girih;
using namespace girih::test;
using poly::Dependence;
using poly::DependenceKind;
using poly::Dependences;
using poly::ScheduleTree;
using poly::Scop;
using poly::Violation;

namespace {

unsigned fromEnvironment(const char *name, unsigned otherwise) {
  const char *text = std::getenv(name);
  return text ? unsigned(std::strtoul(text, nullptr, 10)) : otherwise;
}

/// Of the processor: others may be at work.
struct Clock {
  std::clock_t start = std::clock();
  double seconds() const {
    return double(std::clock() - start) / CLOCKS_PER_SEC;
  }
};

/// The section of that name of a form's text.
std::string section(const std::string &text, const std::string &name) {
  std::string head = "=== " + name + "\n";
  size_t begin = text.find(head);
  REQUIRE(begin != std::string::npos);
  begin += head.size();
  size_t end = text.find("\n=== ", begin);
  return text.substr(begin, end == std::string::npos ? end : end + 1 - begin);
}

std::string compiled(const std::string &text, pipeline::Phase last,
                     const std::string &op = "") {
  INFO(text);
  auto source = std::make_shared<SourceFile>("test.te", text);
  Diagnostics diags(source);
  pipeline::CompileOptions options;
  options.last = last;
  options.op = op;
  auto result = pipeline::compile(source, options, diags);
  INFO(diags.renderText(false));
  REQUIRE(result);
  return result->text;
}

Scop scopIn(const std::string &form) {
  Diagnostics diags;
  auto scop = poly::readScop(section(form, "scop"), diags);
  INFO(diags.renderText(false));
  REQUIRE(scop);
  return std::move(*scop);
}

Dependences dependencesOf(const Scop &scop) {
  Diagnostics diags;
  auto found = poly::computeDependences(scop, {}, diags);
  INFO(diags.renderText(false));
  REQUIRE(found);
  return std::move(*found);
}

constexpr const char *kExamples[] = {
    "attention", "conv2d", "cross_entropy", "ffn_silu", "int4_matmul",
    "jacobi2d",  "matmul", "max_pool",      "row_e4m3", "row_sum",
    "softmax",   "stft",   "swiglu",        "whole_sum"};

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

constexpr const char *kKindNames[] = {"flow", "anti", "output"};

std::string compared(const std::string &what, const Union &isl,
                     const Union &other) {
  if (!isSubset(isl, other))
    return what + ": isl has pairs that are none";
  if (!isSubset(other, isl))
    return what + ": isl lacks pairs";
  return "";
}

/// The first way in which `found` differs from the sets that are built here.
std::string dependenceProblem(const Scop &scop, const Dependences &found) {
  using Key = std::tuple<DependenceKind, unsigned, unsigned, unsigned, bool>;
  std::map<Key, Union> listed;
  for (const Dependence &d : found.list)
    for (Conjunction &part : readPairs(scop, d.source, d.sink, d.relation))
      listed[{d.kind, d.source, d.sink, d.array, d.withinReduction}].push_back(
          std::move(part));
  unsigned count = unsigned(scop.statements.size());
  for (unsigned s = 0; s < count; ++s)
    for (unsigned t = 0; t < count; ++t)
      for (unsigned a = 0; a < scop.arrays.size(); ++a) {
        const poly::Reduction *term = s == t ? termOf(scop, s) : nullptr;
        if (term && term->accumulator == a)
          continue; // below
        for (unsigned k = 0; k < 3; ++k) {
          auto kind = DependenceKind(k);
          Union other = pairsByValue(scop, kind, s, t, a);
          for (Conjunction &part : other)
            part.hide(unsigned(scop.statements[s].dims.size() +
                               scop.statements[t].dims.size()),
                      part.dims);
          std::string problem = compared(std::string(kKindNames[k]) + " " +
                                             scop.statements[s].name + " -> " +
                                             scop.statements[t].name + " by " +
                                             scop.arrays[a].name,
                                         listed[{kind, s, t, a, false}], other);
          if (!problem.empty())
            return problem;
        }
      }
  for (const poly::Reduction &reduction : scop.reductions) {
    unsigned u = reduction.update, a = reduction.accumulator;
    if (termOf(scop, u) != &reduction)
      continue;
    Union term, others;
    for (const Pairs &pairs : dependentPairs(scop))
      if (pairs.source == u && pairs.sink == u && pairs.array == a &&
          pairs.order != Pairs::Order::AnyTerm)
        (pairs.order == Pairs::Order::Term ? term : others) = pairs.set;
    Union plain = listed[{DependenceKind::Flow, u, u, a, false}];
    for (Conjunction &part : listed[{DependenceKind::Output, u, u, a, false}])
      plain.push_back(std::move(part));
    const std::string &name = scop.statements[u].name;
    std::string problem =
        compared("the term of " + name,
                 listed[{DependenceKind::Flow, u, u, a, true}], term);
    if (problem.empty())
      problem = compared("updates by " + name, plain, others);
    if (!problem.empty())
      return problem;
  }
  return "";
}

Broken brokenByIsl(const std::vector<Violation> &violations) {
  Broken broken;
  for (const Violation &violation : violations) {
    using Rule = Violation::Rule;
    broken.order |= violation.rule == Rule::Order ||
                    violation.rule == Rule::ReductionOrder ||
                    violation.rule == Rule::Coincidence;
    broken.coverage |= violation.rule == Rule::Coverage;
    broken.kept |= violation.rule == Rule::KernelOrder;
  }
  return broken;
}

std::string printed(const Broken &broken) {
  return std::string(broken.order ? "order " : "") +
         (broken.coverage ? "coverage " : "") + (broken.kept ? "kept" : "");
}

struct Counts {
  unsigned legal = 0, illegal = 0, members = 0, carried = 0, undecided = 0;
};

/// The first way in which isl's verdict on `tree` differs.
std::string verdictDifference(const Scop &scop, const Dependences &found,
                              const OtherJudge &judge, const ScheduleTree &tree,
                              Counts &counts) {
  auto violations = poly::checkLegality(scop, found, tree, {});
  for (const Violation &violation : violations)
    if (violation.rule == Violation::Rule::Undecided) {
      ++counts.undecided;
      return "";
    }
  Broken isl = brokenByIsl(violations), other = judge.judge(tree);
  (violations.empty() ? counts.legal : counts.illegal) += 1;
  // No more than 16 are listed.
  bool isCut = violations.size() >= 16;
  auto differs = [&](bool a, bool b) { return a != b && (a || !isCut); };
  if (differs(isl.order, other.order) ||
      differs(isl.coverage, other.coverage) || differs(isl.kept, other.kept))
    return "isl: broken (" + printed(isl) + "), Presburger: broken (" +
           printed(other) + ")";
  return "";
}

/// The same of whether each member of a legal tree could be parallel.
std::string memberDifference(const Scop &scop, const Dependences &found,
                             const OtherJudge &judge, const ScheduleTree &tree,
                             const poly::Node &node, Counts &counts) {
  for (size_t m = 0; m < node.members.size(); ++m) {
    // Points that are not coincident are the tile's business.
    if (node.members[m].binding == poly::Binding::Point)
      continue;
    auto conflict = poly::carriedBy(scop, found, tree, node, m, {});
    if (conflict && conflict->rule == Violation::Rule::Undecided) {
      ++counts.undecided;
      continue;
    }
    bool other = judge.isCarried(tree, node, m);
    ++counts.members;
    counts.carried += other;
    if (conflict.has_value() != other)
      return "member " + node.members[m].name + ": isl says " +
             (conflict ? "carried" : "parallel") + ", Presburger does not";
  }
  for (const poly::NodePtr &child : node.children) {
    std::string problem =
        memberDifference(scop, found, judge, tree, *child, counts);
    if (!problem.empty())
      return problem;
  }
  return "";
}

/// Everything about one tree.
std::string difference(const Scop &scop, const Dependences &found,
                       const OtherJudge &judge, const ScheduleTree &tree,
                       Counts &counts) {
  unsigned legal = counts.legal;
  try {
    std::string problem = verdictDifference(scop, found, judge, tree, counts);
    if (problem.empty() && counts.legal > legal)
      problem = memberDifference(scop, found, judge, tree, *tree.root, counts);
    return problem;
  } catch (const Inexpressible &) {
    ++counts.undecided;
    return "";
  }
}

void failSmall(const Scop &scop, const ScheduleTree &tree,
               const std::string &problem) {
  // The same kind of problem: what stands before its names.
  auto kindOf = [](const std::string &text) { return text.substr(0, 10); };
  Specimen small = minimised(
      scop, tree,
      [&](const Specimen &s) {
        Counts counts;
        Dependences found = dependencesOf(s.scop);
        return !found.conservative &&
               kindOf(difference(s.scop, found, OtherJudge(s.scop), s.tree,
                                 counts)) == kindOf(problem);
      },
      /*unbounded=*/true);
  INFO("minimised:\n"
       << printed(small) << "\n"
       << poly::printDependences(small.scop, dependencesOf(small.scop)));
  FAIL(problem);
}

void failSmall(const Scop &scop, const std::string &problem) {
  Specimen small = minimised(
      scop, drawTree(scop, 1, kNearText),
      [&](const Specimen &s) {
        Dependences found = dependencesOf(s.scop);
        try {
          return !found.conservative &&
                 dependenceProblem(s.scop, found).substr(0, 4) ==
                     problem.substr(0, 4);
        } catch (const Inexpressible &) {
          return false;
        }
      },
      /*unbounded=*/true);
  INFO("minimised:\n"
       << poly::printScop(small.scop) << "\n"
       << poly::printDependences(small.scop, dependencesOf(small.scop)));
  FAIL(problem);
}

/// Scops of programs and Scops that no program has, in turn.
Scop drawScop(unsigned number) {
  if (number % 2)
    return randomScop(number);
  return scopIn(compiled(randomProgram(number), pipeline::Phase::Scop));
}

/// Scops one after the other, each for several trees.
class Cases {
public:
  explicit Cases(unsigned firstSeed) : firstSeed(firstSeed) {}

  const Scop &scop(unsigned number) {
    unsigned seed = firstSeed + number / kTreesOfOne;
    if (!current || seed != currentSeed) {
      currentSeed = seed;
      other.reset();
      current = drawScop(seed);
      found = dependencesOf(*current);
      other.emplace(*current);
    }
    return *current;
  }
  const Dependences &dependences() const { return found; }
  const OtherJudge &judge() const { return *other; }
  unsigned treeSeed(unsigned number) const {
    return firstSeed * 1000003 + number;
  }
  ScheduleTree tree(unsigned number) {
    TreeKind kind = treeKindOf(treeSeed(number));
    // The default schedule knows programs, not any Scop.
    return drawTree(scop(number), treeSeed(number),
                    kind == kChosen ? kPlain : kind);
  }

private:
  static constexpr unsigned kTreesOfOne = 8;
  unsigned firstSeed, currentSeed = 0;
  std::optional<Scop> current;
  Dependences found;
  std::optional<OtherJudge> other;
};

void tell(const std::string &what, const Counts &counts, double seconds) {
  std::cout << what << ": " << counts.legal << " legal, " << counts.illegal
            << " illegal trees; " << counts.carried << " of " << counts.members
            << " members carry something; " << counts.undecided
            << " undecided; " << emptinessQueries << " sets, " << seconds
            << " s" << std::endl;
}

} // namespace

TEST_CASE("Presburger: sets without sets", "[presburger]") {
  // 0 <= x < 10 without the even numbers, which a local counts by an equation,
  // by two bounds, and by bounds that hold for two of three numbers.
  Row x = Row::of(0), q = Row::of(1);
  Conjunction all(1, 0), even(1, 0), pair(1, 0), third(1, 0);
  all.notNegative(x);
  all.less(x, Row() + 10);
  auto valuesOf = [&](const Union &set) {
    std::string list;
    for (int64_t value = -1; value <= 10; ++value) {
      Union at = set;
      for (Conjunction &part : at)
        part.equal(x, Row() + value);
      list += isEmpty(at) ? '0' : '1';
    }
    return list;
  };
  for (Conjunction *set : {&even, &pair, &third})
    set->newLocal();
  even.equal(x, q * 2);
  pair.notNegative(x - q * 2);
  pair.notNegative(q * 2 - x);
  third.notNegative(x - q * 3);
  third.notNegative(q * 3 - x + 1);
  CHECK(valuesOf({all}) == "011111111110");
  CHECK(valuesOf(without({all}, {even})) == "001010101010");
  CHECK(valuesOf(without({all}, {pair})) == "001010101010");
  CHECK(valuesOf(without({all}, {third})) == "000100100100");
  CHECK(valuesOf(without({all}, {third, even})) == "000000100000");
  CHECK(valuesOf(without(without({all}, {third}), {third})) == "000100100100");
  CHECK(isSubset({even}, {pair}));
  CHECK_FALSE(isSubset({even}, {third}));
}

TEST_CASE("Presburger: dependences of random Scops", "[presburger]") {
  unsigned count = fromEnvironment("GIRIH_PRESBURGER_CASES", 600) / 4;
  unsigned firstSeed = fromEnvironment("GIRIH_PRESBURGER_SEED", 1);
  Clock clock;
  size_t lists = 0;
  unsigned skipped = 0;
  for (unsigned number = 0; number < count; ++number) {
    Scop scop = drawScop(firstSeed + number);
    Dependences found = dependencesOf(scop);
    REQUIRE_FALSE(found.conservative);
    CAPTURE(firstSeed, number);
    INFO(poly::printScop(scop) << poly::printDependences(scop, found));
    std::string problem;
    try {
      problem = dependenceProblem(scop, found);
    } catch (const Inexpressible &) {
      ++skipped;
    }
    if (!problem.empty())
      failSmall(scop, problem);
    lists += found.list.size();
  }
  std::cout << lists << " dependences of " << count << " Scops, " << skipped
            << " of them skipped, " << emptinessQueries << " sets, "
            << clock.seconds() << " s" << std::endl;
  CHECK(skipped * 50 <= count);
}

TEST_CASE("Presburger: verdicts on random trees", "[presburger]") {
  unsigned count = fromEnvironment("GIRIH_PRESBURGER_CASES", 600);
  unsigned firstSeed = fromEnvironment("GIRIH_PRESBURGER_SEED", 1);
  Clock clock;
  Counts counts;
  Cases cases(firstSeed);
  for (unsigned number = 0; number < count; ++number) {
    const Scop &scop = cases.scop(number);
    unsigned seed = cases.treeSeed(number);
    ScheduleTree tree = cases.tree(number);
    CAPTURE(firstSeed, number);
    INFO(poly::printScop(scop)
         << poly::printDependences(scop, cases.dependences())
         << poly::printScheduleTree(scop, tree));
    std::string problem =
        difference(scop, cases.dependences(), cases.judge(), tree, counts);
    if (!problem.empty())
      failSmall(scop, tree, problem);
    if (number % 4)
      continue;
    // Without parameters.
    auto sizes = smallSizes(scop, seed);
    if (sizes.empty())
      continue;
    CAPTURE(sizes.back());
    Scop fixed = atSizes(scop, sizes.back());
    ScheduleTree fixedTree = atSizes(tree, sizes.back());
    problem = difference(fixed, dependencesOf(fixed), OtherJudge(fixed),
                         fixedTree, counts);
    if (!problem.empty())
      failSmall(fixed, fixedTree, problem);
  }
  tell("random trees", counts, clock.seconds());
  CHECK(counts.undecided * 50 <= count);
}

TEST_CASE("Presburger: examples as the compiler schedules them",
          "[presburger]") {
  Clock clock;
  Counts counts;
  for (const char *name : kExamples) {
    INFO(name);
    std::ifstream file(std::string(GIRIH_EXAMPLES "/") + name + ".te");
    REQUIRE(file);
    std::stringstream text;
    text << file.rdbuf();
    std::string form = compiled(text.str(), pipeline::Phase::Schedule);
    Scop scop = scopIn(form);
    Diagnostics diags;
    auto tree = poly::readScheduleTree(scop, section(form, "schedule"), diags);
    INFO(diags.renderText(false));
    REQUIRE(tree);
    Dependences found = dependencesOf(scop);
    CHECK_FALSE(found.conservative);
    CHECK(dependenceProblem(scop, found) == "");
    OtherJudge judge(scop);
    unsigned legal = counts.legal;
    CHECK(difference(scop, found, judge, *tree, counts) == "");
    CHECK(counts.legal == legal + 1);
    // The same with one thing changed.
    std::mt19937 random(1);
    for (unsigned change = 0; change < 8; ++change) {
      ScheduleTree next = cloned(*tree);
      poly::test::disturb(next, random);
      if (!isSound(scop, next))
        continue;
      std::string problem = difference(scop, found, judge, next, counts);
      if (!problem.empty())
        failSmall(scop, next, problem);
    }
  }
  tell("examples", counts, clock.seconds());
}

TEST_CASE("Presburger: planted faults are found", "[presburger]") {
  constexpr unsigned kMost = 800;
  struct Fault {
    const char *name;
    std::function<bool(const Dependence &)> isLost;
  };
  const Fault faults[] = {
      {"flow dependences left out",
       [](const Dependence &d) {
         return d.kind == DependenceKind::Flow && !d.withinReduction;
       }},
      {"anti dependences left out",
       [](const Dependence &d) { return d.kind == DependenceKind::Anti; }},
      {"output dependences left out",
       [](const Dependence &d) { return d.kind == DependenceKind::Output; }},
      {"the order of terms left out",
       [](const Dependence &d) { return d.withinReduction; }},
      {"a member called coincident after the check", nullptr}};
  for (const Fault &fault : faults) {
    INFO(fault.name);
    Cases cases(fromEnvironment("GIRIH_PRESBURGER_SEED", 1));
    unsigned caseFound = 0;
    for (unsigned number = 0; number < kMost && !caseFound; ++number) {
      const Scop &scop = cases.scop(number);
      ScheduleTree tree = cases.tree(number);
      Dependences seen = cases.dependences();
      if (fault.isLost)
        std::erase_if(seen.list, fault.isLost);
      if (!poly::checkLegality(scop, seen, tree, {}).empty())
        continue;
      if (!fault.isLost) {
        poly::Node *node = tree.root.get();
        while (node->members.empty() && !node->children.empty())
          node = node->children[0].get();
        if (node->members.empty())
          continue;
        node->members[0].coincident = true;
      }
      if (cases.judge().judge(tree).order)
        caseFound = number + 1;
    }
    std::cout << fault.name << ": found in case " << caseFound << std::endl;
    CHECK(caseFound > 0);
  }
}
