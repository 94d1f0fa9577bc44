//===- Reference.cpp - the host replay of a te module: the oracle ---------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Reference.h"

#include "compiler/reference/Codegen.h"
#include "compiler/reference/Runner.h"

#include <algorithm>
#include <mutex>
#include <optional>

using namespace girih;
using namespace girih::reference;

struct ReferenceProgram::Impl {
  std::string teModule;
  HostProgram values;
  // Code that carries errors is made when bounds are first asked for.
  std::mutex lock;
  std::optional<HostProgram> withBounds;

  Impl(std::string teModule, HostProgram values)
      : teModule(std::move(teModule)), values(std::move(values)) {}
};

ReferenceProgram::ReferenceProgram(std::unique_ptr<Impl> impl)
    : impl(std::move(impl)) {}
ReferenceProgram::~ReferenceProgram() = default;
ReferenceProgram::ReferenceProgram(ReferenceProgram &&) noexcept = default;

Result<ReferenceProgram>
ReferenceProgram::compile(const std::string &teModule) {
  Result<HostProgram> program = compileProgram(teModule, /*bounds=*/false);
  if (!program)
    return Failure{program.message()};
  return ReferenceProgram(
      std::make_unique<Impl>(teModule, std::move(*program)));
}

const artifact::Signature &ReferenceProgram::signature() const {
  return impl->values.info.signature;
}

Status ReferenceProgram::run(const std::vector<HostTensor> &params,
                             const RunOptions &options) const {
  return runProgram(impl->values, params, options, nullptr);
}

Status ReferenceProgram::runWithBounds(const std::vector<HostTensor> &params,
                                       std::vector<std::vector<double>> &bounds,
                                       const RunOptions &options) const {
  const std::vector<TensorInfo> &tensors = impl->values.info.tensors;
  if (std::none_of(tensors.begin(), tensors.end(),
                   [](const TensorInfo &tensor) { return tensor.inexact; }))
    return runProgram(impl->values, params, options, &bounds);
  {
    std::lock_guard<std::mutex> guard(impl->lock);
    if (!impl->withBounds) {
      Result<HostProgram> program =
          compileProgram(impl->teModule, /*bounds=*/true);
      if (!program)
        return Failure{program.message()};
      impl->withBounds.emplace(std::move(*program));
    }
  }
  return runProgram(*impl->withBounds, params, options, &bounds);
}
