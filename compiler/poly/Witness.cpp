//===- Witness.cpp - the smallest conflict, and what to say of it ---------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/Witness.h"

#include <isl/constraint.h>
#include <isl/point.h>

#include <algorithm>

namespace girih::poly {

namespace {

std::optional<int64_t> coordinate(isl_ctx *ctx, isl_point *point,
                                  unsigned position) {
  isl::val value =
      own(ctx, isl_point_get_coordinate_val(point, isl_dim_set,
                                            static_cast<int>(position)));
  // Anything beyond is no witness that a person could use.
  if (isl_val_cmp_si(value.get(), int64_t(1) << 53) > 0 ||
      isl_val_cmp_si(value.get(), -(int64_t(1) << 53)) < 0)
    return std::nullopt;
  return isl_val_get_num_si(value.get());
}

/// Frees the point on every way out.
struct PointOwner {
  isl_point *point;
  ~PointOwner() { isl_point_free(point); }
};

std::optional<Witness> search(const Model &model, unsigned source,
                              unsigned sink, const isl::map &pairs) {
  isl_ctx *ctx = model.ctx();
  const Scop &scop = model.scop();
  auto params = static_cast<unsigned>(scop.params.size());
  isl_set *set = isl_set_flatten(isl_map_wrap(pairs.copy()));
  set = isl_set_align_params(set, isl_space_params(model.newSetSpace(0)));
  // Sizes are counts: without this, a missing context has no smallest.
  for (unsigned p = 0; p < params; ++p)
    set = isl_set_lower_bound_si(set, isl_dim_param, p, 0);
  set = isl_set_move_dims(set, isl_dim_set, 0, isl_dim_param, 0, params);
  // A dimension in front that is the sum of sizes makes them small together.
  set = isl_set_insert_dims(set, isl_dim_set, 0, 1);
  isl::set ready = own(ctx, set);
  isl_constraint *sum = isl_constraint_alloc_equality(
      isl_local_space_from_space(isl_set_get_space(ready.get())));
  sum = isl_constraint_set_coefficient_si(sum, isl_dim_set, 0, -1);
  for (unsigned p = 0; p < params; ++p)
    sum = isl_constraint_set_coefficient_si(sum, isl_dim_set,
                                            static_cast<int>(p + 1), 1);
  isl::set smallest =
      own(ctx, isl_set_lexmin(isl_set_add_constraint(ready.copy(), sum)));
  PointOwner owner{isl_set_sample_point(smallest.copy())};
  if (!owner.point)
    isl::exception::throw_last_error(isl::ctx(ctx));
  if (isTrue(ctx, isl_point_is_void(owner.point)))
    return std::nullopt;
  Witness witness;
  witness.sourceStatement = source;
  witness.sinkStatement = sink;
  unsigned next = 1;
  auto take = [&](int64_t &out) {
    std::optional<int64_t> value = coordinate(ctx, owner.point, next++);
    out = value.value_or(0);
    return value.has_value();
  };
  for (unsigned p = 0; p < params; ++p) {
    witness.sizes.emplace_back(scop.params[p], 0);
    if (!take(witness.sizes.back().second))
      return std::nullopt;
  }
  for (auto [statement, into] :
       {std::pair(source, &witness.source), std::pair(sink, &witness.sink)})
    for (size_t d = 0; d < scop.statements[statement].dims.size(); ++d)
      if (!take(into->emplace_back()))
        return std::nullopt;
  return witness;
}

std::vector<int64_t> sizesOf(const Witness &witness) {
  std::vector<int64_t> sizes;
  for (const auto &[name, value] : witness.sizes)
    sizes.push_back(value);
  return sizes;
}

} // namespace

std::optional<Witness> smallestPair(const Model &model, unsigned source,
                                    unsigned sink, const isl::map &pairs) {
  try {
    return search(model, source, sink, pairs);
  } catch (const isl::exception &) {
    // The verdict stands without an example of it.
    return std::nullopt;
  }
}

int64_t evaluate(const Affine &affine, const std::vector<int64_t> &dims,
                 const std::vector<int64_t> &params) {
  int64_t value = affine.constant;
  for (size_t d = 0; d < affine.dims.size(); ++d)
    value += affine.dims[d] * dims.at(d);
  for (size_t p = 0; p < affine.params.size(); ++p)
    value += affine.params[p] * params.at(p);
  return value;
}

int64_t evaluate(const Digit &digit, const std::vector<int64_t> &dims,
                 const std::vector<int64_t> &params) {
  auto floorDivide = [](int64_t a, int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
  };
  int64_t value = evaluate(digit.value, dims, params);
  if (digit.modulus)
    value -= digit.modulus * floorDivide(value, digit.modulus);
  return floorDivide(value, digit.divisor);
}

void findElement(const Scop &scop, const Piece &piece, Witness &witness) {
  std::vector<int64_t> sizes = sizesOf(witness);
  bool sourceWrites = piece.kind != DependenceKind::Anti;
  bool sinkWrites = piece.kind != DependenceKind::Flow;
  // An instance may touch several elements of the array: the one that both do.
  for (const Access &first : scop.statements[witness.sourceStatement].accesses)
    for (const Access &second :
         scop.statements[witness.sinkStatement].accesses) {
      if (first.array != piece.array || second.array != piece.array ||
          first.isWrite != sourceWrites || second.isWrite != sinkWrites)
        continue;
      std::vector<int64_t> element;
      bool meet = true;
      for (unsigned d = 0; d < scop.arrays[piece.array].extents.size(); ++d) {
        // Where data decide or all are meant, the other says which; else the
        // first will do.
        bool hasFirst = !first.isAny(d), hasSecond = !second.isAny(d);
        int64_t one =
            hasFirst ? evaluate(first.subscripts[d], witness.source, sizes) : 0;
        int64_t other =
            hasSecond ? evaluate(second.subscripts[d], witness.sink, sizes) : 0;
        meet &= !hasFirst || !hasSecond || one == other;
        element.push_back(hasFirst ? one : other);
      }
      if (!meet)
        continue;
      witness.array = piece.array;
      witness.element = std::move(element);
      return;
    }
}

std::string printInstance(const std::string &name,
                          const std::vector<int64_t> &at) {
  std::string text = name + "[";
  for (size_t i = 0; i < at.size(); ++i)
    text += (i ? ", " : "") + std::to_string(at[i]);
  return text + "]";
}

std::string printConflict(const Scop &scop, const Piece &piece,
                          const std::optional<Witness> &witness) {
  const std::string &array = scop.arrays[piece.array].name;
  std::string source = "'" + scop.statements[piece.source].name + "'";
  std::string sink = "'" + scop.statements[piece.sink].name + "'";
  std::string element = "'" + array + "'";
  std::string sizes;
  if (witness) {
    source = printInstance(scop.statements[piece.source].name, witness->source);
    sink = printInstance(scop.statements[piece.sink].name, witness->sink);
    element = printInstance(array, witness->element);
    for (const auto &[name, value] : witness->sizes)
      sizes += (sizes.empty() ? " (at " : ", ") + name + " = " +
               std::to_string(value);
    sizes += sizes.empty() ? "" : ")";
  }
  if (piece.order != Piece::Order::Plain)
    return (piece.source == piece.sink && !witness ? "two updates of " + source
                                                   : source + " and " + sink) +
           (witness ? " both update " : " meet at ") + element + sizes;
  switch (piece.kind) {
  case DependenceKind::Flow:
    return sink + " reads " + element + " that " + source + " writes" + sizes;
  case DependenceKind::Anti:
    return source + " reads " + element + " before " + sink + " overwrites it" +
           sizes;
  case DependenceKind::Output:
    break;
  }
  return source + " and " + sink + " both write " + element + sizes;
}

} // namespace girih::poly
