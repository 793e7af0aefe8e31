// atto export: runs as files other programs read, each with a manifest that says where they came from.
#include <algorithm>
#include <iostream>
#include <optional>

#include "app/export/export_series.h"
#include "app/export/export_tables.h"
#include "app/export/output_file.h"
#include "app/export/output_name.h"
#include "app/export/safetensors.h"
#include "app/export/transformer_lens.h"
#include "app/job.h"
#include "app/open_store.h"
#include "app/terminal/text.h"
#include "app/verbs/show.h"
#include "app/verbs/verbs.h"
#include "base/error.h"
#include "base/names.h"
#include "lab/results/json.h"

namespace atto {
namespace fs = std::filesystem;
namespace {

// The number that a study gave the run: one of the two seeds may stay at the first number, the other counts up from it.
int64_t seed_of(const Json& config) {
  int64_t seed = 0;
  for (const char* key : {"seeds.init", "seeds.data"})
    if (const auto found = config.find(key); found != config.end() && found->is_number_integer())
      seed = std::max(seed, found->get<int64_t>());
  return seed;
}

Selection pick_run(const Store& store, const RunSummary& run) {
  const Json config = config_of(store, run);
  return {run.id.substr(0, 12), {{"run", run.id}}, {{{}, config, {{seed_of(config), run.id}}}}};
}

Selection pick_study(const Options& options, const Store& store) {
  const Job job = prepare(options.names.front(), options);
  Selection selection{job.study.name,
                      {{"study", job.study.name},
                       {"title", job.study.title},
                       {"source", job.study.source},
                       {"profile", job.study.profile},
                       {"variant", variant_name(job.study, options.study)},
                       {"runs_asked", job.runs.size()}},
                      {},
                      job.study};
  for (const Cell& cell : job.cells) selection.cells.push_back({cell.overrides, to_json(cell.config), {}, cell.config});
  bool any = false;
  for (const Run& run : job.runs) {
    if (!store.has(run.id)) continue;
    selection.cells[run.cell].runs.push_back({job.study.seeds.first + run.seed, run.id});
    any = true;
  }
  if (!any)
    throw Error(ErrorKind::missing, "'" + store.path() + "' holds no run of " + job.study.name,
                "`" + run_command(options.names.front(), job.study, options) +
                    "` trains them; give the same --profile and --set here");
  return selection;
}

void check_recorded(const Selection& selection, const Store& store, const Options& options) {
  std::vector<std::string> known;
  for (const PickedCell& cell : selection.cells)
    for (std::string& address : recorded(selection, cell, store))
      if (std::find(known.begin(), known.end(), address) == known.end()) known.push_back(std::move(address));
  for (const std::string& address : options.observables) {
    if (std::find(known.begin(), known.end(), address) != known.end()) continue;
    const std::string near = nearest_name(address, known);
    throw Error(
        ErrorKind::usage, "nothing recorded '" + address + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"),
        known.empty() ? "leave out --observable: the runs recorded nothing" : "recorded is " + list_text(known));
  }
}

// 1 where the settings do not say, or say what cannot be.
int64_t heads_of(const Json& config) {
  const auto found = config.find("network.heads");
  return found != config.end() && found->is_number_integer() ? std::max<int64_t>(found->get<int64_t>(), 1) : 1;
}

std::vector<fs::path> write_weights(const fs::path& output, bool is_file, const Selection& selection,
                                    const Store& store) {
  std::vector<fs::path> files;
  for (size_t index = 0; index < selection.cells.size(); ++index) {
    for (const PickedRun& run : selection.cells[index].runs) {
      const std::string place = selection.origin.contains("study")
                                    ? "-cell" + std::to_string(index) + "-seed" + std::to_string(run.seed)
                                    : "";
      files.push_back(is_file ? output : output / (selection.name + place + ".safetensors"));
      const Json& config = selection.cells[index].config;
      write_safetensors(files.back(), transformer_lens_tensors(store.load(run.id).weights, heads_of(config)),
                        {{"run", run.id},
                         {"engine_revision", std::to_string(kEngineRevision)},
                         {"shapes", "TransformerLens: x W, attention [n_heads, d_model, d_head]"},
                         {"config", config.dump()}});
    }
  }
  return files;
}

// What was measured; of a study also what each run answered, and the verdicts.
std::vector<fs::path> write_tables(const fs::path& output, bool is_file, const Selection& selection, const Store& store,
                                   const Options& options) {
  const bool study = selection.origin.contains("study");
  const auto name = [&](const std::string& table) {
    return is_file ? output : output / (selection.name + (study ? "." + table : "") + ".parquet");
  };
  std::vector<fs::path> files = {name("scalars")};
  write_scalars(files[0], selection, store, options.observables);
  if (!study) return files;
  Job job = prepare(options.names.front(), options);
  const StudyResult result = collect_stored(job, store, options);
  files.insert(files.end(), {name("outcomes"), name("verdicts")});
  write_outcomes(files[1], result);
  write_verdicts(files[2], result);
  return files;
}

Json manifest(const Selection& selection, const Store& store, const Options& options,
              const std::vector<fs::path>& files) {
  Json all = {{"program", std::string("atto ") + kVersion},
              {"engine_revision", kEngineRevision},
              {"store_format", kStoreFormat},
              {"store", store.path()},
              {"format", to_word(options.format)}};
  all.update(selection.origin);
  all["files"] = Json::array();
  for (const fs::path& file : files) all["files"].push_back(file.filename().string());
  all["cells"] = Json::array();
  for (size_t index = 0; index < selection.cells.size(); ++index) {
    const PickedCell& cell = selection.cells[index];
    Json runs = Json::array();
    for (const PickedRun& run : cell.runs) runs.push_back({{"seed", run.seed}, {"run", run.id}});
    all["cells"].push_back({{"cell", "cell" + std::to_string(index)},
                            {"overrides", to_json(cell.overrides)},
                            {"config", cell.config},
                            {"runs", runs}});
  }
  return all;
}

constexpr const char* kExportFooter = R"(Examples
  atto export sticky-plateau --output data         data/sticky-plateau.csv and its manifest
  atto export sticky-plateau --format npz --observable embedding
  atto export sticky-plateau --format parquet --output data   curves, outcomes and verdicts, a file each
  atto export 3f9c21 --format safetensors --output net.safetensors)";

void describe_export(VerbOptions& options) {
  options.names("STUDY|RUN_ID", "a study, a study file, or the beginning of a run's id")
      .study()
      .choice("--format", options.target().format, "csv, npz, safetensors or parquet")
      .text("--output", options.target().output, "DIR|FILE", "folder, or the file to write")
      .observables("only these; may be repeated (default: every one the format can hold)");
}

// Next to the files; nothing where there is no such place.
std::optional<fs::path> note_path(const Options& options, bool is_file, const std::string& name) {
  if (is_stream(options.output)) return std::nullopt;
  return is_file ? fs::path(options.output + ".manifest.json") : fs::path(options.output) / (name + ".manifest.json");
}

void say_written(const Options& options, const std::vector<fs::path>& files, const std::optional<fs::path>& note) {
  if (options.json) {
    Json written = Json::array();
    for (const fs::path& one : files) written.push_back(one.string());
    std::cout << json_text(Json({{"manifest", note ? Json(note->string()) : Json(nullptr)}, {"files", written}}));
    return;
  }
  std::ostream& out = is_standard_output(options.output) ? std::cerr : std::cout;  // apart from what was exported
  out << "wrote " << (files.size() == 1 ? files[0].string() : count_text(std::ssize(files), "file"))
      << (note ? " and " + note->string() : ", without a manifest: it has no place there") << "\n";
}

int export_runs(const Options& options) {
  const std::string ending = std::string(".") + to_word(options.format);
  const bool is_file = is_stream(options.output) || options.output.ends_with(ending);
  check_json_apart(options);
  if (!is_file) check_ending(options.output, ending, std::string("--format ") + to_word(options.format));
  const Store store = open_store_aloud(options.store, Store::Mode::read);
  const auto run = find_run(store, options.names.front());
  const Selection selection = run ? pick_run(store, *run) : pick_study(options, store);
  check_recorded(selection, store, options);

  const fs::path output(options.output);
  if (is_file && options.format == ExportFormat::safetensors && !run)
    throw Error(ErrorKind::usage,
                "the weights of a study are one file per run; '" + options.output + "' is a single file",
                "name a folder");
  if (is_file && options.format == ExportFormat::parquet && !run)
    throw Error(ErrorKind::usage, "a study is three tables; '" + options.output + "' is a single file",
                "name a folder");
  std::vector<fs::path> files;
  if (options.format == ExportFormat::safetensors) {
    files = write_weights(output, is_file, selection, store);
  } else if (options.format == ExportFormat::parquet) {
    files = write_tables(output, is_file, selection, store, options);
  } else {
    files = {is_file ? output : output / (selection.name + ending)};
    if (options.format == ExportFormat::csv) write_csv(files[0], selection, store, options.observables);
    else write_npz(files[0], selection, store, options.observables);
  }
  const std::optional<fs::path> note = note_path(options, is_file, selection.name);
  if (note) {
    OutputFile file(*note);
    file.write(json_text(manifest(selection, store, options, files)));
    file.commit();
  }
  say_written(options, files, note);
  return 0;
}

}  // namespace

Verb export_verb() {
  return {.help = "Write runs as CSV, NPZ (curves), safetensors (weights) or Parquet (tables)",
          .footer = kExportFooter,
          .needs_name = true,
          .describe = describe_export,
          .perform = export_runs};
}

}  // namespace atto
