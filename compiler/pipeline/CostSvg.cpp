//===- CostSvg.cpp - pictures of the cost model's figures -----------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/CostSvg.h"

#include "compiler/cost/Roofline.h"
#include "compiler/pipeline/CostText.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>
#include <functional>

using namespace girih;
using namespace girih::pipeline;
using target::GpuTarget;

namespace {

std::string escaped(const std::string &text) {
  std::string result;
  for (char c : text)
    result += c == '<'   ? "&lt;"
              : c == '>' ? "&gt;"
              : c == '&' ? "&amp;"
                         : std::string(1, c);
  return result;
}

/// A field with an axis of powers on each side.
class Chart {
public:
  Chart(double left, double right, double bottom, double top, double base)
      : left(left), right(right), bottom(bottom), top(top), base(base) {
    body = llvm::formatv(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
        "height=\"{1}\" font-family=\"sans-serif\" font-size=\"11\">\n"
        "<rect x=\"{2}\" y=\"{3}\" width=\"{4}\" height=\"{5}\" "
        "fill=\"none\" stroke=\"#888\"/>\n",
        int(kWidth), int(kHeight), int(kEdge), int(kEdge),
        int(kWidth - 2 * kEdge), int(kHeight - 2 * kEdge));
  }

  double x(double value) const {
    return place(value, left, right, kEdge, kWidth - kEdge);
  }
  double y(double value) const {
    return place(value, bottom, top, kHeight - kEdge, kEdge);
  }

  void axes(const std::string &across, const std::string &up,
            const std::function<std::string(double)> &acrossTick,
            const std::function<std::string(double)> &upTick) {
    for (double v = left; v <= right * 1.001; v *= base) {
      line(v, bottom, v, top, "#ddd", false);
      label(x(v), kHeight - kEdge + 14, acrossTick(v), "middle");
    }
    for (double v = bottom; v <= top * 1.001; v *= base) {
      line(left, v, right, v, "#ddd", false);
      label(kEdge - 4, y(v) + 4, upTick(v), "end");
    }
    label(kWidth / 2, kHeight - 12, across, "middle");
    label(12, 16, up, "start");
  }

  void line(double x1, double y1, double x2, double y2, const char *color,
            bool dashed) {
    body += llvm::formatv("<line x1=\"{0:F1}\" y1=\"{1:F1}\" x2=\"{2:F1}\" "
                          "y2=\"{3:F1}\" stroke=\"{4}\"{5}/>\n",
                          x(x1), y(y1), x(x2), y(y2), color,
                          dashed ? " stroke-dasharray=\"5 3\"" : "");
  }
  void point(double atX, double atY, double radius, const char *fill,
             const std::string &title) {
    body += llvm::formatv("<circle cx=\"{0:F1}\" cy=\"{1:F1}\" r=\"{2:F1}\" "
                          "fill=\"{3}\"><title>{4}</title></circle>\n",
                          x(atX), y(atY), radius, fill, escaped(title));
  }
  void label(double atX, double atY, const std::string &text,
             const char *anchor) {
    body += llvm::formatv(
        "<text x=\"{0:F1}\" y=\"{1:F1}\" text-anchor=\"{2}\">{3}</text>\n", atX,
        atY, anchor, escaped(text));
  }
  std::string finish() { return body + "</svg>\n"; }

  static constexpr double kWidth = 640, kHeight = 420, kEdge = 64;

private:
  static double place(double value, double from, double to, double begin,
                      double end) {
    value = std::clamp(value, std::min(from, to), std::max(from, to));
    return begin + (end - begin) * std::log(value / from) / std::log(to / from);
  }

  double left, right, bottom, top, base;
  std::string body;
};

double powerBelow(double value, double base) {
  return std::pow(base, std::floor(std::log(value) / std::log(base)));
}
double powerAbove(double value, double base) {
  return std::pow(base, std::ceil(std::log(value) / std::log(base) + 1e-9));
}

} // namespace

std::string girih::pipeline::rooflineSvg(const cost::Plan &plan,
                                         const GpuTarget &target) {
  const target::MatrixRate *matrix = target.matrixOf(target::MatrixType::Bf16);
  double peak = matrix ? matrix->flops : target.fp32Flops;
  double least = 0.1, most = 1000;
  for (const cost::KernelCost &kernel : plan.kernels)
    if (kernel.bytes() > 0 && kernel.flops() > 0) {
      least = std::min(least, kernel.flops() / kernel.bytes());
      most = std::max(most, kernel.flops() / kernel.bytes());
    }
  least = powerBelow(least, 10), most = powerAbove(most, 10);
  Chart chart(least, most, powerBelow(target.dramBandwidth * least, 10),
              powerAbove(peak, 10), 10);
  auto plain = [](double value) {
    return "10^" + std::to_string(std::lround(std::log10(value)));
  };
  chart.axes("FLOP / byte, " + target.product, "FLOP/s", plain, plain);
  auto roof = [&](double flops, const char *name, bool dashed) {
    double ridge = flops / target.dramBandwidth;
    chart.line(std::min(ridge, most), flops, most, flops, "#333", dashed);
    chart.label(Chart::kWidth - Chart::kEdge - 4, chart.y(flops) - 4, name,
                "end");
    return ridge;
  };
  roof(target.fp32Flops, "f32", false);
  double ridge = target.fp32Flops / target.dramBandwidth;
  if (matrix)
    ridge = roof(matrix->flops, "bf16 matrix unit", true);
  chart.line(least, target.dramBandwidth * least, std::min(ridge, most),
             target.dramBandwidth * std::min(ridge, most), "#333", false);
  for (const cost::KernelCost &kernel : plan.kernels) {
    if (kernel.bytes() <= 0 || kernel.flops() <= 0)
      continue;
    cost::KernelTime time = cost::predictTime(kernel, target);
    double intensity = kernel.flops() / kernel.bytes();
    chart.point(intensity, kernel.flops() / time.total(), 4, "#c33",
                kernel.name + ": " + timeText(time.total()));
    chart.label(chart.x(intensity) + 6,
                chart.y(kernel.flops() / time.total()) + 12, kernel.name,
                "start");
  }
  return chart.finish();
}

std::string girih::pipeline::tilesSvg(const Found &found,
                                      const GpuTarget &target) {
  std::vector<const FoundKernel *> kernels;
  if (!found.plans.empty())
    for (size_t number : found.plans.front().kernels)
      kernels.push_back(&found.kernels[number]);
  double least = 0, most = 0, fewest = 0, largest = 0;
  auto local = [](const FoundTile &tile) {
    return double(tile.cost.sharedBytes()) +
           4.0 * tile.cost.registers * tile.cost.threads;
  };
  for (const FoundKernel *kernel : kernels)
    for (const FoundTile &tile : kernel->tiles) {
      double bytes = tile.cost.bytes(), kept = local(tile);
      if (bytes <= 0 || kept <= 0)
        continue;
      least = least == 0 ? kept : std::min(least, kept);
      most = std::max(most, kept);
      fewest = fewest == 0 ? bytes : std::min(fewest, bytes);
      largest = std::max(largest, bytes);
    }
  if (most == 0)
    least = most = fewest = largest = 1024;
  Chart chart(powerBelow(least, 2), powerAbove(most, 2), powerBelow(fewest, 2),
              powerAbove(largest, 2), 2);
  chart.axes(
      "bytes that a block keeps, " + target.product, "bytes moved",
      [](double v) { return bytesText(v); },
      [](double v) { return bytesText(v); });
  for (const FoundKernel *kernel : kernels)
    for (size_t t = kernel->tiles.size(); t-- > 0;) {
      const FoundTile &tile = kernel->tiles[t];
      if (tile.cost.bytes() <= 0 || local(tile) <= 0)
        continue;
      bool isBest = t == 0 && tile.isKept();
      chart.point(
          local(tile), tile.cost.bytes(), isBest ? 6 : 3,
          isBest          ? "#c33"
          : tile.isKept() ? "#36c"
                          : "#bbb",
          kernel->tensors + ": " + tile.candidate.text() + ": " +
              (tile.isKept() ? timeText(tile.time.total()) : tile.dropped));
    }
  return chart.finish();
}
