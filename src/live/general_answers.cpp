// Answers that need no study: which program this is, what can be set, what theory predicts.
#include <algorithm>

#include "base/contains.h"
#include "base/error.h"
#include "base/version.h"
#include "data/regression.h"
#include "kernels/simd/arithmetic.h"
#include "kernels/simd/target.h"
#include "lab/explore/next_cells.h"
#include "lab/results/schema_json.h"
#include "live/answers.h"
#include "live/limits.h"
#include "live/request.h"
#include "phenomena/claims/claim.h"
#include "phenomena/outcomes/summarise.h"
#include "theory/gradient_flow.h"
#include "theory/linear_theory.h"

namespace atto {
namespace {

Json range_end(double end) { return std::isfinite(end) ? Json(end) : Json(nullptr); }

Regression asked_problem(const Json& request) {
  Regression problem;
  for (const char* key : {"length", "dimension", "repeat"})
    regression_schema().at(key).set(problem, whole_member(request, key));
  regression_schema().at("cross").set(problem, number_member(request, "cross"));
  validate(problem);
  return problem;
}

// Whether the copies of the relevant token share a score, as in the published flow and unless asked otherwise.
Scores asked_scores(const Json& request) {
  const std::string word = text_member(request, "scores", to_word(Scores::shared));
  if (!contains(words_of<Scores>(), word))
    throw Error(ErrorKind::usage, "'scores' is \"shared\" or \"free\", not \"" + word + "\"");
  return from_word<Scores>(word);
}

// Both losses along the flow, at evenly spaced steps of a training with that rate.
Json curve_json(const Regression& problem, Scores scores, const Json& request) {
  const int64_t steps = whole_member(request, "steps"), points = whole_member(request, "points", 200);
  const double rate = number_member(request, "rate");
  if (points < 2 || points > kMostCurvePoints || steps < 1 || !(rate > 0) ||
      !(static_cast<double>(steps) * rate <= GradientFlow::kHorizon))
    throw Error(ErrorKind::usage,
                "a curve needs steps, a rate above 0 and 2 to " + std::to_string(kMostCurvePoints) + " points");
  GradientFlow flow(problem, {}, scores);
  Json times = Json::array(), train = Json::array(), test = Json::array();
  for (int64_t i = 0; i < points; ++i) {
    const double step = static_cast<double>(steps) * static_cast<double>(i) / static_cast<double>(points - 1);
    const ReducedState& state = flow.advance_to(step * rate);
    times.push_back(step);
    train.push_back(number_json(flow.loss().value(state, LossKind::train)));
    test.push_back(number_json(flow.loss().value(state, LossKind::test)));
  }
  return {{"times", times}, {"train", train}, {"test", test}};
}

}  // namespace

Json about_answer() {
  return {{"version", kVersion},
          {"engine_revision", kEngineRevision},
          {"target", active_target()},
          {"native_bits", arithmetic().fused}};
}

Json schema_answer() {
  Json keys = keys_json();
  size_t index = 0;
  for (const RunField& field : run_schema().all()) {
    Json& key = keys[index++];
    key["low"] = field.is_number() ? range_end(field.low) : Json(nullptr);
    key["high"] = field.is_number() ? range_end(field.high) : Json(nullptr);
  }
  return {{"keys", std::move(keys)},
          {"detectors", detectors_json()},
          {"statistics", words_of<Statistic>()},
          {"compares", words_of<Comparison>()}};
}

Json predict_answer(const Json& request) {
  const Regression problem = asked_problem(request);
  const double threshold = number_member(request, "threshold", 0.5);
  validate_threshold(threshold);
  const Scores scores = asked_scores(request);
  return {{"growth_rate", number_json(growth_rate(problem))},
          {"closed_form", number_json(escape_time(problem, threshold))},
          {"flow", number_json(crossing(problem, threshold, LossKind::test, GradientFlow::kHorizon, scores))},
          {"curve", request.contains("steps") ? curve_json(problem, scores, request) : Json(nullptr)}};
}

Json next_cells_answer(const Json& request) {
  std::vector<SampledCell> cells;
  for (const Json& one : list_member(request, "cells")) {
    const SampledCell cell{whole_member(one, "x"), whole_member(one, "y"), whole_member(one, "yes"),
                           whole_member(one, "runs")};
    cells.push_back(cell);
  }
  if (std::ssize(cells) > kMostLiveCells)
    throw Error(ErrorKind::usage, "a plane has at most " + std::to_string(kMostLiveCells) + " cells");
  const LevelSet level = explore_level(cells, number_member(request, "level", 0.5));
  Json order = Json::array(), decided = Json::array();
  const int64_t count = whole_member(request, "count", std::ssize(cells));
  for (const size_t cell : level.order) {
    if (std::ssize(order) >= count) break;
    order.push_back(cell);
  }
  for (const CellSide side : level.sides)
    decided.push_back(side == CellSide::open ? Json(nullptr) : Json(side == CellSide::above ? "above" : "below"));
  return {{"cells", order}, {"decided", decided}};
}

}  // namespace atto
