// Regression for networks that attend: sequences of vectors, one of which matters.
//
// Tokens x_t ~ N(0, 1/d). The relevant token x stands at B distinct positions, and the answer, asked at the last
// position, is W* x. With probability p it is the vector x̃ that all sequences share. Input features: the d of a token,
// then a flag that is 1 where the token is relevant.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "data/regression.h"
#include "data/tasks/sequences.h"

namespace atto {
namespace {

// All positions but the last, which is the query's own, in random order: the first B of them are the fixed places.
std::vector<size_t> draw_places(int context, uint64_t seed) {
  std::vector<size_t> places(static_cast<size_t>(context) - 1);
  std::iota(places.begin(), places.end(), size_t{0});
  for (uint32_t i = 0; i < places.size(); ++i) {
    const uint32_t word = random_block(seed, Purpose::table, 3, i, 0)[0];
    std::swap(places[i], places[i + random_below(static_cast<uint32_t>(places.size()) - i, word)]);
  }
  return places;
}

// W* and x̃ stay what they are throughout a run, so x̃ is in play from the start if it ever will be.
Regression over_the_run(const DataConfig& config) {
  Regression task = make_regression(config);
  if (config.schedule != DiversityKind::constant) task.cross = std::max(task.cross, config.later_cross);
  return task;
}

TaskSpec describe_regression(const DataConfig& config) {
  constexpr int64_t kLargestDimension = 4096;
  make_regression(config);  // checks the sizes that the theory has, too
  check_context(config);
  if (config.dimension > kLargestDimension)
    throw Error(ErrorKind::config,
                "data.dimension = " + std::to_string(config.dimension) + " is more than a batch of vectors takes",
                "at most " + std::to_string(kLargestDimension));
  if (config.places == Places::random && !config.flag)
    throw Error(ErrorKind::config,
                "data.places = \"random\" without data.flag: nothing would tell which token is asked for",
                "set data.flag = true or data.places = \"fixed\"");
  if (config.targets != Targets::last)
    throw Error(ErrorKind::config, "data.targets = \"every\", but regression has one answer, at the last position",
                "set data.targets = \"last\"");
  const int context = static_cast<int>(config.context), d = static_cast<int>(config.dimension);
  TaskSpec spec;
  spec.shape = {.context = context, .first_asked = context - 1, .inputs = d + (config.flag ? 1 : 0), .outputs = d};
  spec.relevant = spec.asks_map = true;
  spec.references = regression_references();
  spec.bytes = sizeof(float) * static_cast<size_t>(d) * static_cast<size_t>(d);
  spec.building = target_drawing_bytes(make_regression(config));
  return spec;
}

class RegressionTask final : public Task {
 public:
  RegressionTask(const DataConfig& config, const TaskSpec& spec, uint64_t seed)
      : Task(spec), dimension_(shape().outputs), target_(draw_target(over_the_run(config), seed)) {
    if (config.places == Places::fixed) places_ = draw_places(context(), seed);
  }

  const RegressionTarget* target() const override { return &target_; }
  std::vector<double> frequencies() const override { return {}; }

  void fill(const Draw& draw, const Batch& batch) const override {
    draw_tokens(draw, batch);
    // The relevant token is born at the same position in all sequences, which makes W* x a plain product.
    const size_t birthplace = places_.empty() ? 0 : places_[0];
    float* born = token(batch, birthplace);
    if (draw.diversity.cross > 0) repeat_across(draw, batch, born);
    linear_forward(target_.weights.data(), dimension_, dimension_, born, batch.answers, batch.lanes);

    std::fill_n(batch.relevant, static_cast<size_t>(context()) * static_cast<size_t>(batch.lanes), 0.0f);
    if (places_.empty()) move_to_random_places(draw, batch);
    else copy_to_fixed_places(draw, batch);
    if (shape().inputs > dimension_) raise_flags(batch);
    weigh_samples(batch);
  }

 private:
  // [F][lanes] of a position
  float* token(const Batch& batch, size_t position) const {
    return batch.inputs + position * static_cast<size_t>(shape().inputs) * static_cast<size_t>(batch.lanes);
  }

  // Every row is drawn, those of the flags too: one call instead of one a token.
  void draw_tokens(const Draw& draw, const Batch& batch) const {
    const int rows = context() * shape().inputs;
    random_normals(draw.seed, static_cast<uint32_t>(Purpose::data), draw.step, draw.first_sample, (rows + 3) / 4,
                   batch.inputs, batch.lanes);
    const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(dimension_)));
    float* const end = token(batch, static_cast<size_t>(context()));
    for (float* group = batch.inputs; group < end; group += kLanes)
      for (int i = 0; i < kLanes; ++i) group[i] *= scale;
  }

  // Words of a sequence about repetition: the first block decides whether its token is x̃, the others where it stands.
  static std::array<uint32_t, 4> repetition(const Draw& draw, size_t lane, uint32_t block) {
    return random_block(draw.seed, Purpose::repeats, draw.step, draw.first_sample + static_cast<uint32_t>(lane), block);
  }

  void repeat_across(const Draw& draw, const Batch& batch, float* born) const {
    const auto lanes = static_cast<size_t>(batch.lanes);
    for (size_t lane = 0; lane < lanes; ++lane)
      if (repetition(draw, lane, 0)[0] * 0x1p-32 < draw.diversity.cross)
        for (size_t i = 0; i < target_.repeated.size(); ++i) born[i * lanes + lane] = target_.repeated[i];
  }

  void copy_to_fixed_places(const Draw& draw, const Batch& batch) const {
    const auto lanes = static_cast<size_t>(batch.lanes), repeat = static_cast<size_t>(draw.diversity.repeat);
    for (size_t k = 0; k < repeat; ++k) {
      if (k > 0)
        std::copy_n(token(batch, places_[0]), static_cast<size_t>(dimension_) * lanes, token(batch, places_[k]));
      std::fill_n(batch.relevant + places_[k] * lanes, lanes, 1.0f);
    }
  }

  // B distinct positions of C by Floyd's method, whose set of those taken is batch.relevant: each draw is from one
  // position more than the last, and what is taken already gives way to the new position. The token at the first of
  // them changes places with the relevant one, born at position 0; at the others it is overwritten.
  void move_to_random_places(const Draw& draw, const Batch& batch) const {
    const auto lanes = static_cast<size_t>(batch.lanes), d = static_cast<size_t>(dimension_);
    const auto positions = static_cast<uint32_t>(context()), repeat = static_cast<uint32_t>(draw.diversity.repeat);
    for (size_t lane = 0; lane < lanes; ++lane) {
      const float* relevant = nullptr;
      std::array<uint32_t, 4> words{};
      for (uint32_t k = 0; k < repeat; ++k) {
        if (k % 4 == 0) words = repetition(draw, lane, 1 + k / 4);
        const uint32_t newest = positions - repeat + k;
        uint32_t place = random_below(newest + 1, words[k % 4]);
        if (batch.relevant[place * lanes + lane] != 0) place = newest;
        batch.relevant[place * lanes + lane] = 1;
        float* here = token(batch, place) + lane;
        if (relevant == nullptr)
          for (size_t i = 0; i < d; ++i) std::swap(batch.inputs[i * lanes + lane], here[i * lanes]);
        else
          for (size_t i = 0; i < d; ++i) here[i * lanes] = relevant[i * lanes];
        if (relevant == nullptr) relevant = here;
      }
    }
  }

  void raise_flags(const Batch& batch) const {
    const auto lanes = static_cast<size_t>(batch.lanes);
    for (size_t position = 0; position < static_cast<size_t>(context()); ++position)
      std::copy_n(batch.relevant + position * lanes, lanes,
                  token(batch, position) + static_cast<size_t>(dimension_) * lanes);
  }

  int dimension_;
  RegressionTarget target_;
  std::vector<size_t> places_;  // empty: drawn for every sequence
};

}  // namespace

TaskKind regression_task() {
  return {{"data.context", "data.dimension"},
          true,
          describe_regression,
          [](const DataConfig& config, const TaskSpec& spec, uint64_t seed) -> std::unique_ptr<Task> {
            return std::make_unique<RegressionTask>(config, spec, seed);
          }};
}

}  // namespace atto
