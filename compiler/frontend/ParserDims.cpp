//===- ParserDims.cpp - tokens to a tree: dimensions and promises ---------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Dimensions.h"
#include "compiler/frontend/Frontend.h"
#include "compiler/frontend/Parser.h"
#include "compiler/support/Suggest.h"

#include <algorithm>
#include <fmt/format.h>

namespace girih::frontend {

namespace {
constexpr int64_t kMaxDim = (int64_t(1) << 40) - 1;
/// A page; no device asks for more.
constexpr int64_t kMaxAlign = 4096;
} // namespace

using Place = DimDecl::Place;

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

/// dims ::= '[' [('..' name | dim) (',' dim)*] ']'
void Parser::parseDims(TensorDecl &decl) {
  if (!accept(TokenKind::LeftBracket))
    return;
  while (!at(TokenKind::RightBracket)) {
    if (at(TokenKind::DotDot))
      decl.dims.push_back(parseLeading(decl.dims.empty()));
    else if (atGroup())
      parseGroup(decl);
    else
      decl.dims.push_back(parseDim());
    if (!accept(TokenKind::Comma))
      break;
  }
  expect(TokenKind::RightBracket, "after the tensor's dimensions");
}

DimDecl Parser::parseLeading(bool first) {
  Token dots = expect(TokenKind::DotDot, "here");
  if (!first)
    fail(codes::kMisplaced, "leading dimensions stand first", dots.range,
         "write [..R, N]; dimensions behind others have names of their own");
  Name name = expectNewName("a name", "for the leading dimensions");
  DimDecl dim;
  auto value = std::make_unique<Expr>();
  value->node = NameExpr{name.text, {}};
  value->range = name.range;
  dim.value = std::move(value);
  dim.range = since(dots);
  dim.place = Place::Leading;
  return dim;
}

/// `(HK, G)`, but not `(N - K) + 1`.
bool Parser::atGroup() const {
  for (size_t ahead = 0, depth = 0; ahead == 0 || depth > 0; ++ahead) {
    if (at(TokenKind::LeftParen, ahead))
      ++depth;
    else if (at(TokenKind::RightParen, ahead))
      --depth;
    else if (depth == 1 && at(TokenKind::Comma, ahead))
      return true;
    else if (depth == 0 || at(TokenKind::EndOfFile, ahead))
      return false;
  }
  return false;
}

/// group ::= '(' sum (',' sum)+ ')'
void Parser::parseGroup(TensorDecl &decl) {
  Token first = expect(TokenKind::LeftParen, "here");
  unsigned members = 0;
  while (!at(TokenKind::RightParen)) {
    if (at(TokenKind::DotDot) || atGroup())
      fail(codes::kMisplaced,
           at(TokenKind::DotDot) ? "leading dimensions stand in no group"
                                 : "groups of dimensions do not nest",
           token().range, "list the sizes alone, like (A, B, C)");
    decl.dims.push_back(parseDim());
    decl.dims.back().place = members++ ? Place::GroupNext : Place::GroupFirst;
    if (!accept(TokenKind::Comma))
      break;
  }
  expect(TokenKind::RightParen, "after the sizes of the group");
  if (members < 2)
    fail(codes::kSyntax, "a group has two sizes or more", since(first),
         "a single size stands without parentheses");
}

/// dim ::= sum
DimDecl Parser::parseDim() {
  DimDecl dim;
  Token first = token();
  if (!at(TokenKind::Number) && !at(TokenKind::Identifier) &&
      !at(TokenKind::LeftParen))
    unexpected("a size or an integer", "as a dimension");
  if (at(TokenKind::Identifier))
    refuseReserved(std::string(textOf(first)), first.range);
  dim.value = parseIndexSum("a dimension", kMaxDim);
  dim.range = since(first);
  return dim;
}

//===----------------------------------------------------------------------===//
// Promises
//===----------------------------------------------------------------------===//

/// ['in' sum '..' sum]
void Parser::parsePromise(TensorDecl &decl, bool input) {
  SourceRange range = token().range;
  if (at(TokenKind::KwIn) && (!input || decl.inOut))
    fail(codes::kMisplaced, "only inputs promise a range", range,
         "what an output holds follows from its statement");
  if (accept(TokenKind::KwIn)) {
    decl.first = parseIndexSum("the start of a range", kMaxDim);
    expect(TokenKind::DotDot, "between the ends of a range");
    decl.end = parseIndexSum("the end of a range", kMaxDim);
  }
}

/// promise ::= 'layout' '(' place (',' place)* ')' | 'align' integer
///           | 'offsets' '(' sum ')' | 'aliases' name
void Parser::parsePromises(TensorDecl &decl, bool input) {
  while (atWord("layout") || atWord("align") || atWord("offsets") ||
         atWord("aliases")) {
    Token word = token();
    if (atWord("aliases")) {
      parseAliases(decl, input, word);
      continue;
    }
    if (atWord("offsets")) {
      parseOffsets(decl, input, word);
      continue;
    }
    bool isLayout = atWord("layout");
    if (isLayout ? !decl.layout.empty() : decl.align != 0)
      fail(codes::kMisplaced,
           fmt::format("'{}' stands twice behind one tensor", textOf(word)),
           word.range);
    take();
    if (isLayout) {
      parseLayout(decl, word);
      continue;
    }
    Token number = token();
    decl.align = expectInteger("the alignment", 1, kMaxAlign);
    if (decl.align & (decl.align - 1))
      fail(
          codes::kIntegerOutOfRange,
          fmt::format("an alignment is a power of two, {} is none", decl.align),
          number.range, "write align 16, for example");
  }
}

/// The input is looked for where all are known.
void Parser::parseAliases(TensorDecl &decl, bool input, const Token &word) {
  if (input)
    fail(codes::kMisplaced, "only outputs alias an input", word.range,
         decl.inOut ? "an inout tensor is input and output in one"
                    : "write it behind an output: -> Y: f32[N] aliases X");
  if (!decl.aliases.text.empty())
    fail(codes::kMisplaced, "'aliases' stands twice behind one tensor",
         word.range);
  take();
  decl.aliases = expectName("an input", "after 'aliases'");
}

/// What `offsets` says of the type and the dimension is checked where these
/// are known.
void Parser::parseOffsets(TensorDecl &decl, bool input, const Token &word) {
  if (!input || decl.inOut)
    fail(codes::kMisplaced, "only inputs promise offsets", word.range,
         decl.inOut ? "what is written later need not keep them"
                    : "what an output holds follows from its statement");
  if (decl.offsets)
    fail(codes::kMisplaced, "'offsets' stands twice behind one tensor",
         word.range);
  if (decl.first)
    fail(codes::kMisplaced, "'offsets' says the range of the elements",
         {decl.first->range.begin, decl.end->range.end},
         "leave 'in' and the range out");
  take();
  expect(TokenKind::LeftParen, "after 'offsets'");
  decl.offsets = parseIndexSum("the number of elements", kMaxDim);
  expect(TokenKind::RightParen, "after the number of elements");
}

void Parser::parseLayout(TensorDecl &decl, const Token &word) {
  std::vector<OuterDim> dims = outerDims(decl);
  if (dims.empty())
    fail(codes::kBadLayout,
         fmt::format("'{}' has no dimensions to lay out", decl.name.text),
         word.range, "leave 'layout' out");
  expect(TokenKind::LeftParen, "after 'layout'");
  while (!at(TokenKind::RightParen)) {
    Token first = token();
    unsigned place = parseLayoutPlace(decl, dims);
    if (std::find(decl.layout.begin(), decl.layout.end(), place) !=
        decl.layout.end())
      fail(codes::kBadLayout,
           fmt::format("'layout' names the dimension '{}' twice",
                       dims[place].text),
           since(first));
    decl.layout.push_back(place);
    if (!accept(TokenKind::Comma))
      break;
  }
  expect(TokenKind::RightParen, "after the dimensions of 'layout'");
  for (unsigned place = 0; place < dims.size(); ++place)
    if (std::find(decl.layout.begin(), decl.layout.end(), place) ==
        decl.layout.end())
      fail(codes::kBadLayout,
           fmt::format("'layout' leaves out the dimension '{}' of '{}'",
                       dims[place].text, decl.name.text),
           since(word), "it names every dimension once, the slowest first");
}

/// place ::= integer | name | '..' name | '(' sum (',' sum)+ ')'
unsigned Parser::parseLayoutPlace(const TensorDecl &decl,
                                  const std::vector<OuterDim> &dims) {
  Token first = token();
  if (at(TokenKind::Number)) {
    auto place = expectInteger("the position of a dimension", 0, kMaxDim);
    if (place < int64_t(dims.size()))
      return unsigned(place);
    fail(codes::kBadLayout,
         fmt::format("'{}' has no dimension {}", decl.name.text, place),
         first.range,
         fmt::format("a number is a position, from 0 to {}", dims.size() - 1));
  }
  TensorDecl written;
  if (at(TokenKind::DotDot))
    written.dims.push_back(parseLeading(/*first=*/true));
  else if (atGroup())
    parseGroup(written);
  else
    written.dims.push_back(parseDim());
  std::string text = outerDims(written).front().text;
  std::vector<std::string> names;
  unsigned found = 0, count = 0;
  for (unsigned place = 0; place < dims.size(); ++place) {
    names.push_back(dims[place].text);
    if (dims[place].text == text && count++ == 0)
      found = place;
  }
  if (count == 1)
    return found;
  if (count > 1)
    fail(codes::kBadLayout,
         fmt::format("{} dimensions of '{}' are '{}'", count, decl.name.text,
                     text),
         since(first), "say which by its position: 0 is the first");
  fail(codes::kBadLayout,
       fmt::format("'{}' has no dimension '{}'{}", decl.name.text, text,
                   didYouMean(text, names)),
       since(first),
       fmt::format("its dimensions: {}; their positions count from 0",
                   fmt::join(names, ", ")));
}

//===----------------------------------------------------------------------===//
// Assumptions
//===----------------------------------------------------------------------===//

/// assume ::= 'assume' 'finite' '(' name ')'
Assumption Parser::parseAssume(size_t before) {
  Assumption assumption;
  Token first = expect(TokenKind::KwAssume, "here");
  countStatement(first);
  assumption.before = before;
  Name what = expectName("'finite'", "after 'assume'");
  if (what.text != "finite")
    fail(codes::kUndefined,
         fmt::format("there is no assumption '{}'{}", what.text,
                     didYouMean(what.text, {"finite"})),
         what.range, "what can be assumed: finite(X)");
  expect(TokenKind::LeftParen, "after 'finite'");
  assumption.tensor = expectName("an input", "in 'finite(...)'");
  expect(TokenKind::RightParen, "after the input");
  assumption.range = since(first);
  return assumption;
}

} // namespace girih::frontend
