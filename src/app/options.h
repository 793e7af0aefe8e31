// What the user asked for: one verb and its options, as parsed from the command line.
#pragma once

#include <string>
#include <vector>

#include "lab/study/study.h"

namespace atto {

inline constexpr const char* kVersion = "0.1.0";

// Each a number, a list or a range (app/number_list.h).
struct PredictOptions {
  std::string length, dimension, repeat = "1", cross = "0", threshold = "0.2";
};

// How `figure` draws.
struct FigureOptions {
  bool svg = false, png = false, gif = false, spec = false;
  double scale = 2;
  std::string theme = "light";

  // Those asked for; svg when none was.
  std::vector<std::string> formats() const {
    std::vector<std::string> names;
    if (svg) names.emplace_back("svg");
    if (png) names.emplace_back("png");
    if (gif) names.emplace_back("gif");
    if (spec) names.emplace_back("spec");
    return names.empty() ? std::vector<std::string>{"svg"} : names;
  }
};

struct Options {
  std::string verb;
  std::vector<std::string> names;  // studies, study files, run ids, or the topic of `help`
  StudyOptions study;              // --profile, --set, --seeds
  std::string studies_folder;      // --studies; empty: look it up (app/studies.h)
  std::string store = "results/atto.db";
  int threads = 0;         // 0: every core
  double checkpoint = 30;  // seconds between two checkpoints of a run; 0: none
  bool dry_run = false;    // run, reproduce: say what would be trained, and train nothing
  bool json = false;
  bool version = false;
  bool long_list = false;  // list: sizes and claims too

  std::vector<std::string> observables;  // show, export
  std::string quantity;                  // show: what the heat map shows
  bool log_scale = false;                // show
  std::string format = "csv";            // export
  std::string output;                    // report, figure, export
  PredictOptions predict;
  FigureOptions figure;

  std::string program = "atto";  // as typed, for the commands we suggest
  std::string command;           // the whole command as typed, to tell how to continue
  std::string usage;             // the help text `atto help [VERB]` prints
};

// " --studies mine --store other.db": what every command that we suggest must repeat to speak of the same files; "" by
// default.
std::string shared_options_text(const Options& options);

}  // namespace atto
