//===- Diff.cpp - what differs between two compiles -----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/Diff.h"

#include "compiler/pipeline/CompileState.h"
#include "compiler/pipeline/LineDiff.h"
#include "compiler/pipeline/Pipeline.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace girih;
using namespace girih::pipeline;

//===----------------------------------------------------------------------===//
// One side
//===----------------------------------------------------------------------===//

/// The module without what orders its reductions.
static std::string printWithoutOrders(mlir::ModuleOp module) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  copy->walk([](te::ReduceOp reduce) {
    reduce.setOrder("fixed");
    reduce.removeTermAttr();
    reduce.setLeaf(te::Leaf::Plain);
  });
  std::string text;
  llvm::raw_string_ostream stream(text);
  copy->print(stream);
  return text;
}

static std::vector<ReductionFacts> reductionsOf(te::FuncOp func) {
  std::vector<ReductionFacts> list;
  llvm::StringMap<unsigned> seen;
  func.walk([&](te::ReduceOp reduce) {
    ReductionFacts facts;
    auto compute = reduce->getParentOfType<te::ComputeOp>();
    std::string indices;
    for (mlir::Attribute name : reduce.getIndexNames())
      indices += (indices.empty() ? "" : ", ") +
                 mlir::cast<mlir::StringAttr>(name).str();
    facts.name = te::nameOf(reduce).str() + " of " + compute.getName().str() +
                 " over " + indices;
    if (unsigned number = ++seen[facts.name]; number > 1)
      facts.name += ", number " + std::to_string(number);
    facts.order =
        reduce.getTermAttr() ? reduce.getTermAttr().getText().str() : "none";
    facts.order += ", leaf " + te::stringifyLeaf(reduce.getLeaf()).str();
    bool isFloat =
        llvm::any_of(reduce->getResultTypes(), llvm::IsaPred<mlir::FloatType>);
    facts.isFree = !isFloat || reduce.getKind() == te::ReduceKind::Max ||
                   reduce.getKind() == te::ReduceKind::Min;
    list.push_back(std::move(facts));
  });
  return list;
}

static std::vector<std::string> linesOf(llvm::StringRef text) {
  std::vector<std::string> lines;
  for (llvm::StringRef line : llvm::split(text.rtrim('\n'), '\n'))
    if (!line.empty())
      lines.push_back(line.str());
  return lines;
}

static void fill(CompileState &state, DiffSide &side) {
  const poly::Scop &scop = state.scop->scop;
  side.op = scop.name;
  side.lowered = printWithoutOrders(*state.te);
  side.reductions = reductionsOf(state.func());
  for (unsigned s = 0; s < scop.statements.size(); ++s)
    side.statements.push_back(poly::printDomain(scop, s));
  side.dependences = linesOf(poly::printDependences(scop, *state.dependences));
  for (const ScheduleVersion &version : state.schedules)
    side.versions.push_back(
        {print(version.conditions), factsOf(scop, version.tree)});
}

std::optional<DiffSide>
girih::pipeline::lookAtSide(std::shared_ptr<const SourceFile> source,
                            const CompileOptions &options, Diagnostics &diags) {
  DiffSide side;
  side.title = source->name();
  if (options.scheduleFile)
    side.title += " with " + options.scheduleFile->name();
  CompileOptions wanted = options;
  wanted.last = Phase::Schedule;
  wanted.inspect = [&](CompileState &state) { fill(state, side); };
  if (!compile(source, wanted, diags))
    return std::nullopt;
  if (options.isSource) {
    // A schedule decides what is computed in the place of its reader, so the
    // program is looked at before that.
    wanted.last = Phase::Te;
    wanted.inspect = [&](CompileState &state) {
      side.written = printWithoutOrders(*state.te);
    };
    Diagnostics again; // what it says has been said
    if (!compile(source, wanted, again))
      return std::nullopt;
  }
  return side;
}

//===----------------------------------------------------------------------===//
// Two sides
//===----------------------------------------------------------------------===//

static std::string joined(const std::vector<std::string> &lines) {
  return llvm::join(lines, "\n");
}

static void compareReductions(const DiffSide &a, const DiffSide &b,
                              DiffResult &result) {
  auto find = [](const DiffSide &side, const std::string &name) {
    const auto *found = llvm::find_if(
        llvm::ArrayRef<ReductionFacts>(side.reductions),
        [&](const ReductionFacts &facts) { return facts.name == name; });
    return found == llvm::ArrayRef<ReductionFacts>(side.reductions).end()
               ? nullptr
               : found;
  };
  for (const ReductionFacts &facts : a.reductions) {
    const ReductionFacts *other = find(b, facts.name);
    if (other && other->order == facts.order)
      continue;
    result.reductions.push_back(
        {facts.name, facts.order, other ? other->order : ""});
    result.onlyFreeReductions &= facts.isFree && (!other || other->isFree);
  }
  for (const ReductionFacts &facts : b.reductions)
    if (!find(a, facts.name)) {
      result.reductions.push_back({facts.name, "", facts.order});
      result.onlyFreeReductions &= facts.isFree;
    }
}

namespace {

/// Collects changes; those that several statements have alike become one.
class Changes {
public:
  /// `what`: `tile of {}`, where the braces become the statements.
  void add(const std::string &what, const std::string &statement,
           const std::string &a, const std::string &b) {
    if (a == b)
      return;
    for (Entry &entry : entries)
      if (entry.what == what && entry.a == a && entry.b == b) {
        entry.statements += ", " + statement;
        return;
      }
    entries.push_back({what, statement, a, b});
  }

  std::vector<Change> take() const {
    std::vector<Change> list;
    for (const Entry &entry : entries) {
      std::string what = entry.what;
      if (size_t at = what.find("{}"); at != std::string::npos)
        what.replace(at, 2, entry.statements);
      list.push_back({what, entry.a, entry.b});
    }
    return list;
  }

private:
  struct Entry {
    std::string what, statements, a, b;
  };
  std::vector<Entry> entries;
};

} // namespace

static void compareStatement(const StatementFacts &a, const StatementFacts &b,
                             Changes &changes) {
  for (const auto &[loop, text] : a.loops) {
    auto other = b.loops.find(loop);
    changes.add(loop + " of {}", a.name, text,
                other == b.loops.end() ? "" : other->second);
  }
  for (const auto &[loop, text] : b.loops)
    if (!a.loops.count(loop))
      changes.add(loop + " of {}", a.name, "", text);
  // Where the loops themselves differ their order does, and is said by them.
  if (a.loops == b.loops)
    changes.add("order of the loops of {}", a.name, a.order, b.order);
  changes.add("tile of {}", a.name, a.tile, b.tile);
  changes.add("layout of {}", a.name, a.layout, b.layout);
  changes.add("stages of {}", a.name, a.stages, b.stages);
  changes.add("threads per block of {}", a.name, a.threads, b.threads);
}

/// The statements of a kernel that the other schedule has too.
static std::string kernelAmong(const std::vector<std::string> &kernel,
                               const ScheduleFacts &other) {
  std::string names;
  for (const std::string &name : kernel)
    if (llvm::any_of(other.statements,
                     [&](const auto &facts) { return facts.name == name; }))
      names += (names.empty() ? "" : ", ") + name;
  return names;
}

static std::vector<Change> compareSchedules(const ScheduleFacts &a,
                                            const ScheduleFacts &b) {
  Changes changes;
  changes.add("launches", "", a.launches, b.launches);
  const std::string *before = nullptr;
  for (const StatementFacts &facts : a.statements) {
    auto other = llvm::find_if(b.statements, [&](const StatementFacts &entry) {
      return entry.name == facts.name;
    });
    if (other == b.statements.end())
      continue;
    compareStatement(facts, *other, changes);
    changes.add("kernel of {}", facts.name, kernelAmong(facts.kernel, b),
                kernelAmong(other->kernel, a));
    bool follows = before && other != b.statements.begin() &&
                   std::prev(other)->name == *before;
    if (follows)
      changes.add("loops that " + *before + " and " + facts.name + " share", "",
                  std::to_string(facts.shared), std::to_string(other->shared));
    before = &facts.name;
  }
  for (const auto &[array, place] : a.places) {
    auto other = b.places.find(array);
    if (other != b.places.end())
      changes.add("place of " + array, "", place, other->second);
  }
  return changes.take();
}

static void compareVersions(const DiffSide &a, const DiffSide &b,
                            DiffResult &result) {
  auto find = [](const DiffSide &side, const std::string &when) {
    auto found = llvm::find_if(side.versions, [&](const VersionFacts &version) {
      return version.when == when;
    });
    return found == side.versions.end() ? nullptr : &*found;
  };
  for (const VersionFacts &version : a.versions) {
    VersionDiff diff;
    diff.when = version.when;
    if (const VersionFacts *other = find(b, version.when)) {
      diff.changes = compareSchedules(version.schedule, other->schedule);
      diff.tree = diffLines(version.schedule.tree, other->schedule.tree);
      diff.nest = diffLines(version.schedule.nest, other->schedule.nest);
    } else {
      diff.inB = false;
    }
    result.versions.push_back(std::move(diff));
  }
  for (const VersionFacts &version : b.versions)
    if (!find(a, version.when)) {
      VersionDiff diff;
      diff.when = version.when;
      diff.inA = false;
      result.versions.push_back(std::move(diff));
    }
}

DiffResult girih::pipeline::compareSides(const DiffSide &a, const DiffSide &b) {
  DiffResult result;
  result.titleA = a.title;
  result.titleB = b.title;
  result.op = a.op;
  bool bothWritten = !a.written.empty() && !b.written.empty();
  result.sameProgram =
      bothWritten ? a.written == b.written : a.lowered == b.lowered;
  compareReductions(a, b, result);
  result.statements = diffLines(joined(a.statements), joined(b.statements));
  // Of one program they differ only where its statements do.
  if (!result.sameProgram)
    result.dependences =
        diffLines(joined(a.dependences), joined(b.dependences));
  compareVersions(a, b, result);
  return result;
}

bool DiffResult::equal() const {
  return sameProgram && reductions.empty() && statements.empty() &&
         dependences.empty() &&
         llvm::none_of(versions, [](const VersionDiff &version) {
           return version.differs();
         });
}

std::string DiffResult::verdict() const {
  if (!sameProgram)
    return reductions.empty()
               ? "same association, but of programs that differ: nothing is "
                 "said of their bits"
               : "the programs differ, and so does the association";
  if (reductions.empty())
    return "same association: same bits";
  if (onlyFreeReductions)
    return "the association differs where the order does not show: same bits";
  std::string names;
  for (const Change &change : reductions)
    names += (names.empty() ? "" : "; ") + change.what;
  return "the association differs, and so may the bits: " + names;
}
