#include "observe/probes.h"

#include <algorithm>

namespace atto {
namespace {

int sequences(const RunSpec& spec, ProbeKind kind) {
  if (kind == ProbeKind::few) return 16;
  return std::clamp(4096 / spec.attention()->task.shape.context / 16 * 16, 16, 256);
}

Keep kept_by(ProbeKind kind) { return kind == ProbeKind::scores ? Keep::scores : Keep::nothing; }

}  // namespace

Probe& NetworkProbes::get(std::unique_ptr<Probe>& kept, ProbeKind kind) {
  if (!kept) kept = std::make_unique<Probe>(*run_, sequences(run_->spec(), kind), kept_by(kind));
  return *kept;
}

const Response& NetworkProbes::response() {
  if (!response_) response_ = std::make_unique<ResponseProbe>(*run_);
  return response_->now();
}

const Answers& NetworkProbes::answers() {
  if (!answers_) answers_ = std::make_unique<AnswersProbe>(*run_);
  return answers_->now();
}

std::span<const float> NetworkProbes::next_update() {
  if (update_of_ != run_->trainer().step()) {
    update_ = {};  // or there would be two
    update_ = run_->trainer().next_update();
    update_of_ = run_->trainer().step();
  }
  return update_;
}

size_t NetworkProbes::bytes(const RunSpec& spec, ProbeKind kind) {
  switch (kind) {
    case ProbeKind::none:
      return 0;
    case ProbeKind::few:
    case ProbeKind::many:
    case ProbeKind::scores:
      return Probe::bytes(spec, sequences(spec, kind), kept_by(kind));
    case ProbeKind::response:
      return ResponseProbe::bytes(spec);
    case ProbeKind::answers:
      return AnswersProbe::bytes(spec);
    case ProbeKind::update: {  // parameters, gradients and the optimizer's memory are copied to make it
      const TrainingMemory memory = spec.memory();
      return 2 * memory.parameters + memory.optimizer;
    }
  }
  return 0;
}

const EmergenceMeasures& EmergenceProbe::now() {
  if (fresh_at_ != run_->trainer().step()) {
    measures_ = run_->emergence()->measures(run_->trainer().parameters());
    fresh_at_ = run_->trainer().step();
  }
  return measures_;
}

}  // namespace atto
