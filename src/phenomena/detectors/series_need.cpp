#include "phenomena/detectors/series_need.h"

#include <algorithm>

namespace atto {
namespace {

bool binds(const ExtentNames& names, std::span<const int64_t> shape, ExtentLengths& lengths) {
  if (names.size() != shape.size()) return false;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto [entry, fresh] = lengths.insert({names[i], {shape[i]}});
    const std::vector<int64_t>& allowed = entry->second;
    if (!fresh && std::find(allowed.begin(), allowed.end(), shape[i]) == allowed.end()) return false;
  }
  return true;
}

std::string bracketed(const std::vector<std::string>& extents) {
  std::string text;
  for (const std::string& extent : extents) text += "[" + extent + "]";
  return text.empty() ? "one number" : text;
}

}  // namespace

ExtentLengths lengths_of_tokens(int64_t vocabulary, bool bos) {
  ExtentLengths lengths{{"tokens", {vocabulary}}};
  if (bos) lengths["tokens"].push_back(vocabulary + 1);
  return lengths;
}

SeriesNeed SeriesNeed::vector(std::string address, std::string extent) {
  return {std::move(address), {{std::move(extent)}}};
}

SeriesNeed SeriesNeed::matrix(std::string address, std::string rows, std::string columns) {
  return {std::move(address), {{std::move(rows), std::move(columns)}}};
}

SeriesNeed SeriesNeed::attention_maps(std::string address) {
  return {std::move(address), {{"samples", "positions", "positions"}, {"samples", "heads", "positions", "positions"}}};
}

bool SeriesNeed::fits(std::span<const int64_t> shape, ExtentLengths& lengths) const {
  return std::any_of(shapes.begin(), shapes.end(), [&](const ExtentNames& names) {
    ExtentLengths learnt = lengths;
    const bool does = binds(names, shape, learnt);
    if (does) lengths = std::move(learnt);
    return does;
  });
}

std::string SeriesNeed::text() const {
  std::string text;
  for (const ExtentNames& names : shapes) text += (text.empty() ? "" : " or ") + bracketed(names);
  return text;
}

std::vector<std::string> addresses_of(const SeriesNeeds& needs) {
  std::vector<std::string> addresses;
  for (const SeriesNeed& need : needs) addresses.push_back(need.address);
  return addresses;
}

}  // namespace atto
