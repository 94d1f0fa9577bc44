//===- CudaExecutable.h - an artifact loaded on a GPU -----------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_CUDAEXECUTABLE_H
#define GIRIH_RUNTIME_CUDAEXECUTABLE_H

#include "runtime/CudaContext.h"
#include "runtime/CudaWorkspace.h"
#include "runtime/Device.h"
#include "runtime/Plan.h"

namespace girih::rt::cuda {

/// Every variant's module is loaded and every kernel's attributes are set up
/// front, so that a run compiles nothing and, once a workspace of the size was
/// seen on the stream, allocates nothing on the device. A run may be captured
/// into a graph; the executable must outlive it, and runs on the same stream
/// share the captured workspace.
class CudaExecutable : public Executable {
public:
  static Result<std::unique_ptr<Executable>>
  load(std::shared_ptr<Context> context, const artifact::Artifact &artifact);
  /// Waits for all work of the context, then unloads.
  ~CudaExecutable() override;

  const artifact::Artifact &artifact() const override { return plan; }
  Status run(const std::vector<Tensor> &params,
             const RunOptions &options) override;
  std::vector<KernelInfo> kernels() const override { return infos; }
  std::string loadLog() const override { return remarks; }

private:
  struct LoadedVariant {
    CUmodule module = nullptr;
    std::vector<CUfunction> functions; ///< one a launch
  };
  CudaExecutable(std::shared_ptr<Context> context, artifact::Artifact artifact)
      : context(context), plan(std::move(artifact)), workspaces(context) {}
  Status loadVariant(const artifact::Variant &variant);
  Status launchAll(BoundPlan &bound, CUstream stream);
  Status prepareKernel(const artifact::Variant &variant,
                       const artifact::Launch &launch, CUfunction function);

  std::shared_ptr<Context> context;
  artifact::Artifact plan;
  std::vector<LoadedVariant> variants;
  std::vector<KernelInfo> infos;
  std::string remarks;
  WorkspaceCache workspaces;
};

} // namespace girih::rt::cuda

#endif // GIRIH_RUNTIME_CUDAEXECUTABLE_H
