//===- Runner.cpp - one run of a compiled te module -----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Runner.h"

#include "compiler/reference/Binding.h"
#include "compiler/reference/Parallel.h"
#include "compiler/reference/StridedCopy.h"
#include "compiler/reference/TermStorage.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <new>

using namespace girih;
using namespace girih::reference;

namespace {

/// Partial results beyond this are a term that does not fit its extent.
constexpr int64_t kLargestScratch = int64_t(4) << 30;
/// Below this many scalar steps, starting threads costs more than it saves.
constexpr double kWorthThreads = 1 << 15;

struct AlignedDelete {
  void operator()(char *memory) const {
    ::operator delete[](memory, std::align_val_t(64));
  }
};
using Memory = std::unique_ptr<char[], AlignedDelete>;

Memory allocate(int64_t bytes) {
  return Memory(static_cast<char *>(
      ::operator new[](std::max<int64_t>(bytes, 1), std::align_val_t(64))));
}

/// Where a tensor lives during a run.
struct Place {
  StridedView values, errors;
  std::vector<int64_t> shape;
  int64_t elements = 0;
  std::vector<Memory> owned; ///< its own memory and packed copies of it
  std::map<int, std::pair<StridedView, StridedView>> packed; ///< by dimension
};

class Runner {
public:
  Runner(const HostProgram &program, const std::vector<HostTensor> &params,
         const RunOptions &options, bool bounds)
      : program(program), info(program.info), params(params), options(options),
        bounds(bounds), threads(threadCount(options.threads)) {}

  Status run(std::vector<std::vector<double>> *errors);

private:
  Status placeTensors();
  Status allocatePlace(Place &place, unsigned tensor);
  Status checkKernel(const KernelInfo &kernel);
  Status runKernel(size_t number);
  std::pair<StridedView, StridedView> operandView(const OperandInfo &operand);
  double work(const KernelInfo &kernel);
  int64_t value(const artifact::SizeExpr &expr) {
    return *artifact::evaluate(expr, sizes); // checked when sizes were bound
  }
  size_t inputCount() const { return params.size() - info.outputs.size(); }

  const HostProgram &program;
  const ProgramInfo &info;
  const std::vector<HostTensor> &params;
  const RunOptions &options;
  bool bounds;
  unsigned threads;
  std::vector<int64_t> sizes;
  std::vector<Place> places;
  std::vector<size_t> lastUse;      ///< of each tensor, as a kernel's number
  std::vector<bool> writtenInPlace; ///< of each output
  double doneWork = 0, allWork = 0;
};

} // namespace

Status Runner::allocatePlace(Place &place, unsigned tensor) {
  const TensorInfo &facts = info.tensors[tensor];
  unsigned bytes = artifact::bytesOf(facts.type);
  bool hasErrors = bounds && facts.inexact;
  int64_t total = 0;
  if (__builtin_mul_overflow(place.elements, int64_t(bytes + 8), &total))
    return Failure{facts.name + " is too large for this machine"};
  std::vector<int64_t> strides = packedStrides(place.shape, -1);
  if (!place.values.data) {
    place.owned.push_back(allocate(place.elements * bytes));
    place.values = {place.owned.back().get(), strides};
  }
  if (hasErrors) {
    place.owned.push_back(allocate(place.elements * 8));
    place.errors = {place.owned.back().get(), strides};
  }
  return {};
}

/// Inputs where they are; an output in its own memory if a kernel can write it
/// there, which it cannot where elements share addresses, where neighbours are
/// apart, or where an input lies in between.
Status Runner::placeTensors() {
  places.resize(info.tensors.size());
  writtenInPlace.assign(info.outputs.size(), false);
  for (size_t t = 0; t < places.size(); ++t) {
    Place &place = places[t];
    place.elements = 1;
    for (const artifact::SizeExpr &extent : info.tensors[t].shape) {
      place.shape.push_back(value(extent));
      if (__builtin_mul_overflow(place.elements, place.shape.back(),
                                 &place.elements))
        return Failure{info.tensors[t].name + " is too large for this machine"};
    }
    if (t < inputCount())
      place.values = {static_cast<char *>(params[t].data), params[t].strides};
  }
  for (size_t o = 0; o < info.outputs.size(); ++o) {
    Place &place = places[info.outputs[o]];
    const HostTensor &output = params[inputCount() + o];
    bool neighbours = place.shape.empty() || place.shape.back() <= 1 ||
                      output.strides.back() == 1;
    if (info.outputs[o] < inputCount() || place.values.data || !neighbours ||
        !isInjective(output.shape, output.strides) ||
        sharesMemory(params, inputCount() + o))
      continue;
    place.values = {static_cast<char *>(output.data), output.strides};
    writtenInPlace[o] = true;
  }
  lastUse.assign(places.size(), 0);
  for (size_t k = 0; k < info.kernels.size(); ++k) {
    lastUse[info.kernels[k].result] = k;
    if (info.kernels[k].scatters)
      lastUse[info.kernels[k].start] = k;
    for (const OperandInfo &operand : info.kernels[k].operands)
      lastUse[operand.tensor] = k;
  }
  for (unsigned tensor : info.outputs)
    lastUse[tensor] = info.kernels.size();
  return {};
}

double Runner::work(const KernelInfo &kernel) {
  double steps = 1;
  for (const ReductionInfo &reduction : kernel.reductions) {
    double elements = 1;
    for (const artifact::SizeExpr &extent : reduction.extents)
      elements *= static_cast<double>(value(extent));
    steps += elements;
  }
  if (!kernel.scatters)
    return steps * static_cast<double>(places[kernel.result].elements);
  for (const artifact::SizeExpr &extent : kernel.domain)
    steps *= static_cast<double>(value(extent));
  return steps;
}

Status Runner::checkKernel(const KernelInfo &kernel) {
  const std::string &name = info.tensors[kernel.result].name;
  bool empty = !kernel.scatters && places[kernel.result].elements == 0;
  for (const artifact::SizeExpr &extent : kernel.domain)
    empty |= value(extent) == 0;
  for (const ReductionInfo &reduction : kernel.reductions) {
    int64_t elements = 1;
    for (const artifact::SizeExpr &extent : reduction.extents)
      if (__builtin_mul_overflow(elements, value(extent), &elements))
        return Failure{"the reduction of " + name +
                       " has more than 2^63 elements"};
    empty |= elements == 0;
    if (auto problem = termProblem(reduction.term, elements))
      return Failure{"the reduction of " + name + ": " + *problem};
    if (scratchBytes(reduction.term, elements, reduction.entryBytes) >
        kLargestScratch)
      return Failure{"the term " + arith::printTerm(reduction.term) + " of " +
                     name + " keeps too many partial results over " +
                     std::to_string(elements) + " elements"};
  }
  if (empty)
    return {}; // nothing is read
  for (const AccessCheck &check : kernel.checks) {
    int64_t least = value(check.least), reach = value(check.extent);
    int64_t extent = places[check.tensor].shape[check.dim];
    if (least < 0)
      return Failure{name + " reads " + info.tensors[check.tensor].name +
                     " from " + std::to_string(least) + " on in dimension " +
                     std::to_string(check.dim)};
    if (reach > extent)
      return Failure{name + " reads " + info.tensors[check.tensor].name +
                     " up to " + std::to_string(reach - 1) + " in dimension " +
                     std::to_string(check.dim) + ", whose extent is " +
                     std::to_string(extent)};
  }
  return {};
}

std::pair<StridedView, StridedView>
Runner::operandView(const OperandInfo &operand) {
  Place &place = places[operand.tensor];
  int dim = operand.contiguousDim;
  if (dim < 0 || place.shape[dim] <= 1)
    return {place.values, place.errors};
  auto found = place.packed.find(dim);
  if (found != place.packed.end())
    return found->second;
  std::pair<StridedView, StridedView> view{place.values, place.errors};
  std::vector<int64_t> strides = packedStrides(place.shape, dim);
  auto pack = [&](StridedView &part, unsigned bytes) {
    if (!part.data || part.strides[dim] == 1)
      return;
    place.owned.push_back(allocate(place.elements * bytes));
    StridedView copy{place.owned.back().get(), strides};
    stridedCopy(copy, part, place.shape, bytes, threads);
    part = copy;
  };
  pack(view.first, artifact::bytesOf(info.tensors[operand.tensor].type));
  pack(view.second, 8);
  place.packed[dim] = view;
  return view;
}

Status Runner::runKernel(size_t number) {
  const KernelInfo &kernel = info.kernels[number];
  Place &result = places[kernel.result];
  if (Status status = allocatePlace(result, kernel.result); !status)
    return status;

  std::vector<int64_t> args = sizes;
  auto addView = [&](const StridedView &view, size_t rank) {
    args.push_back(reinterpret_cast<intptr_t>(view.data));
    for (size_t d = 0; d < rank; ++d)
      args.push_back(view.data ? view.strides[d] : 0);
  };
  size_t rank = result.shape.size();
  addView(result.values, rank);
  addView(result.errors, rank);
  for (const OperandInfo &operand : kernel.operands) {
    auto [values, errors] = operandView(operand);
    addView(values, places[operand.tensor].shape.size());
    addView(errors, places[operand.tensor].shape.size());
  }
  int64_t scratch = 0;
  for (const ReductionInfo &reduction : kernel.reductions) {
    int64_t elements = 1;
    for (const artifact::SizeExpr &extent : reduction.extents)
      elements *= value(extent);
    args.push_back(scratch);
    int64_t bytes =
        scratchBytes(reduction.term, elements, reduction.entryBytes);
    scratch += (bytes + 63) / 64 * 64;
  }

  Memory touched;
  int64_t repeated = 0;
  if (kernel.distinct) {
    touched = allocate(result.elements);
    std::memset(touched.get(), 0, size_t(result.elements));
    args.push_back(reinterpret_cast<intptr_t>(touched.get()));
    args.push_back(reinterpret_cast<intptr_t>(&repeated));
  }
  if (kernel.scatters) {
    const Place &start = places[kernel.start];
    stridedCopy(result.values, start.values, result.shape,
                artifact::bytesOf(info.tensors[kernel.result].type), threads);
    if (result.errors.data && start.errors.data)
      stridedCopy(result.errors, start.errors, result.shape, 8, threads);
    else if (result.errors.data)
      std::memset(result.errors.data, 0, size_t(result.elements) * 8);
  }

  int64_t items = result.elements == 0 && !kernel.scatters ? 0 : 1;
  auto tiles = [](int64_t extent, int64_t tile) {
    return (extent + tile - 1) / tile;
  };
  for (int d = 0; d < static_cast<int>(kernel.scatters ? 0 : rank); ++d)
    items *= d == kernel.columnDim ? tiles(result.shape[d], kernel.columnBlock)
             : d == kernel.rowDim  ? tiles(result.shape[d], kernel.tileRows)
                                   : result.shape[d];
  double weight = work(kernel);
  unsigned workers = weight < kWorthThreads ? 1 : threads;
  std::vector<Memory> scratches(workers);
  for (Memory &memory : scratches)
    memory = allocate(scratch);
  std::function<void(double)> progress;
  if (options.progress)
    progress = [&](double fraction) {
      options.progress(allWork > 0 ? (doneWork + fraction * weight) / allWork
                                   : 1);
    };
  parallelFor(
      items, workers,
      [&](unsigned worker, int64_t begin, int64_t end) {
        program.functions[number](args.data(), begin, end,
                                  scratches[worker].get());
      },
      progress);
  doneWork += weight;
  if (repeated) {
    std::string element;
    for (size_t d = rank, rest = size_t(repeated - 1); d-- > 0;) {
      size_t extent = size_t(result.shape[d]);
      element = std::to_string(rest % extent) +
                (element.empty() ? "" : ", " + element);
      rest /= extent;
    }
    const std::string &name = info.tensors[kernel.result].name;
    return Failure{name + "[" + element + "] is written twice, though the " +
                   "statement of '" + name + "' promises 'unique'"};
  }

  for (size_t t = 0; t < places.size(); ++t)
    if (lastUse[t] == number) {
      places[t].packed.clear();
      places[t].owned.clear();
    }
  return {};
}

Status Runner::run(std::vector<std::vector<double>> *errors) {
  Result<std::vector<int64_t>> bound = bindSizes(info.signature, params);
  if (!bound)
    return Failure{bound.message()};
  sizes = std::move(*bound);
  if (Status status = placeTensors(); !status)
    return status;
  for (const KernelInfo &kernel : info.kernels) {
    if (Status status = checkKernel(kernel); !status)
      return status;
    allWork += work(kernel);
  }
  for (size_t k = 0; k < info.kernels.size(); ++k)
    if (Status status = runKernel(k); !status)
      return status;
  // Only now: an output may share memory with an input.
  for (size_t o = 0; o < info.outputs.size(); ++o) {
    const Place &place = places[info.outputs[o]];
    const HostTensor &output = params[inputCount() + o];
    if (!writtenInPlace[o])
      stridedCopy({static_cast<char *>(output.data), output.strides},
                  place.values, place.shape, artifact::bytesOf(output.type),
                  isInjective(output.shape, output.strides) ? threads : 1);
    if (!errors)
      continue;
    std::vector<double> &row = errors->emplace_back(place.elements, 0.0);
    if (place.errors.data)
      std::copy_n(reinterpret_cast<const double *>(place.errors.data),
                  place.elements, row.begin());
  }
  if (options.progress)
    options.progress(1);
  return {};
}

Status reference::runProgram(const HostProgram &program,
                             const std::vector<HostTensor> &params,
                             const RunOptions &options,
                             std::vector<std::vector<double>> *bounds) {
  if (bounds)
    bounds->clear();
  try {
    return Runner(program, params, options, bounds != nullptr).run(bounds);
  } catch (const std::bad_alloc &) {
    return Failure{"not enough memory for the temporaries of " +
                   program.info.signature.op};
  }
}
