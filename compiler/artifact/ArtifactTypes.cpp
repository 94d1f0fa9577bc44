//===- ArtifactTypes.cpp - the element types of tensors -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/artifact/Artifact.h"

#include <iterator>

namespace girih::artifact {

namespace {
struct TypeRow {
  std::string_view name;
  unsigned bytes;
};
} // namespace

/// In the order of ScalarType.
static constexpr TypeRow kTypes[] = {
    {"f64", 8},    {"f32", 4}, {"f16", 2}, {"bf16", 2}, {"f8e4m3fn", 1},
    {"f8e5m2", 1}, {"i8", 1},  {"i16", 2}, {"i32", 4},  {"i64", 8},
    {"u8", 1},     {"u16", 2}, {"u32", 4}, {"u64", 8},  {"bool", 1}};
static_assert(std::size(kTypes) == size_t(kLastScalarType) + 1);

unsigned bytesOf(ScalarType type) { return kTypes[size_t(type)].bytes; }

std::string_view nameOf(ScalarType type) { return kTypes[size_t(type)].name; }

Result<ScalarType> parseScalarType(std::string_view name) {
  std::string known;
  for (size_t i = 0; i < std::size(kTypes); ++i) {
    if (kTypes[i].name == name)
      return ScalarType(i);
    known += (i ? ", " : "") + std::string(kTypes[i].name);
  }
  return Failure{"unknown scalar type '" + std::string(name) +
                 "' (known: " + known + ")"};
}

std::vector<std::string> scalarTypeNames() {
  std::vector<std::string> names;
  for (const TypeRow &row : kTypes)
    names.emplace_back(row.name);
  return names;
}

} // namespace girih::artifact
