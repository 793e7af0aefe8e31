// The toy network of the theory of emergence, y = W Σ_t softmax(a)_t x_t with free scores a[T] and W[d][d], on
// single-location regression.
//
// Its expected loss is known in closed form, and so is the law of its gradient on a random batch: see the two
// functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/arena.h"
#include "data/regression.h"

namespace atto {

class ScoresNetwork {
 public:
  ScoresNetwork(const Regression& task, RegressionTarget target);

  const RegressionTarget& target() const { return target_; }

  // One arena: W row-major, padded to a multiple of 16, then a.
  static size_t parameter_count(const Regression& task);
  size_t parameter_count() const { return scores_offset_ + static_cast<size_t>(task_.length); }
  std::span<const float> weights(std::span<const float> parameters) const { return parameters.first(square_); }
  std::span<const float> scores(std::span<const float> parameters) const { return parameters.subspan(scores_offset_); }

  // What the loss depends on. The relevant positions are the last B.
  struct Summary {
    double relevant = 0;         // s = Σ α_t over the relevant positions
    double spread = 0;           // S = Σ α_t² over the others
    double norm_square = 0;      // ‖W‖²
    double along = 0;            // ⟨W, W*⟩
    double repeated_square = 0;  // ‖W x̃‖²; 0 when p is 0
    double repeated_along = 0;   // W x̃ · W* x̃; 0 when p is 0
    double gap = 0;              // mean score of the relevant positions less that of the others
    double entropy = 0;          // of α, in nats
  };
  Summary summarise(std::span<const float> parameters) const;
  // ½ E‖y - y*‖² when the relevant token is x̃ with probability `cross` and else N(0, 1/d).
  double expected_loss(const Summary& summary, double cross) const;

  // The expected loss over the task's data and its exact gradient.
  double expected_gradient(std::span<const float> parameters, std::span<float> gradients);

  // Loss of a fresh batch and the gradient it gives.
  //
  // Tokens are not drawn one by one. A sample enters through its relevant token x and the mean m' = Σ α_t x_t of the
  // others, which is N(0, S/d): two vectors and not T of them. The gradient of a needs the products x_t·v as well, with
  // v = Wᵀ(y - y*) a function of x and m'. Given m', the others are x_t = (α_t/S) m' + z_t - (α_t/S) Σ_u α_u z_u with
  // independent z_t of the same law, and the batch enters the gradient only through its sum, so that Σ_b z_bt·v_b is
  // one normal number of variance Σ_b ‖v_b‖²/d per position. The gradient so drawn has exactly the law of the one
  // computed from tokens.
  double sampled_gradient(std::span<const float> parameters, uint64_t seed, int64_t step, int64_t batch,
                          std::span<float> gradients);

  // Bytes it takes, without parameters and gradients; `batch` is 0 when it is never asked for samples.
  static size_t bytes(const Regression& task, int64_t batch);

 private:
  struct Attention {
    std::vector<double> weights;      // α[T]
    double relevant = 0, spread = 0;  // s, S
  };
  void attend(std::span<const float> scores, Attention& attention) const;
  int64_t others() const { return task_.length - task_.repeat; }  // positions 0 .. T-B-1 are not relevant
  void reserve_samples(int64_t batch);

  Regression task_;
  RegressionTarget target_;
  double target_square_ = 0;
  size_t square_, scores_offset_;

  // Scratch, so that a step allocates nothing.
  Attention attention_;
  std::vector<double> repeated_;  // W x̃ [d]
  int lanes_ = 0;
  Arena<float> tokens_, means_, errors_, answers_, slopes_;  // [d][lanes]: x, m, y - y*, y*, v
  Arena<float> means_by_sample_;                             // [lanes][d, padded]
  Arena<float> noise_;                                       // [T, padded]
};

}  // namespace atto
