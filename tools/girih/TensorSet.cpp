//===- TensorSet.cpp - the tensors of one launch --------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/TensorSet.h"

#include "compiler/artifact/SizeSum.h"
#include "compiler/support/Suggest.h"
#include "runtime/Npy.h"
#include "runtime/SizeSolver.h"
#include "runtime/Text.h"
#include "tools/girih/Codes.h"
#include "tools/girih/Files.h"

#include <algorithm>

using namespace girih;
using namespace girih::cli;
using artifact::Signature;
using artifact::TensorParam;

TensorFlags::TensorFlags(Command &command)
    : seed(command, "seed", "N", "seed of the inputs that are drawn", "0"),
      random(command, "random", "KIND",
             "normal (default), uniform, ones, special or cancel", "normal"),
      strided(command, "strided", "NAME[:KIND]",
              "place a tensor padded (default) or transposed") {}

std::optional<TensorFile> cli::parseTensorFile(Console &console,
                                               const std::string &text) {
  size_t equal = text.find('=');
  TensorFile file;
  if (equal == std::string::npos || equal == 0 || equal + 1 == text.size()) {
    console
        .usage(codes::kCommandLine,
               "'" + text + "' names no tensor: NAME=FILE is expected")
        .help("for example X=x.npy, or X:bf16=x.npy for 16-bit integers that "
              "hold bf16");
    return std::nullopt;
  }
  file.name = text.substr(0, equal);
  file.path = text.substr(equal + 1);
  size_t colon = file.name.find(':');
  if (colon == std::string::npos)
    return file;
  std::string typeName = file.name.substr(colon + 1);
  file.name.resize(colon);
  Result<artifact::ScalarType> type = artifact::parseScalarType(typeName);
  if (!type) {
    console.usage(codes::kUnknownName,
                  type.message() +
                      didYouMean(typeName, artifact::scalarTypeNames()));
    return std::nullopt;
  }
  file.type = *type;
  return file;
}

std::optional<TensorPlan> cli::planTensors(Console &console,
                                           const TensorFlags &flags,
                                           llvm::ArrayRef<std::string> inputs) {
  TensorPlan plan;
  for (const std::string &text : inputs) {
    std::optional<TensorFile> file = parseTensorFile(console, text);
    if (!file)
      return std::nullopt;
    plan.files.push_back(std::move(*file));
  }
  Result<rt::RandomKind> kind = rt::parseRandomKind(flags.random.getValue());
  std::optional<int64_t> seed = parseInteger(flags.seed.getValue());
  if (!kind) {
    console.usage(codes::kUnknownName, kind.message());
    return std::nullopt;
  }
  if (!seed || *seed < 0) {
    console.usage(codes::kCommandLine, "the seed is a number from 0 on, not '" +
                                           flags.seed.getValue() + "'");
    return std::nullopt;
  }
  plan.kind = *kind;
  plan.seed = uint64_t(*seed);
  for (const std::string &text : flags.strided) {
    size_t colon = text.find(':');
    Result<Placement> placement = colon == std::string::npos
                                      ? Placement::Padded
                                      : parsePlacement(text.substr(colon + 1));
    if (!placement) {
      console.usage(codes::kUnknownName, placement.message());
      return std::nullopt;
    }
    plan.placements.emplace_back(text.substr(0, colon), *placement);
  }
  return plan;
}

Status TensorSet::restore(rt::Device &device, const Signature &signature) {
  for (size_t index = inputs.size(); index < placed.size(); ++index) {
    int inPlace = signature.params[index].inPlace;
    Status status = inPlace < 0
                        ? placed[index].poison(device)
                        : placed[index].write(device, inputs[size_t(inPlace)]);
    if (!status)
      return status;
  }
  return {};
}

std::vector<rt::Tensor> TensorSet::params() const {
  std::vector<rt::Tensor> views;
  for (const PlacedTensor &tensor : placed)
    views.push_back(tensor.tensor());
  return views;
}

/// The index of a parameter. Reports an unknown name.
static std::optional<size_t> findParam(Console &console,
                                       const Signature &signature,
                                       const std::string &name,
                                       bool mayBeOutput) {
  std::vector<std::string> names;
  for (size_t index = 0; index < signature.params.size(); ++index) {
    const TensorParam &param = signature.params[index];
    if (param.isOutput && !mayBeOutput)
      continue;
    if (param.name == name)
      return index;
    names.push_back(param.name);
  }
  console
      .usage(codes::kUnknownName, "'" + signature.op + "' has no " +
                                      (mayBeOutput ? "tensor" : "input") +
                                      " '" + name + "'" +
                                      didYouMean(name, names))
      .note("it has " + rt::joinNames(names));
  return std::nullopt;
}

namespace {
/// Inputs by parameter; empty where no file was named.
using ReadInputs = std::vector<std::optional<rt::HostArray>>;
} // namespace

/// NumPy knows no bf16 and no f8: their bits are kept as unsigned integers.
static bool areBitsOf(artifact::ScalarType held, artifact::ScalarType wanted) {
  using artifact::ScalarType;
  if (wanted == ScalarType::BF16)
    return held == ScalarType::U16;
  return held == ScalarType::U8 &&
         (wanted == ScalarType::F8E4M3FN || wanted == ScalarType::F8E5M2);
}

static std::optional<ReadInputs> readInputs(Console &console,
                                            const Signature &signature,
                                            const TensorPlan &plan) {
  ReadInputs inputs;
  for (const TensorParam &param : signature.params)
    if (!param.isOutput)
      inputs.emplace_back();
  for (const TensorFile &file : plan.files) {
    std::optional<size_t> index =
        findParam(console, signature, file.name, /*mayBeOutput=*/false);
    if (!index)
      return std::nullopt;
    if (inputs[*index]) {
      console.usage(codes::kCommandLine,
                    "the input '" + file.name + "' is given twice");
      return std::nullopt;
    }
    if (!checkExists(console, file.path))
      return std::nullopt;
    Result<rt::HostArray> array = rt::readNpy(file.path, file.type);
    if (!array) {
      console.fail(codes::kInput, array.message());
      return std::nullopt;
    }
    artifact::ScalarType wanted = signature.params[*index].type;
    if (!file.type && areBitsOf(array->type(), wanted)) {
      std::string type(artifact::nameOf(wanted));
      console
          .fail(codes::kInput,
                file.path + " holds " +
                    std::string(artifact::nameOf(array->type())) + ", but " +
                    file.name + " is " + type)
          .help("if these are the bits of " + type + ", say so: " + file.name +
                ":" + type + "=" + file.path);
      return std::nullopt;
    }
    inputs[*index].emplace(std::move(*array));
  }
  return inputs;
}

/// The sizes, from the inputs that were read and from those given. The solver
/// sees a signature of just these inputs.
static std::optional<std::vector<int64_t>>
solveSizes(Console &console, const Signature &signature,
           const ReadInputs &inputs, const Sizes &sizes) {
  std::optional<std::vector<int64_t>> known =
      orderSizes(console, signature, sizes);
  if (!known)
    return std::nullopt;
  Signature seen = signature;
  std::vector<rt::Tensor> tensors;
  seen.params.clear();
  for (size_t index = 0; index < inputs.size(); ++index)
    if (inputs[index]) {
      seen.params.push_back(signature.params[index]);
      tensors.push_back(inputs[index]->tensor());
    }
  if (Status status = rt::checkTensors(seen, tensors); !status) {
    console.fail(codes::kTensors, status.message());
    return std::nullopt;
  }
  std::vector<std::string> missing;
  for (size_t size = 0; size < signature.sizes.size(); ++size) {
    auto uses = [&](const TensorParam &param) {
      return std::any_of(
          param.shape.begin(), param.shape.end(),
          [&](const artifact::SizeExpr &extent) {
            auto sum = artifact::sumOf(extent);
            return sum && std::any_of(sum->terms.begin(), sum->terms.end(),
                                      [&](const auto &term) {
                                        return term.first == size;
                                      });
          });
    };
    if ((*known)[size] == -1 && signature.given[size] == -1 &&
        std::none_of(seen.params.begin(), seen.params.end(), uses))
      missing.push_back(signature.sizes[size]);
  }
  if (!missing.empty()) {
    std::string flags;
    for (const std::string &name : missing)
      flags += (flags.empty() ? "-D " : " -D ") + name + "=...";
    console
        .usage(codes::kTensors, "no input says how large " +
                                    rt::joinNames(missing) +
                                    (missing.size() == 1 ? " is" : " are"))
        .help("give " + flags + ", or a file for an input whose shape says it");
    return std::nullopt;
  }
  Result<std::vector<int64_t>> solved = rt::solveSizes(seen, tensors, *known);
  if (!solved) {
    console.fail(codes::kTensors, solved.message());
    return std::nullopt;
  }
  return std::move(*solved);
}

std::optional<TensorSet> cli::makeTensors(Console &console, rt::Device &device,
                                          const Signature &signature,
                                          const TensorPlan &plan,
                                          const Sizes &sizes) {
  std::vector<Placement> placements(signature.params.size(), Placement::Plain);
  for (const auto &[name, placement] : plan.placements) {
    std::optional<size_t> index =
        findParam(console, signature, name, /*mayBeOutput=*/true);
    if (!index)
      return std::nullopt;
    placements[*index] = placement;
  }
  std::optional<ReadInputs> inputs = readInputs(console, signature, plan);
  if (!inputs)
    return std::nullopt;
  TensorSet set;
  std::optional<std::vector<int64_t>> solved =
      solveSizes(console, signature, *inputs, sizes);
  if (!solved)
    return std::nullopt;
  set.sizes = std::move(*solved);
  Result<std::vector<std::vector<int64_t>>> shapes =
      rt::parameterShapes(signature, set.sizes);
  if (!shapes) {
    console.fail(codes::kTensors, shapes.message());
    return std::nullopt;
  }
  set.shapes = std::move(*shapes);

  for (size_t index = 0; index < signature.params.size(); ++index) {
    const TensorParam &param = signature.params[index];
    Result<PlacedTensor> placed = Failure{""};
    if (param.inPlace >= 0) {
      placed = set.placed[size_t(param.inPlace)];
    } else if (param.isOutput) {
      placed = PlacedTensor::allocate(device, param.type, set.shapes[index],
                                      placements[index]);
    } else {
      Result<rt::HostArray> array =
          (*inputs)[index]
              ? Result<rt::HostArray>(std::move(*(*inputs)[index]))
              : rt::HostArray::create(param.type, set.shapes[index]);
      if (!array) {
        console.fail(codes::kTensors, param.name + ": " + array.message());
        return std::nullopt;
      }
      if (!(*inputs)[index])
        rt::fillRandom(*array, plan.kind, plan.seed, uint32_t(index));
      placed = PlacedTensor::upload(device, *array, placements[index]);
      set.inputs.push_back(std::move(*array));
    }
    if (!placed) {
      console.fail(codes::kDevice, param.name + ": " + placed.message());
      return std::nullopt;
    }
    set.placed.push_back(std::move(*placed));
  }
  return set;
}
