//===- TileTest.cpp - schedules as tile kernels and launch plans ----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "passes/tile/BuildTile.h"
#include "test/unit/passes/Programs.h"
#include "test/unit/passes/Scheduled.h"
#include "test/unit/passes/ScopRun.h"

#include <set>

using namespace girih;
using namespace girih::test;
using tilegen::AccessMode;

namespace {

std::vector<std::pair<std::string, int64_t>> givenOf(const Sizes &sizes) {
  return {sizes.begin(), sizes.end()};
}

/// A scheduled program as tile kernels, verified.
struct Built {
  Built(Middle &program, const Scheduled &scheduled, AccessMode mode) {
    program.context().loadDialect<tile::TileDialect, mlir::scf::SCFDialect>();
    module = mlir::ModuleOp::create(mlir::UnknownLoc::get(&program.context()));
    const scop::ScopWithMap &scop = program.scop();
    auto made =
        tilegen::buildTile(program.func(), scop.scop, scop.map, scheduled.tree,
                           scheduled.loops, mode, *module);
    REQUIRE(made);
    plan = std::move(*made);
    REQUIRE(mlir::succeeded(mlir::verify(*module)));
  }

  /// The widest access of each argument of kernel `number`, by name.
  std::map<std::string, int64_t> widths(size_t number) {
    std::map<std::string, int64_t> result;
    auto kernels = llvm::to_vector(module->getOps<tile::KernelOp>());
    REQUIRE(number < kernels.size());
    tile::KernelOp kernel = kernels[number];
    for (auto [name, argument] :
         llvm::zip(kernel.getArgNames(), kernel.getBlock().getArguments())) {
      if (!mlir::isa<tile::GlobalType>(argument.getType()))
        continue;
      int64_t widest = 1;
      for (mlir::Operation *user : argument.getUsers()) {
        if (auto load = mlir::dyn_cast<tile::LoadOp>(user))
          widest = std::max<int64_t>(widest, load.getVector());
        if (auto store = mlir::dyn_cast<tile::StoreOp>(user))
          widest = std::max<int64_t>(widest, store.getVector());
      }
      result[mlir::cast<mlir::StringAttr>(name).str()] = widest;
    }
    return result;
  }

  std::set<std::string> guards() const {
    std::set<std::string> lines;
    for (const artifact::Guard &guard : plan.guards) {
      std::string param = std::to_string(guard.param);
      std::string dim = std::to_string(guard.dim);
      std::string value = std::to_string(guard.value);
      switch (guard.kind) {
      case artifact::Guard::Kind::UnitStride:
        CHECK(guard.value == 1);
        lines.insert("unit " + param + "." + dim);
        break;
      case artifact::Guard::Kind::StrideDivisible:
        lines.insert("stride " + param + "." + dim + " % " + value);
        break;
      case artifact::Guard::Kind::AlignedPointer:
        lines.insert("pointer " + param + " % " + value);
        break;
      case artifact::Guard::Kind::SizeDivisible:
        lines.insert("size " + std::to_string(guard.size) + " % " + value);
        break;
      case artifact::Guard::Kind::SizeAtMost:
        lines.insert("size " + std::to_string(guard.size) + " <= " + value);
        break;
      case artifact::Guard::Kind::SizeAtLeast:
        lines.insert("size " + std::to_string(guard.size) + " >= " + value);
        break;
      }
    }
    return lines;
  }

  mlir::OwningOpRef<mlir::ModuleOp> module;
  tilegen::TilePlan plan;
};

struct Both {
  explicit Both(const std::string &text,
                std::vector<std::pair<std::string, int64_t>> given = {})
      : program(text, std::move(given)), scheduled(program),
        vector(program, scheduled, AccessMode::Vector),
        general(program, scheduled, AccessMode::General) {}
  Middle program;
  Scheduled scheduled;
  Built vector, general;
};

/// Sizes in the order of the signature.
std::vector<int64_t> sizeList(Middle &program, const Sizes &sizes) {
  std::vector<int64_t> list;
  te::FuncOp func = program.func();
  for (auto [name, given] : llvm::zip(func.getSizes(), func.getGiven()))
    list.push_back(given >= 0
                       ? given
                       : sizes.at(mlir::cast<mlir::StringAttr>(name).str()));
  return list;
}

int64_t floorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/// The blocks that the instances of a kernel need.
int64_t blocksNeeded(Middle &program, const Scheduled &scheduled, size_t k,
                     const std::vector<int64_t> &params) {
  const poly::Scop &scop = program.scop().scop;
  const poly::KernelLoops &kernel = scheduled.loops[k];
  if (kernel.grid.empty())
    return 1;
  std::vector<int64_t> counts(kernel.grid.size(), 0);
  for (unsigned s : kernel.kernel->statements)
    forEachInstance(scop.statements[s], params, [&](const Point &at) {
      size_t member = 0;
      for (const poly::Node *node : poly::pathOf(scheduled.tree, s))
        for (size_t m = 0; m < node->members.size(); ++m) {
          if (node->members[m].binding != poly::Binding::Grid)
            continue;
          const poly::Digit &digit = poly::digitOf(*node, m, s);
          int64_t value = valueOf(digit.value, at, params);
          if (digit.modulus)
            value -= digit.modulus * floorDivide(value, digit.modulus);
          value = floorDivide(value, digit.divisor);
          counts.at(member) = std::max(counts[member], value + 1);
          ++member;
        }
    });
  int64_t blocks = 1;
  for (int64_t count : counts)
    blocks *= count;
  return blocks;
}

/// What must hold of every plan.
void checkPlan(Both &both, const Sizes &sizes) {
  Middle &program = both.program;
  const poly::Scop &scop = program.scop().scop;
  std::vector<int64_t> list = sizeList(program, sizes);
  std::vector<int64_t> params = program.params(sizes);
  CHECK(both.general.guards().empty());
  for (Built *built : {&both.vector, &both.general}) {
    REQUIRE(built->plan.launches.size() == both.scheduled.loops.size());
    auto kernels = llvm::to_vector(built->module->getOps<tile::KernelOp>());
    REQUIRE(kernels.size() == built->plan.launches.size());
    for (size_t k = 0; k < kernels.size(); ++k) {
      const artifact::Launch &launch = built->plan.launches[k];
      INFO(launch.kernel);
      CHECK(kernels[k].getSymName() == launch.kernel);
      CHECK(kernels[k].getThreads() == launch.threads);
      Result<int64_t> grid = artifact::evaluate(launch.grid, list);
      REQUIRE(grid);
      CHECK(*grid == blocksNeeded(program, both.scheduled, k, params));
      // A pointer and its strides for a tensor, one number for a size.
      size_t expected = 0;
      for (mlir::BlockArgument argument :
           kernels[k].getBlock().getArguments()) {
        auto global = mlir::dyn_cast<tile::GlobalType>(argument.getType());
        expected += global ? 1 + global.getRank() : 1;
      }
      CHECK(launch.arguments.size() == expected);
    }
    for (const artifact::WorkspaceBuffer &buffer : built->plan.workspace) {
      unsigned array = scop.findArray(buffer.name);
      REQUIRE(array < scop.arrays.size());
      const poly::Array &model = scop.arrays[array];
      int64_t bytes = model.elementBytes;
      for (size_t d = 0; d < model.extents.size(); ++d) {
        int64_t divisor =
            model.extentDivisors.empty() ? 1 : model.extentDivisors[d];
        bytes *=
            (valueOf(model.extents[d], {}, params) + divisor - 1) / divisor;
      }
      Result<int64_t> value = artifact::evaluate(buffer.bytes, list);
      REQUIRE(value);
      CHECK(*value == bytes);
      CHECK(model.role != poly::ArrayRole::Input);
      CHECK(model.role != poly::ArrayRole::Output);
    }
  }
  CHECK(both.vector.plan.workspace.size() ==
        both.general.plan.workspace.size());
}

} // namespace

TEST_CASE("every program becomes tile kernels in both modes", "[tile_passes]") {
  for (const Program &program : programs()) {
    INFO(program.name);
    Both dynamic(program.text);
    for (const Sizes &sizes : program.sizes) {
      checkPlan(dynamic, sizes);
      Both fixed(program.text, givenOf(sizes));
      checkPlan(fixed, sizes);
      // Sizes that are known are no business of the launch.
      for (const artifact::Guard &guard : fixed.vector.plan.guards)
        CHECK(guard.kind != artifact::Guard::Kind::SizeDivisible);
    }
  }
}

TEST_CASE("guards of the examples are what their accesses need",
          "[tile_passes]") {
  using Set = std::set<std::string>;
  Both rowSum(exampleText("row_sum"));
  CHECK(rowSum.vector.guards() ==
        Set{"pointer 0 % 16", "stride 0.0 % 4", "unit 0.1", "size 1 % 4"});
  CHECK(rowSum.vector.widths(0) ==
        std::map<std::string, int64_t>{{"X", 4}, {"S", 1}});
  CHECK(rowSum.general.widths(0) ==
        std::map<std::string, int64_t>{{"X", 1}, {"S", 1}});

  Both wholeSum(exampleText("whole_sum"));
  CHECK(wholeSum.vector.guards() ==
        Set{"pointer 0 % 16", "unit 0.0", "size 0 % 4"});
  CHECK(wholeSum.vector.widths(0) ==
        std::map<std::string, int64_t>{{"X", 4}, {"s_part", 1}});
  REQUIRE(wholeSum.vector.plan.workspace.size() == 1);
  for (auto [n, bytes] : std::vector<std::pair<int64_t, int64_t>>{
           {0, 0}, {1, 4}, {65536, 4}, {65537, 8}, {1 << 30, 4 << 14}})
    CHECK(*artifact::evaluate(wholeSum.vector.plan.workspace[0].bytes, {n}) ==
          bytes);

  Both swiglu(exampleText("swiglu"));
  Set guards{"size 1 % 8"};
  for (const char *param : {"0", "1", "2"}) {
    guards.insert(std::string("pointer ") + param + " % 16");
    guards.insert(std::string("stride ") + param + ".0 % 8");
    guards.insert(std::string("unit ") + param + ".1");
  }
  CHECK(swiglu.vector.guards() == guards);
  CHECK(swiglu.vector.widths(0) ==
        std::map<std::string, int64_t>{{"G", 8}, {"U", 8}, {"Y", 8}});

  Both softmax(exampleText("softmax"));
  guards = {"size 1 % 8"};
  for (const char *param : {"0", "1"}) {
    guards.insert(std::string("pointer ") + param + " % 16");
    guards.insert(std::string("stride ") + param + ".0 % 8");
    guards.insert(std::string("unit ") + param + ".1");
  }
  CHECK(softmax.vector.guards() == guards);
  CHECK(softmax.vector.widths(0)["X"] == 8);
  CHECK(softmax.vector.widths(0)["Y"] == 8);
  CHECK(softmax.general.widths(0)["X"] == 1);

  // 8 columns of bf16 a copy of A (along k), of W and of Y (along j).
  Both ffn(exampleText("ffn_silu"));
  auto widths = ffn.vector.widths(0);
  CHECK(widths["A"] == 8);
  CHECK(widths["W"] == 8);
  CHECK(widths["Y"] == 4);
  CHECK(ffn.vector.guards() ==
        Set{"pointer 0 % 16", "stride 0.0 % 8", "unit 0.1", "pointer 1 % 16",
            "stride 1.0 % 8", "unit 1.1", "pointer 2 % 8", "stride 2.0 % 4",
            "unit 2.1", "size 1 % 8", "size 2 % 8"});
}

TEST_CASE("given sizes decide the vectors", "[tile_passes]") {
  struct Row {
    int64_t n, width;
  };
  for (const Row &row : {Row{1024, 4}, {1028, 4}, {1026, 2}, {1023, 1}}) {
    INFO(row.n);
    Both both(exampleText("row_sum"), {{"N", row.n}});
    CHECK(both.vector.widths(0)["X"] == row.width);
    CHECK(both.vector.guards().empty() == (row.width == 1));
    for (const std::string &guard : both.vector.guards())
      CHECK(guard.rfind("size", 0) != 0);
  }
  for (const Row &row : {Row{4096, 8}, {4100, 4}, {4098, 2}, {4097, 1}}) {
    INFO(row.n);
    Both both(exampleText("swiglu"), {{"N", row.n}});
    for (const char *tensor : {"G", "U", "Y"})
      CHECK(both.vector.widths(0)[tensor] == row.width);
  }
}

TEST_CASE("types decide the vectors", "[tile_passes]") {
  for (auto [type, width] : std::vector<std::pair<std::string, int64_t>>{
           {"f64", 2}, {"f32", 4}, {"f16", 8}, {"bf16", 8}}) {
    INFO(type);
    Both both("op f(X: " + type + "[M, N]) -> Y: " + type +
              "[M, N] {\n  Y[i, j] = X[i, j] * 2\n}\n");
    CHECK(both.vector.widths(0)["X"] == width);
    CHECK(both.vector.widths(0)["Y"] == width);
    CHECK(both.vector.guards().count("size 1 % " + std::to_string(width)));
  }
  // Different types: the narrowest fills 16 bytes, a wider one needs pieces.
  Both mixed("op f(X: f32[M, N], Z: bf16[M, N]) -> Y: f32[M, N] {\n"
             "  Y[i, j] = X[i, j] * f32(Z[i, j])\n}\n");
  CHECK(mixed.vector.widths(0) ==
        std::map<std::string, int64_t>{{"X", 4}, {"Z", 8}, {"Y", 4}});
}

TEST_CASE("accesses against the grain are turned, repeated ones scalar", "[tile_passes]") {
  // Y reads X across its rows and writes along them: both in vectors, which
  // threads exchange.
  Both transposed("op f(X: f32[M, N]) -> Y: f32[N, M] {\n"
                  "  Y[j, i] = X[i, j]\n}\n");
  CHECK(transposed.vector.widths(0) ==
        std::map<std::string, int64_t>{{"X", 4}, {"Y", 4}});
  // A row is one value for all columns.
  Both broadcast("op f(X: f32[M], V: f32[N]) -> Y: f32[M, N] {\n"
                 "  Y[i, j] = X[i] * V[j]\n}\n");
  CHECK(broadcast.vector.widths(0) ==
        std::map<std::string, int64_t>{{"X", 1}, {"V", 4}, {"Y", 4}});
}

TEST_CASE("launches count blocks for every size", "[tile_passes]") {
  Both ffn(exampleText("ffn_silu"));
  auto grid = [&](int64_t m, int64_t k, int64_t n) {
    return *artifact::evaluate(ffn.vector.plan.launches[0].grid, {m, k, n});
  };
  CHECK(grid(0, 4096, 128) == 0);
  CHECK(grid(1, 4096, 0) == 0);
  CHECK(grid(1, 0, 1) == 1);
  CHECK(grid(128, 1, 128) == 1);
  CHECK(grid(129, 1, 129) == 4);
  CHECK(grid(8192, 4096, 12288) == 64 * 96);
  Both sum(exampleText("whole_sum"));
  auto parts = [&](int64_t n) {
    return *artifact::evaluate(sum.vector.plan.launches[0].grid, {n});
  };
  CHECK(parts(0) == 0);
  CHECK(parts(65536) == 1);
  CHECK(parts(65537) == 2);
  // The value itself is there whatever is summed.
  CHECK(*artifact::evaluate(sum.vector.plan.launches[1].grid, {0}) == 1);
}

TEST_CASE("a square loads its operand once", "[tile]") {
  Middle program("op f(X: bf16[M, N]) -> s: f32[M] {\n"
                 "  s[i] = sum[k](f32(X[i, k]) * f32(X[i, k]))\n}\n");
  Scheduled scheduled(program);
  Built built(program, scheduled, AccessMode::Vector);
  unsigned loads = 0;
  built.module->walk([&](tile::LoadOp) { ++loads; });
  CHECK(loads == 1);
}

/// Loads inside the loops of a kernel that carry more than the accumulator,
/// and the number of values such loops carry.
static std::pair<int, unsigned> readAhead(Built &built) {
  int loads = 0;
  unsigned carried = 0;
  built.module->walk([&](mlir::scf::ForOp loop) {
    if (loop.getNumRegionIterArgs() < 2)
      return;
    carried += loop.getNumRegionIterArgs();
    bool stored = false;
    for (mlir::Operation &op : *loop.getBody()) {
      stored |= mlir::isa<tile::StoreSharedOp>(op);
      if (auto load = mlir::dyn_cast<tile::LoadOp>(op)) {
        ++loads;
        // After this round's operands are in shared memory, and guarded: the
        // last round reads where nothing is valid.
        CHECK(stored);
        CHECK(load.getValidBases().size() == 2);
      }
    }
  });
  return {loads, carried};
}

TEST_CASE("a product reads the next round's operands ahead", "[tile_passes]") {
  const std::string text =
      "(A: TYPE[M, K], B: TYPE[K, N]) -> Y: f32[M, N] {\n"
      "  Y[i, j] = sum[k](f32(A[i, k]) * f32(B[k, j]))\n}\n";
  auto of = [&](const std::string &type) {
    std::string program = "op f" + text;
    for (size_t at; (at = program.find("TYPE")) != std::string::npos;)
      program.replace(at, 4, type);
    return program;
  };
  Both narrow(of("bf16"));
  CHECK(readAhead(narrow.vector) == std::pair(2, 3u));
  CHECK(readAhead(narrow.general) == std::pair(2, 3u));
  // Operands of 32 bits have half the step, so the same bytes wait.
  Both wide(of("f32"));
  CHECK(readAhead(wide.vector) == std::pair(2, 3u));
  // Given sizes that the tile divides: the end is checked all the same.
  Both given(of("bf16"), {{"K", 64}, {"M", 128}, {"N", 256}});
  CHECK(readAhead(given.vector) == std::pair(2, 3u));
}

TEST_CASE("padded lanes take the identity of an empty one", "[tile_passes]") {
  const std::string text = "op f(X: f32[M, N]) -> S: f32[M] {\n"
                           "  S[i] = sum[k](X[i, k])\n}\n";
  auto mapped = [](Built &built) {
    int merges = 0, maps = 0;
    built.module->walk([&](tile::MergeOp merge) {
      ++merges;
      maps += merge.getCells().getDefiningOp<tile::MapOp>() != nullptr;
    });
    return std::pair(merges, maps);
  };
  // 250 of 4096 lanes hold elements: 256 cells stand for all of them.
  Both given(text, {{"N", 1000}});
  CHECK(mapped(given.vector) == std::pair(1, 1));
  Both open(text);
  CHECK(mapped(open.vector) == std::pair(1, 0));
}
