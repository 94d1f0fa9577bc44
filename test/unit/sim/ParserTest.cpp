//===- ParserTest.cpp - PTX text to syntax --------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserHelpers.h"

using namespace girih;
using namespace girih::sim;
using Kind = SyntaxOperand::Kind;

namespace {

using Words = std::vector<std::string>;

std::vector<uint8_t> bytesOf(const SyntaxModule &module, size_t variable) {
  return module.variables.at(variable).initializer;
}

const SyntaxOperand &operandOf(const SyntaxModule &module, size_t operand = 1,
                               size_t statement = 0) {
  return module.kernels.at(0).statements.at(statement).operands.at(operand);
}

} // namespace

TEST_CASE("types have PTX's names and widths") {
  for (unsigned i = 1; i <= unsigned(Type::E5M2x2); ++i) {
    Type type = Type(i);
    CHECK(parseType(nameOf(type)) == type);
    CHECK(bitsOf(type) > 0);
  }
  CHECK(bitsOf(Type::None) == 0);
  CHECK(nameOf(Type::None).empty());
  CHECK_FALSE(parseType(""));
  CHECK_FALSE(parseType("f8"));
  CHECK_FALSE(parseType("F32"));
  CHECK(parseType("bf16x2") == Type::BF16x2);
  CHECK(bitsOf(Type::Pred) == 1);
  CHECK(bitsOf(Type::B1) == 1);
  CHECK(bitsOf(Type::S4) == 4);
  CHECK(bitsOf(Type::E4M3) == 8);
  CHECK(bitsOf(Type::E5M2x2) == 16);
  CHECK(bitsOf(Type::BF16) == 16);
  CHECK(bitsOf(Type::BF16x2) == 32);
  CHECK(bitsOf(Type::S16x2) == 32);
  CHECK(bitsOf(Type::TF32) == 32);
  CHECK(bitsOf(Type::F32x2) == 64);
  CHECK(bitsOf(Type::U64) == 64);
  CHECK(bitsOf(Type::B128) == 128);
  CHECK(isSigned(Type::S4));
  CHECK(isSigned(Type::S64));
  CHECK(isSigned(Type::S16x2));
  CHECK_FALSE(isSigned(Type::U16x2));
  CHECK_FALSE(isSigned(Type::B32));
  CHECK_FALSE(isSigned(Type::F32));
  CHECK(isFloat(Type::F16));
  CHECK(isFloat(Type::TF32));
  CHECK(isFloat(Type::E5M2x2));
  CHECK_FALSE(isFloat(Type::B16));
  CHECK_FALSE(isFloat(Type::S16x2));
  CHECK_FALSE(isFloat(Type::Pred));
}

TEST_CASE("spaces have PTX's names") {
  CHECK(nameOf(Space::Generic) == "generic");
  CHECK(nameOf(Space::Global) == "global");
  CHECK(nameOf(Space::Shared) == "shared");
  CHECK(nameOf(Space::SharedCluster) == "shared::cluster");
  CHECK(nameOf(Space::Local) == "local");
  CHECK(nameOf(Space::Param) == "param");
  CHECK(nameOf(Space::Const) == "const");
}

TEST_CASE("a module's head and its lines") {
  SyntaxModule module =
      parsed("// comment\n.version 8.10\n.target sm_90a, "
             "texmode_independent\n.address_size 64\r\n\n# 1 \"x.cu\"\n"
             "/* .version 1.0\n */ .entry k() { ret; }");
  CHECK(module.versionMajor == 8);
  CHECK(module.versionMinor == 10);
  CHECK(module.target == "sm_90a");
  REQUIRE(module.lines.size() == 8);
  CHECK(module.lines[0] == "// comment");
  CHECK(module.lines[3] == ".address_size 64");
  CHECK(module.lines[4] == "");
  CHECK(module.lines[7] == " */ .entry k() { ret; }");
  REQUIRE(module.kernels.size() == 1);
  CHECK(module.kernels[0].location.line == 8);
  CHECK(module.kernels[0].statements[0].opcode == "ret");
  // Without an address size, as ptxas takes it for sm_90.
  CHECK(parsed(".version 7.0\n.target sm_80\n").lines.size() == 2);
}

TEST_CASE("places come from .file and .loc") {
  SyntaxModule module =
      parsed(kHead + ".file 2 \"dir/a \\\"b\\\".te\", 123, 456\n"
                     ".file 0 \"main\"\n"
                     ".entry k() {\n"
                     "nop;\n"
                     ".loc 2 7 3\n"
                     "nop; nop;\n"
                     ".loc 2 9 1, function_name $L__name+4, inlined_at 2 7 3\n"
                     "nop;\n"
                     ".loc 2 0 0\n"
                     "nop;\n"
                     ".loc 2 1 1\n"
                     "}\n"
                     ".entry other() { nop; }\n"
                     ".file 1 \"late\"\n");
  REQUIRE(module.files == Words{"", "late", "dir/a \"b\".te"});
  std::vector<std::array<uint32_t, 4>> places;
  for (const SyntaxKernel &kernel : module.kernels)
    for (const SyntaxStatement &statement : kernel.statements) {
      const Location &at = statement.location;
      places.push_back({at.line, at.file, at.sourceLine, at.sourceColumn});
    }
  CHECK(places == std::vector<std::array<uint32_t, 4>>{{5, 0, 0, 0},
                                                       {7, 2, 7, 3},
                                                       {7, 2, 7, 3},
                                                       {9, 2, 9, 1},
                                                       {11, 0, 0, 0},
                                                       {14, 0, 0, 0}});
}

TEST_CASE("debug sections and pragmas are skipped") {
  SyntaxModule module = parsed(
      kHead + ".pragma \"nounroll\", \"other\";\n"
              ".section .debug_str {\nname:\n.b8 110,0 // 'n'\n{ .b8 0 }\n}\n"
              ".section .debug_loc { }\n"
              ".entry k() .pragma \"x\"; { .pragma \"nounroll\"; ret; }\n");
  REQUIRE(module.kernels.size() == 1);
  CHECK(module.kernels[0].statements.size() == 1);
}

TEST_CASE("declared functions are skipped") {
  SyntaxModule module = parsed(
      kHead + ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param "
              ".b64 b);\n.func g;\n.extern .func h() .noreturn;\n"
              ".extern .entry other(.param .u32 x);\n.entry k() { ret; }\n");
  REQUIRE(module.kernels.size() == 1);
  CHECK(module.kernels[0].name == "k");
}

TEST_CASE("module variables") {
  SyntaxModule module =
      parsed(kHead + ".visible .shared .align 16 .b8 tile[16864];\n"
                     ".extern .shared .align 128 .b8 dynamic[];\n"
                     ".global .f32 a, b[4];\n"
                     ".const .v4 .f32 table[2][3];\n"
                     ".weak .global .attribute(.managed) .align 32 .u64 w;\n"
                     ".common .global .b128 c;\n");
  struct Row {
    const char *name;
    Space space;
    Type type;
    uint32_t alignment;
    uint64_t bytes;
    bool isDynamic;
    uint32_t line;
  };
  const Row rows[] = {
      {"tile", Space::Shared, Type::B8, 16, 16864, false, 2},
      {"dynamic", Space::Shared, Type::B8, 128, 0, true, 3},
      {"a", Space::Global, Type::F32, 4, 4, false, 4},
      {"b", Space::Global, Type::F32, 4, 16, false, 4},
      {"table", Space::Const, Type::F32, 16, 96, false, 5},
      {"w", Space::Global, Type::U64, 32, 8, false, 6},
      {"c", Space::Global, Type::B128, 16, 16, false, 7},
  };
  REQUIRE(module.variables.size() == std::size(rows));
  for (size_t i = 0; i < std::size(rows); ++i) {
    const SyntaxVariable &variable = module.variables[i];
    INFO(rows[i].name);
    CHECK(variable.name == rows[i].name);
    CHECK(variable.space == rows[i].space);
    CHECK(variable.type == rows[i].type);
    CHECK(variable.alignment == rows[i].alignment);
    CHECK(variable.bytes == rows[i].bytes);
    CHECK(variable.isDynamic == rows[i].isDynamic);
    CHECK(variable.initializer.empty());
    CHECK(variable.location.line == rows[i].line);
  }
}

TEST_CASE("initializers become bytes") {
  SyntaxModule module =
      parsed(kHead + ".global .u32 a = 0x12345678;\n"
                     ".const .s16 b[4] = {-1, 2+3, 0b11};\n"
                     ".global .u8 c[2][3] = {{1, 2}, {3, 4, 300}};\n"
                     ".global .f32 d[] = {1.5, 0fC0000000, -0.5};\n"
                     ".global .f64 e = 0f3F800000;\n"
                     ".global .b32 f = 2.0;\n"
                     ".global .v2 .u16 g[][2] = {{{1, 2}, {3, 4}}, {{5, 6}}};\n"
                     ".global .u32 h[2] = {};\n"
                     ".global .b64 i = 0d3FF0000000000000;\n"
                     ".global .u64 j = 0xffffffffffffffff;\n");
  using Bytes = std::vector<uint8_t>;
  CHECK(bytesOf(module, 0) == Bytes{0x78, 0x56, 0x34, 0x12});
  CHECK(bytesOf(module, 1) == Bytes{0xff, 0xff, 5, 0, 3, 0, 0, 0});
  CHECK(bytesOf(module, 2) == Bytes{1, 2, 0, 3, 4, 44});
  CHECK(bytesOf(module, 3) ==
        Bytes{0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0, 0xbf});
  CHECK(module.variables[3].bytes == 12);
  CHECK(bytesOf(module, 4) == Bytes{0, 0, 0, 0, 0, 0, 0xf0, 0x3f});
  CHECK(bytesOf(module, 5) == Bytes{0, 0, 0, 0x40});
  CHECK(bytesOf(module, 6) ==
        Bytes{1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 0, 0, 0, 0});
  CHECK(module.variables[6].bytes == 16);
  CHECK(bytesOf(module, 7) == Bytes(8, 0));
  CHECK(bytesOf(module, 8) == Bytes{0, 0, 0, 0, 0, 0, 0xf0, 0x3f});
  CHECK(bytesOf(module, 9) == Bytes(8, 0xff));
}

TEST_CASE("kernels have parameters and performance directives") {
  SyntaxModule module = parsed(
      kHead + ".visible .entry first(\n"
              ".param .u64 .ptr .global .align 16 first_param_0,\n"
              ".param .align 64 .b8 descriptor[128],\n"
              ".param .u64 .ptr p, .param .u64 .ptr .align 8 q,\n"
              ".param .f16 half\n"
              ") .reqntid 128, 2 .minnctapersm 2 .maxnreg 64\n"
              ".reqnctapercluster 2 .explicitcluster .maxclusterrank 8\n"
              ".noreturn { ret; }\n"
              ".weak .entry second .maxntid 32,2,3 .blocksareclusters { }\n");
  REQUIRE(module.kernels.size() == 2);
  const SyntaxKernel &first = module.kernels[0];
  CHECK(first.name == "first");
  CHECK(first.location.line == 2);
  REQUIRE(first.parameters.size() == 5);
  CHECK(first.parameters[0].name == "first_param_0");
  CHECK(first.parameters[0].space == Space::Param);
  CHECK(first.parameters[0].type == Type::U64);
  CHECK(first.parameters[0].bytes == 8);
  // The 16 is a promise about where it points.
  CHECK(first.parameters[0].alignment == 8);
  CHECK(first.parameters[1].bytes == 128);
  CHECK(first.parameters[1].alignment == 64);
  CHECK(first.parameters[3].name == "q");
  CHECK(first.parameters[4].bytes == 2);
  using Sizes = std::array<uint32_t, 3>;
  CHECK(first.requiredThreads == Sizes{128, 2, 1});
  CHECK(first.maximalThreads == Sizes{0, 0, 0});
  CHECK(first.requiredCluster == Sizes{2, 1, 1});
  CHECK(first.explicitCluster);
  CHECK_FALSE(first.blocksAreClusters);
  const SyntaxKernel &second = module.kernels[1];
  CHECK(second.maximalThreads == Sizes{32, 2, 3});
  CHECK(second.requiredThreads == Sizes{0, 0, 0});
  CHECK(second.blocksAreClusters);
  CHECK_FALSE(second.explicitCluster);
  CHECK(second.parameters.empty());
  CHECK(second.statements.empty());
}

TEST_CASE("registers are numbered in the order of their declarations") {
  SyntaxModule module = parsed(
      withBody(".reg .f64 a, %x<3>, none<0>, b;\n"
               ".reg .b16 %r1<2>;\nmov.f64 %x2, b; mov.b16 %r11, %r10;"));
  const SyntaxKernel &kernel = module.kernels[0];
  Words names;
  for (size_t i = kF + 4; i < kernel.registers.size(); ++i)
    names.push_back(kernel.registers[i].name);
  CHECK(names == Words{"a", "%x0", "%x1", "%x2", "b", "%r10", "%r11"});
  CHECK(kernel.registers[kP].type == Type::Pred);
  CHECK(kernel.registers[kR + 9].name == "%r9");
  CHECK(kernel.registers[kR + 9].type == Type::B32);
  CHECK(kernel.registers[kRd].type == Type::B64);
  CHECK(kernel.registers[kF + 4].type == Type::F64);
  CHECK(operandOf(module, 0).index == kF + 7);
  CHECK(operandOf(module, 1).index == kF + 8);
  CHECK(operandOf(module, 0, 1).index == kF + 10);
  CHECK(operandOf(module, 1, 1).index == kF + 9);
}

TEST_CASE("scopes have names of their own") {
  SyntaxModule module = parsed(withBody("{ .reg .b32 t; .shared .b32 s;\n"
                                        "L: mov.b32 t, s; bra L; bra Out;\n"
                                        "{ .reg .b32 t; mov.b32 t, %r1; } }\n"
                                        "{ .reg .f32 t; .shared .b64 s;\n"
                                        "bra L; mov.f32 t, s; L: bra L; }\n"
                                        "L: bra L;\n"
                                        "{ bra L; { L: } bra L; }\n"
                                        "Out:\n"));
  const SyntaxKernel &kernel = module.kernels[0];
  auto operand = [&](size_t statement, size_t index) -> const SyntaxOperand & {
    return operandOf(module, index, statement);
  };
  REQUIRE(kernel.statements.size() == 10);
  CHECK(operand(0, 0).index == kF + 4);
  CHECK(operand(0, 1).kind == Kind::Variable);
  CHECK(operand(0, 1).index == 0);
  CHECK(operand(1, 0).kind == Kind::Label);
  CHECK(operand(1, 0).index == 0);
  CHECK(operand(2, 0).index == 10); // one past the end
  CHECK(operand(3, 0).index == kF + 5);
  CHECK(operand(4, 0).index == 6);
  CHECK(operand(5, 0).index == kF + 6);
  CHECK(operand(5, 1).index == 1);
  CHECK(operand(6, 0).index == 6);
  CHECK(operand(7, 0).index == 7);
  CHECK(operand(8, 0).index == 7);
  CHECK(operand(9, 0).index == 7);
  CHECK(kernel.registers[kF + 6].type == Type::F32);
  REQUIRE(kernel.variables.size() == 2);
  CHECK(kernel.variables[0].bytes == 4);
  CHECK(kernel.variables[1].bytes == 8);
}

TEST_CASE("registers of one kernel are unknown in the next") {
  SyntaxModule module =
      parsed(kHead + ".entry a() { .reg .b32 %q<4>; L: mov.b32 %q3, 1; }\n"
                     ".entry b() { .reg .b32 %q<2>; mov.b32 %q1, %q3; bra L; "
                     "}\n");
  REQUIRE(module.kernels.size() == 2);
  CHECK(module.kernels[1].registers.size() == 2);
  CHECK(module.kernels[1].statements[0].operands[0].index == 1);
  CHECK(module.kernels[1].statements[0].operands[1].kind == Kind::Special);
  CHECK(module.kernels[1].statements[1].operands[0].kind == Kind::Name);
}

TEST_CASE("opcodes, modifiers and guards") {
  SyntaxModule module = parsed(withBody(
      "@!%p1 mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r1], "
      "8;\n"
      "@ %p2 ld .global\n  .L2::cache_hint /* a */ .L2::128B.v2.f32 // b\n"
      "{%f1,\n%f2}, [%rd1],\n%rd2;\n"
      "cp.async.bulk.tensor.1d.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2}], [%r3];\n"
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, "
      "{%f2};\nret;"));
  const auto &statements = module.kernels[0].statements;
  REQUIRE(statements.size() == 5);
  CHECK(statements[0].opcode == "mbarrier");
  CHECK(statements[0].modifiers ==
        Words{"arrive", "expect_tx", "release", "cta", "shared::cta", "b64"});
  CHECK(statements[0].guard == kP + 1);
  CHECK(statements[0].guardNegated);
  CHECK(statements[0].operands[0].kind == Kind::Sink);
  CHECK(statements[1].opcode == "ld");
  CHECK(statements[1].modifiers ==
        Words{"global", "L2::cache_hint", "L2::128B", "v2", "f32"});
  CHECK(statements[1].guard == kP + 2);
  CHECK_FALSE(statements[1].guardNegated);
  CHECK(statements[1].operands.size() == 3);
  CHECK(statements[1].location.line == 6);
  CHECK(statements[2].modifiers == Words{"async", "bulk", "tensor", "1d",
                                         "shared::cluster", "global", "tile",
                                         "mbarrier::complete_tx::bytes"});
  CHECK(statements[2].location.line == 11);
  CHECK(statements[3].modifiers[2] == "m16n8k16");
  CHECK_FALSE(statements[4].guard);
  CHECK(statements[4].operands.empty());
  CHECK(statements[4].modifiers.empty());
}

TEST_CASE("operands that are registers, words and groups") {
  SyntaxModule module = parsed(
      withBody("x.y %r1, !%p1, %p2|%p3, _|%p1, {%r1, _, 7}, _, foo;\n"
               "x.y %tid.x, %laneid, WARP_SZ, %envreg3, %r99, %clusterid .y;"));
  const auto &all = module.kernels[0].statements[0].operands;
  REQUIRE(all.size() == 7);
  CHECK(all[0].kind == Kind::Register);
  CHECK(all[0].index == kR + 1);
  CHECK_FALSE(all[0].negated);
  CHECK(all[1].kind == Kind::Register);
  CHECK(all[1].index == kP + 1);
  CHECK(all[1].negated);
  REQUIRE(all[2].kind == Kind::Pair);
  REQUIRE(all[2].elements.size() == 2);
  CHECK(all[2].elements[0].index == kP + 2);
  CHECK(all[2].elements[1].index == kP + 3);
  REQUIRE(all[3].kind == Kind::Pair);
  CHECK(all[3].elements[0].kind == Kind::Sink);
  REQUIRE(all[4].kind == Kind::Vector);
  REQUIRE(all[4].elements.size() == 3);
  CHECK(all[4].elements[0].index == kR + 1);
  CHECK(all[4].elements[1].kind == Kind::Sink);
  CHECK(all[4].elements[2].kind == Kind::Integer);
  CHECK(all[4].elements[2].bits == 7);
  CHECK(all[5].kind == Kind::Sink);
  CHECK(all[6].kind == Kind::Name);
  CHECK(all[6].name == "foo");
  const char *names[] = {"%tid.x",   "%laneid", "WARP_SZ",
                         "%envreg3", "%r99",    "%clusterid.y"};
  for (size_t i = 0; i < std::size(names); ++i) {
    CHECK(operandOf(module, i, 1).kind == Kind::Special);
    CHECK(operandOf(module, i, 1).name == names[i]);
  }
}

TEST_CASE("addresses") {
  SyntaxModule module = parsed(
      kHead + ".global .b32 g[8];\n.entry k(.param .u64 in) {\n"
              ".reg .b64 %rd<4>; .reg .b32 %r<4>; .local .b32 l;\n"
              "x [%rd1], [%rd1+4], [%rd1+-4], [g], [g+4], [in], [in+8], [l],"
              "[1234], [%rd1+(4+4)*2], [%rd2, {%r1, %r2}], [0x10+0x20],"
              "[%rd3+4, {%r1}, %r2];\n"
              "x g, g+12, in, l+-4;\n}\n");
  struct Row {
    Kind base;
    uint32_t index;
    int64_t offset;
    bool isGlobal, isParameter;
    uint64_t bits;
    size_t elements;
  };
  const Row rows[] = {
      {Kind::Register, 1, 0, false, false, 0, 1},
      {Kind::Register, 1, 4, false, false, 0, 1},
      {Kind::Register, 1, -4, false, false, 0, 1},
      {Kind::Variable, 0, 0, true, false, 0, 1},
      {Kind::Variable, 0, 4, true, false, 0, 1},
      {Kind::Variable, 0, 0, false, true, 0, 1},
      {Kind::Variable, 0, 8, false, true, 0, 1},
      {Kind::Variable, 0, 0, false, false, 0, 1},
      {Kind::Integer, 0, 0, false, false, 1234, 1},
      {Kind::Register, 1, 16, false, false, 0, 1},
      {Kind::Register, 2, 0, false, false, 0, 2},
      {Kind::Integer, 0, 0, false, false, 48, 1},
      {Kind::Register, 3, 4, false, false, 0, 3},
  };
  for (size_t i = 0; i < std::size(rows); ++i) {
    INFO(i);
    const SyntaxOperand &operand = operandOf(module, i);
    REQUIRE(operand.kind == Kind::Address);
    REQUIRE(operand.elements.size() == rows[i].elements);
    CHECK(operand.offset == rows[i].offset);
    const SyntaxOperand &base = operand.elements[0];
    CHECK(base.kind == rows[i].base);
    CHECK(base.index == rows[i].index);
    CHECK(base.isGlobal == rows[i].isGlobal);
    CHECK(base.isParameter == rows[i].isParameter);
    CHECK(base.bits == rows[i].bits);
    CHECK(base.offset == 0);
  }
  CHECK(operandOf(module, 10).elements[1].kind == Kind::Vector);
  CHECK(operandOf(module, 10).elements[1].elements[1].index == 4 + 2);
  const Row bare[] = {{Kind::Variable, 0, 0, true, false, 0, 0},
                      {Kind::Variable, 0, 12, true, false, 0, 0},
                      {Kind::Variable, 0, 0, false, true, 0, 0},
                      {Kind::Variable, 0, -4, false, false, 0, 0}};
  for (size_t i = 0; i < std::size(bare); ++i) {
    const SyntaxOperand &operand = operandOf(module, i, 1);
    CHECK(operand.kind == Kind::Variable);
    CHECK(operand.offset == bare[i].offset);
    CHECK(operand.isGlobal == bare[i].isGlobal);
    CHECK(operand.isParameter == bare[i].isParameter);
  }
  CHECK(operandOf(module, 0, 1).name == "g");
}

TEST_CASE("constants and their expressions") {
  struct Row {
    const char *text;
    Kind kind;
    uint64_t bits;
  };
  const Row rows[] = {
      {"0", Kind::Integer, 0},
      {"42", Kind::Integer, 42},
      {"-1", Kind::Integer, 0xffffffffffffffff},
      {"0xFFFFffffFFFFffff", Kind::Integer, 0xffffffffffffffff},
      {"0X1fU", Kind::Integer, 31},
      {"017", Kind::Integer, 15},
      {"0b101U", Kind::Integer, 5},
      {"00", Kind::Integer, 0},
      {"18446744073709551615", Kind::Integer, 0xffffffffffffffff},
      {"0f3F800000", Kind::Float32, 0x3f800000},
      {"0FBF800000", Kind::Float32, 0xbf800000},
      {"0d3FF0000000000000", Kind::Float64, 0x3ff0000000000000},
      {"1.5", Kind::Float64, 0x3ff8000000000000},
      {"-1.5", Kind::Float64, 0xbff8000000000000},
      {".5", Kind::Float64, 0x3fe0000000000000},
      {"2.", Kind::Float64, 0x4000000000000000},
      {"01.5", Kind::Float64, 0x3ff8000000000000},
      {"1e2", Kind::Float64, 0x4059000000000000},
      {"0.1", Kind::Float64, 0x3fb999999999999a},
      {"25e-2", Kind::Float64, 0x3fd0000000000000},
      {".5E+1", Kind::Float64, 0x4014000000000000},
      {"(1.5+2.0)*2.0", Kind::Float64, 0x401c000000000000},
      {"1.0/4.0-0.25", Kind::Float64, 0},
      {"4+5", Kind::Integer, 9},
      {"2+3*4", Kind::Integer, 14},
      {"(2+3)*4", Kind::Integer, 20},
      {"10-4-3", Kind::Integer, 3},
      {"7/2", Kind::Integer, 3},
      {"-7/2", Kind::Integer, uint64_t(-3)},
      {"-7 % 4", Kind::Integer, 1},
      {"-7U/2", Kind::Integer, (0 - uint64_t(7)) / 2},
      {"1<<4|1", Kind::Integer, 17},
      {"0xff & ~0xf", Kind::Integer, 0xf0},
      {"6^3", Kind::Integer, 5},
      {"-8>>1", Kind::Integer, uint64_t(-4)},
      {"0x8000000000000000>>60", Kind::Integer, 8},
      {"-1>>63", Kind::Integer, uint64_t(-1)},
      {"1<<63", Kind::Integer, 0x8000000000000000},
      {"(.s64)0x8000000000000000>>63", Kind::Integer, uint64_t(-1)},
      {"(.u64)-8>>60", Kind::Integer, 15},
      {"0x8000000000000000/(.s64)-1", Kind::Integer, 0},
      {"(.s64)0x8000000000000000/-1", Kind::Integer, 0x8000000000000000},
      {"((7 % 4)-8)>>1", Kind::Integer, 0x7ffffffffffffffd},
      {"(~1)/2", Kind::Integer, 0x7fffffffffffffff},
      {"(-8|0)/2", Kind::Integer, uint64_t(-4)},
      {"(3U<4U)-2>>1", Kind::Integer, uint64_t(-1)},
      {"2<<1+1", Kind::Integer, 8},
      {"1|2^3&4", Kind::Integer, 3},
      {"1<2<3", Kind::Integer, 1},
      {"3<4", Kind::Integer, 1},
      {"-1<1U", Kind::Integer, 0},
      {"4>=4", Kind::Integer, 1},
      {"4!=4", Kind::Integer, 0},
      {"4==4 && 0 || 1", Kind::Integer, 1},
      {"2 && 4", Kind::Integer, 1},
      {"!3", Kind::Integer, 0},
      {"!0", Kind::Integer, 1},
      {"- - 5", Kind::Integer, 5},
      {"+5", Kind::Integer, 5},
      {"~-1", Kind::Integer, 0},
      {"WARP_SZ*2", Kind::Integer, 64},
      {"-WARP_SZ", Kind::Integer, uint64_t(-32)},
      {"1+WARP_SZ", Kind::Integer, 33},
  };
  for (const Row &row : rows) {
    INFO(row.text);
    SyntaxModule module =
        parsed(withBody("mov.b64 %rd1, " + std::string(row.text) + ";"));
    CHECK(operandOf(module).kind == row.kind);
    CHECK(operandOf(module).bits == row.bits);
  }
}

TEST_CASE("labels and branch tables may come later") {
  SyntaxModule module = parsed(
      withBody("Table: .branchtargets A, $B,\n %C;\n"
               "brx.idx %r1, Table;\nbrx.idx %r1, Late;\n"
               "A: %C: nop;\n{ Late: .branchtargets A; brx.idx %r1, Late; }\n"
               "bra %C;\nLate: .branchtargets $B;\n$B:\n"));
  const SyntaxKernel &kernel = module.kernels[0];
  CHECK(kernel.tables ==
        std::vector<std::vector<uint32_t>>{{2, 5, 2}, {2}, {5}});
  CHECK(operandOf(module, 1, 0).kind == Kind::Table);
  CHECK(operandOf(module, 1, 0).index == 0);
  CHECK(operandOf(module, 1, 1).index == 2);
  CHECK(operandOf(module, 1, 3).index == 1);
  CHECK(operandOf(module, 0, 4).kind == Kind::Label);
  CHECK(operandOf(module, 0, 4).index == 2);
}

TEST_CASE("a label may have a register's name") {
  SyntaxModule module = parsed(withBody("%r1: mov.b32 %r1, 1;"));
  CHECK(operandOf(module, 0).kind == Kind::Register);
}

TEST_CASE("variables of bodies") {
  SyntaxModule module = parsed(
      withBody(".local .align 8 .b8 __local_depot0[24];\n.shared .v2 .f32 s;\n"
               ".global .u32 g = 7; .const .u32 c[] = {1, 2};\n"
               "x __local_depot0, s, g, c;"));
  const SyntaxKernel &kernel = module.kernels[0];
  REQUIRE(kernel.variables.size() == 2);
  CHECK(kernel.variables[0].space == Space::Local);
  CHECK(kernel.variables[0].bytes == 24);
  CHECK(kernel.variables[0].alignment == 8);
  CHECK(kernel.variables[1].bytes == 8);
  CHECK(kernel.variables[1].alignment == 8);
  REQUIRE(module.variables.size() == 2);
  CHECK(module.variables[1].bytes == 8);
  CHECK(operandOf(module, 1).index == 1);
  CHECK_FALSE(operandOf(module, 1).isGlobal);
  CHECK(operandOf(module, 2).index == 0);
  CHECK(operandOf(module, 2).isGlobal);
  CHECK(operandOf(module, 3).index == 1);
  CHECK(operandOf(module, 3).isGlobal);
}

TEST_CASE("long bodies are read in whole") {
  std::string body;
  for (unsigned i = 0; i < 10000; ++i)
    body += "\tmad.lo.s32 \t%r" + std::to_string(i % 10) + ", %r1, %r2, " +
            std::to_string(i) + ";\n";
  SyntaxModule module = parsed(withBody(body));
  REQUIRE(module.kernels[0].statements.size() == 10000);
  CHECK(module.kernels[0].statements[9999].location.line == 10004);
  CHECK(operandOf(module, 3, 9999).bits == 9999);
  CHECK(operandOf(module, 0, 9999).index == kR + 9);
}
