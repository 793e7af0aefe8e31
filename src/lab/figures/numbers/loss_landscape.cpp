#include "lab/figures/numbers/loss_landscape.h"

#include <algorithm>
#include <cmath>

#include "lab/results/format_text.h"

namespace atto {
namespace {

const std::string kLoss = "landscape.loss", kWeights = "landscape.weight", kGaps = "landscape.gap";

std::vector<double> first_block(const Series& series) {
  return {series.values.begin(), series.values.begin() + static_cast<std::ptrdiff_t>(series.block())};
}

// The path at the steps both series were measured, and the index of the steepest fall of the loss between two of them.
void add_path(const Recording& recording, Ground& ground) {
  const Series &weight = *recording.find("weight.projection"), &gap = *recording.find("attention.gap"),
               &loss = *recording.find("loss");
  double steepest = 0, before = NAN;
  for (size_t i = 0, j = 0, k = 0; i < weight.steps.size(); ++i) {
    const int64_t step = weight.steps[i];
    while (j < gap.steps.size() && gap.steps[j] < step) ++j;
    while (k < loss.steps.size() && loss.steps[k] < step) ++k;
    if (j == gap.steps.size() || gap.steps[j] != step) continue;
    ground.weight.push_back(weight.values[i]);
    ground.gap.push_back(gap.values[j]);
    ground.steps.push_back(step);
    const double now = k < loss.steps.size() && loss.steps[k] == step ? loss.values[k] : NAN;
    const size_t at = ground.steps.size() - 1;
    if (at > 0) {
      const double fall = (before - now) / static_cast<double>(step - ground.steps[at - 1]);
      if (fall > steepest) {
        steepest = fall;
        ground.transition = at;
      }
    }
    before = now;
  }
}

}  // namespace

SeriesNeeds ground_needs() {
  return {SeriesNeed::matrix(kLoss, "weights", "gaps"),
          SeriesNeed::vector(kWeights, "weights"),
          SeriesNeed::vector(kGaps, "gaps"),
          SeriesNeed::scalar("weight.projection"),
          SeriesNeed::scalar("attention.gap"),
          SeriesNeed::scalar("loss")};
}

std::optional<Ground> read_ground(const Recording& recording) {
  const Series &loss = *recording.find(kLoss), &weights = *recording.find(kWeights), &gaps = *recording.find(kGaps);
  if (loss.steps.empty() || weights.steps.empty() || gaps.steps.empty()) return std::nullopt;
  if (weights.block() < 2 || gaps.block() < 2 || loss.block() != weights.block() * gaps.block()) return std::nullopt;
  Ground ground{{first_block(weights), first_block(gaps), first_block(loss)}, {}, {}, {}, 0};
  const auto spans = [](const std::vector<double>& axis) {
    return std::isfinite(axis.front()) && std::isfinite(axis.back()) && axis.back() > axis.front();
  };
  if (!spans(ground.map.row_at) || !spans(ground.map.column_at)) return std::nullopt;
  add_path(recording, ground);
  return ground;
}

std::string starts_text(const std::vector<std::pair<std::string, Ground>>& grounds) {
  std::vector<double> weights, gaps;
  for (const auto& [title, ground] : grounds)
    for (size_t i = 0; i < ground.steps.size(); ++i) {
      if (!std::isfinite(ground.weight[i]) || !std::isfinite(ground.gap[i])) continue;
      weights.push_back(ground.weight[i]);
      gaps.push_back(ground.gap[i]);
      break;
    }
  if (weights.empty()) return "";
  const auto range = [](const std::vector<double>& values) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const std::string from = number_text(*low), to = number_text(*high);
    return from == to ? from : from + " to " + to;
  };
  return "w = " + range(weights) + ", Δa = " + range(gaps);
}

}  // namespace atto
