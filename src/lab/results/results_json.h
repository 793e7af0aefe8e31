// Results as JSON values, as documented in docs/cli.md. Infinities are the strings "inf" and "-inf", what does not
// exist is null.
#pragma once

#include "lab/results/json.h"
#include "lab/results/results.h"

namespace atto {

Json cells_json(const StudyResult& result);     // `atto run --json`
Json fits_json(const StudyResult& result);      // the fits of either, a list
Json verdicts_json(const StudyResult& result);  // `atto reproduce --json`, one study's list

}  // namespace atto
