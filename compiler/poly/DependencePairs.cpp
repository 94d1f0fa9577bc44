//===- DependencePairs.cpp - dependences at given sizes -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/DependencePairs.h"

#include "compiler/poly/Model.h"
#include "compiler/support/Diagnostics.h"

#include <isl/map.h>
#include <isl/point.h>
#include <isl/set.h>

#include <algorithm>

namespace girih::poly {

namespace {

struct Collector {
  isl_ctx *ctx;
  unsigned dims;
  size_t most;
  PairsAtSizes pairs;
};

/// One point of a wrapped and flattened map: source, then sink.
isl_stat collect(isl_point *point, void *user) {
  auto &into = *static_cast<Collector *>(user);
  if (into.pairs.list.size() >= into.most)
    into.pairs.tooMany = true;
  InstancePair pair;
  for (unsigned d = 0; d < 2 * into.dims && !into.pairs.tooMany; ++d) {
    isl_val *value = isl_point_get_coordinate_val(point, isl_dim_set, int(d));
    (d < into.dims ? pair.source : pair.sink)
        .push_back(isl_val_get_num_si(value));
    isl_val_free(value);
  }
  isl_point_free(point);
  if (into.pairs.tooMany)
    return isl_stat_error; // ends the walk
  into.pairs.list.push_back(std::move(pair));
  return isl_stat_ok;
}

isl::set setParam(const isl::set &set, unsigned param, int64_t value) {
  return isl::manage(
      isl_set_fix_val(set.copy(), isl_dim_param, param,
                      isl_val_int_from_si(set.ctx().get(), value)));
}

isl::map setParam(const isl::map &map, const std::string &name, int64_t value) {
  int at = isl_map_find_dim_by_name(map.get(), isl_dim_param, name.c_str());
  if (at < 0)
    return map;
  return isl::manage(
      isl_map_fix_val(map.copy(), isl_dim_param, unsigned(at),
                      isl_val_int_from_si(map.ctx().get(), value)));
}

/// Every size that is not fixed is looked for as near to its wish as the others
/// that were decided before it allow. A derived size follows its own.
std::optional<std::vector<int64_t>> search(isl::set sizes,
                                           const std::vector<int64_t> &wanted,
                                           const std::vector<bool> &fixed) {
  constexpr int64_t kFarthest = 4096;
  for (unsigned p = 0; p < wanted.size(); ++p)
    if (fixed[p])
      sizes = setParam(sizes, p, wanted[p]);
  if (sizes.is_empty())
    return std::nullopt;
  std::vector<int64_t> found = wanted;
  for (unsigned p = 0; p < wanted.size(); ++p) {
    if (fixed[p])
      continue;
    bool done = false;
    for (int64_t away = 0; away <= kFarthest && !done; ++away)
      for (int64_t value : {wanted[p] - away, wanted[p] + away}) {
        isl::set trial =
            value < 0 ? sizes.subtract(sizes) : setParam(sizes, p, value);
        if (trial.is_empty())
          continue;
        sizes = trial;
        found[p] = value;
        done = true;
        break;
      }
    if (!done)
      return std::nullopt;
  }
  return found;
}

} // namespace

std::optional<PairsAtSizes>
pairsWithin(const Scop &scop, const Dependence &dependence,
            const std::vector<int64_t> &sizes, unsigned from, const Point &rest,
            size_t most, const PolyBudget &budget, Diagnostics &diags) {
  IslSession session;
  auto dims = unsigned(scop.statements[dependence.source].dims.size());
  Collector collector{session.get(), dims, most, {}};
  isl::map map;
  // isl reports a quota that ends inside a parse as a syntax error.
  IslOutcome outcome = guarded(session, 0, [&] {
    map =
        own(session.get(),
            isl_map_read_from_str(session.get(), dependence.relation.c_str()));
  });
  if (outcome.finished())
    outcome = guarded(session, budget.maxOperations, [&] {
      for (size_t p = 0; p < scop.params.size(); ++p)
        map = setParam(map, scop.params[p], sizes[p]);
      for (unsigned d = from; d < dims; ++d)
        for (auto end : {isl_dim_in, isl_dim_out})
          map = isl::manage(isl_map_fix_val(
              map.copy(), end, d,
              isl_val_int_from_si(session.get(), rest[d - from])));
      isl_set *set = isl_set_flatten(isl_map_wrap(map.copy()));
      // Parameters are numbers now.
      set = isl_set_project_out(
          set, isl_dim_param, 0,
          unsigned(std::max(0, int(isl_set_dim(set, isl_dim_param)))));
      isl::set points = own(session.get(), set);
      isl_stat done = isl_set_foreach_point(points.get(), collect, &collector);
      if (done == isl_stat_error && !collector.pairs.tooMany)
        isl::exception::throw_last_error(isl::ctx(session.get()));
    });
  if (!outcome.finished()) {
    diags.error("G0715", "the dependences of '" + scop.name +
                             "' could not be enumerated: " + outcome.message);
    return std::nullopt;
  }
  PairsAtSizes &pairs = collector.pairs;
  if (pairs.tooMany)
    pairs.list.clear();
  std::sort(pairs.list.begin(), pairs.list.end());
  return pairs;
}

std::optional<std::vector<int64_t>>
sizesNear(const Scop &scop, const std::vector<int64_t> &wanted,
          const std::vector<bool> &fixed) {
  IslSession session;
  std::optional<std::vector<int64_t>> found;
  constexpr uint64_t kMostOperations = 20'000'000;
  IslOutcome outcome = guarded(session, kMostOperations, [&] {
    found = search(Model(session, scop).context(), wanted, fixed);
  });
  return outcome.finished() ? found : std::nullopt;
}

} // namespace girih::poly
