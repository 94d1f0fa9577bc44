//===- LlvmEmitter.h - emitting LLVM-dialect ops by plain calls -*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The integer, memory and control-flow ops that a lowered kernel is made of,
// behind calls on mlir::Value. The LLVM dialect's headers are large; they are
// included by the .cpp of this class and not by the lowerings that use it.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_CODEGEN_LLVMEMITTER_H
#define GIRIH_PASSES_CODEGEN_LLVMEMITTER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include <functional>
#include <string>

namespace girih::codegen {

/// Address spaces of NVPTX.
enum class Space : unsigned { Generic = 0, Global = 1, Shared = 3 };

enum class Int {
  Add,
  Sub,
  Mul,
  DivSigned,
  DivUnsigned,
  RemSigned,
  RemUnsigned,
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRight,
  ShiftRightSigned,
  MinSigned,
  MaxSigned,
  MinUnsigned,
  MaxUnsigned
};

/// In the order of arith::CmpIPredicate.
enum class Compare {
  Eq,
  Ne,
  SignedLt,
  SignedLe,
  SignedGt,
  SignedGe,
  UnsignedLt,
  UnsignedLe,
  UnsignedGt,
  UnsignedGe
};

/// Emits at `builder`'s insertion point, at the location set last.
class LlvmEmitter {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  LlvmEmitter(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  void setLoc(mlir::Location where) { loc = where; }
  mlir::Location getLoc() const { return loc; }
  mlir::OpBuilder &getBuilder() { return builder; }

  mlir::Type pointerType(Space space);
  mlir::Type i1() { return builder.getI1Type(); }
  mlir::Type i32() { return builder.getI32Type(); }
  mlir::Type i64() { return builder.getI64Type(); }

  // Integers. Operands have one type; constants take it.
  mlir::Value constant(mlir::Type type, int64_t value);
  mlir::Value zero(mlir::Type type); ///< of any scalar type
  mlir::Value integer(Int op, mlir::Value a, mlir::Value b);
  mlir::Value integer(Int op, mlir::Value a, int64_t b);
  mlir::Value add(mlir::Value a, mlir::Value b) {
    return integer(Int::Add, a, b);
  }
  mlir::Value compare(Compare op, mlir::Value a, mlir::Value b);
  mlir::Value compare(Compare op, mlir::Value a, int64_t b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  mlir::Value extendUnsigned(mlir::Value value, mlir::Type to);
  mlir::Value extendSigned(mlir::Value value, mlir::Type to);
  mlir::Value truncate(mlir::Value value, mlir::Type to);
  mlir::Value bitcast(mlir::Value value, mlir::Type to);
  /// The same values, of which neither LLVM nor ptxas knows that they are: what
  /// was computed from the old ones is computed anew from these. Narrow ones
  /// travel packed in words. `nothing`: unknownZero().
  Values renewed(mlir::ValueRange values, mlir::Value nothing);
  /// Two values of 16 bits in a word, by an instruction that LLVM does not take
  /// apart again: both halves are defined.
  mlir::Value packed(mlir::Value low, mlir::Value high);
  /// An i32 that is 0 in every launch, which no compiler can know.
  mlir::Value unknownZero();
  /// The parts of an i32, lowest first, as `type` (8 or 16 bits).
  Values parts(mlir::Value word, mlir::Type type);

  // Memory. Offsets are in elements of `element`; a predicate (i1) travels as
  // a byte, so `element` is never i1 here.
  mlir::Value offset(mlir::Value pointer, mlir::Type element,
                     mlir::Value elements);
  mlir::Value offset(mlir::Value pointer, mlir::Type element, int64_t elements);
  /// `width` consecutive elements, as scalars. Aligned to all of them together.
  /// `invariant`: nobody writes this memory while the kernel runs.
  Values load(mlir::Value pointer, mlir::Type element, unsigned width,
              bool invariant = false);
  void store(mlir::ValueRange values, mlir::Value pointer);
  /// Combines what stands at `pointer` with an integer of 32 or 64 bits, safely
  /// beside the other threads of the device. `kind` as te::ReduceKind.
  void atomic(int kind, bool isUnsigned, mlir::Value pointer,
              mlir::Value value);

  // Threads.
  mlir::Value threadId(); ///< i32
  mlir::Value blockId();  ///< i32
  void barrier();
  /// The value of the lane whose number differs by the bits of `mask`. All 32
  /// lanes take part. For every type that registers hold.
  mlir::Value shuffleXor(mlir::Value value, unsigned mask);

  // Control flow. Blocks are added to the region of the current block.
  mlir::Block *newBlock(mlir::TypeRange arguments = {});
  void branch(mlir::Block *to, mlir::ValueRange arguments = {});
  void branch(mlir::Value condition, mlir::Block *ifTrue, mlir::Block *ifFalse,
              mlir::ValueRange trueArguments = {},
              mlir::ValueRange falseArguments = {});
  /// Runs one of two emitters under a condition; both give as many values. No
  /// condition is one that holds.
  Values choose(mlir::Value condition, const std::function<Values()> &ifTrue,
                const std::function<Values()> &ifFalse);
  /// for k = 0, step .. while k < limit, with `carried` values; k is an i32.
  Values
  countedLoop(int64_t limit, int64_t step, mlir::ValueRange carried,
              const std::function<Values(mlir::Value, mlir::ValueRange)> &body);

  // Functions.
  struct Argument {
    mlir::Type type;
    bool noAlias = false, readOnly = false;
    int64_t alignment = 0;
  };
  /// Makes `llvm.func @name` with nvvm.kernel and nvvm.maxntid and moves the
  /// insertion point into its entry block, which is returned.
  /// `oneBlockIsEnough` lets ptxas take registers until one block fills a
  /// multiprocessor.
  mlir::Block *beginKernel(llvm::StringRef name,
                           llvm::ArrayRef<Argument> arguments, unsigned threads,
                           bool oneBlockIsEnough);
  void endKernel();
  /// A buffer of bytes in shared memory, before the current function.
  /// `dynamic`: its size is given at launch.
  void sharedGlobal(llvm::StringRef name, int64_t bytes, bool dynamic);
  mlir::Value addressOf(llvm::StringRef name, Space space);

private:
  mlir::Value shuffleWord(mlir::Value word, unsigned mask);

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace girih::codegen

#endif // GIRIH_PASSES_CODEGEN_LLVMEMITTER_H
