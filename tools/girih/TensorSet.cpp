//===- TensorSet.cpp - the tensors of one launch --------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/TensorSet.h"

#include "compiler/artifact/SizeSum.h"
#include "compiler/support/Suggest.h"
#include "runtime/Promise.h"
#include "runtime/SizeSolver.h"
#include "runtime/Text.h"
#include "tools/girih/Codes.h"
#include "tools/girih/Files.h"
#include "tools/girih/Finite.h"

#include <algorithm>

using namespace girih;
using namespace girih::cli;
using artifact::Signature;
using artifact::TensorParam;

TensorFlags::TensorFlags(Command &command)
    : seed(command, "seed", "N", "seed of the inputs that are drawn", "0"),
      random(command, "random", "KIND",
             "normal (default), uniform, ones, special, cancel, denormals, "
             "nonfinite, zeros or ties",
             "normal"),
      strided(command, "strided", "NAME[:KIND]",
              "place a tensor padded (default) or transposed") {}

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
    console.usage(codes::kUnknownName,
                  kind.message() + didYouMean(flags.random.getValue(),
                                              rt::randomKindNames()));
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
    const TensorParam &param = signature.params[index];
    bool shares = param.inPlace >= 0 && (isAliased || !param.apart);
    Status status =
        shares ? placed[index].write(device, inputs[size_t(param.inPlace)])
               : placed[index].poison(device);
    if (!status)
      return status;
  }
  return {};
}

bool TensorSet::alias(const Signature &signature) {
  for (size_t index = 0; index < placed.size(); ++index)
    if (const TensorParam &param = signature.params[index]; param.apart) {
      placed[index] = placed[size_t(param.inPlace)];
      isAliased = true;
    }
  return isAliased;
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
    std::optional<rt::HostArray> array = readTensorFile(console, file);
    if (!array)
      return std::nullopt;
    artifact::ScalarType wanted = signature.params[*index].type;
    if (!file.type && areBitsOf(array->type(), wanted)) {
      std::string type(artifact::nameOf(wanted));
      console
          .fail(codes::kInput,
                file.path + " holds " +
                    std::string(artifact::nameOf(array->type())) + ", but " +
                    file.name + " is " + type)
          .help("if these are the bits of " + type + ", say so: " + file.name +
                ":" + type + "=" + file.path +
                (file.entry.empty() ? "" : ":" + file.entry));
      return std::nullopt;
    }
    inputs[*index].emplace(std::move(*array));
  }
  return inputs;
}

/// The sizes, from the inputs that were read and from those given, and what the
/// inputs show of leading dimensions. The solver sees a signature of just these
/// inputs.
static std::optional<std::pair<std::vector<int64_t>, rt::LeadingDims>>
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
        !signature.isDerived(unsigned(size)) &&
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
  Result<rt::LeadingDims> leading = rt::leadingDims(seen, tensors);
  if (!leading) {
    console.fail(codes::kTensors, leading.message());
    return std::nullopt;
  }
  return std::pair(std::move(*solved), std::move(*leading));
}

/// How a parameter's values are drawn.
static rt::Draw drawOf(const Signature &signature, const TensorPlan &plan,
                       size_t index) {
  rt::Draw draw{plan.kind, plan.seed, uint32_t(index)};
  for (const TensorParam &param : signature.params)
    draw.narrow.push_back(param.type);
  return draw;
}

/// The input from its file, or drawn. Reports what is wrong.
static std::optional<rt::HostArray>
inputOf(Console &console, const Signature &signature, size_t index,
        std::optional<rt::HostArray> &read, const std::vector<int64_t> &shape,
        const TensorPlan &plan) {
  const TensorParam &param = signature.params[index];
  bool isDrawn = !read;
  // Leading dimensions of an array that is column-major have no one stride.
  bool isMoved =
      read && param.leading && read->strides() != rt::denseStrides(shape);
  Result<rt::HostArray> array = isDrawn || isMoved
                                    ? rt::HostArray::create(param.type, shape)
                                    : Result<rt::HostArray>(std::move(*read));
  if (!array) {
    console.fail(codes::kTensors, param.name + ": " + array.message());
    return std::nullopt;
  }
  for (int64_t at = 0; isMoved && at < array->elements(); ++at)
    rt::storeBits(array->data(), param.type, at,
                  rt::loadBits(read->tensor(), at));
  if (isDrawn) {
    rt::fillRandom(*array, drawOf(signature, plan, index));
    makeFinite(param, *array);
  }
  if (Status status = checkFinite(signature, param, *array); !status) {
    console.fail(codes::kTensors, status.message());
    return std::nullopt;
  }
  return std::move(*array);
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
  auto solved = solveSizes(console, signature, *inputs, sizes);
  if (!solved)
    return std::nullopt;
  set.sizes = std::move(solved->first);
  Result<std::vector<std::vector<int64_t>>> shapes =
      rt::parameterShapes(signature, set.sizes, solved->second);
  if (!shapes) {
    console.fail(codes::kTensors, shapes.message())
        .help("give other sizes, with -D or --sizes");
    return std::nullopt;
  }
  set.shapes = std::move(*shapes);

  for (size_t index = 0; index < signature.params.size(); ++index) {
    const TensorParam &param = signature.params[index];
    Result<PlacedTensor> placed = Failure{""};
    if (param.inPlace >= 0 && !param.apart) {
      placed = set.placed[size_t(param.inPlace)];
    } else if (param.isOutput) {
      placed = PlacedTensor::allocate(device, param.type, set.shapes[index],
                                      placements[index], &param);
    } else {
      std::optional<rt::HostArray> array = inputOf(
          console, signature, index, (*inputs)[index], set.shapes[index], plan);
      if (!array)
        return std::nullopt;
      Status kept =
          (*inputs)[index] || param.range.empty()
              ? rt::checkPromise(*array, signature, param, set.sizes)
              : rt::fillPromised(*array, signature, param, set.sizes, plan.kind,
                                 plan.seed, uint32_t(index));
      if (!kept) {
        console.fail(codes::kPromise, kept.message());
        return std::nullopt;
      }
      placed = PlacedTensor::upload(device, *array, placements[index], &param);
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
