//===- ErrorPages.h - the page of error codes -------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/errors.md and docs/error-examples.md, which the build puts into the
// program as they are: what they say exists once.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TOOLS_GIRIH_ERRORPAGES_H
#define GIRIH_TOOLS_GIRIH_ERRORPAGES_H

#include <string>
#include <vector>

namespace girih::cli {

struct ErrorPage {
  std::string code, meaning, mend;
  std::string family;  ///< the heading its row stands under
  std::string example; ///< a program or a command; may be empty
};

/// Every row of docs/errors.md.
std::vector<ErrorPage> errorPages();

} // namespace girih::cli

#endif // GIRIH_TOOLS_GIRIH_ERRORPAGES_H
