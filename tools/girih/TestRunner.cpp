//===- TestRunner.cpp - runs the test blocks of a program -----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/TestRunner.h"

#include "compiler/pipeline/Pipeline.h"
#include "runtime/Promise.h"
#include "runtime/Random.h"
#include "runtime/SizeSolver.h"
#include "tools/girih/Finite.h"
#include "tools/girih/Placement.h"

#include <cstdlib>
#include <cstring>

using namespace girih;
using namespace girih::cli;
using frontend::TestValue;

unsigned TestRunner::lineOf(SourceRange range) const {
  SourceFile::Place place = program.source->locate(range.begin);
  return place.file->lineColumn(place.offset).line;
}

Result<rt::Executable *> TestRunner::load(const frontend::TestRun &run) {
  std::string key = run.op.text;
  for (const auto &[name, value] : run.settings)
    key += "\n" + name + "=" + value;
  std::unique_ptr<rt::Executable> &executable = loaded[key];
  if (executable)
    return executable.get();
  pipeline::CompileOptions wanted = options;
  wanted.op = run.op.text;
  wanted.settings = run.settings;
  // What warns about the file was said when it was read.
  Diagnostics diags(source);
  std::optional<pipeline::CompileResult> result =
      pipeline::compile(source, wanted, diags);
  if (!result) {
    console.startCompile(source) = std::move(diags);
    return Failure{"'" + run.op.text + "' does not compile"};
  }
  Result<std::unique_ptr<rt::Executable>> made = device.load(*result->artifact);
  if (!made)
    return Failure{made.message()};
  executable = std::move(*made);
  return executable.get();
}

Result<rt::HostArray> TestRunner::arrayOf(const TestValue &value,
                                          artifact::ScalarType type,
                                          uint32_t stream,
                                          const Values *values) {
  Result<rt::HostArray> array = rt::HostArray::create(type, value.shape);
  if (!array)
    return array;
  switch (value.kind) {
  case TestValue::Kind::Random: {
    Result<rt::RandomKind> kind =
        rt::parseRandomKind(value.word.empty() ? "normal" : value.word);
    if (!kind)
      return Failure{kind.message()};
    rt::fillRandom(*array, *kind, uint64_t(value.seed), stream);
    break;
  }
  case TestValue::Kind::Tensor: {
    auto found = values->find(value.word);
    if (found == values->end())
      return Failure{"there is no tensor '" + value.word + "'"};
    std::memcpy(array->data(), found->second.data(), array->bytes());
    break;
  }
  default:
    for (int64_t at = 0; at < array->elements(); ++at) {
      size_t from = value.kind == TestValue::Kind::Fill ? 0 : size_t(at);
      bool isIota = value.kind == TestValue::Kind::Iota;
      if (artifact::isFloat(type))
        rt::storeElement(array->data(), type, at,
                         isIota ? double(at) : value.values[from]);
      else
        rt::storeBits(array->data(), type, at,
                      isIota ? uint64_t(at) : value.bits[from]);
    }
  }
  return array;
}

/// `random(seed, kind)`, within what is promised.
static Status redraw(const TestValue &value, rt::HostArray &array,
                     const artifact::Signature &signature,
                     const artifact::TensorParam &param,
                     const std::vector<int64_t> &sizes, size_t stream) {
  Result<rt::RandomKind> kind =
      rt::parseRandomKind(value.word.empty() ? "normal" : value.word);
  if (!kind)
    return Failure{kind.message()};
  return rt::fillPromised(array, signature, param, sizes, *kind,
                          uint64_t(value.seed), uint32_t(stream));
}

Result<TestRunner::Values> TestRunner::execute(const frontend::TestRun &run,
                                               const Values *outer) {
  Result<rt::Executable *> executable = load(run);
  if (!executable)
    return Failure{executable.message()};
  const artifact::Signature &signature = (*executable)->artifact().signature;
  Values values;
  std::vector<PlacedTensor> placed;
  std::vector<rt::Tensor> inputs;
  std::vector<const TestValue *> given;
  uint32_t stream = 0;
  artifact::Signature inputsOnly = signature;
  inputsOnly.params.clear();
  for (const artifact::TensorParam &param : signature.params) {
    if (param.isOutput)
      continue;
    const TestValue *value = nullptr;
    for (const frontend::TestArgument &argument : run.arguments)
      if (argument.name.text == param.name)
        value = &argument.value;
    if (!value)
      return Failure{"nothing is given for '" + param.name + "'"};
    Result<rt::HostArray> array = arrayOf(*value, param.type, stream++, outer);
    if (!array)
      return Failure{param.name + ": " + array.message()};
    given.push_back(value);
    if (value->kind == TestValue::Kind::Random)
      makeFinite(param, *array);
    if (Status status = checkFinite(signature, param, *array); !status)
      return Failure{status.message()};
    Result<PlacedTensor> tensor =
        PlacedTensor::upload(device, *array, Placement::Plain, &param);
    if (!tensor)
      return Failure{param.name + ": " + tensor.message()};
    inputs.push_back(tensor->tensor());
    inputsOnly.params.push_back(param);
    placed.push_back(std::move(*tensor));
    values.emplace(param.name, std::move(*array));
  }
  if (Status status = rt::checkTensors(inputsOnly, inputs); !status)
    return Failure{status.message()};
  std::vector<int64_t> unknown(signature.sizes.size(), -1);
  Result<std::vector<int64_t>> sizes =
      rt::solveSizes(inputsOnly, inputs, unknown);
  if (!sizes)
    return Failure{sizes.message()};
  for (size_t at = 0; at < inputs.size(); ++at) {
    const artifact::TensorParam &param = inputsOnly.params[at];
    if (param.range.empty())
      continue;
    rt::HostArray &array = values.at(param.name);
    // What is drawn keeps the promise, what is written is asked.
    bool isDrawn = given[at]->kind == TestValue::Kind::Random;
    Status kept = isDrawn
                      ? redraw(*given[at], array, signature, param, *sizes, at)
                      : rt::checkPromise(array, signature, param, *sizes);
    if (!kept)
      return Failure{kept.message()};
    if (!isDrawn)
      continue;
    Result<PlacedTensor> tensor =
        PlacedTensor::upload(device, array, Placement::Plain, &param);
    if (!tensor)
      return Failure{param.name + ": " + tensor.message()};
    placed[at] = std::move(*tensor);
    inputs[at] = placed[at].tensor();
  }
  Result<rt::LeadingDims> leading = rt::leadingDims(inputsOnly, inputs);
  if (!leading)
    return Failure{leading.message()};
  Result<std::vector<std::vector<int64_t>>> shapes =
      rt::parameterShapes(signature, *sizes, *leading);
  if (!shapes)
    return Failure{shapes.message()};
  for (size_t at = inputs.size(); at < signature.params.size(); ++at) {
    if (int inPlace = signature.params[at].inPlace;
        inPlace >= 0 && !signature.params[at].apart) {
      placed.push_back(placed[size_t(inPlace)]);
      continue;
    }
    Result<PlacedTensor> tensor =
        PlacedTensor::allocate(device, signature.params[at].type, (*shapes)[at],
                               Placement::Plain, &signature.params[at]);
    if (!tensor)
      return Failure{signature.params[at].name + ": " + tensor.message()};
    placed.push_back(std::move(*tensor));
  }
  std::vector<rt::Tensor> params;
  for (const PlacedTensor &tensor : placed)
    params.push_back(tensor.tensor());
  rt::RunOptions runOptions;
  runOptions.synchronize = true;
  if (Status status = (*executable)->run(params, runOptions); !status)
    return Failure{status.message()};
  for (size_t at = inputs.size(); at < placed.size(); ++at) {
    Result<rt::HostArray> array = placed[at].download(device);
    if (!array)
      return Failure{signature.params[at].name + ": " + array.message()};
    // In an input's place: what it became.
    values.insert_or_assign(signature.params[at].name, std::move(*array));
  }
  auto wordOf = [&](unsigned param) {
    const rt::HostArray &array = values.at(signature.params[param].name);
    return int64_t(rt::loadBits(array.tensor(), 0));
  };
  for (const artifact::CheckWord &word : signature.checks)
    if (Status status = rt::checkWord(signature, word, *sizes,
                                      wordOf(word.where), wordOf(word.value));
        !status)
      return Failure{status.message()};
  return values;
}

/// A fault without faulty elements where the expectation holds.
Result<TestFault> TestRunner::check(const frontend::TestExpect &expected,
                                    const Values &values) {
  TestFault fault;
  fault.line = lineOf(expected.range);
  fault.tensor = expected.tensor.text;
  const rt::HostArray &actual = values.at(expected.tensor.text);
  fault.type = actual.type();
  const TestValue &value = expected.value;
  Result<rt::HostArray> wanted = Failure{""};
  if (value.kind == TestValue::Kind::Call) {
    Result<Values> other = execute(*value.call, &values);
    if (!other)
      return Failure{other.message()};
    wanted = std::move(other->at(value.word));
  } else {
    wanted = arrayOf(value, actual.type(), 0, &values);
  }
  if (!wanted)
    return Failure{wanted.message()};
  if (wanted->shape() != actual.shape() || wanted->type() != actual.type())
    return Failure{"'" + fault.tensor + "' has the shape " +
                   rt::printShape(actual.shape()) + ", expected " +
                   rt::printShape(wanted->shape())};
  Tolerance tolerance;
  auto number = [](const std::string &digits) {
    return std::strtod(digits.c_str(), nullptr);
  };
  if (!expected.ulp.empty())
    tolerance.ulp = std::strtoull(expected.ulp.c_str(), nullptr, 10);
  if (!expected.abs.empty())
    tolerance.abs = number(expected.abs);
  if (!expected.rel.empty())
    tolerance.rel = number(expected.rel);
  fault.result = compare(actual.tensor(), wanted->tensor(), tolerance);
  return fault;
}

TestOutcome TestRunner::run(const frontend::TestDecl &test) {
  TestOutcome outcome;
  outcome.file = source->name();
  outcome.name = test.name;
  outcome.line = lineOf(test.range);
  auto failed = [&](SourceRange range, std::string problem) {
    TestFault fault;
    fault.line = lineOf(range);
    fault.problem = std::move(problem);
    outcome.faults.push_back(std::move(fault));
  };
  for (const frontend::TestRun &run : test.runs) {
    Result<Values> values = execute(run, nullptr);
    if (!values) {
      failed(run.range, values.message());
      continue;
    }
    for (const frontend::TestExpect &expected : run.expects) {
      Result<TestFault> fault = check(expected, *values);
      if (!fault)
        failed(expected.range, fault.message());
      else if (fault->result.faults)
        outcome.faults.push_back(std::move(*fault));
    }
  }
  return outcome;
}
