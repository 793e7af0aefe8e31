// Formula: tokens are independent; the answer, at the last position, is an expression of them:
//   mod(x0 + x1, V)      mod(sum(x), 2)      max(x)      sum(x < x0)      x0 == x1 ? 1 : 0
// It may read x0 .. x(C-1), the vector x of them all, V and C.
//
// It is tried before anything is trained: on all sequences of the tokens that it reads where they are few, else on
// many. Where they are few the answers stand in a table, and drawing one is looking it up.
#include <cmath>

#include "base/error.h"
#include "data/tasks/sequences.h"
#include "math/expression/lanes.h"

namespace atto {
namespace {

constexpr double kTable = 1 << 16;  // sequences whose answers are kept
constexpr size_t kTried = 1 << 17;  // sequences that are tried, at most
constexpr size_t kBlock = 256;      // of them at once

// The expression with what it reads, position by position.
class Formula {
 public:
  explicit Formula(const DataConfig& config)
      : vocab_(static_cast<double>(config.vocab)), context_(static_cast<double>(config.context)), config_(config) {
    if (config.formula.empty())
      throw Error(ErrorKind::config, "data.formula says nothing", "give an expression, as in \"mod(x0 + x1, V)\"");
    std::vector<std::string> known{"x", "V", "C"};
    for (int64_t i = 0; i < config.context; ++i) known.push_back("x" + std::to_string(i));
    try {
      expression_ = Expression(config.formula);
      expression_.check_names(known);
      const auto shape_of = [&](const std::string& name) { return name == "x" ? Shape{config.context} : Shape{}; };
      if (!expression_.shape(shape_of).empty())
        throw Error(ErrorKind::config, "its value is no number but a vector or a matrix",
                    "take one entry of it, its sum or its largest");
      program_ = LaneProgram(expression_, shape_of);
    } catch (const Error& error) {
      throw Error(ErrorKind::config, "data.formula: " + std::string(error.what()), error.remedy());
    }
    for (const Expression::Name& one : expression_.names()) {
      if (one.name == "x") whole_ = true;
      else if (one.name != "V" && one.name != "C") positions_.push_back(std::stoull(one.name.substr(1)));
    }
    if (whole_) {
      positions_.resize(static_cast<size_t>(config.context));
      for (size_t i = 0; i < positions_.size(); ++i) positions_[i] = i;
    }
    scratch_ = program_.scratch();
    inputs_.resize(expression_.names().size());
  }

  // The positions whose tokens it reads.
  const std::vector<size_t>& positions() const { return positions_; }

  // out[lanes] of tokens [C][stride].
  void evaluate(const int32_t* tokens, size_t stride, size_t lanes, double* out) {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const std::string& name = expression_.names()[i].name;
      if (name == "V") inputs_[i] = every_lane(&vocab_);
      else if (name == "C") inputs_[i] = every_lane(&context_);
      else if (name == "x") inputs_[i] = {nullptr, tokens, 1, stride};
      else inputs_[i] = lane_input(tokens + number_of(name) * stride);
    }
    program_.run(inputs_, lanes, out, scratch_);
  }

  bool allowed(double answer) const { return answer >= 0 && answer < vocab_ && answer == std::floor(answer); }

  // Error(config) about the answer to the tokens of a lane.
  [[noreturn]] void refuse(double answer, const int32_t* tokens, size_t stride, size_t lane) const {
    std::string sequence;
    for (size_t i = 0; i < static_cast<size_t>(context_); ++i)
      sequence += (i == 0 ? "" : " ") + std::to_string(tokens[i * stride + lane]);
    throw Error(ErrorKind::config,
                "data.formula = \"" + config_.formula + "\" gives " +
                    (std::isnan(answer) ? "no number" : to_text(answer)) + " for the tokens " + sequence,
                "an answer is a token, a whole number from 0 to data.vocab - 1 = " + std::to_string(config_.vocab - 1) +
                    "; mod(.., V), floor(..) or a condition brings others there");
  }

 private:
  static size_t number_of(const std::string& name) { return std::stoull(name.substr(1)); }

  double vocab_, context_;
  DataConfig config_;
  Expression expression_;
  LaneProgram program_;
  LaneScratch scratch_;
  std::vector<LaneInput> inputs_;
  std::vector<size_t> positions_;
  bool whole_ = false;  // it reads the vector of all tokens
};

// The tokens that are drawn at all.
std::vector<int32_t> possible_tokens(const DataConfig& config) {
  std::vector<int32_t> tokens;
  for (int32_t token = 0; token < config.vocab; ++token)
    if (config.frequencies.empty() || config.frequencies[static_cast<size_t>(token)] > 0) tokens.push_back(token);
  return tokens;
}

// Sequences of the tokens that a formula reads: all of them by number, the last position counting fastest.
class Tries {
 public:
  Tries(const DataConfig& config, const std::vector<size_t>& positions)
      : kinds_(possible_tokens(config)), positions_(positions), tokens_(static_cast<size_t>(config.context) * kBlock) {
    for (int32_t& token : tokens_) token = kinds_.front();
  }
  double count() const { return std::pow(static_cast<double>(kinds_.size()), static_cast<double>(positions_.size())); }

  // [C][kBlock]: the sequences first, first + 1, ..., or random ones where they are too many to number.
  const int32_t* tokens(size_t first, size_t lanes, bool all) {
    for (size_t lane = 0; lane < lanes; ++lane) {
      size_t rest = first + lane;
      for (size_t i = positions_.size(); i-- > 0; rest /= kinds_.size()) {
        const uint32_t word = all ? 0 : random_block(0, Purpose::probe, i, static_cast<uint32_t>(first + lane), 0)[0];
        const size_t kind = all ? rest % kinds_.size() : random_below(static_cast<uint32_t>(kinds_.size()), word);
        tokens_[positions_[i] * kBlock + lane] = kinds_[kind];
      }
    }
    return tokens_.data();
  }

 private:
  std::vector<int32_t> kinds_;
  std::vector<size_t> positions_;
  std::vector<int32_t> tokens_;
};

void try_out(const DataConfig& config, Formula& formula) {
  Tries tries(config, formula.positions());
  const bool all = tries.count() <= static_cast<double>(kTried);
  const size_t count = all ? static_cast<size_t>(tries.count()) : kTried;
  std::array<double, kBlock> answers;
  for (size_t first = 0; first < count; first += kBlock) {
    const size_t lanes = std::min(kBlock, count - first);
    const int32_t* tokens = tries.tokens(first, lanes, all);
    formula.evaluate(tokens, kBlock, lanes, answers.data());
    for (size_t lane = 0; lane < lanes; ++lane)
      if (!formula.allowed(answers[lane])) formula.refuse(answers[lane], tokens, kBlock, lane);
  }
}

TaskSpec describe_formula(const DataConfig& config) {
  const int context = static_cast<int>(config.context);
  TaskSpec spec = describe_tokens(config, context - 1);
  if (config.targets != Targets::last)
    throw Error(ErrorKind::config, "data.targets = \"every\", but a formula has one answer, at the last position",
                "set data.targets = \"last\"");
  spec.listing = list_independent(config, context);
  Formula formula(config);
  try_out(config, formula);
  spec.references = {{"best", 0.0}};
  const double table = std::pow(static_cast<double>(config.vocab), static_cast<double>(formula.positions().size()));
  spec.bytes = table <= kTable ? sizeof(int32_t) * static_cast<size_t>(table) : 0;
  spec.building = spec.bytes;
  return spec;
}

class FormulaTask final : public Task {
 public:
  FormulaTask(const DataConfig& config, const TaskSpec& spec)
      : Task(spec), source_(config), vocab_(static_cast<int32_t>(config.vocab)), formula_(config) {
    if (spec.bytes > 0) make_table(spec.bytes / sizeof(int32_t));
  }

  std::vector<double> frequencies() const override { return source_.frequencies(); }

  void fill(const Draw& draw, const Batch& batch) const override {
    source_.draw(draw, context(), batch.tokens, batch.lanes);
    answer(batch);
    weigh_samples(batch);
  }

  void answer(const Batch& batch) const override {
    if (table_.empty()) evaluate(batch);
    else look_up(batch);
  }

 private:
  // Answers to all that the tokens it reads can be; where some are never drawn, what they give does not matter.
  void make_table(size_t size) {
    const std::vector<size_t>& positions = formula_.positions();
    table_.resize(size);
    std::vector<int32_t> tokens(static_cast<size_t>(context()) * kBlock);
    std::array<double, kBlock> answers;
    for (size_t first = 0; first < size; first += kBlock) {
      const size_t lanes = std::min(kBlock, size - first);
      for (size_t lane = 0; lane < lanes; ++lane) {
        size_t rest = first + lane;
        for (size_t i = positions.size(); i-- > 0; rest /= static_cast<size_t>(vocab_))
          tokens[positions[i] * kBlock + lane] = static_cast<int32_t>(rest % static_cast<size_t>(vocab_));
      }
      formula_.evaluate(tokens.data(), kBlock, lanes, answers.data());
      for (size_t lane = 0; lane < lanes; ++lane)
        table_[first + lane] = formula_.allowed(answers[lane]) ? static_cast<int32_t>(answers[lane]) : 0;
    }
  }

  void look_up(const Batch& batch) const {
    const auto lanes = static_cast<size_t>(batch.lanes);
    int32_t* index = batch.targets;
    std::fill_n(index, lanes, 0);
    for (const size_t position : formula_.positions()) {
      const int32_t* tokens = batch.tokens + position * lanes;
      for (size_t b = 0; b < lanes; ++b) index[b] = index[b] * vocab_ + tokens[b];
    }
    for (size_t b = 0; b < lanes; ++b) index[b] = table_[static_cast<size_t>(index[b])];
  }

  // Padding may hold tokens that are never drawn.
  void evaluate(const Batch& batch) const {
    const auto lanes = static_cast<size_t>(batch.lanes);
    std::array<double, kBlock> answers;
    for (size_t first = 0; first < lanes; first += kBlock) {
      const size_t count = std::min(kBlock, lanes - first);
      formula_.evaluate(batch.tokens + first, lanes, count, answers.data());
      for (size_t i = 0; i < count; ++i) {
        const bool allowed = formula_.allowed(answers[i]);
        if (!allowed && first + i < static_cast<size_t>(batch.samples))
          formula_.refuse(answers[i], batch.tokens, lanes, first + i);
        batch.targets[first + i] = allowed ? static_cast<int32_t>(answers[i]) : 0;
      }
    }
  }

  IndependentTokens source_;
  int32_t vocab_;
  mutable Formula formula_;     // with scratch of its own: a run stays on one thread
  std::vector<int32_t> table_;  // [V]^(tokens it reads), or empty
};

}  // namespace

TaskKind formula_task() {
  return {{"data.vocab", "data.context", "data.formula"},
          false,
          describe_formula,
          make_from<FormulaTask>,
          {"data.formula", "data.frequencies"},
          {{"data.formula", "mod(x0 + x1, V)"}, {"data.context", "2"}}};
}

}  // namespace atto
