//===- Demonstration.cpp - what a refused schedule gets wrong -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/Demonstration.h"

#include "compiler/pipeline/RefusedSchedule.h"
#include "compiler/reference/Reference.h"
#include "passes/order/InOrder.h"
#include "runtime/Compare.h"
#include "runtime/Promise.h"
#include "runtime/Text.h"
#include "tools/girih/Finite.h"

#include <algorithm>
#include <set>
#include <stdexcept>

using namespace girih;
using namespace girih::cli;

namespace {

constexpr uint64_t kSeeds = 16;
/// More than this takes longer than anyone wants to wait for a message.
constexpr size_t kMostInstances = 200'000;

class Demonstration {
public:
  Demonstration(pipeline::RefusedSchedule &refused, const Sizes &given,
                const DemonstrationInputs &inputs)
      : refused(refused), scop(refused.scop.scop), given(given),
        inputs(inputs) {}

  void run();

private:
  using Arrays = std::vector<rt::HostArray>;

  Status prepare();
  std::vector<int64_t> sizesFor(const poly::Witness &witness) const;
  std::string unfit(const std::vector<int64_t> &params) const;
  std::string show(const std::vector<int64_t> &params);
  Result<std::string> differenceAt(const std::vector<int64_t> &params,
                                   rt::RandomKind kind, uint64_t seed);
  Result<Arrays> tensors(rt::RandomKind kind, uint64_t seed, bool outputs);
  std::string printed(const std::vector<int64_t> &params) const;

  pipeline::RefusedSchedule &refused;
  const poly::Scop &scop;
  const Sizes &given;
  const DemonstrationInputs &inputs;
  std::optional<reference::ReferenceProgram> reference;
  std::optional<order::InOrder> program;
  std::vector<int64_t> sizes; ///< of the run, parallel to the signature's
};

std::vector<reference::HostTensor> viewsOf(std::vector<rt::HostArray> &a,
                                           std::vector<rt::HostArray> &b) {
  std::vector<reference::HostTensor> views;
  for (std::vector<rt::HostArray> *list : {&a, &b})
    for (rt::HostArray &array : *list)
      views.push_back(
          {array.data(), array.type(), array.shape(), array.strides()});
  return views;
}

} // namespace

Status Demonstration::prepare() {
  if (reference)
    return {};
  std::string text;
  llvm::raw_string_ostream stream(text);
  refused.func->getParentOp()->print(stream);
  Result<reference::ReferenceProgram> compiled =
      reference::ReferenceProgram::compile(text);
  if (!compiled)
    return Failure{compiled.message()};
  Result<order::InOrder> instances =
      order::InOrder::compile(refused.func, refused.scop);
  if (!instances)
    return Failure{instances.message()};
  reference.emplace(std::move(*compiled));
  program.emplace(std::move(*instances));
  return {};
}

/// The witness's, but for those that are given. The polyhedral model knows
/// nothing of divisibility: sizes go up until they keep it.
std::vector<int64_t>
Demonstration::sizesFor(const poly::Witness &witness) const {
  std::vector<int64_t> params;
  for (const auto &[name, value] : witness.sizes)
    params.push_back(value);
  const artifact::Signature &signature = reference->signature();
  for (size_t p = 0; p < scop.params.size(); ++p) {
    unsigned size = refused.scop.map.sizeOfParam[p];
    bool isGiven = false;
    for (const auto &[name, value] : given)
      if (name == signature.sizes[size]) {
        params[p] = value;
        isGiven = true;
      }
    for (const artifact::SizeConstraint &constraint : signature.constraints)
      if (!isGiven && constraint.size == size &&
          constraint.kind == artifact::SizeConstraint::Kind::Divisible)
        params[p] += (constraint.value - params[p] % constraint.value) %
                     constraint.value;
  }
  return params;
}

/// Why nothing is run at these sizes; empty where it can be.
std::string Demonstration::unfit(const std::vector<int64_t> &params) const {
  auto valueOf = [&](const poly::Affine &affine) {
    int64_t value = affine.constant;
    for (size_t p = 0; p < affine.params.size(); ++p)
      value += affine.params[p] * params[p];
    return value;
  };
  for (const poly::Affine &constraint : scop.context)
    if (valueOf(constraint) < 0)
      return "the program does not take these sizes";
  size_t count = 0;
  try {
    for (const poly::Statement &statement : scop.statements)
      count += poly::instancesOf(statement, params).size();
  } catch (const std::domain_error &) {
    count = kMostInstances + 1;
  }
  if (count > kMostInstances)
    return "that is more than " + std::to_string(kMostInstances) +
           " instances, too many to wait for";
  return "";
}

std::string Demonstration::printed(const std::vector<int64_t> &params) const {
  std::string text;
  for (size_t p = 0; p < params.size(); ++p)
    text +=
        (p ? ", " : "at ") + scop.params[p] + " = " + std::to_string(params[p]);
  return text.empty() ? "on the host" : text;
}

Result<Demonstration::Arrays>
Demonstration::tensors(rt::RandomKind kind, uint64_t seed, bool outputs) {
  const artifact::Signature &signature = reference->signature();
  Arrays arrays;
  for (size_t index = 0; index < signature.params.size(); ++index) {
    const artifact::TensorParam &param = signature.params[index];
    if (param.isOutput != outputs)
      continue;
    std::vector<int64_t> shape;
    for (const artifact::SizeExpr &extent : param.shape) {
      Result<int64_t> value = artifact::evaluate(extent, sizes);
      if (!value)
        return Failure{value.message()};
      shape.push_back(std::max<int64_t>(*value, 0));
    }
    Result<rt::HostArray> array = rt::HostArray::create(param.type, shape);
    if (!array)
      return Failure{array.message()};
    if (!outputs) {
      rt::Draw draw{kind, seed, uint32_t(index)};
      for (const artifact::TensorParam &other : signature.params)
        draw.narrow.push_back(other.type);
      rt::fillRandom(*array, draw);
      makeFinite(param, *array);
      if (!param.range.empty())
        if (Status status = rt::fillPromised(*array, signature, param, sizes,
                                             kind, seed, uint32_t(index));
            !status)
          return Failure{status.message()};
    }
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

/// The first element that differs, in words; empty where none does.
Result<std::string>
Demonstration::differenceAt(const std::vector<int64_t> &params,
                            rt::RandomKind kind, uint64_t seed) {
  Result<Arrays> given = tensors(kind, seed, /*outputs=*/false);
  Result<Arrays> expected = tensors(kind, seed, /*outputs=*/true);
  Result<Arrays> actual = tensors(kind, seed, /*outputs=*/true);
  for (Result<Arrays> *list : {&given, &expected, &actual})
    if (!*list)
      return Failure{list->message()};
  // First the reference: it looks whether every access stays inside.
  reference::RunOptions once;
  once.threads = 1;
  if (Status status = reference->run(viewsOf(*given, *expected), once); !status)
    return Failure{status.message()};
  struct Way {
    poly::AtOnce atOnce;
    const char *words;
  };
  static constexpr Way kWays[] = {
      {poly::AtOnce::Ascending, ""},
      {poly::AtOnce::Descending,
       ", what is coincident from the last to the first"},
      {poly::AtOnce::Shuffled, ", what is coincident interleaved"}};
  const artifact::Signature &signature = reference->signature();
  for (const Way &way : kWays) {
    poly::InstanceOrder steps =
        poly::treeOrder(scop, refused.tree, params, way.atOnce, seed);
    if (Status status = program->run(steps, params, viewsOf(*given, *actual));
        !status)
      return Failure{status.message()};
    for (size_t o = 0; o < actual->size(); ++o) {
      Result<rt::CompareResult> result =
          rt::compareBits((*actual)[o].tensor(), (*expected)[o].tensor());
      if (!result)
        return Failure{result.message()};
      if (result->equal())
        continue;
      const artifact::TensorParam &param = signature.params[given->size() + o];
      return "in this order" + std::string(way.words) + ", " +
             rt::printComparison(param.name, param.type, *result);
    }
  }
  return std::string();
}

std::string Demonstration::show(const std::vector<int64_t> &params) {
  std::string where = printed(params);
  std::string problem = unfit(params);
  if (!problem.empty())
    return "not run " + where + ": " + problem;
  sizes = program->sizesOf(params);
  // In sums that cancel their order shows most.
  std::vector<rt::RandomKind> kinds{inputs.kind};
  if (inputs.kind == rt::RandomKind::Normal)
    kinds.push_back(rt::RandomKind::Cancel);
  for (uint64_t s = 0; s < kSeeds; ++s)
    for (rt::RandomKind kind : kinds) {
      uint64_t seed = inputs.seed + s;
      Result<std::string> difference = differenceAt(params, kind, seed);
      if (!difference)
        return "not run " + where + ": " + difference.message();
      if (!difference->empty())
        return "run " + where + " on '" + rt::randomKindNames()[size_t(kind)] +
               "' inputs of seed " + std::to_string(seed) + ": " + *difference;
    }
  return "run " + where + ": no bit differs with the inputs of " +
         rt::plural(int64_t(kSeeds), "seed") + "; others may tell";
}

void Demonstration::run() {
  using Rule = poly::Violation::Rule;
  std::vector<poly::Violation> &violations = refused.violations;
  // A tree that leaves instances out, or a broken one, is no order.
  for (const poly::Violation &violation : violations)
    if (violation.rule == Rule::Coverage)
      return;
  std::set<std::vector<int64_t>> shown;
  for (poly::Violation &violation : violations) {
    bool isOrder = violation.rule == Rule::Order ||
                   violation.rule == Rule::Coincidence ||
                   violation.rule == Rule::ReductionOrder;
    if (!isOrder || !violation.witness)
      continue;
    if (Status status = prepare(); !status) {
      violation.notes.push_back("not run: " + status.message());
      return;
    }
    std::vector<int64_t> params = sizesFor(*violation.witness);
    if (shown.insert(params).second)
      violation.notes.push_back(show(params));
  }
}

void cli::demonstrateRefusal(pipeline::RefusedSchedule &refused,
                             const Sizes &given,
                             const DemonstrationInputs &inputs) {
  Demonstration(refused, given, inputs).run();
}
