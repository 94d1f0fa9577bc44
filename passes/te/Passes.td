//===- Passes.td - passes over the te dialect --------------*- tablegen -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_PASSES_TE_PASSES_TD
#define GIRIH_PASSES_TE_PASSES_TD

include "mlir/Pass/PassBase.td"

def HoistReductions : Pass<"te-hoist-reductions", "::girih::te::FuncOp"> {
  let summary = "give every reduction a tensor of its own";
  let description = [{
    Every te.reduce that is not all its te.compute does moves into a te.compute
    that yields just the reduction. The new tensor's indices are those of the
    enclosing regions that the reduction uses, so nothing is computed twice.
    Scalar operations outside the reduction that its body needs are cloned into
    it. The tensor is named after the one it was written in: `Y_sum`.

    ```mlir
    %Y = te.compute "Y" ["i", "j"] : !te.tensor<[M, N], f32> {
    ^bb0(%i: index, %j: index):
      %s = te.reduce sum ["k"] in [N] order "fixed" leaf plain : f32 {
      ^bb0(%k: index):
        %x = te.read %X[%i, %k] : !te.tensor<[M, N], f32>
        te.yield %x : f32
      }
      %x = te.read %X[%i, %j] : !te.tensor<[M, N], f32>
      %d = te.binary div %x, %s : f32
      te.yield %d : f32
    }
    ```
    becomes
    ```mlir
    %Y_sum = te.compute "Y_sum" ["i"] : !te.tensor<[M], f32> {
    ^bb0(%i: index):
      %s = te.reduce sum ["k"] in [N] order "fixed" leaf plain : f32 {
      ^bb0(%k: index):
        %x = te.read %X[%i, %k] : !te.tensor<[M, N], f32>
        te.yield %x : f32
      }
      te.yield %s : f32
    }
    %Y = te.compute "Y" ["i", "j"] : !te.tensor<[M, N], f32> {
    ^bb0(%i: index, %j: index):
      %s = te.read %Y_sum[%i] : !te.tensor<[M], f32>
      %x = te.read %X[%i, %j] : !te.tensor<[M, N], f32>
      %d = te.binary div %x, %s : f32
      te.yield %d : f32
    }
    ```
  }];
}

def CanonicalizeTe : Pass<"te-canonicalize", "::girih::te::FuncOp"> {
  let summary = "remove what is dead, merge what is equal";
  let description = [{
    Tensors that reach no output are removed, tensors defined by the same region
    over the same domain are merged (outputs stay), equal scalar operations in a
    region are merged, te.select on a constant and te.unary neg of a constant
    are folded. Nothing that could change a rounding is done: x + 0 (loses
    -0.0), x * 1, x - x and arithmetic on constants are left as written.

    ```mlir
    %0 = te.read %X[%i] : !te.tensor<[N], f32>
    %1 = te.read %X[%i] : !te.tensor<[N], f32>
    %2 = te.binary mul %0, %1 : f32
    ```
    becomes
    ```mlir
    %0 = te.read %X[%i] : !te.tensor<[N], f32>
    %1 = te.binary mul %0, %0 : f32
    ```
  }];
}

def InlineProducers : Pass<"te-inline-producers", "::girih::te::FuncOp"> {
  let summary = "compute elements where their only reader reads them";
  let description = [{
    A tensor that is not an output, holds no reduction and has one te.read in
    the whole function is computed in place of that read when nothing is
    computed twice: the read's subscripts must be all the indices around it,
    each once. Casts are operations, so roundings stay where they are written.
    Runs after te-assoc: an inlined product must not turn a plain sum into a sum
    of products, nor a term depend on whether a temporary is kept.

    ```mlir
    %C = te.compute "C" ["i", "j"] : !te.tensor<[M, N], bf16> {
    ^bb0(%i: index, %j: index):
      %0 = te.read %C_sum[%i, %j] : !te.tensor<[M, N], f32>
      %1 = te.cast %0 : f32 to bf16
      te.yield %1 : bf16
    }
    %Y = te.compute "Y" ["i", "j"] : !te.tensor<[M, N], f32> {
    ^bb0(%i: index, %j: index):
      %0 = te.read %C[%i, %j] : !te.tensor<[M, N], bf16>
      %1 = te.cast %0 : bf16 to f32
      te.yield %1 : f32
    }
    ```
    becomes
    ```mlir
    %Y = te.compute "Y" ["i", "j"] : !te.tensor<[M, N], f32> {
    ^bb0(%i: index, %j: index):
      %0 = te.read %C_sum[%i, %j] : !te.tensor<[M, N], f32>
      %1 = te.cast %0 : f32 to bf16
      %2 = te.cast %1 : bf16 to f32
      te.yield %2 : f32
    }
    ```
    Tensors of `keep` stay.

    With `rows` a temporary whose rows several reductions and maps go over is
    computed in place of each of its reads too, where it is made from fewer bytes
    than it has and a row is not known to fit a block's registers: then reading
    it again would cost more than computing it again.
  }];
  let options = [ListOption<"keep", "keep", "std::string",
                            "tensors that are not computed elsewhere">,
                 Option<"rows", "rows", "bool", /*default=*/"false",
                        "compute elements of long rows for each reader">];
}

def ExpandFunctions : Pass<"te-expand-functions", "::girih::te::FuncOp"> {
  let summary = "settle accuracies, spell out the portable functions";
  let description = [{
    An accuracy that is not set becomes the function's (`fast` if that is not
    set either). te.unary ops with a portable accuracy become correctly rounded
    te ops and integer arithmetic (PortableFunctions.h: sequences and error
    bounds). f16 and bf16 are computed in f32 and cast. `fast` ones are left to
    the back ends.

    ```mlir
    %0 = te.unary rcp portable %x : f32
    %1 = te.unary exp unset %x : f32
    ```
    becomes
    ```mlir
    %c = te.constant 1.0 : f32
    %0 = te.binary div %c, %x : f32
    %1 = te.unary exp fast %x : f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def Associate : Pass<"te-assoc", "::girih::te::FuncOp"> {
  let summary = "give every reduction its association term and leaf";
  let description = [{
    What the text asked for (`order`) becomes a term; "fixed" takes the default
    of DefaultTerm.h. A fixed reduction over several indices that is not a
    contraction is first split into reductions over one index each, the last
    index innermost, each with a tensor of its own. A reduction that has a term
    keeps it. Reductions are hoisted first.

    ```mlir
    %s = te.reduce sum ["k"] in [N] order "fixed" leaf plain : f32 {
    ^bb0(%k: index):
      %x = te.read %X[%i, %k] : !te.tensor<[M, N], f32>
      te.yield %x : f32
    }
    ```
    becomes
    ```mlir
    %s = te.reduce sum ["k"] in [N] order "fixed" term <"lanes(4096, 4)">
      leaf plain : f32 {
    ```
  }];
}

#endif // GIRIH_PASSES_TE_PASSES_TD
