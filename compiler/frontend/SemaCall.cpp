//===- SemaCall.cpp - calls of operators ----------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A called operator has no shape of its own: its statements take the place of
// the call, with the caller's tensors and sizes in them, and are checked there
// like any others. What a caller can get wrong is said at the call.
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/Constraints.h"
#include "compiler/frontend/ExprChecker.h"
#include "compiler/frontend/IndexSums.h"
#include "compiler/frontend/Ranges.h"
#include "compiler/frontend/Sema.h"
#include "compiler/support/Suggest.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace girih::frontend {

static bool isGiven(const std::vector<GivenParam> &given,
                    std::string_view name) {
  return std::any_of(given.begin(), given.end(), [&](const GivenParam &param) {
    return param.name.text == name;
  });
}

/// One call on its way into its caller.
class CallExpander {
public:
  CallExpander(Sema &sema, OpScope &scope, size_t at)
      : sema(sema), scope(scope), at(at), statement(*scope.op.statements[at]),
        call(*callOf(statement)),
        callee(*sema.findGlobal(call.callee.text)->op) {}

  bool run() {
    if (sema.brokenOps.count(&callee))
      return false; // what is wrong was said at its own text
    if (!statement.indices.empty())
      return fail(codes::kRankMismatch,
                  fmt::format("'{}' gives whole tensors: no indices stand on "
                              "the left of its call",
                              callee.name.text),
                  statement.target.range,
                  fmt::format("write '{} = {}(...)'", statement.target.text,
                              callee.name.text));
    if (!bindArguments() || !bindNamed())
      return false;
    inferTypes();
    std::string unbound;
    instance = sema.instantiate(callee, given, unbound);
    if (!unbound.empty())
      return fail(codes::kNoParameterValue,
                  fmt::format("the parameter '{}' of '{}' has no value",
                              unbound, callee.name.text),
                  call.callee.range,
                  fmt::format("give one: {}(..., {} = ...)", callee.name.text,
                              unbound));
    return instance && bindShapes() && bindConstraints() && bindTargets() &&
           replace();
  }

private:
  bool fail(const char *code, std::string message, SourceRange range,
            std::string help = "") {
    Diagnostic &d = sema.report().error(code, std::move(message), range);
    d.note(fmt::format("'{}' is defined here", callee.name.text),
           callee.name.range);
    if (!help.empty())
      d.help(std::move(help));
    return false;
  }

  bool bindTensor(const TensorDecl &input, Expr &value) {
    auto *name = value.as<NameExpr>();
    if (!name)
      return fail(codes::kWrongOperandType,
                  fmt::format("'{}' takes a whole tensor for '{}', by its name",
                              callee.name.text, input.name.text),
                  value.range,
                  "give the value a name in a statement of its own");
    const Tensor *tensor =
        ExprChecker(sema, scope, nullptr).findTensor({name->name, value.range});
    if (!tensor)
      return false;
    tensors[input.name.text] = {tensor, value.range};
    if (input.optional)
      given.push_back({{input.name.text, value.range}, nullptr, "present", {}});
    return true;
  }

  /// Arguments without names belong to the inputs in their order.
  bool bindArguments() {
    if (call.arguments.size() > callee.inputs.size())
      return fail(codes::kWrongArgumentCount,
                  fmt::format("'{}' takes {} tensor{}, this call gives {}",
                              callee.name.text, callee.inputs.size(),
                              callee.inputs.size() == 1 ? "" : "s",
                              call.arguments.size()),
                  call.callee.range);
    for (size_t i = 0; i < call.arguments.size(); ++i)
      if (!bindTensor(callee.inputs[i], *call.arguments[i]))
        return false;
    return true;
  }

  bool bindNamed() {
    std::vector<std::string> names;
    for (const TensorDecl &input : callee.inputs)
      names.push_back(input.name.text);
    for (const OpParam &param : callee.params)
      names.push_back(param.name.text);
    for (const NamedArgument &argument : call.named) {
      const std::string &name = argument.name.text;
      if (std::find(names.begin(), names.end(), name) == names.end())
        return fail(codes::kUndefined,
                    fmt::format("'{}' has no parameter '{}'{}",
                                callee.name.text, name,
                                didYouMean(name, names)),
                    argument.name.range);
      if (tensors.count(name) || isGiven(given, name))
        return fail(codes::kArgumentRepeated,
                    fmt::format("'{}' is given twice", name),
                    argument.name.range);
      const TensorDecl *input = nullptr;
      for (const TensorDecl &decl : callee.inputs)
        if (decl.name.text == name)
          input = &decl;
      bool isNone = argument.word == "none";
      if (input && argument.value) {
        if (!bindTensor(*input, *argument.value))
          return false;
      } else if (input && !(isNone && input->optional)) {
        return fail(
            codes::kBadParameterValue,
            fmt::format("'{}' is a tensor, not {}", name, argument.word),
            argument.name.range);
      } else {
        given.push_back({argument.name, argument.value.get(), argument.word,
                         callerConstants()});
      }
    }
    for (const TensorDecl &input : callee.inputs)
      if (!input.optional && !tensors.count(input.name.text))
        return fail(codes::kArgumentMissing,
                    fmt::format("the call of '{}' gives no '{}'",
                                callee.name.text, input.name.text),
                    call.callee.range);
    return true;
  }

  ConstLookup callerConstants() {
    return
        [this](const NameExpr &name, SourceRange range) -> const ConstDecl * {
          for (const auto &constant : scope.op.constants)
            if (constant->name.text == name.name)
              return constant.get();
          return sema.usableConstant(name, range);
        };
  }

  /// A type parameter without a value is that of the first tensor of its type.
  void inferTypes() {
    for (const OpParam &param : callee.params) {
      if (param.kind != OpParam::Kind::Type || isGiven(given, param.name.text))
        continue;
      for (const TensorDecl &input : callee.inputs) {
        auto found = tensors.find(input.name.text);
        if (input.typeParam != param.name.text || found == tensors.end())
          continue;
        given.push_back({{param.name.text, found->second.range},
                         nullptr,
                         std::string(spelling(found->second.tensor->type)),
                         {}});
        break;
      }
    }
  }

  bool bindShapes() {
    for (const TensorDecl &input : instance->inputs) {
      const Argument &argument = tensors.at(input.name.text);
      const Tensor &tensor = *argument.tensor;
      auto what = [&] {
        return fmt::format("'{}' takes {} for '{}'", callee.name.text,
                           printed(input), input.name.text);
      };
      if (tensor.type != input.type)
        return fail(codes::kOperandTypesDiffer,
                    fmt::format("{}, '{}' is {}", what(), tensor.name.text,
                                spelling(tensor.type)),
                    argument.range, "cast it in a statement of its own");
      if (tensor.dims.size() != input.dims.size())
        return fail(codes::kShapesDiffer,
                    fmt::format("{}, '{}' has {} dimension{}", what(),
                                tensor.name.text, tensor.dims.size(),
                                tensor.dims.size() == 1 ? "" : "s"),
                    argument.range);
      for (size_t i = 0; i < input.dims.size(); ++i)
        if (!bindDim(input.dims[i], tensor, tensor.dims[i], argument.range))
          return false;
      cloner.tensors[input.name.text] = tensor.name.text;
    }
    return solveSums();
  }

  bool bindDim(const DimDecl &dim, const Tensor &tensor, const Extent &extent,
               SourceRange range) {
    NamedSum sum = namedSum(*dim.value).value_or(NamedSum());
    const std::string *name = sum.plainName();
    // Sums of products with an extent of the caller must stay exact.
    constexpr int64_t kMostFactor = int64_t(1) << 20;
    for (const auto &[size, factor] : sum.factors)
      if (std::abs(factor) > kMostFactor)
        return fail(codes::kIntegerOutOfRange,
                    fmt::format("'{}' cannot be called: the factor of '{}' is "
                                "more than 2^20",
                                callee.name.text, size),
                    call.callee.range);
    if (!name && !sum.factors.empty()) {
      sums.push_back({&dim, std::move(sum), &tensor, extent, range});
      return true;
    }
    if (!name) {
      if (extent == Extent::of(sum.constant))
        return true;
      return fail(codes::kShapesDiffer,
                  fmt::format("'{}' needs {} here, the dimension of '{}' is {}",
                              callee.name.text, sum.constant, tensor.name.text,
                              spelling(extent)),
                  range);
    }
    auto [place, fresh] = cloner.sizes.try_emplace(*name, extent);
    if (fresh || place->second == extent)
      return true;
    return fail(codes::kShapesDiffer,
                fmt::format("'{}' of '{}' is {} by '{}' and {} by what stands "
                            "before it",
                            *name, callee.name.text, spelling(extent),
                            tensor.name.text, spelling(place->second)),
                range);
  }

  /// The value of the constant and of all sizes that are known, which leave
  /// `sum`.
  Extent takeKnown(NamedSum &sum) const {
    Extent value = Extent::of(sum.constant);
    for (const auto &[name, extent] : cloner.sizes)
      if (auto found = sum.factors.find(name); found != sum.factors.end()) {
        value = value + extent * found->second;
        sum.factors.erase(found);
      }
    return value;
  }

  static std::optional<Extent> divided(Extent extent, int64_t divisor) {
    bool exact = extent.constant % divisor == 0;
    extent.constant /= divisor;
    for (auto &term : extent.terms) {
      exact &= term.second % divisor == 0;
      term.second /= divisor;
    }
    return exact ? std::optional(extent) : std::nullopt;
  }

  bool checkNumbers(const Extent &extent, SourceRange range) {
    constexpr int64_t kMost = int64_t(1) << 40;
    bool fits = std::abs(extent.constant) < kMost;
    for (const auto &term : extent.terms)
      fits &= std::abs(term.second) < kMost;
    return fits || fail(codes::kIntegerOutOfRange,
                        fmt::format("the call of '{}' makes the size {}, with "
                                    "a number of 2^40 or more",
                                    callee.name.text, spelling(extent)),
                        range);
  }

  /// Dimensions that are sums say their one size that nothing else says.
  bool solveSums() {
    for (bool progress = true; progress;) {
      progress = false;
      for (auto it = sums.begin(); it != sums.end();) {
        NamedSum rest = it->sum;
        Extent left = it->extent - takeKnown(rest);
        if (rest.factors.size() > 1) {
          ++it;
          continue;
        }
        if (rest.factors.empty()) {
          if (!(left == Extent()))
            return fail(
                codes::kShapesDiffer,
                fmt::format("'{}' needs {} here ({}), the dimension of "
                            "'{}' is {}",
                            callee.name.text, spelling(it->extent - left),
                            printExpr(*it->dim->value), it->tensor->name.text,
                            spelling(it->extent)),
                it->range);
        } else {
          auto [name, factor] = *rest.factors.begin();
          auto size = divided(left, factor);
          if (!size)
            return fail(
                codes::kShapesDiffer,
                fmt::format("'{}' of '{}' is no sum of sizes: {} is {} "
                            "by '{}'",
                            name, callee.name.text, printExpr(*it->dim->value),
                            spelling(it->extent), it->tensor->name.text),
                it->range);
          if (!checkNumbers(*size, it->range))
            return false;
          cloner.sizes[name] = *size;
        }
        it = sums.erase(it);
        progress = true;
      }
    }
    return true;
  }

  static std::string printed(const TensorDecl &decl) {
    std::string text(spelling(decl.type));
    for (size_t i = 0; i < decl.dims.size(); ++i)
      text += (i ? ", " : "[") + printExpr(*decl.dims[i].value);
    return decl.dims.empty() ? text : text + "]";
  }

  /// The callee's constraints become the caller's, or are judged here.
  bool bindConstraints() {
    for (const SizeConstraint &constraint : callee.constraints) {
      auto found = cloner.sizes.find(constraint.name.text);
      if (found == cloner.sizes.end())
        continue; // of an optional tensor that is not there
      if (const SizeSymbol *size = found->second.plainSize()) {
        SizeConstraint copy = constraint;
        copy.name.text = size->name.text;
        copy.size = size;
        scope.op.constraints.push_back(std::move(copy));
        continue;
      }
      if (!found->second.isConstant()) {
        if (!isProved(constraint, found->second))
          return fail(
              codes::kShapesDiffer,
              fmt::format("nothing proves what '{}' wants of '{}', which is {} "
                          "here",
                          callee.name.text, constraint.name.text,
                          spelling(found->second)),
              call.callee.range,
              fmt::format("add a 'where' to '{}' from which it follows",
                          scope.op.name.text));
        continue;
      }
      if (!holds(constraint, found->second.constant))
        return fail(codes::kShapesDiffer,
                    fmt::format("'{}' does not take {} for '{}'",
                                callee.name.text, found->second.constant,
                                constraint.name.text),
                    call.callee.range);
    }
    return true;
  }

  bool isProved(const SizeConstraint &constraint, const Extent &extent) const {
    using Kind = SizeConstraint::Kind;
    Prover prover = proverOf(scope.op);
    Extent more = extent - Extent::of(constraint.value), less = more * -1;
    switch (constraint.kind) {
    case Kind::Multiple:
      return divided(extent, constraint.value).has_value();
    case Kind::Less:
      return prover.proves(formOf(less - Extent::of(1)));
    case Kind::LessEqual:
      return prover.proves(formOf(less));
    case Kind::Greater:
      return prover.proves(formOf(more - Extent::of(1)));
    case Kind::GreaterEqual:
      return prover.proves(formOf(more));
    case Kind::Equal:
      return prover.proves(formOf(less)) && prover.proves(formOf(more));
    }
    return false;
  }

  bool bindTargets() {
    std::vector<Name> targets = {statement.target};
    targets.insert(targets.end(), statement.moreTargets.begin(),
                   statement.moreTargets.end());
    size_t count = instance->outputs.size();
    if (targets.size() != count)
      return fail(codes::kWrongArgumentCount,
                  fmt::format("'{}' gives {} tensor{}, this statement takes {}",
                              callee.name.text, count, count == 1 ? "" : "s",
                              targets.size()),
                  statement.target.range);
    for (size_t i = 0; i < count; ++i) {
      for (size_t j = 0; j < i; ++j)
        if (targets[j].text == targets[i].text)
          return fail(codes::kTensorRedefined,
                      fmt::format("'{}' is defined twice", targets[i].text),
                      targets[i].range);
      const TensorDecl &output = instance->outputs[i];
      cloner.tensors[output.name.text] = targets[i].text;
      places[output.name.text] = targets[i].range;
      std::vector<Extent> dims;
      for (const DimDecl &dim : output.dims) {
        NamedSum sum = namedSum(*dim.value).value_or(NamedSum());
        dims.push_back(takeKnown(sum));
        if (!sum.factors.empty())
          return fail(codes::kSizeNotSolved,
                      fmt::format("no argument says how large '{}' is",
                                  sum.factors.begin()->first),
                      call.callee.range);
        if (!checkNumbers(dims.back(), call.callee.range))
          return false;
        declared[output.name.text].emplace_back(dims.back(), dim.range);
      }
      auto found = scope.tensors.find(targets[i].text);
      if (found != scope.tensors.end() &&
          !checkOutput(output, dims, *found->second, targets[i].range))
        return false;
    }
    return true;
  }

  /// The target is a declared output of the caller.
  bool checkOutput(const TensorDecl &output, const std::vector<Extent> &dims,
                   const Tensor &tensor, SourceRange range) {
    if (tensor.role != Tensor::Role::Output || tensor.definition)
      return true; // the statement itself will say what is wrong
    if (tensor.type == output.type && tensor.dims == dims)
      return true;
    auto shape = [](ScalarType type, const std::vector<Extent> &extents) {
      std::string text(spelling(type));
      for (size_t i = 0; i < extents.size(); ++i)
        text += (i ? ", " : "[") + spelling(extents[i]);
      return extents.empty() ? text : text + "]";
    };
    return fail(codes::kShapesDiffer,
                fmt::format("'{}' is declared {}, '{}' gives {}",
                            tensor.name.text, shape(tensor.type, tensor.dims),
                            callee.name.text, shape(output.type, dims)),
                range);
  }

  bool taken(const std::string &name) const {
    if (scope.tensors.count(name) || scope.firstStatement.count(name) ||
        scope.sizes.count(name) || sema.findGlobal(name) ||
        isReservedName(name))
      return true;
    for (const auto &constant : scope.op.constants)
      if (constant->name.text == name)
        return true;
    for (auto &[from, to] : cloner.tensors)
      if (to == name)
        return true;
    return false;
  }

  std::string fresh(const std::string &wanted) const {
    std::string name = wanted;
    for (unsigned number = 2; taken(name); ++number)
      name = fmt::format("{}_{}", wanted, number);
    return name;
  }

  void renameIndices(const Expr &expr) {
    if (auto *reduce = expr.as<ReduceExpr>())
      for (const auto &index : reduce->indices)
        renameIndex(index->name.text);
    forEachChild(expr, [&](const Expr &child) { renameIndices(child); });
  }

  void renameIndex(const std::string &name) {
    if (!cloner.indices.count(name) && taken(name))
      cloner.indices[name] = fresh(name + "_");
  }

  bool replace() {
    cloner.functions =
        instance->functions ? instance->functions : call.inherited;
    for (const auto &inner : instance->statements)
      for (size_t i = 0; i <= inner->moreTargets.size(); ++i) {
        const Name &target = i ? inner->moreTargets[i - 1] : inner->target;
        if (!cloner.tensors.count(target.text))
          cloner.tensors[target.text] =
              fresh(fmt::format("{}_{}", callee.name.text, target.text));
      }
    for (auto &constant : instance->constants) {
      cloner.constants[constant->name.text] = constant.get();
      constant->name.text =
          fresh(fmt::format("{}_{}", callee.name.text, constant->name.text));
      scope.op.constants.push_back(std::move(constant));
    }
    std::vector<std::unique_ptr<Statement>> copies;
    for (const auto &inner : instance->statements) {
      for (const auto &index : inner->indices)
        renameIndex(index->name.text);
      for (const Name &index : sema.scatterIndices(*instance, *inner))
        renameIndex(index.text);
      renameIndices(*inner->value);
    }
    for (const auto &inner : instance->statements) {
      copies.push_back(cloner.clone(*inner));
      copies.back()->inlinedFrom = {callee.name.text, call.callee.range};
      if (auto place = places.find(inner->target.text); place != places.end())
        copies.back()->target.range = place->second;
      if (auto dims = declared.find(inner->target.text); dims != declared.end())
        copies.back()->declared = dims->second;
    }
    auto &statements = scope.op.statements;
    if (statements.size() + copies.size() > kMaxStatements)
      return fail(codes::kTooLargeInlined,
                  fmt::format("'{}' has more than {} statements once its calls "
                              "are inlined",
                              scope.op.name.text, kMaxStatements),
                  call.callee.range);
    for (const auto &copy : copies)
      scope.firstStatement.try_emplace(copy->target.text, copy.get());
    scope.replaced.push_back(std::move(statements[at]));
    statements.erase(statements.begin() + long(at));
    statements.insert(statements.begin() + long(at),
                      std::make_move_iterator(copies.begin()),
                      std::make_move_iterator(copies.end()));
    return true;
  }

  struct Argument {
    const Tensor *tensor = nullptr;
    SourceRange range;
  };

  Sema &sema;
  OpScope &scope;
  size_t at;
  Statement &statement;
  const CallExpr &call;
  OpDecl &callee;
  std::map<std::string, Argument, std::less<>> tensors;
  std::map<std::string, SourceRange, std::less<>> places; ///< of the targets
  /// The dimensions of its outputs.
  std::map<std::string, std::vector<std::pair<Extent, SourceRange>>,
           std::less<>>
      declared;
  struct SumDim {
    const DimDecl *dim;
    NamedSum sum;
    const Tensor *tensor;
    Extent extent;
    SourceRange range;
  };
  std::vector<SumDim> sums; ///< dimensions of inputs
  std::vector<GivenParam> given;
  std::unique_ptr<OpDecl> instance;
  Cloner cloner;
};

bool Sema::expandCall(OpScope &scope, size_t at) {
  return CallExpander(*this, scope, at).run();
}

/// What the call should have defined is not worth a message of its own.
void Sema::abandonCall(OpScope &scope, const Statement &statement) {
  for (size_t i = 0; i <= statement.moreTargets.size(); ++i) {
    const Name &name = i ? statement.moreTargets[i - 1] : statement.target;
    Tensor *&tensor = scope.tensors[name.text];
    if (!tensor) {
      scope.op.tensors.push_back(std::make_unique<Tensor>());
      tensor = scope.op.tensors.back().get();
      tensor->name = name;
    }
    if (!tensor->definition)
      tensor->definition = &statement;
    scope.poisoned.insert(tensor);
  }
}

} // namespace girih::frontend
