// The numeric kernels, chosen at run time for the instruction set (kernels/simd/target.h).
//
// Layout: a row is `n` floats, one per sample (n a multiple of 16, any alignment); X[a][b] is a·b rows, row-major.
// Weights are plain row-major matrices of scalars, broadcast over the samples. Shapes: D width, V vocabulary, J keys.
//
// Weight gradients are summed per lane: dW stands for rows × columns groups of 16 partial sums, so a step reduces over
// lanes once, in a fixed order (sum_lane_gradients), however the batch was cut into tiles.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/lanes.h"

namespace atto {

// Up to this D, networks are narrow: their features fit the registers, and they have kernels of their own.
inline constexpr int kNarrowWidth = 4;
// Added to squared distances before a logarithm or a division, so that coincident points stay finite.
inline constexpr float kCoincident = 1e-6f;

// --- linear maps ---

// y[out][n] = W[out][in] x[in][n]
void linear_forward(const float* w, int out, int in, const float* x, float* y, int n);
// y[in][n] = Wᵀ x[out][n], or += when `add`. Also the input gradient of linear_forward: dx = Wᵀ dy.
void transposed_forward(const float* w, int out, int in, const float* x, float* y, int n, bool add);
// dW[out][in][lane] += dy[out] x[in]
void linear_weight_backward(float* dw_lanes, int out, int in, const float* dy, const float* x, int n);

// dW[out][in] = Σ_lane dy[out][lane] x[lane], where x[n][stride] has a row per sample and `stride`, at least `in`, is a
// multiple of 16. For matrices so large that lane sums would not fit the cache.
void outer_products(float* dw, int out, int in, const float* dy, const float* x, size_t stride, int n);

// Weights `weight` .. `weight + count - 1` have the lane sums from `sum` on.
struct LaneRange {
  size_t weight, sum, count;
};
// dW[weight + i] += Σ_lane dw_lanes[sum + i][lane] for all ranges; clears the lanes for the next step.
void sum_lane_gradients(float* dw_lanes, const LaneRange* ranges, size_t range_count, float* dw);

// --- lookups ---

// out[P][D][n] = table[ids[P][lane]][D], for a table of V rows
void embed_forward(const float* table, int vocab, int width, const int32_t* ids, float* out, int positions, int n);
// dtable[ids[P][lane]][D] += dout[P][D][n], sample after sample (plain sums, not lane sums), for a table of V rows
void embed_backward(float* dtable, int vocab, int width, const int32_t* ids, const float* dout, int positions, int n);
// The same as lane sums, dtable[V][D][lane] +=, by comparing each token with all of the vocabulary: for V up to
// kComparedVocabulary and D up to kNarrowWidth.
inline constexpr int kComparedVocabulary = 16;
void embed_lanes_backward(float* dtable_lanes, int vocab, int width, const int32_t* ids, const float* dout,
                          int positions, int n);

// x[D][n] += bias[D]
void add_bias_forward(const float* bias, int width, float* x, int n);
// dbias[D][lane] += dx[D][n]
void add_bias_backward(float* dbias_lanes, int width, const float* dx, int n);

// --- attention of one query over J keys, which are also the values ---

// a[J][n] = softmax_j(scale · q·x_j);  mean[D][n] = Σ_j a_j x_j
void attend_forward(const float* q, const float* x, int keys, int width, float scale, float* a, float* mean, int n);
// From dmean[D][n]: dq[D][n] =, and dx[J][D][n] = or += when `add`. `da` is scratch of J rows.
void attend_backward(const float* q, const float* x, const float* a, const float* dmean, int keys, int width,
                     float scale, float* da, float* dq, float* dx, bool add, int n);

// A whole head for one query of a narrow network, whose rows are asking[D]: q = W_Q asking, probe = W_Kᵀ q,
// a = softmax_j(scale · probe·x_j), mean = Σ_j a_j x_j, o = W_V mean.
struct NarrowHead {
  int width, keys;
  float scale;
  const float *query, *key, *value;  // W_Q, W_K, W_V [D][D]
  const float *asking, *x;           // [D][n], [J][D][n]
  float *q, *probe, *a, *mean;       // [D][n], [D][n], [J][n], [D][n]: written on the way forward, read on the way back
};
struct NarrowHeadGradient {
  float *query, *key, *value;  // lane sums, +=
  float* dx;                   // [J][D][n] = or += when `add`
  float* dasking;              // [D][n] +=, after dx, of which it may be a part
  float* scratch;              // [J + 2D][n]
  bool add;
};
void narrow_head_forward(const NarrowHead& head, float* o, int n);
void narrow_head_backward(const NarrowHead& head, const float* d_o, const NarrowHeadGradient& gradient, int n);

// Attention by distance: the keys k[J][D] are apart from the values x[J][D].
struct DistanceScore {
  // false: s_j = -factor ‖q - k_j‖²;  true: s_j = -(factor/2) ln(‖q - k_j‖² + ε), so weights ∝ 1/distance^factor
  bool inverse;
  float factor;
};
void attend_distance_forward(const DistanceScore& score, const float* q, const float* k, const float* x, int keys,
                             int width, float* a, float* mean, int n);
// From dmean[D][n]: dq =, and dk, dx = or += when `add`. `da` is scratch of J rows.
void attend_distance_backward(const DistanceScore& score, const float* q, const float* k, const float* x,
                              const float* a, const float* dmean, int keys, int width, float* da, float* dq, float* dk,
                              float* dx, bool add, int n);

// --- unembedding and cross-entropy ---

struct LossSums {
  double loss = 0;     // Σ weight · cross-entropy
  double correct = 0;  // Σ weight · [largest logit is the answer's]
  // Whether `correct` is wanted; kernels that would look for the largest logit for its sake alone then need not.
  bool counted = true;
};

struct Unembedding {
  const float* u;  // [V][D]
  int vocab, width;
  // 0: logit_v = u_v·o;  else -(power/2) ln(‖o - u_v‖² + ε), so that softmax_v ∝ 1/distance^power
  float harmonic_power;
};
// Where the gradient of scale · Σ weight · cross-entropy goes.
struct LossGradient {
  float scale;
  float* du_lanes;  // dU[V][D][lane] +=
  float* d_o;       // do[D][n] =
};
// So many lanes at most go through the vocabulary at once.
inline constexpr int kLossLanes = 64;
struct LossScratch {
  float* chunk;    // [V] rows of n or of kLossLanes floats, whichever is less
  float* answers;  // [D][n]: the answers' u, or beyond kNarrowWidth the features times their factors
};
// The loss of o[D][n], added to `sums`, and its gradient unless `gradient` is nullptr. Linear logits of width up to
// kNarrowWidth have kernels of their own.
void unembed_loss(const Unembedding& table, const float* o, const int32_t* targets, const float* weights,
                  const LossScratch& scratch, LossSums& sums, const LossGradient* gradient, int n);

// Softmax and cross-entropy of logits[V][n], added to `sums`; dlogits[V][n] = scale · weight · (softmax - answer), and
// may be the logits themselves.
void cross_entropy(const float* logits, const int32_t* targets, const float* weights, int vocab, float scale,
                   float* dlogits, LossSums& sums, int n);

// Answers that are distributions: sample b wants token v with probability p[v][targets[b]].
struct SoftAnswers {
  const float* p;  // [V][rows]
  int rows;
};
// The same as cross_entropy() and unembed_loss() of such answers; `correct` is the probability of the tokens with the
// largest logit. `rows` is scratch of V groups.
void soft_cross_entropy(const float* logits, const SoftAnswers& answers, const int32_t* targets, const float* weights,
                        int vocab, float scale, float* dlogits, LossSums& sums, int n);
void soft_unembed_loss(const Unembedding& table, const float* o, const SoftAnswers& answers, const int32_t* targets,
                       const float* weights, float* rows, LossSums& sums, const LossGradient* gradient, int n);

// --- optimizers ---
//
// They take any count. `factors` scales the rate of each parameter; nullptr is 1 for all. Weight decay λ comes in two
// forms: a `penalty` λ adds λ p to the gradient; a `shrink` η λ takes that share of p away, apart from the gradient.

struct AdamStep {
  float beta1, beta2;
  float rate;        // η / (1 - β1^t)
  float root_scale;  // 1 / √(1 - β2^t)
  float epsilon;
  float penalty = 0, shrink = 0;
};
// g += penalty p;  m = β1 m + (1-β1) g;  v = β2 v + (1-β2) g²;
// p -= factor · (shrink p + rate m / (√v · root_scale + ε)).
void adam_update(const AdamStep& step, float* parameters, const float* gradients, float* m, float* v, size_t count,
                 const float* factors = nullptr);

struct SgdStep {
  float rate, momentum;
  float penalty = 0;
  bool nesterov = false;  // looks ahead: moves along g + momentum · velocity
};
// g += penalty p;  velocity = momentum · velocity + g;  p -= rate · factor · velocity.
void sgd_update(const SgdStep& step, float* parameters, const float* gradients, float* velocity, size_t count,
                const float* factors = nullptr);

struct SignStep {
  float beta1, beta2;
  float rate;
  float shrink = 0;
};
// u = sign(β1 m + (1-β1) g), 0 for 0;  m = β2 m + (1-β2) g;  p -= factor · (shrink p + rate u).
void sign_update(const SignStep& step, float* parameters, const float* gradients, float* m, size_t count,
                 const float* factors = nullptr);

// Σ x², in an order of its own that is the same everywhere.
double sum_of_squares(const float* x, size_t count);

// --- random numbers ---

// Philox4x32-10 under key `seed`, counter (first_sample + lane, block, low word of step, purpose + 256 · high word of
// step). words[4·blocks][n]: block b of a lane gives rows 4b .. 4b+3. Equal to Random123's philox4x32 word for word.
void random_words(uint64_t seed, uint32_t purpose, uint64_t step, uint32_t first_sample, int blocks, uint32_t* words,
                  int n);
// Standard normals, numbers[4·blocks][n], from the words random_words() gives for the same arguments.
void random_normals(uint64_t seed, uint32_t purpose, uint64_t step, uint32_t first_sample, int blocks, float* numbers,
                    int n);
// numbers[4·blocks][n] = ⌊word · bound / 2^32⌋, in 0 .. bound-1, of the words random_words() gives for the same
// arguments.
void random_integers(uint64_t seed, uint32_t purpose, uint64_t step, uint32_t first_sample, int blocks, uint32_t bound,
                     int32_t* numbers, int n);

// Numbers 0 .. bound-1 with any probabilities, by Walker's alias method: one word gives a slot and a coin. Sample b
// draws from table `rows[b]` (nullptr: table 0); table r occupies entries r·bound .. (r+1)·bound-1 of `keep` (the
// coin's threshold out of 2^32) and `alias` (what the slot gives otherwise). `numbers` may be `words` itself. Any
// count.
void aliased_integers(const uint32_t* words, uint32_t bound, const uint32_t* keep, const int32_t* alias,
                      const int32_t* rows, int32_t* numbers, size_t count);

}  // namespace atto
