//===- Ptxas.cpp - NVIDIA's assembler, where it is installed --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/Ptxas.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using llvm::SmallString;
using llvm::StringRef;

namespace girih::codegen {

static constexpr unsigned kTimeLimitSeconds = 300;

const PtxasKernel *PtxasReport::find(std::string_view name) const {
  for (const PtxasKernel &kernel : kernels)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

bool PtxasReport::spills() const {
  for (const PtxasKernel &kernel : kernels)
    if (kernel.spillStoreBytes || kernel.spillLoadBytes)
      return true;
  return false;
}

std::optional<std::string> findPtxas(const PtxasOptions &options) {
  auto usable = [](StringRef path) { return llvm::sys::fs::can_execute(path); };
  if (!options.path.empty()) {
    if (usable(options.path))
      return options.path;
    return std::nullopt;
  }
  if (auto found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  StringRef usual = "/usr/local/cuda/bin/ptxas";
  if (usable(usual))
    return usual.str();
  return std::nullopt;
}

/// The number before `word` in one of a line's comma-separated parts, as in
/// "Used 40 registers, used 1 barriers, 16384 bytes smem".
static std::optional<unsigned> numberBefore(StringRef line, StringRef word) {
  size_t at = line.find(word);
  if (at == StringRef::npos)
    return std::nullopt;
  StringRef head = line.take_front(at).rtrim();
  size_t begin = head.find_last_not_of("0123456789");
  StringRef digits = head.drop_front(begin == StringRef::npos ? 0 : begin + 1);
  unsigned number = 0;
  if (digits.getAsInteger(10, number))
    return std::nullopt;
  return number;
}

static void readProperties(StringRef line, PtxasKernel &kernel) {
  auto read = [&](StringRef word, unsigned &field) {
    if (auto number = numberBefore(line, word))
      field = *number;
  };
  read("bytes stack frame", kernel.stackBytes);
  read("bytes spill stores", kernel.spillStoreBytes);
  read("bytes spill loads", kernel.spillLoadBytes);
  read("registers", kernel.registers);
  read("barriers", kernel.barriers);
  read("bytes smem", kernel.sharedBytes);
}

PtxasReport parsePtxasOutput(std::string_view text) {
  PtxasReport report;
  StringRef rest(text.data(), text.size());
  // Properties of device functions that are no kernels come between those of
  // kernels, under "Function properties for NAME".
  PtxasKernel *current = nullptr;
  while (!rest.empty()) {
    StringRef line;
    std::tie(line, rest) = rest.split('\n');
    bool warning = line.contains("warning :") || line.contains("warning  :");
    bool prefixed = line.starts_with("ptxas");
    StringRef said = prefixed ? line.split(':').second.trim() : line.trim();
    if (warning || said.contains("(C75") ||
        said.contains("Potential Performance Loss")) {
      report.notes.push_back(said.str());
      continue;
    }
    if (said.consume_front("Compiling entry function '")) {
      report.kernels.emplace_back();
      report.kernels.back().name = said.split('\'').first.str();
      current = &report.kernels.back();
      continue;
    }
    if (said.consume_front("Function properties for ")) {
      current = nullptr;
      for (PtxasKernel &kernel : report.kernels)
        if (said == kernel.name)
          current = &kernel;
      continue;
    }
    // "Used N registers" ends a kernel's report.
    if (said.starts_with("Used ") && !report.kernels.empty())
      current = &report.kernels.back();
    if (current)
      readProperties(said, *current);
  }
  return report;
}

namespace {

/// A file that is gone when this is.
struct TemporaryFile {
  SmallString<128> path;
  std::optional<llvm::FileRemover> remover;

  bool create(StringRef suffix, std::string &error) {
    if (std::error_code code =
            llvm::sys::fs::createTemporaryFile("girih", suffix, path)) {
      error = "cannot make a temporary file: " + code.message();
      return false;
    }
    remover.emplace(path);
    return true;
  }

  std::string read() const {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }
};

} // namespace

std::optional<PtxasReport> assemble(std::string_view ptx, std::string_view arch,
                                    std::string &error,
                                    const PtxasOptions &options) {
  std::optional<std::string> program = findPtxas(options);
  if (!program) {
    error = options.path.empty()
                ? "no ptxas on the PATH or in /usr/local/cuda/bin"
                : "'" + options.path + "' is not an executable";
    return std::nullopt;
  }
  TemporaryFile input, output, messages;
  if (!input.create("ptx", error) || !output.create("cubin", error) ||
      !messages.create("txt", error))
    return std::nullopt;
  {
    std::error_code code;
    llvm::raw_fd_ostream file(input.path, code);
    if (!code) {
      file << StringRef(ptx.data(), ptx.size());
      file.close();
      code = file.error();
    }
    if (code) {
      error = "cannot write " + std::string(input.path) + ": " + code.message();
      file.clear_error();
      return std::nullopt;
    }
  }
  std::string architecture(arch);
  std::string level = "-O" + std::to_string(options.optimization);
  StringRef arguments[] = {*program,        "--verbose",  level,
                           "--gpu-name",    architecture, input.path,
                           "--output-file", output.path};
  std::optional<StringRef> redirects[] = {StringRef(""), messages.path.str(),
                                          messages.path.str()};
  std::string reason;
  int code =
      llvm::sys::ExecuteAndWait(*program, arguments, std::nullopt, redirects,
                                kTimeLimitSeconds, /*MemoryLimit=*/0, &reason);
  std::string said = messages.read();
  if (code != 0) {
    error = "ptxas failed: " +
            (reason.empty() ? StringRef(said).trim().str() : reason);
    return std::nullopt;
  }
  PtxasReport report = parsePtxasOutput(said);
  report.cubin = output.read();
  return report;
}

} // namespace girih::codegen
