// A study of a folder as JSON: what `atto list --json` prints of it.
#pragma once

#include "lab/results/json.h"

namespace atto {

Json outline_json(const StudyOutline& outline);

}  // namespace atto
