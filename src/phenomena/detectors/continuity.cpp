// `continuity`: do tokens with near numbers have near embeddings?
//
// With x_i the embedding of token i and r_ij = ‖x_i - x_j‖, i < j:
//   local            Spearman correlation of j - i with r_ij over the pairs with j - i <= reach: along a continuous
//                    curve, however it winds, distance grows with the step in number as long as the step is short. 0
//                    for tokens placed at random
//   global           the same over all pairs: near 1 only where the curve does not come back, such as an open arc
//   neighbour_ratio  mean r_{i,i+1} / mean r_ij: 1 for tokens placed at random, about 3/V for a straight line
//   p                how often the same embeddings, dealt to the tokens in a shuffled order, have a neighbour_ratio
//                    that is at most this one (chance.h)
//   continuous       1 if neighbour_ratio < threshold and p <= significance
//   planarity        share of the variance in the first two principal components: how much a picture of them shows
//   order            |Spearman correlation| of i with the first principal component: 1 for an arc that is run through
//                    from end to end
// With components = k > 0 the distances are those seen in a picture of the first k principal components: in a wide
// embedding an ordered arc may hold a small share of the variance, and all other directions hide it.
//
// The reach is a neighbourhood: a tenth of the vocabulary, so that a curve may turn through ten of them, and at least
// 3, since with fewer there is next to no spread in j - i to rank. The threshold is 0.5: neighbours are half as far
// apart as tokens drawn blindly; by chance the ratio is 1 ± 1/√V or so, so thirty tokens at random never get there, and
// for few tokens the p of 0.01 must be met as well. Missing for fewer than four tokens, and where all coincide.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/saturating.h"
#include "math/correlation.h"
#include "math/spectrum.h"
#include "phenomena/detectors/chance.h"

namespace atto {
namespace {

class ContinuityDetector final : public Detector {
 public:
  void describe(Fields& fields) override {
    fields.text("series", series_, "address of the embeddings (tokens x width)");
    moment_.describe(fields);
    fields.integer("reach", reach_, 0, 1e9, "largest difference of numbers within a neighbourhood; 0 is max(3, V/10)")
        .integer("components", components_, 0, 1e6, "principal components that distances are taken in; 0 is all")
        .real("threshold", threshold_, 0, 10, "neighbour_ratio below which the embedding is continuous")
        .real("significance", significance_, 0, 1, "largest p of a continuous embedding");
  }

  void check(const RunConfig& config) const override { moment_.check(config); }
  SeriesNeeds needs() const override { return {SeriesNeed::matrix(series_, "points", "width")}; }

  std::vector<QuantityHelp> quantities() const override {
    return {{"local", "rank correlation of difference in number with distance, within neighbourhoods"},
            {"global", "the same over all pairs of tokens"},
            {"neighbour_ratio", "mean distance of consecutive tokens / mean distance of all"},
            {"continuous", "1 if neighbour_ratio is below the threshold", true},
            {"planarity", "share of the variance in the first two principal components"},
            {"order", "|rank correlation| of the token's number with the first principal component"},
            {"p", "how often a shuffled order of the same embeddings has such a neighbour_ratio"}};
  }

  // 2: it must be more than chance.
  int64_t revision(const std::string& quantity) const override { return quantity == "continuous" ? 2 : 1; }
  std::vector<Cut> cuts(const std::string& quantity) const override {
    return quantity == "continuous" && threshold_ > 0 ? std::vector{cut_by_factor("threshold", threshold_, 0, 10)}
                                                      : std::vector<Cut>{};
  }
  // All pairs of tokens need not be compared again.
  std::optional<Quantity> decide(const Finding& finding, const std::string& name, const std::string& setting,
                                 double value) const override {
    if (name != "continuous" || setting != "threshold") return std::nullopt;
    const std::optional<double> ratio = find(finding, "neighbour_ratio")->value, p = find(finding, "p")->value;
    if (!ratio || !p) return Quantity{name, {}};
    return Quantity{name, *ratio < value && *p <= significance_ ? 1.0 : 0.0};
  }

  size_t bytes(const RunConfig& config) const override {
    const auto tokens = static_cast<size_t>(std::max<int64_t>(config.data.vocab, 0));
    const auto reach = std::min(static_cast<size_t>(reach_of(config.data.vocab)), tokens);
    const size_t pairs = saturating_product(tokens, tokens) / 2;
    const size_t near = std::min(saturating_product(tokens, reach), pairs);
    // Steps and distances of both; then the ranks of the steps, the order of the distances and their ranks.
    return saturating_product(sizeof(double), saturating_sum(saturating_product(5, pairs), 2 * near));
  }

  Finding detect(const Recording& recording, const RunConfig& config) const override {
    return detect_polling(recording, config, [] {});
  }

  // All pairs of 8000 tokens take most of a minute.
  Finding detect_polling(const Recording& recording, const RunConfig& config, const Poll& poll) const override {
    const Series& series = require_matrix(recording, series_);
    const std::optional<size_t> measurement = moment_.read_finite(recording, series, config);
    if (!measurement) return all_missing(*this);
    const Points tokens = tokens_of(series, *measurement, config);
    const Eigen::Index count = tokens.rows();
    if (count < 4) return all_missing(*this);

    const PrincipalComponents components = principal_components(numbers(tokens), static_cast<size_t>(tokens.cols()));
    const Points scores(components.scores.data(), count, tokens.cols());
    const Eigen::MatrixXd seen =
        components_ > 0 ? Eigen::MatrixXd(scores.leftCols(std::min<Eigen::Index>(components_, tokens.cols())))
                        : Eigen::MatrixXd(tokens);
    const int64_t reach = reach_of(count);
    std::vector<double> steps, distances, near_steps, near_distances;
    for (std::vector<double>* all : {&steps, &distances}) all->reserve(static_cast<size_t>(count * (count - 1) / 2));
    double consecutive = 0;
    for (Eigen::Index i = 0; i < count; ++i) {
      poll();
      for (Eigen::Index j = i + 1; j < count; ++j) {
        steps.push_back(static_cast<double>(j - i));
        distances.push_back((seen.row(i) - seen.row(j)).norm());
        if (j == i + 1) consecutive += distances.back();
        if (j - i > reach) continue;
        near_steps.push_back(steps.back());
        near_distances.push_back(distances.back());
      }
    }
    const double mean = std::accumulate(distances.begin(), distances.end(), 0.0) / static_cast<double>(steps.size());
    if (!(mean > 0)) return all_missing(*this);
    const double ratio = consecutive / static_cast<double>(count - 1) / mean;

    const std::vector<double> shuffled = shuffled_draws(static_cast<size_t>(count), [&](std::span<const size_t> order) {
      double apart = 0;
      for (size_t i = 1; i < order.size(); ++i)
        apart +=
            (seen.row(static_cast<Eigen::Index>(order[i])) - seen.row(static_cast<Eigen::Index>(order[i - 1]))).norm();
      return apart / static_cast<double>(count - 1) / mean;
    });
    const double p = chance_of_at_most(ratio, shuffled);
    poll();

    std::vector<double> index(static_cast<size_t>(count)), first;
    std::iota(index.begin(), index.end(), 0.0);
    for (const double score : scores.col(0)) first.push_back(score);
    const double local = spearman(near_steps, near_distances);
    poll();
    const double global = spearman(steps, distances);
    return {quantity("local", local),
            quantity("global", global),
            quantity("neighbour_ratio", ratio),
            quantity("continuous", ratio < threshold_ && p <= significance_ ? 1 : 0),
            quantity("planarity", components.share(2)),
            quantity("order", std::abs(spearman(index, first))),
            quantity("p", p)};
  }

 private:
  int64_t reach_of(int64_t tokens) const { return reach_ > 0 ? reach_ : std::max<int64_t>(3, tokens / 10); }

  std::string series_ = "embedding";
  MomentReader moment_;
  int64_t reach_ = 0, components_ = 0;
  double threshold_ = 0.5, significance_ = 0.01;
};

}  // namespace

std::unique_ptr<Detector> make_continuity_detector() { return std::make_unique<ContinuityDetector>(); }

}  // namespace atto
