#include "live/ask.h"

#include <array>
#include <charconv>
#include <new>

#include "base/error.h"
#include "base/names.h"
#include "live/answers.h"
#include "live/request.h"

namespace atto {
namespace {

struct LiveQuestion {
  const char* name;
  Json (*answer)(const Json& request);
};

constexpr std::array kQuestions{
    LiveQuestion{"about", [](const Json&) { return about_answer(); }},
    LiveQuestion{"schema", [](const Json&) { return schema_answer(); }},
    LiveQuestion{"study", study_answer},
    LiveQuestion{"change", change_answer},
    LiveQuestion{"judge", judge_answer},
    LiveQuestion{"predict", predict_answer},
    LiveQuestion{"next_cells", next_cells_answer},
};

Json answer(const Json& request) {
  const std::string name = text_member(request, "ask");
  std::vector<std::string> names;
  for (const LiveQuestion& one : kQuestions) {
    if (name == one.name) return one.answer(request);
    names.emplace_back(one.name);
  }
  const std::string near = nearest_name(name, names);
  throw Error(ErrorKind::usage,
              "there is no question '" + name + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"),
              "docs/live.md lists them");
}

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json failure(const std::string& message, const std::string& remedy) {
  return {{"message", message}, {"remedy", remedy}, {"line", nullptr}, {"column", nullptr}};
}

// "study.toml:3:7: what is wrong": the place, and what is wrong without it.
Json failure_at_place(const Error& error) {
  const std::string text = error.what();
  const size_t file = text.find(".toml:");
  const char* const end = text.data() + text.size();
  int64_t line = 0, column = 0;
  if (file != std::string::npos && text.find_first_of(" \n") > file) {
    const auto [after_line, line_fault] = std::from_chars(text.data() + file + 6, end, line);
    if (line_fault == std::errc() && after_line != end && *after_line == ':') {
      const auto [after_column, column_fault] = std::from_chars(after_line + 1, end, column);
      if (column_fault == std::errc() && std::string(after_column, end).starts_with(": ")) {
        Json placed = failure({after_column + 2, end}, error.remedy());
        placed["line"] = line;
        placed["column"] = column;
        return placed;
      }
    }
  }
  return failure(text, error.remedy());
}

}  // namespace

std::string error_json(const std::exception_ptr& error) {
  Json told;
  try {
    std::rethrow_exception(error);
  } catch (const Error& known) {
    told = failure_at_place(known);
  } catch (const std::bad_alloc&) {
    told = failure("the memory does not suffice", "ask for fewer seeds, smaller data or networks");
  } catch (const std::exception& unknown) {
    told = failure(unknown.what(), "");
  } catch (...) {
    told = failure("something went wrong that has no name", "");
  }
  return text_of({{"error", told}});
}

std::string ask(const std::string& request) {
  try {
    return text_of(answer(parse_request(request)));
  } catch (...) {
    return error_json(std::current_exception());
  }
}

}  // namespace atto
