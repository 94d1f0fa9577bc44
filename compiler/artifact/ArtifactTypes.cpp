//===- ArtifactTypes.cpp - the element types of tensors -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/artifact/Artifact.h"

namespace girih::artifact {

unsigned bytesOf(ScalarType type) {
  switch (type) {
  case ScalarType::F64:
    return 8;
  case ScalarType::F32:
    return 4;
  case ScalarType::F16:
  case ScalarType::BF16:
    return 2;
  }
  return 0;
}

std::string_view nameOf(ScalarType type) {
  switch (type) {
  case ScalarType::F64:
    return "f64";
  case ScalarType::F32:
    return "f32";
  case ScalarType::F16:
    return "f16";
  case ScalarType::BF16:
    return "bf16";
  }
  return "";
}

Result<ScalarType> parseScalarType(std::string_view name) {
  for (ScalarType type :
       {ScalarType::F64, ScalarType::F32, ScalarType::F16, ScalarType::BF16})
    if (nameOf(type) == name)
      return type;
  return Failure{"unknown scalar type '" + std::string(name) +
                 "' (known: f64, f32, f16, bf16)"};
}

} // namespace girih::artifact
