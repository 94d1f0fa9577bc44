//===- Sema.cpp - names and types of a file -------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Sema.h"

#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/ConstFold.h"
#include "compiler/frontend/ExprChecker.h"
#include "compiler/frontend/Parser.h"
#include "compiler/support/Suggest.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>

namespace girih::frontend {

const char *Global::what() const {
  return constant ? "the constant" : fn ? "the function" : "the operator";
}

const char *Global::kind() const {
  return constant ? "a constant" : fn ? "a function" : "an operator";
}

bool Sema::run() {
  collectGlobals();
  foldConstants();
  checkFunctions();
  checkOps();
  checkTests();
  checkSchedules();
  return !reporter.failed();
}

//===----------------------------------------------------------------------===//
// File level
//===----------------------------------------------------------------------===//

const Global *Sema::findGlobal(std::string_view name) const {
  auto found = globals.find(name);
  return found == globals.end() ? nullptr : &found->second;
}

std::vector<std::string> Sema::globalNames(bool constants,
                                           bool functions) const {
  std::vector<std::string> names;
  for (auto &[name, global] : globals)
    if (global.constant ? constants : functions)
      names.push_back(name);
  return names;
}

void Sema::addGlobal(const Name &name, Global global) {
  global.range = name.range;
  auto [place, fresh] = globals.try_emplace(name.text, global);
  if (fresh)
    return;
  const Global &other = place->second;
  bool sameSpace = !global.constant == !other.constant;
  reporter
      .error(sameSpace ? codes::kRedefined : codes::kSpaceClash,
             sameSpace ? fmt::format("'{}' is defined twice", name.text)
                       : fmt::format("'{}' names a constant and {}", name.text,
                                     (global.constant ? other : global).kind()),
             name.range)
      .note(fmt::format("{} '{}' is defined here", other.what(), name.text),
            other.range);
}

void Sema::collectGlobals() {
  forEachItem([&](Item &item) {
    Global global;
    if (auto *decl = std::get_if<std::unique_ptr<ConstDecl>>(&item)) {
      global.constant = decl->get();
      addGlobal((*decl)->name, global);
    } else if (auto *decl = std::get_if<std::unique_ptr<FnDecl>>(&item)) {
      global.fn = decl->get();
      addGlobal((*decl)->name, global);
    } else if (auto *decl = std::get_if<std::unique_ptr<OpDecl>>(&item)) {
      global.op = decl->get();
      addGlobal((*decl)->name, global);
    }
  });
}

const ConstDecl *Sema::usableConstant(const NameExpr &name, SourceRange range) {
  const Global *global = findGlobal(name.name);
  if (global && global->constant && folded.count(global->constant))
    return global->constant;
  // Looked up twice for its type and its value; reported once.
  if (!reportedConstants.insert(range.begin).second)
    return nullptr;
  if (global && global->constant)
    reporter
        .error(codes::kConstBeforeDefined,
               fmt::format("the constant '{}' is used above its definition",
                           name.name),
               range)
        .note("it is defined here", global->range);
  else if (global)
    reporter
        .error(
            codes::kNotConstant,
            fmt::format("{} '{}' is not a constant", global->what(), name.name),
            range)
        .note("defined here", global->range);
  else
    reporter.error(codes::kUndefined,
                   fmt::format("there is no constant '{}'{}", name.name,
                               didYouMean(name.name, globalNames(true, false))),
                   range);
  return nullptr;
}

void Sema::foldConstants() {
  ConstLookup lookup = [this](const NameExpr &name, SourceRange range) {
    return usableConstant(name, range);
  };
  forEach<ConstDecl>([&](ConstDecl &decl) {
    foldConst(decl, lookup, reporter);
    folded.insert(&decl); // a faulty one is reported once, not per use
  });
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

std::vector<FnDecl *> Sema::callees(const FnDecl &fn) const {
  std::vector<FnDecl *> result;
  auto walk = [&](auto &&self, const Expr &expr) -> void {
    if (auto *call = expr.as<CallExpr>())
      if (const Global *global = findGlobal(call->callee.text);
          global && global->fn)
        result.push_back(global->fn);
    forEachChild(expr, [&](const Expr &child) { self(self, child); });
  };
  walk(walk, *fn.body);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

/// Checks callees before callers (a chain of calls may be long, so without
/// recursion from function to function); what is left over calls itself.
void Sema::checkFunctions() {
  std::vector<FnDecl *> all, ready;
  std::map<FnDecl *, std::vector<FnDecl *>> callers;
  std::map<FnDecl *, size_t> open;
  forEach<FnDecl>([&](FnDecl &fn) { all.push_back(&fn); });
  for (FnDecl *fn : all) {
    std::vector<FnDecl *> called = callees(*fn);
    open[fn] = called.size();
    for (FnDecl *callee : called)
      callers[callee].push_back(fn);
    if (called.empty())
      ready.push_back(fn);
  }
  std::set<FnDecl *> left(all.begin(), all.end());
  for (size_t i = 0; i < ready.size(); ++i) {
    FnDecl *fn = ready[i];
    left.erase(fn);
    checkFunction(*fn);
    for (FnDecl *caller : callers[fn])
      if (--open[caller] == 0)
        ready.push_back(caller);
  }
  for (FnDecl *fn : all)
    if (left.count(fn)) {
      reportRecursion(fn, left);
      break;
    }
}

void Sema::reportRecursion(FnDecl *start, const std::set<FnDecl *> &left) {
  // Every function left over calls one that is left over: walk into a cycle.
  std::vector<FnDecl *> path;
  FnDecl *at = start;
  while (std::find(path.begin(), path.end(), at) == path.end()) {
    path.push_back(at);
    for (FnDecl *callee : callees(*at))
      if (left.count(callee)) {
        at = callee;
        break;
      }
  }
  path.erase(path.begin(), std::find(path.begin(), path.end(), at));
  Diagnostic &d = reporter.error(
      codes::kRecursiveFunction,
      path.size() == 1
          ? fmt::format("the function '{}' calls itself", at->name.text)
          : fmt::format("the function '{}' calls itself through '{}'",
                        at->name.text, path[1]->name.text),
      at->name.range);
  constexpr size_t kShown = 8;
  for (size_t i = 1; i < std::min(path.size(), kShown); ++i)
    d.note(fmt::format("through '{}'", path[i]->name.text),
           path[i]->name.range);
  d.note("functions are inlined, so none may call itself");
}

void Sema::checkParameters(const FnDecl &fn) {
  for (size_t i = 0; i < fn.params.size(); ++i) {
    const Name &name = fn.params[i].name;
    if (const Global *global = findGlobal(name.text); global && !fn.library)
      reporter
          .error(global->constant ? codes::kSpaceClash : codes::kRedefined,
                 fmt::format("the parameter '{}' has the name of {}", name.text,
                             global->what()),
                 name.range)
          .note(fmt::format("{} is defined here", global->what()),
                global->range);
    for (size_t j = 0; j < i; ++j)
      if (fn.params[j].name.text == name.text) {
        reporter
            .error(
                codes::kRedefined,
                fmt::format("the parameter '{}' is declared twice", name.text),
                name.range)
            .note("first declared here", fn.params[j].name.range);
        break;
      }
  }
}

void Sema::checkFunction(FnDecl &fn) {
  checkParameters(fn);
  ExprChecker checker(*this, fn);
  auto type = checker.check(*fn.body);
  if (!type)
    return;
  if (*type != fn.result) {
    Diagnostic &d = reporter.error(
        codes::kResultTypeDiffers,
        fmt::format("'{}' is declared to give {}, its value is {}",
                    fn.name.text, spelling(fn.result), spelling(*type)),
        fn.body->range);
    d.help(fmt::format("cast it: {}({})", spelling(fn.result),
                       shortened(*fn.body)));
    return;
  }
  countInlined(*fn.body, fn.inlinedSize, fn.inlinedDepth);
}

const FnDecl *Sema::libraryFn(std::string_view name, ScalarType type) {
  for (const auto &fn : program.library)
    if (fn->name.text == name && fn->result == type)
      return fn.get();
  std::string text = libraryText(name, type);
  if (text.empty())
    return nullptr;
  LexedFile lexed = lex(text, reporter);
  File file = Parser(text, std::move(lexed), reporter).parseFile();
  auto &fn = std::get<std::unique_ptr<FnDecl>>(file.items.at(0));
  // No place in the user's file belongs to it.
  auto blank = [](auto &&self, Expr &expr) -> void {
    expr.range = {};
    forEachChild(expr, [&](Expr &child) { self(self, child); });
  };
  blank(blank, *fn->body);
  fn->range = fn->name.range = {};
  for (FnParam &param : fn->params)
    param.name.range = {};
  fn->library = true;
  checkFunction(*fn);
  program.library.push_back(std::move(fn));
  return program.library.back().get();
}

bool Sema::countInlined(const Expr &expr, uint64_t &size, unsigned &depth) {
  auto walk = [](auto &&self, const Expr &e, uint64_t &size) -> unsigned {
    unsigned depth = 0;
    ++size;
    if (auto *call = e.as<CallExpr>(); call && call->fn) {
      size += call->fn->inlinedSize;
      depth = call->fn->inlinedDepth;
    }
    forEachChild(e, [&](const Expr &child) {
      depth = std::max(depth, self(self, child, size));
    });
    return depth + 1;
  };
  size = 0;
  depth = walk(walk, expr, size);
  // Saturate: a chain of functions that double may not overflow the count.
  size = std::min<uint64_t>(size, kMaxInlinedNodes + 1);
  inlinedNodes = std::min<uint64_t>(inlinedNodes + size, kMaxInlinedNodes + 1);
  bool fits = depth <= kMaxInlinedDepth && inlinedNodes <= kMaxInlinedNodes;
  if (!fits && !tooLarge) {
    tooLarge = true;
    reporter.error(
        codes::kTooLargeInlined,
        depth > kMaxInlinedDepth
            ? fmt::format("more than {} operations deep once functions are "
                          "inlined",
                          kMaxInlinedDepth)
            : fmt::format("the file has more than {} operations once functions "
                          "are inlined",
                          kMaxInlinedNodes),
        expr.range);
  }
  return fits;
}

} // namespace girih::frontend
