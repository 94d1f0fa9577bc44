//===- HostFunctions.h - library code that generated code calls --*- C++
//-*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_REFERENCE_HOSTFUNCTIONS_H
#define GIRIH_COMPILER_REFERENCE_HOSTFUNCTIONS_H

#include <cstdint>
#include <span>

namespace girih::reference {

/// A function over `n` lanes. `in` holds its operands one after the other, each
/// `n` doubles long. `type` is the artifact::ScalarType of the operation.
using HostFunction = void (*)(double *out, const double *in, int64_t type,
                              int64_t n);

struct NamedHostFunction {
  const char *name; ///< the symbol under which generated code calls it
  HostFunction address;
};

/// value_exp .. value_rcp (x): the function in f64, not yet rounded to `type`.
/// error_exp .. error_rcp (x, ex): bound of the fast form of the function.
/// error_div (r, a, ea, b, eb), error_sqrt (r, a, ea): rounded operations.
/// error_floor, error_ceil, error_round, error_trunc (x, ex).
/// error_cast (x, ex): rounding to `type`.
/// Every bound is 0 where all errors of the operands are 0 and the operation is
/// exactly rounded.
std::span<const NamedHostFunction> hostFunctions();

} // namespace girih::reference

#endif // GIRIH_COMPILER_REFERENCE_HOSTFUNCTIONS_H
