//===- ScopRun.cpp - runs a Scop instance by instance in tests ------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/passes/ScopRun.h"

#include "test/unit/passes/TeScalars.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

using namespace girih;
using namespace girih::test;
using poly::Access;
using poly::Affine;
using poly::Statement;
using poly::StatementKind;
using te::TestTensor;

int64_t girih::test::valueOf(const Affine &affine, const Point &dims,
                             const Point &params) {
  int64_t value = affine.constant;
  for (size_t d = 0; d < affine.dims.size(); ++d)
    value += affine.dims[d] * dims.at(d);
  for (size_t p = 0; p < affine.params.size(); ++p)
    value += affine.params[p] * params.at(p);
  return value;
}

//===----------------------------------------------------------------------===//
// Instances
//===----------------------------------------------------------------------===//

namespace {

/// Walks a domain by the bounds that its constraints give, dim by dim.
class Walk {
public:
  Walk(const Statement &statement, const Point &params,
       const std::function<void(const Point &)> &visit)
      : statement(statement), params(params), visit(visit),
        low(statement.dims.size(), -kFar), high(statement.dims.size(), kFar) {
    // The box around the domain: bounds of deeper dims bound outer ones.
    for (size_t round = 0; round <= 2 * statement.dims.size(); ++round)
      for (size_t d = 0; d < statement.dims.size(); ++d)
        bounds(d, {}, low[d], high[d]);
    for (size_t d = 0; d < statement.dims.size(); ++d)
      if (low[d] > high[d])
        return;
    Point point;
    step(point);
  }

private:
  static constexpr int64_t kFar = int64_t(1) << 40;

  /// Narrows [from, to] of dim `d` for dims before it fixed to `prefix`, others
  /// inside the box.
  void bounds(size_t d, const Point &prefix, int64_t &from, int64_t &to) const {
    for (const Affine &constraint : statement.constraints) {
      int64_t factor = constraint.dimCoefficient(d);
      if (factor == 0)
        continue;
      int64_t rest = constraint.constant;
      bool isBounded = true;
      for (size_t p = 0; p < constraint.params.size(); ++p)
        rest += constraint.params[p] * params.at(p);
      for (size_t other = 0; other < constraint.dims.size(); ++other) {
        int64_t c = constraint.dims[other];
        if (other == d || c == 0)
          continue;
        int64_t most = other < prefix.size() ? prefix[other]
                       : c > 0               ? high[other]
                                             : low[other];
        isBounded &= most > -kFar && most < kFar;
        rest += c * most;
      }
      if (!isBounded)
        continue;
      if (factor > 0)
        from = std::max(from, -floorDivide(rest, factor));
      else
        to = std::min(to, floorDivide(rest, -factor));
    }
  }

  static int64_t floorDivide(int64_t a, int64_t b) {
    return a / b - (a % b != 0 && a < 0);
  }

  void step(Point &point) {
    size_t d = point.size();
    if (d == statement.dims.size()) {
      for (const Affine &constraint : statement.constraints)
        if (valueOf(constraint, point, params) < 0)
          return;
      visit(point);
      return;
    }
    int64_t from = low[d], to = high[d];
    bounds(d, point, from, to);
    if (from <= -kFar || (to >= kFar && from <= to))
      throw std::runtime_error("dim '" + statement.dims[d] + "' of '" +
                               statement.name + "' has no bound");
    for (int64_t value = from; value <= to; ++value) {
      point.push_back(value);
      step(point);
      point.pop_back();
    }
  }

  const Statement &statement;
  const Point &params;
  const std::function<void(const Point &)> &visit;
  Point low, high;
};

std::string describe(const std::string &name, const Point &at) {
  std::string text = name + "[";
  for (size_t d = 0; d < at.size(); ++d)
    text += (d ? ", " : "") + std::to_string(at[d]);
  return text + "]";
}

} // namespace

void girih::test::forEachInstance(
    const Statement &statement, const Point &params,
    const std::function<void(const Point &)> &visit) {
  Walk(statement, params, visit);
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// A te region as a list of steps over numbered values.
class ScopRun::Body {
public:
  Body(ScopRun &run, const Statement &statement,
       const scop::StatementInfo &info, mlir::Block &block)
      : run(run), statement(statement), info(info) {
    unsigned next = 0;
    te::ComputeOp compute = info.compute;
    te::ReduceOp reduce = info.reduce;
    for (mlir::BlockArgument index : compute.getBlock().getArguments())
      indexOf[index] = next++;
    if (reduce)
      for (mlir::BlockArgument index : reduce.getBlock().getArguments())
        indexOf[index] = next++;
    if (next != info.indices.size())
      throw std::runtime_error("'" + statement.name +
                               "' does not map every te index");
    for (mlir::Operation &op : block)
      add(op);
  }

  /// Evaluates everything; the value of `which` afterwards.
  double evaluate(const Point &dims) {
    for (const auto &step : steps)
      step(dims);
    return slots[result];
  }
  /// The factors of the product that is yielded, after evaluate().
  double factor(bool second) const { return slots[second ? rhs : lhs]; }

private:
  unsigned slot(mlir::Value value) {
    auto found = slotOf.find(value);
    if (found != slotOf.end())
      return found->second;
    if (auto outer = indexOf.find(value); outer != indexOf.end()) {
      unsigned target = newSlot(value);
      Affine affine = info.indices[outer->second];
      steps.push_back([this, target, affine](const Point &dims) {
        slots[target] = double(valueOf(affine, dims, run.params));
      });
      return target;
    }
    throw std::runtime_error("a value from another region");
  }
  unsigned newSlot(mlir::Value value) {
    slots.push_back(0);
    return slotOf[value] = slots.size() - 1;
  }

  Affine sumOf(te::AffineOp affine) {
    te::LinearExtent offset = te::linearOf(affine.getOffset());
    Affine sum = Affine::of(offset.constant);
    for (auto [size, factor] : offset.terms)
      sum = sum + run.affineOf(size.getValue()) * factor;
    for (auto [index, factor] :
         llvm::zip(affine.getIndices(), affine.getCoefficients()))
      sum = sum + info.indices.at(indexOf.at(index)) * factor;
    return sum;
  }

  void addRead(te::ReadOp read) {
    const Access &access = statement.accesses.at(reads++);
    unsigned target = newSlot(read.getResult());
    // The access must be the te subscripts, index by index.
    for (auto [number, index] : llvm::enumerate(read.getIndices())) {
      Affine meant;
      if (auto constant = index.getDefiningOp<te::IndexConstantOp>())
        meant = Affine::of(constant.getValue());
      else if (auto affine = index.getDefiningOp<te::AffineOp>())
        meant = sumOf(affine);
      else
        meant = info.indices.at(indexOf.at(index));
      if (!(access.subscripts.at(number) == meant))
        throw std::runtime_error(
            "'" + statement.name +
            "' reads at other subscripts than its te.read");
    }
    // Outside, a guarded read gives what nobody may use.
    bool isGuarded = read.getGuarded();
    steps.push_back([this, target, &access, isGuarded](const Point &dims) {
      slots[target] = isGuarded && !run.isInside(access, dims)
                          ? std::nan("")
                          : run.load(access, dims);
    });
  }

  void add(mlir::Operation &op) {
    using namespace te;
    if (auto read = mlir::dyn_cast<ReadOp>(op))
      return addRead(read);
    if (auto affine = mlir::dyn_cast<AffineOp>(op)) {
      Affine sum = sumOf(affine);
      unsigned target = newSlot(op.getResult(0));
      steps.push_back([this, target, sum](const Point &dims) {
        slots[target] = double(valueOf(sum, dims, run.params));
      });
      return;
    }
    if (mlir::isa<IndexConstantOp>(op)) {
      double value = mlir::cast<IndexConstantOp>(op).getValue();
      unsigned target = newSlot(op.getResult(0));
      steps.push_back(
          [this, target, value](const Point &) { slots[target] = value; });
      return;
    }
    if (auto size = mlir::dyn_cast<SizeOp>(op)) {
      double value = double(run.sizeOf(size.getSize()));
      unsigned target = newSlot(op.getResult(0));
      steps.push_back(
          [this, target, value](const Point &) { slots[target] = value; });
      return;
    }
    if (auto yield = mlir::dyn_cast<YieldOp>(op)) {
      result = slot(yield.getValue());
      if (auto product = yield.getValue().getDefiningOp<BinaryOp>()) {
        lhs = slot(product.getLhs());
        rhs = slot(product.getRhs());
      }
      return;
    }
    std::vector<unsigned> from;
    for (mlir::Value operand : op.getOperands())
      from.push_back(slot(operand));
    unsigned target = newSlot(op.getResult(0));
    mlir::Type type = op.getResult(0).getType();
    auto in = [this, from](unsigned i) { return slots[from[i]]; };
    std::function<double()> value;
    llvm::TypeSwitch<mlir::Operation *>(&op)
        .Case([&](ConstantOp constant) {
          double literal = mlir::cast<mlir::FloatAttr>(constant.getValue())
                               .getValueAsDouble();
          value = [literal] { return literal; };
        })
        .Case([&](CastOp) {
          value = [=] { return scalar::roundTo(type, in(0)); };
        })
        .Case([&](ToFloatOp) {
          value = [=] { return scalar::roundTo(type, in(0)); };
        })
        .Case([&](UnaryOp unary) {
          UnaryKind kind = unary.getKind();
          value = [=] { return scalar::unary(kind, type, in(0)); };
        })
        .Case([&](BinaryOp binary) {
          BinaryKind kind = binary.getKind();
          value = [=] { return scalar::binary(kind, type, in(0), in(1)); };
        })
        .Case([&](FmaOp) {
          value = [=] {
            return scalar::fusedMultiplyAdd(type, in(0), in(1), in(2));
          };
        })
        .Case([&](CompareOp compare) {
          CompareKind kind = compare.getKind();
          value = [=] { return scalar::compare(kind, in(0), in(1)); };
        })
        .Case([&](SelectOp) {
          value = [=] { return in(0) != 0 ? in(1) : in(2); };
        })
        .Default([&](mlir::Operation *other) {
          throw std::runtime_error("no interpretation of " +
                                   other->getName().getStringRef().str());
        });
    steps.push_back(
        [this, target, value](const Point &) { slots[target] = value(); });
  }

  ScopRun &run;
  const Statement &statement;
  const scop::StatementInfo &info;
  llvm::DenseMap<mlir::Value, unsigned> indexOf, slotOf;
  std::vector<std::function<void(const Point &)>> steps;
  std::vector<double> slots;
  unsigned reads = 0, result = 0, lhs = 0, rhs = 0;
};

//===----------------------------------------------------------------------===//
// Arrays and statements
//===----------------------------------------------------------------------===//

ScopRun::ScopRun(te::FuncOp func, const scop::ScopWithMap &withMap,
                 const Point &params, const std::vector<TestTensor> &arguments)
    : func(func), scop(withMap.scop), map(withMap.map), params(params) {
  for (size_t a = 0; a < scop.arrays.size(); ++a) {
    const poly::Array &model = scop.arrays[a];
    Storage storage;
    int64_t count = 1;
    for (size_t d = 0; d < model.extents.size(); ++d) {
      int64_t extent = valueOf(model.extents[d], {}, params);
      int64_t divisor =
          model.extentDivisors.empty() ? 1 : model.extentDivisors.at(d);
      extent = (extent + divisor - 1) / divisor;
      storage.shape.push_back(extent);
      count *= extent;
    }
    storage.values.resize(count);
    storage.isDefined.resize(count);
    if (map.argument[a] >= 0) {
      const TestTensor &tensor = arguments.at(map.argument[a]);
      if (tensor.shape != storage.shape)
        throw std::runtime_error("input '" + model.name +
                                 "' has another shape");
      storage.values = tensor.data;
      storage.isDefined.assign(count, true);
    }
    arrays.push_back(std::move(storage));
  }
  for (size_t s = 0; s < scop.statements.size(); ++s) {
    const scop::StatementInfo &info = map.statements[s];
    StatementKind kind = scop.statements[s].kind;
    bool hasBody = kind == StatementKind::Map ||
                   (kind == StatementKind::Update && info.level == 1);
    bodies.emplace_back();
    if (!hasBody)
      continue;
    te::ReduceOp reduce = info.reduce;
    te::ComputeOp compute = info.compute;
    bodies.back() =
        std::make_unique<Body>(*this, scop.statements[s], info,
                               reduce ? reduce.getBlock() : compute.getBlock());
  }
}

ScopRun::~ScopRun() = default;

Affine ScopRun::affineOf(llvm::StringRef name) {
  int number = func.findSize(name);
  if (int64_t given = func.getGiven()[number]; given >= 0)
    return Affine::of(given);
  for (size_t p = 0; p < map.sizeOfParam.size(); ++p)
    if (int(map.sizeOfParam[p]) == number)
      return Affine::param(p);
  throw std::runtime_error("no parameter of size '" + name.str() + "'");
}

int64_t ScopRun::sizeOf(llvm::StringRef name) {
  int number = func.findSize(name);
  if (int64_t given = func.getGiven()[number]; given >= 0)
    return given;
  for (size_t p = 0; p < map.sizeOfParam.size(); ++p)
    if (int(map.sizeOfParam[p]) == number)
      return params.at(p);
  throw std::runtime_error("no value of size '" + name.str() + "'");
}

void ScopRun::fail(const std::string &what) const {
  throw std::runtime_error(describe(scop.statements[current].name, at) + " " +
                           what);
}

size_t ScopRun::place(const Access &access, const Point &dims) const {
  const Storage &storage = arrays[access.array];
  size_t flat = 0;
  for (size_t d = 0; d < access.subscripts.size(); ++d) {
    int64_t value = valueOf(access.subscripts[d], dims, params);
    if (value < 0 || value >= storage.shape[d])
      fail("is outside '" + scop.arrays[access.array].name + "': " +
           std::to_string(value) + " of " + std::to_string(storage.shape[d]));
    flat = flat * storage.shape[d] + value;
  }
  return flat;
}

bool ScopRun::isInside(const Access &access, const Point &dims) const {
  const Storage &storage = arrays[access.array];
  for (size_t d = 0; d < access.subscripts.size(); ++d) {
    int64_t value = valueOf(access.subscripts[d], dims, params);
    if (value < 0 || value >= storage.shape[d])
      return false;
  }
  return true;
}

double ScopRun::load(const Access &access, const Point &dims) const {
  size_t flat = place(access, dims);
  if (!arrays[access.array].isDefined[flat])
    fail("reads an element of '" + scop.arrays[access.array].name +
         "' that nothing wrote");
  return arrays[access.array].values[flat];
}

void ScopRun::store(const Access &access, const Point &dims, double value) {
  size_t flat = place(access, dims);
  arrays[access.array].values[flat] = value;
  arrays[access.array].isDefined[flat] = true;
}

double ScopRun::merge(unsigned statement, const Point &dims) const {
  const scop::StatementInfo &info = map.statements[statement];
  const Access &access = scop.statements[statement].accesses.front();
  if (access.wholeFrom < 0)
    return load(access, dims);
  const Storage &storage = arrays[access.array];
  if (size_t(access.wholeFrom) + 1 != storage.shape.size())
    fail("merges more than one dimension");
  int64_t count = storage.shape.back();
  size_t first = place(access, dims) * count;
  std::vector<double> cells;
  for (int64_t c = 0; c < count; ++c) {
    if (!storage.isDefined[first + c])
      fail("merges a cell that nothing wrote");
    cells.push_back(storage.values[first + c]);
  }
  te::ReduceOp reduce = info.reduce;
  te::ReduceKind kind = reduce.getKind();
  auto combine = [&](double a, double b) {
    return te::scalar::binary(te::scalar::combineOf(kind), info.elementType, a,
                              b);
  };
  if (info.padded)
    for (double &cell : cells)
      cell = combine(cell, te::scalar::identityOf(kind));
  if (info.mergeOrder == scop::MergeOrder::Halving) {
    if ((count & (count - 1)) != 0 || count == 0)
      fail("halves a number of cells that is no power of two");
    for (int64_t half = count / 2; half >= 1; half /= 2)
      for (int64_t c = 0; c < half; ++c)
        cells[c] = combine(cells[c], cells[c + half]);
    return cells[0];
  }
  while (cells.size() > 1) {
    std::vector<double> above;
    for (size_t c = 0; c + 1 < cells.size(); c += 2)
      above.push_back(combine(cells[c], cells[c + 1]));
    if (cells.size() % 2 != 0)
      above.push_back(cells.back());
    cells = std::move(above);
  }
  return cells.at(0);
}

void ScopRun::run(unsigned s, const Point &dims) {
  current = s;
  at = dims;
  ++executed;
  const Statement &statement = scop.statements[s];
  const scop::StatementInfo &info = map.statements[s];
  te::ReduceOp reduce = info.reduce;
  switch (statement.kind) {
  case StatementKind::Map:
    return store(statement.write(), dims, bodies[s]->evaluate(dims));
  case StatementKind::Init:
    return store(statement.write(), dims,
                 te::scalar::identityOf(reduce.getKind()));
  case StatementKind::Merge:
    return store(statement.write(), dims, merge(s, dims));
  case StatementKind::Update:
    break;
  }
  double before = load(statement.write(), dims), after;
  mlir::Type type = info.elementType;
  te::BinaryKind kind = te::scalar::combineOf(reduce.getKind());
  if (info.level > 1) {
    after = te::scalar::binary(kind, type, before,
                               load(statement.accesses.front(), dims));
  } else {
    double value = bodies[s]->evaluate(dims);
    after = reduce.getLeaf() == te::Leaf::Fma
                ? te::scalar::fusedMultiplyAdd(type, bodies[s]->factor(false),
                                               bodies[s]->factor(true), before)
                : te::scalar::binary(kind, type, before, value);
  }
  store(statement.write(), dims, after);
}

void ScopRun::runTextually() {
  for (unsigned s = 0; s < scop.statements.size(); ++s)
    forEachInstance(scop.statements[s], params,
                    [&](const Point &dims) { run(s, dims); });
}

std::vector<TestTensor> ScopRun::results() const {
  std::vector<TestTensor> list(
      const_cast<te::FuncOp &>(func).getResultTypes().size());
  for (size_t a = 0; a < arrays.size(); ++a) {
    if (map.result[a] < 0)
      continue;
    for (bool isDefined : arrays[a].isDefined)
      if (!isDefined)
        throw std::runtime_error("output '" + scop.arrays[a].name +
                                 "' is not written everywhere");
    list[map.result[a]] = {arrays[a].shape, arrays[a].values};
  }
  return list;
}
