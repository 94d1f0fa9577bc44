//===- Doctor.cpp - girih doctor ------------------------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/TargetFile.h"
#include "compiler/poly/Version.h"
#include "compiler/target/GpuTarget.h"
#include "passes/codegen/Ptxas.h"
#include "tools/girih/Codes.h"
#include "tools/girih/Command.h"
#include "tools/girih/Devices.h"
#include "tools/girih/Program.h"

#include "llvm/Config/llvm-config.h"

using namespace girih;
using namespace girih::cli;

static std::string line(const std::string &label, const std::string &text) {
  return label + std::string(10 - label.size(), ' ') + text + "\n";
}

namespace {

class DoctorCommand : public Command {
public:
  DoctorCommand()
      : Command("doctor", "say what this installation consists of"),
        targetJson(*this, "target-json", "SM",
                   "print this target as JSON, to start a file for --target"),
        positional(llvm::cl::Positional, llvm::cl::Hidden,
                   llvm::cl::sub(subcommand), llvm::cl::cat(category)) {}

  void run(Console &console) override {
    if (!positional.empty()) {
      console.usage(codes::kCommandLine,
                    "girih doctor takes no '" + positional[0] + "'");
      return;
    }
    if (targetJson.getNumOccurrences()) {
      std::optional<target::GpuTarget> card;
      if (checkTarget(console, targetJson, card))
        console.print(pipeline::printTarget(
            card ? *card : *target::findTarget(targetJson)));
      return;
    }
    std::string text = line("girih", GIRIH_VERSION);
    text += line("llvm", LLVM_VERSION_STRING);
    text += line("isl", poly::islVersion());
    text += line("ptxas", codegen::findPtxas().value_or(
                              "not found (PATH, /usr/local/cuda/bin); only "
                              "compile --ptxas needs it"));
    for (const rt::DeviceInfo &device : makeRegistry().listDevices())
      text += line(device.name, device.available
                                    ? device.description
                                    : "not available: " + device.reason);
    std::string targets;
    for (const std::string &target : target::knownTargets())
      targets += (targets.empty() ? "" : " ") + target;
    std::string cards;
    for (const std::string &card : target::knownCards())
      cards += (cards.empty() ? "" : " ") + card;
    console.print(text + line("targets", targets) + line("cards", cards));
  }

private:
  Setting targetJson;
  llvm::cl::list<std::string> positional;
};

} // namespace

std::unique_ptr<Command> cli::makeDoctorCommand() {
  return std::make_unique<DoctorCommand>();
}
