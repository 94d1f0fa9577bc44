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
#include <functional>
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
  const rt::HostArray *fileFor(const std::string &name) const;
  struct Early {
    const poly::Reduction *sum;
    const poly::Node *band;
    size_t member;
    unsigned reader;
  };
  std::optional<Early> earlyReader() const;
  Result<std::string> partsAt(const std::vector<int64_t> &params,
                              const Early &early);
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
    for (const artifact::TensorParam &param : signature.params)
      if (const rt::HostArray *file = fileFor(param.name))
        for (size_t d = 0;
             d < std::min(param.shape.size(), file->shape().size()); ++d)
          if (param.shape[d].kind == artifact::SizeExpr::Kind::Size &&
              param.shape[d].size == size) {
            params[p] = file->shape()[d];
            isGiven = true;
          }
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

const rt::HostArray *Demonstration::fileFor(const std::string &name) const {
  for (const auto &[known, array] : *inputs.files)
    if (known == name)
      return &array;
  return nullptr;
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
    const rt::HostArray *file = outputs ? nullptr : fileFor(param.name);
    if (file) {
      if (file->type() != param.type || file->shape() != shape)
        return Failure{"the file for '" + param.name +
                       "' has another type or shape than it has here"};
      for (int64_t e = 0; e < file->elements(); ++e)
        rt::storeBits(array->data(), param.type, e,
                      rt::loadBits(file->tensor(), e));
    } else if (!outputs) {
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
  const artifact::Signature &signature = reference->signature();
  if (std::all_of(signature.params.begin(), signature.params.end(),
                  [&](const artifact::TensorParam &param) {
                    return param.isOutput || fileFor(param.name);
                  })) {
    Result<std::string> difference =
        differenceAt(params, inputs.kind, inputs.seed);
    if (!difference)
      return "not run " + where + ": " + difference.message();
    return "run " + where + " on the given inputs: " +
           (difference->empty() ? "no bit differs; others may tell"
                                : *difference);
  }
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

/// A statement that gives a result and stands in a loop of a sum that it reads,
/// without being a part of its turns.
std::optional<Demonstration::Early> Demonstration::earlyReader() const {
  std::optional<Early> found;
  auto dependsOnDims = [](const poly::Digit &digit) {
    return std::any_of(digit.value.dims.begin(), digit.value.dims.end(),
                       [](int64_t factor) { return factor != 0; });
  };
  auto isReader = [&](unsigned s) {
    const poly::Statement &statement = scop.statements[s];
    return statement.kind == poly::StatementKind::Map &&
           poly::isResult(scop.arrays[statement.write().array].role);
  };
  std::function<void(const poly::Node &)> visit = [&](const poly::Node &node) {
    for (size_t m = 0; m < node.members.size() && !found; ++m)
      for (const poly::Reduction &sum : scop.reductions) {
        te::ReduceOp reduce = refused.scop.map.statements[sum.update].reduce;
        auto holds = [&](unsigned s) {
          return std::binary_search(node.statements.begin(),
                                    node.statements.end(), s);
        };
        if (!holds(sum.update) || reduce.getKind() != te::ReduceKind::Sum ||
            !dependsOnDims(poly::digitOf(node, m, sum.update)))
          continue;
        for (unsigned s : node.statements)
          if (s > sum.update && isReader(s) &&
              !dependsOnDims(poly::digitOf(node, m, s)))
            found = Early{&sum, &node, m, s};
      }
    for (const poly::NodePtr &child : node.children)
      visit(*child);
  };
  visit(*refused.tree.root);
  return found;
}

/// What comes out where each turn of the loop sums its own elements alone, the
/// reader is computed from that, and the results are added: a sum that is cut
/// by what reads it.
Result<std::string> Demonstration::partsAt(const std::vector<int64_t> &params,
                                           const Early &early) {
  Result<Arrays> given = tensors(inputs.kind, inputs.seed, /*outputs=*/false);
  Result<Arrays> expected = tensors(inputs.kind, inputs.seed, /*outputs=*/true);
  Result<Arrays> actual = tensors(inputs.kind, inputs.seed, /*outputs=*/true);
  for (Result<Arrays> *list : {&given, &expected, &actual})
    if (!*list)
      return Failure{list->message()};
  reference::RunOptions once;
  once.threads = 1;
  if (Status status = reference->run(viewsOf(*given, *expected), once); !status)
    return Failure{status.message()};
  poly::InstanceOrder text = poly::textOrder(scop, params);
  const poly::Digit &digit =
      poly::digitOf(*early.band, early.member, early.sum->update);
  auto turnOf = [&](const poly::Point &point) {
    int64_t value = digit.value.constant;
    for (size_t p = 0; p < digit.value.params.size(); ++p)
      value += digit.value.params[p] * params[p];
    for (size_t d = 0; d < digit.value.dims.size(); ++d)
      value += digit.value.dims[d] * point[d];
    if (digit.modulus)
      value = (value % digit.modulus + digit.modulus) % digit.modulus;
    return value >= 0 ? value / digit.divisor
                      : -((digit.divisor - 1 - value) / digit.divisor);
  };
  std::set<int64_t> turns;
  for (const poly::Point &point : text.instances[early.sum->update])
    turns.insert(turnOf(point));
  constexpr size_t kMostTurns = 4096;
  if (turns.size() < 2 || turns.size() * text.steps.size() > kMostInstances ||
      turns.size() > kMostTurns)
    return std::string();
  const artifact::Signature &signature = reference->signature();
  unsigned array = scop.statements[early.reader].write().array;
  size_t output = size_t(refused.scop.map.result[array]);
  if (output >= actual->size())
    return std::string();
  const artifact::TensorParam &param = signature.params[given->size() + output];
  rt::HostArray &result = (*actual)[output];
  std::vector<double> sums(size_t(result.elements()), 0);
  if (!artifact::isFloat(param.type))
    return std::string();
  for (int64_t turn : turns) {
    poly::InstanceOrder part = text;
    part.steps.clear();
    for (const poly::InstanceStep &step : text.steps)
      if (step.statement != early.sum->update || turnOf(text.at(step)) == turn)
        part.steps.push_back(step);
    if (Status status = program->run(part, params, viewsOf(*given, *actual));
        !status)
      return Failure{status.message()};
    for (size_t e = 0; e < sums.size(); ++e)
      sums[e] += rt::loadElement(result.tensor(), int64_t(e));
  }
  for (size_t e = 0; e < sums.size(); ++e)
    rt::storeElement(result.data(), param.type, int64_t(e), sums[e]);
  Result<rt::CompareResult> compared =
      rt::compareBits(result.tensor(), (*expected)[output].tensor());
  if (!compared)
    return Failure{compared.message()};
  if (compared->equal())
    return std::string();
  return "with '" + param.name +
         "' computed from the part of the sum in each "
         "turn of '" +
         early.band->members[early.member].name + "', and those added, " +
         rt::printComparison(param.name, param.type, *compared);
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
    if (!shown.insert(params).second)
      continue;
    violation.notes.push_back(show(params));
    std::optional<Early> early = earlyReader();
    if (!early || !unfit(params).empty())
      continue;
    sizes = program->sizesOf(params);
    Result<std::string> parts = partsAt(params, *early);
    if (parts && !parts->empty())
      violation.notes.push_back(*parts);
  }
}

void cli::demonstrateRefusal(pipeline::RefusedSchedule &refused,
                             const Sizes &given,
                             const DemonstrationInputs &inputs) {
  Demonstration(refused, given, inputs).run();
}
