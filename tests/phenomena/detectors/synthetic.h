// Learning curves whose truth is known, and recordings made of them.
#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "observe/recording.h"
#include "phenomena/detectors/detector.h"

namespace atto::synthetic {

// Log perplexity as a function of the step.
using Curve = std::function<double(double step)>;

// Falls by `height` nats around step `at`, mostly within 4 `width` steps.
inline double fall(double step, double height, double at, double width) {
  return -height / (1 + std::exp(-(step - at) / width));
}

struct Noise {
  double nats = 0;  // standard deviation of a batch's loss
  uint64_t seed = 1;
};

inline Series sample(const std::string& address, const Curve& curve, int64_t steps, int64_t every, Noise noise = {}) {
  Series series{address, {}, {}, {}};
  std::mt19937_64 generator(noise.seed);
  std::normal_distribution<double> normal(0, 1);
  for (int64_t step = 0; step <= steps; step += every) {
    series.steps.push_back(step);
    series.values.push_back(std::exp(curve(static_cast<double>(step)) + noise.nats * normal(generator)));
  }
  return series;
}

// A finished run that measured its perplexity every 20 steps.
inline Recording run(const Curve& curve, Noise noise = {}, int64_t steps = 3000, int64_t every = 20) {
  Recording recording;
  recording.steps_done = steps;
  recording.best_loss = 0.0;
  recording.series.push_back(sample("perplexity", curve, steps, every, noise));
  return recording;
}

// A series of one array a measurement, at steps 0, every, 2 every ...
inline Series snapshots(const std::string& address, std::vector<int64_t> shape,
                        const std::vector<std::vector<double>>& arrays, int64_t every = 100) {
  Series series{address, std::move(shape), {}, {}};
  for (const std::vector<double>& array : arrays) {
    series.steps.push_back(every * std::ssize(series.steps));
    series.values.insert(series.values.end(), array.begin(), array.end());
  }
  return series;
}

// A finished run of these series.
inline Recording finished(std::vector<Series> series) {
  Recording recording;
  recording.steps_done = series.at(0).steps.empty() ? 0 : series[0].steps.back();
  recording.series = std::move(series);
  return recording;
}

inline RunConfig with_vocabulary(int64_t vocab, int64_t steps = 3000) {
  RunConfig config;
  config.data.vocab = vocab;
  config.training.steps = steps;
  return config;
}

// Sets a detector's fields from text, as a study would.
inline std::unique_ptr<Detector> detector(const std::string& name,
                                          const std::vector<std::pair<std::string, std::string>>& settings = {}) {
  std::unique_ptr<Detector> made = make_detector(name);
  Fields fields;
  made->describe(fields);
  for (const auto& [key, text] : settings) fields.at(key).set_text(text);
  return made;
}

inline std::optional<double> value_of(const Finding& finding, const std::string& name) {
  const Quantity* quantity = find(finding, name);
  return quantity ? quantity->value : std::nullopt;
}

inline bool censored(const Finding& finding, const std::string& name) {
  const Quantity* quantity = find(finding, name);
  return quantity && quantity->censored;
}

}  // namespace atto::synthetic
