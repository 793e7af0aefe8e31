// One study on its way from file to verdicts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/options.h"
#include "lab/results/results.h"
#include "lab/sweep/scheduler.h"

namespace atto {

class ProgressDisplay;

struct Job {
  std::string called;  // as people called the study: its name or a path
  Study study;
  std::vector<Cell> cells;
  std::vector<Run> runs;
};

// Reads and expands a study; every complaint about it comes from here, before anything trains.
Job prepare(const std::string& name_or_path, const Options& options);

// The studies named in the options, or all; each once, in the order of their files. A profile that only some of them
// have falls back to `full` in the others, which is said on standard error.
std::vector<Job> prepare_all(Options options);

// Threads and checkpoints as the options say; Ctrl-C stops the sweep, and the display follows it.
SweepOptions sweep_options(const Options& options, ProgressDisplay& display);

// Estimated cost of the runs the store lacks: good enough to start with the quickest study.
double remaining_cost(const Job& job, const Store& store);

// Trains what is missing, then judges. Nothing comes back when the user stopped it; what was finished is in the store.
// job.runs are then those of all looks that were taken.
std::optional<StudyResult> train_and_judge(Job& job, Store& store, const Options& options, ProgressDisplay& display);

// Trains these runs of the job and judges nothing; what the claims ask is recorded first.
SweepResult train_runs(const Job& job, const std::vector<Run>& runs, Store& store, const Options& options,
                       ProgressDisplay& display);

// The results of what the store holds of the job now, `job.runs` reduced to that. Error(missing) when it is nothing.
StudyResult collect_stored(Job& job, const Store& store, const Options& options);

// " --profile full --set data.vocab=4": what a command needs to find the same runs of the study again; "" by default.
std::string study_options_text(const Study& study, const Options& options);

// The commands that train a study, which people call `name`, under these options, and that show its results.
std::string run_command(const std::string& name, const Study& study, const Options& options);
std::string show_command(const std::string& name, const Study& study, const Options& options);

// Tells on standard error what is kept and how to go on; returns the exit code.
int report_interruption(const std::vector<Job>& jobs, const Store& store, const Options& options);

}  // namespace atto
