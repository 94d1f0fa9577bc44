//===- Interrupt.cpp - Ctrl-C while something runs ------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/Interrupt.h"

using namespace girih::cli;

static volatile std::sig_atomic_t noted = 0;

static void note(int) { noted = 1; }

Interrupt::Interrupt() {
  noted = 0;
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags = int(SA_RESETHAND);
  sigaction(SIGINT, &action, &before);
}

Interrupt::~Interrupt() { sigaction(SIGINT, &before, nullptr); }

bool Interrupt::seen() const { return noted != 0; }
