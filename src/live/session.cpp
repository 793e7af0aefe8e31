#include "live/session.h"

#include "base/error.h"
#include "live/request.h"

namespace atto {
namespace {

std::vector<RunKey> asked_runs(const Json& request, const AskedStudy& asked) {
  std::vector<RunKey> keys;
  if (!request.contains("runs") || request["runs"].is_null()) {
    keys = all_run_keys(asked.study, asked.cells);
  } else {
    for (const Json& run : list_member(request, "runs")) {
      const int64_t cell = whole_member(run, "cell");
      keys.push_back({cell < 0 ? asked.cells.size() : static_cast<size_t>(cell), whole_member(run, "seed")});
    }
  }
  if (!request.contains("share") || request["share"].is_null()) return keys;
  const int64_t index = whole_member(request["share"], "index"), of = whole_member(request["share"], "of");
  if (of < 1 || index < 0 || index >= of)
    throw Error(ErrorKind::usage, "'share' of the request must be one of 0 to of - 1", "docs/live.md describes it");
  std::vector<RunKey> own;
  for (int64_t i = index; i < std::ssize(keys); i += of) own.push_back(keys[static_cast<size_t>(i)]);
  return own;
}

}  // namespace

std::unique_ptr<LiveStudy> open_session(const std::string& request) {
  const Json asked_for = parse_request(request);
  AskedStudy asked = asked_study(asked_for);
  std::vector<RunKey> runs = asked_runs(asked_for, asked);
  return std::make_unique<LiveStudy>(std::move(asked.study), std::move(asked.cells), std::move(runs));
}

std::string session_json(const LiveStudy& session) {
  Json runs = Json::array();
  for (const RunKey& key : session.runs()) runs.push_back({{"cell", key.cell}, {"seed", key.seed}});
  return Json{{"runs", std::move(runs)}}.dump();
}

}  // namespace atto
