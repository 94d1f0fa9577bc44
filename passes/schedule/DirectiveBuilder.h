//===- DirectiveBuilder.h - directives from C++ -----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For programs that make schedules themselves (a search, a test):
//
//   model.apply(directive::tile({"Y.i", "Y.j"}, {32, 64}), diags);
//   model.apply(directive::computeAt("C", "Y.jo"), diags);
//   model.apply(directive::map({"io", "jo"}, "grid"), diags);
//
// A loop is `C.k`, or `k` where one statement alone has a loop of that name.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_SCHEDULE_DIRECTIVEBUILDER_H
#define GIRIH_PASSES_SCHEDULE_DIRECTIVEBUILDER_H

#include "compiler/frontend/Directive.h"

#include <string>
#include <vector>

namespace girih::schedule::directive {

using frontend::Directive;
using Names = std::vector<std::string>;

/// Results that are left out are NAMEo and NAMEi.
Directive split(const std::string &loop, int64_t factor, Names results = {});
Directive cascade(const std::string &loop, int64_t block);
/// Outer results, then inner ones.
Directive tile(Names loops, std::vector<int64_t> factors, Names results = {});
Directive reorder(Names loops);
Directive interchange(const std::string &a, const std::string &b);
Directive collapse(const std::string &outer, const std::string &inner,
                   const std::string &result);
Directive skew(const std::string &loop, int64_t factor, const std::string &by);
Directive unroll(Names loops);
Directive vectorize(const std::string &loop);
/// `where`: grid or thread.
Directive map(Names loops, const std::string &where);
Directive computeAt(const std::string &statement, const std::string &loop);
Directive computeRoot(const std::string &statement);
/// Without a loop they are in one kernel and share none.
Directive fuse(Names statements, const std::string &loop = "");
Directive distribute(const std::string &loop);
Directive stage(Names tensors, const std::string &loop);
/// `where`: registers, shared or memory.
Directive place(Names tensors, const std::string &where);
Directive threads(int64_t count, Names statements = {});

} // namespace girih::schedule::directive

#endif // GIRIH_PASSES_SCHEDULE_DIRECTIVEBUILDER_H
