// What a control of a page has to change, so that there still is a run.
#include "base/error.h"
#include "lab/results/json.h"
#include "live/answers.h"
#include "live/request.h"
#include "spec/companions.h"

namespace atto {

Json change_answer(const Json& request) {
  const auto [study, cells] = asked_study(request);
  const RunField& field = run_schema().at(text_member(request, "key"));
  Json set = Json::object();
  for (const auto& [key, value] :
       with_companions(cells.front().config, field.key, field.parsed(text_member(request, "value"))))
    set[key] = to_json(value);
  return {{"set", std::move(set)}};
}

}  // namespace atto
