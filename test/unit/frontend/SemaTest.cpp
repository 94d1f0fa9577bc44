//===- SemaTest.cpp - types, meanings and constants of accepted programs --===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"

#include <cmath>

using namespace girih;
using namespace girih::frontend;

namespace {

const Statement &statement(const Program &program, size_t index = 0) {
  return *program.ops().front()->statements.at(index);
}

const ConstDecl &constant(const Program &program, size_t index) {
  return *std::get<std::unique_ptr<ConstDecl>>(program.file.items.at(index));
}

/// The folded value of one `const c: TYPE = VALUE`.
double fold(const std::string &type, const std::string &value) {
  return constant(*accept("const c: " + type + " = " + value), 0).folded;
}

} // namespace

TEST_CASE("examples are accepted without a warning") {
  for (const std::string &name : exampleNames()) {
    Checked checked = check(readExample(name));
    INFO(name << checked.diagnostics.renderText(false));
    CHECK(checked.program != nullptr);
    CHECK(checked.diagnostics.all().empty());
  }
}

TEST_CASE("the tree of matmul_silu is annotated") {
  auto program = accept(readExample("ffn_silu"));
  const OpDecl *op = program->findOp("matmul_silu");
  REQUIRE(op != nullptr);
  CHECK(program->findOp("other") == nullptr);
  REQUIRE(op->sizes.size() == 3);
  CHECK(op->sizes[0]->name.text == "M");
  CHECK(op->sizes[1]->name.text == "K");
  CHECK(op->sizes[2]->name.text == "N");
  REQUIRE(op->tensors.size() == 4);
  const Tensor &c = *op->tensors[3];
  CHECK(c.name.text == "C");
  CHECK(c.role == Tensor::Role::Temporary);
  CHECK(c.type == ScalarType::BF16);
  REQUIRE(c.dims.size() == 2);
  CHECK(c.dims[0].plainSize() == op->sizes[0].get());
  CHECK(c.dims[1].plainSize() == op->sizes[2].get());
  CHECK(c.definition == op->statements[0].get());

  const auto *cast = op->statements[0]->value->as<CastExpr>();
  REQUIRE(cast != nullptr);
  CHECK(op->statements[0]->value->type == ScalarType::BF16);
  const auto *sum = cast->operand->as<ReduceExpr>();
  REQUIRE(sum != nullptr);
  CHECK(cast->operand->type == ScalarType::F32);
  CHECK(sum->kind == ReduceKind::Sum);
  REQUIRE(sum->indices.size() == 1);
  const IndexVariable &k = *sum->indices[0];
  CHECK(k.reduced);
  REQUIRE(k.extent.has_value());
  CHECK(k.extent->plainSize() == op->sizes[1].get());
  CHECK(sum->order.kind == ReduceOrder::Kind::Fixed);
  const auto *product = sum->body->as<BinaryExpr>();
  REQUIRE(product != nullptr);
  const auto *read = product->lhs->as<CastExpr>()->operand->as<AccessExpr>();
  REQUIRE(read != nullptr);
  CHECK(product->lhs->as<CastExpr>()->operand->type == ScalarType::BF16);
  CHECK(read->tensor == op->tensors[0].get());
  CHECK(read->subscripts[0].sum.plainIndex() ==
        op->statements[0]->indices[0].get());
  CHECK(read->subscripts[1].sum.plainIndex() == &k);
  // The first access with k is A[i, k]; its second subscript fixed the range.
  CHECK(program->source->text().substr(k.fixedBy.begin, 2) == "k]");

  const auto *call =
      op->statements[1]->value->as<CastExpr>()->operand->as<CallExpr>();
  REQUIRE(call != nullptr);
  REQUIRE(call->fn != nullptr);
  CHECK(call->fn->library);
  CHECK(call->fn->result == ScalarType::F32);
  REQUIRE(program->library.size() == 1);
  CHECK(printExpr(*call->fn->body) == "x / (1 + exp(-x))");
  CHECK(call->fn->body->as<BinaryExpr>()
            ->rhs->as<BinaryExpr>()
            ->lhs->as<LiteralExpr>()
            ->value == 1.0);
}

TEST_CASE("literals take the type beside them, rounded once") {
  auto program = accept(inOp("T[i, j] = B[i, j] * 0.1\n"
                             "Y[i, j] = (1 + 0.1) * X[i, j] + f32(T[i, j])"));
  const auto *product = statement(*program, 0).value->as<BinaryExpr>();
  CHECK(product->rhs->type == ScalarType::BF16);
  CHECK(product->rhs->as<LiteralExpr>()->value == 0.10009765625);
  const auto *sum = statement(*program, 1)
                        .value->as<BinaryExpr>()
                        ->lhs->as<BinaryExpr>()
                        ->lhs.get();
  CHECK(sum->type == ScalarType::F32);
  CHECK(sum->as<BinaryExpr>()->rhs->as<LiteralExpr>()->value == double(0.1f));
}

TEST_CASE("places where a literal finds its type") {
  accept(inOp("Y[i, j] = max(X[i, j], 0)"));
  accept(inOp("Y[i, j] = fma(2, X[i, j], 1)"));
  accept(inOp("Y[i, j] = if X[i, j] > 0 then X[i, j] else 0"));
  accept(inOp("Y[i, j] = if X[i, j] > -inf then 0f32 else 1"));
  accept(inOp("Y[i, j] = -1 * X[i, j]"));
  accept(inOp("Y[i, j] = X[i, j] + (if X[i, j] > 0 then 1 else 2)"));
  accept(inOp("Y[i, j] = f32(0.5) + X[i, j] * f32(nan)"));
  accept(inOp("Y[i, j] = 0x1p-3f32 - X[i, j]"));
  accept("fn f(x: f32) -> f32 = x + 1\n" + inOp("Y[i, j] = f(2) * X[i, j]"));
}

TEST_CASE("indices and sizes are values once they are cast") {
  auto program = accept(inOp("Y[i, j] = X[i, j] * f32(i) / f32(N)"));
  const auto *division = statement(*program).value->as<BinaryExpr>();
  const auto *size = division->rhs->as<CastExpr>()->operand.get();
  CHECK(size->type == ScalarType::Index);
  CHECK(std::get<const SizeSymbol *>(size->as<NameExpr>()->target)->name.text ==
        "N");
  const auto *index = division->lhs->as<BinaryExpr>()
                          ->rhs->as<CastExpr>()
                          ->operand->as<NameExpr>();
  CHECK(std::get<const IndexVariable *>(index->target) ==
        statement(*program).indices[0].get());
  auto triangle =
      accept("op o(X: f32[M, M]) -> Y: f32[M, M] {\n"
             "Y[i, j] = if j <= i and not (i == 7) then X[i, j] else 0\n}");
  const auto *choice = statement(*triangle).value->as<IfExpr>();
  CHECK(choice->condition->type == ScalarType::Bool);
  CHECK(choice->condition->as<BinaryExpr>()
            ->rhs->as<UnaryExpr>()
            ->operand->as<BinaryExpr>()
            ->rhs->as<LiteralExpr>()
            ->indexValue == 7);
}

TEST_CASE("scalars are tensors of rank 0") {
  auto program = accept("op o(X: f32[N], q: f32) -> s: f32, t: f32[] {\n"
                        "  u[] = sum[i](X[i])\n  s = u + q\n  t[] = u[]\n}");
  const auto *sum = statement(*program, 1).value->as<BinaryExpr>();
  const auto *read = sum->lhs->as<AccessExpr>();
  REQUIRE(read != nullptr);
  CHECK(read->subscripts.empty());
  CHECK(read->tensor->name.text == "u");
}

TEST_CASE("functions: user text wins over the library, any order") {
  auto program = accept("fn silu(x: f32) -> f32 = twice(x)\n"
                        "fn twice(x: f32) -> f32 = x * 2\n" +
                        inOp("Y[i, j] = silu(X[i, j])"));
  CHECK(program->library.empty());
  const auto *call = statement(*program).value->as<CallExpr>();
  REQUIRE(call->fn != nullptr);
  CHECK_FALSE(call->fn->library);
  CHECK(call->fn->inlinedSize == 5); // the call, its x, twice's three
  accept("fn gelu(x: f32) -> f32 = x\n" + inOp("Y[i, j] = gelu(X[i, j])"));
}

TEST_CASE("library functions come in the argument's type") {
  auto program =
      accept(inOp("T[i, j] = sigmoid(B[i, j])\n"
                  "Y[i, j] = sigmoid(X[i, j]) + relu(f32(T[i, j]))"));
  CHECK(program->library.size() == 3);
}

TEST_CASE("accuracy suffixes and the numerics clause") {
  auto program = accept(inOp("numerics { functions = portable }\n"
                             "Y[i, j] = exp.fast(X[i, j]) + tanh(X[i, j])"));
  CHECK(program->ops()[0]->functions == Accuracy::Portable);
  const auto *sum = statement(*program).value->as<BinaryExpr>();
  CHECK(sum->lhs->as<CallExpr>()->accuracy == Accuracy::Fast);
  CHECK(sum->lhs->as<CallExpr>()->builtin == Builtin::Exp);
  CHECK_FALSE(sum->rhs->as<CallExpr>()->accuracy.has_value());
}

TEST_CASE("constants are computed exactly and rounded once") {
  CHECK(fold("f32", "1.4426950408889634") == double(1.4426950408889634f));
  CHECK(fold("f64", "0.1 + 0.2") == 0.3);
  CHECK(fold("f32", "1 / 3") == double(1.0f / 3.0f));
  CHECK(fold("bf16", "1 + 0.00390625 + 0.0000001") == 1.0078125);
  CHECK(fold("f32", "-inf") == -INFINITY);
  CHECK(std::isnan(fold("f16", "nan")));
  CHECK(std::signbit(fold("f32", "-0.0")));
  CHECK(fold("f64", "f64(0.1f32)") == double(0.1f));
  CHECK(fold("f32", "f32(bf16(0.1)) * 2") == 2 * 0.10009765625);
  auto program = accept("const A: f32 = 0.1\nconst B: f32 = A * 10\n");
  CHECK(constant(*program, 1).folded == 1.0);
  auto used = accept("const A: f32 = 2\n" + inOp("Y[i, j] = X[i, j] * A"));
  const auto *name =
      statement(*used).value->as<BinaryExpr>()->rhs->as<NameExpr>();
  CHECK(std::get<const ConstDecl *>(name->target)->folded == 2.0);
}

TEST_CASE("order clauses") {
  auto program =
      accept("op o(X: f32[M, 64]) -> Y: f32[M] {\n"
             "  Y[i] = sum[k, order=sequential](X[i, k])\n"
             "       + sum[k, order=seg(16, tree(4), m=lanes(4, 1))](X[i, k])\n"
             "       + prod[k, order=tree(8, tree(2))](X[i, k])\n}");
  const auto *outer = statement(*program).value->as<BinaryExpr>();
  const auto *inner = outer->lhs->as<BinaryExpr>();
  CHECK(inner->lhs->as<ReduceExpr>()->order.kind ==
        ReduceOrder::Kind::Sequential);
  const ReduceOrder &pinned = inner->rhs->as<ReduceExpr>()->order;
  CHECK(pinned.kind == ReduceOrder::Kind::Pinned);
  CHECK(pinned.term->kind == OrderTerm::Kind::Seg);
  CHECK(pinned.term->length == 16);
  CHECK(pinned.term->inner->kind == OrderTerm::Kind::Tree);
  CHECK(pinned.term->merge->kind == OrderTerm::Kind::Lanes);
  CHECK(spelling(*pinned.term) == "seg(16, tree(4), m = lanes(4, 1))");
  accept("op o(X: f32[M, N]) -> s: f32 {\n"
         "  s = sum[i, k, order=seq](X[i, k])\n}");
  program = accept("op o(X: f32[M, N]) -> s: f32 {\n"
                   "  s = sum[i, k, order=free](X[i, k])\n}");
  CHECK(statement(*program).value->as<ReduceExpr>()->order.kind ==
        ReduceOrder::Kind::Free);
  CHECK(printAst(program->file).find("sum[i, k, order=free](") !=
        std::string::npos);
}

TEST_CASE("constraints are resolved") {
  auto program = accept("op o(X: f32[M]) -> Y: f32[M] where M % 8 == 0, "
                        "M <= 65536 { Y[i] = X[i] }");
  const OpDecl &op = *program->ops()[0];
  REQUIRE(op.constraints.size() == 2);
  CHECK(op.constraints[0].kind == SizeConstraint::Kind::Multiple);
  CHECK(op.constraints[0].value == 8);
  CHECK(op.constraints[1].kind == SizeConstraint::Kind::LessEqual);
  CHECK(op.constraints[1].size == op.sizes[0].get());
}

TEST_CASE("statements need no line ends between them") {
  accept("op o(X: f32[M]) -> Y: f32[M] { m = max[i](X[i]) "
         "P[i] = exp(X[i] - m) Y[i] = P[i] }");
}
