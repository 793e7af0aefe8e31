// Where tests find what they read and run. Only places.cpp knows the folders: on every command line they would keep two
// checkouts from sharing what a compiler cache holds.
#pragma once

#include <string>

namespace atto {

std::string in_source(const std::string& path);  // a file of the repository: "studies", "docs/examples/law.toml"
std::string program_path();                      // the program people run

}  // namespace atto
