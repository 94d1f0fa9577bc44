//===- DirectiveBuilder.cpp - directives from C++ -------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/DirectiveBuilder.h"

using namespace girih;
using namespace girih::schedule::directive;
using frontend::DirectiveKind;
using frontend::Factor;
using frontend::LoopRef;
using frontend::Name;

static LoopRef loopOf(const std::string &text) {
  size_t dot = text.rfind('.');
  LoopRef ref;
  if (dot != std::string::npos)
    ref.statement.text = text.substr(0, dot);
  ref.loop.text = text.substr(dot == std::string::npos ? 0 : dot + 1);
  return ref;
}

static std::vector<Name> namesOf(const Names &texts) {
  std::vector<Name> names;
  for (const std::string &text : texts)
    names.push_back({text, {}});
  return names;
}

static Directive make(DirectiveKind kind, const Names &loops,
                      const std::vector<int64_t> &factors = {},
                      const Names &results = {}) {
  Directive directive;
  directive.kind = kind;
  for (const std::string &loop : loops)
    directive.loops.push_back(loopOf(loop));
  for (int64_t factor : factors)
    directive.factors.push_back(Factor{{factor}, {}});
  directive.results = namesOf(results);
  return directive;
}

static Directive ofTensors(DirectiveKind kind, const Names &tensors) {
  Directive directive;
  directive.kind = kind;
  directive.tensors = namesOf(tensors);
  return directive;
}

namespace girih::schedule::directive {

Directive split(const std::string &loop, int64_t factor, Names results) {
  return make(DirectiveKind::Split, {loop}, {factor}, results);
}

Directive cascade(const std::string &loop, int64_t block) {
  return make(DirectiveKind::Cascade, {loop}, {block});
}

Directive tile(Names loops, std::vector<int64_t> factors, Names results) {
  return make(DirectiveKind::Tile, loops, factors, results);
}

Directive reorder(Names loops) { return make(DirectiveKind::Reorder, loops); }

Directive interchange(const std::string &a, const std::string &b) {
  return make(DirectiveKind::Interchange, {a, b});
}

Directive collapse(const std::string &outer, const std::string &inner,
                   const std::string &result) {
  return make(DirectiveKind::Collapse, {outer, inner}, {}, {result});
}

Directive skew(const std::string &loop, int64_t factor, const std::string &by) {
  return make(DirectiveKind::Skew, {loop, by}, {factor});
}

Directive unroll(Names loops) { return make(DirectiveKind::Unroll, loops); }

Directive vectorize(const std::string &loop) {
  return make(DirectiveKind::Vectorize, {loop});
}

Directive map(Names loops, const std::string &where) {
  Directive directive = make(DirectiveKind::Map, loops);
  directive.where.text = where;
  return directive;
}

Directive computeAt(const std::string &statement, const std::string &loop) {
  Directive directive = ofTensors(DirectiveKind::ComputeAt, {statement});
  directive.at = loopOf(loop);
  return directive;
}

Directive computeRoot(const std::string &statement) {
  return ofTensors(DirectiveKind::ComputeRoot, {statement});
}

Directive fuse(Names statements, const std::string &loop) {
  Directive directive = ofTensors(DirectiveKind::Fuse, statements);
  if (!loop.empty())
    directive.at = loopOf(loop);
  return directive;
}

Directive distribute(const std::string &loop) {
  return make(DirectiveKind::Distribute, {loop});
}

Directive stage(Names tensors, const std::string &loop) {
  Directive directive = ofTensors(DirectiveKind::Stage, tensors);
  directive.at = loopOf(loop);
  directive.where.text = "shared";
  return directive;
}

Directive place(Names tensors, const std::string &where) {
  Directive directive = ofTensors(DirectiveKind::Place, tensors);
  directive.where.text = where;
  return directive;
}

Directive threads(int64_t count, Names statements) {
  Directive directive = ofTensors(DirectiveKind::Threads, statements);
  directive.factors.push_back(Factor{{count}, {}});
  return directive;
}

} // namespace girih::schedule::directive
