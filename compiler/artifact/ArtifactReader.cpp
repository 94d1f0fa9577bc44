//===- ArtifactReader.cpp - reading the saved form ------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The input is untrusted: nothing is read past the end, no list is longer than
// the bytes that are left could hold, expressions nest at most 64 deep, every
// enum and bool is checked. The first fault is kept; reads after it give zeros
// and empty lists, so that each `read` below stays a plain list of fields.
//
//===----------------------------------------------------------------------===//

#include "compiler/artifact/Artifact.h"
#include "compiler/artifact/ArtifactFormat.h"
#include "compiler/artifact/Validate.h"

namespace girih::artifact {

namespace {

class Reader {
public:
  /// `base`: where `bytes` begin in the file, for messages.
  Reader(std::string_view bytes, size_t base) : bytes(bytes), base(base) {}

  Status status;
  bool atEnd() const { return at == bytes.size(); }
  size_t left() const { return bytes.size() - at; }

  uint8_t u8() { return uint8_t(integer(1)); }
  uint32_t u32() { return uint32_t(integer(4)); }
  uint64_t u64() { return integer(8); }
  int64_t i64() { return int64_t(integer(8)); }

  void read(std::string &text) {
    size_t length = count(1, "bytes of text");
    text = bytes.substr(at, length);
    at += length;
  }
  void read(int64_t &value) { value = i64(); }
  void read(unsigned &value) { value = u32(); }

  void read(SizeExpr &expr) { readExpr(expr, 1); }

  void read(TensorParam &param) {
    read(param.name);
    param.type = enumerator(kLastScalarType, "scalar type");
    readList(param.shape, kExprBytes, "extents");
    param.isOutput = boolean();
    int64_t place = i64();
    if (place != int(place))
      fail("unknown parameter " + std::to_string(place));
    param.inPlace = int(place);
    param.apart = boolean();
    readList(param.groups, 4, "groups");
    param.leading = boolean();
    readList(param.layout, 4, "dimensions of a layout");
    param.align = i64();
    param.finite = boolean();
    readList(param.range, kExprBytes, "ends of a range");
  }

  void read(CheckWord &word) {
    word.kind = enumerator(CheckWord::Kind::Magnitude, "check");
    word.where = u32();
    word.value = u32();
    read(word.tensor);
    read(word.subscript);
    readList(word.names, 4, "names");
    readList(word.starts, kExprBytes, "starts");
    readList(word.extents, kExprBytes, "extents");
    read(word.end);
    word.low = i64();
  }

  void read(SizeConstraint &constraint) {
    constraint.size = u32();
    constraint.kind = enumerator(SizeConstraint::Kind::Equal, "constraint");
    constraint.value = i64();
  }

  void read(DerivedSize &derived) {
    derived.size = u32();
    read(derived.sum);
    derived.divisor = i64();
  }

  void read(Signature &signature) {
    read(signature.op);
    readList(signature.sizes, 4, "sizes");
    readList(signature.given, 8, "given values");
    readList(signature.params, kParamBytes, "parameters");
    readList(signature.constraints, 4 + 1 + 8, "constraints");
    readList(signature.checks, 1 + 2 * 4 + 5 * 4 + kExprBytes + 8, "checks");
    readList(signature.derived, 4 + kExprBytes + 8, "derived sizes");
  }

  void read(Guard &guard) {
    guard.kind = enumerator(Guard::Kind::SizeAtLeast, "guard");
    guard.param = u32();
    guard.dim = u32();
    guard.size = u32();
    guard.value = i64();
  }

  void read(Argument &argument) {
    argument.kind = enumerator(Argument::Kind::Turn, "argument");
    argument.index = u32();
    argument.dim = u32();
    if (argument.kind == Argument::Kind::Value)
      read(argument.value);
  }

  void read(Launch &launch) {
    read(launch.kernel);
    read(launch.grid);
    launch.threads = u32();
    launch.sharedBytes = u32();
    readList(launch.arguments, 1 + 4 + 4, "arguments");
  }

  void read(LaunchLoop &loop) {
    loop.begin = u32();
    loop.end = u32();
    read(loop.count);
  }

  void read(WorkspaceBuffer &buffer) {
    read(buffer.name);
    read(buffer.bytes);
  }

  void read(KernelReport &report) {
    read(report.kernel);
    readList(report.lines, 4, "report lines");
  }

  void read(Variant &variant) {
    read(variant.name);
    readList(variant.guards, 1 + 4 + 4 + 4 + 8, "guards");
    readList(variant.workspace, 4 + kExprBytes, "workspace buffers");
    readList(variant.launches, 4 + kExprBytes + 4 + 4 + 4, "launches");
    readList(variant.loops, 4 + 4 + kExprBytes, "loops of launches");
    read(variant.ptx);
    readList(variant.reports, 4 + 4, "reports");
  }

  void read(Contract &contract) {
    read(contract.functions);
    readList(contract.reductions, 4, "reductions");
  }

  void read(Artifact &artifact) {
    read(artifact.signature);
    read(artifact.target);
    read(artifact.contract);
    readList(artifact.variants, 4 * 7, "variants");
    read(artifact.teModule);
    read(artifact.provenance);
    artifact.edited = boolean();
  }

private:
  /// The fewest bytes of an expression: a kind and a size or an operand count.
  static constexpr size_t kExprBytes = 1 + 4;
  static constexpr size_t kParamBytes =
      4 + 1 + 4 + 1 + 8 + 4 + 1 + 4 + 8 + 1 + 4;

  void fail(std::string message) {
    if (status.ok())
      status =
          Failure{std::move(message) + " at byte " + std::to_string(base + at)};
    at = bytes.size();
  }

  uint64_t integer(size_t size) {
    if (left() < size) {
      fail("the artifact ends inside a field");
      return 0;
    }
    uint64_t value = 0;
    for (size_t i = 0; i < size; ++i)
      value |= uint64_t(uint8_t(bytes[at + i])) << (8 * i);
    at += size;
    return value;
  }

  /// The length of a list whose elements take at least `least` bytes each: a
  /// length that the rest cannot hold is refused before memory is taken.
  size_t count(size_t least, const char *what) {
    size_t length = u32();
    if (length <= left() / least)
      return length;
    fail(std::to_string(length) + " " + what + " do not fit the " +
         std::to_string(left()) + " bytes that are left");
    return 0;
  }

  bool boolean() {
    uint8_t value = u8();
    if (value > 1)
      fail("unknown truth value " + std::to_string(value));
    return value == 1;
  }

  /// Enumerators count from zero; `last` is the highest.
  template <typename Enum> Enum enumerator(Enum last, const char *what) {
    uint8_t value = u8();
    if (value <= uint8_t(last))
      return Enum(value);
    fail("unknown kind " + std::to_string(value) + " of " + what);
    return Enum(0);
  }

  template <typename T>
  void readList(std::vector<T> &list, size_t least, const char *what) {
    size_t length = count(least, what);
    for (size_t i = 0; i < length && status.ok(); ++i)
      read(list.emplace_back());
  }

  void readExpr(SizeExpr &expr, unsigned depth) {
    if (depth > kDeepestSizeExpr)
      return fail(tooDeepMessage());
    expr.kind = enumerator(SizeExpr::Kind::Max, "size expression");
    if (expr.kind == SizeExpr::Kind::Constant) {
      expr.value = i64();
    } else if (expr.kind == SizeExpr::Kind::Size) {
      expr.size = u32();
    } else {
      size_t length = count(kExprBytes, "operands");
      for (size_t i = 0; i < length && status.ok(); ++i)
        readExpr(expr.operands.emplace_back(), depth + 1);
    }
  }

  std::string_view bytes;
  size_t base;
  size_t at = 0;
};

} // namespace

Result<Artifact> deserialize(std::string_view bytes) {
  if (bytes.substr(0, kMagic.size()) != kMagic.substr(0, bytes.size()))
    return Failure{"not a Girih artifact: it does not start with GIRIHART"};
  if (bytes.size() < kHeaderBytes + kChecksumBytes)
    return Failure{"the artifact is cut off after " +
                   std::to_string(bytes.size()) + " bytes"};
  Reader header(bytes.substr(kMagic.size()), kMagic.size());
  uint32_t version = header.u32();
  if (version != kFormatVersion)
    return Failure{"the artifact has format version " +
                   std::to_string(version) + ", this build reads version " +
                   std::to_string(kFormatVersion)};
  uint64_t length = header.u64();
  size_t present = bytes.size() - kHeaderBytes - kChecksumBytes;
  if (length > present)
    return Failure{"the artifact is cut off: its body should have " +
                   std::to_string(length) + " bytes and has " +
                   std::to_string(present)};
  if (length < present)
    return Failure{std::to_string(present - length) +
                   " bytes follow the artifact's end"};
  std::string_view sealed = bytes.substr(0, kHeaderBytes + present);
  Reader checksum(bytes.substr(sealed.size()), sealed.size());
  if (checksum.u64() != fnv1a(sealed))
    return Failure{"the artifact is damaged: its checksum does not match"};

  Reader reader(sealed.substr(kHeaderBytes), kHeaderBytes);
  Artifact artifact;
  reader.read(artifact);
  if (!reader.status)
    return Failure{reader.status.message()};
  if (!reader.atEnd())
    return Failure{std::to_string(reader.left()) +
                   " bytes follow the artifact's last field"};
  if (Status valid = validate(artifact); !valid)
    return Failure{valid.message()};
  return artifact;
}

} // namespace girih::artifact
