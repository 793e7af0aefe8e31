#include "bench_case.h"
#include "base/fields.h"

#include <map>
#include <vector>

#include "base/error.h"
#include "data/files/number_file.h"
#include "kernels/random.h"

namespace atto::bench {
namespace {

// Settings of the parts that bench/shapes.py names: {part: ["network.layers=2", ...]}.
std::map<std::string, std::vector<std::string>>& named_parts() {
  static std::map<std::string, std::vector<std::string>> parts;
  return parts;
}

void configure(const std::vector<std::string>& settings, RunConfig& config) {
  const Fields fields = Fields().all_of(config, run_schema());
  for (const std::string& setting : settings) {
    const size_t equals = setting.find('=');
    fields.at(setting.substr(0, equals)).set_text(setting.substr(equals + 1));
  }
}

// Random rows of a table, as if they came from a file.
void give_rows(DataConfig& data) {
  constexpr size_t kRows = 10000;
  const auto file = std::make_shared<NumberFile>();
  file->name = data.file = data.file_hash = "bench";
  const auto context = static_cast<size_t>(data.context);
  NumberArray tokens{"tokens", {kRows, context}, {}, {}}, answers{"answers", {kRows}, {}, {}},
      weights{"weights", {kRows}, {}, {}};
  for (uint32_t row = 0; row < kRows; ++row) {
    for (uint32_t i = 0; i <= context; ++i) {
      const auto words = random_block(1, Purpose::table, i, row, 0);
      (i < context ? tokens : answers).values.push_back(random_below(static_cast<uint32_t>(data.vocab), words[0]));
      if (i == context) weights.values.push_back(1 + unit_real(words[1]));
    }
  }
  file->arrays = {tokens, answers, weights};
  data.content = file;
}

}  // namespace

void name_part(std::istream& in) {
  std::string name;
  in >> name;
  std::vector<std::string>& settings = named_parts()[name];
  settings.clear();
  for (std::string setting; in >> setting;) settings.push_back(setting);
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
    config.network.logits = Logits::harmonic;
  } else if (one.part == "positions") {  // the previous token, with learned positions
    config.network.positions = PositionKind::learned;
    config.data.offset = 1;
  } else if (one.part == "unigram") {  // next token at every position; V counts [BOS]
    config.data.task = "unigram";
    config.data.targets = Targets::every;
    config.data.exponent = 1;
    config.data.bos = true;
    --config.data.vocab;
  } else if (one.part == "set") {  // the plain data, but 10,000 sequences for the whole run
    config.data.size = 10000;
  } else if (one.part == "chain") {  // the last position of a chain without zeros
    config.data.task = "markov";
    config.data.chain = ChainKind::low_rank;
  } else if (one.part == "table") {  // 10,000 rows with weights
    config.data.task = "table";
    give_rows(config.data);
  } else if (one.part == "formula") {  // of so few tokens that the answers stand in a table
    config.data.task = "formula";
    config.data.formula = "mod(x0 + x1, V)";
  } else if (one.part == "computed") {  // of all tokens, computed
    config.data.task = "formula";
    config.data.formula = "mod(sum(x), V)";
  } else if (one.part == "toy") {  // free scores on regression by SGD; C is T, D is d, V means nothing
    config.data.task = "regression";
    config.data.dimension = config.network.width;
    config.network.form = Form::scores;
    config.network.init_scale = 0;
    config.training.optimizer = "sgd";
    config.training.rate = 1;
  } else if (const auto named = named_parts().find(one.part); named != named_parts().end()) {
    configure(named->second, config);
  } else if (one.part != "plain") {
    throw Error(ErrorKind::usage, "unknown part '" + one.part + "'", "see bench/bench_case.cpp");
  }
  return one;
}

}  // namespace atto::bench
