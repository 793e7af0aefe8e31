// A share p is tested by a bet against it. If the successes S of n runs are Binomial(n, p), then for any density w the
// ratio
//
//   M_n(p) = ∫ x^S (1-x)^(n-S) w(x) dx / (p^S (1-p)^(n-S))
//
// is a martingale that starts at 1, so by Ville's inequality it ever reaches 1/alpha with probability at most alpha.
// The sequence keeps the p for which it has not. With w = Beta(r p, r (1-p)), a prior around the tested share, this is
// the two-sided beta-binomial mixture of Howard, Ramdas, McAuliffe and Sekhon (2021), doi:10.1214/20-AOS1991, arXiv
// 1810.08240:
//
//   log M_n(p) = Σ_{i<S} log(r + i/p) + Σ_{j<n-S} log(r + j/(1-p)) - Σ_{i<n} log(r + i).
//
// Every term is convex in p and M_n(S/n) <= 1, since no mixture beats the largest likelihood: the shares kept are an
// interval around S/n. With one success the sum is bounded at p = 0, and the interval starts there.
//
// r is the number of runs that the prior is worth. Small r favours early decisions, large r late ones. Width relative
// to Wilson's interval (95 %; for no success relative to Clopper and Pearson's, which spends half of alpha on each
// side):
//
//             S = n/2                      S = n/8                      S = 0
//     n       16    64    256   512       16    64    256   512       16    64    256   512
//     r = 3   1.55  1.59  1.67  1.72      1.47  1.56  1.67  1.73      1.21  0.96  0.86  0.84
//     r = 6   1.57  1.56  1.62  1.66      1.54  1.53  1.62  1.67      1.46  1.06  0.89  0.86
//     r = 10  1.62  1.55  1.59  1.63      1.64  1.53  1.58  1.63      1.72  1.18  0.93  0.88
//     r = 20  1.72  1.59  1.56  1.59      1.85  1.57  1.55  1.58      2.22  1.45  1.02  0.93
//
// r = 6 is within 6 % of the best of these where there are successes and failures, at all four n, and good where there
// are none. The median number of runs until a boundary is excluded, with a look every 8 runs, next to the runs of an
// exact binomial test of power 0.8 at one fixed number of runs (all computed exactly, not simulated):
//
//     boundary  0.5   0.5   0.5   0.9   0.9   0.75  0.95  0.9   0.5
//     share     0.6   0.65  0.7   0.8   0.98  0.9   1     1     0.95
//     fixed     199   90    49    94    70    54    72    36    9
//     median    208   96    56    104   72    56    80    48    16
//
// The chance of ever being wrong within 512 looks at 512 runs is 0.039, 0.035, 0.034 at p = 0.02, 0.1, 0.5.
#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "base/error.h"
#include "math/bracket.h"
#include "math/confidence_sequence.h"

namespace atto {
namespace {

constexpr double kPriorRuns = 6;

// Boost's, without the detour over long double: std::lgamma writes to a global variable.
double log_gamma(double x) {
  using boost::math::policies::policy, boost::math::policies::promote_double;
  return boost::math::lgamma(x, policy<promote_double<false>>());
}

// log M_n(p) for 0 < p < 1.
double mixture_evidence(double successes, double failures, double p) {
  const double q = 1 - p, a = kPriorRuns * p, b = kPriorRuns * q, n = successes + failures;
  return log_gamma(a + successes) - log_gamma(a) + log_gamma(b + failures) - log_gamma(b) - log_gamma(kPriorRuns + n) +
         log_gamma(kPriorRuns) - successes * std::log(p) - failures * std::log1p(-p);
}

// The lower end of the share's interval. M_n grows without bound towards p = 0 from two successes on.
double lowest_share(double successes, double failures, double threshold) {
  if (successes < 2) return 0;
  const auto excess = [&](double p) { return mixture_evidence(successes, failures, p) - threshold; };
  // Without failures M_n falls to 1 as p goes to 1.
  double inside = std::min(successes / (successes + failures), 1 - std::numeric_limits<double>::epsilon());
  double outside = inside / 2;
  while (excess(outside) <= 0) {
    inside = outside;
    outside /= 2;
    if (outside < std::numeric_limits<double>::min()) return 0;
  }
  return outer_end(excess, outside, inside);
}

// The fewest successes in n runs that do not exclude the share q. As a function of the count log M_n is convex and not
// above 0 at n q, so counts up to there are first rejected, then accepted.
int64_t fewest_successes(int64_t n, double q, double threshold) {
  const auto accepted = [&](int64_t count) {
    return mixture_evidence(static_cast<double>(count), static_cast<double>(n - count), q) < threshold;
  };
  int64_t first = 0, end = static_cast<int64_t>(std::floor(static_cast<double>(n) * q)) + 1;  // answer in [first, end]
  while (first < end) {
    const int64_t middle = first + (end - first) / 2;
    if (accepted(middle)) end = middle;
    else first = middle + 1;
  }
  return first;
}

}  // namespace

Interval share_sequence(int64_t successes, int64_t trials, double confidence) {
  check_confidence(confidence);
  if (successes < 0 || successes > trials)
    throw Error(ErrorKind::internal, "a share of " + std::to_string(successes) + " in " + std::to_string(trials));
  if (trials == 0) return {std::numeric_limits<double>::quiet_NaN(), 0, 1};
  const double s = static_cast<double>(successes), f = static_cast<double>(trials - successes);
  const double threshold = -std::log1p(-confidence);  // log(1 / alpha)
  return {s / (s + f), lowest_share(s, f, threshold), 1 - lowest_share(f, s, threshold)};
}

// Howard and Ramdas (2022), doi:10.3150/21-BEJ1388, arXiv 1906.09712: let Q be a quantile, F(Q-) <= q <= F(Q). Count a
// value below Q as a success, one above as none, and one equal to Q by a coin such that the chance of a success is
// exactly q. The number of successes then lies between the values < Q and the values <= Q, and the test above keeps it
// within [fewest, most] at every n. So at least `fewest` values are <= Q, and at most `most` are < Q: Q lies between
// the order statistics of rank `fewest` and `most` + 1, with ties and censored values as they come.
Ranks quantile_sequence_ranks(int64_t n, double q, double confidence) {
  check_confidence(confidence);
  if (n < 0 || !(q > 0 && q < 1))
    throw Error(ErrorKind::internal, "ranks of the quantile " + std::to_string(q) + " of " + std::to_string(n));
  const double threshold = -std::log1p(-confidence);
  return {fewest_successes(n, q, threshold), n + 1 - fewest_successes(n, 1 - q, threshold)};
}

}  // namespace atto
