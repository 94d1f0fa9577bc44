//===- DrawnTree.cpp - a tree of one of several kinds ---------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/order/DrawnTree.h"

#include "passes/schedule/DefaultSchedule.h"
#include "test/unit/order/Judged.h"
#include "test/unit/poly/RandomTree.h"

#include <random>

using namespace girih;
using namespace girih::test;
using poly::ScheduleTree;
using poly::Scop;

TreeKind girih::test::treeKindOf(unsigned seed) {
  static constexpr TreeKind kinds[] = {kPlain,    kKernels,  kChosen,
                                       kNearText, kNearText, kNearText};
  return kinds[seed % std::size(kinds)];
}

ScheduleTree girih::test::drawTree(const Scop &scop, unsigned seed) {
  return drawTree(scop, seed, treeKindOf(seed));
}

ScheduleTree girih::test::drawTree(const Scop &scop, unsigned seed,
                                   TreeKind kind) {
  std::mt19937 random(seed);
  ScheduleTree tree;
  if (kind == kNearText)
    tree = poly::test::TreeGenerator(scop, seed, true).makeNearText();
  else if (kind == kChosen)
    tree = schedule::chooseSchedule(scop, *target::findTarget("sm_90a")).tree;
  else
    tree = poly::test::TreeGenerator(scop, seed, kind == kPlain).make();
  // The generator knows one time loop.
  if (!isSound(scop, tree))
    tree = poly::test::TreeGenerator(scop, seed, true).makeNearText();
  unsigned changes = unsigned(random() % (kind == kChosen ? 3 : 2));
  for (unsigned c = 0; c < changes; ++c) {
    ScheduleTree next = cloned(tree);
    poly::test::disturb(next, random);
    if (isSound(scop, next))
      tree = std::move(next);
  }
  return tree;
}
