//===- SemaCall.cpp - calls of operators ----------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A called operator has no shape of its own: its statements take the place of
// the call, with the caller's tensors and sizes in them, and are checked there
// like any others. What a caller can get wrong is said at the call.
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/CallExpander.h"
#include "compiler/frontend/Codes.h"

#include <fmt/format.h>

namespace girih::frontend {

CallExpander::CallExpander(Sema &sema, OpScope &scope, size_t at)
    : sema(sema), scope(scope), at(at), statement(*scope.op.statements[at]),
      call(*callOf(statement)), callee(*sema.findGlobal(call.callee.text)->op) {
}

bool CallExpander::run() {
  if (sema.brokenOps.count(&callee))
    return false; // what is wrong was said at its own text
  if (!statement.indices.empty())
    return fail(codes::kRankMismatch,
                fmt::format("'{}' gives whole tensors: no indices stand on "
                            "the left of its call",
                            callee.name.text),
                statement.target.range,
                fmt::format("write '{} = {}(...)'", statement.target.text,
                            callee.name.text));
  if (!bindArguments() || !bindNamed() || !checkInPlace())
    return false;
  inferTypes();
  std::string unbound;
  instance = sema.instantiate(callee, given, unbound);
  if (!unbound.empty())
    return fail(
        codes::kNoParameterValue,
        fmt::format("the parameter '{}' of '{}' has no value", unbound,
                    callee.name.text),
        call.callee.range,
        fmt::format("give one: {}(..., {} = ...)", callee.name.text, unbound));
  return instance && bindLeading() && bindShapes() && bindConstraints() &&
         bindTargets() && spreadLeading() && replace();
}

bool CallExpander::fail(const char *code, std::string message,
                        SourceRange range, std::string help) {
  Diagnostic &d = sema.report().error(code, std::move(message), range);
  d.note(fmt::format("'{}' is defined here", callee.name.text),
         callee.name.range);
  if (!help.empty())
    d.help(std::move(help));
  return false;
}

bool Sema::expandCall(OpScope &scope, size_t at) {
  return CallExpander(*this, scope, at).run();
}

/// What the call should have defined is not worth a message of its own.
void Sema::abandonCall(OpScope &scope, const Statement &statement) {
  for (size_t i = 0; i <= statement.moreTargets.size(); ++i) {
    const Name &name = i ? statement.moreTargets[i - 1] : statement.target;
    Tensor *&tensor = scope.tensors[name.text];
    if (!tensor) {
      scope.op.tensors.push_back(std::make_unique<Tensor>());
      tensor = scope.op.tensors.back().get();
      tensor->name = name;
    }
    if (!tensor->definition)
      tensor->definition = &statement;
    scope.poisoned.insert(tensor);
  }
}

} // namespace girih::frontend
