//===- FusionGroups.cpp - which statements share a kernel -----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/FusionGroups.h"

#include <algorithm>
#include <map>
#include <set>

using namespace girih;
using namespace girih::schedule;
using poly::Access;
using poly::Affine;
using poly::Reduction;
using poly::Scop;
using poly::Statement;
using poly::StatementKind;

std::vector<Unit> girih::schedule::findUnits(const Scop &scop) {
  std::vector<Unit> units;
  std::vector<int> unitOf(scop.statements.size(), -1);
  for (unsigned s = 0; s < scop.statements.size(); ++s) {
    if (unitOf[s] >= 0)
      continue;
    Unit unit;
    for (unsigned r = 0; r < scop.reductions.size(); ++r) {
      const Reduction &reduction = scop.reductions[r];
      if (reduction.init != s)
        continue;
      unit.reduction = r;
      unit.outerDims = reduction.outputEnd;
      unit.statements = {reduction.init, reduction.update};
      if (reduction.merge)
        unit.statements.push_back(*reduction.merge);
    }
    if (!unit.reduction) {
      unit.statements = {s};
      unit.outerDims = scop.statements[s].dims.size();
    }
    for (unsigned member : unit.statements)
      unitOf[member] = units.size();
    units.push_back(std::move(unit));
  }
  return units;
}

bool girih::schedule::isScatter(const Scop &scop, const Unit &unit) {
  return scop.statements[unit.statements[0]].kind == StatementKind::Scatter;
}

bool girih::schedule::isContraction(const Scop &scop, const Unit &unit) {
  if (!unit.reduction)
    return false;
  const Reduction &reduction = scop.reductions[*unit.reduction];
  const Statement &update = scop.statements[reduction.update];
  unsigned outer = reduction.outputEnd;
  if (!reduction.product || reduction.cellEnd != outer || outer < 2 ||
      update.dims.size() != outer + 1 || !update.loops.empty())
    return false;
  // A tile masks the ends of a box, nothing else.
  for (const Affine &constraint : update.constraints)
    if (std::count_if(constraint.dims.begin(), constraint.dims.end(),
                      [](int64_t factor) { return factor != 0; }) > 1)
      return false;
  // A tile accumulates in f32 or f64.
  if (scop.arrays[reduction.accumulator].elementBytes < 4)
    return false;
  auto uses = [&](const Access &access, unsigned dim) {
    return std::any_of(access.subscripts.begin(), access.subscripts.end(),
                       [&](const Affine &subscript) {
                         return subscript.dimCoefficient(dim) != 0;
                       });
  };
  // Matrices with one dim per subscript, so that a stage copies a box.
  for (unsigned a = 0; a < 2; ++a) {
    if (update.accesses[a].subscripts.size() != 2)
      return false;
    for (const Affine &subscript : update.accesses[a].subscripts) {
      unsigned dims = 0;
      for (unsigned d = 0; d < update.dims.size(); ++d) {
        dims += subscript.dimCoefficient(d) != 0;
        // A shifted or strided one is left to the styles without staging.
        if (subscript.dimCoefficient(d) != 0 && !(subscript == Affine::dim(d)))
          return false;
      }
      if (dims > 1)
        return false;
    }
  }
  const Access &a = update.accesses[0], &b = update.accesses[1];
  unsigned i = outer - 2, j = outer - 1, k = outer;
  return uses(a, k) && uses(b, k) && uses(a, i) && !uses(b, i) && uses(b, j) &&
         !uses(a, j);
}

bool girih::schedule::readsOwnElements(const Statement &statement) {
  if (statement.kind != StatementKind::Map)
    return false;
  const Access &write = statement.write();
  return std::any_of(statement.accesses.begin(), statement.accesses.end() - 1,
                     [&](const Access &access) {
                       return access.array == write.array &&
                              (!access.isExact() ||
                               access.subscripts != write.subscripts);
                     });
}

bool girih::schedule::writesItsDims(const Statement &statement) {
  if (statement.kind != StatementKind::Map)
    return true;
  const std::vector<Affine> &subscripts = statement.write().subscripts;
  unsigned time = statement.loops.size();
  bool same = subscripts.size() + time == statement.dims.size();
  for (unsigned d = 0; same && d < subscripts.size(); ++d)
    same = subscripts[d] == Affine::dim(time + d);
  return same;
}

/// Whether a read or write is of the element of the statement's first dims
/// behind its time loops, one after the other; how many, at most `most`.
unsigned girih::schedule::leadingDims(const Statement &statement,
                                      const Access &access, unsigned most) {
  unsigned time = statement.loops.size(), same = time;
  while (same < most && same - time < access.subscripts.size() &&
         access.subscripts[same - time] == Affine::dim(same))
    ++same;
  return same;
}

namespace {

class Grouping {
public:
  explicit Grouping(const Scop &scop)
      : scop(scop), producer(scop.arrays.size(), -1),
        accessor(scop.arrays.size(), -1) {}
  std::vector<FusionGroup> run(std::vector<Unit> units,
                               const std::set<unsigned> &apart);

private:
  /// Leading dims of `unit` that agree with the dims of the group's writers
  /// for every array it reads from the group.
  unsigned agreement(const Unit &unit, unsigned group) const;
  bool sameExtents(const Unit &a, const Unit &b, unsigned dims) const;
  bool hasContraction(const FusionGroup &group) const;
  /// Whether the unit combines elements and would finish its values below
  /// `shared` dims: one after the other in one block, with no cells kept
  /// between its statements. Only maps go there.
  bool combinesBelow(const Unit &unit, unsigned shared) const;
  bool isAlone(const Unit &unit) const;
  void addPass(const std::vector<Unit> &units, const PassUnits &pass,
               unsigned loop);
  /// The group to join, or -1.
  int choose(const Unit &unit, unsigned &shared) const;
  /// The last group, when the unit reads an array that the group reads too,
  /// over the same values, and nothing that the group writes; or -1.
  int chooseBeside(const Unit &unit) const;

  const Scop &scop;
  std::vector<FusionGroup> groups;
  std::vector<int> producer; ///< last group that writes the array, or -1
  std::vector<int> accessor; ///< last group that reads or writes it, or -1
};

/// Domain constraints that mention dims [0, count) only.
std::vector<Affine> outerConstraints(const Statement &statement,
                                     unsigned count) {
  std::vector<Affine> result;
  for (const Affine &constraint : statement.constraints) {
    bool outer = true;
    for (unsigned d = count; d < statement.dims.size(); ++d)
      outer &= constraint.dimCoefficient(d) == 0;
    if (outer)
      result.push_back(constraint);
  }
  return result;
}

} // namespace

bool Grouping::sameExtents(const Unit &a, const Unit &b, unsigned dims) const {
  std::vector<Affine> left =
      outerConstraints(scop.statements[a.statements[0]], dims);
  std::vector<Affine> right =
      outerConstraints(scop.statements[b.statements[0]], dims);
  return left.size() == right.size() &&
         std::is_permutation(left.begin(), left.end(), right.begin());
}

bool Grouping::hasContraction(const FusionGroup &group) const {
  return std::any_of(
      group.units.begin(), group.units.end(),
      [&](const Unit &unit) { return isContraction(scop, unit); });
}

bool Grouping::combinesBelow(const Unit &unit, unsigned shared) const {
  bool combines = unit.reduction || scop.statements[unit.statements[0]].kind ==
                                        StatementKind::Merge;
  return combines && unit.outerDims > shared;
}

unsigned Grouping::agreement(const Unit &unit, unsigned group) const {
  unsigned shared = std::min(unit.outerDims, groups[group].sharedDims);
  for (unsigned s : unit.statements)
    for (const Access &access : scop.statements[s].accesses) {
      if (!access.isWrite && producer[access.array] != int(group))
        continue;
      // Writers write [d0, d1, ...]: the leading subscripts of a read must be
      // this statement's own leading dims.
      if (!access.isWrite)
        shared = leadingDims(scop.statements[s], access, shared);
      // And so must those of what the group reads and this unit overwrites.
      if (access.isWrite && accessor[access.array] == int(group))
        for (const Unit &member : groups[group].units)
          for (unsigned m : member.statements)
            for (const Access &earlier : scop.statements[m].accesses)
              if (earlier.array == access.array)
                shared = leadingDims(scop.statements[m], earlier, shared);
    }
  return shared;
}

int Grouping::choose(const Unit &unit, unsigned &shared) const {
  if (isScatter(scop, unit))
    return -1;
  int latest = -1;
  for (unsigned s : unit.statements)
    for (const Access &access : scop.statements[s].accesses)
      latest = std::max(latest, access.isWrite ? accessor[access.array]
                                               : producer[access.array]);
  if (latest < 0 || groups[latest].isAlone ||
      groups[latest].loops != scop.statements[unit.statements[0]].loops)
    return -1;
  // Segments are worth a grid of their own: the level that combines their
  // results runs in the next kernel.
  for (unsigned s : unit.statements)
    for (const Access &access : scop.statements[s].accesses) {
      bool isOwn = std::any_of(
          unit.statements.begin(), unit.statements.end(), [&](unsigned other) {
            return scop.statements[other].write().array == access.array;
          });
      if (!access.isWrite && !isOwn &&
          scop.arrays[access.array].role == poly::ArrayRole::Accumulator)
        return -1;
    }
  const FusionGroup &group = groups[latest];
  if (isScatter(scop, group.units[0]))
    return -1;
  shared = agreement(unit, latest);
  unsigned time = group.timeDims();
  bool isScalar = group.sharedDims == time && unit.outerDims == time;
  if (shared == time && !isScalar)
    return -1;
  // A contraction's tile spans its last two dims: it neither loses them nor
  // joins a kernel whose blocks would each own less.
  if (hasContraction(group) && shared < group.sharedDims)
    return -1;
  if (isContraction(scop, unit))
    return -1;
  if (combinesBelow(unit, shared) ||
      std::any_of(
          group.units.begin(), group.units.end(),
          [&](const Unit &member) { return combinesBelow(member, shared); }))
    return -1;
  if (!sameExtents(group.units[0], unit, shared))
    return -1;
  return latest;
}

int Grouping::chooseBeside(const Unit &unit) const {
  if (groups.empty() || unit.outerDims == 0 || isContraction(scop, unit) ||
      isScatter(scop, unit))
    return -1;
  int last = groups.size() - 1;
  const FusionGroup &group = groups[last];
  if (group.isAlone || isScatter(scop, group.units[0]) ||
      group.loops != scop.statements[unit.statements[0]].loops ||
      unit.outerDims == group.timeDims())
    return -1;
  if (group.sharedDims != unit.outerDims || hasContraction(group) ||
      !sameExtents(group.units[0], unit, unit.outerDims))
    return -1;
  std::set<unsigned> read;
  for (const Unit &member : group.units)
    for (unsigned s : member.statements)
      for (const Access &access : scop.statements[s].accesses)
        if (!access.isWrite)
          read.insert(access.array);
  bool sharesRead = false;
  for (unsigned s : unit.statements)
    for (const Access &access : scop.statements[s].accesses) {
      if ((access.isWrite ? accessor : producer)[access.array] == last)
        return -1;
      sharesRead |= !access.isWrite && read.count(access.array);
    }
  return sharesRead ? last : -1;
}

bool Grouping::isAlone(const Unit &unit) const {
  const Statement &last = scop.statements[unit.statements.back()];
  unsigned writers = 0;
  for (const Statement &statement : scop.statements)
    writers += statement.write().array == last.write().array;
  return writers > 1 || !writesItsDims(last) || readsOwnElements(last);
}

void Grouping::addPass(const std::vector<Unit> &units, const PassUnits &pass,
                       unsigned loop) {
  unsigned group = groups.size();
  FusionGroup &made = groups.emplace_back();
  made.isAlone = true;
  made.pass = loop;
  made.sharedDims = pass.sharedDims;
  for (size_t number : pass.units) {
    const Unit &unit = units[number];
    made.units.push_back(unit);
    for (unsigned s : unit.statements) {
      producer[scop.statements[s].write().array] = group;
      for (const Access &access : scop.statements[s].accesses)
        accessor[access.array] = group;
    }
  }
}

std::vector<FusionGroup> Grouping::run(std::vector<Unit> units,
                                       const std::set<unsigned> &apart) {
  // Units of passes, and the one at whose place the pass stands.
  std::map<size_t, std::pair<unsigned, PassUnits>> passes;
  std::set<size_t> taken;
  for (unsigned loop = 0; loop < scop.loops.size(); ++loop) {
    if (!scop.loops[loop].isPass || apart.count(loop))
      continue;
    std::optional<PassUnits> pass = passUnits(scop, units, loop);
    if (!pass)
      continue;
    taken.insert(pass->units.begin(), pass->units.end());
    size_t place = 0;
    while (scop.statements[units[place].statements[0]].loops !=
           std::vector<unsigned>{loop})
      ++place;
    passes.emplace(place, std::pair(loop, std::move(*pass)));
  }
  for (size_t number = 0; number < units.size(); ++number) {
    if (auto pass = passes.find(number); pass != passes.end())
      addPass(units, pass->second.second, pass->second.first);
    if (taken.count(number))
      continue;
    Unit &unit = units[number];
    unsigned shared = 0;
    bool alone = isAlone(unit);
    int group = alone ? -1 : choose(unit, shared);
    if (group < 0) {
      group = alone ? -1 : chooseBeside(unit);
      shared = unit.outerDims;
    }
    if (group < 0) {
      group = groups.size();
      groups.emplace_back();
      groups[group].loops = scop.statements[unit.statements[0]].loops;
      groups[group].isAlone = alone;
      shared = unit.outerDims;
    }
    groups[group].sharedDims = shared;
    for (unsigned s : unit.statements) {
      producer[scop.statements[s].write().array] = group;
      for (const Access &access : scop.statements[s].accesses)
        accessor[access.array] = std::max(accessor[access.array], group);
    }
    groups[group].units.push_back(std::move(unit));
  }
  return std::move(groups);
}

std::vector<FusionGroup> girih::schedule::groupUnits(const Scop &scop) {
  return groupUnits(scop, findUnits(scop));
}

std::vector<FusionGroup>
girih::schedule::groupUnits(const Scop &scop, std::vector<Unit> units,
                            const std::set<unsigned> &apart) {
  return Grouping(scop).run(std::move(units), apart);
}
