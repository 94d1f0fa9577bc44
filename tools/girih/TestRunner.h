//===- TestRunner.h - runs the test blocks of a program ---------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TOOLS_GIRIH_TESTRUNNER_H
#define GIRIH_TOOLS_GIRIH_TESTRUNNER_H

#include "compiler/frontend/Frontend.h"
#include "compiler/pipeline/CompileOptions.h"
#include "runtime/Device.h"
#include "tools/girih/Console.h"
#include "tools/girih/Tolerance.h"

#include <map>

namespace girih::cli {

/// One `expect` that does not hold, or a run that failed.
struct TestFault {
  unsigned line = 0;   ///< of the file
  std::string tensor;  ///< empty: the run failed
  std::string problem; ///< then why
  artifact::ScalarType type = artifact::ScalarType::F32;
  ToleranceResult result;
};

struct TestOutcome {
  std::string file, name;
  unsigned line = 0;
  std::vector<TestFault> faults;
  bool passed() const { return faults.empty(); }
};

/// Compiles, runs and compares what the tests of one program ask for. An
/// operator is compiled once for each set of its parameters.
class TestRunner {
public:
  TestRunner(Console &console, std::shared_ptr<const SourceFile> source,
             const frontend::Program &program, rt::Device &device,
             pipeline::CompileOptions options)
      : console(console), source(std::move(source)), program(program),
        device(device), options(std::move(options)) {}

  TestOutcome run(const frontend::TestDecl &test);

private:
  /// Tensors by name: inputs and outputs.
  using Values = std::map<std::string, rt::HostArray>;

  unsigned lineOf(SourceRange range) const;
  Result<rt::Executable *> load(const frontend::TestRun &run);
  Result<Values> execute(const frontend::TestRun &run, const Values *outer);
  Result<rt::HostArray> arrayOf(const frontend::TestValue &value,
                                artifact::ScalarType type, uint32_t stream,
                                const Values *values);
  Result<TestFault> check(const frontend::TestExpect &expected,
                          const Values &values);

  Console &console;
  std::shared_ptr<const SourceFile> source;
  const frontend::Program &program;
  rt::Device &device;
  pipeline::CompileOptions options;
  std::map<std::string, std::unique_ptr<rt::Executable>> loaded;
};

} // namespace girih::cli

#endif // GIRIH_TOOLS_GIRIH_TESTRUNNER_H
