#include "app/merge_stores.h"

#include <algorithm>
#include <vector>

#include "app/interrupt.h"

namespace atto {
namespace {

// Each takes up to three of the files that a process may have open: 256 on a Mac.
constexpr size_t kStoresTogether = 32;

}  // namespace

MergeCount merge_stores(Store& into, size_t count, const std::function<Store(size_t)>& open) {
  MergeCount all;
  for (size_t first = 0; first < count && all.whole; first += kStoresTogether) {
    std::vector<Store> sources;
    for (size_t i = first; i < std::min(first + kStoresTogether, count); ++i) sources.push_back(open(i));
    all += into.merge(sources, [](int64_t) { return !stop_requested().load(); });
  }
  return all;
}

}  // namespace atto
