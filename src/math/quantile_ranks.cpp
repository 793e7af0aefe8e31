#include <boost/math/distributions/binomial.hpp>
#include <string>

#include "base/error.h"
#include "math/confidence_sequence.h"

namespace atto {
namespace {

// The largest k with 2 P(N < k) <= 1 - confidence, N ~ Binomial(n, q): fewer than k values are <= the quantile with
// that probability at most.
int64_t rank_below(int64_t n, double q, double confidence) {
  const boost::math::binomial below(static_cast<double>(n), q);
  int64_t good = 0, bad = n + 1;  // 2 P(N < n + 1) = 2
  while (bad - good > 1) {
    const int64_t k = good + (bad - good) / 2;
    if (2 * boost::math::cdf(below, static_cast<double>(k - 1)) <= 1 - confidence) good = k;
    else bad = k;
  }
  return good;
}

}  // namespace

// The upper end is the lower one of the values with their signs changed, for the quantile 1 - q.
Ranks quantile_ranks(int64_t n, double q, double confidence) {
  check_confidence(confidence);
  if (n < 0 || !(q > 0 && q < 1))
    throw Error(ErrorKind::internal, "ranks of the quantile " + std::to_string(q) + " of " + std::to_string(n));
  if (n == 0) return {0, 1};
  return {rank_below(n, q, confidence), n + 1 - rank_below(n, 1 - q, confidence)};
}

}  // namespace atto
