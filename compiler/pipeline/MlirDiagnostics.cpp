//===- MlirDiagnostics.cpp - MLIR's diagnostics as ours -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/MlirDiagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"

using namespace girih;
using namespace girih::pipeline;

/// The place of `loc` when it lies in the sink's file.
static std::optional<SourceRange> rangeOf(mlir::Location loc,
                                          const SourceFile *file) {
  std::optional<SourceRange> range;
  if (!file)
    return range;
  loc->walk([&](mlir::Location inner) {
    auto place = mlir::dyn_cast<mlir::FileLineColLoc>(inner);
    std::optional<uint32_t> begin;
    if (place)
      begin = file->beginOf(place.getFilename().strref());
    if (!begin)
      return mlir::WalkResult::advance();
    uint32_t offset = *begin + file->locate(*begin).file->offset(
                                   {std::max(place.getLine(), 1u),
                                    std::max(place.getColumn(), 1u)});
    range = SourceRange{offset, offset + 1};
    return mlir::WalkResult::interrupt();
  });
  return range;
}

MlirDiagnostics::MlirDiagnostics(mlir::MLIRContext &context, Diagnostics &diags,
                                 std::string code)
    : handler(&context, [&diags, code](mlir::Diagnostic &message) {
        std::optional<SourceRange> range =
            rangeOf(message.getLocation(), diags.file());
        if (message.getSeverity() == mlir::DiagnosticSeverity::Remark)
          return mlir::success();
        bool isError = message.getSeverity() == mlir::DiagnosticSeverity::Error;
        girih::Diagnostic &diagnostic =
            isError ? diags.error(code, message.str(), range)
                    : diags.warning(code, message.str(), range);
        for (mlir::Diagnostic &note : message.getNotes()) {
          std::string text = note.str();
          llvm::StringRef edit = text;
          if (edit.consume_front("help: "))
            diagnostic.help(edit.str());
          else
            diagnostic.note(text, rangeOf(note.getLocation(), diags.file()));
        }
        return mlir::success();
      }) {}
