#include "app/terminal/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace atto {

Terminal Terminal::of(int file_descriptor) {
  Terminal terminal;
  if (isatty(file_descriptor) == 0) return terminal;
  const char* kind = std::getenv("TERM");
  const bool dumb = kind == nullptr || std::string_view(kind) == "dumb";
  const char* no_colour = std::getenv("NO_COLOR");  // any non-empty value turns colour off
  terminal.interactive = !dumb;
  terminal.colour = !dumb && (no_colour == nullptr || *no_colour == '\0');
  winsize size{};
  if (ioctl(file_descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    terminal.width = std::clamp<size_t>(size.ws_col, 40, 200);
  return terminal;
}

std::string styled(std::string_view text, Style style, const Terminal& terminal) {
  if (!terminal.colour || style == Style::plain || text.empty()) return std::string(text);
  const char* code = "0";
  switch (style) {
    case Style::plain:
      break;
    case Style::bold:
      code = "1";
      break;
    case Style::dim:
      code = "2";
      break;
    case Style::good:
      code = "32";
      break;
    case Style::bad:
      code = "31";
      break;
    case Style::unsure:
      code = "33";
      break;
  }
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace atto
