//===- Naming.cpp - names of bytes in messages ----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Naming.h"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace girih::sim {

std::string toHex(uint64_t value) {
  char digits[16];
  char *end = std::to_chars(digits, digits + sizeof(digits), value, 16).ptr;
  return "0x" + std::string(digits, end);
}

std::string countBytes(uint64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

std::string describeAction(AccessKind kind, uint64_t bytes) {
  switch (kind) {
  case AccessKind::Read:
    return "reads " + countBytes(bytes);
  case AccessKind::Write:
    return "writes " + countBytes(bytes);
  case AccessKind::Atomic:
    return "atomically updates " + countBytes(bytes);
  case AccessKind::AsyncRead:
    return "copies " + countBytes(bytes) + " from here";
  case AccessKind::AsyncWrite:
    return "copies " + countBytes(bytes) + " to here";
  }
  return "touches " + countBytes(bytes);
}

namespace {

std::string list(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

std::string nameOfBuffer(const GlobalBuffer &buffer) {
  if (!buffer.view.name.empty())
    return buffer.view.name;
  return "buffer " + std::to_string(buffer.address >> kBufferShift);
}

std::vector<int64_t> stridesOf(const BufferView &view) {
  if (view.strides.size() == view.shape.size())
    return view.strides;
  std::vector<int64_t> strides(view.shape.size(), 1);
  for (size_t i = strides.size(); i-- > 1;)
    strides[i - 1] = strides[i] * view.shape[i];
  return strides;
}

/// The indices of an element by its distance from the first one. The dimension
/// with the longest stride takes what is beyond its end. Empty where strides
/// do not allow it.
std::vector<int64_t> indicesOf(const BufferView &view, int64_t element) {
  std::vector<int64_t> strides = stridesOf(view);
  std::vector<size_t> order(strides.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t one, size_t two) {
    if (strides[one] != strides[two])
      return strides[one] > strides[two];
    return view.shape[one] > view.shape[two];
  });
  std::vector<int64_t> indices(strides.size(), 0);
  bool leading = true;
  for (size_t dimension : order) {
    if (strides[dimension] < 0)
      return {};
    if (strides[dimension] == 0 || (view.shape[dimension] == 1 && !leading))
      continue;
    indices[dimension] = element / strides[dimension];
    element %= strides[dimension];
    leading = false;
  }
  return element == 0 ? indices : std::vector<int64_t>();
}

/// `X[33, 0]`; empty where the view says nothing about this byte. `inside`:
/// the byte's place in its element.
std::string elementName(const GlobalBuffer &buffer, uint64_t offset,
                        uint64_t &inside) {
  const BufferView &view = buffer.view;
  int64_t distance = int64_t(offset) - view.offset;
  if (view.name.empty() || view.elementBytes == 0 || distance < 0)
    return "";
  int64_t element = distance / int64_t(view.elementBytes);
  inside = uint64_t(distance % int64_t(view.elementBytes));
  if (view.shape.empty())
    return "";
  std::vector<int64_t> indices = indicesOf(view, element);
  return indices.empty() ? "" : view.name + list(indices);
}

std::string typeOf(const BufferView &view) {
  if (view.typeName.empty())
    return "";
  return " (" + view.typeName + (view.shape.empty() ? "" : list(view.shape)) +
         ")";
}

std::string describeInside(const GlobalBuffer &buffer, uint64_t offset) {
  uint64_t inside = 0;
  std::string element = elementName(buffer, offset, inside);
  if (element.empty())
    return "byte " + std::to_string(offset) + " of " + nameOfBuffer(buffer);
  if (!buffer.view.typeName.empty())
    element += " (" + buffer.view.typeName + ")";
  return inside ? "byte " + std::to_string(inside) + " of " + element : element;
}

std::string describePast(const GlobalBuffer &buffer, uint64_t offset,
                         uint64_t bytes) {
  uint64_t inside = 0;
  std::string element = elementName(buffer, offset, inside);
  std::string past = countBytes(offset + bytes - buffer.bytes) +
                     " past the end of " + nameOfBuffer(buffer) +
                     typeOf(buffer.view);
  if (buffer.view.shape.empty())
    past += buffer.view.typeName.empty() ? " (" + countBytes(buffer.bytes) + ")"
                                         : "";
  if (element.empty() || inside)
    return "byte " + std::to_string(offset) + ", " + past;
  return element + ", " + past;
}

std::string placeIn(const std::vector<KernelCode::Placed> &variables,
                    uint64_t offset) {
  // A dynamic variable ends with the memory: its declared size is 0.
  for (const KernelCode::Placed &placed : variables) {
    const SyntaxVariable &variable = *placed.variable;
    if (offset < placed.offset ||
        (!variable.isDynamic && offset - placed.offset >= variable.bytes))
      continue;
    uint64_t distance = offset - placed.offset;
    return " (variable " + variable.name +
           (distance ? " + " + std::to_string(distance) : "") + ")";
  }
  return "";
}

} // namespace

std::string describeGlobal(GlobalMemory &memory, uint64_t address,
                           uint64_t bytes) {
  GlobalBuffer *buffer = memory.find(address);
  uint64_t offset = address & ((uint64_t(1) << kBufferShift) - 1);
  if (offset >> (kBufferShift - 1)) { // below the start of the next buffer
    uint64_t before = (uint64_t(1) << kBufferShift) - offset;
    if (GlobalBuffer *next = memory.find(address + before))
      return countBytes(before) + " before the start of " +
             nameOfBuffer(*next) + typeOf(next->view);
  }
  if (!buffer)
    return "address " + toHex(address) + ", where no buffer is";
  if (bytes <= buffer->bytes && offset <= buffer->bytes - bytes)
    return describeInside(*buffer, offset);
  return describePast(*buffer, offset, bytes);
}

std::string describeAddress(GlobalMemory &memory, uint64_t address) {
  GlobalBuffer *buffer = memory.find(address);
  return describeGlobal(memory, address,
                        buffer && !buffer->view.name.empty()
                            ? std::max(buffer->view.elementBytes, 1u)
                            : 1);
}

std::string describeShared(const Block &speaker, const Block &owner,
                           uint64_t offset) {
  std::string text = "shared memory ";
  if (&speaker != &owner)
    text += "of block " + std::to_string(owner.linear) + " ";
  return text + "at offset " + std::to_string(offset) +
         placeIn(owner.launch->code->shared, offset);
}

std::string describeLocal(const KernelCode &code, uint64_t offset) {
  return "local memory at offset " + std::to_string(offset) +
         placeIn(code.local, offset);
}

} // namespace girih::sim
