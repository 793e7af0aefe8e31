#include "observe/answers.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/simd/denormals.h"

namespace atto {

AnswersProbe::AnswersProbe(LiveRun& run) : run_(run), network_(run.attention()->network()) {
  const auto tokens = static_cast<size_t>(network_.vocabulary());
  for (std::vector<double>* one : {&answers_.asked, &answers_.losses}) one->resize(tokens);
  for (std::vector<double>* one : {&logits_, &powers_}) one->resize(tokens * kLanes);
  seen_.resize(tokens);
  if (network_.vocabulary() <= kMostConfused) answers_.confusion.resize(tokens * tokens);
}

size_t AnswersProbe::bytes(const RunSpec& spec) {
  const auto tokens = static_cast<size_t>(spec.attention()->task.shape.vocabulary);
  const size_t confused = tokens <= kMostConfused ? tokens * tokens : 0;
  return sizeof(double) * ((2 + 2 * kLanes) * tokens + confused) + sizeof(int64_t) * tokens;
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
  for (int query = batch.first_asked; query < batch.context; ++query)
    for (int lane = 0; lane < batch.samples; lane += kLanes) add_group(work, query, lane);
}

// Logits, their largest and their powers are made for a group of samples at once, which takes half the time of making
// them one by one; each sum has the order it has for one sample.
void AnswersProbe::add_group(Workspace& work, int query, int first) {
  const Batch& batch = work.batch();
  const int asked = query - batch.first_asked;
  const size_t tokens = answers_.asked.size();
  network_.answer(run_.trainer().parameters().data(), work, asked, first, kLanes, logits_.data());
  std::array<double, kLanes> largest, sums{};
  std::array<int64_t, kLanes> best{};
  std::copy_n(logits_.data(), kLanes, largest.data());
  for (size_t v = 1; v < tokens; ++v)
    for (size_t s = 0; s < kLanes; ++s) {
      const double logit = logits_[v * kLanes + s];
      best[s] = logit > largest[s] ? static_cast<int64_t>(v) : best[s];
      largest[s] = logit > largest[s] ? logit : largest[s];
    }
  for (size_t v = 0; v < tokens; ++v)
    for (size_t s = 0; s < kLanes; ++s)
      sums[s] += powers_[v * kLanes + s] = std::exp(logits_[v * kLanes + s] - largest[s]);
  const auto samples = static_cast<size_t>(std::min(kLanes, batch.samples - first));
  for (size_t s = 0; s < samples; ++s) {
    const size_t at = static_cast<size_t>(asked * batch.lanes + first) + s;
    const double weight = batch.weights[at];
    if (weight == 0) continue;
    const double total = largest[s] + std::log(sums[s]);
    double loss = 0;
    const auto add = [&](size_t token, double probability) {
      const double one = total - logits_[token * kLanes + s];
      answers_.asked[token] += weight * probability;
      answers_.losses[token] += weight * probability * one;
      if (!answers_.confusion.empty())
        answers_.confusion[token * tokens + static_cast<size_t>(best[s])] += weight * probability;
      loss += probability * one;
    };
    const int32_t target = batch.targets[at];
    if (batch.distributions == nullptr) {
      add(static_cast<size_t>(target), 1);
    } else {
      for (size_t token = 0; token < tokens; ++token)
        add(token,
            batch.distributions[token * static_cast<size_t>(batch.distribution_rows) + static_cast<size_t>(target)]);
    }
    answers_.largest = std::max(answers_.largest, loss);
    answers_.in_context += weight * mass_in_context(batch, query, first + static_cast<int>(s), sums[s]);
    answers_.total += weight;
  }
}

double AnswersProbe::mass_in_context(const Batch& batch, int query, int lane, double sum) {
  ++answer_number_;
  double mass = 0;
  const int end = network_.mask().causal ? query + 1 : batch.context;
  for (int position = 0; position < end; ++position) {
    const auto token = static_cast<size_t>(batch.tokens[position * batch.lanes + lane]);
    if (seen_[token] == answer_number_) continue;  // each token once
    seen_[token] = answer_number_;
    mass += powers_[token * kLanes + static_cast<size_t>(lane % kLanes)] / sum;
  }
  return mass;
}

}  // namespace atto
