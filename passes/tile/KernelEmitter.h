//===- KernelEmitter.h - emits one kernel's tile program --------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_TILE_KERNELEMITTER_H
#define GIRIH_PASSES_TILE_KERNELEMITTER_H

#include "dialects/tile/Tile.h"
#include "passes/tile/BuildTile.h"
#include "passes/tile/KernelPlan.h"
#include "passes/tile/TileBox.h"

#include <functional>

namespace girih::tilegen {

/// What all kernels of one variant share.
struct VariantContext {
  te::FuncOp func;
  const poly::Scop &scop;
  const scop::StatementMap &map;
  const poly::ScheduleTree &tree;
  AccessMode mode;
  std::vector<unsigned> sizeOf; ///< Scop parameter -> size of the signature
  std::set<std::pair<unsigned, int64_t>> divisible; ///< parameter, divisor
  std::set<std::pair<unsigned, int64_t>>
      vectorParams;              ///< signature parameter, elements
  std::vector<int> workspaceOf;  ///< array -> buffer, or -1
  std::vector<int> launchLoopOf; ///< time loop -> loop of launches, or -1
  TilePlan plan;
};

/// The tile dialect's name of a te leaf.
tile::Leaf tileLeaf(te::Leaf leaf);

/// Emits one tile.kernel and its launch.
class KernelEmitter {
public:
  KernelEmitter(VariantContext &context, const poly::KernelLoops &loops,
                mlir::OpBuilder &builder);
  mlir::LogicalResult emit();

private:
  using Fragment = mlir::Value;

  struct Site;

  // Structure.
  mlir::LogicalResult addArguments(tile::KernelOp kernel);
  mlir::LogicalResult addLaunch(tile::KernelOp kernel);
  void addTurns(tile::KernelOp kernel, artifact::Launch &launch);
  mlir::LogicalResult decodeGrid();
  mlir::LogicalResult emitNode(const poly::LoopNode &node);
  mlir::LogicalResult emitFor(const poly::LoopNode &node);
  mlir::LogicalResult emitIf(const poly::LoopNode &node);
  mlir::LogicalResult emitTile(const poly::LoopNode &node);
  /// Gives what `node` perhaps writes in registers, and others read behind it,
  /// some value before it: where it is not written nobody looks at it.
  mlir::LogicalResult defineBefore(const poly::LoopNode &node);
  /// The contraction that is all of a loop's body, if the operands of the next
  /// round may be read ahead: null otherwise.
  const poly::LoopNode *soleContraction(const poly::LoopNode &loop) const;
  /// A loop around one contraction. Each round reads the operands of the next
  /// before it contracts its own; past the end nothing is valid.
  mlir::LogicalResult emitAhead(const poly::LoopNode &loop,
                                const poly::LoopNode &tile);
  /// Accumulators that updates below `node` change, among those alive.
  std::vector<unsigned> carried(const poly::LoopNode &node) const;
  bool readsDirty(const poly::LoopNode &node) const;
  /// Waits for all threads of the block: what was stored is seen, what was
  /// loaded may be overwritten.
  void barrier();
  /// A barrier where another thread may not have read yet what `site` will
  /// overwrite.
  void barrierBeforeStore(const Site &site, unsigned array,
                          const layout::Layout &layout);
  /// Emits `node`'s children, of which nothing may run.
  mlir::LogicalResult emitPerhaps(const poly::LoopNode &node);
  /// Arrays in memory that statements below `node` both write and read.
  std::set<unsigned> storedAndLoaded(const poly::LoopNode &node) const;

  // Statements.
  struct Site {
    unsigned statement;
    const poly::Statement &model;
    const scop::StatementInfo &info;
    const poly::Node &mark;
    layout::Layout layout; ///< the mark's
    TileBox box;
    ValidSet valid;
  };
  mlir::FailureOr<Site> siteOf(const poly::LoopNode &node);
  std::vector<const poly::Node *> stagesOf(const poly::LoopNode &node) const;
  mlir::LogicalResult emitMap(const Site &site);
  mlir::LogicalResult emitInit(const Site &site);
  mlir::LogicalResult emitUpdate(const Site &site);
  mlir::LogicalResult
  emitContract(const Site &site, const std::vector<const poly::Node *> &stages);
  /// One staged operand of a contraction: its box and how to read it.
  struct StagedPart {
    layout::Layout copy;
    TileBox box;
    poly::Access access;    ///< over the box's dims
    poly::Statement reader; ///< with the constraints over the box's dims
    int kAxis = -1, freeAxis = -1;
  };
  mlir::FailureOr<StagedPart>
  stagedPart(const Site &site, const poly::StageMark &mark, unsigned operand);
  mlir::FailureOr<std::vector<mlir::Value>>
  readStages(const Site &site, const std::vector<const poly::Node *> &stages);
  /// Copies what `readStages` gave to shared memory and contracts it.
  /// `beforeContract` is emitted when the copies are complete.
  mlir::LogicalResult
  contractLoaded(const Site &site,
                 const std::vector<const poly::Node *> &stages,
                 const std::vector<mlir::Value> &loaded,
                 const std::function<mlir::LogicalResult()> &beforeContract);
  mlir::LogicalResult emitMerge(const Site &site);
  mlir::LogicalResult emitScatter(const Site &site);

  // Pieces.
  /// A mark's layout: valid, of that shape, over the kernel's threads.
  mlir::FailureOr<layout::Layout> markLayout(const std::string &text,
                                             const std::vector<int64_t> &shape,
                                             const std::string &where);
  /// The fragment of one read over the site's box, in `layout`; `source` is
  /// the te.read that it comes from, for its rules.
  mlir::FailureOr<Fragment> read(const Site &site, const poly::Access &access,
                                 const layout::Layout &layout,
                                 te::ReadOp source = {});
  /// How a map's mark of a stage says that the array is read, over the site's
  /// box; nothing where there is none. Failure: the mark does not fit.
  mlir::FailureOr<std::optional<layout::Layout>>
  stagedLayout(const Site &site, const poly::Access &access);
  mlir::FailureOr<Fragment> readMemory(const Site &site,
                                       const poly::Access &access,
                                       const layout::Layout &layout,
                                       te::ReadOp source);
  /// In registers: the elements are the site's own instances.
  mlir::FailureOr<Fragment> readHeld(const Site &site,
                                     const poly::Access &access,
                                     const layout::Layout &layout,
                                     Fragment held);
  /// An element of the row that the thread holds where `read` looks for it: the
  /// same registers under other axes. Null where it is elsewhere.
  Fragment readRow(const Site &site, const poly::Access &access,
                   const layout::Layout &layout, Fragment held);
  /// What was loaded before of an array that is placed in registers: the same
  /// elements under the same conditions. Null where nothing was.
  Fragment readLoaded(unsigned array, const BoxAccess &places,
                      const ValidSet &valid, const layout::Layout &layout);
  /// A subscript or index value of te over the statement's dims; what a rule
  /// will bring inside, before it does.
  poly::Affine affineOf(const Site &site, mlir::Value index) const;
  poly::Affine affineOf(mlir::Attribute extent) const;
  /// The site's valid set and, for a guarded read, that the subscripts without
  /// rules lie inside.
  ValidSet readableSet(const Site &site, const poly::Array &array,
                       te::ReadOp source);
  /// Those of an access to memory, that of the fastest dimension last.
  std::vector<poly::Affine> subscriptsOf(const poly::Access &access) const;
  /// Where the elements of an access lie that data or rules choose.
  struct ComputedPlaces {
    BoxAccess places;
    std::vector<int32_t> rules, gatheredDims;
    std::vector<mlir::Value> extents, gathered;
  };
  /// Of the subscripts of `user`, a te.read or te.put. `skips`: what lies
  /// outside takes no part.
  mlir::FailureOr<ComputedPlaces>
  computedPlaces(const Site &site, mlir::Operation *user,
                 mlir::ValueRange indices, unsigned array,
                 const layout::Layout &layout, bool skips);
  mlir::FailureOr<Fragment> loadBound(const Site &site,
                                      const poly::Access &access,
                                      const layout::Layout &layout,
                                      te::ReadOp source);
  /// The te indices in reach of the site's body.
  static std::vector<mlir::Value> indicesOf(const scop::StatementInfo &info);
  Fragment withoutTurns(const Site &site, const poly::Access &access,
                        Fragment value);
  mlir::LogicalResult write(const Site &site, const poly::Access &access,
                            Fragment value);
  /// tile.map of the ops that `yielded` needs inside a te region.
  mlir::FailureOr<Fragment> mapBody(const Site &site, mlir::Value yielded,
                                    mlir::Block &teBlock,
                                    const layout::Layout &layout,
                                    const std::vector<mlir::Value> &teIndices);
  /// A tile.map that replaces elements with coordinate `axis` + base >= bound
  /// by `fill`.
  Fragment maskAxis(Fragment value, unsigned axis, mlir::Value base,
                    mlir::Value bound, mlir::TypedAttr fill);
  mlir::FailureOr<Fragment> readShared(const Site &site,
                                       const poly::Access &access,
                                       const layout::Layout &layout);
  mlir::FailureOr<Fragment> readCells(const Site &site,
                                      const poly::Access &source);
  int64_t workspaceVector(unsigned array, int64_t vector,
                          std::set<std::pair<unsigned, int64_t>> &needs);
  mlir::Value castTo(mlir::Value value, mlir::Type type);
  mlir::Value sharedBuffer(const std::string &name, tile::SharedType type);
  /// `value` in `layout`; dimension i of the value is dims[i] of the result
  /// (i itself when `dims` is empty).
  Fragment convertTo(Fragment value, const layout::Layout &layout,
                     llvm::ArrayRef<int64_t> dims);
  mlir::TypedAttr identityOf(te::ReduceKind kind, mlir::Type type);
  /// Zero; `negative` matters to floats only.
  mlir::TypedAttr zeroOf(mlir::Type type, bool negative);
  tile::FragType fragType(mlir::Type element, const layout::Layout &layout);
  mlir::LogicalResult fail(const std::string &message);

  VariantContext &context;
  const poly::KernelLoops &loops;
  const poly::Node &kernelNode;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  IndexEmitter index;
  KernelArrays arrays;
  std::map<unsigned, mlir::Value> globals; ///< array -> tile.global
  std::map<unsigned, Fragment> fragments;  ///< array -> value in registers
  std::map<std::string, mlir::Value> sharedBuffers;
  struct Load {
    Fragment value;
    BoxAccess places;
    ValidSet valid;
  };
  /// Of arrays that are placed in registers and made by nobody here.
  std::map<unsigned, std::vector<Load>> loads;
  unsigned loopDepth = 0;
  std::set<unsigned> dirty; ///< stored to global since the last barrier
  /// Statements that loaded an array since the last barrier, of arrays that the
  /// kernel stores.
  std::map<unsigned, std::set<unsigned>> loaded;
};

} // namespace girih::tilegen

#endif // GIRIH_PASSES_TILE_KERNELEMITTER_H
