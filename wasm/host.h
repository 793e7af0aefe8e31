// The memory of a module.
#pragma once

#include <cstddef>

inline constexpr size_t kPage = 65'536;
inline constexpr size_t kMostMemory = size_t{2'000'000'000} / kPage * kPage;
