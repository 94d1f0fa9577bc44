//===- ScalarTypes.cpp - names and widths of scalar types -----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Ast.h"

namespace girih::frontend {

std::string_view spelling(ScalarType type) {
  switch (type) {
  case ScalarType::F64:
    return "f64";
  case ScalarType::F32:
    return "f32";
  case ScalarType::F16:
    return "f16";
  case ScalarType::BF16:
    return "bf16";
  case ScalarType::F8E4M3FN:
    return "f8e4m3fn";
  case ScalarType::F8E5M2:
    return "f8e5m2";
  case ScalarType::I8:
    return "i8";
  case ScalarType::I16:
    return "i16";
  case ScalarType::I32:
    return "i32";
  case ScalarType::I64:
    return "i64";
  case ScalarType::U8:
    return "u8";
  case ScalarType::U16:
    return "u16";
  case ScalarType::U32:
    return "u32";
  case ScalarType::U64:
    return "u64";
  case ScalarType::Bool:
    return "bool";
  case ScalarType::Index:
    return "index";
  }
  return "";
}

unsigned widthOf(ScalarType type) {
  switch (type) {
  case ScalarType::I8:
  case ScalarType::U8:
    return 8;
  case ScalarType::I16:
  case ScalarType::U16:
    return 16;
  case ScalarType::I32:
  case ScalarType::U32:
    return 32;
  default:
    return 64;
  }
}

ScalarType signedTypeOf(ScalarType type) {
  switch (type) {
  case ScalarType::U8:
    return ScalarType::I8;
  case ScalarType::U16:
    return ScalarType::I16;
  case ScalarType::U32:
    return ScalarType::I32;
  case ScalarType::U64:
    return ScalarType::I64;
  default:
    return type;
  }
}

} // namespace girih::frontend
