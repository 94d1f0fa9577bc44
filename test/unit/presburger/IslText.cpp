//===- IslText.cpp - isl's text of a map as plain constraints -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/presburger/IslText.h"

#include <cctype>
#include <map>
#include <stdexcept>

using namespace girih;
using namespace girih::test;

namespace {

/// Locals are numbered through the whole text, so that constraints can be put
/// together without renaming.
struct Constraints {
  std::vector<Row> zero, notNegative;
};
using Cases = std::vector<Constraints>;

class Reader {
public:
  Reader(const poly::Scop &scop, unsigned source, unsigned sink,
         const std::string &text)
      : scop(scop), source(source), sink(sink), text(text) {
    firstParam = unsigned(scop.statements[source].dims.size() +
                          scop.statements[sink].dims.size());
    nextVariable = firstParam + unsigned(scop.params.size());
  }

  Union read() {
    if (text[0] == '[') {
      at = text.find("->");
      take("->");
    }
    take("{");
    Cases all;
    while (!maybe("}")) {
      for (Constraints &part : map())
        all.push_back(std::move(part));
      maybe(";");
    }
    Union result;
    for (const Constraints &part : all)
      result.push_back(compressed(part));
    return result;
  }

private:
  [[noreturn]] void fail(const std::string &expected) const {
    throw std::runtime_error("expected " + expected + " at '" +
                             text.substr(at, 40) + "' in " + text);
  }
  void skip() {
    while (at < text.size() &&
           std::isspace(static_cast<unsigned char>(text[at])))
      ++at;
  }
  static bool isWordPart(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '\'';
  }
  bool maybe(const std::string &token) {
    skip();
    if (text.compare(at, token.size(), token) != 0)
      return false;
    size_t end = at + token.size();
    if (isWordPart(token.back()) && end < text.size() && isWordPart(text[end]))
      return false;
    at = end;
    return true;
  }
  void take(const std::string &token) {
    if (!maybe(token))
      fail("'" + token + "'");
  }
  std::string word() {
    skip();
    size_t end = at;
    while (end < text.size() && isWordPart(text[end]))
      ++end;
    std::string result = text.substr(at, end - at);
    at = end;
    return result;
  }
  bool isDigit() {
    skip();
    return at < text.size() &&
           std::isdigit(static_cast<unsigned char>(text[at]));
  }
  int64_t number() {
    if (!isDigit())
      fail("a number");
    size_t length = 0;
    int64_t value = std::stoll(text.substr(at, 20), &length);
    at += length;
    return value;
  }

  /// `A[i, j] -> B[i' = i, k] : constraints`.
  Cases map() {
    names.clear();
    for (unsigned p = 0; p < scop.params.size(); ++p)
      names[scop.params[p]] = Row::of(firstParam + p);
    Constraints equations;
    tuple(source, 0, equations);
    take("->");
    tuple(sink, unsigned(scop.statements[source].dims.size()), equations);
    Cases result{equations};
    if (maybe(":"))
      result = both(result, disjunction());
    return result;
  }

  void tuple(unsigned statement, unsigned first, Constraints &equations) {
    if (word() != scop.statements[statement].name)
      fail(scop.statements[statement].name);
    take("[");
    for (unsigned d = 0; d < scop.statements[statement].dims.size(); ++d) {
      if (d)
        take(",");
      entry(first + d, equations);
    }
    take("]");
  }

  void entry(unsigned variable, Constraints &into) {
    size_t start = at;
    std::string name = word();
    if (!name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
        !names.count(name)) {
      names[name] = Row::of(variable);
      if (!maybe("="))
        return;
    } else {
      at = start;
    }
    into.zero.push_back(Row::of(variable) - expression(into));
  }

  static Cases both(const Cases &a, const Cases &b) {
    Cases result;
    for (const Constraints &first : a)
      for (const Constraints &second : b) {
        Constraints &sum = result.emplace_back(first);
        sum.zero.insert(sum.zero.end(), second.zero.begin(), second.zero.end());
        sum.notNegative.insert(sum.notNegative.end(),
                               second.notNegative.begin(),
                               second.notNegative.end());
      }
    return result;
  }

  Cases disjunction() {
    Cases result = conjunction();
    while (maybe("or"))
      for (Constraints &part : conjunction())
        result.push_back(std::move(part));
    return result;
  }

  Cases conjunction() {
    Cases result = atom();
    while (maybe("and"))
      result = both(result, atom());
    return result;
  }

  Cases atom() {
    if (maybe("exists"))
      return existing();
    if (maybe("false"))
      return {};
    if (maybe("true"))
      return {Constraints()};
    size_t start = at;
    try {
      return {comparisons()};
    } catch (const std::runtime_error &) {
      at = start;
    }
    take("(");
    Cases inner = disjunction();
    take(")");
    return inner;
  }

  Cases existing() {
    take("(");
    std::map<std::string, Row> outer = names;
    Constraints defined;
    do {
      std::string name = word();
      names[name] = Row::of(nextVariable++);
      if (maybe("=")) {
        Row variable = names[name];
        defined.zero.push_back(variable - expression(defined));
      }
    } while (maybe(","));
    take(":");
    Cases inner = both({defined}, disjunction());
    take(")");
    names = std::move(outer);
    return inner;
  }

  /// `0 <= i < M`.
  Constraints comparisons() {
    Constraints result;
    Row left = expression(result);
    bool any = false;
    for (;;) {
      bool less = false, orEqual = false, isEquation = false;
      if (maybe("<="))
        less = orEqual = true;
      else if (maybe(">="))
        orEqual = true;
      else if (maybe("<"))
        less = true;
      else if (maybe("="))
        isEquation = true;
      else if (!maybe(">"))
        break;
      Row right = expression(result);
      any = true;
      if (isEquation)
        result.zero.push_back(left - right);
      else
        result.notNegative.push_back((less ? right - left : left - right) -
                                     (orEqual ? 0 : 1));
      left = right;
    }
    if (!any)
      fail("a comparison");
    return result;
  }

  Row expression(Constraints &into) {
    Row result = term(into);
    for (;;) {
      skip();
      if (text.compare(at, 2, "->") == 0)
        return result;
      if (maybe("+"))
        result = result + term(into);
      else if (maybe("-"))
        result = result - term(into);
      else
        return result;
    }
  }

  Row term(Constraints &into) {
    if (maybe("-"))
      return term(into) * -1;
    Row result;
    if (isDigit()) {
      int64_t factor = number();
      bool times = maybe("*");
      skip();
      bool more =
          at < text.size() &&
          (text[at] == '(' || std::isalpha(text[at]) || text[at] == '_');
      // `2 and`, `2 mod`: words that are no names.
      size_t start = at;
      std::string next = more ? word() : "";
      at = start;
      if (!times && (!more || next == "and" || next == "or" || next == "mod")) {
        result.constant = factor;
      } else {
        return factorOf(into) * factor;
      }
    } else {
      return factorOf(into);
    }
    return modulo(result, into);
  }

  Row factorOf(Constraints &into) {
    Row result;
    if (maybe("floor")) {
      take("(");
      Row value = expression(into);
      take("/");
      result = floorOf(value, number(), into);
      take(")");
    } else if (maybe("(")) {
      result = expression(into);
      take(")");
    } else {
      size_t start = at;
      auto found = names.find(word());
      if (found == names.end()) {
        at = start;
        fail("a name");
      }
      result = found->second;
    }
    return modulo(result, into);
  }

  Row modulo(const Row &value, Constraints &into) {
    if (!maybe("mod"))
      return value;
    int64_t divisor = number();
    return value - floorOf(value, divisor, into) * divisor;
  }

  Row floorOf(const Row &value, int64_t divisor, Constraints &into) {
    Row quotient = Row::of(nextVariable++);
    Row rest = value - quotient * divisor;
    into.notNegative.push_back(rest);
    into.notNegative.push_back(rest * -1 + (divisor - 1));
    return quotient;
  }

  /// With the locals that occur in it only.
  Conjunction compressed(const Constraints &part) const {
    unsigned params = unsigned(scop.params.size());
    Conjunction result(firstParam, params);
    std::map<unsigned, unsigned> locals;
    auto renamed = [&](const Row &row) {
      Row next;
      next.constant = row.constant;
      for (unsigned v = 0; v < row.terms.size(); ++v) {
        if (row.terms[v] == 0)
          continue;
        unsigned to = v;
        if (v >= firstParam + params)
          to = firstParam + params +
               locals.try_emplace(v, unsigned(locals.size())).first->second;
        next = next + Row::of(to, row.terms[v]);
      }
      return next;
    };
    for (const Row &row : part.zero)
      result.zero(renamed(row));
    for (const Row &row : part.notNegative)
      result.notNegative(renamed(row));
    result.locals = unsigned(locals.size());
    return result;
  }

  const poly::Scop &scop;
  unsigned source, sink, firstParam, nextVariable;
  const std::string &text;
  size_t at = 0;
  std::map<std::string, Row> names;
};

} // namespace

Union girih::test::readPairs(const poly::Scop &scop, unsigned source,
                             unsigned sink, const std::string &text) {
  return Reader(scop, source, sink, text).read();
}
