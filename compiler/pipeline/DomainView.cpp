//===- DomainView.cpp - the instances of one statement --------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/DomainView.h"

#include "compiler/pipeline/DomainSvg.h"
#include "compiler/pipeline/ScheduleDriver.h"
#include "compiler/poly/DependencePairs.h"
#include "compiler/support/Suggest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>
#include <stdexcept>

using namespace girih;
using namespace girih::pipeline;
using poly::Point;

namespace {

constexpr int64_t kUsualSize = 5;
/// The order of a reduction is a chain: of all its pairs, which are looked at,
/// the neighbours are drawn.
constexpr size_t kMostPairs = kMostDots * kMostDots;

class DomainViewer {
public:
  DomainViewer(CompileState &state, const std::string &wanted)
      : state(state), wanted(wanted), scop(state.scop->scop) {}

  std::optional<std::string> run() {
    if (!findStatement() || !findSizes() || !findPoints() || !number() ||
        !connect())
      return std::nullopt;
    describe();
    return drawSvg(picture);
  }

private:
  const poly::Statement &statement() const { return scop.statements[self]; }

  bool findStatement() {
    if (wanted.empty()) {
      auto worth = [&](unsigned s) {
        bool depends =
            llvm::any_of(state.dependences->list, [&](const auto &d) {
              return d.source == s && d.sink == s;
            });
        return std::pair(std::min<size_t>(2, scop.statements[s].dims.size()),
                         depends);
      };
      for (unsigned s = 1; s < scop.statements.size(); ++s)
        if (worth(s) > worth(self))
          self = s;
      return true;
    }
    self = scop.findStatement(wanted);
    if (self < scop.statements.size())
      return true;
    std::vector<poly::Owner> owners = scop::ownersOf(*state.scop);
    std::vector<std::string> names, own;
    for (unsigned s = 0; s < scop.statements.size(); ++s) {
      names.push_back(scop.statements[s].name);
      if (owners[s].name != wanted)
        continue;
      own.push_back(names.back());
      self = s;
    }
    if (own.size() == 1)
      return true;
    std::string message = "no statement '" + wanted + "'";
    message += own.empty() ? didYouMean(wanted, names) : "";
    state.diags.error("G0820", message)
        .help(own.empty() ? "the statements are " + llvm::join(names, ", ")
                          : "the statements of '" + wanted + "' are " +
                                llvm::join(own, ", "));
    return false;
  }

  bool findSizes() {
    std::vector<bool> fixed(scop.params.size(), false);
    sizes.assign(scop.params.size(), kUsualSize);
    for (const auto &[name, value] : state.options.given) {
      auto at = llvm::find(scop.params, name);
      if (at == scop.params.end()) {
        // Compiled in: the compile has looked at the name.
        if (state.program)
          continue;
        state.diags.error("G0822", "no size '" + name + "'" +
                                       didYouMean(name, scop.params));
        return false;
      }
      sizes[size_t(at - scop.params.begin())] = value;
      fixed[size_t(at - scop.params.begin())] = true;
    }
    if (auto found = poly::sizesNear(scop, sizes, fixed)) {
      sizes = std::move(*found);
      return true;
    }
    state.diags.error("G0822", "the program has no sizes such as these: " +
                                   printSizes());
    return false;
  }

  std::string printSizes() const {
    std::string text;
    auto add = [&](const std::string &name, int64_t value) {
      text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(value);
    };
    for (const auto &[name, value] : state.options.given)
      if (!llvm::is_contained(scop.params, name))
        add(name, value);
    for (size_t p = 0; p < sizes.size(); ++p)
      add(scop.params[p], sizes[p]);
    return text;
  }

  std::string atSizes() const {
    std::string text = printSizes();
    return text.empty() ? "" : " at " + text;
  }

  /// Reports that the picture would be too large.
  bool tooLarge(const std::string &what, size_t most, const char *things) {
    state.diags
        .error("G0821", what + atSizes() + "; a picture holds " +
                            std::to_string(most) + " " + things)
        .help("give smaller sizes, as in -D N=5, or draw another statement "
              "with --statement");
    return false;
  }

  bool findPoints() {
    std::vector<Point> all;
    try {
      all = poly::instancesOf(statement(), sizes);
    } catch (const std::domain_error &) {
      return tooLarge("'" + statement().name +
                          "' has more points than can be listed",
                      kMostDots, "points");
    }
    if (all.empty())
      return true;
    shown = unsigned(std::min<size_t>(2, statement().dims.size()));
    rest.assign(all[0].begin() + shown, all[0].end());
    for (const Point &point : all)
      if (isShown(point))
        places.emplace(point, places.size());
    if (places.size() > kMostDots)
      return tooLarge("'" + statement().name + "' has " +
                          std::to_string(places.size()) + " points",
                      kMostDots, "points");
    picture.dots.resize(places.size());
    for (const auto &[point, place] : places) {
      DomainPicture::Dot &dot = picture.dots[place];
      dot.name = print(point);
      if (shown == 2)
        dot.down = point[0];
      if (shown > 0)
        dot.right = point[shown - 1];
    }
    return true;
  }

  bool isShown(const Point &point) const {
    return std::equal(rest.begin(), rest.end(), point.begin() + shown);
  }

  std::string print(const Point &point) const {
    std::string text;
    for (int64_t value : point)
      text += (text.empty() ? "" : ", ") + std::to_string(value);
    return statement().name + "[" + text + "]";
  }

  /// The order in which everything runs, and how it is called.
  std::optional<poly::InstanceOrder> order() {
    if (!state.program) {
      // A tree that was read: there are no directives to look at.
      how = "in the order of the schedule tree that was read";
      for (const ScheduleVersion &version : state.schedules)
        if (holds(version.conditions))
          return poly::treeOrder(scop, version.tree, sizes);
    }
    std::vector<const frontend::ScheduleDecl *> decls = schedulesFor(state);
    for (size_t d = 0; d < decls.size(); ++d) {
      if (d >= state.schedules.size() || !holds(state.schedules[d].conditions))
        continue;
      schedule::ScheduleModel made = makeModel(state);
      if (!applyDirectives(state, *decls[d], made))
        return std::nullopt;
      how = "after the directives of the schedule; what runs at once is "
            "numbered from its smallest value on";
      return poly::treeOrder(scop, made.tree(), sizes);
    }
    how = "in the order of the text";
    return poly::textOrder(scop, sizes);
  }

  bool holds(const std::vector<SizeCondition> &conditions) const {
    return llvm::all_of(conditions, [&](const SizeCondition &condition) {
      auto at = llvm::find(scop.params, condition.size);
      return at != scop.params.end() &&
             pipeline::holds(condition,
                             sizes[size_t(at - scop.params.begin())]);
    });
  }

  bool number() {
    try {
      std::optional<poly::InstanceOrder> all = order();
      if (!all)
        return false;
      size_t next = 1;
      for (const poly::InstanceStep &step : all->steps) {
        if (step.statement != self)
          continue;
        auto place = places.find(all->at(step));
        if (place != places.end())
          picture.dots[place->second].number = next++;
      }
      return true;
    } catch (const std::domain_error &) {
      return tooLarge("the program has more instances than can be numbered",
                      kMostDots, "points");
    }
  }

  bool connect() {
    if (picture.dots.empty())
      return true;
    // One arrow where several arrays join the same two instances.
    std::map<std::tuple<poly::DependenceKind, size_t, size_t>, std::string>
        arrows;
    poly::PolyBudget budget;
    budget.maxOperations = state.options.polyOperations;
    for (const poly::Dependence &dependence : state.dependences->list) {
      if (dependence.source != self || dependence.sink != self)
        continue;
      auto pairs = poly::pairsWithin(scop, dependence, sizes, shown, rest,
                                     dependence.withinReduction ? kMostPairs
                                                                : kMostArrows,
                                     budget, state.diags);
      if (!pairs)
        return false;
      if (pairs->tooMany)
        return tooManyArrows();
      const std::string &array = scop.arrays[dependence.array].name;
      const Point *before = nullptr;
      for (const poly::InstancePair &pair : pairs->list) {
        bool isNeighbour = !before || *before != pair.source;
        before = &pair.source;
        if (dependence.withinReduction && !isNeighbour)
          continue;
        isChain |= dependence.withinReduction;
        auto from = places.find(pair.source), to = places.find(pair.sink);
        if (from == places.end() || to == places.end())
          continue;
        std::string &names =
            arrows[{dependence.kind, from->second, to->second}];
        names += (names.empty() ? "" : ", ") + array;
      }
    }
    if (arrows.size() > kMostArrows)
      return tooManyArrows();
    constexpr const char *kKinds[] = {"flow", "anti", "output"};
    for (const auto &[key, names] : arrows) {
      auto [kind, from, to] = key;
      picture.arrows.push_back({kind, from, to,
                                std::string(kKinds[size_t(kind)]) + " by " +
                                    names + ": " + picture.dots[from].name +
                                    " -> " + picture.dots[to].name});
    }
    return true;
  }

  bool tooManyArrows() {
    return tooLarge("the instances of '" + statement().name +
                        "' have more than " + std::to_string(kMostArrows) +
                        " dependences",
                    kMostArrows, "arrows");
  }

  void describe() {
    const std::vector<std::string> &dims = statement().dims;
    picture.title = statement().name + "[" + llvm::join(dims, ", ") + "] of " +
                    scop.name + atSizes();
    if (shown == 2)
      picture.down = dims[0];
    if (shown > 0)
      picture.right = dims[shown - 1];
    std::vector<std::string> &captions = picture.captions;
    if (picture.dots.empty()) {
      captions.push_back("no instance at these sizes");
      return;
    }
    if (shown == 2)
      captions.push_back(dims[0] + " downwards, " + dims[1] + " to the right");
    if (!rest.empty()) {
      std::string fixed;
      for (size_t d = 0; d < rest.size(); ++d)
        fixed +=
            (d ? ", " : "") + dims[shown + d] + " = " + std::to_string(rest[d]);
      captions.push_back("shown where " + fixed +
                         ", the first of their values");
    }
    captions.push_back("numbered " + how);
    if (isChain)
      captions.push_back("of a reduction's order, neighbours alone have "
                         "arrows");
    for (const poly::Reduction &reduction : scop.reductions)
      if (reduction.update == self && reduction.associative)
        captions.push_back("updates of this reduction may run in any order");
    if (statement().unordered)
      captions.push_back("its instances may run in any order");
    if (picture.arrows.empty())
      captions.push_back("no dependences between what is shown");
    if (state.dependences->conservative)
      captions.push_back("dependences are larger than need be: isl's quota "
                         "ended the analysis");
  }

  CompileState &state;
  const std::string &wanted;
  const poly::Scop &scop;
  unsigned self = 0;
  std::vector<int64_t> sizes;
  unsigned shown = 0;             ///< dimensions that are axes
  Point rest;                     ///< what the others are
  std::map<Point, size_t> places; ///< of the points, among the dots
  std::string how;
  bool isChain = false;
  DomainPicture picture;
};

} // namespace

std::optional<std::string>
girih::pipeline::viewDomain(CompileState &state, const std::string &statement) {
  return DomainViewer(state, statement).run();
}
