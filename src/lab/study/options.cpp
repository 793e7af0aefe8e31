// `--set` and `--seeds`: what the command line changes in a study that its file alone has passed.
#include <algorithm>

#include "base/error.h"
#include "lab/study/parts.h"
#include "phenomena/claims/verdict.h"

namespace atto {
namespace {

// "network.width=3" into the base run; returns the key.
std::string apply_setting(RunConfig& base, const std::string& setting) {
  const size_t equals = setting.find('=');
  if (equals == std::string::npos)
    throw Error(ErrorKind::config, "--set: '" + setting + "' has no value", "write --set network.width=3");
  std::string key = setting.substr(0, equals);
  const RunField* field = run_schema().find(key);
  if (!field) throw Error(ErrorKind::config, "--set: " + unknown_run_key(key), "`atto help keys` lists every key");
  if (key.starts_with("seeds."))
    throw Error(ErrorKind::config, "--set: '" + key + "' cannot be set: every run of a cell gets seeds of its own",
                "use --seeds, or [seeds] in the study");
  try {
    field->set_text(base, setting.substr(equals + 1));
  } catch (const Error& error) {
    throw Error(ErrorKind::config, std::string("--set: ") + error.what(),
                error.remedy().empty() ? "`atto help keys` says what each key allows" : error.remedy());
  }
  return key;
}

// Takes a key out of the sweep. What is left of a zipped group or of a list may repeat itself; expand_cells drops
// repeats.
void remove_from_sweep(Sweep& sweep, const std::string& key) {
  const auto is_key = [&](const Sweep::Axis& axis) { return axis.key == key; };
  std::erase_if(sweep.grid, is_key);
  for (auto& group : sweep.zips) std::erase_if(group, is_key);
  std::erase_if(sweep.zips, [](const auto& group) { return group.empty(); });
  for (Overrides& cell : sweep.cells) std::erase_if(cell, [&](const auto& override) { return override.first == key; });
}

bool any_match(const std::vector<Cell>& cells, const CellFilter& filter) {
  return std::any_of(cells.begin(), cells.end(), [&](const Cell& cell) { return matches(filter, cell.config); });
}

void apply_looks(Study& study, const StudyOptions& options) {
  SeedPlan& seeds = study.seeds;
  if (options.until) seeds.until = *options.until;
  if (options.most) seeds.most = *options.most;
  if (options.most && seeds.until == Until::count)
    throw Error(ErrorKind::config, "--most has no meaning for a fixed number of seeds", "add --until decided");
  if (seeds.until == Until::count) return;
  if (seeds.most < seeds.count)
    throw Error(ErrorKind::config,
                "--most: a budget of " + std::to_string(seeds.most) + " seeds is below the first look, which has " +
                    std::to_string(seeds.count),
                "raise it, or lower --seeds");
  for (const auto& [where, count] : seeds.exceptions)
    if (seeds.most < count)
      throw Error(ErrorKind::config,
                  "--most: a budget of " + std::to_string(seeds.most) + " seeds is below the " + std::to_string(count) +
                      " of the cells " + cell_text(where) + " at the first look",
                  "raise it, or give all cells the same number with --seeds");
  for (const Claim& claim : study.claims)
    if (!claim.tune.empty())
      throw Error(ErrorKind::config,
                  "--until decided: claim '" + claim.id + "' tunes " + claim.tune +
                      " on a share of its seeds, which must not grow with the looks",
                  std::string("use --seeds for this study. Of what may be looked at: ") + kAnytimeStatistics);
}

}  // namespace

void apply_options(Study& study, const StudyOptions& options) {
  if (options.seeds) {
    if (*options.seeds < 1 || *options.seeds > kMaxRuns)
      throw Error(
          ErrorKind::config,
          "--seeds: " + std::to_string(*options.seeds) + " is not allowed: expected 1 to " + std::to_string(kMaxRuns),
          "leave it out for the study's own number");
    study.seeds.count = *options.seeds;
    study.seeds.exceptions.clear();
    study.seeds.until = Until::count;  // so many and no more, unless --until says otherwise
  }
  apply_looks(study, options);
  if (options.set.empty() && options.refine == 0) return;
  for (const std::string& setting : options.set) remove_from_sweep(study.sweep, apply_setting(study.base, setting));
  if (options.refine != 0) refine_grid(study, options.refine);
  std::vector<Cell> cells;
  try {
    cells = expand_cells(study);
    std::vector<Offer> offers = offers_of(cells, study.observe);
    check_addresses(study.observe, offers);
    add_quantities(study, offers, [](size_t, const ExpressionError& error) { throw error; });
    for (const Phenomenon& phenomenon : study.phenomena) check_detector(phenomenon, study, offers);
  } catch (const Error& error) {
    throw Error(error.kind(), std::string(options.set.empty() ? "--refine: " : "--set: ") + error.what(),
                error.remedy());
  }
  std::erase_if(study.fits, [&](const Fit& fit) { return !any_match(cells, fit.where); });
  std::erase_if(study.figures, [&](const FigurePlan& plan) { return !any_match(cells, plan.where); });
  std::erase_if(study.claims, [&](const Claim& claim) {
    return !any_match(cells, claim.where) || (claim.against && !any_match(cells, *claim.against)) ||
           (claim.than && (!any_match(cells, claim.than->where) || !any_match(cells, claim.than->against)));
  });
}

std::string variant_name(const Study& study, const StudyOptions& options) {
  std::string name = study.profile;
  for (const std::string& change : options.set) name += " " + change;
  if (options.seeds) name += " seeds=" + std::to_string(*options.seeds);
  if (options.until) name += std::string(" until=") + to_word(*options.until);
  if (options.most) name += " most=" + std::to_string(*options.most);
  if (options.refine != 0) name += " refine=" + std::to_string(options.refine);
  return name;
}

}  // namespace atto
