// Results as JSON values, as documented in docs/cli.md. Infinities are the strings "inf" and "-inf", what does not
// exist is null.
#pragma once

#include "lab/results/json.h"
#include "lab/results/results.h"

namespace atto {

Json cells_json(const StudyResult& result);     // `atto run --json`
Json fits_json(const StudyResult& result);      // the fits of either, a list
Json verdicts_json(const StudyResult& result);  // `atto reproduce --json`, one study's list, without the status
// The same with what the record says of each claim, which depends on when it was asked and is not stored.
Json verdicts_with_status_json(const StudyResult& result);

}  // namespace atto
