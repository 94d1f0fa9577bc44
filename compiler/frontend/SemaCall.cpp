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
#include "compiler/frontend/CallLeading.h"
#include "compiler/frontend/Constraints.h"
#include "compiler/frontend/Dimensions.h"
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
    if (!bindArguments() || !bindNamed() || !checkInPlace())
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
    return instance && bindLeading() && bindShapes() && bindConstraints() &&
           bindTargets() && spreadLeading() && replace();
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

  /// What is updated in place may be written here, and stands for one input
  /// only.
  bool checkInPlace() {
    for (const TensorDecl &input : callee.inputs) {
      auto found = tensors.find(input.name.text);
      if (!input.inOut || found == tensors.end())
        continue;
      const auto &[tensor, range] = found->second;
      if (tensor->role == Tensor::Role::Input && !tensor->inOut)
        return fail(codes::kInputAssigned,
                    fmt::format("'{}' updates '{}' in place, and '{}' is an "
                                "input",
                                callee.name.text, input.name.text,
                                tensor->name.text),
                    range,
                    "declare it inout, or give a copy of it a name and pass "
                    "that");
      for (const auto &[name, other] : tensors)
        if (name != input.name.text && other.tensor == tensor)
          return fail(codes::kArgumentRepeated,
                      fmt::format("'{}' is given for '{}', which '{}' updates "
                                  "in place, and for '{}'",
                                  tensor->name.text, input.name.text,
                                  callee.name.text, name),
                      other.range, "pass a copy of it for one of them");
      updated.insert(input.name.text);
    }
    return true;
  }

  /// An operator without outputs gives what it updates: `X = scale(X)`.
  bool bindUpdated() {
    std::vector<const TensorDecl *> decls;
    for (const TensorDecl &input : instance->inputs)
      if (input.inOut)
        decls.push_back(&input);
    std::vector<Name> targets = {statement.target};
    targets.insert(targets.end(), statement.moreTargets.begin(),
                   statement.moreTargets.end());
    for (size_t i = 0; i < std::max(decls.size(), targets.size()); ++i) {
      const std::string name =
          i < decls.size() ? tensors.at(decls[i]->name.text).tensor->name.text
                           : "";
      if (i < targets.size() && targets[i].text == name)
        continue;
      std::string left;
      for (const TensorDecl *decl : decls)
        left += (left.empty() ? "" : ", ") +
                tensors.at(decl->name.text).tensor->name.text;
      return fail(codes::kWrongArgumentCount,
                  fmt::format("'{}' has no outputs: what it updates in place "
                              "stands on the left",
                              callee.name.text),
                  targets[std::min(i, targets.size() - 1)].range,
                  fmt::format("write '{} = {}(...)'", left, callee.name.text));
    }
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

  /// How many dimensions of the caller stand where `input` has its own first
  /// ones, less those.
  static long shiftOf(const TensorDecl &input, const Tensor &tensor) {
    return long(tensor.dims.size()) - long(input.dims.size());
  }

  /// What `..R` is here, for every such name.
  bool bindLeading() {
    for (const TensorDecl &input : instance->inputs) {
      const std::string *name = leadingName(input);
      if (!name)
        continue;
      const Argument &argument = tensors.at(input.name.text);
      const std::vector<Extent> &dims = argument.tensor->dims;
      long count = shiftOf(input, *argument.tensor) + 1;
      if (count < 0)
        return fail(codes::kShapesDiffer,
                    fmt::format("'{}' takes {} for '{}', '{}' has {} "
                                "dimension{}",
                                callee.name.text, printShape(input),
                                input.name.text, argument.tensor->name.text,
                                dims.size(), dims.size() == 1 ? "" : "s"),
                    argument.range);
      std::vector<Extent> own(dims.begin(), dims.begin() + count);
      auto [place, fresh] = leading.try_emplace(*name, own);
      if (!fresh && place->second != own)
        return fail(
            codes::kShapesDiffer,
            fmt::format("the leading dimensions '..{}' of '{}' are {} by '{}' "
                        "and {} by what stands before it",
                        *name, callee.name.text, printed(own),
                        argument.tensor->name.text, printed(place->second)),
            argument.range);
      if (fresh && !bindProduct(*name, own))
        return false;
    }
    return true;
  }

  /// The size `R` of `..R`, where it is a sum of sizes here; it must be, where
  /// it stands in another place.
  bool bindProduct(const std::string &name, const std::vector<Extent> &dims) {
    Extent product = Extent::of(1);
    bool isSum = true;
    for (const Extent &dim : dims) {
      isSum &= product.isConstant() || dim.isConstant();
      product = product.isConstant() ? dim * product.constant
                                     : product * dim.constant;
    }
    if (isSum) {
      cloner.sizes[name] = product;
      return checkNumbers(product, call.callee.range);
    }
    std::optional<SourceRange> used;
    auto look = [&](const std::string &other, SourceRange range) {
      if (other == name && !used)
        used = range;
    };
    for (const auto *decls : {&instance->inputs, &instance->outputs})
      for (const TensorDecl &decl : *decls)
        for (const DimDecl &dim : decl.dims)
          if (dim.place != DimDecl::Place::Leading)
            forEachName(*dim.value, look);
    for (const SizeConstraint &constraint : instance->constraints)
      look(constraint.name.text, constraint.range);
    for (const auto &inner : instance->statements)
      lookInside(*inner->value, look);
    if (!used)
      return true;
    sema.report()
        .error(codes::kLeadingDims,
               fmt::format("'{}' uses the size '{}', which is the product of "
                           "{} here",
                           callee.name.text, name, printed(dims)),
               call.callee.range)
        .note("it is used here", *used)
        .help("a call needs one leading dimension there");
    return false;
  }

  /// The names in an expression, in its subscripts and in its ranges.
  template <typename Look> static void lookInside(const Expr &expr, Look look) {
    if (auto *name = expr.as<NameExpr>())
      look(name->name, expr.range);
    if (auto *access = expr.as<AccessExpr>())
      for (const Subscript &subscript : access->subscripts)
        forEachName(*subscript.value, look);
    if (auto *reduce = expr.as<ReduceExpr>())
      for (const auto &index : reduce->indices)
        for (const Expr *end : {index->first.get(), index->end.get()})
          if (end)
            forEachName(*end, look);
    forEachChild(expr, [&](const Expr &child) { lookInside(child, look); });
  }

  static std::string printed(const std::vector<Extent> &dims) {
    std::string text;
    for (const Extent &dim : dims)
      text += (text.empty() ? "[" : ", ") + spelling(dim);
    return text.empty() ? "[]" : text + "]";
  }

  /// Indices of leading dimensions become one for each.
  bool spreadLeading() {
    std::set<std::string, std::less<>> several;
    for (const auto &[name, dims] : leading)
      if (dims.size() != 1)
        several.insert(name);
    if (several.empty())
      return true;
    if (!instance->raggedLoops.empty()) {
      sema.report()
          .error(codes::kLeadingDims,
                 fmt::format("'{}' loops over groups of elements and cannot be "
                             "called with leading dimensions that are not one",
                             callee.name.text),
                 call.callee.range)
          .note("here", instance->raggedLoops[0]->range)
          .help("give it tensors with one leading dimension");
      return false;
    }
    indices.emplace(*instance, several, [this](std::string_view name) {
      const Global *global = sema.findGlobal(name);
      return global ? global->op : nullptr;
    });
    auto problem = indices->run();
    if (!problem)
      return true;
    sema.report()
        .error(codes::kLeadingDims,
               fmt::format("'{}' cannot be called with leading dimensions that "
                           "are not one: {}",
                           callee.name.text, problem->message),
               call.callee.range)
        .note("here", problem->range)
        .help("give it tensors with one leading dimension");
    return false;
  }

  /// For one statement of the callee.
  void spreadIndices(const Statement &inner) {
    cloner.spread.clear();
    if (!indices)
      return;
    for (const auto &[index, name] : indices->of(inner)) {
      std::vector<std::string> &names = cloner.spread[index];
      for (size_t dim = 0; dim < leading.at(name).size(); ++dim) {
        std::string wanted = fmt::format("{}_{}", index, dim + 1);
        while (taken(wanted) || usesIndex(inner, wanted))
          wanted += "_";
        names.push_back(wanted);
      }
    }
  }

  static bool usesIndex(const Statement &inner, const std::string &name) {
    bool uses = false;
    lookInside(*inner.value, [&](const std::string &other, SourceRange) {
      uses |= other == name;
    });
    for (const auto &index : inner.indices)
      uses |= index->name.text == name;
    return uses;
  }

  bool bindShapes() {
    for (const TensorDecl &input : instance->inputs) {
      const Argument &argument = tensors.at(input.name.text);
      const Tensor &tensor = *argument.tensor;
      auto what = [&] {
        return fmt::format("'{}' takes {} for '{}'", callee.name.text,
                           printShape(input), input.name.text);
      };
      if (tensor.type != input.type)
        return fail(codes::kOperandTypesDiffer,
                    fmt::format("{}, '{}' is {}", what(), tensor.name.text,
                                spelling(tensor.type)),
                    argument.range, "cast it in a statement of its own");
      long shift = shiftOf(input, tensor);
      size_t own = leadingName(input) ? 1 : 0;
      if (shift != 0 && own == 0)
        return fail(codes::kShapesDiffer,
                    fmt::format("{}, '{}' has {} dimension{}", what(),
                                tensor.name.text, tensor.dims.size(),
                                tensor.dims.size() == 1 ? "" : "s"),
                    argument.range,
                    isPlain(input) ? ""
                                   : "a group takes a tensor that is indexed "
                                     "by all its members: declare it with the "
                                     "same group");
      for (size_t i = own; i < input.dims.size(); ++i)
        if (!bindDim(input.dims[i], tensor, tensor.dims[i + size_t(shift)],
                     argument.range))
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
      for (const auto &derived : instance->derived)
        if (!cloner.sizes.count(derived->name.text))
          if (auto extent = derivedHere(*derived)) {
            cloner.sizes[derived->name.text] = *extent;
            progress = true;
          }
    }
    return checkDerived();
  }

  /// A derived size of the callee in sizes of the caller; nothing where those
  /// it needs are not known.
  std::optional<Extent> derivedHere(const DerivedSize &derived) {
    NamedSum rest = derived.sum;
    Extent sum = takeKnown(rest);
    return rest.factors.empty()
               ? std::optional(sema.quotientIn(scope, sum, derived.divisor,
                                               call.callee.range))
               : std::nullopt;
  }

  bool isSame(const Extent &a, const Extent &b) const {
    Prover prover = proverOf(scope.op);
    return a == b ||
           (prover.proves(formOf(a - b)) && prover.proves(formOf(b - a)));
  }

  /// What an argument shows of a derived size is what its definition says, and
  /// none is negative.
  bool checkDerived() {
    for (const auto &derived : instance->derived) {
      auto known = cloner.sizes.find(derived->name.text);
      auto extent = derivedHere(*derived);
      if (known == cloner.sizes.end() || !extent)
        continue; // of an optional tensor that is not there
      if (!checkNumbers(*extent, call.callee.range))
        return false;
      if (!isSame(*extent, known->second))
        return fail(codes::kShapesDiffer,
                    fmt::format("'{}' of '{}' is {} by its definition and {} "
                                "by an argument",
                                derived->name.text, callee.name.text,
                                spelling(*extent), spelling(known->second)),
                    call.callee.range);
      if (!proverOf(scope.op).proves(formOf(*extent)))
        return fail(codes::kShapesDiffer,
                    fmt::format("nothing proves that '{}' of '{}', which is {} "
                                "here, is not negative",
                                derived->name.text, callee.name.text,
                                spelling(*extent)),
                    call.callee.range,
                    fmt::format("add a 'where' to '{}' from which it follows",
                                scope.op.name.text));
    }
    return true;
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
        if (!isProved(constraint, found->second, proverOf(scope.op)))
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

  bool bindTargets() {
    if (instance->outputs.empty())
      return bindUpdated();
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
      for (const std::string &name : updated)
        if (tensors.at(name).tensor->name.text == targets[i].text)
          return fail(codes::kTensorRedefined,
                      fmt::format("'{}' is updated by this call, and would be "
                                  "its output '{}' too",
                                  targets[i].text,
                                  instance->outputs[i].name.text),
                      targets[i].range, "give the output a name of its own");
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
        if (dim.place == DimDecl::Place::Leading) {
          const std::string *name = leadingName(output);
          auto found = name ? leading.find(*name) : leading.end();
          if (found == leading.end())
            return fail(codes::kLeadingDims,
                        fmt::format("no argument says what the leading "
                                    "dimensions of '{}' are",
                                    output.name.text),
                        call.callee.range);
          for (const Extent &extent : found->second) {
            dims.push_back(extent);
            declared[output.name.text].emplace_back(extent, dim.range);
          }
          continue;
        }
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
    bool same = tensor.type == output.type && tensor.dims.size() == dims.size();
    for (size_t i = 0; same && i < dims.size(); ++i)
      same = isSame(tensor.dims[i], dims[i]);
    if (same)
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

  /// A size or a constant of the file in a left-hand subscript: no index.
  bool isLeftValue(const std::string &name) const {
    const Global *global = sema.findGlobal(name);
    return cloner.sizes.count(name) || (global && global->constant);
  }

  void renameIndex(const std::string &name) {
    if (!cloner.indices.count(name) && taken(name))
      cloner.indices[name] = fresh(name + "_");
  }

  bool replace() {
    cloner.functions =
        instance->functions ? instance->functions : call.inherited;
    cloner.contract =
        instance->contract ? instance->contract : call.inheritedContract;
    for (const auto &inner : instance->statements)
      for (size_t i = 0; i <= inner->moreTargets.size(); ++i) {
        const Name &target = i ? inner->moreTargets[i - 1] : inner->target;
        if (!cloner.tensors.count(target.text))
          cloner.tensors[target.text] =
              fresh(fmt::format("{}_{}", callee.name.text, target.text));
      }
    // The indices of scatters, while the instance still has its constants.
    std::map<const Statement *, std::vector<Name>> scattered;
    for (const auto &inner : instance->statements)
      scattered[inner.get()] = sema.scatterIndices(*instance, *inner);
    for (auto &constant : instance->constants) {
      cloner.constants[constant->name.text] = constant.get();
      constant->name.text =
          fresh(fmt::format("{}_{}", callee.name.text, constant->name.text));
      scope.op.constants.push_back(std::move(constant));
    }
    std::vector<std::unique_ptr<Statement>> copies;
    for (const auto &inner : instance->statements) {
      for (const auto &index : inner->indices)
        if (!isLeftValue(index->name.text))
          renameIndex(index->name.text);
      for (const Name &index : scattered[inner.get()])
        renameIndex(index.text);
      for (const TimeLoop *loop = inner->loop; loop; loop = loop->parent)
        renameIndex(loop->index->name.text);
      if (inner->ragged)
        for (const auto *index :
             {&inner->ragged->group, &inner->ragged->element})
          renameIndex((*index)->name.text);
      for (const ExprPtr *expr :
           {&inner->value, &inner->where, &inner->otherwise})
        if (*expr)
          renameIndices(**expr);
    }
    cloner.around = statement.loop;
    cloner.cloneLoops(*instance, scope.op);
    for (const auto &inner : instance->statements) {
      spreadIndices(*inner);
      copies.push_back(cloner.clone(*inner));
      copies.back()->inlinedFrom = {callee.name.text, call.callee.range};
      copies.back()->inPlace |= updated.count(inner->target.text) != 0;
      if (auto place = places.find(inner->target.text); place != places.end())
        copies.back()->target.range = place->second;
      if (auto dims = declared.find(inner->target.text); dims != declared.end())
        copies.back()->declared = dims->second;
    }
    adoptAssumptions();
    auto &statements = scope.op.statements;
    if (statements.size() + copies.size() > kMaxStatements)
      return fail(codes::kTooLargeInlined,
                  fmt::format("'{}' has more than {} statements once its calls "
                              "are inlined",
                              scope.op.name.text, kMaxStatements),
                  call.callee.range);
    --scope.statementCount[statement.target.text];
    for (const auto &copy : copies) {
      scope.firstStatement.try_emplace(copy->target.text, copy.get());
      ++scope.statementCount[copy->target.text];
    }
    scope.replaced.push_back(std::move(statements[at]));
    statements.erase(statements.begin() + long(at));
    statements.insert(statements.begin() + long(at),
                      std::make_move_iterator(copies.begin()),
                      std::make_move_iterator(copies.end()));
    return true;
  }

  /// What the callee assumes of an input of the caller, the caller does; of
  /// what is computed nothing is known, and nothing assumed.
  void adoptAssumptions() {
    for (const Assumption &inner : instance->assumptions) {
      auto argument = tensors.find(inner.tensor.text);
      if (argument == tensors.end() ||
          argument->second.tensor->role != Tensor::Role::Input)
        continue;
      Assumption copy = inner;
      copy.tensor.text = argument->second.tensor->name.text;
      scope.op.assumptions.push_back(std::move(copy));
    }
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
  std::set<std::string> updated;                          ///< inout inputs
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
  std::map<std::string, std::vector<Extent>, std::less<>> leading; ///< `..R`
  std::optional<LeadingIndices> indices; ///< where some are not one
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
