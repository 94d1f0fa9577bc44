//===- TestCommand.cpp - girih test ---------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Text.h"
#include "tools/girih/Codes.h"
#include "tools/girih/Command.h"
#include "tools/girih/Devices.h"
#include "tools/girih/Files.h"
#include "tools/girih/TestRunner.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <cmath>

using namespace girih;
using namespace girih::cli;
namespace js = llvm::json;

static std::string printOutcome(const TestOutcome &outcome) {
  std::string text = (outcome.passed() ? "ok      " : "FAILED  ") +
                     outcome.file + ": " + outcome.name + "\n";
  for (const TestFault &fault : outcome.faults) {
    std::string place = "        line " + std::to_string(fault.line) + ": ";
    if (fault.tensor.empty()) {
      text += place + fault.problem + "\n";
      continue;
    }
    text += place + fault.tensor + ": " + std::to_string(fault.result.faults) +
            " of " + rt::plural(fault.result.elements, "element") +
            (fault.result.faults == 1 ? " differs\n" : " differ\n");
    for (const ElementFault &element : fault.result.first)
      text +=
          "          " + printFault(fault.tensor, fault.type, element) + "\n";
    if (fault.result.faults > int64_t(fault.result.first.size()))
      text += "          ...\n";
  }
  return text;
}

/// JSON has no infinities and no NaN.
static js::Value number(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  return value;
}

/// An element of a tensor: integers as they are.
static js::Value valueOf(artifact::ScalarType type, double value,
                         uint64_t bits) {
  if (type == artifact::ScalarType::Bool)
    return bits != 0;
  if (artifact::isUnsigned(type))
    return bits;
  if (!artifact::isInteger(type))
    return number(value);
  unsigned unused = 64 - 8 * artifact::bytesOf(type);
  return int64_t(bits << unused) >> unused;
}

static js::Value jsonOf(const TestOutcome &outcome) {
  js::Array faults;
  for (const TestFault &fault : outcome.faults) {
    js::Array elements;
    for (const ElementFault &element : fault.result.first)
      elements.push_back(js::Object{
          {"index", js::Array(element.index)},
          {"actual", valueOf(fault.type, element.actual, element.actualBits)},
          {"actual_bits", rt::hex(element.actualBits)},
          {"expected",
           valueOf(fault.type, element.expected, element.expectedBits)},
          {"expected_bits", rt::hex(element.expectedBits)},
          {"ulp", element.ulp ? js::Value(*element.ulp) : js::Value(nullptr)}});
    faults.push_back(js::Object{{"line", fault.line},
                                {"tensor", fault.tensor},
                                {"problem", js::fixUTF8(fault.problem)},
                                {"elements", fault.result.elements},
                                {"differ", fault.result.faults},
                                {"first", std::move(elements)}});
  }
  return js::Object{{"file", js::fixUTF8(outcome.file)},
                    {"name", js::fixUTF8(outcome.name)},
                    {"line", outcome.line},
                    {"passed", outcome.passed()},
                    {"faults", std::move(faults)}};
}

namespace {

class TestCommand : public Command {
public:
  TestCommand()
      : Command("test", "run the tests that stand in programs"),
        files(llvm::cl::Positional, llvm::cl::desc("FILE..."),
              llvm::cl::sub(subcommand), llvm::cl::cat(category)),
        device(*this, "device", "NAME",
               "host (default), sim, cuda, cuda:1, ...", "host"),
        filter(*this, "filter", "TEXT", "only tests whose name holds this"),
        functions(*this, "functions", "HOW",
                  "fast or portable instead of what the text says"),
        json(*this, "json", "print the result as JSON") {}

  void run(Console &console) override {
    if (files.empty()) {
      console.usage(codes::kCommandLine, "no input file")
          .help("for example: girih test softmax.te");
      return;
    }
    std::string fallback;
    opened = openDevice(console, device, {}, fallback);
    if (!opened)
      return;
    options.functions = functions;
    if (std::optional<target::GpuTarget> own = opened->target())
      options.target = own->name;
    bool good = true;
    for (const std::string &path : files)
      good &= runFile(console, path);
    int64_t failed = int64_t(outcomes.size()) - passed();
    if (json)
      printJson(console);
    else if (good || !outcomes.empty())
      console.print(rt::plural(int64_t(outcomes.size()), "test") + ", " +
                    std::to_string(passed()) + " passed, " +
                    std::to_string(failed) + " failed\n");
    if (failed)
      console.fail(codes::kTestFailed,
                   std::to_string(failed) + " of " +
                       rt::plural(int64_t(outcomes.size()), "test") +
                       " failed");
    else if (good && outcomes.empty() && filter.getNumOccurrences())
      console.usage(codes::kUnknownName,
                    "no test has '" + filter + "' in its name");
  }

private:
  int64_t passed() const {
    return std::count_if(
        outcomes.begin(), outcomes.end(),
        [](const TestOutcome &outcome) { return outcome.passed(); });
  }

  bool runFile(Console &console, const std::string &path) {
    std::optional<std::string> text = readFile(console, path);
    if (!text)
      return false;
    auto source = std::make_shared<const SourceFile>(
        path == "-" ? "<stdin>" : path, std::move(*text));
    std::unique_ptr<frontend::Program> program =
        frontend::parseProgram(source, console.startCompile(source));
    if (!program)
      return false;
    TestRunner runner(console, source, *program, *opened, options);
    for (const frontend::TestDecl *test : program->tests()) {
      if (test->name.find(filter) == std::string::npos)
        continue;
      outcomes.push_back(runner.run(*test));
      if (!json && !console.print(printOutcome(outcomes.back())))
        return false;
    }
    return true;
  }

  void printJson(Console &console) const {
    js::Array tests;
    for (const TestOutcome &outcome : outcomes)
      tests.push_back(jsonOf(outcome));
    js::Object object{{"device", opened->name()},
                      {"passed", passed()},
                      {"failed", int64_t(outcomes.size()) - passed()},
                      {"tests", std::move(tests)}};
    console.print(llvm::formatv("{0:2}\n", js::Value(std::move(object))).str());
  }

  llvm::cl::list<std::string> files;
  Setting device, filter, functions;
  Switch json;
  std::unique_ptr<rt::Device> opened;
  pipeline::CompileOptions options;
  std::vector<TestOutcome> outcomes;
};

} // namespace

std::unique_ptr<Command> cli::makeTestCommand() {
  return std::make_unique<TestCommand>();
}
