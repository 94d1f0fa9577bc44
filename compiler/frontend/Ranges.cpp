//===- Ranges.cpp - how far indices run, and that reads stay inside -------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Ranges.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace girih::frontend {

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

Extent Extent::of(int64_t constant) {
  Extent extent;
  extent.constant = constant;
  return extent;
}

Extent Extent::of(const SizeSymbol *size) {
  Extent extent;
  extent.terms.push_back({size, 1});
  return extent;
}

const SizeSymbol *Extent::plainSize() const {
  bool plain = constant == 0 && terms.size() == 1 && terms[0].second == 1;
  return plain ? terms[0].first : nullptr;
}

Extent Extent::operator+(const Extent &other) const {
  Extent sum = *this;
  sum.constant += other.constant;
  for (auto [size, factor] : other.terms) {
    auto place = std::find_if(sum.terms.begin(), sum.terms.end(),
                              [number = size->number](const auto &term) {
                                return term.first->number >= number;
                              });
    if (place == sum.terms.end() || place->first != size)
      sum.terms.insert(place, {size, factor});
    else if ((place->second += factor) == 0)
      sum.terms.erase(place);
  }
  return sum;
}

Extent Extent::operator-(const Extent &other) const {
  return *this + other * -1;
}

Extent Extent::operator*(int64_t factor) const {
  Extent product;
  if (factor == 0)
    return product;
  product = *this;
  product.constant *= factor;
  for (auto &term : product.terms)
    term.second *= factor;
  return product;
}

LinearForm formOf(const Extent &extent) {
  LinearForm form;
  form.constant = extent.constant;
  for (auto [size, factor] : extent.terms)
    form.add(size->number, factor);
  return form;
}

Prover proverOf(const OpDecl &op) {
  Prover prover;
  for (const auto &size : op.sizes) {
    prover.addVariable();
    prover.assume(formOf(Extent::of(size.get())));
  }
  // divisor * size <= sum <= divisor * size + divisor - 1.
  for (const auto &derived : op.derived) {
    if (!derived->size)
      continue;
    Extent rest =
        derived->numerator - Extent::of(derived->size) * derived->divisor;
    prover.assume(formOf(rest));
    prover.assume(formOf(Extent::of(derived->divisor - 1) - rest));
  }
  for (const SizeConstraint &constraint : op.constraints) {
    if (!constraint.size)
      continue;
    using Kind = SizeConstraint::Kind;
    Extent size = Extent::of(constraint.size),
           value = Extent::of(constraint.value), one = Extent::of(1);
    if (constraint.kind == Kind::Multiple)
      prover.assumeMultiple(constraint.size->number, constraint.value);
    if (constraint.kind == Kind::Less)
      prover.assume(formOf(value - size - one));
    if (constraint.kind == Kind::LessEqual || constraint.kind == Kind::Equal)
      prover.assume(formOf(value - size));
    if (constraint.kind == Kind::Greater)
      prover.assume(formOf(size - value - one));
    if (constraint.kind == Kind::GreaterEqual || constraint.kind == Kind::Equal)
      prover.assume(formOf(size - value));
  }
  for (const TensorDecl &input : op.inputs)
    if (input.tensor)
      for (const Extent &dim : input.tensor->dims)
        if (!dim.isBare())
          prover.assume(formOf(dim));
  return prover;
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// floor(sum / divisor) as a sum, where it is one.
static std::optional<Extent> floorDivided(const Extent &sum, int64_t divisor) {
  Extent result;
  for (auto [size, factor] : sum.terms) {
    if (factor % divisor != 0)
      return std::nullopt;
    result.terms.push_back({size, factor / divisor});
  }
  int64_t rest = (sum.constant % divisor + divisor) % divisor;
  result.constant = (sum.constant - rest) / divisor;
  return result;
}

void RangeSolver::addBounds(const Subscript &subscript, const Extent &dim,
                            bool plain, Bounds &bounds,
                            const IndexVariable &index, int64_t factor,
                            bool soft) {
  // Where the other indices make the sum smallest and largest.
  Extent least = subscript.sum.offset, most = subscript.sum.offset;
  for (auto [other, times] : subscript.sum.terms) {
    if (other == &index)
      continue;
    Extent first = other->start * times;
    Extent last = (other->start + *other->extent - Extent::of(1)) * times;
    least = least + (times > 0 ? first : last);
    most = most + (times > 0 ? last : first);
  }
  // 0 <= factor * index + least, factor * index + most <= dim - 1.
  Extent room = dim - Extent::of(1) - most;
  bool bare = plain && subscript.sum.plainIndex();
  auto end = floorDivided(factor > 0 ? room : least, std::abs(factor));
  if (end)
    bounds.ends.push_back({*end + Extent::of(1), subscript.range, bare, soft});
  auto before = floorDivided(factor > 0 ? least : room, std::abs(factor));
  if (before)
    bounds.starts.push_back({*before * -1, subscript.range, bare, soft});
}

void RangeSolver::addAllBounds(IndexVariable &index, Bounds &bounds,
                               bool withOthers) {
  eachAccess([&](const SeenAccess &seen) {
    for (size_t d = 0; d < seen.access->subscripts.size(); ++d) {
      const Subscript &subscript = seen.access->subscripts[d];
      // A read with a rule sets no range, unless it is plain: `X[i] else 0`
      // says nothing else about i, so it runs over X.
      bool soft = !mustStayInside(*seen.access, subscript);
      if (soft && !subscript.sum.plainIndex())
        continue;
      if (!subscript.sum.values.empty())
        continue; // where it is, data say
      int64_t factor = 0;
      bool known = true;
      for (auto [other, times] : subscript.sum.terms)
        if (other == &index)
          factor = times;
        else
          known &= other->extent.has_value();
      if (factor == 0 || !known ||
          (subscript.sum.terms.size() > 1) != withOthers)
        continue;
      size_t ends = bounds.ends.size(), starts = bounds.starts.size();
      const Tensor &tensor = *seen.access->tensor;
      addBounds(subscript, tensor.dims[d], tensor.isPlain(d), bounds, index,
                factor, soft);
      // What a condition says anyway makes the box no smaller.
      for (; ends < bounds.ends.size(); ++ends)
        bounds.ends[ends].soft |=
            isImplied(seen, index, bounds.ends[ends], /*end=*/true);
      for (; starts < bounds.starts.size(); ++starts)
        bounds.starts[starts].soft |=
            isImplied(seen, index, bounds.starts[starts], /*end=*/false);
    }
  });
  if (!withOthers)
    addConditionBounds(index, bounds);
}

void RangeSolver::eachAccess(
    const std::function<void(const SeenAccess &)> &each) const {
  if (target)
    each(*target);
  for (const SeenAccess &seen : accesses)
    each(seen);
}

bool RangeSolver::conflict(const IndexVariable &index, const Bound &here,
                           const Bound &there) {
  Diagnostic &d =
      reporter
          .error(codes::kRangesDiffer,
                 fmt::format("the index '{}' runs over {} here and over {} "
                             "there",
                             index.name.text, spelling(here.place),
                             spelling(there.place)),
                 here.range)
          .note(fmt::format("there: this runs over {}", spelling(there.place)),
                there.range);
  if (here.bare && there.bare)
    d.help("declare both dimensions with the same size");
  else if (index.reduced)
    d.help(fmt::format("say how far it runs: [{} in 0..{}]", index.name.text,
                       spelling(there.place)));
  else
    d.help("give the access that must not bound it a rule, for example "
           "'else 0'");
  return false;
}

const RangeSolver::Bound *
RangeSolver::tightest(const std::vector<Bound> &bounds, bool ends,
                      const Bound *&other) const {
  const Bound *best = nullptr;
  for (const Bound &bound : bounds) {
    other = &bound;
    if (!best) {
      best = &bound;
      continue;
    }
    if (bound.place == best->place)
      continue;
    // Two plain dimensions of different sizes are a mistake, even if one is
    // known to be the smaller.
    if (ends && bound.bare && best->bare)
      return nullptr;
    Extent less = (bound.place - best->place) * (ends ? 1 : -1);
    if (sizes.proves(frontend::formOf(less)))
      continue;
    if (!sizes.proves(frontend::formOf(less * -1)))
      return nullptr;
    best = &bound;
  }
  return best;
}

bool RangeSolver::settle(IndexVariable &index, Bounds bounds) {
  auto place = declared.find(&index);
  auto isSoft = [](const Bound &bound) { return bound.soft; };
  if (place != declared.end() ||
      !std::all_of(bounds.ends.begin(), bounds.ends.end(), isSoft))
    for (std::vector<Bound> *list : {&bounds.ends, &bounds.starts})
      list->erase(std::remove_if(list->begin(), list->end(), isSoft),
                  list->end());
  if (place != declared.end()) {
    // Whether shifted reads are inside is proved, with a better example.
    auto isShifted = [](const Bound &bound) { return !bound.bare; };
    bounds.ends.erase(
        std::remove_if(bounds.ends.begin(), bounds.ends.end(), isShifted),
        bounds.ends.end());
  }
  if (place != declared.end() && bounds.ends.empty()) {
    std::tie(index.extent, index.fixedBy) = place->second;
    return true;
  }
  const Bound *other = nullptr;
  // Plain dimensions agree first: theirs is the clearer message.
  std::stable_sort(
      bounds.ends.begin(), bounds.ends.end(),
      [](const Bound &a, const Bound &b) { return a.bare > b.bare; });
  auto end = tightest(bounds.ends, /*ends=*/true, other);
  if (!end) {
    // `other` could not be compared with what came before it.
    std::vector<Bound> before(bounds.ends.begin(),
                              bounds.ends.begin() +
                                  (other - bounds.ends.data()));
    const Bound *ignored = nullptr;
    return conflict(index, *other, *tightest(before, true, ignored));
  }
  if (place != declared.end()) {
    auto [extent, range] = place->second;
    if (end->bare && extent.isBare() && !(extent == end->place))
      return conflict(index, {extent, range, true}, *end);
    index.extent = extent;
    index.fixedBy = range;
    return true;
  }
  index.fixedBy = end->range;
  if (index.reduced) {
    bounds.starts.insert(bounds.starts.begin(), {Extent(), end->range, false});
    const Bound *start = tightest(bounds.starts, /*ends=*/false, other);
    if (!start)
      return conflict(index, *other, bounds.starts.front());
    index.start = start->place;
  }
  index.extent = end->place - index.start;
  return true;
}

bool RangeSolver::checkNotNegative(const IndexVariable &index) {
  LinearForm form = frontend::formOf(*index.extent);
  if (sizes.proves(form))
    return true;
  std::string where;
  if (auto values = sizes.counterexample(form))
    where = fmt::format(": with {} it has {} elements",
                        valuesText(*values, form), [&] {
                          int64_t value = form.constant;
                          for (size_t v = 0; v < values->size(); ++v)
                            value += form.factor(v) * (*values)[v];
                          return value;
                        }());
  Diagnostic &d = reporter.error(
      codes::kNegativeExtent,
      fmt::format("the range {}..{} of the index '{}' may end before it "
                  "starts{}",
                  spelling(index.start), spelling(index.start + *index.extent),
                  index.name.text, where),
      index.fixedBy.end > index.fixedBy.begin ? index.fixedBy
                                              : index.name.range);
  if (index.extent->terms.size() == 1 && index.extent->terms[0].second == 1)
    d.help(fmt::format("add the constraint 'where {} >= {}'",
                       index.extent->terms[0].first->name.text,
                       -index.extent->constant));
  else
    d.help("declare the tensor so that its size says it, for example "
           "X: f32[N + K - 1]");
  return false;
}

bool RangeSolver::settleSome(bool withOthers) {
  bool progress = false;
  for (IndexVariable *index : indices) {
    if (index->extent || failed.count(index))
      continue;
    if (index->dependent) {
      progress |= settleDependent(*index);
      continue;
    }
    Bounds bounds;
    addAllBounds(*index, bounds, withOthers);
    if (bounds.ends.empty() && !declared.count(index))
      continue;
    if (!settle(*index, std::move(bounds)))
      failed.insert(index);
    progress = true;
  }
  return progress;
}

bool RangeSolver::settleFromReaders() {
  if (!fromReaders)
    return false;
  // An index that the value does not have is a slip more often than a
  // repetition.
  std::set<std::string> used;
  auto use = [&](const std::string &name, SourceRange) { used.insert(name); };
  forEachName(*statement->value, use);
  for (const auto &[index, range] : *dependentRanges)
    for (const IndexSum *end : {&range.first, &range.second})
      for (const auto &term : end->terms)
        used.insert(term.first->name.text);
  for (IndexVariable *index : indices) {
    if (index->extent || index->reduced || index->dependent ||
        !used.count(index->name.text))
      continue;
    if (auto wanted = fromReaders(*index)) {
      std::tie(index->extent, index->fixedBy) = *wanted;
      return true;
    }
  }
  return false;
}

bool RangeSolver::settle() {
  bool fine = true;
  for (IndexVariable *index : indices)
    if (index->extent)
      fine &= checkNotNegative(*index);
  if (!fine)
    return false;
  settleSome(/*withOthers=*/false);
  while (failed.empty() &&
         (settleSome(/*withOthers=*/true) || settleFromReaders()))
    ;
  if (!failed.empty())
    return false;
  for (IndexVariable *index : indices) {
    if (!index->extent) {
      reporter
          .error(codes::kRangeNotFixed,
                 fmt::format("nothing says how far the index '{}' runs",
                             index->name.text),
                 index->name.range)
          .help(index->reduced
                    ? fmt::format("use it as a subscript of a tensor, or write "
                                  "[{} in 0..N]",
                                  index->name.text)
                    : fmt::format("use it as a subscript of a tensor, or say "
                                  "it behind the statement: where {} < N",
                                  index->name.text));
      return false;
    }
    if (!checkedExtents.count(index))
      fine &= checkNotNegative(*index);
  }
  return fine;
}

bool RangeSolver::checkAccesses() {
  bool fine = true;
  eachAccess([&](const SeenAccess &seen) { fine = fine && checkAccess(seen); });
  return fine;
}

//===----------------------------------------------------------------------===//
// Bounds of accesses
//===----------------------------------------------------------------------===//

LinearForm RangeSolver::formOf(const IndexSum &sum) const {
  LinearForm form = frontend::formOf(sum.offset);
  for (auto [index, factor] : sum.terms) {
    auto place = std::find(indices.begin(), indices.end(), index);
    form.add(op.sizes.size() + (place - indices.begin()), factor);
  }
  return form;
}

std::string RangeSolver::valuesText(const std::vector<int64_t> &values,
                                    const LinearForm &mentioned) const {
  std::string text;
  for (size_t v = 0; v < values.size(); ++v) {
    if (mentioned.factor(v) == 0)
      continue;
    const std::string &name = v < op.sizes.size()
                                  ? op.sizes[v]->name.text
                                  : indices[v - op.sizes.size()]->name.text;
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, values[v]);
  }
  return text;
}

bool RangeSolver::checkAccess(const SeenAccess &seen) {
  Prover prover = proverAt(seen, /*weak=*/false);
  Prover weak = proverAt(seen, /*weak=*/true);
  bool fine = true;
  for (size_t d = 0; d < seen.access->subscripts.size(); ++d)
    for (bool upper : {false, true}) {
      const Subscript &subscript = seen.access->subscripts[d];
      bool isValue =
          subscript.rule == AccessRule::None && !subscript.sum.values.empty();
      fine =
          fine &&
          (isValue ? checkValueBound(seen, subscript, d, prover, upper)
                   : checkBound(seen, subscript, seen.access->tensor->dims[d],
                                prover, weak, upper));
    }
  return fine;
}

bool RangeSolver::checkBound(const SeenAccess &seen, const Subscript &subscript,
                             const Extent &dim, const Prover &prover,
                             const Prover &weak, bool upper) {
  LinearForm form;
  if (subscript.rule != AccessRule::None) {
    // A rule finds an element where there is one.
    if (!upper)
      return true;
    form = frontend::formOf(dim - Extent::of(1));
  } else {
    form = formOf(subscript.sum);
    if (upper) {
      for (int64_t &factor : form.factors)
        factor = -factor;
      form.constant = -form.constant - 1 + dim.constant;
      for (auto [size, factor] : dim.terms)
        form.add(size->number, factor);
    }
  }
  if (prover.proves(form))
    return true;
  // Outside, the value is another one, or is not used.
  if (subscript.rule == AccessRule::None &&
      (seen.access->mayLieOutside() || weak.proves(form))) {
    // The parser's tree is ours to annotate.
    auto &flags = const_cast<Subscript &>(subscript);
    (upper ? flags.above : flags.below) = true;
    return true;
  }
  bool isOutside = subscript.sum.terms.empty() && dim.isConstant() &&
                   subscript.sum.offset.isConstant();
  std::string text = printExpr(*subscript.value);
  Diagnostic &d = reporter.error(
      isOutside ? codes::kOutOfBounds : codes::kBoundNotProved,
      isOutside ? fmt::format("{} lies outside a dimension of size {}", text,
                              spelling(dim))
                : fmt::format("cannot prove that {} lies inside a dimension of "
                              "size {}",
                              text, spelling(dim)),
      subscript.range);
  d.note(fmt::format("'{}' is defined here", seen.access->tensor->name.text),
         seen.access->tensor->name.range);
  if (!isOutside)
    explain(d, seen, subscript, dim, weak, form, upper);
  return false;
}

void RangeSolver::explain(Diagnostic &d, const SeenAccess &seen,
                          const Subscript &subscript, const Extent &dim,
                          const Prover &prover, const LinearForm &form,
                          bool upper) {
  const std::string &tensor = seen.access->tensor->name.text;
  if (subscript.rule != AccessRule::None) {
    d.note(fmt::format("'{}' needs at least one element to choose from",
                       spelling(subscript.rule)),
           subscript.range);
    if (const SizeSymbol *size = dim.plainSize())
      d.help(
          fmt::format("add the constraint 'where {} >= 1'", size->name.text));
    return;
  }
  std::string which = upper ? "its upper end" : "its lower end";
  if (auto values = prover.counterexample(form)) {
    auto valueOf = [&](const LinearForm &sum) {
      int64_t value = sum.constant;
      for (size_t v = 0; v < values->size(); ++v)
        value += sum.factor(v) * (*values)[v];
      return value;
    };
    LinearForm mentioned = formOf(subscript.sum);
    for (auto [size, factor] : dim.terms) {
      mentioned.add(size->number, 0);
      mentioned.factors[size->number] = 1;
    }
    d.note(fmt::format("{} fails: with {} this is element {} of {}", which,
                       valuesText(*values, mentioned),
                       valueOf(formOf(subscript.sum)),
                       valueOf(frontend::formOf(dim))),
           subscript.range);
  } else {
    d.note(fmt::format("{} is not proved; no small sizes break it", which),
           subscript.range);
  }
  std::string text = printExpr(*subscript.value);
  const Extent &offset = subscript.sum.offset;
  if (subscript.sum.terms.empty() && offset.isConstant() && dim.plainSize() &&
      offset.constant >= 0)
    d.help(fmt::format("a constant subscript needs a dimension of constant "
                       "size, or a constraint: 'where {} >= {}'",
                       dim.plainSize()->name.text, offset.constant + 1));
  else if (subscript.sum.terms.empty())
    d.help(fmt::format("subscripts run from 0 to {}",
                       spelling(dim - Extent::of(1))));
  else
    d.help(fmt::format("narrow the range of an index, add a 'where', or give "
                       "the read a rule: {}[clamp({})], or ({}[...] else 0)",
                       tensor, text, tensor));
}

} // namespace girih::frontend
