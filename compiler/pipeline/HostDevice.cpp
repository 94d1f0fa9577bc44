//===- HostDevice.cpp - the reference as a device -------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/HostDevice.h"

#include "compiler/artifact/View.h"
#include "compiler/reference/Reference.h"
#include "runtime/HostMemory.h"
#include "runtime/Plan.h"
#include "runtime/SizeSolver.h"
#include "runtime/Text.h"

#include <thread>

using namespace girih;
using namespace girih::pipeline;

/// A signature's text: two that print alike take the same tensors.
static std::string describe(const artifact::Signature &signature) {
  std::string text = signature.op;
  for (size_t size = 0; size < signature.sizes.size(); ++size)
    text += " " + signature.sizes[size] + "=" +
            std::to_string(signature.given[size]);
  for (const artifact::TensorParam &param : signature.params)
    text += (param.isOutput ? " -> " : " ") + param.name + ": " +
            rt::printType(signature, param) +
            artifact::printPromises(param, signature.sizes) +
            (param.finite ? " finite" : "") + (param.apart ? " apart" : "");
  return text;
}

namespace {

class HostExecutable : public rt::Executable {
public:
  HostExecutable(artifact::Artifact artifact,
                 reference::ReferenceProgram program)
      : loaded(std::move(artifact)), program(std::move(program)) {}

  const artifact::Artifact &artifact() const override { return loaded; }

  Status run(const std::vector<rt::Tensor> &params,
             const rt::RunOptions &options) override {
    // The same refusals, in the same words, as on every other device.
    if (Status status = rt::checkTensors(loaded.signature, params); !status)
      return status;
    // Where tensors are missing the reference says which.
    std::vector<rt::Tensor> views = params;
    if (params.size() == loaded.signature.params.size()) {
      Result<rt::BoundTensors> bound =
          rt::bindTensors(loaded.signature, params);
      if (!bound)
        return Failure{bound.message()};
      if (Status status = rt::checkMemory(loaded.signature, params); !status)
        return status;
      views = std::move(bound->views);
    }
    std::vector<reference::HostTensor> tensors;
    for (const rt::Tensor &param : views)
      tensors.push_back({param.data, param.type, param.shape, param.strides});
    reference::RunOptions run;
    run.threads = options.threads;
    run.progress = options.progress;
    return program.run(tensors, run);
  }

private:
  artifact::Artifact loaded;
  reference::ReferenceProgram program;
};

class HostDevice : public rt::HostMemoryDevice {
public:
  std::string name() const override { return "host"; }

  std::string description() const override {
    return "the reference, on " +
           rt::plural(std::max(1u, std::thread::hardware_concurrency()),
                      "thread");
  }

  Result<std::unique_ptr<rt::Executable>>
  load(const artifact::Artifact &artifact) override {
    Result<reference::ReferenceProgram> program =
        reference::ReferenceProgram::compile(artifact.teModule);
    if (!program)
      return Failure{program.message()};
    if (describe(program->signature()) != describe(artifact.signature))
      return Failure{"the artifact is inconsistent: it takes " +
                     describe(artifact.signature) + ", its te module " +
                     describe(program->signature())};
    return std::unique_ptr<rt::Executable>(
        std::make_unique<HostExecutable>(artifact, std::move(*program)));
  }
};

} // namespace

void girih::pipeline::registerHostDevice(rt::DeviceRegistry &registry) {
  registry.registerDevice(
      "host", [](unsigned index) -> Result<std::unique_ptr<rt::Device>> {
        if (index != 0)
          return Failure{"there is no host:" + std::to_string(index) +
                         ": this machine is host:0"};
        return std::unique_ptr<rt::Device>(std::make_unique<HostDevice>());
      });
}
