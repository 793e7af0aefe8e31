// Into how many kinds of outcome do the seeds of one configuration split?
//
// Outcomes such as final perplexities are positive and spread in proportion, so they are compared by their logarithms.
// Cutting n of them, sorted, at the K-1 widest gaps gives K parts, with a pooled standard deviation within parts
//   σ_K = √( Σ_parts Σ (log x - mean of the part)² / (n - K) ).
// They are K basins when even the narrowest of these gaps is wider than `separation` and than
// contrast · (1 + 8/n) · σ_K. The largest such K counts, up to `most` and n/2; a single basin when there is none.
//
// separation = 0.05: a twentieth of the value, the noise of one final batch. contrast = 2.5, and the factor in n, which
// makes up for few values leaving wide gaps by chance: one basin is taken for several in less than 1 % of sets of 16 or
// more normally distributed logarithms, and in about 10 % of sets of 8; with a long (exponential) tail, whose last
// values do stand off, in about 10 % of sets of 32. A lone seed may be a basin: that one seed in eight ends elsewhere
// is what has to be told.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace atto {

struct BasinSettings {
  double separation = 0.05;  // nats
  double contrast = 2.5;     // times
  int64_t most = 5;
};

struct Basin {
  int64_t count = 0;
  double low = 0, median = 0, high = 0;
};

// In order of value. Values that are not positive and finite (a run without an outcome) are left out.
std::vector<Basin> find_basins(std::span<const double> values, const BasinSettings& settings = {});

}  // namespace atto
