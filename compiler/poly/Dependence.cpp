//===- Dependence.cpp - value-based dependences ---------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Updates of one reduction are one write as far as everybody else is concerned:
// none of them hides the init or another update from a reader, since their
// order among themselves is the term's business (and may be free). So init
// comes before every update, every update before every use.
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/Dependence.h"
#include "compiler/poly/Model.h"
#include "compiler/support/Diagnostics.h"

#include <isl/flow.h>
#include <isl/union_map.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace girih::poly {

namespace {

constexpr const char *kKindNames[] = {"flow", "anti", "output"};

class Analysis {
public:
  Analysis(const Scop &scop, const IslSession &session)
      : scop(scop), model(session, scop) {}

  /// Three attempts, each array taken by the first that finishes: value-based,
  /// memory-based, and every pair that shares the array.
  bool run(const IslSession &session, const PolyBudget &budget,
           Dependences &result, Diagnostics &diags) {
    std::vector<bool> done(scop.arrays.size());
    IslOutcome outcome;
    for (auto analyse : {&Analysis::valueBased, &Analysis::memoryBased}) {
      outcome = guarded(session, budget.maxOperations, [&] {
        for (unsigned a = 0; a < scop.arrays.size(); ++a) {
          if (done[a])
            continue;
          found.clear();
          if (isWritten(a))
            (this->*analyse)(a);
          finish(a);
          done[a] = true;
        }
      });
      if (outcome.finished())
        break;
      result.conservative = true;
    }
    if (!outcome.finished())
      outcome = guarded(session, 0, [&] {
        for (unsigned a = 0; a < scop.arrays.size(); ++a) {
          if (done[a])
            continue;
          found.clear();
          if (isWritten(a))
            everyPair(a);
          finish(a);
        }
      });
    if (!outcome.finished()) {
      diags.error("G0715", "the dependences of '" + scop.name +
                               "' could not be computed: " + outcome.message);
      return false;
    }
    outcome = guarded(session, 0, [&] {
      for (auto &[key, relation] : relations) {
        auto [array, within, kind, source, sink] = key;
        Dependence dependence;
        dependence.kind = kind;
        dependence.source = source;
        dependence.sink = sink;
        dependence.array = array;
        dependence.withinReduction = within;
        char *text = isl_map_to_str(relation.get());
        if (!text)
          isl::exception::throw_last_error(isl::ctx(model.ctx()));
        dependence.relation = text;
        free(text);
        result.list.push_back(std::move(dependence));
      }
    });
    if (!outcome.finished()) {
      diags.error("G0715", "the dependences of '" + scop.name +
                               "' could not be written: " + outcome.message);
      return false;
    }
    return true;
  }

private:
  using Key = std::tuple<unsigned, bool, DependenceKind, unsigned, unsigned>;

  bool isWritten(unsigned array) const {
    return std::any_of(
        scop.statements.begin(), scop.statements.end(),
        [&](const Statement &s) { return s.write().array == array; });
  }

  static bool readsOwnCell(const Statement &s, const Access &read) {
    return s.kind == StatementKind::Update && read.isExact() &&
           read.array == s.write().array &&
           read.subscripts == s.write().subscripts;
  }

  /// The reduction whose updates of `array` `statement` makes and whose order
  /// among themselves is the term's; null when they are ordinary writes.
  const Reduction *reductionOf(unsigned statement, unsigned array) const {
    const Statement &s = scop.statements[statement];
    for (const Access &access : s.accesses)
      if (!access.isWrite && access.array == array && !readsOwnCell(s, access))
        return nullptr;
    for (const Reduction &reduction : scop.reductions)
      if (reduction.update == statement && reduction.accumulator == array)
        return &reduction;
    return nullptr;
  }

  isl::union_map none() const {
    return own(model.ctx(),
               isl_union_map_empty(isl_space_params_alloc(model.ctx(), 0)));
  }

  /// Whether no write can hide another: one plain write an element, and no
  /// update before it. Memory-based dependences are then the value-based ones,
  /// at a fraction of the cost.
  bool isWrittenOnce(unsigned array) const {
    unsigned writer = static_cast<unsigned>(scop.statements.size());
    bool afterUpdate = false, updated = false;
    for (unsigned s = 0; s < scop.statements.size(); ++s) {
      const Access &write = scop.statements[s].write();
      if (write.array != array)
        continue;
      if (reductionOf(s, array)) {
        updated = true;
        continue;
      }
      if (writer < scop.statements.size())
        return false;
      if (!write.isExact())
        return false;
      writer = s;
      afterUpdate = updated;
      for (unsigned d = 0; d < scop.statements[s].dims.size(); ++d)
        if (std::find(write.subscripts.begin(), write.subscripts.end(),
                      Affine::dim(d)) == write.subscripts.end())
          return false;
    }
    return !afterUpdate;
  }

  void valueBased(unsigned array) {
    if (isWrittenOnce(array))
      return memoryBased(array);
    isl::union_map reads = none(), plainWrites = none(), updates = none();
    isl::union_map times = none();
    for (unsigned s = 0; s < scop.statements.size(); ++s) {
      const Statement &statement = scop.statements[s];
      bool touches = false;
      for (unsigned a = 0; a < statement.accesses.size(); ++a) {
        const Access &access = statement.accesses[a];
        if (access.array != array)
          continue;
        touches = true;
        isl::union_map map(model.access(s, a));
        if (!access.isWrite) {
          reads = reads.unite(map);
          continue;
        }
        if (statement.kind == StatementKind::Update)
          reads = reads.unite(map);
        // What data decide may be another element: it hides nothing.
        if (reductionOf(s, array) || !access.isExact())
          updates = updates.unite(map);
        else
          plainWrites = plainWrites.unite(map);
      }
      if (touches)
        times = times.unite(isl::union_map(model.textualTime(s)));
    }
    isl::union_map writes = plainWrites.unite(updates);
    auto flow = [&](const isl::union_map &sink, const isl::union_map &may,
                    bool mustIsKill) {
      isl::union_access_info info(sink);
      info = info.set_may_source(may).set_schedule_map(times);
      info = mustIsKill ? info.set_kill(plainWrites)
                        : info.set_must_source(plainWrites);
      return info.compute_flow().may_dependence();
    };
    add(array, DependenceKind::Flow, flow(reads, updates, false));
    add(array, DependenceKind::Anti, flow(writes, reads, true));
    add(array, DependenceKind::Output, flow(writes, updates, false));
  }

  /// Calls `use` for each pair of statements of which one writes `array`.
  template <typename Use> void forEachPair(unsigned array, Use use) {
    for (unsigned s = 0; s < scop.statements.size(); ++s)
      for (unsigned t = 0; t < scop.statements.size(); ++t) {
        if (t < s && commonLoops(scop.statements[s], scop.statements[t]) == 0)
          continue;
        for (auto kind : {DependenceKind::Flow, DependenceKind::Anti,
                          DependenceKind::Output}) {
          bool sourceWrites = kind != DependenceKind::Anti;
          bool sinkWrites = kind != DependenceKind::Flow;
          if (touches(s, array, sourceWrites) && touches(t, array, sinkWrites))
            use(kind, s, t);
        }
      }
  }

  bool touches(unsigned statement, unsigned array, bool asWrite) const {
    const Statement &s = scop.statements[statement];
    if (!asWrite && s.kind == StatementKind::Update && s.write().array == array)
      return true;
    return std::any_of(
        s.accesses.begin(), s.accesses.end(), [&](const Access &access) {
          return access.array == array && access.isWrite == asWrite;
        });
  }

  isl::map elements(unsigned statement, unsigned array, bool asWrite) const {
    const Statement &s = scop.statements[statement];
    isl::map result;
    for (unsigned a = 0; a < s.accesses.size(); ++a) {
      const Access &access = s.accesses[a];
      bool matches = access.isWrite == asWrite ||
                     (access.isWrite && s.kind == StatementKind::Update);
      if (access.array != array || !matches)
        continue;
      isl::map map = model.access(statement, a);
      result = result.is_null() ? map : result.unite(map);
    }
    return result;
  }

  void memoryBased(unsigned array) {
    forEachPair(array, [&](DependenceKind kind, unsigned s, unsigned t) {
      isl::map source = elements(s, array, kind != DependenceKind::Anti);
      isl::map sink = elements(t, array, kind != DependenceKind::Flow);
      isl::map pairs = source.apply_range(sink.reverse())
                           .intersect(model.textualOrder(s, t));
      add(array, kind, isl::union_map(pairs));
    });
  }

  void everyPair(unsigned array) {
    forEachPair(array, [&](DependenceKind kind, unsigned s, unsigned t) {
      add(array, kind, isl::union_map(model.textualOrder(s, t)));
    });
  }

  void add(unsigned array, DependenceKind kind, const isl::union_map &pairs) {
    pairs.coalesce().foreach_map([&](isl::map map) {
      unsigned s =
          model.statementOf(isl_map_get_tuple_name(map.get(), isl_dim_in));
      unsigned t =
          model.statementOf(isl_map_get_tuple_name(map.get(), isl_dim_out));
      if (s == t && reductionOf(s, array))
        return; // see withinReductions
      if (s == t && scop.statements[s].unordered)
        return; // see Statement::unordered
      put({array, false, kind, s, t}, map);
    });
  }

  void put(const Key &key, const isl::map &map) {
    if (map.is_empty())
      return;
    auto [at, isNew] = found.emplace(key, map);
    if (!isNew)
      at->second = at->second.unite(map);
  }

  /// The pairs of one reduction's updates that are not its term's business
  /// (none when each cell is one element), and the order of an ordered one.
  void withinReductions(unsigned array) {
    for (const Reduction &reduction : scop.reductions) {
      unsigned u = reduction.update;
      if (reduction.accumulator != array || reductionOf(u, array) != &reduction)
        continue;
      if (!reduction.associative)
        put({array, true, DependenceKind::Flow, u, u},
            model.orderAfter(u, reduction.cellEnd));
      const Access &write = scop.statements[u].write();
      bool cellIsElement = write.subscripts.size() == reduction.cellEnd;
      for (unsigned d = 0; cellIsElement && d < reduction.cellEnd; ++d)
        cellIsElement = write.subscripts[d] == Affine::dim(d);
      if (cellIsElement || reduction.associative)
        continue;
      isl::map element = elements(u, array, true);
      isl::map clash = element.apply_range(element.reverse())
                           .intersect(model.orderAfter(u, 0))
                           .subtract(model.orderAfter(u, reduction.cellEnd));
      // A cell that its init makes anew in each turn of a time loop hands no
      // value on to the next one.
      auto turns = static_cast<unsigned>(scop.statements[u].loops.size());
      isl::map anew = clash.subtract(model.orderAfter(u, turns))
                          .intersect_range(model.initialised(reduction));
      put({array, false, DependenceKind::Output, u, u}, anew);
      put({array, false, DependenceKind::Flow, u, u}, clash.subtract(anew));
    }
  }

  void finish(unsigned array) {
    withinReductions(array);
    for (auto &[key, map] : found)
      relations.emplace(key, map);
  }

  const Scop &scop;
  Model model;
  std::map<Key, isl::map> found; ///< of the array in work
  std::map<Key, isl::map> relations;
};

} // namespace

std::optional<Dependences> computeDependences(const Scop &scop,
                                              const PolyBudget &budget,
                                              Diagnostics &diags) {
  if (!verifyScop(scop, diags))
    return std::nullopt;
  IslSession session;
  Dependences result;
  try {
    if (!Analysis(scop, session).run(session, budget, result, diags))
      return std::nullopt;
  } catch (const isl::exception &error) {
    diags.error("G0715", "the sets of '" + scop.name +
                             "' could not be built: isl: " + error.what());
    return std::nullopt;
  }
  return result;
}

std::string printDependences(const Scop &scop, const Dependences &dependences) {
  std::string text;
  for (const Dependence &d : dependences.list)
    text += std::string(kKindNames[static_cast<unsigned>(d.kind)]) +
            (d.withinReduction ? " within reduction " : " ") +
            scop.statements[d.source].name + " -> " +
            scop.statements[d.sink].name + " by " + scop.arrays[d.array].name +
            ": " + d.relation + "\n";
  if (dependences.conservative)
    text += "# conservative: isl's quota ended the value-based analysis\n";
  return text;
}

} // namespace girih::poly
