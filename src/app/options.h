// What the user asked for: one verb and its options, as parsed from the command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/study/study.h"

namespace atto {

// Each a number, a list or a range (app/number_list.h).
struct PredictOptions {
  std::string length, dimension, repeat = "1", cross = "0", threshold = "0.2";
};

enum class FigureFormat { svg, png, gif, spec };
template <>
struct EnumWords<FigureFormat> {
  static constexpr std::array words{"svg", "png", "gif", "spec"};
};

enum class Theme { light, dark };
template <>
struct EnumWords<Theme> {
  static constexpr std::array words{"light", "dark"};
};

enum class ExportFormat { csv, npz, safetensors, parquet };
template <>
struct EnumWords<ExportFormat> {
  static constexpr std::array words{"csv", "npz", "safetensors", "parquet"};
};

// How `figure` draws.
struct FigureOptions {
  bool svg = false, png = false, gif = false, spec = false;
  double scale = 2;
  Theme theme = Theme::light;

  // Those asked for; svg when none was.
  std::vector<FigureFormat> formats() const {
    std::vector<FigureFormat> all;
    if (svg) all.push_back(FigureFormat::svg);
    if (png) all.push_back(FigureFormat::png);
    if (gif) all.push_back(FigureFormat::gif);
    if (spec) all.push_back(FigureFormat::spec);
    return all.empty() ? std::vector{FigureFormat::svg} : all;
  }
};

// Where `serve` is reached.
struct ServeOptions {
  int port = -1;  // -1: the usual one, or the next that is free
  std::string address = "127.0.0.1";
  std::vector<std::string> allowed_hosts;
};

// What `explore` looks for, and what that may cost.
enum class Aim { contour, claims, optimum };
template <>
struct EnumWords<Aim> {
  static constexpr std::array words{"contour", "claims", "optimum"};
};
struct ExplorationOptions {
  Aim aim = Aim::contour;
  double level = 0.5, tolerance = 0.05;     // contour
  int refine = 1;                           // contour: how often gaps between grid points are halved at most
  bool largest = false;                     // optimum
  int batch = 8, most = 4096;               // runs that a cell gets at a time, and at most
  double runs = 0, steps = 0, seconds = 0;  // budgets; 0: none
};

// How `submit` gives a study to a cluster; what is empty is left to the cluster.
struct SubmitOptions {
  bool slurm = false;
  int nodes = 1;     // workers, each on a node of its own
  int throttle = 0;  // of them at the same time; 0: all
  std::string time, partition, account, qos;
  std::vector<std::string> sbatch;  // further options of sbatch
  std::string folder, logs, scratch;
  std::string program;  // atto on the nodes; empty: this one
  double pack = 300;    // seconds that a pack of runs takes a worker
  bool plan = false;    // explore: make the folder, and leave it to others to start workers
  bool wait = false;    // explore: until the workers are done
};

struct Options {
  std::string verb;
  std::vector<std::string> names;  // studies, study files, run ids, or the topic of `help`
  StudyOptions study;              // --profile, --set, --seeds
  std::string studies_folder;      // --studies; empty: look it up (app/studies.h)
  std::string store = "results/atto.db";
  int threads = 0;                   // 0: every core
  std::optional<std::string> shard;  // run: "3/200", the share of the runs to train; none: all of them
  double checkpoint = 30;            // seconds between two checkpoints of a run; 0: none
  bool dry_run = false;              // run, reproduce: say what would be trained, and train nothing
  bool json = false;
  bool version = false;
  bool long_list = false;  // list: sizes and claims too
  bool write = false;      // ledger: enter what it lacks
  bool repair = false;     // check: keep what is whole, put the rest aside
  bool yes = false;        // prune: without asking

  std::vector<std::string> observables;     // show, export
  std::string quantity;                     // show: what the heat map shows; explore
  bool log_scale = false;                   // show
  bool thresholds = false;                  // show: verdicts over the cuts of their detectors too
  ExportFormat format = ExportFormat::csv;  // export
  std::string output;                       // report, figure, export
  PredictOptions predict;
  FigureOptions figure;
  ServeOptions serve;
  ExplorationOptions explore;
  SubmitOptions submit;  // submit, and of these what `work` takes
  int task = 0;          // work: which of the workers

  std::vector<std::string> given;  // the names of the options that stand in the command: "--seeds"

  std::string program = "atto";  // as typed, for the commands we suggest
  std::string command;           // the whole command as typed, to tell how to continue
  std::string usage;             // the help text `atto help [VERB]` prints
};

// " --studies mine --store other.db": what every command that we suggest must repeat to speak of the same files; "" by
// default.
std::string shared_options_text(const Options& options);

}  // namespace atto
