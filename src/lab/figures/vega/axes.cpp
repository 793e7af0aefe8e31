#include "lab/figures/vega/axes.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "lab/figures/vega/spec.h"
#include "lab/results/format_text.h"

namespace atto {
namespace {

constexpr size_t kMostTicks = 9;
constexpr size_t kTitleLetters = 22;
constexpr double kLeastGap = 0.045;  // between ticks, as a share of the axis
constexpr double kMargin = 0.05;     // of a log axis beyond its first and last size, as a share of its length

}  // namespace

Json place_axis(const std::string& field, const std::string& title, const std::vector<std::string>& labels) {
  Json places = Json::array();
  for (size_t i = 0; i < labels.size(); ++i) places.push_back(i);
  Json channel = quantitative(field, title);
  channel["scale"] = {{"domain", {-0.5, static_cast<double>(labels.size()) - 0.5}}, {"nice", false}, {"zero", false}};
  channel["axis"] = {{"values", places},
                     {"labelExpr", Json(labels).dump(-1, ' ', false, Json::error_handler_t::replace) + "[datum.value]"},
                     {"labelOverlap", false},
                     {"grid", false},
                     {"tickSize", 0}};
  return channel;
}

Json log_axis(const std::string& field, const std::string& title, std::vector<double> numbers) {
  Json channel = quantitative(field, title, Scale::log);
  std::erase_if(numbers, [&](double one) { return !std::isfinite(one) || one <= 0; });
  if (numbers.empty()) return channel;
  const auto [least, largest] = std::minmax_element(numbers.begin(), numbers.end());
  const double margin = std::exp(kMargin * std::max(std::log(*largest / *least), std::log(2.0)));
  const double low = *least / margin, high = *largest * margin;
  channel["scale"]["domain"] = {low, high};
  channel["scale"]["nice"] = false;
  set_log_ticks(channel, low, high);
  return channel;
}

Json size_axis(const std::string& field, const std::string& title, Scale scale, std::vector<double> sizes) {
  const bool log = scale == Scale::log;
  Json channel = log ? log_axis(field, title, sizes) : quantitative(field, title, scale);
  if (!log) channel["scale"].update({{"padding", 12}, {"nice", false}});
  std::erase_if(sizes, [&](double size) { return !std::isfinite(size) || (log && size <= 0); });
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  // Sizes that four digits write in full.
  const bool round = std::all_of(sizes.begin(), sizes.end(), [](double size) {
    return std::abs(std::stod(number_text(size)) - size) <= 1e-9 * std::abs(size);
  });
  // Their labels must not run into each other.
  bool apart = sizes.size() <= kMostTicks;
  const auto at = [&](size_t i) { return log ? std::log(sizes[i]) : sizes[i]; };
  for (size_t i = 1; i < sizes.size(); ++i)
    apart = apart && at(i) - at(i - 1) >= kLeastGap * (at(sizes.size() - 1) - at(0));
  if (round && apart) channel["axis"] = {{"values", sizes}, {"format", "~g"}};
  return channel;
}

Json wrapped_title(const std::string& title) {
  Json lines = Json::array();
  std::string line;
  std::istringstream words(title);
  for (std::string word; words >> word;) {
    if (!line.empty() && line.size() + word.size() >= kTitleLetters) {
      lines.push_back(line);
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  lines.push_back(line);
  return lines;
}

}  // namespace atto
