// The kernels of wide networks: linear maps, attention of many heads, activations, layer norm, squared error.
//
// Layout: activations are [P positions][features][n lanes], contiguous; n is a multiple of 16, any alignment. Weights
// are plain row-major matrices, broadcast over the lanes. Every sum has an order that depends on the shapes alone,
// never on the instruction set. Unlike in kernels.h the gradients of weights are plain sums: lane sums of wide matrices
// would not fit the cache.
#pragma once

#include <cstddef>

#include "kernels/kernels.h"

namespace atto {

// --- linear maps ---

// y[P][out][n] = W[out][in] x[P][in][n] + bias[out] (nullptr: none), or += when `add`.
void project_forward(const float* w, const float* bias, int out, int in, const float* x, float* y, int positions, int n,
                     bool add);
// dx[P][in][n] = Wᵀ dy[P][out][n], or += when `add`.
void project_backward(const float* w, int out, int in, const float* dy, float* dx, int positions, int n, bool add);
// dW[out][in] += Σ_{p,lane} dy x;  dbias[out] += Σ_{p,lane} dy (nullptr: none).
void project_weights_backward(float* dw, float* dbias, int out, int in, const float* dy, const float* x, int positions,
                              int n);

// --- attention of H heads over C keys, for Q queries at the last positions ---

// A query sees keys at distances that are multiples of `stride` (at least 1), none above `window`, none ahead if
// causal.
struct AttentionMask {
  bool causal;
  int window;  // 0: no limit
  int stride;
  bool own = true;  // false, if causal: not its own position either, so that the first query sees nothing
};
// Keys first, first + step, ...: `count` of those 0 .. keys-1 that the query at position `query` sees.
struct SeenKeys {
  int first, count, step;
};
SeenKeys seen_keys(const AttentionMask& mask, int query, int keys);

// How a query scores a key, before the position bias.
enum class ScoreForm {
  dot,       // scale · q·k
  distance,  // -scale ‖q - k‖²
  inverse,   // -scale ln(‖q - k‖² + ε): softmax weights are ∝ 1/distance^(2 scale)
};
// How weights follow from the scores s_j of the keys that a query sees.
enum class Normalizer {
  softmax,      // e^s_j / Σ_k e^s_k
  plus_one,     // e^s_j / (1 + Σ_k e^s_k)
  sink,         // e^s_j / (e^b + Σ_k e^s_k) with a logit b for each head
  sigmoid,      // 1 / (1 + e^-s_j)
  linear,       // s_j
  linear_mean,  // s_j / (number of keys seen)
};

struct HeadsShape {
  int heads, keys;             // H, C
  int first_query;             // queries stand at positions first_query .. C-1
  int key_width, value_width;  // of one head
  bool shared;                 // all heads read the same keys and values
  float scale;                 // 0: scores are the bias alone; q, k, dq and dk are then left alone
  AttentionMask mask;
  ScoreForm scores = ScoreForm::dot;
  Normalizer normalizer = Normalizer::softmax;
  bool own_keys = false;  // if shared, and for one query: each head has its own keys, only the values are shared

  int queries() const { return keys - first_query; }  // Q
  // Dot products or the bias alone, and softmax.
  bool plain() const { return scores == ScoreForm::dot && normalizer == Normalizer::softmax; }
};
// With q[Q][H·key_width][n], k[C][H·key_width][n] (k[C][key_width][n] if shared and not own), v[C][H·value_width][n]
// (likewise):
//   a[H][Q][C][n] = weights of the seen keys j by their scores s_ij + bias[h][i-j+C-1] (nullptr: none), 0 at unseen
//   ones o[Q][H·value_width][n] = Σ_j a_j v_j
// `sink` [H] holds the logits of Normalizer::sink. Where `scores` is given, it is filled like `a` with the scores
// themselves, the bias included.
void heads_forward(const HeadsShape& shape, const float* q, const float* k, const float* v, const float* bias, float* a,
                   float* o, int n, const float* sink = nullptr, float* scores = nullptr);
// From d_o: dq =, dk = and dv =, or += if shared (then they may be one buffer if k is v; own keys are written),
// dbias[H][2C-1] += (nullptr: none), dsink[H] +=.
// `dtotal` [H][n], for one query alone: the gradient of Σ_j a_j, where something besides o depends on it.
// `scratch` holds heads_scratch_rows(shape) rows.
void heads_backward(const HeadsShape& shape, const float* q, const float* k, const float* v, const float* a,
                    const float* d_o, float* dq, float* dk, float* dv, float* dbias, float* scratch, int n,
                    float* dsink = nullptr, const float* dtotal = nullptr);
// So many queries go through together.
inline constexpr int kQueriesTogether = 64;
int heads_scratch_rows(const HeadsShape& shape);

// --- element by element; `count` is a multiple of 16 ---

// y = x Φ(x), Φ the distribution function of the standard normal; error at most 2e-7 · max(1, |x|). y may be x.
void gelu_forward(const float* x, float* y, size_t count);
// dx = dy · gelu'(x); dx may be dy.
void gelu_backward(const float* x, const float* dy, float* dx, size_t count);
// y = max(x, 0)
void relu_forward(const float* x, float* y, size_t count);
// dx = dy where x > 0, else 0; dx may be dy.
void relu_backward(const float* x, const float* dy, float* dx, size_t count);
// y += x
void add_rows(const float* x, float* y, size_t count);

// gate = 1/(1 + e^-x);  y = gate · mixed. The gate may be x.
void gate_forward(const float* x, const float* mixed, float* gate, float* y, size_t count);
// From dy: dmixed = gate dy and dx = mixed dy gate (1 - gate); dmixed may be dy.
void gate_backward(const float* gate, const float* mixed, const float* dy, float* dmixed, float* dx, size_t count);

// --- queries and keys of H heads, x[P][H·K][n] ---

// Turns the features 2m and 2m+1 of each head by the angle of position p, whose cosine and sine are angles[p][m][2];
// `back` turns the other way. The last of an odd number of features stays as it is.
void rotate_pairs(const float* angles, int heads, int width, float* x, int positions, int n, bool back);
// y = w x / √(mean of x² + ε) over the K features of each head, with w[K] for all of them. `inverses` [P][H][n] keeps
// 1/√(...) for the way back.
void head_norm_forward(const float* w, int heads, int width, const float* x, float* y, float* inverses, int positions,
                       int n);
// dx =, which may be dy; dw[K] +=.
void head_norm_backward(const float* w, int heads, int width, const float* x, const float* inverses, const float* dy,
                        float* dx, float* dw, int positions, int n);

// --- layer norm ---

// Added to the variance.
inline constexpr float kNormEpsilon = 1e-5f;
// Over the features of each position and lane: y = w (x - mean) / √(variance + ε) + b. `statistics` [P][2][n] keeps the
// mean and 1/√(variance + ε) for the way back.
void norm_forward(const float* w, const float* b, int width, const float* x, float* y, float* statistics, int positions,
                  int n);
// dx[P][width][n] =, or += when `add`; dw[width] +=, db[width] +=. Unless `add`, dx may be dy.
void norm_backward(const float* w, int width, const float* x, const float* statistics, const float* dy, float* dx,
                   float* dw, float* db, int positions, int n, bool add);

// --- squared error ---

// Adds Σ_lane weight · ½‖y - answer‖² to sums.loss, for y, answers [width][n]; dy = scale · weight · (y - answer)
// unless nullptr.
void squared_error(const float* y, const float* answers, const float* weights, int width, float scale, float* dy,
                   LossSums& sums, int n);

}  // namespace atto
