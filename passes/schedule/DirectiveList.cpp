//===- DirectiveList.cpp - a schedule tree as directives ------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dim of a statement is divided wherever a loop, a grid member, a thread or a
// register digit begins. Each part becomes a loop of the text's nest, which the
// directives split, order, fuse and map.
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/DirectiveList.h"

#include "compiler/layout/Layout.h"
#include "passes/schedule/DirectiveBuilder.h"
#include "passes/schedule/TreeEdit.h"

#include <algorithm>
#include <map>
#include <stdexcept>

using namespace girih;
using namespace girih::schedule;
using frontend::Directive;
using layout::Layout;
using poly::Binding;
using poly::Node;
using poly::Place;
using poly::Scop;
using poly::Statement;

namespace {

class CannotSay : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// What a part of a dim becomes.
enum class Use { Grid, Loop, Thread, Vector, Register };

/// Values of a dim from a place value on, up to the next part's.
struct Part {
  int64_t divisor = 1;
  Use use = Use::Loop;
  const Node *band = nullptr; ///< Grid, Loop: which one it is
  size_t member = 0;
  std::string name;
};

/// Parts of one dim, the largest place value first.
using Parts = std::vector<Part>;

class Lister {
public:
  Lister(const Scop &scop, const std::vector<Family> &families,
         const poly::ScheduleTree &tree)
      : scop(scop), families(families), tree(tree) {}

  std::vector<Directive> run() {
    divideFamilies();
    for (const Node *kernel : poly::kernelsOf(tree))
      sayKernel(*kernel);
    return std::move(result);
  }

private:
  /// Families whose statements are in several kernels.
  void divideFamilies() {
    std::vector<Family> divided;
    for (const Family &family : families) {
      std::vector<Family> parts;
      const Node *last = nullptr;
      for (unsigned s : family.statements) {
        const Node *kernel = poly::kernelOf(tree, s);
        if (!last || kernel != last) {
          parts.push_back(family);
          parts.back().statements.clear();
        }
        parts.back().statements.push_back(s);
        last = kernel;
      }
      for (size_t p = 0; p < parts.size(); ++p) {
        parts[p].sharedDims = commonDims(scop, parts[p]);
        if (p + 1 < parts.size())
          parts[p].name =
              scop.arrays
                  [scop.statements[parts[p].statements.back()].write().array]
                      .name;
        if (p > 0)
          result.push_back(directive::computeRoot(
              scop.statements[parts[p].statements.front()].name));
        divided.push_back(std::move(parts[p]));
      }
    }
    families = std::move(divided);
  }

  /// A pass runs in its kernel as long as nothing is said about it.
  bool isPass(const Node &kernel) const {
    const std::vector<unsigned> &first =
        scop.statements[kernel.statements.front()].loops;
    return std::any_of(kernel.statements.begin(), kernel.statements.end(),
                       [&](unsigned s) {
                         const auto &loops = scop.statements[s].loops;
                         return loops != first && !loops.empty() &&
                                scop.loops[loops.back()].isPass;
                       });
  }

  void sayKernel(const Node &kernel) {
    if (isPass(kernel))
      return;
    std::vector<unsigned> inside;
    for (unsigned f = 0; f < families.size(); ++f) {
      const std::vector<unsigned> &own = families[f].statements;
      size_t count = std::count_if(own.begin(), own.end(), [&](unsigned s) {
        return std::binary_search(kernel.statements.begin(),
                                  kernel.statements.end(), s);
      });
      if (count == 0)
        continue;
      inside.push_back(f);
    }
    threadOrder.clear();
    maps.clear();
    gridNames.clear();
    gridBands.clear();
    std::optional<size_t> shared;
    for (unsigned f : inside) {
      size_t common = sayFamily(families[f], kernel);
      if (f == inside[0])
        firstShared = lastShared;
      if (shared.value_or(common) != common)
        throw CannotSay("the statements of kernel " + kernel.kernel.name +
                        " do not have the same loops in common");
      shared = common;
    }
    directive::Names names;
    for (unsigned f : inside)
      names.push_back(nameOf(families[f]));
    if (names.size() > 1) {
      result.push_back(directive::fuse(
          names, *shared == 0 ? "" : names[0] + "." + firstShared));
    }
    if (!gridNames.empty())
      result.push_back(directive::map(gridNames, "grid"));
    if (!threadOrder.empty())
      result.push_back(directive::map(threadOrder, "thread"));
    for (Directive &map : maps)
      result.push_back(std::move(map));
    sayStages(kernel);
    result.push_back(directive::threads(kernel.kernel.threads, {names[0]}));
    for (const poly::KernelMark::ArrayPlace &place : kernel.kernel.places)
      if (scop.arrays[place.array].role == poly::ArrayRole::Temporary)
        result.push_back(
            directive::place({scop.arrays[place.array].name},
                             place.place == Place::Register ? "registers"
                             : place.place == Place::Shared ? "shared"
                                                            : "memory"));
  }

  /// Unambiguous: the tensor's name, or the last statement's.
  std::string nameOf(const Family &family) const {
    size_t same = std::count_if(
        families.begin(), families.end(),
        [&](const Family &other) { return other.name == family.name; });
    return same == 1 ? family.name
                     : scop.statements[family.statements.back()].name;
  }

  /// Splits, order and maps of one family; returns how many of its first loops
  /// are those of all statements of the kernel.
  size_t sayFamily(const Family &family, const Node &kernel) {
    bool alone = family.statements.size() == 1;
    const Statement &first = scop.statements[family.statements[0]];
    unsigned sharedEnd = alone ? first.dims.size() : family.sharedDims;
    std::string name = nameOf(family);
    // Dims that all of its statements have in common.
    std::map<unsigned, Parts> shared;
    for (unsigned d = family.timeDims; d < sharedEnd; ++d) {
      for (unsigned s : family.statements)
        merge(shared[d], partsOf(s, d), family, s, d);
      split(shared[d], first.dims[d], name);
    }
    size_t common = order(shared, family, kernel, name);
    for (auto &[d, parts] : shared) {
      map(parts, name, kernel);
      for (unsigned s : family.statements)
        table[{s, d}] = {name, parts};
    }
    for (unsigned s : family.statements) {
      std::map<unsigned, Parts> own;
      const Statement &statement = scop.statements[s];
      for (unsigned d = sharedEnd; d < statement.dims.size(); ++d) {
        own[d] = partsOf(s, d);
        split(own[d], statement.dims[d], statement.name);
        table[{s, d}] = {statement.name, own[d]};
      }
      orderLoops(own, s, statement.name);
      for (auto &[d, parts] : own)
        map(parts, statement.name, kernel);
    }
    for (unsigned s : family.statements)
      orderThreads(s);
    return common;
  }

  /// Where the dim is divided for one statement.
  Parts partsOf(unsigned s, unsigned d) {
    Parts parts;
    const Node *tile = nullptr;
    for (const Node *node : poly::pathOf(tree, s)) {
      if (node->kind == Node::Kind::Tile)
        tile = node;
      for (size_t m = 0; m < node->members.size(); ++m) {
        const poly::Member &member = node->members[m];
        const poly::Digit &digit = poly::digitOf(*node, m, s);
        if (member.binding == Binding::Point ||
            member.binding == Binding::Time ||
            digit.value.dimCoefficient(d) == 0)
          continue;
        if (dimOf(digit) != d)
          throw CannotSay("'" + member.name + "' is a skewed loop");
        parts.push_back(
            {digit.divisor,
             member.binding == Binding::Grid ? Use::Grid : Use::Loop, node, m,
             ""});
      }
    }
    if (!tile)
      throw CannotSay("a statement has no tile");
    int64_t box = tile->tile.shape.at(d);
    std::string error;
    std::optional<Layout> layout =
        layout::parseLayout(tile->tile.layout, error);
    if (!layout)
      throw CannotSay("a layout cannot be read");
    if (d >= layout->rank()) {
      if (box > 1)
        parts.push_back({1, Use::Register, nullptr, 0, ""});
    } else {
      for (const layout::Digit &digit : layout->threads)
        if (digit.dim == int(d) && digit.count > 1)
          parts.push_back({digit.stride, Use::Thread, nullptr, 0, ""});
      for (const layout::Digit &digit : layout->registers)
        if (digit.dim == int(d) && digit.count > 1)
          parts.push_back({digit.stride,
                           &digit == &layout->registers[0] &&
                                   digit.stride == 1 && !isOrdered(s, d)
                               ? Use::Vector
                               : Use::Register,
                           nullptr, 0, ""});
    }
    std::sort(parts.begin(), parts.end(), [](const Part &a, const Part &b) {
      return a.divisor > b.divisor;
    });
    for (size_t p = 0; p + 1 < parts.size(); ++p)
      if (parts[p].divisor == parts[p + 1].divisor) // a loop of one turn
        throw CannotSay("two loops run over the same part of '" +
                        scop.statements[s].dims[d] + "'");
    return parts;
  }

  bool isOrdered(unsigned s, unsigned d) const {
    if (scop.statements[s].kind == poly::StatementKind::Scatter)
      return true;
    for (const poly::Reduction &reduction : scop.reductions)
      if (reduction.update == s)
        return d >= reduction.cellEnd;
    return false;
  }

  /// All statements of a family divide their common dims in one way.
  void merge(Parts &into, const Parts &parts, const Family &family, unsigned s,
             unsigned d) {
    if (into.empty()) {
      into = parts;
      return;
    }
    bool same = into.size() == parts.size();
    for (size_t p = 0; same && p < parts.size(); ++p) {
      bool bothHeld = isHeld(into[p].use) && isHeld(parts[p].use);
      same = into[p].divisor == parts[p].divisor &&
             (into[p].use == parts[p].use || bothHeld) &&
             into[p].band == parts[p].band && into[p].member == parts[p].member;
      if (bothHeld)
        into[p].use = Use::Register;
    }
    if (!same) {
      const Statement &first = scop.statements[family.statements[0]];
      const Statement &other = scop.statements[s];
      throw CannotSay("the statements of '" + family.name +
                      "' are divided in different ways: '" + first.name +
                      "' takes '" + first.dims[d] + "' by " + describe(into) +
                      ", '" + other.name + "' by " + describe(parts));
    }
  }

  /// `64 over blocks, 4 over threads, 1 in registers`.
  static std::string describe(const Parts &parts) {
    std::string text;
    for (const Part &part : parts)
      text += (text.empty() ? "" : ", ") + std::to_string(part.divisor) +
              (part.use == Use::Grid     ? " over blocks"
               : part.use == Use::Thread ? " over threads"
               : part.use == Use::Loop   ? " in a loop"
                                         : " in registers");
    return text.empty() ? "1 in no loop" : text;
  }

  static bool isHeld(Use use) {
    return use == Use::Vector || use == Use::Register;
  }

  /// `i` into io, i1, i2 ... from the outermost.
  void split(Parts &parts, const std::string &dim, const std::string &owner) {
    if (parts.empty()) { // one value
      parts.push_back({1, Use::Register, nullptr, 0, dim});
      return;
    }
    if (parts.back().divisor != 1)
      throw CannotSay("a part of '" + dim + "' is covered by no loop");
    std::string rest = dim;
    for (size_t p = 0; p + 1 < parts.size(); ++p) {
      std::string outer = p == 0 ? dim + "o" : dim + std::to_string(p);
      std::string inner = dim + std::to_string(p + 1);
      result.push_back(directive::split(owner + "." + rest, parts[p].divisor,
                                        {outer, inner}));
      parts[p].name = outer;
      rest = inner;
    }
    parts.back().name = rest;
  }

  /// Loops that all statements of the kernel share come first, as they stand in
  /// the tree; then those of the family.
  size_t order(const std::map<unsigned, Parts> &shared, const Family &family,
               const Node &kernel, const std::string &name) {
    std::vector<std::pair<std::pair<size_t, size_t>, std::string>> loops;
    std::vector<std::string> now, points;
    size_t common = 0;
    const std::vector<const Node *> path =
        poly::pathOf(tree, family.statements[0]);
    for (const auto &[d, parts] : shared)
      for (const Part &part : parts) {
        now.push_back(part.name);
        if (!part.band) {
          points.push_back(part.name);
          continue;
        }
        if (part.band->statements.size() > family.statements.size() &&
            part.band->statements != kernel.statements)
          throw CannotSay("a loop is around some of the statements of kernel " +
                          kernel.kernel.name);
        size_t level =
            std::find(path.begin(), path.end(), part.band) - path.begin();
        loops.push_back({{level, part.member}, part.name});
        common += part.band->statements == kernel.statements;
      }
    std::sort(loops.begin(), loops.end());
    std::vector<std::string> wanted;
    for (const auto &[place, loop] : loops)
      wanted.push_back(loop);
    if (common > 0)
      lastShared = wanted[common - 1];
    wanted.insert(wanted.end(), points.begin(), points.end());
    if (wanted != now) {
      directive::Names refs;
      for (const std::string &loop : wanted)
        refs.push_back(name + "." + loop);
      result.push_back(directive::reorder(refs));
    }
    return common;
  }

  /// The loops of one statement alone, where they are not in the order of its
  /// dims.
  void orderLoops(const std::map<unsigned, Parts> &own, unsigned s,
                  const std::string &name) {
    const std::vector<const Node *> path = poly::pathOf(tree, s);
    std::vector<std::pair<std::pair<size_t, size_t>, std::string>> loops;
    for (const auto &[d, parts] : own)
      for (const Part &part : parts)
        if (part.band) {
          size_t level =
              std::find(path.begin(), path.end(), part.band) - path.begin();
          loops.push_back({{level, part.member}, name + "." + part.name});
        }
    if (std::is_sorted(loops.begin(), loops.end()) || loops.size() < 2)
      return;
    std::sort(loops.begin(), loops.end());
    directive::Names refs;
    for (const auto &[place, loop] : loops)
      refs.push_back(loop);
    result.push_back(directive::reorder(refs));
  }

  void map(const Parts &parts, const std::string &owner, const Node &kernel) {
    for (const Part &part : parts) {
      std::string ref = owner + "." + part.name;
      bool isCommon = part.band && part.band->statements == kernel.statements;
      if (part.use == Use::Vector)
        maps.push_back(directive::vectorize(ref));
      else if (part.use == Use::Register)
        maps.push_back(directive::unroll({ref}));
      std::pair<const Node *, size_t> place{part.band, part.member};
      if (part.use != Use::Grid || !isCommon ||
          std::find(gridBands.begin(), gridBands.end(), place) !=
              gridBands.end())
        continue;
      gridBands.push_back(place);
      gridNames.push_back(ref);
    }
  }

  /// Adds the loops of a statement that are threads, the slowest first, to
  /// those of the kernel, so that its own keep their order.
  void orderThreads(unsigned s) {
    const std::vector<const Node *> path = poly::pathOf(tree, s);
    std::string error;
    std::optional<Layout> layout;
    for (const Node *node : path)
      if (node->kind == Node::Kind::Tile)
        layout = layout::parseLayout(node->tile.layout, error);
    auto place = threadOrder.begin();
    for (auto digit = layout->threads.rbegin(); digit != layout->threads.rend();
         ++digit) {
      if (digit->dim < 0 || digit->count == 1)
        continue;
      const auto &[owner, parts] = table.at({s, unsigned(digit->dim)});
      for (const Part &part : parts) {
        if (part.divisor != digit->stride)
          continue;
        std::string ref = owner + "." + part.name;
        auto known = std::find(threadOrder.begin(), threadOrder.end(), ref);
        if (known == threadOrder.end())
          known = threadOrder.insert(place, ref);
        place = known + 1;
      }
    }
  }

  void sayStages(const Node &kernel) {
    std::vector<std::pair<std::string, directive::Names>> stages;
    for (unsigned s : kernel.statements) {
      std::string loop;
      for (const Node *node : poly::pathOf(tree, s)) {
        if (node->kind == Node::Kind::Band)
          for (unsigned d = 0; d < scop.statements[s].dims.size(); ++d) {
            auto found = table.find({s, d});
            if (found == table.end())
              continue;
            for (const Part &part : found->second.second)
              if (part.band == node && part.member + 1 == node->members.size())
                loop = found->second.first + "." + part.name;
          }
        if (node->kind != Node::Kind::Stage)
          continue;
        if (loop.empty())
          throw CannotSay("a stage stands above all loops");
        if (stages.empty() || stages.back().first != loop)
          stages.push_back({loop, {}});
        stages.back().second.push_back(scop.arrays[node->stage.array].name);
      }
    }
    for (const auto &[loop, arrays] : stages)
      result.push_back(directive::stage(arrays, loop));
  }

  const Scop &scop;
  std::vector<Family> families;
  const poly::ScheduleTree &tree;
  std::vector<Directive> result, maps;
  directive::Names gridNames, threadOrder;
  std::string lastShared, firstShared;
  std::vector<std::pair<const Node *, size_t>> gridBands;
  /// By statement and dim: whose loops its parts are.
  std::map<std::pair<unsigned, unsigned>, std::pair<std::string, Parts>> table;
};

} // namespace

std::optional<std::vector<Directive>> girih::schedule::directivesOf(
    const Scop &scop, const std::vector<Family> &families,
    const poly::ScheduleTree &tree, std::string &why) {
  try {
    return Lister(scop, families, tree).run();
  } catch (const CannotSay &error) {
    why = error.what();
    return std::nullopt;
  }
}
