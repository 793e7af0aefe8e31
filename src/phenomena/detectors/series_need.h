// A series that a detector or a figure reads, and the shape that one measurement of it must have.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "math/expression/tensor.h"

namespace atto {

// Names of the extents of a shape, the outermost first: {} is one number, {"points", "width"} a row for each point.
// Equal names are equally long, within a shape and among all needs of one detector or figure, so {"positions",
// "positions"} is square. "tokens" is the length of the vocabulary, with or without [BOS].
using ExtentNames = std::vector<std::string>;

// The lengths that each name may have.
using ExtentLengths = std::map<std::string, std::vector<int64_t>>;
ExtentLengths lengths_of_tokens(int64_t vocabulary, bool bos);

struct SeriesNeed {
  std::string address;
  std::vector<ExtentNames> shapes;  // any of these will do

  static SeriesNeed scalar(std::string address) { return {std::move(address), {{}}}; }
  static SeriesNeed vector(std::string address, std::string extent);
  static SeriesNeed matrix(std::string address, std::string rows, std::string columns);
  // Of one head, or of several.
  static SeriesNeed attention_maps(std::string address);

  // Does a series of this shape do? If so, `lengths` learns how long the names are that it did not know.
  bool fits(std::span<const int64_t> shape, ExtentLengths& lengths) const;
  // "one number", "[tokens][width]", "[samples][positions][positions] or [samples][heads][positions][positions]".
  std::string text() const;

  bool operator==(const SeriesNeed&) const = default;
};

using SeriesNeeds = std::vector<SeriesNeed>;

std::vector<std::string> addresses_of(const SeriesNeeds& needs);

}  // namespace atto
