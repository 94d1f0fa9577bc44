//===- ParserSchedule.cpp - tokens to a tree: schedules -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A directive ends with its line, unless that ends with a comma, or at ';'. Its
// words are no keywords: tensors and loops may be called like them. Whether a
// directive has all that it needs, and nothing else, SemaSchedule.cpp says.
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Parser.h"
#include "compiler/frontend/Schedules.h"
#include "compiler/support/Suggest.h"

#include <algorithm>
#include <fmt/format.h>

namespace girih::frontend {

namespace {

constexpr int64_t kMaxFactor = int64_t(1) << 40; // no size is larger
constexpr size_t kMaxListed = 100;
constexpr size_t kMaxParts = 8; ///< of a name with dots

/// The words that begin a directive. Those of `compute` are one.
const std::vector<std::string> &directiveWords() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> result;
    for (int kind = 0; kind <= int(DirectiveKind::Apply); ++kind) {
      std::string word(spelling(DirectiveKind(kind)));
      if (result.empty() || result.back() != word)
        result.push_back(std::move(word));
    }
    return result;
  }();
  return words;
}

std::optional<DirectiveKind> kindNamed(std::string_view word) {
  for (int kind = 0; kind <= int(DirectiveKind::Apply); ++kind)
    if (spelling(DirectiveKind(kind)) == word)
      return DirectiveKind(kind);
  return std::nullopt;
}

} // namespace

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// schedule ::= 'schedule' name ['for' name (',' name)*]
///              ['when' constraint (',' constraint)*] ['exact'] directives
std::unique_ptr<ScheduleDecl> Parser::parseSchedule() {
  auto decl = std::make_unique<ScheduleDecl>();
  Token first = take();
  decl->docs = docsOf(first);
  decl->op = expectName("an operator", "after 'schedule'");
  decl->range = since(first);
  if (accept(TokenKind::KwFor))
    do {
      checkListed(decl->targets.size());
      decl->targets.push_back(expectName("a target", "after 'for'"));
    } while (accept(TokenKind::Comma));
  if (acceptWord("when"))
    do {
      checkListed(decl->conditions.size());
      decl->conditions.push_back(parseConstraint());
    } while (accept(TokenKind::Comma));
  decl->exact = acceptWord("exact");
  parseDirectives(decl->directives, "the schedule's directives");
  return decl;
}

/// template ::= 'template' name '(' [name (',' name)*] ')' directives
std::unique_ptr<TemplateDecl> Parser::parseTemplate() {
  auto decl = std::make_unique<TemplateDecl>();
  Token first = take();
  decl->docs = docsOf(first);
  decl->name = expectNewName("a name", "after 'template'");
  expect(TokenKind::LeftParen, "before the template's parameters");
  while (!at(TokenKind::RightParen)) {
    checkListed(decl->params.size());
    decl->params.push_back(expectNewName("a parameter's name", "in this list"));
    if (!accept(TokenKind::Comma))
      break;
  }
  expect(TokenKind::RightParen, "after the template's parameters");
  decl->range = since(first);
  parseDirectives(decl->directives, "the template's directives");
  return decl;
}

/// directives ::= '{' (directive (newline | ';'))* '}'
void Parser::parseDirectives(std::vector<Directive> &directives,
                             std::string_view what) {
  expect(TokenKind::LeftBrace, fmt::format("before {}", what));
  while (!at(TokenKind::RightBrace)) {
    if (at(TokenKind::EndOfFile) || (atItem() && token().startsLine))
      unexpected("'}'", fmt::format("after {}", what));
    if (reporter.full() || statements > kMaxStatements)
      throw SyntaxError{};
    if (accept(TokenKind::Semicolon))
      continue;
    countStatement(token());
    directiveBegin = position;
    try {
      directives.push_back(parseDirective());
      if (!atDirectiveEnd())
        unexpectedInDirective("the end of the line", "after the directive");
    } catch (const SyntaxError &) {
      skipDirective();
    }
  }
  take();
}

void Parser::skipDirective() {
  bool first = position == directiveBegin;
  // Those of a knob that is open here do not end the block.
  unsigned braces = 0;
  for (size_t p = directiveBegin; p < position; ++p)
    if (lexed.tokens[p].kind == TokenKind::LeftBrace)
      ++braces;
    else if (lexed.tokens[p].kind == TokenKind::RightBrace && braces > 0)
      --braces;
  while (!at(TokenKind::EndOfFile)) {
    if (!first && token().startsLine)
      return;
    if (braces == 0 && (at(TokenKind::Semicolon) || at(TokenKind::RightBrace)))
      return;
    if (at(TokenKind::LeftBrace))
      ++braces;
    else if (at(TokenKind::RightBrace))
      --braces;
    take();
    first = false;
  }
}

//===----------------------------------------------------------------------===//
// Inside a directive
//===----------------------------------------------------------------------===//

/// At what ends a directive: the end of a line that does not end with a comma,
/// ';' or '}'.
bool Parser::atDirectiveEnd() const {
  if (at(TokenKind::EndOfFile) || at(TokenKind::Semicolon) ||
      at(TokenKind::RightBrace))
    return true;
  return token().startsLine && position > directiveBegin &&
         lexed.tokens[position - 1].kind != TokenKind::Comma;
}

bool Parser::acceptWord(std::string_view word) {
  if (!atWord(word))
    return false;
  take();
  return true;
}

/// Like accept and acceptWord, on this line.
bool Parser::acceptHere(TokenKind kind) {
  return !atDirectiveEnd() && accept(kind);
}
bool Parser::acceptWordHere(std::string_view word) {
  return !atDirectiveEnd() && acceptWord(word);
}

void Parser::unexpectedInDirective(std::string_view wanted,
                                   std::string_view where) {
  if (!atDirectiveEnd() || at(TokenKind::EndOfFile))
    unexpected(wanted, where);
  // Behind what stands there, not in the next line.
  uint32_t end = lexed.tokens[position - 1].range.end;
  fail(codes::kSyntax,
       fmt::format("expected {} {}, found the end of the directive", wanted,
                   where),
       {end, end});
}

void Parser::expectHere(TokenKind kind, std::string_view where) {
  if (!acceptHere(kind))
    unexpectedInDirective(describe(kind), where);
}

void Parser::expectWordHere(std::string_view word, std::string_view where) {
  if (!acceptWordHere(word))
    unexpectedInDirective(fmt::format("'{}'", word), where);
}

Name Parser::expectNameHere(std::string_view what, std::string_view where) {
  if (atDirectiveEnd() || !at(TokenKind::Identifier))
    unexpectedInDirective(what, where);
  return expectName(what, where);
}

/// Refuses one more in a list that is full.
void Parser::checkListed(size_t count) {
  if (count >= kMaxListed)
    fail(codes::kTooManyIndices,
         fmt::format("more than {} in one list of a schedule", kMaxListed),
         token().range);
}

void Parser::checkParts(size_t count, const Token &first) {
  if (count > kMaxParts)
    fail(codes::kTooManyIndices,
         fmt::format("a name of more than {} parts", kMaxParts), since(first));
}

/// dotted ::= name ('.' name)*
Name Parser::parseDotted(std::string_view what, std::string_view where) {
  Token first = token();
  Name name = expectNameHere(what, where);
  size_t parts = 1;
  while (acceptHere(TokenKind::Dot)) {
    name.text += "." + expectNameHere("a name", "after '.'").text;
    checkParts(++parts, first);
  }
  name.range = since(first);
  return name;
}

/// loop ::= dotted                          the last name is the loop's
LoopRef Parser::parseLoopRef(std::string_view where) {
  LoopRef loop;
  Token first = token();
  loop.loop = expectNameHere("a loop", where);
  size_t parts = 1;
  while (acceptHere(TokenKind::Dot)) {
    checkParts(++parts, first);
    Name &statement = loop.statement;
    statement.text += (statement.text.empty() ? "" : ".") + loop.loop.text;
    statement.range = {first.range.begin, loop.loop.range.end};
    loop.loop = expectNameHere("a name", "after '.'");
  }
  loop.range = since(first);
  return loop;
}

std::vector<LoopRef> Parser::parseLoopRefs(std::string_view where) {
  std::vector<LoopRef> loops;
  do {
    checkListed(loops.size());
    loops.push_back(parseLoopRef(where));
  } while (acceptHere(TokenKind::Comma));
  return loops;
}

std::vector<Name> Parser::parseDottedList(std::string_view what,
                                          std::string_view where) {
  std::vector<Name> names;
  do {
    checkListed(names.size());
    names.push_back(parseDotted(what, where));
  } while (acceptHere(TokenKind::Comma));
  return names;
}

/// factor ::= integer | '?' '{' integer (',' integer)* '}'
Factor Parser::parseFactor(std::string_view where) {
  Factor factor;
  Token first = token();
  if (acceptHere(TokenKind::Question)) {
    expectHere(TokenKind::LeftBrace, "after '?'");
    do {
      checkListed(factor.choices.size());
      Token number = token();
      int64_t value = parseFactorValue("among the knob's values");
      if (std::find(factor.choices.begin(), factor.choices.end(), value) !=
          factor.choices.end())
        reporter.error(codes::kArgumentRepeated,
                       fmt::format("the knob has the value {} twice", value),
                       number.range);
      else
        factor.choices.push_back(value);
    } while (acceptHere(TokenKind::Comma));
    if (!accept(TokenKind::RightBrace))
      unexpected("'}'", "after the knob's values");
  } else {
    factor.choices.push_back(parseFactorValue(where));
  }
  factor.range = since(first);
  return factor;
}

int64_t Parser::parseFactorValue(std::string_view where) {
  if (atDirectiveEnd() || !at(TokenKind::Number))
    unexpectedInDirective("a number", where);
  return expectInteger("a number of a schedule", 1, kMaxFactor);
}

std::vector<Factor> Parser::parseFactors(std::string_view where) {
  std::vector<Factor> factors;
  do {
    checkListed(factors.size());
    factors.push_back(parseFactor(where));
  } while (acceptHere(TokenKind::Comma));
  return factors;
}

/// results ::= '->' name (',' name)*
void Parser::parseResults(Directive &directive, bool optional) {
  if (!acceptHere(TokenKind::Arrow)) {
    if (optional)
      return;
    unexpectedInDirective("'->' and the names of the new loops", "here");
  }
  do {
    checkListed(directive.results.size());
    Name name = expectNameHere("the name of a loop", "after '->'");
    refuseReserved(name.text, name.range);
    directive.results.push_back(std::move(name));
  } while (acceptHere(TokenKind::Comma));
}

/// option ::= name (factor | name | quantity | 'none')
DirectiveOption Parser::parseOption() {
  DirectiveOption option;
  option.key = expectNameHere("an option", "here");
  std::string where = fmt::format("after '{}'", option.key.text);
  Token value = token();
  if (!atDirectiveEnd() && (at(TokenKind::Number) || at(TokenKind::Question)))
    option.number = parseFactor(where);
  else if (acceptHere(TokenKind::Quantity) || acceptHere(TokenKind::KwNone))
    option.word = {std::string(textOf(value)), value.range};
  else
    option.word = parseDotted("a number or a word", where);
  return option;
}

/// `commas`: they stand between options.
void Parser::parseOptions(Directive &directive, bool commas) {
  while (!atDirectiveEnd()) {
    checkListed(directive.options.size());
    directive.options.push_back(parseOption());
    if (commas && !acceptHere(TokenKind::Comma))
      break;
  }
}

//===----------------------------------------------------------------------===//
// Directives
//===----------------------------------------------------------------------===//

/// directive ::= [name ':'] ...; the rest is docs/language.md's
Directive Parser::parseDirective() {
  Directive directive;
  Token first = token();
  Name word = expectName("a directive", "or '}'");
  if (at(TokenKind::Colon) && !atDirectiveEnd()) {
    refuseReserved(word.text, word.range);
    directive.label = std::move(word);
    take();
    word = expectNameHere("a directive", "after the label");
  }
  std::optional<DirectiveKind> kind = kindNamed(word.text);
  if (!kind)
    fail(codes::kUnknownDirective,
         fmt::format("there is no directive '{}'{}", word.text,
                     didYouMean(word.text, directiveWords())),
         word.range, fmt::format("{}", fmt::join(directiveWords(), ", ")));
  directive.kind = *kind;
  parseOperands(directive, word.text);
  directive.range = since(first);
  return directive;
}

void Parser::parseOperands(Directive &directive, const std::string &word) {
  std::string behind = fmt::format("after '{}'", word);
  auto loopsFirst = [&] { directive.loops = parseLoopRefs(behind); };
  auto tensorsFirst = [&](std::string_view what) {
    directive.tensors = parseDottedList(what, behind);
  };
  auto atLoop = [&](std::string_view where) {
    expectWordHere("at", where);
    directive.at = parseLoopRef("after 'at'");
  };
  auto by = [&] {
    expectWordHere("by", "after the loops");
    directive.factors = parseFactors("after 'by'");
  };
  auto place = [&](std::string_view kinds) {
    directive.where = expectNameHere(kinds, "here");
  };
  switch (directive.kind) {
  case DirectiveKind::Split:
  case DirectiveKind::Tile:
    loopsFirst();
    by();
    parseResults(directive, /*optional=*/true);
    return;
  case DirectiveKind::Reorder:
  case DirectiveKind::Interchange:
  case DirectiveKind::Unroll:
  case DirectiveKind::Vectorize:
  case DirectiveKind::Distribute:
  case DirectiveKind::Persistent:
    loopsFirst();
    return;
  case DirectiveKind::Collapse:
    loopsFirst();
    parseResults(directive, /*optional=*/false);
    return;
  case DirectiveKind::Skew:
    loopsFirst();
    expectWordHere("by", "after the loop");
    directive.factors.push_back(parseFactor("after 'by'"));
    expectHere(TokenKind::Star, "between the factor and the other loop");
    directive.loops.push_back(parseLoopRef("after '*'"));
    parseResults(directive, /*optional=*/true);
    return;
  case DirectiveKind::SplitReduction:
  case DirectiveKind::Cascade:
    loopsFirst();
    by();
    return;
  case DirectiveKind::Map:
    loopsFirst();
    expectWordHere("to", "after the loops");
    place("grid, cluster, warp or thread");
    parseOptions(directive, /*commas=*/false);
    return;
  case DirectiveKind::ComputeAt:
  case DirectiveKind::ComputeInline:
  case DirectiveKind::ComputeRoot:
    tensorsFirst("a statement");
    if (acceptWordHere("inline")) {
      directive.kind = DirectiveKind::ComputeInline;
    } else if (acceptWordHere("root")) {
      directive.kind = DirectiveKind::ComputeRoot;
    } else if (!atDirectiveEnd() && atWord("at")) {
      atLoop("here");
    } else {
      unexpectedInDirective("'at', 'inline' or 'root'", "after the statements");
    }
    return;
  case DirectiveKind::Fuse:
    tensorsFirst("a statement");
    if (!atDirectiveEnd())
      atLoop("after the statements");
    return;
  case DirectiveKind::Stage:
    tensorsFirst("a tensor");
    expectHere(TokenKind::KwIn, "after the tensors");
    place("shared or registers");
    atLoop("after the place");
    if (acceptWordHere("as"))
      directive.type = expectNameHere("a type", "after 'as'");
    parseOptions(directive, /*commas=*/false);
    return;
  case DirectiveKind::Prefetch:
    tensorsFirst("a tensor");
    atLoop("after the tensors");
    parseOptions(directive, /*commas=*/false);
    return;
  case DirectiveKind::Place:
    tensorsFirst("a tensor");
    expectHere(TokenKind::KwIn, "after the tensors");
    place("registers, shared or memory");
    return;
  case DirectiveKind::Threads:
    directive.factors.push_back(parseFactor(behind));
    if (acceptHere(TokenKind::KwFor))
      directive.tensors.push_back(parseDotted("a statement", "after 'for'"));
    return;
  case DirectiveKind::Pipeline:
    loopsFirst();
    parseOptions(directive, /*commas=*/false);
    return;
  case DirectiveKind::Roles:
    parseOptions(directive, /*commas=*/true);
    return;
  case DirectiveKind::Tensorize:
    loopsFirst();
    expectWordHere("as", "after the loops");
    place("wgmma or mma");
    return;
  case DirectiveKind::Apply:
    directive.where = expectNameHere("a template", behind);
    expectHere(TokenKind::LeftParen, "before the template's arguments");
    if (!at(TokenKind::RightParen))
      directive.arguments = parseDottedList("a name", "as an argument");
    expectHere(TokenKind::RightParen, "after the template's arguments");
    return;
  }
}

} // namespace girih::frontend
