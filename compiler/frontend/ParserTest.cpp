//===- ParserTest.cpp - tokens to a tree: test blocks ---------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Parser.h"
#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/Frontend.h"
#include "compiler/support/Suggest.h"

#include <algorithm>
#include <fmt/format.h>

namespace girih::frontend {

namespace {
constexpr int64_t kMaxSeed = int64_t(1) << 53;
constexpr int64_t kMaxUlp = int64_t(1) << 52;
} // namespace

/// test ::= 'test' string '{' (run expectation*)+ '}'
std::unique_ptr<TestDecl> Parser::parseTest() {
  auto test = std::make_unique<TestDecl>();
  Token first = take();
  test->docs = docsOf(first);
  test->nameRange = token().range;
  test->name = parseString("the test's name in quotes", "after 'test'");
  test->range = since(first);
  expect(TokenKind::LeftBrace, "after the test's name");
  while (!accept(TokenKind::RightBrace)) {
    countStatement(token());
    if (atWord("run")) {
      test->runs.push_back(parseRun(/*nested=*/false));
    } else if (atWord("expect")) {
      if (test->runs.empty())
        fail(codes::kMisplaced, "'expect' needs a 'run' before it",
             token().range);
      test->runs.back().expects.push_back(parseExpect());
    } else {
      unexpected("'run', 'expect' or '}'", "in a test");
    }
  }
  if (test->runs.empty())
    reporter.error(codes::kSyntax, "a test without a 'run' tests nothing",
                   test->nameRange);
  for (const TestRun &run : test->runs)
    if (run.expects.empty())
      reporter.error(codes::kSyntax, "a 'run' without an 'expect' behind it",
                     run.op.range);
  return test;
}

/// run ::= 'run' name '(' [name '=' value (',' name '=' value)*] ')'
/// The word is missing in front of a nested one.
TestRun Parser::parseRun(bool nested) {
  TestRun run;
  Token first = token();
  Nest nest(*this);
  if (!nested)
    take();
  run.op = expectName("an operator", "after 'run'");
  std::string of = fmt::format("the arguments of '{}'", run.op.text);
  expect(TokenKind::LeftParen, "before " + of);
  while (!at(TokenKind::RightParen)) {
    TestArgument argument;
    argument.name = expectName("a parameter's name", "among " + of);
    expect(TokenKind::Equal,
           fmt::format("after '{}': arguments have names here",
                       argument.name.text));
    argument.value = parseTestValue();
    run.arguments.push_back(std::move(argument));
    if (!accept(TokenKind::Comma))
      break;
  }
  expect(TokenKind::RightParen, "after " + of);
  run.range = since(first);
  return run;
}

/// expectation ::= 'expect' name ('==' value | '~=' value tolerance+)
TestExpect Parser::parseExpect() {
  TestExpect expected;
  Token first = take();
  expected.tensor = expectName("an output", "after 'expect'");
  if (at(TokenKind::Tilde) && at(TokenKind::Equal, 1)) {
    take();
    take();
    expected.exact = false;
  } else if (at(TokenKind::Equal)) {
    fail(codes::kSyntax, "an expectation compares with '==' or '~='",
         token().range);
  } else if (!accept(TokenKind::EqualEqual)) {
    unexpected("'==' or '~='", "after the output's name");
  }
  expected.value = parseTestValue();
  SourceRange place = token().range;
  parseTolerances(expected);
  bool given =
      !expected.ulp.empty() || !expected.abs.empty() || !expected.rel.empty();
  if (expected.exact && given)
    fail(codes::kMisplaced, "'==' asks for equal bits and takes no tolerance",
         place, "write '~='");
  if (!expected.exact && !given)
    fail(codes::kSyntax, "'~=' needs to know how near is near enough",
         since(first), "end it with 'ulp 1', 'abs 1e-6' or 'rel 1e-3'");
  expected.range = since(first);
  return expected;
}

/// tolerance ::= 'ulp' integer | 'abs' number | 'rel' number
void Parser::parseTolerances(TestExpect &expected) {
  while (atWord("ulp") || atWord("abs") || atWord("rel")) {
    Token word = take();
    std::string_view name = textOf(word);
    std::string &place = name == "ulp"   ? expected.ulp
                         : name == "abs" ? expected.abs
                                         : expected.rel;
    if (!place.empty())
      fail(codes::kArgumentRepeated, fmt::format("'{}' is given twice", name),
           word.range);
    if (name == "ulp") {
      place = std::to_string(expectInteger("a distance in ulp", 0, kMaxUlp));
      continue;
    }
    if (!at(TokenKind::Number))
      unexpected("a number", fmt::format("after '{}'", name));
    NumberParts parts = splitNumber(textOf(token()));
    if (!parts.suffix.empty())
      fail(codes::kSyntax, "a tolerance has no type", token().range,
           fmt::format("write {}", parts.digits));
    place = parts.digits;
    take();
  }
}

/// value ::= list | generator | type | 'none' | name | name '(' ... ')' | sum
TestValue Parser::parseTestValue() {
  Token first = token();
  TestValue value;
  using Kind = TestValue::Kind;
  std::string_view word = textOf(first);
  bool called = at(TokenKind::LeftParen, 1);
  if (at(TokenKind::LeftBracket)) {
    parseList(value, 0);
  } else if (accept(TokenKind::KwNone)) {
    value.kind = Kind::None;
  } else if (at(TokenKind::Identifier) && called &&
             (word == "random" || word == "fill" || word == "iota")) {
    return parseGenerator();
  } else if (at(TokenKind::Identifier) && !called && typeNamed(word)) {
    take();
    value.kind = Kind::Type;
    value.word = word;
  } else if (at(TokenKind::Identifier) && called && !isReservedName(word)) {
    value.kind = Kind::Call;
    value.call = std::make_unique<TestRun>(parseRun(/*nested=*/true));
  } else {
    value.elements.push_back(parseSum());
    if (auto *name = value.elements[0]->as<NameExpr>()) {
      // An input of the run, or a constant: Sema knows.
      value.kind = Kind::Tensor;
      value.word = name->name;
    }
  }
  value.range = since(first);
  return value;
}

/// list ::= '[' [(list | sum) (',' (list | sum))*] ']'
void Parser::parseList(TestValue &value, size_t depth) {
  Nest nest(*this);
  Token first = take();
  if (value.shape.size() == depth)
    value.shape.push_back(-1);
  int64_t count = 0;
  while (!at(TokenKind::RightBracket)) {
    bool inner = at(TokenKind::LeftBracket);
    bool deeper = value.shape.size() > depth + 1;
    bool numbers = !value.elements.empty() && !deeper;
    if (inner ? numbers : deeper)
      fail(codes::kRaggedList,
           inner ? "a list where the others are numbers"
                 : "a number where the others are lists",
           token().range);
    if (inner)
      parseList(value, depth + 1);
    else
      value.elements.push_back(parseSum());
    ++count;
    if (!accept(TokenKind::Comma))
      break;
  }
  expect(TokenKind::RightBracket, "after the elements of the list");
  int64_t &extent = value.shape[depth];
  if (extent != -1 && extent != count)
    fail(codes::kRaggedList,
         fmt::format("this list has {} element{}, the one before it has {}",
                     count, count == 1 ? "" : "s", extent),
         since(first));
  extent = count;
}

/// generator ::= 'random' '(' seed [',' kind] ')' | 'fill' '(' sum ')'
///             | 'iota' '(' ')'
TestValue Parser::parseGenerator() {
  TestValue value;
  Token first = take();
  std::string name(textOf(first));
  expect(TokenKind::LeftParen, fmt::format("after '{}'", name));
  if (name == "random") {
    value.kind = TestValue::Kind::Random;
    value.seed = expectInteger("a seed", 0, kMaxSeed);
    if (accept(TokenKind::Comma)) {
      Name kind = expectName("a kind of numbers", "after the seed");
      const std::vector<std::string> kinds = {"normal", "uniform", "ones",
                                              "special", "cancel"};
      if (std::find(kinds.begin(), kinds.end(), kind.text) == kinds.end())
        fail(codes::kUndefined,
             fmt::format("there are no random numbers '{}'{}", kind.text,
                         didYouMean(kind.text, kinds)),
             kind.range, "normal, uniform, ones, special or cancel");
      value.word = kind.text;
    }
  } else if (name == "fill") {
    value.kind = TestValue::Kind::Fill;
    value.elements.push_back(parseSum());
  } else {
    value.kind = TestValue::Kind::Iota;
  }
  expect(TokenKind::RightParen, fmt::format("after the parts of '{}'", name));
  value.range = since(first);
  return value;
}

} // namespace girih::frontend
