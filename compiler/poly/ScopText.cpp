//===- ScopText.cpp - the text form of a Scop ------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   scop rowsum
//     params M, N
//     context 0 <= M and 0 <= N
//     time t in T
//     array X input 4 [M, N]
//     array S_part accumulator 4 [M, ceil(N/64)]
//     statement S_sum update in t
//       domain [M, N] -> { S_sum[t, i, k] : 0 <= i < M and 0 <= k < N }
//       read [M, N] -> { S_sum[t, i, k] -> S_acc[i] }
//       read [M, N] -> { S_sum[t, i, k] -> X[i, k] }
//       write [M, N] -> { S_sum[t, i, k] -> S_acc[i] }
//     reduction init S_init update S_sum accumulator S_acc value 1 cell 1
//       ordered term "seq" product                           (on the same line)
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/Scop.h"
#include "compiler/poly/Text.h"
#include "compiler/support/Diagnostics.h"

#include <algorithm>
#include <iterator>

namespace girih::poly {

namespace {

constexpr const char *kRoles[] = {"input", "output", "temporary", "accumulator",
                                  "inout"};
constexpr const char *kKinds[] = {"map", "init", "update", "merge", "scatter"};

class ScopReader {
public:
  ScopReader(const std::string &text, Diagnostics &diags)
      : reader(text, diags, "G0710") {}

  std::optional<Scop> run() {
    if (!reader.nextLine())
      return reader.fail("expected 'scop NAME'"), std::nullopt;
    if (!reader.expect("scop") || !reader.identifier(scop.name, "a name") ||
        !reader.expectEnd())
      return std::nullopt;
    while (reader.nextLine())
      if (!line() || !reader.expectEnd())
        return std::nullopt;
    if (reader.failed())
      return std::nullopt;
    return std::move(scop);
  }

private:
  bool line() {
    if (reader.take("params"))
      return params();
    if (reader.take("context")) {
      if (!scop.statements.empty())
        return reader.fail("'context' stands before the statements");
      return reader.constraints({nullptr, &scop.params}, scop.context);
    }
    if (reader.take("time"))
      return timeLoop(/*isPass=*/false);
    if (reader.take("pass"))
      return timeLoop(/*isPass=*/true);
    if (reader.take("array"))
      return array();
    if (reader.take("statement"))
      return statement();
    if (reader.take("reduction"))
      return reduction();
    if (reader.sees("domain") || reader.sees("read") || reader.sees("write")) {
      if (scop.statements.empty())
        return reader.fail("a domain or access stands below a statement");
      if (reader.take("domain"))
        return domain();
      bool isWrite = reader.take("write");
      return (isWrite || reader.take("read")) && access(isWrite);
    }
    return reader.fail("expected 'params', 'context', 'time', 'array', "
                       "'statement', "
                       "'domain', 'read', 'write' or 'reduction'");
  }

  bool params() {
    if (!scop.params.empty() || !scop.arrays.empty() ||
        !scop.statements.empty() || !scop.context.empty())
      return reader.fail(
          "'params' stands once, before everything that uses it");
    do {
      if (!reader.identifier(scop.params.emplace_back(), "a parameter"))
        return false;
    } while (reader.take(","));
    return true;
  }

  template <size_t N>
  bool word(const char *const (&words)[N], unsigned &out, const char *what) {
    for (unsigned i = 0; i < N; ++i)
      if (reader.take(words[i])) {
        out = i;
        return true;
      }
    return reader.fail("expected " + std::string(what));
  }

  /// `time t in T`; `pass t in T` where its turns are blocks of one pass.
  bool timeLoop(bool isPass) {
    if (!scop.statements.empty())
      return reader.fail("'time' stands before the statements");
    TimeLoop &loop = scop.loops.emplace_back();
    loop.isPass = isPass;
    return reader.identifier(loop.name, "a time loop's name") &&
           reader.expect("in") &&
           reader.affine({nullptr, &scop.params}, loop.extent);
  }

  /// ` in t, u`: the time loops around a statement.
  bool loopsAround(Statement &statement) {
    do {
      std::string name;
      if (!reader.identifier(name, "a time loop"))
        return false;
      auto found =
          std::find_if(scop.loops.begin(), scop.loops.end(),
                       [&](const TimeLoop &loop) { return loop.name == name; });
      if (found == scop.loops.end())
        return reader.fail("time loop '" + name + "' is not declared");
      statement.loops.push_back(
          static_cast<unsigned>(found - scop.loops.begin()));
    } while (reader.take(","));
    return true;
  }

  bool array() {
    Array result;
    unsigned role = 0;
    if (!reader.identifier(result.name, "an array's name") ||
        !word(kRoles, role,
              "'input', 'output', 'temporary', 'accumulator' or 'inout'") ||
        !reader.unsignedInteger(result.elementBytes, "bytes an element") ||
        !extents(result))
      return false;
    result.role = static_cast<ArrayRole>(role);
    scop.arrays.push_back(std::move(result));
    return true;
  }

  /// `[M, ceil((N + 1)/64)]`.
  bool extents(Array &array) {
    Names names{nullptr, &scop.params};
    bool isDivided = false;
    if (!reader.expect("["))
      return false;
    if (reader.take("]"))
      return true;
    do {
      int64_t divisor = 1;
      bool divided = reader.sees("ceil") && reader.sees("(", 1);
      if (divided)
        reader.take("ceil"), reader.take("(");
      bool single = false;
      if (!reader.affine(names, array.extents.emplace_back(), single))
        return false;
      if (divided) {
        if (!single)
          return reader.fail("a sum that is divided stands in parentheses");
        if (!reader.expect("/") || !reader.integer(divisor, "a divisor") ||
            !reader.expect(")"))
          return false;
        if (divisor < 2)
          return reader.fail("a divisor of an extent is 2 or more");
        isDivided = true;
      }
      array.extentDivisors.push_back(divisor);
    } while (reader.take(","));
    if (!isDivided)
      array.extentDivisors.clear();
    return reader.expect("]");
  }

  bool statement() {
    Statement result;
    unsigned kind = 0;
    if (!reader.identifier(result.name, "a statement's name") ||
        !word(kKinds, kind, "'map', 'init', 'update', 'merge' or 'scatter'"))
      return false;
    result.kind = static_cast<StatementKind>(kind);
    result.unordered =
        result.kind == StatementKind::Scatter && reader.take("unordered");
    if (reader.take("in") && !loopsAround(result))
      return false;
    scop.statements.push_back(std::move(result));
    hasDomain = false;
    return true;
  }

  /// `[M, N] -> { NAME[i, j]`; the dims are declared by the first of them.
  bool instance(bool declares) {
    Statement &current = scop.statements.back();
    if (!scop.params.empty() || reader.sees("[")) {
      if (!reader.expect("["))
        return false;
      for (size_t p = 0; p < scop.params.size(); ++p)
        if ((p && !reader.expect(",")) || !reader.expect(scop.params[p]))
          return false;
      if (!reader.expect("]") || !reader.expect("->"))
        return false;
    }
    if (!reader.expect("{") || !reader.expect(current.name) ||
        !reader.expect("["))
      return false;
    if (declares) {
      if (!reader.sees("]"))
        do {
          if (!reader.identifier(current.dims.emplace_back(), "a dimension"))
            return false;
        } while (reader.take(","));
    } else {
      for (size_t d = 0; d < current.dims.size(); ++d)
        if ((d && !reader.expect(",")) || !reader.expect(current.dims[d]))
          return false;
    }
    return reader.expect("]");
  }

  bool domain() {
    Statement &current = scop.statements.back();
    if (hasDomain)
      return reader.fail("statement '" + current.name +
                         "' has its domain already");
    hasDomain = true;
    if (!instance(true))
      return false;
    if (reader.take(":")) {
      if (!reader.constraints({&current.dims, &scop.params},
                              current.constraints))
        return false;
      if (reader.sees("or"))
        return reader.fail("a domain is one conjunction; make a statement of "
                           "each side of this 'or'");
    }
    return reader.expect("}");
  }

  bool access(bool isWrite) {
    Statement &current = scop.statements.back();
    if (!hasDomain)
      return reader.fail("the domain of '" + current.name +
                         "' stands before its accesses");
    Access result;
    result.isWrite = isWrite;
    std::string name;
    if (!instance(false) || !reader.expect("->") ||
        !reader.identifier(name, "an array"))
      return false;
    result.array = scop.findArray(name);
    if (result.array == scop.arrays.size())
      return reader.fail("array '" + name + "' is not declared");
    const Array &array = scop.arrays[result.array];
    std::vector<std::string> whole;
    std::vector<unsigned> wholeDims;
    if (!reader.expect("["))
      return false;
    if (!reader.sees("]"))
      do {
        if (!subscript(result, whole, wholeDims))
          return false;
      } while (reader.take(","));
    if (!reader.expect("]"))
      return false;
    if (!whole.empty() && !wholeBounds(array, wholeDims, whole))
      return false;
    // Those at the end are a whole from there on.
    while (!wholeDims.empty() &&
           wholeDims.back() + 1 == result.subscripts.size()) {
      result.wholeFrom = static_cast<int>(wholeDims.back());
      wholeDims.pop_back();
      result.subscripts.pop_back();
    }
    result.anyAt = std::move(wholeDims);
    if (!reader.expect("}"))
      return false;
    current.accesses.push_back(std::move(result));
    return true;
  }

  /// An affine subscript, or a fresh name: a whole dimension.
  bool subscript(Access &access, std::vector<std::string> &whole,
                 std::vector<unsigned> &wholeDims) {
    const Statement &current = scop.statements.back();
    auto known = [&](const std::vector<std::string> &names) {
      return std::any_of(names.begin(), names.end(),
                         [&](const std::string &n) { return reader.sees(n); });
    };
    bool fresh =
        reader.seesIdentifier() && !known(current.dims) && !known(scop.params);
    if (fresh && (reader.sees(",", 1) || reader.sees("]", 1))) {
      wholeDims.push_back(static_cast<unsigned>(access.subscripts.size()));
      access.subscripts.emplace_back();
      return reader.identifier(whole.emplace_back(), "a name");
    }
    return reader.affine({&current.dims, &scop.params},
                         access.subscripts.emplace_back());
  }

  bool wholeBounds(const Array &array, const std::vector<unsigned> &dims,
                   const std::vector<std::string> &whole) {
    std::vector<Affine> bounds, expected;
    if (!reader.expect(":") ||
        !reader.constraints({&whole, &scop.params}, bounds))
      return false;
    for (unsigned w = 0; w < whole.size(); ++w) {
      size_t d = dims[w];
      if (d >= array.extents.size())
        break;
      expected.push_back(Affine::dim(w));
      expected.push_back(array.extents[d] -
                         Affine::dim(w, array.extentDivisor(d)) -
                         Affine::of(1));
    }
    if (bounds != expected)
      return reader.fail("a whole dimension runs over the array's extent, "
                         "`0 <= " +
                         whole[0] + " < extent`");
    return true;
  }

  bool statementName(const char *role, unsigned &out) {
    std::string name;
    if (!reader.expect(role) || !reader.identifier(name, "a statement"))
      return false;
    out = scop.findStatement(name);
    if (out == scop.statements.size())
      return reader.fail("statement '" + name + "' is not declared");
    return true;
  }

  bool reduction() {
    Reduction result;
    std::string name;
    if (!statementName("init", result.init) ||
        !statementName("update", result.update))
      return false;
    if (reader.sees("merge")) {
      unsigned merge = 0;
      if (!statementName("merge", merge))
        return false;
      result.merge = merge;
    }
    if (!reader.expect("accumulator") || !reader.identifier(name, "an array"))
      return false;
    result.accumulator = scop.findArray(name);
    if (result.accumulator == scop.arrays.size())
      return reader.fail("array '" + name + "' is not declared");
    if (!reader.expect("value") ||
        !reader.unsignedInteger(result.outputEnd, "a dimension's number") ||
        !reader.expect("cell") ||
        !reader.unsignedInteger(result.cellEnd, "a dimension's number"))
      return false;
    result.associative = reader.take("associative");
    if ((!result.associative && !reader.expect("ordered")) ||
        !reader.expect("term") || !reader.string(result.term, "a term"))
      return false;
    result.product = reader.take("product");
    scop.reductions.push_back(std::move(result));
    return true;
  }

  TextReader reader;
  Scop scop;
  bool hasDomain = false;
};

std::string printExtents(const Array &array,
                         const std::vector<std::string> &params) {
  std::vector<std::string> items;
  for (size_t d = 0; d < array.extents.size(); ++d) {
    std::string text = print(array.extents[d], {}, params);
    int64_t divisor =
        array.extentDivisors.empty() ? 1 : array.extentDivisors[d];
    if (divisor != 1) {
      bool isSingle = isIdentifier(text) ||
                      text.find_first_not_of("0123456789") == text.npos;
      text = "ceil(" + (isSingle ? text : "(" + text + ")") + "/" +
             std::to_string(divisor) + ")";
    }
    items.push_back(std::move(text));
  }
  return bracketed(items);
}

} // namespace

std::string printScop(const Scop &scop) {
  std::string text = "scop " + scop.name + "\n";
  for (size_t p = 0; p < scop.params.size(); ++p)
    text += (p ? ", " : "  params ") + scop.params[p];
  text += scop.params.empty() ? "" : "\n";
  if (!scop.context.empty())
    text +=
        "  context " + printConstraints(scop.context, {}, scop.params) + "\n";
  for (const TimeLoop &loop : scop.loops)
    text += (loop.isPass ? "  pass " : "  time ") + loop.name + " in " +
            print(loop.extent, {}, scop.params) + "\n";
  for (const Array &array : scop.arrays)
    text += "  array " + array.name + " " +
            kRoles[static_cast<unsigned>(array.role)] + " " +
            std::to_string(array.elementBytes) + " " +
            printExtents(array, scop.params) + "\n";
  for (unsigned s = 0; s < scop.statements.size(); ++s) {
    const Statement &statement = scop.statements[s];
    text += "  statement " + statement.name + " " +
            kKinds[static_cast<unsigned>(statement.kind)] +
            (statement.unordered ? " unordered" : "");
    for (size_t l = 0; l < statement.loops.size(); ++l)
      text += (l ? ", " : " in ") + scop.loops[statement.loops[l]].name;
    text += "\n";
    text += "    domain " + printDomain(scop, s) + "\n";
    for (unsigned a = 0; a < statement.accesses.size(); ++a)
      text += std::string("    ") +
              (statement.accesses[a].isWrite ? "write " : "read ") +
              printAccess(scop, s, a) + "\n";
  }
  for (const Reduction &reduction : scop.reductions) {
    text += "  reduction init " + scop.statements[reduction.init].name +
            " update " + scop.statements[reduction.update].name;
    if (reduction.merge)
      text += " merge " + scop.statements[*reduction.merge].name;
    text += " accumulator " + scop.arrays[reduction.accumulator].name +
            " value " + std::to_string(reduction.outputEnd) + " cell " +
            std::to_string(reduction.cellEnd) +
            (reduction.associative ? " associative" : " ordered") + " term " +
            quoted(reduction.term) + (reduction.product ? " product" : "") +
            "\n";
  }
  return text;
}

std::optional<Scop> readScop(const std::string &text, Diagnostics &diags) {
  std::optional<Scop> scop = ScopReader(text, diags).run();
  if (!scop || !verifyScop(*scop, diags))
    return std::nullopt;
  return scop;
}

} // namespace girih::poly
