// atto explore: an experiment that chooses its next runs.
#include "lab/explore/explore.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "app/export/output_file.h"
#include "app/interrupt.h"
#include "app/job.h"
#include "app/open_store.h"
#include "app/render/browser.h"
#include "app/terminal/progress.h"
#include "app/terminal/text_table.h"
#include "app/verbs/run.h"
#include "app/verbs/verbs.h"
#include "base/error.h"
#include "lab/explore/effort_figure.h"
#include "lab/provenance/history.h"
#include "lab/results/decide.h"
#include "lab/sweep/machine.h"
#include "lab/sweep/time_forecast.h"

namespace atto {
namespace {

constexpr const char* kExploreFooter = R"(Examples
  atto explore plateau-phase-diagram --quantity plateau.present      where does half of the runs show it?
  atto explore mine.toml --aim optimum --quantity final.value --budget-runs 500
  atto explore mine.toml --aim claims --budget-seconds 600           more seeds for claims that are open

Which runs are chosen follows from the study, these options and the runs themselves: the same command goes on where it
was stopped. A budget in seconds becomes one in training steps before anything is trained, and is told as such.)";

void describe_explore(VerbOptions& options) {
  ExplorationOptions& explore = options.target().explore;
  options.names("STUDY", "a study's name or a study file")
      .study()
      .threads()
      .choice("--aim", explore.aim,
              "contour: where the share of runs with a quantity passes a level; claims: until all are decided; "
              "optimum: the "
              "cell with the least median of a quantity")
      .text("--quantity", options.target().quantity, "NAME", "of a contour or an optimum: plateau.present, final.value")
      .number("--level", explore.level, 0.0, 1.0, "share at which the contour lies")
      .number("--tolerance", explore.tolerance, 0.0, 0.5, "by how much a cell's share may be on the other side")
      .flag("--largest", explore.largest, "the largest median, not the least")
      .whole("--batch", explore.batch, 1, 100'000, "runs that a cell gets at a time (default: 8)")
      .whole("--most-runs", explore.most, 1, 10'000'000, "of a cell (default: 4096)")
      .number("--budget-runs", explore.runs, 0, 1e12, "runs at most; 0: no limit")
      .number("--budget-steps", explore.steps, 0, 1e18, "training steps at most; 0: no limit")
      .number("--budget-seconds", explore.seconds, 0, 1e9, "about so long, turned into steps; 0: no limit")
      .text("--output", options.target().output, "FILE", "where the runs went, as .svg, .png or .vl.json");
}

// A budget in seconds as steps, by what the store or a moment of training says that a step costs here.
ExploreBudget budget_of(const Job& job, const Store& store, const Options& options) {
  const ExplorationOptions& asked = options.explore;
  ExploreBudget budget;
  if (asked.runs > 0) budget.runs = static_cast<int64_t>(asked.runs);
  if (asked.steps > 0) budget.steps = static_cast<int64_t>(asked.steps);
  if (asked.seconds <= 0) return budget;
  if (budget.steps)
    throw Error(ErrorKind::usage, "--budget-seconds and --budget-steps say the same thing", "give one of them");
  std::vector<Run> runs;  // one of each cell
  for (const Run& run : job.runs)
    if (run.seed == 0) runs.push_back(run);
  const Forecast all = forecast_sweep(job.study, runs, nullptr, 1);
  TimeForecast time = forecast_time(job.study, job.runs, all, &store);
  if (time.basis == TimeForecast::Basis::none) time = forecast_time(job.study, runs, all, nullptr);
  if (!(time.seconds > 0))
    throw Error(ErrorKind::usage, "it is not known how long a step takes", "give --budget-steps");
  const int threads = options.threads > 0 ? options.threads : usable_cores();
  const double steps = asked.seconds * threads * static_cast<double>(all.steps) / time.seconds;
  budget.steps = static_cast<int64_t>(std::min(steps, 1e18));
  std::cerr << "the budget of " << duration_text(asked.seconds) << " is " << count_text(*budget.steps)
            << " steps; to go on later: --budget-steps " << *budget.steps << std::endl;
  return budget;
}

SweepOptions sweep_of(const Options& options, ProgressDisplay& display) {
  SweepOptions sweep;
  sweep.threads = options.threads;
  sweep.checkpoint_every = options.checkpoint;
  sweep.stop = &stop_requested();
  sweep.on_progress = [&display](const Progress& progress) { display.update(progress); };
  return sweep;
}

std::string aim_text(const Options& options) {
  const ExplorationOptions& asked = options.explore;
  return asked.aim == Aim::contour
             ? "the share of " + options.quantity + " against " + number_text(asked.level)
             : std::string("the ") + (asked.largest ? "largest" : "least") + " median of " + options.quantity;
}

Json exploration_json(const Job& job, const Exploration& found, const Options& options) {
  Json cells = Json::array();
  for (size_t i = 0; i < job.cells.size(); ++i) {
    const ExploredCell& one = found.cells[i];
    cells.push_back({{"cell", to_json(job.cells[i].overrides)},
                     {"runs", one.runs},
                     {"estimate", number_json(one.estimate)},
                     {"low", number_json(one.low)},
                     {"high", number_json(one.high)},
                     {"standing", one.standing},
                     {"inferred", one.inferred}});
  }
  return {{"study", job.study.name},      {"aim", to_word(options.explore.aim)},
          {"quantity", options.quantity}, {"runs", found.runs.size()},
          {"steps", found.steps},         {"rounds", found.rounds},
          {"spent", found.spent},         {"cells", std::move(cells)}};
}

void print_exploration(const Job& job, const Exploration& found, const Options& options) {
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  Table table({{"cell", Align::left, true}, {"runs", Align::right}, {"estimate [95 %, at any number]"}, {""}});
  for (size_t i = 0; i < job.cells.size(); ++i) {
    const ExploredCell& one = found.cells[i];
    table.row({cell_label(job.cells[i].overrides),
               count_text(one.runs),
               one.runs > 0 ? spread_text(one.estimate, one.low, one.high) : "-",
               {one.standing + (one.inferred && one.standing != "open" ? ", like the cells around it" : ""),
                one.standing == "open" ? Style::bad : Style::plain}});
  }
  std::cout << styled(job.study.title, Style::bold, terminal) << ": " << aim_text(options) << "\n\n"
            << table.render(terminal) << "\n"
            << count_text(std::ssize(found.runs), "run") << " of " << count_text(found.steps, "step") << " in "
            << count_text(found.rounds, "round") << (found.spent ? "; the budget is spent" : "; nothing is open")
            << ".\n";
}

void write_figure(const Json& spec, const std::string& output) {
  const bool png = output.ends_with(".png"), svg = output.ends_with(".svg");
  if (!png && !svg && !output.ends_with(".json"))
    throw Error(ErrorKind::usage, "--output " + output + " ends with no format that is known",
                "use .svg, .png or .vl.json");
  OutputFile file(output);
  if (!png && !svg) {
    file.write(json_text(spec));
  } else {
    const auto drawn = render({{spec, output, png ? FigureFormat::png : FigureFormat::svg, 2, "light"}});
    if (!drawn) return;
    file.write(drawn->front());
  }
  file.commit();
}

int explore_claims(Job& job, Store& store, const Options& options) {
  const ExploreBudget budget = budget_of(job, store, options);
  ProgressDisplay display(std::cerr, Terminal::of(STDERR_FILENO));
  display.begin(job.study.name);
  DecideOptions decide;
  decide.sweep = sweep_of(options, display);
  decide.on_plan = [&](const std::vector<Run>& runs) { job.runs = runs; };
  decide.on_look = [&](const Look& look) { display.look(look); };
  decide.may_look = [&](const std::vector<Run>& runs) {
    int64_t steps = 0;
    for (const Run& run : runs) steps += run.config.training.steps;
    const bool within = (!budget.runs || std::ssize(runs) <= *budget.runs) && (!budget.steps || steps <= *budget.steps);
    if (!within) std::cerr << "the next look would exceed the budget" << std::endl;
    return within;
  };
  const Decided decided = train_and_file(job.study, job.cells, variant_name(job.study, options.study), store, decide);
  display.end(decided.progress);
  if (!decided.result) return report_interruption({job}, store, options);
  print_results(job, *decided.result, store, options);
  return 0;
}

int explore_study(const Options& given) {
  Options options = given;
  const ExplorationOptions& asked = options.explore;
  if (asked.aim == Aim::claims && !options.study.until) options.study.until = Until::decided;
  Job job = prepare(options.names.front(), options);
  std::unique_ptr<ExploreRule> rule;  // a slip is told before a store is made
  if (asked.aim == Aim::contour)
    rule = level_rule(job.study, job.cells, options.quantity, asked.level, asked.tolerance, asked.batch);
  else if (asked.aim == Aim::optimum) rule = optimum_rule(job.study, options.quantity, asked.largest, asked.batch);
  Store store = open_store_aloud(options.store, Store::Mode::write);
  watch_signals();
  if (!rule) return explore_claims(job, store, options);

  record_questions(job.study, store);
  ProgressDisplay display(std::cerr, Terminal::of(STDERR_FILENO));
  display.begin(job.study.name);
  ExploreOptions explore_options;
  explore_options.budget = budget_of(job, store, options);
  explore_options.most = asked.most;
  explore_options.sweep = sweep_of(options, display);
  const std::string variant =
      variant_name(job.study, options.study) + " explore=" + to_word(asked.aim) + " " + options.quantity;
  explore_options.on_plan = [&](const std::vector<Run>& runs) {
    job.runs = runs;
    std::vector<Store::Membership> members;
    for (const Run& run : runs)
      members.push_back({job.study.name, variant, to_json(job.cells[run.cell].overrides).dump(), run.seed, run.id});
    store.save_membership(job.study.name, variant, members);
  };
  explore_options.on_round = [&](int round, int64_t runs, int64_t cells) {
    display.end();
    std::cerr << "round " << round << ": " << count_text(runs, "run") << " so far, the last in "
              << count_text(cells, "cell") << std::endl;
  };
  const Exploration found = explore(job.study, job.cells, store, *rule, explore_options);
  display.end();
  if (!found.result) return report_interruption({job}, store, options);
  if (options.json) std::cout << json_text(exploration_json(job, found, options));
  else print_exploration(job, found, options);
  if (!options.output.empty())
    write_figure(effort_figure(job.study, job.cells, found, options.quantity), options.output);
  return 0;
}

}  // namespace

Verb explore_verb() {
  return {.help = "Let the runs choose the next: contours, optima, claims until decided",
          .footer = kExploreFooter,
          .needs_name = true,
          .describe = describe_explore,
          .perform = explore_study};
}

}  // namespace atto
