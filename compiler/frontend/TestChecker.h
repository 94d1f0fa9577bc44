//===- TestChecker.h - one run of a test ------------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the room. A function that returns false or nothing has reported
// what is wrong.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_TESTCHECKER_H
#define GIRIH_COMPILER_FRONTEND_TESTCHECKER_H

#include "compiler/frontend/Dimensions.h"
#include "compiler/frontend/Sema.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace girih::frontend {

/// Checks one `run` with its expectations.
class TestChecker {
public:
  /// `outer`: the run whose expectation calls this one.
  explicit TestChecker(Sema &sema, TestRun &run,
                       const TestChecker *outer = nullptr)
      : sema(sema), run(run), outer(outer) {}

  void check();

private:
  /// A dimension of an argument that is no plain size.
  struct PendingDim {
    const TensorDecl *decl;
    OuterDim dim;
    size_t place; ///< the argument's dimension
    int64_t extent;
    SourceRange range;
  };
  /// What `..R` is, and what said so.
  struct KnownLeading {
    std::vector<int64_t> dims;
    SourceRange range;
  };
  /// A size, and what said so.
  struct KnownSize {
    int64_t value = 0;
    SourceRange range;
  };

  Diagnostic &error(const char *code, std::string message, SourceRange range) {
    return sema.report().error(code, std::move(message), range);
  }

  /// All but the expectations.
  bool checkRun();

  // The operator and its arguments (TestArguments.cpp).
  bool findOp();
  /// The names in the dimensions of inputs that are no parameters.
  std::vector<std::string> sizeNames() const;
  bool isSize(std::string_view name) const;
  static const TensorDecl *find(const std::vector<TensorDecl> &decls,
                                std::string_view name);
  /// An output, or an inout tensor.
  static const TensorDecl *findOutput(const OpDecl &op, std::string_view name);
  /// Each names something of the operator, once; no tensor is missing.
  bool checkArguments();
  /// Notes what is no tensor and no size, and which optional tensors there are.
  bool bindParameter(const TestArgument &argument);
  /// The argument of that name; null without one, and where it is `none`.
  TestValue *valueOf(std::string_view name);

  // Sizes and shapes (TestShapes.cpp).
  static std::string printed(const std::vector<int64_t> &shape);
  bool bindSize(const TestArgument &argument);
  /// The size is `value`, as `range` says; false where it is another already.
  bool setSize(const std::string &name, int64_t value, SourceRange range);
  /// The shape of a declared tensor; an unknown size is reported.
  std::optional<std::vector<int64_t>> shapeOf(const TensorDecl &decl,
                                              SourceRange range);
  /// One dimension as it is indexed.
  std::optional<int64_t> extentOf(const TensorDecl &decl, size_t dim,
                                  SourceRange range);
  /// The value of the constant and of all sizes that are known, which leave
  /// `sum`.
  int64_t takeKnown(NamedSum &sum) const;
  /// Solves sizes from dimensions that are sums, and checks those dimensions.
  bool solvePending();
  /// Computes a derived size where what it needs is known; `progress` where it
  /// was not.
  bool setDerived(const DerivedSize &derived, bool &progress);
  /// Solves or checks one dimension; `later` where several sizes are open.
  bool solveDim(const PendingDim &dim, bool &later);
  static NamedSum memberOf(const PendingDim &dim, unsigned member);
  bool refuseDim(const PendingDim &dim);
  /// Takes what a shape says of the sizes of `decl`, now or in solvePending.
  bool bindShape(const TensorDecl &decl, const std::vector<int64_t> &shape,
                 SourceRange range);
  bool setLeading(const std::string &name, std::vector<int64_t> dims,
                  SourceRange range);

  // Tensors and elements (TestValues.cpp).
  /// A name that stands for a constant of the file, or for a tensor.
  bool resolveName(TestValue &value, bool here);
  /// Takes the sizes that an argument shows.
  bool bindTensor(const TensorDecl &input, TestValue &value);
  /// Computes the elements, once all sizes are known.
  bool finishTensor(const TensorDecl &decl, TestValue &value);
  /// The last number of `iota()` lies in an integer type.
  bool checkIota(const TensorDecl &decl, const TestValue &value);
  /// Adds the value of `element` in `type` to those of `value`.
  bool fold(ExprPtr &element, ScalarType type, TestValue &value);

  // Expectations (TestExpects.cpp).
  void checkExpect(TestExpect &expected);
  bool sameType(const TensorDecl &output, const TensorDecl &other,
                SourceRange range);
  /// `expect Y == other(A = A)`: the output of the same name, or the only one.
  bool checkCall(const TensorDecl &output, TestValue &value);

  Sema &sema;
  TestRun &run;
  const TestChecker *outer;
  const OpDecl *op = nullptr;
  std::vector<GivenParam> given;
  std::unique_ptr<OpDecl> instance;
  std::map<std::string, KnownSize> sizes;
  std::vector<PendingDim> pending;
  std::map<std::string, KnownLeading> leading;
};

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_TESTCHECKER_H
