//===- PtxOperands.cpp - operands and constant expressions ----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, 4.5 (constants) and 6 (operands). Constants are computed as
// ptxas does: `~` gives an unsigned one, `%` takes and
// gives unsigned ones.
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/PtxParser.h"

#include <bit>

namespace girih::sim {

namespace {

constexpr unsigned kOperandDepth = 4; ///< braces and brackets
constexpr unsigned kParenthesisDepth = 32;
constexpr unsigned kUnaryOperators = 32; ///< in a row

struct BinaryRow {
  std::string_view symbol;
  unsigned strength; ///< as in C: higher binds tighter
};
constexpr BinaryRow kBinary[] = {
    {"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5},  {"==", 6},
    {"!=", 6}, {"<", 7},  {"<=", 7}, {">", 7},  {">=", 7}, {"<<", 8},
    {">>", 8}, {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};

unsigned strengthOf(const Token &token) {
  if (token.kind == Token::Kind::Punctuation)
    for (const BinaryRow &row : kBinary)
      if (row.symbol == token.text)
        return row.strength;
  return 0;
}

/// Truncates as in C; the divisor is not 0.
uint64_t divide(uint64_t left, uint64_t right, bool isUnsigned) {
  if (isUnsigned)
    return left / right;
  if (int64_t(right) == -1) // the smallest number has no positive counterpart
    return 0 - left;
  return uint64_t(int64_t(left) / int64_t(right));
}

/// -1, 0, 1.
int compare(uint64_t left, uint64_t right, bool isUnsigned) {
  if (left == right)
    return 0;
  bool less = isUnsigned ? left < right : int64_t(left) < int64_t(right);
  return less ? -1 : 1;
}

/// All but `/` and `%` by 0.
uint64_t applyInteger(std::string_view symbol, uint64_t left, uint64_t right,
                      bool isUnsigned) {
  switch (symbol[0]) {
  case '|':
    return symbol.size() == 2 ? left || right : left | right;
  case '&':
    return symbol.size() == 2 ? left && right : left & right;
  case '^':
    return left ^ right;
  case '+':
    return left + right;
  case '-':
    return left - right;
  case '*':
    return left * right;
  case '/':
    return divide(left, right, isUnsigned);
  case '%':
    return left % right; // of unsigned operands always
  default:
    break;
  }
  int order = compare(left, right, isUnsigned);
  if (symbol == "==" || symbol == "!=")
    return (order == 0) == (symbol[0] == '=');
  bool holds = symbol[0] == '<' ? order < 0 : order > 0;
  return holds || (symbol.size() == 2 && order == 0);
}

} // namespace

bool PtxParser::parseOperand(SyntaxOperand &operand, unsigned depth) {
  if (!parseSimple(operand, depth))
    return false;
  if (!current.is("|"))
    return true;
  advance();
  SyntaxOperand pair;
  pair.kind = SyntaxOperand::Kind::Pair;
  pair.elements.resize(2);
  pair.elements[0] = std::move(operand);
  operand = std::move(pair);
  return parseSimple(operand.elements[1], depth);
}

bool PtxParser::parseSimple(SyntaxOperand &operand, unsigned depth) {
  if (current.isWord() && !(current.text == "WARP_SZ" && !isWarpSizeAlone()))
    return parseNamed(operand);
  if (current.is("{"))
    return parseVector(operand, depth + 1);
  if (current.is("["))
    return parseAddress(operand, depth + 1);
  if (current.is("!") && ahead.isWord() && ahead.text != "WARP_SZ")
    return parseNegated(operand);
  if (startsConstant())
    return parseConstantOperand(operand);
  return expected("an operand");
}

bool PtxParser::parseVector(SyntaxOperand &operand, unsigned depth) {
  if (depth > kOperandDepth)
    return fail(current.line, "operands are nested deeper than " +
                                  std::to_string(kOperandDepth) + " levels");
  advance();
  operand.kind = SyntaxOperand::Kind::Vector;
  operand.elements.reserve(4);
  do {
    operand.elements.emplace_back();
    if (!parseOperand(operand.elements.back(), depth))
      return false;
  } while (takeIf(","));
  return current.is("}") ? expect("}") : expected("',' or '}' in a vector");
}

bool PtxParser::parseAddress(SyntaxOperand &operand, unsigned depth) {
  if (depth > kOperandDepth)
    return fail(current.line, "operands are nested deeper than " +
                                  std::to_string(kOperandDepth) + " levels");
  advance();
  operand.kind = SyntaxOperand::Kind::Address;
  if (!parseAddressBase(operand))
    return false;
  while (takeIf(",")) {
    operand.elements.emplace_back();
    if (!parseOperand(operand.elements.back(), depth))
      return false;
  }
  if (current.is("-"))
    return fail(current.line, "an offset is added to an address: write '+-' "
                              "in place of '-'");
  return current.is("]") ? expect("]") : expected("',' or ']' in an address");
}

bool PtxParser::parseAddressBase(SyntaxOperand &operand) {
  SyntaxOperand &base = operand.elements.emplace_back();
  if (!current.isWord()) {
    if (!startsConstant())
      return expected("a register, a variable or a number in an address");
    uint32_t line = current.line;
    if (!parseConstantOperand(base))
      return false;
    if (base.kind != SyntaxOperand::Kind::Integer)
      return fail(line, "an address is no floating-point number");
    return true;
  }
  Token word = current;
  if (!parseNamed(base))
    return false;
  if (base.kind != SyntaxOperand::Kind::Register &&
      base.kind != SyntaxOperand::Kind::Variable)
    return fail(word.line, "'" + std::string(word.text) +
                               "' in an address is no declared register or "
                               "variable");
  operand.offset = base.offset;
  base.offset = 0;
  return !takeIf("+") || parseOffset(operand.offset);
}

bool PtxParser::parseNegated(SyntaxOperand &operand) {
  advance();
  Token word = current;
  if (!parseNamed(operand))
    return false;
  if (operand.kind != SyntaxOperand::Kind::Register)
    return fail(word.line, "'" + std::string(word.text) +
                               "' behind '!' is no declared register");
  operand.negated = true;
  return true;
}

/// A word: current.
bool PtxParser::parseNamed(SyntaxOperand &operand) {
  Token word = current;
  advance();
  using Kind = SyntaxOperand::Kind;
  if (word.text == "_") {
    operand.kind = Kind::Sink;
    return true;
  }
  if (const PtxSymbol *symbol = lookUp(word.text)) {
    operand.index = symbol->index;
    operand.kind = Kind::Register;
    if (symbol->kind == PtxSymbol::Kind::Register)
      return true;
    operand.kind = Kind::Variable;
    operand.name = word.text;
    operand.isGlobal = symbol->kind == PtxSymbol::Kind::GlobalVariable;
    operand.isParameter = symbol->kind == PtxSymbol::Kind::Parameter;
    if (current.is("["))
      return fail(word.line, "an index behind variable '" + operand.name +
                                 "' is not supported: add the offset in bytes, "
                                 "as in [" +
                                 operand.name + "+4]");
    return !takeIf("+") || parseOffset(operand.offset);
  }
  operand.name = word.text;
  if (word.text[0] == '%' || word.text == "WARP_SZ") {
    operand.kind = Kind::Special;
    if (current.kind == Token::Kind::Dotted) {
      operand.name += current.text;
      advance();
      return true;
    }
  } else {
    operand.kind = Kind::Name;
  }
  hasPendingName = true;
  return true;
}

/// Behind a `+`.
bool PtxParser::parseOffset(int64_t &offset) {
  uint32_t line = current.line;
  PtxConstant value;
  if (!startsConstant())
    return expected("a constant offset");
  if (!parseConstant(value))
    return false;
  if (value.kind != PtxConstant::Kind::Integer)
    return fail(line, "an offset is no floating-point number");
  offset = int64_t(value.bits);
  return true;
}

bool PtxParser::parseConstantOperand(SyntaxOperand &operand) {
  PtxConstant value;
  if (!parseConstant(value))
    return false;
  operand.bits = value.bits;
  switch (value.kind) {
  case PtxConstant::Kind::Integer:
    operand.kind = SyntaxOperand::Kind::Integer;
    break;
  case PtxConstant::Kind::Float32:
    operand.kind = SyntaxOperand::Kind::Float32;
    break;
  case PtxConstant::Kind::Float64:
    operand.kind = SyntaxOperand::Kind::Float64;
    break;
  }
  return true;
}

bool PtxParser::isWarpSizeAlone() const { return strengthOf(ahead) == 0; }

bool PtxParser::startsConstant() const {
  switch (current.kind) {
  case Token::Kind::Integer:
  case Token::Kind::Float32:
  case Token::Kind::Float64:
    return true;
  case Token::Kind::Word:
    return current.text == "WARP_SZ";
  case Token::Kind::Punctuation:
    return std::string_view("-+~!(").find(current.text) !=
           std::string_view::npos;
  default:
    return false;
  }
}

bool PtxParser::parseConstant(PtxConstant &value) {
  return parseBinary(value, 1, 0);
}

/// Operators at least as strong as `weakest`.
bool PtxParser::parseBinary(PtxConstant &value, unsigned weakest,
                            unsigned depth) {
  if (!parseUnary(value, depth))
    return false;
  for (;;) {
    unsigned strength = strengthOf(current);
    if (strength == 0 || strength < weakest)
      return true;
    Token symbol = current;
    advance();
    PtxConstant right;
    if (!parseBinary(right, strength + 1, depth) ||
        !combine(symbol.text, symbol.line, value, right))
      return false;
  }
}

bool PtxParser::parseUnary(PtxConstant &value, unsigned depth) {
  // Innermost last; a cast stands as 's' or 'u'.
  std::string operators;
  uint32_t line = current.line;
  for (;; advance()) {
    bool isCast =
        current.is("(") && (ahead.isDotted("s64") || ahead.isDotted("u64"));
    if (isCast) {
      advance();
      operators += current.text[1];
      advance();
      if (!current.is(")"))
        return expected("')' behind a cast");
    } else if (current.is("-") || current.is("+") || current.is("~") ||
               current.is("!")) {
      operators += current.text[0];
    } else {
      break;
    }
    if (operators.size() > kUnaryOperators)
      return fail(line, "more than " + std::to_string(kUnaryOperators) +
                            " operators in front of a constant");
  }
  if (!parsePrimary(value, depth))
    return false;
  for (size_t i = operators.size(); i-- > 0;) {
    char symbol = operators[i];
    bool isInteger = value.kind == PtxConstant::Kind::Integer;
    if (!isInteger && value.kind == PtxConstant::Kind::Float64 &&
        (symbol == '-' || symbol == '+')) {
      value.bits ^= uint64_t(symbol == '-') << 63;
      continue;
    }
    if (!isInteger)
      return fail(line, std::string("'") + symbol +
                            "' does not apply to a floating-point constant");
    if (symbol == '-')
      value.bits = 0 - value.bits;
    else if (symbol == '~')
      value = {PtxConstant::Kind::Integer, true, ~value.bits};
    else if (symbol == '!')
      value = {PtxConstant::Kind::Integer, false, value.bits == 0};
    else if (symbol != '+')
      value.isUnsigned = symbol == 'u';
  }
  return true;
}

bool PtxParser::parsePrimary(PtxConstant &value, unsigned depth) {
  value = {PtxConstant::Kind::Integer, current.isUnsigned, current.bits};
  switch (current.kind) {
  case Token::Kind::Integer:
    break;
  case Token::Kind::Float32:
    value.kind = PtxConstant::Kind::Float32;
    break;
  case Token::Kind::Float64:
    value.kind = PtxConstant::Kind::Float64;
    break;
  case Token::Kind::Word:
    if (current.text != "WARP_SZ")
      return expected("a constant");
    value.bits = 32;
    break;
  default:
    if (!current.is("("))
      return expected("a constant");
    if (depth == kParenthesisDepth)
      return fail(current.line, "parentheses are nested deeper than " +
                                    std::to_string(kParenthesisDepth) +
                                    " levels");
    advance();
    return parseBinary(value, 1, depth + 1) && expect(")");
  }
  advance();
  return true;
}

bool PtxParser::combine(std::string_view symbol, uint32_t line,
                        PtxConstant &left, const PtxConstant &right) {
  using Kind = PtxConstant::Kind;
  if (left.kind == Kind::Float64 && right.kind == Kind::Float64 &&
      symbol.size() == 1 &&
      std::string_view("+-*/").find(symbol) != std::string_view::npos) {
    double a = std::bit_cast<double>(left.bits);
    double b = std::bit_cast<double>(right.bits);
    double value = symbol == "+"   ? a + b
                   : symbol == "-" ? a - b
                   : symbol == "*" ? a * b
                                   : a / b;
    left.bits = std::bit_cast<uint64_t>(value);
    return true;
  }
  if (left.kind != Kind::Integer || right.kind != Kind::Integer)
    return fail(line, "'" + std::string(symbol) +
                          "' does not combine these constants: both are "
                          "integers or, for + - * /, both are decimals");
  if (symbol == "<<" || symbol == ">>") {
    if (right.bits > 63)
      return fail(line, "a constant is shifted by more than 63 bits");
    if (symbol == "<<")
      left.bits <<= right.bits;
    else if (left.isUnsigned)
      left.bits >>= right.bits;
    else
      left.bits = uint64_t(int64_t(left.bits) >> right.bits);
    return true;
  }
  if ((symbol == "/" || symbol == "%") && right.bits == 0)
    return fail(line, "a constant is divided by zero");
  bool isUnsigned = left.isUnsigned || right.isUnsigned;
  left.bits = applyInteger(symbol, left.bits, right.bits, isUnsigned);
  bool isTruth = symbol == "&&" || symbol == "||" || symbol == "==" ||
                 symbol == "!=" || symbol[0] == '<' || symbol[0] == '>';
  left.isUnsigned = symbol == "%" || (isUnsigned && !isTruth);
  return true;
}

} // namespace girih::sim
