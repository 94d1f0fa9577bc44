//===- Explain.h - why a program is scheduled as it is ----------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Views of one compile, as text or JSON:
//   tree    the proved schedule tree
//   loops   loop nests, and for each loop whether its turns may run at once,
//           or the two instances that forbid it
//   deps    the dependences
//   ranges  how far indices run, and which access fixed it
//   directives  a schedule to paste into the text
//   fusion  for each pair of statements whether their loops may be one
//   traffic, budget, roofline, bound  the cost model's figures (CostView.h)
//   tiles, plans  what a search found (SearchView.h)
//   domain  a picture (SVG) of a statement's instances, alone (DomainView.h)
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_PIPELINE_EXPLAIN_H
#define GIRIH_COMPILER_PIPELINE_EXPLAIN_H

#include "compiler/pipeline/CompileState.h"

#include <string>
#include <vector>

namespace girih::pipeline {

/// Names of the views, in the order in which they are shown.
const std::vector<std::string> &explainViews();

/// Those that are lists of figures.
const std::vector<std::string> &csvViews();

struct ExplainOptions {
  std::vector<std::string> views; ///< names of explainViews()
  bool all = false;   ///< of the views, those that what is known allows
  bool steps = false; ///< tree and nest after each directive, in place of views
  bool json = false;
  bool csv = false;      ///< one of csvViews()
  bool svg = false;      ///< roofline or tiles, as a picture
  bool domain = false;   ///< a picture in place of views
  std::string statement; ///< of the picture
  /// Called with the milliseconds that the search took, where there was one.
  std::function<void(double)> onSearched;
};

/// What is to be said; nothing after errors in `diags`.
std::optional<std::string> explain(std::shared_ptr<const SourceFile> source,
                                   const CompileOptions &options,
                                   const ExplainOptions &what,
                                   Diagnostics &diags);

} // namespace girih::pipeline

#endif // GIRIH_COMPILER_PIPELINE_EXPLAIN_H
