//===- Plan.cpp - an artifact bound to tensors ----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Plan.h"

#include "runtime/Overlap.h"
#include "runtime/Text.h"

#include <algorithm>

using namespace girih;
using namespace girih::rt;
using artifact::Argument;
using artifact::Artifact;
using artifact::Guard;
using artifact::Launch;
using artifact::Signature;
using artifact::Variant;
using artifact::WorkspaceBuffer;

static constexpr uint64_t kWorkspaceAlignment = 256;

void BoundPlan::attachWorkspace(uint64_t base) {
  for (BoundLaunch &launch : launches)
    for (const BoundLaunch::WorkspaceUse &use : launch.workspaceUses)
      launch.arguments[use.argument] = base + workspaceOffsets[use.buffer];
}

namespace {

/// Walks the launches of a plan, one loop inside the other.
class LaunchWalk {
public:
  LaunchWalk(BoundPlan &plan,
             const std::function<Status(BoundLaunch &)> &launch)
      : plan(plan), launch(launch), turns(plan.loops.size()) {}

  /// Launches [begin, end); loops before `loop` are around them.
  Status run(unsigned begin, unsigned end, size_t loop) {
    while (begin < end) {
      while (loop < plan.loops.size() && plan.loops[loop].begin < begin)
        ++loop;
      bool isLoop = loop < plan.loops.size() &&
                    plan.loops[loop].begin == begin &&
                    plan.loops[loop].end <= end;
      if (isLoop && plan.loops[loop].end > begin) {
        const BoundLoop &inner = plan.loops[loop];
        for (turns[loop] = 0; turns[loop] < inner.count; ++turns[loop])
          if (Status status = run(begin, inner.end, loop + 1); !status)
            return status;
        begin = inner.end;
        continue;
      }
      if (isLoop) { // nothing is left in it
        ++loop;
        continue;
      }
      BoundLaunch &next = plan.launches[begin++];
      for (const BoundLaunch::TurnUse &use : next.turnUses)
        next.arguments[use.argument] = uint64_t(turns[use.loop]);
      if (Status status = launch(next); !status)
        return status;
    }
    return {};
  }

private:
  BoundPlan &plan;
  const std::function<Status(BoundLaunch &)> &launch;
  std::vector<int64_t> turns;
};

} // namespace

Status
BoundPlan::forEachLaunch(const std::function<Status(BoundLaunch &)> &launch) {
  return LaunchWalk(*this, launch).run(0, unsigned(launches.size()), 0);
}

double BoundPlan::launchCount() const {
  double total = 0;
  for (unsigned launch = 0; launch < launches.size(); ++launch) {
    double times = 1;
    for (const BoundLoop &loop : loops)
      if (loop.begin <= launch && launch < loop.end)
        times *= double(loop.count);
    total += times;
  }
  return total;
}

static bool isOneTensor(const Tensor &a, const Tensor &b) {
  return a.data == b.data && a.shape == b.shape && a.strides == b.strides;
}

/// An output in an input's place is that very tensor, unless it may be apart:
/// then it is a tensor of its own otherwise.
static Status checkInPlace(const Signature &signature,
                           const std::vector<Tensor> &params, size_t out) {
  const auto &param = signature.params[out];
  const Tensor &result = params[out], &input = params[size_t(param.inPlace)];
  if (isOneTensor(result, input))
    return {};
  const std::string &name = signature.params[size_t(param.inPlace)].name;
  if (param.apart && mayOverlap(result, input))
    return Failure{"output " + param.name + " overlaps the memory of input " +
                   name +
                   ", which it aliases: both must be one tensor, with "
                   "the same address and strides, or share no memory"};
  if (param.apart)
    return {};
  return Failure{"output " + param.name + " is input " + name +
                 " in place: both must be one tensor, with the same address "
                 "and strides"};
}

/// Outputs have distinct elements and share no memory with anything else, but
/// for the input that an output is in the place of.
Status rt::checkMemory(const Signature &signature,
                       const std::vector<Tensor> &params) {
  for (size_t out = 0; out < params.size(); ++out) {
    if (!signature.params[out].isOutput)
      continue;
    const std::string &name = signature.params[out].name;
    int inPlace = signature.params[out].inPlace;
    if (inPlace >= 0)
      if (Status status = checkInPlace(signature, params, out); !status)
        return status;
    if (!hasDistinctElements(params[out]))
      return Failure{"output " + name + " (shape " +
                     printShape(params[out].shape) + ", strides " +
                     printShape(params[out].strides) +
                     ") has elements that share memory"};
    for (size_t other = 0; other < params.size(); ++other) {
      // Two outputs meet once, named in the order of the signature.
      if (other == out || int(other) == inPlace ||
          (other < out && signature.params[other].isOutput))
        continue;
      bool apart = signature.params[out].apart;
      if (inPlace >= 0 && !apart && mayOverlap(params[out], params[other]))
        return Failure{name +
                       ", which is written in place, overlaps the "
                       "memory of " +
                       signature.params[other].name +
                       ": it must have memory of its own"};
      if (mayOverlap(params[out], params[other]))
        return Failure{"output " + name + " overlaps the memory of " +
                       signature.params[other].name +
                       ": an output must have memory of its own"};
    }
  }
  return {};
}

static std::string guardFailure(const Signature &signature, const Guard &guard,
                                const std::vector<Tensor> &params,
                                const std::vector<int64_t> &sizes) {
  std::string value = std::to_string(guard.value);
  auto remainderText = [&](const std::string &subject, int64_t have) {
    return subject + " is " + std::to_string(have) + ", not a multiple of " +
           value;
  };
  switch (guard.kind) {
  case Guard::Kind::UnitStride:
  case Guard::Kind::StrideDivisible: {
    const Tensor &tensor = params[guard.param];
    if (tensor.shape[guard.dim] <= 1)
      return "";
    int64_t stride = tensor.strides[guard.dim];
    std::string subject = signature.params[guard.param].name +
                          "'s stride of dimension " + std::to_string(guard.dim);
    if (guard.kind == Guard::Kind::UnitStride)
      return stride == 1
                 ? ""
                 : subject + " is " + std::to_string(stride) + ", not 1";
    return guard.value > 0 && stride % guard.value == 0
               ? ""
               : remainderText(subject, stride);
  }
  case Guard::Kind::AlignedPointer: {
    uint64_t address = reinterpret_cast<uintptr_t>(params[guard.param].data);
    if (guard.value > 0 && address % uint64_t(guard.value) == 0)
      return "";
    return signature.params[guard.param].name + "'s address " + hex(address) +
           " is not a multiple of " + value + " bytes";
  }
  case Guard::Kind::SizeDivisible:
    return guard.value > 0 && sizes[guard.size] % guard.value == 0
               ? ""
               : remainderText("size '" + signature.sizes[guard.size] + "'",
                               sizes[guard.size]);
  case Guard::Kind::SizeAtMost:
    return sizes[guard.size] <= guard.value
               ? ""
               : "size '" + signature.sizes[guard.size] + "' is " +
                     std::to_string(sizes[guard.size]) + ", more than " + value;
  case Guard::Kind::SizeAtLeast:
    return sizes[guard.size] >= guard.value
               ? ""
               : "size '" + signature.sizes[guard.size] + "' is " +
                     std::to_string(sizes[guard.size]) + ", less than " + value;
  }
  return "unknown guard";
}

std::string rt::firstFailingGuard(const Artifact &artifact,
                                  const Variant &variant,
                                  const std::vector<Tensor> &params,
                                  const std::vector<int64_t> &sizes) {
  for (const Guard &guard : variant.guards) {
    std::string failure =
        guardFailure(artifact.signature, guard, params, sizes);
    if (!failure.empty())
      return failure;
  }
  return "";
}

/// A complete, checked argument list.
static Result<BoundTensors> checkAndSolve(const Artifact &artifact,
                                          const std::vector<Tensor> &params) {
  const Signature &signature = artifact.signature;
  if (params.size() < signature.params.size()) {
    std::vector<std::string> missing;
    for (size_t i = params.size(); i < signature.params.size(); ++i)
      missing.push_back(signature.params[i].name);
    return Failure{plural(int64_t(params.size()), "tensor") + " given, but '" +
                   signature.op + "' takes " +
                   std::to_string(signature.params.size()) + ": missing " +
                   joinNames(missing)};
  }
  Result<BoundTensors> bound = bindTensors(signature, params);
  if (!bound)
    return bound;
  if (Status status = checkMemory(signature, params); !status)
    return Failure{status.message()};
  return bound;
}

/// `M = 5, K = 7`
static std::string printSizes(const Signature &signature,
                              const std::vector<int64_t> &sizes) {
  std::string text;
  for (size_t size = 0; size < sizes.size(); ++size)
    text += (size ? ", " : "") + signature.sizes[size] + " = " +
            std::to_string(sizes[size]);
  return text;
}

static Status placeWorkspace(const Signature &signature, const Variant &variant,
                             BoundPlan &plan) {
  for (const WorkspaceBuffer &buffer : variant.workspace) {
    Result<int64_t> bytes = artifact::evaluate(buffer.bytes, plan.sizes);
    if (!bytes || *bytes < 0)
      return Failure{
          "the workspace '" + buffer.name + "' cannot be sized for " +
          printSizes(signature, plan.sizes) + ": " +
          (bytes ? std::to_string(*bytes) + " bytes" : bytes.message())};
    plan.workspaceOffsets.push_back(plan.workspaceBytes);
    uint64_t end = 0;
    if (__builtin_add_overflow(plan.workspaceBytes, uint64_t(*bytes), &end) ||
        end > uint64_t(INT64_MAX))
      return Failure{"the workspace buffers together exceed 64 bits for " +
                     printSizes(signature, plan.sizes)};
    plan.workspaceBytes = (end + kWorkspaceAlignment - 1) /
                          kWorkspaceAlignment * kWorkspaceAlignment;
  }
  return {};
}

static Status packArguments(const Signature &signature, const Launch &launch,
                            const std::vector<Tensor> &params,
                            const std::vector<int64_t> &sizes,
                            BoundLaunch &bound) {
  bound.arguments.reserve(launch.arguments.size());
  for (const Argument &argument : launch.arguments) {
    uint64_t word = 0;
    switch (argument.kind) {
    case Argument::Kind::Pointer:
      word = reinterpret_cast<uintptr_t>(params[argument.index].data);
      break;
    case Argument::Kind::Stride:
      word = uint64_t(params[argument.index].strides[argument.dim]);
      break;
    case Argument::Kind::Size:
      word = uint64_t(sizes[argument.index]);
      break;
    case Argument::Kind::Workspace:
      bound.workspaceUses.push_back(
          {unsigned(bound.arguments.size()), argument.index});
      break;
    case Argument::Kind::Value: {
      Result<int64_t> value = artifact::evaluate(argument.value, sizes);
      if (!value)
        return Failure{"argument " + std::to_string(bound.arguments.size()) +
                       " of kernel '" + launch.kernel +
                       "' cannot be computed for " +
                       printSizes(signature, sizes) + ": " + value.message()};
      word = uint64_t(*value);
      break;
    }
    case Argument::Kind::Turn:
      bound.turnUses.push_back(
          {unsigned(bound.arguments.size()), argument.index});
      break;
    }
    bound.arguments.push_back(word);
  }
  return {};
}

/// Loops over the launches that are left; `before[l]` of those come before
/// launch l of the variant.
static Status bindLoops(const Signature &signature, const Variant &variant,
                        const std::vector<unsigned> &before, BoundPlan &plan) {
  for (const artifact::LaunchLoop &loop : variant.loops) {
    Result<int64_t> count = artifact::evaluate(loop.count, plan.sizes);
    if (!count)
      return Failure{"the number of turns of a loop of launches cannot be "
                     "computed for " +
                     printSizes(signature, plan.sizes) + ": " +
                     count.message()};
    plan.loops.push_back(
        {before[loop.begin], before[loop.end], std::max<int64_t>(*count, 0)});
  }
  return {};
}

static Status bindLaunches(const Signature &signature, const Variant &variant,
                           const std::vector<Tensor> &params, BoundPlan &plan) {
  std::vector<unsigned> before;
  for (unsigned index = 0; index < variant.launches.size(); ++index) {
    before.push_back(unsigned(plan.launches.size()));
    const Launch &launch = variant.launches[index];
    Result<int64_t> grid = artifact::evaluate(launch.grid, plan.sizes);
    if (!grid || *grid < 0)
      return Failure{"the number of blocks of kernel '" + launch.kernel +
                     "' cannot be computed for " +
                     printSizes(signature, plan.sizes) + ": " +
                     (grid ? std::to_string(*grid) : grid.message())};
    if (*grid == 0)
      continue;
    if (*grid > kMaxGridBlocks)
      return Failure{
          "kernel '" + launch.kernel + "' would need " + std::to_string(*grid) +
          " blocks for " + printSizes(signature, plan.sizes) +
          ", but a launch has at most " + std::to_string(kMaxGridBlocks)};
    BoundLaunch bound;
    if (Status status =
            packArguments(signature, launch, params, plan.sizes, bound);
        !status)
      return status;
    bound.launch = index;
    bound.grid = uint32_t(*grid);
    plan.launches.push_back(std::move(bound));
  }
  before.push_back(unsigned(plan.launches.size()));
  return bindLoops(signature, variant, before, plan);
}

/// How many elements lie between the first and the last one, both included,
/// if that is as many as there are: memory without gaps.
static bool isDense(const Tensor &tensor, int64_t &elements) {
  elements = 1;
  int64_t span = 1;
  for (size_t d = 0; d < tensor.shape.size(); ++d) {
    elements *= tensor.shape[d];
    if (tensor.strides[d] < 0 && tensor.shape[d] > 1)
      return false;
    span += (tensor.shape[d] - 1) * tensor.strides[d];
  }
  return elements == 0 || span == elements;
}

/// Outputs that are apart from the input in whose place they are take its part
/// in the launches, with its elements.
static Status placeApart(const Signature &signature, std::vector<Tensor> &views,
                         BoundPlan &plan) {
  for (size_t out = 0; out < views.size(); ++out) {
    const artifact::TensorParam &param = signature.params[out];
    if (!param.apart)
      continue;
    Tensor &input = views[size_t(param.inPlace)];
    const Tensor &output = views[out];
    if (isOneTensor(input, output))
      continue;
    bool alike = true;
    for (size_t d = 0; d < output.shape.size(); ++d)
      alike &= output.shape[d] <= 1 || output.strides[d] == input.strides[d];
    int64_t elements = 0;
    if (!isDense(output, elements) || (!alike && elements > 0))
      return Failure{
          "output " + param.name + " (strides " + printShape(output.strides) +
          ") and input " + signature.params[size_t(param.inPlace)].name +
          " (strides " + printShape(input.strides) +
          "), which it aliases, are two tensors: both must then lie in memory "
          "alike, without gaps"};
    int64_t align = signature.params[size_t(param.inPlace)].align;
    uint64_t address = reinterpret_cast<uintptr_t>(output.data);
    if (elements > 0 && align > 1 && address % uint64_t(align) != 0)
      return Failure{"output " + param.name + " takes the part of input " +
                     signature.params[size_t(param.inPlace)].name +
                     ", which promises 'align " + std::to_string(align) +
                     "': its address " + hex(address) + " is no multiple"};
    uint64_t bytes = uint64_t(elements) * artifact::bytesOf(param.type);
    if (bytes > 0)
      plan.copies.push_back({output.data, input.data, bytes});
    input = output;
  }
  return {};
}

Result<BoundPlan> rt::bindPlan(const Artifact &artifact,
                               const std::vector<Tensor> &params) {
  Result<BoundTensors> bound = checkAndSolve(artifact, params);
  if (!bound)
    return Failure{bound.message()};
  std::vector<Tensor> &views = bound->views;
  BoundPlan plan;
  plan.sizes = std::move(bound->sizes);
  if (Status status = placeApart(artifact.signature, views, plan); !status)
    return Failure{status.message()};
  std::string rejected;
  for (; plan.variant < artifact.variants.size(); ++plan.variant) {
    const Variant &variant = artifact.variants[plan.variant];
    std::string failure =
        firstFailingGuard(artifact, variant, views, plan.sizes);
    if (failure.empty())
      break;
    rejected += "\n  " + variant.name + ": " + failure;
  }
  if (plan.variant == artifact.variants.size())
    return Failure{"no variant of '" + artifact.signature.op +
                   "' fits these tensors" +
                   (rejected.empty() ? ": there is none" : ":" + rejected)};
  const Variant &variant = artifact.variants[plan.variant];
  if (Status status = placeWorkspace(artifact.signature, variant, plan);
      !status)
    return Failure{status.message()};
  if (Status status = bindLaunches(artifact.signature, variant, views, plan);
      !status)
    return Failure{status.message()};
  return plan;
}

Result<std::vector<VariantExplanation>>
rt::explainVariants(const Artifact &artifact,
                    const std::vector<Tensor> &params) {
  Result<BoundTensors> bound = checkAndSolve(artifact, params);
  if (!bound)
    return Failure{bound.message()};
  std::vector<VariantExplanation> explanations;
  std::string chosen;
  for (const Variant &variant : artifact.variants) {
    VariantExplanation explanation;
    explanation.variant = variant.name;
    explanation.reason =
        firstFailingGuard(artifact, variant, bound->views, bound->sizes);
    if (explanation.reason.empty()) {
      explanation.chosen = chosen.empty();
      explanation.reason = chosen.empty()
                               ? "all its guards hold"
                               : "not reached: '" + chosen + "' comes first";
      if (chosen.empty())
        chosen = variant.name;
    }
    explanations.push_back(std::move(explanation));
  }
  return explanations;
}
