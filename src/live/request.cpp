#include "live/request.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "lab/study/own_parts.h"
#include "live/limits.h"
#include "spec/run_spec.h"

namespace atto {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& remedy = "docs/live.md describes the requests") {
  throw Error(ErrorKind::usage, what, remedy);
}

// Lists and tables within each other; brackets in texts do not count.
void check_depth(const std::string& text) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      else if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepestRequest) refuse("the request nests more than " + std::to_string(kDeepestRequest) + " deep");
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
}

const Json* find(const Json& object, const std::string& key) {
  if (!object.is_object()) refuse("the request has a value where an object with '" + key + "' should be");
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

[[noreturn]] void refuse_kind(const std::string& key, const std::string& kind) {
  refuse("'" + key + "' of the request must be " + kind);
}

void check_name(const std::string& name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
  if (name.empty() || name.size() > 100 || !plain)
    refuse("'name' of the request must be letters, digits, '-' and '_'", "it only names the study in answers");
}

StudyOptions options_of(const Json& request) {
  StudyOptions options;
  const Json* given = find(request, "options");
  if (!given) return options;
  options.profile = text_member(*given, "profile", options.profile);
  for (const Json& change : list_member(*given, "set")) {
    if (!change.is_string()) refuse_kind("set", "a list of texts such as \"network.width=3\"");
    options.set.push_back(change.get<std::string>());
  }
  if (find(*given, "seeds")) options.seeds = whole_member(*given, "seeds");
  return options;
}

[[noreturn]] void refuse_size(const std::string& what, int64_t count, int64_t most) {
  throw Error(ErrorKind::config,
              "the study has " + std::to_string(count) + " " + what + ", of at most " + std::to_string(most) +
                  " that can be watched",
              "make its sweep or its seeds smaller, or train it with `atto run`");
}

// Before any cell is made: a slip in an axis should not take the memory.
void check_outline(const std::string& text, const std::string& path, const StudyOptions& options) {
  const StudyOutline outline = parse_outline(text, path);
  for (const StudyOutline::Profile& one : outline.profiles) {
    if (one.name != options.profile) continue;
    if (one.cells > kMostLiveCells) refuse_size("cells", one.cells, kMostLiveCells);
    const int64_t seeds = options.seeds.value_or(one.most_seeds);
    if (seeds > kMostLiveSeeds) refuse_size("seeds in a cell", seeds, kMostLiveSeeds);
  }
}

}  // namespace

Json parse_request(const std::string& text) {
  if (text.size() > kMostRequestBytes)
    refuse("the request has " + std::to_string(text.size()) + " bytes, of at most " +
           std::to_string(kMostRequestBytes));
  check_depth(text);
  Json request;
  try {
    request = parse_json(text);
  } catch (const Json::exception&) {
    refuse("the request is no JSON");
  }
  if (!request.is_object()) refuse("the request is no JSON object");
  return request;
}

const Json& member(const Json& object, const std::string& key) {
  const Json* found = find(object, key);
  if (!found) refuse("the request lacks '" + key + "'");
  return *found;
}

std::string text_member(const Json& object, const std::string& key, const std::optional<std::string>& otherwise) {
  if (otherwise && !find(object, key)) return *otherwise;
  const Json& found = member(object, key);
  if (!found.is_string()) refuse_kind(key, "a text");
  return found.get<std::string>();
}

int64_t whole_member(const Json& object, const std::string& key, const std::optional<int64_t>& otherwise) {
  const double number = number_member(object, key, otherwise ? std::optional<double>(*otherwise) : std::nullopt);
  constexpr double kMost = 9007199254740992.0;  // beyond it not every whole number is a double
  if (!(std::abs(number) <= kMost) || number != std::floor(number)) refuse_kind(key, "a whole number");
  return static_cast<int64_t>(number);
}

double number_member(const Json& object, const std::string& key, const std::optional<double>& otherwise) {
  if (otherwise && !find(object, key)) return *otherwise;
  const Json& found = member(object, key);
  if (!found.is_number()) refuse_kind(key, "a number");
  return found.get<double>();
}

const Json& list_member(const Json& object, const std::string& key) {
  static const Json kEmpty = Json::array();
  const Json* found = find(object, key);
  if (!found) return kEmpty;
  if (!found->is_array()) refuse_kind(key, "a list");
  return *found;
}

bool flag_member(const Json& object, const std::string& key) {
  const Json* found = find(object, key);
  if (!found) return false;
  if (!found->is_boolean()) refuse_kind(key, "true or false");
  return found->get<bool>();
}

std::optional<double> number_of(const Json& json) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (json.is_null()) return std::nullopt;
  if (json.is_number()) return json.get<double>();
  if (json.is_string() && json.get<std::string>() == "inf") return kInfinity;
  if (json.is_string() && json.get<std::string>() == "-inf") return -kInfinity;
  refuse("the request has " + json.dump(-1, ' ', false, Json::error_handler_t::replace) + " where a number should be");
}

std::string study_path(const Json& request) {
  const std::string name = text_member(request, "name", "study");
  check_name(name);
  return name + ".toml";
}

AskedStudy asked_study(const Json& request) {
  const std::string text = text_member(request, "text"), path = study_path(request);
  if (text.size() > kMostStudyBytes)
    refuse("the study has " + std::to_string(text.size()) + " bytes, of at most " + std::to_string(kMostStudyBytes));
  const StudyOptions options = options_of(request);
  check_outline(text, path, options);
  auto parts = std::make_shared<OwnParts>();
  parts->reads_files = false;
  AskedStudy asked{parse_study(text, path, options, std::move(parts)), {}};
  asked.cells = expand_cells(asked.study);
  for (const Observation& one : asked.study.observe)
    for (const Cell& cell : asked.cells)
      if (const int64_t points = one.when.at_most(cell.config.training.steps); points > kMostLivePoints)
        refuse_size("measurements of " + one.what.front(), points, kMostLivePoints);
  return asked;
}

}  // namespace atto
