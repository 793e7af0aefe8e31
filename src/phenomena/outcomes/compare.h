// Two groups of runs against each other.
#pragma once

#include "phenomena/outcomes/summarise.h"

namespace atto {

// The first less the second, or over it.
enum class Comparison { difference, ratio };
template <>
struct EnumWords<Comparison> {
  static constexpr std::array words{"difference", "ratio"};
};

// Seed by seed: the i-th answers of both belong to runs with the same seeds, so what a start or a stream of data does
// to both cancels. Of medians it is the median of the paired differences or ratios, with its exact order-statistics
// interval; of means the mean of them; of rates the difference of the two shares, with an interval that agrees with
// McNemar's exact test about 0. A ratio of rates gains nothing from pairs and is compared as below.
Estimate compare_pairs(const RunAnswers& first, const RunAnswers& second, Statistic statistic, Comparison compare,
                       const Certainty& certainty);

// Groups whose runs have nothing to do with each other: the difference or ratio of the two medians or means by the
// bootstrap, its low end with the first group at its lower bounds and the second at its upper ones, its high end the
// other way round; shares from their two Wilson intervals, bounded alike.
Estimate compare_groups(const RunAnswers& first, const RunAnswers& second, Statistic statistic, Comparison compare,
                        const Certainty& certainty);

// The numbers alone, without an interval; NaN where there is none.
double estimate_of_pairs(const RunAnswers& first, const RunAnswers& second, Statistic statistic, Comparison compare);
double estimate_of_groups(const RunAnswers& first, const RunAnswers& second, Statistic statistic, Comparison compare);

}  // namespace atto
