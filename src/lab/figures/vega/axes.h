// Axes of numbers and of labels, and titles of legends.
#pragma once

#include <string>
#include <vector>

#include "lab/figures/settings.h"
#include "lab/results/json.h"

namespace atto {

// An axis of places 0, 1, … that stand for these labels.
Json place_axis(const std::string& field, const std::string& title, const std::vector<std::string>& labels);
// An axis of positive numbers, from the least to the largest and a little beyond, with few ticks.
Json log_axis(const std::string& field, const std::string& title, std::vector<double> numbers);
// An axis of sizes; few and round ones have a tick each.
Json size_axis(const std::string& field, const std::string& title, Scale scale, std::vector<double> sizes);

// A title in lines of some twenty letters, for a legend.
Json wrapped_title(const std::string& title);

}  // namespace atto
