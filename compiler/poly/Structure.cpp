//===- Structure.cpp - structural rules of schedule trees -----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/Structure.h"
#include "compiler/poly/Text.h"

#include <algorithm>
#include <set>

namespace girih::poly {

namespace {

/// What holds above a node.
struct Above {
  const Node *kernel = nullptr;
  const Node *tile = nullptr; ///< set directly below the tile mark only
  bool insideTile = false;
  bool hasLoop = false;     ///< a loop member within the kernel
  bool hasSequence = false; ///< a sequence within the kernel
  unsigned depth = 0;
  unsigned timeLoops = 0;         ///< bound to time members
  std::vector<std::string> names; ///< of the members on the path
};

class Checker {
public:
  Checker(const Scop &scop, bool isPlain) : scop(scop), isPlain(isPlain) {}

  std::vector<StructureProblem> run(const ScheduleTree &tree) {
    const Node *root = tree.root.get();
    if (!root) {
      problems.push_back({0, "the schedule tree has no root"});
      return std::move(problems);
    }
    if (!expect(*root, root->kind == Node::Kind::Sequence,
                "the root of a schedule tree is a sequence of kernels"))
      return std::move(problems);
    std::vector<unsigned> all;
    for (unsigned s = 0; s < scop.statements.size(); ++s)
      all.push_back(s);
    // Filters below are compared with this list, so it must be right itself.
    if (expect(*root, root->statements == all,
               "the root does not hold every statement exactly once"))
      check(*root, {});
    return std::move(problems);
  }

private:
  bool expect(const Node &node, bool condition, const std::string &message) {
    if (!condition)
      problems.push_back({node.line, message});
    return condition;
  }

  std::string statementName(unsigned s) const {
    return s < scop.statements.size() ? "'" + scop.statements[s].name + "'"
                                      : "statement " + std::to_string(s);
  }

  void check(const Node &node, Above above) {
    if (!expect(node, ++above.depth <= kMaxNesting,
                "the schedule tree is nested more than 100 deep"))
      return;
    if (node.kind != Node::Kind::Sequence)
      if (!expect(node,
                  node.children.size() ==
                      (node.kind == Node::Kind::Leaf ? 0 : 1),
                  "a node that is not a sequence has exactly one child, a "
                  "leaf none"))
        return;
    for (const NodePtr &child : node.children)
      if (!expect(node, child != nullptr, "a child is missing"))
        return;
    if (node.kind == Node::Kind::Sequence) {
      sequence(node, above);
      return;
    }
    for (const NodePtr &child : node.children) {
      if (!expect(*child, child->statements == node.statements,
                  "a node holds other statements than its parent") ||
          !expect(*child, child->kind != Node::Kind::Filter,
                  "a filter stands only below a sequence"))
        return;
    }
    switch (node.kind) {
    case Node::Kind::Kernel:
      kernel(node, above);
      break;
    case Node::Kind::Band:
      band(node, above);
      break;
    case Node::Kind::Tile:
      tile(node, above);
      break;
    case Node::Kind::Stage:
      stage(node, above);
      break;
    case Node::Kind::Leaf:
      leaf(node, above);
      return;
    case Node::Kind::Filter:
    case Node::Kind::Sequence:
      break;
    }
    if (node.kind != Node::Kind::Tile)
      above.tile = nullptr;
    check(*node.children[0], std::move(above));
  }

  void sequence(const Node &node, Above &above) {
    expect(node, !above.insideTile, "a sequence stands below a tile mark");
    above.tile = nullptr;
    // In a plain tree a sequence below loops is inside what will be a kernel.
    above.hasSequence = above.kernel || (isPlain && !above.names.empty() &&
                                         above.names.size() > above.timeLoops);
    expect(node, !node.children.empty() || scop.statements.empty(),
           "a sequence holds nothing");
    std::vector<unsigned> seen;
    for (const NodePtr &child : node.children) {
      if (!expect(*child, child->kind == Node::Kind::Filter,
                  "the children of a sequence are filters"))
        return;
      expect(*child, !child->statements.empty(), "a filter holds nothing");
      if (!isPlain && !above.kernel && child->children.size() == 1 &&
          child->children[0])
        expect(*child,
               child->children[0]->kind == Node::Kind::Kernel ||
                   isTimeBand(*child->children[0]),
               "each filter of the root holds one kernel, or the time members "
               "of a loop");
      seen.insert(seen.end(), child->statements.begin(),
                  child->statements.end());
      expect(*child,
             std::is_sorted(child->statements.begin(), child->statements.end()),
             "the statements of a filter are not in the order of the text");
    }
    std::sort(seen.begin(), seen.end());
    bool good = true;
    for (size_t i = 0; i + 1 < seen.size(); ++i)
      if (seen[i] == seen[i + 1])
        good = expect(node, false,
                      statementName(seen[i]) + " is in two filters of a "
                                               "sequence");
    for (unsigned s : node.statements)
      if (!std::binary_search(seen.begin(), seen.end(), s))
        good = expect(node, false,
                      statementName(s) + " is scheduled nowhere: no filter of "
                                         "the sequence holds it");
    for (unsigned s : seen)
      if (!std::binary_search(node.statements.begin(), node.statements.end(),
                              s))
        good = expect(node, false,
                      statementName(s) + " is in a filter but not above it");
    if (good)
      for (const NodePtr &child : node.children)
        check(*child, above);
  }

  void kernel(const Node &node, Above &above) {
    expect(node, !above.kernel, "a kernel stands inside a kernel");
    expect(node, !node.kernel.name.empty(), "a kernel has no name");
    above.kernel = &node;
    above.hasLoop = above.hasSequence = false;
    for (const KernelMark::ArrayPlace &place : node.kernel.places)
      expect(node, place.array < scop.arrays.size(),
             "a kernel places an array that does not exist");
  }

  static bool isTimeBand(const Node &node) {
    return node.kind == Node::Kind::Band && !node.members.empty() &&
           node.members[0].binding == Binding::Time;
  }

  /// The turns of the next time loop around all statements below, and of no
  /// others.
  void timeMember(const Node &node, const Member &member, Above &above) {
    std::string name = "time member '" + member.name + "'";
    unsigned depth = above.timeLoops++;
    if (!expect(node, !above.kernel, name + " stands inside a kernel") ||
        member.digits.size() != node.statements.size())
      return;
    for (size_t i = 0; i < node.statements.size(); ++i) {
      const Statement &statement = scop.statements[node.statements[i]];
      Digit turn;
      turn.value = Affine::dim(depth);
      const Statement &first = scop.statements[node.statements[0]];
      if (!expect(node,
                  statement.loops.size() > depth &&
                      commonLoops(statement, first) > depth &&
                      member.digits[i] == turn,
                  name + " is not the turns of a time loop around " +
                      statementName(node.statements[i])))
        return;
    }
    unsigned loop = scop.statements[node.statements[0]].loops[depth];
    for (unsigned s = 0; s < scop.statements.size(); ++s) {
      const std::vector<unsigned> &loops = scop.statements[s].loops;
      bool inside = loops.size() > depth && loops[depth] == loop;
      expect(node,
             !inside || std::binary_search(node.statements.begin(),
                                           node.statements.end(), s),
             statementName(s) + " is in the time loop of " + name +
                 " but not below it");
    }
  }

  void band(const Node &node, Above &above) {
    expect(node, !node.members.empty(), "a band has no members");
    expect(node,
           isPlain || above.kernel || !isTimeBand(node) ||
               node.children[0]->kind == Node::Kind::Sequence ||
               node.children[0]->kind == Node::Kind::Kernel ||
               isTimeBand(*node.children[0]),
           "below the time members of a loop stand its kernels");
    for (const Member &member : node.members) {
      std::string name = "member '" + member.name + "'";
      expect(node, isIdentifier(member.name),
             name + " has a name that is not an identifier");
      expect(node,
             std::find(above.names.begin(), above.names.end(), member.name) ==
                 above.names.end(),
             name + " has the name of another member on its path");
      above.names.push_back(member.name);
      if (expect(node, member.digits.size() == node.statements.size(),
                 name + " needs one digit for each statement below it"))
        for (size_t i = 0; i < node.statements.size(); ++i)
          digit(node, member, node.statements[i], member.digits[i]);
      binding(node, member, above);
    }
  }

  void digit(const Node &node, const Member &member, unsigned statement,
             const Digit &digit) {
    constexpr int64_t kMax = int64_t(1) << 53;
    std::string name = "the digit of member '" + member.name + "' for " +
                       statementName(statement);
    expect(node,
           digit.value.dims.size() <= scop.statements[statement].dims.size() &&
               digit.value.params.size() <= scop.params.size(),
           name + " uses a dimension or parameter that does not exist");
    auto fits = [](int64_t c) { return c >= -kMax && c <= kMax; };
    expect(
        node,
        std::all_of(digit.value.dims.begin(), digit.value.dims.end(), fits) &&
            std::all_of(digit.value.params.begin(), digit.value.params.end(),
                        fits) &&
            fits(digit.value.constant),
        name + " has a coefficient larger than 2^53");
    expect(node,
           digit.divisor >= 1 && digit.modulus >= 0 && digit.divisor <= kMax &&
               digit.modulus <= kMax && digit.modulus % digit.divisor == 0,
           name + " needs a positive divisor and a modulus that it divides");
  }

  void binding(const Node &node, const Member &member, Above &above) {
    std::string name = "member '" + member.name + "'";
    bool isPoint = member.binding == Binding::Point;
    expect(node, !isPoint || above.tile,
           "point " + name + " does not stand directly below a tile mark");
    expect(node, isPoint || !above.insideTile,
           name + " stands below a tile mark and is not a point");
    if (member.binding == Binding::Grid) {
      expect(node, member.coincident,
             "grid " + name + " is not called coincident");
      expect(node, above.kernel || isPlain,
             "grid " + name + " stands outside a kernel");
      expect(node, !above.hasLoop && !above.hasSequence,
             "grid " + name +
                 " stands below a loop or a sequence of its kernel");
    }
    if (member.binding == Binding::Loop) {
      expect(node, above.kernel || isPlain,
             "loop " + name + " stands outside a kernel");
      above.hasLoop = true;
    }
    if (isCarriedByTile(member.binding)) {
      expect(node, isPlain,
             name +
                 " is to become a point of a tile, but the tree has kernels");
      expect(node, member.binding != Binding::Thread || member.coincident,
             "thread " + name + " is not called coincident");
    }
    if (member.binding == Binding::Time)
      timeMember(node, member, above);
  }

  void tile(const Node &node, Above &above) {
    expect(node, !above.insideTile, "a tile stands inside a tile");
    expect(node, above.kernel, "a tile stands outside a kernel");
    expect(node, node.statements.size() == 1,
           "a tile has exactly one statement");
    above.tile = &node;
    above.insideTile = true;
    const Node &child = *node.children[0];
    size_t members = child.kind == Node::Kind::Band ? child.members.size() : 0;
    expect(node,
           child.kind == Node::Kind::Band || child.kind == Node::Kind::Leaf,
           "below a tile mark stands a band of points or a leaf");
    expect(node, node.tile.shape.size() == members,
           "the tile's shape has " + std::to_string(node.tile.shape.size()) +
               " extents for " + std::to_string(members) + " point members");
    for (int64_t extent : node.tile.shape)
      expect(node, extent >= 1,
             "an extent of the tile's shape is not positive");
  }

  void stage(const Node &node, Above &above) {
    expect(node, !above.insideTile, "a stage stands below a tile mark");
    if (!expect(node, node.statements.size() == 1,
                "a stage has exactly one statement") ||
        !expect(node, node.stage.array < scop.arrays.size(),
                "a stage names an array that does not exist"))
      return;
    const Array &array = scop.arrays[node.stage.array];
    const Statement &statement = scop.statements[node.statements[0]];
    // A plain tree leaves the box to completion.
    expect(node,
           node.stage.shape.size() == array.extents.size() ||
               (isPlain && node.stage.shape.empty()),
           "the stage of '" + array.name +
               "' needs one extent for each of its "
               "dimensions");
    for (int64_t extent : node.stage.shape)
      expect(node, extent >= 1,
             "an extent of the stage of '" + array.name + "' is not positive");
    expect(node,
           std::any_of(statement.accesses.begin(), statement.accesses.end(),
                       [&](const Access &access) {
                         return !access.isWrite &&
                                access.array == node.stage.array;
                       }),
           "'" + statement.name + "' does not read the staged array '" +
               array.name + "'");
  }

  void leaf(const Node &node, const Above &above) {
    expect(node, above.kernel || isPlain, "a leaf stands outside a kernel");
    if (node.statements.size() > 1)
      expect(node, false,
             statementName(node.statements[0]) + " and " +
                 statementName(node.statements[1]) +
                 " end at one leaf; a sequence must order them");
  }

  const Scop &scop;
  bool isPlain;
  std::vector<StructureProblem> problems;
};

} // namespace

std::vector<StructureProblem> structureProblems(const Scop &scop,
                                                const ScheduleTree &tree) {
  return Checker(scop, isPlain(tree)).run(tree);
}

} // namespace girih::poly
