//===- Scop.cpp - the polyhedral model of one operator ---------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/Scop.h"
#include "compiler/poly/Text.h"
#include "compiler/support/Diagnostics.h"

#include <algorithm>
#include <set>

namespace girih::poly {

namespace {

std::string paramPrefix(const Scop &scop) {
  return scop.params.empty() ? "" : bracketed(scop.params) + " -> ";
}

/// Names for the dimensions of a whole access, unlike any dim or parameter.
std::string wholeName(const Scop &scop, const Statement &statement,
                      size_t dimension) {
  std::string name = "w" + std::to_string(dimension);
  auto taken = [&](const std::vector<std::string> &names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  while (taken(statement.dims) || taken(scop.params))
    name += "_";
  return name;
}

/// One pass over a Scop that reports every broken rule.
class Verifier {
public:
  Verifier(const Scop &scop, Diagnostics &diags) : scop(scop), diags(diags) {}

  bool run() {
    check(isIdentifier(scop.name), "the Scop's name is not an identifier");
    std::set<std::string> names;
    for (const std::string &param : scop.params) {
      checkName(param, "parameter");
      check(names.insert(param).second,
            "parameter '" + param + "' is declared twice");
    }
    for (const Affine &constraint : scop.context)
      checkAffine(constraint, 0, "the context");
    names.clear();
    for (const TimeLoop &loop : scop.loops) {
      checkName(loop.name, "time loop");
      check(names.insert(loop.name).second,
            "time loop '" + loop.name + "' is declared twice");
      checkAffine(loop.extent, 0,
                  "the extent of time loop '" + loop.name + "'");
    }
    names.clear();
    for (const Array &array : scop.arrays) {
      checkName(array.name, "array");
      check(names.insert(array.name).second,
            "array '" + array.name + "' is declared twice");
      check(array.elementBytes > 0,
            "array '" + array.name + "' has elements of no bytes");
      for (const Affine &extent : array.extents)
        checkAffine(extent, 0, "an extent of array '" + array.name + "'");
      bool isDivided = !array.extentDivisors.empty();
      check(!isDivided ||
                (array.extentDivisors.size() == array.extents.size() &&
                 std::all_of(array.extentDivisors.begin(),
                             array.extentDivisors.end(),
                             [](int64_t d) { return d > 0; })),
            "array '" + array.name + "' divides its extents by wrong numbers");
    }
    names.clear();
    for (const Statement &statement : scop.statements) {
      checkName(statement.name, "statement");
      check(names.insert(statement.name).second,
            "statement '" + statement.name + "' is declared twice");
      verify(statement);
    }
    if (good)
      verifyLoops();
    // Reductions index what has just been checked.
    if (good)
      for (const Reduction &reduction : scop.reductions)
        verify(reduction);
    return good;
  }

private:
  bool check(bool condition, const std::string &message) {
    if (!condition) {
      diags.error("G0711", message);
      good = false;
    }
    return condition;
  }

  void checkName(const std::string &name, const char *what) {
    check(isIslName(name), std::string(what) + " '" + name +
                               "' is not a name that isl's notation allows");
  }

  void checkAffine(const Affine &affine, size_t dims,
                   const std::string &where) {
    constexpr int64_t kMax = int64_t(1) << 53;
    auto fits = [](int64_t c) { return c >= -kMax && c <= kMax; };
    check(affine.dims.size() <= dims &&
              affine.params.size() <= scop.params.size(),
          where + " uses a dimension or parameter that does not exist");
    check(std::all_of(affine.dims.begin(), affine.dims.end(), fits) &&
              std::all_of(affine.params.begin(), affine.params.end(), fits) &&
              fits(affine.constant),
          where + " has a coefficient larger than 2^53");
  }

  void verify(const Statement &statement) {
    std::string where = "statement '" + statement.name + "'";
    std::set<std::string> names(scop.params.begin(), scop.params.end());
    for (const std::string &dim : statement.dims) {
      checkName(dim, "dimension");
      check(names.insert(dim).second,
            where + " names dimension '" + dim + "' twice or like a parameter");
    }
    for (const Affine &constraint : statement.constraints)
      checkAffine(constraint, statement.dims.size(), "the domain of " + where);
    for (size_t a = 0; a < statement.accesses.size(); ++a) {
      const Access &access = statement.accesses[a];
      if (!check(access.array < scop.arrays.size(),
                 where + " accesses an array that does not exist"))
        continue;
      const Array &array = scop.arrays[access.array];
      size_t expected = array.extents.size();
      if (access.wholeFrom >= 0) {
        check(!access.isWrite, where + " writes a whole of '" + array.name +
                                   "'; a write has one element");
        check(static_cast<size_t>(access.wholeFrom) < expected,
              where + " reads a whole of '" + array.name +
                  "' from a dimension that does not exist");
        expected = static_cast<size_t>(access.wholeFrom);
      }
      check(access.subscripts.size() == expected,
            where + " accesses '" + array.name + "' with " +
                std::to_string(access.subscripts.size()) +
                " subscripts where " + std::to_string(expected) + " are due");
      for (const Affine &subscript : access.subscripts)
        checkAffine(subscript, statement.dims.size(),
                    "a subscript of '" + array.name + "' in " + where);
      bool last = a + 1 == statement.accesses.size();
      check(access.isWrite == last,
            where + " must have exactly one write and it last");
      check(!access.isWrite || array.role != ArrayRole::Input,
            where + " writes the input '" + array.name + "'");
    }
    check(!statement.accesses.empty(), where + " writes nothing");
  }

  /// The statements of a loop stand side by side, in the same loops around it.
  void verifyLoops() {
    std::set<unsigned> opened;
    std::vector<unsigned> open;
    for (const Statement &statement : scop.statements) {
      std::string where = "statement '" + statement.name + "'";
      check(statement.loops.size() <= statement.dims.size(),
            where + " is in more time loops than it has dimensions");
      size_t common = 0;
      while (common < open.size() && common < statement.loops.size() &&
             open[common] == statement.loops[common])
        ++common;
      open.resize(common);
      for (size_t l = common; l < statement.loops.size(); ++l) {
        unsigned loop = statement.loops[l];
        if (!check(loop < scop.loops.size(),
                   where + " is in a time loop that does not exist") ||
            !check(opened.insert(loop).second,
                   "the statements of time loop '" + scop.loops[loop].name +
                       "' do not stand side by side"))
          return;
        open.push_back(loop);
      }
    }
    check(opened.size() == scop.loops.size(), "a time loop holds no statement");
  }

  void verify(const Reduction &reduction) {
    size_t count = scop.statements.size();
    if (!check(reduction.init < count && reduction.update < count &&
                   (!reduction.merge || *reduction.merge < count),
               "a reduction names a statement that does not exist"))
      return;
    const Statement &update = scop.statements[reduction.update];
    std::string where = "the reduction of '" + update.name + "'";
    if (!check(reduction.accumulator < scop.arrays.size(),
               where + " names an array that does not exist"))
      return;
    check(scop.statements[reduction.init].kind == StatementKind::Init &&
              update.kind == StatementKind::Update &&
              (!reduction.merge ||
               scop.statements[*reduction.merge].kind == StatementKind::Merge),
          where + " needs an init, an update and a merge of those kinds");
    check(reduction.outputEnd <= reduction.cellEnd &&
              reduction.cellEnd <= update.dims.size(),
          where + " divides its dimensions at places that do not exist");
    check(update.write().array == reduction.accumulator &&
              scop.statements[reduction.init].write().array ==
                  reduction.accumulator,
          where + " does not write its accumulator '" +
              scop.arrays[reduction.accumulator].name + "'");
  }

  const Scop &scop;
  Diagnostics &diags;
  bool good = true;
};

} // namespace

unsigned Scop::findStatement(const std::string &statementName) const {
  unsigned index = 0;
  while (index < statements.size() && statements[index].name != statementName)
    ++index;
  return index;
}

size_t commonLoops(const Statement &a, const Statement &b) {
  size_t common = 0;
  while (common < a.loops.size() && common < b.loops.size() &&
         a.loops[common] == b.loops[common])
    ++common;
  return common;
}

unsigned Scop::findArray(const std::string &arrayName) const {
  unsigned index = 0;
  while (index < arrays.size() && arrays[index].name != arrayName)
    ++index;
  return index;
}

std::string printDomain(const Scop &scop, unsigned statement) {
  const Statement &s = scop.statements[statement];
  std::string text = paramPrefix(scop) + "{ " + s.name + bracketed(s.dims);
  if (!s.constraints.empty())
    text += " : " + printConstraints(s.constraints, s.dims, scop.params);
  return text + " }";
}

std::string printAccess(const Scop &scop, unsigned statement, unsigned access) {
  const Statement &s = scop.statements[statement];
  const Access &a = s.accesses[access];
  const Array &array = scop.arrays[a.array];
  std::vector<std::string> subscripts;
  for (const Affine &subscript : a.subscripts)
    subscripts.push_back(print(subscript, s.dims, scop.params));
  std::string bounds;
  if (a.wholeFrom >= 0)
    for (size_t d = a.wholeFrom; d < array.extents.size(); ++d) {
      subscripts.push_back(wholeName(scop, s, d));
      int64_t divisor = array.extentDivisor(d);
      const std::string &name = subscripts.back();
      bounds += (bounds.empty() ? " : 0 <= " : " and 0 <= ") + name +
                (divisor == 1 ? "" : " and " + std::to_string(divisor) + name) +
                " < " + print(array.extents[d], {}, scop.params);
    }
  return paramPrefix(scop) + "{ " + s.name + bracketed(s.dims) + " -> " +
         array.name + bracketed(subscripts) + bounds + " }";
}

bool verifyScop(const Scop &scop, Diagnostics &diags) {
  return Verifier(scop, diags).run();
}

} // namespace girih::poly
