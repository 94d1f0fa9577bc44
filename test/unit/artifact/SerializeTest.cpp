//===- SerializeTest.cpp - the saved form, whole and damaged --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleArtifact.h"
#include "compiler/artifact/ArtifactFormat.h"

#include <catch2/catch.hpp>

#include <random>

using namespace girih;
using namespace girih::artifact;

static std::string messageOf(std::string_view bytes) {
  Result<Artifact> artifact = deserialize(bytes);
  REQUIRE_FALSE(artifact);
  return artifact.message();
}

/// `bytes` with length and checksum made right again, as a forger would.
static std::string sealed(std::string bytes) {
  bytes.resize(bytes.size() - kChecksumBytes);
  uint64_t length = bytes.size() - kHeaderBytes;
  for (int i = 0; i < 8; ++i)
    bytes[12 + i] = char(length >> (8 * i));
  uint64_t sum = fnv1a(bytes);
  for (int i = 0; i < 8; ++i)
    bytes.push_back(char(sum >> (8 * i)));
  return bytes;
}

/// Writes `value` as a little-endian u32 at the first place that holds `text`
/// with its length prefix: at the prefix plus `offset`.
static std::string patched(std::string bytes, const std::string &text,
                           int offset, uint32_t value) {
  std::string prefix(1, char(text.size()));
  size_t at = bytes.find(prefix + std::string(3, '\0') + text);
  REQUIRE(at != std::string::npos);
  for (int i = 0; i < 4; ++i)
    bytes[at + offset + i] = char(value >> (8 * i));
  return sealed(bytes);
}

TEST_CASE("a full artifact comes back as it was") {
  Artifact before = sampleArtifact();
  Result<Artifact> after = deserialize(serialize(before));
  INFO(after.message());
  REQUIRE(after);
  // The bytes and the picture together hold every field.
  CHECK(serialize(*after) == serialize(before));
  CHECK(printJson(*after) == printJson(before));

  const Signature &signature = after->signature;
  CHECK(signature.op == "matmul");
  CHECK(signature.sizes == before.signature.sizes);
  CHECK(signature.given == before.signature.given);
  REQUIRE(signature.params.size() == 4);
  CHECK(signature.params[0].type == ScalarType::BF16);
  CHECK(signature.params[3].isOutput);
  CHECK_FALSE(signature.params[2].isOutput);
  CHECK(signature.params[2].shape[0].value == 4096);
  CHECK(signature.constraints[2].kind == SizeConstraint::Kind::AtLeast);
  CHECK(signature.constraints[2].value == -5);
  CHECK(after->target == "sm_90a");
  CHECK(after->contract.functions == "portable");
  CHECK(after->contract.reductions == before.contract.reductions);
  REQUIRE(after->variants.size() == 2);
  const Variant &variant = after->variants[0];
  CHECK(variant.ptx == before.variants[0].ptx);
  CHECK(variant.guards[1].kind == Guard::Kind::StrideDivisible);
  CHECK(variant.guards[1].param == 1);
  CHECK(variant.guards[3].size == 2);
  CHECK(variant.guards[4].value == 1 << 20);
  CHECK(variant.launches[0].sharedBytes == 98304);
  CHECK(variant.launches[0].arguments[1].kind == Argument::Kind::Stride);
  CHECK(variant.launches[0].arguments[1].dim == 1);
  CHECK(variant.launches[0].arguments[4].kind == Argument::Kind::Value);
  CHECK(*evaluate(variant.launches[0].arguments[4].value, {9, 1, 1}) == 10);
  CHECK(*evaluate(variant.launches[0].grid, {129, 4096, 7}) == 64);
  CHECK(*evaluate(variant.workspace[0].bytes, {9, 4096, 7}) == 640);
  CHECK(variant.reports[0].lines[1] == "96 KiB of \"shared\"");
  CHECK(after->variants[1].name == "general");
  CHECK(after->teModule == before.teModule);
  CHECK(after->provenance == before.provenance);
  CHECK(after->edited);
}

TEST_CASE("an empty artifact comes back") {
  Result<Artifact> after = deserialize(serialize(Artifact()));
  REQUIRE(after);
  CHECK(serialize(*after) == serialize(Artifact()));
  CHECK_FALSE(after->edited);
}

TEST_CASE("every truncation is refused") {
  std::string bytes = serialize(sampleArtifact());
  for (size_t length = 0; length < bytes.size(); ++length) {
    Result<Artifact> artifact = deserialize(bytes.substr(0, length));
    if (artifact)
      FAIL("accepted " << length << " of " << bytes.size() << " bytes");
    if (artifact.message().find("cut off") == std::string::npos)
      FAIL("length " << length << ": " << artifact.message());
  }
}

TEST_CASE("every changed byte is noticed") {
  std::string bytes = serialize(sampleArtifact());
  for (size_t at = 0; at < bytes.size(); ++at)
    for (int mask : {0x01, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[at] = char(changed[at] ^ mask);
      if (deserialize(changed))
        FAIL("accepted byte " << at << " changed by " << mask);
    }
}

TEST_CASE("damage behind a right checksum is refused or harmless") {
  // Whatever is accepted must be a valid artifact that saves to these bytes.
  std::string bytes = serialize(sampleArtifact());
  std::mt19937 generator(1);
  size_t refused = 0, accepted = 0;
  for (size_t at = kHeaderBytes; at + kChecksumBytes < bytes.size(); ++at)
    for (int i = 0; i < 8; ++i) {
      std::string changed = bytes;
      changed[at] = char(i == 0 ? 0xff : i == 1 ? 0 : generator());
      changed = sealed(changed);
      Result<Artifact> artifact = deserialize(changed);
      ++(artifact ? accepted : refused);
      if (artifact && serialize(*artifact) != changed)
        FAIL("byte " << at << " is read in two ways");
    }
  CHECK(refused > 1000);
  CHECK(accepted > 1000); // letters of a name, values of a constant
}

TEST_CASE("truncation behind a right checksum is refused") {
  std::string bytes = serialize(sampleArtifact());
  for (size_t length = kHeaderBytes; length + kChecksumBytes < bytes.size();
       ++length) {
    std::string cut = sealed(bytes.substr(0, length) + std::string(8, '\0'));
    if (deserialize(cut))
      FAIL("accepted a body of " << length - kHeaderBytes << " bytes");
  }
}

TEST_CASE("the words of each refusal") {
  std::string bytes = serialize(sampleArtifact());
  CHECK(messageOf("") == "the artifact is cut off after 0 bytes");
  CHECK(messageOf("GIRI") == "the artifact is cut off after 4 bytes");
  CHECK(messageOf("MZ and more") ==
        "not a Girih artifact: it does not start with GIRIHART");
  CHECK(messageOf(bytes.substr(0, 40))
            .find("the artifact is cut off: its body should have ") == 0);
  CHECK(messageOf(bytes + "ab") == "2 bytes follow the artifact's end");

  std::string changed = bytes;
  // Types had other numbers in version 1.
  changed[8] = 1;
  CHECK(messageOf(changed) == "the artifact has format version 1, this build "
                              "reads version 5");
  changed = bytes;
  changed[30] ^= 1;
  CHECK(messageOf(changed) ==
        "the artifact is damaged: its checksum does not match");
  std::string longer = bytes;
  longer.insert(longer.size() - kChecksumBytes, 3, 'x');
  CHECK(messageOf(sealed(longer)) ==
        "3 bytes follow the artifact's last field");
}

TEST_CASE("lengths beyond the input are refused before memory is taken") {
  std::string bytes = serialize(sampleArtifact());
  // The first field of the body is the operator's name, then the size count.
  std::string words = messageOf(patched(bytes, "matmul", 0, 0xffffffff));
  CHECK(words.find("4294967295 bytes of text do not fit the ") == 0);
  words = messageOf(patched(bytes, "matmul", 4 + 6, 0x7fffffff));
  CHECK(words.find("2147483647 sizes do not fit the ") == 0);
  CHECK(words.find(" bytes that are left at byte 34") != std::string::npos);
}

TEST_CASE("unknown enumerators are refused") {
  std::string bytes = serialize(sampleArtifact());
  // Parameter A: its name, one byte of type, then the extents.
  size_t at = bytes.find(std::string("\1\0\0\0A", 5));
  REQUIRE(at != std::string::npos);
  std::string changed = bytes;
  changed[at + 5] = 15;
  CHECK(messageOf(sealed(changed)).find("unknown kind 15 of scalar type") == 0);
  changed = bytes;
  changed[at + 5 + 1 + 4] = 8; // the first extent's kind
  CHECK(messageOf(sealed(changed)).find("unknown kind 8 of size expression") ==
        0);
  changed = bytes;
  changed[bytes.size() - kChecksumBytes - 1] = 2; // edited
  CHECK(messageOf(sealed(changed)).find("unknown truth value 2") == 0);
}

TEST_CASE("nesting is limited while reading") {
  auto withDepth = [](unsigned depth) {
    SizeExpr expr = SizeExpr::constant(1);
    for (unsigned i = 1; i < depth; ++i)
      expr = SizeExpr::binary(SizeExpr::Kind::Add, SizeExpr::constant(1),
                              std::move(expr));
    Artifact artifact = sampleArtifact();
    artifact.variants[0].launches[0].grid = std::move(expr);
    return serialize(artifact);
  };
  CHECK(deserialize(withDepth(64)));
  CHECK(messageOf(withDepth(65))
            .find("a size expression is nested deeper than 64 at byte ") == 0);
}

TEST_CASE("random bytes behind a right header never get through") {
  std::mt19937 generator(42);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes(kMagic);
    bytes += std::string("\1\0\0\0", 4) + std::string(8, '\0');
    size_t length = generator() % 200;
    for (size_t k = 0; k < length; ++k)
      // Small numbers lead deeper into the format than arbitrary ones.
      bytes.push_back(char(generator() % 4 ? generator() % 3 : generator()));
    std::string whole = sealed(bytes + std::string(8, '\0'));
    Result<Artifact> artifact = deserialize(whole);
    if (artifact && serialize(*artifact) != whole)
      FAIL("a different artifact was read");
  }
}
