#include "spec/run_shares.h"

#include <algorithm>
#include <numeric>

namespace atto {

RunShares::RunShares(std::span<const int64_t> at, int64_t target, int64_t stage, int threads)
    : shares_(static_cast<size_t>(threads)), moving_(at.size()) {
  std::vector<int64_t> stand(at.begin(), at.end());
  for (int64_t step = at.empty() ? target : *std::min_element(at.begin(), at.end()); step < target;) {
    step = std::min(target, step + stage);
    lay_out(stand, step);
    for (int64_t& one : stand) one = std::max(one, step);
  }
}

void RunShares::lay_out(std::span<const int64_t> at, int64_t target) {
  int64_t all = 0, longest = 0;
  for (const int64_t step : at) {
    all += std::max<int64_t>(target - step, 0);
    longest = std::max(longest, target - step);
  }
  const auto threads = static_cast<int64_t>(shares_.size());
  const int64_t length = std::max((all + threads - 1) / threads, longest);
  size_t thread = 0;
  int64_t room = length;
  for (size_t run = 0; run < at.size(); ++run) {
    const int64_t left = target - at[run];
    if (left <= 0) continue;
    shares_[thread].push_back({run, target});
    if (left < room) {
      room -= left;
    } else if (thread + 1 < shares_.size()) {
      const int64_t over = left - room;  // no more than a share, as `longest` is not
      ++thread;
      room = length - over;
      if (over > 0) shares_[thread].push_back({run, at[run] + over});
    }
  }
}

std::optional<RunShares::Part> RunShares::take(std::deque<Part>& share, bool last) {
  const auto free = [this](const Part& part) { return !moving_[part.run]; };
  std::optional<Part> taken;
  if (last) {
    const auto found = std::find_if(share.rbegin(), share.rend(), free);
    if (found == share.rend()) return {};
    taken = *found;
    share.erase(std::next(found).base());
  } else {
    const auto found = std::find_if(share.begin(), share.end(), free);
    if (found == share.end()) return {};
    taken = *found;
    share.erase(found);
  }
  moving_[taken->run] = true;
  return taken;
}

std::optional<RunShares::Part> RunShares::next(int thread, std::optional<size_t> mine) {
  const std::lock_guard lock(mutex_);
  if (mine) moving_[*mine] = false;
  const auto own = static_cast<size_t>(thread);
  if (const auto part = take(shares_[own], false)) return part;
  for (size_t i = 1; i < shares_.size(); ++i)
    if (const auto part = take(shares_[(own + i) % shares_.size()], true)) return part;
  return {};
}

}  // namespace atto
