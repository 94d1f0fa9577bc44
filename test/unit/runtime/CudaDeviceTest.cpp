//===- CudaDeviceTest.cpp - the CUDA path on the fake driver --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/CudaDevice.h"
#include "runtime/Bench.h"
#include "runtime/Transfer.h"
#include "test/unit/runtime/TestArtifact.h"
#include "test/unit/runtime/fakecuda/FakeCuda.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <dlfcn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace girih;
using namespace girih::rt;
using artifact::ScalarType;

namespace {
/// The fake library's controls, reset for each test.
struct Fake {
  void *library = dlopen(GIRIH_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
  Fake() {
    REQUIRE(library);
    reset();
  }
  void reset() { find<void()>("fakeCudaReset")(); }
  void fail(const char *function, int code) {
    find<void(const char *, int)>("fakeCudaFail")(function, code);
  }
  void deviceAttribute(int attribute, int value) {
    find<void(int, int)>("fakeCudaSetDeviceAttribute")(attribute, value);
  }
  void functionAttribute(int attribute, int value) {
    find<void(int, int)>("fakeCudaSetFunctionAttribute")(attribute, value);
  }
  void deviceCount(int count) {
    find<void(int)>("fakeCudaSetDeviceCount")(count);
  }
  void capturing(bool on) { find<void(int)>("fakeCudaSetCapturing")(on); }
  int liveObjects() { return find<int()>("fakeCudaLiveObjects")(); }
  std::string log() {
    std::string text(1 << 16, '\0');
    find<void(char *, size_t)>("fakeCudaLog")(text.data(), text.size());
    return text.substr(0, text.find('\0'));
  }
  template <typename F> F *find(const char *name) {
    return reinterpret_cast<F *>(dlsym(library, name));
  }
};

/// Device memory for matmul's parameters.
struct Parameters {
  std::vector<DeviceArray> arrays;
  std::vector<Tensor> tensors;
  Parameters(Device &device, int64_t m, int64_t k, int64_t n) {
    add(device, ScalarType::BF16, {m, k});
    add(device, ScalarType::BF16, {k, n});
    add(device, ScalarType::F32, {m, n});
  }
  void add(Device &device, ScalarType type, std::vector<int64_t> shape) {
    Result<DeviceArray> array =
        allocatePoisoned(device, type, std::move(shape));
    REQUIRE(array);
    tensors.push_back(array->tensor);
    arrays.push_back(std::move(*array));
  }
};
} // namespace

static std::unique_ptr<Device> open() {
  Result<std::unique_ptr<Device>> device = openCudaDevice(0, GIRIH_FAKE_CUDA);
  REQUIRE(device);
  return std::move(*device);
}

static std::string openFailure(unsigned index = 0) {
  Result<std::unique_ptr<Device>> device =
      openCudaDevice(index, GIRIH_FAKE_CUDA);
  return device ? "opened" : device.message();
}

static std::string loadFailure(Device &device,
                               const artifact::Artifact &artifact) {
  Result<std::unique_ptr<Executable>> executable = device.load(artifact);
  return executable ? "loaded" : executable.message();
}

static std::string hexOf(const void *address) {
  char text[32];
  std::snprintf(
      text, sizeof(text), "0x%llx",
      static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(address)));
  return text;
}

TEST_CASE("a device tells what it is, from the table and from itself") {
  Fake fake;
  std::unique_ptr<Device> device = open();
  CHECK(device->name() == "cuda");
  CHECK(device->description() ==
        "Fake GPU, capability 9.0, driver for CUDA 12.4");
  fake.deviceAttribute(16, 66);
  std::optional<target::GpuTarget> target = device->target();
  REQUIRE(target);
  std::optional<target::GpuTarget> row = target::findTarget("sm_90a");
  CHECK(target->name == "sm_90a");
  CHECK(target->product == "Fake GPU");
  CHECK(target->multiprocessors == 66);
  CHECK(target->maxSharedBytesPerBlock == 232448);
  CHECK(target->l2Bytes == 52428800);
  CHECK(target->dramBandwidth == Approx(2 * 2619e6 * 5120 / 8));
  CHECK(target->fp32Flops == Approx(row->fp32Flops / 2));
  // Newer than any row: the closest whose PTX still runs.
  fake.deviceAttribute(75, 9);
  fake.deviceAttribute(76, 5);
  CHECK(open()->target()->name == "sm_90");
}

TEST_CASE("a device that does not open says why") {
  Fake fake;
  SECTION("none") {
    fake.fail("cuInit", 100);
    CHECK(openFailure() ==
          "cuInit failed: CUDA_ERROR_NO_DEVICE (words for it); without a "
          "usable GPU, run on the CPU with --device=host");
  }
  SECTION("count 0") {
    fake.deviceCount(0);
    CHECK(openFailure() == "the CUDA driver sees no GPU: run on the CPU with "
                           "--device=host");
  }
  SECTION("index") {
    CHECK(openFailure(2) == "there is no cuda:2; the driver sees 1 GPU, "
                            "numbered from 0");
  }
  SECTION("fork before") {
    fake.fail("cuInit", 3);
    CHECK(openFailure() ==
          "cuInit failed: CUDA_ERROR_NOT_INITIALIZED (words for it); in a "
          "child made by fork() after its parent used CUDA this is always "
          "so: start the child with exec instead; without a usable GPU, run "
          "on the CPU with --device=host");
  }
  SECTION("stub") {
    fake.fail("cuInit", 34);
    CHECK(openFailure() ==
          std::string("cuInit failed: CUDA_ERROR_STUB_LIBRARY (words for "
                      "it); ") +
              GIRIH_FAKE_CUDA +
              " is the toolkit's stub, which only serves for linking; "
              "without a usable GPU, run on the CPU with --device=host");
  }
  SECTION("context") {
    fake.fail("cuDevicePrimaryCtxRetain", 999);
    CHECK(openFailure() == "cuDevicePrimaryCtxRetain for Fake GPU failed: "
                           "CUDA error 999");
  }
  SECTION("stream") {
    fake.fail("cuStreamCreate", 2);
    CHECK(openFailure() == "cuStreamCreate failed: CUDA_ERROR_OUT_OF_MEMORY "
                           "(words for it)");
  }
  CHECK(fake.liveObjects() == 0);
}

TEST_CASE("a run launches every kernel with its packed arguments") {
  Fake fake;
  {
    std::unique_ptr<Device> device = open();
    Result<std::unique_ptr<Executable>> executable =
        device->load(test::matmulArtifact());
    REQUIRE(executable);
    CHECK(fake.log() == "allow shared 65536 for split\n");
    Parameters p(*device, 300, 64, 136);
    fake.log();

    REQUIRE((*executable)->run(p.tensors, {}));
    std::string log = fake.log();
    std::string expectedHead = "alloc 1536\nlaunch split grid 9 block 128 "
                               "shared 65536 stream 0x5000 args " +
                               hexOf(p.tensors[0].data) + " " +
                               hexOf(p.tensors[1].data) + " ";
    REQUIRE(log.substr(0, expectedHead.size()) == expectedHead);
    uint64_t parts = std::stoull(log.substr(expectedHead.size()), nullptr, 16);
    std::string partsText = hexOf(reinterpret_cast<void *>(parts));
    std::string flagsText = hexOf(reinterpret_cast<void *>(parts - 256));
    CHECK(log == expectedHead + partsText + " 0x40 0x40\n" +
                     "launch merge grid 3 block 64 shared 0 stream 0x5000 "
                     "args " +
                     partsText + " " + flagsText + " " +
                     hexOf(p.tensors[2].data) + " 0x83\n");

    // The same again: no allocation. Smaller: neither.
    REQUIRE((*executable)->run(p.tensors, {}));
    CHECK(fake.log().find("alloc") == std::string::npos);
    Parameters smaller(*device, 30, 64, 136);
    fake.log();
    REQUIRE((*executable)->run(smaller.tensors, {}));
    CHECK(fake.log().find("alloc") == std::string::npos);

    // Larger: waits for the stream, then replaces the block.
    Parameters larger(*device, 3000, 64, 136);
    fake.log();
    RunOptions options;
    options.synchronize = true;
    REQUIRE((*executable)->run(larger.tensors, options));
    log = fake.log();
    CHECK(log.rfind("sync 0x5000\nfree\nalloc 12288\nlaunch split", 0) == 0);
    CHECK(log.substr(log.size() - 12) == "sync 0x5000\n");

    // Another stream has a block of its own.
    int stream = 0;
    options.stream = &stream;
    options.synchronize = false;
    REQUIRE((*executable)->run(larger.tensors, options));
    log = fake.log();
    CHECK(log.rfind("alloc 12288\nlaunch split", 0) == 0);
    CHECK(log.find("stream " + hexOf(&stream)) != std::string::npos);
    // The legacy default stream is asked for with null.
    options.stream = nullptr;
    REQUIRE((*executable)->run(larger.tensors, options));
    CHECK(fake.log().find("stream 0x0 args") != std::string::npos);
  }
  CHECK(fake.liveObjects() == 0);
}

TEST_CASE("the other variant runs where the first one's guards fail") {
  Fake fake;
  std::unique_ptr<Device> device = open();
  Result<std::unique_ptr<Executable>> executable =
      device->load(test::matmulArtifact());
  REQUIRE(executable);
  Parameters p(*device, 4, 16, 9);
  fake.log();
  REQUIRE((*executable)->run(p.tensors, {}));
  CHECK(fake.log() == "launch plain grid 36 block 32 shared 0 stream 0x5000 "
                      "args " +
                          hexOf(p.tensors[0].data) + " " +
                          hexOf(p.tensors[1].data) + " " +
                          hexOf(p.tensors[2].data) + " 0x10 0x1\n");
  // Nothing to do is nothing launched.
  Parameters none(*device, 0, 16, 9);
  fake.log();
  REQUIRE((*executable)->run(none.tensors, {}));
  CHECK(fake.log() == "");
  // Refusals come before the device is touched.
  p.tensors[0].type = ScalarType::F16;
  CHECK((*executable)->run(p.tensors, {}).message() ==
        "A holds f16, but 'matmul' takes bf16[M, K]");
}

TEST_CASE("an output apart from the input that it aliases gets a copy first") {
  Fake fake;
  std::unique_ptr<Device> device = open();
  artifact::Artifact artifact = test::matmulArtifact();
  artifact.signature.params.push_back(artifact.signature.params[0]);
  artifact.signature.params[3].name = "B";
  artifact.signature.params[3].isOutput = true;
  artifact.signature.params[3].inPlace = 0;
  artifact.signature.params[3].apart = true;
  Result<std::unique_ptr<Executable>> executable = device->load(artifact);
  REQUIRE(executable);
  Parameters p(*device, 4, 16, 9);
  p.add(*device, ScalarType::BF16, {4, 16});
  fake.log();
  REQUIRE((*executable)->run(p.tensors, {}));
  CHECK(fake.log() == "copy 128 stream 0x5000\n"
                      "launch plain grid 36 block 32 shared 0 stream 0x5000 "
                      "args " +
                          hexOf(p.tensors[3].data) + " " +
                          hexOf(p.tensors[1].data) + " " +
                          hexOf(p.tensors[2].data) + " 0x10 0x1\n");
  p.tensors[3] = p.tensors[0];
  REQUIRE((*executable)->run(p.tensors, {}));
  CHECK(fake.log().find("launch plain") == 0);
  p.tensors[3] = p.arrays[3].tensor;
  fake.fail("cuMemcpyDtoDAsync_v2", 700);
  CHECK((*executable)->run(p.tensors, {}).message() ==
        "cuMemcpyDtoDAsync of 128 bytes failed: CUDA_ERROR_ILLEGAL_ADDRESS "
        "(words for it)");
}

TEST_CASE("loaded on one thread, run on another") {
  Fake fake;
  std::unique_ptr<Device> device = open();
  std::unique_ptr<Executable> executable;
  std::thread loader([&] {
    Result<std::unique_ptr<Executable>> loaded =
        device->load(test::matmulArtifact());
    if (loaded)
      executable = std::move(*loaded);
  });
  loader.join();
  REQUIRE(executable);
  Parameters p(*device, 4, 16, 8);
  Status status = Failure{"not run"};
  std::thread runner([&] { status = executable->run(p.tensors, {}); });
  runner.join();
  CHECK(status.ok());
  // Buffers may die on any thread too.
  int before = fake.liveObjects();
  std::thread([&] { p.arrays.clear(); }).join();
  CHECK(fake.liveObjects() == before - 3);
}

TEST_CASE("the caller's own context is current again afterwards") {
  Fake fake;
  std::unique_ptr<Device> device = open();
  auto *push = fake.find<int(void *)>("cuCtxPushCurrent_v2");
  auto *pop = fake.find<int(void **)>("cuCtxPopCurrent_v2");
  auto *current = fake.find<int(void **)>("cuCtxGetCurrent");
  int other = 0;
  push(&other);
  REQUIRE(device->allocate(64));
  CHECK(device->synchronize());
  void *now = nullptr;
  current(&now);
  CHECK(now == &other);
  pop(&now);
}

TEST_CASE("many threads share an executable") {
  Fake fake;
  std::unique_ptr<Device> device = open();
  Result<std::unique_ptr<Executable>> executable =
      device->load(test::matmulArtifact());
  REQUIRE(executable);
  Parameters p(*device, 300, 64, 136);
  std::vector<std::thread> threads;
  std::vector<std::string> failures(4);
  for (std::string &failure : failures)
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round)
        if (Status s = (*executable)->run(p.tensors, {}); !s)
          failure = s.message();
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &failure : failures)
    CHECK(failure == "");
}

TEST_CASE("a forked child is refused, in every call") {
  Fake fake;
  std::unique_ptr<Device> device = open();
  Result<std::unique_ptr<Executable>> executable =
      device->load(test::matmulArtifact());
  REQUIRE(executable);
  Parameters p(*device, 4, 16, 8);
  Result<Buffer> buffer = device->allocate(64);
  REQUIRE(buffer);
  int before = fake.liveObjects();

  int pipeEnds[2];
  REQUIRE(pipe(pipeEnds) == 0);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::string text;
    for (const Status &status :
         {(*executable)->run(p.tensors, {}), device->synchronize(),
          device->copyIn(buffer->data(), &child, 4)})
      text += (status ? "accepted" : status.message()) + "\n";
    *buffer = Buffer(); // must not reach the driver
    executable->reset();
    text += std::to_string(fake.liveObjects());
    ssize_t written = write(pipeEnds[1], text.data(), text.size());
    _exit(written == ssize_t(text.size()) ? 0 : 1);
  }
  close(pipeEnds[1]);
  std::string text;
  char piece[512];
  for (ssize_t n; (n = read(pipeEnds[0], piece, sizeof(piece))) > 0;)
    text.append(piece, size_t(n));
  close(pipeEnds[0]);
  int exitStatus = 0;
  REQUIRE(waitpid(child, &exitStatus, 0) == child);
  CHECK(exitStatus == 0);
  std::string refusal =
      "cuda:0 was opened by process " + std::to_string(getpid()) +
      " and cannot be used in its child " + std::to_string(child) +
      ": CUDA does not survive fork(); start the child with exec\n";
  CHECK(text == refusal + refusal + refusal + std::to_string(before));
  CHECK((*executable)->run(p.tensors, {}).ok()); // the parent goes on
}

TEST_CASE("what cannot be loaded is refused in words") {
  Fake fake;
  std::unique_ptr<Device> device = open();
  artifact::Artifact artifact = test::matmulArtifact();
  int before = fake.liveObjects();
  const std::string head = "cannot load 'matmul': ";

  SECTION("target") {
    artifact.target = "sm_100a";
    CHECK(loadFailure(*device, artifact) ==
          "the artifact is for sm_100a, which needs capability 10.0 exactly, "
          "but Fake GPU has 9.0: compile for this GPU's own target");
  }
  SECTION("bad PTX, with the assembler's words") {
    artifact.variants[1].ptx += "BROKEN";
    CHECK(loadFailure(*device, artifact) ==
          head + "cuModuleLoadDataEx of variant 'general' failed: "
                 "CUDA_ERROR_INVALID_PTX (words for it)\nptxas fatal : line "
                 "7, BROKEN is no instruction");
  }
  SECTION("a log that fills its buffer") {
    artifact.variants[0].ptx += "LONGLOG";
    std::string message = loadFailure(*device, artifact);
    CHECK(message.size() > 16000);
    CHECK(message.size() < 17000);
  }
  SECTION("driver too old") {
    artifact.variants[0].ptx.replace(0, 12, ".version 9.0");
    CHECK(loadFailure(*device, artifact) ==
          head + "cuModuleLoadDataEx of variant 'vector' failed: "
                 "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (words for it); the "
                 "driver supports CUDA 12.4, but PTX 9.0 needs CUDA 13.0: "
                 "update NVIDIA's driver");
    artifact.variants[0].ptx.replace(0, 12, ".version 99.0");
    CHECK(loadFailure(*device, artifact) ==
          head + "cuModuleLoadDataEx of variant 'vector' failed: "
                 "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (words for it); the "
                 "driver supports CUDA 12.4, but PTX 99.0 needs a newer one: "
                 "update NVIDIA's driver");
  }
  SECTION("arguments that do not fit the kernel") {
    artifact.variants[0].launches[1].arguments.pop_back();
    CHECK(loadFailure(*device, artifact) ==
          head + "kernel 'merge' of variant 'vector' declares 4 parameters "
                 "but its launch passes 3");
  }
  SECTION("too many threads for the registers") {
    fake.functionAttribute(0, 64);
    fake.functionAttribute(4, 255);
    CHECK(loadFailure(*device, artifact) ==
          head + "kernel 'split' is launched with 128 threads a block, but "
                 "with its 255 registers a thread a block has at most 64");
  }
  SECTION("too much shared memory") {
    fake.functionAttribute(1, 1024);
    artifact.variants[0].launches[0].sharedBytes = 232448;
    CHECK(loadFailure(*device, artifact) ==
          head + "kernel 'split' needs 233472 bytes of shared memory a "
                 "block, but Fake GPU has 232448");
  }
  SECTION("an error of the driver") {
    fake.fail("cuFuncGetAttribute", 1);
    CHECK(loadFailure(*device, artifact) ==
          head + "cuFuncGetAttribute for kernel 'split' failed: "
                 "CUDA_ERROR_INVALID_VALUE (words for it)");
  }
  SECTION("shared memory that the driver refuses") {
    fake.fail("cuFuncSetAttribute", 1);
    CHECK(loadFailure(*device, artifact) ==
          head + "cuFuncSetAttribute (65536 bytes of shared memory) for "
                 "kernel 'split' failed: CUDA_ERROR_INVALID_VALUE (words for "
                 "it)");
  }
  CHECK(fake.liveObjects() == before);
}

TEST_CASE("two launches of one kernel keep the larger shared memory") {
  Fake fake;
  std::unique_ptr<Device> device = open();
  artifact::Artifact artifact = test::matmulArtifact();
  artifact::Launch again = artifact.variants[0].launches[0];
  again.sharedBytes = 100000;
  artifact.variants[0].launches.insert(artifact.variants[0].launches.begin(),
                                       again);
  Result<std::unique_ptr<Executable>> executable = device->load(artifact);
  REQUIRE(executable);
  Parameters p(*device, 4, 16, 8);
  CHECK((*executable)->run(p.tensors, {}).ok());
}

TEST_CASE("the report of a kernel shows registers, spills and shared memory") {
  Fake fake;
  fake.functionAttribute(3, 16);
  fake.functionAttribute(1, 512);
  std::unique_ptr<Device> device = open();
  Result<std::unique_ptr<Executable>> executable =
      device->load(test::matmulArtifact());
  REQUIRE(executable);
  std::vector<KernelInfo> infos = (*executable)->kernels();
  REQUIRE(infos.size() == 3);
  CHECK(infos[0].variant == "vector");
  CHECK(infos[0].kernel == "split");
  CHECK(infos[0].threads == 128);
  CHECK(infos[0].registers == 32);
  CHECK(infos[0].localBytes == 16);
  CHECK(infos[0].staticSharedBytes == 512);
  CHECK(infos[0].dynamicSharedBytes == 65536);
  CHECK(infos[0].maxThreads == 1024);
  CHECK(infos[2].kernel == "plain");
  CHECK((*executable)->loadLog() ==
        "variant 'vector':\nptxas info : 0 bytes spill stores\n"
        "variant 'general':\nptxas info : 0 bytes spill stores\n");
}

TEST_CASE("faults of a run name the call and the kernel") {
  Fake fake;
  std::unique_ptr<Device> device = open();
  Result<std::unique_ptr<Executable>> executable =
      device->load(test::matmulArtifact());
  REQUIRE(executable);
  Parameters p(*device, 4, 16, 8);
  RunOptions options;
  options.synchronize = true;

  fake.fail("cuLaunchKernel", 1);
  CHECK((*executable)->run(p.tensors, options).message() ==
        "cuLaunchKernel of 'split' failed: CUDA_ERROR_INVALID_VALUE (words "
        "for it); 1 block of 128 threads, 65536 bytes of dynamic shared "
        "memory");
  fake.fail("cuLaunchKernel", 700);
  CHECK((*executable)->run(p.tensors, options).message() ==
        "cuLaunchKernel of 'split' failed: CUDA_ERROR_ILLEGAL_ADDRESS (words "
        "for it); 1 block of 128 threads, 65536 bytes of dynamic shared "
        "memory; an earlier kernel failed and the GPU refuses further work "
        "of this process");
  fake.fail("cuLaunchKernel", 0);
  fake.fail("cuStreamSynchronize", 700);
  CHECK((*executable)->run(p.tensors, options).message() ==
        "'matmul' (variant 'vector') failed while it ran: "
        "CUDA_ERROR_ILLEGAL_ADDRESS (words for it); the GPU refuses further "
        "work of this process");
  fake.fail("cuStreamSynchronize", 0);

  // A failed launch gave its workspace back.
  fake.log();
  REQUIRE((*executable)->run(p.tensors, {}));
  CHECK(fake.log().find("alloc") == std::string::npos);
}

TEST_CASE("memory faults say how much was asked for and is left") {
  Fake fake;
  std::unique_ptr<Device> device = open();
  CHECK(device->allocate(uint64_t(100) << 30).message() ==
        "cuMemAlloc of 100.0 GiB failed: CUDA_ERROR_OUT_OF_MEMORY (words for "
        "it); 3.0 GiB of 80.0 GiB are free on Fake GPU");
  Result<Buffer> empty = device->allocate(0);
  REQUIRE(empty);
  CHECK(empty->bytes() == 0);
  CHECK(device->copyIn(nullptr, nullptr, 0));
  char bytes[8] = {};
  CHECK(device->copyIn(bytes, bytes, 8).message() ==
        "cuMemcpyHtoDAsync of 8 bytes failed: CUDA_ERROR_INVALID_VALUE (words "
        "for it)");
  CHECK(device->copyOut(bytes, bytes, 8).message() ==
        "cuMemcpyDtoHAsync of 8 bytes failed: CUDA_ERROR_INVALID_VALUE (words "
        "for it)");
  CHECK(device->fill(bytes, 0, 1).message() ==
        "cuMemsetD8Async of 1 byte failed: CUDA_ERROR_INVALID_VALUE (words "
        "for it)");
}

TEST_CASE("bytes survive the way to the device and back") {
  Fake fake;
  std::unique_ptr<Device> device = open();
  Result<HostArray> array = HostArray::create(ScalarType::F32, {5});
  REQUIRE(array);
  for (int64_t i = 0; i < 5; ++i)
    storeElement(array->data(), ScalarType::F32, i, double(i) + 0.5);
  Result<DeviceArray> there = upload(*device, *array);
  REQUIRE(there);
  Result<HostArray> back = download(*device, *there);
  REQUIRE(back);
  CHECK(std::memcmp(back->data(), array->data(), 20) == 0);
  // A buffer may outlive its device.
  device.reset();
  CHECK(fake.liveObjects() > 0);
  there->buffer = Buffer();
  CHECK(fake.liveObjects() == 0);
}

TEST_CASE("a captured stream is never given new memory") {
  Fake fake;
  std::unique_ptr<Device> device = open();
  Result<std::unique_ptr<Executable>> executable =
      device->load(test::matmulArtifact());
  REQUIRE(executable);
  Parameters p(*device, 300, 64, 136);
  fake.capturing(true);
  CHECK((*executable)->run(p.tensors, {}).message() ==
        "the stream is being captured, but the workspace of 1536 bytes is not "
        "allocated yet: run once with these sizes on this stream before "
        "capturing");
  fake.capturing(false);
  REQUIRE((*executable)->run(p.tensors, {}));
  fake.capturing(true);
  CHECK((*executable)->run(p.tensors, {}).ok());
  Parameters larger(*device, 3000, 64, 136);
  CHECK_FALSE((*executable)->run(larger.tensors, {}).ok());
  CHECK((*executable)->run(p.tensors, {}).ok()); // the block is still there
}

TEST_CASE("a bench times the kernels and not the flush") {
  Fake fake;
  std::unique_ptr<Device> device = open();
  Result<std::unique_ptr<Executable>> executable =
      device->load(test::matmulArtifact());
  REQUIRE(executable);
  Parameters p(*device, 4, 16, 8);
  fake.log();
  BenchOptions options;
  options.warmup = 1;
  options.repetitions = 3;
  Result<BenchResult> result = bench(*device, **executable, p.tensors, options);
  REQUIRE(result);
  // Two launches of 250 us each; each flush would be 1000 us.
  CHECK(result->microseconds == std::vector<double>{500, 500, 500});
  CHECK(result->median == 500);
  // Twice the L2, on the stream that the kernels use.
  CHECK(fake.log().find("memset 104857600 stream 0x5000\nlaunch split") !=
        std::string::npos);
}
