//===- TileOps.td - the tile dialect: what one block does --*- tablegen -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile.kernel is the program of one thread block. Its values are fragments:
// boxes of elements distributed over threads and registers by a layout. Loops
// and conditions are scf ops over `index` values; index arithmetic is arith.
// Scalar bodies are te scalar ops.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_DIALECTS_TILE_TILEOPS_TD
#define GIRIH_DIALECTS_TILE_TILEOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::girih::tile";
  let summary = "the program of one thread block over distributed fragments";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits>;

def Tile_Float : AnyTypeOf<[F64, F32, F16, BF16]>;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def Tile_FragType : TypeDef<Tile_Dialect, "Frag"> {
  let mnemonic = "frag";
  let summary = "a box of elements held in registers";
  let description = [{
    `!tile.frag<f32, "[4096] r(4@0:1, 4@0:1024) t(256@0:4)">`: the text is a
    layout::Layout, whose shape is the box. Elements are those of the te
    dialect; i1 serves for predicates too.
  }];
  let parameters = (ins "mlir::Type":$elementType, StringRefParameter<"layout">:$layout);
  let assemblyFormat = "`<` $elementType `,` $layout `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The layout that the text stands for.
    girih::layout::Layout parsedLayout() const;
    static FragType get(mlir::Type elementType,
                        const girih::layout::Layout &layout);
  }];
}

def Tile_GlobalType : TypeDef<Tile_Dialect, "Global"> {
  let mnemonic = "global";
  let summary = "a tensor in global memory: a pointer and a stride per dimension";
  let description = [{
    `!tile.global<bf16, 2, 8>`: element type, rank, and `vector`: with vector > 1
    the launch guards have established that the last dimension's stride is 1, every
    other stride is a multiple of `vector` elements and the pointer is aligned to
    `vector` elements. With vector 1 nothing is known and strides may be anything.
  }];
  let parameters = (ins "mlir::Type":$elementType, "unsigned":$rank, "unsigned":$vector);
  let assemblyFormat = "`<` $elementType `,` $rank `,` $vector `>`";
  let genVerifyDecl = 1;
}

def Tile_SharedType : TypeDef<Tile_Dialect, "Shared"> {
  let mnemonic = "shared";
  let summary = "a buffer in shared memory";
  let description = [{
    `!tile.shared<f32, [16, 128], [132, 1]>`: element type, shape, strides in elements.
  }];
  let parameters = (ins "mlir::Type":$elementType, ArrayRefParameter<"int64_t">:$shape,
                        ArrayRefParameter<"int64_t">:$strides);
  let assemblyFormat = "`<` $elementType `,` `[` $shape `]` `,` `[` $strides `]` `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Elements from the first to the last, padding between them included.
    int64_t elements() const;
    int64_t bytes() const;
  }];
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def Tile_Combine : I32Enum<"Combine", "how values are combined", [
    I32EnumCase<"Sum", 0, "sum">, I32EnumCase<"Prod", 1, "prod">,
    I32EnumCase<"Max", 2, "max">, I32EnumCase<"Min", 3, "min">]> {
  let cppNamespace = "::girih::tile";
}
def Tile_Leaf : I32Enum<"Leaf", "the operation at a chain's leaf", [
    I32EnumCase<"Plain", 0, "plain">, I32EnumCase<"MulAdd", 1, "muladd">,
    I32EnumCase<"Fma", 2, "fma">]> {
  let cppNamespace = "::girih::tile";
}
def Tile_MergeOrder : I32Enum<"MergeOrder", "the order of a merge", [
    I32EnumCase<"Halving", 0, "halving">, I32EnumCase<"Pairwise", 1, "pairwise">]> {
  let description = [{
    halving: for h = n/2, n/4 .. 1: cell l := cell l (+) cell l+h (n a power of two).
    pairwise: neighbours (0,1) (2,3) ... until one is left, an odd last one passes up.
  }];
  let cppNamespace = "::girih::tile";
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

def Tile_KernelOp : Tile_Op<"kernel", [IsolatedFromAbove, Symbol, SingleBlock,
    NoTerminator]> {
  let summary = "one kernel: what one block does";
  let description = [{
    ```mlir
    tile.kernel @swiglu_0 threads 256 (%G "G": !tile.global<bf16, 2, 8>, ...,
                                       %M "M": index, %N "N": index) {
      %b = tile.block_id
      ...
    }
    ```
    Kernel ABI: for each tensor argument in order a pointer and then its strides
    (i64 each, in elements); then each index argument as i64.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I32Attr:$threads, StrArrayAttr:$arg_names);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    mlir::Block &getBlock() { return getBody().front(); }
  }];
}

def Tile_BlockIdOp : Tile_Op<"block_id", [Pure]> {
  let summary = "the block's number in the one-dimensional grid";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def Tile_YieldOp : Tile_Op<"yield", [Terminator, Pure, HasParent<"MapOp">]> {
  let summary = "the value of a map's body";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value `:` type($value) attr-dict";
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//
//
// Affine access of a box. With p the coordinates in the box (rank r), subscript s
// is bases[s] + sum over d of coefficients[s * r + d] * p_d, and an element takes
// part iff every valid constraint c holds:
//   valid_bases[c] + sum over d of valid_coefficients[c * r + d] * p_d >= 0.
// Elements that take no part are neither read nor written; a load gives an
// unspecified (but not undefined) value for them.
// `vector` > 1 promises that validity is the same for all elements of an
// aligned group of `vector` along the box's fastest register digit, and that
// the group is contiguous and aligned in memory.

def Tile_LoadOp : Tile_Op<"load", [AttrSizedOperandSegments]> {
  let summary = "reads a box of a global tensor into registers";
  let arguments = (ins Tile_GlobalType:$tensor, Variadic<Index>:$bases,
                       DenseI64ArrayAttr:$coefficients,
                       Variadic<Index>:$valid_bases,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$valid_coefficients,
                       DefaultValuedAttr<I32Attr, "1">:$vector);
  let results = (outs Tile_FragType:$result);
  let assemblyFormat = [{
    $tensor `[` $bases `]` `by` $coefficients (`valid` `[` $valid_bases^ `]` `by` $valid_coefficients)? attr-dict `:` type($tensor) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_BoundRule : I32Enum<"BoundRule", "how a subscript is brought inside", [
    I32EnumCase<"None", 0, "none">, I32EnumCase<"Clamp", 1, "clamp">,
    I32EnumCase<"Reflect", 2, "reflect">, I32EnumCase<"Wrap", 3, "wrap">,
    I32EnumCase<"Skip", 4, "skip">]> {
  let description = "skip: an element whose subscript lies outside takes no part.";
  let cppNamespace = "::girih::tile";
}

def Tile_LoadBoundOp : Tile_Op<"load_bound", [AttrSizedOperandSegments]> {
  let summary = "reads a box whose subscripts are brought inside by rules";
  let description = [{
    As tile.load, one element at a time; then subscript s is brought into
    0 .. extents[s]-1 by rules[s] (BoundRule; 0 for none, where the extent is
    not used). An extent is at least 1 where an element takes part. Before that,
    the elements of gathered[g], fragments of i64 of the result's layout, are
    added to subscript gathered_dims[g].
  }];
  let arguments = (ins Tile_GlobalType:$tensor, Variadic<Index>:$bases,
                       DenseI64ArrayAttr:$coefficients,
                       DenseI32ArrayAttr:$rules, Variadic<Index>:$extents,
                       Variadic<Tile_FragType>:$gathered,
                       DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$gathered_dims,
                       Variadic<Index>:$valid_bases,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$valid_coefficients);
  let results = (outs Tile_FragType:$result);
  let assemblyFormat = [{
    $tensor `[` $bases `]` `by` $coefficients `rules` $rules `in` `[` $extents `]` (`plus` `(` $gathered^ `:` type($gathered) `)` `to` $gathered_dims)? (`valid` `[` $valid_bases^ `]` `by` $valid_coefficients)? attr-dict `:` type($tensor) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_ScatterKind : I32Enum<"ScatterKind", "what a scattered value does", [
    I32EnumCase<"Set", 0, "set">, I32EnumCase<"Add", 1, "add">,
    I32EnumCase<"Max", 2, "max">, I32EnumCase<"Min", 3, "min">]> {
  let cppNamespace = "::girih::tile";
}

def Tile_ScatterOp : Tile_Op<"scatter", [AttrSizedOperandSegments]> {
  let summary = "puts a fragment's elements at computed places of a tensor";
  let description = [{
    Subscripts as in tile.load_bound. Each thread handles the elements that it
    holds (one copy of each), one after the other in lexicographic order of
    their coordinates. add, max and min combine with what stands there; `atomic`
    does so safely beside other threads, for integers of 32 and 64 bits.
  }];
  let arguments = (ins EnumAttr<Tile_Dialect, Tile_ScatterKind, "scatter_kind", []>:$kind,
                       Tile_FragType:$value, Tile_GlobalType:$tensor,
                       Variadic<Index>:$bases,
                       DenseI64ArrayAttr:$coefficients,
                       DenseI32ArrayAttr:$rules, Variadic<Index>:$extents,
                       Variadic<Tile_FragType>:$gathered,
                       DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$gathered_dims,
                       Variadic<Index>:$valid_bases,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$valid_coefficients,
                       UnitAttr:$atomic);
  let assemblyFormat = [{
    $kind (`atomic` $atomic^)? $value `,` $tensor `[` $bases `]` `by` $coefficients `rules` $rules `in` `[` $extents `]` (`plus` `(` $gathered^ `:` type($gathered) `)` `to` $gathered_dims)? (`valid` `[` $valid_bases^ `]` `by` $valid_coefficients)? attr-dict `:` type($value) `,` type($tensor)
  }];
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store", [AttrSizedOperandSegments]> {
  let summary = "writes a fragment to a box of a global tensor";
  let description = "Of an element held in several threads or registers one copy writes.";
  let arguments = (ins Tile_FragType:$value, Tile_GlobalType:$tensor, Variadic<Index>:$bases,
                       DenseI64ArrayAttr:$coefficients,
                       Variadic<Index>:$valid_bases,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$valid_coefficients,
                       DefaultValuedAttr<I32Attr, "1">:$vector);
  let assemblyFormat = [{
    $value `,` $tensor `[` $bases `]` `by` $coefficients (`valid` `[` $valid_bases^ `]` `by` $valid_coefficients)? attr-dict `:` type($value) `,` type($tensor)
  }];
  let hasVerifier = 1;
}

def Tile_AllocSharedOp : Tile_Op<"alloc_shared"> {
  let summary = "a shared buffer that lives for the whole kernel";
  let arguments = (ins StrAttr:$name);
  let results = (outs Tile_SharedType:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
}

def Tile_StoreSharedOp : Tile_Op<"store_shared"> {
  let summary = "writes a fragment to the shared buffer of the same box";
  let arguments = (ins Tile_FragType:$value, Tile_SharedType:$buffer);
  let assemblyFormat = "$value `,` $buffer attr-dict `:` type($value) `,` type($buffer)";
  let hasVerifier = 1;
}

def Tile_LoadSharedOp : Tile_Op<"load_shared"> {
  let summary = "reads a whole shared buffer into registers";
  let arguments = (ins Tile_SharedType:$buffer);
  let results = (outs Tile_FragType:$result);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ViewSharedOp : Tile_Op<"view_shared", [Pure]> {
  let summary = "a shared buffer seen with another shape and other strides";
  let description = [{
    Both start at the same address. Every element of the view lies inside the
    buffer.
  }];
  let arguments = (ins Tile_SharedType:$buffer);
  let results = (outs Tile_SharedType:$result);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_BarrierOp : Tile_Op<"barrier"> {
  let summary = "all threads of the block meet; shared and global writes before it are seen after it";
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Computation
//===----------------------------------------------------------------------===//

def Tile_FillOp : Tile_Op<"fill", [Pure]> {
  let summary = "a fragment with one value everywhere";
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs Tile_FragType:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_MapOp : Tile_Op<"map", [SingleBlock, NoTerminator, AttrSizedOperandSegments,
    Pure]> {
  let summary = "applies a scalar body to every element";
  let description = [{
    Region arguments: one scalar per input fragment (all of the result's layout),
    then one index per affine index expression (index_bases, index_coefficients,
    as for accesses).
    ```mlir
    %y = tile.map(%x) : (!tile.frag<...>) -> !tile.frag<...> {
    ^bb0(%a: f32): ... tile.yield %b : f32 }
    ```
  }];
  let arguments = (ins Variadic<Tile_FragType>:$inputs, Variadic<Index>:$index_bases,
                       DenseI64ArrayAttr:$index_coefficients);
  let results = (outs Tile_FragType:$result);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    mlir::Block &getBlock() { return getBody().front(); }
  }];
}

def Tile_ReduceOp : Tile_Op<"reduce", [AttrSizedOperandSegments, Pure]> {
  let summary = "adds a box's elements into accumulators, in order, per thread";
  let description = [{
    The box's axes [kept, rank) are reduced, in lexicographic order of their
    coordinates, axes [0, kept) name the accumulator. Those axes must lie in
    registers. One value (leaf plain), or two (muladd, fma): the factors.
    Elements that are not valid leave the accumulator unchanged.
  }];
  let arguments = (ins EnumAttr<Tile_Dialect, Tile_Combine, "combine", []>:$kind,
                       EnumAttr<Tile_Dialect, Tile_Leaf, "leaf", []>:$leaf,
                       I32Attr:$kept,
                       Variadic<Tile_FragType>:$values, Tile_FragType:$accumulator,
                       Variadic<Index>:$valid_bases,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$valid_coefficients);
  let results = (outs Tile_FragType:$result);
  let assemblyFormat = [{
    $kind $leaf `keeping` $kept `(` $values `)` `into` $accumulator (`valid` `[` $valid_bases^ `]` `by` $valid_coefficients)? attr-dict `:` custom<ReduceTypes>(type($values), type($accumulator), type($result))
  }];
  let hasVerifier = 1;
}

def Tile_MergeOp : Tile_Op<"merge"> {
  let summary = "combines the cells along the last axis into one value";
  let description = [{
    The result's layout is the input's with its last axis sliced away; every
    thread that copies a value holds it. Communicates between threads: the op is
    convergent and contains its own barriers.
  }];
  let arguments = (ins EnumAttr<Tile_Dialect, Tile_Combine, "combine", []>:$kind,
                       EnumAttr<Tile_Dialect, Tile_MergeOrder, "merge_order", []>:$order,
                       Tile_FragType:$cells);
  let results = (outs Tile_FragType:$result);
  let assemblyFormat = "$kind $order $cells attr-dict `:` type($cells) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ContractOp : Tile_Op<"contract", [
    AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "accumulator[i, j] += a[k, i] * b[k, j] for ascending k";
  let description = [{
    a is a shared buffer [k, i], b a shared buffer [k, j]; the accumulator a
    fragment [i, j]. Each element's chain is ascending in k, by fma or by a
    rounded product and an addition. Elements of a buffer's element type are
    converted exactly to the accumulator's type.
  }];
  let arguments = (ins EnumAttr<Tile_Dialect, Tile_Leaf, "leaf", []>:$leaf,
                       Tile_SharedType:$a, Tile_SharedType:$b, Tile_FragType:$accumulator);
  let results = (outs Tile_FragType:$result);
  let assemblyFormat = "$leaf $a `,` $b `into` $accumulator attr-dict `:` type($a) `,` type($b) `,` type($accumulator) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ConvertOp : Tile_Op<"convert"> {
  let summary = "the same elements in another layout, possibly repeated along new axes";
  let description = [{
    Result element p is source element (p[dims[0]], p[dims[1]], ...); where
    dims[s] is -1, source dimension s has one coordinate and is left out. Stays in
    registers where every thread already holds what it needs; otherwise goes
    through shared memory and is convergent.
  }];
  let arguments = (ins Tile_FragType:$value, DenseI64ArrayAttr:$dims);
  let results = (outs Tile_FragType:$result);
  let assemblyFormat = "$value `dims` $dims attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_RegroupOp : Tile_Op<"regroup", [Pure]> {
  let summary = "the same registers of the same threads, with other axes";
  let description = [{
    Both boxes are seen at places that are linear in their coordinates: `at` has a
    row of coefficients for each place of the source's element, `as` one for the
    result's. Result element y is source element x at the same places. Nothing
    moves, so registers and threads have to walk over the same places. A row of
    4096 elements seen as 512 cells of 8: `at [0, 1] as [0, 8, 0, 1]`.

    `fresh`: what is computed from the result is not what was computed from the
    source, though it is the same. Narrow elements then stay packed in words from
    one use to the next, and nothing wider lives as long.
  }];
  let arguments = (ins Tile_FragType:$value, DenseI64ArrayAttr:$at, DenseI64ArrayAttr:$as,
                       UnitAttr:$fresh);
  let results = (outs Tile_FragType:$result);
  let assemblyFormat = "(`fresh` $fresh^)? $value `at` $at `as` $as attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

#endif // GIRIH_DIALECTS_TILE_TILEOPS_TD
