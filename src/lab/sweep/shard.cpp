#include "lab/sweep/shard.h"

#include <algorithm>
#include <charconv>
#include <queue>
#include <tuple>
#include <unordered_set>

#include "base/content_hash.h"
#include "base/error.h"
#include "lab/sweep/forecast.h"

namespace atto {
namespace {

bool read_number(std::string_view text, int64_t& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size();
}

}  // namespace

Shard parse_shard(const std::string& text) {
  Shard shard;
  const size_t slash = text.find('/');
  const bool two = slash != std::string::npos && read_number(std::string_view(text).substr(0, slash), shard.index) &&
                   read_number(std::string_view(text).substr(slash + 1), shard.count);
  if (!two)
    throw Error(ErrorKind::usage, "--shard " + text + " is no share of a sweep",
                "write which share and of how many, counted from 1: --shard 3/200");
  if (shard.count < 1 || shard.count > kMaxShards)
    throw Error(ErrorKind::usage, "--shard " + text + ": a sweep is split into 1 to " + std::to_string(kMaxShards));
  if (shard.index < 1 || shard.index > shard.count)
    throw Error(ErrorKind::usage, "--shard " + text + " is out of range",
                "the shares are 1/" + std::to_string(shard.count) + " to " + std::to_string(shard.count) + "/" +
                    std::to_string(shard.count));
  return shard;
}

std::string to_text(const Shard& shard) { return std::to_string(shard.index) + "/" + std::to_string(shard.count); }

std::vector<int64_t> split_into_shards(const std::vector<Run>& runs, int64_t count) {
  struct Costed {
    double cost;
    size_t place;
  };
  RunCosts costs;
  std::vector<Costed> order;
  std::unordered_set<std::string_view> seen;
  for (size_t i = 0; i < runs.size(); ++i)
    if (seen.insert(runs[i].id).second) order.push_back({costs.of(runs[i]), i});
  std::stable_sort(order.begin(), order.end(), [](const Costed& a, const Costed& b) { return a.cost > b.cost; });

  using Load = std::tuple<double, int64_t>;  // what a shard has to do, and its index: the first of equals comes first
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (int64_t i = 1; i <= count; ++i) loads.emplace(0.0, i);
  std::vector<int64_t> shards(runs.size(), 0);
  for (const Costed& one : order) {
    const auto [load, index] = loads.top();
    loads.pop();
    loads.emplace(load + one.cost, index);
    shards[one.place] = index;
  }
  return shards;
}

std::vector<Run> runs_of_shard(const std::vector<Run>& runs, const Shard& shard) {
  const std::vector<int64_t> shards = split_into_shards(runs, shard.count);
  std::vector<Run> own;
  for (size_t i = 0; i < runs.size(); ++i)
    if (shards[i] == shard.index) own.push_back(runs[i]);
  return own;
}

std::string sweep_hash(const std::vector<Run>& runs) {
  std::string ids;
  std::unordered_set<std::string_view> seen;
  for (const Run& run : runs)
    if (seen.insert(run.id).second) ids += run.id;
  return content_hash(ids);
}

}  // namespace atto
