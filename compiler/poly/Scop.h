//===- Scop.h - the polyhedral model of one operator ------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plain value: parameters (sizes), arrays, statements in textual order with
// iteration domains and access relations, and the reductions with their
// accumulator cells. Each domain is one conjunction of affine constraints; each
// access maps an instance to exactly one element, except a merge's read, which
// reads all cells of its accumulator, and those whose place data decide, which
// are accesses to all elements that may be meant. Several statements may write
// one array.
//
// A scatter reads and writes one element of the array that a map before it has
// filled, at a place that data decide.
//
// A reduction `T = sum[k](body)` whose term has cells is a chain of statements:
//   T_init    one instance per cell: the cell starts at the identity;
//   T_sum     one instance per reduced element: cell = cell (+) body;
//   T_merge   one instance per finished value: combines its cells, in the
//             order its term fixes ("order inside one statement is its own").
// Nested terms repeat T_sum2, T_merge2 over the partial results.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_POLY_SCOP_H
#define GIRIH_COMPILER_POLY_SCOP_H

#include "compiler/poly/Affine.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace girih {
class Diagnostics;
}

namespace girih::poly {

/// InOut: an input whose memory is an output too.
enum class ArrayRole { Input, Output, Temporary, Accumulator, InOut };
constexpr bool isResult(ArrayRole role) {
  return role == ArrayRole::Output || role == ArrayRole::InOut;
}

struct Array {
  std::string name;
  ArrayRole role = ArrayRole::Temporary;
  unsigned elementBytes = 4;
  std::vector<Affine> extents; ///< over parameters only
  /// Extent d is ceil(extents[d] / extentDivisors[d]); empty means all 1.
  std::vector<int64_t> extentDivisors;
  int64_t extentDivisor(size_t d) const {
    return d < extentDivisors.size() ? extentDivisors[d] : 1;
  }
  bool operator==(const Array &) const = default;
};

/// Repeats statements in time: turn after turn, the first of them again after
/// the last.
struct TimeLoop {
  std::string name; ///< an identifier, unique
  Affine extent;    ///< turns 0 .. extent-1, over parameters only
  /// Its turns are blocks of one pass over elements; the default schedule runs
  /// them inside a kernel.
  bool isPass = false;
  bool operator==(const TimeLoop &) const = default;
};

enum class StatementKind { Map, Init, Update, Merge, Scatter };

/// One element per subscript; `wholeFrom` >= 0 marks an access to every element
/// along the array's dimensions from that one on (a merge reading its cells, a
/// place that data decide); there are then `wholeFrom` subscripts. `anyAt` are
/// such dimensions before others, in order; their subscripts are 0.
struct Access {
  unsigned array = 0;
  bool isWrite = false;
  std::vector<Affine> subscripts; ///< over the statement's dims and parameters
  int wholeFrom = -1;
  std::vector<unsigned> anyAt = {};
  bool operator==(const Access &) const = default;
  /// Whether it is one element, and the subscripts say which.
  bool isExact() const { return wholeFrom < 0 && anyAt.empty(); }
  bool isAny(unsigned dim) const {
    for (unsigned any : anyAt)
      if (any == dim)
        return true;
    return wholeFrom >= 0 && dim >= unsigned(wholeFrom);
  }
};

struct Statement {
  std::string name; ///< an isl identifier, unique
  StatementKind kind = StatementKind::Map;
  /// Time loops around it, outermost first: its leading dimensions are their
  /// turns.
  std::vector<unsigned> loops;
  std::vector<std::string> dims;   ///< names of its dimensions
  std::vector<Affine> constraints; ///< each >= 0; together the domain
  std::vector<Access> accesses;    ///< reads in body order, then the write
  /// Scatter: its instances may run in any order, even at once: no two have the
  /// same place, or they combine exactly and atomically.
  bool unordered = false;
  bool operator==(const Statement &) const = default;

  /// The one write (the Scop is verified).
  const Access &write() const { return accesses.back(); }
};

/// What fixes the order of one ordered reduction level. Instances of `update`
/// are divided into cells by dims [0, cellEnd); within a cell they must run in
/// lexicographic order of dims [cellEnd, end). `associative` reductions (max,
/// min) have no order.
struct Reduction {
  unsigned init = 0; ///< statement index
  unsigned update = 0;
  std::optional<unsigned> merge; ///< absent when each value has one cell
  unsigned accumulator = 0;      ///< array index
  unsigned outputEnd = 0; ///< dims [0, outputEnd) of update name the value,
                          ///< [outputEnd, cellEnd) its cells
  unsigned cellEnd = 0;
  bool associative = false;
  std::string term; ///< of this level, as text
  /// The update's value is a product of its first two reads (through exact
  /// conversions), so that a tile of it may be a contraction.
  bool product = false;
  bool operator==(const Reduction &) const = default;
};

struct Scop {
  std::string name;
  std::vector<std::string> params;
  std::vector<Affine> context; ///< each >= 0, over parameters
  std::vector<TimeLoop> loops;
  std::vector<Array> arrays;
  std::vector<Statement> statements;
  std::vector<Reduction> reductions;

  /// The statement of that name, or statements.size().
  unsigned findStatement(const std::string &statementName) const;
  unsigned findArray(const std::string &arrayName) const;
  bool operator==(const Scop &) const = default;
};

/// Which statement of the text a statement of the Scop belongs to.
struct Owner {
  std::string name;    ///< of the tensor that it defines
  unsigned number = 0; ///< tells several statements of one tensor apart
};

/// Number of time loops that two statements have in common.
size_t commonLoops(const Statement &a, const Statement &b);

/// isl text of one statement's domain: `[M, N] -> { Y[i, j] : 0 <= i < M and
/// ... }`.
std::string printDomain(const Scop &scop, unsigned statement);
/// isl text of one access: `[M, N] -> { Y[i, j] -> X[i, j] }`.
std::string printAccess(const Scop &scop, unsigned statement, unsigned access);

/// The whole Scop as text; readScop(printScop(s)) equals s.
std::string printScop(const Scop &scop);
/// Reads printScop's text back; reports errors (G0710) with their place.
std::optional<Scop> readScop(const std::string &text, Diagnostics &diags);

/// An identifier that isl's notation does not reserve.
bool isIslName(std::string_view text);

/// Structural well-formedness: arity of accesses, names (isl identifiers that
/// isl does not reserve, dims and parameters distinct), indices, one write per
/// statement and it last, the statements of a time loop side by side,
/// coefficients within 2^53. Reports (G0711) and returns
/// false when broken. readScop has already asked it.
bool verifyScop(const Scop &scop, Diagnostics &diags);

} // namespace girih::poly

#endif // GIRIH_COMPILER_POLY_SCOP_H
