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

Trainer::Trainer(const TrainingConfig& config, Model& model)
    : config_(config),
      model_(model),
      parameters_(model.parameter_count()),
      gradients_(model.parameter_count()),
      optimizer_(make_optimizer(config, model.matrices(), model.parameter_count())),
      calm_(config) {
  model_.initialise(parameters_.span());
  optimizer_->scale_rates(model_.rate_factors());
}

Trainer::~Trainer() = default;

std::vector<WeightView> Trainer::weights() const {
  std::vector<WeightView> views;
  for (const Matrix& matrix : model_.matrices())
    views.push_back({matrix.name, matrix.rows, matrix.columns, parameters().subspan(matrix.offset, matrix.size())});
  return views;
}

BatchResult Trainer::look(bool accuracy) {
  const BatchResult result = model_.gradient(step_, parameters_.span(), gradients_.span(), accuracy);
  last_loss_ = result.loss;
  calm_.see(result.loss);
  return result;
}

void Trainer::step_forward() {
  optimizer_->update(step_, rate_at(config_, step_), {model_.matrices(), parameters_.span(), gradients_.span()});
  ++step_;
  calm_.advance();
  model_.see(last_loss_);
  tested_.reset();
}

BatchResult Trainer::tested() {
  if (!tested_) tested_ = model_.test(parameters_.span());
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

BatchResult Trainer::advance(int64_t to) {
  const Guard guard(model_);
  BatchResult batch;
  do {
    step_forward();
    batch = look(step_ >= to);
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
  return {
      step_, calm_.steps(), {parameters().begin(), parameters().end()}, {memory.begin(), memory.end()}, model_.state()};
}

void Trainer::restore(const Snapshot& snapshot) {
  const auto memory = optimizer_->memory();
  if (snapshot.parameters.size() != parameters_.size() || snapshot.optimizer.size() != memory.size())
    throw Error(ErrorKind::internal, "the snapshot is of a run with another network or optimizer");
  std::copy(snapshot.parameters.begin(), snapshot.parameters.end(), parameters_.data());
  std::copy(snapshot.optimizer.begin(), snapshot.optimizer.end(), memory.begin());
  step_ = snapshot.step;
  calm_.restore(snapshot.calm_steps);
  model_.restore(snapshot.extra);
  tested_.reset();
}

}  // namespace atto
