//===- TileBox.cpp - one statement's box and its accesses -----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/tile/TileBox.h"

#include <algorithm>
#include <numeric>

using namespace girih;
using namespace girih::tilegen;
using mlir::Value;
using poly::Affine;

std::string girih::tilegen::boxProblem(const poly::ScheduleTree &tree,
                                       const poly::Node &tileMark,
                                       unsigned statement,
                                       const poly::Statement &model,
                                       const std::vector<int64_t> &shape) {
  std::set<unsigned> plain;
  std::vector<std::pair<const poly::Member *, const poly::Digit *>> skewed;
  for (const poly::Node *node : poly::pathTo(tree, &tileMark)) {
    auto place =
        std::find(node->statements.begin(), node->statements.end(), statement);
    for (const poly::Member &member : node->members) {
      const poly::Digit &digit =
          member.digits[place - node->statements.begin()];
      std::vector<unsigned> dims;
      for (unsigned d = 0; d < model.dims.size(); ++d)
        if (digit.value.dimCoefficient(d) != 0)
          dims.push_back(d);
      bool isShifted = digit.value.constant != 0;
      for (int64_t factor : digit.value.params)
        isShifted |= factor != 0;
      if (isShifted)
        return "member '" + member.name + "' of '" + model.name +
               "' is shifted, which tiles cannot be so far";
      if (dims.size() > 1) {
        skewed.emplace_back(&member, &digit);
      } else if (!dims.empty()) {
        if (digit.value.dimCoefficient(dims[0]) != 1)
          return "member '" + member.name + "' of '" + model.name +
                 "' runs backwards or in strides, which tiles cannot so far";
        plain.insert(dims[0]);
      }
    }
  }
  std::set<unsigned> solved = plain;
  for (auto [member, digit] : skewed) {
    std::vector<unsigned> open;
    bool isBox = digit->divisor == 1 && digit->modulus == 0;
    for (unsigned d = 0; d < model.dims.size(); ++d) {
      if (digit->value.dimCoefficient(d) == 0)
        continue;
      isBox &= shape[d] == 1;
      if (!solved.count(d))
        open.push_back(d);
    }
    if (!isBox || open.size() > 1 ||
        (open.size() == 1 && digit->value.dimCoefficient(open[0]) != 1))
      return "member '" + member->name + "' of '" + model.name +
             "' is a sum of dims of which more than one has no loop of its "
             "own, or that the tile spans";
    solved.insert(open.begin(), open.end());
  }
  return "";
}

TileBox girih::tilegen::makeBox(const poly::ScheduleTree &tree,
                                const poly::Node &tileMark, unsigned statement,
                                unsigned rank,
                                const std::vector<int64_t> &shape,
                                const std::vector<Value> &outer,
                                IndexEmitter &index) {
  TileBox box;
  box.shape = shape;
  box.corners.assign(rank, Value());
  box.cornerMultiple.assign(rank, 0);
  size_t next = 0;
  std::vector<std::pair<const poly::Digit *, Value>> skewed;
  for (const poly::Node *node : poly::pathTo(tree, &tileMark)) {
    if (node->kind != poly::Node::Kind::Band)
      continue;
    auto place =
        std::find(node->statements.begin(), node->statements.end(), statement);
    size_t position = place - node->statements.begin();
    for (const poly::Member &member : node->members) {
      const poly::Digit &digit = member.digits[position];
      Value value = outer[next++];
      int own = -1;
      unsigned count = 0;
      for (unsigned d = 0; d < rank; ++d)
        if (digit.value.dimCoefficient(d) != 0) {
          own = int(d);
          ++count;
        }
      if (count == 0)
        continue;
      if (count > 1) {
        skewed.emplace_back(&digit, value);
        continue;
      }
      Value part = index.mul(value, digit.divisor);
      box.corners[own] =
          box.corners[own] ? index.add(box.corners[own], part) : part;
      box.cornerMultiple[own] =
          std::gcd(box.cornerMultiple[own], digit.divisor);
    }
  }
  // A skewed loop, i + 2 * t: the dim that no loop of its own has is what is
  // left once the others, which have, are taken off.
  for (auto [digit, value] : skewed) {
    Value part = value;
    int own = -1;
    for (unsigned d = 0; d < rank; ++d) {
      int64_t factor = digit->value.dimCoefficient(d);
      if (factor != 0 && box.corners[d])
        part = index.add(part, index.mul(box.corners[d], -factor));
      else if (factor != 0)
        own = int(d);
    }
    if (own < 0)
      continue; // known already
    box.corners[own] = part;
    box.cornerMultiple[own] = 1;
  }
  for (Value &corner : box.corners)
    if (!corner)
      corner = index.constant(0);
  return box;
}

ValidSet girih::tilegen::validSet(const poly::Statement &statement,
                                  const TileBox &box, IndexEmitter &index) {
  ValidSet valid;
  for (const Affine &constraint : statement.constraints) {
    bool spansBox = false, isNonNegative = constraint.constant >= 0,
         onlyBox = true;
    int64_t minimum = constraint.constant;
    for (unsigned d = 0; d < box.rank(); ++d) {
      int64_t factor = constraint.dimCoefficient(d);
      if (factor == 0)
        continue;
      spansBox |= box.shape[d] > 1;
      isNonNegative &= factor > 0;
      onlyBox &= box.cornerMultiple[d] == 0;
      minimum += std::min<int64_t>(factor * (box.shape[d] - 1), 0);
    }
    for (int64_t factor : constraint.params) {
      isNonNegative &= factor >= 0;
      onlyBox &= factor == 0;
    }
    // Dims and sizes are never negative, so neither is a sum of them.
    if (!spansBox || isNonNegative || (onlyBox && minimum >= 0))
      continue;
    valid.constraints.push_back(constraint);
    valid.bases.push_back(index.affine(constraint, box.corners));
    for (unsigned d = 0; d < box.rank(); ++d)
      valid.coefficients.push_back(constraint.dimCoefficient(d));
  }
  return valid;
}

BoxAccess girih::tilegen::boxAccess(const std::vector<Affine> &subscripts,
                                    const TileBox &box, IndexEmitter &index) {
  BoxAccess access;
  for (const Affine &subscript : subscripts) {
    access.bases.push_back(index.affine(subscript, box.corners));
    for (unsigned d = 0; d < box.rank(); ++d)
      access.coefficients.push_back(subscript.dimCoefficient(d));
  }
  return access;
}

int64_t girih::tilegen::accessVector(
    const std::vector<Affine> &subscripts, const TileBox &box,
    const ValidSet &valid, const layout::Layout &layout, int64_t limit,
    std::set<std::pair<unsigned, int64_t>> &divisible) {
  if (layout.registers.empty() || subscripts.empty())
    return 1;
  const layout::Digit &fast = layout.registers[0];
  if (fast.dim < 0 || fast.stride != 1)
    return 1;
  unsigned along = fast.dim;
  int64_t vector = 1;
  while (vector * 2 <= std::min(fast.count, limit) &&
         fast.count % (vector * 2) == 0)
    vector *= 2;

  // The step of coordinate d between vectors.
  auto step = [&](unsigned d) {
    int64_t multiple = box.cornerMultiple[d];
    auto visit = [&](const layout::Digit &digit) {
      if (digit.dim == int(d) && &digit != &fast && digit.count > 1)
        multiple = std::gcd(multiple, digit.stride);
    };
    for (const layout::Digit &digit : layout.registers)
      visit(digit);
    for (const layout::Digit &digit : layout.threads)
      visit(digit);
    return multiple;
  };
  // Whether value = unit * (coordinate along) + a multiple of vector + rest.
  auto alignedRest = [&](const Affine &affine, int64_t unit, int64_t &rest,
                         std::set<std::pair<unsigned, int64_t>> &needs) {
    if (affine.dimCoefficient(along) != unit)
      return false;
    for (unsigned d = 0; d < box.rank(); ++d)
      if (affine.dimCoefficient(d) * step(d) % vector != 0)
        return false;
    for (unsigned p = 0; p < affine.params.size(); ++p)
      if (affine.params[p] % vector != 0)
        needs.insert({p, vector});
    rest = ((affine.constant % vector) + vector) % vector;
    return true;
  };

  for (; vector > 1; vector /= 2) {
    std::set<std::pair<unsigned, int64_t>> needs;
    int64_t rest = 0;
    bool fits = alignedRest(subscripts.back(), 1, rest, needs) && rest == 0;
    for (size_t s = 0; s + 1 < subscripts.size(); ++s)
      fits &= subscripts[s].dimCoefficient(along) == 0;
    for (const Affine &constraint : valid.constraints) {
      int64_t factor = constraint.dimCoefficient(along);
      // x >= c changes at a multiple of the vector when c is one; x <= c when
      // c + 1 is.
      if (factor == 1)
        fits &= alignedRest(constraint, 1, rest, needs) && rest == 0;
      else if (factor == -1)
        fits &= alignedRest(constraint, -1, rest, needs) && rest == vector - 1;
      else
        fits &= factor == 0;
    }
    if (fits) {
      divisible.insert(needs.begin(), needs.end());
      return vector;
    }
  }
  return 1;
}
