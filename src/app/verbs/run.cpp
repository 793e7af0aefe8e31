// atto run: trains what one study lacks, then shows its cells and verdicts.
#include <unistd.h>

#include <iostream>

#include "app/interrupt.h"
#include "app/job.h"
#include "app/terminal/cell_table.h"
#include "app/terminal/fit_report.h"
#include "app/terminal/progress.h"
#include "app/terminal/verdict_table.h"
#include "app/verbs/dry_run.h"
#include "app/verbs/verbs.h"
#include "lab/results/results_json.h"

namespace atto {
namespace {

constexpr const char* kRunFooter = R"(Examples
  atto run sticky-plateau                          the quick profile
  atto run sticky-plateau --profile full           more seeds
  atto run sticky-plateau --set training.rate=0.01 --seeds 16
  atto run mine.toml --json > mine.json            cells with per-seed values, for a program)";

void describe_run(VerbOptions& options) { options.names("STUDY", "a study's name or a study file").study().training(); }

int run_study(const Options& options) {
  Job job = prepare(options.names.front(), options);
  if (options.dry_run) return dry_run({job}, options);
  Store store = open_for_training(options);
  watch_signals();
  ProgressDisplay display(std::cerr, Terminal::of(STDERR_FILENO));
  const std::optional<StudyResult> result = train_and_judge(job, store, options, display);
  if (!result) return report_interruption({job}, store, options);
  if (options.json) {
    std::cout << json_text(cells_json(*result));
    return 0;
  }
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  std::cout << styled(job.study.title, Style::bold, terminal) << "\n\n" << cell_tables(*result, terminal);
  if (const std::string signs = diagnosis_report(result->cells, terminal); !signs.empty()) std::cout << "\n" << signs;
  for (const FitResult& fit : result->fits) std::cout << "\n" << fit_report(fit, terminal);
  if (!result->claims.empty())
    std::cout << "\n"
              << verdict_table(result->claims, terminal) << "\n"
              << verdict_counts(result->claims, terminal) << "\n";
  std::cout << "\nThe runs are in " << store.path()
            << ". Curves: " << show_command(options.names.front(), job.study, options) << "\n";
  return 0;
}

}  // namespace

Verb run_verb() {
  return {.help = "Train the missing runs of one study, then show the results",
          .footer = kRunFooter,
          .needs_name = true,
          .describe = describe_run,
          .perform = run_study};
}

}  // namespace atto
