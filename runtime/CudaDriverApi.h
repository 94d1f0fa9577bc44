//===- CudaDriverApi.h - the part of the CUDA driver API in use --*- C++
//-*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declared here so that building needs no CUDA headers. Names, values and
// signatures are those of NVIDIA's cuda.h, whose binary interface is stable.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_CUDADRIVERAPI_H
#define GIRIH_RUNTIME_CUDADRIVERAPI_H

#include <cstddef>
#include <cstdint>

namespace girih::rt::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
static_assert(sizeof(CUdeviceptr) == 8 && sizeof(void *) == 8,
              "the driver API is used on 64-bit hosts only");

enum : CUresult {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_STUB_LIBRARY = 34,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
};

enum CUjit_option : int {
  CU_JIT_INFO_LOG_BUFFER = 3,
  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
  CU_JIT_LOG_VERBOSE = 12,
};

enum CUfunction_attribute : int {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
};

enum CUdevice_attribute : int {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,       // kHz
  CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37, // bits
  CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
  CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK = 111,
};

enum CUstreamCaptureStatus : int { CU_STREAM_CAPTURE_STATUS_NONE = 0 };

constexpr unsigned CU_STREAM_NON_BLOCKING = 1;
constexpr unsigned CU_EVENT_DEFAULT = 0;

// Expands F(field, exported symbol, parameters) for every function that must
// be there; all return CUresult. cuda.h maps most names to a versioned symbol.
#define GIRIH_CUDA_FUNCTIONS(F)                                                \
  F(init, "cuInit", (unsigned flags))                                          \
  F(driverGetVersion, "cuDriverGetVersion", (int *version))                    \
  F(getErrorName, "cuGetErrorName", (CUresult error, const char **text))       \
  F(getErrorString, "cuGetErrorString", (CUresult error, const char **text))   \
  F(deviceGetCount, "cuDeviceGetCount", (int *count))                          \
  F(deviceGet, "cuDeviceGet", (CUdevice * device, int ordinal))                \
  F(deviceGetName, "cuDeviceGetName",                                          \
    (char *name, int capacity, CUdevice device))                               \
  F(deviceGetAttribute, "cuDeviceGetAttribute",                                \
    (int *value, CUdevice_attribute attribute, CUdevice device))               \
  F(primaryCtxRetain, "cuDevicePrimaryCtxRetain",                              \
    (CUcontext * context, CUdevice device))                                    \
  F(primaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (CUdevice device))      \
  F(ctxGetCurrent, "cuCtxGetCurrent", (CUcontext * context))                   \
  F(ctxPushCurrent, "cuCtxPushCurrent_v2", (CUcontext context))                \
  F(ctxPopCurrent, "cuCtxPopCurrent_v2", (CUcontext * context))                \
  F(ctxSynchronize, "cuCtxSynchronize", ())                                    \
  F(streamCreate, "cuStreamCreate", (CUstream * stream, unsigned flags))       \
  F(streamDestroy, "cuStreamDestroy_v2", (CUstream stream))                    \
  F(streamSynchronize, "cuStreamSynchronize", (CUstream stream))               \
  F(streamIsCapturing, "cuStreamIsCapturing",                                  \
    (CUstream stream, CUstreamCaptureStatus * status))                         \
  F(memAlloc, "cuMemAlloc_v2", (CUdeviceptr * address, size_t bytes))          \
  F(memFree, "cuMemFree_v2", (CUdeviceptr address))                            \
  F(memGetInfo, "cuMemGetInfo_v2", (size_t * available, size_t * total))       \
  F(memcpyHtoDAsync, "cuMemcpyHtoDAsync_v2",                                   \
    (CUdeviceptr destination, const void *source, size_t bytes,                \
     CUstream stream))                                                         \
  F(memcpyDtoHAsync, "cuMemcpyDtoHAsync_v2",                                   \
    (void *destination, CUdeviceptr source, size_t bytes, CUstream stream))    \
  F(memcpyDtoDAsync, "cuMemcpyDtoDAsync_v2",                                   \
    (CUdeviceptr destination, CUdeviceptr source, size_t bytes,                \
     CUstream stream))                                                         \
  F(memsetD8Async, "cuMemsetD8Async",                                          \
    (CUdeviceptr destination, unsigned char byte, size_t count,                \
     CUstream stream))                                                         \
  F(moduleLoadDataEx, "cuModuleLoadDataEx",                                    \
    (CUmodule * module, const void *image, unsigned optionCount,               \
     CUjit_option *options, void **values))                                    \
  F(moduleUnload, "cuModuleUnload", (CUmodule module))                         \
  F(moduleGetFunction, "cuModuleGetFunction",                                  \
    (CUfunction * function, CUmodule module, const char *name))                \
  F(funcGetAttribute, "cuFuncGetAttribute",                                    \
    (int *value, CUfunction_attribute attribute, CUfunction function))         \
  F(funcSetAttribute, "cuFuncSetAttribute",                                    \
    (CUfunction function, CUfunction_attribute attribute, int value))          \
  F(launchKernel, "cuLaunchKernel",                                            \
    (CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,      \
     unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,  \
     CUstream stream, void **parameters, void **extra))                        \
  F(eventCreate, "cuEventCreate", (CUevent * event, unsigned flags))           \
  F(eventDestroy, "cuEventDestroy_v2", (CUevent event))                        \
  F(eventRecord, "cuEventRecord", (CUevent event, CUstream stream))            \
  F(eventSynchronize, "cuEventSynchronize", (CUevent event))                   \
  F(eventElapsedTime, "cuEventElapsedTime",                                    \
    (float *milliseconds, CUevent start, CUevent end))

// Functions of newer drivers; null where the driver lacks them.
#define GIRIH_CUDA_OPTIONAL_FUNCTIONS(F)                                       \
  F(streamGetId, "cuStreamGetId", (CUstream stream, unsigned long long *id))

struct DriverFunctions {
#define GIRIH_DECLARE(field, symbol, parameters)                               \
  CUresult(*field) parameters = nullptr;
  GIRIH_CUDA_FUNCTIONS(GIRIH_DECLARE)
  GIRIH_CUDA_OPTIONAL_FUNCTIONS(GIRIH_DECLARE)
#undef GIRIH_DECLARE
};

} // namespace girih::rt::cuda

#endif // GIRIH_RUNTIME_CUDADRIVERAPI_H
