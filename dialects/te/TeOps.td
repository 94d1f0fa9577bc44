//===- TeOps.td - the te dialect: tensor expressions -------*- tablegen -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A te.func is one operator. Its body is a list of te.compute ops, each defining
// one tensor by a scalar expression over its indices. Every scalar op rounds
// once, in its type, where it is written (docs/numerics.md).
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_DIALECTS_TE_TEOPS_TD
#define GIRIH_DIALECTS_TE_TEOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Te_Dialect : Dialect {
  let name = "te";
  let cppNamespace = "::girih::te";
  let summary = "tensor expressions with explicit rounding";
  let description = [{
    Operators as lists of tensor definitions. Integer helper operations inside
    scalar regions come from the `arith` dialect (constant, addi, subi, shli,
    shrsi, andi, ori, cmpi, select and bitcast on i32 and i64 only).
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

class Te_Op<string mnemonic, list<Trait> traits = []>
    : Op<Te_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def Te_TensorType : TypeDef<Te_Dialect, "TeTensor"> {
  let mnemonic = "tensor";
  let summary = "a tensor whose extents are sizes or constants";
  let description = [{
    `!te.tensor<[M, 4096, N - 1], bf16>`: each extent is a StringAttr naming one
    of the function's sizes, an i64 IntegerAttr or a Te_ExtentAttr. Element types are those of the
    language: floats f64 f32 f16 bf16 f8E4M3FN f8E5M2; signed integers i8 i16
    i32 i64; unsigned ones ui8 ui16 ui32 ui64; i1 for bool.
    Rank 0 is `!te.tensor<[], f32>`.
  }];
  let parameters = (ins ArrayRefParameter<"mlir::Attribute">:$shape,
                        "mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    unsigned getRank() const { return getShape().size(); }
  }];
}

// Integers without a sign are signed; an unsigned one says so in its type.
def Te_Scalar : AnyTypeOf<[F64, F32, F16, BF16, F8E4M3FN, F8E5M2, I1, I8, I16,
                           I32, I64, UI8, UI16, UI32, UI64]>;
def Te_Float : AnyTypeOf<[F64, F32, F16, BF16]>;
def Te_Integer : AnyTypeOf<[I8, I16, I32, I64, UI8, UI16, UI32, UI64]>;
/// What is computed in; the f8 types are only held and cast.
def Te_Number : AnyTypeOf<[F64, F32, F16, BF16, I8, I16, I32, I64, UI8, UI16,
                           UI32, UI64]>;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def Te_ReduceKind : I32Enum<"ReduceKind", "how values are combined", [
    I32EnumCase<"Sum", 0, "sum">, I32EnumCase<"Prod", 1, "prod">,
    I32EnumCase<"Max", 2, "max">, I32EnumCase<"Min", 3, "min">]> {
  let cppNamespace = "::girih::te";
}

def Te_Leaf : I32Enum<"Leaf", "the operation at a chain's leaf", [
    I32EnumCase<"Plain", 0, "plain">,
    I32EnumCase<"MulAdd", 1, "muladd">,
    I32EnumCase<"Fma", 2, "fma">]> {
  let description = [{
    plain: acc = acc + body. muladd: the body is a product, rounded, then added.
    fma: the body is a product a*b (its root is te.binary mul); acc = fma(a, b, acc).
  }];
  let cppNamespace = "::girih::te";
}

def Te_UnaryKind : I32Enum<"UnaryKind", "functions of one value", [
    I32EnumCase<"Neg", 0, "neg">, I32EnumCase<"Abs", 1, "abs">,
    I32EnumCase<"Sqrt", 2, "sqrt">, I32EnumCase<"Floor", 3, "floor">,
    I32EnumCase<"Ceil", 4, "ceil">, I32EnumCase<"Round", 5, "round">,
    I32EnumCase<"Trunc", 6, "trunc">, I32EnumCase<"Exp", 7, "exp">,
    I32EnumCase<"Exp2", 8, "exp2">, I32EnumCase<"Log", 9, "log">,
    I32EnumCase<"Log2", 10, "log2">, I32EnumCase<"Tanh", 11, "tanh">,
    I32EnumCase<"Rsqrt", 12, "rsqrt">, I32EnumCase<"Rcp", 13, "rcp">,
    I32EnumCase<"Tf32", 14, "tf32">, I32EnumCase<"Sin", 15, "sin">,
    I32EnumCase<"Cos", 16, "cos">, I32EnumCase<"Erf", 17, "erf">]> {
  let description = [{
    exp to rcp have an accuracy (`Accuracy`), and so have sin to erf, whose fast
    form is the portable one. The others are exact or correctly rounded
    everywhere; round is to nearest, ties to even, and so is tf32, which
    keeps 10 fraction bits of an f32. Integers have neg and abs, which wrap.
  }];
  let cppNamespace = "::girih::te";
}

def Te_Accuracy : I32Enum<"Accuracy", "how a function is computed", [
    I32EnumCase<"Unset", 0, "unset">, I32EnumCase<"Fast", 1, "fast">,
    I32EnumCase<"Portable", 2, "portable">]> {
  let description = [{
    unset: by the function's `functions` attribute. fast: hardware units within
    the table's bound. portable: expanded into exactly rounded operations.
  }];
  let cppNamespace = "::girih::te";
}

def Te_BinaryKind : I32Enum<"BinaryKind", "functions of two values", [
    I32EnumCase<"Add", 0, "add">, I32EnumCase<"Sub", 1, "sub">,
    I32EnumCase<"Mul", 2, "mul">, I32EnumCase<"Div", 3, "div">,
    I32EnumCase<"Min", 4, "min">, I32EnumCase<"Max", 5, "max">,
    I32EnumCase<"FloorDiv", 6, "floordiv">, I32EnumCase<"Mod", 7, "mod">,
    I32EnumCase<"TDiv", 8, "tdiv">, I32EnumCase<"TMod", 9, "tmod">,
    I32EnumCase<"And", 10, "and">, I32EnumCase<"Or", 11, "or">,
    I32EnumCase<"Xor", 12, "xor">, I32EnumCase<"Shl", 13, "shl">,
    I32EnumCase<"Shr", 14, "shr">]> {
  let description = [{
    Floats: each correctly rounded. min and max: NaN wins, min(-0, +0) = -0,
    max = +0. Integers wrap; div is for floats only, floordiv and later for
    integers only. floordiv and mod round the quotient down, tdiv and tmod
    towards zero; by zero the quotient is 0 and the remainder the dividend. A
    shift's amount is read as an unsigned number; from the width on the result
    is that of shifting bit by bit: 0, or the sign for shr of signed integers.
  }];
  let cppNamespace = "::girih::te";
}

def Te_CompareKind : I32Enum<"CompareKind", "comparisons", [
    I32EnumCase<"Lt", 0, "lt">, I32EnumCase<"Le", 1, "le">,
    I32EnumCase<"Gt", 2, "gt">, I32EnumCase<"Ge", 3, "ge">,
    I32EnumCase<"Eq", 4, "eq">, I32EnumCase<"Ne", 5, "ne">]> {
  let description = "Ordered, except `ne`, which is true when a NaN is involved.";
  let cppNamespace = "::girih::te";
}

def Te_LogicKind : I32Enum<"LogicKind", "boolean connectives", [
    I32EnumCase<"And", 0, "and">, I32EnumCase<"Or", 1, "or">]> {
  let cppNamespace = "::girih::te";
}

def Te_ConstraintKind : I32Enum<"ConstraintKind", "constraints on a size", [
    I32EnumCase<"Divisible", 0, "divisible">,
    I32EnumCase<"AtMost", 1, "at_most">,
    I32EnumCase<"AtLeast", 2, "at_least">,
    I32EnumCase<"Equal", 3, "equal">]> {
  let cppNamespace = "::girih::te";
}

def Te_SizeConstraintAttr : AttrDef<Te_Dialect, "SizeConstraint"> {
  let mnemonic = "constraint";
  let summary = "a promise about one size, checked at launch";
  let parameters = (ins "mlir::StringAttr":$size,
                        EnumParameter<Te_ConstraintKind>:$kind,
                        "int64_t":$value);
  let assemblyFormat = "`<` $size `,` $kind `,` $value `>`";
}

def Te_ExtentAttr : AttrDef<Te_Dialect, "Extent"> {
  let mnemonic = "extent";
  let summary = "an extent or offset that is a sum over sizes";
  let description = [{
    `#te.extent<2 * H + R - 1>`, in lists of extents without the wrapping. A
    plain size is a StringAttr and a number an i64 IntegerAttr (te::makeExtent
    chooses), so no two attributes mean the same extent. Sizes are sorted as
    first written and distinct, coefficients are not 0.
  }];
  let parameters = (ins ArrayRefParameter<"mlir::StringAttr">:$sizes,
                        ArrayRefParameter<"int64_t">:$coefficients,
                        "int64_t":$constant);
  let hasCustomAssemblyFormat = 1;
}

def Te_DerivedSizeAttr : AttrDef<Te_Dialect, "DerivedSize"> {
  let mnemonic = "derived";
  let summary = "a size that others say";
  let description = [{
    `#te.derived<"OH" = H + 1 by 2>`: the size is (H + 1) / 2, rounded down. A
    launch is refused where that is negative.
  }];
  let parameters = (ins "mlir::StringAttr":$size, "mlir::Attribute":$numerator,
                        "int64_t":$divisor);
  let hasCustomAssemblyFormat = 1;
}

def Te_FactsAttr : AttrDef<Te_Dialect, "Facts"> {
  let mnemonic = "facts";
  let summary = "what is known of an argument or a result besides its type";
  let description = [{
    `#te.facts<groups [1, 2, 1] layout [0, 1, 2, 3] align 16 finite>`. `groups`:
    how many dimensions of the type each dimension of the caller's tensor stands
    for; all 1 without it. `leading`: the first dimension is the product of any
    number of the caller's. `layout`: the dimensions of the type from the
    slowest in memory to the fastest, without gaps. `align`: bytes that divide
    the address. `finite`: no element is infinite or NaN.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$groups, "bool":$leading,
                        ArrayRefParameter<"int64_t">:$layout, "int64_t":$align,
                        "bool":$finite);
  let hasCustomAssemblyFormat = 1;
}

def Te_BoundRule : I32Enum<"BoundRule", "how an index is brought into 0 .. n-1", [
    I32EnumCase<"Clamp", 0, "clamp">, I32EnumCase<"Reflect", 1, "reflect">,
    I32EnumCase<"Wrap", 2, "wrap">]> {
  let description = [{
    clamp: the nearest. wrap: the remainder, that of -1 being n-1. reflect:
    mirrored at both ends without repeating them, as often as needed: -1 is 1, n
    is n-2; with n = 1 always 0.
  }];
  let cppNamespace = "::girih::te";
}

def Te_ScatterKind : I32Enum<"ScatterKind", "what a scattered value does", [
    I32EnumCase<"Set", 0, "set">, I32EnumCase<"Add", 1, "add">,
    I32EnumCase<"Max", 2, "max">, I32EnumCase<"Min", 3, "min">]> {
  let description = "set replaces the element, the others combine with it.";
  let cppNamespace = "::girih::te";
}

def Te_TermAttr : AttrDef<Te_Dialect, "Term"> {
  let mnemonic = "term";
  let summary = "an association term";
  let description = [{
    The canonical text of arith::Term: `#te.term<"lanes(4096, 4)">`.
  }];
  let parameters = (ins StringRefParameter<"canonical text">:$text);
  let assemblyFormat = "`<` $text `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

def Te_FuncOp : Te_Op<"func", [IsolatedFromAbove, Symbol, SingleBlock]> {
  let summary = "one operator";
  let description = [{
    ```mlir
    te.func @row_sum sizes ["M", "N"] (%X "X": !te.tensor<[M, N], f32>)
        -> ("S": !te.tensor<[M], f32>) functions fast {
      ...
      te.return %S : !te.tensor<[M], f32>
    }
    ```
    `given` fixes sizes at compile time: parallel to `sizes`, -1 where a size is
    left dynamic. An integer argument may promise the range of its elements,
    `%id "id" in [0, V]: ...` (the end exclusive): `arg_ranges` is parallel to
    the arguments, an array of two extents or a unit for none. A third extent,
    `%off "off" in [0, T + 1, T]: ...`, promises offsets of groups, which never
    decrease from 0 to it; the tensor has one dimension then.
    `checks` describes results that no text names: see te::verifyCheckWords.
    `in_place`, parallel to the results, has the argument that a
    result is a later version of, or -1; printed as `in_place %X` behind the
    result. Absent where no result has one. `facts` says by a
    tensor's name what is known of it besides its type: `facts {W =
    #te.facts<layout [1, 0] align 16>}`. `derived` lists the sizes that others
    say, each behind those it uses.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$sizes,
                       DenseI64ArrayAttr:$given,
                       StrArrayAttr:$arg_names, StrArrayAttr:$result_names,
                       TypeArrayAttr:$result_types,
                       ArrayAttr:$arg_ranges, ArrayAttr:$checks,
                       ArrayAttr:$constraints, EnumAttr<Te_Dialect, Te_Accuracy, "accuracy", []>:$functions,
                       OptionalAttr<DenseI64ArrayAttr>:$in_place,
                       OptionalAttr<DictionaryAttr>:$facts,
                       OptionalAttr<ArrayAttr>:$derived);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    mlir::Block &getBlock() { return getBody().front(); }
    /// Index of `size` in getSizes(), or -1.
    int findSize(llvm::StringRef size);
    /// What is known of a tensor besides its type; null where nothing is.
    FactsAttr factsOf(llvm::StringRef tensor);
    /// The value of an extent when it depends on no size that is not given.
    std::optional<int64_t> constantExtent(mlir::Attribute extent);
    /// The argument that the result is a later version of, or -1.
    int64_t inPlaceOf(unsigned result) {
      return getInPlace() ? (*getInPlace())[result] : -1;
    }
  }];
}

def Te_ReturnOp : Te_Op<"return", [Terminator, HasParent<"FuncOp">]> {
  let summary = "names the operator's outputs";
  let arguments = (ins Variadic<Te_TensorType>:$results);
  let assemblyFormat = "($results^ `:` type($results))? attr-dict";
}

def Te_ComputeOp : Te_Op<"compute", [SingleBlock,
    ParentOneOf<["FuncOp", "ForOp"]>]> {
  let summary = "defines elements of one tensor by an expression over indices";
  let description = [{
    ```mlir
    %Y = te.compute "Y" ["i", "j"] : !te.tensor<[M, N], bf16> {
    ^bb0(%i: index, %j: index):
      %0 = te.read %X[%i, %j] : !te.tensor<[M, N], bf16>
      te.yield %0 : bf16
    }
    ```
    The domain is the box of the result's extents, and an instance writes the
    element of its indices. The region reads tensors defined above. In canonical
    form (after `te-hoist-reductions`) a region that holds a te.reduce holds
    nothing else but its te.where ops, the te.read that it may go on from and
    its te.yield, and writes the whole of a tensor of its own (none of what
    follows but te.where; a chain that goes on may be written `into` a tensor).

    ```mlir
    %c1 = te.compute "c" ["i"] in [N - 1] into %c0 : !te.tensor<[N], f32> {
    ^bb0(%i: index):
      te.where [%i] by [-1] plus L - 1
      %here = te.affine [%i] by [1] plus 1
      %0 = te.read %c0[%i] : !te.tensor<[N], f32>
      ...
      te.yield %sum : f32 at [%here]
    }
    ```
    `in` gives a box of another shape, te.where ops at the region's front cut
    it, `at` names the element that an instance writes; no two instances write
    one element. `into %c0` makes the result a later version of %c0 in the same
    memory: elements that nothing writes keep their values, and no op below may
    read %c0 (or write into it) again. The region itself may read %c0: it runs
    its instances in lexicographic order, and a read sees what earlier
    instances wrote. Without `into`, elements that no instance writes are
    undefined; nothing defined reads them.

    `... f32> for "C" {` says that the tensor is a reduction of the statement
    that defines C, with which schedules move it.
  }];
  let arguments = (ins StrAttr:$name, StrArrayAttr:$index_names,
                       OptionalAttr<ArrayAttr>:$extents,
                       Optional<Te_TensorType>:$into,
                       OptionalAttr<StrAttr>:$part_of);
  let results = (outs Te_TensorType:$result);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "mlir::Type":$type, "llvm::StringRef":$name,
                                 "mlir::ArrayAttr":$index_names), [{
    build($_builder, $_state, type, $_builder.getStringAttr(name), index_names,
          mlir::ArrayAttr(), mlir::Value(), mlir::StringAttr());
  }]>];
  let extraClassDeclaration = [{
    mlir::Block &getBlock() { return getBody().front(); }
    /// Extents of the domain's box.
    llvm::ArrayRef<mlir::Attribute> getBox();
    /// The te.reduce whose result is yielded, when that is all the region does
    /// (but for te.where and the te.read that it goes on from) and the whole box
    /// is written.
    ReduceOp getReduction();
    /// Writes the element of its indices for the whole box of the result's
    /// extents: neither `in` nor `at` nor te.where nor `into`.
    bool isWhole();
  }];
}

def Te_ForOp : Te_Op<"for", [SingleBlock, ParentOneOf<["FuncOp", "ForOp"]>]> {
  let summary = "repeats definitions in time";
  let description = [{
    ```mlir
    %A2, %B2 = te.for "t" in T (%A0, %B0) : (!te.tensor<[N], f32>, ...)
        -> (!te.tensor<[N], f32>, ...) {
    ^bb0(%t: index, %A: !te.tensor<[N], f32>, %B: !te.tensor<[N], f32>):
      %B1 = te.compute "B" ["i"] ... into %B ...
      %A1 = te.compute "A" ["i"] ... into %A ...
      te.next %A1, %B1 : ...
    }
    ```
    t runs over 0 .. T-1 in order. Each result is a later version of its initial
    value in the same memory, and so is what te.next hands over of the block's
    argument (which may be the argument itself). Tensors defined inside that are
    not handed over live for one turn; tensors from above are read.
  }];
  let arguments = (ins StrAttr:$index_name, AnyAttr:$extent,
                       Variadic<Te_TensorType>:$inits);
  let results = (outs Variadic<Te_TensorType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $index_name `in` custom<Extent>($extent) `(` $inits `)` `:`
    functional-type($inits, $results) $body attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    mlir::Block &getBlock() { return getBody().front(); }
    mlir::BlockArgument getIndex() { return getBlock().getArgument(0); }
  }];
}

def Te_NextOp : Te_Op<"next", [Terminator, HasParent<"ForOp">]> {
  let summary = "the tensors' versions after one turn of a te.for";
  let arguments = (ins Variadic<Te_TensorType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Te_ReduceOp : Te_Op<"reduce", [SingleBlock]> {
  let summary = "a reduction over boxes of indices";
  let description = [{
    ```mlir
    %s = te.reduce sum ["k"] in [K] order "fixed" term <"seq"> leaf fma : f32 {
    ^bb0(%k: index):
      ...
      te.yield %p : f32
    }
    ```
    `order` is what the text asked for: "fixed", "sequential" or a term.
    `term` and `leaf` are set by the assoc phase. Elements are numbered
    lexicographically over the indices. sum starts at +0.0, prod at 1, max at
    -inf, min at +inf; of integers max at the smallest and min at the largest.
    max over i1 is `any` and min `all`: false is less than true. te.where ops at
    the region's front name the elements that take part; the others contribute
    nothing, and keep their numbers.

    ```mlir
    %c0 = te.read %l[%i] : !te.tensor<[M], f32>
    %s = te.reduce sum ["k"] in [64] from %c0 order "fixed" term <"seq"> ...
    ```
    goes on with a chain: `from`, a te.read in front of the reduction, stands in
    the identity's place. Such a reduction has the term seq.
  }];
  let arguments = (ins EnumAttr<Te_Dialect, Te_ReduceKind, "reduce_kind", []>:$kind,
                       StrArrayAttr:$index_names, ArrayAttr:$extents,
                       StrAttr:$order, OptionalAttr<Te_TermAttr>:$term,
                       EnumAttr<Te_Dialect, Te_Leaf, "leaf_kind", []>:$leaf,
                       Optional<Te_Scalar>:$from);
  let results = (outs Te_Scalar:$result);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    mlir::Block &getBlock() { return getBody().front(); }
    /// Where a chain goes on with an element: its te.read; or null.
    ReadOp getStart();
  }];
}

def Te_ScatterOp : Te_Op<"scatter", [SingleBlock, HasParent<"FuncOp">]> {
  let summary = "a tensor with values put at computed places";
  let description = [{
    ```mlir
    %H = te.scatter add "H" ["i", "d"] in [N, D] into %0 drop
        : !te.tensor<[B, D], f32> {
    ^bb0(%i: index, %d: index):
      ...
      te.put %v at [%at, %d] : f32
    }
    ```
    The elements of `start`, changed by one te.put after the other in
    lexicographic order of the indices. `start` is a te.compute's result that
    nothing else uses: the scatter works in its place. `drop`: a te.put with a
    subscript outside the tensor does nothing; without it all lie inside.
    `distinct`: no two te.put have the same place.
  }];
  let arguments = (ins EnumAttr<Te_Dialect, Te_ScatterKind, "scatter_kind", []>:$kind,
                       StrAttr:$name, StrArrayAttr:$index_names,
                       ArrayAttr:$extents, Te_TensorType:$start,
                       UnitAttr:$distinct, UnitAttr:$drop);
  let results = (outs Te_TensorType:$result);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    mlir::Block &getBlock() { return getBody().front(); }
    PutOp getPut();
  }];
}

def Te_PutOp : Te_Op<"put", [Terminator, HasParent<"ScatterOp">]> {
  let summary = "one value and its place";
  let description = "Subscripts are those of te.read.";
  let arguments = (ins Te_Scalar:$value, Variadic<Index>:$indices);
  let assemblyFormat = "$value `at` `[` $indices `]` `:` type($value) attr-dict";
}

def Te_YieldOp : Te_Op<"yield", [Terminator, Pure,
    ParentOneOf<["ComputeOp", "ReduceOp"]>]> {
  let summary = "the value of the enclosing region";
  let description = [{
    In a te.compute `at` names the element: one subscript a dimension, each an
    index of the region or made by te.affine or te.index_constant. Without it
    the indices are the subscripts.
  }];
  let arguments = (ins Te_Scalar:$value, Variadic<Index>:$at);
  let assemblyFormat = "$value `:` type($value) (`at` `[` $at^ `]`)? attr-dict";
  let builders = [OpBuilder<(ins "mlir::Value":$value), [{
    build($_builder, $_state, value, mlir::ValueRange());
  }]>];
}

def Te_WhereOp : Te_Op<"where", [ParentOneOf<["ComputeOp", "ReduceOp"]>]> {
  let summary = "restricts a domain";
  let description = [{
    ```mlir
    te.where [%i, %j] by [1, -1] plus T - L
    ```
    The region is run only for indices whose sum is at least 0. Stands in front
    of all other ops of its block; operands are indices of enclosing regions.
    Not pure, so that it is neither moved nor erased.
  }];
  let arguments = (ins Variadic<Index>:$indices,
                       DenseI64ArrayAttr:$coefficients, AnyAttr:$offset);
  let assemblyFormat = "`[` $indices `]` `by` $coefficients `plus` custom<Extent>($offset) attr-dict";
  let hasVerifier = 1;
}

def Te_ReadOp : Te_Op<"read", [Pure]> {
  let summary = "reads one element";
  let description = [{
    Each subscript is an index of an enclosing region, a te.index_constant, a
    te.affine, a te.to_index or a te.bound, and lies inside the tensor. Those of a `guarded`
    read need not: outside, no memory is touched and the value is unspecified
    (the text chooses another one by te.select).
    ```mlir
    %0 = te.read %X[%i, %j] guarded : !te.tensor<[M, N], f32>
    ```
  }];
  let arguments = (ins Te_TensorType:$tensor, Variadic<Index>:$indices,
                       UnitAttr:$guarded);
  let results = (outs Te_Scalar:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Te_IndexConstantOp : Te_Op<"index_constant", [Pure]> {
  let summary = "a constant subscript";
  let arguments = (ins I64Attr:$value);
  let results = (outs Index:$result);
  let assemblyFormat = "$value attr-dict";
}

def Te_AffineOp : Te_Op<"affine", [Pure]> {
  let summary = "a sum over indices, sizes and a number";
  let description = [{
    ```mlir
    %s = te.affine [%h, %r] by [2, 1] plus N - 1
    ```
    Operands are indices of enclosing regions.
  }];
  let arguments = (ins Variadic<Index>:$indices,
                       DenseI64ArrayAttr:$coefficients, AnyAttr:$offset);
  let results = (outs Index:$result);
  let assemblyFormat = "`[` $indices `]` `by` $coefficients `plus` custom<Extent>($offset) attr-dict";
  let hasVerifier = 1;
}

def Te_ToIndexOp : Te_Op<"to_index", [Pure]> {
  let summary = "a computed value as a subscript";
  let description = [{
    `te.to_index %v`: data that chooses an element. Only te.read, te.put and
    te.bound use it.
  }];
  let arguments = (ins I64:$value);
  let results = (outs Index:$result);
  let assemblyFormat = "$value attr-dict";
  let hasVerifier = 1;
}

def Te_BoundOp : Te_Op<"bound", [Pure]> {
  let summary = "an index brought into 0 .. extent-1";
  let description = [{
    `te.bound clamp %s in N`. The extent is at least 1 wherever this is
    evaluated. Only subscripts of te.read and te.put use it.
  }];
  let arguments = (ins EnumAttr<Te_Dialect, Te_BoundRule, "bound_rule", []>:$rule,
                       Index:$value, AnyAttr:$extent);
  let results = (outs Index:$result);
  let assemblyFormat = "$rule $value `in` custom<Extent>($extent) attr-dict";
  let hasVerifier = 1;
}

def Te_SizeOp : Te_Op<"size", [Pure]> {
  let summary = "a size as an index value";
  let arguments = (ins StrAttr:$size);
  let results = (outs Index:$result);
  let assemblyFormat = "$size attr-dict";
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

def Te_ConstantOp : Te_Op<"constant", [Pure,
    AllTypesMatch<["value", "result"]>]> {
  let summary = "a literal, already rounded to its type";
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs Te_Scalar:$result);
  let assemblyFormat = "$value attr-dict";
  let hasVerifier = 1;
}

def Te_ToFloatOp : Te_Op<"to_float", [Pure]> {
  let summary = "an index or integer as a float, rounded once";
  let arguments = (ins AnyTypeOf<[Index, I32, I64]>:$value);
  let results = (outs Te_Float:$result);
  let assemblyFormat = "$value `:` type($value) `to` type($result) attr-dict";
}

def Te_CastOp : Te_Op<"cast", [Pure]> {
  let summary = "a value in another type";
  let description = [{
    To a float: one rounding, nearest with ties to even; to an f8 it saturates.
    Float to integer: truncates and saturates, NaN gives 0. Integer (and index)
    to integer: modulo 2^n. From i1: true is 1. To i1: whether the value is not
    0, so NaN is true.
  }];
  let arguments = (ins AnyTypeOf<[Te_Scalar, Index]>:$value);
  let results = (outs Te_Scalar:$result);
  let assemblyFormat = "$value `:` type($value) `to` type($result) attr-dict";
}

def Te_BitsOp : Te_Op<"bits", [Pure]> {
  let summary = "reinterprets the bits of an f32 or f64 as i32 or i64, or back";
  let arguments = (ins AnyTypeOf<[F32, F64, I32, I64]>:$value);
  let results = (outs AnyTypeOf<[F32, F64, I32, I64]>:$result);
  let assemblyFormat = "$value `:` type($value) `to` type($result) attr-dict";
  let hasVerifier = 1;
}

def Te_UnaryOp : Te_Op<"unary", [Pure, SameOperandsAndResultType]> {
  let summary = "a function of one value";
  let arguments = (ins EnumAttr<Te_Dialect, Te_UnaryKind, "unary_kind", []>:$kind,
                       EnumAttr<Te_Dialect, Te_Accuracy, "accuracy", []>:$accuracy, Te_Number:$value);
  let results = (outs Te_Number:$result);
  let assemblyFormat = "$kind $accuracy $value `:` type($value) attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether the function is one of those with a choice of accuracy.
    bool hasAccuracy() {
      return (getKind() >= UnaryKind::Exp && getKind() <= UnaryKind::Rcp) ||
             isAlwaysPortable();
    }
    /// Those of which no hardware has a unit that holds for every argument.
    bool isAlwaysPortable() { return getKind() >= UnaryKind::Sin; }
  }];
}

def Te_BinaryOp : Te_Op<"binary", [Pure, SameOperandsAndResultType]> {
  let summary = "a function of two values, one rounding";
  let arguments = (ins EnumAttr<Te_Dialect, Te_BinaryKind, "binary_kind", []>:$kind,
                       Te_Number:$lhs, Te_Number:$rhs);
  let results = (outs Te_Number:$result);
  let assemblyFormat = "$kind $lhs `,` $rhs `:` type($lhs) attr-dict";
  let hasVerifier = 1;
}

def Te_FmaOp : Te_Op<"fma", [Pure, SameOperandsAndResultType]> {
  let summary = "a * b + c with one rounding";
  let arguments = (ins Te_Float:$a, Te_Float:$b, Te_Float:$c);
  let results = (outs Te_Float:$result);
  let assemblyFormat = "$a `,` $b `,` $c `:` type($a) attr-dict";
}

def Te_PowOp : Te_Op<"pow", [Pure, SameOperandsAndResultType]> {
  let summary = "a power";
  let description = [{
    `base` to the power `exponent`, with the special values of IEEE 754's pow.
    Spelled out by te-expand-functions.
  }];
  let arguments = (ins Te_Float:$base, Te_Float:$exponent);
  let results = (outs Te_Float:$result);
  let assemblyFormat = "$base `,` $exponent `:` type($result) attr-dict";
}

def Te_OnGridOp : Te_Op<"on_grid", [Pure, SameOperandsAndResultType]> {
  let summary = "the nearest multiple of 2^-digits, ties to even";
  let description = [{
    `te.on_grid %x by 12 : f32`. Exact: a result of zero has the sign of the
    value, infinities and NaN stay. 2^-digits is a number of the type. Spelled
    out by te-expand-functions.
  }];
  let arguments = (ins Te_Float:$value, I64Attr:$digits);
  let results = (outs Te_Float:$result);
  let assemblyFormat = "$value `by` $digits `:` type($result) attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The first and the last number of digits for which 2^-digits is a number
    /// of `type`.
    struct Range { int first, last; };
    static Range rangeOf(mlir::Type type);
  }];
}

def Te_PhiloxOp : Te_Op<"philox", [Pure]> {
  let summary = "one word of Philox-4x32-10";
  let description = [{
    `te.philox 0 of %seed, %counter`: word 0 to 3 of the block of the counter
    (low and high half of `counter`, 0, 0) under the key (low and high half of
    `seed`). Spelled out by te-expand-functions.
  }];
  let arguments = (ins I64Attr:$word, I64:$seed, I64:$counter);
  let results = (outs UI32:$result);
  let assemblyFormat = "$word `of` $seed `,` $counter attr-dict";
  let hasVerifier = 1;
}

def Te_CompareOp : Te_Op<"compare", [Pure, SameTypeOperands]> {
  let summary = "compares two values";
  let arguments = (ins EnumAttr<Te_Dialect, Te_CompareKind, "compare_kind", []>:$kind,
                       AnyTypeOf<[Te_Number, I1, Index]>:$lhs,
                       AnyTypeOf<[Te_Number, I1, Index]>:$rhs);
  let results = (outs I1:$result);
  let assemblyFormat = "$kind $lhs `,` $rhs `:` type($lhs) attr-dict";
}

def Te_LogicOp : Te_Op<"logic", [Pure, SameOperandsAndResultType]> {
  let summary = "and, or";
  let arguments = (ins EnumAttr<Te_Dialect, Te_LogicKind, "logic_kind", []>:$kind, I1:$lhs, I1:$rhs);
  let results = (outs I1:$result);
  let assemblyFormat = "$kind $lhs `,` $rhs attr-dict";
}

def Te_NotOp : Te_Op<"not", [Pure, SameOperandsAndResultType]> {
  let summary = "boolean negation";
  let arguments = (ins I1:$value);
  let results = (outs I1:$result);
  let assemblyFormat = "$value attr-dict";
}

def Te_SelectOp : Te_Op<"select", [Pure,
    AllTypesMatch<["then_value", "else_value", "result"]>]> {
  let summary = "one of two values";
  let arguments = (ins I1:$condition, Te_Scalar:$then_value, Te_Scalar:$else_value);
  let results = (outs Te_Scalar:$result);
  let assemblyFormat = "$condition `,` $then_value `,` $else_value `:` type($result) attr-dict";
}

#endif // GIRIH_DIALECTS_TE_TEOPS_TD
