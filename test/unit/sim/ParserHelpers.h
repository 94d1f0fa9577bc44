//===- ParserHelpers.h - texts for the parser's tests --------- -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_SIM_PARSERHELPERS_H
#define GIRIH_TEST_UNIT_SIM_PARSERHELPERS_H

#include "runtime/sim/PtxSyntax.h"

#include <catch2/catch.hpp>

namespace girih::sim {

/// One line, so that what follows begins in line 2.
inline const std::string kHead =
    ".version 8.6 .target sm_90a .address_size 64\n";

/// A kernel around `body`, which begins in line 5. Registers: %p0..4, %r0..9,
/// %rd0..9, %f0..3, numbered in this order.
inline std::string withBody(const std::string &body) {
  return kHead +
         ".visible .entry k(.param .u64 in, .param .u32 n) {\n"
         ".reg .pred %p<5>; .reg .b32 %r<10>;\n"
         ".reg .b64 %rd<10>; .reg .f32 %f<4>;\n" +
         body + "\n}\n";
}
constexpr uint32_t kP = 0, kR = 5, kRd = 15, kF = 25;

inline SyntaxModule parsed(const std::string &text) {
  Result<SyntaxModule> module = parsePtx(text);
  INFO(text);
  INFO(module.message());
  REQUIRE(module);
  return std::move(*module);
}

inline std::string refusal(const std::string &text) {
  Result<SyntaxModule> module = parsePtx(text);
  return module ? "accepted" : module.message();
}

} // namespace girih::sim

#endif // GIRIH_TEST_UNIT_SIM_PARSERHELPERS_H
