//===- LoopDirectives.cpp - split, tile, reorder, collapse, skew, map -----===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/DirectiveApplier.h"

#include <algorithm>

using namespace girih;
using namespace girih::schedule;
using frontend::DirectiveKind;
using poly::Affine;
using poly::Binding;
using poly::Digit;
using poly::Member;

bool DirectiveApplier::run() {
  switch (directive.kind) {
  case DirectiveKind::Cascade:
    return true; // done to the program before its Scop was made
  case DirectiveKind::Split:
    return split();
  case DirectiveKind::Tile:
    return tile();
  case DirectiveKind::Reorder:
  case DirectiveKind::Interchange:
    return reorder();
  case DirectiveKind::Collapse:
    return collapse();
  case DirectiveKind::Skew:
    return skew();
  case DirectiveKind::Unroll:
    return bind(Binding::Unroll);
  case DirectiveKind::Vectorize:
    return bind(Binding::Vector);
  case DirectiveKind::Map:
    return map();
  case DirectiveKind::ComputeAt:
    return computeAt();
  case DirectiveKind::ComputeInline:
    return computeInline();
  case DirectiveKind::ComputeRoot:
    return computeRoot();
  case DirectiveKind::Fuse:
    return fuse();
  case DirectiveKind::Distribute:
    return distribute();
  case DirectiveKind::Stage:
    return stage();
  case DirectiveKind::Place:
    return place();
  case DirectiveKind::Threads:
    return threads();
  default:
    return notYet();
  }
}

bool DirectiveApplier::splitMember(MemberPlace place, int64_t factor,
                                   const std::string &outer,
                                   const std::string &inner,
                                   SourceRange range) {
  Member &whole = place.member();
  if (whole.binding == Binding::Time) {
    fail("G0722",
         "'" + whole.name +
             "' is a loop in time: its turns follow "
             "each other and are not divided",
         range);
    return false;
  }
  if (whole.binding != Binding::Loop) {
    fail("G0722", "'" + whole.name + "' is mapped already", range)
        .help("split it first, then map its parts");
    return false;
  }
  if (!isFree(place, outer, range) || !isFree(place, inner, range))
    return false;
  Member first = whole, second = whole;
  first.name = outer;
  second.name = inner;
  for (size_t i = 0; i < whole.digits.size(); ++i) {
    const Digit &digit = whole.digits[i];
    if (factor > (int64_t(1) << 52) / digit.divisor) {
      fail("G0723", "the factor " + std::to_string(factor) + " is too large",
           range);
      return false;
    }
    auto parts = splitDigit(digit, factor);
    if (!parts) {
      int64_t turns = digit.modulus / digit.divisor;
      fail("G0723",
           "'" + whole.name + "' has " + std::to_string(turns) +
               " turns, which " + std::to_string(factor) + " does not divide",
           range)
          .help("split by a divisor of " + std::to_string(turns));
      return false;
    }
    first.digits[i] = parts->first;
    second.digits[i] = parts->second;
  }
  std::vector<Member> &members = place.band->members;
  members[place.index] = std::move(first);
  members.insert(members.begin() + place.index + 1, std::move(second));
  noteLoop(place, outer);
  noteLoop(place, inner);
  return true;
}

bool DirectiveApplier::split() {
  std::optional<MemberPlace> place = loop(directive.loops[0]);
  if (!place)
    return false;
  std::string name = place->member().name;
  bool named = directive.results.size() == 2;
  return splitMember(*place, directive.factors[0].value(),
                     named ? directive.results[0].text : name + "o",
                     named ? directive.results[1].text : name + "i",
                     directive.range);
}

bool DirectiveApplier::tile() {
  size_t count = directive.loops.size();
  std::vector<std::string> outer, inner;
  std::vector<frontend::LoopRef> refs = directive.loops;
  poly::Node *band = nullptr;
  for (size_t l = 0; l < count; ++l) {
    std::optional<MemberPlace> place = loop(refs[l]);
    if (!place)
      return false;
    if (band && place->band != band) {
      fail("G0722",
           "'" + text(refs[0]) + "' and '" + text(refs[l]) +
               "' are not loops of one nest",
           refs[l].range)
          .help("tile loops that stand directly inside each other");
      return false;
    }
    band = place->band;
    bool named = directive.results.size() == 2 * count;
    std::string name = place->member().name;
    outer.push_back(named ? directive.results[l].text : name + "o");
    inner.push_back(named ? directive.results[count + l].text : name + "i");
    if (!splitMember(*place, directive.factors[l].value(), outer[l], inner[l],
                     refs[l].range))
      return false;
  }
  std::vector<MemberPlace> order;
  for (const auto *names : {&outer, &inner})
    for (const std::string &name : *names)
      for (size_t m = 0; m < band->members.size(); ++m)
        if (band->members[m].name == name)
          order.push_back({band, m});
  return reorderMembers(order);
}

bool DirectiveApplier::reorder() {
  std::vector<MemberPlace> order;
  for (const frontend::LoopRef &ref : directive.loops) {
    std::optional<MemberPlace> place = loop(ref);
    if (!place)
      return false;
    if (std::find(order.begin(), order.end(), *place) != order.end()) {
      fail("G0722", "'" + text(ref) + "' stands here twice", ref.range);
      return false;
    }
    if (!order.empty() && place->band != order[0].band) {
      const frontend::LoopRef &first = directive.loops[0];
      const poly::Node *upper = order[0].band, *lower = place->band;
      if (upper->statements.size() < lower->statements.size())
        std::swap(upper, lower);
      Diagnostic &error =
          fail("G0722",
               "'" + text(first) + "' and '" + text(ref) +
                   "' are not loops of one nest: between them stands what "
                   "happens once for all of " +
                   namesOf(upper->statements),
               ref.range);
      error.help("'distribute' the outer loop, or move the statements apart "
                 "first");
      return false;
    }
    order.push_back(*place);
  }
  if (directive.kind == DirectiveKind::Interchange) {
    // Each takes the place of the other.
    if (order.size() == 2)
      std::swap(order[0].member(), order[1].member());
    return true;
  }
  return reorderMembers(order);
}

/// The members take the places that they have together, in the given order.
bool DirectiveApplier::reorderMembers(const std::vector<MemberPlace> &order) {
  std::vector<size_t> slots;
  std::vector<Member> moved;
  for (const MemberPlace &place : order) {
    slots.push_back(place.index);
    moved.push_back(place.member());
    if (place.member().binding == Binding::Time) {
      fail("G0722", "'" + place.member().name +
                        "' is a loop in time, which stays outermost");
      return false;
    }
  }
  std::sort(slots.begin(), slots.end());
  for (size_t i = 0; i < slots.size(); ++i)
    order[0].band->members[slots[i]] = std::move(moved[i]);
  return true;
}

bool DirectiveApplier::collapse() {
  std::optional<MemberPlace> outer = loop(directive.loops[0]);
  std::optional<MemberPlace> inner =
      outer ? loop(directive.loops[1]) : std::nullopt;
  if (!inner)
    return false;
  auto refuse = [&](const std::string &why) {
    fail("G0722", "'" + text(directive.loops[0]) + "' and '" +
                      text(directive.loops[1]) + "' " + why)
        .help("'map' takes several loops at once; 'collapse' joins what "
              "'split' has divided");
    return false;
  };
  if (outer->band != inner->band || outer->index + 1 != inner->index)
    return refuse("do not stand directly inside each other");
  if (outer->member().binding != Binding::Loop ||
      inner->member().binding != Binding::Loop)
    return refuse("are mapped already");
  Member joined = outer->member();
  for (size_t i = 0; i < joined.digits.size(); ++i) {
    const Digit &high = outer->member().digits[i];
    const Digit &low = inner->member().digits[i];
    if (!(high.value == low.value) || high.divisor != low.modulus)
      return refuse("are not the two parts of one loop");
    joined.digits[i].divisor = low.divisor;
  }
  joined.coincident &= inner->member().coincident;
  joined.name = directive.results.empty() ? joined.name + inner->member().name
                                          : directive.results[0].text;
  outer->band->members.erase(outer->band->members.begin() + inner->index);
  outer->member() = std::move(joined);
  noteLoop(*outer, outer->member().name);
  return isFree(*outer, outer->member().name, directive.range);
}

bool DirectiveApplier::skew() {
  std::optional<MemberPlace> place = loop(directive.loops[0]);
  std::optional<MemberPlace> by =
      place ? loop(directive.loops[1]) : std::nullopt;
  if (!by)
    return false;
  auto refuse = [&](const std::string &why, const std::string &help) {
    fail("G0722", why).help(help);
    return false;
  };
  if (place->band != by->band || by->index >= place->index)
    return refuse("'" + by->member().name + "' is not a loop around '" +
                      place->member().name + "' in the same nest",
                  "skew an inner loop by an outer one");
  int64_t factor = directive.factors[0].value();
  if (factor > 1024)
    return refuse("a skew by " + std::to_string(factor) + " is too large",
                  "the most is 1024");
  for (size_t i = 0; i < place->member().digits.size(); ++i) {
    Digit &digit = place->member().digits[i];
    const Digit &other = by->member().digits[i];
    for (const Digit *part : {&std::as_const(digit), &other})
      if (part->divisor != 1 || part->modulus != 0)
        return refuse("a loop that was split cannot be skewed",
                      "skew first, then split");
    digit.value = digit.value + other.value * factor;
  }
  if (!directive.results.empty()) {
    place->member().name = directive.results[0].text;
    noteLoop(*place, place->member().name);
    return isFree(*place, place->member().name, directive.range);
  }
  return true;
}

/// Threads and vectors run at once, which the model proves next. So do copies
/// of an unrolled loop, unless it carries the order of a reduction.
bool DirectiveApplier::bind(Binding binding) {
  for (const frontend::LoopRef &ref : directive.loops) {
    std::optional<MemberPlace> place = loop(ref);
    if (!place)
      return false;
    Member &member = place->member();
    if (member.binding != Binding::Loop) {
      fail("G0722", "'" + text(ref) + "' is mapped already", ref.range);
      return false;
    }
    bool isPoint = poly::isCarriedByTile(binding);
    for (const Digit &digit : member.digits)
      if (isPoint && !dimOf(digit) && digit.value.dims.size() > 0) {
        fail("G0722",
             "'" + text(ref) +
                 "' runs over a sum of indices, as 'skew' made it: its values "
                 "are no box, which " +
                 (binding == Binding::Thread ? "threads" : "registers") +
                 " need",
             ref.range)
            .help("leave it a loop, and map a loop that is not skewed");
        return false;
      }
    for (size_t i = 0; isPoint && i < member.digits.size(); ++i)
      if (turnsOf(scop.statements[place->band->statements[i]],
                  member.digits[i]) == 0) {
        std::string where =
            binding == Binding::Thread ? "threads" : "registers";
        fail("G0723",
             "'" + text(ref) + "' has no fixed number of turns, which " +
                 where + " need",
             ref.range)
            .help("split it by a number and map the inner part");
        return false;
      }
    member.binding = binding;
    for (unsigned s : place->band->statements)
      state.facts.origins.bound[{s, member.name}] = originOf(directive);
    if (binding != Binding::Unroll)
      member.coincident = true;
  }
  return true;
}

bool DirectiveApplier::map() {
  for (const frontend::DirectiveOption &option : directive.options) {
    fail("G0725", "'" + option.key.text + "' is not realised yet",
         option.key.range)
        .help("leave it out: blocks are numbered in the order of the loops");
    return false;
  }
  const std::string &where = directive.where.text;
  if (where == "grid")
    return bind(Binding::Grid) && [&] {
      for (const frontend::LoopRef &ref : directive.loops)
        if (std::optional<MemberPlace> place = loop(ref))
          for (size_t m = 0; m < place->index; ++m)
            if (place->band->members[m].binding != Binding::Grid &&
                place->band->members[m].binding != Binding::Time) {
              fail("G0722",
                   "'" + text(ref) +
                       "' cannot go to the grid: it is inside "
                       "the loop '" +
                       place->band->members[m].name + "'",
                   ref.range)
                  .help("map '" + place->band->members[m].name +
                        "' to the grid too, or reorder the loops");
              return false;
            }
      return true;
    }();
  if (where == "thread") {
    std::vector<std::string> order;
    for (const frontend::LoopRef &ref : directive.loops)
      order.push_back(ref.loop.text);
    state.facts.threadOrders.push_back(std::move(order));
    return bind(Binding::Thread);
  }
  fail("G0725", "'map ... to " + where + "' is not realised yet",
       directive.where.range)
      .help(where == "warp" ? "map to threads: the last 32 values of the "
                              "innermost loop are a warp"
                            : "map to the grid");
  return false;
}
