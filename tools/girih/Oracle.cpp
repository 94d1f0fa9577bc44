//===- Oracle.cpp - the reference's results for a set of tensors ----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/Oracle.h"

#include "runtime/View.h"
#include "tools/girih/Codes.h"

using namespace girih;
using namespace girih::cli;

/// The array as the reference indexes it.
static Result<reference::HostTensor> viewOf(const artifact::Artifact &artifact,
                                            size_t param,
                                            const rt::HostArray &array,
                                            const std::vector<int64_t> &sizes) {
  Result<rt::Tensor> view =
      rt::indexedView(artifact.signature, artifact.signature.params[param],
                      array.tensor(), sizes);
  if (!view)
    return Failure{view.message()};
  return reference::HostTensor{view->data, view->type, view->shape,
                               view->strides};
}

std::optional<Expected> Oracle::run(Console &console,
                                    const artifact::Artifact &artifact,
                                    const TensorSet &tensors) {
  if (!program || teModule != artifact.teModule) {
    Result<reference::ReferenceProgram> compiled =
        reference::ReferenceProgram::compile(artifact.teModule);
    if (!compiled) {
      console.fail(codes::kReference, compiled.message());
      return std::nullopt;
    }
    program.emplace(std::move(*compiled));
    teModule = artifact.teModule;
  }
  Expected expected;
  std::vector<reference::HostTensor> params;
  auto add = [&](const rt::HostArray &array) {
    Result<reference::HostTensor> view =
        viewOf(artifact, params.size(), array, tensors.sizes);
    if (view)
      params.push_back(std::move(*view));
    else
      console.fail(codes::kReference, view.message());
    return bool(view);
  };
  for (const rt::HostArray &input : tensors.inputs)
    if (!add(input))
      return std::nullopt;
  for (size_t index = params.size(); index < tensors.shapes.size(); ++index) {
    Result<rt::HostArray> output = rt::HostArray::create(
        artifact.signature.params[index].type, tensors.shapes[index]);
    if (!output) {
      console.fail(codes::kTensors, output.message());
      return std::nullopt;
    }
    if (!add(*output))
      return std::nullopt;
    expected.outputs.push_back(std::move(*output));
  }
  rt::ProgressBar bar(console.progress("reference"));
  reference::RunOptions options;
  options.progress = [&](double fraction) { bar.update(fraction); };
  Status status = program->runWithBounds(params, expected.bounds, options);
  bar.finish();
  if (status && expected.bounds.size() != expected.outputs.size())
    status = Failure{"the reference gave bounds for " +
                     std::to_string(expected.bounds.size()) + " outputs"};
  if (!status) {
    console.fail(codes::kReference, status.message());
    return std::nullopt;
  }
  return expected;
}
