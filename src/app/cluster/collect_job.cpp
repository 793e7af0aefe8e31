#include "app/cluster/collect_job.h"

#include <algorithm>

#include "app/merge_stores.h"
#include "app/terminal/text.h"
#include "base/error.h"

namespace atto {
namespace {

// A shard of something else, which somebody put there.
void require_own(const std::optional<ShardLabel>& label, const JobFolder& folder, int64_t pack) {
  const ClusterJob& job = folder.job();
  if (label && label->sweep == job.sweep && label->index == pack && label->count == job.packs()) return;
  throw Error(ErrorKind::store, folder.shard(pack).string() + " is not pack " + std::to_string(pack) + " of this job",
              "remove it and submit what is left: `atto submit " + folder.path().string() + " --slurm`");
}

}  // namespace

void require_all_packs(const JobFolder& folder, const Options& options) {
  const std::vector<bool> there = folder.published();
  const auto missing = std::count(there.begin(), there.end(), false);
  if (missing == 0) return;
  const std::string path = shell_word(folder.path().string());
  throw Error(ErrorKind::missing,
              count_text(missing) + " of " + count_text(std::ssize(there), "pack") + " of the job are not there yet",
              "`" + options.program + " status " + path + "` shows what is left; `" + options.program + " merge " +
                  shell_word(options.store) + " " + path + "/shards/*.db` takes over what is done");
}

MergeCount merge_packs(const JobFolder& folder, Store& store) {
  return merge_stores(store, static_cast<size_t>(folder.job().packs()), [&](size_t i) {
    const int64_t pack = static_cast<int64_t>(i) + 1;
    Store shard(folder.shard(pack).string(), Store::Mode::read);
    require_own(shard.label(), folder, pack);
    return shard;
  });
}

}  // namespace atto
