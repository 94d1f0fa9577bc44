//===- Text.h - small pieces of messages ------------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_TEXT_H
#define GIRIH_RUNTIME_TEXT_H

#include <cstdint>
#include <string>
#include <vector>

namespace girih::rt {

/// `A`, `A and B`, `A, B and C`; `none` for an empty list.
std::string joinNames(const std::vector<std::string> &names);
/// `1 block`, `2 blocks`
std::string plural(int64_t count, const std::string &noun);
/// `0x3f800000`, with at least `digits` digits.
std::string hex(uint64_t value, unsigned digits = 1);
/// `512 bytes`, `3.2 GiB`
std::string printBytes(uint64_t bytes);

} // namespace girih::rt

#endif // GIRIH_RUNTIME_TEXT_H
