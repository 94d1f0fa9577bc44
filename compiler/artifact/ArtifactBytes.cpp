//===- ArtifactBytes.cpp - writing the saved form -------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One `write` per type, in the order of Artifact.h. ArtifactReader.cpp mirrors
// this file; a change here is a change there and of kFormatVersion.
//
//===----------------------------------------------------------------------===//

#include "compiler/artifact/Artifact.h"
#include "compiler/artifact/ArtifactFormat.h"

#include <limits>

namespace girih::artifact {

namespace {

class Writer {
public:
  std::string bytes;

  void u8(uint8_t value) { bytes.push_back(char(value)); }
  void u32(uint32_t value) { integer(value, 4); }
  void u64(uint64_t value) { integer(value, 8); }
  void i64(int64_t value) { integer(uint64_t(value), 8); }

  void write(const std::string &text) {
    count(text.size());
    bytes += text;
  }
  void write(int64_t value) { i64(value); }
  void write(unsigned value) { u32(value); }

  template <typename T> void write(const std::vector<T> &list) {
    count(list.size());
    for (const T &element : list)
      write(element);
  }

  void write(const SizeExpr &expr) {
    u8(uint8_t(expr.kind));
    if (expr.kind == SizeExpr::Kind::Constant)
      i64(expr.value);
    else if (expr.kind == SizeExpr::Kind::Size)
      u32(expr.size);
    else
      write(expr.operands);
  }

  void write(const TensorParam &param) {
    write(param.name);
    u8(uint8_t(param.type));
    write(param.shape);
    u8(param.isOutput);
    i64(param.inPlace);
    u8(param.apart);
    write(param.groups);
    u8(param.leading);
    write(param.layout);
    i64(param.align);
    u8(param.finite);
    write(param.range);
  }

  void write(const CheckWord &word) {
    u8(uint8_t(word.kind));
    u32(word.where);
    u32(word.value);
    write(word.tensor);
    write(word.subscript);
    write(word.names);
    write(word.starts);
    write(word.extents);
    write(word.end);
    i64(word.low);
  }

  void write(const SizeConstraint &constraint) {
    u32(constraint.size);
    u8(uint8_t(constraint.kind));
    i64(constraint.value);
  }

  void write(const DerivedSize &derived) {
    u32(derived.size);
    write(derived.sum);
    i64(derived.divisor);
  }

  void write(const Signature &signature) {
    write(signature.op);
    write(signature.sizes);
    write(signature.given);
    write(signature.params);
    write(signature.constraints);
    write(signature.checks);
    write(signature.derived);
  }

  void write(const Guard &guard) {
    u8(uint8_t(guard.kind));
    u32(guard.param);
    u32(guard.dim);
    u32(guard.size);
    i64(guard.value);
  }

  void write(const Argument &argument) {
    u8(uint8_t(argument.kind));
    u32(argument.index);
    u32(argument.dim);
    if (argument.kind == Argument::Kind::Value)
      write(argument.value);
  }

  void write(const Launch &launch) {
    write(launch.kernel);
    write(launch.grid);
    u32(launch.threads);
    u32(launch.sharedBytes);
    write(launch.arguments);
  }

  void write(const LaunchLoop &loop) {
    u32(loop.begin);
    u32(loop.end);
    write(loop.count);
  }

  void write(const WorkspaceBuffer &buffer) {
    write(buffer.name);
    write(buffer.bytes);
  }

  void write(const KernelReport &report) {
    write(report.kernel);
    write(report.lines);
  }

  void write(const Variant &variant) {
    write(variant.name);
    write(variant.guards);
    write(variant.workspace);
    write(variant.launches);
    write(variant.loops);
    write(variant.ptx);
    write(variant.reports);
  }

  void write(const Contract &contract) {
    write(contract.functions);
    write(contract.reductions);
  }

  void write(const Artifact &artifact) {
    write(artifact.signature);
    write(artifact.target);
    write(artifact.contract);
    write(artifact.variants);
    write(artifact.teModule);
    write(artifact.provenance);
    u8(artifact.edited);
  }

private:
  void integer(uint64_t value, int size) {
    for (int i = 0; i < size; ++i)
      bytes.push_back(char(value >> (8 * i)));
  }

  void count(size_t value) {
    assert(value <= std::numeric_limits<uint32_t>::max());
    u32(uint32_t(value));
  }
};

} // namespace

std::string serialize(const Artifact &artifact) {
  Writer body;
  body.write(artifact);
  Writer whole;
  whole.bytes.reserve(kHeaderBytes + body.bytes.size() + kChecksumBytes);
  whole.bytes = kMagic;
  whole.u32(kFormatVersion);
  whole.u64(body.bytes.size());
  whole.bytes += body.bytes;
  whole.u64(fnv1a(whole.bytes));
  return std::move(whole.bytes);
}

} // namespace girih::artifact
