//===- Main.cpp - the simulator against silicon ---------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/gpu/sim_silicon/Families.h"
#include "test/gpu/sim_silicon/Runners.h"
#include "test/gpu/sim_silicon/Table.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

using namespace girih;
using namespace girih::silicon;

static const char kUsage[] =
    "sim_silicon [options]: random kernels on a GPU and on the simulator\n"
    "  --seed N        of the kernels (1)\n"
    "  --count N       kernels a family (200)\n"
    "  --family NAME   only this one; may be repeated\n"
    "  --only N        only kernel number N of each family\n"
    "  --sweep N       2^N inputs for each approximation (22; 12 with "
    "--sim-only)\n"
    "  --json FILE     writes the result\n"
    "  --keep DIR      where the PTX of what fails goes (sim_silicon.failed)\n"
    "  --sim-only      no GPU: everything has to run without a fault, and\n"
    "                  alike on one thread and on two\n"
    "  --no-checks     the simulator does not look for races\n"
    "  --emit DIR      writes the modules and runs nothing\n"
    "Exits 1 at any difference outside of approximations and of the payloads "
    "of\n"
    "f64 NaNs, 77 without a GPU.\n";

namespace {
struct Options {
  uint64_t seed = 1;
  unsigned count = 200, sweep = 0;
  int only = -1;
  std::vector<std::string> families;
  std::string json, keep = "sim_silicon.failed", emit;
  bool simOnly = false, checks = true;
  bool wants(const std::string &family) const {
    for (const std::string &name : families)
      if (name == family)
        return true;
    return families.empty();
  }
};

/// Ends the process when a kernel does not end.
class Watchdog {
public:
  Watchdog() {
    std::thread([this] {
      for (uint64_t last = 0;; last = started) {
        std::this_thread::sleep_for(std::chrono::seconds(20));
        if (running && last == started) {
          std::printf("FAILED: kernel '%s' did not end within 20 s\n",
                      running.load()->name.c_str());
          std::fflush(stdout);
          _exit(1);
        }
      }
    }).detach();
  }
  void start(const Program *program) {
    ++started;
    running = program;
  }

private:
  std::atomic<const Program *> running{nullptr};
  std::atomic<uint64_t> started{0};
};

/// Programs that are loaded together.
struct Batch {
  std::vector<const Program *> programs;
  Silicon::Module module;
  std::vector<Ran> simulated, again;
};

class Comparison {
public:
  Comparison(const Options &options, Silicon *silicon)
      : options(options), silicon(silicon) {}
  FamilyResult run(const Family &family);
  bool gpuIsLost() const { return lost; }

private:
  std::vector<Program> generate(const Family &family) const;
  void keep(const std::string &name, const std::string &ptx) const;
  void trouble(FamilyResult &result, const Program &program,
               const std::string &what) const;
  void checkSimulated(FamilyResult &result, const Batch &batch) const;
  void checkScale(FamilyResult &result, const Program &program,
                  const char *machine, const std::vector<uint8_t> &out) const;
  void runOnSilicon(FamilyResult &result, Batch &batch);
  void compare(FamilyResult &result, const Program &program, const Ran &real,
               const Ran &simulated) const;

  const Options &options;
  Silicon *silicon;
  Watchdog watchdog;
  bool lost = false;
};
} // namespace

std::vector<Program> Comparison::generate(const Family &family) const {
  unsigned count =
      options.only >= 0 ? 1 : (options.count + family.share - 1) / family.share;
  unsigned first = options.only >= 0 ? unsigned(options.only) : 0;
  bool sweeps =
      !std::strcmp(family.name, "special") && options.sweep && options.only < 0;
  std::vector<Program> programs(count + (sweeps ? sweepCount() : 0));
  parallelFor(programs.size(), [&](size_t i) {
    programs[i] =
        i < count ? makeProgram(family, options.seed, unsigned(first + i))
                  : makeSweepProgram(i - count, options.sweep, options.seed);
  });
  return programs;
}

static std::vector<Batch> makeBatches(const std::vector<Program> &programs) {
  std::vector<Batch> batches;
  for (const Program &program : programs) {
    bool isLarge = program.threads() > 4096;
    if (batches.empty() || batches.back().programs.size() >= 25 ||
        (isLarge && batches.back().programs.size() >= 2))
      batches.emplace_back();
    batches.back().programs.push_back(&program);
  }
  return batches;
}

void Comparison::keep(const std::string &name, const std::string &ptx) const {
  std::error_code ignored;
  std::filesystem::create_directories(options.keep, ignored);
  std::string path = options.keep + "/" + name + ".ptx";
  std::ofstream(path) << ptx;
  std::printf("  kept %s\n", path.c_str());
}

void Comparison::trouble(FamilyResult &result, const Program &program,
                         const std::string &what) const {
  if (result.troubles.size() < 20)
    keep(program.name, moduleText({&program}));
  result.troubles.push_back({program.name, what});
}

void Comparison::checkSimulated(FamilyResult &result,
                                const Batch &batch) const {
  for (size_t i = 0; i < batch.programs.size(); ++i) {
    const Program &program = *batch.programs[i];
    const Ran &ran = batch.simulated[i];
    if (!ran.failure.empty()) {
      trouble(result, program, ran.failure);
      continue;
    }
    if (!batch.again.empty() && batch.again[i].out != ran.out)
      trouble(result, program,
              "two threads of the host give other bits than one " +
                  batch.again[i].failure);
    checkScale(result, program, "simulator", ran.out);
  }
}

void Comparison::checkScale(FamilyResult &result, const Program &program,
                            const char *machine,
                            const std::vector<uint8_t> &out) const {
  ScaleCheck check = checkSweep(program, out);
  if (check.acrossZero)
    std::printf("  %s, %s, x and x + 1 of different signs: %zu of %zu inputs, "
                "such as %s\n",
                program.name.c_str(), machine, check.acrossZero,
                program.threads(), check.firstAcrossZero.c_str());
  if (check.wrong)
    trouble(result, program,
            machine + (": " + std::to_string(check.wrong)) + " times " +
                check.first);
}

void Comparison::compare(FamilyResult &result, const Program &program,
                         const Ran &real, const Ran &simulated) const {
  checkScale(result, program, "silicon", real.out);
  uint64_t before = result.statistics.mismatches;
  if (simulated.failure.empty())
    compareProgram(program, real.out, simulated.out, result.statistics);
  if (result.statistics.mismatches != before &&
      result.statistics.mismatches < 1000000 && before == 0)
    keep(program.name, moduleText({&program}));
}

void Comparison::runOnSilicon(FamilyResult &result, Batch &batch) {
  bool whole = batch.module.failure.empty();
  if (!whole)
    std::printf("  module with %s: %s\n", batch.programs[0]->name.c_str(),
                batch.module.failure.c_str());
  for (size_t i = 0; i < batch.programs.size() && !lost; ++i) {
    const Program &program = *batch.programs[i];
    Silicon::Module single;
    if (!whole)
      single = silicon->load(moduleText({&program}));
    if (!single.failure.empty()) {
      trouble(result, program, "silicon: " + single.failure);
      continue;
    }
    watchdog.start(&program);
    Ran real = silicon->run(whole ? batch.module : single, program);
    watchdog.start(nullptr);
    if (!real.failure.empty()) {
      trouble(result, program, "silicon: " + real.failure);
      lost = !silicon->isUsable();
      continue;
    }
    compare(result, program, real, batch.simulated[i]);
    if (!whole)
      silicon->unload(single);
  }
  silicon->unload(batch.module);
}

FamilyResult Comparison::run(const Family &family) {
  auto start = std::chrono::steady_clock::now();
  FamilyResult result;
  result.name = family.name;
  std::vector<Program> programs = generate(family);
  std::vector<Batch> batches = makeBatches(programs);
  size_t count = batches.size();
  parallelFor(2 * count, [&](size_t i) {
    Batch &batch = batches[i % count];
    if (i >= count)
      batch.simulated = simulate(batch.programs, 1, options.checks);
    else if (silicon)
      batch.module = silicon->load(moduleText(batch.programs));
    else if (options.simOnly)
      batch.again = simulate(batch.programs, 2, options.checks);
  });
  result.statistics.programs = silicon ? 0 : programs.size();
  for (Batch &batch : batches) {
    checkSimulated(result, batch);
    if (silicon && !lost)
      runOnSilicon(result, batch);
  }
  result.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  std::printf("%s: %zu programs, %llu values, %llu mismatches, %zu troubles, "
              "%.2f s\n",
              family.name, programs.size(),
              static_cast<unsigned long long>(result.statistics.compared),
              static_cast<unsigned long long>(result.statistics.mismatches),
              result.troubles.size(), result.seconds);
  printDetails(result);
  printTroubles(result);
  std::fflush(stdout);
  return result;
}

static bool emitModules(const Options &options) {
  std::filesystem::create_directories(options.emit);
  for (const Family &family : families()) {
    if (!options.wants(family.name))
      continue;
    std::ofstream out(options.emit + "/" + family.name + ".ptx");
    out << moduleHeader();
    for (unsigned i = 0; i < options.count; ++i)
      out << makeProgram(family, options.seed, i).ptx << "\n";
    if (!std::strcmp(family.name, "special"))
      for (size_t i = 0; i < sweepCount(); ++i)
        out << makeSweepProgram(i, 8, options.seed).ptx << "\n";
    if (!out)
      return false;
  }
  return true;
}

static bool parse(int count, char **words, Options &options) {
  for (int i = 1; i < count; ++i) {
    std::string word = words[i];
    if (word == "--sim-only" || word == "--no-checks") {
      (word == "--sim-only" ? options.simOnly : options.checks) =
          word == "--sim-only";
      continue;
    }
    if (i + 1 == count)
      return false;
    const char *value = words[++i];
    if (word == "--seed")
      options.seed = std::strtoull(value, nullptr, 10);
    else if (word == "--count")
      options.count = unsigned(std::atoi(value));
    else if (word == "--only")
      options.only = std::atoi(value);
    else if (word == "--sweep")
      options.sweep = unsigned(std::atoi(value));
    else if (word == "--family")
      options.families.push_back(value);
    else if (word == "--json")
      options.json = value;
    else if (word == "--keep")
      options.keep = value;
    else if (word == "--emit")
      options.emit = value;
    else
      return false;
  }
  for (const std::string &name : options.families) {
    bool known = false;
    for (const Family &family : families())
      known |= name == family.name;
    if (!known) {
      std::fprintf(stderr, "there is no family '%s'\n", name.c_str());
      return false;
    }
  }
  if (!options.sweep)
    options.sweep = options.simOnly ? 12 : 22;
  return true;
}

int main(int count, char **words) {
  Options options;
  if (!parse(count, words, options)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  if (!options.emit.empty())
    return emitModules(options) ? 0 : 1;
  std::unique_ptr<Silicon> silicon;
  std::string device = "none";
  if (!options.simOnly) {
    Result<std::unique_ptr<Silicon>> opened = Silicon::open();
    if (!opened) {
      std::printf("SKIPPED: %s\n", opened.message().c_str());
      return 77;
    }
    silicon = std::move(*opened);
    device = silicon->description();
    std::printf("%s, seed %llu\n", device.c_str(),
                static_cast<unsigned long long>(options.seed));
  }
  Comparison comparison(options, silicon.get());
  std::vector<FamilyResult> results;
  bool good = true;
  for (const Family &family : families()) {
    if (!options.wants(family.name) || comparison.gpuIsLost())
      continue;
    results.push_back(comparison.run(family));
    good &= results.back().troubles.empty() &&
            results.back().statistics.mismatches == 0;
  }
  printTable(results);
  if (!options.json.empty())
    good &= writeJson(options.json, device, results);
  return good ? 0 : 1;
}
