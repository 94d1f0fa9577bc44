//===- TeInterpreter.cpp - runs te functions, slowly ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/passes/TeInterpreter.h"

#include "compiler/arith/Term.h"
#include "test/unit/passes/TeScalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

#include <bit>
#include <optional>

using namespace mlir;
using namespace girih::te;
using namespace girih::te::scalar;

namespace {

/// One value at every point of a region: floats or integers.
struct Column {
  std::vector<double> floats;
  std::vector<int64_t> integers;
};

int64_t wrapTo(Type type, int64_t value) {
  return type.isInteger(32) ? int64_t(int32_t(uint64_t(value))) : value;
}

/// The values of one region at `count` points, `repeat` of them for each point
/// of the region around it.
struct Scope {
  Scope *parent = nullptr;
  int64_t repeat = 1;
  int64_t count = 1;
  llvm::DenseMap<Value, Column> columns;

  Column &get(Value value) {
    auto found = columns.find(value);
    if (found != columns.end())
      return found->second;
    Column outer = parent->get(value), own;
    for (double item : outer.floats)
      own.floats.insert(own.floats.end(), repeat, item);
    for (int64_t item : outer.integers)
      own.integers.insert(own.integers.end(), repeat, item);
    return columns[value] = std::move(own);
  }
};

class Interpreter {
public:
  Interpreter(FuncOp func, const std::map<std::string, int64_t> &sizes)
      : func(func), sizes(sizes) {}

  std::vector<TestTensor> run(const std::vector<TestTensor> &arguments) {
    for (auto [argument, tensor] :
         llvm::zip_equal(func.getBlock().getArguments(), arguments))
      tensors[argument] = tensor;
    std::vector<TestTensor> results;
    for (Operation &op : func.getBlock()) {
      if (auto compute = dyn_cast<ComputeOp>(op))
        tensors[compute.getResult()] = evaluateCompute(compute);
      else
        for (Value value : cast<ReturnOp>(op).getResults())
          results.push_back(tensors[value]);
    }
    return results;
  }

private:
  int64_t extent(Attribute attribute) {
    if (auto size = dyn_cast<StringAttr>(attribute))
      if (!func.constantExtent(size))
        return sizes.at(size.getValue().str());
    if (auto constant = func.constantExtent(attribute))
      return *constant;
    LinearExtent sum = linearOf(attribute);
    int64_t value = sum.constant;
    for (auto [size, factor] : sum.terms)
      value += factor * extent(size);
    return value;
  }

  /// Gives the block's indices their columns: the last one runs fastest.
  void bindIndices(Block &block, ArrayRef<int64_t> extents, Scope &scope) {
    int64_t stride = 1;
    for (size_t d = extents.size(); d-- > 0; stride *= extents[d]) {
      Column &column = scope.columns[block.getArgument(d)];
      column.integers.resize(scope.count);
      for (int64_t point = 0; point < scope.count; ++point)
        column.integers[point] = point / stride % extents[d];
    }
  }

  TestTensor evaluateCompute(ComputeOp compute) {
    TestTensor tensor;
    Scope scope;
    for (Attribute attribute : compute.getType().getShape()) {
      tensor.shape.push_back(extent(attribute));
      scope.count *= tensor.shape.back();
    }
    bindIndices(compute.getBlock(), tensor.shape, scope);
    tensor.data = scope.get(evaluate(compute.getBlock(), scope)).floats;
    return tensor;
  }

  /// Evaluates a region's operations and returns what it yields.
  Value evaluate(Block &block, Scope &scope) {
    for (Operation &op : block.without_terminator()) {
      if (auto reduce = dyn_cast<ReduceOp>(op)) {
        // Not in one expression: the body adds to the scope's map.
        Column column = evaluateReduce(reduce, scope);
        scope.columns[reduce.getResult()] = std::move(column);
        continue;
      }
      for (Value operand : op.getOperands())
        if (!isa<TeTensorType>(operand.getType()))
          scope.get(operand);
      Column column = evaluateScalar(op, scope);
      scope.columns[op.getResult(0)] = std::move(column);
    }
    return cast<YieldOp>(block.getTerminator()).getValue();
  }

  Column evaluateReduce(ReduceOp reduce, Scope &outer) {
    std::vector<int64_t> extents;
    Scope scope;
    scope.parent = &outer;
    for (Attribute attribute : reduce.getExtents()) {
      extents.push_back(extent(attribute));
      scope.repeat *= extents.back();
    }
    scope.count = outer.count * scope.repeat;
    bindIndices(reduce.getBlock(), extents, scope);
    Value yielded = evaluate(reduce.getBlock(), scope);
    Column body = scope.get(yielded), lhs, rhs;
    if (reduce.getLeaf() == Leaf::Fma) {
      auto product = yielded.getDefiningOp<BinaryOp>();
      lhs = scope.get(product.getLhs());
      rhs = scope.get(product.getRhs());
    }

    girih::arith::Term term = girih::arith::Term::seq();
    if (TermAttr attribute = reduce.getTermAttr()) {
      std::string problem;
      size_t offset;
      term =
          *girih::arith::parseTerm(attribute.getText().str(), problem, offset);
    }
    Type type = reduce.getType();
    BinaryKind kind = combineOf(reduce.getKind());
    double identity = identityOf(reduce.getKind());
    auto combine = [&](double a, double b) { return binary(kind, type, a, b); };
    Column result;
    for (int64_t point = 0; point < outer.count; ++point) {
      int64_t base = point * scope.repeat;
      auto step = [&](double sum, int64_t k) {
        return reduce.getLeaf() == Leaf::Fma
                   ? fusedMultiplyAdd(type, lhs.floats[base + k],
                                      rhs.floats[base + k], sum)
                   : combine(sum, body.floats[base + k]);
      };
      result.floats.push_back(girih::arith::foldByTerm(
          term, scope.repeat, identity, step, combine));
    }
    return result;
  }

  Column evaluateScalar(Operation &op, Scope &scope) {
    Column out;
    int64_t count = scope.count;
    Type type = op.getResult(0).getType();
    auto floats = [&](unsigned i) -> std::vector<double> & {
      return scope.columns.find(op.getOperand(i))->second.floats;
    };
    auto integers = [&](unsigned i) -> std::vector<int64_t> & {
      return scope.columns.find(op.getOperand(i))->second.integers;
    };
    auto fill = [&](auto &list, auto element) {
      list.resize(count);
      for (int64_t point = 0; point < count; ++point)
        list[point] = element(point);
    };
    auto constant = [&](Attribute value) {
      if (auto real = dyn_cast<FloatAttr>(value))
        out.floats.assign(count, real.getValueAsDouble());
      else
        out.integers.assign(count, cast<IntegerAttr>(value).getInt());
    };
    auto integer = [&](auto operation) {
      auto &a = integers(0), &b = integers(1);
      fill(out.integers, [&](int64_t point) {
        return wrapTo(
            type, int64_t(operation(uint64_t(a[point]), uint64_t(b[point]))));
      });
    };
    llvm::TypeSwitch<Operation *>(&op)
        .Case([&](ReadOp read) {
          TestTensor &tensor = tensors[read.getTensor()];
          std::vector<int64_t> flat(count, 0);
          for (size_t d = 0; d < tensor.shape.size(); ++d) {
            auto &subscript = integers(d + 1);
            for (int64_t point = 0; point < count; ++point) {
              bool inside =
                  subscript[point] >= 0 && subscript[point] < tensor.shape[d];
              assert(inside || read.getGuarded());
              flat[point] =
                  inside && flat[point] >= 0
                      ? flat[point] * tensor.shape[d] + subscript[point]
                      : -1;
            }
          }
          // What a guarded read gives outside nobody may use.
          fill(out.floats, [&](int64_t point) {
            return flat[point] < 0 ? std::nan("") : tensor.data[flat[point]];
          });
        })
        .Case([&](ConstantOp op) { constant(op.getValue()); })
        .Case([&](mlir::arith::ConstantOp op) { constant(op.getValue()); })
        .Case([&](IndexConstantOp op) {
          out.integers.assign(count, op.getValue());
        })
        .Case([&](AffineOp op) {
          int64_t offset = extent(op.getOffset());
          fill(out.integers, [&](int64_t point) {
            int64_t sum = offset;
            for (auto [i, factor] : llvm::enumerate(op.getCoefficients()))
              sum += factor * integers(i)[point];
            return sum;
          });
        })
        .Case([&](SizeOp op) {
          out.integers.assign(
              count, extent(StringAttr::get(op.getContext(), op.getSize())));
        })
        .Case([&](ToFloatOp) {
          auto &a = integers(0);
          fill(out.floats, [&](int64_t point) {
            return type.isF32() ? double(float(a[point]))
                                : roundTo(type, double(a[point]));
          });
        })
        .Case([&](CastOp) {
          auto &a = floats(0);
          fill(out.floats,
               [&](int64_t point) { return roundTo(type, a[point]); });
        })
        .Case([&](BitsOp bits) {
          Type from = bits.getValue().getType();
          auto &reals = floats(0);
          auto &whole = integers(0);
          if (from.isF32())
            fill(out.integers, [&](int64_t point) {
              return int64_t(std::bit_cast<int32_t>(float(reals[point])));
            });
          else if (from.isF64())
            fill(out.integers, [&](int64_t point) {
              return std::bit_cast<int64_t>(reals[point]);
            });
          else if (type.isF32())
            fill(out.floats, [&](int64_t point) {
              return double(std::bit_cast<float>(int32_t(whole[point])));
            });
          else
            fill(out.floats, [&](int64_t point) {
              return std::bit_cast<double>(whole[point]);
            });
        })
        .Case([&](UnaryOp op) {
          auto &a = floats(0);
          fill(out.floats, [&](int64_t point) {
            return unary(op.getKind(), type, a[point]);
          });
        })
        .Case([&](BinaryOp op) {
          auto &a = floats(0), &b = floats(1);
          fill(out.floats, [&](int64_t point) {
            return binary(op.getKind(), type, a[point], b[point]);
          });
        })
        .Case([&](FmaOp) {
          auto &a = floats(0), &b = floats(1), &c = floats(2);
          fill(out.floats, [&](int64_t point) {
            return fusedMultiplyAdd(type, a[point], b[point], c[point]);
          });
        })
        .Case([&](CompareOp op) {
          auto kind = op.getKind();
          auto compareAll = [&](auto &a, auto &b) {
            fill(out.integers, [&](int64_t point) {
              return int64_t(compare(kind, a[point], b[point]));
            });
          };
          if (isa<FloatType>(op.getLhs().getType()))
            compareAll(floats(0), floats(1));
          else
            compareAll(integers(0), integers(1));
        })
        .Case([&](SelectOp) {
          auto &condition = integers(0);
          auto selectAll = [&](auto &list, auto &a, auto &b) {
            fill(list, [&](int64_t point) {
              return condition[point] ? a[point] : b[point];
            });
          };
          if (isa<FloatType>(type))
            selectAll(out.floats, floats(1), floats(2));
          else
            selectAll(out.integers, integers(1), integers(2));
        })
        .Case([&](mlir::arith::AddIOp) {
          integer([](uint64_t a, uint64_t b) { return a + b; });
        })
        .Case([&](mlir::arith::SubIOp) {
          integer([](uint64_t a, uint64_t b) { return a - b; });
        })
        .Case([&](mlir::arith::AndIOp) {
          integer([](uint64_t a, uint64_t b) { return a & b; });
        })
        .Case([&](mlir::arith::OrIOp) {
          integer([](uint64_t a, uint64_t b) { return a | b; });
        })
        .Case([&](mlir::arith::ShLIOp) {
          integer([](uint64_t a, uint64_t b) { return a << b; });
        })
        .Case([&](mlir::arith::ShRSIOp) {
          integer([](uint64_t a, uint64_t b) { return int64_t(a) >> b; });
        })
        .Default([](Operation *op) {
          op->emitError("is not known to the test's interpreter");
          std::abort();
        });
    return out;
  }

  FuncOp func;
  const std::map<std::string, int64_t> &sizes;
  llvm::DenseMap<Value, TestTensor> tensors;
};

} // namespace

std::vector<TestTensor>
girih::te::interpret(FuncOp func, const std::map<std::string, int64_t> &sizes,
                     const std::vector<TestTensor> &arguments) {
  return Interpreter(func, sizes).run(arguments);
}
