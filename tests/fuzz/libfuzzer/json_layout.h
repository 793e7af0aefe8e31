// GCC and clang must agree on the objects of the JSON library, as code of both works on them here. The library asks
// __has_attribute whether empty members may share their place; GCC says yes and clang no, though both can do it.
#pragma once

#include <nlohmann/thirdparty/hedley/hedley.hpp>

#undef JSON_HEDLEY_HAS_ATTRIBUTE
#define JSON_HEDLEY_HAS_ATTRIBUTE(attribute) __has_cpp_attribute(attribute)
