// Attention of many heads that all read the same keys and values, for one query: heads_forward() and heads_backward()
// come here for it. The heads are the rows of the products then, and each key is read once for several of them.
#pragma once

#include "kernels/wide/wide_kernels.h"

namespace atto {

void single_query_heads_forward(const HeadsShape& shape, const float* q, const float* k, const float* v,
                                const float* bias, float* a, float* o, int n, const float* sink, float* scores);
void single_query_heads_backward(const HeadsShape& shape, const float* q, const float* k, const float* v,
                                 const float* a, const float* d_o, float* dq, float* dk, float* dv, float* dbias,
                                 float* scratch, int n, float* dsink, const float* dtotal);

}  // namespace atto
