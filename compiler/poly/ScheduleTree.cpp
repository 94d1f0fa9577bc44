//===- ScheduleTree.cpp - schedule trees as data --------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/ScheduleTree.h"
#include "compiler/poly/Structure.h"
#include "compiler/support/Diagnostics.h"

#include <algorithm>

namespace girih::poly {

bool Digit::operator==(const Digit &other) const {
  return value == other.value && divisor == other.divisor &&
         modulus == other.modulus;
}

NodePtr cloneNode(const Node &node) {
  auto copy = std::make_unique<Node>();
  copy->kind = node.kind;
  copy->statements = node.statements;
  copy->members = node.members;
  copy->permutable = node.permutable;
  copy->kernel = node.kernel;
  copy->tile = node.tile;
  copy->stage = node.stage;
  copy->line = node.line;
  for (const NodePtr &child : node.children)
    copy->children.push_back(child ? cloneNode(*child) : nullptr);
  return copy;
}

NodePtr makeNode(Node::Kind kind, std::vector<unsigned> statements) {
  auto node = std::make_unique<Node>();
  node->kind = kind;
  node->statements = std::move(statements);
  return node;
}

const Digit &digitOf(const Node &band, size_t member, unsigned statement) {
  auto found =
      std::find(band.statements.begin(), band.statements.end(), statement);
  return band.members[member].digits.at(
      static_cast<size_t>(found - band.statements.begin()));
}

namespace {

bool descendTo(const Node *current, const Node *wanted,
               std::vector<const Node *> &path) {
  if (!current)
    return false;
  path.push_back(current);
  if (current == wanted)
    return true;
  for (const NodePtr &child : current->children)
    if (descendTo(child.get(), wanted, path))
      return true;
  path.pop_back();
  return false;
}

} // namespace

std::vector<const Node *> pathTo(const ScheduleTree &tree, const Node *node) {
  std::vector<const Node *> path;
  descendTo(tree.root.get(), node, path);
  return path;
}

std::vector<const Node *> pathOf(const ScheduleTree &tree, unsigned statement) {
  std::vector<const Node *> path;
  const Node *node = tree.root.get();
  while (node) {
    path.push_back(node);
    if (node->kind == Node::Kind::Leaf)
      return path;
    const Node *next = nullptr;
    for (const NodePtr &child : node->children)
      if (child && std::find(child->statements.begin(), child->statements.end(),
                             statement) != child->statements.end()) {
        next = child.get();
        break;
      }
    node = next;
  }
  return {};
}

const Node *kernelOf(const ScheduleTree &tree, unsigned statement) {
  for (const Node *node : pathOf(tree, statement))
    if (node->kind == Node::Kind::Kernel)
      return node;
  return nullptr;
}

bool isPlain(const ScheduleTree &tree) {
  return tree.root && !tree.root->children.empty() && kernelsOf(tree).empty();
}

namespace {

void collectKernels(const Node &node, std::vector<const Node *> &kernels) {
  if (node.kind == Node::Kind::Kernel) {
    kernels.push_back(&node);
    return;
  }
  for (const NodePtr &child : node.children)
    if (child)
      collectKernels(*child, kernels);
}

} // namespace

std::vector<const Node *> kernelsOf(const ScheduleTree &tree) {
  std::vector<const Node *> kernels;
  if (tree.root)
    collectKernels(*tree.root, kernels);
  return kernels;
}

bool verifyScheduleTree(const Scop &scop, const ScheduleTree &tree,
                        Diagnostics &diags) {
  std::vector<StructureProblem> problems = structureProblems(scop, tree);
  for (const StructureProblem &problem : problems) {
    std::optional<SourceRange> range;
    const SourceFile *file = diags.file();
    if (file && problem.line) {
      uint32_t begin = file->offset({problem.line, 1});
      auto length = static_cast<uint32_t>(file->line(problem.line).size());
      range = SourceRange{begin, begin + length};
    }
    std::string where = problem.line && !range
                            ? " (line " + std::to_string(problem.line) + ")"
                            : "";
    diags.error("G0713", problem.message + where, range);
  }
  return problems.empty();
}

} // namespace girih::poly
