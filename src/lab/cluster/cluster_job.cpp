#include "lab/cluster/cluster_job.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <set>

#include "base/error.h"
#include "base/version.h"
#include "lab/cluster/shared_file.h"
#include "lab/results/json.h"
#include "lab/sweep/forecast.h"
#include "lab/sweep/shard.h"

namespace atto {
namespace fs = std::filesystem;
namespace {

constexpr const char* kJobFile = "job.json";

std::string numbered(int64_t number, int digits, const char* ending) {
  std::string text = std::to_string(number);
  return std::string(std::max<int>(0, digits - static_cast<int>(text.size())), '0') + text + ending;
}

Json options_json(const StudyOptions& options) {
  return {{"profile", options.profile},
          {"set", options.set},
          {"seeds", options.seeds ? Json(*options.seeds) : Json(nullptr)},
          {"until", options.until ? Json(to_word(*options.until)) : Json(nullptr)},
          {"most", options.most ? Json(*options.most) : Json(nullptr)},
          {"refine", options.refine}};
}

StudyOptions read_options(const Json& json) {
  StudyOptions options;
  options.profile = json.at("profile").get<std::string>();
  options.set = json.at("set").get<std::vector<std::string>>();
  if (!json.at("seeds").is_null()) options.seeds = json.at("seeds").get<int64_t>();
  if (!json.at("until").is_null()) options.until = from_word<Until>(json.at("until").get<std::string>());
  if (!json.at("most").is_null()) options.most = json.at("most").get<int64_t>();
  options.refine = json.value("refine", int64_t{0});
  return options;
}

// Seeds that follow each other are one entry: cell, first seed, how many.
Json places_json(const std::vector<RunPlace>& places) {
  Json ranges = Json::array();
  for (size_t i = 0; i < places.size();) {
    size_t end = i + 1;
    while (end < places.size() && places[end].cell == places[i].cell && places[end].seed == places[end - 1].seed + 1)
      ++end;
    ranges.push_back({places[i].cell, places[i].seed, end - i});
    i = end;
  }
  return ranges;
}

std::vector<RunPlace> read_places(const Json& ranges) {
  std::vector<RunPlace> places;
  for (const Json& range : ranges) {
    const auto cell = range.at(0).get<size_t>();
    const auto first = range.at(1).get<int64_t>(), count = range.at(2).get<int64_t>();
    if (first < 0 || first > kMaxRuns || count < 1 || count > kMaxRuns - std::ssize(places))
      throw std::invalid_argument("places");
    for (int64_t seed = first; seed < first + count; ++seed) places.push_back({cell, seed});
  }
  return places;
}

Json job_json(const ClusterJob& job) {
  return {{"study", job.study},
          {"options", options_json(job.options)},
          {"variant", job.variant},
          {"sweep", job.sweep},
          {"engine_revision", job.engine_revision},
          {"program", kVersion},
          {"tasks", job.tasks},
          {"threads", job.threads},
          {"checkpoint", job.checkpoint},
          {"scratch", job.scratch},
          {"runs", job.runs},
          {"costs", job.costs},
          {"places", places_json(job.places)}};
}

ClusterJob read_job(const Json& json) {
  ClusterJob job;
  job.study = json.at("study").get<std::string>();
  job.options = read_options(json.at("options"));
  job.variant = json.at("variant").get<std::string>();
  job.sweep = json.at("sweep").get<std::string>();
  job.engine_revision = json.at("engine_revision").get<int64_t>();
  job.tasks = json.at("tasks").get<int64_t>();
  job.threads = json.at("threads").get<int>();
  job.checkpoint = json.at("checkpoint").get<double>();
  job.scratch = json.at("scratch").get<std::string>();
  job.runs = json.at("runs").get<std::vector<int64_t>>();
  job.costs = json.at("costs").get<std::vector<double>>();
  if (json.contains("places")) job.places = read_places(json.at("places"));
  return job;
}

bool makes_sense(const ClusterJob& job) {
  return !job.study.empty() && job.study.find('/') == std::string::npos && job.tasks >= 1 && !job.runs.empty() &&
         job.packs() <= kMaxShards && job.tasks <= job.packs() && job.costs.size() == job.runs.size() &&
         std::all_of(job.runs.begin(), job.runs.end(), [](int64_t runs) { return runs >= 0 && runs <= kMaxRuns; });
}

// Every file that the runs name, as the study writes it.
std::set<std::string> files_named(const std::vector<Cell>& cells) {
  std::set<std::string> files;
  for (const Cell& cell : cells) {
    if (!cell.config.data.file.empty()) files.insert(cell.config.data.file);
    for (const auto& [name, file] : cell.config.network.start_file) files.insert(file);
  }
  return files;
}

// Copies a file from next to the study to next to its copy.
void copy_along(const fs::path& from_folder, const fs::path& to_folder, const std::string& name) {
  const fs::path inside = fs::path(name).lexically_normal();
  if (inside.is_absolute()) return;  // the same for every machine, or the worker says that it is not there
  if (!inside.empty() && *inside.begin() == "..")
    throw Error(ErrorKind::config, "the study names '" + name + "', which lies outside of its folder",
                "put the file next to the study, or below, so that it can travel with it");
  fs::create_directories((to_folder / inside).parent_path());
  publish_copy(from_folder / inside, to_folder / inside);
}

}  // namespace

int64_t ClusterJob::all_runs() const { return std::accumulate(runs.begin(), runs.end(), int64_t{0}); }

std::vector<int64_t> ClusterJob::packs_of(int64_t task) const {
  std::vector<int64_t> own;
  for (int64_t pack = task; pack <= packs(); pack += tasks) own.push_back(pack);
  return own;
}

bool JobFolder::is_job(const fs::path& path) {
  std::error_code none;
  return fs::is_regular_file(path / kJobFile, none);
}

JobFolder::JobFolder(fs::path path) : path_(std::move(path)) {
  std::error_code none;
  if (!fs::is_directory(path_, none))
    throw Error(ErrorKind::missing, "there is no folder '" + path_.string() + "'",
                "name the folder that `atto submit` made");
  if (!is_job(path_))
    throw Error(ErrorKind::missing, "'" + path_.string() + "' is not the folder of a job: it has no " + kJobFile,
                "name the folder that `atto submit` made");
  bool good = false;
  try {
    if (const auto json = try_parse_json(text_of_file(path_ / kJobFile))) {
      job_ = read_job(*json);
      good = makes_sense(job_);
    }
  } catch (const nlohmann::json::exception&) {
  } catch (const std::invalid_argument&) {
  }
  if (!good)
    throw Error(ErrorKind::store, (path_ / kJobFile).string() + " does not describe a job", "submit the study again");
}

JobFolder JobFolder::make(const fs::path& path, const ClusterJob& job, const Study& study,
                          const std::vector<Cell>& cells) {
  if (is_job(path))
    throw Error(ErrorKind::usage, "there is a job in '" + path.string() + "' already",
                "`atto submit " + path.string() + " --slurm` goes on with it; --folder names another place");
  JobFolder folder(path, job);
  try {
    for (const char* part : {"study", "shards", "partial", "tasks", "logs"}) fs::create_directories(path / part);
    const fs::path from = fs::path(study.path).parent_path(), to = path / "study";
    publish_copy(study.path, folder.study_file());
    for (const std::string& file : files_named(cells)) copy_along(from, to, file);
    // What is known of the claims apart from the study.
    for (const std::string& file : {std::string("ledger.json"), "multiverse/" + study.name + ".json"})
      if (fs::exists(from / file)) copy_along(from, to, file);
  } catch (const fs::filesystem_error& error) {
    throw Error(ErrorKind::resources, "cannot make '" + path.string() + "': " + error.code().message(),
                "name a folder that you may write to with --folder");
  }
  publish_text(path / kJobFile, json_text(job_json(job)));  // last: with it the folder is a job
  return folder;
}

fs::path JobFolder::shard(int64_t pack) const { return path_ / "shards" / numbered(pack, 5, ".db"); }
fs::path JobFolder::partial(int64_t pack) const { return path_ / "partial" / numbered(pack, 5, ".db"); }
fs::path JobFolder::task(int64_t task) const { return path_ / "tasks" / numbered(task, 4, ".json"); }

std::vector<bool> JobFolder::published() const {
  std::vector<bool> there(static_cast<size_t>(job_.packs()));
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(path_ / "shards", none)) {
    if (entry.path().extension() != ".db") continue;
    const int64_t pack = std::strtoll(entry.path().stem().c_str(), nullptr, 10);
    if (pack >= 1 && pack <= job_.packs() && entry.path() == shard(pack)) there[static_cast<size_t>(pack - 1)] = true;
  }
  return there;
}

std::vector<Run> runs_of_job(const JobFolder& folder, const Study& study, const std::vector<Cell>& cells) {
  const ClusterJob& job = folder.job();
  try {
    std::vector<Run> runs = job.places.empty() ? expand_runs(study, cells) : expand_runs(study, cells, job.places);
    if (sweep_hash(runs) == job.sweep) return runs;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;  // it has no such cell
  }
  throw Error(ErrorKind::config, "the study in the job's folder comes to other runs than those that were submitted",
              "nobody may change " + folder.study_file().string() + " or the files it names; submit it again");
}

ClusterJob plan_job(const Study& study, const StudyOptions& options, const std::vector<Run>& runs, int64_t tasks,
                    int64_t packs) {
  ClusterJob job;
  job.study = study.name;
  job.options = options;
  job.options.profile = study.profile;
  job.options.otherwise.reset();
  job.variant = variant_name(study, options);
  job.sweep = sweep_hash(runs);
  job.engine_revision = kEngineRevision;
  std::set<std::string_view> different;
  for (const Run& run : runs) different.insert(run.id);
  const int64_t most = std::min<int64_t>(std::ssize(different), kMaxShards);
  job.tasks = std::clamp<int64_t>(tasks, 1, most);
  packs = std::clamp(packs, job.tasks, most);
  job.runs.assign(static_cast<size_t>(packs), 0);
  job.costs.assign(static_cast<size_t>(packs), 0);
  RunCosts costs;
  const std::vector<int64_t> shards = split_into_shards(runs, packs);
  for (size_t i = 0; i < runs.size(); ++i) {
    if (shards[i] == 0) continue;
    ++job.runs[static_cast<size_t>(shards[i] - 1)];
    job.costs[static_cast<size_t>(shards[i] - 1)] += costs.of(runs[i]);
  }
  return job;
}

int64_t packs_for(double seconds, double pack_seconds, int threads, int64_t tasks) {
  const double packs = seconds / std::max(threads, 1) / std::max(pack_seconds, 1e-3);
  const double each = std::ceil(std::min(packs, static_cast<double>(kMaxShards)) / static_cast<double>(tasks));
  return std::max<int64_t>(static_cast<int64_t>(each), 1) * tasks;
}

}  // namespace atto
