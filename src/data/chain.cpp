#include "data/chain.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "base/error.h"
#include "base/number_text.h"
#include "kernels/random.h"

namespace atto {
namespace {

std::vector<double> parse_rank_weights(const DataConfig& config) {
  if (config.rank_weights.empty()) return std::vector<double>(static_cast<size_t>(config.rank), 1.0);
  std::vector<double> weights;
  const char* at = config.rank_weights.data();
  const char* const end = at + config.rank_weights.size();
  bool readable = true;
  while (readable) {
    while (at < end && *at == ' ') ++at;
    double weight = 0;
    const auto [stop, status] = read_number(at, end, weight);
    readable = status == std::errc() && std::isfinite(weight);
    weights.push_back(weight);
    at = stop;
    while (at < end && *at == ' ') ++at;
    if (at == end) break;
    readable = readable && *at++ == ',';
  }
  if (!readable || weights.size() != static_cast<size_t>(config.rank))
    throw Error(ErrorKind::config,
                "data.rank_weights = \"" + config.rank_weights +
                    "\" is not a list of data.rank = " + std::to_string(config.rank) + " numbers",
                "write one number per rank, as in \"1, 0.5, 0.25\"");
  return weights;
}

}  // namespace

void validate_low_rank(const DataConfig& config) {
  if (config.rank > config.vocab)
    throw Error(ErrorKind::config,
                "data.rank = " + std::to_string(config.rank) +
                    " is above data.vocab = " + std::to_string(config.vocab) + ": a V×V matrix has at most rank V",
                "lower data.rank or raise data.vocab");
  parse_rank_weights(config);
}

std::vector<double> low_rank_transitions(const DataConfig& config) {
  const auto v = static_cast<uint32_t>(config.vocab), r = static_cast<uint32_t>(config.rank);
  const auto seed = static_cast<uint64_t>(config.table);
  const std::vector<double> weights = parse_rank_weights(config);
  const auto a = [&](uint32_t i, uint32_t k) { return standard_normal(seed, Purpose::table, 0, i * r + k); };
  const auto b = [&](uint32_t k, uint32_t j) { return standard_normal(seed, Purpose::table, 1, k * v + j); };
  std::vector<double> p(size_t{v} * v);
  for (uint32_t k = 0; k < r; ++k) {
    std::vector<double> row(v);
    for (uint32_t j = 0; j < v; ++j) row[j] = b(k, j);
    for (uint32_t i = 0; i < v; ++i) {
      const double factor = config.scale * weights[k] * a(i, k) / std::sqrt(r);
      for (uint32_t j = 0; j < v; ++j) p[size_t{i} * v + j] += factor * row[j];
    }
  }
  for (uint32_t i = 0; i < v; ++i) {
    double* row = p.data() + size_t{i} * v;
    const double highest = *std::max_element(row, row + v);
    double total = 0;
    for (uint32_t j = 0; j < v; ++j) total += row[j] = std::exp(row[j] - highest);
    for (uint32_t j = 0; j < v; ++j) row[j] /= total;
  }
  return p;
}

// Averaging two steps in a row takes care of chains that nearly alternate.
std::vector<double> iterate_stationary(const std::vector<double>& p, size_t v) {
  std::vector<double> pi(v, 1.0 / static_cast<double>(v)), next(v);
  for (int iteration = 0; iteration < 100000; ++iteration) {
    std::fill(next.begin(), next.end(), 0.0);
    for (size_t i = 0; i < v; ++i)
      for (size_t j = 0; j < v; ++j) next[j] += pi[i] * p[i * v + j];
    double change = 0;
    for (size_t j = 0; j < v; ++j) {
      next[j] = 0.5 * (next[j] + pi[j]);
      change = std::max(change, std::abs(next[j] - pi[j]));
    }
    pi.swap(next);
    if (change < 1e-15) break;
  }
  return pi;
}

namespace {

using Followers = std::vector<std::vector<uint32_t>>;

// The tokens that can follow each one.
Followers followers(const std::vector<double>& p, size_t v) {
  Followers after(v);
  for (size_t i = 0; i < v; ++i)
    for (size_t j = 0; j < v; ++j)
      if (p[i * v + j] > 0) after[i].push_back(static_cast<uint32_t>(j));
  return after;
}

// Which tokens can be reached from `from`, itself included.
std::vector<bool> reached(const Followers& after, size_t from) {
  std::vector<bool> seen(after.size());
  std::vector<size_t> open{from};
  seen[from] = true;
  while (!open.empty()) {
    const size_t at = open.back();
    open.pop_back();
    for (const uint32_t next : after[at]) {
      if (seen[next]) continue;
      seen[next] = true;
      open.push_back(next);
    }
  }
  return seen;
}

}  // namespace

// From a token that everything reached so far leads back to, nothing else is reached; a walk to tokens that do not lead
// back ends in a closed class, and it is the only one if every token leads to it.
std::vector<size_t> closed_class(const std::vector<double>& p, size_t v) {
  const Followers after = followers(p, v);
  Followers before(v);
  for (size_t i = 0; i < v; ++i)
    for (const uint32_t j : after[i]) before[j].push_back(static_cast<uint32_t>(i));
  size_t at = 0;
  std::vector<bool> ahead, behind;
  while (true) {
    ahead = reached(after, at);
    behind = reached(before, at);
    size_t next = 0;
    while (next < v && (!ahead[next] || behind[next])) ++next;
    if (next == v) break;
    at = next;  // leads out and never back: its class lies further on
  }
  if (std::find(behind.begin(), behind.end(), false) != behind.end()) return {};
  std::vector<size_t> members;
  for (size_t i = 0; i < v; ++i)
    if (ahead[i]) members.push_back(i);
  return members;
}

// Grassmann, Taksar and Heyman's elimination: state after state is taken out of the chain, whose others then skip it.
// It subtracts nothing, so no digit is lost.
std::vector<double> solve_stationary(const std::vector<double>& p, size_t v) {
  const std::vector<size_t> members = closed_class(p, v);
  if (members.empty()) throw Error(ErrorKind::internal, "a chain without a stationary distribution of its own");
  const size_t n = members.size();
  std::vector<double> q(n * n);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) q[i * n + j] = p[members[i] * v + members[j]];
  for (size_t last = n - 1; last > 0; --last) {
    const double leaving = std::accumulate(q.begin() + static_cast<std::ptrdiff_t>(last * n),
                                           q.begin() + static_cast<std::ptrdiff_t>(last * n + last), 0.0);
    for (size_t i = 0; i < last; ++i) {
      const double share = q[i * n + last] /= leaving;
      if (share == 0) continue;
      for (size_t j = 0; j < last; ++j) q[i * n + j] += share * q[last * n + j];
    }
  }
  std::vector<double> weight(n);
  weight[0] = 1;
  for (size_t state = 1; state < n; ++state)
    for (size_t i = 0; i < state; ++i) weight[state] += weight[i] * q[i * n + state];
  const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
  std::vector<double> pi(v);
  for (size_t i = 0; i < n; ++i) pi[members[i]] = weight[i] / total;
  return pi;
}

double count_paths(const std::vector<double>& p, const std::vector<double>& start, int length) {
  constexpr double kBeyond = 1e15;
  if (length == 0) return 1;
  const size_t v = start.size();
  const Followers after = followers(p, v);
  std::vector<double> paths(v), longer(v);
  for (size_t i = 0; i < v; ++i) paths[i] = start[i] > 0 ? 1 : 0;
  for (int i = 1; i < length; ++i) {
    std::fill(longer.begin(), longer.end(), 0.0);
    for (size_t from = 0; from < v; ++from)
      for (const uint32_t to : after[from]) longer[to] += paths[from];
    paths.swap(longer);
    if (std::accumulate(paths.begin(), paths.end(), 0.0) > kBeyond) return std::numeric_limits<double>::infinity();
  }
  return std::accumulate(paths.begin(), paths.end(), 0.0);
}

}  // namespace atto
