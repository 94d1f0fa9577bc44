//===- PassGroups.cpp - what one pass takes into its kernel ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/FusionGroups.h"

#include <algorithm>

using namespace girih;
using namespace girih::schedule;
using poly::Access;
using poly::Affine;
using poly::Scop;
using poly::Statement;
using poly::StatementKind;

namespace {

class PassFinder {
public:
  PassFinder(const Scop &scop, const std::vector<Unit> &units, unsigned loop)
      : scop(scop), units(units), loop(loop) {}

  std::optional<PassUnits> run() {
    for (size_t number = 0; number < units.size(); ++number)
      if (statement(number).loops == std::vector<unsigned>{loop})
        inside.push_back(number);
    if (inside.empty())
      return std::nullopt;
    for (size_t number : inside)
      for (unsigned s : units[number].statements)
        written.insert(scop.statements[s].write().array);
    if (!addBefore())
      return std::nullopt;
    for (size_t number : inside)
      if (!agrees(number))
        return std::nullopt;
    result.units.insert(result.units.end(), inside.begin(), inside.end());
    addAfter();
    return std::move(result);
  }

private:
  const Statement &statement(size_t unit) const {
    return scop.statements[units[unit].statements[0]];
  }

  /// What fills the state; its dims bound those that are shared.
  bool addBefore() {
    result.sharedDims = ~0u;
    for (size_t number = 0; number < inside[0]; ++number) {
      const Statement &first = statement(number);
      if (!written.count(first.write().array))
        continue;
      bool fills = first.kind == StatementKind::Map && first.loops.empty() &&
                   first.accesses.size() == 1 && writesItsDims(first);
      if (!fills)
        return false;
      result.units.push_back(number);
      result.sharedDims =
          std::min<unsigned>(result.sharedDims, first.dims.size());
    }
    return !result.units.empty();
  }

  /// The bounds of the shared dims, over dims 0 ...
  std::vector<Affine> bounds(const Statement &statement) const {
    std::vector<Affine> list;
    unsigned time = statement.loops.size();
    for (Affine constraint : statement.constraints) {
      bool isOfShared = false, isOfOthers = false;
      for (unsigned d = 0; d < statement.dims.size(); ++d)
        if (constraint.dimCoefficient(d) != 0)
          (d >= time && d < time + result.sharedDims ? isOfShared
                                                     : isOfOthers) = true;
      if (!isOfShared || isOfOthers)
        continue;
      constraint.dims.erase(constraint.dims.begin(),
                            constraint.dims.begin() +
                                std::min<size_t>(time, constraint.dims.size()));
      list.push_back(std::move(constraint));
    }
    return list;
  }

  /// Whether all that the unit touches of the pass it touches at its own
  /// leading dims, and those run over the same values.
  bool agrees(size_t number) const {
    const Unit &unit = units[number];
    std::vector<Affine> expected = bounds(statement(result.units[0]));
    for (unsigned s : unit.statements) {
      const Statement &model = scop.statements[s];
      unsigned end = model.loops.size() + result.sharedDims;
      if (model.kind == StatementKind::Scatter || unit.outerDims < end ||
          readsOwnElements(model))
        return false;
      for (const Access &access : model.accesses)
        if (written.count(access.array) &&
            leadingDims(model, access, end) != end)
          return false;
      std::vector<Affine> own = bounds(model);
      if (own.size() != expected.size() ||
          !std::is_permutation(own.begin(), own.end(), expected.begin()))
        return false;
    }
    return true;
  }

  /// Units that follow and finish what the pass carried: maps, and reductions
  /// of cells to values of the shared dims.
  void addAfter() {
    std::set<unsigned> elsewhere; // written by units behind, outside the pass
    for (size_t number = inside.back() + 1; number < units.size(); ++number) {
      const Unit &unit = units[number];
      bool reads = false, joins = statement(number).loops.empty();
      for (unsigned s : unit.statements) {
        const Statement &model = scop.statements[s];
        joins &= model.kind != StatementKind::Scatter && writesItsDims(model) &&
                 !readsOwnElements(model);
        for (const Access &access : model.accesses) {
          if (!access.isWrite)
            reads |= written.count(access.array) > 0;
          joins &= !elsewhere.count(access.array);
        }
      }
      unsigned writers = 0, array = 0;
      for (unsigned s : unit.statements)
        array = scop.statements[s].write().array;
      for (const Statement &other : scop.statements)
        writers += other.write().array == array;
      joins &= writers == 1;
      bool combines = unit.statements.size() > 1;
      joins &= unit.outerDims >= result.sharedDims &&
               (!combines || unit.outerDims == result.sharedDims);
      if (!reads || !joins || !agrees(number)) {
        for (unsigned s : unit.statements)
          elsewhere.insert(scop.statements[s].write().array);
        continue;
      }
      result.units.push_back(number);
      for (unsigned s : unit.statements)
        written.insert(scop.statements[s].write().array);
    }
  }

  const Scop &scop;
  const std::vector<Unit> &units;
  unsigned loop;
  std::vector<size_t> inside;
  std::set<unsigned> written; ///< arrays of the pass
  PassUnits result;
};

} // namespace

std::optional<PassUnits>
girih::schedule::passUnits(const Scop &scop, const std::vector<Unit> &units,
                           unsigned loop) {
  return PassFinder(scop, units, loop).run();
}
