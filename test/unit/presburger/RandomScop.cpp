//===- RandomScop.cpp - Scops drawn at random -----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/presburger/RandomScop.h"

#include <random>

using namespace girih;
using namespace girih::poly;

namespace {

class Drawing {
public:
  explicit Drawing(unsigned seed) : random(seed) {}

  Scop draw() {
    scop.name = "f";
    unsigned params = unsigned(number(0, 2));
    for (unsigned p = 0; p < params; ++p) {
      scop.params.push_back(p ? "M" : "N");
      scop.context.push_back(Affine::param(p) - Affine::of(number(0, 2)));
      if (chance(25))
        scop.context.push_back(Affine::of(number(4, 40)) - Affine::param(p));
    }
    if (params == 2 && chance(25))
      scop.context.push_back(Affine::param(0) - Affine::param(1));
    if (chance(25)) {
      TimeLoop loop;
      loop.name = "t";
      loop.extent = bound();
      scop.loops.push_back(loop);
    }
    unsigned arrays = unsigned(number(1, 2));
    for (unsigned a = 0; a < arrays; ++a) {
      Array array;
      array.name = a ? "B" : "A";
      array.role = chance(50) ? ArrayRole::Temporary : ArrayRole::InOut;
      for (int64_t d = number(0, 2); d > 0; --d)
        array.extents.push_back(bound() + Affine::of(2));
      scop.arrays.push_back(array);
    }
    unsigned count = unsigned(number(1, 3));
    for (unsigned s = 0; s < count; ++s)
      statement(s);
    return std::move(scop);
  }

private:
  int64_t number(int64_t low, int64_t high) {
    return low + int64_t(random() % uint64_t(high - low + 1));
  }
  bool chance(int percent) { return number(1, 100) <= percent; }

  Affine bound() {
    if (scop.params.empty() || chance(30))
      return Affine::of(number(2, 9));
    return Affine::param(unsigned(random() % scop.params.size()));
  }

  void statement(unsigned index) {
    Statement s;
    s.name = "S" + std::to_string(index);
    if (!scop.loops.empty()) {
      s.loops = {0};
      s.dims = {"t"};
      s.constraints = {Affine::dim(0),
                       scop.loops[0].extent - Affine::dim(0) - Affine::of(1)};
    }
    unsigned turns = unsigned(s.dims.size());
    static constexpr const char *kNames[] = {"i", "j", "k"};
    int64_t count = number(turns ? 0 : 1, chance(20) ? 3 : 2);
    for (int64_t d = 0; d < count; ++d) {
      unsigned dim = unsigned(s.dims.size());
      s.dims.push_back(kNames[d]);
      // Triangles now and then.
      bool isLow = d > 0 && chance(15), isHigh = d > 0 && chance(15);
      s.constraints.push_back(Affine::dim(dim) -
                              (isLow ? Affine::dim(dim - 1) : Affine::of(0)));
      s.constraints.push_back((isHigh ? Affine::dim(dim - 1) : bound()) -
                              Affine::dim(dim) - Affine::of(isHigh ? 0 : 1));
    }
    if (chance(20) && s.dims.size() > turns)
      s.constraints.push_back(sum(s, 2) + Affine::of(number(0, 4)));
    for (int64_t reads = number(0, 2); reads > 0; --reads)
      s.accesses.push_back(access(s, false));
    s.accesses.push_back(access(s, true));
    scop.statements.push_back(std::move(s));
  }

  /// Of dims with small coefficients.
  Affine sum(const Statement &s, int64_t most) {
    Affine result = Affine::of(number(-1, 1));
    for (unsigned d = 0; d < s.dims.size(); ++d)
      if (chance(50))
        result = result + Affine::dim(d, number(-most, most));
    return result;
  }

  Access access(const Statement &s, bool isWrite) {
    Access result;
    result.isWrite = isWrite;
    result.array = unsigned(random() % scop.arrays.size());
    unsigned rank = unsigned(scop.arrays[result.array].extents.size());
    unsigned turns = unsigned(s.loops.size());
    for (unsigned d = 0; d < rank; ++d) {
      if (!isWrite && chance(6)) {
        result.wholeFrom = int(d);
        break;
      }
      Affine subscript = sum(s, 2);
      if (turns + d < s.dims.size() && chance(65))
        subscript = Affine::dim(turns + d) + Affine::of(number(-1, 1));
      if (!scop.params.empty() && chance(8))
        subscript = subscript + Affine::param(0, chance(50) ? 1 : -1);
      result.subscripts.push_back(subscript);
    }
    return result;
  }

  std::mt19937 random;
  Scop scop;
};

} // namespace

Scop girih::test::randomScop(unsigned seed) { return Drawing(seed).draw(); }
