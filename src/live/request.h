// What a request says, checked. Internal to the room.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/results/json.h"
#include "lab/study/study.h"

namespace atto {

// The request as JSON; Error(usage) where it is none, too long or too deep.
Json parse_request(const std::string& text);

// Members of a JSON object; Error(usage) where one is of another kind. Without `otherwise` it must be there.
const Json& member(const Json& object, const std::string& key);
std::string text_member(const Json& object, const std::string& key, const std::optional<std::string>& otherwise = {});
int64_t whole_member(const Json& object, const std::string& key, const std::optional<int64_t>& otherwise = {});
double number_member(const Json& object, const std::string& key, const std::optional<double>& otherwise = {});
const Json& list_member(const Json& object, const std::string& key);  // an empty one where it is missing
bool flag_member(const Json& object, const std::string& key);         // false where it is missing
// A number as lab/results/json.h writes it; nothing for null.
std::optional<double> number_of(const Json& json);

// The study of a request {"text", "name"?, "options"?} and its cells. It reads no files: what it says came from
// anywhere. Error(config) as parse_study(), and for one beyond live/limits.h.
struct AskedStudy {
  Study study;
  std::vector<Cell> cells;
};
AskedStudy asked_study(const Json& request);

// What a request calls its study, as errors begin with it.
std::string study_path(const Json& request);

}  // namespace atto
