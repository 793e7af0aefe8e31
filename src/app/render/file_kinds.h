// Is this a file of the kind it should be? What a browser hands over is looked at before it becomes somebody's figure.
#pragma once

#include <string_view>

#include "app/options.h"

namespace atto {

// The file begins and ends as one of its kind does.
bool is_of_kind(std::string_view bytes, FigureFormat format);

}  // namespace atto
