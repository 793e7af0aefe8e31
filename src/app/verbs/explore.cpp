// atto explore: an experiment that chooses its next runs.
#include "lab/explore/explore.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "app/cluster/cluster_rounds.h"
#include "app/cluster/submit_job.h"
#include "app/export/output_file.h"
#include "app/export/output_name.h"
#include "app/interrupt.h"
#include "app/job.h"
#include "app/open_store.h"
#include "app/refuse_options.h"
#include "app/render/browser.h"
#include "app/terminal/progress.h"
#include "app/terminal/text_table.h"
#include "app/verbs/run.h"
#include "app/verbs/verbs.h"
#include "base/error.h"
#include "base/machine.h"
#include "lab/explore/effort_figure.h"
#include "lab/provenance/history.h"
#include "lab/results/decide.h"
#include "lab/sweep/time_forecast.h"

namespace atto {
namespace {

constexpr const char* kExploreFooter = R"(Examples
  atto explore plateau-phase-diagram --quantity plateau.present      where does half of the runs show it?
  atto explore mine.toml --aim optimum --quantity final.value --budget-runs 500
  atto explore mine.toml --aim claims --budget-seconds 600           more seeds for claims that are open
  atto explore mine.toml --quantity plateau.present --slurm --nodes 20 --batch 64 --wait    each round a job

Which runs are chosen follows from the study, these options and the runs themselves: the same command goes on where it
was stopped. A budget in seconds becomes one in training steps before anything is trained, and is told as such.)";

void describe_explore(VerbOptions& options) {
  ExplorationOptions& explore = options.target().explore;
  options.names("STUDY", "a study's name or a study file")
      .study()  // the seeds: of claims
      .threads()
      .choice("--aim", explore.aim,
              "contour: where the share of runs with a quantity passes a level; claims: until all are decided; "
              "optimum: the "
              "cell with the least median of a quantity")
      .text("--quantity", options.target().quantity, "NAME", "of a contour or an optimum: plateau.present, final.value")
      .number("--level", explore.level, 0.0, 1.0, "share at which a contour lies")
      .number("--tolerance", explore.tolerance, 0.0, 0.5,
              "of a contour: by how much a cell's share may be on the other side")
      .whole("--refine", explore.refine, 0, static_cast<int>(kMostHalvings),
             "of a contour: how often the gaps between grid points are halved where it passes (default: 1)")
      .flag("--largest", explore.largest, "of an optimum: the largest median, not the least")
      .whole("--batch", explore.batch, 1, 100'000,
             "of a contour or an optimum: runs that a cell gets at a time (default: 8)")
      .whole("--most-runs", explore.most, 1, 10'000'000,
             "of a contour or an optimum: runs of a cell at most (default: 4096)")
      .number("--budget-runs", explore.runs, 0, 1e12, "runs at most; 0: no limit")
      .number("--budget-steps", explore.steps, 0, 1e18, "training steps at most; 0: no limit")
      .number("--budget-seconds", explore.seconds, 0, 1e9, "about so long, turned into steps; 0: no limit")
      .text("--output", options.target().output, "FILE",
            "of a contour or an optimum: where the runs went, as .svg, .png or .vl.json")
      .flag("--plan", options.target().submit.plan,
            "the next round as a job for workers that others start (`atto work`)")
      .flag("--wait", options.target().submit.wait,
            "with --slurm or --plan: until the workers are done, round by round");
  describe_cluster(options);
}

int64_t steps_of(const std::vector<Run>& runs) {
  int64_t steps = 0;
  for (const Run& run : runs) steps += run.config.training.steps;
  return steps;
}

// What is asked for in runs and steps.
ExploreBudget counted_budget(const ExplorationOptions& asked) {
  ExploreBudget budget;
  if (asked.runs > 0) budget.runs = static_cast<int64_t>(asked.runs);
  if (asked.steps > 0) budget.steps = static_cast<int64_t>(asked.steps);
  if (asked.seconds > 0 && budget.steps)
    throw Error(ErrorKind::usage, "--budget-seconds and --budget-steps say the same thing", "give one of them");
  return budget;
}

// A budget in seconds as steps, by what the store or a moment of training says that a step costs here.
ExploreBudget budget_of(const Job& job, const Store& store, const Options& options) {
  const ExplorationOptions& asked = options.explore;
  ExploreBudget budget = counted_budget(asked);
  if (asked.seconds <= 0) return budget;
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
  std::cerr << "the budget of "
            << (asked.seconds < 1 ? number_text(asked.seconds) + " s" : duration_text(asked.seconds)) << " is "
            << count_text(*budget.steps) << " steps; to go on later: --budget-steps " << *budget.steps << std::endl;
  return budget;
}

// Of claims: runs that the store holds count like others, so that the same command comes to the same runs.
bool within(const ExploreBudget& budget, const std::vector<Run>& runs) {
  return (!budget.runs || std::ssize(runs) <= *budget.runs) && (!budget.steps || steps_of(runs) <= *budget.steps);
}

// A look is taken as a whole: half a look would tell of some cells only. So a budget below the first one is a slip.
void require_first_look(const std::vector<Run>& runs, const ExploreBudget& budget) {
  if (within(budget, runs)) return;
  const int64_t steps = steps_of(runs);
  throw Error(ErrorKind::usage,
              "the budget ends before the first look, which has " + count_text(std::ssize(runs), "run") + " of " +
                  count_text(steps, "step"),
              "give at least --budget-runs " + std::to_string(runs.size()) + " or --budget-steps " +
                  std::to_string(steps) + ", or fewer --seeds per cell");
}

std::string aim_text(const Options& options) {
  const ExplorationOptions& asked = options.explore;
  return asked.aim == Aim::contour
             ? "the share of " + options.quantity + " against " + number_text(asked.level)
             : std::string("the ") + (asked.largest ? "largest" : "least") + " median of " + options.quantity;
}

// The cells on the two sides of a contour.
Json crossings_json(const Job& job, const Exploration& found) {
  Json all = Json::array();
  for (const auto& [above, below] : found.crossings)
    all.push_back({to_json(job.cells[above].overrides), to_json(job.cells[below].overrides)});
  return all;
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
  return {{"study", job.study.name},
          {"aim", to_word(options.explore.aim)},
          {"quantity", options.quantity},
          {"runs", found.runs.size()},
          {"steps", found.steps},
          {"rounds", found.rounds},
          {"spent", found.end == ExploreEnd::budget},
          {"ended", to_word(found.end)},
          {"cells", std::move(cells)},
          {"contour", crossings_json(job, found)}};
}

std::string end_text(ExploreEnd end, const ExplorationOptions& asked) {
  switch (end) {
    case ExploreEnd::decided:
      return "nothing is open";
    case ExploreEnd::budget:
      return "the budget is spent";
    case ExploreEnd::most_runs:
      return "what is open has " + count_text(asked.most, "run") + " in each cell, as many as --most-runs gives";
  }
  return "";
}

void print_exploration(const Job& job, const Exploration& found, const Options& options) {
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  Table table({{"cell", Align::left, true}, {"runs", Align::right}, {"estimate [95 %, at any number]"}, {""}});
  int64_t inferred = 0;
  for (size_t i = 0; i < job.cells.size(); ++i) {
    const ExploredCell& one = found.cells[i];
    if (one.inferred && options.study.refine > 0) {  // there are many
      ++inferred;
      continue;
    }
    table.row({cell_label(job.cells[i].overrides),
               count_text(one.runs),
               one.runs > 0 ? spread_text(one.estimate, one.low, one.high) : "-",
               {one.standing + (one.inferred ? ", like the cells around it" : ""),
                one.standing == "open" ? Style::bad : Style::plain}});
  }
  std::cout << styled(job.study.title, Style::bold, terminal) << ": " << aim_text(options) << "\n\n"
            << table.render(terminal) << "\n";
  if (inferred > 0)
    std::cout << count_text(inferred, "point") << " of the plane "
              << (inferred == 1 ? "lies among others that agree, and has" : "lie among others that agree, and have")
              << " no runs.\n\n";
  if (!found.crossings.empty()) {
    Table between({{"above", Align::left, true}, {"below", Align::left, true}});
    for (const auto& [above, below] : found.crossings)
      between.row({cell_label(job.cells[above].overrides), cell_label(job.cells[below].overrides)});
    std::cout << "The contour passes between these neighbours:\n\n" << between.render(terminal) << "\n";
  }
  std::cout << count_text(std::ssize(found.runs), "run") << " of " << count_text(found.steps, "step") << " in "
            << count_text(found.rounds, "round") << "; " << end_text(found.end, options.explore) << ".\n";
}

// A name that cannot be written to is told before anything is trained.
void require_figure_name(const std::string& output) {
  if (!output.ends_with(".png") && !output.ends_with(".svg") && !output.ends_with(".json"))
    throw Error(ErrorKind::usage, "--output " + output + " ends with no format that is known",
                "use .svg, .png or .vl.json");
  require_writable(output);
}

void write_figure(const Json& spec, const std::string& output) {
  const bool png = output.ends_with(".png"), svg = output.ends_with(".svg");
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

// What a round on a cluster waits for.
int report_waiting(const Job& job, const std::string& folder, const Options& options) {
  if (options.json) {
    std::cout << json_text({{"study", job.study.name}, {"waiting", folder}});
    return 0;
  }
  std::cout << "The next round is with the workers of " << folder << "\n"
            << "How far they are: " << options.program << " status " << shell_word(folder) << "\n"
            << "When they are done: " << options.command << "\n";
  return 0;
}

int explore_claims(Job& job, Store& store, ClusterRounds* rounds, const Options& options) {
  const ExploreBudget budget = budget_of(job, store, options);
  require_first_look(job.runs, budget);  // again, now that seconds are steps
  ProgressDisplay display(std::cerr, Terminal::of(STDERR_FILENO));
  display.begin(job.study.name);
  DecideOptions decide;
  decide.sweep = sweep_options(options, display);
  decide.on_plan = [&](const std::vector<Run>& runs) { job.runs = runs; };
  decide.on_look = [&](const Look& look) { display.look(look); };
  decide.may_look = [&](const std::vector<Run>& runs) {
    const bool may = within(budget, runs);
    if (!may) std::cerr << "the next look would exceed the budget" << std::endl;
    return may;
  };
  if (rounds != nullptr) decide.train = [&](auto&... of_look) { return rounds->train(of_look...); };
  const Decided decided = train_and_file(job.study, job.cells, variant_name(job.study, options.study), store, decide);
  display.end(decided.progress);
  if (rounds != nullptr && !rounds->waiting_for().empty() && !stop_requested())
    return report_waiting(job, rounds->waiting_for(), options);
  if (!decided.result) return report_interruption({job}, store, options);
  print_results(job, *decided.result, store, options);
  return 0;
}

// Options of another aim, and those of a cluster without one.
void refuse_idle_options(const Options& options) {
  const Aim aim = options.explore.aim;
  const auto only_for = [&](const std::vector<Aim>& aims, const std::vector<std::string>& names) {
    if (std::find(aims.begin(), aims.end(), aim) != aims.end()) return;
    std::string others;
    for (const Aim other : aims) others += (others.empty() ? "--aim " : " and --aim ") + std::string(to_word(other));
    refuse_options(options, names, std::string("with --aim ") + to_word(aim), "leave it out: it is for " + others);
  };
  only_for({Aim::claims}, {"--seeds", "--until", "--most"});
  only_for({Aim::contour}, {"--level", "--tolerance", "--refine"});
  only_for({Aim::optimum}, {"--largest"});
  only_for({Aim::contour, Aim::optimum}, {"--quantity", "--batch", "--most-runs", "--output"});
  if (options.submit.slurm || options.submit.plan) return;
  refuse_options(options, cluster_options(), "without a cluster", "add --slurm or --plan, or leave it out");
}

int explore_study(const Options& given) {
  refuse_idle_options(given);
  Options options = given;
  const ExplorationOptions& asked = options.explore;
  if (asked.aim == Aim::claims && !options.study.until) options.study.until = Until::decided;
  if (asked.aim == Aim::contour) options.study.refine = asked.refine;
  if (options.submit.wait && !options.submit.slurm && !options.submit.plan)
    throw Error(ErrorKind::usage, "--wait has nobody to wait for", "add --slurm or --plan");
  if (!options.output.empty()) require_figure_name(options.output);
  Job job = prepare(options.names.front(), options);
  std::unique_ptr<ExploreRule> rule;  // a slip is told before a store is made
  if (asked.aim == Aim::contour)
    rule = level_rule(job.study, job.cells, options.quantity, asked.level, asked.tolerance, asked.batch);
  else if (asked.aim == Aim::optimum) rule = optimum_rule(job.study, options.quantity, asked.largest, asked.batch);
  else require_first_look(job.runs, counted_budget(asked));
  Store store = open_store_aloud(options.store, Store::Mode::write);
  watch_signals();
  ClusterRounds cluster(options);
  ClusterRounds* const rounds = options.submit.slurm || options.submit.plan ? &cluster : nullptr;
  if (!rule) return explore_claims(job, store, rounds, options);

  record_questions(job.study, store);
  ProgressDisplay display(std::cerr, Terminal::of(STDERR_FILENO));
  display.begin(job.study.name);
  ExploreOptions explore_options;
  explore_options.budget = budget_of(job, store, options);
  explore_options.most = asked.most;
  explore_options.sweep = sweep_options(options, display);
  if (rounds != nullptr) explore_options.train = [&](auto&... of_round) { return rounds->train(of_round...); };
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
  if (!found.result && !cluster.waiting_for().empty() && !stop_requested())
    return report_waiting(job, cluster.waiting_for(), options);
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
