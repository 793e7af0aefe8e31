// atto multiverse: judges the claims of a study in every recipe that its publication leaves open.
#include <unistd.h>

#include <ctime>
#include <iostream>

#include "app/export/output_file.h"
#include "app/export/output_name.h"
#include "app/interrupt.h"
#include "app/job.h"
#include "app/open_store.h"
#include "app/terminal/progress.h"
#include "app/terminal/text_table.h"
#include "app/verbs/verbs.h"
#include "base/error.h"
#include "lab/provenance/history.h"
#include "lab/results/multiverse.h"

namespace atto {
namespace {

constexpr const char* kMultiverseFooter = R"(Examples
  atto multiverse sticky-plateau
  atto multiverse sticky-plateau --output studies/multiverse/sticky-plateau.json

A study lists the choices under [multiverse]. What is written next to the studies is shown by reproduce and report.)";

void describe_multiverse(VerbOptions& options) {
  options.names("STUDY", "a study's name or a study file")
      .setting()
      .threads()
      .flag("--dry-run", options.target().dry_run,
            "train nothing; say how many recipes and runs there are, and which kept verdicts are up to date")
      .text("--output", options.target().output, "FILE", "write the verdicts of all recipes as JSON");
  for (const char* name : {"--seeds", "--until", "--most"})
    options.refused(name, "on a multiverse: each recipe has as many seeds as the study says under [multiverse]",
                    "leave it out, or change multiverse.seeds");
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &utc);
  return text;
}

// A recipe has its own value of a choice, whatever --set says.
void refuse_set_choices(const Study& study, const Options& options) {
  if (!study.multiverse) return;
  for (const std::string& change : options.study.set)
    for (const Sweep::Axis& choice : study.multiverse->choices)
      if (change.starts_with(choice.key + "="))
        throw Error(
            ErrorKind::usage,
            "--set " + change + " has no effect on a multiverse: the recipes go through the choices of " + choice.key,
            "leave it out, or change multiverse.choices");
}

std::vector<RecipeStudy> studies_under_all(const Study& study) {
  if (!study.multiverse)
    throw Error(ErrorKind::config, study.path + ": the study has no [multiverse]",
                "list the open choices under [multiverse.choices] and the claims under multiverse.claims");
  std::vector<RecipeStudy> recipes;
  for (const Overrides& recipe : recipes_of(*study.multiverse)) {
    try {
      recipes.push_back(study_under(study, recipe));
    } catch (const Error& error) {
      throw Error(error.kind(), study.path + ": recipe " + cell_text(recipe) + ": " + error.what(), error.remedy());
    }
  }
  return recipes;
}

void print(const MultiverseResult& result) {
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  Table table({{"claim"}, {"over the recipes", Align::left, true}});
  for (const ClaimRecipes& claim : result.claims)
    table.row({{claim.claim, Style::bold}, recipes_text(claim, result.recipes)});
  std::cout << table.render(terminal) << "\n"
            << count_text(std::ssize(result.recipes), "recipe") << " of " << count_text(result.seeds, "seed")
            << " each.\n";
}

// What there is to train, and whether verdicts that are kept beside the study are still those of its questions.
void print_plan(const Study& study, const std::vector<RecipeStudy>& recipes, int64_t runs, const Options& options) {
  const std::optional<MultiverseResult> kept = kept_multiverse(study);
  Json claims = Json::object();
  std::string stale;
  for (const std::string& id : study.multiverse->claims) {
    const ClaimRecipes* const found = kept ? kept->find(id) : nullptr;
    const std::string why = found == nullptr ? "not judged yet" : found->stale;
    claims[id] = {{"question", recipes_question(recipes, id)}, {"stale", why}};
    if (!why.empty()) stale += "\n  " + id + ": " + why;
  }
  if (options.json) {
    std::cout << json_text(
        {{"study", study.name}, {"recipes", recipes.size()}, {"runs", runs}, {"claims", std::move(claims)}});
    return;
  }
  std::cout << count_text(std::ssize(recipes), "recipe") << ", " << count_text(runs, "run") << "\n"
            << (stale.empty() ? "The verdicts beside the study are up to date." : "Not up to date:" + stale) << "\n";
}

// Cells are told apart by their numbers, so those of a recipe follow those of the one before it.
std::vector<Run> runs_of_all(const std::vector<RecipeStudy>& recipes) {
  std::vector<Run> runs;
  size_t cells = 0;
  for (const RecipeStudy& one : recipes) {
    for (const Run& run : one.runs) {
      runs.push_back(run);
      runs.back().cell += cells;
    }
    cells += one.cells.size();
  }
  return runs;
}

int multiverse(const Options& options) {
  if (!options.output.empty() && !options.dry_run) require_writable(options.output);
  Job job = prepare(options.names.front(), options);
  refuse_set_choices(job.study, options);
  const std::vector<RecipeStudy> recipes = studies_under_all(job.study);
  job.runs = runs_of_all(recipes);  // the study's own are not asked for
  if (options.dry_run) {
    print_plan(job.study, recipes, std::ssize(job.runs), options);
    return 0;
  }
  Store store = open_store_aloud(options.store, Store::Mode::write);
  watch_signals();
  ProgressDisplay display(std::cerr, Terminal::of(STDERR_FILENO));
  display.begin(job.study.name);
  SweepOptions sweep;
  sweep.threads = options.threads;
  sweep.checkpoint_every = options.checkpoint;
  sweep.stop = &stop_requested();
  sweep.on_progress = [&](const Progress& progress) { display.update(progress); };
  // Before its runs: it tells what was asked before anyone could look at them.
  record_questions(job.study, store);
  const SweepResult trained = run_all(job.study, job.runs, store, sweep);
  display.end(trained.progress);
  if (trained.interrupted) return report_interruption({job}, store, options);
  MultiverseResult result;
  try {
    result = judge_multiverse(job.study, recipes, store, &stop_requested());
  } catch (const Stopped&) {
    return report_interruption({job}, store, options);
  }
  result.command = "atto multiverse " + job.study.name + study_options_text(job.study, {});
  result.date = today();
  if (!options.output.empty()) {
    OutputFile file(options.output);
    file.write(json_text(to_json(result)));
    file.commit();
  }
  if (options.json) std::cout << json_text(to_json(result));
  else print(result);
  return 0;
}

}  // namespace

Verb multiverse_verb() {
  return {.help = "Judge the claims of a study in every recipe that its source leaves open",
          .footer = kMultiverseFooter,
          .needs_name = true,
          .describe = describe_multiverse,
          .perform = multiverse};
}

}  // namespace atto
