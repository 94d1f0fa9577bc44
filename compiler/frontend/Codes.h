//===- Codes.h - the front end's error codes --------------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// G01xx lexer and parser, G02xx names, G03xx types, G04xx shapes and ranges,
// G05xx reductions and their order, G0901 to G0912 parts of the language that
// are recognised and not supported yet, G0913 to G0920 schedules. A code keeps
// its meaning for ever; a retired one is not used again.
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_COMPILER_FRONTEND_CODES_H
#define GIRIH_COMPILER_FRONTEND_CODES_H

#include <string_view>

// clang-format off
#define GIRIH_FRONTEND_CODES(X)                                                \
  X(UnexpectedCharacter, "G0101", "a character that no token starts with")     \
  X(MalformedNumber,     "G0102", "a number that is not written as one")       \
  X(Syntax,              "G0103", "something else was expected here")          \
  X(NestedTooDeep,       "G0104", "an expression is nested too deep")          \
  X(FileTooLarge,        "G0105", "the file is larger than 4 MiB")             \
  X(TooManyStatements,   "G0106", "more than 10,000 statements and items")     \
  X(TooManyErrors,       "G0107", "stopped after 20 errors")                   \
  X(IntegerOutOfRange,   "G0108", "a size or a bound outside its range")       \
  X(Misplaced,           "G0109", "a clause that stands in the wrong place")   \
  X(ChainedComparison,   "G0110", "comparisons do not chain")                  \
  X(TooLargeInlined,     "G0111", "too large once functions are inlined")      \
  X(NameTooLong,         "G0112", "a name or number of more than 200 letters") \
  X(TooManyIndices,      "G0115", "too many dimensions, indices or tensors")   \
  X(UseCycle,            "G0120", "files that use each other")                \
  X(CannotUse,           "G0121", "a used file that cannot be read")          \
  X(Redefined,           "G0201", "a name defined twice in one space")         \
  X(SpaceClash,          "G0202", "one name in two of the three spaces")       \
  X(Undefined,           "G0203", "a name that nothing defines")               \
  X(ReservedName,        "G0204", "the name of a type or built-in function")   \
  X(TensorRedefined,     "G0205", "a tensor defined by two statements")        \
  X(ReadBeforeDefined,   "G0206", "a tensor read before its definition")       \
  X(OutputUndefined,     "G0207", "an output that no statement defines")       \
  X(UnusedInput,         "G0208", "warning: an input that is never read")      \
  X(UnusedTemporary,     "G0209", "warning: a temporary that is never read")   \
  X(InputAssigned,       "G0210", "a statement that defines an input")         \
  X(RecursiveFunction,   "G0211", "a function that calls itself")              \
  X(IndexShadowed,       "G0212", "an index name used twice in one place")     \
  X(WrongKind,           "G0213", "a name used as something that it is not")   \
  X(ConstBeforeDefined,  "G0214", "a constant used above its definition")      \
  X(RecursiveOp,         "G0220", "an operator that calls itself")            \
  X(ArgumentRepeated,    "G0221", "an argument given twice")                  \
  X(ArgumentMissing,     "G0222", "an argument that is missing")              \
  X(NoParameterValue,    "G0223", "a parameter without a value")              \
  X(OperandTypesDiffer,  "G0301", "operands of different types")               \
  X(LiteralAlone,        "G0302", "a literal with nothing to type it")         \
  X(ResultTypeDiffers,   "G0303", "declared and written type differ")          \
  X(LiteralOverflow,     "G0304", "a literal outside its type")          \
  X(LiteralUnderflow,    "G0305", "warning: a literal that rounds to zero")    \
  X(WrongOperandType,    "G0306", "an operand of a type not allowed here")     \
  X(WrongArgumentCount,  "G0307", "too few or too many arguments")             \
  X(NotInFunction,       "G0308", "a reduction or tensor read in a function")  \
  X(NotConstant,         "G0309", "a constant's value is not a constant")      \
  X(ConstNotFoldable,    "G0310", "a constant whose value cannot be computed") \
  X(NoAccuracyChoice,    "G0311", ".fast or .portable without a choice")       \
  X(BadParameterValue,   "G0320", "a parameter's value of another kind")      \
  X(NotOptional,         "G0321", "none where nothing is optional")           \
  X(RankMismatch,        "G0401", "too few or too many subscripts")            \
  X(RangeNotFixed,       "G0402", "an index whose range nothing fixes")        \
  X(RangesDiffer,        "G0403", "an index with two different ranges")        \
  X(OutOfBounds,         "G0404", "a constant subscript outside its tensor")   \
  X(BoundNotProved,      "G0405", "a subscript that may leave its tensor")     \
  X(SizeNotSolved,       "G0406", "a size that no input determines")           \
  X(BadConstraint,       "G0407", "a constraint of a form not allowed")        \
  X(NegativeExtent,      "G0408", "a dimension or range that may be negative") \
  X(RaggedList,          "G0420", "a list whose rows differ")                 \
  X(ShapesDiffer,        "G0421", "a value of another shape than its tensor") \
  X(SizeUnknown,         "G0422", "a size that nothing in a run says")        \
  X(BadLayout,           "G0430", "a layout that is no order of dimensions")  \
  X(LeadingDims,         "G0431", "leading dimensions that do not fit")       \
  X(BadDefinition,       "G0432", "a size's definition that gives no size")    \
  X(BadAlias,            "G0433", "an alias that does not fit its input")     \
  X(LeftSubscript,       "G0440", "a left-hand subscript not allowed")         \
  X(PartsOverlap,        "G0441", "two statements define one element")         \
  X(NotCovered,          "G0442", "an element of an output left undefined")    \
  X(NotDefined,          "G0443", "an element that is read and not defined")   \
  X(BadCondition,        "G0444", "a 'where' that is no conjunction")          \
  X(Recurrence,          "G0445", "a read of what is defined later")           \
  X(BadRagged,           "G0446", "a loop over groups of a form not allowed") \
  X(AliasedRead,         "G0447", "a read of an input that is overwritten")   \
  X(BadTerm,             "G0501", "an order term with wrong parts")            \
  X(TreeExtent,          "G0502", "tree(n) over an extent it cannot split")    \
  X(OrderWithoutEffect,  "G0503", "warning: an order clause without effect")   \
  X(UnknownOrder,        "G0504", "an order clause that names no order")       \
  X(NoScatterOrder,      "G0505", "a scattered float sum that says no order")  \
  X(NoItem,              "G0901", "extern functions")                          \
  X(NoParameter,         "G0902", "type parameters of functions")             \
  X(NoType,              "G0903", "a type that values cannot have")            \
  X(NoDimension,         "G0904", "quotients and products of sizes")           \
  X(NoPromise,           "G0905", "promises of a form not allowed")           \
  X(NoStatement,         "G0906", "statements of other kinds")                \
  X(NoSubscript,         "G0907", "slices, products of indices")               \
  X(NoReduction,         "G0908", "other reductions and ranges, scans")        \
  X(NoOrder,             "G0909", "orders that cannot be kept yet")            \
  X(NoIndexArithmetic,   "G0912", "other functions of indices and sizes")      \
  X(UnknownDirective,    "G0913", "a directive of a schedule that is not one") \
  X(DirectiveParts,      "G0914", "too few or too many parts of a directive")  \
  X(DirectivePlace,      "G0915", "a place or way that a directive lacks")     \
  X(DirectiveOption,     "G0916", "an option that a directive does not take")  \
  X(TemplateArguments,   "G0917", "a template's arguments do not fit it")      \
  X(RecursiveTemplate,   "G0918", "a template that applies itself")            \
  X(SchedulesClash,      "G0919", "two schedules, and nothing to choose by")   \
  X(ScheduleUnreached,   "G0920", "warning: a schedule that is never taken")
// clang-format on

namespace girih::frontend::codes {

#define GIRIH_CODE(name, code, meaning) inline constexpr char k##name[] = code;
GIRIH_FRONTEND_CODES(GIRIH_CODE)
#undef GIRIH_CODE

/// One row of the table above, for `girih error`.
struct Row {
  std::string_view code;
  std::string_view meaning;
};

#define GIRIH_CODE(name, code, meaning) {code, meaning},
inline constexpr Row kRows[] = {GIRIH_FRONTEND_CODES(GIRIH_CODE)};
#undef GIRIH_CODE

} // namespace girih::frontend::codes

#endif // GIRIH_COMPILER_FRONTEND_CODES_H
