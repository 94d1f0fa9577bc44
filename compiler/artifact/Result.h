//===- Result.h - values or messages, for rooms without LLVM ----*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_ARTIFACT_RESULT_H
#define GIRIH_COMPILER_ARTIFACT_RESULT_H

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace girih {

/// What went wrong, said to a person: lower case, no full stop, with the names
/// and numbers involved.
struct Failure {
  std::string message;
};

/// Success, or a message.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Failure failure) : failure(std::move(failure.message)) {}
  bool ok() const { return !failure; }
  explicit operator bool() const { return ok(); }
  const std::string &message() const { return *failure; }

private:
  std::optional<std::string> failure;
};

/// A value, or a message.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : stored(std::move(value)) {}
  Result(Failure failure) : failure(std::move(failure.message)) {}
  bool ok() const { return stored.has_value(); }
  explicit operator bool() const { return ok(); }
  T &operator*() {
    assert(ok());
    return *stored;
  }
  const T &operator*() const {
    assert(ok());
    return *stored;
  }
  T *operator->() {
    assert(ok());
    return &*stored;
  }
  const T *operator->() const {
    assert(ok());
    return &*stored;
  }
  const std::string &message() const { return failure; }

private:
  std::optional<T> stored;
  std::string failure;
};

} // namespace girih

#endif // GIRIH_COMPILER_ARTIFACT_RESULT_H
