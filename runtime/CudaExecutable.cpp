//===- CudaExecutable.cpp - an artifact loaded on a GPU -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/CudaExecutable.h"

#include "runtime/Ptx.h"
#include "runtime/TargetFit.h"
#include "runtime/Text.h"

using namespace girih;
using namespace girih::rt;
using namespace girih::rt::cuda;
using artifact::Artifact;
using artifact::Launch;
using artifact::Variant;

/// A block may use this much shared memory without asking.
static constexpr unsigned kFreeSharedBytes = 48 * 1024;
static constexpr size_t kLogBytes = 16 * 1024;

Result<std::unique_ptr<Executable>>
CudaExecutable::load(std::shared_ptr<Context> context,
                     const Artifact &artifact) {
  if (Status status = checkTargetFits(artifact.target, context->capability(),
                                      context->product());
      !status)
    return Failure{status.message()};
  Current current(*context);
  if (!current.status())
    return Failure{current.status().message()};
  std::unique_ptr<CudaExecutable> executable(
      new CudaExecutable(std::move(context), artifact));
  for (const Variant &variant : executable->plan.variants)
    if (Status status = executable->loadVariant(variant); !status)
      return Failure{"cannot load '" + artifact.signature.op +
                     "': " + status.message()};
  return std::unique_ptr<Executable>(std::move(executable));
}

CudaExecutable::~CudaExecutable() {
  Current current(*context);
  if (!current.status())
    return;
  context->driver()->ctxSynchronize();
  for (const LoadedVariant &variant : variants)
    if (variant.module)
      context->driver()->moduleUnload(variant.module);
}

/// The text in a log buffer, without zero bytes and newlines at its end.
static std::string logText(const std::string &buffer) {
  std::string text = buffer.substr(0, buffer.find('\0'));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  return text;
}

static std::string loadFailure(const Driver &driver, CUresult result,
                               const Variant &variant,
                               const std::string &errorLog) {
  std::string text = "cuModuleLoadDataEx of variant '" + variant.name +
                     "' failed: " + driver.describe(result);
  if (result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION) {
    text += "; the driver supports CUDA " + driver.version();
    if (std::optional<PtxVersion> version = ptxVersion(variant.ptx)) {
      std::string cuda = cudaForPtx(*version);
      text += ", but PTX " + std::to_string(version->major) + "." +
              std::to_string(version->minor) + " needs " +
              (cuda.empty() ? "a newer one" : "CUDA " + cuda) +
              ": update NVIDIA's driver";
    }
  }
  std::string log = logText(errorLog);
  return log.empty() ? text : text + "\n" + log;
}

Status CudaExecutable::loadVariant(const Variant &variant) {
  if (Status status = checkPtxEntries(variant); !status)
    return status;
  const Driver &driver = context->driver();
  LoadedVariant &loaded = variants.emplace_back();

  std::string infoLog(kLogBytes, '\0'), errorLog(kLogBytes, '\0');
  // Sizes go in as the value itself, not as a pointer to it.
  auto asValue = [](uintptr_t number) {
    return reinterpret_cast<void *>(number);
  };
  CUjit_option options[] = {
      CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
      CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
      CU_JIT_LOG_VERBOSE};
  // One byte is held back so that the text always ends.
  void *values[] = {infoLog.data(), asValue(kLogBytes - 1), errorLog.data(),
                    asValue(kLogBytes - 1), asValue(1)};
  CUresult result = driver->moduleLoadDataEx(
      &loaded.module, variant.ptx.c_str(), 5, options, values);
  if (result != CUDA_SUCCESS) {
    loaded.module = nullptr;
    return Failure{loadFailure(driver, result, variant, errorLog)};
  }
  if (std::string log = logText(infoLog); !log.empty())
    remarks += "variant '" + variant.name + "':\n" + log + "\n";

  for (const Launch &launch : variant.launches) {
    CUfunction function = nullptr;
    Status status =
        driver.check(driver->moduleGetFunction(&function, loaded.module,
                                               launch.kernel.c_str()),
                     "cuModuleGetFunction for kernel '" + launch.kernel + "'");
    if (status)
      status = prepareKernel(variant, launch, function);
    if (!status)
      return status;
    loaded.functions.push_back(function);
  }
  return {};
}

Status CudaExecutable::prepareKernel(const Variant &variant,
                                     const Launch &launch,
                                     CUfunction function) {
  const Driver &driver = context->driver();
  std::string kernel = "kernel '" + launch.kernel + "'";
  Status status;
  auto read = [&](CUfunction_attribute attribute) {
    int value = 0;
    if (status)
      status =
          driver.check(driver->funcGetAttribute(&value, attribute, function),
                       "cuFuncGetAttribute for " + kernel);
    return unsigned(value);
  };
  KernelInfo info;
  info.variant = variant.name;
  info.kernel = launch.kernel;
  info.threads = launch.threads;
  info.dynamicSharedBytes = launch.sharedBytes;
  info.registers = read(CU_FUNC_ATTRIBUTE_NUM_REGS);
  info.localBytes = read(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  info.staticSharedBytes = read(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  info.maxThreads = read(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  if (!status)
    return status;

  if (launch.threads == 0 || launch.threads > info.maxThreads)
    return Failure{kernel + " is launched with " +
                   plural(launch.threads, "thread") +
                   " a block, but with its " + std::to_string(info.registers) +
                   " registers a thread a block has at most " +
                   std::to_string(info.maxThreads)};
  uint64_t shared = uint64_t(info.staticSharedBytes) + launch.sharedBytes;
  int limit =
      context->attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  if (limit > 0 && shared > uint64_t(limit))
    return Failure{kernel + " needs " + std::to_string(shared) +
                   " bytes of shared memory a block, but " +
                   context->product() + " has " + std::to_string(limit)};
  if (shared > kFreeSharedBytes) {
    // Two launches of one kernel may differ: the largest must stay allowed.
    unsigned most = launch.sharedBytes;
    for (const Launch &other : variant.launches)
      if (other.kernel == launch.kernel && other.sharedBytes > most)
        most = other.sharedBytes;
    status = driver.check(driver->funcSetAttribute(
                              function,
                              CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                              int(most)),
                          "cuFuncSetAttribute (" + std::to_string(most) +
                              " bytes of shared memory) for " + kernel);
  }
  infos.push_back(std::move(info));
  return status;
}

/// Errors after which the driver refuses everything in this process.
static bool losesContext(CUresult result) {
  switch (result) {
  case 700: // illegal address
  case 710: // device assertion
  case 714: // hardware stack error
  case 715: // illegal instruction
  case 716: // misaligned address
  case 717: // invalid address space
  case 718: // invalid program counter
  case 719: // launch failure
    return true;
  default:
    return false;
  }
}

Status CudaExecutable::launchAll(BoundPlan &bound, CUstream stream) {
  const Driver &driver = context->driver();
  const Variant &variant = plan.variants[bound.variant];
  for (const BoundCopy &copy : bound.copies) {
    CUresult result = driver->memcpyDtoDAsync(
        reinterpret_cast<uintptr_t>(copy.to),
        reinterpret_cast<uintptr_t>(copy.from), copy.bytes, stream);
    if (result != CUDA_SUCCESS)
      return Failure{"cuMemcpyDtoDAsync of " +
                     plural(int64_t(copy.bytes), "byte") +
                     " failed: " + driver.describe(result)};
  }
  std::vector<void *> words;
  return bound.forEachLaunch([&](BoundLaunch &launch) -> Status {
    const Launch &description = variant.launches[launch.launch];
    words.clear();
    for (uint64_t &argument : launch.arguments)
      words.push_back(&argument);
    CUresult result = driver->launchKernel(
        variants[bound.variant].functions[launch.launch], launch.grid, 1, 1,
        description.threads, 1, 1, description.sharedBytes, stream,
        words.data(), nullptr);
    if (result != CUDA_SUCCESS)
      return Failure{"cuLaunchKernel of '" + description.kernel +
                     "' failed: " + driver.describe(result) + "; " +
                     plural(launch.grid, "block") + " of " +
                     plural(description.threads, "thread") + ", " +
                     plural(description.sharedBytes, "byte") +
                     " of dynamic shared memory" +
                     (losesContext(result)
                          ? "; an earlier kernel failed and the GPU refuses "
                            "further work of this process"
                          : "")};
    return {};
  });
}

Status CudaExecutable::run(const std::vector<Tensor> &params,
                           const RunOptions &options) {
  Result<BoundPlan> bound = bindPlan(plan, params);
  if (!bound)
    return Failure{bound.message()};
  Current current(*context);
  if (!current.status())
    return current.status();
  CUstream stream = options.stream ? static_cast<CUstream>(*options.stream)
                                   : context->stream();
  Buffer workspace;
  if (bound->workspaceBytes && !bound->launches.empty()) {
    Result<Buffer> block = workspaces.acquire(stream, bound->workspaceBytes);
    if (!block)
      return Failure{block.message()};
    workspace = std::move(*block);
    bound->attachWorkspace(reinterpret_cast<uintptr_t>(workspace.data()));
  }
  Status status = launchAll(*bound, stream);
  if (workspace.data())
    workspaces.release(stream, std::move(workspace));
  if (!status || !options.synchronize)
    return status;

  CUresult result = context->driver()->streamSynchronize(stream);
  if (result == CUDA_SUCCESS)
    return {};
  return Failure{
      "'" + plan.signature.op + "' (variant '" +
      plan.variants[bound->variant].name +
      "') failed while it ran: " + context->driver().describe(result) +
      (losesContext(result) ? "; the GPU refuses further work of this process"
                            : "")};
}
