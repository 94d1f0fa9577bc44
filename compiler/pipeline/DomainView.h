//===- DomainView.h - the instances of one statement ------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_PIPELINE_DOMAINVIEW_H
#define GIRIH_COMPILER_PIPELINE_DOMAINVIEW_H

#include "compiler/pipeline/CompileState.h"

namespace girih::pipeline {

/// More is no picture that anybody could read.
constexpr size_t kMostDots = 400, kMostArrows = 2000;

/// A picture (SVG) of a statement's instances in its first two dimensions, at
/// the sizes that are given and 5 for each other one: numbered in the order in
/// which they run, with the dependences between them. `statement` is a name of
/// the Scop, or of a tensor with one statement; empty: the first statement of
/// two dimensions, or of the most that there are, that depends on itself if one
/// does. Reports a name that is not
/// there (G0820), sizes that cannot be (G0822), and what is too large (G0821).
std::optional<std::string> viewDomain(CompileState &state,
                                      const std::string &statement);

} // namespace girih::pipeline

#endif // GIRIH_COMPILER_PIPELINE_DOMAINVIEW_H
