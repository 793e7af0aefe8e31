#include "app/job.h"

#include <algorithm>
#include <iostream>
#include <map>

#include "app/interrupt.h"
#include "app/studies.h"
#include "app/terminal/progress.h"
#include "app/terminal/text.h"
#include "base/error.h"
#include "base/names.h"
#include "lab/provenance/history.h"
#include "lab/results/decide.h"

namespace atto {
namespace {

int64_t count_stored(const std::vector<Run>& runs, const Store& store) {
  return std::count_if(runs.begin(), runs.end(), [&](const Run& run) { return store.has(run.id); });
}

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
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    throw Error(ErrorKind::config,
                "no study has a profile '" + asked + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"),
                "the profiles are " + list_text(known));
  }
  std::cerr << "no profile '" << asked << "' in " << count_text(static_cast<int64_t>(lacking.size())) << " of "
            << count_text(static_cast<int64_t>(jobs.size())) << " studies, read with '" << kFallbackProfile << "':";
  for (const std::string& name : lacking) std::cerr << " " << name;
  std::cerr << std::endl;
}

// What is wrong with the command line whatever the study says, and is no setting of it.
void check_counts(const std::string& path, const StudyOptions& study) {
  if (study.seeds && (*study.seeds < 1 || *study.seeds > kMaxRuns))
    throw Error(
        ErrorKind::usage,
        "--seeds = " + std::to_string(*study.seeds) + " is not allowed: expected 1 to " + std::to_string(kMaxRuns),
        "leave it out for the study's own number");
  if (!study.most || study.until) return;
  StudyOptions own = study;
  own.most.reset();
  if (read_study(path, own).seeds.until == Until::count)
    throw Error(ErrorKind::usage, "--most has no meaning for a fixed number of seeds", "add --until decided");
}

}  // namespace

SweepOptions sweep_options(const Options& options, ProgressDisplay& display) {
  SweepOptions sweep;
  sweep.threads = options.threads;
  sweep.checkpoint_every = options.checkpoint;
  sweep.stop = &stop_requested();
  sweep.on_progress = [&display](const Progress& progress) { display.update(progress); };
  return sweep;
}

Job prepare(const std::string& name_or_path, const Options& options) {
  Job job;
  job.called = name_or_path;
  const std::string path = study_path(name_or_path, options);
  check_counts(path, options.study);
  job.study = read_study(path, options.study);
  job.cells = expand_cells(job.study);
  job.runs = expand_runs(job.study, job.cells);
  return job;
}

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

double remaining_cost(const Job& job, const Store& store) {
  double cost = 0;
  RunCosts costs;
  for (const Run& run : job.runs)
    if (!store.has(run.id)) cost += costs.of(run);
  return cost;
}

std::optional<StudyResult> train_and_judge(Job& job, Store& store, const Options& options, ProgressDisplay& display) {
  display.begin(job.study.name);
  DecideOptions decide;
  decide.sweep = sweep_options(options, display);
  decide.on_plan = [&](const std::vector<Run>& runs) { job.runs = runs; };
  decide.on_look = [&](const Look& look) { display.look(look); };
  Decided decided;
  try {
    decided = train_and_file(job.study, job.cells, variant_name(job.study, options.study), store, decide);
  } catch (...) {
    display.end();  // the message gets a line of its own
    throw;
  }
  display.end(decided.progress);
  return std::move(decided.result);
}

SweepResult train_runs(const Job& job, const std::vector<Run>& runs, Store& store, const Options& options,
                       ProgressDisplay& display) {
  record_questions(job.study, store);
  display.begin(job.study.name);
  SweepResult result;
  try {
    result = run_all(job.study, runs, store, sweep_options(options, display));
  } catch (...) {
    display.end();
    throw;
  }
  display.end(result.progress);
  return result;
}

StudyResult collect_stored(Job& job, const Store& store, const Options& options) {
  job.runs = stored_runs(job.study, job.cells, store);
  if (job.runs.empty())
    throw Error(ErrorKind::missing,
                "'" + store.path() + "' holds no run of " + job.study.name + " (" + job.study.profile + ")",
                "`" + run_command(job.called, job.study, options) +
                    "` trains them; give the same --profile, --set and --store here as there");
  return collect_with_record(job.study, job.cells, job.runs, store);
}

std::string study_options_text(const Study& study, const Options& options) {
  const Options defaults;
  std::string text;
  if (study.profile != defaults.study.profile) text += " --profile " + shell_word(study.profile);
  for (const std::string& change : options.study.set) text += " --set " + shell_word(change);
  if (options.study.seeds) text += " --seeds " + std::to_string(*options.study.seeds);
  if (options.study.until) text += std::string(" --until ") + to_word(*options.study.until);
  if (options.study.most) text += " --most " + std::to_string(*options.study.most);
  return text + shared_options_text(options);
}

std::string shared_options_text(const Options& options) {
  const Options defaults;
  std::string text;
  if (options.studies_folder != defaults.studies_folder) text += " --studies " + shell_word(options.studies_folder);
  if (options.store != defaults.store) text += " --store " + shell_word(options.store);
  return text;
}

std::string run_command(const std::string& name, const Study& study, const Options& options) {
  return options.program + " run " + shell_word(name) + study_options_text(study, options);
}

std::string show_command(const std::string& name, const Study& study, const Options& options) {
  return options.program + " show " + shell_word(name) + study_options_text(study, options);
}

int report_interruption(const std::vector<Job>& jobs, const Store& store, const Options& options) {
  int64_t kept = 0, asked = 0, unfinished = 0;
  const auto checkpoints = store.checkpoint_steps();
  for (const Job& job : jobs) {
    kept += count_stored(job.runs, store);
    asked += static_cast<int64_t>(job.runs.size());
    unfinished +=
        std::count_if(job.runs.begin(), job.runs.end(), [&](const Run& run) { return checkpoints.contains(run.id); });
  }
  std::cerr << "stopped: " << count_text(kept) << " of " << count_text(asked, "run") << " are kept in " << store.path()
            << (unfinished > 0 ? ", and " + count_text(unfinished) + " more half-way" : "")
            << "\n  → continue with: " << options.command << std::endl;
  return kInterruptedExit;
}

}  // namespace atto
