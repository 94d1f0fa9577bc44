//===- Isl.cpp - contexts, quotas and errors of isl -----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/Isl.h"

#include <isl/options.h>

namespace girih::poly {

IslSession::IslSession() : context(isl_ctx_alloc()) {
  if (!context)
    throw std::bad_alloc();
  isl_options_set_on_error(context, ISL_ON_ERROR_CONTINUE);
}

IslSession::~IslSession() { isl_ctx_free(context); }

bool isTrue(isl_ctx *ctx, isl_bool answer) {
  if (answer == isl_bool_error)
    isl::exception::throw_last_error(isl::ctx(ctx));
  return answer == isl_bool_true;
}

namespace {

/// isl's quota does not nest, so it is set and cleared in one place only.
class QuotaScope {
public:
  QuotaScope(isl_ctx *ctx, uint64_t maxOperations) : ctx(ctx) {
    isl_ctx_reset_error(ctx);
    isl_ctx_reset_operations(ctx);
    isl_ctx_set_max_operations(ctx, maxOperations);
  }
  ~QuotaScope() {
    isl_ctx_set_max_operations(ctx, 0);
    isl_ctx_reset_operations(ctx);
    isl_ctx_reset_error(ctx);
  }

private:
  isl_ctx *ctx;
};

} // namespace

IslOutcome guarded(const IslSession &session, uint64_t maxOperations,
                   const std::function<void()> &work) {
  QuotaScope quota(session.get(), maxOperations);
  try {
    work();
  } catch (const isl::exception_quota &) {
    return {IslStop::Quota, "isl's quota of " + std::to_string(maxOperations) +
                                " operations ended"};
  } catch (const isl::exception &error) {
    // A null result that reached the bindings as an argument reads "invalid";
    // the context still knows the first cause.
    if (isl_ctx_last_error(session.get()) == isl_error_quota)
      return {IslStop::Quota, "isl's quota of " +
                                  std::to_string(maxOperations) +
                                  " operations ended"};
    return {IslStop::Error, std::string("isl: ") + error.what()};
  }
  return {};
}

} // namespace girih::poly
