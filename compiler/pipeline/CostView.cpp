//===- CostView.cpp - what a program moves and takes, for people ----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/CostView.h"

#include "compiler/cost/Machine.h"
#include "compiler/pipeline/CostText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace girih;
using namespace girih::pipeline;
namespace js = llvm::json;
using cost::KernelCost;
using cost::Plan;
using cost::TensorTraffic;
using target::GpuTarget;

const std::vector<std::string> &girih::pipeline::costViews() {
  static const std::vector<std::string> names = {"traffic", "budget",
                                                 "roofline", "bound"};
  return names;
}

/// Arithmetic of one instance, beside the step of a reduction itself.
static double workOf(const scop::StatementInfo &info,
                     const poly::Statement &statement) {
  mlir::Block *body = nullptr;
  if (statement.kind == poly::StatementKind::Map && info.compute)
    body = &const_cast<te::ComputeOp &>(info.compute).getBlock();
  if (statement.kind == poly::StatementKind::Update && info.level == 1)
    body = &const_cast<te::ReduceOp &>(info.reduce).getBlock();
  if (!body)
    return 0;
  double work = 0;
  for (mlir::Operation &op : *body)
    work += mlir::isa<te::UnaryOp, te::BinaryOp, te::PowOp>(op) ? 1
            : mlir::isa<te::FmaOp>(op)                          ? 2
                                                                : 0;
  // A product that a reduction sums is counted with the sum.
  te::ReduceOp reduce = info.reduce;
  if (statement.kind == poly::StatementKind::Update && work > 0 &&
      reduce.getLeaf() != te::Leaf::Plain)
    --work;
  return work;
}

cost::StatementWork girih::pipeline::statementWork(const CompileState &state) {
  const poly::Scop &scop = state.scop->scop;
  cost::StatementWork work;
  for (size_t s = 0; s < scop.statements.size(); ++s) {
    const scop::StatementInfo &info = state.scop->map.statements[s];
    work.flops.push_back(workOf(info, scop.statements[s]));
    te::ReduceOp reduce = info.reduce;
    work.multiplies.push_back(reduce && info.level == 1 &&
                              reduce.getLeaf() != te::Leaf::Plain);
  }
  return work;
}

std::optional<Plan> girih::pipeline::modelOf(CompileState &state) {
  const poly::Scop &scop = state.scop->scop;
  if (!scop.params.empty()) {
    std::string names = llvm::join(scop.params, ", "), flags;
    for (const std::string &param : scop.params)
      flags += " -D " + param + "=1024";
    state.diags
        .error("G0824", "bytes and times are of sizes that are known; " +
                            names + (scop.params.size() == 1 ? " is" : " are") +
                            " not")
        .help("for example" + flags);
    return std::nullopt;
  }
  cost::StatementWork work = statementWork(state);
  std::string why;
  std::optional<Plan> plan =
      cost::costOf(scop, state.schedules.front().tree, {}, why, &work);
  if (!plan)
    state.diags.error("G0806", why);
  return plan;
}

static std::string headline(const KernelCost &kernel) {
  std::string text = "kernel " + kernel.name + ": " + countText(kernel.blocks) +
                     " blocks of " + std::to_string(kernel.threads) +
                     " threads";
  if (kernel.launches != 1)
    text += ", launched " + countText(kernel.launches) + " times";
  return text + "\n";
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static CostView viewTraffic(const Plan &plan) {
  CostView view;
  js::Array kernels;
  for (const KernelCost &kernel : plan.kernels) {
    std::vector<std::vector<std::string>> rows{
        {"tensor", "read", "asked for", "different", "written"}};
    js::Array tensors;
    for (const TensorTraffic &entry : kernel.traffic) {
      rows.push_back(
          {entry.tensor + (entry.isExact ? "" : " (at most)"),
           bytesText(entry.readBytes), bytesText(entry.requestedBytes),
           bytesText(entry.readFootprint), bytesText(entry.writtenBytes)});
      tensors.push_back(js::Object{{"tensor", entry.tensor},
                                   {"readBytes", entry.readBytes},
                                   {"requestedBytes", entry.requestedBytes},
                                   {"readFootprint", entry.readFootprint},
                                   {"writtenBytes", entry.writtenBytes},
                                   {"writtenFootprint", entry.writtenFootprint},
                                   {"exact", entry.isExact}});
    }
    rows.push_back({"all", bytesText(kernel.readBytes()),
                    bytesText(kernel.requestedBytes()), "",
                    bytesText(kernel.writtenBytes())});
    view.text += headline(kernel) + tableText(rows);
    kernels.push_back(js::Object{{"kernel", kernel.name},
                                 {"blocks", kernel.blocks},
                                 {"threads", int64_t(kernel.threads)},
                                 {"launches", kernel.launches},
                                 {"bytes", kernel.bytes()},
                                 {"tensors", std::move(tensors)}});
  }
  double peak = cost::peakLiveBytes(plan);
  view.text += "all kernels: " + bytesText(plan.readBytes()) + " read, " +
               bytesText(plan.writtenBytes()) + " written, " +
               bytesText(plan.bytes()) + "; " + countText(plan.launches()) +
               (plan.launches() == 1 ? " launch" : " launches") +
               "; tensors of at most " + bytesText(peak) + " at a time\n";
  view.json = js::Object{
      {"kernels", std::move(kernels)},       {"readBytes", plan.readBytes()},
      {"writtenBytes", plan.writtenBytes()}, {"bytes", plan.bytes()},
      {"launches", plan.launches()},         {"peakLiveBytes", peak}};
  return view;
}

static CostView viewBudget(const Plan &plan, const GpuTarget &target) {
  CostView view;
  js::Array kernels;
  for (const KernelCost &kernel : plan.kernels) {
    view.text += headline(kernel);
    js::Array buffers;
    std::vector<std::vector<std::string>> rows;
    for (const cost::Buffer &buffer : kernel.buffers) {
      rows.push_back({buffer.name + " " + shapeText(buffer),
                      std::to_string(buffer.bytes())});
      buffers.push_back(js::Object{{"name", buffer.name},
                                   {"bytes", buffer.bytes()},
                                   {"slots", buffer.slots}});
    }
    int64_t shared = kernel.sharedBytes();
    rows.push_back(
        {"shared memory, of " + std::to_string(target.maxSharedBytesPerBlock),
         std::to_string(shared)});
    rows.push_back({"registers of a thread, about, of " +
                        std::to_string(target.maxRegistersPerThread),
                    std::to_string(kernel.registers)});
    view.text += tableText(rows);
    target::Occupancy blocks = cost::residency(kernel, target);
    unsigned warps = blocks.resident * cost::warpsOf(kernel, target);
    cost::InFlight flight =
        cost::inFlight(target, blocks.resident, cost::warpsOf(kernel, target),
                       1, kernel.loadBytes);
    cost::Waves waves =
        cost::wavesOf(kernel.blocks, cost::placesOf(target, blocks.resident));
    view.text += llvm::formatv(
        "  resident on an SM: {0} by {1} (threads {2}, registers {3}, shared "
        "memory {4}, block slots {5}): {6} warps, {7:f0} % of what fits\n",
        blocks.resident, blocks.bound, blocks.blocksByThreads,
        blocks.blocksByRegisters, blocks.blocksByShared, blocks.blocksBySlots,
        warps, 100 * cost::occupancyOf(kernel, target));
    view.text += llvm::formatv(
        "  in flight on an SM: {0} of the {1} that memory needs to be busy\n",
        bytesText(flight.available), bytesText(flight.needed));
    if (waves.whole > 0)
      view.text += llvm::formatv("  {0} waves, {1:f0} % of their places used\n",
                                 waves.whole, 100 * waves.efficiency);
    kernels.push_back(
        js::Object{{"kernel", kernel.name},
                   {"threads", int64_t(kernel.threads)},
                   {"buffers", std::move(buffers)},
                   {"sharedBytes", shared},
                   {"sharedLimit", int64_t(target.maxSharedBytesPerBlock)},
                   {"registers", int64_t(kernel.registers)},
                   {"blocksByThreads", int64_t(blocks.blocksByThreads)},
                   {"blocksByRegisters", int64_t(blocks.blocksByRegisters)},
                   {"blocksByShared", int64_t(blocks.blocksByShared)},
                   {"blocksBySlots", int64_t(blocks.blocksBySlots)},
                   {"resident", int64_t(blocks.resident)},
                   {"bound", blocks.bound},
                   {"occupancy", cost::occupancyOf(kernel, target)},
                   {"inFlight", flight.available},
                   {"inFlightNeeded", flight.needed},
                   {"waves", waves.whole},
                   {"waveEfficiency", waves.efficiency}});
  }
  view.json = js::Object{{"kernels", std::move(kernels)}};
  return view;
}

static js::Object jsonOf(const cost::TimeEstimate &time) {
  return js::Object{{"launch", time.launch}, {"blocks", time.blocks},
                    {"memory", time.memory}, {"compute", time.compute},
                    {"total", time.total()}, {"bound", time.bound()}};
}

static CostView viewRoofline(const Plan &plan, const GpuTarget &target) {
  CostView view;
  js::Array kernels;
  double total = 0;
  std::vector<std::vector<std::string>> rows{
      {"kernel", "FLOP", "bytes", "FLOP/byte", "of the peak", "time", "bound"}};
  for (const KernelCost &kernel : plan.kernels) {
    cost::TimeEstimate time = cost::timeOf(kernel, target);
    cost::Roofline roof = cost::rooflineOf(kernel.flops(), kernel.bytes(),
                                           cost::computeRate(kernel, target),
                                           target.dramBandwidth);
    total += time.total();
    rows.push_back({kernel.name, countText(kernel.flops()),
                    countText(kernel.bytes()),
                    llvm::formatv("{0:f2}", roof.intensity),
                    llvm::formatv("{0:f0} %", 100 * roof.cap()),
                    timeText(time.total()), time.bound()});
    kernels.push_back(js::Object{{"kernel", kernel.name},
                                 {"matrixFlops", kernel.matrixFlops},
                                 {"otherFlops", kernel.otherFlops},
                                 {"bytes", kernel.bytes()},
                                 {"intensity", roof.intensity},
                                 {"ridge", roof.ridge},
                                 {"cap", roof.cap()},
                                 {"time", jsonOf(time)}});
  }
  view.text += llvm::formatv(
      "{0}: {1:f2} TB/s, {2:f1} TFLOP/s of f32, ridge "
      "{3:f1} FLOP/byte",
      target.product, target.dramBandwidth / 1e12, target.fp32Flops / 1e12,
      cost::ridgePoint(target.fp32Flops, target.dramBandwidth));
  if (target.matrixOf(target::MatrixType::Bf16))
    view.text += llvm::formatv(
        "; of bf16 on the matrix unit, which no kernel uses so far, {0:f0}",
        cost::ridgePoint(target, target::MatrixType::Bf16));
  view.text += "\n" + tableText(rows) + "all kernels: " + timeText(total) +
               " by the model\n";
  view.json = js::Object{
      {"target", target.product},
      {"ridge", cost::ridgePoint(target.fp32Flops, target.dramBandwidth)},
      {"matrixRidge", cost::ridgePoint(target, target::MatrixType::Bf16)},
      {"flops", plan.flops()},
      {"bytes", plan.bytes()},
      {"time", total},
      {"kernels", std::move(kernels)}};
  return view;
}

static CostView viewBound(const poly::Scop &scop, const Plan &plan,
                          const GpuTarget &target) {
  cost::LowerBound bound =
      cost::lowerBound(plan, cost::productsOf(scop, {}), target);
  double time = 0, least = cost::memoryTime(target, bound.compulsory, 0) +
                           target.launchTime;
  for (const KernelCost &kernel : plan.kernels)
    time += cost::timeOf(kernel, target).total();
  least = std::max(least, plan.flops() / target.fp32Flops);
  double ratio = bound.bytes() > 0 ? plan.bytes() / bound.bytes() : 1;
  CostView view;
  view.text =
      tableText({{"inputs once, results once", bytesText(bound.compulsory)},
                 {"products, with all registers and shared memory of the card",
                  bytesText(bound.atCapacity)},
                 {"at least", bytesText(bound.bytes())},
                 {"moved by this schedule", bytesText(plan.bytes())},
                 {"moved / at least", llvm::formatv("{0:f2}", ratio).str()},
                 {"time at least, of f32 units and memory", timeText(least)},
                 {"time of this schedule, by the model", timeText(time)}});
  view.json = js::Object{{"compulsoryBytes", bound.compulsory},
                         {"capacityBytes", bound.atCapacity},
                         {"boundBytes", bound.bytes()},
                         {"movedBytes", plan.bytes()},
                         {"ratio", ratio},
                         {"boundTime", least},
                         {"time", time}};
  return view;
}

CostView girih::pipeline::viewCost(const CompileState &state, const Plan &plan,
                                   const std::string &view) {
  if (view == "traffic")
    return viewTraffic(plan);
  if (view == "budget")
    return viewBudget(plan, *state.target);
  if (view == "roofline")
    return viewRoofline(plan, *state.target);
  return viewBound(state.scop->scop, plan, *state.target);
}
