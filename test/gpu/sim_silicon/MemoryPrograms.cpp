//===- MemoryPrograms.cpp - loads and stores of every width and space -----===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every thread has 64 bytes of its own in each space.
//
//===----------------------------------------------------------------------===//

#include "test/gpu/sim_silicon/Families.h"

using namespace girih::silicon;

static constexpr unsigned kBytes = 64;

namespace {
/// The thread's bytes in a space, and how instructions name them.
struct Region {
  std::string space;   ///< `.global`, empty for generic addresses
  std::string address; ///< register
  bool mayWrite = true;
  bool isGlobal = false;   ///< cache operators apply
  bool isWeakOnly = false; ///< only one thread sees it, or nobody writes it
};

struct Access {
  std::string type; ///< of an element
  unsigned elements = 1, bytes = 0;
  unsigned registerBits = 0;
  std::string suffix() const {
    return (elements > 1 ? ".v" + std::to_string(elements) : "") + "." + type;
  }
};
} // namespace

static Access someAccess(Rng &rng, bool mayBeVector) {
  Access access;
  access.type = rng.pick(words("b8 u8 s8 b16 u16 s16 b32 u32 s32 f32 b64 u64 "
                               "s64 f64 b128"));
  const TypeInfo &info = typeInfo(access.type);
  unsigned width = info.bits / 8;
  if (mayBeVector)
    for (unsigned count : {2, 4})
      if (count * width <= 16 && rng.chance(35))
        access.elements = count;
  access.bytes = width * access.elements;
  access.registerBits = registerBits(access.type);
  if (info.kind != TypeInfo::Kind::Float)
    while (access.registerBits < 64 && rng.chance(30))
      access.registerBits *= 2;
  return access;
}

static std::string addressText(Builder &b, const Region &region,
                               const Access &access) {
  unsigned offset = unsigned(b.rng.below(kBytes / access.bytes)) * access.bytes;
  return "[" + region.address + "+" + std::to_string(offset) + "]";
}

static std::string list(const std::vector<std::string> &names) {
  if (names.size() == 1)
    return names[0];
  std::string text = "{";
  for (const std::string &name : names)
    text += (text.size() > 1 ? ", " : "") + name;
  return text + "}";
}

/// How much of a memory's order or cache an access asks for.
static std::string loadSort(Rng &rng, const Region &region) {
  const char *sorts = "{||.volatile|.relaxed.cta|.relaxed.gpu|.acquire.sys}";
  if (region.isGlobal && !region.mayWrite)
    sorts = "{||.ca|.cg|.cs|.lu|.cv|.volatile|.relaxed.gpu|.acquire.cta}";
  else if (region.isGlobal)
    sorts = "{||.ca|.cg|.cs|.cv|.volatile|.relaxed.sys|.acquire.gpu}";
  else if (region.isWeakOnly)
    sorts = "";
  return expand(rng, sorts, "");
}

static std::string storeSort(Rng &rng, const Region &region) {
  const char *sorts = "{||.volatile|.relaxed.cta|.relaxed.gpu|.release.sys}";
  if (region.isGlobal)
    sorts = "{||.wb|.cg|.cs|.wt|.volatile|.relaxed.sys|.release.gpu}";
  else if (region.isWeakOnly)
    sorts = "";
  return expand(rng, sorts, "");
}

static void load(Builder &b, const Region &region) {
  std::string sort = loadSort(b.rng, region);
  Access access = someAccess(b.rng, true);
  std::string space = region.space;
  // The modifiers' order: .volatile or .relaxed.scope, space, cache operator.
  bool isCacheOperator = sort.size() == 3;
  std::string head =
      isCacheOperator ? "ld" + space + sort : "ld" + sort + space;
  if (sort.empty() && region.isGlobal && !region.mayWrite && b.rng.chance(50))
    head += expand(b.rng,
                   "{.nc|.nc.L1::no_allocate|.L1::evict_last|.L2::128B|"
                   ".nc.L1::evict_first.L2::64B}",
                   "");
  std::vector<std::string> made;
  for (unsigned i = 0; i < access.elements; ++i)
    made.push_back(b.reg(access.registerBits));
  std::string label = head + access.suffix();
  if (space.empty())
    label += " (generic)";
  b.instruction(label,
                head + access.suffix() + " " + list(made) + ", " +
                    addressText(b, region, access) + ";",
                {});
  for (const std::string &name : made)
    b.result(name, "b" + std::to_string(access.registerBits));
}

static void store(Builder &b, const Region &region) {
  std::string sort = storeSort(b.rng, region);
  Access access = someAccess(b.rng, true);
  bool isCacheOperator = sort.size() == 3;
  std::string head =
      isCacheOperator ? "st" + region.space + sort : "st" + sort + region.space;
  if (sort.empty() && region.isGlobal && b.rng.chance(20))
    head += ".L1::no_allocate";
  std::vector<std::string> values;
  for (unsigned i = 0; i < access.elements; ++i)
    values.push_back(b.source("b" + std::to_string(access.registerBits)).text);
  b.line(head + access.suffix() + " " + addressText(b, region, access) + ", " +
         list(values) + ";");
}

/// The region of this thread: base register + thread * kBytes.
static std::string ownAddress(Builder &b, unsigned bits,
                              const std::string &base,
                              const std::string &thread) {
  std::string address = b.reg(bits);
  if (bits == 32)
    b.line("mad.lo.u32 " + address + ", " + thread + ", " +
           std::to_string(kBytes) + ", " + base + ";");
  else
    b.line("mad.wide.u32 " + address + ", " + thread + ", " +
           std::to_string(kBytes) + ", " + base + ";");
  return address;
}

/// Fills the thread's bytes with those of the input region.
static void copyIn(Builder &b, const Region &to, const std::string &from) {
  for (unsigned i = 0; i < kBytes; i += 16) {
    std::string at = "+" + std::to_string(i) + "]";
    std::vector<std::string> parts;
    for (int part = 0; part < 4; ++part)
      parts.push_back(b.reg(32u));
    b.line("ld.global.v4.b32 " + list(parts) + ", [" + from + at + ";");
    b.line("st" + to.space + ".v4.b32 [" + to.address + at + ", " +
           list(parts) + ";");
  }
}

static Region sharedRegion(Builder &b, const std::string &filled) {
  std::string name = b.uniqueName("shared"), base = b.reg(32u);
  unsigned before = unsigned(b.rng.below(3)) * 16;
  b.line(".shared .align 16 .b8 " + name + "[" +
         std::to_string(b.program.block * kBytes + before) + "];");
  b.line("mov.u32 " + base + ", " + name + ";");
  b.line("add.u32 " + base + ", " + base + ", " + std::to_string(before) + ";");
  Region region{".shared", ownAddress(b, 32, base, Builder::kTid)};
  if (b.rng.chance(30))
    region.space = ".shared::cta";
  copyIn(b, region, filled);
  return region;
}

static Region localRegion(Builder &b, const std::string &filled) {
  std::string name = b.uniqueName("local");
  Region region{".local", b.reg(64u)};
  region.isWeakOnly = true;
  b.line(".local .align 16 .b8 " + name + "[" + std::to_string(kBytes) + "];");
  b.line("mov.u64 " + region.address + ", " + name + ";");
  copyIn(b, region, filled);
  return region;
}

/// A variable of the module with an initializer; threads read parts of it.
static Region variableRegion(Builder &b, const std::string &space) {
  std::string name = b.uniqueName("variable"), index = b.reg(32u);
  std::string bytes;
  unsigned count = 4 * kBytes;
  for (unsigned i = 0; i < count; ++i)
    bytes += (i ? ", " : "") + std::to_string(b.rng.below(256));
  b.moduleLine(space + " .align 16 .b8 " + name + "[" + std::to_string(count) +
               "] = {" + bytes + "};");
  std::string base = b.reg(64u);
  b.line("mov.u64 " + base + ", " + name + ";");
  b.line("and.b32 " + index + ", " + Builder::kTid + ", 3;");
  Region region{space, ownAddress(b, 64, base, index)};
  region.mayWrite = false;
  region.isWeakOnly = true;
  return region;
}

/// The same bytes by a generic address.
static Region genericRegion(Builder &b, const Region &region) {
  Region generic = region;
  std::string wide = region.address;
  if (region.address[1] == 'r') { // 32 bits
    wide = b.reg(64u);
    b.line("cvt.u64.u32 " + wide + ", " + region.address + ";");
  }
  generic.address = b.reg(64u);
  b.line("cvta" + region.space + ".u64 " + generic.address + ", " + wide + ";");
  generic.space = "";
  generic.isGlobal = false;
  for (const char *space : {"global", "shared", "local", "const"})
    if (b.rng.chance(30)) {
      std::string made = b.reg(1u), label = std::string("isspacep.") + space;
      b.instruction(label, label + " " + made + ", " + generic.address + ";",
                    {});
      b.result(made, "pred");
    }
  if (region.space != ".shared::cta" && b.rng.chance(30)) {
    // There and back.
    std::string back = b.reg(64u);
    b.line("cvta.to" + region.space + ".u64 " + back + ", " + generic.address +
           ";");
    Region same = region;
    same.address = back;
    load(b, same);
  }
  return generic;
}

/// Parameters of every width, and sign extension.
static void loadParameter(Builder &b) {
  std::string type =
      b.rng.pick(words("b8 u8 s8 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64"));
  unsigned bits = registerBits(type);
  if (typeInfo(type).kind != TypeInfo::Kind::Float)
    while (bits < 64 && b.rng.chance(30))
      bits *= 2;
  std::string name = b.parameter(type), made = b.reg(bits);
  std::string label = "ld.param." + type;
  b.instruction(label, label + " " + made + ", [" + name + "];", {});
  b.result(made, "b" + std::to_string(bits));
}

void girih::silicon::makeMemory(Builder &b) {
  size_t threads = b.program.threads();
  size_t source = b.inBytes(b.randomBytes(threads * kBytes));
  std::string base = b.reg(64u);
  b.line("add.u64 " + base + ", %in, " + std::to_string(source) + ";");
  Region input{".global", ownAddress(b, 64, base, Builder::kThread)};
  input.mayWrite = false;
  input.isGlobal = true;
  std::vector<Region> regions = {input};

  b.begin("st.global", "the bytes that stores left", {}, Reach::Program);
  size_t target = b.outBytes(b.randomBytes(threads * kBytes), 4, "b32");
  std::string out = b.reg(64u);
  b.line("add.u64 " + out + ", %out, " + std::to_string(target) + ";");
  Region output{".global", ownAddress(b, 64, out, Builder::kThread)};
  output.isGlobal = true;
  regions.push_back(output);

  if (b.rng.chance(70))
    regions.push_back(sharedRegion(b, input.address));
  if (b.rng.chance(50))
    regions.push_back(localRegion(b, input.address));
  if (b.rng.chance(50))
    regions.push_back(variableRegion(b, ".const"));
  if (b.rng.chance(30))
    regions.push_back(variableRegion(b, ".global"));
  for (size_t i = regions.size(); i-- > 0;)
    if (b.rng.chance(50))
      regions.push_back(genericRegion(b, regions[i]));

  for (unsigned i = 0, count = b.rng.below(4); i < count; ++i)
    loadParameter(b);
  unsigned count = 5 + b.rng.below(20);
  for (unsigned i = 0; i < count; ++i) {
    const Region &region = b.rng.pick(regions);
    if (region.mayWrite && b.rng.chance(50))
      store(b, region);
    load(b, region);
  }
}
