//===- Progress.cpp - a progress bar on a terminal ------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Progress.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <unistd.h>

using namespace girih;
using namespace girih::rt;

static constexpr double kSecondsBetweenUpdates = 0.1;
static constexpr std::string_view kGreen = "\x1b[32m", kPlain = "\x1b[0m";

static double steadySeconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static void writeToStderr(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

std::string rt::printDuration(double seconds) {
  char text[32];
  if (!(seconds < 359999.5)) // 99:59:59; also refuses NaN
    return "over 4 days";
  if (seconds < 59.95) {
    std::snprintf(text, sizeof(text), "%.1f s", std::max(seconds, 0.0));
    return text;
  }
  unsigned whole = unsigned(seconds + 0.5);
  if (whole < 3600)
    std::snprintf(text, sizeof(text), "%u:%02u", whole / 60, whole % 60);
  else
    std::snprintf(text, sizeof(text), "%u:%02u:%02u", whole / 3600,
                  whole / 60 % 60, whole % 60);
  return text;
}

ProgressBar::ProgressBar(ProgressOptions given) : options(std::move(given)) {
  active = options.force || isatty(STDERR_FILENO);
  if (!options.sink)
    options.sink = writeToStderr;
  if (!options.clock)
    options.clock = steadySeconds;
  begin = options.clock();
}

ProgressBar::~ProgressBar() { finish(); }

std::string ProgressBar::draw(double fraction, double elapsed) const {
  unsigned filled = unsigned(fraction * options.barWidth);
  std::string bar(filled, '#');
  std::string rest(options.barWidth - filled, '-');
  char percent[16];
  std::snprintf(percent, sizeof(percent), "%3d%%", int(fraction * 100));
  std::string text = options.label.empty() ? "" : options.label + " ";
  text += "[" + bar + rest + "] " + percent + "  " + printDuration(elapsed);
  if (fraction > 0)
    text += ", " + printDuration(elapsed / fraction - elapsed) + " left";
  return text;
}

void ProgressBar::update(double fraction) {
  if (!active)
    return;
  double elapsed = options.clock() - begin;
  if (elapsed < options.delaySeconds ||
      (lastDrawn >= 0 && elapsed - lastDrawn < kSecondsBetweenUpdates))
    return;
  lastDrawn = elapsed;
  std::string text = draw(fraction > 0 ? std::min(fraction, 1.0) : 0, elapsed);
  unsigned width = unsigned(text.size());
  // Blanks wipe what a longer line left; terminals without escape sequences
  // understand them too.
  if (width < shown)
    text.append(shown - width, ' ');
  shown = width;
  if (options.color) {
    size_t from = text.find('[') + 1;
    size_t to = text.find_first_not_of('#', from);
    text.insert(to, kPlain);
    text.insert(from, kGreen);
  }
  options.sink("\r" + text);
}

void ProgressBar::finish() {
  if (active && lastDrawn >= 0)
    options.sink("\r" + std::string(shown, ' ') + "\r");
  active = false;
}
