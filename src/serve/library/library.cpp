#include "serve/library/library.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/contains.h"
#include "base/error.h"
#include "base/names.h"
#include "base/read_file.h"
#include "lab/results/answers.h"
#include "lab/results/decide.h"
#include "lab/results/outline_json.h"
#include "lab/results/results_json.h"
#include "lab/store/store.h"
#include "lab/study/own_parts.h"
#include "live/request.h"

namespace atto {
namespace {

StudyOptions study_options(const Json& request) {
  StudyOptions options;
  if (!request.contains("options")) return options;
  const Json& given = member(request, "options");
  options.profile = text_member(given, "profile", options.profile);
  for (const Json& change : list_member(given, "set")) {
    if (!change.is_string()) throw Error(ErrorKind::usage, "'set' must be a list of texts such as \"network.width=3\"");
    options.set.push_back(change.get<std::string>());
  }
  if (given.contains("seeds")) options.seeds = whole_member(given, "seeds");
  if (given.contains("most")) options.most = whole_member(given, "most");
  if (given.contains("until")) {
    const std::string word = text_member(given, "until");
    if (!contains(words_of<Until>(), word)) throw Error(ErrorKind::usage, "'until' must be \"count\" or \"decided\"");
    options.until = from_word<Until>(word);
  }
  return options;
}

}  // namespace

Json result_json(const StudyResult& result) {
  Json answers = Json::array();
  for (const SourceAnswers& one : answers_by_source(result.claims))
    answers.push_back({{"publication", one.publication}, {"tally", one.tally}, {"answers", one.answers}});
  return {{"cells", cells_json(result)},
          {"fits", fits_json(result)},
          {"verdicts", verdicts_with_status_json(result)},
          {"answers", std::move(answers)}};
}

std::string Library::find(const std::string& name) const {
  const std::vector<std::string> known = list_studies(studies_);
  if (contains(known, name)) return (std::filesystem::path(studies_) / (name + ".toml")).string();
  const std::string near = nearest_name(name, known);
  throw Error(ErrorKind::missing,
              "there is no study '" + name + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"),
              "the list of studies has those there are");
}

Json Library::studies() const {
  Json studies = Json::array(), broken = Json::array();
  for (const std::string& name : list_studies(studies_)) {
    try {
      studies.push_back(outline_json(outline_study(find(name))));
    } catch (const Error& error) {  // one bad file does not hide the others
      broken.push_back({{"study", name}, {"message", error.what()}});
    }
  }
  return {{"studies", std::move(studies)}, {"broken", std::move(broken)}};
}

Json Library::text(const std::string& name) const {
  const std::optional<std::string> text = read_file(find(name));
  if (!text) throw Error(ErrorKind::missing, "cannot read the study '" + name + "'");
  return {{"study", name}, {"text", *text}};
}

ChosenStudy Library::choose(const Json& request) const {
  const StudyOptions options = study_options(request);
  ChosenStudy chosen;
  if (request.contains("text")) {
    auto parts = std::make_shared<OwnParts>();
    parts->reads_files = false;
    chosen.study = parse_study(text_member(request, "text"), study_path(request), options, std::move(parts));
  } else {
    chosen.study = read_study(find(text_member(request, "study")), options);
  }
  chosen.cells = expand_cells(chosen.study);
  chosen.variant = variant_name(chosen.study, options);
  return chosen;
}

Json Library::results(const Json& request) const {
  const ChosenStudy chosen = choose(request);
  int64_t planned = 0;
  for (const Cell& cell : chosen.cells) planned += cell.seeds;
  Json answer{{"study", chosen.study.name}, {"profile", chosen.variant}, {"planned", planned}, {"runs", 0}};
  std::vector<Run> runs;
  StudyResult result;
  if (std::filesystem::exists(store_)) {
    const Store store(store_, Store::Mode::read);
    runs = stored_runs(chosen.study, chosen.cells, store);
    if (!runs.empty()) result = collect_with_record(chosen.study, chosen.cells, runs, store);
  }
  answer["runs"] = runs.size();
  if (runs.empty())
    for (const char* part : {"cells", "fits", "verdicts", "answers"}) answer[part] = Json::array();
  else answer.update(result_json(result));
  return answer;
}

Json Library::runs(const std::string& study) const {
  Json runs = Json::array();
  if (std::filesystem::exists(store_)) {
    const Store store(store_, Store::Mode::read);
    for (const Store::Membership& one : store.membership(study))
      runs.push_back({{"profile", one.profile},
                      {"cell", parse_json(one.cell)},
                      {"seed", one.seed},
                      {"run", one.run_id},
                      {"stored", store.has(one.run_id)}});
  }
  return {{"runs", std::move(runs)}};
}

Json Library::run(const std::string& id, const std::vector<std::string>& observables) const {
  const Store store(store_, Store::Mode::read);
  const Recording recording = store.load(id);
  for (const std::string& address : observables)
    if (!recording.find(address)) throw Error(ErrorKind::missing, "the run did not record '" + address + "'");
  Json series = Json::array();
  for (const Series& one : recording.series) {
    Json entry{{"address", one.address}, {"shape", one.shape}, {"steps", one.steps}};
    if (one.shape.empty() || contains(observables, one.address)) {
      Json values = Json::array();
      for (const double value : one.values) values.push_back(number_json(value));
      entry["values"] = std::move(values);
    }
    series.push_back(std::move(entry));
  }
  const auto configs = store.held_configs({id});
  return {{"run", id},
          {"config", parse_json(configs.at(id))},
          {"steps_done", recording.steps_done},
          {"diverged_at", recording.diverged_at ? Json(*recording.diverged_at) : Json(nullptr)},
          {"series", std::move(series)}};
}

}  // namespace atto
