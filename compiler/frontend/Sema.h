//===- Sema.h - names and types of a file -----------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names live in three spaces: sizes and constants; tensors, functions and
// operators; index variables. A name may stand in one space only within one
// operator or function.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_SEMA_H
#define GIRIH_COMPILER_FRONTEND_SEMA_H

#include "compiler/frontend/ConstFold.h"
#include "compiler/frontend/Frontend.h"
#include "compiler/frontend/Instance.h"
#include "compiler/frontend/Reporter.h"

#include <map>
#include <set>
#include <string>

namespace girih::frontend {

class ExprChecker;
class RangeSolver;
struct LinearForm;
struct SeenAccess;

/// What a name at file level is: exactly one pointer is set.
struct Global {
  SourceRange range;
  ConstDecl *constant = nullptr;
  FnDecl *fn = nullptr;
  OpDecl *op = nullptr;
  /// "the constant", "the function", "the operator"
  const char *what() const;
  /// "a constant", "a function", "an operator"
  const char *kind() const;
};

/// What a ragged loop is, once its ranges are checked.
struct RaggedRanges {
  bool fine = false; ///< no error
  Extent groups;     ///< how many
  /// Of all groups together; nothing where the loop has an `else`.
  std::optional<Extent> elements;
  std::string offsets; ///< the tensor that holds them
  std::string groupOf; ///< the tensor of each element's group; "" without
};

/// The names of one operator.
struct OpScope {
  explicit OpScope(OpDecl &op) : op(op) {}
  OpDecl &op;
  std::map<std::string, SizeSymbol *, std::less<>> sizes;
  /// Inputs, outputs, and the temporaries defined so far.
  std::map<std::string, Tensor *, std::less<>> tensors;
  /// The first statement for each name on a left-hand side.
  std::map<std::string, const Statement *, std::less<>> firstStatement;
  /// How many statements define it.
  std::map<std::string, unsigned, std::less<>> statementCount;
  /// Tensors whose statement had an error: reads of them stay silent.
  std::set<const Tensor *> poisoned;
  std::set<const Tensor *> read;
  /// Those whose end decides what a read gives: by `else` or by a rule.
  std::set<const Tensor *> readToEnd;
  bool faulty = false; ///< some statement had an error
  /// Index names whose clash with another space was reported.
  std::set<std::string, std::less<>> clashed;
  /// The loop around the statement that is being checked.
  const TimeLoop *loop = nullptr;
  std::map<const TimeLoop *, bool> loops; ///< those whose range is known
  std::map<const RaggedLoop *, RaggedRanges> raggedLoops;
  /// Calls whose place was taken by the statements of what they call.
  std::vector<std::unique_ptr<Statement>> replaced;
  /// Of temporaries that Sema makes (Statement::like).
  std::vector<std::unique_ptr<Tensor>> shapes;
};

/// A value for a parameter of an operator, as somebody wrote it.
struct GivenParam {
  Name name;
  const Expr *value = nullptr; ///< null: a word
  std::string word;            ///< a type, `none` or `present`
  ConstLookup lookup;          ///< what names in `value` mean
};

/// The innermost scan in `expr`, or null.
ReduceExpr *findScan(Expr &expr);
bool holdsScan(const OpDecl &op);

class Sema {
public:
  Sema(Program &program, Reporter &reporter, const ParseOptions &options)
      : program(program), reporter(reporter), options(options) {}

  /// Annotates the whole file; false after errors.
  bool run();

  // For ExprChecker.
  Reporter &report() { return reporter; }
  const Global *findGlobal(std::string_view name) const;
  std::vector<std::string> globalNames(bool constants, bool functions) const;
  /// The library function at `type`; null where there is no such function.
  const FnDecl *libraryFn(std::string_view name, ScalarType type);
  /// Reports where an index's name stands in another space.
  void checkIndexName(OpScope &scope, const IndexVariable &index);
  bool checkAlive(const OpScope &scope, const Tensor &tensor,
                  SourceRange range);
  /// A name that nothing has: `wanted`, or with a number behind it.
  std::string freshTensor(const OpScope &scope,
                          const std::string &wanted) const;
  /// sum / divisor in the sizes of `scope`, of which it may become one more.
  Extent quotientIn(OpScope &scope, const Extent &sum, int64_t divisor,
                    SourceRange range);

private:
  /// Every item, those of used files first.
  template <typename Each> void forEachItem(Each each) {
    for (File &file : program.used)
      for (Item &item : file.items)
        each(item);
    for (Item &item : program.file.items)
      each(item);
  }
  template <typename Decl, typename Each> void forEach(Each each) {
    forEachItem([&](Item &item) {
      if (auto *decl = std::get_if<std::unique_ptr<Decl>>(&item))
        each(**decl);
    });
  }
  void collectGlobals();
  void addGlobal(const Name &name, Global global);
  void foldConstants();
  const ConstDecl *usableConstant(const NameExpr &name, SourceRange range);
  void checkFunctions();
  void checkFunction(FnDecl &fn);
  void checkParameters(const FnDecl &fn);
  std::vector<FnDecl *> callees(const FnDecl &fn) const;
  void reportRecursion(FnDecl *start, const std::set<FnDecl *> &left);
  /// Adds an expression's size, inlined, to the file's; false beyond a limit.
  bool countInlined(const Expr &expr, uint64_t &size, unsigned &depth);

  // SemaCall.cpp
  void checkOps();
  /// True for the operator that the options are about.
  bool isChosen(const OpDecl &op) const;
  void addProbes(OpDecl &op);
  bool isCall(const Statement &statement) const;
  std::vector<OpDecl *> calledOps(const OpDecl &op) const;
  bool visitOp(OpDecl &op, std::vector<OpDecl *> &path);
  void reportOpCycle(const std::vector<OpDecl *> &path, OpDecl *again);
  bool checkParamNames(const OpDecl &op);
  /// The settings of the command line that are parameters of `op`.
  std::vector<GivenParam> settingsFor(OpDecl &op);
  ConstLookup fileConstants();
  /// A copy of `op` with its parameters resolved; null after an error, and
  /// where a parameter has no value, which `unbound` then names.
  std::unique_ptr<OpDecl> instantiate(const OpDecl &op,
                                      const std::vector<GivenParam> &given,
                                      std::string &unbound);
  bool bindType(const OpDecl &op, const OpParam &param, const GivenParam *given,
                Cloner &cloner);
  bool bindConst(const OpDecl &op, const OpParam &param,
                 const GivenParam *given, Cloner &cloner, OpDecl &instance);
  /// Puts the statements of the called operator into the place of the call;
  /// false after an error.
  bool expandCall(OpScope &scope, size_t at);
  void abandonCall(OpScope &scope, const Statement &statement);
  friend class CallExpander;

  // SemaSchedule.cpp
  void checkSchedules();

  // SemaTests.cpp
  void checkTests();
  friend class TestChecker;

  // SemaSizes.cpp
  /// Computes the definitions of sizes and names the quotients in `op`.
  void nameQuotients(OpDecl &op);
  /// The derived sizes become symbols.
  void declareDerived(OpScope &scope);

  // SemaDims.cpp
  void solveSizes(OpScope &scope);
  void checkLeading(OpScope &scope);
  void checkAssumptions(OpScope &scope);

  // SemaOp.cpp
  void checkOp(OpDecl &op);
  void collectSizes(OpScope &scope);
  void collectSize(OpScope &scope, const std::string &name, SourceRange range);
  void checkOutputExtents(OpScope &scope);
  std::optional<Extent> extentOf(OpScope &scope, const DimDecl &dim);
  void declareTensors(OpScope &scope);
  void declareTensor(OpScope &scope, TensorDecl &decl, Tensor::Role role);
  void checkConstraints(OpScope &scope);
  void checkSatisfiable(const OpScope &scope);
  void checkInvariant(OpScope &scope);
  bool checkTensorName(const OpScope &scope, const Name &name);
  void checkStatement(OpScope &scope, Statement &statement);
  void checkDefinition(OpScope &scope, Statement &statement);
  Tensor *targetOf(OpScope &scope, Statement &statement);
  bool checkTemporaryType(const Statement &statement);
  /// Rank and type of an output against its declaration.
  bool checkOutput(const OpScope &scope, const Statement &statement,
                   const Tensor &tensor);
  /// Ranges, bounds and orders of a statement whose types are known.
  // SemaParts.cpp
  bool isPart(const OpScope &scope, const Statement &statement) const;
  void sortLeftNames(OpScope &scope, Statement &statement);
  bool checkLeftSide(OpScope &scope, Statement &statement);
  bool checkLaterPart(const Statement &statement, const Tensor &tensor);
  void cutToDefined(const OpScope &scope, Statement &statement,
                    const SeenAccess &seen, const RangeSolver &solver,
                    bool declared);
  bool mustSplit(const OpScope &scope, const Statement &statement,
                 const std::vector<SeenAccess> &accesses) const;
  bool finishRanges(OpScope &scope, Statement &statement, Tensor &tensor,
                    ExprChecker &checker);
  // SemaReaders.cpp
  /// How far dimension `dim` of the temporary is read at plain indices of an
  /// output, by the statements behind number `after`, through other temporaries
  /// too; with the place that says so.
  std::optional<std::pair<Extent, SourceRange>>
  extentFromReaders(const OpScope &scope, const std::string &temporary,
                    size_t dim, size_t after) const;
  bool checkDefined(OpScope &scope, const SeenAccess &seen,
                    const RangeSolver &solver);
  void noteParts(Diagnostic &diagnostic, const Tensor &tensor) const;
  bool checkDisjoint(const OpScope &scope, const Statement &statement,
                     const Tensor &tensor);
  bool growTemporary(const OpScope &scope, const Statement &statement,
                     Tensor &tensor);
  // SemaVersions.cpp
  bool checkLoop(OpScope &scope, const TimeLoop &loop);
  const TensorDecl *declOf(const OpScope &scope, const Tensor &tensor) const;
  static const TimeLoop *homeOf(const Statement &statement);
  bool isGrowing(const OpScope &scope, const Tensor &tensor) const;
  std::map<const IndexVariable *, LinearForm>
  turnAt(const OpScope &scope, const RangeSolver &solver) const;
  bool checkUpdate(Statement &statement, const Tensor &tensor);
  void cutToInside(Statement &statement, const SeenAccess &seen,
                   const RangeSolver &solver);
  bool checkOwnRead(OpScope &scope, const Statement &statement,
                    const SeenAccess &seen, const RangeSolver &solver);
  // SemaAliases.cpp
  /// Finds the inputs that outputs alias.
  void checkAliases(OpScope &scope);
  /// What the statement reads of an input that an output aliases was not
  /// overwritten, and it writes no such output where that cannot be proved.
  bool checkAliased(OpScope &scope, const Statement &statement,
                    const std::vector<SeenAccess> &accesses,
                    const RangeSolver &solver);
  bool checkAliasedRead(OpScope &scope, const Statement &statement,
                        const SeenAccess &seen, const RangeSolver &solver,
                        const Tensor &output);
  // SemaRagged.cpp, SemaRaggedBody.cpp
  /// The ranges of a loop; once each.
  RaggedRanges &checkRagged(OpScope &scope, const RaggedLoop &loop);
  bool checkEnds(OpScope &scope, const RaggedLoop &loop);
  bool checkGroups(OpScope &scope, const RaggedLoop &loop,
                   RaggedRanges &ranges);
  /// Takes statement number `at` out of the ragged loop that it is in. False
  /// after an error.
  bool expandRagged(OpScope &scope, size_t &at);
  bool checkRaggedLeft(const Statement &statement, const RaggedRanges &ranges);
  bool expandGroups(OpScope &scope, size_t &at, RaggedRanges &ranges);
  void expandPadded(Statement &statement);
  /// What a message about the statement adds: the call or the loop that it
  /// came from.
  std::optional<Note> contextOf(const OpScope &scope,
                                const Statement &statement) const;
  /// How far the loop says that its indices run, on the left of a statement.
  void giveRanges(const OpScope &scope, Statement &statement) const;
  // SemaScan.cpp
  bool expandScans(OpScope &scope, size_t &at);
  /// Puts a statement in front of number `at`, which moves on, and checks it.
  Statement &insertStatement(OpScope &scope, size_t &at,
                             std::unique_ptr<Statement> statement);
  /// The statement is one more part of its tensor; false after errors.
  bool addPart(OpScope &scope, Statement &statement, Tensor &tensor);
  void checkCovered(const OpScope &scope, const TensorDecl &decl);
  // SemaScatter.cpp
  /// `in first..end`, which the tensor of an input promises.
  void checkPromise(OpScope &scope, TensorDecl &decl, Tensor &tensor);
  /// The same of `offsets(T)`.
  void checkOffsets(OpScope &scope, TensorDecl &decl, Tensor &tensor);
  /// Names in the place of a scatter that are its indices.
  std::vector<Name> scatterIndices(const OpDecl &op,
                                   const Statement &statement) const;
  /// Makes `statement.indices` of a scatter.
  void makeScatterIndices(OpScope &scope, Statement &statement);
  /// No reduction in the place, no scan in the value.
  bool checkScatterParts(const Statement &statement);
  /// Types, place and order of a scatter; false after errors.
  bool checkScatter(OpScope &scope, Statement &statement, const Tensor &tensor,
                    ExprChecker &checker);
  /// The rule 'checked' stands where its error word can be computed.
  bool checkChecked(const Statement &statement, const ExprChecker &checker);
  void checkUses(OpScope &scope, bool clean);
  SourceRange declarationOf(const OpScope &scope, const Tensor &tensor) const;

  Program &program;
  Reporter &reporter;
  const ParseOptions &options;
  std::set<const OpDecl *> checkedOps, brokenOps;
  std::vector<ExprPtr> settingValues;
  std::map<std::string, Global, std::less<>> globals;
  std::set<const ConstDecl *> folded;
  std::set<uint32_t> reportedConstants; ///< by offset
  uint64_t inlinedNodes = 0;
  bool tooLarge = false;
};

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_SEMA_H
