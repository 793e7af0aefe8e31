#include "training/interventions.h"

#include <algorithm>

#include "base/error.h"
#include "network/matrix_names.h"

namespace atto {

Intervention::Intervention(const InterventionConfig& config)
    : config_(config),
      from_{config.from_loss, config.from_fall, config.from_flat},
      until_{config.until_loss, config.until_fall, config.until_flat},
      watch_(from_, config.smooth) {
  if (!from_.set() && config_.from == 0) begin(0);
}

bool Intervention::begin(int64_t step) {
  began_ = step;
  watch_ = LossWatch(until_, config_.smooth);
  return true;
}

bool Intervention::end(int64_t step) {
  ended_ = step;
  return began_ >= 0;
}

bool Intervention::see(int64_t step, double loss) {
  if (ended_ >= 0) return false;
  const int64_t next = step + 1;
  const bool last_moment = config_.until > 0 && next >= config_.until;
  if (began_ < 0) {
    if (last_moment) return end(next);  // it never begins
    if (next < config_.from) return false;
    if (!from_.set()) return begin(next);
    return step >= config_.from && watch_.see(loss) && begin(next);
  }
  const bool over = config_.lasting > 0 && next >= began_ + config_.lasting;
  return (watch_.see(loss) || over || last_moment) && end(next);
}

void Intervention::append_state(std::vector<double>& to) const {
  to.insert(to.end(), {static_cast<double>(began_), static_cast<double>(ended_)});
  watch_.append_state(to);
}

void Intervention::restore(const double* state) {
  began_ = static_cast<int64_t>(state[0]);
  ended_ = static_cast<int64_t>(state[1]);
  watch_ = LossWatch(began_ < 0 ? from_ : until_, config_.smooth);
  watch_.restore(state + 2);
}

Interventions::Interventions(const TrainingConfig& config, std::span<const Matrix> matrices, size_t parameter_count)
    : config_(config),
      matrices_(matrices),
      parameter_count_(parameter_count),
      plain_(matrix_training(config, matrices)),
      each_(plain_),
      all_(config_.interventions.begin(), config_.interventions.end()) {
  for (const Intervention& one : all_) {
    Reach reach;
    for (const std::string& name : one.config().freeze)
      for (const size_t i : matrices_named(name, matrices, "training.intervention freeze")) reach.frozen.push_back(i);
    reach.rates = entries_by_matrix(one.config().rates, matrices, "training.intervention rates");
    reach_.push_back(std::move(reach));
  }
  now_.groups.reserve(matrices.size());
  settle();
}

bool Interventions::see(int64_t step, double loss) {
  bool changed = false;
  for (Intervention& one : all_) changed |= one.see(step, loss);
  if (changed) settle();
  return changed;
}

// Factors multiply, what is frozen adds up, and of two values the later one in the study counts.
void Interventions::settle() {
  now_.rate = 1;
  now_.embedding_noise = config_.embedding_noise;
  now_.fresh_embeddings = config_.fresh_embeddings;
  std::copy(plain_.begin(), plain_.end(), each_.begin());
  for (size_t k = 0; k < all_.size(); ++k) {
    if (!all_[k].active()) continue;
    const InterventionConfig& one = all_[k].config();
    now_.rate *= one.rate;
    if (one.embedding_noise >= 0) now_.embedding_noise = one.embedding_noise;
    if (one.fresh_embeddings) now_.fresh_embeddings = true;
    for (const size_t i : reach_[k].frozen) each_[i].frozen = true;
    for (size_t i = 0; i < each_.size(); ++i) {
      if (reach_[k].rates[i] != nullptr) each_[i].rate *= *reach_[k].rates[i];
      if (one.weight_decay >= 0) each_[i].decay = one.weight_decay;
    }
  }
  for (size_t i = 0; i < each_.size(); ++i)
    if (now_.fresh_embeddings && matrices_[i].name == "W_E") each_[i].frozen = true;  // drawn, not learnt
  group_parameters(matrices_, parameter_count_, each_, now_.groups);
}

void Interventions::append_state(std::vector<double>& to) const {
  for (const Intervention& one : all_) one.append_state(to);
}

void Interventions::restore(std::span<const double> state) {
  if (state.size() != state_size())
    throw Error(ErrorKind::internal, "the snapshot is of a run with other interventions");
  for (size_t k = 0; k < all_.size(); ++k) all_[k].restore(state.data() + k * Intervention::kState);
  settle();
}

}  // namespace atto
