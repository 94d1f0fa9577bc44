//===- SemaParams.cpp - operators and their parameters --------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/Parser.h"
#include "compiler/frontend/Sema.h"
#include "compiler/support/Suggest.h"

#include <algorithm>
#include <fmt/format.h>

namespace girih::frontend {

//===----------------------------------------------------------------------===//
// Every operator, those that it calls first
//===----------------------------------------------------------------------===//

bool Sema::isCall(const Statement &statement) const {
  const CallExpr *call = callOf(statement);
  const Global *global = call ? findGlobal(call->callee.text) : nullptr;
  return global && global->op;
}

std::vector<OpDecl *> Sema::calledOps(const OpDecl &op) const {
  std::vector<OpDecl *> result;
  for (const auto &statement : op.statements)
    if (isCall(*statement))
      result.push_back(findGlobal(callOf(*statement)->callee.text)->op);
  return result;
}

void Sema::reportOpCycle(const std::vector<OpDecl *> &path, OpDecl *again) {
  auto first = std::find(path.begin(), path.end(), again);
  std::string chain;
  for (auto op = first; op != path.end(); ++op)
    chain += (*op)->name.text + " calls ";
  reporter
      .error(codes::kRecursiveOp,
             fmt::format("the operator '{}' calls itself", again->name.text),
             again->name.range)
      .note(chain + again->name.text)
      .note("called operators are inlined, so none may call itself");
}

/// Checks the operators that `op` calls, then `op`. False where it, or one of
/// those, is faulty. A chain is as long as its file has operators at most.
bool Sema::visitOp(OpDecl &op, std::vector<OpDecl *> &path) {
  if (checkedOps.count(&op))
    return !brokenOps.count(&op);
  if (std::find(path.begin(), path.end(), &op) != path.end()) {
    reportOpCycle(path, &op);
    return false;
  }
  constexpr size_t kDeepest = 200;
  bool good = path.size() < kDeepest;
  if (!good)
    reporter.error(
        codes::kTooLargeInlined,
        fmt::format("calls of operators more than {} deep", kDeepest),
        op.name.range);
  path.push_back(&op);
  std::vector<OpDecl *> called = calledOps(op);
  for (OpDecl *callee : called)
    if (good)
      good = visitOp(*callee, path);
  path.pop_back();
  if (!checkedOps.insert(&op).second)
    return !brokenOps.count(&op);
  if (!good) {
    brokenOps.insert(&op);
    return false;
  }
  unsigned before = reporter.errors();
  bool probed = !options.probes.empty() && isChosen(op);
  if (!needsInstance(op) && called.empty() && !probed) {
    checkOp(op);
  } else if (checkParamNames(op)) {
    auto instance = instantiate(op, settingsFor(op), op.unbound);
    if (instance) {
      op.instance = instance.get();
      program.instances.push_back(std::move(instance));
      checkOp(*program.instances.back());
      if (probed && reporter.errors() == before)
        addProbes(*program.instances.back());
    }
  }
  if (reporter.errors() != before)
    brokenOps.insert(&op);
  return reporter.errors() == before;
}

/// Makes outputs of temporaries.
void Sema::addProbes(OpDecl &op) {
  std::vector<std::string> names;
  bool all = options.probes.front() == "*";
  for (const auto &statement : op.statements) {
    const Name &name = statement->target;
    auto tensor =
        std::find_if(op.tensors.begin(), op.tensors.end(), [&](auto &other) {
          return other.get() == statement->tensor;
        });
    if ((*tensor)->role != Tensor::Role::Temporary)
      continue;
    names.push_back(name.text);
    if (!all && std::find(options.probes.begin(), options.probes.end(),
                          name.text) == options.probes.end())
      continue;
    TensorDecl decl;
    decl.name = name;
    decl.type = (*tensor)->type;
    decl.tensor = tensor->get();
    (*tensor)->role = Tensor::Role::Output;
    op.outputs.push_back(std::move(decl));
  }
  for (const std::string &probe : options.probes)
    if (!all && std::find(names.begin(), names.end(), probe) == names.end())
      reporter
          .error(codes::kUndefined,
                 fmt::format("'{}' has no temporary '{}'{}", op.name.text,
                             probe, didYouMean(probe, names)),
                 op.name.range)
          .note(names.empty()
                    ? std::string("it has none")
                    : fmt::format("it has {}", fmt::join(names, ", ")));
}

void Sema::checkOps() {
  program.unusedSettings = options.settings;
  forEach<OpDecl>([&](OpDecl &op) {
    std::vector<OpDecl *> path;
    visitOp(op, path);
  });
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// A parameter's name means one thing in the whole operator.
bool Sema::checkParamNames(const OpDecl &op) {
  std::map<std::string, std::pair<const char *, SourceRange>> taken;
  auto take = [&](const std::string &name, const char *what,
                  SourceRange range) { taken.try_emplace(name, what, range); };
  for (auto *decls : {&op.inputs, &op.outputs})
    for (const TensorDecl &decl : *decls) {
      take(decl.name.text, "a tensor", decl.name.range);
      for (const DimDecl &dim : decl.dims)
        forEachName(*dim.value, [&](const std::string &name, SourceRange at) {
          auto named = [&](const OpParam &p) {
            return p.name.text == name && p.kind == OpParam::Kind::Const &&
                   (isInteger(p.type) || !p.typeParam.empty());
          };
          if (std::none_of(op.params.begin(), op.params.end(), named))
            take(name, "a size", at);
        });
    }
  for (const auto &size : op.derived)
    take(size->name.text, "a size", size->name.range);
  auto indices = [&](auto &&self, const Expr &expr) -> void {
    if (auto *reduce = expr.as<ReduceExpr>())
      for (const auto &index : reduce->indices)
        take(index->name.text, "an index", index->name.range);
    forEachChild(expr, [&](const Expr &child) { self(self, child); });
  };
  for (const auto &statement : op.statements) {
    take(statement->target.text, "a tensor", statement->target.range);
    // On the left an integer parameter is a number.
    for (const auto &index : statement->indices)
      if (std::none_of(op.params.begin(), op.params.end(), [&](const auto &p) {
            return p.name.text == index->name.text &&
                   p.kind == OpParam::Kind::Const &&
                   (isInteger(p.type) || !p.typeParam.empty());
          }))
        take(index->name.text, "an index", index->name.range);
    for (const Name &index : scatterIndices(op, *statement))
      take(index.text, "an index", index.range);
    indices(indices, *statement->value);
  }
  bool good = true;
  for (size_t i = 0; i < op.params.size(); ++i) {
    const Name &name = op.params[i].name;
    auto clash = [&](const char *code, std::string what, SourceRange place) {
      good = false;
      reporter
          .error(code,
                 fmt::format("'{}' names a parameter and {}", name.text, what),
                 name.range)
          .note("the other one stands here", place)
          .help("rename one of them");
    };
    auto other = taken.find(name.text);
    if (other != taken.end())
      clash(codes::kSpaceClash, other->second.first, other->second.second);
    else if (const Global *global = findGlobal(name.text))
      clash(codes::kSpaceClash, global->kind(), global->range);
    for (size_t j = 0; j < i; ++j)
      if (op.params[j].name.text == name.text)
        clash(codes::kRedefined, "another parameter", op.params[j].name.range);
  }
  return good;
}

ConstLookup Sema::fileConstants() {
  return [this](const NameExpr &name, SourceRange range) {
    return usableConstant(name, range);
  };
}

bool Sema::isChosen(const OpDecl &op) const {
  if (!options.op.empty())
    return options.op == op.name.text;
  std::vector<const OpDecl *> own = program.ops();
  return own.size() == 1 && (own[0]->written ? own[0]->written : own[0]) == &op;
}

/// Settings are texts of their own, so that messages can show them.
std::vector<GivenParam> Sema::settingsFor(OpDecl &op) {
  std::vector<GivenParam> given;
  if (!isChosen(op))
    return given;
  auto &unused = program.unusedSettings;
  for (const auto &[name, text] : options.settings) {
    bool known = false, optional = false;
    for (const OpParam &param : op.params)
      known |= param.name.text == name;
    for (const TensorDecl &input : op.inputs)
      optional |= input.optional && input.name.text == name;
    if (!known && !optional)
      continue;
    unused.erase(
        std::remove(unused.begin(), unused.end(), std::pair(name, text)),
        unused.end());
    std::string prefix = name + "=";
    auto part = std::make_shared<const SourceFile>("-D", prefix + text);
    uint32_t base = program.source->attach(part);
    auto start = static_cast<uint32_t>(base + prefix.size());
    SourceRange range{base, base + static_cast<uint32_t>(part->text().size())};
    GivenParam param;
    param.name = {name, range};
    param.lookup = fileConstants();
    if (typeNamed(text) || text == "none" || text == "present") {
      param.word = text;
    } else {
      LexedFile lexed = lex(text, reporter, start);
      ExprPtr value =
          Parser(text, std::move(lexed), reporter, start).parseOnlyExpr();
      if (!value)
        continue;
      param.value = value.get();
      settingValues.push_back(std::move(value));
    }
    given.push_back(std::move(param));
  }
  return given;
}

static const GivenParam *findGiven(const std::vector<GivenParam> &given,
                                   std::string_view name) {
  for (const GivenParam &param : given)
    if (param.name.text == name)
      return &param;
  return nullptr;
}

bool Sema::bindType(const OpDecl &op, const OpParam &param,
                    const GivenParam *given, Cloner &cloner) {
  ScalarType &type = cloner.types[param.name.text];
  type = param.choices.front();
  if (!given)
    return true;
  std::vector<std::string> names;
  for (ScalarType choice : param.choices) {
    names.emplace_back(spelling(choice));
    if (names.back() == given->word) {
      type = choice;
      return true;
    }
  }
  reporter
      .error(codes::kBadParameterValue,
             fmt::format("'{}' of '{}' is one of {}, not {}", param.name.text,
                         op.name.text, fmt::join(names, ", "),
                         given->word.empty() ? "a value" : given->word),
             given->name.range)
      .note("it is declared here", param.range);
  return false;
}

/// A literal, its sign in front included.
static bool isNumber(const Expr &expr) {
  if (auto *unary = expr.as<UnaryExpr>())
    return unary->op == UnaryOp::Neg && isNumber(*unary->operand);
  return expr.as<LiteralExpr>() != nullptr;
}

bool Sema::bindConst(const OpDecl &op, const OpParam &param,
                     const GivenParam *given, Cloner &cloner,
                     OpDecl &instance) {
  const Expr *value = given ? given->value : param.value.get();
  auto refuse = [&](std::string what, SourceRange range) {
    reporter
        .error(codes::kBadParameterValue,
               fmt::format("'{}' of '{}' is {}", param.name.text, op.name.text,
                           what),
               range)
        .note("it is declared here", param.range);
    return false;
  };
  ScalarType type = param.type;
  if (auto found = cloner.types.find(param.typeParam);
      found != cloner.types.end())
    type = found->second;
  if (!value)
    return refuse(fmt::format("a {}, not {}",
                              type == ScalarType::Bool ? "boolean" : "number",
                              given->word),
                  given->name.range);
  // What is given means the giver's names, a default those in front of it.
  ExprPtr copy = given ? Cloner().clone(*value) : cloner.clone(*value);
  if (type == ScalarType::Bool && isNumber(*copy))
    return refuse("true or false", value->range);
  auto decl = std::make_unique<ConstDecl>();
  decl->name = param.name;
  decl->type = type;
  decl->value = std::move(copy);
  decl->range = value->range;
  ConstLookup lookup = [&](const NameExpr &name,
                           SourceRange range) -> const ConstDecl * {
    if (given)
      return given->lookup(name, range);
    for (const auto &constant : instance.constants)
      if (constant->name.text == name.name)
        return constant.get();
    return usableConstant(name, range);
  };
  if (!foldConst(*decl, lookup, reporter))
    return false;
  if (type == ScalarType::Bool) {
    cloner.booleans[param.name.text] = decl->foldedBits != 0;
    return true;
  }
  cloner.constants[param.name.text] = decl.get();
  instance.constants.push_back(std::move(decl));
  return true;
}

static bool showsSize(const std::vector<TensorDecl> &decls,
                      const std::string &name) {
  bool shows = false;
  for (const TensorDecl &decl : decls)
    for (const DimDecl &dim : decl.dims)
      forEachName(*dim.value, [&](const std::string &other, SourceRange) {
        shows |= other == name;
      });
  return shows;
}

/// A size that only tensors show which the instance does not have.
static bool isOfAbsent(const OpDecl &op, const OpDecl &instance,
                       const std::string &size) {
  return showsSize(op.inputs, size) && !showsSize(instance.inputs, size);
}

/// Letters, digits and '_' of a value, for the name of an instance.
static std::string mangled(const std::string &text) {
  std::string result;
  for (char c : text)
    result += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return result;
}

std::unique_ptr<OpDecl> Sema::instantiate(const OpDecl &op,
                                          const std::vector<GivenParam> &given,
                                          std::string &unbound) {
  auto instance = std::make_unique<OpDecl>();
  Cloner cloner;
  instance->name = op.name;
  bool good = true;
  auto rename = [&](const std::string &name, const std::string &value) {
    instance->name.text += "_" + name + "_" + mangled(value);
  };
  for (const OpParam &param : op.params) {
    const GivenParam *value = findGiven(given, param.name.text);
    if (param.kind == OpParam::Kind::Type) {
      good &= bindType(op, param, value, cloner);
      if (value && value->word != spelling(param.choices.front()))
        rename(param.name.text, value->word);
      continue;
    }
    if (!value && !param.value) {
      unbound = param.name.text;
      return nullptr;
    }
    good &= bindConst(op, param, value, cloner, *instance);
    std::string text = value && value->value ? printExpr(*value->value) : "";
    if (!text.empty() && !(param.value && text == printExpr(*param.value)))
      rename(param.name.text, text);
  }
  for (const TensorDecl &input : op.inputs) {
    if (!input.optional)
      continue;
    const GivenParam *value = findGiven(given, input.name.text);
    if (value && value->word != "none" && value->word != "present") {
      good = false;
      reporter
          .error(codes::kBadParameterValue,
                 fmt::format("the optional tensor '{}' is 'none' or 'present' "
                             "here",
                             input.name.text),
                 value->name.range)
          .note("it is declared here", input.range);
    }
    bool present = value && value->word == "present";
    cloner.present[input.name.text] = present;
    if (present)
      rename(input.name.text, "present");
  }
  if (!good)
    return nullptr;
  for (const TensorDecl &input : op.inputs)
    if (!input.optional || cloner.present[input.name.text])
      instance->inputs.push_back(cloner.clone(input));
  for (const TensorDecl &output : op.outputs)
    instance->outputs.push_back(cloner.clone(output));
  // Nothing is aliased that is not there.
  for (TensorDecl &output : instance->outputs)
    if (auto aliased = cloner.present.find(output.aliases.text);
        aliased != cloner.present.end() && !aliased->second)
      output.aliases = {};
  instance->docs = op.docs;
  for (const SizeConstraint &constraint : op.constraints)
    if (!isOfAbsent(op, *instance, constraint.name.text))
      instance->constraints.push_back(constraint);
  std::set<std::string> absent;
  for (const auto &size : op.derived) {
    bool isAbsent = false;
    forEachName(*size->value, [&](const std::string &name, SourceRange) {
      isAbsent |= absent.count(name) || isOfAbsent(op, *instance, name);
    });
    if (isAbsent)
      absent.insert(size->name.text);
    else
      instance->derived.push_back(cloner.clone(*size));
  }
  instance->functions = op.functions;
  cloner.cloneLoops(op, *instance);
  instance->contract = op.contract;
  instance->online = op.online;
  for (const Name &size : op.invariant)
    if (!absent.count(size.text) && !isOfAbsent(op, *instance, size.text))
      instance->invariant.push_back(size);
  for (const auto &statement : op.statements)
    instance->statements.push_back(cloner.clone(*statement));
  for (const Assumption &assumption : op.assumptions) {
    auto absent = cloner.present.find(assumption.tensor.text);
    if (absent == cloner.present.end() || absent->second)
      instance->assumptions.push_back(assumption);
  }
  instance->range = op.range;
  instance->written = &op;
  nameQuotients(*instance);
  return instance;
}

} // namespace girih::frontend
