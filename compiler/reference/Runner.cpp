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
  Memory ownValues, ownErrors; ///< where it is not a parameter's memory
  struct Packed {
    StridedView values, errors;
    std::vector<Memory> owned;
  };
  std::map<int, Packed> packed; ///< by dimension, of the current version
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
  void placeOutputs();
  Status allocatePlace(Place &place, unsigned tensor);
  void begin(const KernelInfo &kernel);
  Status checkSteps(const std::vector<Step> &steps, double times);
  Status checkKernel(const KernelInfo &kernel);
  Status checkAccess(const KernelInfo &kernel, const AccessCheck &check);
  void noteUses(const Step &step, size_t top);
  Status runStep(const Step &step);
  Status runKernel(size_t number);
  std::vector<int64_t> argumentsOf(const KernelInfo &kernel, int64_t &scratch,
                                   int64_t &watch);
  std::pair<StridedView, StridedView> operandView(const OperandInfo &operand);
  double work(const KernelInfo &kernel);
  int64_t value(const artifact::SizeExpr &expr) {
    return *artifact::evaluate(expr, sizes); // checked when sizes were bound
  }
  /// An extent below 0 means that there is nothing.
  int64_t extentValue(const artifact::SizeExpr &expr) {
    return std::max<int64_t>(value(expr), 0);
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
  std::vector<int64_t> turns;       ///< of the loops being run
  std::vector<size_t> lastUse;      ///< of each tensor, as a top step's number
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
    place.ownValues = allocate(place.elements * bytes);
    place.values = {place.ownValues.get(), strides};
  }
  if (hasErrors && !place.errors.data) {
    place.ownErrors = allocate(place.elements * 8);
    place.errors = {place.ownErrors.get(), strides};
    std::memset(place.ownErrors.get(), 0, place.elements * 8);
  }
  return {};
}

/// Inputs where they are; those that are written in a copy.
Status Runner::placeTensors() {
  places.resize(info.tensors.size());
  for (size_t t = 0; t < places.size(); ++t) {
    Place &place = places[t];
    place.elements = 1;
    for (const artifact::SizeExpr &extent : info.tensors[t].shape) {
      place.shape.push_back(extentValue(extent));
      if (__builtin_mul_overflow(place.elements, place.shape.back(),
                                 &place.elements))
        return Failure{info.tensors[t].name + " is too large for this machine"};
    }
    if (t >= inputCount())
      continue;
    StridedView given{static_cast<char *>(params[t].data), params[t].strides};
    if (!info.tensors[t].isWritten) {
      place.values = given;
      continue;
    }
    if (Status status = allocatePlace(place, t); !status)
      return status;
    stridedCopy(place.values, given, place.shape,
                artifact::bytesOf(info.tensors[t].type), threads);
  }
  placeOutputs();
  lastUse.assign(places.size(), 0);
  for (size_t top = 0; top < info.steps.size(); ++top)
    noteUses(info.steps[top], top);
  for (unsigned tensor : info.outputs)
    lastUse[tensor] = info.steps.size();
  return {};
}

/// An output in its own memory if a kernel can write it there, which it cannot
/// where elements share addresses, where neighbours are apart, or where an
/// input lies in between; and what may keep poison stays out of it.
void Runner::placeOutputs() {
  writtenInPlace.assign(info.outputs.size(), false);
  for (size_t o = 0; o < info.outputs.size(); ++o) {
    Place &place = places[info.outputs[o]];
    const HostTensor &output = params[inputCount() + o];
    bool neighbours = place.shape.empty() || place.shape.back() <= 1 ||
                      output.strides.back() == 1;
    if (info.outputs[o] < inputCount() || place.values.data || !neighbours ||
        info.tensors[info.outputs[o]].isPartial ||
        !isInjective(output.shape, output.strides) ||
        sharesMemory(params, inputCount() + o))
      continue;
    place.values = {static_cast<char *>(output.data), output.strides};
    writtenInPlace[o] = true;
  }
}

void Runner::noteUses(const Step &step, size_t top) {
  if (step.isLoop) {
    for (const Step &inner : step.body)
      noteUses(inner, top);
    return;
  }
  const KernelInfo &kernel = info.kernels[step.kernel];
  lastUse[kernel.result] = top;
  for (const OperandInfo &operand : kernel.operands)
    lastUse[operand.tensor] = top;
}

double Runner::work(const KernelInfo &kernel) {
  double steps = 1;
  for (const ReductionInfo &reduction : kernel.reductions) {
    double elements = 1;
    for (const artifact::SizeExpr &extent : reduction.extents)
      elements *= static_cast<double>(extentValue(extent));
    steps += elements;
  }
  for (const artifact::SizeExpr &extent : kernel.box)
    steps *= static_cast<double>(extentValue(extent));
  return steps;
}

Status Runner::checkKernel(const KernelInfo &kernel) {
  const std::string &name = info.tensors[kernel.result].name;
  std::vector<bool> isEmpty; // of each reduction
  for (const ReductionInfo &reduction : kernel.reductions) {
    int64_t elements = 1;
    for (const artifact::SizeExpr &extent : reduction.extents)
      if (__builtin_mul_overflow(elements, extentValue(extent), &elements))
        return Failure{"the reduction of " + name +
                       " has more than 2^63 elements"};
    isEmpty.push_back(elements == 0);
    if (auto problem = termProblem(reduction.term, elements))
      return Failure{"the reduction of " + name + ": " + *problem};
    if (scratchBytes(reduction.term, elements, reduction.entryBytes) >
        kLargestScratch)
      return Failure{"the term " + arith::printTerm(reduction.term) + " of " +
                     name + " keeps too many partial results over " +
                     std::to_string(elements) + " elements"};
  }
  if (work(kernel) == 0)
    return {}; // nothing is read
  for (const AccessCheck &check : kernel.checks) {
    if (std::any_of(check.within.begin(), check.within.end(),
                    [&](unsigned number) { return isEmpty[number]; }))
      continue;
    if (Status status = checkAccess(kernel, check); !status)
      return status;
  }
  return {};
}

Status Runner::checkAccess(const KernelInfo &kernel, const AccessCheck &check) {
  int64_t least = value(check.least), reach = value(check.extent);
  int64_t extent = places[check.tensor].shape[check.dim];
  std::string what = info.tensors[kernel.result].name +
                     (check.writes ? " writes " : " reads ") +
                     info.tensors[check.tensor].name;
  if (least < 0)
    return Failure{what + " from " + std::to_string(least) +
                   " on in dimension " + std::to_string(check.dim)};
  if (reach > extent)
    return Failure{what + " up to " + std::to_string(reach - 1) +
                   " in dimension " + std::to_string(check.dim) +
                   ", whose extent is " + std::to_string(extent)};
  return {};
}

/// Checks kernels that run at all, and adds up the work.
Status Runner::checkSteps(const std::vector<Step> &steps, double times) {
  for (const Step &step : steps) {
    Status status;
    if (step.isLoop) {
      int64_t extent = extentValue(step.extent);
      if (extent > 0)
        status = checkSteps(step.body, times * static_cast<double>(extent));
    } else {
      status = checkKernel(info.kernels[step.kernel]);
      allWork += times * work(info.kernels[step.kernel]);
    }
    if (!status)
      return status;
  }
  return {};
}

std::pair<StridedView, StridedView>
Runner::operandView(const OperandInfo &operand) {
  Place &place = places[operand.tensor];
  int dim = operand.contiguousDim;
  if (dim < 0 || place.shape[dim] <= 1)
    return {place.values, place.errors};
  auto [found, isNew] = place.packed.try_emplace(dim);
  Place::Packed &view = found->second;
  if (!isNew)
    return {view.values, view.errors};
  view.values = place.values;
  view.errors = place.errors;
  std::vector<int64_t> strides = packedStrides(place.shape, dim);
  auto pack = [&](StridedView &part, unsigned bytes) {
    if (!part.data || part.strides[dim] == 1)
      return;
    view.owned.push_back(allocate(place.elements * bytes));
    StridedView copy{view.owned.back().get(), strides};
    stridedCopy(copy, part, place.shape, bytes, threads);
    part = copy;
  };
  pack(view.values, artifact::bytesOf(info.tensors[operand.tensor].type));
  pack(view.errors, 8);
  return {view.values, view.errors};
}

/// Before the first version of a tensor is written: what nothing defines shows
/// where it is read all the same. Every byte 0xff is a NaN of any float.
void Runner::begin(const KernelInfo &kernel) {
  const TensorInfo &tensor = info.tensors[kernel.result];
  if (!kernel.begins || !tensor.isPartial)
    return;
  Place &place = places[kernel.result];
  std::memset(place.ownValues.get(),
              artifact::isFloat(tensor.type) ? 0xff : 0xa5,
              place.elements * artifact::bytesOf(tensor.type));
  if (place.ownErrors)
    std::memset(place.ownErrors.get(), 0, place.elements * 8);
}

/// As KernelInfo has them; `scratch` becomes the bytes of all partial results.
std::vector<int64_t> Runner::argumentsOf(const KernelInfo &kernel,
                                         int64_t &scratch, int64_t &watch) {
  std::vector<int64_t> args = sizes;
  args.insert(args.end(), turns.begin(), turns.end());
  auto addView = [&](const StridedView &view, size_t rank) {
    args.push_back(reinterpret_cast<intptr_t>(view.data));
    for (size_t d = 0; d < rank; ++d)
      args.push_back(view.data ? view.strides[d] : 0);
  };
  const Place &result = places[kernel.result];
  addView(result.values, result.shape.size());
  addView(result.errors, result.shape.size());
  for (const OperandInfo &operand : kernel.operands) {
    auto [values, errors] = operandView(operand);
    addView(values, places[operand.tensor].shape.size());
    addView(errors, places[operand.tensor].shape.size());
  }
  scratch = 0;
  for (const ReductionInfo &reduction : kernel.reductions) {
    int64_t elements = 1;
    for (const artifact::SizeExpr &extent : reduction.extents)
      elements *= extentValue(extent);
    args.push_back(scratch);
    int64_t bytes =
        scratchBytes(reduction.term, elements, reduction.entryBytes);
    scratch += (bytes + 63) / 64 * 64;
  }
  if (!kernel.watched.empty())
    args.push_back(reinterpret_cast<intptr_t>(&watch));
  return args;
}

Status Runner::runKernel(size_t number) {
  const KernelInfo &kernel = info.kernels[number];
  Place &result = places[kernel.result];
  if (Status status = allocatePlace(result, kernel.result); !status)
    return status;

  begin(kernel);
  int64_t scratch = 0, watch = 0;
  std::vector<int64_t> args = argumentsOf(kernel, scratch, watch);

  Memory touched;
  int64_t repeated = 0;
  if (kernel.distinct) {
    touched = allocate(result.elements);
    std::memset(touched.get(), 0, size_t(result.elements));
    args.push_back(reinterpret_cast<intptr_t>(touched.get()));
    args.push_back(reinterpret_cast<intptr_t>(&repeated));
  }

  int64_t items = 1;
  auto tiles = [](int64_t extent, int64_t tile) {
    return (extent + tile - 1) / tile;
  };
  for (int d = 0; d < static_cast<int>(kernel.box.size()); ++d) {
    int64_t extent = extentValue(kernel.box[d]);
    items *= d == kernel.columnDim ? tiles(extent, kernel.columnBlock)
             : d == kernel.rowDim  ? tiles(extent, kernel.tileRows)
             : !kernel.inOrder[d]  ? extent
             : extent == 0         ? 0
                                   : 1;
  }
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
  result.packed.clear(); // of a version before
  if (repeated) {
    std::string element;
    for (size_t d = result.shape.size(), rest = size_t(repeated - 1);
         d-- > 0;) {
      size_t extent = size_t(result.shape[d]);
      element = std::to_string(rest % extent) +
                (element.empty() ? "" : ", " + element);
      rest /= extent;
    }
    const std::string &name = info.tensors[kernel.result].name;
    return Failure{name + "[" + element + "] is written twice, though the " +
                   "statement of '" + name + "' promises 'unique'"};
  }
  if (watch == 0)
    return {};
  const WatchedAccess &access = kernel.watched[watch - 1];
  return Failure{info.tensors[kernel.result].name +
                 (access.writes ? " writes " : " reads ") +
                 info.tensors[access.tensor].name + " outside dimension " +
                 std::to_string(access.dim)};
}

Status Runner::runStep(const Step &step) {
  if (!step.isLoop)
    return runKernel(step.kernel);
  int64_t extent = extentValue(step.extent);
  for (int64_t turn = 0; turn < extent; ++turn) {
    turns.push_back(turn);
    for (const Step &inner : step.body)
      if (Status status = runStep(inner); !status)
        return status;
    turns.pop_back();
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
  if (Status status = checkSteps(info.steps, 1); !status)
    return status;
  for (size_t top = 0; top < info.steps.size(); ++top) {
    if (Status status = runStep(info.steps[top]); !status)
      return status;
    for (size_t t = 0; t < places.size(); ++t)
      if (lastUse[t] == top) {
        places[t].packed.clear();
        places[t].ownValues.reset();
        places[t].ownErrors.reset();
      }
  }
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
