//===- DomainSvg.h - a small iteration domain as a picture ------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_PIPELINE_DOMAINSVG_H
#define GIRIH_COMPILER_PIPELINE_DOMAINSVG_H

#include "compiler/poly/Dependence.h"

#include <string>
#include <vector>

namespace girih::pipeline {

struct DomainPicture {
  struct Dot {
    int64_t down = 0, right = 0;
    size_t number = 0; ///< its place in the order of execution, from 1 on
    std::string name;
  };
  struct Arrow {
    poly::DependenceKind kind = poly::DependenceKind::Flow;
    size_t from = 0, to = 0; ///< of dots
    std::string name;
  };
  std::string title;
  /// Names of the axes; empty where the statement has no such dimension.
  std::string down, right;
  std::vector<Dot> dots;
  std::vector<Arrow> arrows;
  std::vector<std::string> captions; ///< below the picture, one a line
};

/// SVG 1.1 without scripts or styles. Names come up where a browser shows the
/// title of what the pointer is on. Rows and columns without a dot are left
/// out; the axes say which are there.
std::string drawSvg(const DomainPicture &picture);

} // namespace girih::pipeline

#endif // GIRIH_COMPILER_PIPELINE_DOMAINSVG_H
