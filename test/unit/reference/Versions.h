//===- Versions.h - runs of programs with versions --------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_REFERENCE_VERSIONS_H
#define GIRIH_TEST_UNIT_REFERENCE_VERSIONS_H

#include "Support.h"

#include "compiler/reference/Codegen.h"
#include "compiler/reference/Runner.h"

namespace girih::reference::test {

inline Array<int64_t> longs(std::vector<int64_t> shape) {
  return Array<int64_t>(ScalarType::I64, std::move(shape));
}
inline Array<int32_t> ints(std::vector<int64_t> shape) {
  return Array<int32_t>(ScalarType::I32, std::move(shape));
}

/// Compiled for this machine's vectors and for the narrowest ones; run by one
/// thread and by several.
class Everywhere {
public:
  explicit Everywhere(const std::string &text) {
    for (std::optional<HostShape> shape :
         {std::optional<HostShape>(), std::optional<HostShape>(HostShape())}) {
      Result<HostProgram> program =
          compileProgram(text, /*bounds=*/false, shape);
      INFO((program ? std::string() : program.message()));
      REQUIRE(program.ok());
      programs.push_back(std::move(*program));
    }
  }

  /// Every run gives `expected` in `output`, bit for bit.
  template <typename T>
  void gives(const std::vector<HostTensor> &params, Array<T> &output,
             const std::vector<T> &expected) {
    for (const HostProgram &program : programs)
      for (unsigned threads : {1, 3}) {
        std::memset(output.data.data(), 0x55, output.data.size() * sizeof(T));
        RunOptions options;
        options.threads = threads;
        Status status = runProgram(program, params, options, nullptr);
        INFO((status ? std::string() : status.message()));
        REQUIRE(status.ok());
        REQUIRE(output.data.size() == expected.size());
        for (size_t i = 0; i < expected.size(); ++i)
          if (std::memcmp(&output.data[i], &expected[i], sizeof(T)) != 0) {
            CAPTURE(i, threads, output.data[i], expected[i]);
            FAIL("element differs");
          }
      }
  }

private:
  std::vector<HostProgram> programs;
};

} // namespace girih::reference::test

#endif // GIRIH_TEST_UNIT_REFERENCE_VERSIONS_H
