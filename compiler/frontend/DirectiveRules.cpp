//===- DirectiveRules.cpp - the parts of a directive ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/DirectiveRules.h"

#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/Schedules.h"
#include "compiler/support/Suggest.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace girih::frontend {

namespace {

constexpr size_t kAny = SIZE_MAX;

struct OptionRule {
  std::string name;
  enum class Value { Number, Word, OneOf } value = Value::Number;
  bool needed = false;
  std::string place;              ///< it goes with; empty: any
  std::vector<std::string> words; ///< OneOf
};

struct Rule {
  size_t leastLoops = 0, mostLoops = kAny;
  size_t leastTensors = 0;
  bool factorPerLoop = false;
  /// New loops: for each loop, or all together; `optional`: or none.
  size_t resultsPerLoop = 0, results = 0;
  bool optional = false;
  std::vector<std::string> places;
  std::vector<OptionRule> options;
};

Rule ruleOf(DirectiveKind kind) {
  using Value = OptionRule::Value;
  Rule rule;
  auto loops = [&](size_t least, size_t most) {
    rule.leastLoops = least;
    rule.mostLoops = most;
  };
  switch (kind) {
  case DirectiveKind::Split:
    loops(1, 1);
    [[fallthrough]];
  case DirectiveKind::Tile:
    rule.factorPerLoop = true;
    rule.resultsPerLoop = 2;
    rule.optional = true;
    break;
  case DirectiveKind::Reorder:
    loops(2, kAny);
    break;
  case DirectiveKind::Interchange:
    loops(2, 2);
    break;
  case DirectiveKind::Collapse:
    loops(2, 2);
    rule.results = 1;
    break;
  case DirectiveKind::Skew:
    loops(2, 2);
    rule.results = 1;
    rule.optional = true;
    break;
  case DirectiveKind::SplitReduction:
  case DirectiveKind::Cascade:
    rule.factorPerLoop = true;
    [[fallthrough]];
  case DirectiveKind::Vectorize:
  case DirectiveKind::Distribute:
    loops(1, 1);
    break;
  case DirectiveKind::Map:
    rule.places = {"grid", "cluster", "warp", "thread"};
    rule.options = {{"raster", Value::Number, false, "grid", {}}};
    break;
  case DirectiveKind::Fuse:
    rule.leastTensors = 2;
    break;
  case DirectiveKind::Stage:
    rule.places = {"shared", "registers"};
    rule.options = {
        {"depth", Value::Number, false, "", {}},
        {"pad", Value::Number, false, "shared", {}},
        {"swizzle",
         Value::OneOf,
         false,
         "shared",
         {"32B", "64B", "128B", "none"}},
        {"sharing", Value::Word, false, "shared", {}},
    };
    break;
  case DirectiveKind::Prefetch:
    rule.options = {{"ahead", Value::Number, false, "", {}}};
    break;
  case DirectiveKind::Place:
    rule.places = {"registers", "shared", "memory"};
    break;
  case DirectiveKind::Pipeline:
    loops(1, 1);
    rule.options = {{"depth", Value::Number, true, "", {}}};
    break;
  case DirectiveKind::Roles:
    rule.options = {{"producer", Value::Number, true, "", {}},
                    {"consumers", Value::Number, true, "", {}}};
    break;
  case DirectiveKind::Tensorize:
    rule.places = {"wgmma", "mma"};
    break;
  case DirectiveKind::Unroll:
  case DirectiveKind::ComputeAt:
  case DirectiveKind::ComputeInline:
  case DirectiveKind::ComputeRoot:
  case DirectiveKind::Threads:
  case DirectiveKind::Persistent:
  case DirectiveKind::Apply:
    break;
  }
  return rule;
}

/// "grid, cluster, warp or thread".
std::string alternatives(const std::vector<std::string> &words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return text;
}

std::string textOf(const LoopRef &loop) {
  return loop.statement.text.empty()
             ? loop.loop.text
             : loop.statement.text + "." + loop.loop.text;
}

class PartsChecker {
public:
  PartsChecker(const Directive &directive, Reporter &reporter)
      : directive(directive), reporter(reporter), rule(ruleOf(directive.kind)),
        word(spelling(directive.kind)) {}

  bool run() {
    return checkCounts() && checkPlace() && checkType() && checkOptions() &&
           checkRepeated();
  }

private:
  Diagnostic &error(const char *code, std::string message, SourceRange range) {
    good = false;
    Diagnostic &d = reporter.error(code, std::move(message), range);
    if (directive.templateLine)
      d.note("in this line of a template", *directive.templateLine);
    return d;
  }

  bool checkCounts() {
    size_t loops = directive.loops.size();
    if (loops < rule.leastLoops || loops > rule.mostLoops) {
      const char *atLeast = rule.mostLoops == kAny ? "at least " : "";
      error(codes::kDirectiveParts,
            fmt::format("'{}' takes {}{}, not {}", word, atLeast,
                        counted(rule.leastLoops, "loop"), loops),
            directive.range);
      return false;
    }
    if (directive.tensors.size() < rule.leastTensors) {
      error(codes::kDirectiveParts,
            fmt::format("'{}' takes at least {}, not {}", word,
                        counted(rule.leastTensors, "statement"),
                        directive.tensors.size()),
            directive.range);
      return false;
    }
    if (rule.factorPerLoop && directive.factors.size() != loops) {
      error(codes::kDirectiveParts,
            fmt::format("'{}' of {} takes {}, not {}", word,
                        counted(loops, "loop"), counted(loops, "factor"),
                        directive.factors.size()),
            {directive.factors.front().range.begin,
             directive.factors.back().range.end})
          .help("one factor for each loop, in their order");
      return false;
    }
    return checkResults();
  }

  bool checkResults() {
    size_t loops = directive.loops.size(), given = directive.results.size();
    size_t wanted = rule.results + rule.resultsPerLoop * loops;
    if (given == wanted || (rule.optional && given == 0))
      return true;
    Diagnostic &d =
        error(codes::kDirectiveParts,
              fmt::format("'{}' of {} makes {}, but {} here", word,
                          counted(loops, "loop"), counted(wanted, "loop"),
                          given == 1 ? "1 is named"
                                     : fmt::format("{} are named", given)),
              {directive.results.front().range.begin,
               directive.results.back().range.end});
    if (wanted == 2)
      d.help("name the outer loop, then the inner one: -> outer, inner");
    else if (rule.resultsPerLoop != 0)
      d.help("name all outer loops, then all inner ones: -> io, jo, ii, ji");
    return false;
  }

  bool checkPlace() {
    const Name &place = directive.where;
    if (rule.places.empty() || std::find(rule.places.begin(), rule.places.end(),
                                         place.text) != rule.places.end())
      return true;
    error(codes::kDirectivePlace,
          fmt::format("'{}' knows no '{}'{}", word, place.text,
                      didYouMean(place.text, rule.places)),
          place.range)
        .help(alternatives(rule.places));
    return false;
  }

  /// `as TYPE` of a stage.
  bool checkType() {
    const Name &type = directive.type;
    if (type.text.empty() || typeNamed(type.text))
      return true;
    std::vector<std::string> names;
    for (int t = 0; t <= int(ScalarType::Bool); ++t)
      names.emplace_back(spelling(ScalarType(t)));
    error(codes::kUndefined,
          fmt::format("'{}' is no type{}", type.text,
                      didYouMean(type.text, names)),
          type.range)
        .help(alternatives(names));
    return false;
  }

  bool checkOptions() {
    std::set<std::string_view> seen;
    for (const DirectiveOption &option : directive.options) {
      checkOption(option);
      if (!seen.insert(option.key.text).second)
        error(codes::kArgumentRepeated,
              fmt::format("'{}' is given twice", option.key.text),
              option.key.range);
    }
    for (const OptionRule &option : rule.options)
      if (option.needed && !seen.count(option.name))
        error(codes::kDirectiveOption,
              fmt::format("'{}' needs '{}'", word, option.name),
              directive.range)
            .help(fmt::format("add '{} 2'", option.name));
    return good;
  }

  void checkOption(const DirectiveOption &option) {
    using Value = OptionRule::Value;
    const Name &key = option.key;
    auto found = std::find_if(
        rule.options.begin(), rule.options.end(),
        [&](const OptionRule &known) { return known.name == key.text; });
    if (found == rule.options.end()) {
      std::vector<std::string> names;
      for (const OptionRule &known : rule.options)
        names.push_back(known.name);
      Diagnostic &d = error(codes::kDirectiveOption,
                            fmt::format("'{}' has no option '{}'{}", word,
                                        key.text, didYouMean(key.text, names)),
                            key.range);
      if (!names.empty())
        d.help(alternatives(names));
      return;
    }
    if (!found->place.empty() && directive.where.text != found->place) {
      error(codes::kDirectiveOption,
            fmt::format("'{}' goes with '{}', not with '{}'", key.text,
                        found->place, directive.where.text),
            key.range);
      return;
    }
    SourceRange value =
        option.number ? option.number->range : option.word.range;
    bool number = found->value == Value::Number;
    if (number != option.number.has_value()) {
      Diagnostic &d = error(
          codes::kDirectiveOption,
          fmt::format("'{}' takes a {}", key.text, number ? "number" : "word"),
          value);
      if (!found->words.empty())
        d.help(alternatives(found->words));
      return;
    }
    if (found->value == Value::OneOf &&
        std::find(found->words.begin(), found->words.end(), option.word.text) ==
            found->words.end())
      error(codes::kDirectiveOption,
            fmt::format("'{}' cannot be '{}'", key.text, option.word.text),
            value)
          .help(alternatives(found->words));
  }

  bool checkRepeated() {
    std::set<std::string> seen;
    for (const Name &name : directive.results)
      if (!seen.insert(name.text).second)
        error(codes::kRedefined,
              fmt::format("'{}' is the name of two new loops", name.text),
              name.range);
    seen.clear();
    for (const LoopRef &loop : directive.loops)
      if (!seen.insert(textOf(loop)).second)
        error(codes::kArgumentRepeated,
              fmt::format("the loop '{}' is given twice", textOf(loop)),
              loop.range);
    seen.clear();
    for (const Name &name : directive.tensors)
      if (!seen.insert(name.text).second)
        error(codes::kArgumentRepeated,
              fmt::format("'{}' is given twice", name.text), name.range);
    return good;
  }

  const Directive &directive;
  Reporter &reporter;
  Rule rule;
  std::string word;
  bool good = true;
};

} // namespace

std::string counted(size_t count, std::string_view what) {
  return count == 0
             ? fmt::format("no {}", what)
             : fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

bool checkParts(const Directive &directive, Reporter &reporter) {
  return PartsChecker(directive, reporter).run();
}

} // namespace girih::frontend
