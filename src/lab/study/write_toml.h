// Some cells of a study as a study file of their own.
#pragma once

#include <string>
#include <vector>

#include "lab/study/study.h"

namespace atto {

// The TOML text of a study with these cells: the same runs, down to their ids, observed alike, with the same derived
// quantities and phenomena. Claims, fits and figures stay behind; a fixed number of seeds stands for any plan.
std::string study_toml(const Study& study, const std::vector<Cell>& cells);

// Can a text alone bring these runs back? Not where they read files or parts that a program brings along, nor where the
// command line cut them so short that steps of the plan lie after their end.
bool stands_alone(const Study& study, const std::vector<Cell>& cells);

}  // namespace atto
