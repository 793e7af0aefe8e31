// A name that nobody can foresee, for files that must not meet others.
#pragma once

#include <string>

namespace atto {

std::string random_name();  // 12 letters and digits

}  // namespace atto
