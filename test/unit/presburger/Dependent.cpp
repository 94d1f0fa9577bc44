//===- Dependent.cpp - dependent instances, without isl -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/presburger/Dependent.h"

#include <algorithm>

using namespace girih;
using namespace girih::test;
using namespace girih::poly;

//===----------------------------------------------------------------------===//
// Frame
//===----------------------------------------------------------------------===//

Frame::Frame(const Scop &scop, std::vector<unsigned> list, unsigned rank)
    : scop(scop), statements(std::move(list)), starts{0}, rank(rank) {
  for (unsigned s : statements)
    starts.push_back(starts.back() + unsigned(scop.statements[s].dims.size()));
}

Row Frame::value(unsigned which, const Affine &affine) const {
  Row row;
  row.terms.resize(dimsEnd() + scop.params.size());
  for (size_t d = 0; d < affine.dims.size(); ++d)
    if (affine.dims[d])
      row.terms.at(starts[which] + d) = affine.dims[d];
  for (size_t p = 0; p < affine.params.size(); ++p)
    if (affine.params[p])
      row.terms.at(dimsEnd() + p) = affine.params[p];
  row.constant = affine.constant;
  return row;
}

Conjunction Frame::domains() const {
  Conjunction set(dimsEnd(), unsigned(scop.params.size()));
  for (const Affine &constraint : scop.context)
    set.notNegative(value(0, constraint));
  for (unsigned which = 0; which < statements.size(); ++which)
    for (const Affine &constraint :
         scop.statements[statements[which]].constraints)
      set.notNegative(value(which, constraint));
  return set;
}

Row Frame::digit(Conjunction &set, unsigned which, const Digit &digit) const {
  Row row = value(which, digit.value);
  if (digit.modulus)
    row = row - set.floorOf(row, digit.modulus) * digit.modulus;
  return set.floorOf(row, digit.divisor);
}

void Frame::touch(Conjunction &set, unsigned which,
                  const Access &access) const {
  const Array &array = scop.arrays[access.array];
  for (unsigned d = 0; d < array.extents.size(); ++d) {
    Row element = Row::of(elementStart() + d);
    if (!access.isAny(d)) {
      set.equal(element, value(which, access.subscripts[d]));
      continue;
    }
    set.notNegative(element);
    set.less(element * array.extentDivisor(d), value(which, array.extents[d]));
  }
}

Union Frame::ordered(const Conjunction &set, unsigned first, unsigned second,
                     unsigned begin, unsigned end) const {
  Union result;
  for (unsigned differs = begin; differs < end; ++differs) {
    Conjunction &part = result.emplace_back(set);
    for (unsigned d = 0; d < differs; ++d)
      part.equal(dim(first, d), dim(second, d));
    part.less(dim(first, differs), dim(second, differs));
  }
  return result;
}

Union Frame::before(const Conjunction &set, unsigned first,
                    unsigned second) const {
  unsigned s = statements[first], t = statements[second];
  const Statement &a = scop.statements[s], &b = scop.statements[t];
  if (s == t)
    return ordered(set, first, second, 0, unsigned(a.dims.size()));
  unsigned common = 0;
  while (common < std::min(a.loops.size(), b.loops.size()) &&
         a.loops[common] == b.loops[common])
    ++common;
  Union result = ordered(set, first, second, 0, common);
  if (s < t) {
    Conjunction &part = result.emplace_back(set);
    for (unsigned d = 0; d < common; ++d)
      part.equal(dim(first, d), dim(second, d));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

static bool isSameElement(const Access &a, const Access &b) {
  return a.array == b.array && a.subscripts == b.subscripts &&
         a.wholeFrom == b.wholeFrom && a.anyAt == b.anyAt;
}

const Reduction *girih::test::termOf(const Scop &scop, unsigned statement) {
  const Statement &s = scop.statements[statement];
  for (const Reduction &reduction : scop.reductions) {
    if (reduction.update != statement)
      continue;
    // What reads its accumulator elsewhere too is a recurrence of its own.
    for (const Access &access : s.accesses)
      if (access.array == reduction.accumulator &&
          !(access.isExact() && isSameElement(access, s.write())))
        return nullptr;
    return &reduction;
  }
  return nullptr;
}

/// Reads behind the write of the same element add nothing.
static std::vector<Access> accessesOf(const Statement &s) {
  std::vector<Access> list;
  for (const Access &access : s.accesses)
    if (access.isWrite || !isSameElement(access, s.write()))
      list.push_back(access);
  return list;
}

/// Both touch one element, known by equations where that is possible.
static Conjunction sameElement(const Scop &scop, const Frame &frame,
                               const Access &a, const Access &b) {
  Conjunction set = frame.domains();
  const Array &array = scop.arrays[a.array];
  for (unsigned d = 0; d < array.extents.size(); ++d) {
    if (!a.isAny(d) && !b.isAny(d)) {
      set.equal(frame.value(0, a.subscripts[d]),
                frame.value(1, b.subscripts[d]));
      continue;
    }
    Row element = set.newLocal();
    set.notNegative(element);
    set.less(element * array.extentDivisor(d),
             frame.value(0, array.extents[d]));
    if (!a.isAny(d))
      set.equal(element, frame.value(0, a.subscripts[d]));
    if (!b.isAny(d))
      set.equal(element, frame.value(1, b.subscripts[d]));
  }
  return set;
}

static bool isLeftOut(const Scop &scop, unsigned s, unsigned t,
                      unsigned array) {
  if (s != t)
    return false;
  const Reduction *term = termOf(scop, s);
  return scop.statements[s].unordered || (term && term->accumulator == array);
}

static void addUpdates(const Scop &scop, const Reduction &reduction,
                       std::vector<Pairs> &list) {
  unsigned u = reduction.update;
  const Statement &update = scop.statements[u];
  unsigned count = unsigned(update.dims.size());
  Frame frame(scop, {u, u});
  Conjunction element =
      sameElement(scop, frame, update.write(), update.write());
  Pairs pairs;
  pairs.source = pairs.sink = u;
  pairs.array = reduction.accumulator;
  if (reduction.associative) {
    pairs.order = Pairs::Order::AnyTerm;
    pairs.set = frame.ordered(element, 0, 1, 0, count);
    list.push_back(pairs);
    return;
  }
  if (termOf(scop, u) != &reduction)
    return;
  pairs.set = frame.ordered(element, 0, 1, 0, reduction.cellEnd);
  list.push_back(pairs);
  pairs.order = Pairs::Order::Term;
  pairs.set = frame.ordered(frame.domains(), 0, 1, reduction.cellEnd, count);
  list.push_back(pairs);
}

std::vector<Pairs> girih::test::dependentPairs(const Scop &scop) {
  std::vector<Pairs> list;
  for (unsigned s = 0; s < scop.statements.size(); ++s)
    for (unsigned t = 0; t < scop.statements.size(); ++t) {
      Frame frame(scop, {s, t});
      for (const Access &a : accessesOf(scop.statements[s]))
        for (const Access &b : accessesOf(scop.statements[t])) {
          if (a.array != b.array || (!a.isWrite && !b.isWrite) ||
              isLeftOut(scop, s, t, a.array))
            continue;
          Pairs pairs;
          pairs.source = s;
          pairs.sink = t;
          pairs.array = a.array;
          for (Conjunction &part :
               frame.before(sameElement(scop, frame, a, b), 0, 1))
            if (!part.isEmpty())
              pairs.set.push_back(std::move(part));
          if (!pairs.set.empty())
            list.push_back(std::move(pairs));
        }
    }
  for (const Reduction &reduction : scop.reductions)
    addUpdates(scop, reduction, list);
  return list;
}

//===----------------------------------------------------------------------===//
// By value
//===----------------------------------------------------------------------===//

static std::vector<Access> accessesAs(const Statement &s, unsigned array,
                                      bool asWrite) {
  std::vector<Access> list;
  for (const Access &access : s.accesses)
    if (access.array == array &&
        (access.isWrite == asWrite ||
         (access.isWrite && s.kind == StatementKind::Update)))
      list.push_back(access);
  return list;
}

/// What hides earlier values of `array` in statement `w`: a write that is not
/// one of many of a reduction, to an element that no data decide.
static bool hides(const Scop &scop, unsigned w, unsigned array) {
  const Access &write = scop.statements[w].write();
  const Reduction *term = termOf(scop, w);
  return write.array == array && write.isExact() &&
         !(term && term->accumulator == array);
}

Union girih::test::pairsByValue(const Scop &scop, DependenceKind kind,
                                unsigned source, unsigned sink,
                                unsigned array) {
  Union result;
  if (isLeftOut(scop, source, sink, array))
    return result;
  unsigned rank = unsigned(scop.arrays[array].extents.size());
  Frame frame(scop, {source, sink}, rank);
  for (const Access &a :
       accessesAs(scop.statements[source], array, kind != DependenceKind::Anti))
    for (const Access &b : accessesAs(scop.statements[sink], array,
                                      kind != DependenceKind::Flow)) {
      Conjunction set = frame.domains();
      frame.touch(set, 0, a);
      frame.touch(set, 1, b);
      for (Conjunction &part : frame.before(set, 0, 1))
        if (!part.isEmpty())
          result.push_back(std::move(part));
    }
  for (unsigned w = 0; w < scop.statements.size() && !result.empty(); ++w) {
    if (!hides(scop, w, array))
      continue;
    Frame three(scop, {source, sink, w}, rank);
    Conjunction set = three.domains();
    three.touch(set, 2, scop.statements[w].write());
    Union hidden;
    for (const Conjunction &after : three.before(set, 0, 2))
      for (Conjunction &between : three.before(after, 2, 1))
        if (!between.isEmpty()) {
          between.hide(unsigned(scop.statements[source].dims.size() +
                                scop.statements[sink].dims.size()),
                       three.elementStart());
          hidden.push_back(std::move(between));
        }
    result = without(result, hidden);
  }
  return result;
}

Union girih::test::updatesByValue(const Scop &scop,
                                  const Reduction &reduction) {
  unsigned u = reduction.update;
  const Statement &update = scop.statements[u];
  unsigned count = unsigned(update.dims.size());
  Frame frame(scop, {u, u});
  Union result =
      frame.ordered(sameElement(scop, frame, update.write(), update.write()), 0,
                    1, 0, reduction.associative ? count : reduction.cellEnd);
  const Statement &init = scop.statements[reduction.init];
  if (init.loops != update.loops || init.dims.size() != reduction.cellEnd)
    return result;
  Frame three(scop, {u, u, reduction.init});
  Conjunction anew = three.domains();
  for (unsigned d = 0; d < reduction.cellEnd; ++d)
    anew.equal(three.dim(1, d), three.dim(2, d));
  anew.hide(2 * count, three.elementStart());
  return without(result, {anew});
}

//===----------------------------------------------------------------------===//
// At sizes
//===----------------------------------------------------------------------===//

static Affine atSizes(Affine affine, const std::vector<int64_t> &sizes) {
  for (size_t p = 0; p < affine.params.size(); ++p)
    affine.constant += affine.params[p] * sizes.at(p);
  affine.params.clear();
  return affine;
}

static void atSizes(std::vector<Affine> &list,
                    const std::vector<int64_t> &sizes) {
  for (Affine &affine : list)
    affine = atSizes(affine, sizes);
}

Scop girih::test::atSizes(const Scop &scop, const std::vector<int64_t> &sizes) {
  Scop result = scop;
  result.params.clear();
  result.context.clear();
  for (TimeLoop &loop : result.loops)
    loop.extent = ::atSizes(loop.extent, sizes);
  for (Array &array : result.arrays)
    ::atSizes(array.extents, sizes);
  for (Statement &statement : result.statements) {
    ::atSizes(statement.constraints, sizes);
    for (Access &access : statement.accesses)
      ::atSizes(access.subscripts, sizes);
  }
  return result;
}

static void atSizes(Node &node, const std::vector<int64_t> &sizes) {
  for (Member &member : node.members)
    for (Digit &digit : member.digits)
      digit.value = atSizes(digit.value, sizes);
  for (NodePtr &child : node.children)
    atSizes(*child, sizes);
}

ScheduleTree girih::test::atSizes(const ScheduleTree &tree,
                                  const std::vector<int64_t> &sizes) {
  ScheduleTree result;
  result.root = cloneNode(*tree.root);
  ::atSizes(*result.root, sizes);
  return result;
}
