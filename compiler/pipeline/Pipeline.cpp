//===- Pipeline.cpp - the one function that lists all phases --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/Pipeline.h"

#include "compiler/pipeline/Phases.h"
#include "compiler/pipeline/Report.h"
#include "compiler/support/Suggest.h"

#include <chrono>
#include <functional>

using namespace girih;
using namespace girih::pipeline;

namespace {

struct Step {
  Phase phase; ///< the form it makes
  std::function<bool(CompileState &)> run;
};

} // namespace

std::optional<CompileResult>
girih::pipeline::compile(std::shared_ptr<const SourceFile> source,
                         const CompileOptions &options, Diagnostics &diags) {
  CompileState state(options, diags);
  if (!state.target) {
    Diagnostic &error =
        diags.error("G0801", "unknown target '" + options.target + "'");
    std::string near = target::nearestTarget(options.target);
    if (!near.empty())
      error.help("did you mean '" + near + "'?");
    return std::nullopt;
  }

  if (!options.invariant.empty() && options.last < Phase::Assoc) {
    diags
        .error("G0818", "'" + std::string(infoOf(options.last).name) +
                            "' comes before the form that says on which sizes "
                            "results depend")
        .help("make 'assoc' or a later form");
    return std::nullopt;
  }
  bool hasFixedText = !options.isSource && options.from > Phase::Ast;
  bool fixesSizes = !options.given.empty() && !options.anySize;
  if (hasFixedText &&
      (fixesSizes || !options.settings.empty() || !options.functions.empty())) {
    diags
        .error("G0817", "sizes and functions are fixed in the text of '" +
                            std::string(infoOf(options.from).name) + "'")
        .help("leave out -D and --functions, or start from the source; with "
              "--dynamic, -D only says how large drawn inputs are");
    return std::nullopt;
  }
  if (!options.isSource && options.from > options.last) {
    diags.error("G0818",
                "cannot make '" + std::string(infoOf(options.last).name) +
                    "' from '" + std::string(infoOf(options.from).name) +
                    "', which comes after it");
    return std::nullopt;
  }

  // The whole compiler, in order. Each step consumes the forms above it.
  const Step steps[] = {
      {Phase::Ast, [&](CompileState &s) { return runFrontend(s, source); }},
      {Phase::Te, runMlirGen},
      {Phase::Assoc,
       [](CompileState &s) {
         return runAssociations(s) && proveInvariance(s);
       }},
      {Phase::Scop, runScop},
      {Phase::Schedule,
       [](CompileState &s) { return runSchedule(s) && proveSchedule(s); }},
      {Phase::Tile, runTile},
      {Phase::Llvm, runLlvm},
      {Phase::Ptx, runPtx},
  };

  CompileResult result;
  auto timed = [&](Phase phase, auto &&run) {
    auto start = std::chrono::steady_clock::now();
    bool ok = run();
    std::chrono::duration<double, std::milli> spent =
        std::chrono::steady_clock::now() - start;
    result.times.push_back({phase, spent.count()});
    return ok && !diags.hasErrors();
  };
  if (!options.isSource && !timed(options.from, [&] {
        return readForm(state, options.from, *source) &&
               (options.from < Phase::Assoc || proveInvariance(state));
      }))
    return std::nullopt;
  for (const Step &step : steps) {
    bool isDone = !options.isSource && step.phase <= options.from;
    if (isDone || step.phase > options.last)
      continue;
    if (!timed(step.phase, [&] { return step.run(state); }))
      return std::nullopt;
    if (options.onForm)
      options.onForm(step.phase, printForm(state, step.phase));
  }

  if (options.inspect)
    options.inspect(state);
  if (diags.hasErrors())
    return std::nullopt;
  result.text = printForm(state, options.last);
  result.report = reportChoices(state);
  result.parameters = state.parameters;
  if (state.program && !options.probes.empty())
    result.probes = probesOf(*state.program, options.op);
  if (options.last == Phase::Ptx)
    result.artifact = std::move(state.plan);
  return result;
}
