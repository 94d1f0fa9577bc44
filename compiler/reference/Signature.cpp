//===- Signature.cpp - the signature of a te.func -------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/Signature.h"

#include "dialects/te/TeFacts.h"

using namespace girih;
using artifact::SizeExpr;

artifact::ScalarType reference::scalarTypeOf(mlir::Type type) {
  if (auto tensor = mlir::dyn_cast<te::TeTensorType>(type))
    type = tensor.getElementType();
  using artifact::ScalarType;
  if (type.isF64())
    return ScalarType::F64;
  if (type.isF32())
    return ScalarType::F32;
  if (type.isF16())
    return ScalarType::F16;
  if (type.isBF16())
    return ScalarType::BF16;
  if (mlir::isa<mlir::Float8E4M3FNType>(type))
    return ScalarType::F8E4M3FN;
  if (mlir::isa<mlir::Float8E5M2Type>(type))
    return ScalarType::F8E5M2;
  if (type.isIndex())
    return ScalarType::I64;
  bool isUnsigned = type.isUnsignedInteger();
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return ScalarType::Bool;
  case 8:
    return isUnsigned ? ScalarType::U8 : ScalarType::I8;
  case 16:
    return isUnsigned ? ScalarType::U16 : ScalarType::I16;
  case 32:
    return isUnsigned ? ScalarType::U32 : ScalarType::I32;
  default:
    return isUnsigned ? ScalarType::U64 : ScalarType::I64;
  }
}

SizeExpr reference::extentOf(te::FuncOp func, mlir::Attribute extent) {
  te::LinearExtent sum = te::linearOf(extent);
  if (sum.terms.empty())
    return SizeExpr::constant(sum.constant);
  std::optional<SizeExpr> result;
  auto add = [&](SizeExpr term) {
    result = result ? SizeExpr::binary(SizeExpr::Kind::Add, std::move(*result),
                                       std::move(term))
                    : std::move(term);
  };
  for (auto [name, factor] : sum.terms) {
    int size = func.findSize(name.getValue());
    assert(size >= 0 && "the verifier refuses undeclared sizes");
    SizeExpr term = SizeExpr::sizeRef(size);
    if (factor != 1)
      term = SizeExpr::binary(SizeExpr::Kind::Mul, SizeExpr::constant(factor),
                              std::move(term));
    add(std::move(term));
  }
  if (sum.constant != 0)
    add(SizeExpr::constant(sum.constant));
  return *result;
}

static artifact::TensorParam paramOf(te::FuncOp func, mlir::Attribute name,
                                     mlir::Type type, bool isOutput) {
  artifact::TensorParam param;
  param.name = mlir::cast<mlir::StringAttr>(name).getValue().str();
  param.type = reference::scalarTypeOf(type);
  for (mlir::Attribute extent : mlir::cast<te::TeTensorType>(type).getShape())
    param.shape.push_back(reference::extentOf(func, extent));
  param.isOutput = isOutput;
  if (te::FactsAttr facts = func.factsOf(param.name)) {
    param.groups.assign(facts.getGroups().begin(), facts.getGroups().end());
    param.leading = facts.getLeading();
    param.layout.assign(facts.getLayout().begin(), facts.getLayout().end());
    param.align = facts.getAlign();
    param.finite = facts.getFinite() && !isOutput;
  }
  return param;
}

static artifact::SizeConstraint::Kind kindOf(te::ConstraintKind kind) {
  switch (kind) {
  case te::ConstraintKind::Divisible:
    return artifact::SizeConstraint::Kind::Divisible;
  case te::ConstraintKind::AtMost:
    return artifact::SizeConstraint::Kind::AtMost;
  case te::ConstraintKind::AtLeast:
    return artifact::SizeConstraint::Kind::AtLeast;
  case te::ConstraintKind::Equal:
    return artifact::SizeConstraint::Kind::Equal;
  }
  llvm_unreachable("unknown constraint");
}

artifact::Signature reference::signatureOf(te::FuncOp func) {
  artifact::Signature signature;
  signature.op = func.getSymName().str();
  for (mlir::Attribute size : func.getSizes())
    signature.sizes.push_back(
        mlir::cast<mlir::StringAttr>(size).getValue().str());
  signature.given.assign(func.getGiven().begin(), func.getGiven().end());
  for (auto [argument, name, range] :
       llvm::zip(func.getBlock().getArguments(), func.getArgNames(),
                 func.getArgRanges())) {
    artifact::TensorParam param =
        paramOf(func, name, argument.getType(), /*isOutput=*/false);
    if (auto promise = mlir::dyn_cast<mlir::ArrayAttr>(range))
      for (mlir::Attribute end : promise)
        param.range.push_back(extentOf(func, end));
    signature.params.push_back(std::move(param));
  }
  for (auto [number, type] : llvm::enumerate(func.getResultTypes())) {
    signature.params.push_back(
        paramOf(func, func.getResultNames()[number],
                mlir::cast<mlir::TypeAttr>(type).getValue(),
                /*isOutput=*/true));
    // Arguments come first, so that their numbers are the parameters'.
    artifact::TensorParam &param = signature.params.back();
    param.inPlace = static_cast<int>(func.inPlaceOf(number));
    param.apart = te::isApart(func, param.name);
  }
  unsigned inputs = func.getArgNames().size();
  for (mlir::Attribute attribute : func.getChecks()) {
    auto entry = mlir::cast<mlir::DictionaryAttr>(attribute);
    auto number = [&](llvm::StringRef key) {
      return inputs + unsigned(entry.getAs<mlir::IntegerAttr>(key).getInt());
    };
    auto text = [&](llvm::StringRef key) {
      return entry.getAs<mlir::StringAttr>(key).getValue().str();
    };
    artifact::CheckWord word;
    word.where = number("where");
    word.value = number("value");
    word.tensor = text("tensor");
    word.subscript = text("subscript");
    for (mlir::Attribute name : entry.getAs<mlir::ArrayAttr>("names"))
      word.names.push_back(mlir::cast<mlir::StringAttr>(name).str());
    for (mlir::Attribute start : entry.getAs<mlir::ArrayAttr>("starts"))
      word.starts.push_back(extentOf(func, start));
    for (mlir::Attribute extent : entry.getAs<mlir::ArrayAttr>("extents"))
      word.extents.push_back(extentOf(func, extent));
    word.end = extentOf(func, entry.get("end"));
    using Kind = artifact::CheckWord::Kind;
    if (auto kind = entry.getAs<mlir::StringAttr>("kind")) {
      word.kind = kind == "spread" ? Kind::Spread : Kind::Magnitude;
      word.low = entry.getAs<mlir::IntegerAttr>("low").getInt();
    }
    signature.checks.push_back(std::move(word));
  }
  for (mlir::Attribute attribute : func.getConstraints()) {
    auto constraint = mlir::cast<te::SizeConstraintAttr>(attribute);
    signature.constraints.push_back(
        {static_cast<unsigned>(func.findSize(constraint.getSize().getValue())),
         kindOf(constraint.getKind()), constraint.getValue()});
  }
  if (func.getDerived())
    for (mlir::Attribute attribute : func.getDerivedAttr()) {
      auto derived = mlir::cast<te::DerivedSizeAttr>(attribute);
      signature.derived.push_back(
          {static_cast<unsigned>(func.findSize(derived.getSize().getValue())),
           extentOf(func, derived.getNumerator()), derived.getDivisor()});
    }
  return signature;
}
