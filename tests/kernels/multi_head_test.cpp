// Attention of many heads against a scalar reference in double, sample by sample.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/kernel_testing.h"
#include "kernels/wide/wide_kernels.h"

namespace atto::multi_head_test {
namespace {

bool sees(const AttentionMask& mask, int i, int j) {
  if (mask.causal && j > i) return false;
  const int distance = std::abs(i - j);
  return (mask.own || distance > 0) && distance % mask.stride == 0 && (mask.window == 0 || distance <= mask.window);
}

// One sample, all its arrays without the lanes.
struct Sample {
  HeadsShape shape;
  std::vector<double> q, k, v, bias, sink;
  std::vector<double> dtotal;  // [H]: the loss has dtotal · Σ_j a_j as well; empty: it has not

  int key_at(int j, int h, int f) const { return at(j, shape.own_keys ? 0 : h, f, shape.key_width, h); }
  int value_at(int j, int h, int f) const { return at(j, h, f, shape.value_width, -1); }
  int at(int j, int h, int f, int width, int own) const {
    if (shape.shared && !(shape.own_keys && own >= 0)) return j * width + f;
    return (j * shape.heads + (own >= 0 ? own : h)) * width + f;
  }
  int bias_at(int h, int i, int j) const { return h * (2 * shape.keys - 1) + i - j + shape.keys - 1; }
  int weight_at(int h, int query, int j) const { return (h * shape.queries() + query) * shape.keys + j; }

  // ‖q - k_j‖² of one query
  double apart(int h, int query, int j) const {
    double sum = 0;
    for (int f = 0; f < shape.key_width; ++f) {
      const double difference = q[(query * shape.heads + h) * shape.key_width + f] - k[key_at(j, h, f)];
      sum += difference * difference;
    }
    return sum;
  }
  // The size of what it is computed from is that of its terms.
  Sum score(int h, int query, int j) const {
    Sum score(bias.empty() ? 0.0 : bias[bias_at(h, shape.first_query + query, j)]);
    const double scale = shape.scale;
    if (scale != 0 && shape.scores == ScoreForm::distance) score.add(-scale * apart(h, query, j));
    if (scale != 0 && shape.scores == ScoreForm::inverse) {
      const double logarithm = std::log(apart(h, query, j) + static_cast<double>(kCoincident));
      score.add(-scale * logarithm, scale * (1 + std::abs(logarithm)));
    }
    for (int f = 0; shape.scores == ScoreForm::dot && f < shape.key_width; ++f)
      score.add(scale * q[(query * shape.heads + h) * shape.key_width + f] * k[key_at(j, h, f)]);
    return score;
  }

  struct Attended {
    std::vector<double> a, o, scores;
    double score_size = 0;  // what the error of a score is measured by
    double mass = 0;        // largest Σ_j |a_j|
  };
  Attended attend() const {
    const int heads = shape.heads, keys = shape.keys, value_width = shape.value_width;
    Attended r{std::vector<double>(heads * shape.queries() * keys),
               std::vector<double>(shape.queries() * heads * value_width),
               std::vector<double>(heads * shape.queries() * keys)};
    for (int h = 0; h < heads; ++h)
      for (int query = 0; query < shape.queries(); ++query) {
        const int i = shape.first_query + query;
        double highest = -1e300, total = 0, mass = 0;
        int count = 0;
        std::vector<double> scores(keys);
        for (int j = 0; j < keys; ++j) {
          const Sum one = score(h, query, j);
          scores[j] = one.value;
          r.score_size = std::max(r.score_size, one.size);
          if (!sees(shape.mask, i, j)) continue;
          highest = std::max(highest, one.value);
          r.scores[weight_at(h, query, j)] = one.value;
          ++count;
        }
        const bool plus_one = shape.normalizer == Normalizer::plus_one, sunk = shape.normalizer == Normalizer::sink;
        if (plus_one || sunk) highest = std::max(highest, sunk ? sink[h] : 0.0);
        if (plus_one || sunk) total = std::exp((sunk ? sink[h] : 0.0) - highest);
        for (int j = 0; j < keys; ++j)
          if (sees(shape.mask, i, j)) total += std::exp(scores[j] - highest);
        for (int j = 0; j < keys; ++j) {
          if (!sees(shape.mask, i, j)) continue;
          double weight = std::exp(scores[j] - highest) / total;
          if (shape.normalizer == Normalizer::sigmoid) weight = 1 / (1 + std::exp(-scores[j]));
          if (shape.normalizer == Normalizer::linear) weight = scores[j];
          if (shape.normalizer == Normalizer::linear_mean) weight = scores[j] / count;
          r.a[weight_at(h, query, j)] = weight;
          mass += std::abs(weight);
          for (int f = 0; f < value_width; ++f)
            r.o[(query * heads + h) * value_width + f] += weight * v[value_at(j, h, f)];
        }
        r.mass = std::max(r.mass, mass);
      }
    return r;
  }
};

struct Batch {
  HeadsShape shape;
  int n;
  bool biased = true;
  int stored = shape.shared ? 1 : shape.heads, stored_keys = shape.own_keys ? shape.heads : stored;
  int query_rows = shape.queries() * shape.heads * shape.key_width;
  int out_rows = shape.queries() * shape.heads * shape.value_width;
  int key_rows = shape.keys * stored_keys * shape.key_width, value_rows = shape.keys * stored * shape.value_width;
  int weight_rows = shape.heads * shape.queries() * shape.keys;
  std::vector<float> q = draw(query_rows * n, 1), k = draw(key_rows * n, 2), v = draw(value_rows * n, 3);
  std::vector<float> bias = draw(biased ? shape.heads * (2 * shape.keys - 1) : 0, 4), d_o = draw(out_rows * n, 5);
  bool sunk = shape.normalizer == Normalizer::sink;
  bool totals = shape.shared && shape.queries() == 1 && !shape.plain();  // something depends on Σ_j a_j as well
  std::vector<float> sink = draw(sunk ? shape.heads : 0, 9), dtotal = draw(totals ? shape.heads * n : 0, 10);

  std::vector<double> lane_of(const std::vector<float>& rows, int lane) const {
    std::vector<double> one;
    for (size_t i = lane; i < rows.size(); i += n) one.push_back(rows[i]);
    return one;
  }
  Sample sample(int lane) const {
    return {shape,
            lane_of(q, lane),
            lane_of(k, lane),
            lane_of(v, lane),
            {bias.begin(), bias.end()},
            {sink.begin(), sink.end()},
            lane_of(dtotal, lane)};
  }
};

struct Case {
  const char* name;
  HeadsShape shape;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

constexpr AttentionMask kFull{false, 0, 1}, kCausal{true, 0, 1}, kEarlier{true, 0, 1, false};
constexpr ScoreForm kDot = ScoreForm::dot;
const Case kCases[] = {
    // heads, keys, first query, key and value widths, shared, scale, mask
    {"One", {1, 1, 0, 1, 1, false, 0.7f, kFull}},
    {"Full", {2, 7, 0, 3, 3, false, 0.7f, kFull}},
    {"Causal", {2, 9, 0, 8, 5, false, 0.7f, kCausal}},
    {"LastQuery", {3, 13, 12, 4, 7, false, 0.7f, kCausal}},
    {"SomeQueries", {2, 17, 11, 5, 2, false, 0.7f, kFull}},
    {"Window", {2, 11, 0, 2, 3, false, 0.7f, {false, 2, 1}}},
    {"CausalWindow", {1, 19, 2, 3, 3, false, 0.7f, {true, 3, 1}}},
    {"Stride", {2, 11, 3, 2, 3, false, 0.7f, {false, 0, 3}}},
    {"StrideWindow", {1, 23, 0, 3, 2, false, 0.7f, {false, 9, 2}}},
    {"StrideBeyondAll", {1, 4, 0, 3, 2, false, 0.7f, {true, 0, 5}}},
    {"Shared", {3, 6, 0, 4, 4, true, 0.7f, kCausal}},
    {"SharedFull", {2, 8, 5, 3, 6, true, 0.7f, kFull}},
    {"SharedLast", {5, 37, 36, 9, 11, true, 0.7f, kFull}},
    {"SharedStride", {7, 23, 22, 3, 6, true, 0.7f, {true, 9, 2}}},
    {"SharedBiasAlone", {2, 19, 18, 3, 6, true, 0.0f, kCausal}},
    {"BiasAlone", {2, 7, 0, 3, 4, false, 0.0f, kCausal}},
    {"WideKeys", {1, 3, 0, 101, 2, false, 0.2f, kFull}},
    {"WideValues", {1, 3, 0, 2, 101, false, 0.7f, kCausal}},
    {"ManyQueries", {1, 69, 0, 2, 1, false, 0.7f, kCausal}},
    {"ManyKeys", {1, 131, 128, 2, 2, false, 0.7f, kFull}},
    {"ManyBoth", {1, 101, 20, 1, 1, false, 0.7f, {true, 20, 1}}},
    {"ManyOfAll", {1, 70, 3, 2, 29, false, 0.7f, kCausal}},
    // forms: scores, weights, own keys
    {"PlusOne", {2, 9, 0, 3, 5, false, 0.7f, kCausal, kDot, Normalizer::plus_one}},
    {"PlusOneLast", {3, 13, 12, 4, 7, true, 0.7f, kCausal, kDot, Normalizer::plus_one}},
    {"Sink", {2, 11, 2, 3, 3, false, 0.7f, {false, 2, 1}, kDot, Normalizer::sink}},
    {"SinkLast", {3, 7, 6, 4, 7, true, 0.7f, kFull, kDot, Normalizer::sink}},
    {"Sigmoid", {2, 17, 0, 5, 2, false, 0.7f, kFull, kDot, Normalizer::sigmoid}},
    {"SigmoidLast", {2, 17, 16, 5, 2, true, 0.7f, {true, 9, 2}, kDot, Normalizer::sigmoid}},
    {"SigmoidBiasAlone", {2, 7, 0, 3, 4, false, 0.0f, kCausal, kDot, Normalizer::sigmoid}},
    {"Linear", {2, 9, 0, 3, 5, false, 0.7f, kCausal, kDot, Normalizer::linear}},
    {"LinearMean", {2, 9, 1, 3, 5, false, 0.7f, kCausal, kDot, Normalizer::linear_mean}},
    {"LinearLast", {2, 9, 8, 3, 5, true, 0.7f, kCausal, kDot, Normalizer::linear}},
    {"LinearMeanLast", {2, 9, 8, 3, 5, true, 0.7f, kEarlier, kDot, Normalizer::linear_mean}},
    {"Distance", {2, 9, 0, 7, 5, false, 0.7f, kCausal, ScoreForm::distance}},
    {"DistanceStride", {2, 11, 3, 2, 3, false, 0.7f, {false, 0, 3}, ScoreForm::distance, Normalizer::linear}},
    {"DistanceLast", {3, 13, 12, 5, 6, true, 0.7f, kFull, ScoreForm::distance, Normalizer::softmax, true}},
    {"Inverse", {2, 9, 0, 7, 5, false, 1.3f, kFull, ScoreForm::inverse}},
    {"InverseSink", {2, 9, 4, 3, 5, false, 0.3f, kCausal, ScoreForm::inverse, Normalizer::sink}},
    {"InverseLast", {3, 13, 12, 5, 6, true, 1.3f, kCausal, ScoreForm::inverse, Normalizer::sink, true}},
    {"OwnKeys", {3, 13, 12, 5, 6, true, 0.7f, {true, 4, 1}, kDot, Normalizer::softmax, true}},
    {"OwnKeysSigmoid", {2, 6, 5, 2, 8, true, 0.7f, kFull, kDot, Normalizer::sigmoid, true}},
    {"Earlier", {2, 9, 0, 3, 5, false, 0.7f, kEarlier}},
    {"EarlierAlone", {2, 1, 0, 3, 5, false, 0.7f, kEarlier, kDot, Normalizer::sink}},
    {"EarlierStride", {2, 11, 0, 2, 3, false, 0.7f, {true, 0, 3, false}, ScoreForm::inverse}},
    {"EarlierWindow", {1, 70, 0, 2, 3, false, 0.7f, {true, 2, 1, false}}},
    {"EarlierLast", {2, 6, 5, 3, 4, true, 0.7f, kEarlier}},
    {"EarlierNothingLast",
     {2, 3, 2, 3, 4, true, 0.7f, {true, 0, 5, false}, ScoreForm::distance, Normalizer::sigmoid, true}},
};

class HeadsKernels : public testing::TestWithParam<Case> {
 protected:
  template <class Check>
  void for_batches(const Check& check) const {
    const bool large = GetParam().shape.keys > 30;
    for (const int n : {16, 32, 48})
      for (const bool biased : {true, false}) {
        if (large && n != (biased ? 16 : 32)) continue;
        SCOPED_TRACE("lanes " + std::to_string(n) + (biased ? ", biased" : ""));
        check(Batch{GetParam().shape, n, biased});
        if (HasFatalFailure()) return;
      }
  }
};
INSTANTIATE_TEST_SUITE_P(Shape, HeadsKernels, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(SeenKeys, AreThoseTheMaskAllows) {
  for (const auto& [causal, own] : {std::pair(false, true), {true, true}, {true, false}})
    for (int window = 0; window < 7; ++window)
      for (int stride = 1; stride < 6; ++stride)
        for (int keys = 1; keys < 9; ++keys)
          for (int i = 0; i < keys; ++i) {
            const AttentionMask mask{causal, window, stride, own};
            const SeenKeys seen = seen_keys(mask, i, keys);
            std::vector<int> expected, actual;
            for (int j = 0; j < keys; ++j)
              if (sees(mask, i, j)) expected.push_back(j);
            for (int c = 0; c < seen.count; ++c) actual.push_back(seen.first + c * seen.step);
            EXPECT_EQ(actual, expected) << causal << " " << window << " " << stride << " " << keys << " " << i;
          }
}

TEST_P(HeadsKernels, ForwardGivesWeightsScoresAndMeans) {
  for_batches([](const Batch& batch) {
    const int n = batch.n;
    std::vector<Sum> a(batch.weight_rows * n), o(batch.out_rows * n), scores(batch.weight_rows * n);
    for (int b = 0; b < n; ++b) {
      const auto r = batch.sample(b).attend();
      // An error of a score is a relative error of its weight; linear weights have that of the score.
      const double doubt = 1 + r.score_size;
      const bool linear = batch.shape.normalizer >= Normalizer::linear;
      for (int i = 0; i < batch.weight_rows; ++i) {  // 0 must be exact
        a[i * n + b].add(r.a[i], r.a[i] == 0 ? 0 : linear ? r.score_size : r.a[i] * doubt);
        scores[i * n + b].add(r.scores[i], r.scores[i] == 0 ? 0 : r.score_size);
      }
      const double many = linear ? batch.shape.keys : std::max(1.0, r.mass);
      for (int i = 0; i < batch.out_rows; ++i) o[i * n + b].add(r.o[i], doubt * many);
    }
    a.insert(a.end(), o.begin(), o.end());
    std::vector<Sum> all = a;
    all.insert(all.end(), scores.begin(), scores.end());
    expect_sums(a, [&](Memory& memory) {
      float* weights = memory.result(batch.weight_rows * n);
      const bool scored = batch.shape.scale != 0;
      heads_forward(batch.shape, scored ? memory.input(batch.q) : nullptr, scored ? memory.input(batch.k) : nullptr,
                    memory.input(batch.v), batch.biased ? memory.input(batch.bias) : nullptr, weights,
                    memory.result(batch.out_rows * n), n, batch.sunk ? memory.input(batch.sink) : nullptr);
    });
    expect_sums(all, [&](Memory& memory) {
      float* weights = memory.result(batch.weight_rows * n);
      float* means = memory.result(batch.out_rows * n);
      const bool scored = batch.shape.scale != 0;
      heads_forward(batch.shape, scored ? memory.input(batch.q) : nullptr, scored ? memory.input(batch.k) : nullptr,
                    memory.input(batch.v), batch.biased ? memory.input(batch.bias) : nullptr, weights, means, n,
                    batch.sunk ? memory.input(batch.sink) : nullptr, memory.result(batch.weight_rows * n));
    });
  });
}

// The gradients of Σ do · o + Σ dtotal Σ_j a_j, by the chain rule written out for one sample.
struct Gradients {
  std::vector<Sum> dq, dk, dv, dbias, dsink;

  Gradients(const Sample& one, const std::vector<double>& a, const std::vector<double>& d_o)
      : dq(one.q.size()), dk(one.k.size()), dv(one.v.size()), dbias(one.bias.size()), dsink(one.sink.size()) {
    const HeadsShape& shape = one.shape;
    const int heads = shape.heads, keys = shape.keys, value_width = shape.value_width;
    for (int h = 0; h < heads; ++h)
      for (int query = 0; query < shape.queries(); ++query) {
        const int i = shape.first_query + query;
        Sum expected;
        double total = 0;
        int count = 0;
        std::vector<Sum> da(keys);
        for (int j = 0; j < keys; ++j) {
          if (!sees(shape.mask, i, j)) continue;
          const double weight = a[one.weight_at(h, query, j)];
          if (!one.dtotal.empty()) da[j].add(one.dtotal[h]);
          for (int f = 0; f < value_width; ++f) {
            const double d = d_o[(query * heads + h) * value_width + f];
            da[j].add(d * one.v[one.value_at(j, h, f)]);
            dv[one.value_at(j, h, f)].add(weight * d);
          }
          expected.add(weight * da[j].value, weight * da[j].size);
          total += weight;
          ++count;
        }
        if (!dsink.empty()) dsink[h].add(-(1 - total) * expected.value, expected.size);
        for (int j = 0; j < keys; ++j) {
          if (!sees(shape.mask, i, j)) continue;
          const double weight = a[one.weight_at(h, query, j)];
          double ds = weight * (da[j].value - expected.value), size = weight * (da[j].size + expected.size);
          if (shape.normalizer >= Normalizer::sigmoid) {
            const double slope = shape.normalizer == Normalizer::sigmoid       ? weight * (1 - weight)
                                 : shape.normalizer == Normalizer::linear_mean ? 1.0 / count
                                                                               : 1.0;
            ds = slope * da[j].value;
            size = slope * da[j].size + (slope < 1 ? std::abs(weight) * da[j].size : 0);
          }
          if (!dbias.empty()) dbias[one.bias_at(h, i, j)].add(ds, size);
          add_score(one, h, query, j, ds, size);
        }
      }
  }

  // dq and dk from the gradient of one score.
  void add_score(const Sample& one, int h, int query, int j, double ds, double size) {
    const HeadsShape& shape = one.shape;
    const double scale = shape.scale;
    double factor = scale;
    if (shape.scores == ScoreForm::distance) factor = 2 * scale;
    if (shape.scores == ScoreForm::inverse) factor = 2 * scale / (one.apart(h, query, j) + 1e-6);
    for (int f = 0; f < shape.key_width; ++f) {
      const int at_q = (query * shape.heads + h) * shape.key_width + f, at_k = one.key_at(j, h, f);
      const double q = one.q[at_q], k = one.k[at_k];
      const double to_q = shape.scores == ScoreForm::dot ? k : k - q;
      const double to_k = shape.scores == ScoreForm::dot ? q : q - k;
      const double reach = shape.scores == ScoreForm::dot ? 0 : std::abs(q) + std::abs(k);
      dq[at_q].add(factor * ds * to_q, std::abs(factor) * size * std::max(reach, std::abs(to_q)));
      dk[at_k].add(factor * ds * to_k, std::abs(factor) * size * std::max(reach, std::abs(to_k)));
    }
  }
};

TEST_P(HeadsKernels, BackwardFollowsTheChainRule) {
  for_batches([](const Batch& batch) {
    const int n = batch.n;
    const bool scored = batch.shape.scale != 0;
    const auto dk_start = draw(batch.key_rows * n, 6), dv_start = draw(batch.value_rows * n, 7);
    const auto db_start = draw(static_cast<int>(batch.bias.size()), 8);
    std::vector<float> a(batch.weight_rows * n);
    std::vector<Sum> dq(batch.query_rows * n), dk, dv, dbias, dsink;
    // Shared keys and values gather the gradients of several calls; others are written.
    const bool adds = batch.shape.shared;
    for (const float value : dk_start) dk.emplace_back(adds && !batch.shape.own_keys ? value : 0.0f);
    for (const float value : dv_start) dv.emplace_back(adds ? value : 0.0f);
    for (const float value : db_start) dbias.emplace_back(value);
    const auto dsink_start = draw(static_cast<int>(batch.sink.size()), 11);
    for (const float value : dsink_start) dsink.emplace_back(value);
    for (int b = 0; b < n; ++b) {
      const Sample one = batch.sample(b);
      auto weights = one.attend().a;
      for (int i = 0; i < batch.weight_rows; ++i) weights[i] = a[i * n + b] = static_cast<float>(weights[i]);
      const Gradients gradients(one, weights, batch.lane_of(batch.d_o, b));
      const auto spread = [&](const std::vector<Sum>& from, std::vector<Sum>& to) {
        for (size_t i = 0; i < from.size(); ++i) to[i * n + b].add(from[i].value, from[i].size);
      };
      if (scored) spread(gradients.dq, dq), spread(gradients.dk, dk);
      spread(gradients.dv, dv);
      for (size_t i = 0; i < dbias.size(); ++i) dbias[i].add(gradients.dbias[i].value, gradients.dbias[i].size);
      for (size_t i = 0; i < dsink.size(); ++i) dsink[i].add(gradients.dsink[i].value, gradients.dsink[i].size);
    }
    std::vector<Sum> expected;
    if (scored) expected.insert(expected.end(), dq.begin(), dq.end());
    if (scored) expected.insert(expected.end(), dk.begin(), dk.end());
    expected.insert(expected.end(), dv.begin(), dv.end());
    expected.insert(expected.end(), dbias.begin(), dbias.end());
    expected.insert(expected.end(), dsink.begin(), dsink.end());
    expect_sums(expected, [&](Memory& memory) {
      float* d_query = scored ? memory.result(batch.query_rows * n) : nullptr;
      float* d_key = scored ? memory.result(dk_start) : nullptr;
      float* d_value = memory.result(dv_start);
      float* d_bias = batch.biased ? memory.result(db_start) : nullptr;
      float* d_sink = batch.sunk ? memory.result(dsink_start) : nullptr;
      heads_backward(batch.shape, scored ? memory.input(batch.q) : nullptr, scored ? memory.input(batch.k) : nullptr,
                     memory.input(batch.v), memory.input(a), memory.input(batch.d_o), d_query, d_key, d_value, d_bias,
                     memory.scratch(heads_scratch_rows(batch.shape) * n), n, d_sink,
                     batch.totals ? memory.input(batch.dtotal) : nullptr);
    });
  });
}

// The chain rule above against slopes of the reference.
TEST(HeadsReference, GradientsAreSlopes) {
  for (const Case& one : kCases) {
    if (one.shape.keys > 20 || one.shape.key_width > 20 || one.shape.value_width > 20) continue;
    SCOPED_TRACE(one.name);
    const Batch batch{one.shape, 16};
    Sample sample = batch.sample(3);
    const auto d_o = batch.lane_of(batch.d_o, 3);
    const Gradients gradients(sample, sample.attend().a, d_o);
    const auto loss = [&] {
      double sum = 0;
      const auto r = sample.attend();
      for (size_t i = 0; i < r.o.size(); ++i) sum += d_o[i] * r.o[i];
      for (size_t i = 0; i < r.a.size() && !sample.dtotal.empty(); ++i)
        sum += sample.dtotal[i / one.shape.keys] * r.a[i];
      return sum;
    };
    const auto check = [&](std::vector<double>& variables, const std::vector<Sum>& expected) {
      for (size_t i = 0; i < variables.size(); ++i) ASSERT_NEAR(slope(variables[i], loss), expected[i].value, 1e-8);
    };
    check(sample.q, gradients.dq);
    check(sample.k, gradients.dk);
    check(sample.v, gradients.dv);
    check(sample.bias, gradients.dbias);
    check(sample.sink, gradients.dsink);
  }
}

// Keys that are the values: both gradients go to one buffer.
TEST(HeadsKernelsShared, GradientsOfKeysAndValuesMayMeet) {
  const HeadsShape shape{2, 6, 0, 4, 4, true, 0.5f, kCausal};
  const Batch batch{shape, 16, false};
  const auto whole = floats_everywhere([&](Memory& memory) {
    float* a = memory.scratch(batch.weight_rows * 16);
    float* o = memory.scratch(batch.out_rows * 16);
    const float *q = memory.input(batch.q), *x = memory.input(batch.k), *d_o = memory.input(batch.d_o);
    heads_forward(shape, q, x, x, nullptr, a, o, 16);
    float* dq = memory.scratch(batch.query_rows * 16);
    float* both = memory.result(std::vector<float>(batch.k.size()));
    float* dk = memory.result(std::vector<float>(batch.k.size()));
    float* dv = memory.result(std::vector<float>(batch.k.size()));
    float* scratch = memory.scratch(heads_scratch_rows(shape) * 16);
    heads_backward(shape, q, x, x, a, d_o, dq, both, both, nullptr, scratch, 16);
    heads_backward(shape, q, x, x, a, d_o, dq, dk, dv, nullptr, scratch, 16);
  });
  const size_t count = batch.k.size();
  for (size_t i = 0; i < count; ++i) EXPECT_NEAR(whole[i], whole[count + i] + whole[2 * count + i], 1e-5);
}

// Scores of ±1e4: the weights must settle on the largest one among the seen, and nothing may overflow.
TEST(HeadsKernelsExtreme, ScoresSaturate) {
  const HeadsShape shape{1, 4, 0, 1, 1, false, 1.0f, kCausal};
  std::vector<float> q(4 * 16, 100.0f), k(4 * 16), v(4 * 16);
  for (int j = 0; j < 4; ++j)
    for (int b = 0; b < 16; ++b)
      k[j * 16 + b] = std::array{-100.0f, 50.0f, 50.0f, 100.0f}[j], v[j * 16 + b] = 1.0f + static_cast<float>(j);
  const auto results = floats_everywhere([&](Memory& memory) {
    float* a = memory.scratch(16 * 16);
    heads_forward(shape, memory.input(q), memory.input(k), memory.input(v), nullptr, a, memory.result(4 * 16), 16);
  });
  const float expected[] = {1.0f, 2.0f, 2.5f, 4.0f};
  for (int i = 0; i < 4; ++i)
    for (int b = 0; b < 16; ++b) EXPECT_EQ(results[i * 16 + b], expected[i]);
}

}  // namespace
}  // namespace atto::multi_head_test
