//===- CascadeFind.cpp - which reductions can share one pass --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every value in the body of a sum is free of the reference, the reference
// itself, its distance from something free ("shift"), or scaled: a multiple of
// a function of the shift, by which scaling commutes.
//
//===----------------------------------------------------------------------===//

#include "passes/te/Cascade.h"

#include "compiler/arith/Term.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <map>

using namespace mlir;
using namespace girih::te;
using girih::arith::Term;

namespace {

/// The reduced index among the indices around a value; others are numbers of
/// the te.compute's.
constexpr int kReduced = -1;
constexpr int kUnknown = -2;

struct Role {
  enum Kind { Free, Reference, Shift, Scaled, Other };
  Kind kind = Free;
  SmallVector<int> at; ///< by dimension of the maximum
  unsigned factor = 0; ///< Scaled
  CascadeFactor path;  ///< Shift: `function` is not set
  std::string why;     ///< Other

  static Role other(std::string why) {
    Role role;
    role.kind = Other;
    role.why = std::move(why);
    return role;
  }
};

std::optional<Term> termOf(ReduceOp reduce) {
  TermAttr attribute = reduce.getTermAttr();
  if (!attribute)
    return std::nullopt;
  std::string error;
  size_t offset = 0;
  return girih::arith::parseTerm(std::string_view(attribute.getText()), error,
                                 offset);
}

Value yieldedBy(Block &block) {
  return cast<YieldOp>(block.getTerminator()).getValue();
}

/// A tensor of its own, the whole or a part of which is defined.
bool isPlainTensor(ComputeOp compute) {
  auto yield = cast<YieldOp>(compute.getBlock().getTerminator());
  return !compute.getExtentsAttr() && !compute.getInto() &&
         yield.getAt().empty();
}

class Finder {
public:
  explicit Finder(ComputeOp sum) : sum(sum) {}

  std::optional<Cascade> run(std::string &why) {
    if (findMax() && findSums() && findTensors()) {
      checkExact();
      return std::move(cascade);
    }
    why = problem;
    return std::nullopt;
  }

private:
  bool fail(std::string text) {
    if (problem.empty())
      problem = std::move(text);
    return false;
  }
  static std::string quoted(ComputeOp compute) {
    return "'" + compute.getName().str() + "'";
  }

  bool findMax();
  void findDependents();
  bool findSums();
  bool findTensors();
  void checkExact();

  /// What te.compute reads, also through tensors over the reduced index.
  void collectMaxima(ComputeOp compute, SmallVector<ComputeOp> &maxima,
                     llvm::SmallPtrSetImpl<Operation *> &seen);

  /// Indices around a value: of `owner`, of which one or of a reduction in
  /// which one is the reduced index.
  struct Scope {
    ComputeOp owner;
    Value reduced;
    int idOf(Value index) const {
      if (index == reduced)
        return kReduced;
      auto argument = dyn_cast<BlockArgument>(index);
      auto &block = const_cast<ComputeOp &>(owner).getBlock();
      return argument && argument.getOwner() == &block
                 ? int(argument.getArgNumber())
                 : kUnknown;
    }
  };
  Role roleOf(Value value, const Scope &scope);
  Role roleOfOp(Operation *op, const Scope &scope);
  Role roleOfRead(ReadOp read, const Scope &scope);
  Role scaledByFunction(UnaryOp unary, Role shift);
  bool sameFactor(const CascadeFactor &a, const CascadeFactor &b) const;

  bool isFreeConstant(Value value) const {
    Operation *op = value.getDefiningOp();
    if (!op || isa<ReadOp, ReduceOp>(op))
      return false;
    return llvm::all_of(op->getOperands(),
                        [&](Value operand) { return isFreeConstant(operand); });
  }
  void note(std::string text) {
    if (cascade.inexact.empty())
      cascade.inexact = std::move(text);
  }

  void noteOperand(Value value, Value scaled, const Scope &scope);

  // Exactness.
  /// The digits behind the point of a value that lies on a grid.
  std::optional<int64_t> gridOf(Value value, const Scope &scope);
  bool sameValue(Value a, const Scope &scopeA, Value b, const Scope &scopeB,
                 const SmallVector<int> &map);
  bool sameIndex(Value a, const Scope &scopeA, Value b, const Scope &scopeB,
                 const SmallVector<int> &map);

  ComputeOp sum;
  Cascade cascade;
  std::string problem;
  llvm::SmallPtrSet<Operation *, 16> dependents;          ///< of the maximum
  std::map<std::pair<Operation *, unsigned>, Role> roles; ///< by tensor, index
  std::map<Value, Role, bool (*)(Value, Value)> memo{[](Value a, Value b) {
    return a.getAsOpaquePointer() < b.getAsOpaquePointer();
  }};
  SmallVector<std::pair<ComputeOp, unsigned>> reached;
  Scope shiftScope; ///< of the first factor's shift
};

} // namespace

std::string Cascade::indexName() const {
  ComputeOp compute = max;
  return cast<StringAttr>(compute.getReduction().getIndexNames()[0]).str();
}

//===----------------------------------------------------------------------===//
// The maximum
//===----------------------------------------------------------------------===//

void Finder::collectMaxima(ComputeOp compute, SmallVector<ComputeOp> &maxima,
                           llvm::SmallPtrSetImpl<Operation *> &seen) {
  compute.getBody().walk([&](ReadOp read) {
    auto source = read.getTensor().getDefiningOp<ComputeOp>();
    if (!source || source->getBlock() != sum->getBlock() ||
        !seen.insert(source).second)
      return;
    ReduceOp reduce = source.getReduction();
    if (reduce && reduce.getKind() == ReduceKind::Max &&
        isa<FloatType>(reduce.getType()) && !source.getInto())
      maxima.push_back(source);
    else if (!reduce || source == sum)
      collectMaxima(source, maxima, seen);
  });
}

bool Finder::findMax() {
  ReduceOp reduce = sum.getReduction();
  if (!isa<FuncOp>(sum->getParentOp()))
    return fail(quoted(sum) + " stands in a loop over time");
  if (!reduce || reduce.getKind() != ReduceKind::Sum ||
      !isa<FloatType>(reduce.getType()))
    return fail(quoted(sum) + " is no sum of floats");
  if (reduce.getExtents().size() != 1)
    return fail(quoted(sum) + " runs over several indices");
  SmallVector<ComputeOp> maxima;
  llvm::SmallPtrSet<Operation *, 16> seen;
  collectMaxima(sum, maxima, seen);
  for (ComputeOp candidate : maxima) {
    ReduceOp other = candidate.getReduction();
    if (other.getExtents().size() == 1 &&
        other.getExtents()[0] == reduce.getExtents()[0]) {
      cascade.max = candidate;
      break;
    }
  }
  if (!cascade.max) {
    // Perhaps relative to something that is no maximum.
    for (auto earlier : sum->getBlock()->getOps<ComputeOp>())
      if (seen.contains(earlier) && earlier != sum)
        if (ReduceOp other = earlier.getReduction();
            other && other.getExtents() == reduce.getExtents())
          if (std::string why = insufficientState(sum, earlier); !why.empty())
            return fail(why);
    return fail("nothing in " + quoted(sum) +
                " is relative to a maximum over the same index");
  }
  findDependents();
  return true;
}

/// All that the maximum reaches, and the maps of its indices that make the
/// reference.
void Finder::findDependents() {
  dependents.insert(cascade.max);
  for (Operation &op : *sum->getBlock()) {
    bool depends = false;
    op.walk([&](ReadOp read) {
      Operation *source = read.getTensor().getDefiningOp();
      depends |= source && dependents.contains(source);
    });
    for (Value operand : op.getOperands())
      depends |= operand.getDefiningOp() &&
                 dependents.contains(operand.getDefiningOp());
    if (depends)
      dependents.insert(&op);
  }
  for (auto compute : sum->getBlock()->getOps<ComputeOp>()) {
    if (!dependents.contains(compute) || !compute.isWhole() ||
        compute == cascade.max ||
        compute.getType().getShape() != cascade.max.getType().getShape())
      continue;
    bool isMade = true;
    compute.getBody().walk([&](Operation *op) {
      if (isa<ReduceOp>(op))
        isMade = false;
      auto read = dyn_cast<ReadOp>(op);
      if (!read)
        return;
      auto source = read.getTensor().getDefiningOp<ComputeOp>();
      bool isOwn =
          source &&
          (source == cascade.max ||
           llvm::is_contained(cascade.chain, source)) &&
          llvm::equal(read.getIndices(), compute.getBlock().getArguments());
      isMade &= isOwn;
    });
    if (isMade)
      cascade.chain.push_back(compute);
  }
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

bool Finder::sameFactor(const CascadeFactor &a, const CascadeFactor &b) const {
  UnaryOp f = a.function, g = b.function;
  if (f.getKind() != g.getKind() || f.getAccuracy() != g.getAccuracy() ||
      f.getType() != g.getType() || a.products.size() != b.products.size())
    return false;
  for (auto [p, q] : llvm::zip(a.products, b.products)) {
    BinaryOp x = p, y = q;
    auto constantOf = [](BinaryOp op) -> Attribute {
      for (Value operand : {op.getLhs(), op.getRhs()})
        if (auto constant = operand.getDefiningOp<ConstantOp>())
          return constant.getValue();
      return {};
    };
    if (x != y && (!constantOf(x) || constantOf(x) != constantOf(y)))
      return false;
  }
  return true;
}

Role Finder::scaledByFunction(UnaryOp unary, Role shift) {
  Role role;
  role.kind = Role::Scaled;
  role.at = shift.at;
  CascadeFactor factor = shift.path;
  factor.function = unary;
  for (auto [number, known] : llvm::enumerate(cascade.factors))
    if (sameFactor(known, factor)) {
      role.factor = number;
      return role;
    }
  role.factor = cascade.factors.size();
  cascade.factors.push_back(factor);
  return role;
}

Role Finder::roleOfRead(ReadOp read, const Scope &scope) {
  auto source = read.getTensor().getDefiningOp<ComputeOp>();
  SmallVector<int> ids;
  for (Value index : read.getIndices())
    ids.push_back(scope.idOf(index));
  bool isRelated = source && dependents.contains(source);
  if (source &&
      (source == cascade.max || llvm::is_contained(cascade.chain, source))) {
    if (llvm::any_of(ids, [](int id) { return id < 0; }))
      return Role::other("reads " + quoted(source) +
                         " at other elements than its own");
    if (cascade.reference && cascade.reference != source)
      return Role::other("reads both " + quoted(cascade.reference) + " and " +
                         quoted(source));
    cascade.reference = source;
    Role role;
    role.kind = Role::Reference;
    role.at = ids;
    return role;
  }
  // Tensors over the reduced index are looked into.
  if (source && isPlainTensor(source) && llvm::count(ids, kReduced) == 1 &&
      source->getBlock() == sum->getBlock()) {
    unsigned dim = llvm::find(ids, kReduced) - ids.begin();
    bool isOver = source.getType().getShape()[dim] ==
                  cascade.max.getReduction().getExtents()[0];
    if (isOver && !llvm::is_contained(reached, std::pair(source, dim)))
      reached.push_back({source, dim});
    if (isRelated && isOver) {
      if (source.getReduction() ||
          !source.getBlock().getOps<ReduceOp>().empty())
        return Role::other("reads the reduction " + quoted(source) +
                           ", which needs the whole maximum");
      auto key = std::pair(source.getOperation(), dim);
      auto known = roles.find(key);
      if (known == roles.end()) {
        Scope inner{source, source.getBlock().getArgument(dim)};
        Role role = roleOf(yieldedBy(source.getBlock()), inner);
        known = roles.emplace(key, std::move(role)).first;
      }
      Role role = known->second;
      for (int &at : role.at) {
        at = at >= 0 ? ids[at] : kUnknown;
        if (at < 0)
          return Role::other("reads " + quoted(source) +
                             " at subscripts that are no plain indices");
      }
      return role;
    }
  }
  if (isRelated)
    return Role::other("reads " + quoted(source) +
                       ", which needs the whole maximum");
  return {};
}

/// Fraction bits of a value that was cast from a narrower type.
static int fractionBits(Value value) {
  while (auto cast = value.getDefiningOp<CastOp>()) {
    auto type = dyn_cast<FloatType>(cast.getValue().getType());
    if (!type)
      break;
    value = cast.getValue();
  }
  auto type = dyn_cast<FloatType>(value.getType());
  return type ? int(type.getFPMantissaWidth()) - 1 : 23;
}

void Finder::noteOperand(Value value, Value scaled, const Scope &scope) {
  cascade.operands.push_back({value, scope.owner, fractionBits(scaled)});
}

Role Finder::roleOf(Value value, const Scope &scope) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  auto known = memo.find(value);
  if (known != memo.end())
    return known->second;
  Role role = roleOfOp(op, scope);
  memo.emplace(value, role);
  return role;
}

Role Finder::roleOfOp(Operation *op, const Scope &scope) {
  if (auto read = dyn_cast<ReadOp>(op))
    return roleOfRead(read, scope);
  if (isa<ReduceOp>(op))
    return Role::other("holds another reduction");
  SmallVector<Role> operands;
  for (Value operand : op->getOperands())
    operands.push_back(roleOf(operand, scope));
  SmallVector<const Role *> bound;
  for (const Role &role : operands) {
    if (role.kind == Role::Other)
      return role;
    if (role.kind != Role::Free)
      bound.push_back(&role);
  }
  if (bound.empty())
    return {};
  for (const Role *role : bound)
    if (role->at != bound[0]->at)
      return Role::other("is relative to two elements of the maximum");
  const Role &only = *bound[0];
  auto is = [&](size_t operand, Role::Kind kind) {
    return operand < operands.size() && operands[operand].kind == kind;
  };
  auto isFloat = [](Type type) {
    return type.isF32() || type.isF64() || type.isBF16();
  };
  auto unlike = [&](const std::string &what) {
    return Role::other("has " + what + " of something relative to the maximum");
  };

  if (auto binary = dyn_cast<BinaryOp>(op)) {
    BinaryKind kind = binary.getKind();
    if (kind == BinaryKind::Sub && is(0, Role::Free) &&
        is(1, Role::Reference)) {
      Role role = only;
      role.kind = Role::Shift;
      role.path.shift = binary;
      if (!shiftScope.owner)
        shiftScope = scope;
      return role;
    }
    bool one = bound.size() == 1;
    if (kind == BinaryKind::Mul && one && only.kind == Role::Shift) {
      Value other = is(0, Role::Free) ? binary.getLhs() : binary.getRhs();
      if (!isFreeConstant(other))
        return unlike("a product with a tensor's element");
      Role role = only;
      role.path.products.push_back(binary);
      return role;
    }
    bool scaled = llvm::all_of(
        bound, [](const Role *r) { return r->kind == Role::Scaled; });
    if (scaled) {
      if (one && kind == BinaryKind::Mul) {
        bool left = is(0, Role::Scaled);
        noteOperand(left ? binary.getRhs() : binary.getLhs(),
                    left ? binary.getLhs() : binary.getRhs(), scope);
        return only;
      }
      if (one && kind == BinaryKind::Div && is(0, Role::Scaled)) {
        note("a quotient may underflow where its dividend is scaled");
        return only;
      }
      if (!one && bound[0]->factor == bound[1]->factor &&
          (kind == BinaryKind::Add || kind == BinaryKind::Sub ||
           kind == BinaryKind::Max || kind == BinaryKind::Min))
        return only;
    }
    return unlike("'" + stringifyBinaryKind(kind).str() + "'");
  }
  if (auto unary = dyn_cast<UnaryOp>(op)) {
    UnaryKind kind = unary.getKind();
    if ((kind == UnaryKind::Exp || kind == UnaryKind::Exp2) &&
        only.kind == Role::Shift)
      return scaledByFunction(unary, only);
    if (only.kind == Role::Scaled &&
        (kind == UnaryKind::Neg || kind == UnaryKind::Abs))
      return only;
    return unlike("'" + stringifyUnaryKind(kind).str() + "'");
  }
  if (auto cast = dyn_cast<CastOp>(op)) {
    if (only.kind != Role::Scaled)
      return unlike("a cast");
    if (!isa<FloatType>(cast.getType()))
      return unlike("a cast to an integer");
    if (!isFloat(cast.getType()))
      note("a cast to a type of fewer exponents than f32's does not commute "
           "with scaling");
    return only;
  }
  if (auto fma = dyn_cast<FmaOp>(op)) {
    bool product = is(0, Role::Scaled) != is(1, Role::Scaled);
    if (product && is(2, Role::Scaled)) {
      bool left = is(0, Role::Scaled);
      noteOperand(left ? fma.getB() : fma.getA(),
                  left ? fma.getA() : fma.getB(), scope);
      return only;
    }
    return unlike("'fma'");
  }
  if (auto select = dyn_cast<SelectOp>(op)) {
    auto isZero = [](Value value) {
      auto constant = value.getDefiningOp<ConstantOp>();
      auto real =
          constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
      return real && real.getValue().isZero();
    };
    bool fits = is(0, Role::Free) && only.kind == Role::Scaled;
    for (size_t side : {1, 2})
      fits &= is(side, Role::Scaled) ||
              (is(side, Role::Free) && isZero(op->getOperand(side)));
    return fits ? only : unlike("a choice");
  }
  return unlike("'" + op->getName().stripDialect().str() + "'");
}

//===----------------------------------------------------------------------===//
// The sums
//===----------------------------------------------------------------------===//

bool Finder::findSums() {
  Attribute extent = cascade.max.getReduction().getExtents()[0];
  for (auto compute : sum->getBlock()->getOps<ComputeOp>()) {
    ReduceOp reduce = compute.getReduction();
    if (!reduce || !dependents.contains(compute) || compute == cascade.max ||
        compute.getInto() || reduce.getKind() != ReduceKind::Sum ||
        !isa<FloatType>(reduce.getType()) || reduce.getExtents().size() != 1 ||
        reduce.getExtents()[0] != extent)
      continue;
    Scope scope{compute, reduce.getBlock().getArgument(0)};
    Role role = roleOf(yieldedBy(reduce.getBlock()), scope);
    if (role.kind == Role::Scaled &&
        llvm::all_of(role.at, [](int at) { return at >= 0; })) {
      CascadeSum member;
      member.compute = compute;
      member.factor = role.factor;
      member.at.assign(role.at.begin(), role.at.end());
      cascade.sums.push_back(std::move(member));
      continue;
    }
    if (compute != sum)
      continue; // it stays behind the loop
    std::string witness = insufficientState(sum, cascade.max);
    if (!witness.empty())
      return fail(witness);
    if (role.kind == Role::Other)
      return fail("the body of " + quoted(sum) + " " + role.why);
    return fail("the body of " + quoted(sum) +
                " is no multiple of exp or exp2 of a distance from " +
                quoted(cascade.max));
  }
  if (llvm::none_of(cascade.sums, [&](const CascadeSum &member) {
        return member.compute == sum;
      }))
    return fail(quoted(sum) + " does not use " + quoted(cascade.max));
  return true;
}

/// Which tensors over the index are made in the loop.
bool Finder::findTensors() {
  // The maximum's own operands, and theirs.
  SmallVector<std::pair<Block *, Value>> open;
  auto look = [&](Block &block, Value reduced) {
    block.walk([&](ReadOp read) {
      auto source = read.getTensor().getDefiningOp<ComputeOp>();
      if (!source || !isPlainTensor(source) ||
          source->getBlock() != sum->getBlock() ||
          llvm::count(read.getIndices(), reduced) != 1)
        return;
      unsigned dim =
          llvm::find(read.getIndices(), reduced) - read.getIndices().begin();
      if (source.getType().getShape()[dim] !=
          cascade.max.getReduction().getExtents()[0])
        return;
      if (!llvm::is_contained(reached, std::pair(source, dim)))
        reached.push_back({source, dim});
    });
  };
  ReduceOp reduce = cascade.max.getReduction();
  look(reduce.getBlock(), reduce.getBlock().getArgument(0));
  for (size_t i = 0; i < reached.size(); ++i) {
    auto [compute, dim] = reached[i];
    look(compute.getBlock(), compute.getBlock().getArgument(dim));
  }
  // A tensor that two of its dimensions lead to is left alone.
  llvm::SmallPtrSet<Operation *, 8> once;
  for (auto [compute, dim] : reached)
    if (!once.insert(compute).second)
      return fail(quoted(compute) + " is read along two of its dimensions");

  // Other extrema of the same elements.
  for (auto compute : sum->getBlock()->getOps<ComputeOp>()) {
    ReduceOp other = compute.getReduction();
    if (!other || compute == cascade.max || dependents.contains(compute) ||
        compute.getInto() || other.getExtents().size() != 1 ||
        other.getExtents()[0] != reduce.getExtents()[0] ||
        (other.getKind() != ReduceKind::Max &&
         other.getKind() != ReduceKind::Min))
      continue;
    bool shares = false;
    other.getBlock().walk([&](ReadOp read) {
      for (auto [tensor, dim] : reached)
        shares |= tensor == read.getTensor().getDefiningOp() &&
                  read.getIndices()[dim] == other.getBlock().getArgument(0);
    });
    if (shares)
      cascade.beside.push_back(compute);
  }

  // Free reductions that others read too are computed once, before the loop.
  llvm::SmallPtrSet<Operation *, 8> inside;
  inside.insert(cascade.max);
  for (const CascadeSum &member : cascade.sums)
    inside.insert(member.compute);
  for (ComputeOp compute : cascade.beside)
    inside.insert(compute);
  for (auto [compute, dim] : reached)
    inside.insert(compute);
  llvm::erase_if(reached, [&](const std::pair<ComputeOp, unsigned> &entry) {
    ComputeOp compute = entry.first;
    if (!compute.getReduction())
      return false;
    return llvm::any_of(compute->getUsers(), [&](Operation *user) {
      auto reader = user->getParentOfType<ComputeOp>();
      return !isa<ReadOp>(user) || !reader || !inside.contains(reader);
    });
  });
  llvm::sort(reached, [](const auto &a, const auto &b) {
    ComputeOp x = a.first, y = b.first;
    return x->isBeforeInBlock(y);
  });
  cascade.tensors = std::move(reached);
  if (!cascade.reference)
    cascade.reference = cascade.max;
  return true;
}

//===----------------------------------------------------------------------===//
// Powers of two
//===----------------------------------------------------------------------===//

/// The number of digits for which the value is a multiple of 2^-digits.
std::optional<int64_t> Finder::gridOf(Value value, const Scope &scope) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto grid = dyn_cast<OnGridOp>(op))
    return grid.getDigits();
  if (auto convert = dyn_cast<ToFloatOp>(op))
    return 0;
  if (auto cast = dyn_cast<CastOp>(op)) {
    if (!isa<FloatType>(cast.getValue().getType()))
      return 0;
    return gridOf(cast.getValue(), scope);
  }
  if (auto select = dyn_cast<SelectOp>(op)) {
    auto isInfinite = [](Value side) {
      auto constant = side.getDefiningOp<ConstantOp>();
      auto real =
          constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
      return real && real.getValue().isInfinity();
    };
    Value a = select.getThenValue(), b = select.getElseValue();
    if (isInfinite(b))
      return gridOf(a, scope);
    if (isInfinite(a))
      return gridOf(b, scope);
    auto left = gridOf(a, scope), right = gridOf(b, scope);
    return left && right ? std::optional(std::max(*left, *right))
                         : std::nullopt;
  }
  if (auto unary = dyn_cast<UnaryOp>(op)) {
    switch (unary.getKind()) {
    case UnaryKind::Floor:
    case UnaryKind::Ceil:
    case UnaryKind::Round:
    case UnaryKind::Trunc:
      return 0;
    case UnaryKind::Neg:
    case UnaryKind::Abs:
      return gridOf(unary.getValue(), scope);
    default:
      return std::nullopt;
    }
  }
  if (auto read = dyn_cast<ReadOp>(op)) {
    auto source = read.getTensor().getDefiningOp<ComputeOp>();
    if (!source || source.getReduction() || !isPlainTensor(source))
      return std::nullopt;
    return gridOf(yieldedBy(source.getBlock()), Scope{source, {}});
  }
  return std::nullopt;
}

bool Finder::sameIndex(Value a, const Scope &scopeA, Value b,
                       const Scope &scopeB, const SmallVector<int> &map) {
  int idA = scopeA.idOf(a), idB = scopeB.idOf(b);
  if (idA == kUnknown || idB == kUnknown)
    return false;
  return idB == (idA == kReduced ? kReduced : map[idA]);
}

/// Whether both are the same expression; index n of `scopeA` is map[n] of
/// `scopeB`.
bool Finder::sameValue(Value a, const Scope &scopeA, Value b,
                       const Scope &scopeB, const SmallVector<int> &map) {
  if (a.getType().isIndex() && isa<BlockArgument>(a) && isa<BlockArgument>(b))
    return sameIndex(a, scopeA, b, scopeB, map);
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (!x || !y || x->getName() != y->getName() ||
      x->getNumOperands() != y->getNumOperands() || x->getNumRegions() ||
      x->getAttrDictionary() != y->getAttrDictionary() ||
      a.getType() != b.getType())
    return false;
  for (auto [p, q] : llvm::zip(x->getOperands(), y->getOperands())) {
    if (isa<TeTensorType>(p.getType()) ? p != q
                                       : !sameValue(p, scopeA, q, scopeB, map))
      return false;
  }
  return true;
}

void Finder::checkExact() {
  ReduceOp reduce = cascade.max.getReduction();
  Scope maxScope{cascade.max, reduce.getBlock().getArgument(0)};
  for (CascadeFactor &factor : cascade.factors) {
    if (factor.function.getKind() != UnaryKind::Exp2 ||
        !factor.function.getType().isF32() || !factor.products.empty())
      return note("the factor is no power of two: that takes exp2 of an f32 "
                  "distance itself");
    // The operand is the distance, with nothing between.
    if (factor.function.getValue() != factor.shift.getResult())
      return note("the factor is no power of two");
  }
  // The reference: an integer that no element exceeds.
  ComputeOp last = cascade.reference;
  if (last == cascade.max)
    return note("the reference " + quoted(last) +
                " is the maximum itself, which need not be an integer");
  Value value = yieldedBy(last.getBlock());
  while (true) {
    if (auto read = value.getDefiningOp<ReadOp>()) {
      auto source = read.getTensor().getDefiningOp<ComputeOp>();
      if (source == cascade.max)
        return note("the reference " + quoted(last) +
                    " is not rounded up to an integer");
      value = yieldedBy(source.getBlock());
      continue;
    }
    auto unary = value.getDefiningOp<UnaryOp>();
    if (!unary || unary.getKind() != UnaryKind::Ceil)
      return note("the reference " + quoted(last) +
                  " is not the maximum rounded up to an integer by ceil");
    value = unary.getValue();
    auto read = value.getDefiningOp<ReadOp>();
    while (read && read.getTensor().getDefiningOp() != cascade.max) {
      value = yieldedBy(read.getTensor().getDefiningOp<ComputeOp>().getBlock());
      read = value.getDefiningOp<ReadOp>();
    }
    if (!read)
      return note("the reference " + quoted(last) +
                  " is not the maximum rounded up to an integer by ceil");
    break;
  }
  // The elements: on a grid, and the very ones that the maximum is over.
  for (CascadeFactor &factor : cascade.factors) {
    auto owner = factor.shift->getParentOfType<ComputeOp>();
    Scope scope{owner, {}};
    SmallVector<int> map; // index of the maximum -> of `owner`
    auto inner = factor.shift->getParentOfType<ReduceOp>();
    if (inner) {
      scope.reduced = inner.getBlock().getArgument(0);
    } else {
      for (auto [tensor, dim] : cascade.tensors)
        if (tensor == owner)
          scope.reduced = owner.getBlock().getArgument(dim);
    }
    auto read = factor.shift.getRhs().getDefiningOp<ReadOp>();
    if (!read || !scope.reduced)
      return note("the distance is not taken from an element of " +
                  quoted(cascade.reference) + " itself");
    for (Value index : read.getIndices())
      map.push_back(scope.idOf(index));
    Value element = factor.shift.getLhs();
    std::optional<int64_t> digits = gridOf(element, scope);
    if (!digits || *digits > 17)
      return note("the elements lie on no grid of at most 17 digits behind the "
                  "point: on_grid puts them there");
    if (!sameValue(yieldedBy(reduce.getBlock()), maxScope, element, scope, map))
      return note("the sums' elements are not those of which " +
                  quoted(cascade.max) + " is the maximum");
    // Conditions under which the maximum takes part hold for the sums too.
    for (auto where : reduce.getBlock().getOps<WhereOp>()) {
      bool found = false;
      auto search = [&](Block &block) {
        for (auto other : block.getOps<WhereOp>()) {
          bool same = other.getOffset() == where.getOffset() &&
                      other.getCoefficients() == where.getCoefficients() &&
                      other.getIndices().size() == where.getIndices().size();
          for (size_t i = 0; same && i < where.getIndices().size(); ++i)
            same = sameIndex(where.getIndices()[i], maxScope,
                             other.getIndices()[i], scope, map);
          found |= same;
        }
      };
      search(owner.getBlock());
      if (inner)
        search(inner.getBlock());
      if (!found)
        return note("the sums run over elements that " + quoted(cascade.max) +
                    " leaves out");
    }
  }
}

std::optional<Cascade> girih::te::findCascade(ComputeOp sum, std::string &why) {
  return Finder(sum).run(why);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

std::string girih::te::blockProblem(const Cascade &cascade, int64_t block) {
  for (const CascadeSum &member : cascade.sums) {
    ComputeOp compute = member.compute;
    std::optional<Term> term = termOf(compute.getReduction());
    std::string name = "'" + compute.getName().str() + "'";
    if (!term || term->kind == Term::Kind::Seq)
      continue;
    std::string text = girih::arith::printTerm(*term);
    if (term->kind != Term::Kind::Lanes)
      return name + " is summed by " + text +
             ", of which no block is a part; order=sequential or lanes are";
    if (block % (term->length * term->width) != 0)
      return "a block of " + std::to_string(block) + " cuts the lanes of " +
             name + ", which is summed by " + text + ": " +
             std::to_string(term->length * term->width) +
             " elements are one round";
  }
  return {};
}

int64_t girih::te::blockFor(const Cascade &cascade, int64_t wanted) {
  int64_t round = 1;
  for (const CascadeSum &member : cascade.sums) {
    ComputeOp compute = member.compute;
    std::optional<Term> term = termOf(compute.getReduction());
    if (term && term->kind == Term::Kind::Lanes)
      round = std::max(round, term->length * term->width);
  }
  return (wanted + round - 1) / round * round;
}
