//===- ScheduleTest.cpp - schedules and templates as written --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

#include "compiler/frontend/Schedules.h"

using namespace girih;
using namespace girih::frontend;

namespace {

const std::string kOp =
    "op f(X: f32[M, N]) -> Y: f32[M, N] { Y[i, j] = X[i, j] * 2 }\n";

const ScheduleDecl &scheduleOf(const Program &program, size_t number = 0) {
  for (const Item &item : program.file.items)
    if (auto *decl = std::get_if<std::unique_ptr<ScheduleDecl>>(&item))
      if (number-- == 0)
        return **decl;
  FAIL("no such schedule");
  throw 0;
}

std::string printed(const std::string &text) {
  Diagnostics diagnostics;
  auto file = parseFile(SourceFile("t.te", text), diagnostics);
  INFO(text << "\n" << diagnostics.renderText(false));
  REQUIRE(file != nullptr);
  return printAst(*file);
}

std::string formatted(const std::string &text) {
  Diagnostics diagnostics;
  auto result = formatText(SourceFile("t.te", text), diagnostics);
  INFO(text << "\n" << diagnostics.renderText(false));
  REQUIRE(result.has_value());
  return *result;
}

/// Every directive and option, in the canonical form.
const std::string kAll =
    "/// all of them\n"
    "template tiled(T, k)\n"
    "{\n"
    "  split T.k by 64 -> ko, ki\n"
    "  unroll T.ki\n"
    "}\n\n"
    "schedule f for sm_90, sm_100a when M >= 512, N % 8 == 0 exact {\n"
    "  tile Y.i, Y.j by ?{64, 128}, 256 -> io, jo, ii, ji\n"
    "  here: split C.sum.k by 64 -> ko, ki\n"
    "  reorder Y.io, C.ko, ii\n"
    "  interchange Y.io, Y.jo\n"
    "  collapse Y.io, Y.jo -> f\n"
    "  skew Y.i by 2 * Y.j -> s\n"
    "  skew Y.i by 1 * t\n"
    "  unroll ki, C.ii\n"
    "  vectorize Y.ji\n"
    "  map Y.io, Y.jo to grid raster 8\n"
    "  map Y.ii to thread\n"
    "  compute C, C.sum at Y.jo\n"
    "  compute D inline\n"
    "  compute E, F root\n"
    "  fuse A.sum, B at Y.i\n"
    "  distribute Y.i\n"
    "  split_reduction C.k by ?{2, 4}\n"
    "  stage A, W in shared at C.ko depth 4 pad 8 swizzle 128B sharing B\n"
    "  stage C in registers at Y.jo\n"
    "  stage A, B in shared at C.ko as f32 depth 2\n"
    "  stage tile in shared at stage.at swizzle none\n"
    "  prefetch A at C.ko ahead 2\n"
    "  place C, D in memory\n"
    "  threads 256 for C\n"
    "  threads ?{128, 256}\n"
    "  pipeline C.ko depth 3\n"
    "  roles producer 1, consumers 2\n"
    "  tensorize C.ii, C.ji, C.ki as wgmma\n"
    "  persistent Y.io\n"
    "  apply tiled(C.sum, k)\n"
    "  apply none_left()\n"
    "}\n";

} // namespace

TEST_CASE("schedules print to a fixed point") {
  std::string canonical = kAll;
  canonical.replace(canonical.find(")\n{"), 3, ") {");
  CHECK(printed(kAll) == canonical);
  CHECK(printed(canonical) == canonical);
  CHECK(formatted(canonical) == canonical);
}

TEST_CASE("the one style of schedules") {
  CHECK(formatted("schedule   f for sm_90,sm_100 when M>=512 exact{ // head\n"
                  " tile Y.i,Y . j by ? { 64,128 },256->io,jo,\nii,ji;"
                  "a :unroll Y.io  // end\n\n\n"
                  "// alone\nskew i by 2*j ; }schedule g{}\n") ==
        "schedule f for sm_90, sm_100 when M >= 512 exact {  // head\n"
        "  tile Y.i, Y.j by ?{64, 128}, 256 -> io, jo,\n"
        "      ii, ji;\n"
        "  a: unroll Y.io  // end\n\n"
        "  // alone\n"
        "  skew i by 2 * j;\n"
        "}\n\n"
        "schedule g {\n"
        "}\n");
}

TEST_CASE("what a schedule says stands in its tree") {
  auto program =
      accept(kOp + "schedule f for sm_90 when N < 64 {\n"
                   "  a: tile Y.i, j by ?{64, 128}, 32 -> io, jo, ii, ji\n"
                   "  stage X in shared at Y.sum.jo depth 4 swizzle 128B\n}\n");
  const ScheduleDecl &schedule = scheduleOf(*program);
  CHECK(schedule.opDecl == program->findOp("f"));
  REQUIRE(schedule.conditions.size() == 1);
  CHECK(schedule.conditions[0].size->name.text == "N");
  CHECK_FALSE(schedule.exact);
  REQUIRE(schedule.directives.size() == 2);
  const Directive &tile = schedule.directives[0];
  CHECK(tile.label.text == "a");
  CHECK(tile.loops[0].statement.text == "Y");
  CHECK(tile.loops[1].statement.text.empty());
  CHECK(tile.factors[0].isKnob());
  CHECK(tile.factors[0].value() == 64);
  CHECK(tile.results.size() == 4);
  const Directive &stage = schedule.directives[1];
  CHECK(stage.at->statement.text == "Y.sum");
  CHECK(stage.at->loop.text == "jo");
  CHECK(stage.options[0].number->value() == 4);
  CHECK(stage.options[1].word.text == "128B");
  CHECK(program->source->lineColumn(stage.range.begin).line == 4);
}

TEST_CASE("the words of directives are names elsewhere") {
  auto program = accept("op exact(tile: f32[stage]) -> split: f32[stage] {\n"
                        "  unroll[i] = tile[i] * 2\n  template[i] = unroll[i]\n"
                        "  split[at] = template[at]\n}\n"
                        "schedule exact exact { split split.at by 4 -> by, to\n"
                        "  stage tile in shared at split.by }\n");
  CHECK(scheduleOf(*program).directives.size() == 2);
}

TEST_CASE("templates are put where they are applied") {
  std::string text =
      kOp + "template inner(T, l) { unroll T.l; compute T.sum at l }\n"
            "template outer(T, l, o, P) { split T.l by 4 -> o, l_in\n"
            "  apply inner(T, o)\n  reorder P, T.l_in\n"
            "  stage T in shared at P }\n"
            "schedule f { apply outer(Y, i, io, Z.sum.k)\n  unroll Y.j }\n";
  auto program = accept(text);
  const ScheduleDecl &schedule = scheduleOf(*program);
  std::vector<Directive> expanded = expandTemplates(schedule);
  std::vector<std::string> lines;
  for (const Directive &directive : expanded)
    lines.push_back(printDirective(directive));
  CHECK(lines == std::vector<std::string>{
                     "split Y.i by 4 -> io, l_in", "unroll Y.io",
                     "compute Y.sum at io", "reorder Z.sum.k, Y.l_in",
                     "stage Y in shared at Z.sum.k", "unroll Y.j"});
  CHECK(expanded[3].loops[0].statement.text == "Z.sum");
  const SourceRange site = schedule.directives[0].range;
  for (size_t i = 0; i < 5; ++i) {
    CHECK(expanded[i].range.begin == site.begin);
    REQUIRE(expanded[i].templateLine);
  }
  CHECK(program->source->lineColumn(expanded[1].templateLine->begin).line == 2);
  CHECK(program->source->lineColumn(expanded[3].templateLine->begin).line == 5);
  CHECK_FALSE(expanded[5].templateLine);
  // An argument stands where it was given.
  SourceRange name = expanded[0].results[0].range;
  CHECK(text.substr(name.begin, name.end - name.begin) == "io");
  CHECK(program->source->lineColumn(name.begin).line == 7);
}

TEST_CASE("the schedules for a target") {
  auto program = accept(kOp + "schedule f when M < 8 { unroll Y.i }\n"
                              "schedule f for sm_90 when N > 1 { unroll Y.j }\n"
                              "schedule f for sm_90a, sm_80 { unroll i }\n"
                              "schedule f { unroll j }\n"
                              "schedule f for sm_90 when M < 4 { unroll i, j "
                              "}\n");
  auto found = [&](const char *target) {
    std::string text;
    for (const ScheduleDecl *schedule : findSchedules(*program, "f", target))
      text += printDirective(schedule->directives[0]).substr(7) + ";";
    return text;
  };
  CHECK(found("sm_90a") == "i;Y.j;i, j;Y.i;j;");
  CHECK(found("sm_90") == "Y.j;i, j;Y.i;j;");
  CHECK(found("sm_80") == "i;Y.i;j;");
  CHECK(found("sm_75") == "Y.i;j;");
  CHECK(findSchedules(*program, "g", "sm_90").empty());
}

TEST_CASE("a schedule file is read with the program") {
  auto checkWith = [](const std::string &schedules) {
    Checked result;
    ParseOptions options;
    options.scheduleFile =
        std::make_shared<const SourceFile>("s.sched", schedules);
    result.program =
        parseProgram(std::make_shared<const SourceFile>(
                         "t.te", kOp + "template t(T) { unroll T.i }\n"
                                       "schedule f { unroll Y.j }\n"),
                     result.diagnostics, options);
    return result;
  };
  Checked good = checkWith("// a file\nschedule f { apply t(Y) }\n");
  INFO(good.diagnostics.renderText(false));
  REQUIRE(good.program);
  auto found = findSchedules(*good.program, "f", "sm_90");
  REQUIRE(found.size() == 2);
  CHECK(printDirective(expandTemplates(*found[0])[0]) == "unroll Y.i");
  auto place = good.program->source->locate(found[0]->range.begin);
  CHECK(place.file->name() == "s.sched");
  CHECK(place.file->lineColumn(place.offset).line == 2);

  auto message = [&](const std::string &text) {
    Checked checked = checkWith(text);
    CHECK(checked.program == nullptr);
    return checked.diagnostics.renderText(false);
  };
  CHECK_THAT(message("\nschedule F { }"),
             Catch::Contains("s.sched:2:10: error[G0203]: there is no operator "
                             "'F'; did you mean 'f'?"));
  CHECK_THAT(message("schedule f { }\nconst A: f32 = 1"),
             Catch::Contains("s.sched:2:1: error[G0109]: a schedule file holds "
                             "'schedule', 'template' and 'use' only"));
  CHECK_THAT(message("schedule f {"), Catch::Contains("s.sched:1:13"));
  CHECK_THAT(message("use \"nowhere.te\""), Catch::Contains("error[G0121]"));
}

TEST_CASE("schedules that are refused by the parser") {
  const Refusal blocks[] = {
      {"schedule @{ }", "G0103",
       "expected an operator after 'schedule', found '{'"},
      {"schedule f @over sm_90 { }", "G0103",
       "expected '{' before the schedule's directives, found 'over'"},
      {"schedule f when @8 < M { }", "G0407",
       "a constraint starts with its size"},
      {"schedule f when M < @N { }", "G0407",
       "constraints between two sizes are not supported yet"},
      {"schedule f { unroll i\n@test \"t\" { }", "G0103",
       "expected '}' after the schedule's directives, found the keyword "
       "'test'"},
      {"template @(T) { }", "G0103",
       "expected a name after 'template', found '('"},
      {"template t@{ }", "G0103",
       "expected '(' before the template's parameters, found '{'"},
      {"template t(@sum) { }", "G0204",
       "'sum' is the name of a type or a built-in function"},
  };
  for (const Refusal &refusal : blocks)
    checkRefusal(refusal);
  const Refusal lines[] = {
      {"@splt i by 4 -> io, ii", "G0913",
       "there is no directive 'splt'; did you mean 'split'?"},
      {"@paint i", "G0913", "there is no directive 'paint'"},
      {"a: @b: unroll i", "G0913", "there is no directive 'b'"},
      {"@4", "G0103", "expected a directive or '}', found '4'"},
      {"unroll@", "G0103",
       "expected a loop after 'unroll', found the end of the directive"},
      {"unroll@\nunroll i", "G0103",
       "expected a loop after 'unroll', found the end of the directive"},
      {"unroll @4", "G0103", "expected a loop after 'unroll', found '4'"},
      {"unroll Y.@1", "G0103", "expected a name after '.', found '1'"},
      {"unroll i @j", "G0103",
       "expected the end of the line after the directive, found 'j'"},
      {"split i@\nby 4 -> a, b", "G0103",
       "expected 'by' after the loops, found the end of the directive"},
      {"split i by @x -> a, b", "G0103",
       "expected a number after 'by', found 'x'"},
      {"split i by @0 -> a, b", "G0108",
       "a number of a schedule must lie in 1 .. 1099511627776"},
      {"split i by @99999999999999999999 -> a, b", "G0108",
       "a number of a schedule must lie in 1 .. 1099511627776"},
      {"split i by @1.5 -> a, b", "G0103",
       "a number of a schedule must be a plain integer"},
      {"collapse i, j@", "G0103",
       "expected '->' and the names of the new loops here, found the end of "
       "the directive"},
      {"split i by 4 -> a, @f32", "G0204",
       "'f32' is the name of a type or a built-in function"},
      {"split i by ?@4 -> a, b", "G0103", "expected '{' after '?', found '4'"},
      {"split i by ?{4, @4} -> a, b", "G0221",
       "the knob has the value 4 twice"},
      {"split i by ?{4 @-> a, b", "G0103",
       "expected '}' after the knob's values, found '->'"},
      {"skew i by 2 @j", "G0103",
       "expected '*' between the factor and the other loop, found 'j'"},
      {"compute Y@", "G0103",
       "expected 'at', 'inline' or 'root' after the statements, found the end "
       "of the directive"},
      {"stage X @at i", "G0103", "expected 'in' after the tensors, found 'at'"},
      {"stage X in shared at i depth@", "G0103",
       "expected a number or a word after 'depth', found the end of the "
       "directive"},
      {"apply t@", "G0103",
       "expected '(' before the template's arguments, found the end of the "
       "directive"},
      {"unroll @a.b.c.d.e.f.g.h.i", "G0115", "a name of more than 8 parts"},
  };
  for (const Refusal &line : lines) {
    INFO(line.text);
    std::string text = kOp + "schedule f {\n  " + line.text + "\n}\n";
    checkRefusal({text.c_str(), line.code, line.message});
  }
}

TEST_CASE("directives that lack a part or have one too many") {
  const Refusal lines[] = {
      {"@split i, j by 4 -> a, b", "G0914", "'split' takes 1 loop, not 2"},
      {"split i by @4, 8 -> a, b", "G0914",
       "'split' of 1 loop takes 1 factor, not 2"},
      {"split i by 4 -> @a", "G0914",
       "'split' of 1 loop makes 2 loops, but 1 is named here"},
      {"tile i, j by @4 -> a, b, c, d", "G0914",
       "'tile' of 2 loops takes 2 factors, not 1"},
      {"tile i, j by 4, 8 -> @a, b", "G0914",
       "'tile' of 2 loops makes 4 loops, but 2 are named here"},
      {"@reorder i", "G0914", "'reorder' takes at least 2 loops, not 1"},
      {"@interchange i, j, k", "G0914", "'interchange' takes 2 loops, not 3"},
      {"collapse i, j -> @a, b", "G0914",
       "'collapse' of 2 loops makes 1 loop, but 2 are named here"},
      {"skew i by 2 * j -> @a, b", "G0914",
       "'skew' of 2 loops makes 1 loop, but 2 are named here"},
      {"@vectorize i, j", "G0914", "'vectorize' takes 1 loop, not 2"},
      {"@fuse Y at i", "G0914", "'fuse' takes at least 2 statements, not 1"},
      {"split i by 4 -> a, @a", "G0201", "'a' is the name of two new loops"},
      {"reorder Y.i, j, @Y.i", "G0221", "the loop 'Y.i' is given twice"},
      {"compute Y, @Y root", "G0221", "'Y' is given twice"},
      {"map i to @grd", "G0915", "'map' knows no 'grd'; did you mean 'grid'?"},
      {"stage X in @memory at i", "G0915", "'stage' knows no 'memory'"},
      {"place Y in @share", "G0915",
       "'place' knows no 'share'; did you mean 'shared'?"},
      {"tensorize i, j as @dmma", "G0915",
       "'tensorize' knows no 'dmma'; did you mean 'mma'?"},
      {"stage X in shared at i @dept 2", "G0916",
       "'stage' has no option 'dept'; did you mean 'depth'?"},
      {"map i to thread @raster 8", "G0916",
       "'raster' goes with 'grid', not with 'thread'"},
      {"stage X in registers at i @swizzle 64B", "G0916",
       "'swizzle' goes with 'shared', not with 'registers'"},
      {"stage X in shared at i swizzle @16B", "G0916",
       "'swizzle' cannot be '16B'"},
      {"stage X in shared at i depth @two", "G0916", "'depth' takes a number"},
      {"stage X in shared at i swizzle @128", "G0916",
       "'swizzle' takes a word"},
      {"stage X in shared at i depth 2 @depth 3", "G0221",
       "'depth' is given twice"},
      {"@pipeline i", "G0916", "'pipeline' needs 'depth'"},
      {"@roles producer 1", "G0916", "'roles' needs 'consumers'"},
  };
  for (const Refusal &line : lines) {
    INFO(line.text);
    std::string text = kOp + "schedule f {\n  " + line.text + "\n}\n";
    checkRefusal({text.c_str(), line.code, line.message});
    text = kOp + "template t() {\n  " + line.text + "\n}\n";
    checkRefusal({text.c_str(), line.code, line.message});
  }
}

TEST_CASE("names of schedules and templates that do not fit") {
  const Refusal refusals[] = {
      {"schedule @ff { }", "G0203",
       "there is no operator 'ff'; did you mean 'f'?"},
      {"fn g(x: f32) -> f32 = x\nschedule @g { }", "G0213",
       "the function 'g' is not an operator"},
      {"schedule f for @sm90 { }", "G0203", "'sm90' is no target"},
      {"schedule f for sm_90, @sm_90 { }", "G0221",
       "the target 'sm_90' is given twice"},
      {"schedule f when @K < 4 { }", "G0203", "'f' has no size 'K'"},
      {"schedule f { }\n@schedule f { }", "G0919",
       "a second schedule of 'f' for any target, and nothing to choose by"},
      {"schedule f for sm_80, sm_90 { }\nschedule f when M < 4 { }\n"
       "@schedule f for sm_90 { }",
       "G0919", "a second schedule of 'f' for sm_90, and nothing to choose by"},
      {"template t() { }\ntemplate @t(T) { }", "G0201",
       "the template 't' is defined twice"},
      {"template t(a, @a) { }", "G0201", "the parameter 'a' is declared twice"},
      {"template tiled() { }\nschedule f { apply @tile() }", "G0203",
       "there is no template 'tile'; did you mean 'tiled'?"},
      {"template t(a) { }\nschedule f { apply @t(Y, i) }", "G0917",
       "'t' takes 1 argument, not 2"},
      {"template t(a) { unroll Y.a }\nschedule f { apply t(@Y.i) }", "G0917",
       "'a' of 't' stands for a plain name, not for 'Y.i'"},
      {"template t(a) { split i by 4 -> a, b }\ntemplate u(c) { apply t(c) }\n"
       "schedule f { apply u(@Y.i) }",
       "G0917", "'c' of 'u' stands for a plain name, not for 'Y.i'"},
      {"template t() { apply @t() }", "G0918",
       "the template 't' applies itself"},
      {"template t() { apply u() }\ntemplate u() { apply @t() }", "G0918",
       "the template 't' applies itself through 'u'"},
      // Two arguments make one name.
      {"template t(a, b) { reorder a, b }\nschedule f { apply t(i, @i) }",
       "G0221", "the loop 'i' is given twice"},
  };
  for (const Refusal &refusal : refusals) {
    std::string text = kOp + refusal.text;
    checkRefusal({text.c_str(), refusal.code, refusal.message});
  }
}

TEST_CASE("templates cannot grow without bound") {
  std::string text = kOp + "template t0() { unroll i }\n";
  for (int i = 1; i < 15; ++i)
    text += "template t" + std::to_string(i) + "() { apply t" +
            std::to_string(i - 1) + "(); apply t" + std::to_string(i - 1) +
            "() }\n";
  text += "schedule f { apply t14() }\n";
  CHECK_THAT(check(text).diagnostics.renderText(false),
             Catch::Contains("error[G0106]: more than 10000 directives once "
                             "templates are expanded"));
  std::string chain = kOp;
  for (int i = 400; i > 0; --i)
    chain += "template t" + std::to_string(i) + "() { apply t" +
             std::to_string(i - 1) + "() }\n";
  CHECK_THAT(check(chain + "template t0() { unroll i }\n")
                 .diagnostics.renderText(false),
             Catch::Contains("error[G0104]: more than 16 templates that apply "
                             "each other"));
  std::string list = "i0";
  for (int i = 1; i < 200; ++i)
    list += ", i" + std::to_string(i);
  CHECK_THAT(check(kOp + "schedule f { unroll " + list + " }\n")
                 .diagnostics.renderText(false),
             Catch::Contains("error[G0115]: more than 100 in one list"));
}
