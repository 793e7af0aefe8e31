// `circle`: do the token embeddings lie on a circle, and how evenly?
//
// The embeddings are looked at in the plane of their first two principal components, with coordinates (u, v) centred on
// their mean (for width 2 that is a rotation and changes nothing). The circle's centre is the algebraic least-squares
// one, the minimum of Σ (‖x - c‖² - R²)²; since Σuv = 0 in these axes it is
//   c = ( Σ u(u² + v²) / 2Σu²,  Σ v(u² + v²) / 2Σv² ).
// With ρ_i = ‖x_i - c‖ and the angles about c sorted, gaps g_k between neighbours, Σ g_k = 2π:
//   radius        mean ρ_i
//   residual      √(mean (ρ_i - radius)²) / radius: 0 on a circle, 0.35 for points that fill a disc, 0.52 for a normal
//                 cloud
//   evenness      exp(entropy of g_k/2π) / V: 1 where all gaps are equal, 0.66 on average for random angles, towards
//                 1/V when all tokens but a few coincide
//   largest_gap, smallest_gap   in units of the even gap 2π/V
//   p             how often as many points placed at random in a ball of the network's width surround their centre with
//                 at most this residual (chance.h): small where a circle is no accident
//   on_circle     1 if residual <= threshold, no gap reaches π, and p <= significance. The second part asks that the
//                 tokens surround the centre: a short arc, or points on a line with a far centre, have small residuals
//                 as well. The third is there for few tokens: four at random are within the threshold now and then
//   planarity     share of the variance in the plane
// The algebraic fit has a bias on short noisy arcs, none for points all around, which are the case asked for. The
// default threshold is 0.1, a band of a tenth of the radius: a third of what a filled disc has, and wide enough for a
// circle still being trained; thirty tokens at random never get there. Missing for width 1, fewer than four
// tokens (three always have a circle) and tokens on a line.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <numbers>
#include <utility>

#include "math/spectrum.h"
#include "phenomena/detectors/chance.h"

namespace atto {
namespace {

struct CircleFit {
  double radius = 0, residual = 0, planarity = 0;
  std::vector<double> gaps;  // in radians, in their order about the centre

  double largest() const { return *std::max_element(gaps.begin(), gaps.end()); }
  bool surrounded() const { return largest() < std::numbers::pi; }
};

// Nothing for tokens on a line.
std::optional<CircleFit> fit_circle(const Points& tokens) {
  const PrincipalComponents components = principal_components(numbers(tokens), static_cast<size_t>(tokens.cols()));
  if (!(components.variances[1] > 1e-12 * components.variances[0])) return std::nullopt;
  const Points plane(components.scores.data(), tokens.rows(), tokens.cols());  // its first two columns
  const Eigen::ArrayXd u = plane.col(0), v = plane.col(1), square = u.square() + v.square();
  const double centre_u = (u * square).sum() / (2 * u.square().sum());
  const double centre_v = (v * square).sum() / (2 * v.square().sum());
  const Eigen::ArrayXd distance = ((u - centre_u).square() + (v - centre_v).square()).sqrt();
  CircleFit fit{distance.mean(), 0, components.share(2), {}};
  fit.residual = std::sqrt((distance - fit.radius).square().mean()) / fit.radius;
  std::vector<double> angles;
  for (Eigen::Index i = 0; i < u.size(); ++i) angles.push_back(std::atan2(v(i) - centre_v, u(i) - centre_u));
  std::sort(angles.begin(), angles.end());
  for (size_t i = 0; i < angles.size(); ++i)
    fit.gaps.push_back(i > 0 ? angles[i] - angles[i - 1] : angles.front() + 2 * std::numbers::pi - angles.back());
  return fit;
}

// Residuals of points at random; infinite where they do not surround their centre. Runs of one size share them.
const std::vector<double>& residuals_by_chance(int64_t tokens, int64_t width) {
  static std::mutex mutex;
  static std::map<std::pair<int64_t, int64_t>, std::vector<double>> known;
  const std::lock_guard lock(mutex);
  std::vector<double>& draws = known[{tokens, width}];
  if (draws.empty())
    draws = placed_draws(tokens, width, [](const Points& points) {
      const std::optional<CircleFit> fit = fit_circle(points);
      return fit && fit->surrounded() ? fit->residual : std::numeric_limits<double>::infinity();
    });
  return draws;
}

class CircleDetector final : public Detector {
 public:
  void describe(Fields& fields) override {
    fields.text("series", series_, "address of the embeddings (tokens x width)");
    moment_.describe(fields);
    fields.real("threshold", threshold_, 0, 10, "largest residual of tokens on a circle")
        .real("significance", significance_, 0, 1, "largest p of tokens on a circle");
  }

  void check(const RunConfig& config) const override { moment_.check(config); }
  SeriesNeeds needs() const override { return {SeriesNeed::matrix(series_, "points", "width")}; }

  std::vector<QuantityHelp> quantities() const override {
    return {{"on_circle", "1 if the residual is within the threshold and the tokens surround the centre", true},
            {"radius", "mean distance from the centre"},
            {"residual", "deviation from the radius (root mean square) / radius"},
            {"evenness", "exp(entropy of the angular gaps) / V; 1 when evenly spaced"},
            {"largest_gap", "largest angular gap in units of 2π/V"},
            {"smallest_gap", "smallest angular gap in units of 2π/V"},
            {"planarity", "share of the variance in the plane of the circle"},
            {"p", "how often as many points at random surround a centre with such a residual"}};
  }

  // 2: it must be more than chance.
  int64_t revision(const std::string& quantity) const override { return quantity == "on_circle" ? 2 : 1; }
  std::vector<Cut> cuts(const std::string& quantity) const override {
    return quantity == "on_circle" && threshold_ > 0 ? std::vector{cut_by_factor("threshold", threshold_, 0, 10)}
                                                     : std::vector<Cut>{};
  }

  Finding detect(const Recording& recording, const RunConfig& config) const override {
    const Series& series = require_matrix(recording, series_);
    const std::optional<size_t> measurement = moment_.read_finite(recording, series, config);
    if (!measurement) return all_missing(*this);
    const Points tokens = tokens_of(series, *measurement, config);
    if (tokens.rows() < 4 || tokens.cols() < 2) return all_missing(*this);
    const std::optional<CircleFit> fit = fit_circle(tokens);
    if (!fit) return all_missing(*this);

    constexpr double kTurn = 2 * std::numbers::pi;
    const auto count = static_cast<double>(tokens.rows());
    double smallest = kTurn, entropy = 0;
    for (const double gap : fit->gaps) {
      smallest = std::min(smallest, gap);
      if (gap > 0) entropy -= gap / kTurn * std::log(gap / kTurn);
    }
    const double p = chance_of_at_most(fit->residual, residuals_by_chance(tokens.rows(), tokens.cols()));
    const double largest = fit->largest() * count / kTurn;
    return {quantity("on_circle", fit->residual <= threshold_ && fit->surrounded() && p <= significance_ ? 1 : 0),
            quantity("radius", fit->radius),
            quantity("residual", fit->residual),
            quantity("evenness", std::exp(entropy) / count),
            quantity("largest_gap", largest),
            quantity("smallest_gap", smallest * count / kTurn),
            quantity("planarity", fit->planarity),
            quantity("p", p)};
  }

 private:
  std::string series_ = "embedding";
  MomentReader moment_;
  double threshold_ = 0.1, significance_ = 0.01;
};

}  // namespace

std::unique_ptr<Detector> make_circle_detector() { return std::make_unique<CircleDetector>(); }

}  // namespace atto
