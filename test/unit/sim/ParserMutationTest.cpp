//===- ParserMutationTest.cpp - damaged PTX never crashes the parser ------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserHelpers.h"

#include "runtime/sim/PtxLexer.h"

#include <algorithm>
#include <cstdio>
#include <random>

using namespace girih;
using namespace girih::sim;

namespace {

const std::string kCompiled = R"(// comment
.version 8.6
.target sm_90a
.address_size 64
.file 1 "softmax.te"
.visible .shared .align 16 .b8 k_shared[1024];
.global .align 4 .f32 table[2][3] = {{1.5, 0f40000000}, {-1.0}};
.visible .entry k(
	.param .u64 .ptr .global .align 16 k_param_0,
	.param .align 8 .b8 k_param_1[16]
)
.maxntid 256
{
	.reg .pred 	%p<4>;
	.reg .b32 	%r<9>, %f<3>;
	.reg .b64 	%rd<5>;
	.loc	1 3 5
	ld.param.b64 	%rd1, [k_param_0];
	ld.param.b32 	%r1, [k_param_1+8];
	mov.u32 	%r2, %tid.x;
	setp.ge.s32 	%p1, %r2, %r1;
	@%p1 bra 	$L__BB0_2;
	.loc	1 4 1, function_name $L__i, inlined_at 1 3 5
	mul.wide.s32 	%rd2, %r2, 4;
	add.s64 	%rd3, %rd1, %rd2;
	ld.global.v2.b32 	{%f1, _}, [%rd3+-16];
	fma.rn.f32 	%f2, %f1, 0f3F800000, 0d3FF0000000000000;
	st.shared.b32 	[k_shared+4], %f2;
$L__BB0_2:
	bar.sync 	0;
	ret;
}
)";

const std::string kHandwritten = R"(.version 8.0
.target sm_90
.extern .shared .align 128 .b8 dynamic[];
.const .u32 c[] = {1, 2+3, 0x10};
.extern .func g (.param .b32 a);
.section .debug_str { name: .b8 110,0 }
.entry h(.param .u64 p, .param .u32 n) .reqntid 64,2 .reqnctapercluster 2
.explicitcluster {
  .reg .b32 a, b, x<4>; .reg .b64 q; .reg .pred t, u;
  .local .align 8 .b8 depot[24];
  T: .branchtargets L1, L2;
  mov.b64 q, dynamic; /* two
  lines */ setp.lt.and.s32 t|u, a, (1<<4)-1, !u;
  brx.idx a, T;
L1: { .reg .b32 a; L1: mov.b32 a, WARP_SZ; @!t bra L1; }
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [q], 128;
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes
    [q], [q, {a, b}], [q+8];
  .pragma "nounroll";
L2: ld.const.u32 a, [c+4]; st.local.b32 [depot+-4], {x0, x1};
  mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {a,b}, {a}, {b}, {a,b};
  ret;
}
)";

void checkOperand(const SyntaxModule &module, const SyntaxKernel &kernel,
                  const SyntaxOperand &operand) {
  using Kind = SyntaxOperand::Kind;
  for (const SyntaxOperand &element : operand.elements)
    checkOperand(module, kernel, element);
  size_t limit = SIZE_MAX;
  if (operand.kind == Kind::Register)
    limit = kernel.registers.size();
  else if (operand.kind == Kind::Variable)
    limit = operand.isGlobal      ? module.variables.size()
            : operand.isParameter ? kernel.parameters.size()
                                  : kernel.variables.size();
  else if (operand.kind == Kind::Label)
    limit = kernel.statements.size() + 1;
  else if (operand.kind == Kind::Table)
    limit = kernel.tables.size();
  REQUIRE(operand.index < limit);
  bool isNamed = operand.kind == Kind::Special || operand.kind == Kind::Name;
  REQUIRE((!isNamed || !operand.name.empty()));
  bool hasElements = operand.kind == Kind::Vector ||
                     operand.kind == Kind::Address ||
                     operand.kind == Kind::Pair;
  REQUIRE(hasElements == !operand.elements.empty());
}

void checkVariables(const std::vector<SyntaxVariable> &variables) {
  for (const SyntaxVariable &variable : variables) {
    REQUIRE(variable.isDynamic == (variable.bytes == 0));
    REQUIRE((variable.alignment & (variable.alignment - 1)) == 0);
    REQUIRE(variable.alignment > 0);
    if (!variable.initializer.empty())
      REQUIRE(variable.initializer.size() == variable.bytes);
  }
}

/// Whatever the text: it is refused with a message that has a line of the
/// text, or everything that the result refers to is there.
bool feed(const std::string &text) {
  Result<SyntaxModule> module = parsePtx(text);
  INFO(text);
  if (!module) {
    const std::string &message = module.message();
    INFO(message);
    unsigned line = 0;
    int length = 0;
    REQUIRE(sscanf(message.c_str(), "line %u: %n", &line, &length) == 1);
    REQUIRE(line >= 1);
    REQUIRE(line <= 1 + std::count(text.begin(), text.end(), '\n'));
    REQUIRE(message.size() > size_t(length));
    REQUIRE(message.back() != '.');
    return false;
  }
  checkVariables(module->variables);
  for (const SyntaxKernel &kernel : module->kernels) {
    checkVariables(kernel.parameters);
    checkVariables(kernel.variables);
    for (const SyntaxStatement &statement : kernel.statements) {
      REQUIRE_FALSE(statement.opcode.empty());
      REQUIRE(statement.location.line <= module->lines.size());
      if (statement.guard)
        REQUIRE(kernel.registers.at(*statement.guard).type == Type::Pred);
      for (const SyntaxOperand &operand : statement.operands)
        checkOperand(*module, kernel, operand);
    }
    for (const std::vector<uint32_t> &table : kernel.tables)
      for (uint32_t target : table)
        REQUIRE(target <= kernel.statements.size());
  }
  return true;
}

/// The text cut before each token.
std::vector<std::string> piecesOf(const std::string &text) {
  std::vector<std::string> pieces;
  Lexer lexer(text);
  size_t begin = 0;
  for (Token token = lexer.next(); token.kind != Token::Kind::End;
       token = lexer.next()) {
    REQUIRE(token.kind != Token::Kind::Bad);
    size_t end = size_t(token.text.data() - text.data());
    pieces.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  pieces.push_back(text.substr(begin));
  return pieces;
}

/// Deletes, doubles or swaps some of the parts, or takes another's place.
template <typename Parts> void damage(Parts &parts, std::mt19937 &random) {
  unsigned edits = 1 + random() % 3;
  for (unsigned i = 0; i < edits && parts.size() > 1; ++i) {
    size_t first = random() % parts.size(), second = random() % parts.size();
    switch (random() % 4) {
    case 0:
      parts.erase(parts.begin() + ptrdiff_t(first));
      break;
    case 1: {
      auto copy = parts[first];
      parts.insert(parts.begin() + ptrdiff_t(first), copy);
      break;
    }
    case 2:
      std::swap(parts[first], parts[second]);
      break;
    default:
      parts[first] = parts[second];
      break;
    }
  }
}

std::string join(const std::vector<std::string> &pieces) {
  std::string text;
  for (const std::string &piece : pieces)
    text += piece;
  return text;
}

} // namespace

TEST_CASE("damaged PTX is refused or still makes sense") {
  std::mt19937 random(20240611);
  unsigned accepted = 0, refused = 0;
  for (const std::string &sample : {kCompiled, kHandwritten}) {
    REQUIRE(feed(sample));
    const std::vector<std::string> pieces = piecesOf(sample);
    REQUIRE(join(pieces) == sample);
    for (unsigned i = 0; i < 500; ++i) {
      std::vector<std::string> tokens = pieces;
      damage(tokens, random);
      ++(feed(join(tokens)) ? accepted : refused);
      std::string bytes = sample;
      damage(bytes, random);
      if (i % 4 == 0)
        bytes[random() % bytes.size()] = char(random());
      ++(feed(bytes) ? accepted : refused);
    }
  }
  // Both happen often, or the mutants test one thing only.
  CHECK(accepted > 100);
  CHECK(refused > 1000);
}

TEST_CASE("truncated PTX is refused or still makes sense") {
  for (const std::string &sample : {kCompiled, kHandwritten})
    for (size_t size = 0; size < sample.size(); size += 3)
      feed(sample.substr(0, size));
}
