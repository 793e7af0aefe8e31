// What the far end of an output stream can show.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace atto {

struct Terminal {
  static constexpr size_t kUnlimited = 1'000'000;

  bool interactive = false;   // a person watches: lines may be redrawn
  bool colour = false;        // interactive, and NO_COLOR is unset
  size_t width = kUnlimited;  // columns; in a file or a pipe lines are as long as they are

  static Terminal of(int file_descriptor);
};

enum class Style { plain, bold, dim, good, bad, unsure };

// The text with the style's escape codes around it, or as it is where colour does not belong.
std::string styled(std::string_view text, Style style, const Terminal& terminal);

}  // namespace atto
