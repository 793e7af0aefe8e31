#include "app/verbs/dry_run.h"

#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <limits>

#include "app/terminal/text_table.h"
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
};

std::vector<Outlook> look_ahead(const std::vector<Job>& jobs, const Options& options) {
  std::optional<Store> store;  // before the first run there is none
  if (std::filesystem::exists(options.store)) store.emplace(options.store, Store::Mode::read);
  std::vector<Outlook> outlooks;
  for (const Job& job : jobs) {
    const Store* const known = store ? &*store : nullptr;
    Forecast forecast = forecast_sweep(job.study, job.runs, known, options.threads);
    const TimeForecast time = forecast_time(job.study, job.runs, forecast, known);
    outlooks.push_back({&job, std::move(forecast), time});
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
Json reach_json(const Job& job) {
  Json list = Json::array();
  for (const Reach& reach : reach_of_claims(job.study, job.cells))
    if (!reach.text().empty())
      list.push_back({{"claim", reach.claim},
                      {"seeds", reach.seeds},
                      {"can_be_supported", reach.supported},
                      {"can_be_refuted", reach.refuted}});
  return list;
}

Json outlook_json(const Outlook& outlook) {
  const auto& [job, forecast, time] = outlook;
  const SetRange sets(job->cells);
  return {{"study", job->study.name},
          {"profile", job->study.profile},
          {"cells", job->cells.size()},
          {"runs", forecast.runs},
          {"out_of_reach", reach_json(*job)},
          {"stored", forecast.stored},
          {"unfinished", forecast.unfinished},
          {"steps", forecast.steps},
          {"steps_left", forecast.steps_left},
          {"seconds_left", time.basis == TimeForecast::Basis::none ? Json(nullptr) : Json(time.seconds)},
          {"seconds_from", basis_word(time.basis)},
          {"largest_training_set", sets.most},
          {"largest_test_set", sets.most_tested},
          {"threads", forecast.memory.threads},
          {"largest_run_bytes", forecast.memory.largest_run},
          {"sweep_bytes", forecast.memory.together},
          {"judging_bytes", forecast.memory.judging},
          {"available_bytes", forecast.memory.available}};
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
    const auto& [job, forecast, time] = outlook;
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
    for (const Reach& reach : reach_of_claims(job->study, job->cells))
      if (const std::string text = reach.text(); !text.empty()) table.note(text);
    if (job->study.seeds.until == Until::decided)
      table.note("more seeds for open claims, up to " + count_text(job->study.seeds.most) + " of a cell");
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
    for (const Outlook& outlook : outlooks) all.push_back(outlook_json(outlook));
    std::cout << json_text(all);
  } else {
    print(outlooks, options);
  }
  return 0;
}

}  // namespace atto
