//===- Explain.cpp - why a program is scheduled as it is ------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/Explain.h"

#include "compiler/frontend/RangeText.h"
#include "compiler/frontend/Schedules.h"
#include "compiler/pipeline/CostSvg.h"
#include "compiler/pipeline/CostText.h"
#include "compiler/pipeline/CostView.h"
#include "compiler/pipeline/DomainView.h"
#include "compiler/pipeline/Pipeline.h"
#include "compiler/pipeline/ScheduleDriver.h"
#include "compiler/pipeline/SearchView.h"
#include "passes/schedule/DirectiveBuilder.h"
#include "passes/schedule/DirectiveList.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace girih;
using namespace girih::pipeline;
namespace js = llvm::json;
using poly::Node;

const std::vector<std::string> &girih::pipeline::explainViews() {
  static const std::vector<std::string> names = {
      "tree",    "loops",  "deps",     "ranges", "fusion", "directives",
      "traffic", "budget", "roofline", "bound",  "tiles",  "plans"};
  return names;
}

const std::vector<std::string> &girih::pipeline::csvViews() {
  static const std::vector<std::string> names = {"traffic", "budget",
                                                 "roofline", "tiles", "plans"};
  return names;
}

/// Rows and columns of such a view, from its JSON.
static std::string csvOf(const std::string &view, const js::Value &json) {
  if (view == "traffic")
    return csvText(json, {"kernels", "tensors"},
                   {"../kernel", "tensor", "readBytes", "requestedBytes",
                    "readFootprint", "writtenBytes", "writtenFootprint",
                    "exact"});
  if (view == "budget")
    return csvText(json, {"kernels"},
                   {"kernel", "threads", "sharedBytes", "sharedLimit",
                    "registers", "blocksByThreads", "blocksByRegisters",
                    "blocksByShared", "blocksBySlots", "resident", "bound",
                    "occupancy", "inFlight", "inFlightNeeded", "waves",
                    "waveEfficiency"});
  if (view == "roofline")
    return csvText(json, {"kernels"},
                   {"kernel", "matrixFlops", "otherFlops", "bytes", "intensity",
                    "ridge", "cap", "time.launch", "time.blocks", "time.memory",
                    "time.compute", "time.total", "time.bound"});
  if (view == "tiles")
    return csvText(json, {"kernels", "tiles"},
                   {"../kernel", "rank", "tile", "threads", "kept",
                    "sharedBytes", "registers", "resident", "blocks", "bytes",
                    "time", "bound", "why", "resource", "needed", "available"});
  return csvText(json, {"plans", "kernels"},
                 {"../count", "../cuts", "kernel", "tile", "readBytes",
                  "writtenBytes", "bytes", "time"});
}

namespace {

/// Text for people and the same as JSON.
struct Said {
  std::string text;
  js::Object json;
};

class Explainer {
public:
  Explainer(CompileState &state, const ExplainOptions &what)
      : state(state), what(what), scop(state.scop->scop),
        decls(schedulesFor(state)),
        families(schedule::findFamilies(scop, scop::ownersOf(*state.scop))) {}

  std::string run() {
    Said said;
    if (what.steps) {
      steps(said);
    } else {
      for (const std::string &view : explainViews()) {
        if (!llvm::is_contained(what.views, view))
          continue;
        std::string before = std::move(said.text);
        said.text.clear();
        show(view, said);
        // One view needs no headline.
        if (what.views.size() > 1)
          said.text = "--- " + view + "\n" + said.text;
        said.text = before + said.text;
      }
    }
    if (what.svg && plan)
      return what.views.front() == "roofline"
                 ? rooflineSvg(*plan, *state.target)
                 : tilesSvg(*found, *state.target);
    if (what.csv) {
      const js::Value *json = said.json.get(what.views.front());
      return json ? csvOf(what.views.front(), *json) : "";
    }
    if (!what.json)
      return said.text;
    std::string text;
    llvm::raw_string_ostream(text)
        << llvm::formatv("{0:2}\n", js::Value(std::move(said.json)));
    return text;
  }

private:
  void show(const std::string &view, Said &said) {
    if (view == "tree")
      tree(said);
    else if (view == "loops")
      loops(said);
    else if (view == "deps")
      deps(said);
    else if (view == "ranges")
      ranges(said);
    else if (view == "fusion")
      fusion(said);
    else if (llvm::is_contained(costViews(), view) ||
             llvm::is_contained(searchViews(), view))
      costs(view, said);
    else
      directives(said);
  }

  void costs(const std::string &view, Said &said) {
    if (what.all && !scop.params.empty()) {
      said.text += "is of sizes that are known: give all with -D\n";
      return;
    }
    if (!plan && !(plan = modelOf(state)))
      return;
    CostView seen = llvm::is_contained(searchViews(), view)
                        ? searched(view)
                        : viewCost(state, *plan, view);
    said.text += seen.text;
    said.json[view] = std::move(seen.json);
  }

  CostView searched(const std::string &view) {
    if (!found) {
      found = search(state);
      if (what.onSearched)
        what.onSearched(found->milliseconds);
    }
    return viewSearch(state, *found, *plan, view);
  }

  void tree(Said &said) {
    js::Array versions;
    for (const ScheduleVersion &version : state.schedules) {
      std::string when = print(version.conditions);
      std::string text = poly::printScheduleTree(scop, version.tree);
      if (!when.empty())
        said.text += "when " + when + "\n";
      said.text += text;
      versions.push_back(js::Object{{"when", when}, {"tree", text}});
    }
    said.json["tree"] = std::move(versions);
  }

  /// The plain tree of the schedule that is written, or of the text's order.
  std::optional<schedule::ScheduleModel> model() {
    schedule::ScheduleModel made = makeModel(state);
    if (!decls.empty() && !applyDirectives(state, *decls[0], made))
      return std::nullopt;
    return made;
  }

  void loops(Said &said) {
    std::optional<schedule::ScheduleModel> made = model();
    if (!made)
      return;
    for (const ScheduleVersion &version : state.schedules)
      said.text += poly::printNest(scop, version.tree) + "\n";
    said.text += decls.empty() ? "Loops of the text, in its order:\n"
                               : "Loops of the directives:\n";
    js::Array list;
    const Node &root = *made->tree().root;
    schedule::walk(root, [&](const Node &node) {
      for (size_t m = 0; m < node.members.size(); ++m)
        list.push_back(oneLoop(*made, node, m, said.text));
    });
    js::Array nests;
    for (const ScheduleVersion &version : state.schedules)
      nests.push_back(poly::printNest(scop, version.tree));
    said.json["nests"] = std::move(nests);
    said.json["loops"] = std::move(list);
  }

  js::Object oneLoop(const schedule::ScheduleModel &made, const Node &node,
                     size_t m, std::string &text) {
    const poly::Member &member = node.members[m];
    std::string names;
    for (unsigned s : node.statements)
      names += (names.empty() ? "" : ", ") + scop.statements[s].name;
    std::optional<poly::Violation> conflict;
    if (member.binding != poly::Binding::Time)
      conflict = made.whyNotParallel(&node, m);
    bool isTime = member.binding == poly::Binding::Time;
    std::string why = isTime     ? "its turns follow each other"
                      : conflict ? conflict->message
                                 : "";
    bool parallel = !isTime && !conflict;
    bool vector = parallel && walksMemory(node, m);
    text += "  " + member.name + " of " + names + ": " +
            (vector     ? "parallel, vector"
             : parallel ? "parallel, not vector: memory is not read and "
                          "written along it"
                        : "neither: " + why) +
            "\n";
    js::Object object{{"loop", member.name},
                      {"statements", names},
                      {"parallel", parallel},
                      {"vector", vector}};
    if (!why.empty())
      object["why"] = why;
    return object;
  }

  /// Whether every access of the loop's statements moves by one element, or not
  /// at all, along the dimension that is the fastest in memory.
  bool walksMemory(const Node &node, size_t m) const {
    for (unsigned s : node.statements) {
      const poly::Digit &digit = poly::digitOf(node, m, s);
      std::optional<unsigned> dim = schedule::dimOf(digit);
      if (!dim || digit.divisor != 1)
        return false;
      for (const poly::Access &access : scop.statements[s].accesses)
        for (size_t at = 0; at < access.subscripts.size(); ++at) {
          int64_t step = access.subscripts[at].dimCoefficient(*dim);
          bool last = at + 1 == access.subscripts.size();
          if (step != 0 && !(last && step == 1))
            return false;
        }
    }
    return true;
  }

  void deps(Said &said) {
    said.text += poly::printDependences(scop, *state.dependences);
    constexpr const char *kKinds[] = {"flow", "anti", "output"};
    js::Array list;
    for (const poly::Dependence &d : state.dependences->list)
      list.push_back(js::Object{{"kind", kKinds[size_t(d.kind)]},
                                {"source", scop.statements[d.source].name},
                                {"sink", scop.statements[d.sink].name},
                                {"tensor", scop.arrays[d.array].name},
                                {"withinReduction", d.withinReduction},
                                {"relation", d.relation}});
    said.json["deps"] = std::move(list);
    said.json["conservative"] = state.dependences->conservative;
  }

  void ranges(Said &said) {
    if (!state.program) {
      said.text += "ranges are those of the source\n";
      return;
    }
    for (const frontend::OpDecl *op : state.program->ops())
      if (op->name.text == scop.name) {
        std::string text = frontend::explainRanges(*op, *state.program->source);
        said.text += text;
        said.json["ranges"] = js::fixUTF8(text);
      }
  }

  /// Which kernel of the first version a family is in.
  std::string kernelOf(const schedule::Family &family) const {
    for (const ScheduleVersion &version : state.schedules)
      if (const Node *kernel =
              poly::kernelOf(version.tree, family.statements.back()))
        return kernel->kernel.name;
    return "";
  }

  void fusion(Said &said) {
    js::Array list;
    for (size_t b = 1; b < families.size(); ++b)
      for (size_t a = 0; a < b; ++a)
        if (b == a + 1 || dependsOn(families[b], families[a]))
          list.push_back(onePair(families[a], families[b], said.text));
    if (list.empty())
      said.text += "one statement: nothing to fuse\n";
    said.json["fusion"] = std::move(list);
  }

  bool dependsOn(const schedule::Family &later,
                 const schedule::Family &earlier) const {
    return llvm::any_of(state.dependences->list, [&](const auto &d) {
      return llvm::is_contained(earlier.statements, d.source) &&
             llvm::is_contained(later.statements, d.sink);
    });
  }

  js::Object onePair(const schedule::Family &a, const schedule::Family &b,
                     std::string &text) {
    // The deepest loop that both have around all of their statements.
    unsigned depth = std::min(depthOf(a), depthOf(b)), fused = 0;
    std::string why;
    for (unsigned d = depth; d > 0 && !fused; --d) {
      schedule::ScheduleModel trial = makeModel(state);
      Diagnostics said;
      std::string loop =
          scop.statements[a.statements[0]].dims[a.timeDims + d - 1];
      if (trial.apply(schedule::directive::fuse({nameOf(a), nameOf(b)},
                                                nameOf(a) + "." + loop),
                      said))
        fused = d;
      else if (why.empty() || d == 1)
        why = said.all()[0].message;
    }
    if (depth == 0)
      why = "one of them has no loop around all of its statements";
    std::string kernelA = kernelOf(a), kernelB = kernelOf(b);
    bool together = !kernelA.empty() && kernelA == kernelB;
    text += "  " + a.name + " and " + b.name + ": ";
    if (fused) {
      text += "may share " + std::to_string(fused) +
              (fused == 1 ? " loop" : " loops");
      if (fused < depth)
        text += ", not " + std::to_string(fused + 1) + ": " + why;
    } else {
      text += "share no loop: " + why;
    }
    if (!kernelA.empty())
      text += together ? "; in kernel " + kernelA
                       : "; in kernels " + kernelA + " and " + kernelB;
    text += "\n";
    js::Object object{{"first", a.name},
                      {"second", b.name},
                      {"sharedLoops", int64_t(fused)},
                      {"sameKernel", together}};
    if (!why.empty())
      object["why"] = why;
    return object;
  }

  /// The family's own name, or that of its last statement where several
  /// statements define one tensor.
  std::string nameOf(const schedule::Family &family) const {
    size_t same = llvm::count_if(
        families, [&](const auto &other) { return other.name == family.name; });
    return same == 1 ? family.name
                     : scop.statements[family.statements.back()].name;
  }

  unsigned depthOf(const schedule::Family &family) const {
    unsigned dims = family.statements.size() == 1
                        ? scop.statements[family.statements[0]].dims.size()
                        : family.sharedDims;
    return dims - family.timeDims;
  }

  /// What would be written to get the schedule that was made.
  void directives(Said &said) {
    js::Array list;
    for (const ScheduleVersion &version : state.schedules) {
      std::string why;
      auto directives =
          schedule::directivesOf(scop, families, version.tree, why);
      if (!directives) {
        state.diags
            .error("G0726",
                   "this schedule cannot be said by directives: " + why)
            .help("--emit=schedule prints its tree, which --from=schedule "
                  "reads back");
        return;
      }
      frontend::ScheduleDecl decl;
      std::string written = state.program ? writtenName(state) : "";
      decl.op.text = written.empty() ? scop.name : written;
      decl.targets.push_back({state.target->name, {}});
      decl.exact = true;
      for (const te::CascadeRequest &made : state.cascades)
        decl.directives.push_back(schedule::directive::cascade(
            made.tensor + "." + made.index, made.block));
      decl.directives.insert(decl.directives.end(), directives->begin(),
                             directives->end());
      for (const SizeCondition &condition : version.conditions) {
        using Kind = frontend::SizeConstraint::Kind;
        frontend::SizeConstraint constraint;
        constraint.name.text = condition.size;
        constraint.kind = condition.kind == SizeCondition::Kind::Multiple
                              ? Kind::Multiple
                          : condition.kind == SizeCondition::Kind::AtMost
                              ? Kind::LessEqual
                              : Kind::GreaterEqual;
        constraint.value = condition.value;
        decl.conditions.push_back(std::move(constraint));
      }
      std::string text = frontend::printSchedule(decl);
      said.text += text;
      list.push_back(text);
    }
    said.json["directives"] = std::move(list);
  }

  void steps(Said &said) {
    js::Array list;
    if (decls.empty())
      said.text += "no schedule of the text is for this program and target: "
                   "the order of the text\n";
    if (!checkKnobs(state))
      return;
    for (const frontend::ScheduleDecl *decl : decls) {
      schedule::ScheduleModel made = makeModel(state);
      auto say = [&](const std::string &headline) {
        std::string tree = poly::printScheduleTree(scop, made.tree());
        std::string nest = poly::printNest(scop, made.tree());
        said.text += "--- " + headline + "\n" + tree + "\n" + nest + "\n";
        list.push_back(js::Object{
            {"directive", headline}, {"tree", tree}, {"nest", nest}});
      };
      say("the order of the text");
      applyDirectives(state, *decl, made,
                      [&](const frontend::Directive &directive,
                          const schedule::ScheduleModel &) {
                        say(frontend::printDirective(directive));
                      });
    }
    said.json["steps"] = std::move(list);
  }

  CompileState &state;
  const ExplainOptions &what;
  const poly::Scop &scop;
  std::vector<const frontend::ScheduleDecl *> decls;
  std::vector<schedule::Family> families; ///< in the order of the text
  std::optional<cost::Plan> plan;         ///< for the views that need it
  std::optional<Found> found;             ///< the same
};

} // namespace

std::optional<std::string>
girih::pipeline::explain(std::shared_ptr<const SourceFile> source,
                         const CompileOptions &options,
                         const ExplainOptions &what, Diagnostics &diags) {
  CompileOptions wanted = options;
  // Steps are shown up to a directive that is refused.
  wanted.last = what.steps ? Phase::Scop : Phase::Schedule;
  std::optional<std::string> said;
  wanted.inspect = [&](CompileState &state) {
    said = what.domain ? viewDomain(state, what.statement)
                       : Explainer(state, what).run();
  };
  compile(std::move(source), wanted, diags);
  // Steps are worth seeing up to the one that is refused.
  if (diags.hasErrors() && !what.steps)
    return std::nullopt;
  return said;
}
