// What the far end of an output stream can show.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace atto {

struct Terminal {
  bool interactive = false;  // a person watches: lines may be redrawn
  bool colour = false;       // interactive, and NO_COLOR is unset
  size_t width = 100;        // columns; 100 where nobody watches

  static Terminal of(int file_descriptor);
};

enum class Style { plain, bold, dim, good, bad, unsure };

// The text with the style's escape codes around it, or as it is where colour does not belong.
std::string styled(std::string_view text, Style style, const Terminal& terminal);

}  // namespace atto
