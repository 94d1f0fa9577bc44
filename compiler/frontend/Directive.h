//===- Directive.h - schedules as written -----------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tree of a `schedule` block: what stands there, loops and statements by
// name. What the names mean and whether the directives keep the program's value
// is decided over its Scop (passes/schedule). docs/schedules.md.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_DIRECTIVE_H
#define GIRIH_COMPILER_FRONTEND_DIRECTIVE_H

#include "compiler/frontend/Names.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace girih::frontend {

struct OpDecl;
struct TemplateDecl;

/// `C.k`, or `k` where one statement alone has a loop of that name. The name of
/// a statement may have parts: `C.sum.k` is the loop `k` of `C.sum`.
struct LoopRef {
  Name statement; ///< empty text: not said
  Name loop;
  SourceRange range;
};

/// `64`, or the knob `?{64, 128}`, whose first value is taken unless something
/// chooses another.
struct Factor {
  std::vector<int64_t> choices; ///< one: no knob
  SourceRange range;
  size_t chosen = 0;
  int64_t value() const { return choices[chosen]; }
  bool isKnob() const { return choices.size() > 1; }
};

enum class DirectiveKind {
  Split,          ///< split L by F -> outer, inner
  Tile,           ///< tile L, ... by F, ... -> outer..., inner...
  Reorder,        ///< reorder L, ...            outermost first
  Interchange,    ///< interchange L, M
  Collapse,       ///< collapse L, M -> f        two nested loops into one
  Skew,           ///< skew L by F * M [-> s]    L + F * M in the place of L
  Unroll,         ///< unroll L, ...
  Vectorize,      ///< vectorize L
  Map,            ///< map L, ... to grid|cluster|warp|thread [raster F]
  ComputeAt,      ///< compute T, ... at L
  ComputeInline,  ///< compute T, ... inline
  ComputeRoot,    ///< compute T, ... root
  Fuse,           ///< fuse T, U, ... [at L]     their loops down to L are one
  Distribute,     ///< distribute L              a loop of its own for each
  SplitReduction, ///< split_reduction L by F
  Cascade,        ///< cascade L by F            reductions over L in one pass
  Stage,      ///< stage A, ... in shared|registers at L [as T] [depth F] ...
  Prefetch,   ///< prefetch A, ... at L [ahead F]
  Place,      ///< place T, ... in registers|shared|memory
  Threads,    ///< threads F [for T]            of the kernel that computes T
  Pipeline,   ///< pipeline L depth F
  Roles,      ///< roles producer F, consumers F
  Tensorize,  ///< tensorize L, ... as wgmma|mma
  Persistent, ///< persistent L, ...
  Apply       ///< apply TEMPLATE(x, ...)
};

/// `depth 4`, `swizzle 128B`, `raster 8`.
struct DirectiveOption {
  Name key;
  Name word; ///< a word, `none` or a quantity with a unit; or
  std::optional<Factor> number;
};

struct Directive {
  DirectiveKind kind = DirectiveKind::Split;
  SourceRange range; ///< the whole directive
  Name label;        ///< `name: split ...`; empty text: none
  std::vector<LoopRef> loops;
  std::vector<Factor> factors;
  std::vector<Name> results; ///< behind `->`
  std::vector<Name> tensors; ///< statements or staged arrays; `C.sum`
  std::optional<LoopRef> at;
  Name where; ///< grid, thread, shared, registers, wgmma, a template's name ...
  Name type;  ///< of Stage, behind `as`; empty text: the tensor's own
  std::vector<DirectiveOption> options;
  std::vector<Name> arguments; ///< of Apply: `C`, `k`, `C.k`
  /// Of a directive that a template gave (expandTemplates): its line there;
  /// `range` is then the `apply` in the schedule.
  std::optional<SourceRange> templateLine;
  // Sema:
  const TemplateDecl *callee = nullptr; ///< of Apply
};

/// `template NAME(a, b) { ... }`: directives in which a, b stand for names of
/// statements, loops or tensors.
struct TemplateDecl {
  std::vector<std::string> docs;
  Name name;
  std::vector<Name> params;
  std::vector<Directive> directives;
  SourceRange range; ///< from `template` to the parameters' end
};

/// `schedule OP for sm_90, sm_100 when M >= 512 exact { ... }`.
struct ScheduleDecl {
  std::vector<std::string> docs;
  Name op;
  std::vector<Name> targets;              ///< empty: any
  std::vector<SizeConstraint> conditions; ///< `when`; empty: always
  bool exact = false; ///< nothing is completed that a directive could say
  std::vector<Directive> directives;
  SourceRange range; ///< from `schedule` to the op's name
  // Sema:
  const OpDecl *opDecl = nullptr; ///< as written (OpDecl::instance)
};

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_DIRECTIVE_H
