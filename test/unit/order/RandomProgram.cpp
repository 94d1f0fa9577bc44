//===- RandomProgram.cpp - .te programs drawn at random -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/order/RandomProgram.h"

#include <random>
#include <vector>

using namespace girih::test;

namespace {

enum class Shape {
  Plane,  ///< [M, N]
  Wide,   ///< [M, 2 * N]
  Row,    ///< [M]
  Column, ///< [N]
  Long,   ///< [N + 2]
  Four,   ///< [M, 4]
  Single, ///< no dimensions
  Places  ///< i32[M], each in 0..N
};

const char *printed(Shape shape) {
  switch (shape) {
  case Shape::Plane:
    return "f32[M, N]";
  case Shape::Wide:
    return "f32[M, 2 * N]";
  case Shape::Row:
    return "f32[M]";
  case Shape::Column:
    return "f32[N]";
  case Shape::Long:
    return "f32[N + 2]";
  case Shape::Four:
    return "f32[M, 4]";
  case Shape::Single:
    return "f32";
  case Shape::Places:
    return "i32[M] in 0..N";
  }
  return "";
}

struct Tensor {
  enum class Role { Input, InOut, Temporary, Output };
  std::string name;
  Shape shape;
  Role role;
  bool isRead = false;
};

class Writer {
public:
  explicit Writer(unsigned seed) : random(seed) {}

  std::string write() {
    isShort = chance(50);
    unsigned count = 1 + unsigned(random() % 4);
    for (unsigned s = 0; s < count; ++s)
      statement();
    std::string inputs, outputs;
    bool usesM = false, usesN = false;
    for (const Tensor &tensor : tensors) {
      std::string type = printed(tensor.shape);
      std::string text = tensor.name + ": " + type;
      usesM |= type.find('M') != std::string::npos;
      usesN |= type.find('N') != std::string::npos;
      if (tensor.role == Tensor::Role::Input)
        inputs += (inputs.empty() ? "" : ", ") + text;
      else if (tensor.role == Tensor::Role::InOut)
        inputs += (inputs.empty() ? "inout " : ", inout ") + text;
      else if (tensor.role == Tensor::Role::Output || !tensor.isRead)
        outputs += (outputs.empty() ? " -> " : ", ") + text;
    }
    std::string where;
    for (auto [uses, name] : {std::pair(usesM, "M"), std::pair(usesN, "N")})
      if (uses)
        where += (where.empty() ? " where " : ", ") + std::string(name) +
                 " >= 1" + (isShort ? ", " + std::string(name) + " <= 8" : "");
    return "op f(" + inputs + ")" + outputs + where + " {\n" + lines + "}\n";
  }

private:
  using Role = Tensor::Role;

  bool chance(int percent) { return int(random() % 100) < percent; }
  template <size_t n> const char *oneOf(const char *const (&list)[n]) {
    return list[random() % n];
  }

  std::string define(Shape shape, Role role) {
    std::string name =
        (role == Role::Input || role == Role::InOut ? "x" : "t") +
        std::to_string(tensors.size());
    tensors.push_back({name, shape, role});
    return name;
  }

  /// The name of a tensor of that shape that holds values everywhere.
  std::string any(Shape shape) {
    std::vector<size_t> found;
    for (size_t t = 0; t < tensors.size(); ++t)
      if (tensors[t].shape == shape && tensors[t].name != writing)
        found.push_back(t);
    if (found.empty() || (chance(10) && tensors.size() < 8)) {
      std::string name = define(shape, Role::Input);
      tensors.back().isRead = true;
      return name;
    }
    // What was made last, mostly: chains of statements matter.
    size_t at = chance(60) ? found.back() : found[random() % found.size()];
    tensors[at].isRead = true;
    return tensors[at].name;
  }

  std::string inOut(Shape shape) {
    for (Tensor &tensor : tensors)
      if (tensor.shape == shape && tensor.role == Role::InOut)
        return tensor.name;
    return define(shape, Role::InOut);
  }

  std::string shifted(const std::string &index) {
    switch (random() % 3) {
    case 0:
      return index + " - 1";
    case 1:
      return index + " + 1";
    default:
      return index;
    }
  }

  /// A read in the plane (i, j).
  std::string planeRead() {
    switch (random() % 8) {
    case 0:
    case 1:
      return any(Shape::Plane) + "[i, j]";
    case 2:
      return "(" + any(Shape::Plane) + "[" + shifted("i") + ", " +
             shifted("j") + "] else 0)";
    case 3:
      return any(Shape::Row) + "[i]";
    case 4:
      return any(Shape::Column) + "[j]";
    case 5:
      return chance(50) ? any(Shape::Wide) + "[i, 2 * j + 1]"
                        : any(Shape::Wide) + "[i, j + N]";
    case 6:
      return any(Shape::Long) + "[j" + (chance(50) ? " + 2]" : "]");
    default:
      return any(Shape::Single);
    }
  }
  std::string rowRead() {
    switch (random() % 6) {
    case 0:
    case 1:
      return any(Shape::Row) + "[i]";
    case 2:
      return "(" + any(Shape::Row) + "[" + shifted("i") + "] else 0)";
    case 3:
      return any(Shape::Plane) + "[i, 0]";
    case 4:
      return any(Shape::Column) + "[" + any(Shape::Places) + "[i]]";
    default:
      return any(Shape::Single);
    }
  }
  std::string columnRead() {
    switch (random() % 5) {
    case 0:
    case 1:
      return any(Shape::Column) + "[j]";
    case 2:
      return "(" + any(Shape::Column) + "[" + shifted("j") + "] else 0)";
    case 3:
      return any(Shape::Long) + "[j + 1]";
    default:
      return any(Shape::Plane) + "[0, j]";
    }
  }

  std::string more(std::string (Writer::*read)()) {
    std::string text;
    for (unsigned r = unsigned(random() % 3); r > 0; --r)
      text += std::string(oneOf({" + ", " - ", " * "})) + (this->*read)();
    return text;
  }

  void line(const std::string &target, const std::string &value) {
    lines += "  " + indent + target + " = " + value + "\n";
  }

  std::string order() {
    if (isShort && chance(30))
      return "";
    return oneOf({", order=sequential", ", order=lanes(2, 1)",
                  ", order=lanes(2, 2)", ", order=lanes(4, 1)",
                  ", order=seg(2, seq)", ", order=seg(3, lanes(2, 1), m=seq)",
                  ", order=seg(2, seq, m=lanes(2, 1))"});
  }

  Role madeRole() { return chance(50) ? Role::Temporary : Role::Output; }

  void statement() {
    switch (random() % 15) {
    case 0:
    case 1:
    case 2:
      return map();
    case 3:
    case 4:
    case 5:
      return rowSum();
    case 6:
      return columnSum();
    case 7:
      return others();
    case 8:
    case 9:
      return recurrence();
    case 10:
    case 11:
      return inPlace();
    case 12:
      return parts();
    case 13:
      return overwritten();
    default:
      return timeLoop();
    }
  }

  void map() {
    std::string value;
    switch (random() % 3) {
    case 0:
      value = any(Shape::Row) + "[i]" + more(&Writer::rowRead);
      return line(define(Shape::Row, madeRole()) + "[i]", value);
    case 1:
      value = any(Shape::Column) + "[j]" + more(&Writer::columnRead);
      return line(define(Shape::Column, madeRole()) + "[j]", value);
    default:
      value = any(Shape::Plane) + "[i, j]" + more(&Writer::planeRead);
      return line(define(Shape::Plane, madeRole()) + "[i, j]", value);
    }
  }

  std::string reducedPlane() {
    std::string value = any(Shape::Plane) + "[i, j]";
    if (chance(60))
      value += " * " + planeRead();
    else if (chance(30))
      value += " + " + planeRead();
    return value;
  }

  void rowSum() {
    std::string value = isShort && chance(30)
                            ? "max[j](" + reducedPlane() + ")"
                            : "sum[j" + order() + "](" + reducedPlane() + ")";
    line(define(Shape::Row, madeRole()) + "[i]", value);
  }

  void columnSum() {
    std::string value = isShort && chance(30)
                            ? "min[i](" + reducedPlane() + ")"
                            : "sum[i" + order() + "](" + reducedPlane() + ")";
    line(define(Shape::Column, madeRole()) + "[j]", value);
  }

  void others() {
    std::string value;
    switch (random() % 4) {
    case 0:
      value = "sum[i, j, order=sequential](" + reducedPlane() + ")";
      return line(define(Shape::Single, madeRole()), value);
    case 1:
      value = "sum[k, order=" +
              std::string(oneOf({"tree(4)", "tree(2)", "tree(2, seq)"})) +
              "](" + any(Shape::Four) + "[i, k] * " + any(Shape::Row) + "[i])";
      return line(define(Shape::Row, madeRole()) + "[i]", value);
    case 2:
      value = "sum[j" + order() + "](" + any(Shape::Column) + "[j])";
      return line(define(Shape::Single, madeRole()), value);
    default: {
      std::string target = inOut(Shape::Column);
      writing = target;
      lines += "  " + target + "[" + any(Shape::Places) +
               "[i]] +=[order=sequential] " + any(Shape::Row) + "[i]\n";
      writing.clear();
      return;
    }
    }
  }

  /// Of outputs: a temporary would have no type yet.
  void recurrence() {
    if (chance(30)) {
      std::string value = any(Shape::Row) + "[i]";
      std::string name = define(Shape::Row, Role::Output);
      return line(name + "[i]",
                  "(" + name + "[i - 1] else 0) * 0.5 + " + value);
    }
    std::string value = any(Shape::Plane) + "[i, j]";
    std::string name = define(Shape::Plane, Role::Output);
    std::string at =
        oneOf({"[i, j - 1]", "[i - 1, j]", "[i - 1, j - 1]", "[i - 1, j + 1]"});
    std::string read = "(" + name + at + " else 0)";
    if (chance(25))
      read += " - (" + name + "[i - 1, j] else 1)";
    line(name + "[i, j]", read + " * 0.5 + " + value);
  }

  void inPlace() {
    std::string name = inOut(Shape::Plane);
    for (Tensor &tensor : tensors)
      if (tensor.name == name)
        tensor.isRead = true;
    writing = name;
    std::string at =
        oneOf({"[i, j - 1]", "[i - 1, j]", "[i, j + 1]", "[i + 1, j]",
               "[i - 1, j + 1]", "[i, j]", "[i + 1, j - 1]"});
    // Without a read of the element itself only the writes are in order.
    std::string value = any(Shape::Plane) + "[i, j]";
    if (chance(60))
      value = name + "[i, j]";
    if (chance(70))
      value += " + (" + name + at + " else 0) * 0.5";
    if (chance(60))
      value += " + " + planeRead();
    line(name + "[i, j]", value);
    writing.clear();
  }

  /// Values that nobody reads before others take their place.
  void overwritten() {
    std::string name = inOut(Shape::Plane);
    writing = name;
    for (int n = 0; n < 2; ++n)
      line(name + "[i, j]",
           any(Shape::Plane) + "[i, j]" + more(&Writer::planeRead));
    writing.clear();
  }

  void parts() {
    std::string first = any(Shape::Plane) + "[i, j]" + more(&Writer::planeRead);
    std::string second =
        any(Shape::Plane) + "[i, j]" + more(&Writer::planeRead);
    bool interleaved = chance(50);
    std::string name = define(Shape::Wide, Role::Output);
    line(name + (interleaved ? "[i, 2 * j]" : "[i, j]"), first);
    line(name + (interleaved ? "[i, 2 * j + 1]" : "[i, j + N]"), second);
  }

  void timeLoop() {
    unsigned kind = unsigned(random() % 3);
    std::string a = inOut(Shape::Long), b, scale;
    for (Tensor &tensor : tensors)
      if (tensor.name == a)
        tensor.isRead = true;
    if (kind == 0)
      b = define(Shape::Long, Role::InOut);
    lines += "  for t in 0.." + std::string(oneOf({"2", "3"})) + " {\n";
    indent = "  ";
    switch (kind) {
    case 0:
      line(b + "[i + 1]", "0.5 * (" + a + "[i] + " + a + "[i + 2])");
      line(a + "[i + 1]", "0.25 * (" + b + "[i] + " + b + "[i + 2])");
      break;
    case 1:
      line(a + "[i + 1]", "0.5 * (" + a + "[i] + " + a + "[i + 2])");
      break;
    default:
      // A tensor of one turn.
      line("u" + std::to_string(loops), "sum[i" + order() + "](" + a + "[i])");
      line(a + "[i]", a + "[i] * 0.5 + u" + std::to_string(loops));
      ++loops;
      break;
    }
    indent.clear();
    lines += "  }\n";
  }

  std::mt19937 random;
  std::vector<Tensor> tensors;
  std::string lines, indent, writing;
  unsigned loops = 0;
  bool isShort = false; ///< of few elements, so of few lanes
};

} // namespace

std::string girih::test::randomProgram(unsigned seed) {
  return Writer(seed).write();
}
