//===- StageTypes.cpp - stages in another type ----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/StageTypes.h"

#include "compiler/arith/Formats.h"
#include "compiler/reference/Signature.h"

#include <cmath>
#include <fmt/format.h>
#include <functional>

using namespace girih;
using namespace girih::pipeline;
using artifact::ScalarType;

namespace {

/// A float format: bits of the significand with the hidden one, and the
/// exponents of its normal values.
struct FloatFormat {
  int precision, least, most;
};

FloatFormat formatOf(ScalarType type) {
  switch (type) {
  case ScalarType::F64:
    return {53, -1022, 1023};
  case ScalarType::F32:
    return {24, -126, 127};
  case ScalarType::F16:
    return {11, -14, 15};
  case ScalarType::BF16:
    return {8, -126, 127};
  case ScalarType::F8E4M3FN:
    return {4, -6, 8};
  default: // F8E5M2
    return {3, -14, 15};
  }
}

/// Bits of the largest magnitude of an integer's or bool's values; -2^n counts
/// as n bits, since a power of two has one.
int magnitudeBits(ScalarType type) {
  if (type == ScalarType::Bool)
    return 1;
  return int(artifact::bytesOf(type)) * 8 - (isUnsigned(type) ? 0 : 1);
}

/// Whether every value of `from` is one of `to`.
bool holdsAll(ScalarType from, ScalarType to) {
  if (from == to)
    return true;
  if (isFloat(from) != isFloat(to)) {
    FloatFormat format = formatOf(to);
    return isFloat(to) && magnitudeBits(from) <= format.precision &&
           magnitudeBits(from) <= format.most;
  }
  if (!isFloat(from))
    return to != ScalarType::Bool &&
           (from == ScalarType::Bool ||
            (magnitudeBits(from) <= magnitudeBits(to) &&
             (isUnsigned(from) || !isUnsigned(to))));
  FloatFormat a = formatOf(from), b = formatOf(to);
  return a.precision <= b.precision && a.most <= b.most &&
         a.least - a.precision >= b.least - b.precision;
}

/// `value`, exact in double, rounded to a float type.
double roundedTo(ScalarType type, double value) {
  switch (type) {
  case ScalarType::F32:
    return float(value);
  case ScalarType::F16:
    return arith::fromF16(arith::toF16(value));
  case ScalarType::BF16:
    return arith::fromBf16(arith::toBf16(value));
  case ScalarType::F8E4M3FN:
    return arith::fromF8E4M3(arith::toF8E4M3(value));
  case ScalarType::F8E5M2:
    return arith::fromF8E5M2(arith::toF8E5M2(value));
  default:
    return value;
  }
}

std::string bitsOf(ScalarType type, double value) {
  switch (type) {
  case ScalarType::F64:
    return fmt::format("0x{:016x}", arith::bitsOf(value));
  case ScalarType::F32:
    return fmt::format("0x{:08x}", arith::bitsOf(float(value)));
  case ScalarType::F16:
    return fmt::format("0x{:04x}", arith::toF16(value));
  case ScalarType::BF16:
    return fmt::format("0x{:04x}", arith::toBf16(value));
  case ScalarType::F8E4M3FN:
    return fmt::format("0x{:02x}", arith::toF8E4M3(value));
  default:
    return fmt::format("0x{:02x}", arith::toF8E5M2(value));
  }
}

/// The whole value where that is short, else the shortest text that tells it
/// from its neighbours.
std::string valueText(ScalarType type, double value) {
  constexpr size_t kShort = 16;
  std::string whole = fmt::format("{}", value);
  return type == ScalarType::F64 || whole.size() <= kShort
             ? whole
             : fmt::format("{}", float(value));
}

/// "1.00390625 (f32 0x3f808000)".
std::string shown(ScalarType type, double value) {
  return fmt::format("{} ({} {})", valueText(type, value), nameOf(type),
                     bitsOf(type, value));
}

/// A value of `from` that is none of `to`, and what it would become; `to` does
/// not hold all.
std::string changedValue(ScalarType from, ScalarType to) {
  if (isFloat(from) && isFloat(to)) {
    FloatFormat a = formatOf(from), b = formatOf(to);
    // Half way between 1 and the next value; else too large; else too small.
    double value = a.precision > b.precision ? 1 + std::ldexp(1, -b.precision)
                   : a.most > b.most         ? std::ldexp(1, b.most + 1)
                                     : std::ldexp(1, a.least - a.precision + 1);
    return fmt::format("{} would become {}", shown(from, value),
                       shown(to, roundedTo(to, value)));
  }
  if (isFloat(from))
    return fmt::format("{} is no value of {}", shown(from, 0.5), nameOf(to));
  if (isFloat(to)) {
    // The first integer that the significand or the range has no room for.
    FloatFormat format = formatOf(to);
    double value = magnitudeBits(from) > format.precision
                       ? std::ldexp(1, format.precision) + 1
                       : std::ldexp(1, format.most + 1);
    return fmt::format("{} would become {}", int64_t(value),
                       shown(to, roundedTo(to, value)));
  }
  if (to == ScalarType::Bool)
    return fmt::format("2 is no value of {}", nameOf(to));
  if (magnitudeBits(from) > magnitudeBits(to))
    return fmt::format("{} is no value of {}", uint64_t(1) << magnitudeBits(to),
                       nameOf(to));
  return fmt::format("-1 is no value of {}", nameOf(to));
}

/// The value of a scalar expression of floats in which each read of `tensor` is
/// `value`; nothing where it depends on anything else.
std::optional<double> evaluate(mlir::Value what, mlir::Value tensor,
                               double value) {
  mlir::Operation *op = what.getDefiningOp();
  if (!op || !mlir::isa<mlir::FloatType>(what.getType()))
    return std::nullopt;
  ScalarType type = reference::scalarTypeOf(what.getType());
  if (auto read = mlir::dyn_cast<te::ReadOp>(op)) {
    if (read.getTensor() != tensor)
      return std::nullopt;
    return value;
  }
  std::vector<double> in;
  for (mlir::Value operand : op->getOperands()) {
    std::optional<double> one = evaluate(operand, tensor, value);
    if (!one)
      return std::nullopt;
    in.push_back(*one);
  }
  auto rounded = [&](double exact) -> std::optional<double> {
    return roundedTo(type, exact);
  };
  if (auto constant = mlir::dyn_cast<te::ConstantOp>(op)) {
    auto attr = mlir::dyn_cast<mlir::FloatAttr>(constant.getValue());
    if (!attr)
      return std::nullopt;
    llvm::APFloat number = attr.getValue();
    bool loses = false;
    number.convert(llvm::APFloat::IEEEdouble(),
                   llvm::APFloat::rmNearestTiesToEven, &loses);
    return number.convertToDouble();
  }
  if (mlir::isa<te::CastOp>(op))
    return rounded(in[0]);
  if (auto unary = mlir::dyn_cast<te::UnaryOp>(op))
    switch (unary.getKind()) {
    case te::UnaryKind::Neg:
      return -in[0];
    case te::UnaryKind::Abs:
      return std::fabs(in[0]);
    case te::UnaryKind::Sqrt:
      return rounded(std::sqrt(in[0]));
    case te::UnaryKind::Exp:
      return rounded(std::exp(in[0]));
    case te::UnaryKind::Exp2:
      return rounded(std::exp2(in[0]));
    case te::UnaryKind::Tanh:
      return rounded(std::tanh(in[0]));
    case te::UnaryKind::Erf:
      return rounded(std::erf(in[0]));
    default:
      return std::nullopt;
    }
  if (auto binary = mlir::dyn_cast<te::BinaryOp>(op))
    switch (binary.getKind()) {
    case te::BinaryKind::Add:
      return rounded(in[0] + in[1]);
    case te::BinaryKind::Sub:
      return rounded(in[0] - in[1]);
    case te::BinaryKind::Mul:
      return rounded(in[0] * in[1]);
    case te::BinaryKind::Div:
      return rounded(in[0] / in[1]);
    case te::BinaryKind::Max:
      return arith::maximum(in[0], in[1]);
    case te::BinaryKind::Min:
      return arith::minimum(in[0], in[1]);
    default:
      return std::nullopt;
    }
  return std::nullopt;
}

class StageTypes {
public:
  StageTypes(CompileState &state, const frontend::Directive &directive)
      : state(state), directive(directive), scop(state.scop->scop),
        map(state.scop->map),
        wanted(*artifact::parseScalarType(directive.type.text)) {}

  bool run() {
    for (const frontend::Name &name : directive.tensors) {
      unsigned array = scop.findArray(name.text);
      if (array < scop.arrays.size() && !check(array))
        return false;
    }
    return true;
  }

private:
  Diagnostic &fail(const char *code, const std::string &message) {
    Diagnostic &error = state.diags.error(code, message, directive.type.range);
    schedule::sayOrigin(error, schedule::originOf(directive));
    return error;
  }

  /// The cast that ends the definition of an array; null: none that rounds.
  te::CastOp roundingOf(unsigned array, unsigned &statement) const {
    for (statement = 0; statement < scop.statements.size(); ++statement) {
      if (scop.statements[statement].kind != poly::StatementKind::Map ||
          scop.statements[statement].write().array != array)
        continue;
      te::ComputeOp compute = map.statements[statement].compute;
      auto yield = mlir::cast<te::YieldOp>(compute.getBlock().getTerminator());
      auto cast = yield.getValue().getDefiningOp<te::CastOp>();
      if (!cast || mlir::isa<mlir::IndexType>(cast.getValue().getType()))
        return {};
      ScalarType from = reference::scalarTypeOf(cast.getValue().getType());
      ScalarType to = reference::scalarTypeOf(cast.getType());
      return holdsAll(from, to) ? te::CastOp() : cast;
    }
    return {};
  }

  bool check(unsigned array) {
    const std::string &name = scop.arrays[array].name;
    ScalarType own = reference::scalarTypeOf(map.arrayTypes[array]);
    std::string type(nameOf(wanted)), ownType(nameOf(own));
    if (!holdsAll(own, wanted)) {
      fail("G0731", fmt::format("staging '{}' as {} would change its bits: of "
                                "{}, {}",
                                name, type, ownType, changedValue(own, wanted)))
          .help(fmt::format("leave 'as {}' out: a schedule adds no rounding; "
                            "the text may, with {}(...)",
                            type, type));
      return false;
    }
    unsigned definition = 0;
    if (te::CastOp cast =
            own != wanted ? roundingOf(array, definition) : te::CastOp())
      return refuseDropped(array, definition, cast);
    std::string held = heldType(array);
    if (held == type)
      return true;
    fail("G0725",
         held.empty()
             ? fmt::format("'{}' staged as {} is not realised yet", name, type)
             : fmt::format("'{}' staged as {} is not realised yet: a staged "
                           "operand is held as {}, which its product takes",
                           name, type, held))
        .help(fmt::format("leave 'as {}' out", type));
    return false;
  }

  /// The type in which a staged operand lies in shared memory: its conversions
  /// are applied while it is copied. Empty: no product reads it.
  std::string heldType(unsigned array) const {
    for (const poly::Reduction &reduction : scop.reductions)
      if (reduction.product && directive.where.text == "shared")
        for (const poly::Access &access :
             scop.statements[reduction.update].accesses)
          if (!access.isWrite && access.array == array)
            return std::string(nameOf(reference::scalarTypeOf(
                map.statements[reduction.update].elementType)));
    return "";
  }

  bool refuseDropped(unsigned array, unsigned definition, te::CastOp cast) {
    const std::string &name = scop.arrays[array].name;
    ScalarType own = reference::scalarTypeOf(map.arrayTypes[array]);
    ScalarType wide = reference::scalarTypeOf(cast.getValue().getType());
    unsigned reader = 0;
    while (reader < scop.statements.size() && !reads(reader, array))
      ++reader;
    bool isRead = reader < scop.statements.size();
    std::string readerName =
        isRead ? scop.arrays[scop.statements[reader].write().array].name : "";
    Diagnostic &error = fail(
        "G0731", fmt::format("staging '{}' as {} means dropping round-to-{}{}: "
                             "changes bits",
                             name, nameOf(wanted), nameOf(own),
                             isRead ? " before '" + readerName + "'" : ""));
    if (isFloat(own) && isFloat(wide))
      error.note(difference(definition, isRead ? int(reader) : -1, own, wide,
                            name, readerName));
    error.help(fmt::format("leave 'as {}' out: '{}' is staged as it was "
                           "rounded; without the rounding it is another text",
                           nameOf(wanted), name));
    return false;
  }

  bool reads(unsigned s, unsigned array) const {
    const poly::Statement &statement = scop.statements[s];
    return std::any_of(statement.accesses.begin(), statement.accesses.end(),
                       [&](const poly::Access &access) {
                         return !access.isWrite && access.array == array;
                       });
  }

  /// What a value that is not rounded makes of the reader's result.
  std::string difference(unsigned definition, int reader, ScalarType own,
                         ScalarType wide, const std::string &name,
                         const std::string &readerName) {
    double step = std::ldexp(1, -formatOf(own).precision);
    std::string text;
    for (double scale : {1., 2., 0.5, 3., -1., -0.5, 8., 0.125}) {
      double value = scale * (1 + step);
      if (roundedTo(wide, value) != value)
        continue;
      double rounded = roundedTo(own, value);
      if (rounded == value)
        continue;
      std::string here =
          fmt::format("where it is {} before it is rounded, '{}' is {}",
                      shown(wide, value), name, shown(own, rounded));
      if (text.empty())
        text = here;
      if (reader < 0 ||
          scop.statements[size_t(reader)].kind != poly::StatementKind::Map)
        return text;
      te::ComputeOp defined = map.statements[definition].compute;
      mlir::Value tensor = defined.getResult();
      te::ComputeOp compute = map.statements[size_t(reader)].compute;
      mlir::Value result =
          mlir::cast<te::YieldOp>(compute.getBlock().getTerminator())
              .getValue();
      std::optional<double> as = evaluate(result, tensor, rounded);
      std::optional<double> wrong = evaluate(result, tensor, value);
      if (!as || !wrong)
        return text;
      if (*as == *wrong)
        continue;
      ScalarType type = reference::scalarTypeOf(result.getType());
      return here + fmt::format(": '{}' is {} then, and would be {}",
                                readerName, shown(type, *as),
                                shown(type, *wrong));
    }
    return text;
  }

  CompileState &state;
  const frontend::Directive &directive;
  const poly::Scop &scop;
  const scop::StatementMap &map;
  ScalarType wanted;
};

} // namespace

bool girih::pipeline::checkStageType(CompileState &state,
                                     const frontend::Directive &directive) {
  if (directive.kind != frontend::DirectiveKind::Stage ||
      directive.type.text.empty())
    return true;
  return StageTypes(state, directive).run();
}
