// What learns: parameters under their names, and the loss of every step with its gradient.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "network/matrix.h"

namespace atto {

// What the batch of a step showed, before the update it led to; all data, where the gradient is the expected one.
struct BatchResult {
  double loss = 0;  // mean over the batch: cross-entropy in nats over the asked positions, or half the squared error
  double accuracy = 0;  // share of answers whose largest logit is the right one's; 0 where there are no logits
};

class Model {
 public:
  virtual ~Model() = default;

  // The parameters stand in one arena of so many floats; gaps between matrices stay 0.
  virtual const std::vector<Matrix>& matrices() const = 0;
  virtual size_t parameter_count() const = 0;
  // Draws the starting weights into an arena of zeros.
  virtual void initialise(std::span<float> parameters) const = 0;

  // Loss at step `step` and its gradient, which is written (not added to). The same arguments give the same bits,
  // whatever was asked before. Who will not look at the accuracy does not have it counted.
  virtual BatchResult gradient(int64_t step, std::span<const float> parameters, std::span<float> gradients,
                               bool accuracy) = 0;
  // On held-out data of the same kind that repeat nothing. They are the same sequences throughout a run.
  virtual BatchResult test(std::span<const float> parameters) = 0;

  // The loss of a step that has just been done, from step 0 on: for what follows the loss, such as a schedule of the
  // data. state() is what a resumed run must know of it.
  virtual void see(double /*loss*/) {}
  virtual std::vector<double> state() const { return {}; }
  virtual void restore(const std::vector<double>& /*state*/) {}

  // Deviation of the noise on embedded tokens, for the gradients from here on. Tests have none.
  virtual void add_embedding_noise(double /*deviation*/) {}
  // Draws the table of tokens for a step as the starting weights draw it.
  virtual void draw_embeddings(int64_t /*step*/, std::span<float> /*parameters*/) const {}

  virtual std::optional<double> best_loss() const = 0;  // the lowest the task allows, where known
  // Factors on the learning rate, one for each parameter, or none.
  virtual std::vector<float> rate_factors() const { return {}; }
  // Whether tiny numbers count as zero in its arithmetic (kernels/simd/denormals.h).
  virtual bool flushes_denormals() const { return true; }
};

}  // namespace atto
