//===- CounterReport.cpp - counts with names, as text and JSON ------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Counters.h"

#include <cctype>
#include <cstdarg>
#include <cstdio>

namespace girih::sim {

std::string_view nameOf(Category category) {
  static constexpr std::string_view kNames[kCategories] = {
      "integer", "float32", "float64", "half",  "special", "convert",
      "move",    "control", "load",    "store", "atomic",  "warp",
      "barrier", "async",   "matrix",  "other"};
  return kNames[unsigned(category)];
}

namespace {

/// `mma.m16n8k16`; empty for those without a shape (waits, fences).
std::string matrixName(const SyntaxStatement &statement) {
  for (const std::string &modifier : statement.modifiers)
    if (modifier.size() > 1 && modifier[0] == 'm' &&
        std::isdigit(static_cast<unsigned char>(modifier[1])))
      return statement.opcode + "." + modifier;
  return "";
}

/// Parameters are not worth a line.
bool isMemory(const Instruction &instruction) {
  Category category = instruction.category;
  if (instruction.space == Space::Param)
    return false;
  return category == Category::Load || category == Category::Store ||
         category == Category::Atomic || category == Category::Async;
}

std::string tensorName(GlobalMemory *memory, uint64_t address) {
  if (GlobalBuffer *buffer = memory ? memory->find(address) : nullptr)
    if (!buffer->view.name.empty())
      return buffer->view.name;
  return "buffer " + std::to_string(address >> kBufferShift);
}

[[gnu::format(printf, 2, 3)]] void append(std::string &text, const char *format,
                                          ...) {
  char buffer[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  text += buffer;
}

unsigned long long wide(uint64_t number) { return number; }

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20)
      out += c;
    else
      append(out, "\\u%04x", unsigned(c));
  }
  return out + "\"";
}

/// `"key": value` pairs between braces, one line.
class JsonObject {
public:
  JsonObject &add(std::string_view key, const std::string &json) {
    text += (text.empty() ? "" : ", ") + quoted(key) + ": " + json;
    return *this;
  }
  JsonObject &number(std::string_view key, uint64_t value) {
    return add(key, std::to_string(value));
  }
  std::string str() const { return "{" + text + "}"; }

private:
  std::string text;
};

/// Objects one under the other.
std::string jsonList(const std::vector<std::string> &items) {
  std::string text = "[";
  for (size_t i = 0; i < items.size(); ++i)
    text += (i ? ",\n    " : "\n    ") + items[i];
  return text + (items.empty() ? "]" : "\n  ]");
}

std::string jsonTensor(const CounterReport::Tensor &tensor) {
  return JsonObject()
      .add("name", quoted(tensor.name))
      .number("readBytes", tensor.count.readBytes)
      .number("readSectors", tensor.count.readSectors)
      .number("writtenBytes", tensor.count.writtenBytes)
      .number("writtenSectors", tensor.count.writtenSectors)
      .number("atomicBytes", tensor.count.atomicBytes)
      .number("atomicSectors", tensor.count.atomicSectors)
      .str();
}

std::string jsonLine(const CounterReport::Line &line) {
  JsonObject object;
  object.number("line", line.location.line)
      .number("file", line.location.file)
      .number("sourceLine", line.location.sourceLine)
      .number("sourceColumn", line.location.sourceColumn)
      .add("text", quoted(line.text))
      .number("warps", line.count.warps)
      .number("threads", line.count.threads)
      .number("bytes", line.count.bytes)
      .number("sectors", line.count.sectors)
      .number("usedBytes", line.count.usedBytes)
      .number("wavefronts", line.count.wavefronts)
      .number("idealWavefronts", line.count.idealWavefronts);
  std::string used;
  append(used, "%.6g", line.sectorUse);
  return object.add("sectorUse", used).str();
}

void addMatrixText(std::string &text, const CounterReport &report) {
  for (const auto &[name, count] : report.matrix)
    append(text, "  %-20s %12llu\n", name.c_str(), wide(count));
}

void addTensorText(std::string &text, const CounterReport &report) {
  if (report.tensors.empty())
    return;
  append(text, "  %-20s %12s %12s %12s %12s\n", "global memory", "read bytes",
         "sectors", "written", "sectors");
  for (const CounterReport::Tensor &tensor : report.tensors) {
    const BufferCount &count = tensor.count;
    append(text, "  %-20s %12llu %12llu %12llu %12llu", tensor.name.c_str(),
           wide(count.readBytes), wide(count.readSectors),
           wide(count.writtenBytes), wide(count.writtenSectors));
    if (count.atomicBytes)
      append(text, "  atomics: %llu bytes, %llu sectors",
             wide(count.atomicBytes), wide(count.atomicSectors));
    text += "\n";
  }
}

void addLineText(std::string &text, const CounterReport::Line &line) {
  append(text, "  line %u", line.location.line);
  if (line.location.sourceLine)
    append(text, " (%u:%u)", line.location.sourceLine,
           line.location.sourceColumn);
  text += ": " + line.text + "\n";
  const InstructionCount &count = line.count;
  append(text, "    warps %llu", wide(count.warps));
  if (count.bytes)
    append(text, ", %llu bytes", wide(count.bytes));
  if (count.sectors)
    append(text, ", sectors %llu (%.1f %% used)", wide(count.sectors),
           100 * line.sectorUse);
  if (count.wavefronts)
    append(text, ", wavefronts %llu (%llu without conflicts)",
           wide(count.wavefronts), wide(count.idealWavefronts));
  text += "\n";
}

} // namespace

CounterReport makeReport(const Counters &counters, const Launch &launch) {
  CounterReport report;
  const KernelCode &code = *launch.code;
  report.kernel = code.syntax->name;
  report.blocks = counters.blocks;
  report.threadsPerBlock = launch.threads;
  report.barriers = counters.barriers;
  report.peakShared = counters.peakShared;
  report.sharedBytes = launch.sharedBytes;
  for (size_t i = 0; i < counters.instructions.size(); ++i) {
    const InstructionCount &count = counters.instructions[i];
    if (!count.warps)
      continue;
    const SyntaxStatement &statement = code.syntax->statements[i];
    Category category = code.instructions[i].category;
    report.warpInstructions += count.warps;
    report.threadInstructions += count.threads;
    report.mix[unsigned(category)] += count.warps;
    report.sharedWavefronts += count.wavefronts;
    report.sharedConflicts += count.wavefronts - count.idealWavefronts;
    std::string matrix;
    if (category == Category::Matrix)
      matrix = matrixName(statement);
    if (!matrix.empty())
      report.matrix[matrix] += count.warps;
    if (matrix.empty() && !(isMemory(code.instructions[i]) && count.bytes))
      continue;
    double moved = 32.0 * double(count.sectors);
    report.lines.push_back({statement.location, textOf(*code.module, statement),
                            count,
                            moved > 0 ? double(count.usedBytes) / moved : 0});
  }
  for (const auto &[address, count] : counters.buffers)
    report.tensors.push_back({tensorName(launch.memory, address), count});
  return report;
}

std::string printText(const CounterReport &report) {
  std::string text = "kernel '" + report.kernel + "'\n";
  append(text, "  %-20s %12llu of %llu threads\n", "blocks",
         wide(report.blocks), wide(report.threadsPerBlock));
  append(text, "  %-20s %12llu (%llu thread instructions)\n",
         "warp instructions", wide(report.warpInstructions),
         wide(report.threadInstructions));
  for (unsigned i = 0; i < kCategories; ++i)
    if (report.mix[i])
      append(text, "    %-18s %12llu\n",
             std::string(nameOf(Category(i))).c_str(), wide(report.mix[i]));
  addMatrixText(text, report);
  append(text, "  %-20s %12llu\n", "block barriers", wide(report.barriers));
  append(text, "  %-20s %12u bytes touched of %u\n", "shared memory",
         report.peakShared, report.sharedBytes);
  append(text, "  %-20s %12llu (%llu from conflicts)\n", "shared wavefronts",
         wide(report.sharedWavefronts), wide(report.sharedConflicts));
  addTensorText(text, report);
  for (const CounterReport::Line &line : report.lines)
    addLineText(text, line);
  return text;
}

std::string printJson(const CounterReport &report) {
  JsonObject mix, matrix;
  for (unsigned i = 0; i < kCategories; ++i)
    if (report.mix[i])
      mix.number(nameOf(Category(i)), report.mix[i]);
  for (const auto &[name, count] : report.matrix)
    matrix.number(name, count);
  std::vector<std::string> tensors, lines;
  for (const CounterReport::Tensor &tensor : report.tensors)
    tensors.push_back(jsonTensor(tensor));
  for (const CounterReport::Line &line : report.lines)
    lines.push_back(jsonLine(line));
  std::string text = "{\n";
  auto field = [&](const char *key, const std::string &json,
                   bool last = false) {
    text += "  " + quoted(key) + ": " + json + (last ? "\n" : ",\n");
  };
  field("kernel", quoted(report.kernel));
  field("blocks", std::to_string(report.blocks));
  field("threadsPerBlock", std::to_string(report.threadsPerBlock));
  field("warpInstructions", std::to_string(report.warpInstructions));
  field("threadInstructions", std::to_string(report.threadInstructions));
  field("mix", mix.str());
  field("matrix", matrix.str());
  field("barriers", std::to_string(report.barriers));
  field("peakShared", std::to_string(report.peakShared));
  field("sharedBytes", std::to_string(report.sharedBytes));
  field("sharedWavefronts", std::to_string(report.sharedWavefronts));
  field("sharedConflicts", std::to_string(report.sharedConflicts));
  field("tensors", jsonList(tensors));
  field("lines", jsonList(lines), true);
  return text + "}\n";
}

} // namespace girih::sim
