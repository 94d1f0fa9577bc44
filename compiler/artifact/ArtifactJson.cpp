//===- ArtifactJson.cpp - a JSON picture of an artifact -------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expressions are printed as a person writes them; indices appear as the names
// they stand for. The text is always valid JSON and UTF-8, whatever bytes the
// strings hold.
//
//===----------------------------------------------------------------------===//

#include "compiler/artifact/View.h"

namespace girih::artifact {

/// How many bytes the UTF-8 sequence at text[at] takes, 0 if it is malformed:
/// cut off, overlong, a surrogate or beyond U+10FFFF.
static size_t utf8Length(std::string_view text, size_t at) {
  auto byte = [&](size_t i) -> unsigned {
    return i < text.size() ? uint8_t(text[i]) : 0;
  };
  unsigned lead = byte(at);
  size_t length = lead < 0x80                    ? 1
                  : lead >= 0xc2 && lead <= 0xdf ? 2
                  : lead >= 0xe0 && lead <= 0xef ? 3
                  : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                 : 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(at + i) & 0xc0) != 0x80)
      return 0;
  unsigned second = byte(at + 1);
  if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
      (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f))
    return 0;
  return length;
}

namespace {

/// Writes JSON with two-space indentation. Keys are literals of ours.
class JsonWriter {
public:
  std::string text;

  template <typename Body> void object(Body body) { nest('{', '}', body); }

  template <typename List, typename Element>
  void array(const List &list, Element element) {
    nest('[', ']', [&] {
      for (const auto &item : list) {
        separate();
        element(item);
      }
    });
  }

  /// Starts a member of the current object; its value comes next.
  void key(const char *name) {
    separate();
    value(std::string_view(name));
    text += ": ";
  }

  void value(std::string_view string) {
    text += '"';
    for (size_t at = 0; at < string.size();) {
      size_t length = utf8Length(string, at);
      if (length == 1)
        escape(string[at]);
      else if (length == 0)
        text += "\\ufffd"; // the replacement character
      else
        text += string.substr(at, length);
      at += length == 0 ? 1 : length;
    }
    text += '"';
  }
  void value(int64_t number) { text += std::to_string(number); }
  void value(bool truth) { text += truth ? "true" : "false"; }

  template <typename T> void member(const char *name, const T &item) {
    key(name);
    value(item);
  }
  void strings(const char *name, const std::vector<std::string> &list) {
    key(name);
    array(list,
          [&](const std::string &item) { value(std::string_view(item)); });
  }

private:
  void escape(char c) {
    switch (c) {
    case '"':
    case '\\':
      text += '\\';
      text += c;
      return;
    case '\n':
      text += "\\n";
      return;
    case '\r':
      text += "\\r";
      return;
    case '\t':
      text += "\\t";
      return;
    }
    if (uint8_t(c) >= 0x20 && c != 0x7f) {
      text += c;
      return;
    }
    const char *digits = "0123456789abcdef";
    text += "\\u00";
    text += digits[uint8_t(c) >> 4];
    text += digits[uint8_t(c) & 15];
  }

  void separate() {
    if (!first)
      text += ',';
    first = false;
    newLine();
  }

  void newLine() {
    text += '\n';
    text.append(2 * depth, ' ');
  }

  template <typename Body> void nest(char open, char close, Body body) {
    text += open;
    ++depth;
    first = true;
    body();
    --depth;
    if (!first)
      newLine();
    text += close;
    first = false;
  }

  size_t depth = 0;
  bool first = true;
};

/// Prints one artifact; holds the names that indices stand for.
class Picture {
public:
  Picture(const Artifact &artifact)
      : artifact(artifact), signature(artifact.signature) {}

  std::string print() {
    json.object([&] {
      json.member("op", text(signature.op));
      json.member("target", text(artifact.target));
      json.key("sizes");
      printSizes();
      json.key("parameters");
      json.array(signature.params,
                 [&](const TensorParam &param) { printParam(param); });
      json.key("constraints");
      json.array(signature.constraints,
                 [&](const SizeConstraint &c) { json.value(sentence(c)); });
      json.key("contract");
      json.object([&] {
        json.member("functions", text(artifact.contract.functions));
        json.strings("reductions", artifact.contract.reductions);
      });
      json.key("variants");
      json.array(artifact.variants,
                 [&](const Variant &variant) { printVariant(variant); });
      json.member("te", text(artifact.teModule));
      json.member("provenance", text(artifact.provenance));
      json.member("edited", artifact.edited);
    });
    return json.text + "\n";
  }

private:
  static std::string_view text(const std::string &string) { return string; }

  std::string sizeName(unsigned index) const {
    return girih::artifact::print(SizeExpr::sizeRef(index), signature.sizes);
  }
  std::string paramName(unsigned index) const {
    return index < signature.params.size()
               ? signature.params[index].name
               : "parameter#" + std::to_string(index);
  }
  std::string strideName(unsigned param, unsigned dim) const {
    return "stride(" + paramName(param) + ", " + std::to_string(dim) + ")";
  }
  void expression(const char *name, const SizeExpr &expr) {
    json.member(name, text(girih::artifact::print(expr, signature.sizes)));
  }

  void printSizes() {
    size_t index = 0;
    json.array(signature.sizes, [&](const std::string &name) {
      json.object([&] {
        json.member("name", text(name));
        if (index < signature.given.size() && signature.given[index] >= 0)
          json.member("given", signature.given[index]);
        for (const DerivedSize &derived : signature.derived)
          if (derived.size == index)
            json.member("is", girih::artifact::print(derived, signature.sizes));
      });
      ++index;
    });
  }

  void printParam(const TensorParam &param) {
    json.object([&] {
      json.member("name", text(param.name));
      json.member("type", nameOf(param.type));
      json.key("shape");
      json.array(param.shape, [&](const SizeExpr &extent) {
        json.value(text(girih::artifact::print(extent, signature.sizes)));
      });
      json.member("output", param.isOutput);
      if (param.inPlace >= 0)
        json.member("inPlace", text(paramName(unsigned(param.inPlace))));
      if (param.apart)
        json.member("apart", param.apart);
      std::vector<OuterDim> dims = outerDims(param);
      json.key("dims");
      json.array(dims, [&](const OuterDim &dim) {
        json.value(text(girih::artifact::print(dim, param, signature.sizes)));
      });
      json.key("layout");
      json.array(outerLayout(param),
                 [&](unsigned dim) { json.value(int64_t(dim)); });
      json.member("align", param.align);
      json.member("finite", param.finite);
      if (param.range.size() >= 2) {
        expression("first", param.range[0]);
        expression("end", param.range[1]);
      }
      if (param.hasOffsets())
        expression("offsets", param.range[2]);
    });
  }

  std::string sentence(const SizeConstraint &constraint) const {
    std::string size = sizeName(constraint.size);
    std::string value = std::to_string(constraint.value);
    switch (constraint.kind) {
    case SizeConstraint::Kind::Divisible:
      return size + " % " + value + " == 0";
    case SizeConstraint::Kind::AtMost:
      return size + " <= " + value;
    case SizeConstraint::Kind::AtLeast:
      return size + " >= " + value;
    case SizeConstraint::Kind::Equal:
      return size + " == " + value;
    }
    return "";
  }

  std::string sentence(const Guard &guard) const {
    std::string value = std::to_string(guard.value);
    switch (guard.kind) {
    case Guard::Kind::UnitStride:
      return strideName(guard.param, guard.dim) + " == 1";
    case Guard::Kind::StrideDivisible:
      return strideName(guard.param, guard.dim) + " % " + value + " == 0";
    case Guard::Kind::AlignedPointer:
      return "address(" + paramName(guard.param) + ") % " + value + " == 0";
    case Guard::Kind::SizeDivisible:
      return sizeName(guard.size) + " % " + value + " == 0";
    case Guard::Kind::SizeAtMost:
      return sizeName(guard.size) + " <= " + value;
    case Guard::Kind::SizeAtLeast:
      return sizeName(guard.size) + " >= " + value;
    }
    return "";
  }

  std::string sentence(const Argument &argument, const Variant &variant) const {
    switch (argument.kind) {
    case Argument::Kind::Pointer:
      return "pointer(" + paramName(argument.index) + ")";
    case Argument::Kind::Stride:
      return strideName(argument.index, argument.dim);
    case Argument::Kind::Size:
      return sizeName(argument.index);
    case Argument::Kind::Workspace:
      return argument.index < variant.workspace.size()
                 ? "workspace(" + variant.workspace[argument.index].name + ")"
                 : "workspace#" + std::to_string(argument.index);
    case Argument::Kind::Value:
      return girih::artifact::print(argument.value, signature.sizes);
    case Argument::Kind::Turn:
      return "turn#" + std::to_string(argument.index);
    }
    return "";
  }

  void printLaunch(const Launch &launch, const Variant &variant) {
    json.object([&] {
      json.member("kernel", text(launch.kernel));
      expression("grid", launch.grid);
      json.member("threads", int64_t(launch.threads));
      json.member("sharedBytes", int64_t(launch.sharedBytes));
      json.key("arguments");
      json.array(launch.arguments, [&](const Argument &argument) {
        json.value(text(sentence(argument, variant)));
      });
    });
  }

  void printVariant(const Variant &variant) {
    json.object([&] {
      json.member("name", text(variant.name));
      json.key("guards");
      json.array(variant.guards,
                 [&](const Guard &guard) { json.value(sentence(guard)); });
      json.key("workspace");
      json.array(variant.workspace, [&](const WorkspaceBuffer &buffer) {
        json.object([&] {
          json.member("name", text(buffer.name));
          expression("bytes", buffer.bytes);
        });
      });
      json.key("launches");
      json.array(variant.launches,
                 [&](const Launch &launch) { printLaunch(launch, variant); });
      if (!variant.loops.empty()) {
        json.key("loops");
        json.array(variant.loops, [&](const LaunchLoop &loop) {
          json.object([&] {
            json.member("begin", int64_t(loop.begin));
            json.member("end", int64_t(loop.end));
            expression("count", loop.count);
          });
        });
      }
      json.key("reports");
      json.array(variant.reports, [&](const KernelReport &report) {
        json.object([&] {
          json.member("kernel", text(report.kernel));
          json.strings("lines", report.lines);
        });
      });
      json.member("ptx", text(variant.ptx));
    });
  }

  const Artifact &artifact;
  const Signature &signature;
  JsonWriter json;
};

} // namespace

std::string printJson(const Artifact &artifact) {
  return Picture(artifact).print();
}

} // namespace girih::artifact
