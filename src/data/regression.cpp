#include "data/regression.h"

#include <cmath>
#include <string>

#include "base/error.h"
#include "kernels/random.h"

namespace atto {
namespace {

// Beyond this the products of the sizes leave the whole numbers a double can hold.
constexpr double kLargest = 1e9;

double norm(const std::vector<double>& values) {
  double square = 0;
  for (const double value : values) square += value * value;
  return std::sqrt(square);
}

}  // namespace

const Schema<Regression>& regression_schema() {
  static const Schema<Regression> schema =
      Schema<Regression>()
          .integer("length", &Regression::length, 2, kLargest, "T, tokens of a sequence")
          .integer("dimension", &Regression::dimension, 1, kLargest, "d, dimension of a token")
          .integer("repeat", &Regression::repeat, 1, kLargest,
                   "B, positions of a sequence that hold the relevant token")
          .real("cross", &Regression::cross, 0, 1,
                "p, probability that the relevant token is the one all sequences share");
  return schema;
}

namespace {

// What the four sizes are called where they come from.
struct Names {
  std::string length, dimension, repeat, cross;
};

void check(const Regression& task, const Names& names) {
  if (task.length < 2)
    throw Error(ErrorKind::config, names.length + " = " + to_text(task.length) + " is not allowed: expected 2 or more",
                "attention needs a token to choose and one to leave");
  if (task.repeat >= task.length)
    throw Error(ErrorKind::config,
                names.repeat + " = " + to_text(task.repeat) + " is not allowed: expected less than " + names.length +
                    " = " + to_text(task.length),
                "the relevant token must leave room for others: take fewer repeats or a longer sequence");
  if (task.cross > 0 && task.dimension < 2)
    throw Error(
        ErrorKind::config, names.dimension + " = 1 is not allowed with " + names.cross + " = " + to_text(task.cross),
        "a repeated direction needs another beside it: take a dimension of at least 2, or " + names.cross + " = 0");
}

}  // namespace

void validate(const Regression& task) {
  for (const SchemaField<Regression>& field : regression_schema().all()) field.checked(field.get(task));
  check(task, {"length", "dimension", "repeat", "cross"});
}

Regression make_regression(const DataConfig& config) {
  const Regression task{config.context, config.dimension, config.repeat, config.cross};
  check(task, {"data.context", "data.dimension", "data.repeat", "data.cross"});
  if (config.schedule != DiversityKind::constant)
    check({config.context, config.dimension, config.later_repeat, config.later_cross},
          {"data.context", "data.dimension", "data.later_repeat", "data.later_cross"});
  return task;
}

std::vector<ReferenceLoss> regression_references() { return {{"best", 0.0}, {"start", kRegressionStartLoss}}; }

size_t target_drawing_bytes(const Regression& task) {
  const auto d = static_cast<size_t>(task.dimension);
  return d * d * (sizeof(float) + (task.cross > 0 ? 2 : 1) * sizeof(double));
}

RegressionTarget draw_target(const Regression& task, uint64_t seed) {
  const auto d = static_cast<size_t>(task.dimension);
  std::vector<double> weights(d * d), direction(d);
  for (size_t i = 0; i < weights.size(); ++i)
    weights[i] = standard_normal(seed, Purpose::table, 1, static_cast<uint32_t>(i));
  for (size_t column = 0; column < d; ++column) {
    double square = 0;
    for (size_t row = 0; row < d; ++row) square += weights[row * d + column] * weights[row * d + column];
    for (size_t row = 0; row < d; ++row) weights[row * d + column] /= std::sqrt(square);
  }
  for (size_t i = 0; i < d; ++i) direction[i] = standard_normal(seed, Purpose::table, 2, static_cast<uint32_t>(i));
  const double length = norm(direction);
  for (double& value : direction) value /= length;

  // W* = (W* x̃) x̃ᵀ + R
  std::vector<double> answer(d);
  for (size_t row = 0; row < d; ++row)
    for (size_t i = 0; i < d; ++i) answer[row] += weights[row * d + i] * direction[i];
  if (task.cross > 0) {
    std::vector<double> rest = weights;
    for (size_t row = 0; row < d; ++row)
      for (size_t i = 0; i < d; ++i) rest[row * d + i] -= answer[row] * direction[i];
    const double rest_scale = std::sqrt(static_cast<double>(d - 1)) / norm(rest), answer_norm = norm(answer);
    for (double& value : answer) value /= answer_norm;
    for (size_t row = 0; row < d; ++row)
      for (size_t i = 0; i < d; ++i) weights[row * d + i] = rest_scale * rest[row * d + i] + answer[row] * direction[i];
  }
  return {{weights.begin(), weights.end()}, {direction.begin(), direction.end()}, {answer.begin(), answer.end()}};
}

}  // namespace atto
