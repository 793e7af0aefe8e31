// A transformer as plain loops: what the SIMD engine must equal, and the place to read the mathematics.
//
// Templated on the number: double for values, std::complex<double> for the complex-step derivative df/dx =
// Im f(x + ih)/h, which has no cancellation and asks for no backward pass, so nothing here can share a mistake with the
// engine's. Every layer is computed at every position, whatever is asked. Nothing here is fast on purpose.
//
// Shape letters: B sequences, C context, D width, H heads, K query/key width of a head, V vocabulary, F features of a
// real-valued input, Q asked positions (C - first_asked). Matrices are row-major [out][in]; y = W x.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reference/network_reference.h"

namespace atto::reference {

struct TransformerShape {
  int inputs = 0;       // F of a real-valued input, V of tokens
  int outputs = 0;      // d of regression, V of tokens
  bool tokens = true;   // else real-valued input
  int context = 0;      // C
  int first_asked = 0;  // answers are read at first_asked .. C-1
  int width = 0, layers = 1, heads = 1;
  int head_width = 0;              // K
  std::vector<std::string> parts;  // of the stack, if it is given: attention, mlp, linear
  bool stacked = false;            // whether it is; else layers of attention and MLP
  Positions positions = Positions::none;
  bool rotary = false;  // queries and keys are turned by position
  bool causal = true;
  bool own = true;  // a query sees its own position
  int window = 0;   // a query sees keys at distance <= window only; 0: no limit
  int stride = 1;   // a query sees keys at distances divisible by stride only
  // Scores are q·k/√K, -‖q-k‖²/√K, -(n/2) ln(‖q-k‖² + 1e-6) or nothing, and the position bias.
  enum class Scores { dot, distance, inverse, none } scores = Scores::dot;
  double power = 2;  // n
  enum class Weights { softmax, plus_one, sink, sigmoid, linear, linear_mean } weights = Weights::softmax;
  bool qk_norm = false, gate = false;
  enum class Bias { none, slope, free } position_bias = Bias::none;
  bool output = false, residual = false, norm = false, biases = false, tied = true;
  enum class Mlp { none, gelu, relu } mlp = Mlp::none;
  int mlp_factor = 4;

  bool sees(int query, int key) const {
    const int distance = std::abs(query - key);
    return !(causal && key > query) && !(window > 0 && distance > window) && distance % stride == 0 &&
           (own || distance > 0);
  }

  // The stack, part by part, and the block of each: within one, attention, mlp and linear in this order.
  std::vector<std::pair<std::string, int>> stack() const {
    std::vector<std::pair<std::string, int>> all;
    for (int layer = 0; layer < layers && !stacked; ++layer) {
      all.emplace_back("attention", layer);
      if (mlp != Mlp::none) all.emplace_back("mlp", layer);
    }
    const auto rank = [](const std::string& part) { return part == "attention" ? 0 : part == "mlp" ? 1 : 2; };
    for (const std::string& part : parts) {
      const int block = all.empty() ? 0 : all.back().second;
      const bool next = !all.empty() && rank(part) <= rank(all.back().first);
      all.emplace_back(part, block + next);
    }
    return all;
  }
};

// Every matrix under the name the engine has for it; vectors are one row.
template <class T>
using Matrices = std::map<std::string, std::vector<T>>;

// Rows of T: [positions][features].
template <class T>
using Rows = std::vector<std::vector<T>>;

// One batch, sequence by sequence: tokens and targets, or inputs and answers.
struct TransformerBatch {
  int samples = 0;              // B
  std::vector<int> tokens;      // [B][C]
  std::vector<int> targets;     // [B][Q]
  std::vector<double> weights;  // [Q], 1 where the answer counts, else 0
  int asked = 1;                // Σ weights; the loss is the mean over B × asked
  std::vector<double> inputs;   // [B][C][F]
  std::vector<double> answers;  // [B][d], of the last position
};

// The error function and its continuation near the real axis, to first order, which is all the complex step sees.
inline double error_function(double x) { return std::erf(x); }
inline std::complex<double> error_function(std::complex<double> x) {
  const double slope = 2.0 / std::sqrt(std::acos(-1.0)) * std::exp(-x.real() * x.real());
  return {std::erf(x.real()), slope * x.imag()};
}

template <class T>
class TransformerReference {
 public:
  TransformerReference(const TransformerShape& shape, const Matrices<T>& parameters)
      : s_(shape), parameters_(parameters) {}

  // Logits or answers of sequence `b` at the asked positions, [Q][V or d].
  Rows<T> outputs(const TransformerBatch& batch, int b) const {
    Rows<T> x = embed(batch, b);
    for (const auto& [part, block] : s_.stack()) {
      const std::string name = "blocks." + std::to_string(block) + ".";
      x = part == "attention" ? attend(name, x) : part == "mlp" ? mlp(name, x) : linear_part(name, x);
    }
    Rows<T> out;
    for (int t = s_.first_asked; t < s_.context; ++t) {
      const std::vector<T> last = norm("ln_final", x[index(t)]);
      out.push_back(linear(s_.tied ? "W_E" : "W_U", "b_U", last));
    }
    return out;
  }

  // Mean over the batch of Σ_asked (log Σ_v exp(logit_v) - logit_target) / asked, or of ½‖y - y*‖².
  T mean_loss(const TransformerBatch& batch) const {
    T sum = 0;
    for (int b = 0; b < batch.samples; ++b) {
      Rows<T> y = outputs(batch, b);
      const int asked = static_cast<int>(y.size());
      if (!s_.tokens) {
        for (int d = 0; d < s_.outputs; ++d) {
          const T miss = y.back()[index(d)] - at(batch.answers, s_.outputs, b, d);
          sum += 0.5 * miss * miss;
        }
        continue;
      }
      for (int q = 0; q < asked; ++q) {
        std::vector<T>& logits = y[index(q)];
        const T answer = logits[index(at(batch.targets, asked, b, q))];
        sum += batch.weights[index(q)] * (softmax_forward(logits.data(), s_.outputs) - answer);
      }
    }
    return sum / static_cast<double>(batch.samples * batch.asked);
  }

 private:
  static size_t index(int i) { return static_cast<size_t>(i); }
  const std::vector<T>& matrix(const std::string& name) const { return parameters_.at(name); }

  // y = W x + b; the bias only where there are any.
  std::vector<T> linear(const std::string& weight, const std::string& bias, const std::vector<T>& x) const {
    const std::vector<T>& W = matrix(weight);
    const int columns = static_cast<int>(x.size()), rows = static_cast<int>(W.size() / x.size());
    std::vector<T> y = s_.biases ? matrix(bias) : std::vector<T>(index(rows));
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) y[index(r)] += at(W, columns, r, c) * x[index(c)];
    return y;
  }

  // x_t = E[token_t] or W_in input_t + b_in; plus the position.
  Rows<T> embed(const TransformerBatch& batch, int b) const {
    Rows<T> x;
    for (int t = 0; t < s_.context; ++t) {
      if (s_.tokens) {
        const auto row = matrix("W_E").begin() + at(batch.tokens, s_.context, b, t) * s_.width;
        x.emplace_back(row, row + s_.width);
      } else {
        const auto row = batch.inputs.begin() + (b * s_.context + t) * s_.inputs;
        x.push_back(linear("W_in", "b_in", std::vector<T>(row, row + s_.inputs)));
      }
      for (int d = 0; d < s_.width; ++d) {
        if (s_.positions == Positions::learned) x.back()[index(d)] += at(matrix("W_pos"), s_.width, t, d);
        if (s_.positions == Positions::sinusoidal) x.back()[index(d)] += sinusoid(s_.width, t, d);
      }
    }
    return x;
  }

  // (x - mean) / √(variance + 1e-5) · w + b, or x itself in a network without norms.
  std::vector<T> norm(const std::string& name, const std::vector<T>& x) const {
    if (!s_.norm) return x;
    const double size = static_cast<double>(x.size());
    T mean = 0, variance = 0;
    for (const T& value : x) mean += value / size;
    for (const T& value : x) variance += (value - mean) * (value - mean) / size;
    std::vector<T> y = matrix(name + ".b");
    for (size_t d = 0; d < x.size(); ++d) y[d] += matrix(name + ".w")[d] * (x[d] - mean) / std::sqrt(variance + 1e-5);
    return y;
  }

  // x + W_O (gate ⊙ concat_h(Σ_j a_hij v_hj)) + b_O with gate = sigmoid(W_G norm(x) + b_G). Without residual the "x +"
  // is absent.
  Rows<T> attend(const std::string& name, Rows<T> x) const {
    Rows<T> normed;
    for (const std::vector<T>& row : x) normed.push_back(norm(name + "ln1", row));
    Rows<T> mixed = attention(name + "attn.", normed);
    for (size_t t = 0; t < x.size(); ++t) {
      if (s_.gate) {
        const std::vector<T> gate = linear(name + "attn.W_G", name + "attn.b_G", normed[t]);
        for (size_t d = 0; d < gate.size(); ++d) mixed[t][d] *= sigmoid(gate[d]);
      }
      join(x[t], s_.output ? linear(name + "attn.W_O", name + "attn.b_O", mixed[t]) : mixed[t]);
    }
    return x;
  }

  // x + W_out act(W_in norm(x) + b_in) + b_out
  Rows<T> mlp(const std::string& name, Rows<T> x) const {
    for (std::vector<T>& row : x) {
      std::vector<T> hidden = linear(name + "mlp.W_in", name + "mlp.b_in", norm(name + "ln2", row));
      for (T& value : hidden) value = activation(value);
      join(row, linear(name + "mlp.W_out", name + "mlp.b_out", hidden));
    }
    return x;
  }

  // x + W norm(x) + b
  Rows<T> linear_part(const std::string& name, Rows<T> x) const {
    for (std::vector<T>& row : x) join(row, linear(name + "linear.W", name + "linear.b", norm(name + "ln3", row)));
    return x;
  }

  static T sigmoid(const T& x) { return 1.0 / (1.0 + std::exp(-x)); }

  void join(std::vector<T>& x, const std::vector<T>& change) const {
    for (size_t d = 0; d < x.size(); ++d) x[d] = (s_.residual ? x[d] : T(0)) + change[d];
  }

  T activation(const T& x) const {
    if (s_.mlp == TransformerShape::Mlp::relu) return std::real(x) > 0 ? x : T(0);
    return 0.5 * x * (1.0 + error_function(x / std::sqrt(2.0)));
  }

  // The queries or keys of one position: a map, then for each head features over their root mean square times w, then
  // features 2m and 2m+1 turned by the angle position / 10000^(2m/K).
  std::vector<T> project(const std::string& name, const std::string& letter, const std::vector<T>& x, int t) const {
    std::vector<T> y = linear(name + "W_" + letter, name + "b_" + letter, x);
    const int K = s_.head_width;
    for (int first = 0; first < s_.heads * K; first += K) {
      if (s_.qk_norm) {
        T square = 0;
        for (int f = 0; f < K; ++f) square += y[index(first + f)] * y[index(first + f)] / static_cast<double>(K);
        const std::vector<T>& w = matrix(name + (letter == "Q" ? "q_norm.w" : "k_norm.w"));
        for (int f = 0; f < K; ++f) y[index(first + f)] *= w[index(f)] / std::sqrt(square + 1e-5);
      }
      for (int f = 0; s_.rotary && f + 1 < K; f += 2) {
        const double angle = t / std::pow(10000.0, static_cast<double>(f) / K);
        const T even = y[index(first + f)], odd = y[index(first + f + 1)];
        y[index(first + f)] = even * std::cos(angle) - odd * std::sin(angle);
        y[index(first + f + 1)] = even * std::sin(angle) + odd * std::cos(angle);
      }
    }
    return y;
  }

  T score(const std::vector<T>& q, const std::vector<T>& k, int head) const {
    using Scores = TransformerShape::Scores;
    T product = 0, apart = 0;
    for (int f = head * s_.head_width; f < (head + 1) * s_.head_width; ++f) {
      product += q[index(f)] * k[index(f)];
      apart += (q[index(f)] - k[index(f)]) * (q[index(f)] - k[index(f)]);
    }
    if (s_.scores == Scores::dot) return product / std::sqrt(s_.head_width);
    if (s_.scores == Scores::distance) return -apart / std::sqrt(s_.head_width);
    return -0.5 * s_.power * std::log(apart + 1e-6);
  }

  // From the scores of the keys that one query of a head sees to their weights, in place.
  void weigh(const std::string& name, int head, std::vector<T>& scores) const {
    using Weights = TransformerShape::Weights;
    if (s_.weights == Weights::sigmoid)
      for (T& s : scores) s = sigmoid(s);
    if (s_.weights == Weights::linear_mean)
      for (T& s : scores) s /= static_cast<double>(scores.size());
    if (s_.weights >= Weights::sigmoid) return;
    if (s_.weights == Weights::plus_one) scores.push_back(T(0));
    if (s_.weights == Weights::sink) scores.push_back(matrix(name + "sink")[index(head)]);
    if (!scores.empty()) softmax_forward(scores.data(), static_cast<int>(scores.size()));
    if (s_.weights != Weights::softmax) scores.pop_back();
  }

  // Head h takes features h·K .. of queries and keys and h·D/H .. of values, and leaves its mean there.
  Rows<T> attention(const std::string& name, const Rows<T>& x) const {
    const bool scored = s_.scores != TransformerShape::Scores::none;
    Rows<T> q, k, v;
    for (int t = 0; t < s_.context; ++t) {
      if (scored) q.push_back(project(name, "Q", x[index(t)], t));
      if (scored) k.push_back(project(name, "K", x[index(t)], t));
      v.push_back(linear(name + "W_V", name + "b_V", x[index(t)]));
    }
    const int value_width = s_.width / s_.heads;
    Rows<T> mixed(x.size(), std::vector<T>(index(s_.width)));
    for (int h = 0; h < s_.heads; ++h)
      for (int i = 0; i < s_.context; ++i) {
        std::vector<int> keys;
        std::vector<T> weights;
        for (int j = 0; j < s_.context; ++j) {
          if (!s_.sees(i, j)) continue;
          keys.push_back(j);
          weights.push_back(position_bias(name, h, i, j));
          if (scored) weights.back() += score(q[index(i)], k[index(j)], h);
        }
        weigh(name, h, weights);
        for (size_t n = 0; n < keys.size(); ++n)
          for (int f = h * value_width; f < (h + 1) * value_width; ++f)
            mixed[index(i)][index(f)] += weights[n] * v[index(keys[n])][index(f)];
      }
    return mixed;
  }

  // -m_h |i - j|, or b_h[i - j].
  T position_bias(const std::string& name, int h, int i, int j) const {
    if (s_.position_bias == TransformerShape::Bias::slope)
      return -matrix(name + "slope")[index(h)] * static_cast<double>(std::abs(i - j));
    if (s_.position_bias == TransformerShape::Bias::free)
      return at(matrix(name + "bias"), 2 * s_.context - 1, h, i - j + s_.context - 1);
    return T(0);
  }

  const TransformerShape& s_;
  const Matrices<T>& parameters_;
};

inline double mean_loss(const TransformerShape& shape, const Matrices<double>& parameters,
                        const TransformerBatch& batch) {
  return TransformerReference<double>(shape, parameters).mean_loss(batch);
}

// The slope of the loss in every parameter, one complex step each.
inline Matrices<double> gradients(const TransformerShape& shape, const Matrices<double>& parameters,
                                  const TransformerBatch& batch) {
  constexpr double kStep = 1e-30;
  Matrices<std::complex<double>> moved;
  for (const auto& [name, values] : parameters) moved[name].assign(values.begin(), values.end());
  const TransformerReference<std::complex<double>> network(shape, moved);
  Matrices<double> slopes;
  for (auto& [name, values] : moved)
    for (std::complex<double>& value : values) {
      value.imag(kStep);
      slopes[name].push_back(network.mean_loss(batch).imag() / kStep);
      value.imag(0);
    }
  return slopes;
}

}  // namespace atto::reference
