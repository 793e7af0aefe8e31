// atto reproduce: trains what any study lacks and judges every claim.
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <map>

#include "app/dry_run.h"
#include "app/interrupt.h"
#include "app/job.h"
#include "app/studies.h"
#include "app/text.h"
#include "app/verbs.h"
#include "app/verdict_table.h"
#include "lab/json.h"
#include "numeric/error.h"

namespace atto {
namespace {

constexpr const char* kFallbackProfile = "full";

// A profile that only some studies have, such as "paper", falls back to the fullest in the others. That is said, and a
// name that none of them knows is a slip.
void check_profile(const std::vector<Job>& jobs, const Options& options) {
  const std::string& asked = options.study.profile;
  std::vector<std::string> known, lacking;
  for (const Job& job : jobs) {
    known.insert(known.end(), job.study.profiles.begin(), job.study.profiles.end());
    if (job.study.profile != asked) lacking.push_back(job.study.name);
  }
  if (lacking.empty()) return;
  if (lacking.size() == jobs.size()) {
    const std::string near = nearest_name(asked, known);
    throw Error(ErrorKind::config,
                "no study has a profile '" + asked + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  std::cerr << "no profile '" << asked << "' in " << count_text(static_cast<int64_t>(lacking.size())) << " of "
            << count_text(static_cast<int64_t>(jobs.size())) << " studies, read with '" << kFallbackProfile << "':";
  for (const std::string& name : lacking) std::cerr << " " << name;
  std::cerr << std::endl;
}

// The studies named, or all; each once, in the order of their names.
std::vector<Job> prepare_all(Options options) {
  std::vector<std::string> names = options.names;
  const std::string folder = names.empty() ? studies_folder(options) : "";
  if (names.empty()) names = list_studies(folder);
  if (names.empty())
    throw Error(ErrorKind::missing, "there is no study (*.toml) in '" + folder + "'",
                "name another folder with --studies");
  options.study.otherwise = kFallbackProfile;
  std::map<std::string, Job> jobs;
  for (const std::string& name : names) {
    Job job = prepare(name, options);
    const std::string path = job.study.path;
    jobs.emplace(path, std::move(job));
  }
  std::vector<Job> ordered;
  for (auto& [path, job] : jobs) ordered.push_back(std::move(job));
  check_profile(ordered, options);
  return ordered;
}

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
    for (Json& verdict : Json::parse(verdicts_json(result))) all.push_back(std::move(verdict));
  std::cout << json_text(all);
}

void print_summary(const std::vector<StudyResult>& results, const Store& store, const Options& options,
                   const Terminal& terminal) {
  std::vector<ClaimResult> claims;
  for (const StudyResult& result : results) claims.insert(claims.end(), result.claims.begin(), result.claims.end());
  std::cout << styled("All claims", Style::bold, terminal) << "\n\n" << verdict_table(claims, terminal) << "\n";
  std::cout << verdict_counts(claims, terminal) << "\n\nThe results are in " << store.path()
            << ". Look closer with: " << show_command(results.front().study.name, results.front().study, options)
            << "\n";
}

}  // namespace

int reproduce(const Options& options) {
  const std::vector<Job> jobs = prepare_all(options);
  if (options.dry_run) return dry_run(jobs, options);
  Store store(options.store, Store::Mode::write);
  watch_signals();
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  ProgressDisplay display(std::cerr, Terminal::of(STDERR_FILENO));
  std::vector<StudyResult> results(jobs.size());
  for (const size_t index : by_cost(jobs, store)) {
    std::optional<StudyResult> result;
    if (!stop_requested()) result = train_and_judge(jobs[index], store, options, display);
    if (!result) return report_interruption(jobs, store, options);
    if (!options.json && jobs.size() > 1) {  // the table of a single study comes at the end anyway
      const Study& study = jobs[index].study;
      std::cout << styled(study.name, Style::bold, terminal) << " · " << study.title
                << (study.profile == options.study.profile ? "" : " · profile " + study.profile) << "\n\n"
                << verdict_table(result->claims, terminal, Detail::brief) << std::endl;  // flushed: people wait for it
    }
    results[index] = std::move(*result);
  }
  if (options.json) print_json(results);
  else print_summary(results, store, options, terminal);
  return 0;
}

}  // namespace atto
