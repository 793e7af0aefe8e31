// `sinks`: which tokens soak up attention?
//
// Let r_v be the attention that token v receives per occurrence (1 is a fair share, see layer.0.attention
// .received_by_token), p_v its probability in the task, and rank the tokens by p_v, the most frequent first; for Zipf's
// law that is the order of their numbers.
//   frequent   Σ p_v r_v / Σ p_v over the `top` most frequent tokens: what one occurrence of one of them receives
//   rare       the same over tokens of rank `rare_from` (counted from 0) and beyond
//   ratio      frequent / rare, 1 where attention is blind to frequency
//   present    1 if ratio > threshold: frequent tokens are sinks
//   slope      Spearman correlation of rareness (-p_v) with r_v: negative where frequent tokens receive more
//   bos        r of [BOS]. It stands first, where every query sees it, so even uniform attention gives it
//              1 + 1/2 + .. + 1/C; C is the most possible
//   bos_share  bos / C: the share of all attention that [BOS] holds
// Weighting by p_v instead of equally makes tokens seen once or twice among the probes, whose r_v is mostly chance,
// count for little. Tokens not seen at all (NaN) are left out. The published maps show columns on the first two or
// three of 100 tokens, hence top = 3; under Zipf's law the tokens from 10 on are each at most a tenth as frequent as
// the first and still fill two fifths of the text. The threshold of 2 is far from 1 beside the few per cent of sampling
// error. Missing: all but bos where all tokens are equally frequent; bos where there is none.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "data/task.h"
#include "math/correlation.h"
#include "phenomena/detectors/points.h"

namespace atto {
namespace {

class SinksDetector final : public Detector {
 public:
  void describe(Fields& fields) override {
    fields.text("series", series_, "address of the attention received per occurrence, by token");
    moment_.describe(fields);
    fields.integer("top", top_, 1, 1e9, "how many of the most frequent tokens count as frequent")
        .integer("rare_from", rare_from_, 1, 1e9, "rank, counted from 0, from which tokens count as rare")
        .real("threshold", threshold_, 0, 1e9, "frequent/rare above which frequent tokens are sinks");
  }

  void check(const RunConfig& config) const override {
    moment_.check(config);
    if (top_ > rare_from_)
      throw Error(ErrorKind::config,
                  "top = " + std::to_string(top_) + " tokens overlap those from rank " + std::to_string(rare_from_),
                  "set top at most to rare_from");
  }

  SeriesNeeds needs() const override { return {SeriesNeed::vector(series_, "tokens")}; }

  std::vector<QuantityHelp> quantities() const override {
    return {{"frequent", "attention received per occurrence of a frequent token"},
            {"rare", "attention received per occurrence of a rare token"},
            {"ratio", "frequent / rare"},
            {"present", "1 if the ratio is above the threshold", true},
            {"slope", "rank correlation of rareness with attention received"},
            {"bos", "attention received by [BOS]"},
            {"bos_share", "share of all attention that [BOS] receives"}};
  }

  Finding detect(const Recording& recording, const RunConfig& config) const override {
    const Series& series = require_series(recording, series_);
    if (series.shape.size() != 1)
      throw Error(ErrorKind::config, "series '" + series_ + "' is not one number a token",
                  "name an observable such as 'layer.0.attention.received_by_token'");
    check(config);
    const std::optional<size_t> measurement = moment_.read(recording, series, config);
    if (!measurement) return all_missing(*this);
    const auto received = std::span(series.values).subspan(*measurement * series.block(), series.block());
    const std::vector<double> probability = make_task(config.data)->frequencies();

    std::vector<size_t> order(std::min(probability.size(), received.size()));
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t i, size_t j) { return probability[i] > probability[j]; });
    const auto per_occurrence = [&](size_t first, size_t end) {
      double sum = 0, weight = 0;
      for (size_t rank = first; rank < std::min(end, order.size()); ++rank) {
        if (!std::isfinite(received[order[rank]])) continue;
        sum += probability[order[rank]] * received[order[rank]];
        weight += probability[order[rank]];
      }
      return sum / weight;
    };
    const auto top = static_cast<size_t>(top_), rare_from = static_cast<size_t>(rare_from_);
    double frequent = kNan, rare = kNan;
    if (rare_from < order.size() && probability[order[top - 1]] > probability[order[rare_from]]) {
      frequent = per_occurrence(0, top);
      rare = per_occurrence(rare_from, order.size());
    }
    std::vector<double> rareness, seen;
    for (const size_t token : order) {
      if (!std::isfinite(received[token])) continue;
      rareness.push_back(-probability[token]);
      seen.push_back(received[token]);
    }
    const double ratio = frequent / rare;
    const bool has_bos = config.data.bos && received.size() > probability.size();
    const double bos = has_bos ? received[probability.size()] : kNan;
    return {quantity("frequent", frequent),
            quantity("rare", rare),
            quantity("ratio", ratio),
            quantity("present", std::isfinite(ratio) ? (ratio > threshold_ ? 1 : 0) : kNan),
            quantity("slope", spearman(rareness, seen)),
            quantity("bos", bos),
            quantity("bos_share", bos / static_cast<double>(config.data.context))};
  }

 private:
  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

  std::string series_ = "layer.0.attention.received_by_token";
  MomentReader moment_;
  int64_t top_ = 3, rare_from_ = 10;
  double threshold_ = 2;
};

}  // namespace

std::unique_ptr<Detector> make_sinks_detector() { return std::make_unique<SinksDetector>(); }

}  // namespace atto
