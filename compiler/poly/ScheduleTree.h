//===- ScheduleTree.h - how a Scop is to be computed ------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule tree of our own: sequences, filters, bands of named members and
// typed marks. Members are mixed-radix digits of affine expressions, so that a
// tile's corner and extent follow by substitution. An isl::schedule is made
// from it only to generate loops.
//
//   sequence
//     filter C_init, C_sum, C, Y
//       kernel "matmul_silu_0" threads 256
//         band io: C_init -> floor(i/128), C_sum -> floor(i/128) ...   grid
//         coincident
//              jo: ...                                                 grid
//              coincident
//           sequence
//             filter C_init
//               tile shape [128, 128] layout "..."
//                 band ii: C_init -> i mod 128
//                      jj: C_init -> j mod 128
//             filter C_sum
//               band ko: C_sum -> floor(k/16)   loop
//                 stage A ...
//                   tile ...
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_POLY_SCHEDULETREE_H
#define GIRIH_COMPILER_POLY_SCHEDULETREE_H

#include "compiler/poly/Scop.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace girih::poly {

/// floor((modulus ? value mod modulus : value) / divisor). modulus is 0 (none)
/// or a multiple of divisor. (divisor 1, modulus 0) is the value itself.
struct Digit {
  Affine value; ///< over the statement's dims and parameters
  int64_t divisor = 1;
  int64_t modulus = 0;
  bool operator==(const Digit &other) const;
};

/// What a band member becomes.
enum class Binding {
  Loop,  ///< a loop in the kernel
  Grid,  ///< one digit of the block index; must be coincident
  Point, ///< an axis of the tile below the band's tile mark
  Time,  ///< the turns of a time loop, above the kernels that it repeats
  // In plain trees only: what completion makes points of a tile from.
  Thread, ///< over threads; must be coincident
  Vector, ///< neighbours in one thread's registers, accessed at once
  Unroll  ///< in one thread's registers
};

constexpr bool isCarriedByTile(Binding binding) {
  return binding == Binding::Thread || binding == Binding::Vector ||
         binding == Binding::Unroll;
}

/// One dimension of a band: for every statement under the band, a digit.
struct Member {
  std::string name;
  Binding binding = Binding::Loop;
  bool coincident = false;
  /// Parallel to the band's statements(): see Node::statements.
  std::vector<Digit> digits;
};

/// Where an array lives while one kernel runs.
enum class Place { Global, Workspace, Shared, Register };

struct KernelMark {
  std::string name;
  unsigned threads = 0;
  /// Place of each temporary and accumulator written or read in the kernel.
  struct ArrayPlace {
    unsigned array = 0;
    Place place = Place::Workspace;
  };
  std::vector<ArrayPlace> places;
};

/// The band below is one tile op: `shape` is its box (one extent per point
/// member), `layout` the distribution of its result over threads and
/// registers (text of layout::Layout).
struct TileMark {
  std::vector<int64_t> shape;
  std::string layout;
};

/// Before the tile below runs, the part of `array` that it reads is copied
/// to shared memory, distributed for the copy by `layout` over the box `shape`
/// of array dimensions `dims` order; `as` is the statement body's operand
/// index.
struct StageMark {
  unsigned array = 0;
  std::vector<int64_t> shape; ///< one extent per array dimension
  std::string layout;
};

struct Node;
using NodePtr = std::unique_ptr<Node>;

struct Node {
  enum class Kind { Sequence, Filter, Band, Kernel, Tile, Stage, Leaf };
  Kind kind = Kind::Leaf;
  std::vector<unsigned> statements; ///< active at this node (sorted, by index)
  std::vector<NodePtr>
      children; ///< sequence: filters in order; else one (leaf: none)
  std::vector<Member> members; ///< band
  bool permutable = false;     ///< band
  KernelMark kernel;
  TileMark tile;
  StageMark stage;
  /// Place of the directive or text line that made this node (0 = none).
  unsigned line = 0;
};

/// The root is a Sequence of Filters (kernels in order). A filter may hold,
/// instead of a kernel, a band of time members above such a sequence, or above
/// one kernel: the kernels of a time loop.
///
/// A tree without any kernel mark is *plain*: an order only, not yet divided
/// into launches and tiles. Its paths end at leaves, and its members may say
/// what they are to become.
struct ScheduleTree {
  NodePtr root;
};

NodePtr cloneNode(const Node &node);
NodePtr makeNode(Node::Kind kind, std::vector<unsigned> statements);

/// The digit of member `member` of `band` for `statement`, which must be one of
/// the band's statements.
const Digit &digitOf(const Node &band, size_t member, unsigned statement);
/// The nodes from the root to `node`, both included; empty if it is elsewhere.
std::vector<const Node *> pathTo(const ScheduleTree &tree, const Node *node);
/// The nodes from the root down to the leaf that schedules `statement`, by
/// the filters that hold it; empty if no leaf does.
std::vector<const Node *> pathOf(const ScheduleTree &tree, unsigned statement);
/// The kernel that `statement` is in; null if there is none.
const Node *kernelOf(const ScheduleTree &tree, unsigned statement);
/// Whether the tree has no kernel mark (a tree of nothing is not plain).
bool isPlain(const ScheduleTree &tree);
/// All kernels, in order.
std::vector<const Node *> kernelsOf(const ScheduleTree &tree);
/// `floor((i mod 128)/32)`: how the text forms and messages write a digit.
std::string printDigit(const Scop &scop, unsigned statement,
                       const Digit &digit);

/// The tree as a nest of loops, for people: what runs in what, and how.
std::string printNest(const Scop &scop, const ScheduleTree &tree);
std::string printScheduleTree(const Scop &scop, const ScheduleTree &tree);
/// Reads printScheduleTree's text; reports errors (G0712) with their place. The
/// result is well formed as a text only: verifyScheduleTree, then
/// checkLegality, decide whether it is a schedule.
std::optional<ScheduleTree>
readScheduleTree(const Scop &scop, const std::string &text, Diagnostics &diags);
/// Structural rules: filters partition the statements, digits cover each
/// statement, point members only directly below a tile mark, a tile has one
/// statement and shape of the members' count (a tile without point members has
/// a leaf below), grid members are coincident and above loops and sequences,
/// each filter of the root holds one kernel or a time loop, whose members are
/// the turns of all its statements, a stage stands above its one
/// statement's tile, member names differ along a path. Reports (G0713) and
/// returns false when broken.
bool verifyScheduleTree(const Scop &scop, const ScheduleTree &tree,
                        Diagnostics &diags);

} // namespace girih::poly

#endif // GIRIH_COMPILER_POLY_SCHEDULETREE_H
