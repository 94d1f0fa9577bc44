//===- Oracle.h - the reference's results for a set of tensors --*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TOOLS_GIRIH_ORACLE_H
#define GIRIH_TOOLS_GIRIH_ORACLE_H

#include "compiler/reference/Reference.h"
#include "tools/girih/TensorSet.h"

namespace girih::cli {

/// The reference's outputs and how far a device may be from them.
struct Expected {
  std::vector<rt::HostArray> outputs;
  std::vector<std::vector<double>> bounds;
};

/// The reference of the artifact that was compared last.
class Oracle {
public:
  /// Reports what goes wrong.
  std::optional<Expected> run(Console &console,
                              const artifact::Artifact &artifact,
                              const TensorSet &tensors);

private:
  std::string teModule;
  std::optional<reference::ReferenceProgram> program;
};

} // namespace girih::cli

#endif // GIRIH_TOOLS_GIRIH_ORACLE_H
