//===- AstPrinter.cpp - the canonical text of a tree ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/frontend/Dimensions.h"
#include "compiler/frontend/Frontend.h"
#include "compiler/frontend/Schedules.h"

#include <fmt/format.h>

namespace girih::frontend {

std::string_view spelling(ScalarType type) {
  switch (type) {
  case ScalarType::F64:
    return "f64";
  case ScalarType::F32:
    return "f32";
  case ScalarType::F16:
    return "f16";
  case ScalarType::BF16:
    return "bf16";
  case ScalarType::F8E4M3FN:
    return "f8e4m3fn";
  case ScalarType::F8E5M2:
    return "f8e5m2";
  case ScalarType::I8:
    return "i8";
  case ScalarType::I16:
    return "i16";
  case ScalarType::I32:
    return "i32";
  case ScalarType::I64:
    return "i64";
  case ScalarType::U8:
    return "u8";
  case ScalarType::U16:
    return "u16";
  case ScalarType::U32:
    return "u32";
  case ScalarType::U64:
    return "u64";
  case ScalarType::Bool:
    return "bool";
  case ScalarType::Index:
    return "index";
  }
  return "";
}

unsigned widthOf(ScalarType type) {
  switch (type) {
  case ScalarType::I8:
  case ScalarType::U8:
    return 8;
  case ScalarType::I16:
  case ScalarType::U16:
    return 16;
  case ScalarType::I32:
  case ScalarType::U32:
    return 32;
  default:
    return 64;
  }
}

ScalarType signedTypeOf(ScalarType type) {
  switch (type) {
  case ScalarType::U8:
    return ScalarType::I8;
  case ScalarType::U16:
    return ScalarType::I16;
  case ScalarType::U32:
    return ScalarType::I32;
  case ScalarType::U64:
    return ScalarType::I64;
  default:
    return type;
  }
}

bool isWord(std::string_view sizeName) {
  return sizeName.find(' ') == std::string_view::npos;
}

std::string spelling(const Extent &extent) {
  std::string text;
  auto join = [&](bool negative, std::string part) {
    if (text.empty())
      text = (negative ? "-" : "") + part;
    else
      text += (negative ? " - " : " + ") + part;
  };
  for (auto [size, factor] : extent.terms) {
    std::string name = size->name.text;
    if (!isWord(name) && factor != 1 && (factor != -1 || text.empty()))
      name = "(" + name + ")";
    if (factor != 1 && factor != -1)
      name = fmt::format("{} * {}", std::abs(factor), name);
    join(factor < 0, name);
  }
  if (extent.constant != 0 || text.empty())
    join(extent.constant < 0, std::to_string(std::abs(extent.constant)));
  return text;
}

std::string_view spelling(AccessRule rule) {
  switch (rule) {
  case AccessRule::None:
    return "";
  case AccessRule::Clamp:
    return "clamp";
  case AccessRule::Reflect:
    return "reflect";
  case AccessRule::Wrap:
    return "wrap";
  case AccessRule::Checked:
    return "checked";
  }
  return "";
}

std::string_view spelling(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add:
    return "+";
  case BinaryOp::Sub:
    return "-";
  case BinaryOp::Mul:
    return "*";
  case BinaryOp::Div:
    return "/";
  case BinaryOp::Mod:
    return "%";
  case BinaryOp::BitAnd:
    return "&";
  case BinaryOp::BitOr:
    return "|";
  case BinaryOp::BitXor:
    return "^";
  case BinaryOp::ShiftLeft:
    return "<<";
  case BinaryOp::ShiftRight:
    return ">>";
  case BinaryOp::Equal:
    return "==";
  case BinaryOp::NotEqual:
    return "!=";
  case BinaryOp::Less:
    return "<";
  case BinaryOp::LessEqual:
    return "<=";
  case BinaryOp::Greater:
    return ">";
  case BinaryOp::GreaterEqual:
    return ">=";
  case BinaryOp::And:
    return "and";
  case BinaryOp::Or:
    return "or";
  }
  return "";
}

std::string_view spelling(Scatter::Kind kind) {
  switch (kind) {
  case Scatter::Kind::Set:
    return "=";
  case Scatter::Kind::Add:
    return "+=";
  case Scatter::Kind::Max:
    return "max=";
  case Scatter::Kind::Min:
    return "min=";
  }
  return "";
}

std::string_view spelling(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
    return "sum";
  case ReduceKind::Prod:
    return "prod";
  case ReduceKind::Max:
    return "max";
  case ReduceKind::Min:
    return "min";
  case ReduceKind::Any:
    return "any";
  case ReduceKind::ArgMax:
    return "argmax";
  case ReduceKind::ArgMin:
    return "argmin";
  case ReduceKind::CumSum:
    return "cumsum";
  case ReduceKind::CumProd:
    return "cumprod";
  case ReduceKind::All:
    return "all";
  }
  return "";
}

namespace {

/// How tightly an expression holds together; a weaker one gets parentheses.
enum Level {
  kTop,
  kElse,
  kIf,
  kOr,
  kAnd,
  kNot,
  kCompare,
  kBitOr,
  kBitXor,
  kBitAnd,
  kShift,
  kSum,
  kProduct,
  kUnary,
  kPrimary
};

Level levelOf(BinaryOp op) {
  if (op == BinaryOp::Or)
    return kOr;
  if (op == BinaryOp::And)
    return kAnd;
  if (isComparison(op))
    return kCompare;
  if (op == BinaryOp::BitOr)
    return kBitOr;
  if (op == BinaryOp::BitXor)
    return kBitXor;
  if (op == BinaryOp::BitAnd)
    return kBitAnd;
  if (op == BinaryOp::ShiftLeft || op == BinaryOp::ShiftRight)
    return kShift;
  return op == BinaryOp::Add || op == BinaryOp::Sub ? kSum : kProduct;
}

const char *spelling(Accuracy accuracy) {
  return accuracy == Accuracy::Fast ? "fast" : "portable";
}

class Printer {
public:
  std::string take() { return std::move(out); }

  void print(const File &file) {
    for (const Item &item : file.items) {
      if (!out.empty())
        out += '\n';
      std::visit([&](const auto &decl) { print(*decl); }, item);
    }
  }

  void print(const SizeConstraint &constraint);

  void print(const Expr &expr, Level least) {
    bool parentheses = levelOf(expr) < least;
    if (parentheses)
      out += '(';
    std::visit([&](const auto &node) { print(node); }, expr.node);
    if (parentheses)
      out += ')';
  }

private:
  static Level levelOf(const Expr &expr) {
    if (expr.as<IfExpr>())
      return kIf;
    if (expr.as<IsNoneExpr>())
      return kCompare;
    if (auto *binary = expr.as<BinaryExpr>())
      return frontend::levelOf(binary->op);
    if (auto *unary = expr.as<UnaryExpr>())
      return unary->op == UnaryOp::Not ? kNot : kUnary;
    if (auto *name = expr.as<NameExpr>(); name && !isWord(name->name))
      return frontend::levelOf(BinaryOp::Div); // a quotient of sizes
    // In parentheses everywhere but alone: easier to read, and an `else` is
    // never taken for that of an `if` around it.
    if (auto *access = expr.as<AccessExpr>())
      return access->otherwise ? kElse : kPrimary;
    return kPrimary;
  }

  template <typename Range, typename Each>
  void list(const Range &range, Each each) {
    bool first = true;
    for (const auto &element : range) {
      if (!first)
        out += ", ";
      first = false;
      each(element);
    }
  }

  void print(const LiteralExpr &node) {
    out += node.digits;
    if (node.suffix)
      out += frontend::spelling(*node.suffix);
  }
  void print(const BoolExpr &node) { out += node.value ? "true" : "false"; }
  void print(const NameExpr &node) { out += node.name; }
  void print(const AccessExpr &node) {
    out += node.tensorName.text;
    if (node.subscripts.empty())
      return;
    out += '[';
    list(node.subscripts, [&](const Subscript &s) {
      if (s.rule != AccessRule::None)
        out += fmt::format("{}(", frontend::spelling(s.rule));
      print(*s.value, kBitOr);
      if (s.rule != AccessRule::None)
        out += ')';
    });
    out += ']';
    if (node.otherwise) {
      out += " else ";
      print(*node.otherwise, kUnary);
    }
  }
  void print(const CastExpr &node) {
    if (node.made) // around a name
      return print(*node.operand, kPrimary);
    out += typeName(node.to, node.typeParam);
    out += '(';
    print(*node.operand, kTop);
    out += ')';
  }
  void print(const UnaryExpr &node) {
    if (node.op == UnaryOp::Not) {
      out += "not ";
      print(*node.operand, kNot);
    } else {
      out += node.op == UnaryOp::BitNot ? '~' : '-';
      print(*node.operand, kPrimary);
    }
  }
  void print(const BinaryExpr &node) {
    Level level = frontend::levelOf(node.op);
    // Comparisons do not chain; the others group to the left.
    print(*node.lhs, level == kCompare ? kBitOr : level);
    out += fmt::format(" {} ", frontend::spelling(node.op));
    print(*node.rhs, static_cast<Level>(level + 1));
  }
  void print(const IfExpr &node) {
    out += "if ";
    print(*node.condition, kIf);
    out += " then ";
    print(*node.thenValue, kIf);
    out += " else ";
    print(*node.elseValue, kIf);
  }
  void print(const CallExpr &node) {
    out += node.callee.text;
    if (node.accuracy)
      out += fmt::format(".{}", spelling(*node.accuracy));
    out += '(';
    list(node.arguments, [&](const ExprPtr &e) { print(*e, kIf); });
    if (!node.arguments.empty() && !node.named.empty())
      out += ", ";
    list(node.named, [&](const NamedArgument &argument) {
      out += argument.name.text + " = " + argument.word;
      if (argument.value)
        print(*argument.value, kIf);
    });
    out += ')';
  }
  void print(const IsNoneExpr &node) {
    out += node.tensor.text + (node.negated ? " != none" : " == none");
  }
  void print(const ReduceExpr &node) {
    out += frontend::spelling(node.kind);
    out += '[';
    list(node.indices, [&](const auto &index) {
      out += index->name.text;
      if (!index->end)
        return;
      out += " in ";
      print(*index->first, kSum);
      out += "..";
      print(*index->end, kSum);
    });
    if (node.condition) {
      out += " : ";
      print(*node.condition, kIf);
    }
    out += node.exclusive ? ", exclusive" : "";
    out += node.reverse ? ", reverse" : "";
    if (std::string order = orderClause(node.order); !order.empty())
      out += ", " + order;
    out += "](";
    print(*node.body, kTop);
    out += ')';
  }

  static std::string orderClause(const ReduceOrder &order) {
    if (order.kind == ReduceOrder::Kind::Sequential)
      return "order=sequential";
    if (order.kind == ReduceOrder::Kind::Pinned)
      return "order=" + frontend::spelling(*order.term);
    return "";
  }

  static std::string typeName(ScalarType type, const std::string &param) {
    return param.empty() ? std::string(frontend::spelling(type)) : param;
  }

  void print(const UseDecl &decl) {
    docs(decl.docs);
    out += fmt::format("use \"{}\"\n", decl.path);
  }

  void print(const ScheduleDecl &decl) { out += printSchedule(decl); }
  void print(const TemplateDecl &decl) { out += printTemplate(decl); }

  void print(const TestDecl &decl) {
    docs(decl.docs);
    out += fmt::format("test \"{}\" {{\n", decl.name);
    for (const TestRun &run : decl.runs) {
      out += "  run ";
      print(run);
      out += '\n';
      for (const TestExpect &expected : run.expects) {
        out += fmt::format("  expect {} {} ", expected.tensor.text,
                           expected.exact ? "==" : "~=");
        print(expected.value);
        for (auto &[name, bound] :
             {std::pair("ulp", &expected.ulp), std::pair("abs", &expected.abs),
              std::pair("rel", &expected.rel)})
          if (!bound->empty())
            out += fmt::format(" {} {}", name, *bound);
        out += '\n';
      }
    }
    out += "}\n";
  }

  void print(const TestRun &run) {
    out += run.op.text + '(';
    list(run.arguments, [&](const TestArgument &argument) {
      out += argument.name.text + " = ";
      print(argument.value);
    });
    out += ')';
  }

  void print(const TestValue &value) {
    using Kind = TestValue::Kind;
    size_t next = 0;
    switch (value.kind) {
    case Kind::List:
      printList(value, 0, next);
      break;
    case Kind::Random:
      out += fmt::format("random({}{}{})", value.seed,
                         value.word.empty() ? "" : ", ", value.word);
      break;
    case Kind::Fill:
      out += "fill(";
      print(*value.elements[0], kSum);
      out += ')';
      break;
    case Kind::Iota:
      out += "iota()";
      break;
    case Kind::None:
      out += "none";
      break;
    case Kind::Type:
    case Kind::Tensor:
      out += value.word;
      break;
    case Kind::Call:
      print(*value.call);
      break;
    }
  }

  /// The part of a list below one place of dimension `depth`; `next` counts the
  /// elements.
  void printList(const TestValue &value, size_t depth, size_t &next) {
    if (depth == value.shape.size()) {
      print(*value.elements[next++], kSum);
      return;
    }
    out += '[';
    for (int64_t i = 0; i < value.shape[depth]; ++i) {
      out += i ? ", " : "";
      printList(value, depth + 1, next);
    }
    out += ']';
  }

  void docs(const std::vector<std::string> &lines) {
    for (const std::string &line : lines)
      out += "///" + line + '\n';
  }

  void print(const ConstDecl &decl) {
    docs(decl.docs);
    out += fmt::format("const {}: {} = ", decl.name.text,
                       frontend::spelling(decl.type));
    print(*decl.value, kIf);
    out += '\n';
  }

  void print(const FnDecl &decl) {
    docs(decl.docs);
    out += fmt::format("fn {}(", decl.name.text);
    list(decl.params, [&](const FnParam &param) {
      out += fmt::format("{}: {}", param.name.text,
                         frontend::spelling(param.type));
    });
    out += fmt::format(") -> {} = ", frontend::spelling(decl.result));
    print(*decl.body, kIf);
    out += '\n';
  }

  void print(const TensorDecl &decl) {
    out += decl.inOut ? "inout " : "";
    out += decl.name.text + ": " + printShape(decl);
    if (decl.first) {
      out += " in ";
      print(*decl.first, kSum);
      out += "..";
      print(*decl.end, kSum);
    }
    if (decl.optional)
      out += "? = none";
    if (!decl.layout.empty()) {
      std::vector<OuterDim> dims = outerDims(decl);
      out += " layout(";
      list(decl.layout, [&](unsigned place) { out += placeName(dims, place); });
      out += ')';
    }
    if (decl.align != 0)
      out += fmt::format(" align {}", decl.align);
    if (decl.offsets) {
      out += " offsets(";
      print(*decl.offsets, kSum);
      out += ')';
    }
  }

  /// A dimension by its name, or by its position where the name is no other's.
  static std::string placeName(const std::vector<OuterDim> &dims,
                               unsigned place) {
    const std::string &text = dims[place].text;
    bool isName = !std::isdigit(static_cast<unsigned char>(text[0]));
    unsigned count = 0;
    for (const OuterDim &dim : dims)
      count += dim.text == text;
    return count == 1 && isName ? text : std::to_string(place);
  }

  void printNumerics(const OpDecl &decl) {
    out += "  numerics { ";
    if (decl.functions)
      out += fmt::format("functions = {}{}", spelling(*decl.functions),
                         decl.contract ? ", " : "");
    if (decl.contract)
      out += fmt::format("contract = {}", *decl.contract ? "on" : "off");
    out += " }\n";
  }

  void print(const OpParam &param) {
    if (param.kind == OpParam::Kind::Type) {
      out += fmt::format("type {} in {{", param.name.text);
      list(param.choices,
           [&](ScalarType type) { out += frontend::spelling(type); });
      out += '}';
      return;
    }
    out += fmt::format("const {}: {}", param.name.text,
                       typeName(param.type, param.typeParam));
    if (param.value) {
      out += " = ";
      print(*param.value, kSum);
    }
  }

  void print(const OpDecl &decl) {
    docs(decl.docs);
    out += "op " + decl.name.text;
    if (!decl.params.empty()) {
      out += '<';
      list(decl.params, [&](const OpParam &param) { print(param); });
      out += '>';
    }
    out += '(';
    list(decl.inputs, [&](const TensorDecl &t) { print(t); });
    out += decl.outputs.empty() ? ")" : ") -> ";
    list(decl.outputs, [&](const TensorDecl &t) { print(t); });
    const char *before = "\n    where ";
    for (const auto &size : decl.derived)
      if (size->written) {
        out += before + size->name.text + " = ";
        print(*size->value, kSum);
        before = ", ";
      }
    for (const SizeConstraint &constraint : decl.constraints) {
      out += before;
      print(constraint);
      before = ", ";
    }
    out += " {\n";
    if (decl.functions || decl.contract)
      printNumerics(decl);
    auto assumption = decl.assumptions.begin();
    auto assume = [&](size_t before) {
      for (;
           assumption != decl.assumptions.end() && assumption->before <= before;
           ++assumption)
        out += fmt::format("  assume finite({})\n", assumption->tensor.text);
    };
    size_t count = 0;
    const TimeLoop *loop = nullptr;
    const RaggedLoop *ragged = nullptr;
    for (const auto &statement : decl.statements) {
      if (ragged != statement->ragged)
        endRagged(ragged, loop);
      assume(count++);
      moveTo(statement->loop, loop);
      if (ragged != statement->ragged)
        beginRagged(*(ragged = statement->ragged), loop);
      out += ragged ? "  " : "";
      if (statement->scatter) {
        print(*statement, *statement->scatter);
        continue;
      }
      out += indentOf(loop) + statement->target.text;
      if (!statement->at.empty()) {
        out += '[';
        list(statement->at, [&](const Subscript &s) { print(*s.value, kSum); });
        out += ']';
      } else if (!statement->indices.empty()) {
        out += '[';
        list(statement->indices,
             [&](const auto &index) { out += index->name.text; });
        out += ']';
      }
      for (const Name &target : statement->moreTargets)
        out += ", " + target.text;
      out += " = ";
      print(*statement->value, kTop);
      if (statement->where) {
        out += " where ";
        print(*statement->where, kIf);
      }
      if (statement->otherwise) {
        out += " else ";
        print(*statement->otherwise, kIf);
      }
      out += '\n';
    }
    endRagged(ragged, loop);
    moveTo(nullptr, loop);
    assume(count);
    out += "}\n";
  }

  static std::string indentOf(const TimeLoop *loop) {
    std::string indent = "  ";
    for (; loop; loop = loop->parent)
      indent += "  ";
    return indent;
  }

  /// Ends the loops that `here` is in and `next` is not, and begins the others.
  void moveTo(const TimeLoop *next, const TimeLoop *&here) {
    auto isAround = [](const TimeLoop *outer, const TimeLoop *inner) {
      for (; inner; inner = inner->parent)
        if (inner == outer)
          return true;
      return outer == nullptr;
    };
    for (; !isAround(here, next); here = here->parent)
      out += indentOf(here->parent) + "}\n";
    if (here == next)
      return;
    moveTo(next->parent, here);
    out += indentOf(here) + "for ";
    printRange(*next->index);
    out += " {\n";
    here = next;
  }

  void printRange(const IndexVariable &index) {
    out += index.name.text + " in ";
    print(*index.first, kSum);
    out += "..";
    print(*index.end, kSum);
  }

  void beginRagged(const RaggedLoop &loop, const TimeLoop *around) {
    out += indentOf(around) + "for ";
    printRange(*loop.group);
    out += ", ";
    printRange(*loop.element);
    out += " {\n";
  }

  void endRagged(const RaggedLoop *&loop, const TimeLoop *around) {
    if (!loop)
      return;
    out += indentOf(around) + "}";
    if (loop->otherwise) {
      out += " else ";
      print(*loop->otherwise, kIf);
    }
    out += '\n';
    loop = nullptr;
  }

  void print(const Statement &statement, const Scatter &scatter) {
    out += indentOf(statement.loop);
    print(*scatter.place, kPrimary);
    out += fmt::format(" {}", frontend::spelling(scatter.kind));
    if (std::string order = orderClause(scatter.order); !order.empty())
      out += '[' + order + ']';
    out += ' ';
    print(*statement.value, kTop);
    if (scatter.unique || scatter.drop)
      out += fmt::format(" {}{}{}", scatter.unique ? "unique" : "",
                         scatter.unique && scatter.drop ? ", " : "",
                         scatter.drop ? "drop" : "");
    out += '\n';
  }

  std::string out;
};

void Printer::print(const SizeConstraint &constraint) {
  using Kind = SizeConstraint::Kind;
  const char *op = "";
  switch (constraint.kind) {
  case Kind::Multiple:
    out += fmt::format("{} % {} == 0", constraint.name.text, constraint.value);
    return;
  case Kind::Less:
    op = "<";
    break;
  case Kind::LessEqual:
    op = "<=";
    break;
  case Kind::Greater:
    op = ">";
    break;
  case Kind::GreaterEqual:
    op = ">=";
    break;
  case Kind::Equal:
    op = "==";
    break;
  }
  out += fmt::format("{} {} {}", constraint.name.text, op, constraint.value);
}

} // namespace

std::string printAst(const File &file) {
  Printer printer;
  printer.print(file);
  return printer.take();
}

std::string printConstraint(const SizeConstraint &constraint) {
  Printer printer;
  printer.print(constraint);
  return printer.take();
}

std::string printDefinition(const DerivedSize &size) {
  return size.name.text + " = " + printExpr(*size.value);
}

std::string printExpr(const Expr &expr) {
  Printer printer;
  printer.print(expr, kIf);
  return printer.take();
}

} // namespace girih::frontend
