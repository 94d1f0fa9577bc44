//===- LlvmEmitter.cpp - emitting LLVM-dialect ops by plain calls ---------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/LlvmEmitter.h"

#include "mlir/IR/Matchers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace girih::codegen;

Type LlvmEmitter::pointerType(Space space) {
  return LLVM::LLVMPointerType::get(builder.getContext(),
                                    static_cast<unsigned>(space));
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

Value LlvmEmitter::constant(Type type, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, type,
                                  builder.getIntegerAttr(type, value));
}

Value LlvmEmitter::zero(Type type) {
  return LLVM::ConstantOp::create(builder, loc, type,
                                  builder.getZeroAttr(type));
}

Value LlvmEmitter::integer(Int op, Value a, Value b) {
  switch (op) {
  case Int::Add:
    return LLVM::AddOp::create(builder, loc, a, b);
  case Int::Sub:
    return LLVM::SubOp::create(builder, loc, a, b);
  case Int::Mul:
    return LLVM::MulOp::create(builder, loc, a, b);
  case Int::DivSigned:
    return LLVM::SDivOp::create(builder, loc, a, b);
  case Int::DivUnsigned:
    return LLVM::UDivOp::create(builder, loc, a, b);
  case Int::RemSigned:
    return LLVM::SRemOp::create(builder, loc, a, b);
  case Int::RemUnsigned:
    return LLVM::URemOp::create(builder, loc, a, b);
  case Int::And:
    return LLVM::AndOp::create(builder, loc, a, b);
  case Int::Or:
    return LLVM::OrOp::create(builder, loc, a, b);
  case Int::Xor:
    return LLVM::XOrOp::create(builder, loc, a, b);
  case Int::ShiftLeft:
    return LLVM::ShlOp::create(builder, loc, a, b);
  case Int::ShiftRight:
    return LLVM::LShrOp::create(builder, loc, a, b);
  case Int::ShiftRightSigned:
    return LLVM::AShrOp::create(builder, loc, a, b);
  case Int::MinSigned:
    return LLVM::SMinOp::create(builder, loc, a, b);
  case Int::MaxSigned:
    return LLVM::SMaxOp::create(builder, loc, a, b);
  case Int::MinUnsigned:
    return LLVM::UMinOp::create(builder, loc, a, b);
  case Int::MaxUnsigned:
    return LLVM::UMaxOp::create(builder, loc, a, b);
  }
  llvm_unreachable("all integer operations are covered");
}

Value LlvmEmitter::integer(Int op, Value a, int64_t b) {
  const bool neutral =
      op == Int::Mul || op == Int::DivSigned || op == Int::DivUnsigned
          ? b == 1
          : (op == Int::Add || op == Int::Sub || op == Int::Or ||
             op == Int::Xor || op == Int::ShiftLeft || op == Int::ShiftRight ||
             op == Int::ShiftRightSigned) &&
                b == 0;
  return neutral ? a : integer(op, a, constant(a.getType(), b));
}

Value LlvmEmitter::compare(Compare op, Value a, Value b) {
  LLVM::ICmpPredicate predicate = LLVM::ICmpPredicate::eq;
  switch (op) {
  case Compare::Eq:
    break;
  case Compare::Ne:
    predicate = LLVM::ICmpPredicate::ne;
    break;
  case Compare::SignedLt:
    predicate = LLVM::ICmpPredicate::slt;
    break;
  case Compare::SignedLe:
    predicate = LLVM::ICmpPredicate::sle;
    break;
  case Compare::SignedGt:
    predicate = LLVM::ICmpPredicate::sgt;
    break;
  case Compare::SignedGe:
    predicate = LLVM::ICmpPredicate::sge;
    break;
  case Compare::UnsignedLt:
    predicate = LLVM::ICmpPredicate::ult;
    break;
  case Compare::UnsignedLe:
    predicate = LLVM::ICmpPredicate::ule;
    break;
  case Compare::UnsignedGt:
    predicate = LLVM::ICmpPredicate::ugt;
    break;
  case Compare::UnsignedGe:
    predicate = LLVM::ICmpPredicate::uge;
    break;
  }
  return LLVM::ICmpOp::create(builder, loc, predicate, a, b);
}

Value LlvmEmitter::compare(Compare op, Value a, int64_t b) {
  return compare(op, a, constant(a.getType(), b));
}

Value LlvmEmitter::select(Value condition, Value a, Value b) {
  return LLVM::SelectOp::create(builder, loc, condition, a, b);
}

Value LlvmEmitter::extendUnsigned(Value value, Type to) {
  return value.getType() == to ? value
                               : LLVM::ZExtOp::create(builder, loc, to, value);
}

Value LlvmEmitter::extendSigned(Value value, Type to) {
  return value.getType() == to ? value
                               : LLVM::SExtOp::create(builder, loc, to, value);
}

Value LlvmEmitter::truncate(Value value, Type to) {
  return value.getType() == to ? value
                               : LLVM::TruncOp::create(builder, loc, to, value);
}

Value LlvmEmitter::bitcast(Value value, Type to) {
  return value.getType() == to
             ? value
             : LLVM::BitcastOp::create(builder, loc, to, value);
}

LlvmEmitter::Values LlvmEmitter::parts(Value word, Type type) {
  const unsigned width = type.getIntOrFloatBitWidth();
  Type part = builder.getIntegerType(width);
  Values result;
  for (unsigned at = 0; at < 32; at += width) {
    Value moved = at ? integer(Int::ShiftRight, word, at) : word;
    result.push_back(bitcast(truncate(moved, part), type));
  }
  return result;
}

/// Grids have one dimension.
Value LlvmEmitter::unknownZero() {
  return NVVM::BlockIdZOp::create(builder, loc, i32());
}

Value LlvmEmitter::packed(Value low, Value high) {
  Type half = builder.getIntegerType(16);
  return LLVM::InlineAsmOp::create(
             builder, loc, i32(),
             ValueRange{bitcast(low, half), bitcast(high, half)},
             StringRef("mov.b32 $0, {$1, $2};"), StringRef("=r,h,h"),
             /*has_side_effects=*/false, /*is_align_stack=*/false,
             LLVM::tailcallkind::TailCallKind::None,
             /*asm_dialect=*/LLVM::AsmDialectAttr(),
             /*operand_attrs=*/ArrayAttr())
      .getResult(0);
}

LlvmEmitter::Values LlvmEmitter::renewed(ValueRange values, Value nothing) {
  // ptxas sees through a move, and would find the old computations again.
  auto through = [&](Value word) -> Value {
    if (word.getType() == i64())
      return add(word, extendUnsigned(nothing, i64()));
    return add(word, nothing);
  };
  Values result;
  if (values.empty())
    return result;
  Type type = values.front().getType();
  const unsigned bits = type.getIntOrFloatBitWidth();
  const size_t each = bits == 8 || bits == 16 ? 32 / bits : 1;
  for (size_t at = 0; at < values.size(); at += each) {
    const size_t count = std::min(each, values.size() - at);
    if (bits == 32 || bits == 64) {
      Type whole = builder.getIntegerType(bits);
      Value word = bitcast(values[at], whole);
      word = through(word);
      result.push_back(bitcast(word, type));
      continue;
    }
    // A bit; what fills no word stays as it is.
    if (each == 1 || count < each) {
      llvm::append_range(result, values.slice(at, count));
      continue;
    }
    Value packed = LLVM::PoisonOp::create(
        builder, loc, VectorType::get({static_cast<int64_t>(each)}, type));
    for (size_t i = 0; i < each; ++i)
      packed = LLVM::InsertElementOp::create(
          builder, loc, packed, values[at + i],
          constant(i32(), static_cast<int64_t>(i)));
    Value word = through(bitcast(packed, i32()));
    llvm::append_range(result, parts(word, type));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value LlvmEmitter::offset(Value pointer, Type element, Value elements) {
  return LLVM::GEPOp::create(builder, loc, pointer.getType(), element, pointer,
                             ArrayRef<LLVM::GEPArg>{elements});
}

Value LlvmEmitter::offset(Value pointer, Type element, int64_t elements) {
  if (elements == 0)
    return pointer;
  if (elements != static_cast<int32_t>(elements))
    return offset(pointer, element, constant(i64(), elements));
  return LLVM::GEPOp::create(
      builder, loc, pointer.getType(), element, pointer,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(elements)});
}

LlvmEmitter::Values LlvmEmitter::load(Value pointer, Type element,
                                      unsigned width, bool invariant) {
  const unsigned bytes = element.getIntOrFloatBitWidth() / 8;
  Type type = width == 1 ? element : VectorType::get({width}, element);
  Value loaded = LLVM::LoadOp::create(
      builder, loc, type, pointer, /*alignment=*/bytes * width,
      /*isVolatile=*/false, /*isNonTemporal=*/false, invariant);
  if (width == 1)
    return {loaded};
  Values values;
  for (unsigned i = 0; i < width; ++i)
    values.push_back(LLVM::ExtractElementOp::create(builder, loc, loaded,
                                                    constant(i32(), i)));
  return values;
}

void LlvmEmitter::store(ValueRange values, Value pointer) {
  Type element = values.front().getType();
  const unsigned bytes = element.getIntOrFloatBitWidth() / 8;
  Value stored = values.front();
  if (values.size() > 1) {
    Type type = VectorType::get({static_cast<int64_t>(values.size())}, element);
    stored = LLVM::PoisonOp::create(builder, loc, type);
    for (auto [i, value] : llvm::enumerate(values))
      stored = LLVM::InsertElementOp::create(builder, loc, stored, value,
                                             constant(i32(), i));
  }
  LLVM::StoreOp::create(builder, loc, stored, pointer,
                        /*alignment=*/bytes * values.size());
}

void LlvmEmitter::atomic(int kind, bool isUnsigned, Value pointer,
                         Value value) {
  LLVM::AtomicBinOp op = LLVM::AtomicBinOp::add;
  if (kind == 2)
    op = isUnsigned ? LLVM::AtomicBinOp::umax : LLVM::AtomicBinOp::max;
  if (kind == 3)
    op = isUnsigned ? LLVM::AtomicBinOp::umin : LLVM::AtomicBinOp::min;
  LLVM::AtomicRMWOp::create(builder, loc, op, pointer, value,
                            LLVM::AtomicOrdering::monotonic, "device");
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

Value LlvmEmitter::threadId() {
  return NVVM::ThreadIdXOp::create(builder, loc, i32());
}

Value LlvmEmitter::blockId() {
  return NVVM::BlockIdXOp::create(builder, loc, i32());
}

void LlvmEmitter::barrier() { NVVM::Barrier0Op::create(builder, loc); }

Value LlvmEmitter::shuffleWord(Value word, unsigned mask) {
  return NVVM::ShflOp::create(builder, loc, word.getType(), constant(i32(), -1),
                              word, constant(i32(), mask), constant(i32(), 31),
                              NVVM::ShflKind::bfly, UnitAttr());
}

Value LlvmEmitter::shuffleXor(Value value, unsigned mask) {
  Type type = value.getType();
  const unsigned bits = type.getIntOrFloatBitWidth();
  if (type.isF32() || type.isInteger(32))
    return shuffleWord(value, mask);
  Type whole = builder.getIntegerType(bits);
  Value integral = bitcast(value, whole);
  if (bits <= 32) {
    Value word = shuffleWord(extendUnsigned(integral, i32()), mask);
    return bitcast(truncate(word, whole), type);
  }
  Value low = shuffleWord(truncate(integral, i32()), mask);
  Value high = shuffleWord(
      truncate(integer(Int::ShiftRight, integral, 32), i32()), mask);
  Value joined =
      integer(Int::Or, extendUnsigned(low, i64()),
              integer(Int::ShiftLeft, extendUnsigned(high, i64()), 32));
  return bitcast(joined, type);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

Block *LlvmEmitter::newBlock(TypeRange arguments) {
  OpBuilder::InsertionGuard guard(builder);
  Region *region = builder.getInsertionBlock()->getParent();
  SmallVector<Location> locs(arguments.size(), loc);
  return builder.createBlock(region, region->end(), arguments, locs);
}

void LlvmEmitter::branch(Block *to, ValueRange arguments) {
  LLVM::BrOp::create(builder, loc, arguments, to);
}

void LlvmEmitter::branch(Value condition, Block *ifTrue, Block *ifFalse,
                         ValueRange trueArguments, ValueRange falseArguments) {
  LLVM::CondBrOp::create(builder, loc, condition, ifTrue, trueArguments,
                         ifFalse, falseArguments);
}

LlvmEmitter::Values
LlvmEmitter::choose(Value condition, const std::function<Values()> &ifTrue,
                    const std::function<Values()> &ifFalse) {
  if (!condition)
    return ifTrue();
  if (matchPattern(condition, m_Zero()))
    return ifFalse();
  Block *thenBlock = newBlock(), *elseBlock = newBlock();
  branch(condition, thenBlock, elseBlock);
  builder.setInsertionPointToEnd(thenBlock);
  Values thenValues = ifTrue();
  Block *join = newBlock(ValueRange(thenValues).getTypes());
  branch(join, thenValues);
  builder.setInsertionPointToEnd(elseBlock);
  branch(join, ifFalse());
  builder.setInsertionPointToEnd(join);
  return Values(join->getArguments());
}

LlvmEmitter::Values
LlvmEmitter::countedLoop(int64_t limit, int64_t step, ValueRange carried,
                         const std::function<Values(Value, ValueRange)> &body) {
  SmallVector<Type> types{i32()};
  llvm::append_range(types, carried.getTypes());
  Block *loop = newBlock(types), *exit = newBlock(carried.getTypes());
  Values initial{constant(i32(), 0)};
  llvm::append_range(initial, carried);
  branch(loop, initial);
  builder.setInsertionPointToEnd(loop);
  Value k = loop->getArgument(0);
  Values results = body(k, loop->getArguments().drop_front());
  Value next = integer(Int::Add, k, step);
  Values again{next};
  llvm::append_range(again, results);
  branch(compare(Compare::SignedLt, next, limit), loop, exit, again, results);
  builder.setInsertionPointToEnd(exit);
  return Values(exit->getArguments());
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Block *LlvmEmitter::beginKernel(StringRef name, ArrayRef<Argument> arguments,
                                unsigned threads, bool oneBlockIsEnough) {
  SmallVector<Type> types;
  for (const Argument &argument : arguments)
    types.push_back(argument.type);
  auto function = LLVM::LLVMFuncOp::create(
      builder, loc, name,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                  types));
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
  function->setAttr(
      NVVM::NVVMDialect::getMaxntidAttrName(),
      builder.getDenseI32ArrayAttr({static_cast<int32_t>(threads)}));
  if (oneBlockIsEnough)
    function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      builder.getI32IntegerAttr(1));
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    if (argument.noAlias)
      function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                          builder.getUnitAttr());
    if (argument.readOnly)
      function.setArgAttr(i, LLVM::LLVMDialect::getReadonlyAttrName(),
                          builder.getUnitAttr());
    if (argument.alignment)
      function.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                          builder.getI64IntegerAttr(argument.alignment));
  }
  Block *entry = function.addEntryBlock(builder);
  builder.setInsertionPointToEnd(entry);
  return entry;
}

void LlvmEmitter::endKernel() {
  LLVM::ReturnOp::create(builder, loc, ValueRange{});
  builder.setInsertionPointAfter(builder.getInsertionBlock()->getParentOp());
}

void LlvmEmitter::sharedGlobal(StringRef name, int64_t bytes, bool dynamic) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(builder.getInsertionBlock()->getParentOp());
  auto type =
      LLVM::LLVMArrayType::get(builder.getI8Type(), dynamic ? 0 : bytes);
  // Never internal: LLVM's GlobalsAA takes an internal global to be untouched
  // by a barrier, and would move accesses across it.
  auto global = LLVM::GlobalOp::create(
      builder, loc, type, /*isConstant=*/false, LLVM::Linkage::External, name,
      Attribute(), /*alignment=*/16, static_cast<unsigned>(Space::Shared));
  if (dynamic)
    return;
  builder.createBlock(&global.getInitializerRegion());
  LLVM::ReturnOp::create(builder, loc,
                         LLVM::UndefOp::create(builder, loc, type).getResult());
}

Value LlvmEmitter::addressOf(StringRef name, Space space) {
  return LLVM::AddressOfOp::create(builder, loc, pointerType(space), name);
}
