#include "observe/answers.h"

#include <algorithm>
#include <cmath>

#include "kernels/simd/denormals.h"

namespace atto {

AnswersProbe::AnswersProbe(LiveRun& run) : run_(run), network_(run.attention()->network()) {
  const auto tokens = static_cast<size_t>(network_.vocabulary());
  for (std::vector<double>* one : {&answers_.asked, &answers_.losses, &logits_, &powers_}) one->resize(tokens);
  seen_.resize(tokens);
  if (network_.vocabulary() <= kMostConfused) answers_.confusion.resize(tokens * tokens);
}

size_t AnswersProbe::bytes(const RunSpec& spec) {
  const auto tokens = static_cast<size_t>(spec.attention()->task.shape.vocabulary);
  const size_t confused = tokens <= kMostConfused ? tokens * tokens : 0;
  return sizeof(double) * (4 * tokens + confused) + sizeof(int64_t) * tokens;
}

const Answers& AnswersProbe::now() {
  if (fresh_at_ == run_.trainer().step()) return answers_;
  for (std::vector<double>* sums : {&answers_.asked, &answers_.losses, &answers_.confusion})
    std::fill(sums->begin(), sums->end(), 0.0);
  answers_.largest = answers_.in_context = answers_.total = 0;
  const FlushDenormals guard;
  run_.attention()->each_test_tile(run_.trainer().parameters(), [this](Workspace& work) { add_tile(work); });
  fresh_at_ = run_.trainer().step();
  return answers_;
}

void AnswersProbe::add_tile(Workspace& work) {
  const Batch& batch = work.batch();
  for (int query = batch.first_asked; query < batch.context; ++query) {
    const int asked = query - batch.first_asked;
    for (int lane = 0; lane < batch.samples; ++lane) {
      const double weight = batch.weights[asked * batch.lanes + lane];
      if (weight == 0) continue;
      network_.answer(run_.trainer().parameters().data(), work, asked, lane, logits_.data());
      const auto best = static_cast<size_t>(std::max_element(logits_.begin(), logits_.end()) - logits_.begin());
      const double sum = raise(logits_[best]), total = logits_[best] + std::log(sum);
      double loss = 0;
      const auto add = [&](size_t token, double probability) {
        answers_.asked[token] += weight * probability;
        answers_.losses[token] += weight * probability * (total - logits_[token]);
        if (!answers_.confusion.empty()) answers_.confusion[token * logits_.size() + best] += weight * probability;
        loss += probability * (total - logits_[token]);
      };
      const int32_t target = batch.targets[asked * batch.lanes + lane];
      if (batch.distributions == nullptr) {
        add(static_cast<size_t>(target), 1);
      } else {
        for (size_t token = 0; token < logits_.size(); ++token)
          add(token,
              batch.distributions[token * static_cast<size_t>(batch.distribution_rows) + static_cast<size_t>(target)]);
      }
      answers_.largest = std::max(answers_.largest, loss);
      answers_.in_context += weight * mass_in_context(batch, query, lane, sum);
      answers_.total += weight;
    }
  }
}

double AnswersProbe::raise(double largest) {
  double sum = 0;
  for (size_t v = 0; v < logits_.size(); ++v) sum += powers_[v] = std::exp(logits_[v] - largest);
  return sum;
}

double AnswersProbe::mass_in_context(const Batch& batch, int query, int lane, double sum) {
  ++answer_number_;
  double mass = 0;
  const int end = network_.mask().causal ? query + 1 : batch.context;
  for (int position = 0; position < end; ++position) {
    const auto token = static_cast<size_t>(batch.tokens[position * batch.lanes + lane]);
    if (seen_[token] == answer_number_) continue;  // each token once
    seen_[token] = answer_number_;
    mass += powers_[token] / sum;
  }
  return mass;
}

}  // namespace atto
