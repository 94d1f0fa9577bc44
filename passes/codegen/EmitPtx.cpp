//===- EmitPtx.cpp - from the LLVM dialect to PTX -------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/EmitPtx.h"

#include "passes/codegen/DebugLines.h"
#include "passes/codegen/LowerTile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

#include <mutex>

// The one target that is linked in.
extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace girih::codegen {

static constexpr const char *kTriple = "nvptx64-nvidia-cuda";

namespace {

/// What LLVM's last resort becomes. A backend that cannot go on ("Cannot
/// select") calls report_fatal_error, which ends the process unless a handler
/// takes the way out by throwing.
struct FatalLlvmError {
  std::string message;
};

/// Set while this thread is inside LLVM on our behalf: fatal errors of other
/// threads, or outside, keep LLVM's behaviour.
thread_local bool insideLlvm = false;

void throwFatalError(void *, const char *reason, bool) {
  if (insideLlvm)
    throw FatalLlvmError{reason};
}

/// The backend's own passes (address spaces, constant offsets, common
/// subexpressions) are all the optimisation there is:
/// generated code is tidy, ptxas optimises again, and compile time matters.
/// This gate leaves out those of them that do not pay here. Measured on a GEMM
/// block of 64 accumulators (2200 instructions; 19 ms of processor time remain)
/// and on the tile lowering's test kernels:
/// - loop strength reduction: 4 ms, and 8 registers more after ptxas;
/// - hoisting out of loops: spills beside 64 accumulators, and ptxas hoists
///   what it has registers for;
/// - global value numbering: 4 ms, not one register less;
/// - straight-line strength reduction: up to a third of the registers less in
///   small kernels, but 10 ms and spills in large ones;
/// - common subexpressions of machine code: hoists addresses that two branches
///   form to where both must keep them, which spills in kernels that access
///   memory element by element;
/// - load and store vectors: memory is accessed in vectors already; 11 ms;
/// - the library call passes: 3 ms for nothing to find.
class PassGate : public llvm::OptPassGate {
public:
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef) const override {
    return llvm::StringSwitch<bool>(pass)
        .Cases({"slsr", "nary-reassociate"}, small)
        .Cases({"loop-reduce", "Loop Strength Reduction", "early-machinelicm",
                "gvn", "speculative-execution"},
               false)
        .Cases({"machine-cse", "Machine Common Subexpression Elimination",
                "load-store-vectorizer", "GPU Load and Store Vectorizer"},
               false)
        .Cases({"consthoist", "expand-memcmp", "mergeicmps",
                "partially-inline-libcalls"},
               false)
        .Default(true);
  }
  bool isEnabled() const override { return true; }

  void setSize(unsigned instructions) { small = instructions <= 1000; }

private:
  bool small = true;
};

/// One translation: an LLVM context, its module and the messages about them.
class Emission {
public:
  Emission(const target::GpuTarget &target, const PtxOptions &options)
      : target(target), options(options) {}

  Status translate(mlir::ModuleOp source);
  Result<std::string> print();
  Result<std::string> generate();

private:
  Failure failure(const std::string &fallback) const {
    return Failure{messages.empty() ? fallback : messages};
  }
  void note(llvm::StringRef message);

  const target::GpuTarget &target;
  const PtxOptions &options;
  std::string messages;
  std::string sharedNames; ///< comment lines
  PassGate gate;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
};

/// The attributes translation reads the data layout and triple from, put back
/// as they were afterwards: alignments of loads are decided while translating.
class ScopedAttribute {
public:
  ScopedAttribute(mlir::ModuleOp module, llvm::StringRef name,
                  const std::string &value)
      : module(module), name(name), before(module->getAttr(name)) {
    module->setAttr(name, mlir::StringAttr::get(module.getContext(), value));
  }
  ~ScopedAttribute() {
    if (before)
      module->setAttr(name, before);
    else
      module->removeAttr(name);
  }

private:
  mlir::ModuleOp module;
  llvm::StringRef name;
  mlir::Attribute before;
};

} // namespace

/// The oldest version with everything this compiler writes for the chip, so
/// that older drivers can load it: 7.8 for cp.async, max.NaN and bf16
/// arithmetic; 8.6 for bulk copies to .shared::cta, and the first version with
/// sm_100; 8.7 is the first with sm_120.
unsigned ptxVersionFor(const target::GpuTarget &target) {
  if (target.capability >= 120)
    return 87;
  if (target.capability >= 90)
    return 86;
  if (target.capability >= 89)
    return 81; // conversions of f8
  return 78;
}

/// Sets an option that LLVM reads from its command line and nowhere else.
static void setLlvmOption(const char *name, const char *value) {
  auto &options = llvm::cl::getRegisteredOptions();
  auto found = options.find(name);
  if (found != options.end())
    found->second->addOccurrence(0, name, value);
}

static void initializeLlvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    // Shared, local and constant pointers of 32 bits: half the registers for
    // addresses in shared memory; the data layout follows.
    setLlvmOption("nvptx-short-ptr", "true");
    // The backend loses the places of loads: better that of the instruction
    // before, nearly always an address of the same statement, than "line 0".
    setLlvmOption("use-unknown-locations", "Disable");
    llvm::install_fatal_error_handler(throwFatalError);
  });
}

static std::unique_ptr<llvm::TargetMachine>
createMachine(const target::GpuTarget &target, const PtxOptions &options,
              std::string &error) {
  llvm::Triple triple(kTriple);
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return nullptr;
  llvm::TargetOptions machineOptions;
  // The numerics contract: nothing is fused, reassociated or flushed.
  machineOptions.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  machineOptions.MCOptions.AsmVerbose = options.comments;
  std::string features = "+ptx" + std::to_string(ptxVersionFor(target));
  return std::unique_ptr<llvm::TargetMachine>(backend->createTargetMachine(
      triple, target.name, features, machineOptions, llvm::Reloc::PIC_,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

void Emission::note(llvm::StringRef message) {
  if (!messages.empty())
    messages += "; ";
  messages += message.trim();
}

Status Emission::translate(mlir::ModuleOp source) {
  std::string error;
  machine = createMachine(target, options, error);
  if (!machine)
    return Failure{"LLVM has no NVPTX backend: " + error};
  context.setOptPassGate(gate);
  context.setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo *info, void *self) {
        if (info->getSeverity() != llvm::DS_Error)
          return;
        std::string text;
        llvm::raw_string_ostream stream(text);
        llvm::DiagnosticPrinterRawOStream printer(stream);
        info->print(printer);
        static_cast<Emission *>(self)->note(text);
      },
      this);

  mlir::DialectRegistry registry;
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
  mlir::MLIRContext *mlirContext = source.getContext();
  mlirContext->appendDialectRegistry(registry);
  mlir::ScopedDiagnosticHandler handler(
      mlirContext, [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
          note(diagnostic.str());
        return mlir::success();
      });
  ScopedAttribute layout(source, "llvm.data_layout",
                         machine->createDataLayout().getStringRepresentation());
  ScopedAttribute triple(source, "llvm.target_triple", kTriple);
  addLineScopes(source);
  for (mlir::Operation &op : *source.getBody())
    if (auto names = op.getAttrOfType<mlir::ArrayAttr>(kSharedNamesAttr))
      for (auto name : names.getAsRange<mlir::StringAttr>())
        sharedNames += "// girih.shared " + name.str() + "\n";
  module = mlir::translateModuleToLLVMIR(source, context, "girih");
  if (!module)
    return failure("the module cannot be translated to LLVM IR");

  // Inline assembly of the LLVM dialect has no such flag, and duplicating a
  // barrier into both arms of a branch is a deadlock.
  unsigned count = 0;
  for (llvm::Function &function : *module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      ++count;
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (call->isInlineAsm())
          call->setConvergent();
    }
  gate.setSize(count);
  return {};
}

Result<std::string> Emission::print() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, nullptr);
  return text;
}

Result<std::string> Emission::generate() {
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile,
                                   /*DisableVerify=*/true))
    return Failure{"LLVM's NVPTX backend cannot write PTX"};
  passes.run(*module);
  if (!messages.empty())
    return Failure{messages};
  // Behind the header, so that the text still begins as PTX does.
  size_t header = sharedNames.empty() ? 0 : text.find(".address_size");
  if (header == 0 || header == llvm::StringRef::npos)
    return text.str().str();
  header = text.find('\n', header) + 1;
  return (text.substr(0, header) + sharedNames + text.substr(header)).str();
}

/// Runs `step` on a fresh emission of `module`. An emission that LLVM left by a
/// fatal error is in no state to be destroyed, so it is kept.
template <typename Step>
static Result<std::string> emit(mlir::ModuleOp module,
                                const target::GpuTarget &target,
                                const PtxOptions &options, Step step) {
  initializeLlvm();
  auto emission = std::make_unique<Emission>(target, options);
  const void *stack = llvm::SavePrettyStackState();
  bool outer = std::exchange(insideLlvm, true);
  try {
    Status status = emission->translate(module);
    Result<std::string> text =
        status.ok() ? step(*emission)
                    : Result<std::string>(Failure{status.message()});
    emission.reset();
    insideLlvm = outer;
    return text;
  } catch (const FatalLlvmError &error) {
    insideLlvm = outer;
    llvm::RestorePrettyStackState(stack);
    (void)emission.release();
    return Failure{error.message};
  }
}

Result<std::string> emitPtx(mlir::ModuleOp module,
                            const target::GpuTarget &target,
                            const PtxOptions &options) {
  return emit(module, target, options,
              [](Emission &emission) { return emission.generate(); });
}

Result<std::string> printLlvmIr(mlir::ModuleOp module,
                                const target::GpuTarget &target,
                                const PtxOptions &options) {
  return emit(module, target, options,
              [](Emission &emission) { return emission.print(); });
}

} // namespace girih::codegen
