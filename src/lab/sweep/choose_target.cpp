#include "lab/sweep/choose_target.h"

#include <algorithm>
#include <limits>
#include <mutex>

#include "kernels/simd/target.h"
#include "lab/sweep/clock.h"
#include "spec/live_run.h"

namespace atto {
namespace {

constexpr int kRounds = 8;
// Two targets that are as fast as each other differ by less than this in the best of so many rounds.
constexpr double kClearly = 0.97;

// The canonical narrow network, or a small transformer: what the kernels of either kind spend their time on, in a step
// that is short enough to be tried often.
RunConfig small_run(bool wide) {
  RunConfig config;
  config.training.batch = wide ? 16 : 128;
  if (!wide) {
    config.data.vocab = 100;
    return config;
  }
  config.data.vocab = 16;
  config.data.context = 8;
  config.network.width = 32;
  config.network.heads = 4;
  config.network.output = config.network.residual = true;
  config.network.mlp = "gelu";
  config.network.positions = PositionKind::learned;
  return config;
}

}  // namespace

struct TargetTrial::Run {
  explicit Run(bool wide) : steps(wide ? 1 : 16), live(RunSpec(small_run(wide))) { live.trainer().evaluate(); }
  int64_t steps;
  LiveRun live;
};

TargetTrial::TargetTrial(bool wide) : run_(std::make_unique<Run>(wide)) {}
TargetTrial::~TargetTrial() = default;

double TargetTrial::seconds() {
  Trainer& trainer = run_->live.trainer();
  const Clock::time_point start = Clock::now();
  trainer.advance(trainer.step() + run_->steps);
  return seconds_since(start);
}

std::string fastest_target(const std::vector<std::string>& targets,
                           const std::function<double(const std::string&)>& seconds_of) {
  std::vector<double> best(targets.size(), std::numeric_limits<double>::infinity());
  for (int round = 0; round < kRounds; ++round)
    for (size_t i = 0; i < targets.size(); ++i) best[i] = std::min(best[i], seconds_of(targets[i]));
  size_t fastest = 0;
  for (size_t i = 1; i < targets.size(); ++i)
    if (best[i] < best[fastest] * (fastest == 0 ? kClearly : 1)) fastest = i;
  return targets.at(fastest);
}

std::vector<std::string> doubtful_targets() {
  if (target_is_pinned() || active_target() != "avx3") return {};
  const std::vector<std::string> supported = supported_targets();
  if (std::find(supported.begin(), supported.end(), "avx2") == supported.end()) return {};
  return {"avx3", "avx2"};
}

void choose_target(const RunSpec& first) {
  static std::once_flag once;
  std::call_once(once, [&] {
    const std::vector<std::string> targets = doubtful_targets();
    if (targets.empty()) return;
    TargetTrial trial(first.attention() != nullptr && first.attention()->network->wide());
    prefer_target(fastest_target(targets, [&](const std::string& target) {
      prefer_target(target);
      return trial.seconds();
    }));
  });
}

}  // namespace atto
