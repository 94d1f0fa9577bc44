//===- ListCommand.cpp - girih list ---------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Dimensions.h"
#include "compiler/frontend/Frontend.h"
#include "compiler/frontend/RangeText.h"
#include "tools/girih/Codes.h"
#include "tools/girih/Command.h"
#include "tools/girih/Files.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace girih;
using namespace girih::cli;
using namespace girih::frontend;
namespace js = llvm::json;

/// The lines of a doc comment without the space behind `///`.
static std::vector<std::string> docsOf(const std::vector<std::string> &lines) {
  std::vector<std::string> docs;
  for (const std::string &line : lines)
    docs.push_back(line.substr(!line.empty() && line[0] == ' '));
  return docs;
}

/// What stands in front of the body of an item.
static std::string headOf(const std::string &printed) {
  std::string text;
  size_t at = 0;
  while (at < printed.size()) {
    size_t end = std::min(printed.find('\n', at), printed.size());
    std::string line = printed.substr(at, end - at);
    at = end + 1;
    if (line.substr(0, 3) == "///")
      continue;
    size_t first = line.find_first_not_of(' ');
    line = first == std::string::npos ? "" : line.substr(first);
    bool ends = !line.empty() && line.back() == '{';
    if (ends)
      line = line.substr(0, line.find_last_not_of(" {") + 1);
    text += (text.empty() || line.empty() ? "" : " ") + line;
    if (ends)
      break;
  }
  return text;
}

namespace {

struct Listed {
  const char *kind;
  std::string name, head;
  std::vector<std::string> docs;
  js::Object more;
  std::string ranges; ///< of an operator, where they are asked for
};

class ListCommand : public Command {
public:
  ListCommand()
      : Command("list", "say what a program holds"),
        files(llvm::cl::Positional, llvm::cl::desc("FILE"),
              llvm::cl::sub(subcommand), llvm::cl::cat(category)),
        json(*this, "json", "print the list as JSON"),
        ranges(*this, "ranges", "say how far indices run, and why") {}

  void run(Console &console) override {
    if (files.size() != 1) {
      console
          .usage(codes::kCommandLine, files.empty()
                                          ? "no input file"
                                          : "one file is listed at a time")
          .help("for example: girih list softmax.te");
      return;
    }
    std::optional<std::string> text = readFile(console, files[0]);
    if (!text)
      return;
    auto source = std::make_shared<const SourceFile>(
        files[0] == "-" ? "<stdin>" : files[0], std::move(*text));
    std::unique_ptr<Program> program =
        parseProgram(source, console.startCompile(source));
    if (!program)
      return;
    for (Item &item : program->file.items)
      std::visit([&](auto &decl) { add(*decl); }, item);
    if (ranges)
      addRanges(*program);
    // Each is printed alone, in the one style.
    size_t at = 0;
    for (Item &item : program->file.items) {
      File single;
      single.items.push_back(std::move(item));
      listed[at++].head = headOf(printAst(single));
    }
    console.print(json ? jsonText() : plainText());
  }

private:
  Listed &begin(const char *kind, const std::string &name,
                const std::vector<std::string> &docs) {
    listed.push_back({kind, name, "", docsOf(docs), {}});
    return listed.back();
  }

  void add(const ConstDecl &decl) {
    begin("const", decl.name.text, decl.docs).more["type"] =
        std::string(spelling(decl.type));
  }
  void add(const FnDecl &decl) {
    Listed &entry = begin("fn", decl.name.text, decl.docs);
    js::Array params;
    for (const FnParam &param : decl.params)
      params.push_back(js::Object{{"name", param.name.text},
                                  {"type", std::string(spelling(param.type))}});
    entry.more["params"] = std::move(params);
    entry.more["result"] = std::string(spelling(decl.result));
  }
  void add(const ScheduleDecl &decl) {
    Listed &entry = begin("schedule", decl.op.text, decl.docs);
    js::Array targets, conditions;
    for (const Name &target : decl.targets)
      targets.push_back(target.text);
    for (const SizeConstraint &condition : decl.conditions)
      conditions.push_back(printConstraint(condition));
    entry.more["targets"] = std::move(targets);
    entry.more["conditions"] = std::move(conditions);
  }
  void add(const TemplateDecl &decl) {
    begin("template", decl.name.text, decl.docs);
  }
  void add(const UseDecl &decl) { begin("use", decl.path, decl.docs); }
  void add(const TestDecl &decl) {
    Listed &entry = begin("test", decl.name, decl.docs);
    js::Array runs;
    for (const TestRun &run : decl.runs)
      runs.push_back(run.op.text);
    entry.more["runs"] = std::move(runs);
  }

  /// A number where it is one, else its text.
  static js::Value dimension(const Expr &dim) {
    auto *literal = dim.as<LiteralExpr>();
    constexpr size_t kMostDigits = 12;
    if (literal && !literal->suffix && literal->digits.size() <= kMostDigits &&
        literal->digits.find_first_not_of("0123456789") == std::string::npos)
      return js::Value(int64_t(std::stoll(literal->digits)));
    return js::Value(printExpr(dim));
  }

  static js::Value tensors(const std::vector<TensorDecl> &decls) {
    js::Array array;
    for (const TensorDecl &decl : decls) {
      js::Array dims, layout;
      for (const OuterDim &outer : outerDims(decl)) {
        if (outer.leading) {
          dims.push_back(outer.text);
          continue;
        }
        js::Array members;
        for (unsigned member = 0; member < outer.count; ++member)
          members.push_back(dimension(*decl.dims[outer.first + member].value));
        dims.push_back(outer.count == 1 ? std::move(members[0])
                                        : js::Value(std::move(members)));
      }
      for (unsigned place : decl.layout)
        layout.push_back(int64_t(place));
      array.push_back(js::Object{{"name", decl.name.text},
                                 {"type", decl.typeParam.empty()
                                              ? std::string(spelling(decl.type))
                                              : decl.typeParam},
                                 {"dims", std::move(dims)},
                                 {"layout", std::move(layout)},
                                 {"align", decl.align},
                                 {"optional", decl.optional}});
    }
    return array;
  }

  void add(const OpDecl &decl) {
    Listed &entry = begin("op", decl.name.text, decl.docs);
    js::Array params, constraints, derived;
    for (const OpParam &param : decl.params) {
      js::Object object{
          {"name", param.name.text},
          {"kind", param.kind == OpParam::Kind::Type ? "type" : "const"}};
      js::Array choices;
      for (ScalarType type : param.choices)
        choices.push_back(std::string(spelling(type)));
      if (param.kind == OpParam::Kind::Type)
        object["choices"] = std::move(choices);
      else
        object["type"] = param.typeParam.empty()
                             ? std::string(spelling(param.type))
                             : param.typeParam;
      if (param.value)
        object["default"] = printExpr(*param.value);
      params.push_back(std::move(object));
    }
    for (const auto &size : decl.derived)
      if (size->written)
        derived.push_back(js::Object{{"name", size->name.text},
                                     {"value", printExpr(*size->value)}});
    for (const SizeConstraint &constraint : decl.constraints)
      constraints.push_back(printConstraint(constraint));
    entry.more["params"] = std::move(params);
    entry.more["inputs"] = tensors(decl.inputs);
    entry.more["outputs"] = tensors(decl.outputs);
    entry.more["constraints"] = std::move(constraints);
    entry.more["derived"] = std::move(derived);
    js::Array finite;
    for (const Assumption &assumption : decl.assumptions)
      finite.push_back(assumption.tensor.text);
    entry.more["finite"] = std::move(finite);
  }

  void addRanges(const Program &program) {
    for (size_t i = 0; i < listed.size(); ++i)
      if (auto *decl =
              std::get_if<std::unique_ptr<OpDecl>>(&program.file.items[i])) {
        const OpDecl &op = (*decl)->instance ? *(*decl)->instance : **decl;
        if (op.unbound.empty())
          listed[i].ranges = explainRanges(op, *program.source);
      }
  }

  std::string plainText() const {
    std::string text;
    for (const Listed &entry : listed) {
      text += entry.head + "\n";
      for (const std::string &line : entry.docs)
        text += "    " + line + "\n";
      text += entry.ranges;
    }
    return text;
  }

  std::string jsonText() {
    js::Array array;
    for (Listed &entry : listed) {
      js::Array docs;
      for (const std::string &line : entry.docs)
        docs.push_back(js::fixUTF8(line));
      js::Object object = std::move(entry.more);
      object["kind"] = entry.kind;
      object["name"] = js::fixUTF8(entry.name);
      object["head"] = js::fixUTF8(entry.head);
      object["docs"] = std::move(docs);
      if (!entry.ranges.empty())
        object["ranges"] = js::fixUTF8(entry.ranges);
      array.push_back(std::move(object));
    }
    return llvm::formatv("{0:2}\n", js::Value(std::move(array))).str();
  }

  llvm::cl::list<std::string> files;
  Switch json, ranges;
  std::vector<Listed> listed;
};

} // namespace

std::unique_ptr<Command> cli::makeListCommand() {
  return std::make_unique<ListCommand>();
}
