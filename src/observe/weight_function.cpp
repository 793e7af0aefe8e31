#include "observe/weight_function.h"

#include <algorithm>
#include <set>

namespace atto {
namespace {

constexpr int kMostRows = 16;

int64_t number_of(const SeedConfig& seeds) { return std::max<int64_t>(std::max(seeds.init, seeds.data) - 1, 0); }

const float* weights_at(const WeightHistory& history, int64_t step, size_t parameters) {
  const auto found = std::lower_bound(history.steps.begin(), history.steps.end(), step);
  if (found == history.steps.end() || *found != step) return nullptr;
  return history.weights.data() + static_cast<size_t>(found - history.steps.begin()) * parameters;
}

Series* series_called(const HistoryOfRun& run, const std::string& address) {
  for (Series* one : run.series)
    if (one->address == address) return one;
  return nullptr;
}

// Where the series was measured, if it was measured at that step.
double* values_at(Series& series, int64_t step) {
  const auto found = std::lower_bound(series.steps.begin(), series.steps.end(), step);
  if (found == series.steps.end() || *found != step) return nullptr;
  return series.values.data() + static_cast<size_t>(found - series.steps.begin()) * series.block();
}

// The steps at which some run has weights and lacks the value.
std::set<int64_t> open_steps(const std::vector<HistoryOfRun>& runs, const std::string& address) {
  std::set<int64_t> steps;
  for (const HistoryOfRun& run : runs)
    for (const int64_t step : run.history->steps)
      if (values_at(*series_called(run, address), step) != nullptr) steps.insert(step);
  return steps;
}

void measure(const RunSpec& spec, const WeightFunction& function, const std::string& address, int rows,
             const std::vector<HistoryOfRun>& runs) {
  std::vector<WeightMoment> moments;
  for (const int64_t step : open_steps(runs, address)) {
    WeightMoment& moment = moments.emplace_back(WeightMoment{step, {}});
    moment.rows.resize(static_cast<size_t>(rows));
    const float* any = nullptr;
    for (const HistoryOfRun& run : runs) {
      const float* weights = weights_at(*run.history, step, spec.parameter_count());
      if (weights == nullptr) continue;
      moment.rows[static_cast<size_t>(run.place)] = weights;
      if (any == nullptr) any = weights;
    }
    for (const float*& row : moment.rows)
      if (row == nullptr) row = any;
  }
  if (moments.empty()) return;
  const size_t block = series_called(runs.front(), address)->block();
  std::vector<double> values(moments.size() * static_cast<size_t>(rows) * block);
  function.evaluate(spec, moments, values.data());
  for (size_t i = 0; i < moments.size(); ++i)
    for (const HistoryOfRun& run : runs)
      if (weights_at(*run.history, moments[i].step, spec.parameter_count()) != nullptr)
        if (double* const to = values_at(*series_called(run, address), moments[i].step))
          std::copy_n(values.data() + (i * static_cast<size_t>(rows) + static_cast<size_t>(run.place)) * block, block,
                      to);
}

}  // namespace

bool has_functions(const ObservePlan& plan) {
  return std::any_of(plan.begin(), plan.end(), [](const Observation& one) { return one.function != nullptr; });
}

int rows_together(const RunSpec& spec, const ObservePlan& plan) {
  size_t steps = 0;
  for (const Observation& one : plan)
    if (one.function) steps += one.when.resolve(spec.training().steps).size();
  const size_t bytes = std::max<size_t>(sizeof(float) * spec.parameter_count() * steps, 1);
  return static_cast<int>(std::clamp<size_t>(kHistoryBytes / bytes, 1, kMostRows));
}

int64_t group_of(const SeedConfig& seeds, int rows) { return number_of(seeds) / rows; }
int place_of(const SeedConfig& seeds, int rows) { return static_cast<int>(number_of(seeds) % rows); }

void measure_histories(const RunSpec& spec, const ObservePlan& plan, const std::vector<HistoryOfRun>& runs) {
  const int rows = rows_together(spec, plan);
  for (const Observation& one : plan)
    if (one.function) measure(spec, *one.function, one.what.front(), rows, runs);
}

}  // namespace atto
