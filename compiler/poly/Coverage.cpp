//===- Coverage.cpp - every instance exactly once -------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/Coverage.h"
#include "compiler/poly/Witness.h"

#include <algorithm>

namespace girih::poly {

const Reduction *reductionUpdatedBy(const Scop &scop, unsigned statement) {
  for (const Reduction &reduction : scop.reductions)
    if (reduction.update == statement)
      return &reduction;
  return nullptr;
}

bool isOrderDigit(const Reduction *reduction, const Digit &digit) {
  if (!reduction)
    return false;
  for (unsigned d = 0; d < reduction->cellEnd; ++d)
    if (digit.value.dimCoefficient(d) != 0)
      return false;
  return true;
}

bool digitsDetermineDims(const Scop &scop, unsigned statement,
                         const std::vector<const Digit *> &digits) {
  size_t count = scop.statements[statement].dims.size();
  for (unsigned d = 0; d < count; ++d) {
    // The digits of this dim alone, coarsest first; they must be of one value.
    std::vector<const Digit *> chain;
    for (const Digit *digit : digits) {
      int64_t coefficient = digit->value.dimCoefficient(d);
      bool alone = coefficient == 1 || coefficient == -1;
      for (unsigned e = 0; e < count; ++e)
        alone = alone && (e == d || digit->value.dimCoefficient(e) == 0);
      if (alone && (chain.empty() || chain[0]->value == digit->value))
        chain.push_back(digit);
    }
    std::sort(chain.begin(), chain.end(), [](const Digit *a, const Digit *b) {
      return a->divisor > b->divisor;
    });
    if (chain.empty() || chain[0]->modulus != 0 || chain.back()->divisor != 1)
      return false;
    for (size_t i = 1; i < chain.size(); ++i)
      if (chain[i]->modulus != 0 &&
          chain[i]->modulus % chain[i - 1]->divisor != 0)
        return false;
  }
  return true;
}

bool keepsToItself(const Scop &scop, const Node &kernel, unsigned array) {
  ArrayRole role = scop.arrays[array].role;
  if (role != ArrayRole::Temporary && role != ArrayRole::Accumulator)
    return false;
  // What the kernel only reads others see too.
  if (std::none_of(kernel.statements.begin(), kernel.statements.end(),
                   [&](unsigned s) {
                     return scop.statements[s].write().array == array;
                   }))
    return false;
  return std::any_of(kernel.kernel.places.begin(), kernel.kernel.places.end(),
                     [&](const KernelMark::ArrayPlace &place) {
                       return place.array == array &&
                              (place.place == Place::Shared ||
                               place.place == Place::Register);
                     });
}

namespace {

class Coverage {
public:
  Coverage(const Model &model, const ScheduleTree &tree,
           std::vector<Violation> &violations)
      : model(model), scop(model.scop()), tree(tree), violations(violations) {}

  void run() {
    for (unsigned s = 0; s < scop.statements.size(); ++s)
      statement(s);
  }

private:
  void statement(unsigned s) {
    std::vector<const Digit *> digits;
    const Node *tile = nullptr;
    unsigned line = 0;
    for (const Node *node : pathOf(tree, s)) {
      if (node->kind == Node::Kind::Tile)
        tile = node;
      line = node->line ? node->line : line;
      for (size_t m = 0; m < node->members.size(); ++m) {
        const Digit &digit = digitOf(*node, m, s);
        digits.push_back(&digit);
        const Member &member = node->members[m];
        if (member.binding == Binding::Grid)
          gridStartsAtZero(s, *node, member, digit);
        if (member.binding == Binding::Point) {
          pointIsParallelOrOrder(s, *node, member, digit);
          fits(s, *node, member, digit, tile->tile.shape[m]);
        }
      }
    }
    if (!digitsDetermineDims(scop, s, digits))
      distinguishes(s, digits, line);
  }

  Violation &add(Violation::Rule rule, const Member *member, unsigned line,
                 std::string message, std::string help) {
    Violation violation;
    violation.rule = rule;
    violation.member = member ? member->name : "";
    violation.line = line;
    violation.message = std::move(message);
    violation.help = std::move(help);
    return violations.emplace_back(std::move(violation));
  }

  std::string title(unsigned s, const Member &member) const {
    return "member '" + member.name + "' of '" + scop.statements[s].name + "'";
  }

  /// `set` as pairs of each instance with itself, for its smallest member.
  std::optional<Witness> smallest(unsigned s, const isl::set &set) {
    return smallestPair(model, s, s,
                        own(model.ctx(), isl_set_identity(set.copy())));
  }

  std::string at(unsigned s, const std::optional<Witness> &witness) const {
    if (!witness)
      return "";
    std::string text =
        ": " + printInstance(scop.statements[s].name, witness->source);
    std::string sizes;
    for (const auto &[name, value] : witness->sizes)
      sizes += (sizes.empty() ? " (at " : ", ") + name + " = " +
               std::to_string(value);
    return text + sizes + (sizes.empty() ? "" : ")");
  }

  isl::set below(unsigned s, const Digit &digit, int64_t bound) {
    return compare(s, digit, bound, isl_pw_aff_lt_set);
  }

  isl::set compare(unsigned s, const Digit &digit, int64_t bound,
                   isl_set *(*relation)(isl_pw_aff *, isl_pw_aff *)) {
    isl::pw_aff value = model.digit(s, digit);
    Digit constant;
    constant.value = Affine::of(bound);
    isl::pw_aff limit = model.digit(s, constant);
    return own(model.ctx(), relation(value.release(), limit.release()))
        .intersect(model.domain(s));
  }

  void gridStartsAtZero(unsigned s, const Node &band, const Member &member,
                        const Digit &digit) {
    if (digit.modulus)
      return; // a remainder is never negative
    isl::set outside = below(s, digit, 0);
    if (outside.is_empty())
      return;
    std::optional<Witness> witness = smallest(s, outside);
    add(Violation::Rule::Coverage, &member, band.line,
        title(s, member) +
            " is bound to the grid but takes a negative value, "
            "which no block has" +
            at(s, witness),
        "add a constant to the digit so that it starts at 0")
        .witness = witness;
  }

  void pointIsParallelOrOrder(unsigned s, const Node &band,
                              const Member &member, const Digit &digit) {
    // A scatter's tile op takes its elements in the order of the dims.
    if (member.coincident || isOrderDigit(reductionUpdatedBy(scop, s), digit) ||
        scop.statements[s].kind == StatementKind::Scatter)
      return;
    add(Violation::Rule::Coincidence, &member, band.line,
        "point " + title(s, member) +
            " is neither coincident nor a dimension of its reduction's order",
        "bind '" + member.name + "' to a loop above the tile mark");
  }

  void fits(unsigned s, const Node &band, const Member &member,
            const Digit &digit, int64_t extent) {
    if (digit.modulus && digit.modulus / digit.divisor <= extent)
      return;
    isl::set outside = compare(s, digit, extent, isl_pw_aff_ge_set);
    if (!digit.modulus)
      outside = outside.unite(below(s, digit, 0));
    if (outside.is_empty())
      return;
    std::optional<Witness> witness = smallest(s, outside);
    add(Violation::Rule::Coverage, &member, band.line,
        "point " + title(s, member) + " runs over " +
            printDigit(scop, s, digit) + ", beyond the tile's extent of " +
            std::to_string(extent) + at(s, witness),
        digit.modulus ? "make the tile's extent at least " +
                            std::to_string(digit.modulus / digit.divisor)
                      : "split '" + printDigit(scop, s, digit) + "' by " +
                            std::to_string(extent) +
                            " with a loop above, or bound its size by 'where'")
        .witness = witness;
  }

  void distinguishes(unsigned s, const std::vector<const Digit *> &digits,
                     unsigned line) {
    isl::map twins = model.orderAfter(s, 0);
    for (const Digit *digit : digits) {
      isl::pw_aff value = model.digit(s, *digit);
      isl_pw_aff *other = value.copy();
      twins = twins.intersect(
          own(model.ctx(), isl_pw_aff_eq_map(value.release(), other)));
    }
    if (twins.is_empty())
      return;
    std::optional<Witness> witness = smallestPair(model, s, s, twins);
    std::string who = "'" + scop.statements[s].name + "' has two instances";
    std::string sizes;
    if (witness) {
      who = printInstance(scop.statements[s].name, witness->source) + " and " +
            printInstance(scop.statements[s].name, witness->sink) + " are";
      for (const auto &[name, value] : witness->sizes)
        sizes += (sizes.empty() ? " (at " : ", ") + name + " = " +
                 std::to_string(value);
      sizes += sizes.empty() ? "" : ")";
    }
    add(Violation::Rule::Coverage, nullptr, line,
        who +
            " scheduled at the same place: the members above do not "
            "determine every dimension" +
            sizes,
        "add members for the dimensions of '" + scop.statements[s].name +
            "' that are missing")
        .witness = witness;
  }

  const Model &model;
  const Scop &scop;
  const ScheduleTree &tree;
  std::vector<Violation> &violations;
};

} // namespace

void checkCoverage(const Model &model, const ScheduleTree &tree,
                   std::vector<Violation> &violations) {
  Coverage(model, tree, violations).run();
}

} // namespace girih::poly
