// Words and numbers laid out for people. Widths are columns of a terminal, so UTF-8 text lines up too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/results/format_text.h"

namespace atto {

enum class Align { left, right };

// Columns the text takes: combining marks count 0, East Asian wide characters and emoji 2.
size_t text_width(std::string_view utf8);
// The text if it fits, otherwise its beginning and "…"; never splits a character.
std::string cut(std::string_view utf8, size_t width);
std::string pad(std::string_view utf8, size_t width, Align align = Align::left);
// Lines of at most `width` columns, broken at spaces; a longer word is split.
std::vector<std::string> wrap(std::string_view utf8, size_t width);

std::string bytes_text(uint64_t bytes);  // "12.3 MB"

// "loss, accuracy and 7 more": the first names, so that a line can hold them.
std::string list_text(const std::vector<std::string>& names);

// The word as a shell reads it back.
std::string shell_word(std::string_view word);

}  // namespace atto
