// The answers to the questions of live/ask.h. Internal to the room; all throw Error.
#pragma once

#include "lab/results/json.h"

namespace atto {

Json about_answer();
Json schema_answer();
Json study_answer(const Json& request);
Json change_answer(const Json& request);
Json judge_answer(const Json& request);
Json predict_answer(const Json& request);
Json next_cells_answer(const Json& request);

}  // namespace atto
