// Times the engine, case by case. Answers one line of numbers per line of standard input, so that bench/run.py and
// bench/growth.py can ask again and again, and bench/peers/run.py can take turns between this and other programs:
//
//   target                                  the instruction set in use
//   peak                                    NAME=VALUE... of all that peak.h measures
//   sustain SECONDS                         multiply-adds a second over about so many
//   step   CASE SECONDS                     microseconds per training step over about so many seconds, on a processor
//   threads CASE RUNS STEPS THREADS         microseconds by the clock per step of a run, while so many runs are trained
//                                           on so many threads
//   update CASE SECONDS                     microseconds per update of the weights alone, and how many they are
//   draw   CASE SECONDS                     microseconds to draw the batch of a step, over about so many seconds
//   record CASE STEPS none|scalars          seconds of a whole run without or with every scalar observable, the best
//                                           so far of each of its pieces
//   sweep  CASE RUNS STEPS THREADS FOLDER   seconds of a sweep through the scheduler, its store in a fresh file there;
//                                           seconds on processors: in runs (training, observing), all in all
//   part   NAME KEY=VALUE...                a further PART, by the keys of a study that differ from the defaults; 0
//   train  CASE SEED STEPS                  seconds of one run from its start, and the mean loss of its last tenth
//   ensemble SEED RUNS STEPS THREADS FOLDER CASE...  seconds of so many seeds of each CASE through scheduler and store,
//                                           and that mean for each of them
//   compiler                                its name and version, and the flags of this program
//
// where CASE is PART V D C B: the part that differs from the plain network (bench_case.cpp), vocabulary, width,
// context, batch.
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "bench_case.h"
#include "draw_timer.h"
#include "kernels/simd/target.h"
#include "lab/sweep/scheduler.h"
#include "observe/observable.h"
#include "observe/recorder.h"
#include "peak.h"
#include "peer_training.h"
#include "spec/live_run.h"
#include "thread_timer.h"

namespace atto::bench {
namespace {

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Seconds on a processor: waiting for one, as for anything else, does not count.
double seconds_on(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
double thread_seconds() { return seconds_on(CLOCK_THREAD_CPUTIME_ID); }
double process_seconds() { return seconds_on(CLOCK_PROCESS_CPUTIME_ID); }

// Keeps each case's trainer between turns, and how fast it went, so that a turn is all measurement.
class StepTimer {
 public:
  double microseconds(std::istream& in) { return microseconds(in, train).first; }
  // Of updates alone, with the gradients of one evaluation, and the number of weights.
  std::pair<double, size_t> update_microseconds(std::istream& in) {
    const auto [taken, run] = microseconds(in, update);
    size_t weights = 0;
    for (const Matrix& matrix : run->spec().matrices()) weights += matrix.size();
    return {taken, weights};
  }

 private:
  using Work = double (*)(Trainer& run, int64_t steps);  // seconds

  struct Case {
    std::unique_ptr<LiveRun> run;
    int64_t steps = 1;  // of the next turn
  };

  std::pair<double, const LiveRun*> microseconds(std::istream& in, Work work) {
    const auto [part, config] = read_case(in);
    double seconds = 0;
    in >> seconds;
    const std::string name = part + (work == update ? " update" : "");
    Case& one = cases_[{name, config.data.vocab, config.network.width, config.data.context, config.training.batch}];
    if (!one.run) {
      one.run = std::make_unique<LiveRun>(RunSpec(config));
      for (int64_t pilot = 1; work(one.run->trainer(), pilot) < seconds / 4; pilot *= 2) one.steps = 4 * pilot;
    }
    const double taken = work(one.run->trainer(), one.steps);
    const double microseconds = taken / static_cast<double>(one.steps) * 1e6;
    one.steps = std::max<int64_t>(1, std::llround(seconds * 1e6 / microseconds));
    return {microseconds, one.run.get()};
  }

  // A step never waits for anything but a processor, which is the machine's business and not the engine's.
  static double train(Trainer& run, int64_t steps) {
    const double start = thread_seconds();
    run.evaluate();
    if (steps > 1) run.advance(run.step() + steps - 1);
    run.update();
    return thread_seconds() - start;
  }
  static double update(Trainer& run, int64_t steps) {
    run.evaluate();
    const double start = thread_seconds();
    for (int64_t i = 0; i < steps; ++i) run.update();
    return thread_seconds() - start;
  }

  std::map<std::tuple<std::string, int64_t, int64_t, int64_t, int64_t>, Case> cases_;
};

// Every scalar the network offers, on the default schedule; which ones are scalar, a run of one step tells.
ObservePlan scalar_plan(RunConfig config) {
  ObservePlan plan(1);
  for (const Observable& known : all_observables(RunSpec(config)))
    if (!known.alias) plan[0].what.push_back(known.address);
  config.training.steps = 1;
  const RecordResult probe = record_run(RunSpec(config), plan);
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
    record_run(RunSpec(config), plan, [&](const StepReport&) {
      lap();
      return true;
    });
    lap();
    return std::accumulate(best.begin(), best.end(), 0.0);
  }

 private:
  std::map<std::tuple<std::string, int64_t, int64_t, int64_t, int64_t, std::string>, std::vector<double>> best_;
};

struct SweepTime {
  double seconds = 0;    // by the clock
  double training = 0;   // on processors, in runs
  double processor = 0;  // on processors, all in all
};

SweepTime time_sweep(std::istream& in) {
  Study study;
  study.name = "bench";
  study.base = read_case(in).config;
  SweepOptions options;
  std::filesystem::path folder;
  in >> study.seeds.count >> study.base.training.steps >> options.threads >> folder;
  study.observe = scalar_plan(study.base);
  std::atomic<double> training = 0;
  options.train = [&](const RunSpec& spec, const SeriesPlan& plan, const StepCallback& on_progress,
                      std::optional<Checkpoint> resume) {
    const double start = thread_seconds();
    RecordResult result = record_run(spec, plan, on_progress, std::move(resume));
    training += thread_seconds() - start;
    return result;
  };
  const std::vector<Run> runs = expand_runs(study, expand_cells(study));
  const std::filesystem::path file = folder / "sweep.sqlite";
  std::filesystem::remove(file);
  Store store(file.string(), Store::Mode::write);
  const double before = process_seconds();
  const double seconds = seconds_of([&] { run_all(study, runs, store, options); });
  return {seconds, training, process_seconds() - before};
}

void print(const Peak& peak) {
  std::cout << "multiply_adds=" << peak.multiply_adds << " exponentials=" << peak.exponentials
            << " logarithms=" << peak.logarithms << " roots=" << peak.roots << " quotients=" << peak.quotients
            << " random_words=" << peak.random_words << " loads=" << peak.loads << " stores=" << peak.stores
            << " lanes=" << peak.lanes << " hertz=" << peak.hertz;
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

void answer(const std::string& line, StepTimer& steps, RunTimer& runs, ThreadTimer& threads) {
  std::istringstream in(line);
  std::string what;
  in >> what;
  if (what == "target") {
    std::cout << active_target();
  } else if (what == "peak") {
    print(measure_peak());
  } else if (what == "sustain") {
    double seconds = 0;
    in >> seconds;
    std::cout << sustained_multiply_adds(seconds);
  } else if (what == "step") {
    std::cout << steps.microseconds(in);
  } else if (what == "threads") {
    std::cout << threads.microseconds(in);
  } else if (what == "update") {
    const auto [microseconds, weights] = steps.update_microseconds(in);
    std::cout << microseconds << ' ' << weights;
  } else if (what == "draw") {
    std::cout << draw_microseconds(in);
  } else if (what == "record") {
    std::cout << runs.seconds(in);
  } else if (what == "sweep") {
    const SweepTime time = time_sweep(in);
    std::cout << time.seconds << ' ' << time.training << ' ' << time.processor;
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
    atto::bench::ThreadTimer threads;
    std::cout << std::setprecision(9);
    for (std::string line; std::getline(std::cin, line);) atto::bench::answer(line, steps, runs, threads);
  } catch (const std::exception& error) {
    std::cerr << "atto_bench: " << error.what() << '\n';
    return 1;
  }
}
