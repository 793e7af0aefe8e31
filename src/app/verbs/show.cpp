// atto show: what the store holds.
#include "app/verbs/show.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>

#include "app/open_store.h"
#include "app/stored_study.h"
#include "app/studies.h"
#include "app/terminal/text_table.h"
#include "app/verbs/verbs.h"
#include "base/error.h"
#include "lab/results/json.h"

namespace atto {
namespace {

struct StoredStudy {
  std::string name, variant;
  int64_t cells = 0, runs = 0, stored = 0;
  std::map<std::string, int64_t> verdicts;  // how many of each kind
};

// The words of the verdicts in such JSON; none where it is not what `atto reproduce --json` prints.
std::vector<std::string> stored_words(const std::string& json) {
  std::vector<std::string> words;
  const std::optional<Json> all = try_parse_json(json);
  if (!all || !all->is_array()) return words;
  for (const Json& one : *all)
    if (one.is_object() && one.contains("verdict") && one["verdict"].is_string())
      words.push_back(one["verdict"].get<std::string>());
  return words;
}

std::vector<StoredStudy> stored_studies(const Options& options, const Store& store) {
  // The store knows the names of judged studies; those of unfinished ones come from the studies folder.
  std::set<std::string> names;
  const auto verdicts = store.verdicts();
  for (const auto& one : verdicts) names.insert(one.study);
  try {
    for (const std::string& name : list_studies(studies_folder(options))) names.insert(name);
  } catch (const Error&) {
    // Without a studies folder the store still shows what it has.
  }
  std::vector<StoredStudy> studies;
  for (const std::string& name : names) {
    std::map<std::string, StoredStudy> variants;
    std::map<std::string, std::set<std::string>> cells;
    for (const auto& member : store.membership(name)) {
      StoredStudy& study = variants[member.profile];
      ++study.runs;
      study.stored += store.has(member.run_id) ? 1 : 0;
      cells[member.profile].insert(member.cell);
    }
    for (const auto& one : verdicts)
      if (one.study == name)
        for (const std::string& verdict : stored_words(one.json)) ++variants[one.profile].verdicts[verdict];
    for (auto& [variant, study] : variants) {
      study.name = name;
      study.variant = variant;
      study.cells = static_cast<int64_t>(cells[variant].size());
      studies.push_back(study);
    }
  }
  return studies;
}

// How to see more of a study. One whose cells a command can name comes before one that was explored between them.
std::string closer_look(const std::vector<StoredStudy>& studies, const Options& options) {
  const StoredStudy* chosen = nullptr;
  const auto rank = [&](const StoredStudy& one) {
    return (read_variant(one.variant).refine.empty() ? 2 : 0) + (is_known_study(one.name, options) ? 1 : 0);
  };
  for (const StoredStudy& one : studies)
    if (one.stored > 0 && (chosen == nullptr || rank(one) > rank(*chosen))) chosen = &one;
  if (chosen == nullptr) return "";
  const StoredVariant variant = read_variant(chosen->variant);
  return (variant.refine.empty() ? "Curves and verdicts: " : "Curves of the study's own cells: ") +
         stored_study_command("show", chosen->name, variant.options, options);
}

}  // namespace

void show_store(const Options& options, const Store& store) {
  int64_t runs = 0, outdated = 0;  // those of another engine revision are kept, but not read
  for (const RunSummary& run : store.runs()) ++(run.engine_revision == kEngineRevision ? runs : outdated);
  std::error_code ignored;  // the size is a courtesy
  const auto bytes = std::filesystem::file_size(store.path(), ignored);
  const auto studies = stored_studies(options, store);
  if (options.json) {
    Json list = Json::array();
    for (const StoredStudy& one : studies)
      list.push_back({{"study", one.name},
                      {"variant", one.variant},
                      {"cells", one.cells},
                      {"runs_asked", one.runs},
                      {"runs", one.stored},
                      {"verdicts", one.verdicts}});
    const Json all = {{"store", store.path()}, {"format", kStoreFormat},    {"bytes", ignored ? 0 : bytes},
                      {"runs", runs},          {"outdated_runs", outdated}, {"studies", list}};
    std::cout << json_text(all);
    return;
  }
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  std::cout << store.path() << ": " << count_text(runs, "run")
            << (outdated > 0 ? " and " + count_text(outdated) + " of another engine revision" : "")
            << (ignored ? "" : ", " + bytes_text(bytes)) << "\n";
  if (studies.empty()) return;
  Table table(
      {{"study"}, {"variant"}, {"cells", Align::right}, {"runs", Align::right}, {"verdicts", Align::left, true}});
  for (const StoredStudy& one : studies) {
    std::string verdicts;
    for (const auto& [kind, count] : one.verdicts)
      verdicts += (verdicts.empty() ? "" : ", ") + std::to_string(count) + " " + kind;
    const std::string of = one.stored < one.runs ? " of " + count_text(one.runs) : "";
    table.row({{one.name, Style::bold},
               one.variant,
               count_text(one.cells),
               count_text(one.stored) + of,
               verdicts.empty() ? "-" : verdicts});
  }
  std::cout << "\n" << table.render(terminal);
  if (const std::string look = closer_look(studies, options); !look.empty()) std::cout << "\n" << look << "\n";
}

Json config_of(const Store& store, const RunSummary& run) {
  std::optional<Json> config = try_parse_json(run.config);
  if (!config || !config->is_object())
    throw Error(ErrorKind::store, store.path() + ": the settings of run " + run.id + " cannot be read",
                "`atto check --repair --store " + store.path() + "` drops the run and says what to train again");
  return std::move(*config);
}

std::optional<RunSummary> find_run(const Store& store, const std::string& prefix) {
  if (prefix.size() < 4 || prefix.find_first_not_of("0123456789abcdef") != std::string::npos) return std::nullopt;
  std::vector<RunSummary> found, outdated;
  for (const RunSummary& run : store.runs())
    if (run.id.starts_with(prefix)) (run.engine_revision == kEngineRevision ? found : outdated).push_back(run);
  if (found.empty()) found = std::move(outdated);  // the store refuses to load it, and says which engine computed it
  if (found.empty() && prefix.size() >= 8)         // no name of a study, surely
    throw Error(ErrorKind::missing, "'" + store.path() + "' holds no run whose id begins with '" + prefix + "'",
                "`atto show STUDY --json` lists the ids of its runs");
  if (found.size() > 1)
    throw Error(ErrorKind::usage, "'" + prefix + "' begins the ids of " + std::to_string(found.size()) + " runs",
                "give more digits, for example " + found[0].id.substr(0, prefix.size() + 6));
  return found.empty() ? std::nullopt : std::optional(found.front());
}
namespace {

constexpr const char* kShowFooter = R"(Examples
  atto show                                        what the store holds
  atto show sticky-plateau --log                   curves of each cell, verdicts
  atto show plateau-phase-diagram --quantity plateau.level
  atto show sticky-plateau --thresholds            verdicts over the cuts they hang on
  atto show 3f9c21 --observable embedding          one run, by the beginning of its id)";

void describe_show(VerbOptions& options) {
  options.names("STUDY|RUN_ID", "a study, a study file, or the beginning of a run's id")
      .study()
      .observables("what to draw; may be repeated (default: perplexity)")
      .text("--quantity", options.target().quantity, "NAME",
            "what the map of a two-axis sweep shows (default: the first that differs between cells)")
      .flag("--log", options.target().log_scale, "draw curves on a logarithmic scale")
      .flag("--thresholds", options.target().thresholds,
            "say what the verdicts would be if detectors drew their lines elsewhere");
}

int show(const Options& options) {
  const Store store = open_store_aloud(options.store, Store::Mode::read);
  if (options.names.empty()) show_store(options, store);
  else if (const auto run = find_run(store, options.names.front())) show_run(options, store, *run);
  else show_study(options, store);
  return 0;
}

}  // namespace

Verb show_verb() {
  return {.help = "What the store holds: an overview, a study's curves, or one run",
          .footer = kShowFooter,
          .describe = describe_show,
          .perform = show};
}

}  // namespace atto
