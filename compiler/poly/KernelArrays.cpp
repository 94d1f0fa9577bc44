//===- KernelArrays.cpp - which arrays a kernel keeps in memory -----------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/poly/KernelArrays.h"

#include <algorithm>

using namespace girih;
using namespace girih::poly;

Place girih::poly::placeOf(const KernelMark &kernel, unsigned array) {
  for (const KernelMark::ArrayPlace &entry : kernel.places)
    if (entry.array == array)
      return entry.place;
  return Place::Global;
}

KernelArrays girih::poly::findKernelArrays(const Scop &scop,
                                           const Node &kernel) {
  auto isInside = [&](unsigned statement) {
    return std::binary_search(kernel.statements.begin(),
                              kernel.statements.end(), statement);
  };
  std::set<unsigned> written, readOutside, global;
  for (unsigned s = 0; s < scop.statements.size(); ++s)
    for (const Access &access : scop.statements[s].accesses) {
      if (isInside(s) && access.isWrite)
        written.insert(access.array);
      if (!isInside(s) && !access.isWrite)
        readOutside.insert(access.array);
    }
  KernelArrays result;
  for (unsigned array : written)
    if (isResult(scop.arrays[array].role) || readOutside.count(array) ||
        placeOf(kernel.kernel, array) == Place::Workspace ||
        placeOf(kernel.kernel, array) == Place::Global) {
      result.stored.insert(array);
      global.insert(array);
    }
  for (unsigned s : kernel.statements)
    for (const Access &access : scop.statements[s].accesses)
      if (!access.isWrite && !written.count(access.array))
        global.insert(access.array);
  result.arrays.assign(global.begin(), global.end());
  return result;
}
