//===- GemmText.cpp - a GEMM block in the LLVM dialect --------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/codegen/GemmText.h"

#include <vector>

namespace girih::codegen::test {

namespace {

using Names = std::vector<std::string>;

/// Writes the kernel's text; a method returns the SSA name it defined.
class Writer {
public:
  std::string text;

  void line(const std::string &op) { text += "  " + op + "\n"; }
  std::string define(const std::string &op) {
    std::string name = "%v" + std::to_string(count++);
    line(name + " = " + op);
    return name;
  }
  std::string constant(int value) {
    return define("llvm.mlir.constant(" + std::to_string(value) +
                  " : i64) : i64");
  }
  std::string binary(const std::string &op, const std::string &a,
                     const std::string &b, const std::string &type = "i64") {
    return define("llvm." + op + " " + a + ", " + b + " : " + type);
  }
  std::string add(const std::string &a, int b) {
    return binary("add", a, constant(b));
  }
  std::string address(const std::string &base, int space,
                      const std::string &index) {
    std::string type = "!llvm.ptr<" + std::to_string(space) + ">";
    return define("llvm.getelementptr inbounds " + base + "[" + index +
                  "] : (" + type + ", i64) -> " + type + ", f32");
  }
  std::string load(const std::string &pointer, int space) {
    return define("llvm.load " + pointer + " : !llvm.ptr<" +
                  std::to_string(space) + "> -> f32");
  }
  void store(const std::string &value, const std::string &pointer, int space) {
    line("llvm.store " + value + ", " + pointer + " : f32, !llvm.ptr<" +
         std::to_string(space) + ">");
  }

private:
  int count = 0;
};

} // namespace

/// "a, b, c".
static std::string joined(const Names &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string gemmText() {
  Writer w;
  for (const char *name : {"As", "Bs"})
    w.text += std::string("llvm.mlir.global internal @") + name +
              "() {addr_space = 3 : i32, alignment = 16 : i64} : "
              "!llvm.array<1024 x f32>\n";
  const std::string pointer =
      ": !llvm.ptr<1> {llvm.noalias, llvm.align = 16 : i64}, ";
  w.text += "llvm.func @gemm(%A" + pointer + "%B" + pointer + "%C" + pointer +
            "%M: i64, %N: i64, %K: i64) attributes {nvvm.kernel, nvvm.reqntid "
            "= array<i32: 256, 1, 1>} {\n";
  auto special = [&](const std::string &name) {
    std::string narrow = w.define("nvvm.read.ptx.sreg." + name + " : i32");
    return w.define("llvm.sext " + narrow + " : i32 to i64");
  };
  std::string thread = special("tid.x"), block = special("ctaid.x");
  std::string side = w.constant(128);
  std::string blocks = w.binary("sdiv", w.add("%N", 127), side);
  std::string row0 = w.binary("mul", w.binary("sdiv", block, blocks), side);
  std::string column0 = w.binary("mul", w.binary("srem", block, blocks), side);
  std::string eight = w.constant(8), sixteen = w.constant(16);
  std::string row = w.binary("mul", w.binary("sdiv", thread, sixteen), eight);
  std::string column =
      w.binary("mul", w.binary("srem", thread, sixteen), eight);
  std::string as = w.define("llvm.mlir.addressof @As : !llvm.ptr<3>");
  std::string bs = w.define("llvm.mlir.addressof @Bs : !llvm.ptr<3>");
  std::string zero = w.define("llvm.mlir.constant(0.0 : f32) : f32");

  Names carried{w.constant(0)}, types{"i64"}, accumulators;
  std::string parameters = "%k: i64";
  for (int i = 0; i < 64; ++i) {
    carried.push_back(zero);
    types.push_back("f32");
    accumulators.push_back("%a" + std::to_string(i));
    parameters += ", " + accumulators.back() + ": f32";
  }
  w.line("llvm.br ^head(" + joined(carried) + " : " + joined(types) + ")");
  w.text += "^head(" + parameters + "):\n";
  std::string more = w.define("llvm.icmp \"slt\" %k, %K : i64");
  w.line("llvm.cond_br " + more + ", ^body, ^exit");

  w.text += "^body:\n";
  std::string first = w.binary("mul", thread, w.constant(4));
  for (int i = 0; i < 4; ++i) {
    std::string index = w.add(first, i);
    std::string r = w.binary("sdiv", index, eight);
    std::string c = w.binary("srem", index, eight);
    std::string from =
        w.binary("add", w.binary("mul", w.binary("add", row0, r), "%K"),
                 w.binary("add", "%k", c));
    std::string to = w.binary("add", w.binary("mul", c, side), r);
    w.store(w.load(w.address("%A", 1, from), 1), w.address(as, 3, to), 3);
  }
  for (int i = 0; i < 4; ++i) {
    std::string index = w.add(first, i);
    std::string r = w.binary("sdiv", index, side);
    std::string c = w.binary("srem", index, side);
    std::string from =
        w.binary("add", w.binary("mul", w.binary("add", "%k", r), "%N"),
                 w.binary("add", column0, c));
    w.store(w.load(w.address("%B", 1, from), 1), w.address(bs, 3, index), 3);
  }
  w.line("nvvm.barrier0");
  Names current = accumulators;
  for (int k = 0; k < 8; ++k) {
    Names a, b;
    for (int i = 0; i < 8; ++i)
      a.push_back(w.load(w.address(as, 3, w.add(row, k * 128 + i)), 3));
    for (int i = 0; i < 8; ++i)
      b.push_back(w.load(w.address(bs, 3, w.add(column, k * 128 + i)), 3));
    for (int i = 0; i < 64; ++i)
      current[i] = w.define("llvm.intr.fma(" + a[i / 8] + ", " + b[i % 8] +
                            ", " + current[i] + ") : (f32, f32, f32) -> f32");
  }
  w.line("nvvm.barrier0");
  Names next{w.binary("add", "%k", eight)};
  next.insert(next.end(), current.begin(), current.end());
  w.line("llvm.br ^head(" + joined(next) + " : " + joined(types) + ")");

  w.text += "^exit:\n";
  for (int i = 0; i < 64; ++i) {
    std::string r = w.add(w.binary("add", row0, row), i / 8);
    std::string c = w.add(w.binary("add", column0, column), i % 8);
    std::string to = w.binary("add", w.binary("mul", r, "%N"), c);
    std::string place = w.address("%C", 1, to);
    std::string inside =
        w.binary("and", w.define("llvm.icmp \"slt\" " + r + ", %M : i64"),
                 w.define("llvm.icmp \"slt\" " + c + ", %N : i64"), "i1");
    std::string label = std::to_string(i);
    w.line("llvm.cond_br " + inside + ", ^store" + label + ", ^next" + label);
    w.text += "^store" + label + ":\n";
    w.store(accumulators[i], place, 1);
    w.line("llvm.br ^next" + label);
    w.text += "^next" + label + ":\n";
  }
  w.line("llvm.return");
  return w.text + "}\n";
}

} // namespace girih::codegen::test
