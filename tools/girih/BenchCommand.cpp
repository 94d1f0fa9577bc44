//===- BenchCommand.cpp - girih bench -------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --json prints one object:
//
//   op, device, description  the operator; the device's kind and what it is
//   target, variant          what the artifact was compiled for; the variant
//                            that ran, null on the host
//   functions                "fast" or "portable"
//   sizes                    an object, one number a size
//   repetitions              how many were measured
//   median_us, min_us, max_us
//                            of the times between two events on the device's
//                            stream, its L2 flushed before each, in
//                            microseconds
//   bytes, gb_per_s          of the parameters, each counted once, and 10^9
//                            bytes a second at the median
//   flops, tflop_per_s       of the reductions (Flops.h), and 10^12 a second
//                            at the median; null without reductions
//
//===----------------------------------------------------------------------===//

#include "runtime/Bench.h"
#include "tools/girih/Codes.h"
#include "tools/girih/Flops.h"
#include "tools/girih/Job.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace girih;
using namespace girih::cli;

namespace {

struct Figures {
  rt::BenchResult times;
  double bytes = 0, flops = 0;
  /// A second, at the median.
  double rate(double amount) const {
    return times.median > 0 ? amount / (times.median * 1e-6) : 0;
  }
};

class BenchCommand : public Command {
public:
  BenchCommand()
      : Command("bench", "measure how long an operator takes"), flags(*this),
        reps(*this, "reps", "N", "repetitions to measure", "20"),
        json(*this, "json", "print the figures as JSON") {}

  void run(Console &console) override {
    std::optional<int64_t> repetitions = parseInteger(reps.getValue());
    if (!repetitions || *repetitions < 1 || *repetitions > 1'000'000) {
      console.usage(codes::kCommandLine,
                    "--reps is a number from 1 to 1000000, not '" +
                        reps.getValue() + "'");
      return;
    }
    std::optional<Job> job =
        Job::open(console, flags, "girih bench softmax.te -D M=4096 -D N=4096");
    if (!job)
      return;
    if (job->onSim()) {
      console
          .usage(codes::kDevice, "the simulator counts; it does not know how "
                                 "long anything takes")
          .help("girih run --device=sim --counters=text shows what it counts");
      return;
    }
    std::optional<TensorSet> tensors =
        job->prepare(console, job->program().sizes());
    if (!tensors)
      return;
    Figures figures;
    Result<double> flops = flopsOf(job->artifact(), tensors->sizes);
    if (!flops) {
      console.fail(codes::kInternal, flops.message());
      return;
    }
    figures.flops = *flops;
    figures.bytes = cli::bytesOf(job->artifact(), tensors->shapes);

    rt::ProgressBar bar(console.progress("bench"));
    rt::BenchOptions options;
    options.repetitions = unsigned(*repetitions);
    options.progress = [&](double fraction) { bar.update(fraction); };
    Result<rt::BenchResult> times =
        rt::bench(job->device(), job->loaded(), tensors->params(), options);
    bar.finish();
    if (!times) {
      console.fail(codes::kDevice, times.message());
      return;
    }
    figures.times = std::move(*times);
    console.print(json ? printJson(*job, *tensors, figures)
                       : printText(*job, *tensors, figures));
  }

private:
  static std::string printText(const Job &job, const TensorSet &tensors,
                               const Figures &figures) {
    const artifact::Artifact &artifact = job.artifact();
    std::string variant = job.variantFor(tensors);
    std::string text = llvm::formatv(
        "{0} on {1} ({2}), {3}, functions {4}{5}\n", artifact.signature.op,
        job.device().name(), job.device().description(),
        printSizes(artifact.signature, tensors.sizes),
        artifact.contract.functions,
        variant.empty() ? "" : ", variant " + variant);
    const rt::BenchResult &times = figures.times;
    text += llvm::formatv("  {0:F2} us (median of {1}; {2:F2} to {3:F2} us)\n",
                          times.median, times.microseconds.size(), times.min,
                          times.max);
    text += llvm::formatv("  {0:F1} GB/s ({1:F0} bytes)\n",
                          figures.rate(figures.bytes) * 1e-9, figures.bytes);
    double rate = figures.rate(figures.flops);
    bool isLarge = rate >= 1e12;
    if (figures.flops > 0)
      text += llvm::formatv("  {0:F2} {1}FLOP/s ({2:F0} operations)\n",
                            rate * (isLarge ? 1e-12 : 1e-9),
                            isLarge ? "T" : "G", figures.flops);
    return text;
  }

  static std::string printJson(const Job &job, const TensorSet &tensors,
                               const Figures &figures) {
    const artifact::Artifact &artifact = job.artifact();
    auto text = [](const std::string &value) {
      return llvm::json::Value(llvm::json::fixUTF8(value));
    };
    llvm::json::Object sizes;
    for (size_t size = 0; size < tensors.sizes.size(); ++size)
      sizes[artifact.signature.sizes[size]] = tensors.sizes[size];
    std::string variant = job.variantFor(tensors);
    bool hasFlops = figures.flops > 0;
    llvm::json::Object object{
        {"op", text(artifact.signature.op)},
        {"device", text(job.device().name())},
        {"description", text(job.device().description())},
        {"target", text(artifact.target)},
        {"variant",
         variant.empty() ? llvm::json::Value(nullptr) : text(variant)},
        {"functions", text(artifact.contract.functions)},
        {"sizes", std::move(sizes)},
        {"repetitions", int64_t(figures.times.microseconds.size())},
        {"median_us", figures.times.median},
        {"min_us", figures.times.min},
        {"max_us", figures.times.max},
        {"bytes", figures.bytes},
        {"gb_per_s", figures.rate(figures.bytes) * 1e-9},
        {"flops", hasFlops ? llvm::json::Value(figures.flops)
                           : llvm::json::Value(nullptr)},
        {"tflop_per_s",
         hasFlops ? llvm::json::Value(figures.rate(figures.flops) * 1e-12)
                  : llvm::json::Value(nullptr)}};
    return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(object)));
  }

  JobFlags flags;
  Setting reps;
  Switch json;
};

} // namespace

std::unique_ptr<Command> cli::makeBenchCommand() {
  return std::make_unique<BenchCommand>();
}
