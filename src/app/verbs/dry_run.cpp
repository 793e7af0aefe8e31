#include "app/verbs/dry_run.h"

#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <limits>

#include "app/open_store.h"
#include "app/terminal/text_table.h"
#include "lab/results/decide.h"
#include "lab/results/json.h"
#include "lab/results/power.h"
#include "lab/sweep/time_forecast.h"
#include "spec/run_spec.h"

namespace atto {
namespace {

struct Outlook {
  const Job* job;
  Forecast forecast;
  TimeForecast time;
  std::optional<double> whole;  // seconds that all looks would take, where there are several and that is known
  std::vector<Reach> reach;
};

// What all looks would take if no claim were decided before the last, at the pace of the first one.
std::optional<double> whole_budget(const Job& job, const Outlook& first, const Store* store, int threads) {
  const int looks = look_count(job.study.seeds);
  if (looks < 2) return std::nullopt;
  std::vector<int64_t> seeds;
  for (const Cell& cell : job.cells) seeds.push_back(seeds_at_look(job.study.seeds, cell.seeds, looks - 1));
  const std::vector<Run> runs = runs_of_look(job.study, job.cells, seeds);
  const Forecast forecast = forecast_sweep(job.study, runs, store, threads);
  if (forecast.pending.empty()) return 0.0;
  double first_cost = 0, cost = 0;
  for (const PendingRun& one : first.forecast.pending) first_cost += one.cost;
  for (const PendingRun& one : forecast.pending) cost += one.cost;
  if (first_cost > 0 && first.time.basis != TimeForecast::Basis::none) return first.time.seconds * cost / first_cost;
  const TimeForecast time = forecast_time(job.study, runs, forecast, store);
  return time.basis == TimeForecast::Basis::none ? std::nullopt : std::optional(time.seconds);
}

std::vector<Outlook> look_ahead(const std::vector<Job>& jobs, const Options& options) {
  std::optional<Store> store;  // before the first run there is none
  if (std::filesystem::exists(options.store)) store.emplace(open_store_aloud(options.store, Store::Mode::read));
  std::vector<Outlook> outlooks;
  for (const Job& job : jobs) {
    const Store* const known = store ? &*store : nullptr;
    Forecast forecast = forecast_sweep(job.study, job.runs, known, options.threads);
    const TimeForecast time = forecast_time(job.study, job.runs, forecast, known);
    Outlook& one = outlooks.emplace_back(Outlook{&job, std::move(forecast), time, std::nullopt, {}});
    if (options.shard) continue;  // it judges nothing, and has a share of the first look
    one.reach = reach_of_claims(job.study, job.cells);
    one.whole = whole_budget(job, one, known, options.threads);
  }
  return outlooks;
}

const char* basis_word(TimeForecast::Basis basis) {
  switch (basis) {
    case TimeForecast::Basis::nothing_left:
      return "nothing left";
    case TimeForecast::Basis::stored:
      return "stored runs";
    case TimeForecast::Basis::calibrated:
      return "calibration";
    case TimeForecast::Basis::none:
      return "none";
  }
  return "none";
}

std::string time_text(const TimeForecast& time) {
  const bool known = time.basis == TimeForecast::Basis::stored || time.basis == TimeForecast::Basis::calibrated;
  return known ? duration_text(time.seconds) : "-";
}

// What the times rest on, over all studies.
std::string time_basis(const std::vector<Outlook>& outlooks) {
  int64_t stored = 0;
  double calibration = 0;
  for (const Outlook& one : outlooks) {
    stored += one.time.stored;
    calibration += one.time.calibration;
  }
  std::string basis = stored > 0 ? "how long " + count_text(stored, "stored run") + " took" : "";
  if (calibration > 0)
    basis += (basis.empty() ? "" : " and ") + duration_text(calibration) + " of training on this machine just now";
  return basis.empty() ? "" : "Times are from " + basis + ", scaled by what a step is estimated to cost.\n";
}

// Sequences of the sets that the cells of a study train and test on, where these are not drawn afresh.
struct SetRange {
  explicit SetRange(const std::vector<Cell>& cells) {
    for (const Cell& cell : cells) {
      const RunSpec spec(cell.config);
      if (spec.attention() == nullptr) continue;
      const SetSizes& sets = spec.attention()->sets;
      if (sets.train > 0) fewest = std::min(fewest, sets.train);
      most = std::max(most, sets.train);
      most_tested = std::max(most_tested, sets.test);
    }
  }
  std::string text() const {
    const auto number = [](double count) { return count_text(static_cast<int64_t>(count)); };
    return "trains on sets of " + (fewest < most ? number(fewest) + " to " : "") + number(most) + " sequences" +
           (most_tested > 0 ? ", tests on up to " + number(most_tested) + " others" : "");
  }

  double fewest = std::numeric_limits<double>::infinity(), most = 0, most_tested = 0;
};

// Claims that the planned seeds cannot decide in one way or in both.
Json out_of_reach_json(const std::vector<Reach>& all) {
  Json list = Json::array();
  for (const Reach& reach : all)
    if (!reach.text().empty())
      list.push_back({{"claim", reach.claim},
                      {"seeds", reach.seeds},
                      {"can_be_supported", reach.supported},
                      {"can_be_refuted", reach.refuted}});
  return list;
}

// The best verdict that each claim can come to.
Json reach_json(const std::vector<Reach>& all) {
  Json list = Json::array();
  for (const Reach& reach : all)
    list.push_back({{"claim", reach.claim}, {"seeds", reach.seeds}, {"best", reach.best()}});
  return list;
}

Json outlook_json(const Outlook& outlook) {
  const auto& [job, forecast, time, whole, reach] = outlook;
  const SetRange sets(job->cells);
  return {{"study", job->study.name},
          {"profile", job->study.profile},
          {"cells", job->cells.size()},
          {"runs", forecast.runs},
          {"reach", reach_json(reach)},
          {"out_of_reach", out_of_reach_json(reach)},
          {"stored", forecast.stored},
          {"unfinished", forecast.unfinished},
          {"steps", forecast.steps},
          {"steps_left", forecast.steps_left},
          {"seconds_left", time.basis == TimeForecast::Basis::none ? Json(nullptr) : Json(time.seconds)},
          {"seconds_whole_budget", whole ? Json(*whole) : Json(nullptr)},
          {"seconds_from", basis_word(time.basis)},
          {"largest_training_set", sets.most},
          {"largest_test_set", sets.most_tested},
          {"threads", forecast.memory.threads},
          {"largest_run_bytes", forecast.memory.largest_run},
          {"sweep_bytes", forecast.memory.together},
          {"judging_bytes", forecast.memory.judging},
          {"available_bytes", forecast.memory.available}};
}

// Claims whose statistic has no interval that holds at every look.
std::string planned_text(const Study& study) {
  std::string ids;
  for (const Claim& claim : study.claims)
    if (!has_anytime_interval(claim, claim.paired.value_or(true))) ids += (ids.empty() ? "" : ", ") + claim.id;
  return ids.empty() ? "" : "judged at planned looks, which share the error of 5 %: " + ids;
}

std::string memory_text(size_t bytes) { return bytes == 0 ? "-" : bytes_text(bytes); }

void print(const std::vector<Outlook>& outlooks, const Options& options) {
  Table table({{"study"},
               {"profile"},
               {"cells", Align::right},
               {"runs", Align::right},
               {"stored", Align::right},
               {"steps left", Align::right},
               {"time, about", Align::right},
               {"one run", Align::right},
               {"sweep, at most", Align::right}});
  size_t most = 0;
  bool fits = true;
  for (const Outlook& outlook : outlooks) {
    const auto& [job, forecast, time, whole, reach] = outlook;
    const SweepMemory& memory = forecast.memory;
    table.row({{job->study.name, Style::bold},
               job->study.profile,
               count_text(static_cast<int64_t>(job->cells.size())),
               count_text(forecast.runs),
               count_text(forecast.stored),
               count_text(forecast.steps_left),
               time_text(time),
               memory_text(memory.largest_run),
               memory_text(memory.most())});
    if (forecast.unfinished > 0)
      table.note(count_text(forecast.unfinished, "run") + " will continue from a checkpoint");
    if (const SetRange sets(job->cells); sets.most > 0) table.note(sets.text());
    for (const std::string& line : reach_lines(reach)) table.note(line);
    for (const Reach& one : reach)
      if (const std::string text = one.text(); !text.empty()) table.note(text);
    if (options.shard) {
      table.note("shard " + *options.shard + ", which judges nothing");
    } else if (job->study.seeds.until == Until::decided) {
      table.note("more seeds for open claims, up to " + count_text(job->study.seeds.most) + " of a cell: about " +
                 (forecast.pending.empty() ? "no time" : time_text(time)) + " for what is left of the first look, " +
                 (whole ? duration_text(*whole) : "-") + " if all claims need the whole budget");
      if (const std::string planned = planned_text(job->study); !planned.empty()) table.note(planned);
    }
    most = std::max(most, memory.most());
    fits = fits && memory.fits();
  }
  const size_t available = outlooks.front().forecast.memory.available;
  std::cout << table.render(Terminal::of(STDOUT_FILENO))
            << "\nNothing was trained. Memory: " << (most == 0 ? "none is needed" : bytes_text(most) + " at most")
            << ", " << bytes_text(available) << " are available"
            << (fits ? "." : ", which is not enough; try fewer --threads or smaller sizes.") << " The store is "
            << options.store << (std::filesystem::exists(options.store) ? "" : " (not there yet)") << ".\n"
            << time_basis(outlooks);
}

}  // namespace

int dry_run(const std::vector<Job>& jobs, const Options& options) {
  const std::vector<Outlook> outlooks = look_ahead(jobs, options);
  if (options.json) {
    Json all = Json::array();
    for (const Outlook& outlook : outlooks) {
      all.push_back(outlook_json(outlook));
      if (options.shard) all.back()["shard"] = *options.shard;
    }
    std::cout << json_text(all);
  } else {
    print(outlooks, options);
  }
  return 0;
}

}  // namespace atto
