// A whole head of a narrow network against the kernels of its parts, which have references of their own.
#include <gtest/gtest.h>

#include "kernels/kernel_testing.h"
#include "kernels/kernels.h"

namespace atto {
namespace {

struct Problem {
  int width, keys, n;
  float scale = 0.7f;
  std::vector<float> query = draw(width * width, 1), key = draw(width * width, 2), value = draw(width * width, 3);
  std::vector<float> x = draw(keys * width * n, 4), d_o = draw(width * n, 5);
  std::vector<float> lanes = draw(width * width * kLanes, 6), dx = draw(keys * width * n, 7);

  size_t rows(int count) const { return static_cast<size_t>(count * n); }
  size_t asking() const { return rows((keys - 1) * width); }  // the query is the last key
};

// The same by the kernels of wider networks; equal but for rounding.
struct Parts {
  std::vector<float> q, probe, a, mean, o, dquery, dkey, dvalue, dx;

  Parts(const Problem& p, bool add)
      : q(p.rows(p.width)),
        probe(q),
        a(p.rows(p.keys)),
        mean(q),
        o(q),
        dquery(p.lanes),
        dkey(p.lanes),
        dvalue(p.lanes),
        dx(p.dx) {
    const int d = p.width, n = p.n;
    linear_forward(p.query.data(), d, d, p.x.data() + p.asking(), q.data(), n);
    transposed_forward(p.key.data(), d, d, q.data(), probe.data(), n, false);
    attend_forward(probe.data(), p.x.data(), p.keys, d, p.scale, a.data(), mean.data(), n);
    linear_forward(p.value.data(), d, d, mean.data(), o.data(), n);
    std::vector<float> dmean(q.size()), dprobe(q.size()), dq(q.size()), da(a.size());
    linear_weight_backward(dvalue.data(), d, d, p.d_o.data(), mean.data(), n);
    transposed_forward(p.value.data(), d, d, p.d_o.data(), dmean.data(), n, false);
    attend_backward(probe.data(), p.x.data(), a.data(), dmean.data(), p.keys, d, p.scale, da.data(), dprobe.data(),
                    dx.data(), add, n);
    linear_weight_backward(dkey.data(), d, d, q.data(), dprobe.data(), n);
    linear_forward(p.key.data(), d, d, dprobe.data(), dq.data(), n);
    linear_weight_backward(dquery.data(), d, d, dq.data(), p.x.data() + p.asking(), n);
    transposed_forward(p.query.data(), d, d, dq.data(), dx.data() + p.asking(), n, true);
  }
  std::vector<float> all() const {
    std::vector<float> everything;
    for (const auto* part : {&q, &probe, &a, &mean, &o, &dquery, &dkey, &dvalue, &dx})
      everything.insert(everything.end(), part->begin(), part->end());
    return everything;
  }
};

class NarrowHeads : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Width, NarrowHeads, testing::Range(1, kNarrowWidth + 1));

TEST_P(NarrowHeads, AreTheirParts) {
  for (const int keys : {1, 2, 4, 7}) {
    for (const int n : kLaneCounts) {
      for (const bool add : {false, true}) {
        const Problem problem{GetParam(), keys, n};
        const std::vector<float> actual = floats_everywhere([&](Memory& memory) {
          const float* x = memory.input(problem.x);
          const int rows = problem.width * n;
          // Results are compared in the order they are asked for, that of Parts::all().
          float* q = memory.result(rows);
          float* probe = memory.result(rows);
          float* a = memory.result(keys * n);
          float* mean = memory.result(rows);
          float* o = memory.result(rows);
          float* dquery = memory.result(problem.lanes);
          float* dkey = memory.result(problem.lanes);
          float* dvalue = memory.result(problem.lanes);
          float* dx = memory.result(problem.dx);
          const NarrowHead head{problem.width,
                                keys,
                                problem.scale,
                                memory.input(problem.query),
                                memory.input(problem.key),
                                memory.input(problem.value),
                                x + problem.asking(),
                                x,
                                q,
                                probe,
                                a,
                                mean};
          narrow_head_forward(head, o, n);
          narrow_head_backward(
              head, memory.input(problem.d_o),
              {dquery, dkey, dvalue, dx, dx + problem.asking(), memory.scratch((keys + 2 * problem.width) * n), add},
              n);
        });
        const std::vector<float> expected = Parts(problem, add).all();
        ASSERT_EQ(actual.size(), expected.size());
        for (size_t i = 0; i < actual.size(); ++i)
          ASSERT_NEAR(actual[i], expected[i], 2e-5 * (1 + std::abs(expected[i])))
              << "number " << i << ", keys " << keys << ", lanes " << n;
      }
    }
  }
}

}  // namespace
}  // namespace atto
