#include "training/attention_model.h"

#include <algorithm>
#include <cmath>

namespace atto {
namespace {

// Beyond any training step (training.steps is at most 1e12 < 2^40), and beyond the step that probes are drawn at.
constexpr uint64_t kTestStep = uint64_t{1} << 41;

}  // namespace

AttentionModel::AttentionModel(const DataConfig& data, const TaskSpec& task, std::shared_ptr<const Network> network,
                               bool ordered, const TrainingConfig& training, const SeedConfig& seeds)
    : training_(training),
      seeds_(seeds),
      network_(std::move(network)),
      task_(make_task(data, task, static_cast<uint64_t>(seeds.data))),
      sets_(make_sets(data, *task_, ordered, expected(), static_cast<uint64_t>(seeds.data))),
      work_(network_->make_workspace(network_->tile_lanes(expected() ? sets_.train->size() : training.batch))),
      diversity_(data) {
  if (has_embedding_noise(training)) work_.noise.normals = Arena<float>(network_->noise_size(work_.lanes));
  const bool equal = set_sizes(data, task_->spec(), ordered, expected()).equal;
  if (expected()) gradient_sums_ = Arena<double>(parameter_count());
  else if (sets_.train) sampler_.emplace(*sets_.train, equal, training.batch, static_cast<uint64_t>(seeds.data));
}

size_t AttentionModel::bytes(const TaskSpec& task, const Network& network, const SetSizes& sets,
                             const TrainingConfig& training) {
  const bool expected = training.gradient == GradientKind::expected;
  const size_t count = network.parameter_count();
  const int lanes = network.tile_lanes(expected ? static_cast<int64_t>(sets.train) : training.batch);
  size_t total = network.workspace_bytes(lanes) + task.bytes + sets.bytes(task.shape);
  if (has_embedding_noise(training)) total += sizeof(float) * network.noise_size(lanes);
  if (training.frequency_rate != 0) total += sizeof(float) * count;  // a factor for each
  if (expected) total += sizeof(double) * count;                     // sums of gradients
  else total += SetSampler::bytes(sets.train, sets.equal);
  return total;
}

void AttentionModel::initialise(std::span<float> parameters) const {
  network_->initialise(static_cast<uint64_t>(seeds_.init), parameters.data());
}

void AttentionModel::draw_embeddings(int64_t step, std::span<float> parameters) const {
  network_->draw_embeddings(static_cast<uint64_t>(seeds_.init), static_cast<uint64_t>(step), parameters.data());
}

void AttentionModel::set_noise(std::optional<int64_t> step) {
  work_.noise.deviation = step ? static_cast<float>(embedding_noise_) : 0.0f;
  work_.noise.seed = static_cast<uint64_t>(seeds_.data);
  work_.noise.step = static_cast<uint64_t>(step.value_or(0));
}

// Loss and, if it is wanted, accuracy of `samples` sequences, tile by tile: fill_tile(first) puts some of them into the
// batch.
template <class Fill, class Evaluate>
BatchResult AttentionModel::mean_over(int64_t samples, bool accuracy, Fill fill_tile, Evaluate evaluate_tile) {
  const double answers = static_cast<double>(samples) * task_->asked();
  work_.sums = {.counted = accuracy};
  for (int64_t first = 0; first < samples; first += work_.lanes) {
    work_.batch().samples = static_cast<int>(std::min<int64_t>(work_.lanes, samples - first));
    fill_tile(first);
    work_.noise.first_sample = static_cast<uint32_t>(first);
    evaluate_tile(static_cast<float>(1 / answers));
  }
  return {work_.sums.loss / answers, work_.sums.correct / answers};
}

void AttentionModel::fill_fresh(Draw draw, int64_t first) {
  draw.first_sample = static_cast<uint32_t>(first);
  task_->fill(draw, work_.batch());
}

void AttentionModel::take_answers(bool from_set) {
  const bool soft = from_set && !sets_.distributions.empty();
  work_.batch().distributions = soft ? sets_.distributions.data() : nullptr;
  work_.batch().distribution_rows = soft ? static_cast<int>(sets_.distributions.size()) / task_->vocabulary() : 0;
}

BatchResult AttentionModel::gradient(int64_t step, std::span<const float> parameters, std::span<float> gradients,
                                     bool accuracy) {
  set_noise(step);
  return expected() ? expected_gradient(parameters.data(), gradients, accuracy)
                    : sampled_gradient(step, parameters.data(), gradients, accuracy);
}

BatchResult AttentionModel::sampled_gradient(int64_t step, const float* parameters, std::span<float> gradients,
                                             bool accuracy) {
  std::fill(gradients.begin(), gradients.end(), 0.0f);
  take_answers(sampler_.has_value());
  const Draw draw{static_cast<uint64_t>(seeds_.data),
                  static_cast<uint64_t>(step),
                  0,
                  diversity_.at(step),
                  training_.batch,
                  training_.steps};
  const auto fill = [&](int64_t first) {
    if (sampler_) sampler_->fill(step, first, work_.batch());
    else fill_fresh(draw, first);
  };
  const BatchResult result = mean_over(training_.batch, accuracy, fill, [&](float scale) {
    network_->loss_and_gradient(parameters, gradients.data(), work_, scale);
  });
  network_->finish_gradients(gradients.data(), work_);
  return result;
}

// Without noise the terms of the gradient cancel on a plateau almost to nothing, and Adam makes whole steps of what is
// left. So that this is not rounding, the tiles are summed in double: in float, 2^18 sequences lose 1e-5 of the terms.
BatchResult AttentionModel::expected_gradient(const float* parameters, std::span<float> gradients, bool accuracy) {
  gradient_sums_.clear();
  take_answers(true);
  const auto fill = [this](int64_t first) { sets_.train->fill(first, work_.batch()); };
  const BatchResult result = mean_over(sets_.train->size(), accuracy, fill, [&](float scale) {
    std::fill(gradients.begin(), gradients.end(), 0.0f);
    network_->loss_and_gradient(parameters, gradients.data(), work_, scale);
    network_->finish_gradients(gradients.data(), work_);
    for (size_t i = 0; i < gradients.size(); ++i) gradient_sums_.data()[i] += gradients[i];
  });
  for (size_t i = 0; i < gradients.size(); ++i) gradients[i] = static_cast<float>(gradient_sums_.data()[i]);
  return result;
}

template <class Evaluate>
BatchResult AttentionModel::mean_over_test(Evaluate evaluate_tile) {
  set_noise({});
  take_answers(sets_.test.has_value());
  const Draw draw{static_cast<uint64_t>(seeds_.data), kTestStep};
  const auto fill = [&](int64_t first) {
    if (sets_.test) sets_.test->fill(first, work_.batch());
    else fill_fresh(draw, first);
  };
  return mean_over(sets_.test ? sets_.test->size() : training_.test_samples, true, fill, evaluate_tile);
}

BatchResult AttentionModel::test(std::span<const float> parameters) {
  return mean_over_test([&](float) { network_->loss(parameters.data(), work_); });
}

void AttentionModel::each_test_tile(std::span<const float> parameters, const std::function<void(Workspace&)>& visit) {
  mean_over_test([&](float) {
    network_->forward(parameters.data(), work_);
    visit(work_);
  });
}

// (p_v / max p)^γ on the rows of every table that has one row per token; [BOS], which opens each sequence, and all
// other weights keep 1. So does a token that never comes where γ < 0, as its factor would be infinite.
std::vector<float> AttentionModel::rate_factors() const {
  if (training_.frequency_rate == 0) return {};
  const std::vector<double> frequencies = task_->frequencies();
  const double highest = *std::max_element(frequencies.begin(), frequencies.end());
  std::vector<float> factors(parameter_count(), 1.0f);
  for (const Matrix& matrix : matrices()) {
    if (matrix.name != "W_E" && matrix.name != "W_U") continue;
    const size_t width = static_cast<size_t>(matrix.columns);
    for (size_t v = 0; v < frequencies.size(); ++v) {
      if (frequencies[v] <= 0 && training_.frequency_rate < 0) continue;
      std::fill_n(factors.data() + matrix.offset + v * width, width,
                  static_cast<float>(std::pow(frequencies[v] / highest, training_.frequency_rate)));
    }
  }
  return factors;
}

}  // namespace atto
