// `sinks`: which tokens soak up attention?
//
// Let r_v be the attention that token v receives per occurrence (1 is a fair share, see layer.0.attention
// .received_by_token), p_v its probability in the task, and rank the tokens by p_v, the most frequent first; for Zipf's
// law that is the order of their numbers.
//   frequent   Σ p_v r_v / Σ p_v over the `top` most frequent tokens: what one occurrence of one of them receives
//   rare       the same over tokens of rank `rare_from` (counted from 0) and beyond
//   ratio      frequent / rare, 1 where attention is blind to frequency
//   p          how often the same r_v, dealt to the tokens in a shuffled order, have a ratio at least as high
//   (chance.h) present    1 if ratio > threshold and p <= significance: frequent tokens are sinks
//   slope      Spearman correlation of rareness (-p_v) with r_v: negative where frequent tokens receive more
//   bos        r of [BOS]. It stands first, where every query sees it, so even uniform attention gives it
//              1 + 1/2 + .. + 1/C; C is the most possible
//   bos_share  bos / C: the share of all attention that [BOS] holds
// Weighting by p_v instead of equally makes tokens seen once or twice among the probes, whose r_v is mostly chance,
// count for little. Tokens not seen at all (NaN) are left out. The published maps show columns on the first two or
// three of 100 tokens, hence top = 3; under Zipf's law the tokens from 10 on are each at most a tenth as frequent as
// the first and still fill two fifths of the text. The threshold of 2 is far from 1 beside the few per cent of sampling
// error, and p is asked to be at most 0.05 besides: of a hundred tokens three at random are seldom twice as attended as
// the rest, of ten they often are. Missing: all but bos where all tokens are equally frequent; bos where there is none.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "data/task.h"
#include "math/correlation.h"
#include "phenomena/detectors/chance.h"

namespace atto {
namespace {

class SinksDetector final : public Detector {
 public:
  void describe(Fields& fields) override {
    fields.text("series", series_, "address of the attention received per occurrence, by token");
    moment_.describe(fields);
    fields.integer("top", top_, 1, 1e9, "how many of the most frequent tokens count as frequent")
        .integer("rare_from", rare_from_, 1, 1e9, "rank, counted from 0, from which tokens count as rare")
        .real("threshold", threshold_, 0, 1e9, "frequent/rare above which frequent tokens are sinks")
        .real("significance", significance_, 0, 1, "largest p of sinks");
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
            {"bos_share", "share of all attention that [BOS] receives"},
            {"p", "how often a shuffled order of the same attention has such a ratio"}};
  }

  // 2: they must be more than chance.
  int64_t revision(const std::string& quantity) const override { return quantity == "present" ? 2 : 1; }
  std::vector<Cut> cuts(const std::string& quantity) const override {
    return quantity == "present" && threshold_ > 0 ? std::vector{cut_by_factor("threshold", threshold_)}
                                                   : std::vector<Cut>{};
  }
  std::optional<Quantity> decide(const Finding& finding, const std::string& name, const std::string& setting,
                                 double value) const override {
    if (name != "present" || setting != "threshold") return std::nullopt;
    const std::optional<double> ratio = find(finding, "ratio")->value, p = find(finding, "p")->value;
    if (!ratio || !p) return Quantity{name, {}};
    return Quantity{name, *ratio > value && *p <= significance_ ? 1.0 : 0.0};
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
    // What an occurrence of the ranks first .. end-1 receives when token v has what `from[v]` has.
    const auto per_occurrence = [&](size_t first, size_t end, std::span<const size_t> from) {
      double sum = 0, weight = 0;
      for (size_t rank = first; rank < std::min(end, order.size()); ++rank) {
        const double share = received[from[order[rank]]];
        if (!std::isfinite(share)) continue;
        sum += probability[order[rank]] * share;
        weight += probability[order[rank]];
      }
      return sum / weight;
    };
    const auto top = static_cast<size_t>(top_), rare_from = static_cast<size_t>(rare_from_);
    double frequent = kNan, rare = kNan, p = kNan;
    if (rare_from < order.size() && probability[order[top - 1]] > probability[order[rare_from]]) {
      std::vector<size_t> itself(order.size());
      std::iota(itself.begin(), itself.end(), size_t{0});
      frequent = per_occurrence(0, top, itself);
      rare = per_occurrence(rare_from, order.size(), itself);
      p = chance_of_at_most(-frequent / rare, shuffled_draws(order.size(), [&](std::span<const size_t> from) {
        return -per_occurrence(0, top, from) / per_occurrence(rare_from, order.size(), from);
      }));
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
            quantity("present", std::isfinite(ratio) ? (ratio > threshold_ && p <= significance_ ? 1 : 0) : kNan),
            quantity("slope", spearman(rareness, seen)),
            quantity("bos", bos),
            quantity("bos_share", bos / static_cast<double>(config.data.context)),
            quantity("p", std::isfinite(ratio) ? p : kNan)};
  }

 private:
  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

  std::string series_ = "layer.0.attention.received_by_token";
  MomentReader moment_;
  int64_t top_ = 3, rare_from_ = 10;
  double threshold_ = 2, significance_ = 0.05;
};

}  // namespace

std::unique_ptr<Detector> make_sinks_detector() { return std::make_unique<SinksDetector>(); }

}  // namespace atto
