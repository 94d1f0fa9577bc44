//===- Model.cpp - a Scop's sets and maps in isl --------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/Model.h"

#include <isl/constraint.h>

#include <algorithm>

namespace girih::poly {

namespace {

isl_constraint *setCoefficients(isl_ctx *ctx, isl_constraint *constraint,
                                isl_dim_type type,
                                const std::vector<int64_t> &coefficients) {
  for (size_t i = 0; i < coefficients.size(); ++i)
    if (coefficients[i] != 0)
      constraint = isl_constraint_set_coefficient_val(
          constraint, type, static_cast<int>(i),
          isl_val_int_from_si(ctx, coefficients[i]));
  return constraint;
}

} // namespace

isl_basic_set *withConstraint(isl_basic_set *set, const Affine &affine) {
  isl_ctx *ctx = isl_basic_set_get_ctx(set);
  isl_constraint *constraint = isl_constraint_alloc_inequality(
      isl_local_space_from_space(isl_basic_set_get_space(set)));
  constraint = setCoefficients(ctx, constraint, isl_dim_set, affine.dims);
  constraint = setCoefficients(ctx, constraint, isl_dim_param, affine.params);
  constraint = isl_constraint_set_constant_val(
      constraint, isl_val_int_from_si(ctx, affine.constant));
  return isl_basic_set_add_constraint(set, constraint);
}

isl_basic_map *withConstraint(isl_basic_map *map, const Affine &inputs,
                              const Affine &outputs, bool equality) {
  isl_ctx *ctx = isl_basic_map_get_ctx(map);
  isl_local_space *space =
      isl_local_space_from_space(isl_basic_map_get_space(map));
  isl_constraint *constraint = equality
                                   ? isl_constraint_alloc_equality(space)
                                   : isl_constraint_alloc_inequality(space);
  constraint = setCoefficients(ctx, constraint, isl_dim_in, inputs.dims);
  constraint = setCoefficients(ctx, constraint, isl_dim_out, outputs.dims);
  // Parameters and constants of both sides are summed by hand: a second call
  // would replace the first one's coefficients.
  Affine sum = Affine{{}, inputs.params, inputs.constant} +
               Affine{{}, outputs.params, outputs.constant};
  constraint = setCoefficients(ctx, constraint, isl_dim_param, sum.params);
  constraint = isl_constraint_set_constant_val(
      constraint, isl_val_int_from_si(ctx, sum.constant));
  return isl_basic_map_add_constraint(map, constraint);
}

isl_space *Model::newSetSpace(unsigned dims) const {
  isl_space *space = isl_space_set_alloc(
      ctx(), static_cast<unsigned>(plain.params.size()), dims);
  for (size_t p = 0; p < plain.params.size(); ++p)
    space =
        isl_space_set_dim_name(space, isl_dim_param, static_cast<unsigned>(p),
                               plain.params[p].c_str());
  return space;
}

isl_space *Model::newStatementSpace(unsigned statement) const {
  const Statement &s = plain.statements[statement];
  isl_space *space = newSetSpace(static_cast<unsigned>(s.dims.size()));
  space = isl_space_set_tuple_name(space, isl_dim_set, s.name.c_str());
  for (size_t d = 0; d < s.dims.size(); ++d)
    space = isl_space_set_dim_name(space, isl_dim_set, static_cast<unsigned>(d),
                                   s.dims[d].c_str());
  return space;
}

Model::Model(const IslSession &session, const Scop &scop)
    : session(session), plain(scop) {
  isl_basic_set *bounds =
      isl_basic_set_universe(isl_space_params(newSetSpace(0)));
  for (const Affine &constraint : scop.context)
    bounds = withConstraint(bounds, constraint);
  sizes = own(ctx(), isl_set_from_basic_set(bounds));
  for (unsigned s = 0; s < scop.statements.size(); ++s) {
    isl_basic_set *set = isl_basic_set_universe(newStatementSpace(s));
    for (const Affine &constraint : scop.statements[s].constraints)
      set = withConstraint(set, constraint);
    isl::set domain = own(ctx(), isl_set_from_basic_set(set));
    domains.push_back(domain.intersect_params(sizes));
  }
}

isl::map Model::access(unsigned statement, unsigned access) const {
  const Access &a = plain.statements[statement].accesses[access];
  const Array &array = plain.arrays[a.array];
  auto rank = static_cast<unsigned>(array.extents.size());
  isl_space *range = isl_space_set_tuple_name(newSetSpace(rank), isl_dim_set,
                                              array.name.c_str());
  isl_basic_map *map = isl_basic_map_universe(
      isl_space_map_from_domain_and_range(newStatementSpace(statement), range));
  for (unsigned d = 0; d < rank; ++d) {
    if (d < a.subscripts.size()) {
      map = withConstraint(map, a.subscripts[d] * -1, Affine::dim(d), true);
      continue;
    }
    map = withConstraint(map, {}, Affine::dim(d), false);
    map = withConstraint(map, {},
                         array.extents[d] -
                             Affine::dim(d, array.extentDivisor(d)) -
                             Affine::of(1),
                         false);
  }
  return own(ctx(), isl_map_from_basic_map(map))
      .intersect_domain(domain(statement));
}

isl::pw_aff Model::digit(unsigned statement, const Digit &digit) const {
  isl_aff *aff = isl_aff_zero_on_domain(
      isl_local_space_from_space(newStatementSpace(statement)));
  for (size_t d = 0; d < digit.value.dims.size(); ++d)
    if (digit.value.dims[d])
      aff = isl_aff_set_coefficient_val(
          aff, isl_dim_in, static_cast<int>(d),
          isl_val_int_from_si(ctx(), digit.value.dims[d]));
  for (size_t p = 0; p < digit.value.params.size(); ++p)
    if (digit.value.params[p])
      aff = isl_aff_set_coefficient_val(
          aff, isl_dim_param, static_cast<int>(p),
          isl_val_int_from_si(ctx(), digit.value.params[p]));
  aff = isl_aff_set_constant_val(
      aff, isl_val_int_from_si(ctx(), digit.value.constant));
  if (digit.modulus)
    aff = isl_aff_mod_val(aff, isl_val_int_from_si(ctx(), digit.modulus));
  if (digit.divisor != 1)
    aff = isl_aff_floor(
        isl_aff_scale_down_val(aff, isl_val_int_from_si(ctx(), digit.divisor)));
  return own(ctx(), isl_pw_aff_from_aff(aff));
}

isl::map Model::orderAfter(unsigned statement, unsigned equal) const {
  auto count = static_cast<unsigned>(plain.statements[statement].dims.size());
  isl_space *space = isl_space_map_from_set(newStatementSpace(statement));
  isl_map *result = isl_map_empty(isl_space_copy(space));
  for (unsigned first = equal; first < count; ++first) {
    isl_basic_map *before = isl_basic_map_universe(isl_space_copy(space));
    for (unsigned d = 0; d < first; ++d)
      before = withConstraint(before, Affine::dim(d, -1), Affine::dim(d), true);
    before = withConstraint(before, Affine::dim(first, -1) - Affine::of(1),
                            Affine::dim(first), false);
    result = isl_map_union(result, isl_map_from_basic_map(before));
  }
  isl_space_free(space);
  return own(ctx(), result)
      .intersect_domain(domain(statement))
      .intersect_range(domain(statement));
}

isl::map Model::textualOrder(unsigned source, unsigned sink) const {
  if (source == sink)
    return orderAfter(source, 0);
  size_t common = commonLoops(plain.statements[source], plain.statements[sink]);
  isl_space *space = isl_space_map_from_domain_and_range(
      newStatementSpace(source), newStatementSpace(sink));
  isl_map *result = isl_map_empty(isl_space_copy(space));
  for (unsigned first = 0; first < common + (source < sink); ++first) {
    isl_basic_map *before = isl_basic_map_universe(isl_space_copy(space));
    for (unsigned d = 0; d < first; ++d)
      before = withConstraint(before, Affine::dim(d, -1), Affine::dim(d), true);
    if (first < common)
      before = withConstraint(before, Affine::dim(first, -1) - Affine::of(1),
                              Affine::dim(first), false);
    result = isl_map_union(result, isl_map_from_basic_map(before));
  }
  isl_space_free(space);
  return own(ctx(), result)
      .intersect_domain(domain(source))
      .intersect_range(domain(sink));
}

isl::map Model::textualTime(unsigned statement) const {
  // [place, turn, place, turn, ..., statement, dims]: a place is the first
  // statement of a loop.
  size_t longest = 0;
  for (const Statement &s : plain.statements)
    longest = std::max(longest, s.loops.size() + s.dims.size());
  auto count = static_cast<unsigned>(longest + 1);
  const Statement &self = plain.statements[statement];
  std::vector<Affine> values;
  for (size_t l = 0; l < self.loops.size(); ++l) {
    unsigned place = statement;
    while (place > 0 && commonLoops(plain.statements[place - 1], self) > l)
      --place;
    values.push_back(Affine::of(place));
    values.push_back(Affine::dim(static_cast<unsigned>(l)));
  }
  values.push_back(Affine::of(statement));
  for (size_t d = self.loops.size(); d < self.dims.size(); ++d)
    values.push_back(Affine::dim(static_cast<unsigned>(d)));
  isl_basic_map *map =
      isl_basic_map_universe(isl_space_map_from_domain_and_range(
          newStatementSpace(statement), newSetSpace(count)));
  for (unsigned t = 0; t < count; ++t) {
    Affine value = t < values.size() ? values[t] : Affine();
    map = withConstraint(map, value * -1, Affine::dim(t), true);
  }
  return own(ctx(), isl_map_from_basic_map(map));
}

isl::set Model::initialised(const Reduction &reduction) const {
  isl_basic_map *map = isl_basic_map_universe(
      isl_space_map_from_domain_and_range(newStatementSpace(reduction.update),
                                          newStatementSpace(reduction.init)));
  size_t dims = plain.statements[reduction.init].dims.size();
  for (unsigned d = 0; d < std::min<size_t>(dims, reduction.cellEnd); ++d)
    map = withConstraint(map, Affine::dim(d, -1), Affine::dim(d), true);
  isl::map toInit = own(ctx(), isl_map_from_basic_map(map));
  bool sameTurn = plain.statements[reduction.init].loops ==
                  plain.statements[reduction.update].loops;
  if (!sameTurn || dims != reduction.cellEnd)
    return toInit.domain().subtract(toInit.domain());
  return toInit.intersect_range(domain(reduction.init))
      .domain()
      .intersect(domain(reduction.update));
}

unsigned Model::statementOf(const char *tupleName) const {
  return tupleName ? plain.findStatement(tupleName)
                   : static_cast<unsigned>(plain.statements.size());
}

} // namespace girih::poly
