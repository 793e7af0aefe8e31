// Something that can be measured on a network in training, under an address.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "observe/probe.h"
#include "observe/response.h"
#include "theory/emergence_run.h"
#include "training/trainer.h"

namespace atto {

// The sequences a run is probed with, drawn when it first asks for them.
class Probes {
 public:
  static constexpr int kShown = 5;  // sequences whose maps are recorded

  // few: a group of lanes, enough for maps and for a cheap mean. many: enough for statistics by token, 256 sequences,
  // fewer (a multiple of 16) when they are long. response: of a network trained on regression.
  enum class Kind { none, few, many, response };
  static size_t bytes(const Trainer& trainer, Kind kind) {
    if (kind == Kind::none) return 0;
    return kind == Kind::response ? ResponseProbe::bytes(trainer) : Probe::bytes(trainer, sequences(trainer, kind));
  }
  Probe& few(const Trainer& trainer) { return get(few_, trainer, sequences(trainer, Kind::few)); }
  Probe& many(const Trainer& trainer) { return get(many_, trainer, sequences(trainer, Kind::many)); }
  const Response& response(const Trainer& trainer) {
    if (!response_) response_ = std::make_unique<ResponseProbe>(trainer);
    return response_->at(trainer);
  }

 private:
  static int sequences(const Trainer& trainer, Kind kind) {
    return kind == Kind::few ? 16 : std::clamp(4096 / trainer.network().context() / 16 * 16, 16, 256);
  }
  static Probe& get(std::unique_ptr<Probe>& kept, const Trainer& trainer, int sequences) {
    if (!kept) kept = std::make_unique<Probe>(trainer, sequences);
    return *kept;
  }
  std::unique_ptr<Probe> few_, many_;
  std::unique_ptr<ResponseProbe> response_;
};

// One moment of a run: the parameters before update `step`, and what batch `step` showed.
struct Moment {
  const Trajectory& run;
  const BatchResult& batch;
  Probes& probes;

  // An observable is offered for one kind of run and asked of no other.
  const Trainer& trainer() const { return static_cast<const Trainer&>(run); }
  const EmergenceRun& emergence() const { return static_cast<const EmergenceRun&>(run); }
};

struct Observable {
  std::string address;
  std::string help;
  std::vector<int64_t> shape;                                      // {} is a scalar
  std::function<void(const Moment& moment, double* out)> measure;  // writes product(shape) numbers, row-major
  int64_t default_points = 100;  // measurements in a run whose study names no schedule: fewer where one is dear
  Probes::Kind probe = Probes::Kind::none;  // what it looks at, for the memory; observable.cpp says it
};

// Each file of observables adds what this network offers; observable.cpp lists the files.
void offer_batch_observables(const Trainer& trainer, std::vector<Observable>& offers);
void offer_weight_observables(const Trainer& trainer, std::vector<Observable>& offers);
void offer_attention_observables(const Trainer& trainer, std::vector<Observable>& offers);
void offer_attention_statistics(const Trainer& trainer, std::vector<Observable>& offers);
void offer_relevance_observables(const Trainer& trainer, std::vector<Observable>& offers);
void offer_response_observables(const Trainer& trainer, std::vector<Observable>& offers);
void offer_test_observables(const Trainer& trainer, std::vector<Observable>& offers);
void offer_emergence_observables(const EmergenceRun& run, std::vector<Observable>& offers);

std::vector<Observable> all_observables(const Trajectory& run);

}  // namespace atto
