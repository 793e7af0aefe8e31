#include "base/content_hash.h"

#include <xxhash.h>

namespace atto {

std::string content_hash(std::string_view bytes) {
  XXH128_canonical_t canonical;  // big-endian, the same on every machine
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  std::string hash;
  for (const unsigned char byte : canonical.digest) {
    hash += "0123456789abcdef"[byte >> 4];
    hash += "0123456789abcdef"[byte & 15];
  }
  return hash;
}

}  // namespace atto
