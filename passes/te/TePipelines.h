//===- TePipelines.h - the te phases, as the compiler runs them -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_TE_TEPIPELINES_H
#define GIRIH_PASSES_TE_TEPIPELINES_H

#include "dialects/te/Te.h"
#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace girih::te {

/// te -> te, before associations: reductions hoisted, canonical form.
mlir::LogicalResult runTePasses(mlir::ModuleOp module);

/// A cascade that a schedule asks for: the reductions over `index` of which a
/// sum of `tensor` is one, in one pass over blocks of `block` elements.
struct CascadeRequest {
  std::string tensor, index;
  int64_t block = 1;
};

/// Why a request cannot be fulfilled.
struct CascadeRefusal {
  enum class Kind { NoCascade, CutsTerm, Inexact };
  Kind kind = Kind::NoCascade;
  size_t request = 0;
  std::string why;
};

struct AssocOptions {
  /// Tensors that stay tensors (a schedule names them).
  std::vector<std::string> keep;
  /// Elements of long rows are computed for each reader (te-inline-producers).
  bool recomputesRows = false;
  std::vector<CascadeRequest> cascades;
  /// Exact cascades are made without being asked for where the tensors that
  /// they save have more bytes than this, at the sizes that are given; nothing:
  /// none is.
  std::optional<int64_t> worthBytes;
  std::function<void(const CascadeRefusal &)> refuse;
  /// Called with each exact cascade that is made, named by its statement.
  std::function<void(const CascadeRequest &)> made;
};

/// te -> te with associations: terms and leaves, then producers inlined and
/// portable functions expanded. Terms come first so that they depend on the
/// text alone: not on what inlining or an expansion puts into a body. Refusals
/// are diagnostics at the te.reduce's location.
///
/// A cascade that the text allows to round otherwise (`online`) becomes one
/// pass in the operator itself, whose terms then say so. An exact one leaves
/// the operator as it is and adds a second function behind it, of the same
/// results: what is compiled (realisedBy).
mlir::LogicalResult runAssoc(mlir::ModuleOp module,
                             const AssocOptions &options = {});

/// The function of a module in assoc form that is compiled: its last.
FuncOp realisedBy(mlir::ModuleOp module);

} // namespace girih::te

#endif // GIRIH_PASSES_TE_TEPIPELINES_H
