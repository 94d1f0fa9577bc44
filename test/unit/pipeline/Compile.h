//===- Compile.h - compiling in tests of the pipeline -----------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_PIPELINE_COMPILE_H
#define GIRIH_TEST_UNIT_PIPELINE_COMPILE_H

#include "compiler/pipeline/Pipeline.h"

#include <string>
#include <vector>

namespace girih::test {

struct Outcome {
  std::optional<pipeline::CompileResult> result;
  std::string errors; ///< rendered; empty when there are none
  /// "CODE: message" of each diagnostic.
  std::vector<std::string> messages;

  explicit operator bool() const { return result.has_value(); }
  bool says(const std::string &part) const {
    return errors.find(part) != std::string::npos;
  }
};

/// Compiles source, or the text of `options.from` unless isSource. A failure
/// without an error, or an error without a failure, is itself an error here.
Outcome compileText(const std::string &text,
                    const pipeline::CompileOptions &options = {});

/// The text of `phase`, from source.
std::string formOf(const std::string &source, pipeline::Phase phase,
                   pipeline::CompileOptions options = {});

/// Options to read the text of `from` and make `last`.
pipeline::CompileOptions
readingFrom(pipeline::Phase from, pipeline::Phase last = pipeline::Phase::Ptx);

/// The text of one of the files in examples/, "row_sum".
std::string exampleText(const std::string &name);
/// Their names.
inline const char *const kExamples[] = {"row_sum", "whole_sum", "ffn_silu",
                                        "softmax", "swiglu"};

/// `text` with the first `from` after `after` replaced; fails the test when
/// there is none.
std::string edited(std::string text, const std::string &from,
                   const std::string &to, const std::string &after = "");

} // namespace girih::test

#endif // GIRIH_TEST_UNIT_PIPELINE_COMPILE_H
