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

/// One tensor of the function: inputs first, then the results of te.compute.
struct TensorInfo {
  std::string name;
  artifact::ScalarType type = artifact::ScalarType::F32;
  std::vector<artifact::SizeExpr> shape;
  /// A fast function is on some path to its values: only then does it carry an
  /// error array when bounds are asked for.
  bool inexact = false;
};

/// How a kernel reads one tensor. `contiguousDim` is the dimension that the
/// vector lanes walk and that must have stride 1 (the runner packs a copy where
/// it does not); -1 when the kernel accepts any strides.
struct OperandInfo {
  unsigned tensor = 0;
  int contiguousDim = -1;
};

/// A subscript that must stay inside its tensor: it takes values in
/// [least, extent).
struct AccessCheck {
  unsigned tensor = 0;
  unsigned dim = 0;
  artifact::SizeExpr least, extent;
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
/// `tileRows` rows by one block of `columnBlock` columns.
///
/// `args`, in order:
///   the sizes;
///   the result's address and strides, then its errors' address and strides;
///   for each operand its address and strides, then its errors' the same way;
///   for each reduction the byte offset of its scratch memory;
///   where `distinct`: the address of one byte an element, 0 where nothing was
///   written, and of an i64, which the first element that is written twice sets
///   to its number (row-major) + 1.
/// Strides count elements. Errors are f64; the fields stand there always, and
/// are read only by functions that carry errors.
struct KernelInfo {
  std::string symbol;
  unsigned result = 0; ///< tensor
  std::vector<OperandInfo> operands;
  std::vector<ReductionInfo> reductions;
  std::vector<AccessCheck> checks;
  /// A te.scatter: one item, which walks the whole `domain` in order. The
  /// result begins as a copy of tensor `start`.
  bool scatters = false;
  unsigned start = 0;
  std::vector<artifact::SizeExpr> domain;
  bool distinct = false; ///< no two writes have one place: checked
  int rowDim = -1;       ///< dimension cut into tiles of `tileRows`; -1: none
  int columnDim = -1;    ///< dimension that the lanes walk; -1 for rank 0
  int64_t tileRows = 1;
  int64_t columnBlock = 1;
};

struct ProgramInfo {
  artifact::Signature signature;
  std::vector<TensorInfo> tensors;
  std::vector<KernelInfo> kernels; ///< in the order they must run
  std::vector<unsigned> outputs;   ///< tensor of each output
};

using KernelFunction = void (*)(const int64_t *args, int64_t begin, int64_t end,
                                char *scratch);

} // namespace girih::reference

#endif // GIRIH_COMPILER_REFERENCE_PROGRAM_H
