//===- DomainSvg.cpp - a small iteration domain as a picture --------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/DomainSvg.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

using namespace girih;
using namespace girih::pipeline;
using llvm::formatv;

namespace {

constexpr double kCell = 56, kRadius = 13, kMargin = 64, kLine = 18;

/// How the arrows of each kind of dependence look.
struct Stroke {
  const char *name, *color, *dashes;
  double bend; ///< to the side, in parts of its length
};
constexpr Stroke kStrokes[] = {
    {"flow", "#1f5fa8", "", 0.16},
    {"anti", "#b3421b", "7 4", -0.16},
    {"output", "#5b7f1f", "2 3", 0.3},
};

std::string escaped(const std::string &text) {
  std::string out;
  for (char c : text)
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    case '\'':
      out += "&#39;";
      break;
    default:
      // XML has no way to say other control characters.
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  return out;
}

/// The values that occur, in order: the place of one is its row or column.
class Axis {
public:
  void add(int64_t value) { values.push_back(value); }
  void finish() {
    llvm::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
  }
  size_t size() const { return values.size(); }
  int64_t at(size_t place) const { return values[place]; }
  double position(int64_t value) const {
    auto place = llvm::lower_bound(values, value) - values.begin();
    return kMargin + (double(place) + 0.5) * kCell;
  }

private:
  std::vector<int64_t> values;
};

class Drawing {
public:
  explicit Drawing(const DomainPicture &picture) : picture(picture) {
    for (const DomainPicture::Dot &dot : picture.dots) {
      rows.add(dot.down);
      columns.add(dot.right);
    }
    rows.finish();
    columns.finish();
  }

  std::string run() {
    drawAxes();
    for (const DomainPicture::Arrow &arrow : picture.arrows)
      draw(arrow);
    for (const DomainPicture::Dot &dot : picture.dots)
      draw(dot);
    double y = kMargin + double(rows.size()) * kCell + 28;
    drawLegend(y);
    for (const std::string &caption : picture.captions) {
      text(16, y, "start", 13, caption);
      widest = std::max(widest, caption.size());
      y += kLine;
    }
    widest = std::max(widest, picture.title.size() * 5 / 4);
    // Letters of this size are at most about so wide.
    double width = std::max(2 * kMargin + double(columns.size()) * kCell,
                            32 + 7.2 * double(widest));
    double height = y + 8;
    std::string svg = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    svg += formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" "
                   "width=\"{0:F0}\" height=\"{1:F0}\" viewBox=\"0 0 {0:F0} "
                   "{1:F0}\" font-family=\"sans-serif\">\n",
                   width, height)
               .str();
    svg += "<title>" + escaped(picture.title) + "</title>\n<defs>\n";
    for (const Stroke &stroke : kStrokes)
      svg += formatv("<marker id=\"tip-{0}\" viewBox=\"0 0 8 8\" refX=\"8\" "
                     "refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" "
                     "markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path "
                     "d=\"M 0 0.5 L 8 4 L 0 7.5 z\" fill=\"{1}\"/></marker>\n",
                     stroke.name, stroke.color)
                 .str();
    svg += "</defs>\n";
    svg += formatv("<rect width=\"{0:F0}\" height=\"{1:F0}\" "
                   "fill=\"#ffffff\"/>\n",
                   width, height)
               .str();
    return svg + body + "</svg>\n";
  }

private:
  void text(double x, double y, const char *anchor, unsigned size,
            const std::string &words, const char *more = "") {
    body += formatv("<text x=\"{0:F1}\" y=\"{1:F1}\" text-anchor=\"{2}\" "
                    "font-size=\"{3}\"{4}>{5}</text>\n",
                    x, y, anchor, size, more, escaped(words))
                .str();
  }

  void drawAxes() {
    text(16, 24, "start", 15, picture.title, " font-weight=\"bold\"");
    constexpr size_t kMostLabels = 40;
    auto step = [](const Axis &axis) {
      return (axis.size() + kMostLabels - 1) / kMostLabels;
    };
    if (!picture.right.empty() && columns.size() > 0) {
      text(kMargin - 24, kMargin - 8, "end", 13, picture.right,
           " font-style=\"italic\"");
      for (size_t c = 0; c < columns.size(); c += step(columns))
        text(columns.position(columns.at(c)), kMargin - 8, "middle", 12,
             std::to_string(columns.at(c)), " fill=\"#555555\"");
    }
    if (!picture.down.empty() && rows.size() > 0) {
      text(kMargin - 24, kMargin + 12, "end", 13, picture.down,
           " font-style=\"italic\"");
      for (size_t r = 0; r < rows.size(); r += step(rows))
        text(kMargin - 4, rows.position(rows.at(r)) + 4, "end", 12,
             std::to_string(rows.at(r)), " fill=\"#555555\"");
    }
  }

  void draw(const DomainPicture::Arrow &arrow) {
    const DomainPicture::Dot &from = picture.dots[arrow.from];
    const DomainPicture::Dot &to = picture.dots[arrow.to];
    const Stroke &stroke = kStrokes[size_t(arrow.kind)];
    double x0 = columns.position(from.right), y0 = rows.position(from.down);
    double x1 = columns.position(to.right), y1 = rows.position(to.down);
    double dx = x1 - x0, dy = y1 - y0;
    double length = std::hypot(dx, dy);
    if (length == 0)
      return;
    // A curve passes the dots that lie between; long ones stay in the picture.
    double bend = stroke.bend * std::min(length, 4 * kCell) / length;
    double xc = (x0 + x1) / 2 + dy * bend, yc = (y0 + y1) / 2 - dx * bend;
    auto towards = [](double &x, double &y, double xc, double yc, double by) {
      double far = std::hypot(xc - x, yc - y);
      x += (xc - x) / far * by;
      y += (yc - y) / far * by;
    };
    towards(x0, y0, xc, yc, kRadius);
    towards(x1, y1, xc, yc, kRadius + 1);
    body +=
        formatv("<path d=\"M {0:F1} {1:F1} Q {2:F1} {3:F1} {4:F1} {5:F1}\" "
                "fill=\"none\" {6}><title>{7}</title></path>\n",
                x0, y0, xc, yc, x1, y1, strokeOf(stroke), escaped(arrow.name))
            .str();
  }

  static std::string strokeOf(const Stroke &stroke) {
    std::string dashes = stroke.dashes;
    if (!dashes.empty())
      dashes = " stroke-dasharray=\"" + dashes + "\"";
    return formatv("stroke=\"{0}\" stroke-width=\"1.5\"{1} "
                   "marker-end=\"url(#tip-{2})\"",
                   stroke.color, dashes, stroke.name)
        .str();
  }

  void draw(const DomainPicture::Dot &dot) {
    double x = columns.position(dot.right), y = rows.position(dot.down);
    body += formatv("<g><title>{0}</title><circle cx=\"{1:F1}\" cy=\"{2:F1}\" "
                    "r=\"{3:F0}\" fill=\"#f6f3ea\" stroke=\"#333333\"/>",
                    escaped(dot.name), x, y, kRadius)
                .str();
    body += formatv("<text x=\"{0:F1}\" y=\"{1:F1}\" text-anchor=\"middle\" "
                    "font-size=\"12\">{2}</text></g>\n",
                    x, y + 4, dot.number)
                .str();
  }

  void drawLegend(double &y) {
    for (const Stroke &stroke : kStrokes) {
      auto kind = poly::DependenceKind(&stroke - kStrokes);
      size_t count = llvm::count_if(picture.arrows, [&](const auto &arrow) {
        return arrow.kind == kind;
      });
      if (count == 0)
        continue;
      body += formatv("<path d=\"M 16 {0:F1} L 56 {0:F1}\" fill=\"none\" "
                      "{1}/>\n",
                      y - 4, strokeOf(stroke))
                  .str();
      std::string words = stroke.name;
      text(66, y, "start", 13,
           words + ": " + std::to_string(count) +
               (count == 1 ? " arrow" : " arrows"));
      y += kLine;
    }
  }

  const DomainPicture &picture;
  Axis rows, columns;
  std::string body;
  size_t widest = 0; ///< letters of the longest caption
};

} // namespace

std::string girih::pipeline::drawSvg(const DomainPicture &picture) {
  return Drawing(picture).run();
}
