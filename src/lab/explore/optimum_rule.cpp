// The cell with the best median of a quantity.
#include <algorithm>
#include <limits>

#include "lab/explore/explore.h"
#include "math/confidence_sequence.h"

namespace atto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr size_t kChallengers = 3;  // that get runs next to the best so far

class OptimumRule : public ExploreRule {
 public:
  OptimumRule(const Study& study, std::string quantity, bool largest, int64_t batch)
      : quantity_(std::move(quantity)), sign_(largest ? -1 : 1), batch_(batch) {
    require_quantity(study, quantity_);
  }

  std::vector<size_t> next(const std::vector<CellResult>& cells) override {
    std::vector<size_t> fresh;
    for (size_t i = 0; i < cells.size(); ++i)
      if (cells[i].seeds == 0) fresh.push_back(i);
    if (!fresh.empty()) return fresh;
    const std::vector<Interval> medians = medians_of(cells);
    const size_t best = best_of(medians);
    std::vector<size_t> order = challengers(medians, best);
    if (order.empty()) return {};
    order.resize(std::min(order.size(), kChallengers));
    order.insert(order.begin(), best);
    return order;
  }
  int64_t batch(const CellResult& cell) const override { return std::max(batch_, cell.seeds / 4); }
  std::vector<ExploredCell> summary(const std::vector<CellResult>& cells) const override {
    const std::vector<Interval> medians = medians_of(cells);
    const size_t best = best_of(medians);
    const std::vector<size_t> open = challengers(medians, best);
    std::vector<ExploredCell> all;
    for (size_t i = 0; i < cells.size(); ++i) {
      const Interval& one = medians[i];
      const bool is_open = std::find(open.begin(), open.end(), i) != open.end();
      const bool turned = sign_ < 0;
      all.push_back({cells[i].seeds, sign_ * one.estimate, sign_ * (turned ? one.high : one.low),
                     sign_ * (turned ? one.low : one.high),
                     i == best ? "best"
                     : is_open ? "open"
                               : "worse",
                     false});
    }
    return all;
  }

 private:
  // Less is better in all of them. A run without an answer is as bad as can be, like one that was cut off.
  std::vector<Interval> medians_of(const std::vector<CellResult>& cells) const {
    const double confidence = 1 - 0.05 / static_cast<double>(std::max<size_t>(cells.size(), 1));
    std::vector<Interval> medians;
    for (const CellResult& cell : cells) {
      std::vector<double> values;
      for (const Outcome& one : outcomes_of(cell, quantity_))
        values.push_back(!one.exists()  ? kInfinity
                         : one.censored ? (sign_ > 0 ? kInfinity : -kInfinity)
                                        : sign_ * *one.value);
      std::sort(values.begin(), values.end());
      const int64_t n = std::ssize(values);
      if (n == 0) {
        medians.push_back({kInfinity, -kInfinity, kInfinity});
        continue;
      }
      const Ranks ranks = quantile_sequence_ranks(n, 0.5, confidence);
      const auto at = [&](int64_t rank) { return values[static_cast<size_t>(rank - 1)]; };
      medians.push_back(
          {at((n + 1) / 2), ranks.low < 1 ? -kInfinity : at(ranks.low), ranks.high > n ? kInfinity : at(ranks.high)});
    }
    return medians;
  }
  static size_t best_of(const std::vector<Interval>& medians) {
    return static_cast<size_t>(
        std::min_element(medians.begin(), medians.end(),
                         [](const Interval& a, const Interval& b) { return a.estimate < b.estimate; }) -
        medians.begin());
  }
  // Those that may be better than the best so far, the most promising first.
  static std::vector<size_t> challengers(const std::vector<Interval>& medians, size_t best) {
    std::vector<size_t> open;
    for (size_t i = 0; i < medians.size(); ++i)
      if (i != best && medians[i].low < medians[best].high) open.push_back(i);
    const auto promise = [&](size_t cell) { return std::pair(medians[cell].low, medians[cell].estimate); };
    std::stable_sort(open.begin(), open.end(), [&](size_t a, size_t b) { return promise(a) < promise(b); });
    return open;
  }

  const std::string quantity_;
  const double sign_;
  const int64_t batch_;
};

}  // namespace

std::unique_ptr<ExploreRule> optimum_rule(const Study& study, const std::string& quantity, bool largest,
                                          int64_t batch) {
  return std::make_unique<OptimumRule>(study, quantity, largest, batch);
}

}  // namespace atto
