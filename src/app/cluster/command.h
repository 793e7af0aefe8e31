// Another program, run to its end: what it printed and how it ended.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace atto {

struct CommandOutput {
  int code = -1;  // exit code, or 128 + the signal that ended it
  std::string out, err;
};

// The first word is looked up on $PATH. Nothing where there is no such program.
std::optional<CommandOutput> run_command(const std::vector<std::string>& words);

// Lines without their ends, empty ones left out.
std::vector<std::string> lines_of(const std::string& text);

}  // namespace atto
