// Bytes as text, for server-sent events (RFC 4648).
#pragma once

#include <string>
#include <string_view>

namespace atto {

std::string base64(std::string_view bytes);
void append_base64(std::string& text, std::string_view bytes);

}  // namespace atto
