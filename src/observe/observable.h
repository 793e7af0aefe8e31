// Something that can be measured on a network in training, under an address.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "observe/probe.h"
#include "training/trainer.h"

namespace atto {

// One moment of a run: the parameters before update `step`, and what batch `step` showed.
class Moment {
 public:
  Moment(const Trainer& of, const BatchResult& result, std::unique_ptr<Probe>& kept)
      : trainer(of), batch(result), probe_(kept) {}

  const Trainer& trainer;
  const BatchResult& batch;
  // The probe sequences, drawn when the run first asks for them.
  Probe& probe() const {
    if (!probe_) probe_ = std::make_unique<Probe>(trainer);
    return *probe_;
  }

 private:
  std::unique_ptr<Probe>& probe_;
};

struct Observable {
  std::string address;
  std::string help;
  std::vector<int64_t> shape;                                      // {} is a scalar
  std::function<void(const Moment& moment, double* out)> measure;  // writes product(shape) numbers, row-major
};

// Each file of observables adds what this network offers; observable.cpp lists the files.
void offer_batch_observables(const Trainer& trainer, std::vector<Observable>& offers);
void offer_weight_observables(const Trainer& trainer, std::vector<Observable>& offers);
void offer_attention_observables(const Trainer& trainer, std::vector<Observable>& offers);

std::vector<Observable> all_observables(const Trainer& trainer);

}  // namespace atto
