//===- SemaTests.cpp - what tests give and expect -------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/ConstFold.h"
#include "compiler/frontend/Dimensions.h"
#include "compiler/frontend/IndexSums.h"
#include "compiler/frontend/Sema.h"
#include "compiler/support/Suggest.h"

#include <algorithm>
#include <fmt/format.h>

namespace girih::frontend {

namespace {

/// A dimension of an argument that is no plain size.
struct PendingDim {
  const TensorDecl *decl;
  OuterDim dim;
  size_t place; ///< the argument's dimension
  int64_t extent;
  SourceRange range;
};

/// What `..R` is, and what said so.
struct KnownLeading {
  std::vector<int64_t> dims;
  SourceRange range;
};

/// A size, and what said so.
struct KnownSize {
  int64_t value = 0;
  SourceRange range;
};

std::string printed(const std::vector<int64_t> &shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

} // namespace

/// Checks one `run` with its expectations.
class TestChecker {
public:
  explicit TestChecker(Sema &sema, TestRun &run,
                       const TestChecker *outer = nullptr)
      : sema(sema), run(run), outer(outer) {}

  void check() {
    if (!checkRun())
      return;
    for (TestExpect &expected : run.expects)
      checkExpect(expected);
  }

private:
  Diagnostic &error(const char *code, std::string message, SourceRange range) {
    return sema.report().error(code, std::move(message), range);
  }

  //===--------------------------------------------------------------------===//
  // The operator and its arguments
  //===--------------------------------------------------------------------===//

  bool checkRun() {
    if (!findOp() || !checkArguments())
      return false;
    std::string unbound;
    instance = sema.instantiate(*op, given, unbound);
    if (!unbound.empty()) {
      error(codes::kNoParameterValue,
            fmt::format("the parameter '{}' of '{}' has no value", unbound,
                        op->name.text),
            run.op.range)
          .help(fmt::format("give one: {}({} = ...)", op->name.text, unbound));
      return false;
    }
    if (!instance)
      return false;
    bool good = true;
    for (TestArgument &argument : run.arguments)
      if (isSize(argument.name.text))
        good &= bindSize(argument);
    for (const TensorDecl &input : instance->inputs)
      if (TestValue *value = valueOf(input.name.text))
        good &= bindTensor(input, *value);
    good = good && solvePending();
    for (const TensorDecl &input : instance->inputs)
      if (TestValue *value = valueOf(input.name.text); good && value)
        good &= finishTensor(input, *value);
    return good;
  }

  bool findOp() {
    const Global *global = sema.findGlobal(run.op.text);
    if (global && global->op) {
      op = global->op;
      return !sema.brokenOps.count(op);
    }
    if (global) {
      error(codes::kWrongKind,
            fmt::format("{} '{}' is not an operator", global->what(),
                        run.op.text),
            run.op.range)
          .note("defined here", global->range);
      return false;
    }
    std::vector<std::string> names;
    for (auto &[name, other] : sema.globals)
      if (other.op)
        names.push_back(name);
    error(codes::kUndefined,
          fmt::format("there is no operator '{}'{}", run.op.text,
                      didYouMean(run.op.text, names)),
          run.op.range);
    return false;
  }

  /// The names in the dimensions of inputs that are no parameters.
  std::vector<std::string> sizeNames() const {
    std::vector<std::string> names;
    auto add = [&](const std::string &name, SourceRange) {
      for (const OpParam &param : op->params)
        if (param.name.text == name)
          return;
      names.push_back(name);
    };
    for (const TensorDecl &input : op->inputs)
      for (const DimDecl &dim : input.dims)
        forEachName(*dim.value, add);
    return names;
  }

  bool isSize(std::string_view name) const {
    std::vector<std::string> names = sizeNames();
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  static const TensorDecl *find(const std::vector<TensorDecl> &decls,
                                std::string_view name) {
    for (const TensorDecl &decl : decls)
      if (decl.name.text == name)
        return &decl;
    return nullptr;
  }

  /// An output, or an inout tensor.
  static const TensorDecl *findOutput(const OpDecl &op, std::string_view name) {
    if (const TensorDecl *output = find(op.outputs, name))
      return output;
    const TensorDecl *input = find(op.inputs, name);
    return input && input->inOut ? input : nullptr;
  }

  bool checkArguments() {
    bool good = true;
    std::vector<std::string> names = sizeNames();
    for (const TensorDecl &input : op->inputs)
      names.push_back(input.name.text);
    for (const OpParam &param : op->params)
      names.push_back(param.name.text);
    for (size_t i = 0; i < run.arguments.size(); ++i) {
      TestArgument &argument = run.arguments[i];
      const std::string &name = argument.name.text;
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        bool output = find(op->outputs, name);
        Diagnostic &d = error(
            codes::kUndefined,
            output ? fmt::format("'{}' is an output of '{}' and is not given",
                                 name, op->name.text)
                   : fmt::format("'{}' has no parameter '{}'{}", op->name.text,
                                 name, didYouMean(name, names)),
            argument.name.range);
        d.note(fmt::format("'{}' is defined here", op->name.text),
               op->name.range);
        if (output)
          d.help(fmt::format("write 'expect {} == ...' behind the run", name));
        good = false;
        continue;
      }
      for (size_t j = 0; j < i; ++j)
        if (run.arguments[j].name.text == name) {
          error(codes::kArgumentRepeated,
                fmt::format("'{}' is given twice", name), argument.name.range)
              .note("first given here", run.arguments[j].name.range);
          good = false;
          break;
        }
      good &= bindParameter(argument);
    }
    for (const TensorDecl &input : op->inputs)
      if (!input.optional && !valueOf(input.name.text)) {
        error(codes::kArgumentMissing,
              fmt::format("the run of '{}' gives no '{}'", op->name.text,
                          input.name.text),
              run.op.range)
            .note("it is declared here", input.range);
        good = false;
      }
    return good;
  }

  /// Notes what is no tensor and no size, and which optional tensors there are.
  bool bindParameter(const TestArgument &argument) {
    using Kind = TestValue::Kind;
    const TestValue &value = argument.value;
    GivenParam param{argument.name, nullptr, "", sema.fileConstants()};
    if (const TensorDecl *input = find(op->inputs, argument.name.text)) {
      if (value.kind == Kind::Type ||
          (value.kind == Kind::None && !input->optional)) {
        error(value.kind == Kind::Type ? codes::kBadParameterValue
                                       : codes::kNotOptional,
              value.kind == Kind::Type
                  ? fmt::format("'{}' is a tensor, not a type",
                                argument.name.text)
                  : fmt::format("'{}' is not optional", argument.name.text),
              value.range)
            .note("it is declared here", input->range);
        return false;
      }
      if (!input->optional)
        return true;
      param.word = value.kind == Kind::None ? "none" : "present";
    } else if (isSize(argument.name.text)) {
      return true;
    } else if (value.kind == Kind::Type) {
      param.word = value.word;
    } else if (value.elements.size() == 1 && value.shape.empty() &&
               (value.kind == Kind::List || value.kind == Kind::Tensor)) {
      param.value = value.elements[0].get();
    } else {
      error(
          codes::kBadParameterValue,
          fmt::format("the parameter '{}' takes one value", argument.name.text),
          value.range);
      return false;
    }
    run.settings.emplace_back(
        argument.name.text, param.value ? printExpr(*param.value) : param.word);
    given.push_back(std::move(param));
    return true;
  }

  TestValue *valueOf(std::string_view name) {
    for (TestArgument &argument : run.arguments)
      if (argument.name.text == name)
        return argument.value.kind == TestValue::Kind::None ? nullptr
                                                            : &argument.value;
    return nullptr;
  }

  //===--------------------------------------------------------------------===//
  // Sizes and shapes
  //===--------------------------------------------------------------------===//

  bool bindSize(const TestArgument &argument) {
    const TestValue &value = argument.value;
    const LiteralExpr *literal =
        value.kind == TestValue::Kind::List && value.shape.empty()
            ? value.elements[0]->as<LiteralExpr>()
            : nullptr;
    bool isInteger =
        literal && !literal->suffix &&
        literal->digits.find_first_not_of("0123456789") == std::string::npos;
    constexpr size_t kMostDigits = 13; // of 2^40
    constexpr int64_t kEndOfSizes = int64_t(1) << 40;
    if (isInteger && (literal->digits.size() > kMostDigits ||
                      std::stoll(literal->digits) >= kEndOfSizes)) {
      error(codes::kIntegerOutOfRange,
            fmt::format("the size '{}' is {}; a size is below 2^40 ({})",
                        argument.name.text, literal->digits, kEndOfSizes),
            value.range);
      return false;
    }
    if (!isInteger) {
      error(codes::kBadParameterValue,
            fmt::format("the size '{}' is an integer from 0 on",
                        argument.name.text),
            value.range);
      return false;
    }
    return setSize(argument.name.text, std::stoll(literal->digits),
                   value.range);
  }

  bool setSize(const std::string &name, int64_t value, SourceRange range) {
    auto [place, fresh] = sizes.try_emplace(name, KnownSize{value, range});
    if (fresh || place->second.value == value)
      return true;
    error(codes::kShapesDiffer,
          fmt::format("'{}' is {} here and {} there", name, value,
                      place->second.value),
          range)
        .note(fmt::format("there: '{}' is {}", name, place->second.value),
              place->second.range);
    return false;
  }

  /// A name that stands for a constant of the file, or for a tensor.
  bool resolveName(TestValue &value, bool here) {
    if (value.kind != TestValue::Kind::Tensor)
      return true;
    const TestChecker *from = here ? this : outer;
    if (from && from->instance &&
        (find(from->instance->inputs, value.word) ||
         (here && findOutput(*from->instance, value.word))))
      return true;
    const Global *global = sema.findGlobal(value.word);
    if (global && global->constant) {
      value.kind = TestValue::Kind::List;
      return true;
    }
    std::vector<std::string> names = sema.globalNames(true, false);
    if (from && from->instance)
      for (const TensorDecl &input : from->instance->inputs)
        names.push_back(input.name.text);
    error(codes::kUndefined,
          fmt::format("there is no {} '{}'{}",
                      from ? "tensor or constant" : "constant", value.word,
                      didYouMean(value.word, names)),
          value.range);
    return false;
  }

  /// The shape of a declared tensor; an unknown size is reported.
  std::optional<std::vector<int64_t>> shapeOf(const TensorDecl &decl,
                                              SourceRange range) {
    std::vector<int64_t> shape;
    for (const OuterDim &outer : outerDims(decl)) {
      if (outer.leading) {
        auto known = leading.find(*leadingName(decl));
        if (known != leading.end()) {
          shape = known->second.dims;
          continue;
        }
      }
      std::optional<int64_t> product = 1;
      for (unsigned member = 0; member < outer.count; ++member) {
        auto extent = extentOf(decl, outer.first + member, range);
        if (!extent)
          return std::nullopt;
        if (__builtin_mul_overflow(*product, *extent, &*product)) {
          error(codes::kIntegerOutOfRange,
                fmt::format("the dimension {} of '{}' has too many elements",
                            outer.text, decl.name.text),
                range);
          return std::nullopt;
        }
      }
      shape.push_back(*product);
    }
    return shape;
  }

  /// One dimension as it is indexed.
  std::optional<int64_t> extentOf(const TensorDecl &decl, size_t dim,
                                  SourceRange range) {
    const Expr &value = *decl.dims[dim].value;
    NamedSum rest = namedSum(value).value_or(NamedSum());
    int64_t extent = takeKnown(rest);
    if (!rest.factors.empty()) {
      const std::string &name = rest.factors.begin()->first;
      error(codes::kSizeUnknown,
            fmt::format("nothing says how large '{}' is", name), range)
          .help(fmt::format("give it: {}(..., {} = 4)", op->name.text, name));
      return std::nullopt;
    }
    if (extent < 0) {
      error(codes::kNegativeExtent,
            fmt::format("'{}' would have {} elements in the dimension {}",
                        decl.name.text, extent, printExpr(value)),
            range)
          .note("it is declared here", decl.range);
      return std::nullopt;
    }
    return extent;
  }

  /// The value of the constant and of all sizes that are known, which leave
  /// `sum`.
  int64_t takeKnown(NamedSum &sum) const {
    int64_t value = sum.constant;
    for (const auto &[name, size] : sizes)
      if (auto found = sum.factors.find(name); found != sum.factors.end()) {
        value += found->second * size.value;
        sum.factors.erase(found);
      }
    return value;
  }

  /// Solves sizes from dimensions that are sums, and checks those dimensions.
  bool solvePending() {
    bool good = true;
    for (bool progress = true; progress && good;) {
      progress = false;
      for (auto it = pending.begin(); it != pending.end() && good;) {
        bool later = false;
        good = solveDim(*it, later);
        if (later) {
          ++it;
          continue;
        }
        it = pending.erase(it);
        progress = true;
      }
      for (const auto &derived : instance->derived)
        if (good)
          good = setDerived(*derived, progress);
    }
    return good;
  }

  /// Computes a derived size where what it needs is known; `progress` where it
  /// was not.
  bool setDerived(const DerivedSize &derived, bool &progress) {
    NamedSum rest = derived.sum;
    int64_t value = takeKnown(rest), left = value % derived.divisor;
    if (!rest.factors.empty())
      return true;
    value = (value - left) / derived.divisor - (left < 0);
    if (value < 0) {
      error(codes::kNegativeExtent,
            fmt::format("the size '{}' of '{}' would be {}", derived.name.text,
                        op->name.text, value),
            run.op.range)
          .note("it is defined here", derived.range);
      return false;
    }
    progress |= !sizes.count(derived.name.text);
    return setSize(derived.name.text, value, derived.range);
  }

  /// Solves or checks one dimension; `later` where several sizes are open.
  bool solveDim(const PendingDim &dim, bool &later) {
    int64_t known = 1, part = 0;
    NamedSum open;
    for (unsigned member = 0; member < dim.dim.count; ++member) {
      NamedSum rest = memberOf(dim, member);
      int64_t value = takeKnown(rest);
      later |= rest.factors.size() > 1 ||
               (!rest.factors.empty() && !open.factors.empty());
      if (!rest.factors.empty()) {
        open = std::move(rest);
        part = value;
      } else if (__builtin_mul_overflow(known, value, &known)) {
        return refuseDim(dim);
      }
    }
    if (later)
      return true;
    if (open.factors.empty())
      return known == dim.extent || refuseDim(dim);
    // Without elements a group says nothing of its other size.
    if (known == 0)
      return dim.extent == 0 || refuseDim(dim);
    if (known < 0 || dim.extent % known != 0)
      return refuseDim(dim);
    auto [name, factor] = *open.factors.begin();
    int64_t left = dim.extent / known - part;
    if (left % factor != 0 || left / factor < 0)
      return refuseDim(dim);
    return setSize(name, left / factor, dim.range);
  }

  static NamedSum memberOf(const PendingDim &dim, unsigned member) {
    return namedSum(*dim.decl->dims[dim.dim.first + member].value)
        .value_or(NamedSum());
  }

  bool refuseDim(const PendingDim &dim) {
    std::string known;
    for (unsigned member = 0; member < dim.dim.count; ++member)
      for (const auto &[name, factor] : memberOf(dim, member).factors)
        if (auto size = sizes.find(name); size != sizes.end())
          known += fmt::format("{}{} = {}", known.empty() ? ", with " : ", ",
                               name, size->second.value);
    error(codes::kShapesDiffer,
          fmt::format("'{}' has {} elements in dimension {}{}; this value has "
                      "{}",
                      dim.decl->name.text, dim.dim.text, dim.place, known,
                      dim.extent),
          dim.range)
        .note(fmt::format("'{}' is declared here", dim.decl->name.text),
              dim.decl->range);
    return false;
  }

  bool bindShape(const TensorDecl &decl, const std::vector<int64_t> &shape,
                 SourceRange range) {
    auto refuse = [&](std::string message) {
      Diagnostic &d = error(codes::kShapesDiffer, std::move(message), range);
      d.note(fmt::format("'{}' is declared here", decl.name.text), decl.range);
      if (shape.empty())
        d.help("write lists in brackets, or fill(...) for the same value "
               "everywhere");
      return false;
    };
    std::vector<OuterDim> dims = outerDims(decl);
    const std::string *lead = leadingName(decl);
    size_t own = dims.size() - (lead ? 1 : 0);
    if (lead ? shape.size() < own : shape.size() != own)
      return refuse(fmt::format("'{}' has {} dimension{}{}, this value has {}",
                                decl.name.text, own, own == 1 ? "" : "s",
                                lead ? " or more" : "", shape.size()));
    size_t before = shape.size() - own;
    bool good =
        !lead ||
        setLeading(*lead, {shape.begin(), shape.begin() + long(before)}, range);
    for (size_t i = before; i < shape.size() && good; ++i) {
      const OuterDim &outer = dims[i - before + (lead ? 1 : 0)];
      NamedSum dim =
          namedSum(*decl.dims[outer.first].value).value_or(NamedSum());
      if (const std::string *name = dim.plainName(); name && outer.count == 1)
        good = setSize(*name, shape[i], range);
      else if (!dim.factors.empty() || outer.count > 1)
        pending.push_back({&decl, outer, i, shape[i], range});
      else if (dim.constant != shape[i])
        good = refuse(fmt::format("'{}' has {} elements in dimension {}, this "
                                  "value has {}",
                                  decl.name.text, dim.constant, i, shape[i]));
    }
    return good;
  }

  bool setLeading(const std::string &name, std::vector<int64_t> dims,
                  SourceRange range) {
    int64_t product = 1;
    for (int64_t dim : dims)
      if (__builtin_mul_overflow(product, dim, &product))
        product = 0; // of a list: never that long
    auto [place, fresh] = leading.try_emplace(name, KnownLeading{dims, range});
    if (!fresh && place->second.dims != dims) {
      error(codes::kShapesDiffer,
            fmt::format("'..{}' is {} here and {} there", name, printed(dims),
                        printed(place->second.dims)),
            range)
          .note(fmt::format("there: '..{}' is {}", name,
                            printed(place->second.dims)),
                place->second.range);
      return false;
    }
    return setSize(name, product, range);
  }

  /// Takes the sizes that an argument shows.
  bool bindTensor(const TensorDecl &input, TestValue &value) {
    using Kind = TestValue::Kind;
    if (!resolveName(value, /*here=*/false))
      return false;
    switch (value.kind) {
    case Kind::List:
      return bindShape(input, value.shape, value.range);
    case Kind::Tensor: {
      const TensorDecl &from = *find(outer->instance->inputs, value.word);
      if (from.type != input.type) {
        error(codes::kOperandTypesDiffer,
              fmt::format("'{}' is {}, '{}' is {}", input.name.text,
                          spelling(input.type), value.word,
                          spelling(from.type)),
              value.range)
            .note("it is declared here", input.range);
        return false;
      }
      for (const TestArgument &argument : outer->run.arguments)
        if (argument.name.text == value.word)
          value.shape = argument.value.shape;
      return bindShape(input, value.shape, value.range);
    }
    case Kind::Call:
      error(codes::kMisplaced, "an operator's result can only be expected",
            value.range);
      return false;
    default:
      return true;
    }
  }

  /// Computes the elements, once all sizes are known.
  bool finishTensor(const TensorDecl &decl, TestValue &value) {
    using Kind = TestValue::Kind;
    if (value.kind == Kind::Random || value.kind == Kind::Fill ||
        value.kind == Kind::Iota) {
      auto shape = shapeOf(decl, value.range);
      if (!shape)
        return false;
      value.shape = std::move(*shape);
    }
    if (value.kind == Kind::Iota)
      return checkIota(decl, value);
    if (value.kind != Kind::List && value.kind != Kind::Fill)
      return true;
    for (ExprPtr &element : value.elements)
      if (!fold(element, decl.type, value))
        return false;
    return true;
  }

  /// The last number of `iota()` lies in an integer type.
  bool checkIota(const TensorDecl &decl, const TestValue &value) {
    if (isFloat(decl.type))
      return true;
    // A shape beyond 64 bits is refused when its memory is asked for.
    int64_t count = 1;
    for (int64_t extent : value.shape)
      if (__builtin_mul_overflow(count, extent, &count))
        return true;
    if (count == 0 || isInRange(decl.type, false, uint64_t(count) - 1))
      return true;
    error(codes::kLiteralOverflow,
          fmt::format("'iota()' counts to {} here, outside {}, which holds {}",
                      count - 1, spelling(decl.type), rangeText(decl.type)),
          value.range)
        .note(fmt::format("'{}' is declared here", decl.name.text), decl.range);
    return false;
  }

  bool fold(ExprPtr &element, ScalarType type, TestValue &value) {
    auto *negated = element->as<UnaryExpr>();
    ConstDecl decl;
    decl.type = type;
    decl.value = std::move(element);
    bool good = foldConst(decl, sema.fileConstants(), sema.report());
    element = std::move(decl.value);
    // The exact numbers of a constant know one zero, tensors two.
    if (good && negated && negated->op == UnaryOp::Neg && decl.folded == 0)
      decl.folded = -0.0;
    if (isFloat(type))
      value.values.push_back(decl.folded);
    else
      value.bits.push_back(decl.foldedBits);
    return good;
  }

  //===--------------------------------------------------------------------===//
  // Expectations
  //===--------------------------------------------------------------------===//

  void checkExpect(TestExpect &expected) {
    using Kind = TestValue::Kind;
    const TensorDecl *output = findOutput(*instance, expected.tensor.text);
    if (!output) {
      std::vector<std::string> names;
      for (const TensorDecl &decl : instance->outputs)
        names.push_back(decl.name.text);
      for (const TensorDecl &decl : instance->inputs)
        if (decl.inOut)
          names.push_back(decl.name.text);
      error(codes::kUndefined,
            fmt::format("'{}' has no output '{}'{}", op->name.text,
                        expected.tensor.text,
                        didYouMean(expected.tensor.text, names)),
            expected.tensor.range)
          .note(fmt::format("it has {}", fmt::join(names, ", ")));
      return;
    }
    TestValue &value = expected.value;
    auto shape = shapeOf(*output, expected.tensor.range);
    if (!shape || !resolveName(value, /*here=*/true))
      return;
    if (!expected.exact && !isFloat(output->type)) {
      error(codes::kWrongOperandType,
            fmt::format("'~=' is for floats, and '{}' is {}", output->name.text,
                        spelling(output->type)),
            expected.tensor.range)
          .help(fmt::format("write 'expect {} == ...': its values are exact",
                            output->name.text));
      return;
    }
    switch (value.kind) {
    case Kind::Random:
    case Kind::Type:
    case Kind::None:
      error(codes::kMisplaced, "this is nothing that an output can be",
            value.range);
      return;
    case Kind::List:
      break;
    case Kind::Tensor: {
      const TensorDecl *other = find(instance->inputs, value.word);
      other = other ? other : findOutput(*instance, value.word);
      if (!sameType(*output, *other, value.range))
        return;
      auto otherShape = shapeOf(*other, value.range);
      if (!otherShape)
        return;
      value.shape = std::move(*otherShape);
      break;
    }
    case Kind::Call:
      if (!checkCall(*output, value))
        return;
      break;
    default:
      value.shape = *shape;
    }
    if (value.shape != *shape) {
      Diagnostic &d = error(
          codes::kShapesDiffer,
          fmt::format("'{}' has the shape {} here, this value {}",
                      output->name.text, printed(*shape), printed(value.shape)),
          value.range);
      d.note("it is declared here", output->range);
      if (value.shape.empty())
        d.help("write fill(...) for the same value everywhere");
      return;
    }
    finishTensor(*output, value);
  }

  bool sameType(const TensorDecl &output, const TensorDecl &other,
                SourceRange range) {
    if (output.type == other.type)
      return true;
    error(codes::kOperandTypesDiffer,
          fmt::format("'{}' is {}, '{}' is {}", output.name.text,
                      spelling(output.type), other.name.text,
                      spelling(other.type)),
          range);
    return false;
  }

  /// `expect Y == other(A = A)`: the output of the same name, or the only one.
  bool checkCall(const TensorDecl &output, TestValue &value) {
    TestChecker other(sema, *value.call, this);
    if (!other.checkRun())
      return false;
    const auto &outputs = other.instance->outputs;
    const TensorDecl *found = findOutput(*other.instance, output.name.text);
    if (!found && outputs.size() == 1)
      found = &outputs[0];
    if (!found) {
      error(codes::kUndefined,
            fmt::format("'{}' has several outputs and none is called '{}'",
                        other.op->name.text, output.name.text),
            value.range);
      return false;
    }
    auto shape = other.shapeOf(*found, value.range);
    if (!shape || !sameType(output, *found, value.range))
      return false;
    value.shape = std::move(*shape);
    value.word = found->name.text;
    return true;
  }

  Sema &sema;
  TestRun &run;
  const TestChecker *outer;
  const OpDecl *op = nullptr;
  std::vector<GivenParam> given;
  std::unique_ptr<OpDecl> instance;
  std::map<std::string, KnownSize> sizes;
  std::vector<PendingDim> pending;
  std::map<std::string, KnownLeading> leading;
};

void Sema::checkTests() {
  // Those of a used file are its own affair.
  std::map<std::string, SourceRange> names;
  for (Item &item : program.file.items) {
    auto *decl = std::get_if<std::unique_ptr<TestDecl>>(&item);
    if (!decl)
      continue;
    TestDecl &test = **decl;
    auto [place, fresh] = names.try_emplace(test.name, test.nameRange);
    if (!fresh)
      reporter
          .error(codes::kRedefined,
                 fmt::format("there are two tests \"{}\"", test.name),
                 test.nameRange)
          .note("the other one stands here", place->second);
    for (TestRun &run : test.runs)
      TestChecker(*this, run).check();
  }
}

} // namespace girih::frontend
