//===- InOrder.cpp - runs a program in any order --------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/order/InOrder.h"

#include "compiler/reference/Signature.h"

#include <algorithm>
#include <array>
#include <cstring>

using namespace girih;
using namespace girih::order;
using poly::Access;
using poly::Affine;
using poly::InstanceStep;
using poly::Point;
using poly::Statement;
using poly::StatementKind;
using reference::HostTensor;

namespace {

/// Room for one value of any type.
using Cell = std::array<char, 8>;

int64_t valueOf(const Affine &affine, const Point &dims, const Point &params) {
  int64_t value = affine.constant;
  for (size_t d = 0; d < affine.dims.size(); ++d)
    value += affine.dims[d] * dims.at(d);
  for (size_t p = 0; p < affine.params.size(); ++p)
    value += affine.params[p] * params.at(p);
  return value;
}

/// An array of the Scop, row-major.
struct Memory {
  std::vector<int64_t> shape, strides;
  size_t bytes = 0; ///< of an element
  int64_t elements = 1;
  std::unique_ptr<int64_t[]> words; ///< aligned for every type

  char *data() const { return reinterpret_cast<char *>(words.get()); }
  char *at(int64_t element) const { return data() + element * int64_t(bytes); }
};

/// What every instance of one statement is run with.
struct Prepared {
  const reference::InstanceCode *code = nullptr;
  std::vector<int64_t> args; ///< turns left open
  size_t turns = 0;          ///< where they stand in `args`
  std::vector<Cell> pending; ///< by instance: read, not yet written
};

class Run {
public:
  Run(te::FuncOp func, const scop::ScopWithMap &scop,
      const reference::InstanceProgram &code, const poly::InstanceOrder &order,
      const std::vector<int64_t> &params, const std::vector<int64_t> &sizes)
      : func(func), scop(scop.scop), map(scop.map), code(code), order(order),
        params(params), sizes(sizes) {}

  Status run(const std::vector<HostTensor> &tensors) {
    allocate();
    Status status = copyTensors(tensors, /*in=*/true);
    if (!status)
      return status;
    for (unsigned s = 0; s < scop.statements.size(); ++s)
      prepare(s);
    for (const InstanceStep &step : order.steps)
      if (status = take(step); !status)
        return status;
    return copyTensors(tensors, /*in=*/false);
  }

private:
  void allocate();
  Status copyTensors(const std::vector<HostTensor> &tensors, bool in);
  void prepare(unsigned s);
  Status take(const InstanceStep &step);
  Status evaluate(unsigned s, const Point &at, Cell &result);
  Status merge(unsigned s, const Point &at, Cell &result);
  /// Where an access to one element leads; null where that is outside.
  char *place(const Access &access, const Point &at) const;
  Status outside(unsigned s, const Point &at) const {
    std::string text = scop.statements[s].name + "[";
    for (size_t d = 0; d < at.size(); ++d)
      text += (d ? ", " : "") + std::to_string(at[d]);
    return Failure{text + "] is outside an array"};
  }

  te::FuncOp func;
  const poly::Scop &scop;
  const scop::StatementMap &map;
  const reference::InstanceProgram &code;
  const poly::InstanceOrder &order;
  const std::vector<int64_t> &params, &sizes;
  std::vector<Memory> arrays;
  std::vector<Prepared> prepared;
  int64_t watched = 0; ///< accesses outside are not made; nobody looks here
};

/// What nothing defines shows where it is read all the same: as in the
/// reference, a NaN of any float.
void Run::allocate() {
  for (size_t a = 0; a < scop.arrays.size(); ++a) {
    const poly::Array &array = scop.arrays[a];
    Memory memory;
    artifact::ScalarType type = reference::scalarTypeOf(map.arrayTypes[a]);
    memory.bytes = artifact::bytesOf(type);
    for (size_t d = 0; d < array.extents.size(); ++d) {
      int64_t divisor = array.extentDivisor(d);
      int64_t extent =
          std::max<int64_t>(valueOf(array.extents[d], {}, params), 0);
      memory.shape.push_back((extent + divisor - 1) / divisor);
    }
    memory.strides.resize(memory.shape.size());
    for (size_t d = memory.shape.size(); d-- > 0;) {
      memory.strides[d] = memory.elements;
      memory.elements *= memory.shape[d];
    }
    size_t words = (size_t(memory.elements) * memory.bytes + 7) / 8 + 1;
    memory.words = std::make_unique<int64_t[]>(words);
    std::memset(memory.data(), artifact::isFloat(type) ? 0xff : 0xa5,
                words * 8);
    arrays.push_back(std::move(memory));
  }
}

Status Run::copyTensors(const std::vector<HostTensor> &tensors, bool in) {
  size_t inputs = func.getBlock().getNumArguments();
  for (size_t a = 0; a < arrays.size(); ++a) {
    int param = in                   ? map.argument[a]
                : map.result[a] >= 0 ? int(inputs) + map.result[a]
                                     : -1;
    if (param < 0)
      continue;
    const Memory &memory = arrays[a];
    if (size_t(param) >= tensors.size() ||
        tensors[param].shape != memory.shape ||
        artifact::bytesOf(tensors[param].type) != memory.bytes)
      return Failure{scop.arrays[a].name + " is given with another shape"};
    const HostTensor &tensor = tensors[param];
    Point index(memory.shape.size(), 0);
    for (int64_t element = 0; element < memory.elements; ++element) {
      int64_t offset = 0;
      for (size_t d = 0; d < index.size(); ++d)
        offset += index[d] * tensor.strides[d];
      char *outer =
          static_cast<char *>(tensor.data) + offset * int64_t(memory.bytes);
      char *inner = memory.at(element);
      std::memcpy(in ? inner : outer, in ? outer : inner, memory.bytes);
      for (size_t d = index.size(); d-- > 0 && ++index[d] == memory.shape[d];)
        index[d] = 0;
    }
  }
  return {};
}

/// Arguments in the order that reference::KernelInfo documents. A result goes
/// to `pending`, where all subscripts lead to one place, unless data choose
/// it.
void Run::prepare(unsigned s) {
  const Statement &statement = scop.statements[s];
  const scop::StatementInfo &info = map.statements[s];
  Prepared &made = prepared.emplace_back();
  made.pending.resize(order.instances[s].size());
  scop::StatementInfo copy = info; // op handles are values
  made.code = &code.of(copy.scatter ? copy.scatter.getOperation()
                                    : copy.compute.getOperation());
  const reference::KernelInfo &kernel = made.code->info;
  made.args = sizes;
  made.turns = made.args.size();
  made.args.resize(made.args.size() + kernel.loops);
  auto addView = [&](const Memory *memory, size_t rank) {
    made.args.push_back(
        memory ? int64_t(reinterpret_cast<intptr_t>(memory->data())) : 0);
    for (size_t d = 0; d < rank; ++d)
      made.args.push_back(memory ? memory->strides[d] : 0);
  };
  const auto &tensors = code.info().tensors;
  size_t rank = tensors[kernel.result].shape.size();
  addView(copy.scatter ? &arrays[statement.write().array] : nullptr, rank);
  addView(nullptr, rank);
  // Reads of the region are accesses of the statement, one by one.
  bool readsBody = statement.kind != StatementKind::Init &&
                   statement.kind != StatementKind::Merge && info.level == 1;
  std::vector<const Memory *> operands(kernel.operands.size(), nullptr);
  for (size_t r = 0; readsBody && r < made.code->reads.size(); ++r)
    operands[made.code->reads[r]] = &arrays[statement.accesses.at(r).array];
  for (size_t o = 0; o < operands.size(); ++o) {
    rank = tensors[kernel.operands[o].tensor].shape.size();
    addView(operands[o], rank);
    addView(nullptr, rank);
  }
  made.args.resize(made.args.size() + kernel.reductions.size());
  if (!kernel.watched.empty())
    made.args.push_back(int64_t(reinterpret_cast<intptr_t>(&watched)));
}

char *Run::place(const Access &access, const Point &at) const {
  const Memory &memory = arrays[access.array];
  int64_t element = 0;
  for (size_t d = 0; d < access.subscripts.size(); ++d) {
    int64_t subscript = valueOf(access.subscripts[d], at, params);
    if (subscript < 0 || subscript >= memory.shape[d])
      return nullptr;
    element += subscript * memory.strides[d];
  }
  return memory.at(element);
}

Status Run::merge(unsigned s, const Point &at, Cell &result) {
  const scop::StatementInfo &info = map.statements[s];
  const Access &access = scop.statements[s].accesses.front();
  const Memory &memory = arrays[access.array];
  const reference::InstanceCode &functions = *prepared[s].code;
  const char *first = place(access, at);
  if (!first)
    return outside(s, at);
  int64_t count = access.wholeFrom < 0 ? 1 : memory.shape.back();
  std::vector<Cell> cells(size_t(count), Cell{});
  for (int64_t c = 0; c < count; ++c)
    std::memcpy(cells[size_t(c)].data(), first + c * int64_t(memory.bytes),
                memory.bytes);
  auto combine = [&](Cell &cell, const Cell &other) {
    functions.combine(cell.data(), other.data());
  };
  if (info.padded) {
    Cell identity{};
    functions.start(identity.data());
    for (Cell &cell : cells)
      combine(cell, identity);
  }
  if (info.mergeOrder == scop::MergeOrder::Halving) {
    for (size_t half = cells.size() / 2; half >= 1; half /= 2)
      for (size_t c = 0; c < half; ++c)
        combine(cells[c], cells[c + half]);
  } else {
    while (cells.size() > 1) {
      std::vector<Cell> above;
      for (size_t c = 0; c < cells.size(); c += 2) {
        above.push_back(cells[c]);
        if (c + 1 < cells.size())
          combine(above.back(), cells[c + 1]);
      }
      cells = std::move(above);
    }
  }
  if (!cells.empty())
    result = cells[0];
  return {};
}

/// Everything that an instance reads and computes.
Status Run::evaluate(unsigned s, const Point &at, Cell &result) {
  const Statement &statement = scop.statements[s];
  const scop::StatementInfo &info = map.statements[s];
  Prepared &made = prepared[s];
  const reference::InstanceCode &functions = *made.code;
  switch (statement.kind) {
  case StatementKind::Init: {
    if (statement.accesses.size() == 1) {
      functions.start(result.data());
      return {};
    }
    // A chain that goes on from an element.
    const char *element = place(statement.accesses.front(), at);
    if (!element)
      return outside(s, at);
    std::memcpy(result.data(), element,
                arrays[statement.accesses.front().array].bytes);
    return {};
  }
  case StatementKind::Merge:
    return merge(s, at, result);
  case StatementKind::Update: {
    const char *cell = place(statement.write(), at);
    if (!cell)
      return outside(s, at);
    std::memcpy(result.data(), cell, arrays[statement.write().array].bytes);
    if (info.level == 1)
      break;
    const char *partial = place(statement.accesses.front(), at);
    if (!partial)
      return outside(s, at);
    functions.combine(result.data(), partial);
    return {};
  }
  case StatementKind::Map:
  case StatementKind::Scatter:
    break;
  }
  for (size_t loop = 0; loop < statement.loops.size(); ++loop)
    made.args[made.turns + loop] = at[loop];
  Point indices;
  for (const Affine &index : info.indices)
    indices.push_back(valueOf(index, at, params));
  if (statement.kind == StatementKind::Map)
    made.args[made.turns + functions.info.loops] =
        int64_t(reinterpret_cast<intptr_t>(result.data()));
  functions.run(made.args.data(), indices.data(), result.data());
  return {};
}

Status Run::take(const InstanceStep &step) {
  unsigned s = step.statement;
  const Statement &statement = scop.statements[s];
  const Point &at = order.at(step);
  Cell &pending = prepared[s].pending[step.instance];
  if (step.part != InstanceStep::Part::Write)
    if (Status status = evaluate(s, at, pending); !status)
      return status;
  if (step.part == InstanceStep::Part::Read ||
      statement.kind == StatementKind::Scatter)
    return {};
  char *target = place(statement.write(), at);
  if (!target)
    return outside(s, at);
  std::memcpy(target, pending.data(), arrays[statement.write().array].bytes);
  return {};
}

} // namespace

Result<InOrder> InOrder::compile(te::FuncOp func,
                                 const scop::ScopWithMap &scop) {
  Result<reference::InstanceProgram> code =
      reference::InstanceProgram::compile(func);
  if (!code)
    return Failure{code.message()};
  return InOrder(func, scop, std::move(*code));
}

std::vector<int64_t>
InOrder::sizesOf(const std::vector<int64_t> &params) const {
  te::FuncOp handle = func; // op handles are values
  std::vector<int64_t> sizes(handle.getGiven().begin(),
                             handle.getGiven().end());
  for (size_t p = 0; p < scop->map.sizeOfParam.size(); ++p)
    sizes[scop->map.sizeOfParam[p]] = params.at(p);
  return sizes;
}

Status InOrder::run(const poly::InstanceOrder &order,
                    const std::vector<int64_t> &params,
                    const std::vector<HostTensor> &tensors) const {
  std::vector<int64_t> sizes = sizesOf(params);
  return Run(func, *scop, code, order, params, sizes).run(tensors);
}

Status order::runInOrder(te::FuncOp func, const scop::ScopWithMap &scop,
                         const poly::ScheduleTree &tree,
                         const std::vector<int64_t> &params,
                         const std::vector<HostTensor> &tensors,
                         poly::AtOnce atOnce, uint64_t seed) {
  Result<InOrder> program = InOrder::compile(func, scop);
  if (!program)
    return Failure{program.message()};
  return program->run(poly::treeOrder(scop.scop, tree, params, atOnce, seed),
                      params, tensors);
}
