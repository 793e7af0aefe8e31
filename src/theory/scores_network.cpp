#include "theory/scores_network.h"

#include <algorithm>
#include <cmath>

#include "kernels/kernels.h"
#include "kernels/random.h"

namespace atto {
namespace {

size_t padded(int64_t count) { return static_cast<size_t>((count + kLanes - 1) / kLanes * kLanes); }

// Floats of the buffers that samples need. Random numbers come in fours.
struct SampleSizes {
  size_t block;      // [d][lanes]
  size_t by_sample;  // [lanes][d, padded]
  size_t noise;      // [T, padded]

  SampleSizes(const Regression& task, size_t lanes)
      : block(static_cast<size_t>((task.dimension + 3) / 4 * 4) * lanes),
        by_sample(lanes * padded(task.dimension)),
        noise(static_cast<size_t>((task.length + 63) / 64 * 64)) {}
};

// Σ a_i b_i in double, in eight sums that do not wait for each other.
double dot(std::span<const float> a, std::span<const float> b) {
  double sums[8] = {};
  size_t i = 0;
  for (; i + 8 <= a.size(); i += 8)
    for (size_t k = 0; k < 8; ++k) sums[k] += static_cast<double>(a[i + k]) * static_cast<double>(b[i + k]);
  for (; i < a.size(); ++i) sums[0] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// M x for M[d][d]
void product(std::span<const float> matrix, std::span<const float> x, std::vector<double>& out) {
  const size_t d = x.size();
  for (size_t row = 0; row < d; ++row) out[row] = dot(matrix.subspan(row * d, d), x);
}

}  // namespace

ScoresNetwork::ScoresNetwork(const Regression& task, RegressionTarget target)
    : task_(task),
      target_(std::move(target)),
      target_square_(dot(target_.weights, target_.weights)),
      square_(static_cast<size_t>(task.dimension * task.dimension)),
      scores_offset_(padded(task.dimension * task.dimension)),
      repeated_(static_cast<size_t>(task.dimension)) {
  attention_.weights.resize(static_cast<size_t>(task.length));
}

void ScoresNetwork::attend(std::span<const float> scores, Attention& attention) const {
  const float highest = *std::max_element(scores.begin(), scores.end());
  double total = 0;
  for (size_t t = 0; t < scores.size(); ++t)
    total += attention.weights[t] = std::exp(static_cast<double>(scores[t]) - static_cast<double>(highest));
  for (double& weight : attention.weights) weight /= total;
  attention.relevant = attention.spread = 0;
  const auto first_relevant = attention.weights.begin() + others();
  for (auto weight = attention.weights.begin(); weight != first_relevant; ++weight)
    attention.spread += *weight * *weight;
  for (auto weight = first_relevant; weight != attention.weights.end(); ++weight) attention.relevant += *weight;
}

ScoresNetwork::Summary ScoresNetwork::summarise(std::span<const float> parameters) const {
  const auto w = weights(parameters), a = scores(parameters);
  Attention attention{std::vector<double>(a.size())};
  attend(a, attention);
  Summary summary{attention.relevant, attention.spread, dot(w, w), dot(w, target_.weights)};
  if (task_.cross > 0) {
    std::vector<double> image(repeated_.size());
    product(w, target_.repeated, image);
    for (size_t i = 0; i < image.size(); ++i) {
      summary.repeated_square += image[i] * image[i];
      summary.repeated_along += image[i] * static_cast<double>(target_.repeated_answer[i]);
    }
  }
  double relevant = 0, other = 0;
  for (size_t t = 0; t < a.size(); ++t) {
    (static_cast<int64_t>(t) < others() ? other : relevant) += static_cast<double>(a[t]);
    const double weight = attention.weights[t];
    if (weight > 0) summary.entropy -= weight * std::log(weight);
  }
  summary.gap = relevant / static_cast<double>(task_.repeat) - other / static_cast<double>(others());
  return summary;
}

// With Σ = p x̃x̃ᵀ + (1-p)/d I the covariance of the relevant token,
//   L = ½ [ S ‖W‖²/d + tr (sW - W*) Σ (sW - W*)ᵀ ]
double ScoresNetwork::expected_loss(const Summary& at, double cross) const {
  const double d = static_cast<double>(task_.dimension), s = at.relevant;
  const double fresh = s * s * at.norm_square - 2 * s * at.along + target_square_;
  double answer_square = 0;
  for (const float value : target_.repeated_answer) answer_square += static_cast<double>(value) * value;
  const double repeated = s * s * at.repeated_square - 2 * s * at.repeated_along + answer_square;
  return 0.5 * (at.spread * at.norm_square / d + (1 - cross) / d * fresh + cross * repeated);
}

//   dL/dW = (S/d) W + s (sW - W*) Σ
//   dL/dα_t = g := tr W Σ (sW - W*)ᵀ for relevant t, α_t ‖W‖²/d for the others
//   da_t = α_t (dL/dα_t - Σ_u α_u dL/dα_u)
double ScoresNetwork::expected_gradient(std::span<const float> parameters, std::span<float> gradients) {
  const auto w = weights(parameters);
  attend(scores(parameters), attention_);
  const double d = static_cast<double>(task_.dimension), p = task_.cross, fresh = (1 - p) / d;
  const double s = attention_.relevant, spread = attention_.spread;
  const double norm_square = dot(w, w), along = dot(w, target_.weights);
  double loss = spread * norm_square / d + fresh * (s * s * norm_square - 2 * s * along + target_square_);
  double slope = fresh * (s * norm_square - along);  // g

  const auto keep = static_cast<float>(spread / d + fresh * s * s), pull = static_cast<float>(fresh * s);
  for (size_t i = 0; i < w.size(); ++i) gradients[i] = keep * w[i] - pull * target_.weights[i];
  if (p > 0) {
    product(w, target_.repeated, repeated_);
    const size_t columns = repeated_.size();
    for (size_t row = 0; row < columns; ++row) {
      const double error = s * repeated_[row] - static_cast<double>(target_.repeated_answer[row]);
      loss += p * error * error;
      slope += p * error * repeated_[row];
      const auto factor = static_cast<float>(p * s * error);
      for (size_t i = 0; i < columns; ++i) gradients[row * columns + i] += factor * target_.repeated[i];
    }
  }
  const double mean = s * slope + spread * norm_square / d;
  float* da = gradients.data() + scores_offset_;
  for (int64_t t = 0; t < task_.length; ++t) {
    const double weight = attention_.weights[static_cast<size_t>(t)];
    da[t] = static_cast<float>(weight * ((t < others() ? weight * norm_square / d : slope) - mean));
  }
  return 0.5 * loss;
}

void ScoresNetwork::reserve_samples(int64_t batch) {
  if (lanes_ == static_cast<int>(padded(batch))) return;
  lanes_ = static_cast<int>(padded(batch));
  const SampleSizes sizes(task_, static_cast<size_t>(lanes_));
  for (Arena<float>* arena : {&tokens_, &means_, &errors_, &answers_, &slopes_}) *arena = Arena<float>(sizes.block);
  means_by_sample_ = Arena<float>(sizes.by_sample);
  noise_ = Arena<float>(sizes.noise);
}

double ScoresNetwork::sampled_gradient(std::span<const float> parameters, uint64_t seed, int64_t step, int64_t batch,
                                       std::span<float> gradients) {
  reserve_samples(batch);
  attend(scores(parameters), attention_);
  const int d = static_cast<int>(task_.dimension), n = lanes_, blocks = (d + 3) / 4;
  const size_t used = static_cast<size_t>(d) * static_cast<size_t>(n), lanes = static_cast<size_t>(n);
  const auto at = static_cast<uint64_t>(step);
  const double s = attention_.relevant, spread = attention_.spread, count = static_cast<double>(batch);
  float *x = tokens_.data(), *m = means_.data(), *error = errors_.data(), *v = slopes_.data();

  // x ~ N(0, 1/d) or x̃; m = s x + m' with m' ~ N(0, S/d). Padding lanes stay 0 and add nothing.
  random_normals(seed, static_cast<uint32_t>(Purpose::data), at, 0, blocks, x, n);
  random_normals(seed, static_cast<uint32_t>(Purpose::noise), at, 0, blocks, m, n);
  const auto token_scale = static_cast<float>(1 / std::sqrt(static_cast<double>(d)));
  const auto mean_scale = static_cast<float>(std::sqrt(spread / d)), share = static_cast<float>(s);
  for (size_t i = 0; i < used; ++i) x[i] *= token_scale;
  for (int64_t b = 0; b < batch && task_.cross > 0; ++b) {
    const auto sample = static_cast<uint32_t>(b);
    if (random_block(seed, Purpose::repeats, at, sample, 0)[0] * 0x1p-32 < task_.cross)
      for (size_t f = 0; f < static_cast<size_t>(d); ++f) x[f * lanes + sample] = target_.repeated[f];
  }
  for (size_t b = static_cast<size_t>(batch); b < lanes; ++b)
    for (size_t f = 0; f < static_cast<size_t>(d); ++f) x[f * lanes + b] = m[f * lanes + b] = 0;
  for (size_t i = 0; i < used; ++i) m[i] = share * x[i] + mean_scale * m[i];

  // y - y* = W m - W* x;  v = Wᵀ (y - y*)
  const float* w = parameters.data();
  linear_forward(w, d, d, m, error, n);
  linear_forward(target_.weights.data(), d, d, x, answers_.data(), n);
  for (size_t i = 0; i < used; ++i) error[i] -= answers_.data()[i];
  transposed_forward(w, d, d, error, v, n, false);
  const std::span<const float> xs(x, used), ms(m, used), errors(error, used), vs(v, used);
  const double loss = 0.5 * dot(errors, errors) / count;

  // dW = mean of (y - y*) mᵀ
  const size_t stride = padded(d);
  for (size_t f = 0; f < static_cast<size_t>(d); ++f)
    for (size_t b = 0; b < lanes; ++b)
      means_by_sample_.data()[b * stride + f] = m[f * lanes + b] / static_cast<float>(count);
  outer_products(gradients.data(), d, d, error, means_by_sample_.data(), stride, n);

  // da_t = α_t · mean of (x_t·v - m·v)
  const double by_token = dot(xs, vs) / count, by_mean = dot(ms, vs) / count;
  const double deviation = std::sqrt(dot(vs, vs) / d) / count;  // of the mean of z_t·v
  random_normals(seed, static_cast<uint32_t>(Purpose::noise), at, static_cast<uint32_t>(n),
                 static_cast<int>(noise_.size() / 64), noise_.data(), kLanes);
  double common = by_mean - s * by_token;  // mean of m'·v ...
  for (int64_t t = 0; t < others(); ++t)
    common -= attention_.weights[static_cast<size_t>(t)] * deviation * static_cast<double>(noise_.data()[t]);
  common = spread > 0 ? common / spread : 0;  // ... less Σ α_u z_u·v, per unit of α_t
  float* da = gradients.data() + scores_offset_;
  for (int64_t t = 0; t < task_.length; ++t) {
    const double weight = attention_.weights[static_cast<size_t>(t)];
    const double product =
        t < others() ? weight * common + deviation * static_cast<double>(noise_.data()[t]) : by_token;
    da[t] = static_cast<float>(weight * (product - by_mean));
  }
  return loss;
}

size_t ScoresNetwork::parameter_count(const Regression& task) {
  return padded(task.dimension * task.dimension) + static_cast<size_t>(task.length);
}

size_t ScoresNetwork::bytes(const Regression& task, int64_t batch) {
  const auto d = static_cast<size_t>(task.dimension), length = static_cast<size_t>(task.length);
  const size_t attention = 2 * sizeof(double) * length;  // the network's own, and that of whoever looks
  const size_t target = sizeof(float) * d * d;
  if (batch == 0) return attention + target;
  const SampleSizes sizes(task, padded(batch));
  return attention + target + sizeof(float) * (5 * sizes.block + sizes.by_sample + sizes.noise);
}

}  // namespace atto
