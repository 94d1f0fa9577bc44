//===- RunTest.cpp - compiling, binding and running on the host -----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "compiler/reference/Codegen.h"
#include "compiler/reference/Runner.h"

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <cmath>
#include <thread>

using namespace girih;
using namespace girih::reference;
using namespace girih::reference::test;

namespace {

std::string compileRefusal(const std::string &text) {
  Result<ReferenceProgram> program = ReferenceProgram::compile(text);
  return program ? std::string() : program.message();
}

std::string replaced(std::string text, const std::string &from,
                     const std::string &to) {
  size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

struct Matmul {
  Array<float> a, b, c;
  Matmul(int64_t m, int64_t n, int64_t k)
      : a(floats({m, k})), b(floats({k, n})), c(floats({m, n})) {
    Random random(m * n + k);
    for (Array<float> *x : {&a, &b})
      for (float &value : x->data)
        value = random.unit();
  }
  std::vector<HostTensor> params() { return {a.view(), b.view(), c.view()}; }
};

} // namespace

TEST_CASE("the signature of a te.func", "[reference]") {
  ReferenceProgram program = compiled(
      "te.func @op sizes [\"M\", \"N\"] given [-1, 8] "
      "(%X \"X\": !te.tensor<[M, N], bf16>, %b \"b\": !te.tensor<[4], f64>) -> "
      "(\"Y\": !te.tensor<[M, N], bf16>) "
      "where [#te.constraint<\"M\", divisible, 16>, "
      "#te.constraint<\"M\", at_most, 64>] functions fast {\n"
      "  te.return %X : !te.tensor<[M, N], bf16>\n}\n");
  const artifact::Signature &s = program.signature();
  CHECK(s.op == "op");
  CHECK(s.sizes == std::vector<std::string>{"M", "N"});
  CHECK(s.given == std::vector<int64_t>{-1, 8});
  REQUIRE(s.params.size() == 3);
  CHECK(s.params[0].name == "X");
  CHECK(s.params[0].type == ScalarType::BF16);
  CHECK(s.params[0].shape[1].kind == artifact::SizeExpr::Kind::Size);
  CHECK(s.params[0].shape[1].size == 1);
  CHECK_FALSE(s.params[1].isOutput);
  CHECK(s.params[1].type == ScalarType::F64);
  CHECK(s.params[1].shape[0].value == 4);
  CHECK(s.params[2].name == "Y");
  CHECK(s.params[2].isOutput);
  REQUIRE(s.constraints.size() == 2);
  CHECK(s.constraints[0].size == 0);
  CHECK(s.constraints[0].value == 16);

  Array<uint16_t> x = bf16s({32, 8}), y = bf16s({32, 8});
  Array<double> b = doubles({4});
  for (size_t i = 0; i < x.data.size(); ++i)
    x.data[i] = i;
  runs(program, {x.view(), b.view(), y.view()}); // an output that is an input
  CHECK(y.data == x.data);
  Array<uint16_t> odd = bf16s({24, 8});
  CHECK(refusal(program, {odd.view(), b.view(), odd.view()}) ==
        "M = 24 but must be divisible by 16");
  Array<uint16_t> large = bf16s({80, 8});
  CHECK(refusal(program, {large.view(), b.view(), large.view()}) ==
        "M = 80 but must be at most 64");
  Array<uint16_t> other = bf16s({32, 9});
  CHECK(refusal(program, {other.view(), b.view(), other.view()}) ==
        "N = 9 by X but was compiled for 8");
}

TEST_CASE("what does not fit the signature is refused", "[reference]") {
  ReferenceProgram program = compiled(matmulText("f32", "seq"));
  Matmul m(4, 6, 5);
  CHECK(refusal(program, {m.a.view(), m.b.view()}) ==
        "matmul takes 3 tensors, not 2");
  auto params = m.params();
  params[1].type = ScalarType::BF16;
  CHECK(refusal(program, params) == "B is bf16 but must be f32");
  params = m.params();
  params[0].shape = {20};
  params[0].strides = {1};
  CHECK(refusal(program, params) ==
        "A has shape [20] but must have 2 dimensions");
  params = m.params();
  params[1].shape[0] = 4;
  CHECK(refusal(program, params) ==
        "B has shape [4, 6] but extent 0 is K, which is 5 by A");
  params = m.params();
  params[2].shape[1] = 7;
  CHECK(refusal(program, params) ==
        "C has shape [4, 7] but extent 1 is N, which is 6 by B");
  params = m.params();
  params[2].strides.pop_back();
  CHECK(refusal(program, params) == "C has 1 strides for 2 dimensions");
  params = m.params();
  params[2].data = nullptr;
  CHECK(refusal(program, params) == "C has no data");
  params = m.params();
  params[0].shape[0] = -1;
  CHECK(refusal(program, params) ==
        "A has shape [-1, 5] with a negative extent");
}

TEST_CASE("what cannot be replayed is refused", "[reference]") {
  std::string matmul = matmulText("f32", "seq");
  CHECK(compileRefusal("nonsense").substr(0, 33) ==
        "the te module cannot be read: 1:1");
  CHECK(compileRefusal("") == "a te module for the reference holds one "
                              "te.func, this one holds 0");
  CHECK(compileRefusal(matmul + replaced(matmul, "@matmul", "@other")) ==
        "a te module for the reference holds one te.func, this one holds 2");
  CHECK(compileRefusal(replaced(matmul, "term <\"seq\"> ", "")) ==
        "the sum of C has no association term; the reference replays modules "
        "from the assoc phase on");
  CHECK(compileRefusal(matmulText("f32", "mma(sm_90, 16)")) ==
        "the sum of C has the term mma(sm_90, 16), and the reference does not "
        "replay tensor cores' chains");
  CHECK(compileRefusal(matmulText("f32", "tree(4)")) ==
        "the sum of C has the term tree(4), which needs a constant extent");
  CHECK(compileRefusal(rowReduceText("sum", "f32", "tree(4)", "M", "10")) ==
        "the sum of S: tree(4) cannot divide 10 elements into equal segments");
  CHECK(compileRefusal(mapText("f32", "f32",
                               "    %y = te.unary exp portable %x : f32\n")) ==
        "Y holds a portable exp that has not been expanded into exactly "
        "rounded operations");
  CHECK(compileRefusal(mapText("f32", "f32",
                               "    %y = te.unary tanh unset %x : f32\n",
                               "portable")) ==
        "Y holds a portable tanh that has not been expanded into exactly "
        "rounded operations");
  // A segment that the tree cannot divide shows only with the sizes.
  ReferenceProgram program =
      compiled(rowReduceText("sum", "f32", "seg(8, tree(2))"));
  Array<float> x = floats({2, 11}), s = floats({2});
  CHECK(refusal(program, {x.view(), s.view()}) ==
        "the reduction of S: tree(2) cannot divide 3 elements into equal "
        "segments");
}

TEST_CASE("a subscript never leaves its tensor", "[reference]") {
  std::string text =
      replaced(rowReduceText("sum", "f32", "seq"), "[\"M\", \"K\"](%X",
               "[\"M\", \"K\", \"L\"](%Z \"Z\": !te.tensor<[L], f32>, %X");
  text = replaced(text, "in [K]", "in [L]");
  ReferenceProgram program = compiled(text);
  Array<float> z = floats({5}), x = floats({3, 4}), s = floats({3});
  CHECK(refusal(program, {z.view(), x.view(), s.view()}) ==
        "S reads X up to 4 in dimension 1, whose extent is 4");
  Array<float> shorter = floats({4});
  runs(program, {shorter.view(), x.view(), s.view()});
}

TEST_CASE("threads do not change a bit", "[reference]") {
  ReferenceProgram program = compiled(matmulText("f32", "lanes(8, 1)"));
  Matmul m(130, 200, 90);
  runs(program, m.params(), 1);
  std::vector<float> one = m.c.data;
  for (unsigned threads : {2u, 4u, 7u}) {
    std::fill(m.c.data.begin(), m.c.data.end(), 0.0f);
    runs(program, m.params(), threads);
    CHECK(std::memcmp(one.data(), m.c.data.data(), one.size() * 4) == 0);
  }
}

TEST_CASE("several threads compile and run at once", "[reference]") {
  ReferenceProgram shared =
      compiled(mapText("f32", "f32", "    %y = te.unary exp fast %x : f32\n"));
  std::atomic<int> wrong{0};
  auto work = [&](int seed) {
    for (int round = 0; round < 3; ++round) {
      Result<ReferenceProgram> program =
          ReferenceProgram::compile(matmulText("f32", "seq"));
      Matmul m(9 + seed, 33, 20);
      if (!program || !program->run(m.params(), {}).ok()) {
        ++wrong;
        return;
      }
      float sum = 0;
      for (int l = 0; l < 20; ++l)
        sum = std::fma(m.a.data[l], m.b.data[l * 33], sum);
      wrong += bitsOf(sum) != bitsOf(m.c.data[0]);
      // One program, several runs; the first bounds compile it once.
      Array<float> x = floats({100}), y = floats({100});
      std::vector<std::vector<double>> bounds;
      wrong += !shared.runWithBounds({x.view(), y.view()}, bounds, {}).ok();
      wrong += y.data[7] != 1.0f || !(bounds[0][7] > 0);
    }
  };
  std::vector<std::thread> threads;
  for (int seed = 0; seed < 4; ++seed)
    threads.emplace_back(work, seed);
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("a run in place reads its inputs first", "[reference]") {
  ReferenceProgram program = compiled(matmulText("f32", "seq"));
  Matmul m(6, 6, 6);
  runs(program, m.params());
  std::vector<float> expected = m.c.data;
  runs(program, {m.a.view(), m.b.view(), m.a.view()});
  CHECK(m.a.data == expected);
}

TEST_CASE("an output that a later tensor reads, returned twice",
          "[reference]") {
  std::string t = "!te.tensor<[N], f32>";
  std::string text =
      "te.func @chain sizes [\"N\"](%X \"X\": " + t + ") -> (\"A\": " + t +
      ", \"B\": " + t + ", \"A2\": " + t +
      ") functions fast {\n"
      "  %A = te.compute \"A\" [\"i\"] : " +
      t +
      " {\n  ^bb0(%i: index):\n"
      "    %x = te.read %X[%i] : " +
      t +
      "\n"
      "    %y = te.binary add %x, %x : f32\n    te.yield %y : f32\n  }\n"
      "  %B = te.compute \"B\" [\"i\"] : " +
      t +
      " {\n  ^bb0(%i: index):\n"
      "    %x = te.read %A[%i] : " +
      t +
      "\n"
      "    %y = te.binary mul %x, %x : f32\n    te.yield %y : f32\n  }\n"
      "  te.return %A, %B, %A : " +
      t + ", " + t + ", " + t + "\n}\n";
  ReferenceProgram program = compiled(text);
  Array<float> x = floats({21}), a = x, b = x, a2 = x;
  for (int i = 0; i < 21; ++i)
    x.data[i] = i;
  // A is written through stride 0: B must still see every element of it.
  HostTensor view = a.view();
  view.strides[0] = 0;
  runs(program, {x.view(), view, b.view(), a2.view()});
  for (int i = 0; i < 21; ++i) {
    CHECK(b.data[i] == 4.0f * i * i);
    CHECK(a2.data[i] == 2.0f * i);
  }
}

TEST_CASE("progress rises to 1", "[reference]") {
  ReferenceProgram program = compiled(matmulText("f32", "seq"));
  Matmul m(64, 256, 64);
  std::vector<double> seen;
  RunOptions options;
  options.threads = 2;
  auto caller = std::this_thread::get_id();
  options.progress = [&](double fraction) {
    CHECK(std::this_thread::get_id() == caller);
    seen.push_back(fraction);
  };
  REQUIRE(program.run(m.params(), options).ok());
  REQUIRE(!seen.empty());
  CHECK(std::is_sorted(seen.begin(), seen.end()));
  CHECK(seen.back() == 1.0);
}

TEST_CASE("the caller's rounding mode changes nothing", "[reference]") {
  ReferenceProgram program = compiled(matmulText("f32", "seq"));
  Matmul m(20, 40, 33);
  runs(program, m.params(), 1);
  std::vector<float> expected = m.c.data;
  std::fesetround(FE_UPWARD);
  Status status = program.run(m.params(), {});
  int mode = std::fegetround();
  std::fesetround(FE_TONEAREST);
  REQUIRE(status.ok());
  CHECK(mode == FE_UPWARD);
  CHECK(m.c.data == expected);
}

TEST_CASE("narrower machines compute the same bits", "[reference]") {
  auto run = [](const std::string &text, std::vector<HostTensor> params,
                std::optional<HostShape> shape) {
    Result<HostProgram> program = compileProgram(text, /*bounds=*/false, shape);
    INFO((program ? std::string() : program.message()));
    REQUIRE(program.ok());
    REQUIRE(runProgram(*program, params, {}, nullptr).ok());
  };
  std::string half = " : f16\n";
  std::string halfOps =
      ternaryText("f16", "    %a = te.fma %x, %y, %w" + half +
                             "    %q = te.binary div %a, %y" + half +
                             "    %n = te.unary abs unset %q" + half +
                             "    %r = te.unary sqrt unset %n" + half +
                             "    %b = te.cast %r : f16 to bf16\n"
                             "    %c = te.cast %b : bf16 to f16\n"
                             "    %z = te.binary add %c, %x" +
                             half);
  Array<uint16_t> x = f16s({65536}), y = x, w = x, z = x, narrow = x;
  Random random(3);
  for (int i = 0; i < 65536; ++i) {
    x.data[i] = i;
    y.data[i] = random.bits() >> 16;
    w.data[i] = random.bits() >> 16;
  }
  std::string cast =
      mapText("f32", "f16", "    %y = te.cast %x : f32 to f16\n");
  Array<float> f = floats({65536});
  for (float &value : f.data) {
    uint32_t bits = random.bits();
    if (bits & 1) // near f16's range
      bits = (bits & 0x8fffffff) | 0x30000000 | (bits >> 3 & 0x18000000);
    std::memcpy(&value, &bits, 4);
  }
  Array<uint16_t> g = x, gNarrow = x;
  Matmul m(9, 85, 40);
  run(halfOps, {x.view(), y.view(), w.view(), z.view()}, std::nullopt);
  run(cast, {f.view(), g.view()}, std::nullopt);
  run(matmulText("f32", "lanes(8, 1)"), m.params(), std::nullopt);
  std::vector<float> c = m.c.data;
  auto isNan = [](uint16_t bits) { return (bits & 0x7fff) > 0x7c00; };
  for (unsigned bits : {128u, 256u, 512u}) {
    HostShape shape{bits, /*nativeHalf=*/false};
    run(halfOps, {x.view(), y.view(), w.view(), narrow.view()}, shape);
    run(cast, {f.view(), gNarrow.view()}, shape);
    int wrong = 0, wrongCast = 0;
    for (int i = 0; i < 65536; ++i) {
      wrong += z.data[i] != narrow.data[i] &&
               !(isNan(z.data[i]) && isNan(narrow.data[i]));
      wrongCast += g.data[i] != gNarrow.data[i] &&
                   !(isNan(g.data[i]) && isNan(gNarrow.data[i]));
    }
    CAPTURE(bits);
    CHECK(wrong == 0);
    CHECK(wrongCast == 0);
    std::fill(m.c.data.begin(), m.c.data.end(), 0.0f);
    run(matmulText("f32", "lanes(8, 1)"), m.params(), shape);
    CHECK(m.c.data == c);
  }
}

TEST_CASE("subscripts in any order", "[reference]") {
  // The transpose, a diagonal and a fixed row in one expression; then a
  // reduction inside a larger expression with another one inside it.
  std::string text = R"te(
te.func @mixed sizes ["N"](%X "X": !te.tensor<[N, N], f32>)
    -> ("Y": !te.tensor<[N, N], f32>, "Z": !te.tensor<[2, N], f32>)
    functions fast {
  %two = te.index_constant 2
  %Y = te.compute "Y" ["i", "j"] : !te.tensor<[N, N], f32> {
  ^bb0(%i: index, %j: index):
    %t = te.read %X[%j, %i] : !te.tensor<[N, N], f32>
    %d = te.read %X[%j, %j] : !te.tensor<[N, N], f32>
    %r = te.read %X[%two, %j] : !te.tensor<[N, N], f32>
    %c = te.index_constant 1
    %u = te.read %X[%i, %c] : !te.tensor<[N, N], f32>
    %a = te.binary sub %t, %d : f32
    %b = te.binary mul %a, %r : f32
    %y = te.binary add %b, %u : f32
    te.yield %y : f32
  }
  %Z = te.compute "Z" ["i", "j"] : !te.tensor<[2, N], f32> {
  ^bb0(%i: index, %j: index):
    %s = te.reduce sum ["k"] in [N] order "fixed" term <"seg(5, seq)">
        leaf plain : f32 {
    ^bb0(%k: index):
      %m = te.reduce max ["l"] in [N] order "fixed" leaf plain : f32 {
      ^bb0(%l: index):
        %x = te.read %Y[%k, %l] : !te.tensor<[N, N], f32>
        %v = te.read %X[%l, %j] : !te.tensor<[N, N], f32>
        %p = te.binary mul %x, %v : f32
        te.yield %p : f32
      }
      %w = te.read %X[%k, %j] : !te.tensor<[N, N], f32>
      %q = te.binary add %m, %w : f32
      te.yield %q : f32
    }
    %f = te.to_float %i : index to f32
    %z = te.binary add %s, %f : f32
    te.yield %z : f32
  }
  te.return %Y, %Z : !te.tensor<[N, N], f32>, !te.tensor<[2, N], f32>
}
)te";
  constexpr int64_t n = 19;
  Array<float> x = floats({n, n}), y = x, z = floats({2, n});
  Random random(9);
  for (float &value : x.data)
    value = random.unit();
  runs(compiled(text), {x.view(), y.view(), z.view()});
  auto at = [&](int64_t i, int64_t j) { return x.data[i * n + j]; };
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float product = (at(j, i) - at(j, j)) * at(2, j);
      CHECK(y.data[i * n + j] == product + at(i, 1));
    }
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t k0 = 0; k0 < n; k0 += 5) {
        float part = 0;
        for (int64_t k = k0; k < std::min(k0 + 5, n); ++k) {
          float largest = -std::numeric_limits<float>::infinity();
          for (int64_t l = 0; l < n; ++l)
            largest = std::max(largest, y.data[k * n + l] * at(l, j));
          part += largest + at(k, j);
        }
        sum += part;
      }
      CHECK(z.data[i * n + j] == sum + float(i));
    }
  Array<float> small = floats({2, 2}), zs = floats({2, 2});
  CHECK(refusal(compiled(text), {small.view(), small.view(), zs.view()}) ==
        "Y reads X up to 2 in dimension 0, whose extent is 2");
}

TEST_CASE("batched contractions and sums over outer indices", "[reference]") {
  std::string text = R"te(
te.func @scores sizes ["H", "M", "N", "D"](
    %Q "Q": !te.tensor<[H, M, D], bf16>, %K "K": !te.tensor<[H, N, D], bf16>)
    -> ("S": !te.tensor<[H, M, N], f32>, "T": !te.tensor<[N], f32>)
    functions fast {
  %S = te.compute "S" ["h", "i", "j"] : !te.tensor<[H, M, N], f32> {
  ^bb0(%h: index, %i: index, %j: index):
    %s = te.reduce sum ["d"] in [D] order "fixed" term <"seq"> leaf fma : f32 {
    ^bb0(%d: index):
      %q = te.read %Q[%h, %i, %d] : !te.tensor<[H, M, D], bf16>
      %k = te.read %K[%h, %j, %d] : !te.tensor<[H, N, D], bf16>
      %qf = te.cast %q : bf16 to f32
      %kf = te.cast %k : bf16 to f32
      %p = te.binary mul %qf, %kf : f32
      te.yield %p : f32
    }
    te.yield %s : f32
  }
  %T = te.compute "T" ["j"] : !te.tensor<[N], f32> {
  ^bb0(%j: index):
    %s = te.reduce sum ["h", "i"] in [H, M] order "fixed"
        term <"lanes(4, 3)"> leaf plain : f32 {
    ^bb0(%h: index, %i: index):
      %x = te.read %S[%h, %i, %j] : !te.tensor<[H, M, N], f32>
      te.yield %x : f32
    }
    te.yield %s : f32
  }
  te.return %S, %T : !te.tensor<[H, M, N], f32>, !te.tensor<[N], f32>
}
)te";
  constexpr int64_t h = 3, m = 7, n = 90, d = 16;
  Array<uint16_t> q = bf16s({h, m, d}), k = bf16s({h, n, d});
  Array<float> s = floats({h, m, n}), t = floats({n});
  Random random(13);
  for (Array<uint16_t> *a : {&q, &k})
    for (uint16_t &value : a->data)
      value = narrowBf16(random.unit());
  runs(compiled(text), {q.view(), k.view(), s.view(), t.view()});
  for (int64_t b = 0; b < h; ++b)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (int64_t l = 0; l < d; ++l)
          sum = std::fma(widenBf16(q.data[(b * m + i) * d + l]),
                         widenBf16(k.data[(b * n + j) * d + l]), sum);
        CHECK(s.data[(b * m + i) * n + j] == sum);
      }
  for (int64_t j = 0; j < n; ++j) {
    float lanes[4] = {};
    for (int64_t e = 0; e < h * m; ++e)
      lanes[e / 3 % 4] += s.data[e * n + j];
    CHECK(t.data[j] == (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]));
  }
}
