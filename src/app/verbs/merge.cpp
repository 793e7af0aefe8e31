// atto merge: brings the runs of several stores together.
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <map>
#include <set>

#include "app/interrupt.h"
#include "app/merge_stores.h"
#include "app/open_store.h"
#include "app/refuse_options.h"
#include "app/stored_study.h"
#include "app/terminal/text.h"
#include "app/verbs/verbs.h"
#include "base/error.h"
#include "lab/results/json.h"
#include "lab/store/store.h"

namespace atto {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMergeFooter = R"(Examples
  atto merge results/atto.db shards/*.db           then `atto run STUDY` judges and trains nothing again

INTO is made where it is not there. The sources are only read. Every row is compared with its checksum, and a run that
is in two stores must have the same bytes in both. Merging again, or in another order, gives the same store. Verdicts
are not merged: they follow from the runs.)";

// Of every sweep that the sources are shards of: its label, and the shards that are here.
struct SweepShards {
  ShardLabel label;
  std::string path;  // of the first
  std::set<int64_t> here;
};

std::string name_of(const ShardLabel& label) { return label.study + " (" + label.profile + ")"; }

// Shards of one study must belong to one sweep: another profile or number of shards is a slip.
std::map<std::string, SweepShards> sort_shards(const std::vector<std::string>& paths) {
  std::map<std::string, SweepShards> sweeps;
  for (const std::string& path : paths) {
    const std::optional<ShardLabel> label = open_store_aloud(path, Store::Mode::read).label();
    if (!label) continue;
    const auto [entry, fresh] = sweeps.try_emplace(label->study, SweepShards{*label, path, {}});
    const ShardLabel& first = entry->second.label;
    if (first.sweep != label->sweep || first.count != label->count || first.profile != label->profile)
      throw Error(ErrorKind::usage,
                  path + " is a shard of " + name_of(*label) + " in " + std::to_string(label->count) + ", and " +
                      entry->second.path + " of " + name_of(first) + " in " + std::to_string(first.count) +
                      (first.profile == label->profile && first.count == label->count ? ", of other runs" : ""),
                  "merge the shards of each sweep by themselves");
    entry->second.here.insert(label->index);
  }
  return sweeps;
}

// "shards 3, 17 and 4 more"
std::string missing_text(const SweepShards& sweep) {
  constexpr int64_t kNamed = 10;
  std::string text;
  int64_t missing = 0;
  for (int64_t i = 1; i <= sweep.label.count; ++i) {
    if (sweep.here.contains(i)) continue;
    if (missing < kNamed) text += (missing > 0 ? ", " : "") + std::to_string(i);
    ++missing;
  }
  return missing > kNamed ? text + " and " + std::to_string(missing - kNamed) + " more" : text;
}

void describe_merge(VerbOptions& options) {
  options.names("STORE", "the store to merge into, then those that are merged");
}

// --store is accepted by every verb, so that a script can pass it to all of them; here it must not say something else.
void require_same_store(const std::string& into, const Options& options) {
  std::error_code none;
  const auto whole = [](const std::string& path) { return fs::weakly_canonical(fs::absolute(path)); };
  if (fs::equivalent(into, options.store, none) || whole(into) == whole(options.store)) return;
  refuse_options(options, {"--store"}, "on merge, which writes into the first store that it names, " + into,
                 "leave it out, or name " + options.store + " first");
}

int merge(const Options& options) {
  if (options.names.size() < 2)
    throw Error(ErrorKind::usage, "merge needs a store to merge into and at least one to merge",
                "atto merge results/atto.db shards/*.db");
  const std::string& into = options.names.front();
  require_same_store(into, options);
  const std::vector<std::string> sources(options.names.begin() + 1, options.names.end());
  for (const std::string& path : sources) {
    std::error_code none;
    if (fs::equivalent(into, path, none))
      throw Error(ErrorKind::usage, path + " cannot be merged into itself", "name another store to merge into");
  }
  const std::map<std::string, SweepShards> sweeps = sort_shards(sources);  // before anything is written
  Store store = open_store_aloud(into, Store::Mode::write);
  watch_signals();
  const MergeCount all =
      merge_stores(store, sources.size(), [&](size_t i) { return open_store_aloud(sources[i], Store::Mode::read); });
  if (!all.whole) {
    std::cerr << "stopped: " << count_text(all.added, "run") << " of " << count_text(std::ssize(sources), "store")
              << " merged\n  → continue with: " << options.command << std::endl;
    return kInterruptedExit;
  }
  if (options.json) {
    Json shards = Json::array();
    for (const auto& [study, sweep] : sweeps)
      shards.push_back(
          {{"study", study}, {"profile", sweep.label.profile}, {"shards", sweep.label.count}, {"here", sweep.here}});
    std::cout << json_text({{"store", into},
                            {"sources", sources.size()},
                            {"added", all.added},
                            {"known", all.known},
                            {"checkpoints", all.checkpoints},
                            {"sweeps", shards}});
    return 0;
  }
  std::cout << count_text(all.added, "run") << " from " << count_text(std::ssize(sources), "store") << " merged into "
            << store.path();
  if (all.known > 0) std::cout << ", " << count_text(all.known) << " were there";
  if (all.checkpoints > 0) std::cout << ", " << count_text(all.checkpoints, "checkpoint") << " of unfinished runs";
  std::cout << "\n";
  Options of_into = options;
  of_into.store = into;
  for (const auto& [study, sweep] : sweeps) {
    const std::string missing = missing_text(sweep);
    if (missing.empty())
      std::cout << name_of(sweep.label) << ": all " << sweep.label.count << " shards. Judge it: "
                << stored_study_command("run", study, read_variant(sweep.label.profile).options, of_into) << "\n";
    else
      std::cout << name_of(sweep.label) << ": " << sweep.here.size() << " of " << sweep.label.count
                << " shards; not among them: " << missing << "\n";
  }
  return 0;
}

}  // namespace

Verb merge_verb() {
  return {.help = "Bring the runs of several stores together",
          .footer = kMergeFooter,
          .several = true,
          .describe = describe_merge,
          .perform = merge};
}

}  // namespace atto
