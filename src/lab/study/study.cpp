#include "lab/study/study.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/names.h"
#include "lab/study/own_parts.h"
#include "lab/study/parts.h"
#include "lab/study/run_files.h"

namespace atto {
namespace {

void set_run_field(const TomlDocument& document, const Leaf& leaf, RunConfig& config) {
  run_field(document, leaf).assign(config, run_value(document, leaf, *leaf.node));
}

// The base run may be written as [data], [network], [training] or with dotted keys; both are the same tables.
void read_base(TomlReader& root, RunConfig& base, StudyPlaces& places) {
  const TomlDocument& document = root.document();
  for (const std::string section : {"data", "network", "training"}) {
    const TomlNode* table = root.table(section);
    if (!table) continue;
    for (const Leaf& leaf : leaves(document, *table, section)) {
      set_run_field(document, leaf, base);
      places.keys[leaf.key] = leaf.node->place;
    }
  }
}

bool sweeps(const Sweep& sweep, const std::string& key) {
  const auto names_it = [&](const Sweep::Axis& axis) { return axis.key == key; };
  for (const Sweep::Axis& axis : sweep.grid)
    if (names_it(axis)) return true;
  for (const auto& group : sweep.zips)
    for (const Sweep::Axis& axis : group)
      if (names_it(axis)) return true;
  for (const Overrides& cell : sweep.cells)
    for (const auto& [cell_key, value] : cell)
      if (cell_key == key) return true;
  return false;
}

// A profile replaces the sweep or the seeds as a whole, and `set` changes the base run.
void read_profile(const TomlDocument& document, const TomlNode& node, const std::string& name, Study& study,
                  StudyPlaces& places) {
  TomlReader reader(document, node, "[profile." + name + "]");
  if (const TomlNode* sweep = reader.table("sweep")) {
    study.sweep = read_sweep(document, *sweep);
    places.sweep = sweep->place;
  }
  if (const TomlNode* seeds = reader.table("seeds")) study.seeds = read_seeds(document, *seeds, places);
  read_profile_scope(reader, study);
  if (const TomlNode* set = reader.table("set")) {
    for (const Leaf& leaf : leaves(document, *set)) {
      set_run_field(document, leaf, study.base);
      places.keys[leaf.key] = leaf.node->place;
      if (sweeps(study.sweep, leaf.key))
        document.fail(leaf.place, leaf.key + " is swept, so setting it has no effect",
                      "replace the profile's sweep instead");
    }
  }
  reader.finish();
}

// A study under one of its profiles.
struct StudyVariant {
  Study study;
  StudyPlaces places;
};

// Every profile is read, so that a slip in the one not asked for shows now rather than on the day it is. quick and full
// are what the study says at its top level unless it says more.
std::vector<StudyVariant> read_profiles(TomlReader& root, StudyVariant top) {
  const TomlNode* profiles = root.table("profile");
  top.study.profiles = {"quick", "full"};
  std::map<std::string, const TomlNode*> own;
  if (profiles) {
    for (const TomlEntry& entry : profiles->entries) {
      if (entry.key != "quick" && entry.key != "full") top.study.profiles.push_back(entry.key);
      own.emplace(entry.key, &entry.value);
    }
  }
  std::vector<StudyVariant> variants;
  for (const std::string& name : top.study.profiles) {
    StudyVariant& variant = variants.emplace_back(top);
    variant.study.profile = name;
    if (own.contains(name)) read_profile(root.document(), *own.at(name), name, variant.study, variant.places);
  }
  return variants;
}

StudyVariant choose(std::vector<StudyVariant> variants, const StudyOptions& options) {
  const std::vector<std::string>& profiles = variants.front().study.profiles;
  const auto place = [&](const std::string& name) { return std::find(profiles.begin(), profiles.end(), name); };
  std::string chosen = options.profile;
  if (place(chosen) == profiles.end() && options.otherwise) chosen = *options.otherwise;
  if (place(chosen) == profiles.end()) {
    const std::string near = nearest_name(chosen, profiles);
    std::string list;
    for (const std::string& name : profiles) list += (list.empty() ? "" : ", ") + name;
    throw Error(ErrorKind::config,
                variants.front().study.path + ": the study has no profile '" + chosen + "'" +
                    (near.empty() ? "" : "; did you mean '" + near + "'?"),
                "its profiles are " + list);
  }
  return std::move(variants[static_cast<size_t>(place(chosen) - profiles.begin())]);
}

// What the file says under each profile; no cell is made.
std::vector<StudyVariant> read_variants(const TomlDocument& document, std::shared_ptr<const OwnParts> parts = nullptr) {
  TomlReader root(document, document.root, "the study");
  StudyVariant top;
  auto& [study, places] = top;
  study.path = document.path;
  study.name = std::filesystem::path(document.path).stem().string();
  study.parts = parts ? std::move(parts) : std::make_shared<const OwnParts>();
  study.files = std::make_shared<NumberFiles>(std::filesystem::path(document.path).parent_path(), study.parts->arrays,
                                              study.parts->reads_files);
  study.title = root.text("title");
  study.source = root.text("source");
  study.summary = root.text("summary");
  read_provenance(root, study);
  read_base(root, study.base, places);
  study.observe = read_observe(document, root.find("observe"), *study.parts, places);
  if (const TomlNode* sweep = root.table("sweep")) {
    study.sweep = read_sweep(document, *sweep);
    places.sweep = sweep->place;
  }
  if (const TomlNode* seeds = root.table("seeds")) study.seeds = read_seeds(document, *seeds, places);
  study.quantities = read_quantities(document, root.find("quantity"), places);
  study.phenomena = read_phenomena(document, root.find("phenomenon"), *study.parts, places);
  study.fits = read_fits(document, root.find("fit"), study, places);
  study.claims = read_claims(document, root.find("claim"), study, places);
  for (Claim& claim : study.claims)
    if (claim.source.empty()) claim.source = study.source;
  study.figures = read_figures(document, root.find("figure"), places);
  if (const TomlNode* multiverse = root.table("multiverse"))
    study.multiverse = read_multiverse(document, *multiverse, study);
  std::vector<StudyVariant> variants = read_profiles(root, std::move(top));
  root.finish();
  return variants;
}

}  // namespace

const Schema<SeedPlan>& seed_plan_schema() {
  static const Schema<SeedPlan> schema =
      Schema<SeedPlan>()
          .integer("count", &SeedPlan::count, 1, kMaxRuns, "runs of each cell")
          .integer("first", &SeedPlan::first, 0, 1e15, "seed of the first run; the next ones count up")
          .choice("vary", &SeedPlan::vary, "which seeds differ between the runs of a cell")
          .choice("until", &SeedPlan::until,
                  "count: a fixed number of runs; decided: more of them for the claims that are still open")
          .integer("most", &SeedPlan::most, 1, kMaxRuns, "runs of each cell at most, until = \"decided\"");
  return schema;
}

int64_t seeds_at_look(const SeedPlan& plan, int64_t count, int look) {
  if (plan.until == Until::count) return count;
  int64_t seeds = count;
  for (int i = 0; i < look && seeds < plan.most; ++i) seeds += (seeds + 1) / 2;
  return std::min(seeds, std::max(count, plan.most));
}

int look_count(const SeedPlan& plan) {
  int64_t fewest = plan.count;
  for (const auto& [filter, count] : plan.exceptions) fewest = std::min(fewest, count);
  int looks = 1;
  while (plan.until == Until::decided && seeds_at_look(plan, fewest, looks - 1) < plan.most) ++looks;
  return looks;
}

Study parse_study(const std::string& text, const std::string& path, const StudyOptions& options,
                  std::shared_ptr<const OwnParts> parts) {
  const TomlDocument document = parse_toml(text, path);
  std::vector<StudyVariant> variants = read_variants(document, std::move(parts));
  auto written = std::make_shared<std::vector<Study>>();
  for (const StudyVariant& variant : variants) written->push_back(variant.study);
  auto [study, places] = choose(std::move(variants), options);
  study.written = std::move(written);
  const bool asks_for_figures = !study.figures.empty();
  check_study(document, study, places);
  apply_options(study, options);
  if (!asks_for_figures) study.figures = default_figures(study);  // of the sweep that is left
  add_threshold_figure(study);
  return study;
}

StudyOutline parse_outline(const std::string& text, const std::string& path) {
  std::vector<StudyVariant> variants = read_variants(parse_toml(text, path));
  StudyOutline outline;
  for (const StudyVariant& variant : variants) {
    const SeedPlan& seeds = variant.study.seeds;
    StudyOutline::Profile profile{variant.study.profile, count_cells(variant.study.sweep), seeds.count, seeds.count};
    for (const auto& [filter, count] : seeds.exceptions) {
      profile.fewest_seeds = std::min(profile.fewest_seeds, count);
      profile.most_seeds = std::max(profile.most_seeds, count);
    }
    outline.profiles.push_back(std::move(profile));
  }
  outline.study = std::move(variants.front().study);
  return outline;
}

}  // namespace atto
