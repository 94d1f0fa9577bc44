//===- Ast.h - the tree of a .te file ---------------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain structs, made by the parser and annotated by Sema. Members under
// "Sema:" are empty until parseProgram has succeeded; then all are set.
// Pointers between nodes never own and stay valid as long as the Program.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_AST_H
#define GIRIH_COMPILER_FRONTEND_AST_H

#include "compiler/frontend/Directive.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace girih::frontend {

struct ConstDecl;
struct Expr;
struct FnDecl;
struct FnParam;
struct OpDecl;
struct RaggedLoop;
struct Statement;
struct TimeLoop;
using ExprPtr = std::unique_ptr<Expr>;

/// The type of a value. Index: index variables, sizes, and literals compared
/// with them; a 64-bit integer that no tensor holds.
enum class ScalarType : uint8_t {
  F64,
  F32,
  F16,
  BF16,
  F8E4M3FN,
  F8E5M2,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  Bool,
  Index
};

/// `f64`, `u8`, `bool`, `index`, ...
std::string_view spelling(ScalarType type);
inline bool isFloat(ScalarType type) { return type <= ScalarType::F8E5M2; }
/// Types that are loaded, stored and cast, but not computed in.
inline bool isStorageOnly(ScalarType type) {
  return type == ScalarType::F8E4M3FN || type == ScalarType::F8E5M2;
}
inline bool isInteger(ScalarType type) {
  return type >= ScalarType::I8 && type <= ScalarType::U64;
}
inline bool isUnsigned(ScalarType type) {
  return type >= ScalarType::U8 && type <= ScalarType::U64;
}
/// Bits of an integer type.
unsigned widthOf(ScalarType type);
/// The signed integer type of the same width.
ScalarType signedTypeOf(ScalarType type);

//===----------------------------------------------------------------------===//
// Sizes, tensors, index variables
//===----------------------------------------------------------------------===//

/// A symbolic size of one operator, solved from its arguments or derived from
/// other sizes.
struct SizeSymbol {
  Name name;            ///< where it stands first
  unsigned number = 0;  ///< in order of appearance
  bool derived = false; ///< some OpDecl::derived is about it
};

/// How far a dimension or an index runs, or where an index starts: a sum over
/// sizes.
struct Extent {
  /// Sorted by number; no factor is 0.
  std::vector<std::pair<const SizeSymbol *, int64_t>> terms;
  int64_t constant = 0;

  static Extent of(int64_t constant);
  static Extent of(const SizeSymbol *size);
  bool isConstant() const { return terms.empty(); }
  /// The symbol that it is, or null.
  const SizeSymbol *plainSize() const;
  /// A symbol or a constant: something that arguments show, and nothing that is
  /// computed.
  bool isBare() const {
    const SizeSymbol *size = plainSize();
    return isConstant() || (size && !size->derived);
  }
  Extent operator+(const Extent &other) const;
  Extent operator-(const Extent &other) const;
  Extent operator*(int64_t factor) const;
  friend bool operator==(const Extent &, const Extent &) = default;
};

/// `N`, `128` or `2 * H + R - 1`.
std::string spelling(const Extent &extent);
/// A size's name as a part of a sum: that of a quotient (`D / 2`) is no word,
/// and in parentheses beside a factor.
bool isWord(std::string_view sizeName);

struct Tensor {
  enum class Role : uint8_t { Input, Output, Temporary };
  Name name;
  Role role = Role::Temporary;
  ScalarType type = ScalarType::F32;
  std::vector<Extent> dims;
  /// Which dimensions are written as sums, although all names in them may be
  /// known numbers: `HQ + 2 * HK`. Empty for temporaries.
  std::vector<bool> sums;
  /// Declared as one name or number: such dimensions must agree.
  bool isPlain(size_t dim) const {
    return dims[dim].isBare() && !(dim < sums.size() && sums[dim]);
  }
  /// Its elements lie in first .. second-1, as the declaration promises.
  std::optional<std::pair<Extent, Extent>> promise;
  SourceRange promiseRange;
  /// It holds where groups of that many elements begin, and where the last one
  /// ends: from 0, never decreasing, to this. Its promise is then 0 .. this.
  std::optional<Extent> offsets;
  const Statement *definition = nullptr; ///< the first one; null for inputs
  /// All statements that write it, in the order of the text; of an inout tensor
  /// (an input that is an output too) those that overwrite it.
  std::vector<const Statement *> parts;
  bool inOut = false;
  /// Of an output: the input that the caller may give the same memory.
  const Tensor *aliases = nullptr;
  /// Whether the parts so far define every element.
  bool whole = true;
  /// The loop that it lives in for one turn; null: as long as the operator. The
  /// turns of a loop inside it define elements of one tensor.
  const TimeLoop *home = nullptr;
};

/// An index of a left-hand side or of a reduction; lives in its statement.
struct IndexVariable {
  Name name;
  bool reduced = false;
  ExprPtr first, end; ///< `in first..end`; null where nothing is written
  // Sema:
  /// Of a left-hand index: how far it runs, where a loop around says so.
  std::optional<std::pair<Extent, SourceRange>> given;
  /// The written range depends on other indices or on data: it stands in the
  /// reduction's domain and tests, and `start` and `extent` are a box around
  /// it.
  bool dependent = false;
  Extent start;                 ///< 0 on left-hand sides
  std::optional<Extent> extent; ///< it runs over start .. start+extent-1
  SourceRange fixedBy;          ///< the subscript or declaration that said so
};

/// A subscript's value: a sum over indices, sizes and integer expressions.
struct IndexSum {
  std::vector<std::pair<const IndexVariable *, int64_t>> terms;
  Extent offset;
  /// Parts that data decide, each computed in its type; the sum is in i64.
  std::vector<std::pair<const Expr *, int64_t>> values = {};
  /// The index that it is, or null.
  const IndexVariable *plainIndex() const {
    bool plain = terms.size() == 1 && terms[0].second == 1 &&
                 offset == Extent() && values.empty();
    return plain ? terms[0].first : nullptr;
  }
};

/// What an element or an instance has to satisfy: the sum is at least 0.
struct Condition {
  IndexSum sum;
  SourceRange range;    ///< of what says so
  bool differs = false; ///< the sum is not 0 instead; of facts only
};

/// One side of a comparison of indices: a sum, or what is left of it when it is
/// divided by `modulus` (rounded down).
struct IndexTerm {
  IndexSum sum;
  int64_t modulus = 0; ///< 0: the sum itself
};

//===----------------------------------------------------------------------===//
// Orders of reductions
//===----------------------------------------------------------------------===//

/// An association term as written (compiler/arith/Term.h has the meaning;
/// spelling(term) is text that arith::parseTerm reads).
struct OrderTerm {
  enum class Kind : uint8_t { Seq, Seg, Tree, Lanes, Mma };
  Kind kind = Kind::Seq;
  SourceRange range;
  int64_t length = 0;               ///< seg: L, tree: n, lanes: V, mma: kc
  int64_t width = 0;                ///< lanes: w
  std::string model;                ///< mma
  std::unique_ptr<OrderTerm> inner; ///< null: seq
  std::unique_ptr<OrderTerm> merge; ///< seg only; null: seq
};
std::string spelling(const OrderTerm &term);

/// The order clause. Fixed: the compiler chooses the term and the leaf.
/// Sequential: `seq` with a separate multiplication and addition. Pinned: the
/// term as written; the leaf is chosen as under Fixed. Free: any order will do;
/// the compiler takes that of Fixed.
struct ReduceOrder {
  enum class Kind : uint8_t { Fixed, Sequential, Pinned, Free };
  Kind kind = Kind::Fixed;
  SourceRange range;               ///< empty where no clause was written
  std::unique_ptr<OrderTerm> term; ///< Pinned only
};

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

enum class Accuracy : uint8_t { Fast, Portable };

/// A number. `digits` is what was written without the suffix; `inf` and `nan`
/// are spelled so.
struct LiteralExpr {
  std::string digits;
  std::optional<ScalarType> suffix;
  // Sema: the value in the expression's type, rounded once from the digits.
  double value = 0;       ///< float types
  int64_t indexValue = 0; ///< type Index
  uint64_t bits = 0;      ///< integer types; the sign stands outside
};

struct BoolExpr {
  bool value = false;
};

/// A name that stands alone: a parameter, constant, size or index. Sema turns
/// the bare name of a tensor of rank 0 into an AccessExpr.
struct NameExpr {
  std::string name;
  // Sema:
  std::variant<std::monostate, const FnParam *, const ConstDecl *,
               const SizeSymbol *, const IndexVariable *>
      target;
};

/// How a subscript that may lie outside is brought inside.
enum class AccessRule : uint8_t { None, Clamp, Reflect, Wrap, Checked };
/// `clamp`, ...; empty for None.
std::string_view spelling(AccessRule rule);

/// `i`, `2 * i + r - 1` or `clamp(i - 1)` between the brackets of a read.
struct Subscript {
  /// The element is where the sum says, neither a rule nor data.
  bool isAffine() const {
    return rule == AccessRule::None && sum.values.empty();
  }
  ExprPtr value; ///< names, integers and integer values, joined by + - *
  AccessRule rule = AccessRule::None;
  SourceRange range;
  // Sema:
  IndexSum sum;
  /// Under an `else`: whether it may be less than 0, and reach the extent.
  bool below = false, above = false;
};

/// `X[i, 0]` or `X[i - 1] else 0`; the expression's type is the tensor's.
struct AccessExpr {
  Name tensorName;
  std::vector<Subscript> subscripts;
  ExprPtr otherwise;    ///< the value outside the tensor, or null
  bool isPlace = false; ///< of a scatter
  bool drops = false;   ///< such a place: what lies outside is skipped
  // Sema:
  const Tensor *tensor = nullptr;
  bool mayLieOutside() const { return otherwise || drops; }
  bool isGuarded() const {
    for (const Subscript &subscript : subscripts)
      if (subscript.below || subscript.above)
        return true;
    return false;
  }
};

/// `bf16(x)`: one conversion (docs/language.md, "Casts"). The operand is of any
/// type; a literal operand already has the cast's type.
struct CastExpr {
  ScalarType to = ScalarType::F32;
  ExprPtr operand;
  std::string typeParam; ///< `T(x)`: the name; empty in what Sema checks
  bool made = false;     ///< by Sema: the text has none
};

enum class UnaryOp : uint8_t { Neg, BitNot, Not };
struct UnaryExpr {
  UnaryOp op = UnaryOp::Neg;
  ExprPtr operand;
};

enum class BinaryOp : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  Mod,
  BitAnd,
  BitOr,
  BitXor,
  ShiftLeft,
  ShiftRight,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  And,
  Or
};
/// `+`, `==`, `and`, ...
std::string_view spelling(BinaryOp op);
/// Takes and gives numbers of one type.
inline bool isArithmetic(BinaryOp op) { return op <= BinaryOp::ShiftRight; }
/// What indices and sizes can be joined by.
inline bool isIndexArithmetic(BinaryOp op) {
  return op <= BinaryOp::Mod && op != BinaryOp::Div;
}
/// `%`, bit operations and shifts.
inline bool isIntegerOnly(BinaryOp op) {
  return op >= BinaryOp::Mod && op <= BinaryOp::ShiftRight;
}
inline bool isComparison(BinaryOp op) {
  return op >= BinaryOp::Equal && op <= BinaryOp::GreaterEqual;
}
struct BinaryExpr {
  BinaryOp op = BinaryOp::Add;
  SourceRange opRange;
  ExprPtr lhs, rhs;
  // Sema: the two sides where indices and sizes are compared; else empty.
  std::vector<IndexTerm> sides;
};

/// Only the chosen side is evaluated.
struct IfExpr {
  ExprPtr condition, thenValue, elseValue;
};

enum class Builtin : uint8_t {
  Abs,
  Neg,
  Sqrt,
  Rsqrt,
  Rcp,
  Exp,
  Exp2,
  Log,
  Log2,
  Tanh,
  Floor,
  Ceil,
  Round,
  Trunc,
  Fma,
  Min,
  Max,
  FloorDiv,
  TDiv,
  TMod,
  Bits,
  SBits,
  Tf32,
  Sin,
  Cos,
  Erf,
  Pow,
  OnGrid,
  Philox,
  Uniform,
  Behind
};

/// `bias == none`: known when the operator is compiled. Instances of operators
/// (OpDecl::instance) hold a BoolExpr in its place.
struct IsNoneExpr {
  Name tensor;
  bool negated = false; ///< `!=`
};

/// `ACT = false` among the arguments of a call.
struct NamedArgument {
  Name name;
  ExprPtr value;    ///< null: `none` or a type
  std::string word; ///< `none`, or the name of a type
};

/// A built-in function of the expression's type, or a `fn` to be inlined. An
/// operator is called as the whole value of a statement; Sema puts its
/// statements in the place of that one.
struct CallExpr {
  Name callee;
  std::optional<Accuracy> accuracy; ///< the written `.fast` or `.portable`
  std::vector<ExprPtr> arguments;
  std::vector<NamedArgument> named; ///< of operators only
  /// What a use without a suffix takes instead of its operator's choice: that
  /// of the operator it was written in.
  std::optional<Accuracy> inherited;
  /// The same for the sums of a called operator (OpDecl::contract).
  std::optional<bool> inheritedContract;
  // Sema: exactly one of the two.
  std::optional<Builtin> builtin;
  const FnDecl *fn = nullptr;
  /// on_grid: the digits; philox: the word.
  int64_t number = 0;
};

/// ArgMax and ArgMin give where the largest or smallest is. CumSum and CumProd
/// are scans: their one index is an index of the statement, and Sema puts
/// recurrences in their place.
enum class ReduceKind : uint8_t {
  Sum,
  Prod,
  Max,
  Min,
  Any,
  All,
  ArgMax,
  ArgMin,
  CumSum,
  CumProd
};
inline bool isArgument(ReduceKind kind) {
  return kind == ReduceKind::ArgMax || kind == ReduceKind::ArgMin;
}
inline bool isScan(ReduceKind kind) {
  return kind == ReduceKind::CumSum || kind == ReduceKind::CumProd;
}
/// `sum`, `prod`, `max`, `argmin`, `cumsum`, ...
std::string_view spelling(ReduceKind kind);

/// Several indices run in the written order, lexicographically.
struct ReduceExpr {
  ReduceKind kind = ReduceKind::Sum;
  std::vector<std::unique_ptr<IndexVariable>> indices;
  ExprPtr condition; ///< `sum[k : cond]`: who takes part; null: all
  ReduceOrder order;
  bool exclusive = false, reverse = false; ///< scans
  ExprPtr body;
  /// What it takes instead of its operator's choice (OpDecl::contract).
  std::optional<bool> contract;
  // Sema: what cuts the box of the indices, and what else somebody who takes
  // part has to satisfy (parts of `condition`, or owned by `madeTests`).
  std::vector<Condition> domain;
  std::vector<const Expr *> tests;
  std::vector<ExprPtr> madeTests;
};

struct Expr {
  using Node = std::variant<LiteralExpr, BoolExpr, NameExpr, AccessExpr,
                            CastExpr, UnaryExpr, BinaryExpr, IfExpr, CallExpr,
                            ReduceExpr, IsNoneExpr>;
  Node node;
  SourceRange range;
  /// Made of literals without suffix only, so that it takes its type from
  /// where it stands.
  bool untyped = false;
  /// The height of the tree; the parser bounds it.
  unsigned depth = 1;
  // Sema:
  ScalarType type = ScalarType::F32;

  template <typename T> T *as() { return std::get_if<T>(&node); }
  template <typename T> const T *as() const { return std::get_if<T>(&node); }
};

/// What Expr::untyped is for a node whose parts have theirs.
bool isUntyped(const Expr::Node &node);

/// Calls `each(Expr &)` for the direct parts of `expr`, in the order of the
/// text.
template <typename E, typename Each> void forEachChild(E &expr, Each each) {
  if (auto *access = expr.template as<AccessExpr>()) {
    for (auto &subscript : access->subscripts)
      each(*subscript.value);
    if (access->otherwise)
      each(*access->otherwise);
  } else if (auto *cast = expr.template as<CastExpr>()) {
    each(*cast->operand);
  } else if (auto *unary = expr.template as<UnaryExpr>()) {
    each(*unary->operand);
  } else if (auto *binary = expr.template as<BinaryExpr>()) {
    each(*binary->lhs);
    each(*binary->rhs);
  } else if (auto *choice = expr.template as<IfExpr>()) {
    each(*choice->condition);
    each(*choice->thenValue);
    each(*choice->elseValue);
  } else if (auto *call = expr.template as<CallExpr>()) {
    for (auto &argument : call->arguments)
      each(*argument);
  } else if (auto *reduce = expr.template as<ReduceExpr>()) {
    if (reduce->condition)
      each(*reduce->condition);
    for (auto &test : reduce->madeTests)
      each(*test);
    each(*reduce->body);
  }
}

/// Calls `each(name, range)` for every name in a dimension.
template <typename Each> void forEachName(const Expr &expr, Each each) {
  if (auto *name = expr.as<NameExpr>())
    each(name->name, expr.range);
  forEachChild(expr, [&](const Expr &child) { forEachName(child, each); });
}

//===----------------------------------------------------------------------===//
// Items
//===----------------------------------------------------------------------===//

struct ConstDecl {
  std::vector<std::string> docs; ///< what stands behind each `///`
  Name name;
  ScalarType type = ScalarType::F32;
  ExprPtr value;
  SourceRange range;
  // Sema: computed exactly and rounded once.
  double folded = 0;
  uint64_t foldedBits = 0; ///< integers (two's complement) and bool
};

struct FnParam {
  Name name;
  ScalarType type = ScalarType::F32;
};

/// A pure scalar function. Library functions (Program::library) are made once
/// per type they are used at; their ranges are empty.
struct FnDecl {
  std::vector<std::string> docs;
  Name name;
  std::vector<FnParam> params;
  ScalarType result = ScalarType::F32;
  ExprPtr body;
  SourceRange range;
  bool library = false;
  // Sema: nodes and height of the body with every call inlined.
  uint64_t inlinedSize = 0;
  unsigned inlinedDepth = 0;
};

/// A dimension as it is indexed: a sum of sizes and integers. The members of a
/// group, `(HK, G)`, follow each other and are one dimension of the argument;
/// `..R` is any number of leading ones, indexed as one of size R.
struct DimDecl {
  enum class Place : uint8_t { Alone, Leading, GroupFirst, GroupNext };
  ExprPtr value;
  SourceRange range;
  Place place = Place::Alone;
};

struct TensorDecl {
  Name name;
  ScalarType type = ScalarType::F32;
  std::vector<DimDecl> dims;
  SourceRange range;
  std::string typeParam; ///< the type is this parameter of the operator
  bool optional = false; ///< `bias: f32[N]? = none`
  ExprPtr first, end;    ///< `in first..end`; null where nothing is promised
  ExprPtr offsets;       ///< `offsets(T)`; null where nothing is promised
  bool inOut = false;    ///< `inout X: f32[N]`, among the inputs
  /// `layout(N, K)`: dimensions of the argument, by position, from the slowest
  /// in memory to the fastest; empty where nothing is promised.
  std::vector<unsigned> layout;
  int64_t align = 0; ///< `align 16`: bytes; 0 where nothing is promised
  Name aliases;      ///< `aliases X`, of an output; an empty name without
  // Sema:
  Tensor *tensor = nullptr;
};

/// A sum of sizes before their names mean anything.
struct NamedSum {
  std::map<std::string, int64_t, std::less<>> factors; ///< none is 0
  int64_t constant = 0;
  /// The name that it is, or null.
  const std::string *plainName() const;
  friend bool operator==(const NamedSum &, const NamedSum &) = default;
};

/// A size that other sizes say: `OH = (H + 2 * P - 3) / S + 1` behind `where`,
/// or a quotient such as `D / 2` in a dimension, a range or a subscript, whose
/// name is its text. Its value is sum / divisor, rounded down.
struct DerivedSize {
  Name name;
  ExprPtr value;        ///< as written
  bool written = false; ///< behind `where`
  SourceRange range;
  // Sema: over sizes and the derived ones before it.
  NamedSum sum;
  int64_t divisor = 0; ///< 0: not computed yet
  const SizeSymbol *size = nullptr;
  Extent numerator; ///< the sum
};

/// `H[b[i]] +=[order=sequential] value unique, drop`
struct Scatter {
  enum class Kind : uint8_t { Set, Add, Max, Min };
  Kind kind = Kind::Set;
  /// An AccessExpr of the target.
  ExprPtr place;
  ReduceOrder order;
  SourceRange opRange;
  bool unique = false, drop = false;
  SourceRange uniqueRange;
};
/// `=`, `+=`, `max=`, `min=`.
std::string_view spelling(Scatter::Kind kind);

/// `for t in 0..T { ... }` around statements.
struct TimeLoop {
  std::unique_ptr<IndexVariable> index;
  const TimeLoop *parent = nullptr; ///< the loop around it
  SourceRange range;                ///< from `for` to the brace
};

/// `for e in 0..E, t in off[e]..off[e + 1] { ... } else v` around statements:
/// each is there for all elements of all groups. Without `else` an element is
/// in one group, which `off` promises; with it the statements define elements
/// [e, t], and v is the value of those outside the group's range.
struct RaggedLoop {
  std::unique_ptr<IndexVariable> group, element; ///< with their written ranges
  ExprPtr otherwise;
  const TimeLoop *parent = nullptr; ///< the loop over time around it
  SourceRange range;                ///< from `for` to the brace
};

/// Whether `outer`, which may be none, is `inner` or around it.
bool isAround(const TimeLoop *outer, const TimeLoop *inner);

/// `T[i, j + 1] = value where cond else other`.
struct Statement {
  Name target;
  /// The distinct names on the left, in order of appearance.
  std::vector<std::unique_ptr<IndexVariable>> indices;
  /// One a dimension where some subscript is more than a name of its own;
  /// empty: `indices` are the subscripts.
  std::vector<Subscript> at;
  ExprPtr value;
  ExprPtr where;     ///< restricts `indices`; null: nothing
  ExprPtr otherwise; ///< elements of the tensor that `where` leaves out
  const TimeLoop *loop = nullptr;     ///< the innermost around it
  const RaggedLoop *ragged = nullptr; ///< the one around it, inside `loop`
  /// A tensor whose type and shape a temporary takes: it reads itself.
  const Tensor *like = nullptr;
  SourceRange range;
  /// `a, b = f(X)`: the names behind the first.
  std::vector<Name> moreTargets;
  /// What it is where data decide the place; `indices` are then Sema's: the
  /// names in the place that are nothing else, in their order.
  std::optional<Scatter> scatter;
  // Sema:
  /// Of a call: it writes what the caller gave for an inout input.
  bool inPlace = false;
  /// It overwrites elements that are defined already.
  bool updates = false;
  /// It reads what it writes.
  bool readsItself = false;
  /// The call whose place it took; an empty name where there is none.
  Name inlinedFrom;
  /// What cuts the box of `indices`: `where`, and what the elements that are
  /// read must satisfy.
  std::vector<Condition> domain;
  /// With an `else`: the value of the other elements is a definition of its
  /// own. Otherwise the value is chosen as by `if`, and nothing is cut.
  bool splits = false;
  /// The dimensions of what it defines, where the called operator declares it.
  std::vector<std::pair<Extent, SourceRange>> declared;
  const Tensor *tensor = nullptr;
};

/// `const ACT: bool = true` or `type T in {bf16, f32}` between the angles of an
/// operator.
struct OpParam {
  enum class Kind : uint8_t { Const, Type };
  Kind kind = Kind::Const;
  Name name;
  ScalarType type = ScalarType::F32; ///< Const
  std::string typeParam;             ///< Const: the type is this parameter
  ExprPtr value;                     ///< Const: the default; may be null
  std::vector<ScalarType> choices;   ///< Type: the first is the default
  SourceRange range;
};

/// `assume finite(V)`: no element of the input is infinite or NaN.
struct Assumption {
  Name tensor;
  SourceRange range;
  size_t before = 0; ///< statements that stand above it
};

struct OpDecl {
  std::vector<std::string> docs;
  Name name;
  std::vector<OpParam> params;
  std::vector<TensorDecl> inputs, outputs;
  std::vector<SizeConstraint> constraints;
  /// Each behind those that it uses.
  std::vector<std::unique_ptr<DerivedSize>> derived;
  std::optional<Accuracy> functions; ///< `numerics { functions = ... }`
  /// `contract = on`: fixed sums of products take fma as their leaf.
  std::optional<bool> contract;
  std::vector<Name> invariant; ///< `invariant = M, N`: sizes
  /// `rescale = online(64)`: sums relative to a maximum may be made in one pass
  /// over blocks of so many elements; 0: not said.
  int64_t online = 0;
  bool hasNumerics() const {
    return functions || contract || !invariant.empty() || online;
  }
  /// In the order of the text; those of a loop stand together.
  std::vector<std::unique_ptr<Statement>> statements;
  std::vector<std::unique_ptr<TimeLoop>> loops; ///< outer ones first
  std::vector<std::unique_ptr<RaggedLoop>> raggedLoops;
  std::vector<Assumption> assumptions;
  SourceRange range; ///< from `op` to the result list's end
  // Sema: sizes in order of appearance; inputs, outputs, then temporaries in
  // order of definition.
  std::vector<std::unique_ptr<SizeSymbol>> sizes;
  std::vector<std::unique_ptr<Tensor>> tensors;
  /// Of an operator that has parameters, optional tensors, calls, scans or
  /// ragged loops: its copy with all of these resolved, which is what is
  /// compiled. Null where there is none: either nothing is to be resolved, or
  /// `unbound` says what is missing.
  const OpDecl *instance = nullptr;
  std::string unbound; ///< a parameter that has no value
  /// Of an instance: the operator as written, and its const parameters.
  const OpDecl *written = nullptr;
  std::vector<std::unique_ptr<ConstDecl>> constants;
};

/// `use "norms.te"`.
struct UseDecl {
  std::vector<std::string> docs;
  std::string path; ///< as written
  SourceRange pathRange;
  SourceRange range;
};

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

struct TestRun;

/// What a test gives to a parameter or expects of an output.
struct TestValue {
  enum class Kind : uint8_t {
    List,   ///< `[[1, 2], [3, 4]]`, or one number
    Random, ///< `random(seed, kind)`
    Fill,   ///< `fill(0.5)`: the same everywhere
    Iota,   ///< `iota()`: 0, 1, 2, ... in row-major order
    Type,   ///< `f16`
    None,   ///< `none`
    Tensor, ///< `X`: an input of the run, by its name
    Call    ///< `other(A = A)`: an output of another operator
  };
  Kind kind = Kind::List;
  SourceRange range;
  std::vector<int64_t> shape;    ///< List
  std::vector<ExprPtr> elements; ///< List: row-major; Fill: one
  int64_t seed = 0;              ///< Random
  std::string word; ///< Random: the kind or ""; Type and Tensor: the name
  std::unique_ptr<TestRun> call; ///< Call
  // Sema: `shape` is that of the tensor for every kind. List and Fill: the
  // elements in the tensor's type, each rounded once: `values` of a float type,
  // `bits` (two's complement) of an integer type or bool. Call: `word` names
  // the output.
  std::vector<double> values;
  std::vector<uint64_t> bits;
};

/// `A = [[1, 2]]`: a tensor, a parameter or a size of the operator.
struct TestArgument {
  Name name;
  TestValue value;
};

/// `expect Y ~= [[1, 2]] ulp 1`.
struct TestExpect {
  Name tensor;
  bool exact = true; ///< `==`: the same bits, where any NaN is any other
  TestValue value;
  /// An element is near enough if it keeps one of those that are given; as
  /// written, empty if not.
  std::string ulp, abs, rel;
  SourceRange range;
};

/// `run f(A = ..., B = ...)`, and what is expected of it.
struct TestRun {
  Name op;
  std::vector<TestArgument> arguments;
  std::vector<TestExpect> expects;
  SourceRange range;
  // Sema: parameters that are no tensors as text (ParseOptions::settings).
  std::vector<std::pair<std::string, std::string>> settings;
};

struct TestDecl {
  std::vector<std::string> docs;
  std::string name;
  SourceRange nameRange;
  std::vector<TestRun> runs;
  SourceRange range; ///< from `test` to the name
};

using Item =
    std::variant<std::unique_ptr<ConstDecl>, std::unique_ptr<FnDecl>,
                 std::unique_ptr<OpDecl>, std::unique_ptr<UseDecl>,
                 std::unique_ptr<TestDecl>, std::unique_ptr<ScheduleDecl>,
                 std::unique_ptr<TemplateDecl>>;

/// The items in the order of the text.
struct File {
  std::vector<Item> items;
};

} // namespace girih::frontend

#endif // GIRIH_COMPILER_FRONTEND_AST_H
