//===- Affine.h - affine expressions and constraints as data ----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_POLY_AFFINE_H
#define GIRIH_COMPILER_POLY_AFFINE_H

#include <cstdint>
#include <string>
#include <vector>

namespace girih::poly {

/// sum(dims[d] * dim d) + sum(params[p] * param p) + constant. Trailing
/// coefficients that are absent are zero.
struct Affine {
  std::vector<int64_t> dims;
  std::vector<int64_t> params;
  int64_t constant = 0;

  static Affine dim(unsigned index, int64_t coefficient = 1);
  static Affine param(unsigned index, int64_t coefficient = 1);
  static Affine of(int64_t constant);

  int64_t dimCoefficient(unsigned index) const {
    return index < dims.size() ? dims[index] : 0;
  }
  int64_t paramCoefficient(unsigned index) const {
    return index < params.size() ? params[index] : 0;
  }
  bool isConstant() const;

  Affine operator+(const Affine &other) const;
  Affine operator-(const Affine &other) const;
  Affine operator*(int64_t factor) const;
  bool operator==(const Affine &other) const;
};

/// isl text of `affine`, e.g. `8l + e + N - 1`.
std::string print(const Affine &affine,
                  const std::vector<std::string> &dimNames,
                  const std::vector<std::string> &paramNames);

} // namespace girih::poly

#endif // GIRIH_COMPILER_POLY_AFFINE_H
