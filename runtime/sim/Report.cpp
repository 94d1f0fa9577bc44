//===- Report.cpp - what came of a launch, in words -----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/sim/Simulator.h"

using namespace girih;
using namespace girih::sim;

/// `block 0 thread 33 (warp 1, lane 1)`
static std::string describeThread(const ThreadName &who) {
  return "block " + std::to_string(who.block) + " thread " +
         std::to_string(who.thread) + " (warp " +
         std::to_string(who.thread / kLanes) + ", lane " +
         std::to_string(who.thread % kLanes) + ")";
}

/// `PTX line 120: st.shared.f32 [%r1], %f1;  from softmax.te:5:3`
static std::string describePlace(const SyntaxModule &module,
                                 const SyntaxKernel &kernel,
                                 uint32_t statement) {
  if (statement >= kernel.statements.size())
    return "the end of the kernel";
  const SyntaxStatement &at = kernel.statements[statement];
  std::string text = "PTX line " + std::to_string(at.location.line) + ": " +
                     textOf(module, at);
  if (at.location.file == 0)
    return text;
  std::string file = at.location.file < module.files.size()
                         ? module.files[at.location.file]
                         : "";
  if (file.empty())
    file = "file " + std::to_string(at.location.file);
  return text + "  from " + file + ":" +
         std::to_string(at.location.sourceLine) + ":" +
         std::to_string(at.location.sourceColumn);
}

static std::string headline(const Fault &fault) {
  if (fault.kind == FaultKind::Uninitialized &&
      fault.object.rfind("register ", 0) == 0)
    return "read of an uninitialised register";
  return std::string(nameOf(fault.kind));
}

std::string Report::text() const {
  std::string start = "kernel '" + kernel + "': ";
  if (!refusal.empty() && faults.empty())
    return start + refusal + "\n";
  if (faults.empty())
    return start + "no fault\n";
  std::string all;
  if (!refusal.empty())
    all += start + refusal + "\n";
  for (const FaultLog::Entry &entry : faults) {
    const Fault &fault = entry.fault;
    all += start + headline(fault) + "\n";
    for (const FaultSite &site : fault.sites)
      all +=
          "  " + describeThread(site.who) + " " + site.action + ", " +
          (module && syntax ? describePlace(*module, *syntax, site.statement)
                            : "statement " + std::to_string(site.statement)) +
          "\n";
    if (!fault.object.empty())
      all += "  " + fault.object + "\n";
    if (!fault.detail.empty())
      all += "  " + fault.detail + "\n";
    if (entry.count > 1)
      all += "  seen " + std::to_string(entry.count - 1) +
             (entry.count == 2 ? " more time\n" : " more times\n");
  }
  return all;
}
