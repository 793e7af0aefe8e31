// A session of somebody who watches: opened by a request, closed by dropping it. The page's Workers and the server have
// one way in.
//
//   {"text": TOML, "name"?, "options"?: {"profile", "set": ["network.width=3"], "seeds": n},
//    "runs"?: [{"cell", "seed"}], "share"?: {"index": i, "of": n}}
#pragma once

#include <memory>
#include <string>

#include "live/live_study.h"

namespace atto {

// Throws Error. Without "runs" all of the study; with "share" each n-th of them, beginning with number i.
std::unique_ptr<LiveStudy> open_session(const std::string& request);

// {"runs": [{"cell", "seed"}]}: the list that frames count by.
std::string session_json(const LiveStudy& session);

}  // namespace atto
