#include "lab/figures/numbers/quantities.h"

#include <algorithm>
#include <cmath>

#include "base/contains.h"
#include "base/error.h"
#include "base/names.h"
#include "lab/figures/vega/spec.h"
#include "lab/results/format_text.h"
#include "lab/study/parts.h"

namespace atto {
namespace {

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
  for (const DerivedQuantity& one : study.quantities) known.push_back(one.name);
  if (contains(known, name)) return;
  const std::string near = nearest_name(name, known);
  throw Error(ErrorKind::config,
              "no phenomenon of the study reports '" + name + "' and it is not observed" +
                  (near.empty() ? "" : "; did you mean '" + near + "'?"),
              "name a quantity of a [[phenomenon]], a [[quantity]] or an address of an [[observe]]");
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

}  // namespace atto
