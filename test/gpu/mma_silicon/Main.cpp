//===- Main.cpp - matrix instructions, silicon against the model ----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs every form of mma.sync and wgmma's float types on a GPU and counts the
// elements that differ from compiler/arith's models, bit by bit, NaNs too; some
// tiles of mma.sync go through the simulator as well, PTX and all, and so do
// ldmatrix, stmatrix and movmatrix. Without a GPU it says so and is skipped.
//
//   --tiles=N       tiles a form (15400; each recipe gets its share)
//   --seed=N
//   --only=TEXT     forms whose instruction has this text in it
//   --record=DIR    write the GPU's results to DIR
//   --against=DIR   compare with such results instead of a GPU
//   --simulated=N   tiles a form that the simulator runs too (220)
//   --show=N        differing elements to print for each form (1)
//
//===----------------------------------------------------------------------===//

#include "test/gpu/mma_silicon/Moves.h"

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

using namespace girih;
using namespace girih::silicon;
using sim::Type;

namespace {

struct Options {
  size_t tiles = 15400;
  size_t simulated = 220;
  uint64_t seed = 1;
  std::string only, record, against;
  size_t show = 1;
};

/// Where results come from.
struct Source {
  std::shared_ptr<rt::cuda::Context> gpu; ///< null: a directory
  std::string directory;
};

} // namespace

static std::string fileOf(const std::string &directory, const Form &form) {
  return directory + "/" + form.instruction + (form.sharesA ? ".shared" : "");
}

static Result<std::vector<uint8_t>>
results(const Source &source, const Form &form, const Tiles &tiles) {
  if (source.gpu)
    return runOnGpu(*source.gpu, launchOf(form, tiles));
  std::ifstream file(fileOf(source.directory, form), std::ios::binary);
  std::vector<uint8_t> bytes(tiles.c.size());
  file.read(reinterpret_cast<char *>(bytes.data()),
            std::streamsize(bytes.size()));
  if (!file)
    return Failure{"no results of " + form.instruction + " in " +
                   source.directory};
  return bytes;
}

// The model ------------------------------------------------------------------

/// wgmma's rows are those of the table, whatever mma.sync does with the type.
static arith::MmaOperation wgmmaOperation(const Form &form) {
  auto element = [](Type type) {
    switch (type) {
    case Type::F16:
      return arith::MmaElement::F16;
    case Type::BF16:
      return arith::MmaElement::Bf16;
    case Type::TF32:
      return arith::MmaElement::Tf32;
    case Type::E4M3:
      return arith::MmaElement::F8E4M3;
    default:
      return arith::MmaElement::F8E5M2;
    }
  };
  arith::MmaElement a = element(form.kind.a);
  return {arith::findMmaModel("sm_90", a), a, element(form.kind.b),
          form.kind.sum == Type::F16 ? arith::MmaSum::F16 : arith::MmaSum::F32};
}

static std::vector<uint8_t> modelled(const Form &form, const Tiles &tiles,
                                     unsigned capability) {
  std::vector<uint8_t> d(tiles.c.size());
  inParallel(tiles.count, [&](size_t i) {
    sim::MmaRegisters registers =
        registersOf(form, tiles, i, &d[i * form.bytesC()]);
    if (form.isWgmma)
      sim::runMmaFloats(form.kind, wgmmaOperation(form), registers);
    else
      sim::runMma(form.kind, capability, registers);
  });
  return d;
}

// Comparison -----------------------------------------------------------------

/// Element `index` of an array of D: its bits.
static uint64_t elementAt(const Form &form, const std::vector<uint8_t> &d,
                          size_t index) {
  size_t bytes = form.kind.sum == Type::F16 ? 2 : form.wordBytes();
  uint64_t bits = 0;
  std::memcpy(&bits, &d[index * bytes], bytes);
  return bits;
}

static void printOperands(const Form &form, const Tiles &tiles, size_t index,
                          size_t perTile) {
  // The element's place: word (register * 32 + lane), and half of it for f16.
  size_t inTile = index % perTile, tile = index / perTile;
  bool isF16 = form.kind.sum == Type::F16;
  size_t word = isF16 ? inTile / 2 : inTile;
  unsigned lane = unsigned(word % 32);
  unsigned j =
      isF16 ? unsigned(word / 32 * 2 + inTile % 2) : unsigned(word / 32);
  unsigned row = lane / 4 + 8 * (j / 2), column = lane % 4 * 2 + j % 2;
  auto print = [&](const char *name, const std::vector<uint8_t> &words,
                   size_t start, unsigned registers, unsigned line, bool isA) {
    std::printf("      %s", name);
    for (unsigned group = 0;
         group < (isA && form.kind.m == 16 ? registers / 2 : registers);
         ++group)
      for (unsigned t = 0; t < 4; ++t) {
        unsigned reg = isA && form.kind.m == 16 ? 2 * group + line / 8 : group;
        uint64_t bits = 0;
        std::memcpy(
            &bits,
            &words[start + (reg * 32 + line % 8 * 4 + t) * form.wordBytes()],
            form.wordBytes());
        std::printf(" %0*" PRIx64, int(2 * form.wordBytes()), bits);
      }
    std::printf("\n");
  };
  std::printf("    tile %zu (%s), row %u, column %u:\n", tile,
              recipeName(form, tile).c_str(), row, column);
  print("a", tiles.a, tile * form.bytesA(), form.kind.registersA(), row, true);
  print("b", tiles.b, tile * form.bytesB(), form.kind.registersB(), column,
        false);
}

/// Prints a line and more where something differs; the number that do.
static size_t compare(const Form &form, const Tiles &tiles,
                      const std::vector<uint8_t> &silicon,
                      const std::vector<uint8_t> &model, const char *with,
                      size_t show) {
  size_t perTile = form.kind.m * 8u, total = perTile * tiles.count;
  size_t differ = 0;
  std::map<std::string, size_t> byRecipe;
  for (size_t i = 0; i < total; ++i) {
    uint64_t is = elementAt(form, silicon, i);
    uint64_t expected = elementAt(form, model, i);
    if (is == expected)
      continue;
    ++byRecipe[recipeName(form, i / perTile)];
    if (differ++ >= show)
      continue;
    printOperands(form, tiles, i, perTile);
    std::printf("      c %" PRIx64 ", silicon %" PRIx64 ", %s %" PRIx64 "\n",
                elementAt(form, tiles.c, i), is, with, expected);
  }
  std::printf("%-56s%s %s, %zu tiles: %zu of %zu elements differ",
              form.instruction.c_str(), form.sharesA ? " (shared A)" : "", with,
              tiles.count, differ, total);
  for (const auto &[recipe, count] : byRecipe)
    std::printf("%s%s %zu", &recipe == &byRecipe.begin()->first ? ": " : ", ",
                recipe.c_str(), count);
  std::printf("\n");
  std::fflush(stdout);
  return differ;
}

// Running --------------------------------------------------------------------

/// True if the model and, where it is asked for, the simulator agree.
static bool check(const Form &form, const Tiles &tiles,
                  const std::vector<uint8_t> &silicon, unsigned capability,
                  const Options &options) {
  size_t differ =
      compare(form, tiles, silicon, modelled(form, tiles, capability), "model",
              options.show);
  size_t count = std::min(options.simulated, tiles.count);
  if (form.isWgmma || count == 0)
    return differ == 0;
  Tiles first = makeTiles(form, count, options.seed);
  Result<std::vector<uint8_t>> simulated =
      runOnSimulator(launchOf(form, first));
  if (!simulated) {
    std::printf("%s: %s\n", form.instruction.c_str(),
                simulated.message().c_str());
    return false;
  }
  return compare(form, first, silicon, *simulated, "simulator", options.show) ==
             0 &&
         differ == 0;
}

/// The number of forms that differ or could not run.
static size_t runAll(const Source &source, const Options &options) {
  unsigned capability = source.gpu ? source.gpu->capability() : 90;
  size_t failed = 0, ran = 0;
  for (const Form &form : allForms()) {
    if (form.instruction.find(options.only) == std::string::npos)
      continue;
    if (form.isWgmma && capability != 90)
      continue;
    ++ran;
    Tiles tiles = makeTiles(form, options.tiles, options.seed);
    Result<std::vector<uint8_t>> silicon = results(source, form, tiles);
    if (!silicon) {
      std::printf("%s: %s\n", form.instruction.c_str(),
                  silicon.message().c_str());
      ++failed;
      continue;
    }
    if (!options.record.empty())
      std::ofstream(fileOf(options.record, form), std::ios::binary)
          .write(reinterpret_cast<const char *>(silicon->data()),
                 std::streamsize(silicon->size()));
    failed += !check(form, tiles, *silicon, capability, options);
  }
  std::printf("%zu of %zu forms agree\n", ran - failed, ran);
  if (source.gpu && options.only.empty() && options.simulated)
    failed += checkMoves(*source.gpu);
  return failed;
}

static bool parse(int count, char **words, Options &options) {
  for (int i = 1; i < count; ++i) {
    std::string word = words[i];
    size_t equals = word.find('=');
    std::string name = word.substr(0, equals);
    std::string value =
        equals == std::string::npos ? "" : word.substr(equals + 1);
    if (name == "--tiles")
      options.tiles = std::strtoull(value.c_str(), nullptr, 10);
    else if (name == "--simulated")
      options.simulated = std::strtoull(value.c_str(), nullptr, 10);
    else if (name == "--seed")
      options.seed = std::strtoull(value.c_str(), nullptr, 10);
    else if (name == "--show")
      options.show = std::strtoull(value.c_str(), nullptr, 10);
    else if (name == "--only")
      options.only = value;
    else if (name == "--record")
      options.record = value;
    else if (name == "--against")
      options.against = value;
    else
      return std::fprintf(stderr, "unknown option %s\n", word.c_str()), false;
  }
  return true;
}

int main(int count, char **words) {
  Options options;
  if (!parse(count, words, options))
    return 2;
  Source source;
  source.directory = options.against;
  if (options.against.empty()) {
    Result<std::shared_ptr<const rt::cuda::Driver>> driver =
        rt::cuda::Driver::open("libcuda.so.1");
    Result<std::shared_ptr<rt::cuda::Context>> context =
        driver ? rt::cuda::Context::open(*driver, 0)
               : Result<std::shared_ptr<rt::cuda::Context>>(
                     Failure{driver.message()});
    if (!context) {
      std::printf("skipped: %s\n", context.message().c_str());
      return 0;
    }
    source.gpu = *context;
    std::printf("%s, driver %s\n", source.gpu->product().c_str(),
                (*driver)->version().c_str());
    if (source.gpu->capability() < 90) {
      std::printf("skipped: the forms are those of capability 9.0 and up\n");
      return 0;
    }
  }
  if (!options.record.empty())
    std::filesystem::create_directories(options.record);
  return runAll(source, options) == 0 ? 0 : 1;
}
