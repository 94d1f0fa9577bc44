//===- LoopText.cpp - loops as C-like text --------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/LoopAst.h"
#include "compiler/poly/Text.h"

#include <map>

namespace girih::poly {

namespace {

class Printer {
public:
  Printer(const Scop &scop, const KernelLoops &loops)
      : scop(scop), loops(loops) {}

  std::string run() {
    text = "kernel " + quoted(loops.kernel->kernel.name) + " grid(";
    for (size_t g = 0; g < loops.grid.size(); ++g)
      text += (g ? ", " : "") + loops.grid[g].name + " < " +
              expr(loops.grid[g].extent);
    text += ")\n";
    node(loops.body, 1);
    return std::move(text);
  }

private:
  void line(unsigned indent, const std::string &content) {
    text += std::string(2 * indent, ' ') + content + "\n";
  }

  void node(const LoopNode &node, unsigned indent) {
    switch (node.kind) {
    case LoopNode::Kind::Block:
      for (const LoopNode &child : node.children)
        this->node(child, indent);
      return;
    case LoopNode::Kind::For: {
      names[node.iterator] = node.name;
      const std::string &name = node.name;
      line(indent, "for (" + name + " = " + expr(node.lower) + "; " + name +
                       " < " + expr(node.upper) + "; " + name +
                       " += " + std::to_string(node.step) + ") {");
      break;
    }
    case LoopNode::Kind::If:
      line(indent, "if (" + expr(node.condition) + ") {");
      break;
    case LoopNode::Kind::Tile: {
      std::string call = scop.statements[node.statement].name + "(";
      for (size_t i = 0; i < node.outer.size(); ++i)
        call += (i ? ", " : "") + expr(node.outer[i]);
      line(indent, call + ");");
      return;
    }
    }
    for (size_t c = 0; c < node.children.size(); ++c) {
      if (c)
        line(indent, "} else {");
      this->node(node.children[c], indent + 1);
    }
    line(indent, "}");
  }

  std::string joined(const LoopExpr &e, const char *between) {
    std::string result;
    for (const LoopExpr &operand : e.operands)
      result += (result.empty() ? "" : between) + inner(operand);
    return result;
  }

  /// In parentheses where it is not one word.
  std::string inner(const LoopExpr &e) {
    std::string result = expr(e);
    bool word = result.find(' ') == std::string::npos ||
                e.kind == LoopExpr::Kind::Min ||
                e.kind == LoopExpr::Kind::Max ||
                e.kind == LoopExpr::Kind::FloorDiv;
    return word ? result : "(" + result + ")";
  }

  std::string expr(const LoopExpr &e) {
    using Kind = LoopExpr::Kind;
    switch (e.kind) {
    case Kind::Constant:
      return std::to_string(e.value);
    case Kind::Param:
      return scop.params.at(e.index);
    case Kind::Grid:
      return e.index < loops.loops.size()
                 ? scop.loops[loops.loops[e.index]].name
                 : loops.grid.at(e.index - loops.loops.size()).name;
    case Kind::Iterator: {
      auto found = names.find(e.index);
      return found == names.end() ? "i" + std::to_string(e.index)
                                  : found->second;
    }
    case Kind::Add:
      return joined(e, " + ");
    case Kind::Sub:
      return joined(e, " - ");
    case Kind::Mul:
      return joined(e, " * ");
    case Kind::Neg:
      return "-" + inner(e.operands[0]);
    case Kind::Min:
      return "min(" + expr(e.operands[0]) + rest(e) + ")";
    case Kind::Max:
      return "max(" + expr(e.operands[0]) + rest(e) + ")";
    case Kind::FloorDiv:
      return "floor(" + joined(e, " / ") + ")";
    case Kind::Mod:
      return joined(e, " % ");
    case Kind::Le:
      return joined(e, " <= ");
    case Kind::Lt:
      return joined(e, " < ");
    case Kind::Ge:
      return joined(e, " >= ");
    case Kind::Gt:
      return joined(e, " > ");
    case Kind::Eq:
      return joined(e, " == ");
    case Kind::And:
      return joined(e, " && ");
    case Kind::Or:
      return joined(e, " || ");
    }
    return "?";
  }

  std::string rest(const LoopExpr &e) {
    std::string result;
    for (size_t i = 1; i < e.operands.size(); ++i)
      result += ", " + expr(e.operands[i]);
    return result;
  }

  const Scop &scop;
  const KernelLoops &loops;
  std::map<unsigned, std::string> names;
  std::string text;
};

} // namespace

std::string printLoops(const Scop &scop, const KernelLoops &loops) {
  return Printer(scop, loops).run();
}

} // namespace girih::poly
