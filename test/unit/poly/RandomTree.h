//===- RandomTree.h - schedule trees drawn at random ------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_POLY_RANDOMTREE_H
#define GIRIH_TEST_UNIT_POLY_RANDOMTREE_H

#include "compiler/poly/ScheduleTree.h"

#include <map>
#include <random>

namespace girih::poly::test {

/// Makes trees that are structurally sound and legal about half the time: bands
/// take dims of the same name together, sequences mostly keep the text's order,
/// each statement's missing dims mostly follow at its end.
class TreeGenerator {
public:
  /// `isPlain`: without kernels and tiles.
  TreeGenerator(const poly::Scop &scop, unsigned seed, bool isPlain = false)
      : scop(scop), random(seed), isPlain(isPlain) {}

  poly::ScheduleTree make();
  /// A plain tree that is legal more often: neighbours in the text share
  /// leading dims of one name, and what remains of each mostly follows in
  /// order.
  poly::ScheduleTree makeNearText();

private:
  using Binding = poly::Binding;
  using Digit = poly::Digit;
  using Member = poly::Member;
  using Node = poly::Node;
  using NodePtr = poly::NodePtr;

  /// Digits that remain of one dim; a chain is cut from coarse to fine.
  struct Rest {
    int64_t modulus = 0; ///< 0: nothing taken yet
    bool done = false;
  };

  void addKernels(Node &sequence, const std::vector<unsigned> &statements);
  NodePtr timeBand(const std::vector<unsigned> &statements);
  int64_t number(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % (high - low + 1));
  }
  bool chance(int percent) { return number(1, 100) <= percent; }
  NodePtr newNode(Node::Kind kind, std::vector<unsigned> statements);
  /// Consecutive groups of `statements`, now and then out of order.
  std::vector<std::vector<unsigned>> divided(std::vector<unsigned> statements,
                                             int percent);
  Digit take(unsigned s, unsigned dim, bool all);
  NodePtr band(const std::vector<unsigned> &statements, NodePtr below,
               bool mayGrid, int members);
  NodePtr body(const std::vector<unsigned> &statements, int depth);
  NodePtr ending(unsigned s);
  NodePtr nearText(const std::vector<unsigned> &statements,
                   std::vector<std::vector<unsigned>> left);
  NodePtr fused(const std::vector<unsigned> &statements,
                std::vector<std::vector<unsigned>> left);
  NodePtr alone(unsigned s, std::vector<unsigned> left);
  /// What a member of a plain tree may say that it becomes.
  void drawBinding(Member &member);

  const poly::Scop &scop;
  std::mt19937 random;
  bool isPlain;
  unsigned names = 0;
  std::map<std::pair<unsigned, unsigned>, Rest> used;
};

/// Changes one thing that the structure leaves free: the order of a sequence or
/// of a band, the direction of a member, whether it is coincident.
void disturb(poly::ScheduleTree &tree, std::mt19937 &random);

} // namespace girih::poly::test

#endif // GIRIH_TEST_UNIT_POLY_RANDOMTREE_H
