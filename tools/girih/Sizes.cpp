//===- Sizes.cpp - sizes named on the command line ------------------------===//
//
// Part of Girih, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/girih/Sizes.h"

#include "compiler/support/Suggest.h"
#include "runtime/Text.h"
#include "tools/girih/Codes.h"

#include <algorithm>
#include <charconv>

using namespace girih;
using namespace girih::cli;

std::optional<int64_t> cli::parseInteger(std::string_view text) {
  int64_t value = 0;
  auto [rest, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size())
    return std::nullopt;
  return value;
}

/// The parts between separators; a text without any is its only part.
static std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::optional<Sizes> cli::parseSizes(Console &console,
                                     const std::string &text) {
  Sizes sizes;
  for (const std::string &part : split(text, ',')) {
    size_t equal = part.find('=');
    std::optional<int64_t> value;
    if (equal != std::string::npos && equal > 0)
      value = parseInteger(std::string_view(part).substr(equal + 1));
    if (!value) {
      console
          .usage(codes::kCommandLine,
                 part.empty()
                     ? "a size is missing beside a comma of '" + text + "'"
                     : "'" + part +
                           "' gives no size: a name, '=' and an "
                           "integer are expected")
          .help("for example M=1024");
      return std::nullopt;
    }
    sizes.emplace_back(part.substr(0, equal), *value);
  }
  return sizes;
}

std::optional<Sizes> cli::parseDefines(Console &console,
                                       llvm::ArrayRef<std::string> texts,
                                       ParamValues &params) {
  Sizes sizes;
  for (const std::string &text : texts)
    for (const std::string &part : split(text, ',')) {
      size_t equal = part.find('=');
      if (equal == std::string::npos || equal == 0 ||
          equal + 1 == part.size()) {
        console
            .usage(codes::kCommandLine,
                   "'" + part +
                       "' gives no size and no parameter: a name, "
                       "'=' and a value are expected")
            .help("for example -D M=1024 or -D ACT=false");
        return std::nullopt;
      }
      std::string name = part.substr(0, equal), value = part.substr(equal + 1);
      bool digits = value.find_first_not_of("0123456789") == std::string::npos;
      std::optional<int64_t> size = parseInteger(value);
      if (digits && !size) {
        console.usage(codes::kCommandLine,
                      "'" + part + "' gives no size: the number is too large");
        return std::nullopt;
      }
      if (size)
        sizes.emplace_back(std::move(name), *size);
      else
        params.emplace_back(std::move(name), std::move(value));
    }
  return sizes;
}

std::optional<Sizes> cli::parseSizes(Console &console,
                                     llvm::ArrayRef<std::string> texts) {
  Sizes all;
  for (const std::string &text : texts) {
    std::optional<Sizes> sizes = parseSizes(console, text);
    if (!sizes)
      return std::nullopt;
    all.insert(all.end(), sizes->begin(), sizes->end());
  }
  return all;
}

std::optional<std::vector<Sizes>> cli::parseSizeSets(Console &console,
                                                     const std::string &text) {
  std::vector<Sizes> sets;
  std::vector<std::string> parts = split(text, ';');
  if (parts.size() > 1 && parts.back().empty())
    parts.pop_back(); // a semicolon may end the last set, too
  for (const std::string &part : parts) {
    if (part.empty()) {
      console
          .usage(codes::kCommandLine,
                 "a set of sizes is missing beside a semicolon of '" + text +
                     "'")
          .help("for example --sizes \"M=1,N=7;M=33,N=65\"");
      return std::nullopt;
    }
    std::optional<Sizes> sizes = parseSizes(console, part);
    if (!sizes)
      return std::nullopt;
    sets.push_back(std::move(*sizes));
  }
  return sets;
}

Sizes cli::mergeSizes(const Sizes &base, const Sizes &special) {
  Sizes merged;
  for (const auto &size : base) {
    bool isReplaced =
        std::any_of(special.begin(), special.end(), [&](const auto &other) {
          return other.first == size.first;
        });
    if (!isReplaced)
      merged.push_back(size);
  }
  merged.insert(merged.end(), special.begin(), special.end());
  return merged;
}

std::optional<std::vector<int64_t>>
cli::orderSizes(Console &console, const artifact::Signature &signature,
                const Sizes &sizes) {
  std::vector<int64_t> ordered(signature.sizes.size(), -1);
  for (const auto &[name, value] : sizes) {
    auto found =
        std::find(signature.sizes.begin(), signature.sizes.end(), name);
    if (found == signature.sizes.end()) {
      console
          .usage(codes::kUnknownName, "'" + signature.op + "' has no size '" +
                                          name + "'" +
                                          didYouMean(name, signature.sizes))
          .note("its sizes: " + rt::joinNames(signature.sizes));
      return std::nullopt;
    }
    if (value < 0) {
      console.usage(codes::kCommandLine,
                    "the size '" + name + "' is given as " +
                        std::to_string(value) + "; a size is not negative");
      return std::nullopt;
    }
    int64_t &place = ordered[found - signature.sizes.begin()];
    if (place != -1 && place != value) {
      console.usage(codes::kCommandLine,
                    "the size '" + name + "' is given twice, as " +
                        std::to_string(place) + " and as " +
                        std::to_string(value));
      return std::nullopt;
    }
    place = value;
  }
  return ordered;
}

std::string cli::printSizes(const artifact::Signature &signature,
                            const std::vector<int64_t> &sizes) {
  std::string text;
  for (size_t size = 0; size < sizes.size(); ++size)
    text += (size ? ", " : "") + signature.sizes[size] + " = " +
            std::to_string(sizes[size]);
  return text.empty() ? "no sizes" : text;
}
