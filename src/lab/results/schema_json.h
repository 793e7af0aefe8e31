// What can be set and asked, as JSON: for Python and for pages, which make their controls from it.
#pragma once

#include "lab/results/json.h"

namespace atto {

Json keys_json();       // every setting of a run: a list of what to_json(FieldInfo) says
Json detectors_json();  // {name: {"settings": [...], "quantities": {name: help}}}

}  // namespace atto
