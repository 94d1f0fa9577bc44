//===- RunTest.cpp - compiling, binding and running on the host -----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <algorithm>
#include <atomic>
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
