// Table: sequences and their answers from a file.
//
//   CSV    columns x0 .. x(C-1), answer (or answer0 .. answer(C-1) where every position answers), and optionally weight
//          and split (train or test); without a header: C tokens, then the answers
//   NPY    [rows][C + answers] whole numbers
//   NPZ    tokens[rows][C], answers[rows] or [rows][answers], and optionally weights[rows] and test[rows]
//
// The best loss is the entropy of the answers that rows of the training part give to the same input, weighed; at every
// position the input is what stands there and before ("best_full": all tokens, for networks without a causal mask).
#include <array>
#include <cmath>
#include <map>

#include "base/error.h"
#include "data/sequence_set.h"
#include "data/tasks/sequences.h"
#include "data/tasks/table_columns.h"

namespace atto {
namespace {

TaskSpec describe_table(const DataConfig& config) {
  check_context(config);
  refuse_exponent(config);
  const TableColumns table = table_columns(config);
  const TableParts parts = table_parts(config, table);
  TaskSpec spec = describe_tokens(config, static_cast<int>(table.tokens.size() - table.answers.size()));
  spec.rows = {static_cast<int64_t>(parts.train.size()), static_cast<int64_t>(parts.test.size()), parts.equal};
  spec.bytes =
      SequenceSet::bytes(spec.shape, static_cast<double>(table.rows)) + AliasTables::bytes(1, parts.train.size());
  spec.building = 2 * spec.bytes;
  return spec;
}

SequenceSet read_rows(const BatchShape& shape, const TableColumns& table, const std::vector<uint32_t>& rows) {
  SequenceSet set(shape, static_cast<int64_t>(rows.size()));
  BatchMemory memory(shape, kLanes);
  Batch& batch = memory.batch;
  double total = 0;
  for (size_t first = 0; first < rows.size(); first += kLanes) {
    batch.samples = static_cast<int>(std::min<size_t>(kLanes, rows.size() - first));
    for (size_t lane = 0; lane < static_cast<size_t>(batch.samples); ++lane) {
      const uint32_t row = rows[first + lane];
      for (size_t i = 0; i < table.tokens.size(); ++i)
        batch.tokens[i * kLanes + lane] = static_cast<int32_t>(table.tokens[i].at(row));
      for (size_t i = 0; i < table.answers.size(); ++i)
        batch.targets[i * kLanes + lane] = static_cast<int32_t>(table.answers[i].at(row));
      total += table.weight_of(row);
    }
    set.keep(static_cast<int64_t>(first), batch);
  }
  if (table.weight)
    for (size_t i = 0; i < rows.size(); ++i)
      set.weights()[i] = static_cast<float>(table.weight->at(rows[i]) * static_cast<double>(rows.size()) / total);
  return set;
}

// Mean over the asked positions of the entropy of the answer there, given the first tokens up to it, or all of them.
double conditional_entropy(const TableColumns& table, const std::vector<uint32_t>& rows, bool all_tokens) {
  const size_t context = table.tokens.size(), asked = table.answers.size();
  std::vector<uint32_t> sorted = rows;
  std::sort(sorted.begin(), sorted.end(), [&](uint32_t a, uint32_t b) {
    for (const TableColumn& token : table.tokens)
      if (token.at(a) != token.at(b)) return token.at(a) < token.at(b);
    return false;
  });
  double sum = 0, total = 0;
  for (const uint32_t row : rows) total += table.weight_of(row);
  for (size_t q = 0; q < asked; ++q) {
    const size_t seen = all_tokens ? context : context - asked + q + 1;
    std::map<double, double> answers;  // their weights
    double group = 0;
    for (size_t i = 0; i < sorted.size(); ++i) {
      const double weight = table.weight_of(sorted[i]);
      answers[table.answers[q].at(sorted[i])] += weight;
      group += weight;
      const auto same = [&](const TableColumn& token) { return token.at(sorted[i]) == token.at(sorted[i + 1]); };
      const auto end = table.tokens.begin() + static_cast<std::ptrdiff_t>(seen);
      if (i + 1 < sorted.size() && std::all_of(table.tokens.begin(), end, same)) continue;
      for (const auto& [answer, share] : answers)
        if (share > 0) sum -= share / total * std::log(share / group);
      answers.clear();
      group = 0;
    }
  }
  return sum / static_cast<double>(asked);
}

class Table final : public Task {
 public:
  Table(const DataConfig& config, const TaskSpec& spec)
      : Task(spec), train_(spec.shape, 0), test_(spec.shape, 0), tables_(static_cast<size_t>(spec.rows->train)) {
    const TableColumns table = table_columns(config);
    const TableParts parts = table_parts(config, table);
    train_ = read_rows(spec.shape, table, parts.train);
    test_ = read_rows(spec.shape, table, parts.test);
    std::vector<double> shares, answers(static_cast<size_t>(vocabulary()));
    frequencies_.resize(static_cast<size_t>(vocabulary()));
    double total = 0;
    for (const uint32_t row : parts.train) total += table.weight_of(row);
    for (const uint32_t row : parts.train) {
      const double share = table.weight_of(row) / total;
      shares.push_back(share);
      for (const TableColumn& token : table.tokens)
        frequencies_[static_cast<size_t>(token.at(row))] += share / context();
      for (const TableColumn& answer : table.answers) answers[static_cast<size_t>(answer.at(row))] += share / asked();
    }
    tables_.add(shares);
    references_ = {{"best", conditional_entropy(table, parts.train, false)}};
    if (asked() > 1) references_.push_back({"best_full", conditional_entropy(table, parts.train, true)});
    references_.push_back({"without_context", entropy(answers)});
  }

  std::vector<double> frequencies() const override { return frequencies_; }
  std::vector<ReferenceLoss> references() const override { return references_; }
  SequenceSet rows(bool test) const override { return test ? test_ : train_; }

  // Rows of the training part by their weight: for probes, and for a set of data.size rows.
  void fill(const Draw& draw, const Batch& batch) const override {
    std::array<uint32_t, 4 * kLanes> words;
    std::array<uint32_t, kLanes> which;
    for (int lane = 0; lane < batch.lanes; lane += kLanes) {
      random_words(draw.seed, static_cast<uint32_t>(Purpose::data), draw.step,
                   draw.first_sample + static_cast<uint32_t>(lane), 1, words.data(), kLanes);
      tables_.draw_exactly(words.data(), words.data() + kLanes, which);
      train_.pick(which, batch, lane);
    }
    weigh_samples(batch);
  }

 private:
  SequenceSet train_, test_;
  AliasTables tables_;  // the weights of the training part
  std::vector<double> frequencies_;
  std::vector<ReferenceLoss> references_;
};

}  // namespace

TaskKind table_task() {
  return {{"data.vocab", "data.context", "data.file"},
          false,
          describe_table,
          make_from<Table>,
          {"data.file", "data.file_hash"}};
}

}  // namespace atto
