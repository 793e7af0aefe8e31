// atto collect: merges what the workers of a job have published, and judges.
#include <unistd.h>

#include <iostream>

#include "app/cluster/collect_job.h"
#include "app/interrupt.h"
#include "app/job.h"
#include "app/open_store.h"
#include "app/terminal/progress.h"
#include "app/terminal/text.h"
#include "app/verbs/run.h"
#include "app/verbs/verbs.h"
#include "lab/cluster/cluster_job.h"

namespace atto {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCollectFooter = R"(Examples
  atto collect results/jobs/mine-1a2b3c4d          into results/atto.db

When all packs are there. Before that, `atto merge results/atto.db FOLDER/shards/*.db` takes over what is done.)";

void describe_collect(VerbOptions& options) { options.names("FOLDER", "the folder that `atto submit` made"); }

int collect_job(const Options& given) {
  const JobFolder folder(fs::weakly_canonical(fs::absolute(given.names.front())));
  require_all_packs(folder, given);
  Options options = given;
  options.study = folder.job().options;
  Job job;
  job.called = folder.study_file().string();
  job.study = read_study(job.called, options.study);
  job.cells = expand_cells(job.study);
  job.runs = runs_of_job(folder, job.study, job.cells);
  Store store = open_store_aloud(options.store, Store::Mode::write);
  watch_signals();
  const MergeCount all = merge_packs(folder, store);
  if (!all.whole) return report_interruption({job}, store, options);
  std::cerr << count_text(all.added, "run") << " merged into " << store.path()
            << (all.known > 0 ? ", " + count_text(all.known) + " were there" : "") << std::endl;
  if (!folder.job().places.empty()) {
    std::cerr << "They are a round of an exploration, which goes on by the same `atto explore` as before." << std::endl;
    return 0;
  }
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
          .takes_job = true,
          .describe = describe_collect,
          .perform = collect_job};
}

}  // namespace atto
