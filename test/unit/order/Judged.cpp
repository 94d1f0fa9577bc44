//===- Judged.cpp - verdicts held against what can be counted -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/order/Judged.h"

#include "compiler/poly/InstanceOrder.h"
#include "compiler/support/Diagnostics.h"

#include <algorithm>
#include <random>

using namespace girih;
using namespace girih::poly;
using girih::test::SizeList;
using girih::test::Specimen;

namespace {

int64_t valueOf(const Affine &affine, const Point &dims, const Point &params) {
  int64_t value = affine.constant;
  for (size_t d = 0; d < affine.dims.size(); ++d)
    value += affine.dims[d] * dims.at(d);
  for (size_t p = 0; p < affine.params.size(); ++p)
    value += affine.params[p] * params.at(p);
  return value;
}

bool isAdmitted(const Scop &scop, const Point &sizes) {
  return std::all_of(
      scop.context.begin(), scop.context.end(),
      [&](const Affine &c) { return valueOf(c, {}, sizes) >= 0; });
}

bool touches(const Scop &scop, unsigned s, const Point &at, const Point &sizes,
             unsigned array, const Point &element, bool write) {
  const Statement &statement = scop.statements[s];
  return std::any_of(statement.accesses.begin(), statement.accesses.end(),
                     [&](const Access &access) {
                       if (access.array != array || (write && !access.isWrite))
                         return false;
                       for (size_t d = 0; d < element.size(); ++d)
                         if (!access.isAny(unsigned(d)) &&
                             valueOf(access.subscripts.at(d), at, sizes) !=
                                 element[d])
                           return false;
                       return true;
                     });
}

std::string text(const Scop &scop, unsigned s, const Point &at) {
  std::string list;
  for (int64_t value : at)
    list += (list.empty() ? "" : ", ") + std::to_string(value);
  return scop.statements[s].name + "[" + list + "]";
}

/// Place of an instance's step in an order without parts; -1 if it is not
/// there.
int64_t placeIn(const InstanceOrder &order, unsigned s, const Point &at) {
  for (size_t i = 0; i < order.steps.size(); ++i)
    if (order.steps[i].statement == s && order.at(order.steps[i]) == at)
      return int64_t(i);
  return -1;
}

std::string witnessProblem(const Scop &scop, const ScheduleTree &tree,
                           const Violation &violation) {
  using Rule = Violation::Rule;
  const Witness &w = *violation.witness;
  Point sizes;
  for (const auto &[name, size] : w.sizes)
    sizes.push_back(size);
  if (sizes.size() != scop.params.size() || !isAdmitted(scop, sizes))
    return "its sizes are none of the program's";
  size_t count = 0;
  for (const Statement &statement : scop.statements)
    count += instancesOf(statement, sizes).size();
  constexpr size_t kMost = 3000;
  if (count > kMost)
    return "";
  std::string source = text(scop, w.sourceStatement, w.source);
  std::string sink = text(scop, w.sinkStatement, w.sink);
  InstanceOrder order = textOrder(scop, sizes);
  int64_t first = placeIn(order, w.sourceStatement, w.source);
  int64_t second = placeIn(order, w.sinkStatement, w.sink);
  if (first < 0 || second < 0)
    return (first < 0 ? source : sink) + " is no instance";
  if (isLegalByEnumeration(scop, tree, sizes))
    return "the tree is legal by enumeration at its sizes";
  if (violation.rule == Rule::Coverage)
    return "";
  if (first >= second)
    return source + " is not before " + sink + " in the text";
  if (w.element.size() != scop.arrays[w.array].extents.size())
    return "it names no element";
  for (bool isSource : {true, false})
    if (!touches(scop, isSource ? w.sourceStatement : w.sinkStatement,
                 isSource ? w.source : w.sink, sizes, w.array, w.element,
                 /*write=*/false))
      return (isSource ? source : sink) + " does not touch the element";
  if (!touches(scop, w.sourceStatement, w.source, sizes, w.array, w.element,
               true) &&
      !touches(scop, w.sinkStatement, w.sink, sizes, w.array, w.element, true))
    return "neither " + source + " nor " + sink + " writes the element";
  // A tile of dependent points has an order of its own, but not one to use;
  // what a kernel keeps to itself is no matter of order.
  if (violation.rule == Rule::KernelOrder ||
      violation.message.find("inside one tile") != std::string::npos)
    return "";
  order = treeOrder(scop, tree, sizes, AtOnce::Ascending);
  bool isForward = placeIn(order, w.sourceStatement, w.source) <
                   placeIn(order, w.sinkStatement, w.sink);
  order = treeOrder(scop, tree, sizes, AtOnce::Descending);
  bool staysForward = placeIn(order, w.sourceStatement, w.source) <
                      placeIn(order, w.sinkStatement, w.sink);
  if (isForward && staysForward)
    return "the tree runs " + source + " before " + sink + ", as it should";
  return "";
}

} // namespace

SizeList girih::test::smallSizes(const Scop &scop, unsigned seed) {
  std::mt19937 random(seed);
  size_t count = scop.params.size();
  SizeList list;
  auto add = [&](Point sizes) {
    if (isAdmitted(scop, sizes) &&
        std::find(list.begin(), list.end(), sizes) == list.end())
      list.push_back(std::move(sizes));
  };
  static constexpr int64_t kPatterns[][3] = {{1, 1, 1}, {1, 2, 2}, {2, 1, 1},
                                             {2, 3, 2}, {3, 2, 3}, {4, 4, 3},
                                             {3, 5, 2}, {5, 4, 4}};
  for (const auto &pattern : kPatterns) {
    Point sizes;
    for (size_t p = 0; p < count; ++p)
      sizes.push_back(pattern[p % 3]);
    add(std::move(sizes));
  }
  Point drawn;
  for (size_t p = 0; p < count; ++p)
    drawn.push_back(1 + int64_t(random() % 5));
  add(std::move(drawn));
  return list;
}

std::string girih::test::verdictProblem(const Scop &scop,
                                        const ScheduleTree &tree,
                                        const std::vector<Violation> &verdict,
                                        const SizeList &sizes) {
  if (verdict.empty()) {
    for (const Point &point : sizes)
      if (!isLegalByEnumeration(scop, tree, point)) {
        std::string list;
        for (int64_t size : point)
          list += (list.empty() ? "" : ", ") + std::to_string(size);
        return "called legal, illegal by enumeration at " + list;
      }
    return "";
  }
  for (const Violation &violation : verdict) {
    if (violation.rule == Violation::Rule::Undecided)
      return "undecided: " + violation.message;
    if (!violation.witness) {
      // The one rule about form alone needs no instance to be broken.
      if (violation.rule == Violation::Rule::Coincidence)
        continue;
      return "no witness: " + violation.message;
    }
    std::string problem = witnessProblem(scop, tree, violation);
    if (!problem.empty())
      return "a witness is wrong: " + problem + " (" + violation.message + ")";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Minimising
//===----------------------------------------------------------------------===//

ScheduleTree girih::test::cloned(const ScheduleTree &tree) {
  ScheduleTree copy;
  copy.root = cloneNode(*tree.root);
  return copy;
}

bool girih::test::isSound(const Scop &scop, const ScheduleTree &tree) {
  Diagnostics diags;
  return verifyScheduleTree(scop, tree, diags);
}

namespace {

void removeStatement(Node &node, unsigned s) {
  auto at = std::find(node.statements.begin(), node.statements.end(), s);
  if (at != node.statements.end()) {
    auto index = at - node.statements.begin();
    for (Member &member : node.members)
      member.digits.erase(member.digits.begin() + index);
    node.statements.erase(at);
  }
  for (unsigned &other : node.statements)
    other -= other > s;
  for (NodePtr &child : node.children)
    removeStatement(*child, s);
  if (node.kind == Node::Kind::Sequence)
    node.children.erase(std::remove_if(node.children.begin(),
                                       node.children.end(),
                                       [](const NodePtr &child) {
                                         return child->statements.empty();
                                       }),
                        node.children.end());
}

bool removeStatement(Specimen &specimen, unsigned s) {
  Scop &scop = specimen.scop;
  scop.statements.erase(scop.statements.begin() + s);
  std::vector<Reduction> kept;
  for (Reduction reduction : scop.reductions) {
    if (reduction.init == s || reduction.update == s)
      continue;
    if (reduction.merge == s)
      reduction.merge.reset();
    reduction.init -= reduction.init > s;
    reduction.update -= reduction.update > s;
    if (reduction.merge)
      *reduction.merge -= *reduction.merge > s;
    kept.push_back(reduction);
  }
  scop.reductions = std::move(kept);
  if (scop.statements.empty())
    return false;
  removeStatement(*specimen.tree.root, s);
  return true;
}

void collect(Node &node, std::vector<Node *> &bands) {
  if (node.kind == Node::Kind::Band)
    bands.push_back(&node);
  for (NodePtr &child : node.children)
    collect(*child, bands);
}

/// Without the band: what it holds is in its parent's place.
bool removeBand(Node &node, const Node *band) {
  for (NodePtr &child : node.children) {
    if (child.get() == band) {
      NodePtr below = std::move(child->children[0]);
      child = std::move(below);
      return true;
    }
    if (removeBand(*child, band))
      return true;
  }
  return false;
}

/// Leaves out number `which` of `list`; else counts its items off.
bool leaveOut(std::vector<Affine> &list, size_t &which) {
  if (which >= list.size()) {
    which -= list.size();
    return false;
  }
  list.erase(list.begin() + std::ptrdiff_t(which));
  return true;
}

/// Change number `which` of those that are left to try; false at their end.
bool change(Specimen &specimen, size_t which, bool unbounded) {
  Scop &scop = specimen.scop;
  if (which < scop.statements.size())
    return removeStatement(specimen, unsigned(which)) || true;
  which -= scop.statements.size();
  for (Statement &statement : scop.statements) {
    size_t reads = statement.accesses.size() - 1;
    if (which < reads) {
      statement.accesses.erase(statement.accesses.begin() +
                               std::ptrdiff_t(which));
      return true;
    }
    which -= reads;
  }
  if (unbounded) {
    if (leaveOut(scop.context, which))
      return true;
    for (Statement &statement : scop.statements)
      if (leaveOut(statement.constraints, which))
        return true;
  }
  std::vector<Node *> bands;
  collect(*specimen.tree.root, bands);
  for (Node *band : bands)
    for (size_t m = 0; m < band->members.size(); ++m) {
      Member &member = band->members[m];
      if (which == 0) {
        if (band->members.size() == 1)
          return removeBand(*specimen.tree.root, band);
        band->members.erase(band->members.begin() + std::ptrdiff_t(m));
        return true;
      }
      if (--which == 0) {
        member.coincident = false;
        member.binding =
            member.binding == Binding::Grid ? Binding::Loop : member.binding;
        return true;
      }
      for (Digit &digit : member.digits) {
        if (--which == 0) {
          digit.modulus = 0;
          digit.divisor = 1;
          return true;
        }
        if (--which == 0) {
          digit.value.constant = 0;
          digit.value.params.clear();
          return true;
        }
      }
      --which;
    }
  return false;
}

bool isWellFormed(const Specimen &specimen) {
  Diagnostics diags;
  return !specimen.scop.statements.empty() &&
         verifyScop(specimen.scop, diags) &&
         girih::test::isSound(specimen.scop, specimen.tree);
}

} // namespace

std::string girih::test::printed(const Specimen &specimen) {
  return printScop(specimen.scop) +
         printScheduleTree(specimen.scop, specimen.tree);
}

Specimen
girih::test::minimised(const Scop &scop, const ScheduleTree &tree,
                       const std::function<bool(const Specimen &)> &shows,
                       bool unbounded) {
  Specimen best{scop, cloned(tree)};
  for (bool again = true; again;) {
    again = false;
    for (size_t which = 0;; ++which) {
      Specimen next{best.scop, cloned(best.tree)};
      if (!change(next, which, unbounded))
        break;
      bool isSame =
          next.scop == best.scop && printScheduleTree(next.scop, next.tree) ==
                                        printScheduleTree(best.scop, best.tree);
      if (isSame || !isWellFormed(next) || !shows(next))
        continue;
      best = std::move(next);
      again = true;
      break;
    }
  }
  return best;
}
