// `branching`: the two stages of the token embeddings. On the perplexity plateau the tokens lie in two groups of equal
// size whose members all but coincide, so the network knows a token's group but not the token; later each group splits.
//
// Let x_v be the embeddings (rows of the V x d series). The groups are the two signs of the centred embeddings'
// projection on their first principal axis at the measurement in the middle of the plateau; for V = 4 the claim needs
// two pairs, in general two halves. With
//   within(g) = mean distance between two tokens of group g,   between = mean distance between tokens of different
//   groups
// the ratio within/between does not depend on scale, rotation or shift: 0 where the members of a group coincide, and
// 2/(1 + sqrt 2) = 0.83 for four tokens on the corners of a square, that is fully resolved. The default threshold of
// 0.4 is half way between the two.
//   within_to_between      median over the plateau of the ratio of the looser group
//   p                      how often as many points placed at random in a ball of the network's width fall into two
//                          equal groups at least as tight (chance.h). Four points in the plane are within 0.4 with p =
//                          0.05
//   axis_share             median over the plateau of the share of the variance along the first principal axis
//   pairs_coincide         1 if there is a plateau, the groups are of equal size and within_to_between <= threshold
//   within_to_between_end  ratio of the tighter group, same members, at the end of the run
//   splits                 1 if within_to_between_end > threshold: both groups are resolved
//   two_stages             1 if pairs_coincide and splits
// Without a plateau there is no first stage: the three flags are 0 and the rest is missing. All speak of what the run
// shows by its end: where it ends on the plateau a split may still come, but within the run it has not. `significance`
// asks pairs_coincide for a p of at most that besides; 1, the default, asks for nothing, since the published sentence
// says that pairs coincide and not that chance would not have them do so.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "math/spectrum.h"
#include "math/statistics.h"
#include "phenomena/detectors/chance.h"

namespace atto {
namespace {

using Groups = std::vector<bool>;  // V, the side of each token

struct Separation {
  double looser = 0, tighter = 0;  // within / between of the two groups; a lone token has no within
};

Separation separation(const Points& embedding, const Groups& groups) {
  double within[2] = {0, 0}, between = 0;
  double pairs[2] = {0, 0}, across = 0;
  for (Eigen::Index i = 0; i < embedding.rows(); ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      const double distance = (embedding.row(i) - embedding.row(j)).norm();
      const bool side = groups[static_cast<size_t>(i)];
      if (side != groups[static_cast<size_t>(j)]) {
        between += distance;
        ++across;
      } else {
        within[side] += distance;
        ++pairs[side];
      }
    }
  }
  if (across == 0 || between == 0) return {1, 1};  // all tokens in one place: nothing is grouped
  std::vector<double> ratios;
  for (const int side : {0, 1})
    if (pairs[side] > 0) ratios.push_back(within[side] / pairs[side] / (between / across));
  if (ratios.empty()) return {0, 0};
  return {*std::max_element(ratios.begin(), ratios.end()), *std::min_element(ratios.begin(), ratios.end())};
}

PrincipalComponents components_of(const Points& embedding) {
  return principal_components(numbers(embedding), static_cast<size_t>(embedding.cols()));
}

Groups groups_along_axis(const Points& embedding) {
  const PrincipalComponents components = components_of(embedding);
  Groups groups;
  for (size_t i = 0; i < components.scores.size(); i += components.variances.size())
    groups.push_back(components.scores[i] > 0);
  return groups;
}

bool equal_halves(const Groups& groups) {
  return 2 * std::count(groups.begin(), groups.end(), true) == std::ssize(groups);
}

// Ratios of the looser group of points at random; infinite where the groups differ in size. Runs of one size share
// them.
const std::vector<double>& ratios_by_chance(int64_t tokens, int64_t width) {
  static std::mutex mutex;
  static std::map<std::pair<int64_t, int64_t>, std::vector<double>> known;
  const std::lock_guard lock(mutex);
  std::vector<double>& draws = known[{tokens, width}];
  if (draws.empty())
    draws = placed_draws(tokens, width, [](const Points& points) {
      const Groups groups = groups_along_axis(points);
      return equal_halves(groups) ? separation(points, groups).looser : std::numeric_limits<double>::infinity();
    });
  return draws;
}

class BranchingDetector final : public Detector {
 public:
  void describe(Fields& fields) override {
    fields.text("series", series_, "address of the embeddings (vocabulary x width)")
        .real("threshold", threshold_, 0, 10, "within/between below which the tokens of a group coincide")
        .real("significance", significance_, 0, 1, "largest p of tokens that coincide");
    reader_.describe(fields, "perplexity_series", "plateau_");
  }

  SeriesNeeds needs() const override {
    return {SeriesNeed::matrix(series_, "points", "width"), SeriesNeed::scalar(reader_.series)};
  }

  std::vector<QuantityHelp> quantities() const override {
    return {{"pairs_coincide", "1 if on the plateau the tokens lie in two equal groups whose members coincide", true},
            {"splits", "1 if both groups are resolved at the end", true},
            {"two_stages", "1 if they first coincide and then split", true},
            {"within_to_between", "separation within the looser group against between groups, on the plateau"},
            {"within_to_between_end", "the same of the tighter group at the end of the run"},
            {"axis_share", "share of the variance along the first principal axis, on the plateau"},
            {"p", "how often as many points at random fall into two equal groups at least as tight"}};
  }

  void check(const RunConfig& config) const override { reader_.check(config); }
  // 2: no flag is censored; plateaus of another shortest length.
  int64_t revision(const std::string&) const override { return 2; }
  std::vector<Cut> cuts(const std::string& quantity) const override {
    const bool flag = quantity == "pairs_coincide" || quantity == "splits" || quantity == "two_stages";
    return flag && threshold_ > 0 ? std::vector{cut_by_factor("threshold", threshold_, 0, 10)} : std::vector<Cut>{};
  }

  Finding detect(const Recording& recording, const RunConfig& config) const override {
    const Series& series = require_matrix(recording, series_);
    const PlateauReader::Reading reading = reader_.read(recording, config);
    const auto finite = [](double value) { return std::isfinite(value); };
    if (!reading.readable || !std::all_of(series.values.begin(), series.values.end(), finite))
      return all_missing(*this);
    if (reading.plateaus.empty())
      return {{"pairs_coincide", 0},         {"splits", 0},      {"two_stages", 0}, {"within_to_between", {}},
              {"within_to_between_end", {}}, {"axis_share", {}}, {"p", {}}};
    const Window window = window_between(series, reading.start, reading.end);
    if (window.empty()) return all_missing(*this);  // the embeddings were not looked at while on the plateau

    const Groups groups = groups_along_axis(points_of(series, window.first + window.size() / 2));
    const bool halves = equal_halves(groups);

    std::vector<double> ratios, shares;
    for (size_t i = window.first; i <= window.last; ++i) {
      ratios.push_back(separation(points_of(series, i), groups).looser);
      const double share = components_of(points_of(series, i)).share(1);
      shares.push_back(std::isnan(share) ? 1 : share);  // all tokens in one place
    }
    const double on_plateau = quantile(ratios, 0.5);
    const double at_end = separation(points_of(series, series.steps.size() - 1), groups).tighter;
    const double p = halves ? chance_of_at_most(on_plateau, ratios_by_chance(series.shape[0], series.shape[1])) : 1;
    const bool coincide = halves && on_plateau <= threshold_ && p <= significance_, splits = at_end > threshold_;
    return {{"pairs_coincide", coincide ? 1.0 : 0.0},
            {"splits", splits ? 1.0 : 0.0},
            {"two_stages", coincide && splits ? 1.0 : 0.0},
            {"within_to_between", on_plateau},
            {"within_to_between_end", at_end},
            {"axis_share", quantile(shares, 0.5)},
            {"p", p}};
  }

 private:
  std::string series_ = "embedding";
  double threshold_ = 0.4, significance_ = 1;
  PlateauReader reader_;
};

}  // namespace

std::unique_ptr<Detector> make_branching_detector() { return std::make_unique<BranchingDetector>(); }

}  // namespace atto
