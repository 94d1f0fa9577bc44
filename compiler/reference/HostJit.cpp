//===- HostJit.cpp - host code in this process ----------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/reference/HostJit.h"

#include "compiler/reference/HostFunctions.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

#include <mutex>

using namespace girih;
using namespace girih::reference;

struct HostJit::Impl {
  HostShape shape;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

HostJit::HostJit(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
HostJit::~HostJit() = default;
HostJit::HostJit(HostJit &&) noexcept = default;

const HostShape &HostJit::shape() const { return impl->shape; }

static Failure failureOf(llvm::Error error) {
  return Failure{"the host compiler failed: " +
                 llvm::toString(std::move(error))};
}

static HostShape shapeOfHost() {
  HostShape shape;
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  auto has = [&](llvm::StringRef name) { return features.lookup(name); };
  if (has("avx512f") && has("avx512bw") && has("avx512vl") && has("avx512dq"))
    shape.vectorBits = 512;
  else if (has("avx2"))
    shape.vectorBits = 256;
  shape.nativeHalf = has("f16c") && has("avx");
  return shape;
}

Result<HostJit> HostJit::create(std::optional<HostShape> shape) {
  static std::once_flag initialised;
  std::call_once(initialised, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  auto impl = std::make_unique<Impl>();
  impl->shape = shape ? *shape : shapeOfHost();
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return failureOf(builder.takeError());
  // A multiplication and an addition stay two roundings.
  builder->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  auto machine = builder->createTargetMachine();
  if (!machine)
    return failureOf(machine.takeError());
  impl->machine = std::move(*machine);
  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(std::move(*builder))
                 .create();
  if (!jit)
    return failureOf(jit.takeError());
  impl->jit = std::move(*jit);

  llvm::orc::SymbolMap symbols;
  for (const NamedHostFunction &function : hostFunctions())
    symbols[impl->jit->mangleAndIntern(function.name)] = {
        llvm::orc::ExecutorAddr::fromPtr(function.address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  if (llvm::Error error = impl->jit->getMainJITDylib().define(
          llvm::orc::absoluteSymbols(std::move(symbols))))
    return failureOf(std::move(error));
  return HostJit(std::move(impl));
}

/// The code is emitted vectorised and unrolled; what is left is to share equal
/// expressions and to move what is invariant out of the loops along reductions.
static void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(
      llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::ADCEPass());
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      passes.run(function, functions);
}

Status HostJit::add(std::unique_ptr<llvm::Module> module,
                    std::unique_ptr<llvm::LLVMContext> context) {
  module->setDataLayout(impl->jit->getDataLayout());
  module->setTargetTriple(impl->jit->getTargetTriple());
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(*module, &stream))
    return Failure{"generated host code is malformed: " + problem};
  optimise(*module, *impl->machine);
  if (llvm::Error error = impl->jit->addIRModule(
          llvm::orc::ThreadSafeModule(std::move(module), std::move(context))))
    return failureOf(std::move(error));
  return {};
}

Result<KernelFunction> HostJit::lookup(const std::string &symbol) const {
  auto address = impl->jit->lookup(symbol);
  if (!address)
    return failureOf(address.takeError());
  return address->toPtr<KernelFunction>();
}
