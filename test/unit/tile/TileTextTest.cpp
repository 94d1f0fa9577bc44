//===- TileTextTest.cpp - the tile dialect is read back as printed --------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/tile/ReadTile.h"

#include <catch2/catch.hpp>

using namespace girih;

static const char *const kEveryOp = R"mlir(
!g = !tile.global<f32, 2, 4>
!x = !tile.frag<f32, "[8, 64] r(4@1:1) t(16@1:4, 8@0:1)">
!s = !tile.frag<f32, "[8] r() t(16@-, 8@0:1)">
tile.kernel @all threads 128 (%X "X": !g, %Y "Y": !g, %M "M": index) {
  %b = tile.block_id
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %x = tile.load %X[%b, %c0] by [1, 0, 0, 1] valid [%M] by [-1, 0] {vector = 4 : i32} : !g -> !x
  %w = tile.load %X[%b, %c0] by [1, 0, 0, 1] : !g -> !x
  %zero = tile.fill 0.0 : f32 : !x
  %y = tile.map(%x, %w) index [%b] by [1, 0] : (!x, !x) -> !x {
  ^bb0(%a: f32, %c: f32, %i: index):
    %p = te.binary mul %a, %c : f32
    tile.yield %p : f32
  }
  %loop = scf.for %k = %c0 to %M step %c8 iter_args(%acc = %zero) -> (!x) {
    scf.yield %acc : !x
  }
  %cell = tile.fill 0.0 : f32 : !tile.frag<f32, "[8, 16] r() t(16@1:1, 8@0:1)">
  %m = tile.merge sum halving %cell : !tile.frag<f32, "[8, 16] r() t(16@1:1, 8@0:1)"> -> !s
  %n = tile.merge max pairwise %cell : !tile.frag<f32, "[8, 16] r() t(16@1:1, 8@0:1)"> -> !s
  %q = tile.convert %m dims [0] : !s -> !x
  %row = tile.fill 1.0 : f32 : !tile.frag<f32, "[1, 512] r(4@1:1) t(128@1:4)">
  %group = tile.regroup %row at [1, 0, 0, 1] as [1, 0, 0, 0, 4, 1] : <f32, "[1, 512] r(4@1:1) t(128@1:4)"> -> <f32, "[1, 128, 4] r(4@2:1) t(128@1:1)">
  %again = tile.regroup fresh %group at [1, 0, 0, 0, 4, 1] as [1, 0, 0, 1] : <f32, "[1, 128, 4] r(4@2:1) t(128@1:1)"> -> <f32, "[1, 512] r(4@1:1) t(128@1:4)">
  %in = tile.fill 1.0 : f32 : !tile.frag<f32, "[8, 16, 4] r(4@2:1) t(16@1:1, 8@0:1)">
  %r = tile.reduce sum plain keeping 2 (%in) into %cell valid [%M] by [0, 0, -1] : !tile.frag<f32, "[8, 16, 4] r(4@2:1) t(16@1:1, 8@0:1)"> -> !tile.frag<f32, "[8, 16] r() t(16@1:1, 8@0:1)">
  %f = tile.reduce sum fma keeping 2 (%in, %in) into %cell : !tile.frag<f32, "[8, 16, 4] r(4@2:1) t(16@1:1, 8@0:1)">, !tile.frag<f32, "[8, 16, 4] r(4@2:1) t(16@1:1, 8@0:1)"> -> !tile.frag<f32, "[8, 16] r() t(16@1:1, 8@0:1)">
  %sa = tile.alloc_shared "A" : !tile.shared<f32, [8, 64], [68, 1]>
  %sb = tile.alloc_shared "B" : !tile.shared<f32, [8, 8], [8, 1]>
  tile.store_shared %y, %sa : !x, !tile.shared<f32, [8, 64], [68, 1]>
  tile.barrier
  %back = tile.load_shared %sa : !tile.shared<f32, [8, 64], [68, 1]> -> !x
  %acc = tile.fill 0.0 : f32 : !tile.frag<f32, "[64, 8] r(4@0:1) t(16@0:4, 8@1:1)">
  %d = tile.contract fma %sa, %sb into %acc : !tile.shared<f32, [8, 64], [68, 1]>, !tile.shared<f32, [8, 8], [8, 1]>, !tile.frag<f32, "[64, 8] r(4@0:1) t(16@0:4, 8@1:1)"> -> !tile.frag<f32, "[64, 8] r(4@0:1) t(16@0:4, 8@1:1)">
  tile.store %back, %Y[%b, %c0] by [1, 0, 0, 1] valid [%M] by [-1, 0] {vector = 4 : i32} : !x, !g
}
tile.kernel @nothing threads 32 () {
}
)mlir";

TEST_CASE("every tile op is read back as printed") {
  TileReader reader;
  mlir::OwningOpRef<mlir::ModuleOp> module = reader.read(kEveryOp);
  INFO(reader.errors);
  REQUIRE(module);
  std::string once = printed(*module);
  mlir::OwningOpRef<mlir::ModuleOp> again = reader.read(once);
  INFO(once << reader.errors);
  REQUIRE(again);
  CHECK(printed(*again) == once);
  CHECK(once.find("tile.kernel @all threads 128 (%arg0 \"X\": "
                  "!tile.global<f32, 2, 4>, ") != std::string::npos);
  CHECK(once.find("tile.map(") != std::string::npos);
  CHECK(once.find("index [%") != std::string::npos);
}

TEST_CASE("accessors of what was read") {
  TileReader reader;
  mlir::OwningOpRef<mlir::ModuleOp> module = reader.read(kEveryOp);
  REQUIRE(module);
  int loads = 0;
  module->walk([&](tile::LoadOp load) {
    ++loads;
    CHECK(tile::layoutOf(load.getResult()).shape ==
          std::vector<int64_t>{8, 64});
    CHECK(load.getBases().size() == 2);
    CHECK(load.getVector() == (load.getValidBases().empty() ? 1u : 4u));
  });
  CHECK(loads == 2);
  module->walk([&](tile::AllocSharedOp alloc) {
    auto type = alloc.getResult().getType();
    CHECK(type.bytes() == (alloc.getName() == "A" ? 4 * (7 * 68 + 64) : 256));
  });
}

TEST_CASE("a load is built without valid constraints and with vector 1") {
  TileReader reader;
  mlir::OpBuilder builder(&reader.context);
  mlir::Location loc = builder.getUnknownLoc();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  auto kernel = tile::KernelOp::create(builder, loc, "k", 32,
                                       builder.getStrArrayAttr({"X"}));
  mlir::Block &block = kernel.getBody().emplaceBlock();
  auto global =
      tile::GlobalType::get(&reader.context, builder.getF32Type(), 1, 1);
  mlir::Value tensor = block.addArgument(global, loc);
  builder.setInsertionPointToEnd(&block);
  mlir::Value id = tile::BlockIdOp::create(builder, loc);
  auto frag = tile::FragType::get(builder.getF32Type(),
                                  *layout::streamingLayout({32}, 32, 1));
  mlir::Value value =
      tile::LoadOp::create(builder, loc, frag, tensor, mlir::ValueRange{id},
                           llvm::ArrayRef<int64_t>{1}, mlir::ValueRange{},
                           llvm::ArrayRef<int64_t>{});
  tile::StoreOp::create(builder, loc, value, tensor, mlir::ValueRange{id},
                        llvm::ArrayRef<int64_t>{1}, mlir::ValueRange{},
                        llvm::ArrayRef<int64_t>{});
  CHECK(mlir::succeeded(module->verify()));
  CHECK(reader.read(printed(*module)));
}
