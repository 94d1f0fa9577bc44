//===- Builder.cpp - writes a random kernel -------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/gpu/sim_silicon/Builder.h"

#include <cstdio>
#include <cstring>
#include <sstream>

using namespace girih::silicon;

/// What `out` holds where no thread writes.
static constexpr uint8_t kUntouched = 0xa5;

std::string girih::silicon::moduleHeader() {
  return ".version 8.6\n.target sm_90a\n.address_size 64\n\n";
}

std::string
girih::silicon::moduleText(const std::vector<const Program *> &programs) {
  std::string text = moduleHeader();
  for (const Program *program : programs)
    text += program->ptx + "\n";
  return text;
}

Builder::Builder(Program &program, Rng &rng) : rng(rng), program(program) {}

static const char *registerPrefix(unsigned bits) {
  switch (bits) {
  case 1:
    return "%p";
  case 8:
    return "%b";
  case 16:
    return "%h";
  case 32:
    return "%r";
  case 64:
    return "%d";
  default:
    return "%q";
  }
}

std::string Builder::reg(unsigned bits) {
  return registerPrefix(bits) + std::to_string(registers[bits]++);
}

std::string Builder::uniqueName(const std::string &stem) {
  return program.name + "_" + stem + std::to_string(registers[0]++);
}

/// Room for `bytes` at the end of a buffer, aligned for every access.
static size_t extend(std::vector<uint8_t> &buffer, size_t bytes, uint8_t fill) {
  size_t offset = (buffer.size() + 15) / 16 * 16;
  buffer.resize(offset + bytes, fill);
  return offset;
}

static std::string hex(uint64_t value, unsigned digits) {
  char text[24];
  std::snprintf(text, sizeof text, "%0*llx", int(digits),
                static_cast<unsigned long long>(value));
  return text;
}

Operand Builder::inputOf(std::string_view type,
                         const std::vector<uint64_t> &values) {
  unsigned bits = registerBits(type), bytes = bits / 8;
  Column column;
  column.offset = extend(program.in, values.size() * bytes, 0);
  column.bytes = bytes;
  column.count = values.size();
  column.type = type;
  for (size_t i = 0; i < values.size(); ++i)
    std::memcpy(&program.in[column.offset + i * bytes], &values[i],
                std::min(bytes, 8u));
  std::string name = reg(bits);
  line("ld.global.b" + std::to_string(bits) + " " + name + ", [%in" +
       std::to_string(bytes) + "+" + std::to_string(column.offset) + "];");
  program.inputs.push_back(column);
  return {name, Operand::Kind::Input, program.inputs.size() - 1};
}

Operand Builder::input(std::string_view type, Spread spread) {
  std::vector<uint64_t> values(program.threads());
  // Values equal to those of the input before, for comparisons and sums that
  // cancel.
  const Column *before = nullptr;
  if (!program.inputs.empty() &&
      program.inputs.back().bytes * 8 == registerBits(type) && rng.chance(40))
    before = &program.inputs.back();
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = draw(rng, type, spread);
    if (before && spread == Spread::Natural && rng.chance(25))
      std::memcpy(&values[i], &program.in[before->offset + i * before->bytes],
                  std::min(before->bytes, 8u));
  }
  return inputOf(type, values);
}

Operand Builder::predicate() {
  std::vector<Operand> &known = live[registerClass("pred")];
  if (!known.empty() && rng.chance(40))
    return rng.pick(known);
  Operand bit = input("b32", Spread::Bit);
  Operand made = bit;
  made.text = reg(1u);
  line("setp.ne.u32 " + made.text + ", " + bit.text + ", 0;");
  if (keepsLive)
    known.push_back(made);
  return made;
}

Operand Builder::immediate(std::string_view type, Spread spread) {
  const TypeInfo &info = typeInfo(type);
  uint64_t value = draw(rng, type, spread);
  if (spread == Spread::Shift)
    value &= 0xff; // bfe takes no larger numbers
  Operand made;
  if (info.kind == TypeInfo::Kind::Float && info.bits == 32)
    made.text = "0f" + hex(value, 8);
  else if (info.kind == TypeInfo::Kind::Float)
    made.text = "0d" + hex(value, 16);
  else if (info.kind == TypeInfo::Kind::Signed && info.bits < 64)
    made.text =
        std::to_string(int64_t(value << (64 - info.bits)) >> (64 - info.bits));
  else if (info.bits < 64)
    made.text = std::to_string(value);
  else
    made.text = "0x" + hex(value, 16);
  return made;
}

Operand Builder::source(std::string_view type, Spread spread) {
  const std::vector<Operand> &known = live[registerClass(type)];
  if (spread == Spread::Natural && !known.empty() && rng.chance(35))
    return rng.pick(known);
  return input(type, spread);
}

void Builder::begin(const std::string &label, const std::string &text,
                    std::vector<Operand> operands, Reach reach) {
  program.instructions.push_back({label, text, std::move(operands), reach});
}

void Builder::instruction(const std::string &label, const std::string &text,
                          std::vector<Operand> operands, Reach reach) {
  line(text);
  begin(label, text, std::move(operands), reach);
}

void Builder::result(const std::string &name, std::string_view type,
                     Agreement agreement, bool isLive) {
  unsigned bits = registerBits(type);
  std::string stored = name;
  if (bits == 1) {
    stored = reg(32u);
    line("selp.b32 " + stored + ", 1, 0, " + name + ";");
    bits = 32;
  }
  Column column;
  column.bytes = bits / 8;
  column.count = program.threads();
  column.offset = extend(program.out, column.count * column.bytes, kUntouched);
  column.instruction = program.instructions.size() - 1;
  column.agreement = agreement;
  column.type = type;
  line("st.global.b" + std::to_string(bits) + " [%out" +
       std::to_string(column.bytes) + "+" + std::to_string(column.offset) +
       "], " + stored + ";");
  program.results.push_back(column);
  if (isLive && keepsLive)
    live[registerClass(type)].push_back(
        {name, Operand::Kind::Result, program.results.size() - 1});
}

std::vector<uint8_t> Builder::randomBytes(size_t count) {
  std::vector<uint8_t> bytes(count);
  for (uint8_t &byte : bytes)
    byte = uint8_t(draw(rng, "b8", Spread::Natural));
  return bytes;
}

size_t Builder::inBytes(const std::vector<uint8_t> &bytes) {
  size_t offset = extend(program.in, bytes.size(), 0);
  std::memcpy(&program.in[offset], bytes.data(), bytes.size());
  return offset;
}

size_t Builder::outBytes(const std::vector<uint8_t> &bytes,
                         unsigned elementBytes, const std::string &type) {
  Column column;
  column.offset = extend(program.out, bytes.size(), kUntouched);
  column.bytes = elementBytes;
  column.count = bytes.size() / elementBytes;
  column.instruction = program.instructions.size() - 1;
  column.type = type;
  std::memcpy(&program.out[column.offset], bytes.data(), bytes.size());
  program.results.push_back(column);
  return column.offset;
}

std::string Builder::parameter(const std::string &type) {
  program.argumentTypes.push_back(type);
  program.arguments.push_back(draw(rng, type, Spread::Natural));
  return "argument" + std::to_string(program.arguments.size() - 1);
}

static std::string twiceAsWide(const std::string &type) {
  const TypeInfo &info = typeInfo(type);
  return type[0] + std::to_string(info.bits * 2);
}

/// A token of a row as a type and what the value is for.
static std::string tokenType(const std::string &token, const std::string &type,
                             Spread &spread) {
  spread = Spread::Natural;
  if (token == "$")
    return type;
  if (token == "$$")
    return twiceAsWide(type);
  if (token == "shift" || token == "lane" || token == "offset") {
    spread = token == "shift"  ? Spread::Shift
             : token == "lane" ? Spread::Lane
                               : Spread::Offset;
    return token == "offset" ? "s32" : "u32";
  }
  return token;
}

Operand Builder::rowSource(const std::string &token, const std::string &type,
                           bool fresh, bool mayBeImmediate) {
  if (token.rfind("imm:", 0) == 0) {
    size_t colon = token.find(':', 4);
    uint64_t low = std::stoull(token.substr(4));
    uint64_t high = std::stoull(token.substr(colon + 1));
    return {std::to_string(low + rng.below(high - low + 1)),
            Operand::Kind::Immediate, 0};
  }
  if (token == "pred" || token == "npred") {
    Operand made = predicate();
    if (token == "npred" && rng.chance(40))
      made.text = "!" + made.text;
    return made;
  }
  Spread spread;
  std::string wanted = tokenType(token, type, spread);
  const TypeInfo &info = typeInfo(wanted);
  bool hasLiterals = info.kind == TypeInfo::Kind::Float
                         ? wanted == "f32" || wanted == "f64"
                         : info.lanes == 1 && info.bits <= 64;
  if (mayBeImmediate && hasLiterals)
    return immediate(wanted, spread);
  return fresh ? input(wanted, spread) : source(wanted, spread);
}

bool Builder::isUsed(const std::vector<Operand> &operands,
                     const Operand &made) const {
  if (made.kind != Operand::Kind::Result)
    return false;
  const Column &column = program.results[made.index];
  if (typeInfo(column.type).kind != TypeInfo::Kind::Float)
    return false;
  for (const Operand &operand : operands)
    if (operand.text == made.text)
      return true;
  return false;
}

void Builder::row(const Row &row) {
  std::string type = rng.pick(words(row.types));
  std::string opcode = expand(rng, row.opcode, type);
  std::vector<std::string> tokens = words(row.operands), results;
  size_t first = 0;
  while (tokens[first] != ":")
    results.push_back(tokens[first++]);
  size_t sources = tokens.size() - ++first;
  size_t immediateAt = ~size_t(0);
  if (sources > 1 && !(row.flags & kNoImmediates) && rng.chance(20))
    immediateAt = rng.below(sources);

  std::vector<Operand> operands;
  for (size_t i = 0; i < sources; ++i) {
    Operand made = rowSource(tokens[first + i], type, row.flags & kFresh,
                             i == immediateAt);
    if (isUsed(operands, made))
      made = rowSource(tokens[first + i], type, true, false);
    operands.push_back(made);
  }
  std::vector<std::pair<std::string, std::string>> made; // register, type
  std::string text = opcode + " ";
  for (const std::string &token : results) {
    std::stringstream pair(token);
    for (std::string part; std::getline(pair, part, '|');) {
      Spread spread;
      std::string partType = tokenType(part, type, spread);
      made.emplace_back(reg(partType), partType);
      text += (text.back() == ' ' ? "" : "|") + made.back().first;
    }
  }
  for (const Operand &operand : operands)
    text += ", " + operand.text;
  instruction(opcode, text + ";", operands,
              row.flags & kWarpWide ? Reach::Warp : Reach::Thread);
  for (auto &[name, resultType] : made) {
    Agreement agreement = row.flags & kApproximate ? Agreement::Approximate
                          : resultType == "f64"    ? Agreement::AnyNan
                                                   : Agreement::Exact;
    result(name, resultType, agreement,
           !(row.flags & (kFresh | kApproximate | kUnused)));
  }
}

void Builder::finish() {
  std::string head = before + ".visible .entry " + program.name +
                     "(\n  .param .u64 in,\n  .param .u64 out";
  for (size_t i = 0; i < program.arguments.size(); ++i)
    head += ",\n  .param ." + program.argumentTypes[i] + " argument" +
            std::to_string(i);
  head += "\n) " + directives + "\n{\n";
  for (auto [bits, count] : registers) {
    if (bits == 0)
      continue;
    std::string type = bits == 1 ? "pred" : "b" + std::to_string(bits);
    head += "  .reg ." + type + " " + registerPrefix(bits) + "<" +
            std::to_string(count) + ">;\n";
  }
  head += "  .reg .b32 %ltid, %kcta, %kntid, %gtid;\n"
          "  .reg .b64 %in, %out;\n";
  std::string prologue = "  mov.u32 %ltid, %tid.x;\n"
                         "  mov.u32 %kcta, %ctaid.x;\n"
                         "  mov.u32 %kntid, %ntid.x;\n"
                         "  mad.lo.u32 %gtid, %kcta, %kntid, %ltid;\n"
                         "  ld.param.u64 %in, [in];\n"
                         "  ld.param.u64 %out, [out];\n"
                         "  cvta.to.global.u64 %in, %in;\n"
                         "  cvta.to.global.u64 %out, %out;\n";
  for (const char *buffer : {"%in", "%out"})
    for (unsigned bytes : {2, 4, 8, 16}) {
      std::string name = buffer + std::to_string(bytes);
      if (body.find("[" + name + "+") == std::string::npos)
        continue;
      head += "  .reg .b64 " + name + ";\n";
      prologue += "  mad.wide.u32 " + name + ", %gtid, " +
                  std::to_string(bytes) + ", " + buffer + ";\n";
    }
  program.ptx = head + prologue + body + "  ret;\n}\n";
}
