// A run that has been started: its description, what learns, and the trainer that moves it on.
#pragma once

#include <memory>
#include <span>
#include <variant>

#include "spec/run_spec.h"
#include "theory/emergence_model.h"
#include "training/attention_model.h"
#include "training/trainer.h"

namespace atto {

class LiveRun {
 public:
  // The parameters stand in `parameters` (training/trainer.h), or else in memory of its own.
  explicit LiveRun(const RunSpec& spec, std::span<float> parameters = {});

  const RunSpec& spec() const { return spec_; }
  Trainer& trainer() { return *trainer_; }
  const Trainer& trainer() const { return *trainer_; }

  // What learns; the one that the spec describes, the other is nullptr.
  const AttentionModel* attention() const;
  AttentionModel* attention();
  const EmergenceModel* emergence() const;

 private:
  using AnyModel = std::variant<std::unique_ptr<AttentionModel>, std::unique_ptr<EmergenceModel>>;
  static AnyModel make_model(const RunSpec& spec);

  RunSpec spec_;
  AnyModel model_;
  std::unique_ptr<Trainer> trainer_;  // of the model
};

}  // namespace atto
