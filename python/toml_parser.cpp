// toml++ as a part of the module (see CMakeLists.txt).
#include <toml++/toml.h>
