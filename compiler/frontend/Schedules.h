//===- Schedules.h - what the schedules of a program say --------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_SCHEDULES_H
#define GIRIH_COMPILER_FRONTEND_SCHEDULES_H

#include "compiler/frontend/Frontend.h"

namespace girih::frontend {

/// The schedules of an operator that may serve a target: they are for it
/// (`sm_90a`), for its family (`sm_90`) or for any. The first one whose
/// conditions hold is to be taken. Those of the schedule file come first, then
/// the more specific ones, then the order of the text (used files first).
std::vector<const ScheduleDecl *> findSchedules(const Program &program,
                                                std::string_view op,
                                                std::string_view target);

/// The directives with those of templates in the place of each `apply`
/// (Directive::templateLine). `schedule` is part of a checked program.
std::vector<Directive> expandTemplates(const ScheduleDecl &schedule);

/// The word that a directive begins with: `split`, `compute`.
std::string_view spelling(DirectiveKind kind);

/// One directive, without a line's end: `split C.k by 64 -> ko, ki`.
std::string printDirective(const Directive &directive);

/// The whole block, as printAst prints it.
std::string printSchedule(const ScheduleDecl &schedule);
std::string printTemplate(const TemplateDecl &decl);

/// Directives of a schedule with its templates expanded.
inline constexpr unsigned kMaxDirectives = 10000;

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_SCHEDULES_H
