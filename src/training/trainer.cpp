#include "training/trainer.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "kernels/simd/denormals.h"
#include "training/optimizers/optimizer.h"
#include "training/rate_schedule.h"

namespace atto {
namespace {

// A guard where the model wants one.
struct Guard {
  explicit Guard(const Model& model) {
    if (model.flushes_denormals()) flush.emplace();
  }
  std::optional<FlushDenormals> flush;
};

}  // namespace

Trainer::Trainer(const TrainingConfig& config, Model& model, std::span<float> parameters)
    : config_(config),
      model_(model),
      own_parameters_(parameters.empty() ? model.parameter_count() : 0),
      parameters_(parameters.empty() ? own_parameters_.span() : parameters),
      gradients_(model.parameter_count()),
      interventions_(config, model.matrices(), model.parameter_count()),
      optimizer_(make_optimizer(config, model.matrices(), model.parameter_count())),
      calm_(config) {
  model_.initialise(parameters_);
  optimizer_->scale_rates(model_.rate_factors());
  model_.add_embedding_noise(interventions_.now().embedding_noise);
}

Trainer::~Trainer() = default;

std::vector<WeightView> Trainer::weights() const {
  std::vector<WeightView> views;
  for (const Matrix& matrix : model_.matrices())
    views.push_back({matrix.name, matrix.rows, matrix.columns, parameters().subspan(matrix.offset, matrix.size())});
  return views;
}

BatchResult Trainer::look(bool accuracy) {
  if (interventions_.now().fresh_embeddings) model_.draw_embeddings(step_, parameters_);
  const BatchResult result = model_.gradient(step_, parameters_, gradients_.span(), accuracy);
  last_loss_ = result.loss;
  calm_.see(result.loss);
  return result;
}

void Trainer::apply_update(std::span<float> parameters, std::span<float> gradients) const {
  const StepSettings& now = interventions_.now();
  if (config_.clip > 0) clip_gradients(config_.clip, now.groups, gradients);
  optimizer_->update(step_, rate_at(config_, step_) * now.rate, {parameters, gradients, now.groups});
}

void Trainer::step_forward() {
  apply_update(parameters_, gradients_.span());
  if (interventions_.see(step_, last_loss_)) model_.add_embedding_noise(interventions_.now().embedding_noise);
  ++step_;
  calm_.advance();
  model_.see(last_loss_);
  tested_.reset();
}

BatchResult Trainer::tested() {
  if (!tested_) tested_ = model_.test(parameters_);
  return *tested_;
}

bool Trainer::stops() {
  if (calm_.reached()) return true;
  return config_.stop_test_loss >= 0 && step_ % config_.test_every == 0 && tested().loss <= config_.stop_test_loss;
}

BatchResult Trainer::evaluate() {
  const Guard guard(model_);
  return look();
}

void Trainer::update() {
  const Guard guard(model_);
  step_forward();
}

// On copies; what the optimizer remembers is put back.
std::vector<float> Trainer::next_update() const {
  const Guard guard(model_);
  const auto memory = optimizer_->memory();
  const std::vector<float> remembered(memory.begin(), memory.end());
  std::vector<float> moved(parameters().begin(), parameters().end());
  std::vector<float> followed(gradients().begin(), gradients().end());
  apply_update(moved, followed);
  std::copy(remembered.begin(), remembered.end(), memory.begin());
  for (size_t i = 0; i < moved.size(); ++i) moved[i] -= parameters()[i];
  return moved;
}

void Trainer::gradient_at(std::span<const float> parameters, std::span<float> gradients) const {
  const Guard guard(model_);
  model_.gradient(step_, parameters, gradients, false);
}

BatchResult Trainer::advance(int64_t to, bool accuracy) {
  const Guard guard(model_);
  BatchResult batch;
  do {
    step_forward();
    batch = look(accuracy && step_ >= to);
  } while (step_ < to && std::isfinite(batch.loss) && !stops());
  return step_ < to ? look() : batch;  // where it ended early nobody had counted
}

BatchResult Trainer::test() {
  const Guard guard(model_);
  return tested();
}

bool Trainer::should_stop() {
  const Guard guard(model_);
  return stops();
}

Snapshot Trainer::snapshot() const {
  const auto memory = optimizer_->memory();
  Snapshot snapshot{
      step_, calm_.steps(), {parameters().begin(), parameters().end()}, {memory.begin(), memory.end()}, model_.state()};
  interventions_.append_state(snapshot.extra);
  return snapshot;
}

void Trainer::restore(const Snapshot& snapshot) {
  const auto memory = optimizer_->memory();
  if (snapshot.parameters.size() != parameters_.size() || snapshot.optimizer.size() != memory.size() ||
      snapshot.extra.size() < interventions_.state_size())
    throw Error(ErrorKind::internal, "the snapshot is of a run with another network or optimizer");
  std::copy(snapshot.parameters.begin(), snapshot.parameters.end(), parameters_.data());
  std::copy(snapshot.optimizer.begin(), snapshot.optimizer.end(), memory.begin());
  step_ = snapshot.step;
  calm_.restore(snapshot.calm_steps);
  const auto own = snapshot.extra.end() - static_cast<std::ptrdiff_t>(interventions_.state_size());
  model_.restore({snapshot.extra.begin(), own});
  interventions_.restore(std::span(snapshot.extra).last(interventions_.state_size()));
  model_.add_embedding_noise(interventions_.now().embedding_noise);
  tested_.reset();
}

}  // namespace atto
