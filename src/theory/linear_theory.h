// The start of the gradient flow in closed form: linearised at w = 0, Δa = 0 it leaves along w = sinh λt, Δa = cosh λt
// − 1.
//
// That keeps how w and Δa drive each other and drops the decay of w, which is smaller by B/T and by 1/(B√d): in low
// dimension the true rate, minus ReducedLoss::hessian_eigenvalues({}).front(), is lower.
#pragma once

#include "theory/reduced_loss.h"

namespace atto {

// λ = B √(p²d + (1−p)²) / (√d T), as published.
double growth_rate(const Regression& problem);

// The rate of the linearisation: (B/T) √Σ_k σ_k²c_k² = B √(p²d + 1 − p²) / (√d T). The published one leaves out
// 2p(1−p) = (1 − p²) − (1−p)² under the root, which is small beside p²d in high dimension.
double leading_growth_rate(const Regression& problem);

// The linear solution at `time`, with the leading rate: every w_k in proportion to σ_k c_k, their length sinh λt.
ReducedState linear_state(const Regression& problem, double time);

// Time until the loss has fallen to `threshold` of its start: arcsinh(ε/λ)/(2λ) with ε = 1 − threshold and the
// published λ. Throws Error(config) unless 0 < threshold < 1.
double escape_time(const Regression& problem, double threshold);

void validate_threshold(double threshold);

}  // namespace atto
