//===- CallExpander.h - one call of an operator -----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the room. Each step says at the call what is wrong and returns
// false then; the next ones rely on what it has bound.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_CALLEXPANDER_H
#define GIRIH_COMPILER_FRONTEND_CALLEXPANDER_H

#include "compiler/frontend/CallLeading.h"
#include "compiler/frontend/Sema.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace girih::frontend {

/// One call on its way into its caller.
class CallExpander {
public:
  /// Statement number `at` is a call of an operator that there is.
  CallExpander(Sema &sema, OpScope &scope, size_t at);

  /// Puts the callee's statements into the place of the call; false after an
  /// error.
  bool run();

private:
  struct Argument {
    const Tensor *tensor = nullptr;
    SourceRange range;
  };
  struct SumDim {
    const DimDecl *dim;
    NamedSum sum;
    const Tensor *tensor;
    Extent extent;
    SourceRange range;
  };

  /// Reports an error with a note on the callee; false.
  bool fail(const char *code, std::string message, SourceRange range,
            std::string help = "");

  // Arguments (CallArguments.cpp).
  /// Arguments without names belong to the inputs in their order.
  bool bindArguments();
  /// Those with names; then no input is without a tensor that needs one.
  bool bindNamed();
  bool bindTensor(const TensorDecl &input, Expr &value);
  /// What names in the value of a const parameter mean.
  ConstLookup callerConstants();
  /// A type parameter without a value is that of the first tensor of its type.
  void inferTypes();
  /// What is updated in place may be written here, and stands for one input
  /// only.
  bool checkInPlace();

  // Leading dimensions (CallSpread.cpp).
  /// What `..R` is here, for every such name.
  bool bindLeading();
  /// The size `R` of `..R`, where it is a sum of sizes here; it must be, where
  /// it stands in another place.
  bool bindProduct(const std::string &name, const std::vector<Extent> &dims);
  /// Indices of leading dimensions become one for each.
  bool spreadLeading();
  /// For one statement of the callee.
  void spreadIndices(const Statement &inner);

  // Shapes and sizes (CallShapes.cpp).
  /// How many dimensions of the caller stand where `input` has its own first
  /// ones, less those.
  static long shiftOf(const TensorDecl &input, const Tensor &tensor);
  /// The callee's sizes, from the shapes of its arguments.
  bool bindShapes();
  bool bindDim(const DimDecl &dim, const Tensor &tensor, const Extent &extent,
               SourceRange range);
  /// The value of the constant and of all sizes that are known, which leave
  /// `sum`.
  Extent takeKnown(NamedSum &sum) const;
  /// The numbers in `extent` are small enough to compute with.
  bool checkNumbers(const Extent &extent, SourceRange range);
  /// Dimensions that are sums say their one size that nothing else says.
  bool solveSums();
  /// A derived size of the callee in sizes of the caller; nothing where those
  /// it needs are not known.
  std::optional<Extent> derivedHere(const DerivedSize &derived);
  /// Equal by what the caller's sizes are known to be.
  bool isSame(const Extent &a, const Extent &b) const;
  /// What an argument shows of a derived size is what its definition says, and
  /// none is negative.
  bool checkDerived();
  /// The callee's constraints become the caller's, or are judged here.
  bool bindConstraints();

  // Targets (CallTargets.cpp).
  /// The names on the left become the callee's outputs.
  bool bindTargets();
  /// An operator without outputs gives what it updates: `X = scale(X)`.
  bool bindUpdated();
  /// The target is a declared output of the caller.
  bool checkOutput(const TensorDecl &output, const std::vector<Extent> &dims,
                   const Tensor &tensor, SourceRange range);

  // The callee's statements (CallReplace.cpp).
  /// Something here has the name, or will have it.
  bool taken(const std::string &name) const;
  /// `wanted`, or with a number behind it where that is taken.
  std::string fresh(const std::string &wanted) const;
  /// Indices of reductions in `expr` whose names are taken get others.
  void renameIndices(const Expr &expr);
  void renameIndex(const std::string &name);
  /// A size or a constant of the file in a left-hand subscript: no index.
  bool isLeftValue(const std::string &name) const;
  bool replace();
  /// What the callee assumes of an input of the caller, the caller does; of
  /// what is computed nothing is known, and nothing assumed.
  void adoptAssumptions();

  Sema &sema;
  OpScope &scope;
  size_t at;
  Statement &statement;
  const CallExpr &call;
  OpDecl &callee;
  std::map<std::string, Argument, std::less<>> tensors;
  std::set<std::string> updated;                          ///< inout inputs
  std::map<std::string, SourceRange, std::less<>> places; ///< of the targets
  /// The dimensions of its outputs.
  std::map<std::string, std::vector<std::pair<Extent, SourceRange>>,
           std::less<>>
      declared;
  std::vector<SumDim> sums; ///< dimensions of inputs
  std::map<std::string, std::vector<Extent>, std::less<>> leading; ///< `..R`
  std::optional<LeadingIndices> indices; ///< where some are not one
  std::vector<GivenParam> given;
  std::unique_ptr<OpDecl> instance;
  Cloner cloner;
};

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_CALLEXPANDER_H
