//===- TuneLog.cpp - what was measured, to go on from ---------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/TuneLog.h"

#include "tools/girih/Codes.h"
#include "tools/girih/Files.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace girih;
using namespace girih::cli;
namespace js = llvm::json;

js::Object TuneLog::head() const {
  return js::Object{{"girih", subject.version},
                    {"op", subject.op},
                    {"program", subject.program},
                    {"target", subject.target},
                    {"device", subject.device},
                    {"description", subject.description},
                    {"seed", subject.seed},
                    {"repetitions", subject.repetitions},
                    {"shapes", jsonOf(subject.shapes)}};
}

std::optional<TuneLog> TuneLog::open(Console &console, std::string path,
                                     Subject subject) {
  TuneLog log(path, std::move(subject));
  if (path.empty() || !llvm::sys::fs::exists(path))
    return log;
  std::optional<std::string> text = readFile(console, path);
  if (!text)
    return std::nullopt;
  llvm::Expected<js::Value> value = js::parse(*text);
  std::string why;
  if (!value)
    why = llvm::toString(value.takeError());
  js::Object *object = why.empty() ? value->getAsObject() : nullptr;
  js::Array *runs = object ? object->getArray("runs") : nullptr;
  if (!runs) {
    console
        .fail(codes::kTune, "'" + path + "' is no log of girih tune" +
                                (why.empty() ? "" : ": " + why))
        .help("name another file, or remove it");
    return std::nullopt;
  }
  for (const auto &[key, own] : log.head()) {
    const js::Value *other = object->get(key);
    if (other && *other == own)
      continue;
    std::string theirs = other ? llvm::formatv("{0}", *other).str() : "nothing";
    console
        .fail(codes::kTune, "the log '" + path +
                                "' is of other measurements: its '" +
                                key.str() + "' is " + theirs + ", here " +
                                llvm::formatv("{0}", own).str())
        .help("name another file, or remove it");
    return std::nullopt;
  }
  log.runs = std::move(*runs);
  return log;
}

std::optional<Measured> TuneLog::find(const std::string &schedule,
                                      size_t shape) const {
  for (const js::Value &entry : runs) {
    const js::Object *run = entry.getAsObject();
    if (!run || run->getString("schedule") != llvm::StringRef(schedule) ||
        run->getInteger("shape") != int64_t(shape))
      continue;
    Measured measured;
    measured.isRight = run->getBoolean("right").value_or(false);
    measured.why = run->getString("why").value_or("").str();
    measured.microseconds = run->getNumber("us").value_or(0);
    measured.registers = run->getInteger("registers").value_or(0);
    measured.spillBytes = run->getInteger("spillBytes").value_or(0);
    return measured;
  }
  return std::nullopt;
}

bool TuneLog::add(Console &console, const std::string &schedule,
                  const std::string &tiles, size_t shape, double predicted,
                  const Measured &measured) {
  js::Object run{{"schedule", schedule},
                 {"tiles", tiles},
                 {"shape", int64_t(shape)},
                 {"predictedUs", predicted},
                 {"right", measured.isRight}};
  if (measured.isRight) {
    run["us"] = measured.microseconds;
    run["registers"] = measured.registers;
    run["spillBytes"] = measured.spillBytes;
  } else {
    run["why"] = js::fixUTF8(measured.why);
  }
  runs.push_back(std::move(run));
  if (path.empty())
    return true;
  js::Object whole = head();
  whole["runs"] = js::Array(runs);
  return writeFile(console, path,
                   llvm::formatv("{0:2}\n", js::Value(std::move(whole))).str());
}
