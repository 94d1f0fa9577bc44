//===- FakeCuda.cpp - a CUDA driver that computes nothing -----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared library with the driver functions that the runtime uses, so that
// loading, argument packing, context handling and error texts are tested
// without a GPU. Device memory is host memory; kernels do nothing. Every call
// that matters is logged. Numbers are written out from NVIDIA's cuda.h and
// not taken from the runtime's own header, which they check.
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/fakecuda/FakeCuda.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace {

struct Module {
  std::string ptx;
};
struct Function {
  std::string name;
  unsigned parameters = 0;
  int dynamicShared = 48 * 1024; ///< allowed without asking
};
struct Event {
  double microseconds = 0;
};

struct State {
  std::mutex mutex;
  std::string log;
  std::map<std::string, int> failures;
  std::map<int, int> deviceAttributes;
  std::map<int, int> functionAttributes;
  std::map<uintptr_t, size_t> allocations;
  int liveObjects = 0; ///< modules, streams, events, retained contexts
  int deviceCount = 1;
  bool capturing = false;
  double clock = 0; ///< microseconds
};

} // namespace

static State state;
static thread_local std::vector<void *> contextStack;
static int primaryContext;

using Lock = std::lock_guard<std::mutex>;

static void log(const std::string &line) { state.log += line + "\n"; }

static std::string hex(unsigned long long value) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx", value);
  return text;
}

/// The failure that a test asked for.
static int failing(const char *symbol) {
  auto found = state.failures.find(symbol);
  return found == state.failures.end() ? 0 : found->second;
}

static constexpr int kInvalidValue = 1, kInvalidContext = 201,
                     kInvalidPtx = 218, kUnsupportedPtx = 222, kNotFound = 500;

static bool hasContext() {
  return !contextStack.empty() && contextStack.back() == &primaryContext;
}

#define ENTER(symbol)                                                          \
  Lock lock(state.mutex);                                                      \
  if (int code = failing(symbol))                                              \
    return code;
#define ENTER_CONTEXT(symbol)                                                  \
  ENTER(symbol)                                                                \
  if (!hasContext())                                                           \
    return kInvalidContext;

static bool inAllocation(uintptr_t address, size_t bytes) {
  auto after = state.allocations.upper_bound(address);
  if (after == state.allocations.begin())
    return false;
  auto [begin, size] = *--after;
  return address + bytes <= begin + size;
}

extern "C" {

void fakeCudaReset() {
  Lock lock(state.mutex);
  state.log.clear();
  state.failures.clear();
  state.functionAttributes = {{0, 1024}, {1, 0}, {3, 0}, {4, 32}};
  // An H100 of 80 GB.
  state.deviceAttributes = {
      {1, 1024},      {10, 32},     {16, 132}, {36, 2619000}, {37, 5120},
      {38, 52428800}, {39, 2048},   {75, 9},   {76, 0},       {81, 233472},
      {82, 65536},    {97, 232448}, {106, 32}, {111, 1024}};
  state.deviceCount = 1;
  state.capturing = false;
  state.clock = 0;
}
void fakeCudaFail(const char *symbol, int code) {
  Lock lock(state.mutex);
  state.failures[symbol] = code;
}
void fakeCudaSetDeviceAttribute(int attribute, int value) {
  Lock lock(state.mutex);
  state.deviceAttributes[attribute] = value;
}
void fakeCudaSetFunctionAttribute(int attribute, int value) {
  Lock lock(state.mutex);
  state.functionAttributes[attribute] = value;
}
void fakeCudaSetDeviceCount(int count) {
  Lock lock(state.mutex);
  state.deviceCount = count;
}
void fakeCudaSetCapturing(int capturing) {
  Lock lock(state.mutex);
  state.capturing = capturing != 0;
}
int fakeCudaLiveObjects() {
  Lock lock(state.mutex);
  return state.liveObjects + int(state.allocations.size());
}
void fakeCudaLog(char *text, size_t capacity) {
  Lock lock(state.mutex);
  std::snprintf(text, capacity, "%s", state.log.c_str());
  state.log.clear();
}

int cuInit(unsigned flags) {
  ENTER("cuInit")
  return flags == 0 ? 0 : kInvalidValue;
}
int cuDriverGetVersion(int *version) {
  *version = 12040;
  return 0;
}
int cuGetErrorName(int error, const char **text) {
  switch (error) {
  case 1:
    *text = "CUDA_ERROR_INVALID_VALUE";
    return 0;
  case 2:
    *text = "CUDA_ERROR_OUT_OF_MEMORY";
    return 0;
  case 3:
    *text = "CUDA_ERROR_NOT_INITIALIZED";
    return 0;
  case 34:
    *text = "CUDA_ERROR_STUB_LIBRARY";
    return 0;
  case 100:
    *text = "CUDA_ERROR_NO_DEVICE";
    return 0;
  case 201:
    *text = "CUDA_ERROR_INVALID_CONTEXT";
    return 0;
  case 218:
    *text = "CUDA_ERROR_INVALID_PTX";
    return 0;
  case 222:
    *text = "CUDA_ERROR_UNSUPPORTED_PTX_VERSION";
    return 0;
  case 700:
    *text = "CUDA_ERROR_ILLEGAL_ADDRESS";
    return 0;
  default:
    *text = nullptr;
    return kInvalidValue;
  }
}
int cuGetErrorString(int error, const char **text) {
  *text = "words for it";
  return 0;
}

int cuDeviceGetCount(int *count) {
  ENTER("cuDeviceGetCount")
  *count = state.deviceCount;
  return 0;
}
int cuDeviceGet(int *device, int ordinal) {
  ENTER("cuDeviceGet")
  *device = ordinal;
  return 0;
}
int cuDeviceGetName(char *name, int capacity, int device) {
  std::snprintf(name, size_t(capacity), "Fake GPU");
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  ENTER("cuDeviceGetAttribute")
  auto found = state.deviceAttributes.find(attribute);
  if (found == state.deviceAttributes.end())
    return kInvalidValue;
  *value = found->second;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  ENTER("cuDevicePrimaryCtxRetain")
  *context = &primaryContext;
  ++state.liveObjects;
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  ENTER("cuDevicePrimaryCtxRelease_v2")
  --state.liveObjects;
  return 0;
}
int cuCtxGetCurrent(void **context) {
  *context = contextStack.empty() ? nullptr : contextStack.back();
  return 0;
}
int cuCtxPushCurrent_v2(void *context) {
  ENTER("cuCtxPushCurrent_v2")
  contextStack.push_back(context);
  return 0;
}
int cuCtxPopCurrent_v2(void **context) {
  if (contextStack.empty())
    return kInvalidContext;
  *context = contextStack.back();
  contextStack.pop_back();
  return 0;
}
int cuCtxSynchronize() {
  ENTER_CONTEXT("cuCtxSynchronize")
  return 0;
}

int cuStreamCreate(void **stream, unsigned flags) {
  ENTER_CONTEXT("cuStreamCreate")
  if (flags != 1)
    return kInvalidValue;
  *stream = reinterpret_cast<void *>(0x5000);
  ++state.liveObjects;
  return 0;
}
int cuStreamDestroy_v2(void *stream) {
  ENTER_CONTEXT("cuStreamDestroy_v2")
  --state.liveObjects;
  return 0;
}
int cuStreamSynchronize(void *stream) {
  ENTER_CONTEXT("cuStreamSynchronize")
  log("sync " + hex(reinterpret_cast<uintptr_t>(stream)));
  return 0;
}
int cuStreamIsCapturing(void *stream, int *status) {
  ENTER_CONTEXT("cuStreamIsCapturing")
  *status = state.capturing ? 1 : 0;
  return 0;
}
int cuStreamGetId(void *stream, unsigned long long *id) {
  ENTER_CONTEXT("cuStreamGetId")
  *id = reinterpret_cast<uintptr_t>(stream);
  return 0;
}

int cuMemAlloc_v2(unsigned long long *address, size_t bytes) {
  ENTER_CONTEXT("cuMemAlloc_v2")
  if (bytes == 0)
    return kInvalidValue;
  size_t rounded = (bytes + 255) / 256 * 256;
  void *memory =
      bytes > (size_t(1) << 34) ? nullptr : std::aligned_alloc(256, rounded);
  if (!memory)
    return 2;
  *address = reinterpret_cast<uintptr_t>(memory);
  state.allocations[*address] = bytes;
  log("alloc " + std::to_string(bytes));
  return 0;
}
int cuMemFree_v2(unsigned long long address) {
  ENTER_CONTEXT("cuMemFree_v2")
  if (!state.allocations.erase(address))
    return kInvalidValue;
  std::free(reinterpret_cast<void *>(uintptr_t(address)));
  log("free");
  return 0;
}
int cuMemGetInfo_v2(size_t *available, size_t *total) {
  *available = size_t(3) << 30;
  *total = size_t(80) << 30;
  return 0;
}
int cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t bytes,
                         void *stream) {
  ENTER_CONTEXT("cuMemcpyHtoDAsync_v2")
  if (!inAllocation(to, bytes))
    return kInvalidValue;
  std::memcpy(reinterpret_cast<void *>(uintptr_t(to)), from, bytes);
  return 0;
}
int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t bytes,
                         void *stream) {
  ENTER_CONTEXT("cuMemcpyDtoHAsync_v2")
  if (!inAllocation(from, bytes))
    return kInvalidValue;
  std::memcpy(to, reinterpret_cast<void *>(uintptr_t(from)), bytes);
  return 0;
}
int cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from,
                         size_t bytes, void *stream) {
  ENTER_CONTEXT("cuMemcpyDtoDAsync_v2")
  if (!inAllocation(to, bytes) || !inAllocation(from, bytes))
    return kInvalidValue;
  std::memcpy(reinterpret_cast<void *>(uintptr_t(to)),
              reinterpret_cast<void *>(uintptr_t(from)), bytes);
  log("copy " + std::to_string(bytes) + " stream " +
      hex(reinterpret_cast<uintptr_t>(stream)));
  return 0;
}
int cuMemsetD8Async(unsigned long long to, unsigned char byte, size_t count,
                    void *stream) {
  ENTER_CONTEXT("cuMemsetD8Async")
  if (!inAllocation(to, count))
    return kInvalidValue;
  std::memset(reinterpret_cast<void *>(uintptr_t(to)), byte, count);
  log("memset " + std::to_string(count) + " stream " +
      hex(reinterpret_cast<uintptr_t>(stream)));
  state.clock += 1000;
  return 0;
}

int cuModuleLoadDataEx(void **module, const void *image, unsigned count,
                       int *options, void **values) {
  ENTER_CONTEXT("cuModuleLoadDataEx")
  std::string ptx = static_cast<const char *>(image);
  auto say = [&](int bufferOption, int sizeOption, const char *text) {
    char *buffer = nullptr;
    size_t capacity = 0;
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == bufferOption)
        buffer = static_cast<char *>(values[i]);
      if (options[i] == sizeOption)
        capacity = size_t(reinterpret_cast<uintptr_t>(values[i]));
    }
    // Like a driver: not more than capacity, and then without a final zero.
    if (buffer)
      std::strncpy(buffer, text, capacity);
  };
  constexpr int kInfo = 3, kInfoSize = 4, kError = 5, kErrorSize = 6;
  if (ptx.find("BROKEN") != ptx.npos) {
    say(kError, kErrorSize, "ptxas fatal : line 7, BROKEN is no instruction\n");
    return kInvalidPtx;
  }
  if (ptx.find("LONGLOG") != ptx.npos) {
    say(kError, kErrorSize, std::string(100000, 'x').c_str());
    return kInvalidPtx;
  }
  if (ptx.find(".version 9.0") != ptx.npos ||
      ptx.find(".version 99.0") != ptx.npos)
    return kUnsupportedPtx;
  say(kInfo, kInfoSize, "ptxas info : 0 bytes spill stores\n");
  *module = new Module{ptx};
  ++state.liveObjects;
  return 0;
}
int cuModuleUnload(void *module) {
  ENTER_CONTEXT("cuModuleUnload")
  delete static_cast<Module *>(module);
  --state.liveObjects;
  log("unload");
  return 0;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  ENTER_CONTEXT("cuModuleGetFunction")
  const std::string &ptx = static_cast<Module *>(module)->ptx;
  size_t at = ptx.find(".entry " + std::string(name) + "(");
  if (at == ptx.npos)
    return kNotFound;
  std::string list = ptx.substr(at, ptx.find(')', at) - at);
  // Kept until the process ends, as handles may be compared by tests.
  static std::map<std::string, Function> functions;
  Function &entry = functions[std::string(name) + list];
  entry.name = name;
  entry.parameters = 0;
  entry.dynamicShared = 48 * 1024;
  for (size_t p = list.find(".param"); p != list.npos;
       p = list.find(".param", p + 1))
    ++entry.parameters;
  *function = &entry;
  return 0;
}
int cuFuncGetAttribute(int *value, int attribute, void *function) {
  ENTER_CONTEXT("cuFuncGetAttribute")
  *value = state.functionAttributes[attribute];
  return 0;
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
  ENTER_CONTEXT("cuFuncSetAttribute")
  if (attribute != 8)
    return kInvalidValue;
  static_cast<Function *>(function)->dynamicShared = value;
  log("allow shared " + std::to_string(value) + " for " +
      static_cast<Function *>(function)->name);
  return 0;
}
int cuLaunchKernel(void *handle, unsigned gridX, unsigned gridY, unsigned gridZ,
                   unsigned blockX, unsigned blockY, unsigned blockZ,
                   unsigned sharedBytes, void *stream, void **parameters,
                   void **extra) {
  ENTER_CONTEXT("cuLaunchKernel")
  Function *function = static_cast<Function *>(handle);
  if (gridY != 1 || gridZ != 1 || blockY != 1 || blockZ != 1 || extra ||
      gridX == 0 || int(sharedBytes) > function->dynamicShared)
    return kInvalidValue;
  std::string line = "launch " + function->name + " grid " +
                     std::to_string(gridX) + " block " +
                     std::to_string(blockX) + " shared " +
                     std::to_string(sharedBytes) + " stream " +
                     hex(reinterpret_cast<uintptr_t>(stream)) + " args";
  for (unsigned i = 0; i < function->parameters; ++i) {
    uint64_t word = 0;
    std::memcpy(&word, parameters[i], 8);
    line += " " + hex(word);
  }
  log(line);
  state.clock += 250;
  return 0;
}

int cuEventCreate(void **event, unsigned flags) {
  ENTER_CONTEXT("cuEventCreate")
  if (flags != 0)
    return kInvalidValue;
  *event = new Event;
  ++state.liveObjects;
  return 0;
}
int cuEventDestroy_v2(void *event) {
  ENTER_CONTEXT("cuEventDestroy_v2")
  delete static_cast<Event *>(event);
  --state.liveObjects;
  return 0;
}
int cuEventRecord(void *event, void *stream) {
  ENTER_CONTEXT("cuEventRecord")
  static_cast<Event *>(event)->microseconds = state.clock;
  return 0;
}
int cuEventSynchronize(void *event) {
  ENTER_CONTEXT("cuEventSynchronize")
  return 0;
}
int cuEventElapsedTime(float *milliseconds, void *begin, void *end) {
  ENTER_CONTEXT("cuEventElapsedTime")
  *milliseconds = float((static_cast<Event *>(end)->microseconds -
                         static_cast<Event *>(begin)->microseconds) /
                        1000);
  return 0;
}

} // extern "C"
