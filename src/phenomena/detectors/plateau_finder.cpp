#include "phenomena/detectors/plateau_finder.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/statistics.h"

namespace atto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr size_t kMedianReach = 2;  // measurements on either side: isolated spikes go, pairs of them too

std::vector<double> running_median(std::span<const double> values, size_t reach) {
  std::vector<double> result(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t room = std::min({reach, i, values.size() - 1 - i});  // symmetric, so that ends are not biased
    result[i] = quantile(values.subspan(i - room, 2 * room + 1), 0.5);
  }
  return result;
}

// Least-squares non-increasing fit by pooling adjacent violators.
std::vector<double> non_increasing_fit(std::span<const double> values) {
  struct Block {
    double mean;
    size_t count;
  };
  std::vector<Block> blocks;
  for (const double value : values) {
    blocks.push_back({value, 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean < blocks.back().mean) {
      const Block top = blocks.back();
      blocks.pop_back();
      Block& below = blocks.back();
      const auto count = static_cast<double>(top.count), total = static_cast<double>(top.count + below.count);
      below.mean += (top.mean - below.mean) * count / total;
      below.count += top.count;
    }
  }
  std::vector<double> fit;
  for (const Block& block : blocks) fit.insert(fit.end(), block.count, block.mean);
  return fit;
}

// y = c - p log t by least squares over [first, last]: true when p is below `limit` by two standard errors.
bool is_flat(std::span<const double> time, std::span<const double> y, size_t first, size_t last, double limit) {
  const auto n = static_cast<double>(last - first + 1);
  if (last < first + 3) return false;
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0, yy = 0;
  for (size_t i = first; i <= last; ++i) {
    mean_x += std::log(time[i]) / n;
    mean_y += y[i] / n;
  }
  for (size_t i = first; i <= last; ++i) {
    const double dx = std::log(time[i]) - mean_x, dy = y[i] - mean_y;
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
  }
  const double slope = xy / xx;
  const double residual = std::max(0.0, yy - slope * xy);
  return -slope + 2 * std::sqrt(residual / (n - 2) / xx) <= limit;
}

class Curve {
 public:
  Curve(std::span<const int64_t> steps, std::span<const double> perplexity)
      : time_(steps.begin(), steps.end()), perplexity_(perplexity) {
    for (const double value : perplexity) raw_.push_back(std::log(value));
    fit_ = non_increasing_fit(running_median(raw_, kMedianReach));
  }

  size_t size() const { return time_.size(); }
  double fit(size_t i) const { return fit_[i]; }
  double lowest() const { return fit_.back(); }
  double duration(size_t first, size_t last) const { return time_[last] - time_[first]; }
  double level(size_t first, size_t last) const { return quantile(perplexity_.subspan(first, last - first + 1), 0.5); }

  // Shortest time in which the fit falls by `band` within [first, last], interpolated; infinite when it never does.
  double pace(size_t first, size_t last, double band) const {
    double shortest = kInfinity;
    for (size_t i = first, j = first; i <= last; ++i) {
      const double goal = fit_[i] - band;
      while (j <= last && fit_[j] > goal) ++j;
      if (j > last) break;
      const double beyond = (goal - fit_[j]) / (fit_[j - 1] - fit_[j]);  // share of the last leg that is not needed
      shortest = std::min(shortest, time_[j] - beyond * (time_[j] - time_[j - 1]) - time_[i]);
    }
    return shortest;
  }

  bool flat_at_end(size_t first, size_t last, double limit) const {
    const size_t third = (last - first) / 3;
    return is_flat(time_, raw_, first + third, first + 2 * third, limit) ||
           is_flat(time_, raw_, first + 2 * third, last, limit);
  }

 private:
  std::vector<double> time_, raw_, fit_;
  std::span<const double> perplexity_;
};

struct Stretch {
  size_t first, last;
};

// Non-overlapping stretches, greedily the longest first, of at least `shortest` steps and five measurements.
std::vector<Stretch> stretches(const Curve& curve, double band, double shortest) {
  std::vector<Stretch> found, open = {{0, curve.size() - 1}};
  while (!open.empty()) {
    const Stretch part = open.back();
    open.pop_back();
    Stretch best = {part.first, part.first};
    for (size_t a = part.first, b = part.first; a <= part.last; ++a) {
      b = std::max(a, b);
      while (b < part.last && curve.fit(a) - curve.fit(b + 1) <= band) ++b;
      if (curve.duration(a, b) > curve.duration(best.first, best.last)) best = {a, b};
    }
    if (best.last < best.first + 2 * kMedianReach || curve.duration(best.first, best.last) < shortest) continue;
    found.push_back(best);
    if (best.first > part.first) open.push_back({part.first, best.first - 1});
    if (best.last < part.last) open.push_back({best.last + 1, part.last});
  }
  std::stable_sort(found.begin(), found.end(), [&](const Stretch& x, const Stretch& y) {
    return curve.duration(x.first, x.last) > curve.duration(y.first, y.last);
  });
  return found;
}

}  // namespace

void PlateauSettings::describe(Fields& fields, const std::string& prefix) {
  fields.real(prefix + "band", band, 1e-3, 10, "how far the log perplexity may fall on a plateau, in nats")
      .real(prefix + "margin", margin, 0, 100,
            "how far a plateau must be from the start and from the best loss, in nats")
      .real(prefix + "contrast", contrast, 1, 1e6, "how many times faster the curve must fall before and after it")
      .real(prefix + "lasting", lasting, 0, 1, "shortest plateau, as a share of the training until its end")
      .integer(prefix + "shortest_steps", shortest_steps, 0, 1e12, "shortest plateau, in steps")
      .real(prefix + "shortest", shortest, 0, 1, "shortest plateau, as a share of the whole run")
      .real(prefix + "flat", flat, 0, 10, "largest slope of log perplexity in log steps where the run ends on it");
}

std::vector<Cut> PlateauSettings::cuts(bool presence, const std::string& prefix) const {
  if (!presence) return {cut_by_factor(prefix + "band", band, 1e-3, 10)};
  return {cut_by_factor(prefix + "contrast", contrast, 1, 1e6),
          lasting > 0 ? cut_by_factor(prefix + "lasting", lasting, 0, 1) : cut_between(prefix + "lasting", 0, 0, 0.2)};
}

std::vector<Plateau> find_plateaus(std::span<const int64_t> steps, std::span<const double> perplexity,
                                   const PlateauBounds& bounds, const PlateauSettings& settings) {
  if (steps.size() < kPlateauPoints) return {};
  const Curve curve(steps, perplexity);
  const size_t end = curve.size() - 1;
  const double start = std::min(curve.fit(0), bounds.chance);
  const double floor = bounds.floor.value_or(curve.lowest());

  std::vector<Plateau> plateaus;
  const double least =
      std::max(settings.shortest * static_cast<double>(steps[end]), static_cast<double>(settings.shortest_steps));
  for (const auto& [first, last] : stretches(curve, settings.band, least)) {
    if (curve.duration(first, last) < settings.lasting * static_cast<double>(steps[last])) continue;
    const double level = curve.level(first, last), nats = std::log(level);
    if (nats > start - settings.margin || nats < floor + settings.margin) continue;

    // Paces are looked for up to the plateaus already found on either side.
    size_t from = 0, to = end;
    for (const Plateau& other : plateaus) {
      if (other.last < first) from = std::max(from, other.last);
      else to = std::min(to, other.first);
    }
    const double length = curve.duration(first, last);
    if (length < settings.contrast * curve.pace(from, first, settings.band)) continue;
    const bool untested = to == end && curve.fit(last) - curve.fit(end) < settings.band;
    if (untested ? !curve.flat_at_end(first, last, settings.flat)
                 : length < settings.contrast * curve.pace(last, to, settings.band))
      continue;
    plateaus.push_back({first, last, !untested, level});
  }
  return plateaus;
}

}  // namespace atto
