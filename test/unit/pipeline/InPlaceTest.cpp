//===- InPlaceTest.cpp - parts, recurrences, loops: what kernels do -------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// te programs on the simulator, which reports races and reads of what nobody
// wrote. All values are small multiples of powers of two, so that every sum is
// exact and the loops here say what must come out.
//
//===----------------------------------------------------------------------===//

#include "runtime/Plan.h"
#include "runtime/SizeSolver.h"
#include "runtime/Transfer.h"
#include "runtime/sim/SimDevice.h"
#include "test/unit/pipeline/Compile.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <sstream>

using namespace girih;
using namespace girih::test;

namespace {

using Values = std::vector<float>;

/// A compiled te program on the simulator.
class Program {
public:
  explicit Program(const std::string &te) {
    pipeline::CompileOptions options =
        readingFrom(pipeline::Phase::Te, pipeline::Phase::Ptx);
    outcome.emplace(compileText("module {\n" + te + "\n}\n", options));
    INFO(outcome->errors);
    REQUIRE(*outcome);
    sim::SimDeviceOptions sim;
    auto opened = sim::openSim(sim);
    REQUIRE(opened.ok());
    device = std::move(*opened);
    auto loaded = device->load(artifact());
    INFO((loaded ? "" : loaded.message()));
    REQUIRE(loaded.ok());
    executable = std::move(*loaded);
  }

  const artifact::Artifact &artifact() const {
    return *outcome->result->artifact;
  }
  size_t launches() const { return artifact().variants[0].launches.size(); }

  /// The outputs by name.
  std::map<std::string, Values> run(const std::vector<Values> &inputs,
                                    const std::vector<int64_t> &sizes) {
    const auto &params = artifact().signature.params;
    auto shapes = rt::parameterShapes(artifact().signature, sizes);
    REQUIRE(shapes.ok());
    std::vector<rt::DeviceArray> arrays;
    std::vector<rt::Tensor> tensors;
    for (size_t p = 0; p < params.size(); ++p) {
      if (params[p].inPlace >= 0) {
        tensors.push_back(tensors[size_t(params[p].inPlace)]);
        continue;
      }
      if (params[p].isOutput) {
        auto array =
            rt::allocatePoisoned(*device, params[p].type, (*shapes)[p]);
        REQUIRE(array.ok());
        arrays.push_back(std::move(*array));
      } else {
        auto host = rt::HostArray::create(params[p].type, (*shapes)[p]);
        REQUIRE(host->bytes() == inputs[p].size() * 4);
        std::memcpy(host->data(), inputs[p].data(), host->bytes());
        auto array = rt::upload(*device, *host);
        REQUIRE(array.ok());
        arrays.push_back(std::move(*array));
      }
      tensors.push_back(arrays.back().tensor);
    }
    rt::RunOptions options;
    options.synchronize = true;
    Status status = executable->run(tensors, options);
    INFO((status ? "" : status.message()));
    REQUIRE(status.ok());
    std::map<std::string, Values> results;
    size_t next = 0;
    std::vector<size_t> arrayOf;
    for (const auto &param : params)
      arrayOf.push_back(param.inPlace >= 0 ? arrayOf[size_t(param.inPlace)]
                                           : next++);
    for (size_t p = 0; p < params.size(); ++p)
      if (params[p].isOutput) {
        auto host = rt::download(*device, arrays[arrayOf[p]]);
        REQUIRE(host.ok());
        Values values(host->bytes() / 4);
        std::memcpy(values.data(), host->data(), host->bytes());
        results[params[p].name] = values;
      }
    return results;
  }

private:
  std::optional<Outcome> outcome;
  std::unique_ptr<rt::Device> device;
  std::unique_ptr<rt::Executable> executable;
};

/// Multiples of 1/4 in -8 .. 8, none twice in a row.
Values numbers(size_t count, unsigned seed = 1) {
  Values values;
  unsigned state = seed * 2654435761u + 12345;
  for (size_t n = 0; n < count; ++n) {
    state = state * 1664525u + 1013904223u;
    values.push_back(float(int(state >> 26) - 32) / 4);
  }
  return values;
}

/// `{X}` is a tensor of N x N f32, `{V}` one of N.
std::string te(std::string text) {
  for (auto [from, to] :
       {std::pair<std::string, std::string>{"{X}", "!te.tensor<[N, N], f32>"},
        {"{V}", "!te.tensor<[N], f32>"}})
    for (size_t at; (at = text.find(from)) != std::string::npos;)
      text.replace(at, from.size(), to);
  return text;
}

} // namespace

TEST_CASE("a stencil in time takes turns with another array", "[inplace]") {
  Program program(te(R"(
te.func @jacobi sizes ["N", "T"] (%A "A": {X}, %U "U": !te.tensor<[T], f32>)
    -> ("A": {X} in_place %A) functions fast {
  %b0 = te.compute "B0" ["i", "j"] : {X} {
  ^bb0(%i: index, %j: index):
    %v = te.read %A[%i, %j] : {X}
    te.yield %v : f32
  }
  %r:2 = te.for "t" in T (%A, %b0) : ({X}, {X}) -> ({X}, {X}) {
  ^bb0(%t: index, %a: {X}, %b: {X}):
    %b1 = te.compute "B" ["i", "j"] in [N - 2, N - 2] into %b : {X} {
    ^bb0(%i: index, %j: index):
      %i1 = te.affine [%i] by [1] plus 1
      %j1 = te.affine [%j] by [1] plus 1
      %i2 = te.affine [%i] by [1] plus 2
      %j2 = te.affine [%j] by [1] plus 2
      %n = te.read %a[%i, %j1] : {X}
      %s = te.read %a[%i2, %j1] : {X}
      %w = te.read %a[%i1, %j] : {X}
      %e = te.read %a[%i1, %j2] : {X}
      %x1 = te.binary sub %n, %s : f32
      %x2 = te.binary add %x1, %w : f32
      %x3 = te.binary sub %x2, %e : f32
      %u = te.read %U[%t] : !te.tensor<[T], f32>
      %x4 = te.binary add %x3, %u : f32
      te.yield %x4 : f32 at [%i1, %j1]
    }
    %a1 = te.compute "A1" ["i", "j"] in [N - 2, N - 2] into %a : {X} {
    ^bb0(%i: index, %j: index):
      %i1 = te.affine [%i] by [1] plus 1
      %j1 = te.affine [%j] by [1] plus 1
      %c = te.read %b1[%i1, %j1] : {X}
      te.yield %c : f32 at [%i1, %j1]
    }
    te.next %a1, %b1 : {X}, {X}
  }
  te.return %r#0 : {X}
})"));
  REQUIRE(program.artifact().variants[0].loops.size() == 1);
  for (int n : {0, 1, 2, 3, 8, 37})
    for (int turns : {0, 1, 3}) {
      CAPTURE(n, turns);
      Values a = numbers(n * n), u = numbers(turns, 2), b = a;
      auto result = program.run({a, u}, {n, turns});
      for (int t = 0; t < turns; ++t) {
        for (int i = 1; i + 1 < n; ++i)
          for (int j = 1; j + 1 < n; ++j)
            b[i * n + j] = a[(i - 1) * n + j] - a[(i + 1) * n + j] +
                           a[i * n + j - 1] - a[i * n + j + 1] + u[t];
        for (int i = 1; i + 1 < n; ++i)
          for (int j = 1; j + 1 < n; ++j)
            a[i * n + j] = b[i * n + j];
      }
      CHECK(result.at("A") == a);
    }
}

TEST_CASE("a recurrence runs in order along its own dimension only",
          "[inplace]") {
  Program program(R"(
te.func @cumsum sizes ["M", "N"] (%X "X": !te.tensor<[M, N], f32>)
    -> ("C": !te.tensor<[M, N], f32>) functions fast {
  %c0 = te.compute "C" ["i"] in [M] : !te.tensor<[M, N], f32> {
  ^bb0(%i: index):
    te.where [] by [] plus N - 1
    %0 = te.index_constant 0
    %v = te.read %X[%i, %0] : !te.tensor<[M, N], f32>
    te.yield %v : f32 at [%i, %0]
  }
  %c1 = te.compute "C1" ["i", "j"] in [M, N - 1] into %c0 : !te.tensor<[M, N], f32> {
  ^bb0(%i: index, %j: index):
    %j1 = te.affine [%j] by [1] plus 1
    %c = te.read %c0[%i, %j] : !te.tensor<[M, N], f32>
    %x = te.read %X[%i, %j1] : !te.tensor<[M, N], f32>
    %s = te.binary add %c, %x : f32
    te.yield %s : f32 at [%i, %j1]
  }
  te.return %c1 : !te.tensor<[M, N], f32>
})");
  // A thread a row, so that there is more than one.
  CHECK(program.artifact().variants[0].launches[1].threads == 128);
  for (int m : {0, 1, 5, 130})
    for (int n : {0, 1, 2, 19}) {
      CAPTURE(m, n);
      Values x = numbers(m * n), c = x;
      for (int i = 0; i < m; ++i)
        for (int j = 1; j < n; ++j)
          c[i * n + j] += c[i * n + j - 1];
      CHECK(program.run({x}, {m, n}).at("C") == c);
    }
}

TEST_CASE("what depends on itself in all dimensions runs in one thread",
          "[inplace]") {
  auto text = [](const std::string &reads) {
    return te(R"(
te.func @f sizes ["N"] (%X "X": {X}) -> ("X": {X} in_place %X) functions fast {
  %x = te.compute "X1" ["i", "j"] in [N - 1, N - 1] into %X : {X} {
  ^bb0(%i: index, %j: index):
    %i1 = te.affine [%i] by [1] plus 1
    %j1 = te.affine [%j] by [1] plus 1
)" + reads + R"(
    %s = te.binary sub %u, %v : f32
    te.yield %s : f32 at [%i, %j]
  }
  te.return %x : {X}
})");
  };
  {
    // Reads the right and lower neighbour: all of the old values.
    Program program(text("    %u = te.read %X[%i1, %j] : {X}\n"
                         "    %v = te.read %X[%i, %j1] : {X}"));
    for (int n : {0, 1, 2, 9}) {
      Values x = numbers(n * n), y = x;
      for (int i = 0; i + 1 < n; ++i)
        for (int j = 0; j + 1 < n; ++j)
          y[i * n + j] = y[(i + 1) * n + j] - y[i * n + j + 1];
      CHECK(program.run({x}, {n}).at("X") == y);
    }
  }
  {
    // X[j, i]: some are new, some old.
    Program program(text("    %u = te.read %X[%j, %i] : {X}\n"
                         "    %v = te.read %X[%i, %j1] : {X}"));
    CHECK(program.artifact().variants[0].launches[0].threads == 1);
    for (int n : {2, 7}) {
      Values x = numbers(n * n), y = x;
      for (int i = 0; i + 1 < n; ++i)
        for (int j = 0; j + 1 < n; ++j)
          y[i * n + j] = y[j * n + i] - y[i * n + j + 1];
      CHECK(program.run({x}, {n}).at("X") == y);
    }
  }
}

TEST_CASE("rows are overwritten after all of their readers", "[inplace]") {
  // X += R; s = sum of squares of a row; X *= s: in place, in one kernel.
  Program program(R"(
te.func @norm sizes ["M", "N"] (%X "X": !te.tensor<[M, N], f32>,
    %R "R": !te.tensor<[M, N], f32>) -> ("X": !te.tensor<[M, N], f32> in_place %X)
    functions fast {
  %x1 = te.compute "X1" ["i", "j"] into %X : !te.tensor<[M, N], f32> {
  ^bb0(%i: index, %j: index):
    %x = te.read %X[%i, %j] : !te.tensor<[M, N], f32>
    %r = te.read %R[%i, %j] : !te.tensor<[M, N], f32>
    %s = te.binary add %x, %r : f32
    te.yield %s : f32
  }
  %s = te.compute "s" ["i"] : !te.tensor<[M], f32> {
  ^bb0(%i: index):
    %q = te.reduce sum ["k"] in [N] order "fixed" leaf plain : f32 {
    ^bb0(%k: index):
      %x = te.read %x1[%i, %k] : !te.tensor<[M, N], f32>
      te.yield %x : f32
    }
    te.yield %q : f32
  }
  %x2 = te.compute "X2" ["i", "j"] into %x1 : !te.tensor<[M, N], f32> {
  ^bb0(%i: index, %j: index):
    %x = te.read %x1[%i, %j] : !te.tensor<[M, N], f32>
    %q = te.read %s[%i] : !te.tensor<[M], f32>
    %y = te.binary sub %x, %q : f32
    te.yield %y : f32
  }
  te.return %x2 : !te.tensor<[M, N], f32>
})");
  for (int m : {1, 3})
    for (int n : {1, 5, 300, 4100}) {
      CAPTURE(m, n);
      Values x = numbers(m * n), r = numbers(m * n, 7);
      Values y = x;
      for (int i = 0; i < m; ++i) {
        float sum = 0;
        for (int j = 0; j < n; ++j)
          sum += y[i * n + j] += r[i * n + j];
        for (int j = 0; j < n; ++j)
          y[i * n + j] -= sum;
      }
      CHECK(program.run({x, r}, {m, n}).at("X") == y);
    }
}

TEST_CASE("a softmax-like row in place is one kernel without a race",
          "[inplace]") {
  Program program(R"(
te.func @center sizes ["M", "N"] (%X "X": !te.tensor<[M, N], f32>)
    -> ("X": !te.tensor<[M, N], f32> in_place %X) functions fast {
  %s = te.compute "s" ["i"] : !te.tensor<[M], f32> {
  ^bb0(%i: index):
    %q = te.reduce max ["k"] in [N] order "fixed" leaf plain : f32 {
    ^bb0(%k: index):
      %x = te.read %X[%i, %k] : !te.tensor<[M, N], f32>
      te.yield %x : f32
    }
    te.yield %q : f32
  }
  %x2 = te.compute "X2" ["i", "j"] into %X : !te.tensor<[M, N], f32> {
  ^bb0(%i: index, %j: index):
    %x = te.read %X[%i, %j] : !te.tensor<[M, N], f32>
    %q = te.read %s[%i] : !te.tensor<[M], f32>
    %y = te.binary sub %x, %q : f32
    te.yield %y : f32
  }
  te.return %x2 : !te.tensor<[M, N], f32>
})");
  CHECK(program.launches() == 1);
  for (int n : {1, 130, 5000}) {
    Values x = numbers(2 * n), y = x;
    for (int i = 0; i < 2; ++i) {
      float most = *std::max_element(x.begin() + i * n, x.begin() + i * n + n);
      for (int j = 0; j < n; ++j)
        y[i * n + j] -= most;
    }
    CHECK(program.run({x}, {2, n}).at("X") == y);
  }
}

TEST_CASE("two statements write halves of one tensor", "[inplace]") {
  auto half = [](const std::string &name, const std::string &into,
                 const std::string &kind, const std::string &at) {
    return "  %" + name + " = te.compute \"" + name +
           "\" [\"t\", \"i\"] in [L, H]" + into +
           R"( : !te.tensor<[L, 2 * H], f32> {
  ^bb0(%t: index, %i: index):
    %h = te.affine [%i] by [1] plus H
    %a = te.read %X[%t, %i] : !te.tensor<[L, 2 * H], f32>
    %b = te.read %X[%t, %h] : !te.tensor<[L, 2 * H], f32>
    %v = te.binary )" +
           kind + R"( %a, %b : f32
    te.yield %v : f32 at [%t, )" +
           at + "]\n  }\n";
  };
  Program program(
      "te.func @rotary sizes [\"L\", \"H\"] (%X \"X\": "
      "!te.tensor<[L, 2 * H], f32>) -> (\"Y\": !te.tensor<[L, 2 * H], "
      "f32>) functions fast {\n" +
      half("y0", "", "sub", "%i") + half("y1", " into %y0", "add", "%h") +
      "  te.return %y1 : !te.tensor<[L, 2 * H], f32>\n}");
  for (int l : {1, 3})
    for (int h : {1, 8, 33, 64}) {
      Values x = numbers(l * 2 * h), y = x;
      for (int t = 0; t < l; ++t)
        for (int i = 0; i < h; ++i) {
          float a = x[t * 2 * h + i], b = x[t * 2 * h + i + h];
          y[t * 2 * h + i] = a - b;
          y[t * 2 * h + i + h] = a + b;
        }
      CHECK(program.run({x}, {l, h}).at("Y") == y);
    }
}

TEST_CASE("conditions cut maps and reductions", "[inplace]") {
  for (const char *order : {"fixed", "sequential", "seg(8, lanes(4, 2))"}) {
    CAPTURE(order);
    Program program(te(std::string(R"(
te.func @causal sizes ["N"] (%X "X": {X}) -> ("Y": {X}, "S": {V}) functions fast {
  %y0 = te.compute "Y" ["i", "j"] : {X} {
  ^bb0(%i: index, %j: index):
    te.where [%i, %j] by [1, -1] plus 0
    %v = te.read %X[%i, %j] : {X}
    te.yield %v : f32
  }
  %y1 = te.compute "Y1" ["i", "j"] into %y0 : {X} {
  ^bb0(%i: index, %j: index):
    te.where [%j, %i] by [1, -1] plus -1
    %v = te.constant 100.0 : f32
    te.yield %v : f32
  }
  %s = te.compute "S" ["i"] : {V} {
  ^bb0(%i: index):
    %r = te.reduce sum ["k"] in [N] order ")") +
                       order + R"(" leaf plain : f32 {
    ^bb0(%k: index):
      te.where [%i, %k] by [1, -1] plus 0
      te.where [%k] by [1] plus -1
      %v = te.read %X[%i, %k] : {X}
      te.yield %v : f32
    }
    te.yield %r : f32
  }
  te.return %y1, %s : {X}, {V}
})"));
    for (int n : {0, 1, 2, 33, 70}) {
      CAPTURE(n);
      Values x = numbers(n * n), y = x, s(n, 0.0f);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          y[i * n + j] = j <= i ? x[i * n + j] : 100.0f;
          if (1 <= j && j <= i)
            s[i] += x[i * n + j];
        }
      auto result = program.run({x}, {n});
      CHECK(result.at("Y") == y);
      CHECK(result.at("S") == s);
    }
  }
}

TEST_CASE("one value in place is stored after all threads read it",
          "[inplace]") {
  Program program(R"(
te.func @count sizes ["T"] (%X "X": !te.tensor<[], f32>, %U "U": !te.tensor<[T], f32>)
    -> ("X": !te.tensor<[], f32> in_place %X) functions fast {
  %r = te.for "t" in T (%X) : (!te.tensor<[], f32>) -> !te.tensor<[], f32> {
  ^bb0(%t: index, %x: !te.tensor<[], f32>):
    %y = te.compute "Y" [] into %x : !te.tensor<[], f32> {
      %v = te.read %x[] : !te.tensor<[], f32>
      %u = te.read %U[%t] : !te.tensor<[T], f32>
      %s = te.binary add %v, %u : f32
      te.yield %s : f32
    }
    te.next %y : !te.tensor<[], f32>
  }
  te.return %r : !te.tensor<[], f32>
})");
  for (int turns : {0, 1, 6}) {
    Values u = numbers(turns);
    float x = 3;
    for (float v : u)
      x += v;
    CHECK(program.run({{3}, u}, {turns}).at("X") == Values{x});
  }
}

TEST_CASE("loops in loops, with a reduction and a temporary inside",
          "[inplace]") {
  Program program(te(R"(
te.func @f sizes ["N", "T", "U"] (%X "X": {V}, %W "W": !te.tensor<[T, U], f32>)
    -> ("X": {V} in_place %X) functions fast {
  %r = te.for "t" in T (%X) : ({V}) -> {V} {
  ^bb0(%t: index, %x: {V}):
    %q = te.for "u" in U (%x) : ({V}) -> {V} {
    ^bb0(%u: index, %y: {V}):
      %s = te.compute "s" [] : !te.tensor<[], f32> {
        %m = te.reduce max ["k"] in [N] order "fixed" leaf plain : f32 {
        ^bb0(%k: index):
          %v = te.read %y[%k] : {V}
          te.yield %v : f32
        }
        te.yield %m : f32
      }
      %z = te.compute "z" ["i"] into %y : {V} {
      ^bb0(%i: index):
        %v = te.read %y[%i] : {V}
        %m = te.read %s[] : !te.tensor<[], f32>
        %w = te.read %W[%t, %u] : !te.tensor<[T, U], f32>
        %d = te.binary sub %m, %v : f32
        %e = te.binary add %d, %w : f32
        te.yield %e : f32
      }
      te.next %z : {V}
    }
    %p = te.compute "p" ["i"] into %q : {V} {
    ^bb0(%i: index):
      te.where [%i, %t] by [1, -1] plus 0
      %v = te.read %q[%i] : {V}
      %n = te.unary neg unset %v : f32
      te.yield %n : f32
    }
    te.next %p : {V}
  }
  te.return %r : {V}
})"));
  REQUIRE(program.artifact().variants[0].loops.size() == 2);
  for (int n : {1, 7, 300})
    for (int turns : {0, 2, 3})
      for (int inner : {0, 2}) {
        CAPTURE(n, turns, inner);
        Values x = numbers(n), w = numbers(turns * inner, 5), y = x;
        for (int t = 0; t < turns; ++t) {
          for (int u = 0; u < inner; ++u) {
            float most = *std::max_element(y.begin(), y.end());
            for (float &v : y)
              v = most - v + w[t * inner + u];
          }
          for (int i = t; i < n; ++i)
            y[i] = -y[i];
        }
        CHECK(program.run({x, w}, {n, turns, inner}).at("X") == y);
      }
}

TEST_CASE("every form of a program in place reads back", "[inplace]") {
  std::string text = te(R"(module {
te.func @f sizes ["N", "T"] (%X "X": {V}, %U "U": !te.tensor<[T], f32>)
    -> ("X": {V} in_place %X) functions fast {
  %r = te.for "t" in T (%X) : ({V}) -> {V} {
  ^bb0(%t: index, %x: {V}):
    %y = te.compute "Y" ["i"] in [N - 1] into %x : {V} {
    ^bb0(%i: index):
      %j = te.affine [%i] by [1] plus 1
      %v = te.read %x[%i] : {V}
      %u = te.read %U[%t] : !te.tensor<[T], f32>
      %s = te.binary add %v, %u : f32
      te.yield %s : f32 at [%j]
    }
    te.next %y : {V}
  }
  te.return %r : {V}
}
})");
  using pipeline::Phase;
  std::string last;
  for (Phase phase : {Phase::Te, Phase::Assoc, Phase::Scop, Phase::Schedule,
                      Phase::Tile, Phase::Llvm}) {
    Outcome form = compileText(text, readingFrom(Phase::Te, phase));
    INFO(form.errors);
    REQUIRE(form);
    std::string once = form.result->text;
    Outcome again = compileText(once, readingFrom(phase, phase));
    INFO(again.errors);
    REQUIRE(again);
    CHECK(again.result->text == once);
    Outcome ptx = compileText(once, readingFrom(phase, Phase::Ptx));
    INFO(ptx.errors);
    REQUIRE(ptx);
    const auto &variants = ptx.result->artifact->variants;
    REQUIRE(variants[0].loops.size() == 1);
    // The same instructions, from other lines of text.
    std::string instructions;
    std::istringstream lines(variants[0].ptx);
    for (std::string line; std::getline(lines, line);)
      if (line.find(".loc") == std::string::npos)
        instructions += line + "\n";
    if (!last.empty())
      CHECK(instructions == last);
    last = instructions;
  }
}
