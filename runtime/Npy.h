//===- Npy.h - NumPy files --------------------------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_NPY_H
#define GIRIH_RUNTIME_NPY_H

#include "runtime/HostArray.h"

namespace girih::rt {

/// Reads the bytes of a .npy file (format 1.0, 2.0 or 3.0; untrusted). `name`
/// stands for the file in messages. Without `expected` the file must hold f64,
/// f32 or f16 and says which itself; with it the file must hold that type,
/// where bf16 is stored as 16-bit unsigned integers or 2-byte raw data.
/// Fortran order becomes column-major strides.
Result<HostArray>
parseNpy(std::string_view bytes, const std::string &name,
         std::optional<artifact::ScalarType> expected = std::nullopt);

/// The same from a file.
Result<HostArray>
readNpy(const std::string &path,
        std::optional<artifact::ScalarType> expected = std::nullopt);

/// A file of format 1.0 in C order. bf16 is written as `<u2`.
Status writeNpy(const HostArray &array, const std::string &path);

/// The bytes that writeNpy writes.
std::string formatNpy(const HostArray &array);

} // namespace girih::rt

#endif // GIRIH_RUNTIME_NPY_H
