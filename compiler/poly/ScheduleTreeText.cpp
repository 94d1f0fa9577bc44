//===- ScheduleTreeText.cpp - the text form of schedule trees -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   schedule matmul_silu
//     sequence
//       filter C_init, C_sum, C, Y
//         kernel "matmul_silu_0" threads 256 { C_acc register, C shared }
//           band permutable
//             member io grid coincident: C_init -> floor(i/128); ...
//             sequence
//               filter C_init
//                 tile [128, 128] layout "..."
//                   band
//                     member ii point coincident: C_init -> i mod 128
//
// Two spaces a level; a band's members come first, its child after them at the
// same level; a node without a written child has a leaf.
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/ScheduleTree.h"
#include "compiler/poly/Text.h"
#include "compiler/support/Diagnostics.h"

#include <algorithm>

namespace girih::poly {

namespace {

constexpr const char *kBindings[] = {"loop",   "grid",   "point", "time",
                                     "thread", "vector", "unroll"};
constexpr const char *kPlaces[] = {"global", "workspace", "shared", "register"};

std::string integers(const std::vector<int64_t> &values) {
  std::vector<std::string> texts;
  for (int64_t value : values)
    texts.push_back(std::to_string(value));
  return bracketed(texts);
}

std::string headline(const Scop &scop, const Node &node) {
  switch (node.kind) {
  case Node::Kind::Sequence:
    return "sequence";
  case Node::Kind::Filter: {
    std::string text = "filter";
    for (size_t i = 0; i < node.statements.size(); ++i)
      text += (i ? ", " : " ") + scop.statements[node.statements[i]].name;
    return text;
  }
  case Node::Kind::Band:
    return node.permutable ? "band permutable" : "band";
  case Node::Kind::Kernel: {
    std::string text = "kernel " + quoted(node.kernel.name) + " threads " +
                       std::to_string(node.kernel.threads);
    for (size_t i = 0; i < node.kernel.places.size(); ++i)
      text += (i ? ", " : " { ") +
              scop.arrays[node.kernel.places[i].array].name + " " +
              kPlaces[static_cast<unsigned>(node.kernel.places[i].place)];
    return text + (node.kernel.places.empty() ? "" : " }");
  }
  case Node::Kind::Tile:
    return "tile " + integers(node.tile.shape) + " layout " +
           quoted(node.tile.layout);
  case Node::Kind::Stage:
    return "stage " + scop.arrays[node.stage.array].name + " " +
           integers(node.stage.shape) + " layout " + quoted(node.stage.layout);
  case Node::Kind::Leaf:
    break;
  }
  return "leaf";
}

void write(const Scop &scop, const Node &node, unsigned indent,
           std::string &text) {
  if (node.kind == Node::Kind::Leaf)
    return;
  text += std::string(indent, ' ') + headline(scop, node) + "\n";
  for (const Member &member : node.members) {
    text += std::string(indent + 2, ' ') + "member " + member.name + " " +
            kBindings[static_cast<unsigned>(member.binding)] +
            (member.coincident ? " coincident:" : ":");
    for (size_t i = 0; i < member.digits.size(); ++i)
      text += (i ? "; " : " ") + scop.statements[node.statements[i]].name +
              " -> " + printDigit(scop, node.statements[i], member.digits[i]);
    text += "\n";
  }
  for (const NodePtr &child : node.children)
    write(scop, *child, indent + 2, text);
}

class TreeReader {
public:
  TreeReader(const Scop &scop, const std::string &text, Diagnostics &diags)
      : scop(scop), reader(text, diags, "G0712") {}

  std::optional<ScheduleTree> run() {
    std::string name;
    if (!reader.nextLine() || !reader.expect("schedule") ||
        !reader.identifier(name, "a name") || !reader.expectEnd()) {
      reader.fail("expected 'schedule NAME'");
      return std::nullopt;
    }
    if (name != scop.name) {
      reader.fail("this schedule is of '" + name + "', the Scop is '" +
                  scop.name + "'");
      return std::nullopt;
    }
    std::vector<unsigned> all;
    for (unsigned s = 0; s < scop.statements.size(); ++s)
      all.push_back(s);
    reader.nextLine();
    ScheduleTree tree;
    tree.root = node(2, all, 0);
    if (tree.root && reader.hasLine())
      reader.fail("this line belongs to no node: its indentation fits none");
    if (reader.failed())
      return std::nullopt;
    return tree;
  }

private:
  /// The node on the current line, which must be indented by `indent`; moves
  /// past it. Null after an error.
  NodePtr node(unsigned indent, const std::vector<unsigned> &statements,
               unsigned depth) {
    if (!reader.hasLine() || reader.indent() != indent) {
      reader.fail("expected a node indented by " + std::to_string(indent) +
                  " spaces");
      return nullptr;
    }
    if (depth > kMaxNesting) {
      reader.fail("the schedule tree is nested more than 100 deep");
      return nullptr;
    }
    auto result = std::make_unique<Node>();
    result->statements = statements;
    result->line = reader.line();
    if (!head(*result) || !reader.expectEnd())
      return nullptr;
    reader.nextLine();
    if (result->kind == Node::Kind::Band)
      while (reader.hasLine() && reader.indent() == indent + 2 &&
             reader.take("member")) {
        if (!member(*result) || !reader.expectEnd())
          return nullptr;
        reader.nextLine();
      }
    if (!below(*result, indent, depth) || reader.failed())
      return nullptr;
    return result;
  }

  bool below(Node &node, unsigned indent, unsigned depth) {
    bool isSequence = node.kind == Node::Kind::Sequence;
    while (reader.hasLine() && reader.indent() > indent) {
      if (!isSequence && !node.children.empty())
        return reader.fail("only a sequence has more than one child");
      NodePtr child = this->node(indent + 2, node.statements, depth + 1);
      if (!child)
        return false;
      node.children.push_back(std::move(child));
    }
    if (!isSequence && node.children.empty()) {
      auto leaf = std::make_unique<Node>();
      leaf->statements = node.statements;
      leaf->line = node.line;
      node.children.push_back(std::move(leaf));
    }
    return !reader.failed();
  }

  bool head(Node &node) {
    if (reader.take("sequence")) {
      node.kind = Node::Kind::Sequence;
      return true;
    }
    if (reader.take("filter")) {
      node.kind = Node::Kind::Filter;
      node.statements.clear();
      do {
        if (!statement(node.statements.emplace_back()))
          return false;
      } while (reader.take(","));
      std::sort(node.statements.begin(), node.statements.end());
      return true;
    }
    if (reader.take("band")) {
      node.kind = Node::Kind::Band;
      node.permutable = reader.take("permutable");
      return true;
    }
    if (reader.take("kernel"))
      return kernel(node);
    if (reader.take("tile")) {
      node.kind = Node::Kind::Tile;
      return shapeAndLayout(node.tile.shape, node.tile.layout);
    }
    if (reader.take("stage")) {
      node.kind = Node::Kind::Stage;
      return array(node.stage.array) &&
             shapeAndLayout(node.stage.shape, node.stage.layout);
    }
    return reader.fail("expected 'sequence', 'filter', 'kernel', 'band', "
                       "'stage' or 'tile'");
  }

  bool kernel(Node &node) {
    node.kind = Node::Kind::Kernel;
    if (!reader.string(node.kernel.name, "a kernel's name") ||
        !reader.expect("threads") ||
        !reader.unsignedInteger(node.kernel.threads, "a count of threads"))
      return false;
    if (!reader.take("{"))
      return true;
    do {
      KernelMark::ArrayPlace place;
      if (!array(place.array))
        return false;
      bool found = false;
      for (unsigned p = 0; p < 4 && !found; ++p)
        if (reader.take(kPlaces[p])) {
          place.place = static_cast<Place>(p);
          found = true;
        }
      if (!found)
        return reader.fail(
            "expected 'global', 'workspace', 'shared' or 'register'");
      node.kernel.places.push_back(place);
    } while (reader.take(","));
    return reader.expect("}");
  }

  bool shapeAndLayout(std::vector<int64_t> &shape, std::string &layout) {
    if (!reader.expect("["))
      return false;
    if (!reader.sees("]"))
      do {
        if (!reader.integer(shape.emplace_back(), "an extent"))
          return false;
      } while (reader.take(","));
    return reader.expect("]") && reader.expect("layout") &&
           reader.string(layout, "a layout");
  }

  bool statement(unsigned &out) {
    std::string name;
    if (!reader.identifier(name, "a statement"))
      return false;
    out = scop.findStatement(name);
    return out < scop.statements.size() ||
           reader.fail("the Scop has no statement '" + name + "'");
  }

  bool array(unsigned &out) {
    std::string name;
    if (!reader.identifier(name, "an array"))
      return false;
    out = scop.findArray(name);
    return out < scop.arrays.size() ||
           reader.fail("the Scop has no array '" + name + "'");
  }

  bool member(Node &band) {
    Member result;
    if (!reader.identifier(result.name, "a member's name"))
      return false;
    if (reader.take("grid"))
      result.binding = Binding::Grid;
    else if (reader.take("point"))
      result.binding = Binding::Point;
    else if (reader.take("time"))
      result.binding = Binding::Time;
    else if (reader.take("thread"))
      result.binding = Binding::Thread;
    else if (reader.take("vector"))
      result.binding = Binding::Vector;
    else if (reader.take("unroll"))
      result.binding = Binding::Unroll;
    else if (!reader.expect("loop"))
      return false;
    result.coincident = reader.take("coincident");
    if (!reader.expect(":"))
      return false;
    result.digits.resize(band.statements.size());
    std::vector<bool> given(band.statements.size());
    do {
      unsigned index = 0;
      if (!statement(index) || !reader.expect("->"))
        return false;
      auto found =
          std::find(band.statements.begin(), band.statements.end(), index);
      const std::string &name = scop.statements[index].name;
      if (found == band.statements.end())
        return reader.fail("'" + name + "' is not below this band");
      size_t at = static_cast<size_t>(found - band.statements.begin());
      if (given[at])
        return reader.fail("'" + name + "' has its digit already");
      given[at] = true;
      if (!digit(index, result.digits[at]))
        return false;
    } while (reader.take(";"));
    for (size_t i = 0; i < given.size(); ++i)
      if (!given[i])
        return reader.fail("member '" + result.name + "' has no digit for '" +
                           scop.statements[band.statements[i]].name + "'");
    band.members.push_back(std::move(result));
    return true;
  }

  bool digit(unsigned statement, Digit &out) {
    Names names{&scop.statements[statement].dims, &scop.params};
    bool single = true;
    if (!reader.take("floor"))
      return reader.affine(names, out.value, single) && modulus(single, out);
    if (!reader.expect("("))
      return false;
    if (reader.take("(")) {
      if (!reader.affine(names, out.value, single) || !modulus(single, out) ||
          !reader.expect(")"))
        return false;
    } else {
      if (!reader.affine(names, out.value, single))
        return false;
      if (!single)
        return reader.fail("put the dividend in parentheses");
    }
    return reader.expect("/") && reader.integer(out.divisor, "a divisor") &&
           reader.expect(")");
  }

  bool modulus(bool single, Digit &out) {
    if (!reader.sees("mod"))
      return true;
    if (!single)
      return reader.fail("put what stands before 'mod' in parentheses");
    reader.take("mod");
    if (!reader.integer(out.modulus, "a modulus"))
      return false;
    return out.modulus > 0 || reader.fail("a modulus is positive");
  }

  const Scop &scop;
  TextReader reader;
};

} // namespace

std::string printDigit(const Scop &scop, unsigned statement,
                       const Digit &digit) {
  std::string value =
      print(digit.value, scop.statements[statement].dims, scop.params);
  // Only a name or a number may stand bare before `mod` or `/`.
  std::string operand = isIdentifier(value) ? value : "(" + value + ")";
  if (digit.modulus == 0 && digit.divisor == 1)
    return value;
  std::string divisor = "/" + std::to_string(digit.divisor) + ")";
  if (digit.modulus == 0)
    return "floor(" + operand + divisor;
  std::string remainder = operand + " mod " + std::to_string(digit.modulus);
  return digit.divisor == 1 ? remainder : "floor((" + remainder + ")" + divisor;
}

std::string printScheduleTree(const Scop &scop, const ScheduleTree &tree) {
  std::string text = "schedule " + scop.name + "\n";
  if (tree.root)
    write(scop, *tree.root, 2, text);
  return text;
}

std::optional<ScheduleTree> readScheduleTree(const Scop &scop,
                                             const std::string &text,
                                             Diagnostics &diags) {
  return TreeReader(scop, text, diags).run();
}

} // namespace girih::poly
