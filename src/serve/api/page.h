// The page that the server shows: the playground, told that a server stands behind it.
#pragma once

#include <string>
#include <string_view>

namespace atto {

// The page for a browser that has a server: its policy allows requests to it, and <meta name="atto-server"> says that
// it is there. A plain page that says what to do where none was built.
std::string served_page(std::string_view page);

}  // namespace atto
