// `swaps`: do tokens change places on their circle?
//
// At every measurement of the embeddings from step `from` on, the tokens are ordered by their angle about their mean,
// in the plane of the first two principal components of the last measurement (one plane for the whole run, so that
// nothing but the tokens moves; for width 2 it is the whole space). Between two consecutive measurements the number of
// swaps is the fewest exchanges of neighbours that turn one cyclic order into the other, rotations and mirror images
// being the same order (cyclic_order.h).
//   total         swaps over all intervals
//   any           1 if there are at least `least` of them
//   intervals     intervals with at least one swap
//   late          swaps in the last third of the steps looked at: after a decay of the learning rate, say
//   largest, largest_step   most swaps in one interval, and the step at its end
//   net           swaps that turn the order at the first measurement into that at the last: what is left of all of them
//   moved         1 if net is at least `least`
// A swap that is undone before the next measurement is not seen, and two tokens at nearly the same angle swap back and
// forth: `total` grows with how often the embeddings are measured. So runs are compared at the same measured steps;
// `every` takes measurements at least so many steps apart, which makes runs comparable that were measured more often.
// `net` depends on no interval at all.
// Before the circle has formed tokens pass each other freely and that is no swap; in the published runs it stands after
// about a tenth of 10,000 steps, hence from = 1000. Missing for width 1, with fewer than two measurements from there
// on, and after divergence.
#include <algorithm>

#include "math/spectrum.h"
#include "phenomena/detectors/cyclic_order.h"
#include "phenomena/detectors/points.h"

namespace atto {
namespace {

std::vector<int> order_in_plane(const Points& tokens, const Points& axes) {
  const Eigen::MatrixXd centred = tokens.rowwise() - tokens.colwise().mean();
  const Eigen::VectorXd x = centred * axes.row(0).transpose(), y = centred * axes.row(1).transpose();
  const auto count = static_cast<size_t>(x.size());
  return order_by_angle({x.data(), count}, {y.data(), count});
}

class SwapsDetector final : public Detector {
 public:
  void describe(Fields& fields) override {
    fields.text("series", series_, "address of the embeddings (tokens x width)")
        .integer("from", from_, 0, 1e12, "first step looked at")
        .integer("every", every_, 0, 1e12, "fewest steps between two measurements that are compared; 0: all are")
        .integer("least", least_, 1, 1e9, "how many swaps count as any");
  }

  SeriesNeeds needs() const override { return {SeriesNeed::matrix(series_, "points", "width")}; }

  std::vector<QuantityHelp> quantities() const override {
    return {{"total", "exchanges of neighbouring tokens between consecutive measurements, summed"},
            {"any", "1 if there are at least `least` of them", true},
            {"intervals", "intervals between measurements with at least one"},
            {"late", "how many of them in the last third"},
            {"largest", "most in one interval"},
            {"largest_step", "the step at the end of that interval"},
            {"net", "exchanges that turn the order at the first measurement into that at the last"},
            {"moved", "1 if net is at least `least`", true}};
  }

  bool counts(const std::string& quantity) const override {
    return quantity == "total" || quantity == "intervals" || quantity == "late";
  }

  std::vector<Cut> cuts(const std::string& quantity) const override {
    if (quantity != "any" && quantity != "moved") return {};
    Cut cut{"least", static_cast<double>(least_), {static_cast<double>(least_)}, true};
    for (const double value : {1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0})
      if (value != cut.own) cut.values.push_back(value);
    std::sort(cut.values.begin(), cut.values.end());
    return {cut};
  }
  std::optional<Quantity> decide(const Finding& finding, const std::string& name, const std::string& setting,
                                 double value) const override {
    if (setting != "least" || (name != "any" && name != "moved")) return std::nullopt;
    const std::optional<double> swaps = find(finding, name == "any" ? "total" : "net")->value;
    if (!swaps) return Quantity{name, {}};
    return Quantity{name, *swaps >= value ? 1.0 : 0.0};
  }

  Finding detect(const Recording& recording, const RunConfig& config) const override {
    const Series& series = require_matrix(recording, series_);
    if (recording.diverged_at || series.steps.empty() || series.shape[1] < 2) return all_missing(*this);
    const Window window = window_between(series, from_, series.steps.back());
    if (window.size() < 2) return all_missing(*this);
    for (size_t i = window.first; i <= window.last; ++i)
      if (!points_of(series, i).allFinite()) return all_missing(*this);

    const Points last = tokens_of(series, window.last, config);
    const PrincipalComponents components = principal_components(numbers(last), static_cast<size_t>(last.cols()));
    const Points axes(components.axes.data(), last.cols(), last.cols());
    const int64_t first_step = series.steps[window.first], last_step = series.steps[window.last];

    int64_t total = 0, intervals = 0, late = 0, largest = 0, largest_step = 0;
    const std::vector<int> at_first = order_in_plane(tokens_of(series, window.first, config), axes);
    std::vector<int> before = at_first;
    int64_t compared = first_step;
    for (size_t i = window.first + 1; i <= window.last; ++i) {
      if (series.steps[i] - compared < every_) continue;
      compared = series.steps[i];
      std::vector<int> after = order_in_plane(tokens_of(series, i, config), axes);
      const int64_t swaps = after == before ? 0 : cyclic_swaps(before, after);
      before = std::move(after);
      if (swaps == 0) continue;
      total += swaps;
      ++intervals;
      if (3 * (last_step - series.steps[i]) < last_step - first_step) late += swaps;
      if (swaps <= largest) continue;
      largest = swaps;
      largest_step = series.steps[i];
    }
    const int64_t net = cyclic_swaps(at_first, order_in_plane(last, axes));
    Finding finding = {{"total", static_cast<double>(total)},
                       {"any", total >= least_ ? 1.0 : 0.0},
                       {"intervals", static_cast<double>(intervals)},
                       {"late", static_cast<double>(late)},
                       {"largest", static_cast<double>(largest)},
                       {"largest_step", std::nullopt},
                       {"net", static_cast<double>(net)},
                       {"moved", net >= least_ ? 1.0 : 0.0}};
    if (total > 0) finding[5].value = static_cast<double>(largest_step);
    return finding;
  }

 private:
  std::string series_ = "embedding";
  int64_t from_ = 1000, every_ = 0, least_ = 1;
};

}  // namespace

std::unique_ptr<Detector> make_swaps_detector() { return std::make_unique<SwapsDetector>(); }

}  // namespace atto
