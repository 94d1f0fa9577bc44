//===- AstPrinter.h - the canonical text of a tree --------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the room; Frontend.h has the functions that others call.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_ASTPRINTER_H
#define GIRIH_COMPILER_FRONTEND_ASTPRINTER_H

#include "compiler/frontend/Dimensions.h"
#include "compiler/frontend/Frontend.h"

#include <string>
#include <utility>
#include <vector>

namespace girih::frontend {

/// Appends the text of what it is given, in the one style.
class AstPrinter {
public:
  /// How tightly an expression holds together; a weaker one gets parentheses.
  enum Level {
    kTop,
    kElse,
    kIf,
    kOr,
    kAnd,
    kNot,
    kCompare,
    kBitOr,
    kBitXor,
    kBitAnd,
    kShift,
    kSum,
    kProduct,
    kUnary,
    kPrimary
  };

  /// All that was printed; nothing is left.
  std::string take() { return std::move(out); }

  void print(const File &file);
  void print(const SizeConstraint &constraint);
  /// In parentheses where it is weaker than `least`.
  void print(const Expr &expr, Level least);

private:
  /// `each` prints an element; commas stand between them.
  template <typename Range, typename Each>
  void list(const Range &range, Each each) {
    bool first = true;
    for (const auto &element : range) {
      if (!first)
        out += ", ";
      first = false;
      each(element);
    }
  }

  // Items of a file (AstPrinter.cpp).
  void docs(const std::vector<std::string> &lines);
  void print(const UseDecl &decl);
  void print(const ScheduleDecl &decl);
  void print(const TemplateDecl &decl);
  void print(const ConstDecl &decl);
  void print(const FnDecl &decl);

  // Expressions (PrintExpr.cpp).
  static Level levelOf(BinaryOp op);
  static Level levelOf(const Expr &expr);
  void print(const LiteralExpr &node);
  void print(const BoolExpr &node);
  void print(const NameExpr &node);
  void print(const AccessExpr &node);
  void print(const CastExpr &node);
  void print(const UnaryExpr &node);
  void print(const BinaryExpr &node);
  void print(const IfExpr &node);
  void print(const CallExpr &node);
  void print(const IsNoneExpr &node);
  void print(const ReduceExpr &node);
  /// `order=...`; "" for the order that needs no clause.
  static std::string orderClause(const ReduceOrder &order);
  static std::string typeName(ScalarType type, const std::string &param);
  /// What `functions =` takes, and what stands behind a function's name.
  static const char *wordOf(Accuracy accuracy);

  // Operators (PrintOp.cpp).
  void print(const TensorDecl &decl);
  /// A dimension by its name, or by its position where the name is no other's.
  static std::string placeName(const std::vector<OuterDim> &dims,
                               unsigned place);
  void printNumerics(const OpDecl &decl);
  void print(const OpParam &param);
  void print(const OpDecl &decl);
  static std::string indentOf(const TimeLoop *loop);
  /// Ends the loops that `here` is in and `next` is not, and begins the others.
  void moveTo(const TimeLoop *next, const TimeLoop *&here);
  void printRange(const IndexVariable &index);
  void beginRagged(const RaggedLoop &loop, const TimeLoop *around);
  /// Nothing where `loop` is null, which it is afterwards.
  void endRagged(const RaggedLoop *&loop, const TimeLoop *around);
  void print(const Statement &statement, const Scatter &scatter);

  // Tests (PrintTest.cpp).
  void print(const TestDecl &decl);
  void print(const TestRun &run);
  void print(const TestValue &value);
  /// The part of a list below one place of dimension `depth`; `next` counts the
  /// elements.
  void printList(const TestValue &value, size_t depth, size_t &next);

  std::string out;
};

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_ASTPRINTER_H
