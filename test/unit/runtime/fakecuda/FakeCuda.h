//===- FakeCuda.h - the strings on the fake driver --------------*- C++ -*-===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GIRIH_TEST_UNIT_RUNTIME_FAKECUDA_FAKECUDA_H
#define GIRIH_TEST_UNIT_RUNTIME_FAKECUDA_FAKECUDA_H

#include <cstddef>
#include <cstdint>
#include <cstdio>

// What a test controls and sees; found with dlsym, since the library is loaded
// the way a real driver is.
extern "C" {
/// An H100 with no failures and an empty log. Live objects stay.
void fakeCudaReset();
/// From now on the function returns this error.
void fakeCudaFail(const char *symbol, int code);
void fakeCudaSetDeviceAttribute(int attribute, int value);
void fakeCudaSetFunctionAttribute(int attribute, int value);
void fakeCudaSetDeviceCount(int count);
/// Whether streams say that they are being captured.
void fakeCudaSetCapturing(int capturing);
/// Allocations, modules, streams, events and retained contexts.
int fakeCudaLiveObjects();
/// Copies the log since the last call and clears it.
void fakeCudaLog(char *text, size_t capacity);
}

#endif // GIRIH_TEST_UNIT_RUNTIME_FAKECUDA_FAKECUDA_H
