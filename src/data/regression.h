// Single-location regression, the task of the theory of emergence: only one token of a sequence matters.
//
// Tokens x_1 .. x_T in R^d, independent N(0, 1/d). The answer is y* = W* x_T, and the relevant token x_T fills the last
// B positions. With probability p it is one fixed unit vector x̃ instead of a fresh draw.
#pragma once

#include <cstdint>
#include <vector>

#include "data/task_spec.h"

namespace atto {

inline constexpr const char* kRegression = "regression";
// ½ E‖y*‖², the loss of a network that answers 0.
inline constexpr double kRegressionStartLoss = 0.5;

struct Regression {
  int64_t length = 2;     // T
  int64_t dimension = 1;  // d
  int64_t repeat = 1;     // B
  double cross = 0;       // p
};

// Its sizes as options of their own: length, dimension, repeat, cross.
const Schema<Regression>& regression_schema();
// Throws Error(config) that begins with the option's name: "repeat = 8 is not allowed: ...".
void validate(const Regression& task);

inline bool is_regression(const DataConfig& config) { return config.task == kRegression; }
// The same from the settings of a run; its errors name those.
Regression make_regression(const DataConfig& config);

// What there is to compare a loss with: 0, and that of answering 0.
std::vector<ReferenceLoss> regression_references();

// What is to be learnt. W* has columns of unit norm; when x̃ is in play, ‖W* x̃‖ = 1 and the rest of W* has norm √(d-1),
// as the theory assumes.
struct RegressionTarget {
  std::vector<float> weights;          // W*[d][d]
  std::vector<float> repeated;         // x̃[d], a random direction: no axis is special
  std::vector<float> repeated_answer;  // W* x̃ [d]
};
RegressionTarget draw_target(const Regression& task, uint64_t seed);
size_t target_drawing_bytes(const Regression& task);  // that this takes, its result included

}  // namespace atto
