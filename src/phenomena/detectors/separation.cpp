// `separation`: how learned positions point a query at the token `data.offset` places back.
//
// Let p_j be the position embeddings, j = 0 .. C-1; the query asks from c = C-1 and the answer stands at a = c -
// offset. The published account: along some direction s, p_a has the opposite sign of p_c and of all other positions,
// and sᵀ W_Qᵀ W_K s < 0, so equal signs repel, opposite ones attract, and only p_a attracts.
//
// s is found as the unit vector that separates with the widest margin in angle: with q_a = -p_a and q_j = p_j for the
// others, it maximises  min_j s·q_j/‖q_j‖  (math/margin.h, exact for any width). Lengths are divided out since only
// signs matter; otherwise s would all but follow the shortest p_j. Vectors q and weights W act as y = W x.
//   separates     1 if there is such an s
//   margin        that smallest cosine, in (0, 1]
//   value         sᵀ W_Qᵀ W_K s for ‖s‖ = 1
//   value_scaled  the same for ‖s‖² = 2, the length of the published s = (1, 1)
//   mechanism     1 if it separates and value < 0
// Positions at random separate with probability 2^(1-C) Σ_{k<D} (C-1 over k), that is 1/2 for C = 4 and D = 2 and
// always when D >= C, and half of these have a negative value: the share of seeds is to be held against 1/4 there, not
// against 0, and in wide networks `separates` says nothing. Independent of s, and the actual consequence: the part of
// the attention scores that positions alone decide, b_j = p_cᵀ W_Qᵀ W_K p_j / √D, in nats:
//   logit         b_a - mean of b_j over j != a; positive where positions bias attention to the answer
//   logit_gap     b_a - max of b_j over j != a
//   preferred     1 if logit_gap > 0: positions alone rank the answer first
// Missing where the answer is the current token, the context is a single token, or attention is not by dot product;
// margin and values also where nothing separates.
#include <algorithm>
#include <cmath>
#include <limits>

#include "math/margin.h"
#include "network/parts.h"
#include "phenomena/detectors/points.h"

namespace atto {
namespace {

class SeparationDetector final : public Detector {
 public:
  void describe(Fields& fields) override {
    fields.text("positions", positions_, "address of the position embeddings (context x width)")
        .text("query", query_, "address of W_Q")
        .text("key", key_, "address of W_K");
    moment_.describe(fields);
  }

  void check(const RunConfig& config) const override { moment_.check(config); }
  SeriesNeeds needs() const override {
    return {SeriesNeed::matrix(positions_, "positions", "width"), SeriesNeed::matrix(query_, "features", "width"),
            SeriesNeed::matrix(key_, "features", "width")};
  }

  std::vector<QuantityHelp> quantities() const override {
    return {{"separates", "1 if a direction s separates the answer's position from all others by sign", true},
            {"margin", "smallest |cosine| of a position with s"},
            {"value", "sᵀ W_Qᵀ W_K s with |s| = 1"},
            {"value_scaled", "the same with |s|² = 2"},
            {"mechanism", "1 if s separates and the value is negative", true},
            {"logit", "positional attention score of the answer above the mean of the others, in nats"},
            {"logit_gap", "the same above the highest of the others"},
            {"preferred", "1 if positions alone give the answer the highest score", true}};
  }

  Finding detect(const Recording& recording, const RunConfig& config) const override {
    const Series* series[3] = {&require_matrix(recording, positions_), &require_matrix(recording, query_),
                               &require_matrix(recording, key_)};
    std::optional<size_t> at[3];
    for (size_t i = 0; i < 3; ++i) {
      at[i] = moment_.read_finite(recording, *series[i], config);
      if (!at[i]) return all_missing(*this);
    }
    const Points positions = points_of(*series[0], *at[0]);
    const Eigen::Index current = positions.rows() - 1, answer = current - config.data.offset;
    const bool dot = attention_form(config.network).dot_product() && !config.network.qk_norm;
    if (config.data.offset < 1 || answer < 0 || !dot) return all_missing(*this);
    const Eigen::MatrixXd form = points_of(*series[1], *at[1]).transpose() * points_of(*series[2], *at[2]);

    double margin = kNan, value = kNan;
    if (const std::optional<Margin> found = separate(positions, answer)) {
      const Eigen::Map<const Eigen::VectorXd> s(found->direction.data(), positions.cols());
      margin = found->width;
      value = s.dot(form * s);
    }
    const Eigen::VectorXd scores =
        positions * (form.transpose() * positions.row(current).transpose()) / std::sqrt(positions.cols());
    const double others = (scores.sum() - scores(answer)) / static_cast<double>(current);
    double highest = -std::numeric_limits<double>::infinity();
    for (Eigen::Index j = 0; j <= current; ++j)
      if (j != answer) highest = std::max(highest, scores(j));
    const bool separates = std::isfinite(margin), preferred = scores(answer) > highest;
    return {quantity("separates", separates ? 1 : 0),
            quantity("margin", margin),
            quantity("value", value),
            quantity("value_scaled", 2 * value),
            quantity("mechanism", separates && value < 0 ? 1 : 0),
            quantity("logit", scores(answer) - others),
            quantity("logit_gap", scores(answer) - highest),
            quantity("preferred", preferred ? 1 : 0)};
  }

 private:
  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

  static std::optional<Margin> separate(const Points& positions, Eigen::Index answer) {
    const Eigen::VectorXd lengths = positions.rowwise().norm();
    if (!(lengths.minCoeff() > 0)) return std::nullopt;  // no side is the side of 0
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> unit =
        lengths.cwiseInverse().asDiagonal() * positions;
    unit.row(answer) = -unit.row(answer);
    return widest_margin({unit.data(), static_cast<size_t>(unit.size())}, static_cast<size_t>(unit.cols()));
  }

  std::string positions_ = "positions", query_ = "layer.0.query", key_ = "layer.0.key";
  MomentReader moment_;
};

}  // namespace

std::unique_ptr<Detector> make_separation_detector() { return std::make_unique<SeparationDetector>(); }

}  // namespace atto
