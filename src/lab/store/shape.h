// The shapes of series and matrices as the store writes them. Internal to the store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace atto {

// "[]", "[4,2]": JSON, which NumPy's reshape takes after json.loads.
std::string shape_text(const std::vector<int64_t>& shape);
// Throws SQLITE_CORRUPT for anything that shape_text does not write, and for more axes than any observable has.
std::vector<int64_t> parse_shape(const std::string& text);

// Throws SQLITE_CORRUPT unless `blocks` blocks of this shape are `count` numbers. The product of the extents alone
// never overflows then, not even where one of them is 0.
void require_count(const std::vector<int64_t>& shape, size_t blocks, size_t count);

}  // namespace atto
