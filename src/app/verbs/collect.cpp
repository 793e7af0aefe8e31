// atto collect: merges what the workers of a job have published, and judges.
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "app/interrupt.h"
#include "app/job.h"
#include "app/open_store.h"
#include "app/terminal/progress.h"
#include "app/terminal/text.h"
#include "app/verbs/run.h"
#include "app/verbs/verbs.h"
#include "base/error.h"
#include "lab/cluster/cluster_job.h"
#include "lab/sweep/shard.h"

namespace atto {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCollectFooter = R"(Examples
  atto collect results/jobs/mine-1a2b3c4d          into results/atto.db

When all packs are there. Before that, `atto merge results/atto.db FOLDER/shards/*.db` takes over what is done.)";

void describe_collect(VerbOptions& options) { options.names("FOLDER", "the folder that `atto submit` made"); }

void require_all(const JobFolder& folder, const Options& options) {
  const std::vector<bool> there = folder.published();
  const auto missing = std::count(there.begin(), there.end(), false);
  if (missing == 0) return;
  const std::string path = shell_word(folder.path().string());
  throw Error(ErrorKind::missing,
              count_text(missing) + " of " + count_text(std::ssize(there), "pack") + " of the job are not there yet",
              "`" + options.program + " status " + path + "` shows what is left; `" + options.program + " merge " +
                  shell_word(options.store) + " " + path + "/shards/*.db` takes over what is done");
}

// A shard of something else, which somebody put there.
void require_own(const std::optional<ShardLabel>& label, const JobFolder& folder, int64_t pack) {
  const ClusterJob& job = folder.job();
  if (label && label->sweep == job.sweep && label->index == pack && label->count == job.packs()) return;
  throw Error(ErrorKind::store, folder.shard(pack).string() + " is not pack " + std::to_string(pack) + " of this job",
              "remove it and submit what is left: `atto submit " + folder.path().string() + " --slurm`");
}

int collect_job(const Options& given) {
  const JobFolder folder(fs::weakly_canonical(fs::absolute(given.names.front())));
  require_all(folder, given);
  Options options = given;
  options.study = folder.job().options;
  Job job = prepare(folder.study_file().string(), options);
  if (sweep_hash(job.runs) != folder.job().sweep)
    throw Error(ErrorKind::config, "the study in the job's folder comes to other runs than those that were submitted",
                "nobody may change " + folder.study_file().string() + " or the files it names");
  Store store = open_store_aloud(options.store, Store::Mode::write);
  watch_signals();
  MergeCount all;
  for (int64_t pack = 1; pack <= folder.job().packs(); ++pack) {
    const Store shard(folder.shard(pack).string(), Store::Mode::read);
    require_own(shard.label(), folder, pack);
    const MergeCount one = store.merge(shard, [](int64_t) { return !stop_requested().load(); });
    all.added += one.added;
    all.known += one.known;
    if (!one.whole) return report_interruption({job}, store, options);
  }
  std::cerr << count_text(all.added, "run") << " merged into " << store.path()
            << (all.known > 0 ? ", " + count_text(all.known) + " were there" : "") << std::endl;
  if (job.study.seeds.until == Until::decided) {  // this machine is no place to train on
    const StudyResult result = collect_stored(job, store, options);
    print_results(job, result, store, options);
    std::cerr << "The seeds of the first look. Claims that are open get more by `"
              << run_command(job.called, job.study, options) << "`, or by another job with --seeds." << std::endl;
    return 0;
  }
  ProgressDisplay display(std::cerr, Terminal::of(STDERR_FILENO));
  const std::optional<StudyResult> result = train_and_judge(job, store, options, display);
  if (!result) return report_interruption({job}, store, options);
  print_results(job, *result, store, options);
  return 0;
}

}  // namespace

Verb collect_verb() {
  return {.help = "Merge what the workers of a job have published, and judge",
          .footer = kCollectFooter,
          .needs_name = true,
          .describe = describe_collect,
          .perform = collect_job};
}

}  // namespace atto
