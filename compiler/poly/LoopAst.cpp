//===- LoopAst.cpp - loops generated from a schedule tree -----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// isl sees one instance per tile: the domain is projected on the digits above
// the tile mark, so the schedule's bands are plain coordinates of it, empty
// tiles do not exist, and the arguments of the user node are the digits.
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/LoopAst.h"
#include "compiler/poly/LoopBuild.h"
#include "compiler/poly/Model.h"
#include "compiler/poly/Structure.h"
#include "compiler/support/Diagnostics.h"

#include <isl/ast_build.h>
#include <isl/constraint.h>
#include <isl/schedule_node.h>

#include <algorithm>

namespace girih::poly {

namespace {

class KernelBuilder {
public:
  KernelBuilder(const Model &model, const ScheduleTree &tree,
                const Node &kernel)
      : model(model), scop(model.scop()), kernel(kernel),
        tiles(scop.statements.size()) {
    for (unsigned s : kernel.statements)
      describe(pathOf(tree, s), s);
  }

  KernelLoops run() {
    KernelLoops result;
    result.kernel = &kernel;
    for (size_t g = 0; g < gridCount; ++g) {
      GridMember member = gridMember(g);
      if (g >= timeCount)
        result.grid.push_back(std::move(member));
    }
    const std::vector<unsigned> &around =
        scop.statements[kernel.statements[0]].loops;
    result.loops.assign(around.begin(),
                        around.begin() +
                            static_cast<std::ptrdiff_t>(timeCount));
    std::optional<isl::schedule> schedule =
        build(*kernel.children[0], timeCount);
    isl_ctx *ctx = model.ctx();
    size_t deepest = 0;
    for (const TilePath &tile : tiles)
      deepest = std::max(deepest, tile.members.size());
    LoopNames names{scop.params.size(), gridIds(), {}};
    isl_id_list *iterators = isl_id_list_alloc(ctx, static_cast<int>(deepest));
    for (size_t d = 0; d < deepest; ++d) {
      isl::id id =
          own(ctx, isl_id_alloc(ctx, ("it" + std::to_string(d)).c_str(),
                                const_cast<char *>(&kIteratorTag)));
      names.iterators.push_back(id);
      iterators = isl_id_list_add(iterators, id.copy());
    }
    isl_ast_build *astBuild = isl_ast_build_from_context(context.copy());
    astBuild = isl_ast_build_set_iterators(astBuild, iterators);
    isl_ast_node *ast =
        isl_ast_build_node_from_schedule(astBuild, schedule->copy());
    isl_ast_build_free(astBuild);
    isl::ast_node owned = own(ctx, ast);
    result.body = LoopReader(model, names, tiles, gridCount).read(owned);
    return result;
  }

private:
  /// Fills in a statement's members above its tile and its set of tiles.
  void describe(const std::vector<const Node *> &path, unsigned s) {
    TilePath &tile = tiles[s];
    isl_ctx *ctx = model.ctx();
    isl_multi_pw_aff *digits = nullptr;
    std::vector<isl::pw_aff> values;
    for (const Node *node : path) {
      tile.node = node;
      if (node->kind == Node::Kind::Tile)
        break;
      for (size_t m = 0; m < node->members.size(); ++m) {
        tile.members.push_back(node->members[m].name);
        values.push_back(model.digit(s, digitOf(*node, m, s)));
        if (node->members[m].binding == Binding::Time)
          timeCount = std::max(timeCount, tile.members.size());
        if (node->members[m].binding == Binding::Grid ||
            node->members[m].binding == Binding::Time)
          gridCount = std::max(gridCount, tile.members.size());
      }
    }
    auto count = static_cast<unsigned>(values.size());
    isl_space *range = isl_space_set_tuple_name(
        model.newSetSpace(count), isl_dim_set, scop.statements[s].name.c_str());
    digits = isl_multi_pw_aff_zero(
        isl_space_map_from_domain_and_range(model.newStatementSpace(s), range));
    for (unsigned v = 0; v < count; ++v)
      digits = isl_multi_pw_aff_set_pw_aff(digits, static_cast<int>(v),
                                           values[v].release());
    isl::map toDigits = own(ctx, isl_map_from_multi_pw_aff(digits));
    tile.outer = model.domain(s).apply(toDigits).coalesce();
  }

  std::vector<isl::id> gridIds() const {
    std::vector<isl::id> ids;
    for (size_t g = 0; g < gridCount; ++g)
      ids.push_back(
          own(model.ctx(),
              isl_id_alloc(model.ctx(), ("grid" + std::to_string(g)).c_str(),
                           const_cast<char *>(&kGridTag))));
    return ids;
  }

  /// The member's name and extent; adds its bounds to the context that the
  /// generator may rely on.
  GridMember gridMember(size_t g) {
    isl_ctx *ctx = model.ctx();
    if (g == 0)
      context = model.context();
    GridMember result;
    isl::id id = gridIds()[g];
    isl::set allowed;
    bool first = true;
    for (const TilePath &tile : tiles) {
      if (!tile.node)
        continue;
      result.name = tile.members[g];
      auto dims = static_cast<unsigned>(tile.members.size());
      auto at = static_cast<unsigned>(g);
      isl_set *values = isl_set_project_out(tile.outer.copy(), isl_dim_set,
                                            at + 1, dims - at - 1);
      values = isl_set_project_out(values, isl_dim_set, 0, at);
      isl::set taken = own(ctx, values);
      if (taken.is_empty())
        continue; // no instance at any size: no block for it
      // Bounds wider than the set are safe: the generator guards what the
      // context does not promise.
      isl::basic_set hull = own(
          ctx,
          isl_basic_set_remove_divs(isl_set_simple_hull(isl_set_coalesce(
              isl_set_remove_divs(isl_set_compute_divs(taken.release()))))));
      isl::set promised =
          own(ctx, isl_set_from_basic_set(isl_basic_set_universe(
                       isl_basic_set_get_space(hull.get()))));
      LoopExpr extent = upperBound(hull, promised);
      isl_set *bounds = isl_set_reset_tuple_id(promised.release());
      bounds = isl_set_lower_bound_si(bounds, isl_dim_set, 0, 0);
      auto params = static_cast<unsigned>(scop.params.size());
      bounds =
          isl_set_move_dims(bounds, isl_dim_param, params, isl_dim_set, 0, 1);
      bounds = isl_set_set_dim_id(bounds, isl_dim_param, params, id.copy());
      isl::set here = own(ctx, isl_set_params(bounds));
      allowed = first ? here : allowed.unite(here);
      if (first)
        result.extent = std::move(extent);
      else if (!sameExpr(result.extent, extent))
        result.extent = makeExpr(LoopExpr::Kind::Max,
                                 {std::move(result.extent), std::move(extent)});
      first = false;
    }
    if (!first) // else the extent stays 0
      context = context.intersect(allowed.coalesce());
    return result;
  }

  struct ListOwner {
    isl_constraint_list *list;
    ~ListOwner() { isl_constraint_list_free(list); }
  };

  /// `value` (taken) as an integer that no sum below can overflow.
  int64_t small(isl_val *value) const {
    isl::val owned = own(model.ctx(), value);
    constexpr int64_t kMax = int64_t(1) << 53;
    if (isl_val_cmp_si(owned.get(), kMax) > 0 ||
        isl_val_cmp_si(owned.get(), -kMax) < 0)
      throw LoopError("the extent of a grid member has a number beyond 2^53");
    return isl_val_get_num_si(owned.get());
  }

  /// 1 + the least of the hull's upper bounds on its one dimension, over
  /// parameters; `promised` receives those bounds.
  LoopExpr upperBound(const isl::basic_set &hull, isl::set &promised) {
    isl_ctx *ctx = model.ctx();
    std::vector<LoopExpr> bounds;
    isl_constraint_list *constraints =
        isl_basic_set_get_constraint_list(hull.get());
    ListOwner owner{constraints};
    if (!constraints)
      isl::exception::throw_last_error(isl::ctx(ctx));
    for (int i = 0; i < isl_constraint_list_n_constraint(constraints); ++i) {
      isl_constraint *constraint =
          isl_constraint_list_get_constraint(constraints, i);
      bool equality = isl_constraint_is_equality(constraint);
      int64_t c =
          small(isl_constraint_get_coefficient_val(constraint, isl_dim_set, 0));
      // value * |c| <= rest, so the count is floor((rest + |c|) / |c|).
      int64_t sign = c < 0 ? 1 : -1;
      Affine rest =
          Affine::of(sign * small(isl_constraint_get_constant_val(constraint)));
      for (unsigned p = 0; p < scop.params.size(); ++p)
        rest = rest +
               Affine::param(p, sign * small(isl_constraint_get_coefficient_val(
                                           constraint, isl_dim_param,
                                           static_cast<int>(p))));
      isl_constraint_free(constraint);
      if (c == 0 || (c > 0 && !equality))
        continue;
      int64_t divisor = c < 0 ? -c : c;
      bounds.push_back(
          floorDivExpr(affineExpr(rest + Affine::of(divisor)), divisor));
      isl_set *narrowed = promised.release();
      isl_constraint *bound = isl_constraint_alloc_inequality(
          isl_local_space_from_space(isl_set_get_space(narrowed)));
      bound = isl_constraint_set_coefficient_val(
          bound, isl_dim_set, 0, isl_val_int_from_si(ctx, -divisor));
      for (unsigned p = 0; p < scop.params.size(); ++p)
        bound = isl_constraint_set_coefficient_val(
            bound, isl_dim_param, static_cast<int>(p),
            isl_val_int_from_si(ctx, rest.paramCoefficient(p)));
      bound = isl_constraint_set_constant_val(
          bound, isl_val_int_from_si(ctx, rest.constant));
      promised = own(ctx, isl_set_add_constraint(narrowed, bound));
    }
    if (bounds.empty())
      throw LoopError("a grid member has no upper bound over the sizes");
    LoopExpr least = bounds[0];
    for (size_t b = 1; b < bounds.size(); ++b)
      if (!sameExpr(bounds[b], bounds[0]))
        least = makeExpr(LoopExpr::Kind::Min,
                         {std::move(least), std::move(bounds[b])});
    return least;
  }

  /// The schedule of `node`'s part of the tree. `above` members of its
  /// statements stand above it.
  isl::schedule build(const Node &node, size_t above) {
    isl_ctx *ctx = model.ctx();
    if (context.is_null())
      context = model.context();
    switch (node.kind) {
    case Node::Kind::Sequence: {
      std::optional<isl::schedule> result;
      for (const NodePtr &child : node.children) {
        isl::schedule next = build(*child, above);
        result = result ? own(ctx, isl_schedule_sequence(result->release(),
                                                         next.release()))
                        : next;
      }
      return *result;
    }
    case Node::Kind::Band: {
      size_t first = above;
      size_t last = above + node.members.size();
      isl::schedule below = build(*node.children[0], last);
      // Grid members come first on every path and are parameters here.
      first = std::max(first, gridCount);
      return first < last ? insertBand(node, below, first, last) : below;
    }
    case Node::Kind::Tile:
    case Node::Kind::Leaf:
      return own(ctx, isl_schedule_from_domain(isl_union_set_from_set(
                          tilesOf(node.statements[0]).release())));
    case Node::Kind::Filter:
    case Node::Kind::Kernel:
    case Node::Kind::Stage:
      break;
    }
    return build(*node.children[0], above);
  }

  /// A statement's tiles in one block: grid digits equal the parameters.
  isl::set tilesOf(unsigned s) {
    std::vector<isl::id> ids = gridIds();
    isl_set *set = tiles[s].outer.copy();
    for (size_t g = 0; g < gridCount; ++g) {
      unsigned at = isl_set_dim(set, isl_dim_param);
      set = isl_set_add_dims(set, isl_dim_param, 1);
      set = isl_set_set_dim_id(set, isl_dim_param, at, ids[g].copy());
      set = isl_set_equate(set, isl_dim_param, static_cast<int>(at),
                           isl_dim_set, static_cast<int>(g));
    }
    return own(model.ctx(), set);
  }

  isl::schedule insertBand(const Node &node, isl::schedule below, size_t first,
                           size_t last) {
    isl_ctx *ctx = model.ctx();
    isl_space *params = isl_space_params(model.newSetSpace(0));
    auto count = static_cast<unsigned>(last - first);
    isl_space *space = isl_space_add_dims(
        isl_space_set_from_params(isl_space_copy(params)), isl_dim_set, count);
    isl_union_pw_aff_list *values =
        isl_union_pw_aff_list_alloc(ctx, static_cast<int>(count));
    for (size_t m = first; m < last; ++m) {
      isl_union_pw_aff *value = isl_union_pw_aff_empty(isl_space_copy(params));
      for (unsigned s : node.statements) {
        isl_space *outer = isl_set_get_space(tiles[s].outer.get());
        isl_aff *coordinate =
            isl_aff_var_on_domain(isl_local_space_from_space(outer),
                                  isl_dim_set, static_cast<unsigned>(m));
        value =
            isl_union_pw_aff_add_pw_aff(value, isl_pw_aff_from_aff(coordinate));
      }
      values = isl_union_pw_aff_list_add(values, value);
    }
    isl_multi_union_pw_aff *band =
        isl_multi_union_pw_aff_from_union_pw_aff_list(space, values);
    isl_space_free(params);
    isl_schedule *schedule =
        isl_schedule_insert_partial_schedule(below.release(), band);
    isl_schedule_node *at = isl_schedule_get_root(schedule);
    isl_schedule_free(schedule);
    at = isl_schedule_node_child(at, 0);
    // One loop a member: never split by isl.
    for (unsigned m = 0; m < count; ++m)
      at = isl_schedule_node_band_member_set_ast_loop_type(
          at, static_cast<int>(m), isl_ast_loop_atomic);
    schedule = isl_schedule_node_get_schedule(at);
    isl_schedule_node_free(at);
    return own(ctx, schedule);
  }

  const Model &model;
  const Scop &scop;
  const Node &kernel;
  std::vector<TilePath> tiles; ///< by statement; node is null elsewhere
  size_t timeCount = 0;        ///< members above the kernel
  size_t gridCount = 0;        ///< those and the grid's
  isl::set context;
};

} // namespace

std::optional<std::vector<KernelLoops>> generateLoops(const Scop &scop,
                                                      const ScheduleTree &tree,
                                                      const PolyBudget &budget,
                                                      Diagnostics &diags) {
  if (!verifyScheduleTree(scop, tree, diags))
    return std::nullopt;
  std::vector<KernelLoops> result;
  IslSession session;
  isl_ctx *ctx = session.get();
  isl_options_set_ast_build_atomic_upper_bound(ctx, 1);
  isl_options_set_ast_build_prefer_pdiv(ctx, 1);
  // Without it, bounds over several statements may be choices (a ? b : c).
  isl_options_set_ast_build_detect_min_max(ctx, 1);
  isl_options_set_ast_build_exploit_nested_bounds(ctx, 1);
  isl_options_set_ast_build_scale_strides(ctx, 0);
  std::string problem;
  IslOutcome outcome = guarded(session, budget.maxOperations, [&] {
    try {
      Model model(session, scop);
      for (const Node *kernel : kernelsOf(tree))
        result.push_back(KernelBuilder(model, tree, *kernel).run());
    } catch (const LoopError &error) {
      problem = error.what();
    }
  });
  if (!outcome.finished())
    problem = outcome.message;
  if (!problem.empty()) {
    diags.error("G0714", "no loops could be generated for '" + scop.name +
                             "': " + problem);
    return std::nullopt;
  }
  return result;
}

} // namespace girih::poly
