#include "lab/figures/marks/quantities.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/contains.h"
#include "base/error.h"
#include "base/names.h"
#include "lab/figures/marks/spec.h"
#include "lab/results/format_text.h"
#include "lab/study/parts.h"

namespace atto {
namespace {

constexpr size_t kMostTicks = 9;
constexpr size_t kTitleLetters = 22;
constexpr double kLeastGap = 0.045;  // between ticks, as a share of the axis
constexpr double kMargin = 0.05;     // of a log axis beyond its first and last size, as a share of its length

struct Found {
  const Phenomenon* phenomenon = nullptr;
  std::string quantity, help;
};

Found find_number(const Study& study, const std::string& name) {
  for (const Phenomenon& phenomenon : study.phenomena)
    for (const QuantityHelp& one : phenomenon.detector->quantities())
      if (phenomenon.name + "." + one.name == name) return {&phenomenon, one.name, one.help};
  return {};
}

bool counts_steps(const Found& found) {
  if (found.quantity.ends_with("step") || found.quantity == "delay") return true;
  return found.phenomenon->detector_name == "plateau" &&
         (found.quantity == "start" || found.quantity == "end" || found.quantity == "length");
}

std::string spaced(std::string words) {
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

}  // namespace

void check_number(const Study& study, const std::string& name) {
  if (name.empty()) return;
  std::vector<std::string> known = quantity_names(study.phenomena);
  for (const Observation& one : study.observe) known.insert(known.end(), one.what.begin(), one.what.end());
  if (contains(known, name)) return;
  const std::string near = nearest_name(name, known);
  throw Error(ErrorKind::config,
              "no phenomenon of the study reports '" + name + "' and it is not observed" +
                  (near.empty() ? "" : "; did you mean '" + near + "'?"),
              "name a quantity of a [[phenomenon]] or an address of an [[observe]]");
}

SeriesNeeds number_needs(const std::string& name) {
  return name.empty() ? SeriesNeeds{} : SeriesNeeds{SeriesNeed::scalar(name)};
}

bool shows_number(const Claim& claim, const Study& study, const std::string& name) {
  const std::string shown = name.empty() ? default_quantity(study) : name;
  if (claim.quantity == shown) return true;
  const Found found = find_number(study, claim.quantity);
  if (found.phenomenon == nullptr) return false;
  return contains(addresses_of(found.phenomenon->detector->needs()), shown);
}

std::string number_title(const Study& study, const std::string& name, bool share) {
  const Found found = find_number(study, name);
  if (found.phenomenon == nullptr) return "final " + axis_title(name);
  std::string title = spaced(found.phenomenon->name + " " + found.quantity);
  const SeriesNeeds needs = found.phenomenon->detector->needs();
  if (found.phenomenon->detector_name == "value" && needs.size() == 1)
    title = spaced(found.phenomenon->name) + ": " + axis_title(needs.front().address);
  if (share) return "share of seeds: " + title;
  if (found.quantity == "step") return spaced(found.phenomenon->name) + ": training step";
  return title + (counts_steps(found) ? " (steps)" : "");
}

std::string number_meaning(const Study& study, const std::string& name) {
  const Found found = find_number(study, name);
  if (found.phenomenon == nullptr) return "final " + axis_title(name);
  return name + " (" + found.help.substr(0, found.help.find(';')) + ")";
}

std::string estimates_caption(const std::vector<Estimate>& estimates) {
  const auto any = [&](auto&& test) { return std::any_of(estimates.begin(), estimates.end(), test); };
  int64_t least = INT64_MAX, most = 0;
  for (const Estimate& one : estimates) {
    least = std::min(least, one.seeds);
    most = std::max(most, one.seeds);
  }
  const std::string seeds = (least < most ? count_text(least) + " to " : "") + count_text(most, "seed");
  if (any([](const Estimate& one) { return one.share; }))
    return "share of " + seeds + " with its 95 % interval (Wilson)";
  if (most <= 1) return "one run each";
  std::string text = "median of " + seeds;
  const bool ranges = any([](const Estimate& one) { return one.range && one.seeds > 1; });
  const bool intervals = any([](const Estimate& one) { return !one.range && one.seeds > 1; });
  if (intervals) text += " with its 95 % interval";
  if (ranges) text += intervals ? " (of fewer than six seeds their range)" : " with the range of the seeds";
  return text;
}

std::vector<std::string> estimate_columns() {
  return {"x", "value", "low", "high", "above", "color", "group", "cell", "says", "seeds"};
}

std::vector<DataTable::Entry> estimate_row(double x, const Estimate& estimate, bool log, const std::string& color,
                                           int64_t group, const std::string& cell) {
  const bool above = estimate.beyond();
  const double value = above ? estimate.reached : estimate.value;
  if (!std::isfinite(x) || !std::isfinite(value) || (log && value <= 0)) return {};
  const double high = std::isfinite(estimate.high) ? estimate.high : std::max(estimate.largest, value);
  const bool shown = std::isfinite(estimate.low) && (!log || estimate.low > 0);
  return {x,
          value,
          shown ? estimate.low : value,
          high,
          static_cast<int64_t>(above),
          color,
          group,
          cell,
          estimate_text(estimate),
          samples_text(estimate)};
}

Json estimate_layers(const std::vector<Estimate>& estimates, const Json& x, const Json& y, const Json& color,
                     bool joined) {
  // A layer without marks would spoil the scales it shares.
  const auto any = [&](auto&& test) { return std::any_of(estimates.begin(), estimates.end(), test); };
  const bool intervals = any([](const Estimate& one) { return one.low < one.high; });
  const bool inside = any([](const Estimate& one) { return !one.beyond(); });
  const bool beyond = any([](const Estimate& one) { return one.beyond(); });
  Json layers = Json::array();
  const auto channels = [&](Json own) {
    own["x"] = x;
    if (!color.is_null()) own["color"] = color;
    return own;
  };
  if (joined) {
    Json line = channels({{"y", y}});
    line["detail"] = {{"field", "group"}, {"type", "nominal"}};
    line["order"] = {{"field", "x"}, {"type", "quantitative"}};
    layers.push_back({{"mark", {{"type", "line"}, {"strokeWidth", 1}, {"opacity", 0.6}}}, {"encoding", line}});
  }
  Json low = y;
  low["field"] = "low";
  if (intervals)
    layers.push_back({{"transform", {{{"filter", "datum.low < datum.high"}}}},
                      {"mark", {{"type", "rule"}, {"strokeWidth", 1.2}}},
                      {"encoding", channels({{"y", low}, {"y2", {{"field", "high"}}}})}});
  for (const bool above : {false, true}) {
    if (above ? !beyond : !inside) continue;
    Json point = channels({{"y", y}});
    point["tooltip"] = {{{"field", "cell"}, {"title", "cell"}},
                        {{"field", "says"}, {"title", "value"}},
                        {{"field", "seeds"}, {"title", "of"}}};
    layers.push_back(
        {{"transform", {{{"filter", above ? "datum.above == 1" : "datum.above == 0"}}}},
         {"mark", {{"type", "point"}, {"filled", !above}, {"size", 40}, {"shape", above ? "triangle-up" : "circle"}}},
         {"encoding", point}});
  }
  return layers;
}

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
