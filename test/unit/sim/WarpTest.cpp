//===- WarpTest.cpp - lanes of a warp together, and the rest --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/sim/Evaluate.h"
#include "test/unit/sim/Harness.h"

#include <cmath>

using namespace girih;
using namespace girih::sim;
using namespace girih::sim::test;
using Catch::Matchers::Contains;

namespace {

/// Warps of tuples: f(warp, lane) each.
template <typename F> std::vector<Tuple> warps(unsigned count, F &&f) {
  std::vector<Tuple> tuples;
  for (unsigned warp = 0; warp < count; ++warp)
    for (unsigned lane = 0; lane < 32; ++lane)
      tuples.push_back(f(warp, lane));
  return tuples;
}

/// What CUDA's shuffles give: the lane that is read, and whether it is in
/// range.
std::pair<int, bool> cudaShuffle(const std::string &mode, int lane, int b,
                                 int width) {
  int base = lane / width * width, inside = lane % width;
  if (mode == "idx")
    return {base + b % width, true};
  if (mode == "up")
    return inside >= b ? std::pair(lane - b, true) : std::pair(lane, false);
  if (mode == "down")
    return inside + b < width ? std::pair(lane + b, true)
                              : std::pair(lane, false);
  // A butterfly may reach earlier segments, not later ones.
  int from = lane ^ b;
  return from < base + width ? std::pair(from, true) : std::pair(lane, false);
}

/// Random values of which some are equal, and member masks: a random set of
/// lanes works together, and the others do.
std::vector<Tuple> groupedWarps() {
  std::mt19937_64 random(11);
  std::vector<Tuple> tuples;
  for (unsigned warp = 0; warp < 200; ++warp) {
    uint32_t set = warp % 4 == 0 ? 0xffffffff : uint32_t(random());
    uint64_t choices = warp % 3 == 0 ? 1 : 1 + random() % 6;
    uint64_t base = random();
    for (unsigned lane = 0; lane < 32; ++lane) {
      // Values that differ only in their upper words, too.
      uint64_t value = base + (random() % choices << (warp % 2 ? 32 : 0));
      tuples.push_back(
          {value, random(), 0, set >> lane & 1 ? set : ~set & 0xffffffff});
    }
  }
  return tuples;
}

/// Calls f(tuples of the warp, lane, index of the tuple) for all.
template <typename F> void forWarps(const std::vector<Tuple> &tuples, F &&f) {
  for (size_t i = 0; i < tuples.size(); ++i)
    f(tuples.data() + i / 32 * 32, unsigned(i % 32), i);
}

std::string faultText(const std::string &body) {
  Report report = runForFaults(body);
  CHECK_FALSE(report.ok());
  return report.text();
}

} // namespace

TEST_CASE("shuffles as CUDA has them") {
  for (const std::string mode : {"idx", "up", "down", "bfly"}) {
    std::vector<Tuple> tuples =
        warps(6 * 32, [&](unsigned warp, unsigned lane) {
          uint64_t width = 1u << warp / 32;
          uint64_t c = (32 - width) << 8 | (mode == "up" ? 0 : 31);
          return Tuple{1000 * warp + lane, warp % 32, c, 0xffffffff};
        });
    std::vector<Outputs> found =
        evaluate("shfl.sync." + mode +
                     ".b32 %R0|%P1, %r0, %r1, %r2, %r3;"
                     "mov.b32 %R2, %r0;"
                     "shfl.sync." +
                     mode + ".b32 %R2, %R2, %r1, %r2, -1;",
                 "RPR", tuples);
    bool good = true;
    forWarps(tuples, [&](const Tuple *in, unsigned lane, size_t i) {
      auto [from, inRange] =
          cudaShuffle(mode, int(lane), int(in[0][1]), 1 << i / 1024);
      Outputs expected{in[from][0], inRange, in[from][0], 0};
      good &= found[i] == expected;
    });
    INFO(mode);
    CHECK(good);
  }
}

TEST_CASE("shuffles by hand") {
  std::vector<Tuple> tuples = warps(1, [](unsigned, unsigned lane) {
    return Tuple{lane, 31 - lane, 0, 0};
  });
  // b is taken modulo 32; each lane may have its own; c bounds the source.
  std::vector<Outputs> found =
      evaluate("shfl.sync.idx.b32 %R0, %r0, 37, 31, -1;"
               "shfl.sync.idx.b32 %R1, %r0, %r1, 31, -1;"
               "shfl.sync.down.b32 %R2|%P3, %r0, 4, 10, -1;",
               "RRRP", tuples);
  for (uint64_t i = 0; i < 32; ++i)
    CHECK(found[i] == Outputs{5, 31 - i, i + 4 <= 10 ? i + 4 : i, i + 4 <= 10});
  // Segments of 8: idx takes the bits of b that c's mask leaves. Upwards, c is
  // the lowest lane that is read.
  found = evaluate("shfl.sync.idx.b32 %R0|%P1, %r0, 11, 0x1804, -1;"
                   "shfl.sync.up.b32 %R2|%P3, %r0, 3, 0x1802, -1;",
                   "RPRP", tuples);
  for (uint64_t i = 0; i < 32; ++i) {
    uint64_t base = i / 8 * 8;
    bool up = int(i) - 3 >= int(base + 2);
    CHECK(found[i] == Outputs{base + 3, 1, up ? i - 3 : i, up});
  }
  // The number itself may be shuffled; the predicate may be left out.
  found = evaluate("shfl.sync.idx.b32 %R0|_, 9, 3, 31, -1;", "R", tuples);
  CHECK(found[7][0] == 9);
}

TEST_CASE("shuffles within several member masks at once") {
  std::vector<Tuple> tuples = warps(1, [](unsigned, unsigned lane) {
    return Tuple{lane + 100, 0, 0,
                 lane % 3 == 0   ? 0x49249249u
                 : lane % 3 == 1 ? 0x92492492u
                                 : 0x24924924u};
  });
  // Three lanes on, in the same set, or the own value.
  std::vector<Outputs> found =
      evaluate("shfl.sync.down.b32 %R0|%P1, %r0, 3, 31, %r3;", "RP", tuples);
  for (uint64_t i = 0; i < 32; ++i)
    CHECK(found[i] == Outputs{i < 29 ? i + 103 : i + 100, i < 29});
}

TEST_CASE("a sum by shuffles where the warp is split") {
  // Lanes below 16 add theirs, the others take a maximum.
  std::vector<uint64_t> found = runLanes(
      R"(mov.u32 %r0, %laneid; setp.lt.u32 %p0, %r0, 16; mov.u32 %r1, %r0;
@%p0 bra LOW;
shfl.sync.bfly.b32 %r2, %r1, 8, 31, 0xffff0000; max.u32 %r1, %r1, %r2;
shfl.sync.bfly.b32 %r2, %r1, 4, 31, 0xffff0000; max.u32 %r1, %r1, %r2;
shfl.sync.bfly.b32 %r2, %r1, 2, 31, 0xffff0000; max.u32 %r1, %r1, %r2;
shfl.sync.bfly.b32 %r2, %r1, 1, 31, 0xffff0000; max.u32 %r1, %r1, %r2;
bra DONE;
LOW:
shfl.sync.bfly.b32 %r2, %r1, 8, 31, 0xffff; add.u32 %r1, %r1, %r2;
shfl.sync.bfly.b32 %r2, %r1, 4, 31, 0xffff; add.u32 %r1, %r1, %r2;
shfl.sync.bfly.b32 %r2, %r1, 2, 31, 0xffff; add.u32 %r1, %r1, %r2;
shfl.sync.bfly.b32 %r2, %r1, 1, 31, 0xffff; add.u32 %r1, %r1, %r2;
DONE:)",
      "%r1", "u32", {});
  for (unsigned i = 0; i < 32; ++i)
    CHECK(found[i] == (i < 16 ? 120u : 31u));
}

TEST_CASE("shuffles that read what is not there are faults") {
  CHECK_THAT(faultText("mov.u32 %r3, %laneid; setp.lt.u32 %p0, %r3, 16;"
                       "@%p0 shfl.sync.idx.b32 %r2, %r3, 17, 31, 0xffff;"),
             Contains("lane 0 reads %r3 of lane 17, which does not take part; "
                      "lanes that are read must be in the member mask"));
  CHECK_THAT(faultText("mov.u32 %r0, %laneid; setp.lt.u32 %p0, %r0, 16;"
                       "@%p0 mov.u32 %r3, 1;"
                       "shfl.sync.bfly.b32 %r2, %r3, 16, 31, -1;"),
             Contains("lane 0 reads %r3 of lane 16, which has not written it"));
  CHECK_THAT(faultText("mov.u32 %r0, %laneid;"
                       "shfl.sync.bfly.b32 %r2, %r0, %r4, 31, -1;"),
             Contains("reads register %r4"));
  // Not written, and not read.
  CHECK(runForFaults("mov.u32 %r0, %laneid; setp.lt.u32 %p0, %r0, 16;"
                     "@%p0 mov.u32 %r3, 1;"
                     "shfl.sync.idx.b32 %r2, %r3, 7, 31, -1;")
            .ok());
}

TEST_CASE("votes") {
  std::mt19937_64 random(2);
  std::vector<Tuple> tuples = groupedWarps();
  // All true, all false, one of a kind, any.
  for (size_t warp = 0; warp < tuples.size() / 32; ++warp) {
    uint32_t votes[] = {0xffffffff, 0, 1u << warp % 32, ~(1u << warp % 32),
                        uint32_t(random())};
    for (unsigned lane = 0; lane < 32; ++lane)
      tuples[warp * 32 + lane][0] = votes[warp % 5] >> lane & 1;
  }
  std::vector<Outputs> found = evaluate(
      "vote.sync.all.pred %P0, %p0, %r3; vote.sync.any.pred %P1, %p0, %r3;"
      "vote.sync.uni.pred %P2, %p0, %r3; vote.sync.ballot.b32 %R3, %p0, %r3;",
      "PPPR", tuples);
  std::vector<Outputs> negated = evaluate(
      "vote.sync.all.pred %P0, !%p0, %r3; vote.sync.any.pred %P1, !%p0, %r3;"
      "vote.sync.uni.pred %P2, !%p0, %r3; vote.sync.ballot.b32 %R3, !%p0, %r3;",
      "PPPR", tuples);
  bool good = true;
  forWarps(tuples, [&](const Tuple *in, unsigned lane, size_t i) {
    uint64_t yes = 0, no = 0;
    for (unsigned other = 0; other < 32; ++other)
      if (in[lane][3] >> other & 1)
        (in[other][0] ? yes : no) |= uint64_t(1) << other;
    uint64_t uniform = !yes || !no;
    good &= found[i] == Outputs{!no, yes != 0, uniform, yes};
    good &= negated[i] == Outputs{!yes, no != 0, uniform, no};
  });
  CHECK(good);
}

TEST_CASE("matches") {
  std::vector<Tuple> tuples = groupedWarps();
  std::vector<Outputs> any =
      evaluate("match.any.sync.b32 %R0, %r0, %r3;"
               "match.any.sync.b64 %R1, %d0, %r3;"
               "mov.b32 %R2, %r0; match.sync.any.b32 %R2, %R2, %r3;",
               "RRR", tuples);
  std::vector<Outputs> all = evaluate(
      "match.all.sync.b32 %R0|%P1, %r0, %r3;"
      "match.all.sync.b64 %R2|%P3, %d0, %r3; match.all.sync.b32 %R2, %r0, %r3;",
      "RPRP", tuples);
  std::vector<Outputs> wide = evaluate(
      "match.all.sync.b64 %R0|_, %d0, %r3; match.all.sync.b64 _|%P1, %d0, %r3;",
      "RP", tuples);
  bool good = true;
  forWarps(tuples, [&](const Tuple *in, unsigned lane, size_t i) {
    uint64_t mask = in[lane][3], same32 = 0, same64 = 0;
    for (unsigned other = 0; other < 32; ++other) {
      bool takesPart = mask >> other & 1;
      bool isSame = in[other][0] == in[lane][0];
      bool isSameLow = uint32_t(in[other][0]) == uint32_t(in[lane][0]);
      same32 |= uint64_t(takesPart && isSameLow) << other;
      same64 |= uint64_t(takesPart && isSame) << other;
    }
    bool all32 = same32 == mask, all64 = same64 == mask;
    good &= any[i] == Outputs{same32, same64, same32};
    good &= all[i] == Outputs{all32 ? mask : 0, all32, all32 ? mask : 0, all64};
    good &= wide[i] == Outputs{all64 ? mask : 0, all64};
  });
  CHECK(good);
}

TEST_CASE("reductions") {
  std::vector<Tuple> tuples = groupedWarps();
  std::vector<Outputs> sums =
      evaluate("redux.sync.add.u32 %R0, %r1, %r3; redux.sync.add.s32 %R1, %r1,"
               "%r3; redux.sync.min.u32 %R2, %r1, %r3;"
               "redux.sync.max.u32 %R3, %r1, %r3;",
               "RRRR", tuples);
  std::vector<Outputs> others =
      evaluate("redux.sync.min.s32 %R0, %r1, %r3; redux.sync.max.s32 %R1, %r1,"
               "%r3; redux.sync.and.b32 %R2, %r1, %r3;"
               "redux.sync.or.b32 %R3, %r1, %r3;",
               "RRRR", tuples);
  std::vector<Outputs> last = evaluate(
      "mov.b32 %R0, %r1; redux.sync.xor.b32 %R0, %R0, %r3;", "R", tuples);
  bool good = true;
  forWarps(tuples, [&](const Tuple *in, unsigned lane, size_t i) {
    std::vector<uint32_t> values;
    for (unsigned other = 0; other < 32; ++other)
      if (in[lane][3] >> other & 1)
        values.push_back(uint32_t(in[other][1]));
    uint32_t sum = 0, both = ~0u, either = 0, odd = 0;
    for (uint32_t value : values)
      sum += value, both &= value, either |= value, odd ^= value;
    std::sort(values.begin(), values.end());
    good &= sums[i] == Outputs{sum, sum, values.front(), values.back()};
    std::sort(values.begin(), values.end(),
              [](uint32_t a, uint32_t b) { return int32_t(a) < int32_t(b); });
    good &= others[i] == Outputs{values.front(), values.back(), both, either};
    good &= last[i][0] == odd;
  });
  CHECK(good);
}

TEST_CASE("reductions of floats are for sm_100") {
  CHECK_THAT(refusal("redux.sync.min.f32 %R0, %r0, -1;"),
             Contains("type .f32 needs sm_100a; the module's target is "
                      "sm_90a"));
  SimulatorOptions options;
  options.capability = 100;
  Simulator card(options);
  // Lane l has l - 10, but lane 3 has NaN.
  std::vector<uint32_t> in(32), out(6);
  for (int lane = 0; lane < 32; ++lane)
    in[lane] = uint32_t(bits(float(lane - 10)));
  in[3] = 0xffc00001;
  uint64_t a = *card.upload(in), b = *card.upload(out);
  std::string text = kernelText(
      R"(ld.param.u64 %rd0, [a0]; ld.param.u64 %rd1, [a1]; mov.u32 %r0, %laneid;
mad.wide.u32 %rd0, %r0, 4, %rd0; ld.global.f32 %f0, [%rd0];
redux.sync.min.f32 %f1, %f0, -1; st.global.f32 [%rd1], %f1;
redux.sync.max.f32 %f1, %f0, -1; st.global.f32 [%rd1+4], %f1;
redux.sync.min.abs.f32 %f1, %f0, -1; st.global.f32 [%rd1+8], %f1;
redux.sync.max.NaN.f32 %f1, %f0, -1; st.global.f32 [%rd1+12], %f1;
setp.eq.u32 %p0, %r0, 3; @%p0 redux.sync.max.f32 %f1, %f0, 8;
@%p0 st.global.f32 [%rd1+16], %f1;
selp.f32 %f2, 0f80000000, 0f00000000, %p0;
redux.sync.min.f32 %f1, %f2, -1; st.global.f32 [%rd1+20], %f1;)",
      2, "sm_100a");
  LaunchShape shape;
  shape.block = {32, 1, 1};
  // All lanes store the same: a race that is none of this test's matter.
  runKernel(card, text, shape, {a, b});
  out = *card.download<uint32_t>(b, 6);
  CHECK(out == std::vector<uint32_t>{uint32_t(bits(-10.0f)),
                                     uint32_t(bits(21.0f)), 0, 0x7fffffff,
                                     0x7fffffff, 0x80000000});
}

TEST_CASE("one lane is elected; active lanes name themselves") {
  std::vector<Tuple> tuples = groupedWarps();
  for (size_t i = 0; i < tuples.size(); ++i)
    tuples[i][2] = i % 32 >= 5 && i % 3; // a predicate
  std::vector<Outputs> found =
      evaluate("elect.sync %R0|%P1, %r3; elect.sync _|%P2, %r3; mov.b32 %R3, 0;"
               "@%p2 activemask.b32 %R3;",
               "RPPR", tuples);
  bool good = true;
  forWarps(tuples, [&](const Tuple *in, unsigned lane, size_t i) {
    uint64_t first = 0, active = 0;
    while (!(in[lane][3] >> first & 1))
      ++first;
    for (unsigned other = 0; other < 32; ++other)
      active |= in[other][2] << other;
    good &= found[i] == Outputs{first, lane == first, lane == first,
                                in[lane][2] ? active : 0};
  });
  CHECK(good);
}

TEST_CASE("a thread that sleeps lets others do what it waits for") {
  Simulator card;
  uint64_t out = *card.upload(std::vector<uint32_t>(1));
  // Warp 0 waits for warp 1's flag.
  std::string text = kernelText(
      R"(.shared .align 4 .b8 flag[4];
mov.u32 %r0, %tid.x; mov.u32 %r1, 0; setp.ge.u32 %p0, %r0, 32;
setp.eq.u32 %p1, %r0, 0; @%p1 st.volatile.shared.u32 [flag], %r1;
bar.sync 0;
@%p0 bra SET;
WAIT:
nanosleep.u32 100;
ld.volatile.shared.u32 %r2, [flag]; setp.eq.u32 %p2, %r2, 0; @%p2 bra WAIT;
@!%p1 bra DONE;
ld.param.u64 %rd0, [a0]; st.global.u32 [%rd0], %r2;
bra DONE;
SET:
setp.eq.u32 %p2, %r0, 32; mov.u32 %r2, 42;
@%p2 st.volatile.shared.u32 [flag], %r2;
DONE:)",
      1);
  LaunchShape shape;
  shape.block = {64, 1, 1};
  Report report = runKernel(card, text, shape, {out});
  INFO(report.text());
  CHECK(report.ok());
  CHECK((*card.download<uint32_t>(out, 1))[0] == 42);
}

TEST_CASE("what changes nothing is accepted") {
  CHECK(runOne("griddepcontrol.wait; pmevent 7; pmevent.mask 0xff;"
               "nanosleep.u32 20; setmaxnreg.dec.sync.aligned.u32 24;"
               "setmaxnreg.inc.sync.aligned.u32 256; mov.u32 %r0, 5;"
               "nanosleep.u32 %r0; griddepcontrol.launch_dependents;",
               "%r0", "u32") == 5);
}

TEST_CASE("instructions of warps that are none are refused") {
  CHECK_THAT(refusal("shfl.idx.b32 %R0, %r0, 1, 31;"),
             Contains("without .sync it is gone since sm_70; write shfl.sync "
                      "with a member mask"));
  CHECK_THAT(refusal("vote.all.pred %P0, %p0;"),
             Contains("without .sync it is gone since sm_70; write vote.sync "
                      "with a member mask"));
  CHECK_THAT(refusal("shfl.sync.b32 %R0, %r0, 1, 31, -1;"),
             Contains("needs .up, .down, .bfly or .idx, then type .b32"));
  CHECK_THAT(refusal("shfl.sync.idx.b32 _|%P0, %r0, 1, 31, -1;"),
             Contains("the first result cannot be '_'"));
  CHECK_THAT(refusal("shfl.sync.idx.b32 %R0, %r0, 1, 31;"),
             Contains("takes 5 operands, not 4"));
  CHECK_THAT(refusal("vote.sync.pred %P0, %p0, -1;"),
             Contains("needs .all, .any, .uni or .ballot"));
  CHECK_THAT(refusal("vote.sync.ballot.pred %R0, %p0, -1;"),
             Contains("needs type .b32"));
  CHECK_THAT(refusal("vote.sync.all.b32 %P0, %p0, -1;"),
             Contains("needs type .pred"));
  CHECK_THAT(refusal("match.any.b32 %R0, %r0, -1;"),
             Contains("needs .any or .all, .sync, then type .b32 or .b64"));
  CHECK_THAT(refusal("match.any.sync.b32 %R0|%P0, %r0, -1;"),
             Contains("a result must be a register"));
  CHECK_THAT(refusal("redux.add.s32 %R0, %r0, -1;"),
             Contains("needs .sync behind its name"));
  CHECK_THAT(refusal("redux.sync.mul.s32 %R0, %r0, -1;"),
             Contains("needs .add, .min, .max, .and, .or or .xor"));
  CHECK_THAT(refusal("redux.sync.and.u32 %R0, %r0, -1;"),
             Contains("takes type .b32"));
  CHECK_THAT(refusal("redux.sync.add.b32 %R0, %r0, -1;"),
             Contains("takes type .u32 or .s32 (for .min and .max also .f32)"));
  CHECK_THAT(refusal("redux.sync.min.abs.s32 %R0, %r0, -1;"),
             Contains(".abs and .NaN go with type .f32 only"));
  CHECK_THAT(refusal("activemask.u32 %R0;"), Contains("needs type .b32"));
  CHECK_THAT(refusal("elect.sync %R0, -1;"),
             Contains("needs two results: a register or '_', then a predicate: "
                      "%r1|%p1"));
  CHECK_THAT(refusal("elect.sync %R0|_, -1;"), Contains("needs two results"));
  CHECK_THAT(refusal("elect %R0|%P0, -1;"),
             Contains("needs .sync behind its name"));
}

TEST_CASE("the rest that is none is refused") {
  CHECK_THAT(refusal("nanosleep.b32 %r0;"), Contains("needs type .u32"));
  CHECK_THAT(refusal("griddepcontrol;"),
             Contains("needs .launch_dependents or .wait"));
  CHECK_THAT(refusal("pmevent 16;"),
             Contains("the event must be 0 to 15, not 16"));
  CHECK_THAT(refusal("pmevent.mask 65536;"),
             Contains("the event must be 0 to 65535, not 65536"));
  for (const char *count : {"25", "28", "16", "264"})
    CHECK_THAT(
        refusal(std::string("setmaxnreg.dec.sync.aligned.u32 ") + count + ";"),
        Contains("the count of registers must be a multiple of 8 from "
                 "24 to 256, not " +
                 std::string(count)));
  CHECK_THAT(refusal("setmaxnreg.sync.aligned.u32 24;"),
             Contains("needs .inc or .dec, then .sync.aligned.u32"));
}
