//===- Program.h - plain facts about a compiled te module -------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the runner needs to know about the generated functions, without any MLIR
// or LLVM type. The code generator fills it in; the runner only reads it.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_REFERENCE_PROGRAM_H
#define GIRIH_COMPILER_REFERENCE_PROGRAM_H

#include "compiler/arith/Term.h"
#include "compiler/artifact/Artifact.h"

#include <cstdint>
#include <string>
#include <vector>

namespace girih::reference {

/// The memory of one tensor, with all its versions: inputs first, then what
/// te.compute defines.
struct TensorInfo {
  std::string name;
  artifact::ScalarType type = artifact::ScalarType::F32;
  std::vector<artifact::SizeExpr> shape;
  /// A fast function is on some path to its values: only then does it carry an
  /// error array when bounds are asked for.
  bool inexact = false;
  /// Some kernel writes it: an input then is worked on in a copy.
  bool isWritten = false;
  /// Elements may be undefined: they are poisoned before the first kernel.
  bool isPartial = false;
};

/// How a kernel reads one tensor. `contiguousDim` is the dimension that the
/// vector lanes walk and that must have stride 1 (the runner packs a copy where
/// it does not); -1 when the kernel accepts any strides.
struct OperandInfo {
  unsigned tensor = 0;
  int contiguousDim = -1;
};

/// A subscript that must stay inside its tensor: it takes values in
/// [least, extent), unless a reduction that it stands in has no elements.
struct AccessCheck {
  unsigned tensor = 0;
  unsigned dim = 0;
  bool writes = false;
  artifact::SizeExpr least, extent;
  std::vector<unsigned> within; ///< reductions of its kernel
};

/// A subscript under a te.where, which the generated code watches.
struct WatchedAccess {
  unsigned tensor = 0;
  unsigned dim = 0;
  bool writes = false;
};

/// What decides the scratch memory of one reduction.
struct ReductionInfo {
  std::string where; ///< name of the tensor it is computed for
  arith::Term term;
  std::vector<artifact::SizeExpr> extents;
  int64_t entryBytes = 0; ///< one stored partial result of a whole tile
};

/// One generated function: void(const int64_t *args, int64_t begin, int64_t
/// end, char *scratch) over work items [begin, end). An item is a tile of
/// `tileRows` rows by one block of `columnBlock` columns, and all of the box
/// along dimensions that are `inOrder`.
///
/// `args`, in order:
///   the sizes;
///   the indices of the loops around it, outermost first;
///   the result's address and strides, then its errors' address and strides;
///   for each operand its address and strides, then its errors' the same way;
///   for each reduction the byte offset of its scratch memory;
///   where accesses are watched, the address of a word: an access outside its
///   tensor is not made, and its number in `watched` plus 1 is stored there.
///   where `distinct`: the address of one byte an element, 0 where nothing was
///   written, and of an i64, which the first element that is written twice sets
///   to its number (row-major) + 1.
/// Strides count elements. Errors are f64; the fields stand there always, and
/// are read only by functions that carry errors.
struct KernelInfo {
  std::string symbol;
  unsigned result = 0; ///< tensor
  bool begins = true;  ///< writes the first version of the result
  unsigned loops = 0;  ///< around it
  std::vector<artifact::SizeExpr> box;
  std::vector<bool> inOrder; ///< of each dimension of the box
  std::vector<OperandInfo> operands;
  std::vector<ReductionInfo> reductions;
  std::vector<AccessCheck> checks;
  std::vector<WatchedAccess> watched;
  bool distinct = false; ///< no two writes have one place: checked
  int rowDim =
      -1; ///< dimension of the box cut into tiles of `tileRows`; -1: none
  int columnDim = -1; ///< dimension that the lanes walk; -1: none
  int64_t tileRows = 1;
  int64_t columnBlock = 1;
};

/// A kernel, or steps that are repeated `extent` times.
struct Step {
  unsigned kernel = 0;
  bool isLoop = false;
  artifact::SizeExpr extent = {};
  std::vector<Step> body = {};
};

struct ProgramInfo {
  artifact::Signature signature;
  std::vector<TensorInfo> tensors;
  std::vector<KernelInfo> kernels;
  std::vector<Step> steps;       ///< in the order they must run
  std::vector<unsigned> outputs; ///< tensor of each output
};

using KernelFunction = void (*)(const int64_t *args, int64_t begin, int64_t end,
                                char *scratch);

} // namespace girih::reference

#endif // GIRIH_COMPILER_REFERENCE_PROGRAM_H
