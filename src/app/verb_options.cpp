#include "app/verb_options.h"

#include <CLI/CLI.hpp>
#include <cmath>

#include "base/error.h"
#include "base/number_text.h"

namespace atto {
namespace {

// What is wrong with a word for a duration; nothing when it is one.
std::string seconds_problem(const std::string& word) {
  const char* const end = word.data() + word.size();
  double seconds = 0;
  const auto [rest, problem] = read_number(word.data(), end, seconds);
  if (problem == std::errc() && rest == end && seconds >= 0 && std::isfinite(seconds)) return "";
  return "'" + word + "' is not a number of seconds";
}

}  // namespace

VerbOptions& VerbOptions::names(const std::string& word, const std::string& help) {
  verb_.add_option(word, options_.names, help)->type_name("");
  return *this;
}

VerbOptions& VerbOptions::flag(const std::string& name, bool& target, const std::string& help) {
  verb_.add_flag(name, target, help);
  return *this;
}

VerbOptions& VerbOptions::text(const std::string& name, std::string& target, const std::string& type,
                               const std::string& help) {
  verb_.add_option(name, target, help)->type_name(type);
  return *this;
}

VerbOptions& VerbOptions::text(const std::string& name, std::optional<std::string>& target, const std::string& type,
                               const std::string& help) {
  verb_
      .add_option_function<std::string>(
          name, [&target](const std::string& text) { target = text; }, help)
      ->type_name(type);
  return *this;
}

VerbOptions& VerbOptions::required(const std::string& name, std::string& target, const std::string& type,
                                   const std::string& help) {
  verb_.add_option(name, target, help)->type_name(type)->required();
  return *this;
}

VerbOptions& VerbOptions::preset(const std::string& name, std::string& target, const std::string& type,
                                 const std::string& help) {
  verb_.add_option(name, target, help)->type_name(type)->capture_default_str();
  return *this;
}

VerbOptions& VerbOptions::choice(const std::string& name, const std::vector<std::string>& words,
                                 const std::string& initial, const std::function<void(const std::string&)>& assign,
                                 const std::string& help) {
  verb_.add_option_function<std::string>(name, assign, help)->default_str(initial)->check(CLI::IsMember(words));
  return *this;
}

VerbOptions& VerbOptions::number(const std::string& name, double& target, double low, double high,
                                 const std::string& help) {
  verb_.add_option(name, target, help)->capture_default_str()->check(CLI::Range(low, high));
  return *this;
}

VerbOptions& VerbOptions::list(const std::string& name, std::vector<std::string>& target, const std::string& type,
                               const std::string& help) {
  verb_.add_option(name, target, help)->type_name(type)->allow_extra_args(false);
  return *this;
}

VerbOptions& VerbOptions::whole(const std::string& name, int& target, int low, int high, const std::string& help) {
  verb_.add_option(name, target, help)->type_name("N")->check(CLI::Range(low, high));
  return *this;
}

VerbOptions& VerbOptions::shared() {
  text("--studies", options_.studies_folder, "DIR",
       "folder of study files (default: $ATTO_STUDIES, ./studies, the installed one)");
  preset("--store", options_.store, "PATH", "file of finished runs");
  return flag("--json", options_.json, "print JSON on standard output and nothing else there");
}

VerbOptions& VerbOptions::refused(const std::string& name, const std::string& why, const std::string& remedy) {
  verb_
      .add_option_function<std::string>(
          name, [=](const std::string&) { throw Error(ErrorKind::usage, name + " has no effect " + why, remedy); }, "")
      ->group("");
  return *this;
}

VerbOptions& VerbOptions::setting() {
  verb_.add_option("--profile", options_.study.profile, "the profile of the study: quick, full or another one it has")
      ->capture_default_str();
  verb_
      .add_option("--set", options_.study.set, "change a setting in every cell; may be repeated (see `atto help keys`)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  return *this;
}

VerbOptions& VerbOptions::study() {
  setting();
  verb_
      .add_option(
          "--seeds", options_.study.seeds,
          "runs per cell, instead of the study's number (" + std::to_string(SeedPlan().count) + " where it gives none)")
      ->type_name("N");
  verb_
      .add_option_function<std::string>(
          "--until", [&options = options_](const std::string& word) { options.study.until = from_word<Until>(word); },
          "decided: more seeds, in batches, for the claims that are still open; count: a fixed number")
      ->check(CLI::IsMember(words_of<Until>()));
  verb_.add_option("--most", options_.study.most, "seeds per cell at most, with --until decided")->type_name("N");
  return *this;
}

VerbOptions& VerbOptions::threads() {
  verb_.add_option("--threads", options_.threads, "runs trained at the same time (default: one per core)")
      ->type_name("N")
      ->check(CLI::Range(0, 4096));
  verb_
      .add_option("--checkpoint", options_.checkpoint,
                  "save a checkpoint of a run after this much training, so a kill costs no more; 0: never")
      ->capture_default_str()
      ->type_name("SECONDS")
      ->check(seconds_problem);
  return *this;
}

VerbOptions& VerbOptions::training() {
  threads();
  return flag("--dry-run", options_.dry_run,
              "train nothing; say what there is to train, how long that takes and how much memory");
}

VerbOptions& VerbOptions::observables(const std::string& help) {
  return list("--observable", options_.observables, "ADDRESS", help);
}

}  // namespace atto
