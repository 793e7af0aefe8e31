#include "base/json_library.h"

template class nlohmann::basic_json<nlohmann::ordered_map>;
