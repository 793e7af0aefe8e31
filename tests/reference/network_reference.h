// The one-layer attention network as plain loops: what the SIMD engine must equal, and the place to read the
// mathematics.
//
// Templated on the number: double for values and gradients, std::complex<double> for the complex-step derivative
// df/dx = Im f(x + ih)/h, which has no cancellation, so it is exact to rounding. Nothing here is fast on purpose.
//
// Shape letters: B sequences, C context, D width, V vocabulary, A asked positions (C - first_asked). Matrices are
// row-major [out][in]; y = W x.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "reference/score_reference.h"

namespace atto::reference {

enum class Positions { none, learned, sinusoidal };

inline const char* name_of(Positions positions) {
  switch (positions) {
    case Positions::none:
      return "none";
    case Positions::learned:
      return "learned";
    case Positions::sinusoidal:
      return "sinusoidal";
  }
  return "";
}

struct Shape {
  int vocab = 0, context = 0, width = 0;
  Positions positions = Positions::none;
  bool causal = true;  // a query sees positions 0..its own; else all C
  bool tied = true;    // logits are taken with the embedding's own rows
  ScoreKind kernel = ScoreKind::dot;
  double kernel_power = 2;  // inverse only
  bool harmonic = false;    // logits by distance, else U o
  double logits_power = 2;  // harmonic only

  // How a query meets a key, and what attention returns meets a row of U.
  Score attention() const {
    return {kernel, kernel == ScoreKind::inverse ? kernel_power : 1.0 / std::sqrt(static_cast<double>(width))};
  }
  Score logits() const { return harmonic ? Score{ScoreKind::inverse, logits_power} : Score{ScoreKind::dot, 1.0}; }
};

// One batch, sequence by sequence.
struct Sequences {
  int samples = 0;              // B
  int first_asked = 0;          // queries are asked at first_asked .. C-1
  int asked = 1;                // answers a sequence asks for; the loss is the mean over B × asked
  std::vector<int> tokens;      // [B][C]
  std::vector<int> targets;     // [B][A]
  std::vector<double> weights;  // [B][A], 1 where the answer counts, else 0
};

// Parameters, and with the same shapes their gradients. A matrix the network does not have is empty.
template <class T>
struct Parameters {
  std::vector<T> embedding;          // E [V][D]
  std::vector<T> positions;          // P [C][D], learned only
  std::vector<T> query, key, value;  // W_Q, W_K, W_V [D][D]
  std::vector<T> unembedding;        // U [V][D], free only

  explicit Parameters(const Shape& shape) {
    const auto V = static_cast<size_t>(shape.vocab), C = static_cast<size_t>(shape.context);
    const auto D = static_cast<size_t>(shape.width);
    embedding.resize(V * D);
    if (shape.positions == Positions::learned) positions.resize(C * D);
    query.resize(D * D);
    key.resize(D * D);
    value.resize(D * D);
    if (!shape.tied) unembedding.resize(V * D);
  }

  // Every matrix under the name the engine has for it, absent ones included.
  std::vector<std::pair<std::string, std::vector<T>*>> named() {
    return {{"W_E", &embedding},         {"W_pos", &positions},         {"blocks.0.attn.W_Q", &query},
            {"blocks.0.attn.W_K", &key}, {"blocks.0.attn.W_V", &value}, {"W_U", &unembedding}};
  }
};

// What the forward pass of one sequence leaves for the backward pass.
template <class T>
struct Activations {
  std::vector<T> x;              // [C][D] embedded input
  std::vector<T> q;              // [C][D], filled at the asked positions
  std::vector<T> k, v;           // [C][D]
  std::vector<T> attention;      // [C][C], row i: how query i spreads over positions
  std::vector<T> o;              // [C][D] what attention returns
  std::vector<T> probabilities;  // [C][V]

  explicit Activations(const Shape& shape) {
    const auto V = static_cast<size_t>(shape.vocab), C = static_cast<size_t>(shape.context);
    const auto D = static_cast<size_t>(shape.width);
    for (auto* buffer : {&x, &q, &k, &v, &o}) buffer->resize(C * D);
    attention.resize(C * C);
    probabilities.resize(C * V);
  }
};

// Entry [row][column] of a row-major matrix.
template <class T>
T& at(std::vector<T>& matrix, int columns, int row, int column) {
  return matrix[static_cast<size_t>(row) * static_cast<size_t>(columns) + static_cast<size_t>(column)];
}
template <class T>
const T& at(const std::vector<T>& matrix, int columns, int row, int column) {
  return matrix[static_cast<size_t>(row) * static_cast<size_t>(columns) + static_cast<size_t>(column)];
}

// Sinusoids of geometrically growing wavelength: sine on even features, cosine of the same angle on odd ones.
inline double sinusoid(int width, int position, int feature) {
  const double angle = position / std::pow(10000.0, (feature - feature % 2) / static_cast<double>(width));
  return feature % 2 == 0 ? std::sin(angle) : std::cos(angle);
}

// y = W x on one column; x and y are row `i` of [C][D] buffers.
template <class T>
void linear_forward(const std::vector<T>& W, int D, const std::vector<T>& x, int i, std::vector<T>& y) {
  for (int a = 0; a < D; ++a) {
    T sum = 0;
    for (int b = 0; b < D; ++b) sum += at(W, D, a, b) * at(x, D, i, b);
    at(y, D, i, a) = sum;
  }
}

// y = W x:  dW += dy xᵀ,  dx += Wᵀ dy.
template <class T>
void linear_backward(const std::vector<T>& W, int D, const std::vector<T>& x, int i, const std::vector<T>& dy,
                     std::vector<T>& dW, std::vector<T>& dx) {
  for (int a = 0; a < D; ++a) {
    for (int b = 0; b < D; ++b) {
      at(dW, D, a, b) += at(dy, D, i, a) * at(x, D, i, b);
      at(dx, D, i, b) += at(W, D, a, b) * at(dy, D, i, a);
    }
  }
}

// Turns the first `count` entries into their softmax in place and returns log Σ exp. The shift is the largest real
// part: any constant gives the same result, and a plain real one keeps the function analytic for the complex step.
template <class T>
T softmax_forward(T* row, int count) {
  double shift = std::real(row[0]);
  for (int j = 1; j < count; ++j) shift = std::max(shift, std::real(row[j]));
  T sum = 0;
  for (int j = 0; j < count; ++j) sum += row[j] = std::exp(row[j] - shift);
  for (int j = 0; j < count; ++j) row[j] /= sum;
  return shift + std::log(sum);
}

// a = softmax(s):  ds_j = a_j (da_j - Σ_l a_l da_l), in place on da.
template <class T>
void softmax_backward(const T* a, T* da, int count) {
  T mean = 0;
  for (int j = 0; j < count; ++j) mean += a[j] * da[j];
  for (int j = 0; j < count; ++j) da[j] = a[j] * (da[j] - mean);
}

// Weighted loss of sequence `b`, summed over its asked positions.
template <class T>
T forward(const Shape& shape, const Parameters<T>& p, const Sequences& batch, int b, Activations<T>& act) {
  const int V = shape.vocab, C = shape.context, D = shape.width, A = C - batch.first_asked;
  const std::vector<T>& U = shape.tied ? p.embedding : p.unembedding;

  // x_t = E[token_t] + P[t];  k_t = W_K x_t;  v_t = W_V x_t
  for (int t = 0; t < C; ++t) {
    for (int d = 0; d < D; ++d) {
      T& x = at(act.x, D, t, d) = at(p.embedding, D, at(batch.tokens, C, b, t), d);
      if (shape.positions == Positions::learned) x += at(p.positions, D, t, d);
      if (shape.positions == Positions::sinusoidal) x += sinusoid(D, t, d);
    }
    linear_forward(p.key, D, act.x, t, act.k);
    linear_forward(p.value, D, act.x, t, act.v);
  }

  T loss = 0;
  for (int i = batch.first_asked; i < C; ++i) {
    const int seen = shape.causal ? i + 1 : C;
    linear_forward(p.query, D, act.x, i, act.q);

    // a_i = softmax_j(score(q_i, k_j))
    for (int j = 0; j < seen; ++j)
      at(act.attention, C, i, j) = score_forward(shape.attention(), &at(act.q, D, i, 0), &at(act.k, D, j, 0), D);
    softmax_forward(&at(act.attention, C, i, 0), seen);

    // o_i = Σ_j a_ij v_j
    for (int d = 0; d < D; ++d) {
      at(act.o, D, i, d) = 0;
      for (int j = 0; j < seen; ++j) at(act.o, D, i, d) += at(act.attention, C, i, j) * at(act.v, D, j, d);
    }

    // loss_i = log Σ_v exp(logit_v) - logit_target,  logit_v = score(U_v, o_i)
    for (int v = 0; v < V; ++v)
      at(act.probabilities, V, i, v) = score_forward(shape.logits(), &at(U, D, v, 0), &at(act.o, D, i, 0), D);
    const int asked = i - batch.first_asked;
    const T answer = at(act.probabilities, V, i, at(batch.targets, A, b, asked));
    loss += at(batch.weights, A, b, asked) * (softmax_forward(&at(act.probabilities, V, i, 0), V) - answer);
  }
  return loss;
}

// Adds `dloss` × the gradients of forward() at sequence `b` to `grad`; `act` is what forward() left.
template <class T>
void backward(const Shape& shape, const Parameters<T>& p, const Sequences& batch, int b, const Activations<T>& act,
              T dloss, Parameters<T>& grad) {
  const int V = shape.vocab, C = shape.context, D = shape.width, A = C - batch.first_asked;
  const std::vector<T>& U = shape.tied ? p.embedding : p.unembedding;
  std::vector<T>& dU = shape.tied ? grad.embedding : grad.unembedding;
  const auto size = static_cast<size_t>(C * D);
  std::vector<T> dx(size), dq(size), dk(size), dv(size), d_o(size);  // [C][D] each
  std::vector<T> dscores(static_cast<size_t>(C));                    // [C], the row of the query at hand

  for (int i = batch.first_asked; i < C; ++i) {
    const int seen = shape.causal ? i + 1 : C;
    const int asked = i - batch.first_asked;
    const int target = at(batch.targets, A, b, asked);
    const T weight = dloss * at(batch.weights, A, b, asked);

    // loss_i = log Σ_v exp(logit_v) - logit_target:  dlogit_v = p_v - [v = target]
    for (int v = 0; v < V; ++v) {
      const T dlogit = weight * (at(act.probabilities, V, i, v) - (v == target ? 1.0 : 0.0));
      score_backward(shape.logits(), &at(U, D, v, 0), &at(act.o, D, i, 0), D, dlogit, &at(dU, D, v, 0),
                     &at(d_o, D, i, 0));
    }

    // o_i = Σ_j a_ij v_j
    for (int j = 0; j < seen; ++j) {
      const auto column = static_cast<size_t>(j);
      dscores[column] = 0;
      for (int d = 0; d < D; ++d) {
        dscores[column] += at(d_o, D, i, d) * at(act.v, D, j, d);
        at(dv, D, j, d) += at(d_o, D, i, d) * at(act.attention, C, i, j);
      }
    }

    // a_i = softmax_j(score(q_i, k_j))
    softmax_backward(&at(act.attention, C, i, 0), dscores.data(), seen);
    for (int j = 0; j < seen; ++j)
      score_backward(shape.attention(), &at(act.q, D, i, 0), &at(act.k, D, j, 0), D, dscores[static_cast<size_t>(j)],
                     &at(dq, D, i, 0), &at(dk, D, j, 0));

    // q_i = W_Q x_i
    linear_backward(p.query, D, act.x, i, dq, grad.query, dx);
  }

  // x_t = E[token_t] + P[t];  k_t = W_K x_t;  v_t = W_V x_t
  for (int t = 0; t < C; ++t) {
    linear_backward(p.key, D, act.x, t, dk, grad.key, dx);
    linear_backward(p.value, D, act.x, t, dv, grad.value, dx);
    for (int d = 0; d < D; ++d) {
      at(grad.embedding, D, at(batch.tokens, C, b, t), d) += at(dx, D, t, d);
      if (shape.positions == Positions::learned) at(grad.positions, D, t, d) += at(dx, D, t, d);
    }
  }
}

// Mean cross-entropy over the B × asked answers.
template <class T>
T mean_loss(const Shape& shape, const Parameters<T>& parameters, const Sequences& batch) {
  Activations<T> act(shape);
  T sum = 0;
  for (int b = 0; b < batch.samples; ++b) sum += forward(shape, parameters, batch, b, act);
  return sum / static_cast<double>(batch.samples * batch.asked);
}

// The same, with its gradients.
template <class T>
std::pair<T, Parameters<T>> loss_and_gradients(const Shape& shape, const Parameters<T>& parameters,
                                               const Sequences& batch) {
  Activations<T> act(shape);
  Parameters<T> gradients(shape);
  const T share = 1.0 / static_cast<double>(batch.samples * batch.asked);
  T sum = 0;
  for (int b = 0; b < batch.samples; ++b) {
    sum += forward(shape, parameters, batch, b, act);
    backward(shape, parameters, batch, b, act, share, gradients);
  }
  return {sum * share, std::move(gradients)};
}

}  // namespace atto::reference
