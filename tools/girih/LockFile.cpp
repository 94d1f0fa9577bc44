//===- LockFile.cpp - a schedule that was tuned, and for what -------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/LockFile.h"

#include "tools/girih/Codes.h"
#include "tools/girih/Files.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SHA256.h"

#include <algorithm>

using namespace girih;
using namespace girih::cli;
namespace js = llvm::json;

std::string cli::hashOf(llvm::StringRef text) {
  auto digest = llvm::SHA256::hash(llvm::ArrayRef<uint8_t>(
      reinterpret_cast<const uint8_t *>(text.data()), text.size()));
  return llvm::toHex(digest, /*LowerCase=*/true);
}

js::Array cli::jsonOf(const std::vector<Shape> &shapes) {
  js::Array list;
  for (const Shape &shape : shapes) {
    js::Object sizes;
    for (const auto &[name, value] : shape.sizes)
      sizes[name] = value;
    list.push_back(
        js::Object{{"sizes", std::move(sizes)}, {"weight", shape.weight}});
  }
  return list;
}

std::string cli::shapeText(const Shape &shape) {
  std::string text;
  for (const auto &[name, value] : shape.sizes)
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  return text.empty() ? "no sizes" : text;
}

bool cli::isSame(Sizes a, Sizes b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a == b;
}

std::optional<ProgramIdentity> cli::identityOf(Console &console,
                                               const Program &program) {
  ProgramIdentity identity;
  pipeline::CompileOptions options = program.options();
  // Parameters decide what is computed; sizes do not.
  options.given = program.sizes();
  options.anySize = true;
  options.scheduleFile = nullptr;
  options.knobs.clear();
  options.last = pipeline::Phase::Te;
  options.inspect = [&](pipeline::CompileState &state) {
    identity.op = state.func().getSymName().str();
  };
  std::optional<pipeline::CompileResult> result =
      program.compile(console, options);
  if (!result)
    return std::nullopt;
  identity.hash = hashOf(result->text);
  return identity;
}

bool cli::writeLock(Console &console, const std::string &path,
                    const Lock &lock) {
  js::Object object{{"girih", lock.version},
                    {"op", lock.op},
                    {"program", lock.program},
                    {"target", lock.target},
                    {"device", lock.device},
                    {"shapes", jsonOf(lock.shapes)},
                    {"us", lock.microseconds},
                    {"schedule", lock.schedule},
                    {"scheduleHash", hashOf(lock.schedule)}};
  return writeFile(
      console, path,
      llvm::formatv("{0:2}\n", js::Value(std::move(object))).str());
}

static bool readShapes(const js::Array *list, std::vector<Shape> &shapes) {
  if (!list || list->empty())
    return false;
  for (const js::Value &item : *list) {
    const js::Object *object = item.getAsObject();
    const js::Object *sizes = object ? object->getObject("sizes") : nullptr;
    if (!sizes)
      return false;
    Shape shape;
    for (const auto &[name, value] : *sizes) {
      std::optional<int64_t> number = value.getAsInteger();
      if (!number)
        return false;
      shape.sizes.emplace_back(name.str(), *number);
    }
    std::sort(shape.sizes.begin(), shape.sizes.end());
    shape.weight = object->getNumber("weight").value_or(1);
    shapes.push_back(std::move(shape));
  }
  return true;
}

std::optional<Lock> cli::readLock(Console &console, const std::string &path) {
  std::optional<std::string> text = readFile(console, path);
  if (!text)
    return std::nullopt;
  auto refuse = [&](const std::string &why) {
    console.fail(codes::kLock, "'" + path + "' is no lock: " + why)
        .help("girih tune writes one");
    return std::nullopt;
  };
  llvm::Expected<js::Value> value = js::parse(*text);
  if (!value)
    return refuse(llvm::toString(value.takeError()));
  const js::Object *object = value->getAsObject();
  if (!object)
    return refuse("it holds no object");
  Lock lock;
  std::string hash;
  const std::pair<const char *, std::string *> texts[] = {
      {"girih", &lock.version},   {"op", &lock.op},
      {"program", &lock.program}, {"target", &lock.target},
      {"device", &lock.device},   {"schedule", &lock.schedule},
      {"scheduleHash", &hash}};
  for (auto [key, place] : texts) {
    std::optional<llvm::StringRef> entry = object->getString(key);
    if (!entry)
      return refuse(std::string("it has no text '") + key + "'");
    *place = entry->str();
  }
  if (!readShapes(object->getArray("shapes"), lock.shapes))
    return refuse("it has no list 'shapes' of sizes");
  lock.microseconds = object->getNumber("us").value_or(0);
  if (hashOf(lock.schedule) != hash) {
    console
        .fail(codes::kLock, "the schedule in '" + path +
                                "' was changed after it was measured")
        .help("tune again; or put the schedule into a file of its own, which "
              "--schedule reads");
    return std::nullopt;
  }
  return lock;
}

bool cli::checkLock(Console &console, const std::string &path, const Lock &lock,
                    const Program &program, const std::string &target) {
  std::optional<ProgramIdentity> identity = identityOf(console, program);
  if (!identity)
    return false;
  auto refuse = [&](const std::string &why) {
    console.fail(codes::kLock, "'" + path + "' " + why)
        .help("tune again, or compile without --locked");
    return false;
  };
  if (identity->op != lock.op)
    return refuse("locks the operator '" + lock.op + "', and this is '" +
                  identity->op + "'");
  if (identity->hash != lock.program)
    return refuse("is of another program: '" + lock.op +
                  "' computes something else than when it was tuned (" +
                  identity->hash.substr(0, 12) + ", then " +
                  lock.program.substr(0, 12) + ")");
  if (target != lock.target)
    return refuse("is for " + lock.target + ", and this compile is for " +
                  target);
  for (const Shape &shape : lock.shapes)
    if (isSame(shape.sizes, program.sizes()))
      return true;
  std::string known;
  for (const Shape &shape : lock.shapes)
    known += (known.empty() ? "" : "; ") + shapeText(shape);
  return refuse("was tuned at " + known + ", not at " +
                shapeText({program.sizes(), 1}));
}
