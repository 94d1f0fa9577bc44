//===- FunctionErrors.cpp - how far the functions are off, measured -------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles Y[i] = f(X[i]) as any program, runs it on a device and compares with
// the C library, f32 in f64 and f64 in long double. Prints the largest error in
// units in the last place, and of fast functions the largest share of the
// documented bound. Not a ctest: minutes a function.
//
//   function_errors sin                        every f32, on the host
//   function_errors sin --from 0 --to 2^30     a part of them
//   function_errors exp --accuracy=fast --device=cuda
//   function_errors pow --count 10^9           random pairs
//   function_errors all --type=f64 --count 10^8
//
//===----------------------------------------------------------------------===//

#include "test/accuracy/Samples.h"
#include "test/unit/passes/TeHostOps.h"

#include "compiler/pipeline/HostDevice.h"
#include "compiler/pipeline/Pipeline.h"
#include "compiler/reference/FunctionBounds.h"
#include "runtime/CudaDevice.h"
#include "runtime/DeviceRegistry.h"
#include "runtime/sim/SimDevice.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

using namespace girih;
using namespace girih::accuracy;

namespace {

struct Function {
  const char *name;
  unsigned arity;
  std::optional<reference::Function> fast; ///< the row of its bound
  double (*narrow)(double, double);
  long double (*wide)(long double, long double);
};

#define GIRIH_FUNCTION(NAME, ARITY, ROW, VALUE)                                \
  {                                                                            \
    NAME, ARITY, ROW,                                                          \
        [](double x, double y) -> double {                                     \
          (void)y;                                                             \
          return VALUE;                                                        \
        },                                                                     \
        [](long double x, long double y) -> long double {                      \
          (void)y;                                                             \
          return VALUE;                                                        \
        }                                                                      \
  }

using Row = reference::Function;
const Function kFunctions[] = {
    GIRIH_FUNCTION("exp", 1, Row::Exp, std::exp(x)),
    GIRIH_FUNCTION("exp2", 1, Row::Exp2, std::exp2(x)),
    GIRIH_FUNCTION("log", 1, Row::Log, std::log(x)),
    GIRIH_FUNCTION("log2", 1, Row::Log2, std::log2(x)),
    GIRIH_FUNCTION("tanh", 1, Row::Tanh, std::tanh(x)),
    GIRIH_FUNCTION("rsqrt", 1, Row::Rsqrt, 1 / std::sqrt(x)),
    GIRIH_FUNCTION("rcp", 1, Row::Rcp, 1 / x),
    GIRIH_FUNCTION("sin", 1, std::nullopt, std::sin(x)),
    GIRIH_FUNCTION("cos", 1, std::nullopt, std::cos(x)),
    GIRIH_FUNCTION("erf", 1, std::nullopt, std::erf(x)),
    GIRIH_FUNCTION("pow", 2, std::nullopt, std::pow(x, y)),
};

struct Options {
  std::string function, type = "f32", accuracy = "portable", device = "host";
  uint64_t from = 0;
  std::optional<uint64_t> to;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
};

[[noreturn]] void usage(const std::string &problem) {
  std::fprintf(stderr, "function_errors: %s\n", problem.c_str());
  std::fprintf(stderr, "usage: function_errors FUNCTION|all [--type f32|f64]\n"
                       "  [--accuracy portable|fast] [--device host|sim|cuda]\n"
                       "  [--from N] [--to N | --count N] [--threads N]\n"
                       "N is 123, 0x7b, 2^32 or 10^9.\n");
  std::exit(2);
}

[[noreturn]] void fail(const std::string &problem) {
  std::fprintf(stderr, "function_errors: %s\n", problem.c_str());
  std::exit(1);
}

uint64_t numberOf(const std::string &text) {
  char *end = nullptr;
  uint64_t value = std::strtoull(text.c_str(), &end, 0);
  if (end != text.c_str() && *end == '^') {
    uint64_t base = value, power = std::strtoull(end + 1, &end, 10);
    for (value = 1; power > 0; --power)
      value *= base;
  }
  if (end == text.c_str() || *end)
    usage("'" + text + "' is no number");
  return value;
}

Options parse(int argc, char **argv) {
  Options options;
  std::optional<uint64_t> count;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i], value;
    if (word.rfind("--", 0) != 0) {
      options.function = word;
      continue;
    }
    size_t equal = word.find('=');
    if (equal != std::string::npos) {
      value = word.substr(equal + 1);
      word.resize(equal);
    } else if (++i < argc) {
      value = argv[i];
    } else {
      usage(word + " needs a value");
    }
    if (word == "--type")
      options.type = value;
    else if (word == "--accuracy")
      options.accuracy = value;
    else if (word == "--device")
      options.device = value;
    else if (word == "--from")
      options.from = numberOf(value);
    else if (word == "--to")
      options.to = numberOf(value);
    else if (word == "--count")
      count = numberOf(value);
    else if (word == "--threads")
      options.threads = std::max<uint64_t>(1, numberOf(value));
    else
      usage("there is no option " + word);
  }
  if (options.function.empty())
    usage("which function?");
  if (options.type != "f32" && options.type != "f64")
    usage("the types are f32 and f64");
  if (count)
    options.to = options.from + *count;
  return options;
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

/// One compiled function, and memory for a chunk of arguments.
class Kernel {
public:
  Kernel(rt::Device &device, const Function &function, const Options &options)
      : device(device), arity(function.arity),
        type(options.type == "f32" ? artifact::ScalarType::F32
                                   : artifact::ScalarType::F64),
        bytes(options.type == "f32" ? 4 : 8) {
    std::string t = options.type;
    std::string text = "op f(X: " + t + "[N]" +
                       (arity == 2 ? ", Z: " + t + "[N]" : "") +
                       ") -> Y: " + t + "[N] { Y[i] = " + function.name +
                       "(X[i]" + (arity == 2 ? ", Z[i]" : "") + ") }";
    auto source = std::make_shared<const SourceFile>("function.te", text);
    Diagnostics diags(source);
    pipeline::CompileOptions compile;
    compile.functions = options.accuracy;
    if (auto target = device.target())
      compile.target = target->name;
    auto result = pipeline::compile(source, compile, diags);
    if (!result)
      fail(diags.renderText(false));
    auto loaded = device.load(*result->artifact);
    if (!loaded)
      fail(loaded.message());
    executable = std::move(*loaded);
    for (unsigned i = 0; i <= arity; ++i) {
      auto buffer = device.allocate(kChunk * bytes);
      if (!buffer)
        fail(buffer.message());
      buffers.push_back(std::move(*buffer));
    }
  }

  void run(const std::vector<std::vector<char>> &inputs, std::vector<char> &out,
           int64_t count) {
    std::vector<rt::Tensor> params;
    for (unsigned i = 0; i <= arity; ++i) {
      if (i < arity)
        check(
            device.copyIn(buffers[i].data(), inputs[i].data(), count * bytes));
      params.push_back({buffers[i].data(), type, {count}, {1}});
    }
    rt::RunOptions options;
    options.synchronize = true;
    check(executable->run(params, options));
    check(device.copyOut(out.data(), buffers[arity].data(), count * bytes));
  }

private:
  static void check(const Status &status) {
    if (!status)
      fail(status.message());
  }

  rt::Device &device;
  unsigned arity;
  artifact::ScalarType type;
  unsigned bytes;
  std::unique_ptr<rt::Executable> executable;
  std::vector<rt::Buffer> buffers;
};

//===----------------------------------------------------------------------===//
// The comparison
//===----------------------------------------------------------------------===//

struct Worst {
  double ulps = 0, share = 0;
  double at[2] = {0, 0}, shareAt = 0;

  void add(double error, double share, double x, double y) {
    // Written so that a NaN is kept too.
    if (!(error <= ulps)) {
      ulps = error;
      at[0] = x, at[1] = y;
    }
    if (!(share <= this->share)) {
      this->share = share;
      shareAt = x;
    }
  }
  void add(const Worst &other) {
    if (!(other.ulps <= ulps)) {
      ulps = other.ulps;
      at[0] = other.at[0], at[1] = other.at[1];
    }
    if (!(other.share <= share)) {
      share = other.share;
      shareAt = other.shareAt;
    }
  }
};

/// |value - exact| over the bound of a fast function.
double shareOf(reference::Function row, double value, double exact) {
  if (value == exact || (std::isnan(value) && std::isnan(exact)))
    return 0;
  // An exact result beyond the largest number rounds to infinity.
  if (std::isinf(value) &&
      static_cast<double>(static_cast<float>(exact)) == value)
    return 0;
  double bound = reference::fastDeviation(row, artifact::ScalarType::F32,
                                          std::fabs(exact));
  double share = std::fabs(value - exact) / bound;
  return std::isinf(bound) ? 0 : share;
}

template <typename T>
Worst compare(const Function &function, bool isFast,
              const std::vector<std::vector<char>> &inputs,
              const std::vector<char> &out, int64_t first, int64_t last) {
  const T *x = reinterpret_cast<const T *>(inputs[0].data());
  const T *y = reinterpret_cast<const T *>(inputs.back().data());
  const T *values = reinterpret_cast<const T *>(out.data());
  Worst worst;
  for (int64_t i = first; i < last; ++i) {
    double error = 0, share = 0;
    if constexpr (std::is_same_v<T, float>) {
      double exact = function.narrow(x[i], y[i]);
      error = te::portable::ulpError(values[i], exact);
      if (isFast && function.fast)
        share = shareOf(*function.fast, values[i], exact);
    } else {
      error = te::portable::ulpError(values[i], function.wide(x[i], y[i]));
    }
    worst.add(error, share, x[i], y[i]);
  }
  return worst;
}

template <typename T>
void measure(rt::Device &device, const Function &function,
             const Options &options) {
  auto start = std::chrono::steady_clock::now();
  Kernel kernel(device, function, options);
  bool every = std::is_same_v<T, float> && function.arity == 1;
  uint64_t to = options.to.value_or(every ? uint64_t(1) << 32 : 100'000'000);
  std::vector<std::vector<char>> inputs(function.arity,
                                        std::vector<char>(kChunk * sizeof(T)));
  std::vector<char> out(kChunk * sizeof(T));
  Worst worst;
  bool isFast = options.accuracy == "fast";
  for (uint64_t at = options.from; at < to; at += kChunk) {
    int64_t count = std::min<uint64_t>(kChunk, to - at);
    auto part = [&](unsigned thread) {
      return int64_t(count * thread / options.threads);
    };
    auto split = [&](auto work) {
      std::vector<std::thread> threads;
      for (unsigned t = 0; t < options.threads; ++t)
        threads.emplace_back([&, t] { work(t, part(t), part(t + 1)); });
      for (std::thread &thread : threads)
        thread.join();
    };
    split([&](unsigned, int64_t first, int64_t last) {
      T *x = reinterpret_cast<T *>(inputs[0].data());
      T *y = reinterpret_cast<T *>(inputs.back().data());
      for (int64_t i = first; i < last; ++i)
        if (function.arity == 2)
          samplePower<T>(at + i, x[i], y[i]);
        else
          x[i] = sample<T>(at + i);
    });
    kernel.run(inputs, out, count);
    std::vector<Worst> parts(options.threads);
    split([&](unsigned t, int64_t first, int64_t last) {
      parts[t] = compare<T>(function, isFast, inputs, out, first, last);
    });
    for (const Worst &one : parts)
      worst.add(one);
  }
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  std::printf("%-6s %s %-8s %s: %.4f ulp at %a", function.name,
              options.type.c_str(), options.accuracy.c_str(),
              device.name().c_str(), worst.ulps, worst.at[0]);
  if (function.arity == 2)
    std::printf(", %a", worst.at[1]);
  if (isFast && function.fast)
    std::printf("; %.4f of the bound at %a", worst.share, worst.shareAt);
  std::printf("; %llu %s, %.0f s\n",
              static_cast<unsigned long long>(to - options.from),
              every ? "arguments in order" : "random arguments", time.count());
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
  Options options = parse(argc, argv);
  rt::DeviceRegistry registry;
  rt::registerCuda(registry);
  sim::registerSim(registry, {});
  pipeline::registerHostDevice(registry);
  auto device = registry.openDevice(options.device);
  if (!device)
    fail(device.message());
  bool found = false;
  for (const Function &function : kFunctions) {
    if (options.function != "all" && options.function != function.name)
      continue;
    found = true;
    if (options.type == "f32")
      measure<float>(**device, function, options);
    else
      measure<double>(**device, function, options);
  }
  if (!found)
    usage("there is no function '" + options.function + "'");
  return 0;
}
