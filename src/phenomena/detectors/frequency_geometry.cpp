// `frequency_geometry`: does the place of a token's embedding tell how frequent it is?
//
// With x_v the embedding of token v, p_v its probability in the task and x_BOS the embedding of [BOS]:
//   to_bos     Spearman correlation of rareness (-p_v, for Zipf's law the token's number) with ‖x_v - x_BOS‖: negative
//              where rare tokens lie nearer to [BOS]. Missing where there is no [BOS]
//   direction  the largest |correlation| with log p_v that the projection of the embeddings on any one direction has,
//              that is the multiple correlation R of the least-squares fit log p_v ≈ c + w·x_v; its w is the direction
// By chance R is about √(D/(V-1)), so 0.14 for 100 tokens in two dimensions. With V <= D + 1 any list of numbers is
// fitted exactly and `direction` is missing. Both are missing where all tokens are equally frequent.
#include <Eigen/Cholesky>
#include <cmath>
#include <limits>

#include "data/task.h"
#include "math/correlation.h"
#include "phenomena/detectors/points.h"

namespace atto {
namespace {

// Pearson correlation of `goal` with its least-squares fit by the points and a constant.
double multiple_correlation(const Points& points, const std::vector<double>& goal) {
  if (points.rows() <= points.cols() + 1) return std::numeric_limits<double>::quiet_NaN();
  const Eigen::Map<const Eigen::VectorXd> target(goal.data(), points.rows());
  Eigen::MatrixXd centred = points.rowwise() - points.row(0);  // exactly 0 where all points coincide
  centred.rowwise() -= centred.colwise().mean().eval();
  // Normal equations: few columns, and LDLᵀ sets what the points do not span to 0.
  const Eigen::VectorXd goal_apart = target.array() - target.mean();
  const Eigen::VectorXd fit = centred * (centred.transpose() * centred).ldlt().solve(centred.transpose() * goal_apart);
  return std::abs(pearson(goal, {fit.data(), static_cast<size_t>(fit.size())}));
}

class FrequencyGeometryDetector final : public Detector {
 public:
  void describe(Fields& fields) override {
    fields.text("series", series_, "address of the embeddings (tokens x width)");
    moment_.describe(fields);
  }

  void check(const RunConfig& config) const override { moment_.check(config); }
  SeriesNeeds needs() const override { return {SeriesNeed::matrix(series_, "tokens", "width")}; }

  std::vector<QuantityHelp> quantities() const override {
    return {{"to_bos", "rank correlation of rareness with distance to [BOS]; negative: rare tokens are nearer"},
            {"direction", "largest |correlation| of log frequency with a direction of the embedding"}};
  }

  // The task is made anew: its tables, and the probabilities they are made from.
  size_t bytes(const RunConfig& config) const override { return 3 * describe_task(config.data).bytes; }

  Finding detect(const Recording& recording, const RunConfig& config) const override {
    const Series& series = require_matrix(recording, series_);
    const std::optional<size_t> measurement = moment_.read_finite(recording, series, config);
    if (!measurement) return all_missing(*this);
    const Points tokens = tokens_of(series, *measurement, config);
    const std::vector<double> probability = make_task(config.data)->frequencies();
    if (tokens.rows() != std::ssize(probability)) return all_missing(*this);

    std::vector<double> rareness, logarithm;
    for (const double p : probability) {
      rareness.push_back(-p);
      logarithm.push_back(std::log(p));
    }
    double to_bos = std::numeric_limits<double>::quiet_NaN();
    if (config.data.bos && series.shape[0] > tokens.rows()) {
      const Eigen::RowVectorXd bos = points_of(series, *measurement).row(tokens.rows());
      const Eigen::VectorXd distance = (tokens.rowwise() - bos).rowwise().norm();
      to_bos = spearman(rareness, {distance.data(), static_cast<size_t>(distance.size())});
    }
    return {quantity("to_bos", to_bos), quantity("direction", multiple_correlation(tokens, logarithm))};
  }

 private:
  std::string series_ = "embedding";
  MomentReader moment_;
};

}  // namespace

std::unique_ptr<Detector> make_frequency_geometry_detector() { return std::make_unique<FrequencyGeometryDetector>(); }

}  // namespace atto
