//===- Format.cpp - the one style of a source text ------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Works on tokens and comments, so that nothing can get lost: the tree only
// says where items and statements start. Between two tokens stands one space or
// none; a line of its own begins at every item and statement, where the author
// broke one, and at the parameters of a header that is too long.
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Frontend.h"
#include "compiler/frontend/Lexer.h"
#include "compiler/frontend/Parser.h"

#include <algorithm>
#include <map>
#include <set>

namespace girih::frontend {

namespace {

/// A token or a comment, in the order of the text.
struct Piece {
  TokenKind kind = TokenKind::EndOfFile;
  bool isComment = false;
  bool startsLine = false;
  unsigned blankLines = 0; ///< in front of it
  SourceRange range;
  std::string_view text;
};

constexpr size_t kWidth = 80;

struct Line {
  std::string code;
  std::string comment; ///< behind the code
};

/// What a value can end with: a '-' behind it has two sides.
bool endsValue(TokenKind kind) {
  switch (kind) {
  case TokenKind::Identifier:
  case TokenKind::Number:
  case TokenKind::String:
  case TokenKind::RightParen:
  case TokenKind::RightBracket:
  case TokenKind::KwTrue:
  case TokenKind::KwFalse:
  case TokenKind::KwInf:
  case TokenKind::KwNan:
  case TokenKind::KwNone:
    return true;
  default:
    return false;
  }
}

class Formatter {
public:
  Formatter(std::string_view text, const LexedFile &lexed, const File &file)
      : text(text) {
    collect(lexed);
    findStarts(file);
    findBodies();
    groupItems();
  }

  std::string run() {
    placeAll();
    if (breakLong())
      placeAll();
    return printLines();
  }

private:
  void placeAll() {
    lines.clear();
    open.clear();
    last = nullptr;
    current = 0;
    unary = false;
    for (at = 0; at < pieces.size(); ++at)
      place(pieces[at]);
  }

  /// The header of an operator or a run on one line that is too long gets a
  /// line for each parameter. What its author has broken stays.
  bool breakLong() {
    for (SourceRange list : lists) {
      auto line = lineOf.find(list.begin);
      if (line == lineOf.end() || lines[line->second].code.size() <= kWidth)
        continue;
      unsigned depth = 0;
      std::set<uint32_t> places;
      bool broken = false, wanted = false, inAngles = false;
      bool ended = false, manyResults = false;
      for (const Piece &piece : pieces) {
        if (piece.range.begin < list.begin || piece.range.begin >= list.end)
          continue;
        broken |= piece.startsLine && piece.range.begin != list.begin;
        if (wanted)
          places.insert(piece.range.begin);
        wanted = false;
        if (angles.count(piece.range.begin))
          inAngles = piece.kind == TokenKind::Less;
        if (piece.kind == TokenKind::LeftParen ||
            piece.kind == TokenKind::LeftBracket)
          ++depth;
        if (piece.kind == TokenKind::RightParen ||
            piece.kind == TokenKind::RightBracket)
          --depth;
        bool first = piece.kind == TokenKind::LeftParen && places.empty();
        bool comma = piece.kind == TokenKind::Comma;
        wanted = !inAngles && (ended ? manyResults && depth == 0 && comma
                                     : depth == 1 && (first || comma));
        if (!ended && !inAngles && depth == 0 &&
            piece.kind == TokenKind::RightParen) {
          ended = true;
          manyResults = list.end - piece.range.end > kWidth * 3 / 4;
        }
      }
      if (!broken)
        breaks.insert(places.begin(), places.end());
    }
    return !breaks.empty();
  }

  //===--------------------------------------------------------------------===//
  // What stands where
  //===--------------------------------------------------------------------===//

  void collect(const LexedFile &lexed) {
    for (const Token &token : lexed.tokens)
      if (token.kind != TokenKind::EndOfFile)
        pieces.push_back(
            {token.kind, false, token.startsLine, 0, token.range, {}});
    for (SourceRange comment : lexed.comments)
      pieces.push_back({TokenKind::EndOfFile, true, false, 0, comment, {}});
    std::sort(pieces.begin(), pieces.end(),
              [](auto &a, auto &b) { return a.range.begin < b.range.begin; });
    uint32_t end = 0;
    for (Piece &piece : pieces) {
      std::string_view gap = text.substr(end, piece.range.begin - end);
      auto lines = std::count(gap.begin(), gap.end(), '\n');
      piece.startsLine = lines > 0 || end == 0;
      piece.blankLines = lines > 1 ? 1 : 0;
      piece.text =
          text.substr(piece.range.begin, piece.range.end - piece.range.begin);
      while (piece.isComment && !piece.text.empty() &&
             (piece.text.back() == ' ' || piece.text.back() == '\t' ||
              piece.text.back() == '\r'))
        piece.text.remove_suffix(1);
      end = piece.range.end;
    }
  }

  /// The indentation of what stands in `loop`, or in none.
  static unsigned indentIn(const TimeLoop *loop) {
    unsigned indent = 2;
    for (; loop; loop = loop->parent)
      indent += 2;
    return indent;
  }

  template <typename Decl> uint32_t startDirectives(const Decl &decl) {
    for (const Directive &directive : decl.directives)
      starts[directive.range.begin] = 2;
    return decl.range.begin;
  }

  void findStarts(const File &file) {
    for (const Item &item : file.items) {
      uint32_t begin = 0;
      bool large = false;
      if (auto *op = std::get_if<std::unique_ptr<OpDecl>>(&item)) {
        begin = (*op)->range.begin;
        lists.push_back((*op)->range);
        large = true;
        for (const auto &statement : (*op)->statements)
          starts[statement->range.begin] =
              indentIn(statement->loop) + (statement->ragged ? 2 : 0);
        for (const auto &loop : (*op)->loops) {
          starts[loop->range.begin] = indentIn(loop->parent);
          loops.insert(loop->range.begin);
        }
        for (const auto &loop : (*op)->raggedLoops) {
          starts[loop->range.begin] = indentIn(loop->parent);
          loops.insert(loop->range.begin);
        }
        for (const Assumption &assumption : (*op)->assumptions)
          starts[assumption.range.begin] = 2;
      } else if (auto *test = std::get_if<std::unique_ptr<TestDecl>>(&item)) {
        begin = (*test)->range.begin;
        large = true;
        for (const TestRun &run : (*test)->runs) {
          starts[run.range.begin] = 2;
          lists.push_back(run.range);
          for (const TestExpect &expected : run.expects)
            starts[expected.range.begin] = 2;
        }
      } else if (auto *decl =
                     std::get_if<std::unique_ptr<ScheduleDecl>>(&item)) {
        begin = startDirectives(**decl);
        large = true;
      } else if (auto *decl =
                     std::get_if<std::unique_ptr<TemplateDecl>>(&item)) {
        begin = startDirectives(**decl);
        large = true;
      } else {
        begin = std::visit([](auto &decl) { return decl->range.begin; }, item);
      }
      starts[begin] = 0;
      items[begin] = large;
    }
  }

  /// The braces around the statements of operators, loops and tests, and
  /// around directives; the angles around parameters and the number of a topk;
  /// the knobs of schedules.
  void findBodies() {
    bool large = false, inAngles = false, inKnob = false, loop = false;
    unsigned braces = 0;
    std::vector<uint32_t> open; // those of loops, by their starts
    for (size_t i = 0; i < pieces.size(); ++i) {
      const Piece &piece = pieces[i];
      if (piece.isComment)
        continue;
      auto item = items.find(piece.range.begin);
      if (item != items.end()) {
        large = item->second;
        braces = 0;
        inAngles = inKnob = loop = false;
        open.clear();
      }
      if (loops.count(piece.range.begin)) {
        loop = true;
        open.push_back(piece.range.begin);
      }
      bool chosen = i >= 1 && pieces[i - 1].text == "topk" && large;
      if (piece.kind == TokenKind::Less &&
          (chosen || (i >= 2 && pieces[i - 2].kind == TokenKind::KwOp))) {
        inAngles = true;
        angles.insert(piece.range.begin);
      } else if (piece.kind == TokenKind::Greater && inAngles) {
        inAngles = false;
        angles.insert(piece.range.begin);
      } else if (piece.kind == TokenKind::LeftBrace && inAngles) {
        tight.insert(piece.range.begin);
      } else if (piece.kind == TokenKind::RightBrace && inAngles) {
        tight.insert(piece.range.begin);
      } else if (piece.kind == TokenKind::LeftBrace && i >= 1 &&
                 pieces[i - 1].kind == TokenKind::Question) {
        knobs.insert(pieces[i - 1].range.begin);
        tight.insert(piece.range.begin);
        inKnob = true;
      } else if (piece.kind == TokenKind::RightBrace && inKnob) {
        tight.insert(piece.range.begin);
        inKnob = false;
      } else if (piece.kind == TokenKind::LeftBrace) {
        if (large && (braces++ == 0 || loop))
          bodies[piece.range.begin] = open.empty() ? 0 : starts[open.back()];
        loop = false;
      } else if (piece.kind == TokenKind::RightBrace) {
        bool ends = large && !open.empty() && braces == 1 + open.size();
        if (large && (--braces == 0 || ends))
          bodies[piece.range.begin] = ends ? starts[open.back()] : 0;
        if (ends)
          open.pop_back();
        large &= braces != 0;
      } else if (piece.kind == TokenKind::KwNumerics && braces == 1) {
        starts[piece.range.begin] = 2;
      }
    }
  }

  /// A blank line stands around operators and tests. The comments directly
  /// above an item belong to it.
  void groupItems() {
    bool first = true, before = false;
    for (size_t i = 0; i < pieces.size(); ++i) {
      auto item = items.find(pieces[i].range.begin);
      if (pieces[i].isComment || item == items.end())
        continue;
      size_t begin = i;
      while (begin > 0 && pieces[begin - 1].isComment &&
             pieces[begin - 1].startsLine && !pieces[begin].blankLines)
        --begin;
      if (!first && (item->second || before))
        pieces[begin].blankLines = 1;
      first = false;
      before = item->second;
    }
  }

  //===--------------------------------------------------------------------===//
  // Lines
  //===--------------------------------------------------------------------===//

  bool isBody(const Piece &piece, TokenKind kind) const {
    return !piece.isComment && piece.kind == kind &&
           bodies.count(piece.range.begin);
  }
  /// The indentation of the line that a body's braces belong to.
  unsigned indentOf(const Piece &piece) const {
    return bodies.at(piece.range.begin);
  }

  void startLine(const Piece &piece, unsigned indent) {
    bool behindBrace = last && isBody(*last, TokenKind::LeftBrace);
    bool beforeBrace = isBody(piece, TokenKind::RightBrace);
    if (piece.blankLines && !lines.empty() && !behindBrace && !beforeBrace)
      lines.emplace_back();
    lines.push_back({std::string(indent, ' '), ""});
  }

  /// The indentation of a comment on a line of its own: that of what follows.
  unsigned indentOfComment() const {
    for (size_t i = at + 1; i < pieces.size(); ++i) {
      if (pieces[i].isComment)
        continue;
      auto start = starts.find(pieces[i].range.begin);
      if (start != starts.end())
        return start->second;
      return isBody(pieces[i], TokenKind::RightBrace) ? indentOf(pieces[i]) + 2
                                                      : current + 4;
    }
    return 0;
  }

  void place(const Piece &piece) {
    if (piece.isComment) {
      if (piece.startsLine || lines.empty()) {
        startLine(piece, indentOfComment());
        lines.back().code += piece.text;
      } else {
        lines.back().comment = piece.text;
      }
      last = &piece;
      return;
    }
    auto start = starts.find(piece.range.begin);
    bool behindBrace = last && isBody(*last, TokenKind::LeftBrace);
    bool behindComment = last && last->isComment;
    if (start != starts.end()) {
      current = start->second;
      startLine(piece, current);
      lineOf[piece.range.begin] = lines.size() - 1;
    } else if (isBody(piece, TokenKind::RightBrace)) {
      current = indentOf(piece);
      startLine(piece, current);
    } else if (isBody(piece, TokenKind::LeftBrace) && !behindComment) {
      lines.back().code += ' ';
    } else if (isBody(piece, TokenKind::LeftBrace)) {
      startLine(piece, indentOf(piece));
    } else if (!last || piece.startsLine || behindBrace || behindComment ||
               breaks.count(piece.range.begin)) {
      startLine(piece, current + 4);
    } else if (needsSpace(piece)) {
      lines.back().code += ' ';
    }
    lines.back().code += piece.text;
    track(piece);
    last = &piece;
  }

  //===--------------------------------------------------------------------===//
  // Spaces
  //===--------------------------------------------------------------------===//

  /// Follows the brackets, and whether a sign has one side.
  void track(const Piece &piece) {
    switch (piece.kind) {
    case TokenKind::LeftBracket:
    case TokenKind::LeftParen:
      open.push_back(piece.kind);
      break;
    case TokenKind::RightBracket:
    case TokenKind::RightParen:
      open.pop_back();
      break;
    default:
      break;
    }
    bool sign = piece.kind == TokenKind::Minus ||
                (piece.kind == TokenKind::Tilde && !atTildeEqual(piece));
    unary = sign && !(last && !last->isComment && endsValue(last->kind));
    if (piece.kind == TokenKind::Tilde && !atTildeEqual(piece))
      unary = true;
  }

  /// `~` and `=` are two tokens of one sign.
  bool atTildeEqual(const Piece &piece) const {
    return piece.range.end < text.size() && text[piece.range.end] == '=';
  }

  /// Directly inside '[': an order clause.
  bool inBrackets() const {
    return !open.empty() && open.back() == TokenKind::LeftBracket;
  }

  bool needsSpace(const Piece &piece) const {
    TokenKind before = last->kind, kind = piece.kind;
    bool touching = last->range.end == piece.range.begin;
    if (unary || before == TokenKind::LeftParen ||
        before == TokenKind::LeftBracket || before == TokenKind::Dot ||
        before == TokenKind::DotDot)
      return false;
    if (angles.count(piece.range.begin))
      return false;
    if (angles.count(last->range.begin))
      return before == TokenKind::Greater && kind != TokenKind::LeftParen &&
             kind != TokenKind::LeftBracket;
    switch (kind) {
    case TokenKind::Colon:
      return inBrackets(); // a condition of a reduction
    case TokenKind::Comma:
    case TokenKind::Dot:
    case TokenKind::Semicolon:
    case TokenKind::RightParen:
    case TokenKind::RightBracket:
      return false;
    case TokenKind::Question:
      return knobs.count(piece.range.begin);
    case TokenKind::DotDot:
      return before == TokenKind::Comma;
    case TokenKind::LeftBrace:
      return before != TokenKind::Question;
    case TokenKind::LeftParen:
      return !(before == TokenKind::Identifier ||
               before == TokenKind::RightBracket);
    case TokenKind::LeftBracket:
      return !(before == TokenKind::Identifier ||
               before == TokenKind::PlusEqual);
    case TokenKind::RightBrace:
      return !tight.count(piece.range.begin) && before != TokenKind::LeftBrace;
    case TokenKind::Equal:
      return !inBrackets() && !(before == TokenKind::Tilde && touching);
    default:
      break;
    }
    if (before == TokenKind::LeftBrace)
      return !tight.count(last->range.begin);
    if (before == TokenKind::Equal && inBrackets())
      return false;
    // Two angles that touch are one sign.
    if (touching && before == kind &&
        (kind == TokenKind::Less || kind == TokenKind::Greater))
      return false;
    return true;
  }

  //===--------------------------------------------------------------------===//
  // Text
  //===--------------------------------------------------------------------===//

  /// Comments behind code stand in one column in lines that follow each other.
  std::string printLines() {
    std::string out;
    for (size_t i = 0; i < lines.size();) {
      size_t end = i, width = 0;
      while (end < lines.size() && !lines[end].comment.empty())
        width = std::max(width, lines[end++].code.size());
      if (end == i) {
        out += lines[i++].code + '\n';
        continue;
      }
      for (; i < end; ++i)
        out += lines[i].code +
               std::string(width + 2 - lines[i].code.size(), ' ') +
               lines[i].comment + '\n';
    }
    return out;
  }

  std::string_view text;
  std::vector<Piece> pieces;
  std::map<uint32_t, unsigned> starts; ///< with their indentation
  std::map<uint32_t, bool> items;      ///< true: with a body
  std::map<uint32_t, unsigned> bodies; ///< braces, with indentOf
  std::set<uint32_t> loops;            ///< where loops start
  std::set<uint32_t> angles, tight;
  std::set<uint32_t> knobs;          ///< their question marks
  std::vector<SourceRange> lists;    ///< of parameters: headers and runs
  std::set<uint32_t> breaks;         ///< where a line begins that was too long
  std::map<uint32_t, size_t> lineOf; ///< of the starts
  std::vector<Line> lines;
  const Piece *last = nullptr;
  size_t at = 0;
  unsigned current = 0;        ///< the indentation of the statement
  std::vector<TokenKind> open; ///< brackets and parentheses
  bool unary = false;
};

} // namespace

std::optional<std::string> formatText(const SourceFile &source,
                                      Diagnostics &diagnostics) {
  std::unique_ptr<File> file = parseFile(source, diagnostics);
  if (!file)
    return std::nullopt;
  Reporter reporter(diagnostics);
  LexedFile lexed = lex(source.text(), reporter);
  return Formatter(source.text(), lexed, *file).run();
}

} // namespace girih::frontend
