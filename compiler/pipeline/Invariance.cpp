//===- Invariance.cpp - sizes on which no result may depend ---------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/te/Invariance.h"
#include "compiler/pipeline/MlirDiagnostics.h"
#include "compiler/pipeline/Phases.h"
#include "compiler/support/Suggest.h"
#include "dialects/te/TeFacts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace girih;
using namespace girih::pipeline;

static std::vector<std::string> namesOf(mlir::ArrayAttr list) {
  std::vector<std::string> names;
  for (mlir::Attribute name : list)
    names.push_back(mlir::cast<mlir::StringAttr>(name).str());
  return names;
}

static void refuse(const te::SizeDependence &reason, const std::string &size) {
  mlir::InFlightDiagnostic error =
      mlir::emitError(reason.place)
      << "'" << llvm::join(reason.results, "' and '")
      << (reason.results.size() > 1 ? "' depend on " : "' depends on ") << size
      << ": " << reason.what;
  if (!reason.path.empty())
    error.attachNote(mlir::UnknownLoc::get(reason.place.getContext()))
        << reason.path;
  if (!reason.help.empty())
    error.attachNote() << "help: " << reason.help;
}

bool girih::pipeline::proveInvariance(CompileState &state) {
  te::FuncOp func = state.func();
  std::vector<std::string> sizes = namesOf(func.getSizes());
  std::vector<std::string> asked;
  if (mlir::ArrayAttr ofText = te::invariantOf(func))
    asked = namesOf(ofText);
  size_t ofText = asked.size();
  for (const std::string &size : state.options.invariant) {
    if (llvm::is_contained(sizes, size)) {
      asked.push_back(size);
      continue;
    }
    std::string op = func.getSymName().str();
    state.diags
        .error("G0603", "'" + op + "' has no size '" + size + "'" +
                            didYouMean(size, sizes))
        .note(sizes.empty() ? "'" + op + "' has no sizes at all"
                            : "its sizes are " + llvm::join(sizes, ", "));
  }
  if (state.diags.hasErrors())
    return false;
  MlirDiagnostics handler(*state.context, state.diags, "G0830");
  bool holds = true;
  for (auto [number, size] : llvm::enumerate(asked)) {
    te::InvarianceAnswer answer = te::invarianceIn(func, size);
    bool isNew =
        !llvm::is_contained(llvm::ArrayRef(asked).take_front(number), size);
    for (const te::SizeDependence &reason : answer.reasons)
      if (isNew)
        refuse(reason, size);
    if (isNew)
      llvm::append_range(state.proved, answer.proved);
    if (number >= ofText && state.options.onProved)
      llvm::for_each(answer.proved, state.options.onProved);
    holds &= answer.reasons.empty();
  }
  return holds;
}
