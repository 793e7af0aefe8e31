// Trains one canonical case for so many steps and does nothing else, for instructions.py to count under Valgrind:
//
//   atto_steps CASE STEPS    the loss of the last step; CASE is a name of kCases below
//   atto_steps targets       the instruction sets this machine can run
#include <cstdint>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/fields.h"
#include "kernels/simd/target.h"
#include "spec/live_run.h"

namespace {

// What differs from the defaults of a study: keys as in its TOML file.
using Settings = std::vector<std::pair<std::string, std::string>>;
const std::map<std::string, Settings> kCases = {
    {"tiny", {{"data.vocab", "10"}, {"network.width", "2"}, {"data.context", "4"}, {"training.batch", "512"}}},
    {"wide-vocabulary",
     {{"data.vocab", "100"}, {"network.width", "10"}, {"data.context", "4"}, {"training.batch", "512"}}},
    {"transformer",
     {{"data.task", "regression"},
      {"data.dimension", "8"},
      {"data.places", "random"},
      {"data.flag", "true"},
      {"data.context", "16"},
      {"network.form", "attention"},
      {"network.layers", "2"},
      {"network.heads", "4"},
      {"network.width", "32"},
      {"network.output", "true"},
      {"network.residual", "true"},
      {"network.mlp", "gelu"},
      {"network.biases", "true"},
      {"network.positions", "sinusoidal"},
      {"network.mask", "full"},
      {"training.batch", "32"}}},
};

// Valgrind knows AVX2 and, as Debian 12 has it, nothing above. A machine without it cannot take part.
constexpr const char* kTarget = "avx2";

atto::RunConfig config_of(const std::string& name) {
  atto::RunConfig config;
  const atto::Fields fields = atto::Fields().all_of(config, atto::run_schema());
  for (const auto& [key, value] : kCases.at(name)) fields.at(key).set_text(value);
  return config;
}

}  // namespace

// Valgrind counts while this runs, by its name: what libraries do before depends on the clock (Highway calibrates it).
extern "C" __attribute__((noinline)) double counted_steps(atto::Trainer& run, int64_t steps) {
  return run.advance(steps).loss;  // as between two measurements
}

int main(int count, char** words) {
  try {
    const std::vector<std::string> arguments(words + 1, words + count);
    if (arguments == std::vector<std::string>{"targets"}) {
      for (const std::string& name : atto::supported_targets()) std::cout << name << '\n';
    } else if (arguments.size() == 2 && kCases.contains(arguments[0])) {
      atto::pin_target(kTarget);
      atto::LiveRun run(atto::RunSpec(config_of(arguments[0])));
      run.trainer().evaluate();
      std::cout << counted_steps(run.trainer(), std::stoll(arguments[1])) << '\n';
    } else {
      std::cerr << "usage: atto_steps CASE STEPS | targets; see the head of tests/performance/steps.cpp\n";
      return 2;
    }
  } catch (const std::exception& error) {
    std::cerr << "atto_steps: " << error.what() << '\n';
    return 1;
  }
}
