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
  return distance % mask.stride == 0 && (mask.window == 0 || distance <= mask.window);
}

// One sample, all its arrays without the lanes.
struct Sample {
  HeadsShape shape;
  std::vector<double> q, k, v, bias;

  int key_at(int j, int h, int f) const { return at(j, h, f, shape.key_width); }
  int value_at(int j, int h, int f) const { return at(j, h, f, shape.value_width); }
  int at(int j, int h, int f, int width) const {
    return shape.shared ? j * width + f : (j * shape.heads + h) * width + f;
  }
  int bias_at(int h, int i, int j) const { return h * (2 * shape.keys - 1) + i - j + shape.keys - 1; }
  int weight_at(int h, int query, int j) const { return (h * shape.queries() + query) * shape.keys + j; }

  struct Attended {
    std::vector<double> a, o;
    double score_size = 0;  // what the error of a score is measured by
  };
  Attended attend() const {
    const auto& [heads, keys, first_query, key_width, value_width, shared, scale, mask] = shape;
    Attended r{std::vector<double>(heads * shape.queries() * keys),
               std::vector<double>(shape.queries() * heads * value_width)};
    for (int h = 0; h < heads; ++h)
      for (int query = 0; query < shape.queries(); ++query) {
        const int i = first_query + query;
        double highest = -1e300, total = 0;
        std::vector<double> scores(keys);
        for (int j = 0; j < keys; ++j) {
          Sum score(bias.empty() ? 0.0 : bias[bias_at(h, i, j)]);
          for (int f = 0; f < key_width; ++f)
            score.add(static_cast<double>(scale) * q[(query * heads + h) * key_width + f] * k[key_at(j, h, f)]);
          scores[j] = score.value;
          r.score_size = std::max(r.score_size, score.size);
          if (sees(mask, i, j)) highest = std::max(highest, score.value);
        }
        for (int j = 0; j < keys; ++j)
          if (sees(mask, i, j)) total += std::exp(scores[j] - highest);
        for (int j = 0; j < keys; ++j) {
          const double weight = sees(mask, i, j) ? std::exp(scores[j] - highest) / total : 0.0;
          r.a[weight_at(h, query, j)] = weight;
          for (int f = 0; f < value_width; ++f)
            r.o[(query * heads + h) * value_width + f] += weight * v[value_at(j, h, f)];
        }
      }
    return r;
  }
};

struct Batch {
  HeadsShape shape;
  int n;
  bool biased = true;
  int stored = shape.shared ? 1 : shape.heads;
  int query_rows = shape.queries() * shape.heads * shape.key_width;
  int out_rows = shape.queries() * shape.heads * shape.value_width;
  int key_rows = shape.keys * stored * shape.key_width, value_rows = shape.keys * stored * shape.value_width;
  int weight_rows = shape.heads * shape.queries() * shape.keys;
  std::vector<float> q = draw(query_rows * n, 1), k = draw(key_rows * n, 2), v = draw(value_rows * n, 3);
  std::vector<float> bias = draw(biased ? shape.heads * (2 * shape.keys - 1) : 0, 4), d_o = draw(out_rows * n, 5);

  std::vector<double> lane_of(const std::vector<float>& rows, int lane) const {
    std::vector<double> one;
    for (size_t i = lane; i < rows.size(); i += n) one.push_back(rows[i]);
    return one;
  }
  Sample sample(int lane) const {
    return {shape, lane_of(q, lane), lane_of(k, lane), lane_of(v, lane), {bias.begin(), bias.end()}};
  }
};

struct Case {
  const char* name;
  HeadsShape shape;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

constexpr AttentionMask kFull{false, 0, 1}, kCausal{true, 0, 1};
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
  for (const bool causal : {false, true})
    for (int window = 0; window < 7; ++window)
      for (int stride = 1; stride < 6; ++stride)
        for (int keys = 1; keys < 9; ++keys)
          for (int i = 0; i < keys; ++i) {
            const AttentionMask mask{causal, window, stride};
            const SeenKeys seen = seen_keys(mask, i, keys);
            std::vector<int> expected, actual;
            for (int j = 0; j < keys; ++j)
              if (sees(mask, i, j)) expected.push_back(j);
            for (int c = 0; c < seen.count; ++c) actual.push_back(seen.first + c * seen.step);
            EXPECT_EQ(actual, expected) << causal << " " << window << " " << stride << " " << keys << " " << i;
          }
}

TEST_P(HeadsKernels, ForwardIsSoftmaxAndMean) {
  for_batches([](const Batch& batch) {
    const int n = batch.n;
    std::vector<Sum> a(batch.weight_rows * n), o(batch.out_rows * n);
    for (int b = 0; b < n; ++b) {
      const auto r = batch.sample(b).attend();
      const double doubt = 1 + r.score_size;  // an error of a score is a relative error of its weight
      for (int i = 0; i < batch.weight_rows; ++i) a[i * n + b].add(r.a[i], r.a[i] * doubt);  // 0 must be exact
      for (int i = 0; i < batch.out_rows; ++i) o[i * n + b].add(r.o[i], doubt);
    }
    a.insert(a.end(), o.begin(), o.end());
    expect_sums(a, [&](Memory& memory) {
      float* weights = memory.result(batch.weight_rows * n);
      const bool scored = batch.shape.scale != 0;
      heads_forward(batch.shape, scored ? memory.input(batch.q) : nullptr, scored ? memory.input(batch.k) : nullptr,
                    memory.input(batch.v), batch.biased ? memory.input(batch.bias) : nullptr, weights,
                    memory.result(batch.out_rows * n), n);
    });
  });
}

// The gradients of Σ do · o, by the chain rule written out for one sample.
struct Gradients {
  std::vector<Sum> dq, dk, dv, dbias;

  Gradients(const Sample& one, const std::vector<double>& a, const std::vector<double>& d_o)
      : dq(one.q.size()), dk(one.k.size()), dv(one.v.size()), dbias(one.bias.size()) {
    const auto& [heads, keys, first_query, key_width, value_width, shared, scale, mask] = one.shape;
    for (int h = 0; h < heads; ++h)
      for (int query = 0; query < one.shape.queries(); ++query) {
        const int i = first_query + query;
        Sum expected;
        std::vector<Sum> da(keys);
        for (int j = 0; j < keys; ++j) {
          const double weight = a[one.weight_at(h, query, j)];
          for (int f = 0; f < value_width; ++f) {
            const double d = d_o[(query * heads + h) * value_width + f];
            da[j].add(d * one.v[one.value_at(j, h, f)]);
            dv[one.value_at(j, h, f)].add(weight * d);
          }
          expected.add(weight * da[j].value, weight * da[j].size);
        }
        for (int j = 0; j < keys; ++j) {
          const double weight = a[one.weight_at(h, query, j)];
          const double ds = weight * (da[j].value - expected.value), size = weight * (da[j].size + expected.size);
          if (!dbias.empty()) dbias[one.bias_at(h, i, j)].add(ds, size);
          for (int f = 0; f < key_width; ++f) {
            const int at_q = (query * heads + h) * key_width + f, at_k = one.key_at(j, h, f);
            dq[at_q].add(scale * ds * one.k[at_k], std::abs(scale * size * one.k[at_k]));
            dk[at_k].add(scale * ds * one.q[at_q], std::abs(scale * size * one.q[at_q]));
          }
        }
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
    std::vector<Sum> dq(batch.query_rows * n), dk, dv, dbias;
    // Shared keys and values gather the gradients of several calls; others are written.
    const bool adds = batch.shape.shared;
    for (const float value : dk_start) dk.emplace_back(adds ? value : 0.0f);
    for (const float value : dv_start) dv.emplace_back(adds ? value : 0.0f);
    for (const float value : db_start) dbias.emplace_back(value);
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
    }
    std::vector<Sum> expected;
    if (scored) expected.insert(expected.end(), dq.begin(), dq.end());
    if (scored) expected.insert(expected.end(), dk.begin(), dk.end());
    expected.insert(expected.end(), dv.begin(), dv.end());
    expected.insert(expected.end(), dbias.begin(), dbias.end());
    expect_sums(expected, [&](Memory& memory) {
      float* d_query = scored ? memory.result(batch.query_rows * n) : nullptr;
      float* d_key = scored ? memory.result(dk_start) : nullptr;
      float* d_value = memory.result(dv_start);
      float* d_bias = batch.biased ? memory.result(db_start) : nullptr;
      heads_backward(batch.shape, scored ? memory.input(batch.q) : nullptr, scored ? memory.input(batch.k) : nullptr,
                     memory.input(batch.v), memory.input(a), memory.input(batch.d_o), d_query, d_key, d_value, d_bias,
                     memory.scratch(heads_scratch_rows(batch.shape) * n), n);
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
      const auto o = sample.attend().o;
      for (size_t i = 0; i < o.size(); ++i) sum += d_o[i] * o[i];
      return sum;
    };
    const auto check = [&](std::vector<double>& variables, const std::vector<Sum>& expected) {
      for (size_t i = 0; i < variables.size(); ++i) ASSERT_NEAR(slope(variables[i], loss), expected[i].value, 1e-8);
    };
    check(sample.q, gradients.dq);
    check(sample.k, gradients.dk);
    check(sample.v, gradients.dv);
    check(sample.bias, gradients.dbias);
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
