//===- Phases.cpp - one function per phase --------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/Phases.h"

#include "compiler/mlirgen/MlirGen.h"
#include "compiler/pipeline/MlirDiagnostics.h"
#include "compiler/pipeline/PlanText.h"
#include "compiler/pipeline/RefusedSchedule.h"
#include "compiler/pipeline/Report.h"
#include "compiler/pipeline/ScheduleDriver.h"
#include "compiler/reference/Signature.h"
#include "compiler/target/Occupancy.h"
#include "dialects/tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "passes/codegen/EmitPtx.h"
#include "passes/codegen/LowerTile.h"
#include "passes/codegen/TargetDialects.h"
#include "passes/te/TePipelines.h"
#include "passes/tile/BuildTile.h"
#include "passes/tile/Promises.h"

#include "llvm/ADT/STLExtras.h"

#include <stdexcept>

using namespace girih;
using namespace girih::pipeline;

CompileState::CompileState(const CompileOptions &options, Diagnostics &diags)
    : options(options), diags(diags),
      target(options.card ? options.card : target::findTarget(options.target)),
      context(std::make_unique<mlir::MLIRContext>(
          mlir::MLIRContext::Threading::DISABLED)) {
  // Messages are for people: a place, not the op's text, which may be a kernel.
  context->printOpOnDiagnostic(false);
  context->loadDialect<te::TeDialect, tile::TileDialect,
                       mlir::arith::ArithDialect, mlir::scf::SCFDialect>();
}

te::FuncOp CompileState::func() {
  auto funcs = te->getOps<te::FuncOp>();
  return funcs.empty() ? te::FuncOp() : *funcs.begin();
}

poly::PolyBudget CompileState::budget() const {
  poly::PolyBudget budget;
  budget.maxOperations = options.polyOperations;
  return budget;
}

bool girih::pipeline::runFrontend(CompileState &state,
                                  std::shared_ptr<const SourceFile> source) {
  const CompileOptions &options = state.options;
  frontend::ParseOptions parse;
  parse.op = options.op;
  parse.probes = options.probes;
  parse.scheduleFile = options.scheduleFile;
  parse.settings = options.settings;
  for (const auto &[name, value] : options.given)
    parse.settings.emplace_back(name, std::to_string(value));
  for (const std::string &name : options.tensors)
    parse.settings.emplace_back(name, "present");
  state.program = frontend::parseProgram(std::move(source), state.diags, parse);
  if (!state.program)
    return false;
  if (!checkScheduleTargets(state))
    return false;
  const auto &unused = state.program->unusedSettings;
  for (const auto &setting : parse.settings)
    if (!llvm::is_contained(unused, setting))
      state.parameters.push_back(setting.first);
  return true;
}

std::vector<std::pair<std::string, std::string>>
girih::pipeline::probesOf(const frontend::Program &program,
                          const std::string &opName) {
  std::vector<std::pair<std::string, std::string>> probes;
  std::vector<const frontend::OpDecl *> ops = program.ops();
  const frontend::OpDecl *op = program.findOp(opName);
  if (!op && ops.size() == 1)
    op = ops[0];
  if (!op)
    return probes;
  for (const auto &statement : op->statements) {
    std::string text = statement->target.text;
    for (const auto &index : statement->indices)
      text +=
          (&index == &statement->indices[0] ? "[" : ", ") + index->name.text;
    text += statement->indices.empty() ? " = " : "] = ";
    probes.emplace_back(statement->target.text,
                        text + frontend::printExpr(*statement->value));
  }
  return probes;
}

bool girih::pipeline::runMlirGen(CompileState &state) {
  MlirDiagnostics handler(*state.context, state.diags, "G0802");
  mlirgen::GenOptions options;
  for (const auto &size : state.options.given)
    if (!state.options.anySize &&
        !llvm::is_contained(state.parameters, size.first))
      options.given.push_back(size);
  for (const auto &[name, value] : state.options.settings)
    if (!llvm::is_contained(state.parameters, name))
      options.unknown.emplace_back(name, value);
  if (!state.options.functions.empty()) {
    options.functions = te::symbolizeAccuracy(state.options.functions);
    if (!options.functions || *options.functions == te::Accuracy::Unset) {
      state.diags
          .error("G0803", "unknown accuracy of functions '" +
                              state.options.functions + "'")
          .help("say fast or portable");
      return false;
    }
  }
  state.te = mlirgen::generateTe(*state.program, state.options.op, options,
                                 *state.context, state.diags);
  return state.te && mlir::succeeded(te::runTePasses(*state.te)) &&
         mlir::succeeded(mlir::verify(*state.te));
}

bool girih::pipeline::runAssociations(CompileState &state) {
  MlirDiagnostics handler(*state.context, state.diags, "G0804");
  te::AssocOptions options;
  options.keep = tensorsOfSchedules(state);
  // Whoever writes a schedule says which loops there are.
  if (schedulesFor(state).empty())
    options.worthBytes = state.target->l2Bytes;
  options.recomputesRows = true;
  std::vector<frontend::Directive> asked;
  if (!cascadesOfSchedules(state, asked))
    return false;
  for (const frontend::Directive &directive : asked)
    options.cascades.push_back({directive.loops[0].statement.text,
                                directive.loops[0].loop.text,
                                directive.factors[0].value()});
  options.made = [&](const te::CascadeRequest &request) {
    state.cascades.push_back(request);
  };
  options.refuse = [&](const te::CascadeRefusal &refusal) {
    reportRefusedCascade(state, asked[refusal.request], refusal);
  };
  return mlir::succeeded(te::runAssoc(*state.te, options)) &&
         mlir::succeeded(mlir::verify(*state.te));
}

bool girih::pipeline::runScop(CompileState &state) {
  MlirDiagnostics handler(*state.context, state.diags, "G0805");
  try {
    state.scop = scop::buildScop(state.realised());
    if (state.scop)
      state.scop->scop.name = state.func().getSymName().str();
  } catch (const std::overflow_error &error) {
    state.diags.error("G0805", std::string("the program's numbers are too "
                                           "large: ") +
                                   error.what());
    return false;
  }
  if (!state.scop || !poly::verifyScop(state.scop->scop, state.diags))
    return false;
  state.dependences =
      poly::computeDependences(state.scop->scop, state.budget(), state.diags);
  return state.dependences.has_value();
}

bool girih::pipeline::runSchedule(CompileState &state) {
  return makeSchedules(state);
}

bool girih::pipeline::proveSchedule(CompileState &state) {
  for (const ScheduleVersion &version : state.schedules) {
    if (!poly::verifyScheduleTree(state.scop->scop, version.tree, state.diags))
      return false;
    std::vector<poly::Violation> violations = poly::checkLegality(
        state.scop->scop, *state.dependences, version.tree, state.budget());
    if (violations.empty())
      continue;
    if (state.options.onRefusedSchedule) {
      RefusedSchedule refused{state.realised(), *state.scop, version.tree,
                              violations};
      state.options.onRefusedSchedule(refused);
    }
    for (const poly::Violation &violation : violations) {
      const schedule::Origin *origin = version.origins.of(violation);
      poly::reportViolations(state.scop->scop, {violation}, state.diags,
                             origin ? origin->range : version.at);
      if (origin)
        schedule::sayOrigin(state.diags.last(), *origin);
    }
    return false;
  }
  return true;
}

/// What the plan says besides its variants.
static void startPlan(CompileState &state) {
  te::FuncOp func = state.func();
  artifact::Artifact &plan = state.plan;
  plan.signature = reference::signatureOf(func);
  plan.target = state.target->name;
  plan.contract.functions =
      func.getFunctions() == te::Accuracy::Portable ? "portable" : "fast";
  plan.contract.reductions = describeReductions(func);
  plan.provenance = "girih " GIRIH_VERSION ", target " + state.target->name;
  // The contract is the operator, however it is realised.
  mlir::OwningOpRef<mlir::ModuleOp> contract =
      mlir::ModuleOp::create(state.te->getLoc());
  contract->getBody()->push_back(func->clone());
  llvm::raw_string_ostream stream(plan.teModule);
  contract->print(stream);
}

/// What every target and PTX version accepts (CUDA C++ Programming Guide,
/// "Function parameters").
static constexpr size_t kMaxParameterBytes = 4096;

/// The guards under which a version is launched.
static std::vector<artifact::Guard>
guardsOf(const artifact::Signature &signature,
         const std::vector<SizeCondition> &conditions) {
  using Kind = artifact::Guard::Kind;
  std::vector<artifact::Guard> guards;
  for (const SizeCondition &condition : conditions) {
    artifact::Guard guard;
    guard.kind =
        condition.kind == SizeCondition::Kind::Multiple ? Kind::SizeDivisible
        : condition.kind == SizeCondition::Kind::AtMost ? Kind::SizeAtMost
                                                        : Kind::SizeAtLeast;
    guard.size =
        llvm::find(signature.sizes, condition.size) - signature.sizes.begin();
    guard.value = condition.value;
    guards.push_back(guard);
  }
  return guards;
}

/// Kernels of one version, in the variants that memory asks for. `number`
/// counts the versions, from 0.
static bool addVariants(CompileState &state, const ScheduleVersion &version,
                        unsigned number) {
  std::optional<std::vector<poly::KernelLoops>> loops = poly::generateLoops(
      state.scop->scop, version.tree, state.budget(), state.diags);
  if (!loops)
    return false;
  const std::vector<artifact::Guard> conditions =
      guardsOf(state.plan.signature, version.conditions);
  std::string suffix = number == 0 ? "" : "_" + std::to_string(number + 1);
  mlir::Location unknown = mlir::UnknownLoc::get(state.context.get());
  mlir::OpBuilder builder =
      mlir::OpBuilder::atBlockEnd(state.kernels->getBody());
  for (tilegen::AccessMode mode :
       {tilegen::AccessMode::Vector, tilegen::AccessMode::General}) {
    bool isVector = mode == tilegen::AccessMode::Vector;
    auto module = mlir::ModuleOp::create(
        unknown, (isVector ? "vector" : "general") + suffix);
    builder.insert(module);
    std::optional<tilegen::TilePlan> plan =
        tilegen::buildTile(state.realised(), state.scop->scop, state.scop->map,
                           version.tree, *loops, mode, module);
    if (!plan)
      return false;
    for (const artifact::Launch &launch : plan->launches)
      if (launch.arguments.size() * 8 > kMaxParameterBytes) {
        state.diags
            .error("G0819", "kernel '" + launch.kernel + "' takes " +
                                std::to_string(launch.arguments.size() * 8) +
                                " bytes of parameters, at most " +
                                std::to_string(kMaxParameterBytes) +
                                " are possible")
            .help("use fewer tensors in one statement");
        return false;
      }
    // A variant without guards runs on anything: no other one is needed.
    bool isLast = plan->guards.empty();
    artifact::Variant variant;
    variant.name = (isVector && !isLast ? "vector" : "general") + suffix;
    module.setSymName(variant.name);
    variant.guards = conditions;
    variant.guards.insert(variant.guards.end(), plan->guards.begin(),
                          plan->guards.end());
    variant.workspace = std::move(plan->workspace);
    variant.launches = std::move(plan->launches);
    variant.loops = std::move(plan->loops);
    for (const schedule::KernelReason &reason : version.reasons)
      variant.reports.push_back({reason.kernel, reason.lines});
    state.plan.variants.push_back(std::move(variant));
    if (isLast)
      break;
  }
  return true;
}

bool girih::pipeline::runTile(CompileState &state) {
  MlirDiagnostics handler(*state.context, state.diags, "G0806");
  startPlan(state);
  state.kernels =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(state.context.get()));
  unsigned number = 0;
  for (const ScheduleVersion &version : state.schedules)
    if (!addVariants(state, version, number++))
      return false;
  if (mlir::failed(mlir::verify(*state.kernels)))
    return false;
  state.kernels->getOperation()->setAttr(
      "girih.plan", planToAttr(*state.context, state.plan));
  return true;
}

/// Adds what one block of a kernel takes to the kernel's report.
static void noteResources(const target::GpuTarget &target,
                          const codegen::KernelFacts &facts,
                          artifact::Variant &variant) {
  target::Occupancy resident = target::occupancy(
      target, facts.threads, /*registersPerThread=*/0, facts.sharedBytes);
  std::string line =
      std::to_string(facts.sharedBytes) + " of " +
      std::to_string(target.maxSharedBytesPerBlock) +
      " bytes of shared memory a block; " + std::to_string(resident.resident) +
      " blocks fit on a multiprocessor before registers (bound by " +
      resident.bound + ")";
  for (artifact::KernelReport &report : variant.reports)
    if (report.kernel == facts.name) {
      report.lines.push_back(std::move(line));
      return;
    }
  variant.reports.push_back({facts.name, {std::move(line)}});
}

bool girih::pipeline::runLlvm(CompileState &state) {
  MlirDiagnostics handler(*state.context, state.diags, "G0807");
  codegen::loadDialects(*state.context);
  unsigned number = 0;
  for (auto module :
       llvm::to_vector(state.kernels->getBody()->getOps<mlir::ModuleOp>())) {
    artifact::Variant &variant = state.plan.variants[number++];
    mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(module.getBody());
    auto kernels = llvm::to_vector(module.getOps<tile::KernelOp>());
    for (tile::KernelOp kernel : kernels) {
      artifact::Launch &launch =
          *llvm::find_if(variant.launches, [&](const artifact::Launch &entry) {
            return entry.kernel == kernel.getSymName();
          });
      codegen::KernelFacts facts;
      builder.setInsertionPointToEnd(module.getBody());
      if (mlir::failed(
              codegen::lowerTileKernel(kernel, builder, *state.target, facts)))
        return false;
      if (facts.sharedBytes > int64_t(state.target->maxSharedBytesPerBlock)) {
        state.diags.error(
            "G0808", "kernel '" + launch.kernel + "' needs " +
                         std::to_string(facts.sharedBytes) +
                         " bytes of shared memory a block; " +
                         state.target->name + " has " +
                         std::to_string(state.target->maxSharedBytesPerBlock));
        return false;
      }
      launch.sharedBytes = facts.dynamicShared ? facts.sharedBytes : 0;
      noteResources(*state.target, facts, variant);
      kernel.erase();
    }
  }
  if (mlir::failed(mlir::verify(*state.kernels)))
    return false;
  state.kernels->getOperation()->setAttr(
      "girih.plan", planToAttr(*state.context, state.plan));
  return true;
}

bool girih::pipeline::runPtx(CompileState &state) {
  MlirDiagnostics handler(*state.context, state.diags, "G0809");
  unsigned number = 0;
  for (auto module : state.kernels->getBody()->getOps<mlir::ModuleOp>()) {
    artifact::Variant &variant = state.plan.variants[number++];
    Result<std::string> ptx = codegen::emitPtx(module, *state.target);
    if (!ptx) {
      state.diags.error("G0809", ptx.message());
      return false;
    }
    variant.ptx = std::move(*ptx);
  }
  state.plan.edited |= state.readBack;
  return true;
}
