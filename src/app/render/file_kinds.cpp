#include "app/render/file_kinds.h"

namespace atto {
namespace {

constexpr std::string_view kPngStart("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16), kPngEnd("\0\0\0\0IEND\xae\x42\x60\x82", 12);

std::string_view without_space(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t from = text.find_first_not_of(kSpace);
  return from == std::string_view::npos ? "" : text.substr(from, text.find_last_not_of(kSpace) + 1 - from);
}

bool is_svg(std::string_view bytes) {
  std::string_view text = without_space(bytes);
  if (text.starts_with("<?xml")) {
    const size_t end = text.find("?>");
    if (end == std::string_view::npos) return false;
    text = without_space(text.substr(end + 2));
  }
  return text.starts_with("<svg") && text.ends_with("</svg>");
}

}  // namespace

bool is_of_kind(std::string_view bytes, FigureFormat format) {
  switch (format) {
    case FigureFormat::svg:
      return is_svg(bytes);
    case FigureFormat::png:
      return bytes.starts_with(kPngStart) && bytes.ends_with(kPngEnd);
    case FigureFormat::gif:
      return bytes.starts_with("GIF89a") && bytes.ends_with(';');
    case FigureFormat::spec:
      break;
  }
  return false;  // no browser makes one
}

}  // namespace atto
