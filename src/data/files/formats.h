// The formats of number files. Internal to the room.
#pragma once

#include "data/files/number_file.h"

namespace atto {

// Adds what the bytes hold to file.arrays and file.columns; errors begin with file.name.
void parse_csv(std::string_view bytes, NumberFile& file);
void parse_npy(std::string_view bytes, const std::string& array, NumberFile& file);
void parse_npz(std::string_view bytes, NumberFile& file);

[[noreturn]] void refuse_file(const std::string& what, const std::string& remedy);

// An unsigned number of `bytes` bytes, the lowest first, at `at`.
uint64_t little_endian(std::string_view bytes, size_t at, size_t count);

}  // namespace atto
