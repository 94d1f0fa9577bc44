//===- Codes.h - error codes of the command line ----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// G10xx. A code keeps its meaning for ever; a retired one is not used again.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TOOLS_GIRIH_CODES_H
#define GIRIH_TOOLS_GIRIH_CODES_H

#include <string_view>

// clang-format off
#define GIRIH_CLI_CODES(X)                                                     \
  X(CommandLine, "G1001", "the command line cannot be understood")             \
  X(UnknownName, "G1002", "no phase, target, device or size of that name")     \
  X(CannotRead,  "G1003", "a file that cannot be read")                        \
  X(CannotWrite, "G1004", "a file or stream that cannot be written")           \
  X(Artifact,    "G1005", "a broken artifact, or one where none is taken")     \
  X(Input,       "G1006", "a file that holds no usable tensor")                \
  X(Tensors,     "G1007", "tensors that the operator does not take")           \
  X(Device,      "G1008", "a device that is missing or failed")                \
  X(Reference,   "G1009", "the reference cannot run the program")              \
  X(Mismatch,    "G1010", "results that differ where they must agree")         \
  X(Ptxas,       "G1011", "ptxas is missing or refuses the kernels")           \
  X(Spill,       "G1012", "registers that spill to memory")                    \
  X(Internal,    "G1013", "a fault of the compiler, or no memory left")        \
  X(KernelFault, "G1014", "a kernel that sim found at fault or gave up")       \
  X(Promise,     "G1015", "an input outside the range that it promises")       \
  X(Outside,     "G1016", "a checked subscript that was outside its tensor")   \
  X(TestFailed,  "G1020", "tests that failed")                                 \
  X(Expected,    "G1021", "results that are not what was expected")            \
  X(FoundNan,    "G1022", "a value that became NaN")                           \
  X(NotFormatted, "G1023", "a file that is not in the one style")              \
  X(DifferentOps, "G1024", "programs of two operators that are not compared")  \
  X(InexactPass, "G1025", "data for which one pass may round otherwise")       \
  X(Tune,        "G1026", "a program that is not tuned, or a log of another") \
  X(Lock,        "G1027", "a lock that does not fit what is compiled")
// clang-format on

namespace girih::cli::codes {

#define GIRIH_CODE(name, code, meaning) inline constexpr char k##name[] = code;
GIRIH_CLI_CODES(GIRIH_CODE)
#undef GIRIH_CODE

/// One row of the table above, for `girih error`.
struct Row {
  std::string_view code;
  std::string_view meaning;
};

#define GIRIH_CODE(name, code, meaning) {code, meaning},
inline constexpr Row kRows[] = {GIRIH_CLI_CODES(GIRIH_CODE)};
#undef GIRIH_CODE

} // namespace girih::cli::codes

#endif // GIRIH_TOOLS_GIRIH_CODES_H
