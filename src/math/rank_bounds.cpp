// Spearman's rho is N / √(V_x V_y) with N = Σ R_i Q_i over centred ranks and V the sum of their squares. A completion
// with ties has the mean of the N of the orders that break the ties, so N is bounded over orders alone; the V of a
// completion lies between those without further ties and with all unknown values in one tie.
//
// Runs of which both values are unknown. Of n ranks without ties N = T_n - ½ Σ d_i², d = r - q and T_n = (n³ - n)/12.
// Taking out run i never enlarges the sum of squares of the others: let D = q_i - r_i >= 0, B the number of runs with
// r < r_i and q > q_i, and A = B + D that of runs with r > r_i and q < q_i. The d of the latter fall by 1, those of the
// former rise by 1. Ranks being distinct, Σ_A d >= A (A + 1 - D) >= A, and each of the B has d <= -D - 2; so the sum
// changes by at most A - 2A + B - 2B (D + 2) <= 0. Hence no completion has a smaller sum than the other k runs have
// among themselves, and unknown runs at one end of both lists attain it: N <= N_others + T_n - T_k, and by turning one
// list round N >= N_others - (T_n - T_k).
//
// Runs of which one value is unknown, with all values of the other side known: the known values are a chain, each
// unknown one comes after the last known value that it must exceed, and Σ R_i Q_i is to be made large or small over the
// orders that keep to this. That is the weighted sum of completion times of jobs with an out-tree of precedences, which
// Horn (1972, doi:10.1137/0123021) solves exactly: the job with the largest ratio of weight to length follows its
// parent at once.
//
// Unknown values on both sides of different runs: one side is kept, the runs that are unknown on the other count as
// unknown altogether. Both choices hold, and so does N <= ½ (V_x + V_y) - ½ Σ (least difference of ranks)²; the
// narrowest is taken.
#include "math/rank_bounds.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace atto {
namespace {

using Seen = std::vector<SeenValue>;

double cube(double n) { return n * n * n - n; }

// -1, 0, 1 as a certainly lies below, with, or above b; as bounds.
struct Order {
  int low, high;
};
Order order_of(const SeenValue& a, const SeenValue& b) {
  if (a.known && b.known) {
    const int sign = (a.value > b.value) - (a.value < b.value);
    return {sign, sign};
  }
  if (a.known && a.value <= b.value) return {-1, -1};
  if (b.known && b.value <= a.value) return {1, 1};
  return {-1, 1};
}

// ---- one side unknown

struct Job {
  double length = 0, weight = 0;
  int parent = -1;
  bool merged = false;
};

// The largest Σ R_i w_i over the completions of x.
double most_of_one_side(const Seen& x, const std::vector<double>& weights) {
  const size_t n = x.size();
  std::vector<size_t> order;
  for (size_t i = 0; i < n; ++i)
    if (x[i].known) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](size_t i, size_t j) { return x[i].value < x[j].value; });
  // A late place is worth a large weight: that is a small cost of being late, so the jobs' weights are -w.
  std::vector<Job> jobs{{0, 0, -1, false}};  // the root comes first and takes no time
  std::vector<double> chain;                 // the value of job 1, 2, ...
  double inner = 0;                          // what members of a tie gain over the end of their job
  for (const size_t i : order) {
    if (chain.empty() || chain.back() != x[i].value) {
      jobs.push_back({0, 0, static_cast<int>(jobs.size()) - 1, false});
      chain.push_back(x[i].value);
    }
    jobs.back().length += 1;
    jobs.back().weight -= weights[i];
  }
  const size_t known = jobs.size();
  for (size_t i = 0; i < n; ++i) {
    if (x[i].known) continue;
    const auto after = std::upper_bound(chain.begin(), chain.end(), x[i].value) - chain.begin();
    jobs.push_back({1, -weights[i], static_cast<int>(after), false});
  }
  for (size_t j = 1; j < known; ++j) inner += jobs[j].weight * (jobs[j].length - 1) / 2;
  // Merging job j behind its parent: the parent's length delays all of j.
  double cost = 0;
  for (const Job& one : jobs) cost += one.weight * one.length;  // each job from its own start
  const auto top = [&](int j) {
    while (jobs[static_cast<size_t>(j)].merged) j = jobs[static_cast<size_t>(j)].parent;
    return j;
  };
  for (size_t round = 1; round < jobs.size(); ++round) {
    size_t best = 0;
    for (size_t j = 1; j < jobs.size(); ++j)
      if (!jobs[j].merged && (best == 0 || jobs[j].weight * jobs[best].length > jobs[best].weight * jobs[j].length))
        best = j;
    Job& parent = jobs[static_cast<size_t>(top(jobs[best].parent))];
    cost += jobs[best].weight * parent.length;
    parent.length += jobs[best].length;
    parent.weight += jobs[best].weight;
    jobs[best].merged = true;
  }
  // Ranks are centred, and a member of a tie has the middle of its job's places.
  double total = 0;
  for (const double one : weights) total += one;
  return -(cost - inner) - total * static_cast<double>(n + 1) / 2;
}

// Centred ranks of values that are all known.
std::vector<double> centred_ranks(const Seen& values) {
  std::vector<double> plain;
  for (const SeenValue& one : values) plain.push_back(one.value);
  std::vector<double> made = ranks(plain);
  for (double& one : made) one -= static_cast<double>(made.size() + 1) / 2;
  return made;
}

struct Range {
  double low, high;
};

// N with x kept as it is seen and every run whose y is unknown counted as unknown altogether.
Range keeping_first(const Seen& x, const Seen& y) {
  Seen kept_x, kept_y;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!y[i].known) continue;
    kept_x.push_back(x[i]);
    kept_y.push_back(y[i]);
  }
  std::vector<double> weights = centred_ranks(kept_y);
  const double high = most_of_one_side(kept_x, weights);
  for (double& one : weights) one = -one;
  const double low = -most_of_one_side(kept_x, weights);
  const double more = (cube(static_cast<double>(x.size())) - cube(static_cast<double>(kept_x.size()))) / 12;
  return {low - more, high + more};
}

// ---- both sides unknown

std::vector<Range> rank_ranges(const Seen& values) {
  const auto n = static_cast<double>(values.size());
  std::vector<Range> ranges;
  for (size_t i = 0; i < values.size(); ++i) {
    Range range{1, n};
    for (size_t j = 0; j < values.size(); ++j) {
      if (i == j) continue;
      const Order order = order_of(values[i], values[j]);
      range.low += 0.5 * (1 + order.low);
      range.high -= 0.5 * (1 - order.high);
    }
    ranges.push_back(range);
  }
  return ranges;
}

double least_squares(const std::vector<Range>& a, const std::vector<Range>& b, bool turned) {
  const auto end = static_cast<double>(a.size() + 1);
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const Range other = turned ? Range{end - b[i].high, end - b[i].low} : b[i];
    const double gap = std::max({0.0, a[i].low - other.high, other.low - a[i].high});
    sum += gap * gap;
  }
  return sum;
}

// The sum of squares of centred ranks: without ties beyond those seen, and with all unknown values in the largest tie.
Range squares_of(const Seen& values) {
  std::vector<double> known;
  for (const SeenValue& one : values)
    if (one.known) known.push_back(one.value);
  std::sort(known.begin(), known.end());
  double ties = 0, largest = 0;
  for (size_t first = 0; first < known.size();) {
    size_t end = first;
    while (end < known.size() && known[end] == known[first]) ++end;
    const auto size = static_cast<double>(end - first);
    ties += cube(size);
    largest = std::max(largest, size);
    first = end;
  }
  const auto all = static_cast<double>(values.size()), unknown = all - static_cast<double>(known.size());
  return {std::max(0.0, cube(all) - ties + cube(largest) - cube(largest + unknown)) / 12, (cube(all) - ties) / 12};
}

Range tau_range(const Seen& x, const Seen& y) {
  double low = 0, high = 0;
  for (size_t i = 0; i < x.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const Order a = order_of(x[i], x[j]), b = order_of(y[i], y[j]);
      const auto [least, most] = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
      low += least;
      high += most;
    }
  const auto n = static_cast<double>(x.size());
  return {low / (n * (n - 1) / 2), high / (n * (n - 1) / 2)};
}

// The largest tau beside this rho: Daniels' inequality, 3n tau <= n - 2 + 2 (n + 1) rho, which holds for each three
// runs and so for all. It is linear, so it holds for ties as the mean of the orders that break them, with the rho that
// ties do not divide: between `tied` of the one given and all of it.
double tau_beside(double rho, double tied, size_t count) {
  const auto n = static_cast<double>(count);
  return (n - 2 + 2 * (n + 1) * (rho > 0 ? rho : tied * rho)) / (3 * n);
}

double over_root(double value, const Range& a, const Range& b, bool smallest) {
  const double product = smallest ? a.low * b.low : a.high * b.high;
  if (product == 0) return value == 0 ? 0 : std::copysign(1.0, value);
  return std::clamp(value / std::sqrt(product), -1.0, 1.0);
}

}  // namespace

RankBounds rank_correlation_bounds(const Seen& x, const Seen& y) {
  if (x.size() != y.size()) throw Error(ErrorKind::internal, "correlation of lists of different length");
  const auto known = [](const Seen& values) {
    return std::all_of(values.begin(), values.end(), [](const SeenValue& one) { return one.known; });
  };
  if (x.size() < 2 || (known(x) && known(y))) {
    std::vector<double> a, b;
    for (const SeenValue& one : x) a.push_back(one.value);
    for (const SeenValue& one : y) b.push_back(one.value);
    const RankCorrelation exact = rank_correlation(a, b);
    return {exact, exact};
  }
  const Range of_x = squares_of(x), of_y = squares_of(y);
  const std::vector<Range> ranks_x = rank_ranges(x), ranks_y = rank_ranges(y);
  const double squares = (of_x.high + of_y.high) / 2;
  const Range first = keeping_first(x, y), second = keeping_first(y, x);
  const double high = std::min({first.high, second.high, squares - least_squares(ranks_x, ranks_y, false) / 2});
  const double low = std::max({first.low, second.low, least_squares(ranks_x, ranks_y, true) / 2 - squares});
  const double lowest = over_root(low, of_x, of_y, low < 0), highest = over_root(high, of_x, of_y, high > 0);
  const double tied = std::sqrt(of_x.low * of_y.low) / (cube(static_cast<double>(x.size())) / 12);
  const Range tau = tau_range(x, y);
  return {{lowest, std::min(tau.high, tau_beside(lowest, tied, x.size())), std::ssize(x)},
          {highest, std::max(tau.low, -tau_beside(-highest, tied, x.size())), std::ssize(x)}};
}

}  // namespace atto
