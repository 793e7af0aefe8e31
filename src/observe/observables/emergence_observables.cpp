// What the theory of emergence speaks of, for the network with free scores and for the gradient flow alike.
#include <cmath>

#include "data/regression.h"
#include "observe/observable.h"
#include "theory/hops_loss.h"
#include "theory/linear_theory.h"
#include "theory/reduced_loss.h"

namespace atto {
namespace {

void offer(const std::string& address, const std::string& help, double EmergenceMeasures::*number,
           std::vector<Observable>& offers) {
  offers.push_back(
      {address, help, {}, [number](const EmergenceMoment& moment, double* out) { *out = moment.probe.now().*number; }});
}

// ⟨W, W*⟩/‖W*‖². W* has length 1 along the repeated direction and √(d-1) along the rest, or √d in all.
double share_of_target(const EmergenceMoment& moment, const Regression& task) {
  const EmergenceMeasures now = moment.probe.now();
  const auto d = static_cast<double>(task.dimension);
  return (task.cross > 0 ? now.repeated + std::sqrt(d - 1) * now.projection : std::sqrt(d) * now.projection) / d;
}

// The linearised flow at the run's time, steps × training.rate, to lay beside weight.projection and attention.gap.
void offer_linear(const Regression& task, double rate, std::vector<Observable>& offers) {
  const auto at = [task, rate](const EmergenceMoment& moment) {
    return linear_state(task, static_cast<double>(moment.trainer.step()) * rate);
  };
  offers.push_back(
      {"linear.projection",
       "w of the flow linearised at the start, sinh λt for one direction",
       {},
       [at, task](const EmergenceMoment& moment, double* out) { *out = at(moment).w[task.cross > 0 ? 1 : 0]; }});
  offers.push_back({"linear.gap",
                    "Δa of the flow linearised at the start, cosh λt - 1",
                    {},
                    [at](const EmergenceMoment& moment, double* out) { *out = at(moment).gap; }});
}

std::vector<double> eigenvalues_at(const ReducedLoss& reduced, const EmergenceMeasures& now) {
  ReducedState state{{now.projection, 0}, now.gap};
  if (reduced.directions() == 2) state.w = {now.repeated, now.projection};
  return reduced.hessian_eigenvalues(state);
}

double equilibrium_at(const ReducedLoss& reduced, const EmergenceMeasures& now) {
  return reduced.equilibrium(now.gap).w[reduced.directions() - 1];
}

// All hops are alike.
HopsState hops_state(const HopsLoss& loss, const EmergenceMeasures& now) {
  HopsState state;
  state.w = now.projection;
  for (size_t i = 0; i < loss.hops(); ++i) state.gap[i] = now.gap;
  return state;
}
std::vector<double> eigenvalues_at(const HopsLoss& loss, const EmergenceMeasures& now) {
  return loss.hessian_eigenvalues(hops_state(loss, now));
}
double equilibrium_at(const HopsLoss& loss, const EmergenceMeasures& now) {
  return loss.equilibrium(hops_state(loss, now));
}

// What the loss in w, w̃ and the scores says of where the run is: the eigenvalues of its Hessian, and where w would go.
template <class Loss>
void offer_shape(const std::shared_ptr<const Loss>& loss, std::vector<Observable>& offers) {
  offers.push_back(
      {"weight.equilibrium",
       "w∞: where w would settle if attention stayed as it is",
       {},
       [loss](const EmergenceMoment& moment, double* out) { *out = equilibrium_at(*loss, moment.probe.now()); }});
  const std::string of = " eigenvalue of the Hessian of the reduced loss, in (w, Δa)";
  offers.push_back({"hessian.smallest", "lowest" + of, {}, [loss](const EmergenceMoment& moment, double* out) {
                      *out = eigenvalues_at(*loss, moment.probe.now()).front();
                    }});
  offers.push_back({"hessian.largest", "highest" + of, {}, [loss](const EmergenceMoment& moment, double* out) {
                      *out = eigenvalues_at(*loss, moment.probe.now()).back();
                    }});
}

// The reduced loss over a grid of w (W along W*, up to twice its length) and Δa (from where attention on the relevant
// token is a tenth of uniform to where the others share a thousandth), with the axes beside it. It is the same at every
// step: measure it once.
void offer_landscape(const std::shared_ptr<const ReducedLoss>& reduced, std::vector<Observable>& offers) {
  constexpr int64_t kGrid = 64;
  const auto on_axis = [](double from, double to, int64_t i) {
    return from + (to - from) * static_cast<double>(i) / static_cast<double>(kGrid - 1);
  };
  const double longest = 2 * std::sqrt(static_cast<double>(reduced->problem().dimension));
  const double lowest = -std::log(10.0), highest = std::log(1000.0 * static_cast<double>(reduced->problem().length));
  const auto weight = [=](int64_t i) { return on_axis(0, longest, i); };
  const auto gap = [=](int64_t j) { return on_axis(lowest, highest, j); };
  offers.push_back({"landscape.weight",
                    "w of the rows of landscape.loss",
                    {kGrid},
                    [=](const EmergenceMoment&, double* out) {
                      for (int64_t i = 0; i < kGrid; ++i) out[i] = weight(i);
                    },
                    1});
  offers.push_back({"landscape.gap",
                    "Δa of the columns of landscape.loss",
                    {kGrid},
                    [=](const EmergenceMoment&, double* out) {
                      for (int64_t j = 0; j < kGrid; ++j) out[j] = gap(j);
                    },
                    1});
  offers.push_back({"landscape.loss",
                    "the reduced loss over a grid of w and Δa",
                    {kGrid, kGrid},
                    [=](const EmergenceMoment&, double* out) {
                      for (int64_t i = 0; i < kGrid; ++i)
                        for (int64_t j = 0; j < kGrid; ++j)
                          out[i * kGrid + j] = reduced->value(reduced->along_target(weight(i), gap(j)));
                    },
                    1});
}

}  // namespace

void offer_emergence(const RunSpec& spec, std::vector<Observable>& offers) {
  if (spec.emergence() == nullptr) return;
  const Regression& task = spec.emergence()->task;
  offers.push_back({"loss",
                    "half the squared error: of the step's batch, or expected where that is what is descended",
                    {},
                    [](const EmergenceMoment& moment, double* out) { *out = moment.batch.loss; }});
  offer("loss.expected", "half the squared error, exact over the data it learns from",
        &EmergenceMeasures::expected_loss, offers);
  offer("loss.test", "half the squared error, exact over data in which no token repeats across samples",
        &EmergenceMeasures::test_loss, offers);
  offer("weight.projection", "w: length of W along W*, the repeated direction left out", &EmergenceMeasures::projection,
        offers);
  if (task.cross > 0)
    offer("weight.repeated", "w̃: length of W along the repeated direction of W*", &EmergenceMeasures::repeated, offers);
  offer("weight.norm", "‖W‖", &EmergenceMeasures::norm, offers);
  offers.push_back({"weight.share",
                    "W along W*, as a share of W*: 1 is learnt",
                    {},
                    [task](const EmergenceMoment& moment, double* out) { *out = share_of_target(moment, task); }});
  offers.push_back({"weight.alignment",
                    "cosine between W and W*; 0 while W is 0",
                    {},
                    [task](const EmergenceMoment& moment, double* out) {
                      const double d = static_cast<double>(task.dimension);
                      const double norm = moment.probe.now().norm;
                      *out = norm > 0 ? share_of_target(moment, task) * std::sqrt(d) / norm : 0.0;
                    }});
  offer("attention.relevant", "Bα: attention on the positions that hold the relevant token",
        &EmergenceMeasures::relevant, offers);
  offer("attention.gap", "Δa: mean score of those positions less that of the others", &EmergenceMeasures::gap, offers);
  const char* entropy = "entropy of the attention weights, in nats";
  if (const int64_t hops = spec.emergence()->hops; hops > 1) {
    const std::vector<int64_t> lengths(static_cast<size_t>(hops), task.length);
    offer_shape(std::make_shared<const HopsLoss>(lengths, task.dimension), offers);
    offer("attention.entropy", entropy, &EmergenceMeasures::entropy, offers);
    return;
  }
  const auto reduced = std::make_shared<const ReducedLoss>(task);
  offer_shape(reduced, offers);
  offer("attention.entropy", entropy, &EmergenceMeasures::entropy, offers);
  offer_linear(task, spec.training().rate, offers);
  offer_landscape(reduced, offers);
}

}  // namespace atto
