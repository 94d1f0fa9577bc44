//===- KernelCompletion.cpp - grid, points and the tree of one kernel -----===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/KernelCompletion.h"

#include "passes/schedule/KernelTree.h"
#include "passes/schedule/TileChoice.h"

#include <algorithm>

using namespace girih;
using namespace girih::schedule;
using poly::Binding;
using poly::Digit;
using poly::makeNode;
using poly::Member;
using poly::Node;
using poly::NodePtr;
using poly::Reduction;
using poly::Statement;
using poly::StatementKind;

/// Values of one tile, and elements that each takes in order.
constexpr int64_t kMostPoints = 32 * 1024;
constexpr int64_t kMostOrdered = 32;
constexpr int64_t kMostStaged = 128;
/// Elements of a chain that a thread loads ahead.
constexpr int64_t kChainStep = 8;

Diagnostic &KernelCompletion::fail(const char *code, const std::string &message,
                                   const Origin *origin) {
  Diagnostic &error =
      diags.error(code, message, origin ? origin->range : input.at);
  if (origin)
    sayOrigin(error, *origin);
  return error;
}

const Origin *KernelCompletion::originOf(unsigned s,
                                         const std::string &loop) const {
  return facts.origins.of(s, loop);
}

int64_t KernelCompletion::turnsOf(unsigned s, const Digit &digit) const {
  return schedule::turnsOf(scop.statements[s], digit);
}

/// The number of values, when it is one number; else 0.
int64_t KernelCompletion::turnsOf(const Node &band,
                                  const Member &member) const {
  int64_t most = 1;
  for (size_t i = 0; i < member.digits.size(); ++i) {
    int64_t turns = turnsOf(band.statements[i], member.digits[i]);
    if (turns == 0)
      return 0;
    most = std::max(most, turns);
  }
  return most;
}

bool KernelCompletion::isParallel(Node &band, size_t index) {
  Member &member = band.members[index];
  if (member.coincident)
    return true;
  member.coincident = !poly::carriedBy(scop, input.dependences, tree, band,
                                       index, input.budget);
  return member.coincident;
}

/// Whether every digit is of a dim along which a cell is updated in order.
bool KernelCompletion::isReductionOrder(const Node &band, size_t index) const {
  if (band.statements.size() != 1)
    return false;
  for (const Reduction &reduction : scop.reductions)
    if (reduction.update == band.statements[0])
      if (std::optional<unsigned> dim = dimOf(band.members[index].digits[0]))
        return *dim >= reduction.cellEnd;
  return false;
}

/// Whether a loop around the statement runs over a sum of the dim and others.
bool KernelCompletion::isSkewed(unsigned s, unsigned dim) const {
  for (const Node *node : poly::pathOf(tree, s))
    for (size_t m = 0; m < node->members.size(); ++m) {
      const Digit &digit = poly::digitOf(*node, m, s);
      if (digit.value.dimCoefficient(dim) != 0 && !dimOf(digit))
        return true;
    }
  return false;
}

/// Whether a tile takes the member's values in their order: elements of a
/// reduction and of a scatter.
bool KernelCompletion::isTaken(const Node &band, size_t index) const {
  return isReductionOrder(band, index) ||
         (band.statements.size() == 1 &&
          scop.statements[band.statements[0]].kind == StatementKind::Scatter &&
          !scop.statements[band.statements[0]].unordered);
}

bool KernelCompletion::hasThreads(const Node &filter) const {
  bool found = false;
  walk(filter, [&](const Node &node) {
    for (const Member &member : node.members)
      found |= member.binding == Binding::Thread;
  });
  return found;
}

/// The dim along which the elements of an access lie next to each other.
std::optional<unsigned>
KernelCompletion::fastestDim(unsigned s, const poly::Access &access) const {
  if (access.subscripts.empty())
    return std::nullopt;
  size_t last = access.subscripts.size() - 1;
  if (access.array < input.memory.size() && !input.memory[access.array].empty())
    last = input.memory[access.array].back();
  for (unsigned d = scop.statements[s].dims.size(); d-- > 0;)
    if (last < access.subscripts.size() &&
        access.subscripts[last].dimCoefficient(d) == 1)
      return d;
  return std::nullopt;
}

/// The dim along which the statement walks memory the fastest; -1: none.
int KernelCompletion::spreadDim(unsigned s) const {
  const Statement &statement = scop.statements[s];
  std::optional<unsigned> dim = fastestDim(
      s, statement.kind != StatementKind::Update ? statement.write()
                                                 : statement.accesses.front());
  return dim ? int(*dim) : -1;
}

void KernelCompletion::chooseGrid(Node &filter) {
  Node &band = *filter.children[0];
  if (band.kind != Node::Kind::Band || input.exact)
    return;
  for (const Member &member : band.members)
    if (member.binding == Binding::Grid)
      return;
  std::vector<size_t> candidates;
  for (size_t m = 0; m < band.members.size(); ++m) {
    if (poly::isCarriedByTile(band.members[m].binding))
      continue;
    if (band.members[m].binding != Binding::Loop || !isParallel(band, m))
      break;
    candidates.push_back(m);
  }
  if (candidates.empty())
    return;
  auto isOpen = [&](size_t m) { return turnsOf(band, band.members[m]) == 0; };
  // Loops that some statement's tile can be made from.
  bool hasPoints = hasThreads(filter);
  walk(filter, [&](Node &node) {
    if (node.kind != Node::Kind::Band || hasPoints)
      return;
    for (size_t m = 0; m < node.members.size() && !hasPoints; ++m)
      hasPoints = turnsOf(node, node.members[m]) > 1 && isParallel(node, m) &&
                  (&node != &band || candidates.size() > 1);
  });
  if (!hasPoints) {
    // One of the open loops is divided among threads.
    unsigned last = filter.statements.back();
    int dim = spreadDim(last);
    size_t chosen = candidates.back();
    for (size_t m : candidates)
      if (dim >= 0 && dimOf(poly::digitOf(band, m, last)) == unsigned(dim))
        chosen = m;
    bool onlyMaps = true;
    for (unsigned s : filter.statements)
      onlyMaps &= scop.statements[s].kind == StatementKind::Map;
    int64_t width = 128 * (onlyMaps ? vectorOf(last) : 1);
    Member outer = band.members[chosen], inner = outer;
    bool divides = isOpen(chosen);
    for (size_t i = 0; i < outer.digits.size() && divides; ++i) {
      auto parts = splitDigit(outer.digits[i], width);
      divides = parts.has_value() && dimOf(outer.digits[i]);
      if (divides) {
        outer.digits[i] = parts->first;
        inner.digits[i] = parts->second;
      }
    }
    if (divides) {
      why.push_back("'" + outer.name + "' is divided by " +
                    std::to_string(width) + ": over blocks, and threads");
      inner.name += "__t";
      band.members[chosen] = std::move(outer);
      band.members.insert(band.members.begin() + chosen + 1, std::move(inner));
      for (size_t &m : candidates)
        m += m > chosen;
    }
  }
  // Loops without end, and the outer parts of those that were divided; the
  // inner parts are for tiles. Where there is none of either, the first.
  auto isOuter = [&](size_t m) {
    const Member &member = band.members[m];
    return isOpen(m) ||
           std::all_of(member.digits.begin(), member.digits.end(),
                       [](const Digit &digit) { return digit.divisor > 1; });
  };
  std::vector<size_t> blocks;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(blocks),
               isOuter);
  if (blocks.empty() && candidates.size() == 1 && !hasPoints)
    return; // its values go to threads
  if (blocks.empty())
    blocks.push_back(candidates[0]);
  std::string names;
  for (size_t m : blocks) {
    Member &member = band.members[m];
    member.binding = Binding::Grid;
    names += (names.empty() ? "'" : ", '") + member.name + "'";
  }
  why.push_back("blocks: " + names +
                ", whose values do not depend on each "
                "other");
  std::stable_partition(
      band.members.begin(), band.members.end(),
      [](const Member &m) { return m.binding == Binding::Grid; });
}

/// A chain of unknown length runs in steps of a few elements.
void KernelCompletion::stripMineChains(Node &filter) {
  if (input.exact)
    return;
  walk(filter, [&](Node &node) {
    if (node.kind != Node::Kind::Band || node.members.empty() ||
        node.children[0]->kind != Node::Kind::Leaf)
      return;
    size_t m = node.members.size() - 1;
    Member &whole = node.members[m];
    int64_t turns = turnsOf(node, whole);
    bool isShort = turns != 0 && (!input.cutsChains || turns <= kMostOrdered);
    if (whole.binding != Binding::Loop || !isReductionOrder(node, m) ||
        isShort || whole.digits[0].divisor != 1)
      return;
    auto parts = splitDigit(whole.digits[0], kChainStep);
    if (!parts)
      return;
    Member inner = whole;
    whole.digits[0] = parts->first;
    inner.digits[0] = parts->second;
    inner.name += "__s";
    node.members.push_back(std::move(inner));
  });
}

/// Whether an unmapped loop may become an axis of the tiles below it.
bool KernelCompletion::mayBePoint(Node &band, size_t index) {
  Member &member = band.members[index];
  if (member.binding != Binding::Loop || turnsOf(band, member) == 0)
    return false;
  bool order = isReductionOrder(band, index);
  bool staged = band.children[0]->kind == Node::Kind::Stage;
  for (size_t i = 0; i < member.digits.size(); ++i) {
    unsigned s = band.statements[i];
    std::optional<unsigned> dim = dimOf(member.digits[i]);
    if (!dim || isSkewed(s, *dim))
      return false;
    // The outer part of a loop that was divided is a loop.
    if (member.digits[i].divisor > 1)
      return false;
    int64_t turns = turnsOf(s, member.digits[i]);
    int64_t box = order ? 1 : turns, inOrder = order ? turns : 1;
    bool behind = false;
    for (const Node *node : poly::pathOf(tree, s))
      for (size_t m = 0; m < node->members.size(); ++m) {
        const Member &other = node->members[m];
        if (node == &band && m == index) {
          behind = true;
          continue;
        }
        const Digit &digit = poly::digitOf(*node, m, s);
        bool isPoint = poly::isCarriedByTile(other.binding);
        if (dimOf(digit) == dim && digit.divisor < member.digits[i].divisor &&
            !isPoint)
          return false; // a part of the dim below it is a loop
        if (isPoint) {
          (isReductionOrder(*node, m) ? inOrder : box) *= turnsOf(s, digit);
        } else if (behind && order && !other.coincident) {
          return false; // it would move behind a loop that has an order
        }
      }
    if (box > kMostPoints || inOrder > (staged ? kMostStaged : kMostOrdered))
      return false;
  }
  return order || isParallel(band, index);
}

void KernelCompletion::choosePoints(Node &filter) {
  std::vector<Node *> bands;
  walk(filter, [&](Node &node) {
    if (node.kind == Node::Kind::Band)
      bands.push_back(&node);
  });
  for (auto band = bands.rbegin(); band != bands.rend(); ++band)
    for (size_t m = (*band)->members.size(); m-- > 0;) {
      Member &member = (*band)->members[m];
      // Copies of an unrolled loop run at once, where nothing orders them.
      if (poly::isCarriedByTile(member.binding) && !isTaken(**band, m))
        isParallel(**band, m);
      if (input.exact || !mayBePoint(**band, m))
        continue;
      member.binding = Binding::Unroll;
      chosen.insert(member.name);
    }
}

bool KernelCompletion::collectPoints(unsigned s) {
  const Statement &statement = scop.statements[s];
  StatementTile &tile = tiles[s];
  tile.shape.assign(statement.dims.size(), 1);
  std::string unrolled; // in order, so nothing inside it may be a loop
  auto refuse = [&](const std::string &loop,
                    const std::string &message) -> Diagnostic & {
    return fail("G0727", message, originOf(s, loop));
  };
  for (const Node *node : poly::pathOf(tree, s))
    for (size_t m = 0; m < node->members.size(); ++m) {
      const Member &member = node->members[m];
      if (!poly::isCarriedByTile(member.binding)) {
        if (unrolled.empty() || member.coincident ||
            member.binding != Binding::Loop)
          continue;
        refuse(unrolled, "'" + unrolled + "' of '" + statement.name +
                             "' cannot be unrolled around the loop '" +
                             member.name +
                             "': a tile is innermost, and they "
                             "would change places")
            .help("unroll '" + member.name + "' too, or leave '" + unrolled +
                  "' a loop");
        return false;
      }
      const Digit &digit = poly::digitOf(*node, m, s);
      std::optional<unsigned> dim = dimOf(digit);
      int64_t turns = dim ? turnsOf(s, digit) : 0;
      if (dim && isSkewed(s, *dim)) {
        refuse(member.name,
               "'" + member.name + "' of '" + statement.name +
                   "' is part of a skewed loop: a tile of it would be "
                   "no box")
            .help("leave '" + member.name + "' a loop, or do not skew by it");
        return false;
      }
      if (turns == 0) {
        refuse(member.name,
               "'" + member.name + "' of '" + statement.name +
                   "' has no fixed number of turns, which a tile needs")
            .help("split it by a number");
        return false;
      }
      Point point;
      point.dim = *dim;
      point.stride = digit.divisor;
      point.turns = turns;
      point.loop = member.name;
      point.binding =
          chosen.count(member.name) ? Binding::Loop : member.binding;
      // One thread takes the elements of a sum, also where a tile has but one
      // of them and nothing depends on anything.
      bool ofSum = isReductionOrder(*node, m);
      point.isOrdered = ofSum || (isTaken(*node, m) && !member.coincident);
      if (point.isOrdered && turns > 1)
        unrolled = member.name;
      if (ofSum && member.binding == Binding::Thread) {
        refuse(member.name, "'" + member.name + "' of '" + statement.name +
                                "' cannot go to threads: one thread takes the "
                                "elements of a cell")
            .help("unroll '" + member.name + "', or map the cells");
        return false;
      }
      if (!member.coincident && !point.isOrdered) {
        refuse(member.name,
               "'" + member.name + "' of '" + statement.name +
                   "' cannot be unrolled: its turns depend on each "
                   "other")
            .help("leave it a loop");
        return false;
      }
      tile.points.push_back(point);
    }
  if (statement.kind == StatementKind::Scatter)
    for (const Node *node : poly::pathOf(tree, s))
      for (size_t m = 0; m < node->members.size(); ++m)
        if (!node->members[m].coincident)
          if (auto dim = dimOf(poly::digitOf(*node, m, s)))
            tile.inOrder.insert(*dim);
  // The parts of a dim together are its last values.
  for (unsigned d = 0; d < statement.dims.size(); ++d) {
    std::vector<Point> parts;
    for (const Point &point : tile.points)
      if (point.dim == d)
        parts.push_back(point);
    std::sort(parts.begin(), parts.end(), [](const Point &a, const Point &b) {
      return a.stride < b.stride;
    });
    for (const Point &part : parts) {
      if (part.stride != tile.shape[d]) {
        refuse(part.loop,
               "a part of '" + statement.dims[d] + "' of '" + statement.name +
                   "' between two that are mapped is a loop: the tile "
                   "would have gaps")
            .help("map or unroll the inner part too");
        return false;
      }
      tile.shape[d] *= part.turns;
    }
  }
  return true;
}

NodePtr KernelCompletion::tileOf(unsigned s) {
  const Statement &statement = scop.statements[s];
  const StatementTile &tile = tiles.at(s);
  unsigned firstOrdered = statement.dims.size();
  for (const Reduction &reduction : scop.reductions)
    if (reduction.update == s)
      firstOrdered = reduction.cellEnd;
  std::set<std::string> taken = loopNames;
  NodePtr band = makeNode(Node::Kind::Band, {s});
  for (unsigned d = 0; d < statement.dims.size(); ++d) {
    std::string name = statement.dims[d] + "i";
    while (!taken.insert(name).second)
      name += "_";
    bool coincident = d < firstOrdered && !tile.inOrder.count(d);
    band->members.push_back(
        member(name, Binding::Point, coincident, {digit(d, 1, tile.shape[d])}));
  }
  band->children.push_back(makeNode(Node::Kind::Leaf, {s}));
  if (band->members.empty()) {
    NodePtr leaf = std::move(band->children[0]);
    band = std::move(leaf);
  }
  NodePtr mark = makeNode(Node::Kind::Tile, {s});
  mark->tile.shape = tile.shape;
  mark->tile.layout = layout::print(tile.layout);
  mark->children.push_back(std::move(band));
  return mark;
}

/// The subtree with its points sunk into tiles.
NodePtr KernelCompletion::build(NodePtr node) {
  if (node->kind == Node::Kind::Leaf)
    return tileOf(node->statements[0]);
  for (NodePtr &child : node->children)
    child = build(std::move(child));
  if (node->kind == Node::Kind::Sequence)
    spliceSequences(*node);
  if (node->kind != Node::Kind::Band)
    return node;
  auto &members = node->members;
  members.erase(std::remove_if(members.begin(), members.end(),
                               [](const Member &member) {
                                 return poly::isCarriedByTile(member.binding);
                               }),
                members.end());
  if (members.empty())
    return std::move(node->children[0]);
  // Grid members stand in a band of their own, which notes that they permute.
  size_t grid = 0;
  while (grid < members.size() && members[grid].binding == Binding::Grid)
    ++grid;
  if (grid == members.size())
    node->permutable = true;
  if (grid == 0 || grid == members.size())
    return node;
  endBandAt({node.get(), grid - 1});
  node->permutable = true;
  return node;
}

/// A stage that the threads cannot share evenly: says which factors they could.
void KernelCompletion::refuseStage(const poly::StageMark &stage, unsigned s,
                                   const Origin *stager) {
  const Statement &statement = scop.statements[s];
  unsigned reduced = statement.dims.size() - 1;
  std::string sizes;
  int64_t elements = 1;
  for (int64_t extent : stage.shape) {
    sizes += (sizes.empty() ? "" : " x ") + std::to_string(extent);
    elements *= extent;
  }
  Diagnostic &error =
      fail("G0727",
           "the stage of '" + scop.arrays[stage.array].name + "' has " + sizes +
               " elements, which " + std::to_string(threads) +
               " threads cannot share evenly",
           stager);
  // Powers of two: the reduced dim as long as it takes, the others no longer
  // than they are.
  const poly::Access *read = nullptr;
  for (const poly::Access &access : statement.accesses)
    if (!access.isWrite && access.array == stage.array)
      read = &access;
  for (int64_t turns = 4; turns <= kMostStaged; turns *= 2) {
    std::vector<int64_t> shape;
    std::string help;
    for (size_t a = 0; a < stage.shape.size(); ++a) {
      unsigned dim = 0;
      for (unsigned d = 0; d < statement.dims.size(); ++d)
        if (read->subscripts[a].dimCoefficient(d) != 0)
          dim = d;
      int64_t extent = turns;
      if (dim != reduced)
        for (extent = 1; extent * 2 <= stage.shape[a];)
          extent *= 2;
      shape.push_back(extent);
      if (extent != stage.shape[a])
        help += (help.empty() ? "" : " and ") + ("'" + statement.dims[dim]) +
                "' by " + std::to_string(extent);
    }
    if (!stageLayout(scop, input.memory, stage.array, shape, threads))
      continue;
    error.help("split " + help + ", and stage at the loop outside the parts");
    return;
  }
  error.help("take larger tiles or fewer threads");
}

/// Whether all reads of the array by a map have each of its dims as a
/// subscript, and are contiguous along another one than its write.
bool KernelCompletion::isTurnedBy(const Statement &statement,
                                  unsigned array) const {
  if (statement.kind != StatementKind::Map)
    return false;
  return std::all_of(
      statement.accesses.begin(), statement.accesses.end(),
      [&](const poly::Access &access) {
        return access.isWrite || access.array != array ||
               (access.subscripts.size() == statement.dims.size() &&
                isTurned(access, statement.write(), input.memory));
      });
}

bool KernelCompletion::fillStages(Node &node) {
  bool good = true;
  walk(node, [&](Node &at) {
    if (at.kind != Node::Kind::Stage || !good)
      return;
    const Node *below = at.children[0].get();
    while (below->kind == Node::Kind::Stage)
      below = below->children[0].get();
    unsigned s = at.statements[0];
    const std::string &array = scop.arrays[at.stage.array].name;
    auto found = facts.origins.staged.find(at.stage.array);
    const Origin *stager =
        found == facts.origins.staged.end() ? nullptr : &found->second;
    const bool isStageable = tiles.at(s).isContraction ||
                             isTurnedBy(scop.statements[s], at.stage.array);
    if (below->kind != Node::Kind::Tile || !isStageable) {
      good = false;
      fail("G0725",
           below->kind != Node::Kind::Tile
               ? "'" + array +
                     "' is staged above loops that are no part of "
                     "the tile of '" +
                     scop.statements[s].name + "', which is not realised yet"
               : "only the two operands of a product, both of them, and what a "
                 "map reads along another dimension than it writes can be "
                 "staged so far; '" +
                     scop.statements[s].name + "' is none of that kind here",
           stager)
          .help("stage both operands at the innermost loop above the tile, or "
                "leave the stage out");
      return;
    }
    for (const poly::Access &access : scop.statements[s].accesses) {
      if (access.isWrite || access.array != at.stage.array ||
          !at.stage.shape.empty())
        continue;
      for (const poly::Affine &subscript : access.subscripts) {
        int64_t extent = 1;
        for (unsigned d = 0; d < scop.statements[s].dims.size(); ++d)
          if (subscript.dimCoefficient(d) != 0)
            extent = tiles.at(s).shape[d];
        at.stage.shape.push_back(extent);
      }
    }
    std::optional<layout::Layout> copy = stageLayout(
        scop, input.memory, at.stage.array, at.stage.shape, threads);
    if (!copy) {
      good = false;
      refuseStage(at.stage, s, stager);
      return;
    }
    at.stage.layout = layout::print(*copy);
  });
  return good;
}

void KernelCompletion::prepare(Node &filter) {
  statements = filter.statements;
  chooseGrid(filter);
  stripMineChains(filter);
  choosePoints(filter);
}

/// Says of each vector that no access along it is contiguous: as many memory
/// operations as without it.
void KernelCompletion::warnOfVectors() const {
  struct Vector {
    unsigned statement = 0;
    bool isContiguous = false;
    std::map<std::string, std::string> better; ///< loop -> its arrays
  };
  std::map<std::string, Vector> vectors;
  for (unsigned s : statements)
    for (const Point &point : tiles.at(s).points) {
      if (point.binding != Binding::Vector || point.turns == 1)
        continue;
      Vector &vector = vectors[point.loop];
      vector.statement = s;
      for (const poly::Access &access : scop.statements[s].accesses) {
        const poly::Array &array = scop.arrays[access.array];
        std::optional<unsigned> dim = fastestDim(s, access);
        if (array.role == poly::ArrayRole::Accumulator || !dim)
          continue;
        vector.isContiguous |= *dim == point.dim && point.stride == 1;
        std::string loop = scop.statements[s].dims[*dim];
        for (const Point &other : tiles.at(s).points)
          if (other.dim == *dim && other.stride == 1)
            loop = other.loop;
        std::string name = "'" + array.name + "'";
        std::string &names = vector.better[loop];
        if (names.find(name) == std::string::npos)
          names += (names.empty() ? "" : ", ") + name;
      }
    }
  for (const auto &[loop, vector] : vectors) {
    if (vector.isContiguous)
      continue;
    const Origin *origin = originOf(vector.statement, loop);
    Diagnostic &warning = diags.warning(
        "G0732",
        "no access of '" + scop.statements[vector.statement].name +
            "' is contiguous along '" + loop +
            "': as a vector it costs nothing and gains nothing",
        origin ? origin->range : input.at);
    if (origin)
      sayOrigin(warning, *origin);
    for (const auto &[other, arrays] : vector.better)
      warning.help(arrays +
                   (arrays.find(',') == std::string::npos ? " is" : " are") +
                   " contiguous along '" + other + "'");
  }
}

bool KernelCompletion::run(Node &filter, const std::string &name,
                           const AskedThreads &asked, KernelReason &reason) {
  for (unsigned s : statements)
    if (!collectPoints(s))
      return false;
  markContractions(filter);
  if (!chooseThreads(asked) || !checkCells())
    return false;
  for (unsigned s : statements)
    if (!layOut(s))
      return false;
  bool good = true;
  std::vector<poly::KernelMark::ArrayPlace> where = places(good);
  if (!good)
    return false;
  warnOfVectors();
  NodePtr kernel = makeNode(Node::Kind::Kernel, statements);
  kernel->kernel.name = name;
  kernel->kernel.threads = threads;
  kernel->kernel.places = std::move(where);
  walk(*filter.children[0], [&](Node &node) {
    for (const Member &member : node.members)
      if (!poly::isCarriedByTile(member.binding))
        loopNames.insert(member.name);
  });
  NodePtr body = std::move(filter.children[0]);
  filter.children[0] = makeNode(Node::Kind::Leaf, statements);
  body = build(std::move(body));
  if (!fillStages(*body))
    return false;
  kernel->children.push_back(std::move(body));
  filter.children[0] = std::move(kernel);
  reason.kernel = name;
  reason.lines.push_back("scheduled by directives, with " +
                         std::to_string(threads) + " threads a block");
  for (std::string &line : why)
    reason.lines.push_back(std::move(line));
  return true;
}
