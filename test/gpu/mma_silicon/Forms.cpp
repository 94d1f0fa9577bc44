//===- Forms.cpp - the matrix instructions to compare ---------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/gpu/mma_silicon/Forms.h"

using namespace girih;
using namespace girih::silicon;
using sim::MmaKind;
using sim::Type;

/// `PREFIXm16n8k16.SUFFIX.f32.f16.f16`
static std::string spelled(const MmaKind &kind, std::string prefix, unsigned m,
                           const char *suffix) {
  prefix.append("m").append(std::to_string(m));
  prefix.append("n8k").append(std::to_string(kind.k)).append(suffix);
  for (Type type : {kind.sum, kind.a, kind.b})
    prefix.append(".").append(nameOf(type));
  return prefix;
}

static Form sync(MmaKind kind) {
  std::string text =
      spelled(kind, "mma.sync.aligned.", kind.m,
              kind.saturates ? ".row.col.satfinite" : ".row.col");
  text.append(".").append(nameOf(kind.sum));
  if (kind.bits != MmaKind::Bits::None)
    text += kind.bits == MmaKind::Bits::And ? ".and.popc" : ".xor.popc";
  return {kind, false, false, text};
}

static Form wgmma(Type a, Type b, Type sum, bool sharesA) {
  MmaKind kind;
  kind.k = uint16_t(256 / bitsOf(a));
  kind.a = a;
  kind.b = b;
  kind.sum = sum;
  return {kind, true, sharesA,
          spelled(kind, "wgmma.mma_async.sync.aligned.", 64, "")};
}

/// The types that B may have beside A.
static std::vector<Type> partners(Type a) {
  switch (a) {
  case Type::E4M3:
  case Type::E5M2:
    return {Type::E4M3, Type::E5M2};
  case Type::S8:
  case Type::U8:
    return {Type::S8, Type::U8};
  case Type::S4:
  case Type::U4:
    return {Type::S4, Type::U4};
  default:
    return {a};
  }
}

static std::vector<Type> sumsOf(Type a) {
  switch (a) {
  case Type::F16:
  case Type::E4M3:
  case Type::E5M2:
    return {Type::F32, Type::F16};
  case Type::BF16:
  case Type::TF32:
    return {Type::F32};
  case Type::F64:
    return {Type::F64};
  default:
    return {Type::S32};
  }
}

std::vector<Form> silicon::allForms() {
  std::vector<Form> forms;
  for (const sim::MmaShape &shape : sim::mmaShapes())
    for (Type b : partners(shape.a))
      for (Type sum : sumsOf(shape.a)) {
        MmaKind kind;
        kind.m = shape.m;
        kind.k = shape.k;
        kind.a = shape.a;
        kind.b = b;
        kind.sum = sum;
        if (shape.a == Type::B1) {
          for (auto bits : {MmaKind::Bits::And, MmaKind::Bits::Xor}) {
            kind.bits = bits;
            forms.push_back(sync(kind));
          }
          continue;
        }
        forms.push_back(sync(kind));
        if (sum == Type::S32) {
          kind.saturates = true;
          forms.push_back(sync(kind));
        }
      }
  for (Type a : {Type::F16, Type::BF16, Type::TF32, Type::E4M3, Type::E5M2})
    for (Type b : partners(a))
      for (Type sum : sumsOf(a))
        for (bool sharesA : {false, true})
          forms.push_back(wgmma(a, b, sum, sharesA));
  return forms;
}

// PTX ------------------------------------------------------------------------

unsigned silicon::threadsOf(const Form &form) {
  return form.isWgmma ? 128 : 32;
}

static std::string list(const std::string &prefix, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", %" : "%") + prefix + std::to_string(i);
  return text + "}";
}

/// Loads or stores the registers of one matrix of the block's tile.
static std::string move(const std::string &parameter, unsigned wordBytes,
                        unsigned count, const std::string &prefix,
                        bool stores) {
  std::string bits = std::to_string(8 * wordBytes);
  std::string text = "  ld.param.u64 %p, [" + parameter + "];\n" +
                     "  mad.wide.u32 %p, %tile, " +
                     std::to_string(count * 32 * wordBytes) + ", %p;\n" +
                     "  mad.wide.u32 %p, %lane, " + std::to_string(wordBytes) +
                     ", %p;\n";
  for (unsigned i = 0; i < count; ++i) {
    std::string address = "[%p+" + std::to_string(i * 32 * wordBytes) + "]";
    std::string reg = "%" + prefix + std::to_string(i);
    text += stores
                ? "  st.global.b" + bits + " " + address + ", " + reg + ";\n"
                : "  ld.global.b" + bits + " " + reg + ", " + address + ";\n";
  }
  return text;
}

/// Operands lie in shared memory as core matrices of 8 rows of A or columns of
/// B times 16 bytes of k: first B's two, along k, then A's, two for each 8
/// rows. A lane's word of a register is word `lane` of a core matrix.
static std::string wgmmaBody(const Form &form) {
  bool hasTranspose = bitsOf(form.kind.a) == 16;
  std::string text = "  mov.u32 %address, operands;\n"
                     "  mad.lo.u32 %address, %lane, 4, %address;\n"
                     "  st.shared.b32 [%address], %b0;\n"
                     "  st.shared.b32 [%address+128], %b1;\n"
                     "  shr.u32 %warp, %thread, 5;\n"
                     "  mad.lo.u32 %address, %warp, 512, %address;\n"
                     "  st.shared.b32 [%address+256], %a0;\n"
                     "  st.shared.b32 [%address+512], %a1;\n"
                     "  st.shared.b32 [%address+384], %a2;\n"
                     "  st.shared.b32 [%address+640], %a3;\n"
                     "  fence.proxy.async.shared::cta;\n"
                     "  bar.sync 0;\n"
                     "  mov.u32 %address, operands;\n"
                     "  shr.u32 %address, %address, 4;\n"
                     "  cvt.u64.u32 %descriptor, %address;\n"
                     // 128 bytes to the next k, 256 to the next 8 rows.
                     "  or.b64 %descriptor, %descriptor, 0x0000001000080000;\n"
                     "  add.s64 %descriptor_a, %descriptor, 16;\n"
                     "  setp.eq.u32 %yes, %lane, %lane;\n"
                     "  wgmma.fence.sync.aligned;\n  ";
  text += form.instruction + " " + list("c", form.kind.registersC()) + ", " +
          (form.sharesA ? "%descriptor_a" : list("a", 4)) +
          ", %descriptor, %yes, 1, 1";
  if (hasTranspose)
    text += form.sharesA ? ", 0, 0" : ", 0";
  return text + ";\n"
                "  wgmma.commit_group.sync.aligned;\n"
                "  wgmma.wait_group.sync.aligned 0;\n"
                "  setp.ge.u32 %yes, %thread, 32;\n"
                "  @%yes ret;\n";
}

std::string silicon::ptxOf(const Form &form) {
  unsigned a = form.kind.registersA(), b = form.kind.registersB();
  unsigned c = form.kind.registersC(), bytes = form.wordBytes();
  std::string bits = std::to_string(8 * bytes);
  bool isF32 = form.kind.sum == Type::F32, isF64 = form.kind.sum == Type::F64;
  std::string text =
      std::string(".version 8.7\n.target ") +
      (form.isWgmma ? "sm_90a" : "sm_90") +
      "\n.address_size 64\n\n"
      ".visible .entry tiles(\n  .param .u64 pointer_a,\n"
      "  .param .u64 pointer_b,\n  .param .u64 pointer_c,\n"
      "  .param .u64 pointer_d\n)\n{\n"
      "  .reg .pred %yes;\n"
      "  .reg .b32 %thread, %lane, %tile, %address, %warp;\n"
      "  .reg .b64 %p, %descriptor, %descriptor_a;\n" +
      (isF64 ? "  .reg .f64 %a<8>, %b<4>, %c<4>;\n"
             : "  .reg .b32 %a<8>, %b<4>;\n") +
      (isF64   ? ""
       : isF32 ? "  .reg .f32 %c<4>;\n"
               : "  .reg .b32 %c<4>;\n") +
      (form.isWgmma ? "  .shared .align 128 .b8 operands[2304];\n" : "") +
      "  mov.u32 %thread, %tid.x;\n"
      "  and.b32 %lane, %thread, 31;\n"
      "  mov.u32 %tile, %ctaid.x;\n" +
      move("pointer_a", bytes, a, "a", false) +
      move("pointer_b", bytes, b, "b", false) +
      move("pointer_c", bytes, c, "c", false);
  text += form.isWgmma ? wgmmaBody(form)
                       : "  " + form.instruction + " " + list("c", c) + ", " +
                             list("a", a) + ", " + list("b", b) + ", " +
                             list("c", c) + ";\n";
  return text + move("pointer_d", bytes, c, "c", true) + "  ret;\n}\n";
}
