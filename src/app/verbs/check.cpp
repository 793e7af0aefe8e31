// atto check: reads every row of a store; with --repair keeps what is whole and puts the rest aside.
#include <unistd.h>

#include <iostream>

#include "app/stored_study.h"
#include "app/terminal/text_table.h"
#include "app/verbs/verbs.h"
#include "base/error.h"
#include "lab/results/json.h"
#include "lab/store/check/check.h"

namespace atto {
namespace {

constexpr const char* kCheckFooter = R"(Examples
  atto check                                       is results/atto.db whole?
  atto check --repair                              keep what is whole; the file as it was stays beside it
  atto check --store copy.db --json

Exit code 0: the store is whole, or it was repaired; 5: it is damaged.)";

constexpr size_t kMostNamed = 8;  // runs that are named one by one
constexpr int kDamagedExit = 5;

Json checkup_json(const Checkup& checkup, const Options& options) {
  Json damages = Json::array(), lacking = Json::array();
  for (const Damage& one : checkup.damages) damages.push_back({{"what", one.what}, {"cost", one.cost}});
  for (const LackingStudy& one : checkup.lacking)
    lacking.push_back(
        {{"study", one.study}, {"variant", one.profile}, {"runs_asked", one.asked}, {"missing", one.missing}});
  return {{"store", options.store}, {"whole", checkup.whole()},
          {"runs", checkup.runs},   {"rows", checkup.rows},
          {"damages", damages},     {"lost_runs", checkup.lost_runs},
          {"train_again", lacking}, {"aside", checkup.aside.empty() ? Json(nullptr) : Json(checkup.aside)}};
}

// What trains the runs of a variant again. The store knows what an exploration was after, but not how far it went.
std::string training_command(const LackingStudy& lacking, const Options& options) {
  const StoredVariant variant = read_variant(lacking.profile);
  if (!variant.aim) return stored_study_command("run", lacking.study, variant.options, options);
  std::string aim = std::string(" --aim ") + to_word(*variant.aim) + " --quantity " + shell_word(variant.quantity);
  if (*variant.aim == Aim::contour) aim += " --refine " + (variant.refine.empty() ? "0" : shell_word(variant.refine));
  return stored_study_command("explore", lacking.study, aim + variant.options, options) +
         "   (with its level and its budget, if it had others than the usual)";
}

void print(const Checkup& checkup, const Options& options) {
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  std::cout << options.store << ": " << count_text(checkup.runs, "run") << " in " << count_text(checkup.rows, "row")
            << (checkup.whole() ? ", all of it whole" : " are whole") << "\n";
  if (checkup.whole()) return;
  std::cout << "\n";
  Table table({{"damaged", Align::left, true}, {"what that costs", Align::left, true}});
  for (const Damage& one : checkup.damages) table.row({{one.what, Style::bad}, one.cost});
  std::cout << table.render(terminal);
  if (!checkup.lost_runs.empty()) {
    std::cout << "\nLost runs:";
    for (size_t i = 0; i < std::min(checkup.lost_runs.size(), kMostNamed); ++i)
      std::cout << " " << checkup.lost_runs[i].substr(0, 12);
    if (checkup.lost_runs.size() > kMostNamed)
      std::cout << " and " << count_text(std::ssize(checkup.lost_runs) - static_cast<int64_t>(kMostNamed)) << " more";
    std::cout << "\n";
  }
  if (!checkup.lacking.empty()) std::cout << "\nNot in the store now, and trained by these commands:\n";
  for (const LackingStudy& one : checkup.lacking)
    std::cout << "  " << one.study << " (" << one.profile << "): " << count_text(one.missing) << " of "
              << count_text(one.asked, "run") << "\n    " << training_command(one, options) << "\n";
  if (!checkup.aside.empty()) std::cout << "\nRepaired. The file as it was is kept as " << checkup.aside << "\n";
  else
    std::cout << "\n"
              << options.program << " check --repair" << shared_options_text(options)
              << " keeps what is whole, and the file as it was beside it.\n";
}

void describe_check(VerbOptions& options) {
  options.flag("--repair", options.target().repair, "make a store of what is whole and put the damaged file aside");
}

int check(const Options& options) {
  const Checkup checkup = options.repair ? repair_store(options.store) : check_store(options.store);
  if (options.json) std::cout << json_text(checkup_json(checkup, options));
  else print(checkup, options);
  return checkup.whole() || options.repair ? 0 : kDamagedExit;
}

}  // namespace

Verb check_verb() {
  return {.help = "Is the store whole, row by row? Repairs it on request",
          .footer = kCheckFooter,
          .describe = describe_check,
          .perform = check};
}

}  // namespace atto
