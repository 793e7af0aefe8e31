// Content addresses: equal bytes have equal hashes, on every machine.
#pragma once

#include <string>
#include <string_view>

namespace atto {

// 32 hex digits of the XXH3-128 hash.
std::string content_hash(std::string_view bytes);

}  // namespace atto
