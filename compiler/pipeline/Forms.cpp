//===- Forms.cpp - the text of each form, printed and read back -----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ast is the program's own syntax; te and assoc are MLIR; scop and schedule are
// bundles of sections ("=== te" ...); tile and llvm are MLIR with the plan as
// an attribute; ptx is PTX, one section a variant, with the plan in comments.
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/MlirDiagnostics.h"
#include "compiler/pipeline/Phases.h"
#include "compiler/pipeline/PlanText.h"
#include "compiler/reference/Signature.h"
#include "dialects/tile/Tile.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "passes/codegen/TargetDialects.h"

#include <algorithm>

using namespace girih;
using namespace girih::pipeline;

namespace {

constexpr std::string_view kSection = "=== ";
constexpr std::string_view kPlanLine = "// girih.plan: ";
constexpr std::string_view kVariantLine = "// girih.variant: ";

std::string printModule(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  text += "\n";
  return text;
}

/// A part of a bundle, exactly as it stands there.
struct Section {
  std::string name;
  std::string text;
  size_t linesBefore = 0; ///< in the bundle
};

/// Lines that start with "=== " begin a section.
std::vector<Section> splitSections(std::string_view text) {
  std::vector<Section> sections;
  for (size_t number = 1; !text.empty(); ++number) {
    size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    if (line.substr(0, kSection.size()) == kSection) {
      line = line.substr(kSection.size());
      sections.push_back(
          {std::string(line.substr(0, line.find('\n'))), "", number});
    } else if (!sections.empty()) {
      sections.back().text += line;
    }
  }
  return sections;
}

const Section *find(const std::vector<Section> &sections,
                    std::string_view name) {
  for (const Section &section : sections)
    if (section.name == name)
      return &section;
  return nullptr;
}

bool readTe(CompileState &state, std::string_view text,
            const std::string &name) {
  MlirDiagnostics handler(*state.context, state.diags, "G0810");
  state.te = mlir::parseSourceString<mlir::ModuleOp>(
      llvm::StringRef(text), mlir::ParserConfig(state.context.get()), name);
  if (!state.te)
    return false;
  auto funcs = llvm::to_vector(state.te->getOps<te::FuncOp>());
  if (funcs.size() == 1)
    return true;
  // That one pass has the operator's bits was proved from functions that are
  // no longer there once they are expanded.
  bool isPass = funcs.size() == 2 &&
                funcs[0].getResultTypes() == funcs[1].getResultTypes() &&
                funcs[0].getSizes() == funcs[1].getSizes() &&
                funcs[0].getGiven() == funcs[1].getGiven() &&
                llvm::equal(funcs[0].getBlock().getArgumentTypes(),
                            funcs[1].getBlock().getArgumentTypes());
  state.readBack |= isPass;
  if (isPass)
    return true;
  state.diags.error("G0811",
                    "expected one te.func in '" + name +
                        "', or behind it a second one of the same signature");
  return false;
}

bool missing(CompileState &state, std::string_view section) {
  state.diags
      .error("G0812", "the text has no section '" + std::string(section) + "'")
      .help("print the form with --emit to see its sections");
  return false;
}

/// scop is made anew from the te module: the section must agree with it.
bool readScop(CompileState &state, const std::vector<Section> &sections,
              const std::string &name) {
  const Section *te = find(sections, "te");
  const Section *text = find(sections, "scop");
  if (!te)
    return missing(state, "te");
  if (!text)
    return missing(state, "scop");
  // Blank lines in front keep places in the module places in the bundle.
  if (!readTe(state, std::string(te->linesBefore, '\n') + te->text, name) ||
      !runScop(state))
    return false;
  std::optional<poly::Scop> read = poly::readScop(text->text, state.diags);
  if (!read)
    return false;
  if (*read == state.scop->scop)
    return true;
  state.diags
      .error("G0813", "the scop does not belong to the te module beside "
                      "it: its statements, domains or accesses differ")
      .help("change the te module; the scop follows from it");
  return false;
}

/// One section a version: `schedule when M >= 512`; the last has no condition.
bool readSchedules(CompileState &state, const std::vector<Section> &sections) {
  constexpr std::string_view kWhen = "schedule when ";
  for (const Section &section : sections) {
    bool isConditional = section.name.substr(0, kWhen.size()) == kWhen;
    if (!isConditional && section.name != "schedule")
      continue;
    ScheduleVersion version;
    if (isConditional) {
      auto conditions = readConditions(section.name.substr(kWhen.size()));
      if (!conditions) {
        state.diags
            .error("G0729", "'" + section.name.substr(kWhen.size()) +
                                "' is no condition on sizes")
            .help("write M % 8 == 0, M <= 512 or M >= 512, with commas "
                  "between several");
        return false;
      }
      version.conditions = std::move(*conditions);
      for (const SizeCondition &condition : version.conditions)
        if (state.func().findSize(condition.size) < 0) {
          state.diags.error("G0729",
                            "the program has no size '" + condition.size + "'");
          return false;
        }
    }
    std::optional<poly::ScheduleTree> tree =
        poly::readScheduleTree(state.scop->scop, section.text, state.diags);
    if (!tree)
      return false;
    version.tree = std::move(*tree);
    state.schedules.push_back(std::move(version));
  }
  if (state.schedules.empty())
    return missing(state, "schedule");
  if (state.schedules.back().conditions.empty())
    return true;
  state.diags
      .error("G0729", "each schedule has a condition: none is for all sizes")
      .help("add a section 'schedule' without one, behind the others");
  return false;
}

bool readPlan(CompileState &state, mlir::Attribute attr) {
  std::string error;
  if (!attr)
    error = "the text has no launch plan (attribute 'girih.plan')";
  if (!error.empty() || !planFromAttr(attr, state.plan, error)) {
    state.diags.error("G0814", error);
    return false;
  }
  state.readBack = true;
  if (!readTe(state, state.plan.teModule, "the plan's te module"))
    return false;
  state.plan.signature = reference::signatureOf(state.func());
  // Loading checks everything that a plan names; the plan itself goes on.
  auto loaded = artifact::deserialize(artifact::serialize(state.plan));
  if (!loaded) {
    state.diags.error("G0814",
                      "the launch plan is broken: " + loaded.message());
    return false;
  }
  if (state.plan.target == state.target->name)
    return true;
  state.diags
      .error("G0815", "the text was made for " + state.plan.target +
                          ", not for " + state.target->name)
      .help("compile with --target " + state.plan.target);
  return false;
}

/// Whether every brace outside of comments has its other one.
bool isBalanced(std::string_view ptx) {
  int64_t depth = 0;
  for (size_t i = 0; i < ptx.size(); ++i) {
    if (ptx.substr(i, 2) == "//")
      i = std::min(ptx.find('\n', i), ptx.size());
    else if (ptx[i] == '{')
      ++depth;
    else if (ptx[i] == '}' && --depth < 0)
      return false;
  }
  return depth == 0;
}

bool noKernel(CompileState &state, const artifact::Variant &variant,
              const artifact::Launch &launch) {
  state.diags.error("G0816", "the plan launches '" + launch.kernel +
                                 "', which variant '" + variant.name +
                                 "' does not have");
  return false;
}

bool readKernels(CompileState &state, std::string_view text,
                 const std::string &name) {
  MlirDiagnostics handler(*state.context, state.diags, "G0810");
  state.kernels = mlir::parseSourceString<mlir::ModuleOp>(
      llvm::StringRef(text), mlir::ParserConfig(state.context.get()), name);
  if (!state.kernels)
    return false;
  mlir::Operation *module = *state.kernels;
  if (!readPlan(state, module->getAttr("girih.plan")))
    return false;
  auto variants = state.kernels->getBody()->getOps<mlir::ModuleOp>();
  size_t count = std::distance(variants.begin(), variants.end());
  if (count != state.plan.variants.size()) {
    state.diags.error(
        "G0816", "the plan has " + std::to_string(state.plan.variants.size()) +
                     " variants, the module " + std::to_string(count));
    return false;
  }
  for (auto [inner, variant] : llvm::zip(variants, state.plan.variants)) {
    for (const artifact::Launch &launch : variant.launches)
      if (!inner.lookupSymbol(launch.kernel))
        return noKernel(state, variant, launch);
    for (auto kernel : inner.getOps<tile::KernelOp>())
      if (llvm::none_of(variant.launches, [&](const artifact::Launch &launch) {
            return launch.kernel == kernel.getSymName();
          })) {
        state.diags.error("G0816", "the plan does not launch '" +
                                       kernel.getSymName().str() +
                                       "' of variant '" + variant.name + "'");
        return false;
      }
  }
  return true;
}

bool readPtx(CompileState &state, std::string_view text) {
  std::vector<std::string> bodies;
  std::string plan;
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
    if (line.substr(0, kPlanLine.size()) == kPlanLine)
      plan = line.substr(kPlanLine.size());
    else if (line.substr(0, kVariantLine.size()) == kVariantLine)
      bodies.emplace_back();
    else if (!bodies.empty())
      bodies.back() += std::string(line) + "\n";
  }
  mlir::Attribute attr;
  if (!plan.empty()) {
    MlirDiagnostics handler(*state.context, state.diags, "G0810");
    attr = mlir::parseAttribute(plan, state.context.get());
    if (!attr)
      return false;
  }
  if (!readPlan(state, attr))
    return false;
  if (bodies.size() != state.plan.variants.size()) {
    state.diags.error(
        "G0816", "the plan has " + std::to_string(state.plan.variants.size()) +
                     " variants, the text " + std::to_string(bodies.size()));
    return false;
  }
  for (size_t v = 0; v < bodies.size(); ++v) {
    artifact::Variant &variant = state.plan.variants[v];
    variant.ptx = std::move(bodies[v]);
    for (const artifact::Launch &launch : variant.launches)
      if (variant.ptx.find(".entry " + launch.kernel + "(") ==
          std::string::npos)
        return noKernel(state, variant, launch);
    if (!isBalanced(variant.ptx)) {
      state.diags
          .error("G0816", "the text of variant '" + variant.name +
                              "' is cut off: not every '{' has its '}'")
          .help("print it again: girih compile --emit=ptx");
      return false;
    }
  }
  state.plan.edited = true;
  return true;
}

} // namespace

std::string girih::pipeline::printForm(CompileState &state, Phase phase) {
  switch (phase) {
  case Phase::Ast:
    return frontend::printAst(state.program->file);
  case Phase::Te:
  case Phase::Assoc:
    return printModule(*state.te);
  case Phase::Scop:
  case Phase::Schedule: {
    std::string text = "=== te\n" + printModule(*state.te) + "=== scop\n" +
                       poly::printScop(state.scop->scop);
    if (phase == Phase::Schedule) {
      for (const ScheduleVersion &version : state.schedules)
        text += "=== schedule" +
                (version.conditions.empty()
                     ? ""
                     : " when " + print(version.conditions)) +
                "\n" + poly::printScheduleTree(state.scop->scop, version.tree);
      return text;
    }
    return text + "=== dependences\n" +
           poly::printDependences(state.scop->scop, *state.dependences);
  }
  case Phase::Tile:
  case Phase::Llvm:
    return printModule(*state.kernels);
  case Phase::Ptx: {
    std::string text(kPlanLine);
    llvm::raw_string_ostream stream(text);
    planToAttr(*state.context, state.plan).print(stream);
    stream << "\n";
    for (const artifact::Variant &variant : state.plan.variants)
      stream << kVariantLine << variant.name << "\n" << variant.ptx;
    return text;
  }
  }
  return "";
}

bool girih::pipeline::readForm(CompileState &state, Phase phase,
                               const SourceFile &source) {
  std::string_view text = source.text();
  switch (phase) {
  case Phase::Ast:
    return runFrontend(
        state, std::make_shared<SourceFile>(source.name(), std::string(text)));
  case Phase::Te:
  case Phase::Assoc:
    return readTe(state, text, source.name());
  case Phase::Scop:
    return readScop(state, splitSections(text), source.name());
  case Phase::Schedule: {
    std::vector<Section> sections = splitSections(text);
    if (!readScop(state, sections, source.name()) ||
        !readSchedules(state, sections))
      return false;
    return proveSchedule(state);
  }
  case Phase::Tile:
    return readKernels(state, text, source.name());
  case Phase::Llvm:
    codegen::loadDialects(*state.context);
    return readKernels(state, text, source.name());
  case Phase::Ptx:
    return readPtx(state, text);
  }
  return false;
}
