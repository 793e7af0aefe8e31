// atto reproduce: trains what any study lacks and judges every claim.
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "app/interrupt.h"
#include "app/job.h"
#include "app/open_store.h"
#include "app/terminal/progress.h"
#include "app/terminal/text.h"
#include "app/terminal/verdict_table.h"
#include "app/verbs/dry_run.h"
#include "app/verbs/report.h"
#include "app/verbs/verbs.h"
#include "base/error.h"
#include "lab/provenance/history.h"
#include "lab/results/answers.h"
#include "lab/results/families.h"
#include "lab/results/results_json.h"

namespace atto {
namespace {

// The quickest first, so that the first verdict comes early.
std::vector<size_t> by_cost(const std::vector<Job>& jobs, const Store& store) {
  std::vector<std::pair<double, size_t>> costs;
  for (size_t i = 0; i < jobs.size(); ++i) costs.emplace_back(remaining_cost(jobs[i], store), i);
  std::sort(costs.begin(), costs.end());
  std::vector<size_t> order;
  for (const auto& [cost, index] : costs) order.push_back(index);
  return order;
}

void print_json(const std::vector<StudyResult>& results) {
  Json all = Json::array();
  for (const StudyResult& result : results)
    for (Json& verdict : verdicts_with_status_json(result)) all.push_back(std::move(verdict));
  std::cout << json_text(all);
}

WrittenReport report_results(const std::vector<Job>& jobs, const std::vector<StudyResult>& results, const Store& store,
                             const Options& options) {
  std::vector<ReportInput> inputs;
  for (size_t i = 0; i < jobs.size(); ++i) inputs.push_back({&jobs[i], &results[i], std::ssize(jobs[i].runs)});
  return write_report(std::move(inputs), &store, options, default_report_path(options.store));
}

// About ten lines for all publications, before any table.
std::string answers_text(const std::vector<ClaimResult>& claims, const Terminal& terminal) {
  std::string text;
  for (const SourceLine& line : answer_lines(claims))
    text +=
        (line.publication.empty() ? "  " : styled(line.publication, Style::bold, terminal) + ": ") + line.text + "\n";
  return text;
}

std::string study_heading(const Study& study, const Options& options, const Terminal& terminal) {
  return styled(study.name, Style::bold, terminal) + " · " + study.title +
         (study.profile == options.study.profile ? "" : " · profile " + study.profile);
}

void print_summary(const std::vector<Job>& jobs, const std::vector<StudyResult>& results, const Store& store,
                   const Options& options, const Terminal& terminal) {
  std::vector<ClaimResult> claims;
  for (const StudyResult& result : results) claims.insert(claims.end(), result.claims.begin(), result.claims.end());
  std::cout << styled("What was found", Style::bold, terminal) << "\n\n" << answers_text(claims, terminal) << "\n";
  std::cout << verdict_counts(claims, terminal) << "\n" << family_text(claims) << "\n\n";
  for (const StudyResult& result : results)
    if (!result.claims.empty())
      std::cout << study_heading(result.study, options, terminal) << "\n\n"
                << verdict_table(result.claims, terminal) << "\n";
  std::cout << "The results are in " << store.path()
            << ". Look closer with: " << show_command(jobs.front().called, jobs.front().study, options) << "\n";
}

constexpr const char* kReproduceFooter = R"(Examples
  atto reproduce                                   every claim, quick profile
  atto reproduce sticky-plateau rank-collapse      these two
  atto reproduce --profile full --json > verdicts.json

A refuted claim is a result: the exit code is 0.)";

void describe_reproduce(VerbOptions& options) {
  options.names("STUDY", "studies or study files (default: all)").study().training();
}

int reproduce(const Options& options) {
  std::vector<Job> jobs = prepare_all(options);
  if (options.dry_run) return dry_run(jobs, options);
  Store store = open_store_aloud(options.store, Store::Mode::write);
  watch_signals();
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  ProgressDisplay display(std::cerr, Terminal::of(STDERR_FILENO));
  std::vector<StudyResult> results(jobs.size());
  // All of them first: studies share runs, and what one asks was not made up after another one's runs.
  for (const Job& job : jobs) record_questions(job.study, store);
  for (const size_t index : by_cost(jobs, store)) {
    std::optional<StudyResult> result;
    if (!stop_requested()) result = train_and_judge(jobs[index], store, options, display);
    if (!result) return report_interruption(jobs, store, options);
    if (!options.json && jobs.size() > 1 &&
        !result->claims.empty())  // people wait; the tables come at the end, after the answers
      std::cerr << jobs[index].study.name << ": " << tally_line(result->claims) << std::endl;
    results[index] = std::move(*result);
  }
  adjust_sources(results);
  if (options.json) print_json(results);
  else print_summary(jobs, results, store, options, terminal);
  std::cout.flush();  // the verdicts are out, whatever becomes of the report
  const WrittenReport report = report_results(jobs, results, store, options);
  (options.json ? std::cerr : std::cout) << "The report with all figures: " << report.path << " ("
                                         << bytes_text(report.bytes) << ")\n";
  return 0;
}

}  // namespace

Verb reproduce_verb() {
  return {.help = "Judge the claims of all studies, or of those named",
          .footer = kReproduceFooter,
          .several = true,
          .describe = describe_reproduce,
          .perform = reproduce};
}

}  // namespace atto
