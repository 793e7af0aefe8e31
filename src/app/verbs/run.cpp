// atto run: trains what one study lacks, then shows its cells and verdicts.
#include <unistd.h>

#include <iostream>

#include "app/interrupt.h"
#include "app/job.h"
#include "app/open_store.h"
#include "app/terminal/cell_table.h"
#include "app/terminal/fit_report.h"
#include "app/terminal/progress.h"
#include "app/terminal/text.h"
#include "app/terminal/verdict_table.h"
#include "app/verbs/dry_run.h"
#include "app/verbs/run.h"
#include "app/verbs/verbs.h"
#include "lab/results/results_json.h"
#include "lab/sweep/shard.h"

namespace atto {
namespace {

constexpr const char* kRunFooter = R"(Examples
  atto run sticky-plateau                          the quick profile
  atto run sticky-plateau --profile full           more seeds
  atto run sticky-plateau --set training.rate=0.01 --seeds 16
  atto run mine.toml --json > mine.json            cells with per-seed values, for a program
  atto run mine.toml --shard 3/200 --store 3.db    one share of the runs, for `atto merge`)";

void describe_run(VerbOptions& options) {
  options.names("STUDY", "a study's name or a study file")
      .study()
      .training()
      .text("--shard", options.target().shard, "I/N",
            "train only the I-th of N shares of about the same cost, judge nothing; `atto merge` brings them together");
}

// Trains a share of the first look into a store of its own.
int run_shard(const Job& job, const Shard& shard, Store& store, const Options& options) {
  const std::vector<Run> runs = runs_of_shard(job.runs, shard);
  store.label({job.study.name, variant_name(job.study, options.study), sweep_hash(job.runs), shard.index, shard.count,
               std::ssize(runs)});
  watch_signals();
  ProgressDisplay display(std::cerr, Terminal::of(STDERR_FILENO));
  const SweepResult result = train_runs(job, runs, store, options, display);
  if (result.interrupted) {
    Job share = job;
    share.runs = runs;
    return report_interruption({share}, store, options);
  }
  if (options.json)
    std::cout << json_text({{"study", job.study.name},
                            {"shard", to_text(shard)},
                            {"runs", runs.size()},
                            {"trained", result.progress.done}});
  else
    std::cout << "Shard " << to_text(shard) << " of " << job.study.name << " is in " << store.path() << ": "
              << count_text(std::ssize(runs), "run") << " of " << count_text(std::ssize(job.runs))
              << ". When all are there: " << options.program << " merge results/atto.db SHARD...\n";
  return 0;
}

int run_study(const Options& options) {
  Job job = prepare(options.names.front(), options);
  const std::optional<Shard> shard = options.shard ? std::optional(parse_shard(*options.shard)) : std::nullopt;
  if (options.dry_run) {
    if (shard) job.runs = runs_of_shard(job.runs, *shard);
    return dry_run({job}, options);
  }
  Store store = open_store_aloud(options.store, Store::Mode::write);
  if (shard) return run_shard(job, *shard, store, options);
  watch_signals();
  ProgressDisplay display(std::cerr, Terminal::of(STDERR_FILENO));
  const std::optional<StudyResult> result = train_and_judge(job, store, options, display);
  if (!result) return report_interruption({job}, store, options);
  print_results(job, *result, store, options);
  return 0;
}

}  // namespace

void print_results(const Job& job, const StudyResult& result, const Store& store, const Options& options) {
  if (options.json) {
    std::cout << json_text(cells_json(result));
    return;
  }
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  std::cout << styled(job.study.title, Style::bold, terminal) << "\n\n" << cell_tables(result, terminal);
  if (const std::string signs = diagnosis_report(result.cells, terminal); !signs.empty()) std::cout << "\n" << signs;
  for (const FitResult& fit : result.fits) std::cout << "\n" << fit_report(fit, terminal);
  if (!result.claims.empty())
    std::cout << "\n"
              << verdict_table(result.claims, terminal) << "\n"
              << verdict_counts(result.claims, terminal) << "\n";
  std::cout << "\nThe runs are in " << store.path() << ". Curves: " << show_command(job.called, job.study, options)
            << "\n";
}

Verb run_verb() {
  return {.help = "Train the missing runs of one study, then show the results",
          .footer = kRunFooter,
          .needs_name = true,
          .describe = describe_run,
          .perform = run_study};
}

}  // namespace atto
