// Times the engine, case by case. Answers one line of numbers per line of standard input, so that bench/run.py can ask
// again and again and bench/peers/run.py can take turns between this and other programs:
//
//   target                                     the instruction set in use
//   peak                                       multiply-adds per second, clock in hertz
//   step   CASE SECONDS                     microseconds per training step over about so many seconds
//   record CASE STEPS none|scalars          seconds of a whole run without or with every scalar observable, the best
//                                           so far of each of its pieces
//   sweep  CASE RUNS STEPS THREADS FOLDER   seconds of a sweep through the scheduler, its store in a fresh file there
//   part   NAME KEY=VALUE...                a further PART, by the keys of a study that differ from the defaults; 0
//   train  CASE SEED STEPS                  seconds of one run from its start, and the mean loss of its last tenth
//   ensemble SEED RUNS STEPS THREADS FOLDER CASE...  seconds of so many seeds of each CASE through scheduler and store,
//                                           and that mean for each of them
//   compiler                                its name and version, and the flags of this program
//
// where CASE is PART V D C B: the part that differs from the plain network (below), vocabulary, width, context, batch.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "lab/scheduler.h"
#include "numeric/error.h"
#include "numeric/target.h"
#include "observe/recorder.h"
#include "peak.h"
#include "peer_training.h"
#include "training/trajectory.h"

namespace atto::bench {
namespace {

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Named {
  std::string part;
  RunConfig config;
};

// Settings of the parts that bench/run.py names: {part: ["network.layers=2", ...]}.
std::map<std::string, std::vector<std::string>>& named_parts() {
  static std::map<std::string, std::vector<std::string>> parts;
  return parts;
}

void name_part(std::istream& in) {
  std::string name;
  in >> name;
  std::vector<std::string>& settings = named_parts()[name];
  settings.clear();
  for (std::string setting; in >> setting;) settings.push_back(setting);
}

void configure(const std::vector<std::string>& settings, RunConfig& config) {
  const Fields fields = describe(config);
  for (const std::string& setting : settings) {
    const size_t equals = setting.find('=');
    fields.at(setting.substr(0, equals)).set_text(setting.substr(equals + 1));
  }
}

// Plain is what the studies share: copy at offset 0, asked at the last position, dot kernel, linear and tied logits,
// causal, Adam.
Named read_case(std::istream& in) {
  Named one;
  RunConfig& config = one.config;
  in >> one.part >> config.data.vocab >> config.network.width >> config.data.context >> config.training.batch;
  if (one.part == "distance" || one.part == "inverse") {
    config.network.kernel = one.part;
  } else if (one.part == "harmonic") {
    config.network.logits = "harmonic";
  } else if (one.part == "positions") {  // the previous token, with learned positions
    config.network.positions = "learned";
    config.data.offset = 1;
  } else if (one.part == "unigram") {  // next token at every position; V counts [BOS]
    config.data.task = "unigram";
    config.data.targets = "every";
    config.data.exponent = 1;
    config.data.bos = true;
    --config.data.vocab;
  } else if (one.part == "toy") {  // free scores on regression by SGD; C is T, D is d, V means nothing
    config.data.task = "regression";
    config.data.dimension = config.network.width;
    config.network.form = "scores";
    config.network.init_scale = 0;
    config.training.optimizer = "sgd";
    config.training.rate = 1;
  } else if (const auto named = named_parts().find(one.part); named != named_parts().end()) {
    configure(named->second, config);
  } else if (one.part != "plain") {
    throw Error(ErrorKind::usage, "unknown part '" + one.part + "'", "see the head of bench/bench_steps.cpp");
  }
  return one;
}

// Keeps each case's trainer between turns, and how fast it went, so that a turn is all measurement.
class StepTimer {
 public:
  double microseconds(std::istream& in) {
    const auto [part, config] = read_case(in);
    double seconds = 0;
    in >> seconds;
    Case& one = cases_[{part, config.data.vocab, config.network.width, config.data.context, config.training.batch}];
    if (!one.run) {
      one.run = make_trajectory(config);
      for (int64_t pilot = 1; seconds_of([&] { train(*one.run, pilot); }) < seconds / 4; pilot *= 2)
        one.steps = 4 * pilot;
    }
    const double taken = seconds_of([&] { train(*one.run, one.steps); });
    const double microseconds = taken / static_cast<double>(one.steps) * 1e6;
    one.steps = std::max<int64_t>(1, std::llround(seconds * 1e6 / microseconds));
    return microseconds;
  }

 private:
  struct Case {
    std::unique_ptr<Trajectory> run;
    int64_t steps = 1;  // of the next turn
  };

  static void train(Trajectory& run, int64_t steps) {
    for (int64_t i = 0; i < steps; ++i) {
      run.evaluate();
      run.update();
    }
  }

  std::map<std::tuple<std::string, int64_t, int64_t, int64_t, int64_t>, Case> cases_;
};

// Every scalar the network offers, on the default schedule; which ones are scalar, a run of one step tells.
ObservePlan scalar_plan(RunConfig config) {
  ObservePlan plan(1);
  for (const AddressHelp& known : known_addresses(config)) plan[0].what.push_back(known.address);
  config.training.steps = 1;
  const RecordResult probe = record_run(config, plan);
  plan[0].what.clear();
  for (const Series& series : probe.recording.series)
    if (series.shape.empty()) plan[0].what.push_back(series.address);
  return plan;
}

// A run's time, as the sum of the best that each of its pieces (the 64 steps between two calls for progress) took in
// any turn: what else the machine does spoils a few pieces of a turn, and seldom the same ones in every turn.
class RunTimer {
 public:
  double seconds(std::istream& in) {
    auto [part, config] = read_case(in);
    std::string observed;
    in >> config.training.steps >> observed;
    std::vector<double>& best =
        best_[{part, config.data.vocab, config.network.width, config.data.context, config.training.batch, observed}];
    const ObservePlan plan = observed == "scalars" ? scalar_plan(config) : ObservePlan{};
    size_t piece = 0;
    auto start = std::chrono::steady_clock::now();
    const auto lap = [&] {
      const auto now = std::chrono::steady_clock::now();
      const double taken = std::chrono::duration<double>(now - start).count();
      start = now;
      if (piece == best.size()) best.push_back(taken);
      best[piece] = std::min(best[piece], taken);
      ++piece;
    };
    record_run(config, plan, [&](const StepReport&) {
      lap();
      return true;
    });
    lap();
    return std::accumulate(best.begin(), best.end(), 0.0);
  }

 private:
  std::map<std::tuple<std::string, int64_t, int64_t, int64_t, int64_t, std::string>, std::vector<double>> best_;
};

double sweep_seconds(std::istream& in) {
  Study study;
  study.name = "bench";
  study.base = read_case(in).config;
  ScheduleOptions options;
  std::filesystem::path folder;
  in >> study.seeds.count >> study.base.training.steps >> options.threads >> folder;
  study.observe = scalar_plan(study.base);
  const std::vector<Run> runs = expand_runs(study, expand_cells(study));
  const std::filesystem::path file = folder / "sweep.sqlite";
  std::filesystem::remove(file);
  Store store(file.string(), Store::Mode::write);
  return seconds_of([&] { run_all(study, runs, store, options); });
}

Trained train(std::istream& in) {
  RunConfig config = read_case(in).config;
  in >> config.seeds.init >> config.training.steps;
  config.seeds.data = config.seeds.init;
  return train_one(config);
}

Trained train_ensemble(std::istream& in) {
  int64_t seed = 0, runs = 0, steps = 0;
  int threads = 0;
  std::filesystem::path folder;
  in >> seed >> runs >> steps >> threads >> folder;
  std::vector<RunConfig> shapes;
  while (in >> std::ws && !in.eof()) {
    shapes.push_back(read_case(in).config);
    shapes.back().seeds.init = shapes.back().seeds.data = seed;
    shapes.back().training.steps = steps;
  }
  return train_all(shapes, runs, threads, folder);
}

void print(const Trained& trained) {
  std::cout << trained.seconds;
  for (const double loss : trained.losses) std::cout << ' ' << loss;
}

void answer(const std::string& line, StepTimer& steps, RunTimer& runs) {
  std::istringstream in(line);
  std::string what;
  in >> what;
  if (what == "target") {
    std::cout << active_target();
  } else if (what == "peak") {
    const Peak peak = measure_peak();
    std::cout << peak.fma_per_second << ' ' << peak.hertz;
  } else if (what == "step") {
    std::cout << steps.microseconds(in);
  } else if (what == "record") {
    std::cout << runs.seconds(in);
  } else if (what == "sweep") {
    std::cout << sweep_seconds(in);
  } else if (what == "train") {
    print(train(in));
  } else if (what == "ensemble") {
    print(train_ensemble(in));
  } else if (what == "compiler") {
    std::cout << ATTO_COMPILER;
  } else if (what == "part") {
    name_part(in);
    std::cout << 0;
  } else {
    throw Error(ErrorKind::usage, "unknown request '" + what + "'", "see the head of bench/bench_steps.cpp");
  }
  std::cout << std::endl;
}

}  // namespace
}  // namespace atto::bench

int main() {
  try {
    atto::bench::StepTimer steps;
    atto::bench::RunTimer runs;
    std::cout << std::setprecision(9);
    for (std::string line; std::getline(std::cin, line);) atto::bench::answer(line, steps, runs);
  } catch (const std::exception& error) {
    std::cerr << "atto_bench: " << error.what() << '\n';
    return 1;
  }
}
