//===- Dimensions.cpp - dimensions of an argument -------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Dimensions.h"

#include "compiler/frontend/Frontend.h"

#include <algorithm>

namespace girih::frontend {

using Place = DimDecl::Place;

std::vector<OuterDim> outerDims(const TensorDecl &decl) {
  std::vector<OuterDim> outer;
  for (unsigned d = 0; d < decl.dims.size(); ++d) {
    const DimDecl &dim = decl.dims[d];
    std::string text = printExpr(*dim.value);
    if (dim.place == Place::GroupNext && !outer.empty()) {
      OuterDim &group = outer.back();
      ++group.count;
      group.text.back() = ',';
      group.text += " " + text + ")";
      group.range.end = dim.range.end;
      continue;
    }
    bool leading = dim.place == Place::Leading;
    if (leading)
      text = ".." + text;
    else if (dim.place == Place::GroupFirst)
      text = "(" + text + ")";
    outer.push_back({d, 1, leading, std::move(text), dim.range});
  }
  return outer;
}

std::string printShape(const TensorDecl &decl) {
  std::string text(decl.typeParam.empty() ? std::string(spelling(decl.type))
                                          : decl.typeParam);
  const char *before = "[";
  for (const OuterDim &dim : outerDims(decl)) {
    text += before + dim.text;
    before = ", ";
  }
  return decl.dims.empty() ? text : text + "]";
}

bool isPlain(const TensorDecl &decl) {
  return std::all_of(
      decl.dims.begin(), decl.dims.end(),
      [](const DimDecl &dim) { return dim.place == Place::Alone; });
}

const std::string *leadingName(const TensorDecl &decl) {
  if (decl.dims.empty() || decl.dims.front().place != Place::Leading)
    return nullptr;
  auto *name = decl.dims.front().value->as<NameExpr>();
  return name ? &name->name : nullptr;
}

} // namespace girih::frontend
