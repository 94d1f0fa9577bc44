//===- NestText.cpp - a schedule tree as loops for people -----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/ScheduleTree.h"

namespace girih::poly {

namespace {

const char *howOf(const Member &member) {
  switch (member.binding) {
  case Binding::Grid:
    return "  // blocks";
  case Binding::Thread:
    return "  // threads";
  case Binding::Vector:
    return "  // vector";
  case Binding::Unroll:
    return "  // unrolled";
  case Binding::Time:
    return "  // turns in time";
  case Binding::Point:
    return member.coincident ? "  // in the tile"
                             : "  // in the tile, in order";
  case Binding::Loop:
    return member.coincident ? "  // parallel" : "";
  }
  return "";
}

void write(const Scop &scop, const Node &node, unsigned indent,
           std::string &text) {
  std::string space(indent, ' ');
  switch (node.kind) {
  case Node::Kind::Sequence:
  case Node::Kind::Filter:
    break;
  case Node::Kind::Kernel:
    text += space + "kernel " + node.kernel.name + ":  // " +
            std::to_string(node.kernel.threads) + " threads a block\n";
    indent += 2;
    break;
  case Node::Kind::Stage:
    text += space + "copy its part of " + scop.arrays[node.stage.array].name +
            " to shared memory\n";
    break;
  case Node::Kind::Tile:
    break;
  case Node::Kind::Band:
    for (const Member &member : node.members) {
      text += std::string(indent, ' ') + "for " + member.name + ":" +
              howOf(member) + "\n";
      indent += 2;
    }
    break;
  case Node::Kind::Leaf:
    for (unsigned s : node.statements) {
      const Statement &statement = scop.statements[s];
      text += space + statement.name + "[";
      for (size_t d = 0; d < statement.dims.size(); ++d)
        text += (d ? ", " : "") + statement.dims[d];
      text += "]\n";
    }
    return;
  }
  for (const NodePtr &child : node.children)
    write(scop, *child, indent, text);
}

} // namespace

std::string printNest(const Scop &scop, const ScheduleTree &tree) {
  std::string text;
  if (tree.root)
    write(scop, *tree.root, 0, text);
  return text;
}

} // namespace girih::poly
