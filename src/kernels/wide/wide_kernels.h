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
};
// Keys first, first + step, ...: `count` of those 0 .. keys-1 that the query at position `query` sees, itself included.
struct SeenKeys {
  int first, count, step;
};
SeenKeys seen_keys(const AttentionMask& mask, int query, int keys);

struct HeadsShape {
  int heads, keys;             // H, C
  int first_query;             // queries stand at positions first_query .. C-1
  int key_width, value_width;  // of one head
  bool shared;                 // all heads read the same keys and values
  float scale;                 // 0: scores are the bias alone; q, k, dq and dk are then left alone
  AttentionMask mask;

  int queries() const { return keys - first_query; }  // Q
};
// With q[Q][H·key_width][n], k[C][H·key_width][n] (k[C][key_width][n] if shared), v[C][H·value_width][n] (likewise):
//   a[H][Q][C][n] = softmax over the seen keys j of scale · q_i·k_j + bias[h][i-j+C-1] (nullptr: none), 0 at unseen
//   ones o[Q][H·value_width][n] = Σ_j a_j v_j
void heads_forward(const HeadsShape& shape, const float* q, const float* k, const float* v, const float* bias, float* a,
                   float* o, int n);
// From d_o: dq =, dk = and dv =, or += if shared (then they may be one buffer if k is v), dbias[H][2C-1] += (nullptr:
// none).
// `scratch` holds heads_scratch_rows(shape) rows.
void heads_backward(const HeadsShape& shape, const float* q, const float* k, const float* v, const float* a,
                    const float* d_o, float* dq, float* dk, float* dv, float* dbias, float* scratch, int n);
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
