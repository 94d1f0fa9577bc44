//===- Progress.h - a progress bar on a terminal ----------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_RUNTIME_PROGRESS_H
#define GIRIH_RUNTIME_PROGRESS_H

#include <functional>
#include <string>
#include <string_view>

namespace girih::rt {

struct ProgressOptions {
  std::string label;  ///< "reference"
  bool force = false; ///< also where stderr is no terminal
  bool color = false; ///< the caller knows of NO_COLOR and --color
  /// Nothing is shown before: quick work leaves the terminal alone.
  double delaySeconds = 0.5;
  unsigned barWidth = 24;
  /// For tests: where text goes (stderr if empty) and the time in seconds (a
  /// steady clock if empty).
  std::function<void(std::string_view)> sink;
  std::function<double()> clock;
};

/// `reference [########----------------]  33%  1.0 s, 2.0 s left`, redrawn in
/// place at most ten times a second. For one thread.
class ProgressBar {
public:
  explicit ProgressBar(ProgressOptions options);
  /// Clears the line.
  ~ProgressBar();
  ProgressBar(const ProgressBar &) = delete;
  ProgressBar &operator=(const ProgressBar &) = delete;

  /// `fraction` of the work is done; values outside 0..1 are clamped.
  void update(double fraction);
  /// Clears the line; later updates show nothing.
  void finish();

private:
  std::string draw(double fraction, double elapsed) const;

  ProgressOptions options;
  bool active = false;
  double begin = 0;
  double lastDrawn = -1; ///< -1: nothing on the line
  unsigned shown = 0;    ///< columns on the line
};

/// `0.4 s`, `42.0 s`, `3:07`, `2:03:04`
std::string printDuration(double seconds);

} // namespace girih::rt

#endif // GIRIH_RUNTIME_PROGRESS_H
