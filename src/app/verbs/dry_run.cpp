#include "app/verbs/dry_run.h"

#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "app/terminal/text_table.h"
#include "lab/results/json.h"

namespace atto {
namespace {

struct Outlook {
  const Job* job;
  Forecast forecast;
};

std::vector<Outlook> look_ahead(const std::vector<Job>& jobs, const Options& options) {
  std::optional<Store> store;  // before the first run there is none
  if (std::filesystem::exists(options.store)) store.emplace(options.store, Store::Mode::read);
  std::vector<Outlook> outlooks;
  for (const Job& job : jobs)
    outlooks.push_back({&job, forecast_sweep(job.study, job.runs, store ? &*store : nullptr, options.threads)});
  return outlooks;
}

Json outlook_json(const Outlook& outlook) {
  const auto& [job, forecast] = outlook;
  return {{"study", job->study.name},
          {"profile", job->study.profile},
          {"cells", job->cells.size()},
          {"runs", forecast.runs},
          {"stored", forecast.stored},
          {"unfinished", forecast.unfinished},
          {"steps", forecast.steps},
          {"steps_left", forecast.steps_left},
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
               {"one run", Align::right},
               {"sweep, at most", Align::right}});
  size_t most = 0;
  bool fits = true;
  for (const Outlook& outlook : outlooks) {
    const auto& [job, forecast] = outlook;
    const SweepMemory& memory = forecast.memory;
    table.row({{job->study.name, Style::bold},
               job->study.profile,
               count_text(static_cast<int64_t>(job->cells.size())),
               count_text(forecast.runs),
               count_text(forecast.stored),
               count_text(forecast.steps_left),
               memory_text(memory.largest_run),
               memory_text(memory.most())});
    if (forecast.unfinished > 0) table.note(count_text(forecast.unfinished, "run") + " will continue from a checkpoint");
    most = std::max(most, memory.most());
    fits = fits && memory.fits();
  }
  const size_t available = outlooks.front().forecast.memory.available;
  std::cout << table.render(Terminal::of(STDOUT_FILENO))
            << "\nNothing was trained. Memory: " << (most == 0 ? "none is needed" : bytes_text(most) + " at most")
            << ", " << bytes_text(available) << " are available"
            << (fits ? "." : ", which is not enough; try fewer --threads.") << " The store is " << options.store
            << (std::filesystem::exists(options.store) ? "" : " (not there yet)") << ".\n";
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
