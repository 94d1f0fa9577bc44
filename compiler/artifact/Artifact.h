//===- Artifact.h - what compile time hands to run time ---------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An Artifact holds everything a launch needs and nothing of the compiler: the
// signature, variants (each guarded), their kernels as PTX, launches whose grid
// and arguments are expressions over the sizes, workspace, and the numerics
// contract. It is std-only, saved in a format of its own and treated as
// untrusted when loaded.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_ARTIFACT_ARTIFACT_H
#define GIRIH_COMPILER_ARTIFACT_ARTIFACT_H

#include "compiler/artifact/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace girih::artifact {

enum class ScalarType : uint8_t {
  F64,
  F32,
  F16,
  BF16,
  F8E4M3FN,
  F8E5M2,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  Bool ///< one byte, 0 or 1; read as true where it is not 0
};
constexpr ScalarType kLastScalarType = ScalarType::Bool;
unsigned bytesOf(ScalarType type);
std::string_view nameOf(ScalarType type); ///< "f64", "u8", "bool", ...
Result<ScalarType> parseScalarType(std::string_view name);
std::vector<std::string> scalarTypeNames();
constexpr bool isFloat(ScalarType type) { return type <= ScalarType::F8E5M2; }
/// An integer; a bool is none.
constexpr bool isInteger(ScalarType type) {
  return type >= ScalarType::I8 && type <= ScalarType::U64;
}
constexpr bool isUnsigned(ScalarType type) {
  return type >= ScalarType::U8 && type <= ScalarType::U64;
}

/// An integer expression over the program's sizes. Evaluation is exact in
/// int64; overflow, division by zero and unknown sizes are errors.
struct SizeExpr {
  enum class Kind : uint8_t {
    Constant,
    Size,
    Add,
    Mul,
    CeilDiv,
    FloorDiv,
    Min,
    Max
  };
  Kind kind = Kind::Constant;
  int64_t value = 0; ///< Constant.
  unsigned size = 0; ///< Size: index into Signature::sizes.
  /// Two or more for Add, Mul, Min, Max; two for the divisions.
  std::vector<SizeExpr> operands;

  static SizeExpr constant(int64_t value);
  static SizeExpr sizeRef(unsigned index);
  static SizeExpr binary(Kind kind, SizeExpr a, SizeExpr b);
};
Result<int64_t> evaluate(const SizeExpr &expr,
                         const std::vector<int64_t> &sizes);
/// `ceildiv(M, 128) * ceildiv(N, 128)`, with the names of the signature.
std::string print(const SizeExpr &expr,
                  const std::vector<std::string> &sizeNames);

struct TensorParam {
  std::string name;
  ScalarType type = ScalarType::F32;
  std::vector<SizeExpr> shape; ///< as indexed; each a SizeSum (SizeSum.h)
  bool isOutput = false;
  /// Of an output: the parameter that it is a later version of, an input; -1
  /// where it is a tensor of its own. On a device both are one tensor.
  int inPlace = -1;
  /// With `inPlace`: they need not be one tensor. An output of its own gets a
  /// copy of the input before the launches, which then know the output only.
  bool apart = false;
  /// How many dimensions of `shape` each dimension of an argument stands for;
  /// empty where each is one of its own.
  std::vector<unsigned> groups = {};
  /// The first dimension of `shape`, a plain size, is the product of any number
  /// of an argument's leading ones.
  bool leading = false;
  /// Dimensions of `shape`, from the slowest in memory to the fastest, without
  /// gaps; empty where any strides are accepted.
  std::vector<unsigned> layout = {};
  int64_t align = 0;   ///< bytes that divide the address; 0: of an element
  bool finite = false; ///< an input without infinities and NaN
  /// Of an integer input that promises one: the first value and the end, which
  /// is not included. Offsets of groups have a third entry, how many elements
  /// all groups have together: they begin at 0, never decrease, and end there.
  /// Else empty.
  std::vector<SizeExpr> range = {};
  bool hasOffsets() const { return range.size() == 3; }
  bool isView() const { return leading || !groups.empty(); }
};

/// Two outputs that no text names, i64 without dimensions: `where` is the
/// number of the first instance in which `subscript` lay outside,
/// lexicographically over the indices; the largest i64 if there was none.
/// `value` is the subscript's value there.
///
/// Two other kinds have one element and no value of their own (`value` is
/// `where` again): in an instance of Spread an element of index `subscript`
/// lies more than `end` below its reference `tensor`; in one of Magnitude the
/// size of an operand `subscript` of the sum `tensor` is neither 0 nor in 2^low
/// .. 2^end. There one pass over blocks need not have the text's bits.
struct CheckWord {
  enum class Kind : uint8_t { Subscript, Spread, Magnitude };
  Kind kind = Kind::Subscript;
  unsigned where = 0, value = 0; ///< parameters
  std::string tensor, subscript;
  std::vector<std::string> names;        ///< of the indices
  std::vector<SizeExpr> starts, extents; ///< of the indices
  SizeExpr end;                          ///< inside is 0 .. end-1
  int64_t low = 0;
};

/// `where` constraint on a size.
struct SizeConstraint {
  enum class Kind : uint8_t { Divisible, AtMost, AtLeast, Equal };
  unsigned size = 0;
  Kind kind = Kind::Equal;
  int64_t value = 0;
};

/// A size that others say: sum / divisor, rounded down, and not negative.
struct DerivedSize {
  unsigned size = 0;
  SizeExpr sum; ///< over sizes that are solved or stand before it in the list
  int64_t divisor = 1;
};
/// The value; nothing where a size that it needs is not known (-1).
Result<std::optional<int64_t>> evaluate(const DerivedSize &derived,
                                        const std::vector<int64_t> &sizes);
/// `(H + 1) / 2`
std::string print(const DerivedSize &derived,
                  const std::vector<std::string> &sizeNames);

struct Signature {
  std::string op;
  std::vector<std::string> sizes; ///< every symbolic size, in a fixed order
  std::vector<int64_t> given; ///< parallel to sizes: value fixed by -D, or -1
  std::vector<TensorParam> params; ///< inputs in order, then outputs
  std::vector<SizeConstraint> constraints;
  std::vector<CheckWord> checks;
  std::vector<DerivedSize> derived;
  bool isDerived(unsigned size) const {
    for (const DerivedSize &one : derived)
      if (one.size == size)
        return true;
    return false;
  }
  /// Whether an output is a word of `checks`.
  bool isHidden(size_t param) const {
    for (const CheckWord &word : checks)
      if (word.where == param || word.value == param)
        return true;
    return false;
  }
};

/// A condition under which a variant may run; all guards of one must hold.
struct Guard {
  enum class Kind : uint8_t {
    UnitStride,      ///< stride[dim] == 1 (or extent <= 1)
    StrideDivisible, ///< stride[dim] % value == 0 elements (or extent <= 1)
    AlignedPointer,  ///< address % value == 0 bytes
    SizeDivisible,   ///< sizes[size] % value == 0
    SizeAtMost,      ///< sizes[size] <= value
    SizeAtLeast      ///< sizes[size] >= value
  };
  Kind kind = Kind::UnitStride;
  unsigned param = 0;
  unsigned dim = 0;
  unsigned size = 0;
  int64_t value = 0;
};

/// One kernel argument. Kernels take, in the order of Launch::arguments:
/// pointers (64-bit), strides, sizes and turns (signed 64-bit, strides in
/// elements).
struct Argument {
  enum class Kind : uint8_t { Pointer, Stride, Size, Workspace, Value, Turn };
  Kind kind = Kind::Pointer;
  /// Pointer, Stride: parameter. Size: size. Workspace: buffer. Turn: a loop of
  /// launches around the launch; the argument counts its turns from 0.
  unsigned index = 0;
  unsigned dim = 0; ///< Stride: dimension.
  /// Value: an expression over the sizes, such as a workspace buffer's stride.
  SizeExpr value = {};
};

struct Launch {
  std::string kernel; ///< entry name in the variant's PTX
  SizeExpr grid;      ///< one-dimensional; 0 blocks = launch skipped
  uint32_t threads = 1;
  uint32_t sharedBytes = 0; ///< dynamic shared memory
  std::vector<Argument> arguments;
};

/// Launches [begin, end) of a variant, in order, `count` times over (not at all
/// where that is negative).
struct LaunchLoop {
  unsigned begin = 0;
  unsigned end = 0; ///< > begin
  SizeExpr count;
};

/// A device buffer that lives from the first launch to the last.
struct WorkspaceBuffer {
  std::string name;
  SizeExpr bytes;
};

/// What the compiler chose, for the report and for `girih check`.
struct KernelReport {
  std::string kernel;
  /// Human sentences: tile, threads, shared bytes, why.
  std::vector<std::string> lines;
};

struct Variant {
  std::string name; ///< "vector", "general"
  std::vector<Guard> guards;
  std::vector<WorkspaceBuffer> workspace;
  std::vector<Launch> launches;
  /// One inside the other or apart; an outer one comes before those inside it.
  std::vector<LaunchLoop> loops = {};
  std::string ptx;
  std::vector<KernelReport> reports;
};

/// The numerics contract of this artifact (docs/numerics.md).
struct Contract {
  std::string functions;               ///< "fast" or "portable"
  std::vector<std::string> reductions; ///< "C.sum over k: seq, leaf fma"
};

struct Artifact {
  Signature signature;
  std::string target; ///< "sm_90a"
  Contract contract;
  std::vector<Variant> variants; ///< tried in order
  /// Text of the te module with its terms: the reference replays it.
  std::string teModule;
  std::string provenance; ///< compiler version, options
  bool edited = false; ///< made from text below `schedule` that was read back
};

/// Bytes of the saved form: magic "GIRIHART", version, length-prefixed fields,
/// a checksum at the end.
std::string serialize(const Artifact &artifact);
/// Refuses a wrong magic or version, truncated or trailing bytes, checksum
/// mismatch, counts that exceed the input, out-of-range indices, unknown enums.
Result<Artifact> deserialize(std::string_view bytes);

/// Writes atomically (temporary file in the same folder, then rename).
Status saveFile(const Artifact &artifact, const std::string &path);
Result<Artifact> loadFile(const std::string &path);

/// A JSON picture for people and scripts; never read back.
std::string printJson(const Artifact &artifact);

} // namespace girih::artifact

#endif // GIRIH_COMPILER_ARTIFACT_ARTIFACT_H
