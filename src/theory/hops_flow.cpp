#include "theory/hops_flow.h"

#include <algorithm>

namespace atto {
namespace {

// Variables [w, Δ_1, .. Δ_h].
HopsState unpack_hops(const double* x, size_t hops) {
  HopsState state;
  state.w = x[0];
  std::copy_n(x + 1, hops, state.gap.begin());
  return state;
}

FlowSystem hops_system(const HopsLoss& loss, const HopsState& start) {
  FlowSystem system;
  const size_t hops = loss.hops();
  system.name = "the gradient flow of " + std::to_string(hops) + " hops";
  system.start = {start.w};
  system.start.insert(system.start.end(), start.gap.begin(), start.gap.begin() + static_cast<ptrdiff_t>(hops));
  system.first_step = 1e-3 / loss.growth_rate();
  system.slope = [loss, hops](const double* x, double* slope) {
    const HopsState gradient = loss.gradient(unpack_hops(x, hops));
    slope[0] = -gradient.w;
    for (size_t i = 0; i < hops; ++i) slope[i + 1] = -gradient.gap[i];
  };
  system.jacobian = [loss, hops](const double* x, double* jacobian) {
    const std::vector<double> second = loss.hessian(unpack_hops(x, hops));
    std::transform(second.begin(), second.end(), jacobian, [](double entry) { return -entry; });
  };
  return system;
}

}  // namespace

HopsFlow::HopsFlow(const HopsLoss& loss, const HopsState& start)
    : loss_(loss), flow_(hops_system(loss, start)), state_(start) {}

const HopsState& HopsFlow::advance_to(double time) {
  flow_.advance_to(time);
  return state_ = unpack_hops(flow_.state().data(), loss_.hops());
}

}  // namespace atto
