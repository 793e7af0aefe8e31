// Questions of somebody who watches, without a memory between them: JSON in, JSON out. docs/live.md lists
// them.
#pragma once

#include <exception>
#include <string>

namespace atto {

// Never throws: whatever is wrong comes back as {"error": {"message", "remedy", "line", "column"}}, with the place in
// the study's text where there is one. Any bytes may be asked.
std::string ask(const std::string& request);

// The same words for an exception that was caught elsewhere on behalf of somebody who watches.
std::string error_json(const std::exception_ptr& error);

}  // namespace atto
