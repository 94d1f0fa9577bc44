//===- Isl.h - contexts, quotas and errors of isl ---------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the room: the only place that knows how isl reports. One context
// a call, so two compiles in two threads share nothing. Declare the session
// before every isl object that uses it: objects must die first.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_POLY_ISL_H
#define GIRIH_COMPILER_POLY_ISL_H

#include <isl/cpp.h>

#include <cstdint>
#include <functional>
#include <string>

namespace girih::poly {

/// An isl context that never prints and never aborts.
class IslSession {
public:
  IslSession();
  ~IslSession();
  IslSession(const IslSession &) = delete;
  IslSession &operator=(const IslSession &) = delete;
  isl_ctx *get() const { return context; }

private:
  isl_ctx *context;
};

/// The C API's result as an object of the C++ bindings; a null result throws
/// the context's error as the bindings do.
template <typename T> auto own(isl_ctx *ctx, T *result) {
  if (!result)
    isl::exception::throw_last_error(isl::ctx(ctx));
  return isl::manage(result);
}

/// The C API's three-valued answers; throws on the third.
bool isTrue(isl_ctx *ctx, isl_bool answer);

enum class IslStop {
  None,  ///< the work finished
  Quota, ///< it used up its operations
  Error  ///< isl refused or failed
};

struct IslOutcome {
  IslStop stop = IslStop::None;
  std::string message;
  bool finished() const { return stop == IslStop::None; }
};

/// Runs `work` under a quota of isl operations (0: none) and turns isl's
/// exceptions into an outcome. Not for parsing: isl reports a quota that ends
/// inside a parse as a syntax error.
IslOutcome guarded(const IslSession &session, uint64_t maxOperations,
                   const std::function<void()> &work);

} // namespace girih::poly

#endif // GIRIH_COMPILER_POLY_ISL_H
