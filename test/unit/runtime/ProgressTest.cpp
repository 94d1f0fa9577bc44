//===- ProgressTest.cpp - the text of a progress bar ----------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/Progress.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <unistd.h>
#include <utility>

using namespace girih::rt;

namespace {
struct Terminal {
  double now = 100;
  std::string text;
  ProgressOptions options() {
    ProgressOptions options;
    options.label = "check";
    options.force = true;
    options.barWidth = 10;
    options.sink = [this](std::string_view piece) { text += piece; };
    options.clock = [this] { return now; };
    return options;
  }
  /// What was written since the last call.
  std::string take() { return std::exchange(text, ""); }
};
} // namespace

TEST_CASE("a bar shows fraction, elapsed and remaining time") {
  Terminal terminal;
  ProgressBar bar(terminal.options());
  bar.update(0.1);
  CHECK(terminal.take() == ""); // too early
  terminal.now += 1;
  bar.update(0.25);
  CHECK(terminal.take() == "\rcheck [##--------]  25%  1.0 s, 3.0 s left");
  terminal.now += 0.05;
  bar.update(0.3);
  CHECK(terminal.take() == ""); // at most ten a second
  terminal.now += 98.95;
  bar.update(0.5);
  CHECK(terminal.take() == "\rcheck [#####-----]  50%  1:40, 1:40 left  ");
  terminal.now += 1;
  bar.update(7);
  CHECK(terminal.take() == "\rcheck [##########] 100%  1:41, 0.0 s left");
  bar.finish();
  CHECK(terminal.take() == "\r" + std::string(41, ' ') + "\r");
  terminal.now += 1;
  bar.update(1);
  bar.finish();
  CHECK(terminal.take() == "");
}

TEST_CASE("no fraction yet, no remaining time; NaN is none") {
  Terminal terminal;
  ProgressBar bar(terminal.options());
  terminal.now += 2;
  bar.update(0);
  CHECK(terminal.take() == "\rcheck [----------]   0%  2.0 s");
  terminal.now += 2;
  bar.update(std::nan(""));
  CHECK(terminal.take() == "\rcheck [----------]   0%  4.0 s");
}

TEST_CASE("colour is only used when asked for") {
  Terminal terminal;
  ProgressOptions options = terminal.options();
  options.color = true;
  ProgressBar bar(options);
  terminal.now += 1;
  bar.update(0.5);
  CHECK(terminal.take() ==
        "\rcheck [\x1b[32m#####\x1b[0m-----]  50%  1.0 s, 1.0 s left");
}

TEST_CASE("quick work leaves nothing behind, a destroyed bar neither") {
  Terminal terminal;
  {
    ProgressBar quick(terminal.options());
    quick.update(1);
  }
  CHECK(terminal.take() == "");
  {
    ProgressBar slow(terminal.options());
    terminal.now += 1;
    slow.update(0.5);
    terminal.take();
  }
  CHECK(terminal.take() == "\r" + std::string(42, ' ') + "\r");
}

TEST_CASE("without a terminal there is no bar") {
  Terminal terminal;
  ProgressOptions options = terminal.options();
  options.force = false;
  // ctest gives no terminal; where a person runs this by hand, nothing to say.
  if (isatty(2))
    return;
  ProgressBar bar(options);
  terminal.now += 1;
  bar.update(0.5);
  bar.finish();
  CHECK(terminal.take() == "");
}

TEST_CASE("durations read like a clock") {
  CHECK(printDuration(0) == "0.0 s");
  CHECK(printDuration(59.9) == "59.9 s");
  CHECK(printDuration(59.96) == "1:00");
  CHECK(printDuration(187) == "3:07");
  CHECK(printDuration(3599.6) == "1:00:00");
  CHECK(printDuration(7384) == "2:03:04");
  CHECK(printDuration(1e9) == "over 4 days");
}
