#include "app/command_line.h"

#include <CLI/CLI.hpp>

#include "app/terminal/text.h"
#include "app/verbs/verbs.h"
#include "base/error.h"
#include "base/names.h"

namespace atto {
namespace {

constexpr const char* kExamples = R"(Examples
  atto list                                        the studies; --long says what they claim
  atto reproduce                                   train what is missing, judge every claim
  atto run sticky-plateau --set network.width=3    one study, with a setting changed
  atto run mine.toml --seeds 8 --json              your own study, for a program to read
  atto show sticky-plateau                         curves and verdicts in the terminal
  atto report                                      all figures and verdicts as one page: results/report.html
  atto figure sticky-plateau/perplexity --svg      one figure for a paper
  atto export sticky-plateau --format npz --output data
  atto predict --length 512 --dimension 64         how long a plateau theory expects

Every finished run stays in the store (results/atto.db), long ones also half-way (--checkpoint): Ctrl-C loses nothing, and asking
again continues. `atto help keys`, `atto help observables`, `atto help detectors` and `atto help figures` list what a study can say.)";

std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates) {
  const std::string near = nearest_name(word, candidates);
  return near.empty() ? "" : "; did you mean '" + near + "'?";
}

std::string verb_list() {
  std::string list;
  for (const std::string& name : verb_names()) list += (list.empty() ? "" : ", ") + name;
  return list;
}

// Adds every verb to the parser, bound to `options`.
void describe_verbs(CLI::App& app, Options& options) {
  app.add_flag("--version", options.version, "print the version and stop");
  for (const auto& [name, verb] : all_verbs()) {
    CLI::App* const added = app.add_subcommand(name, verb.help);
    added->footer(verb.footer);
    VerbOptions described(*added, options);
    verb.describe(described);
    described.shared();
    // Words nobody expected are collected, so that the message can name the nearest known one.
    added->allow_extras();
  }
  app.allow_extras();
  app.require_subcommand(0, 1);  // in `atto help run` the second word is a topic
}

// The parser's message for the one slip it words badly; all numbers it converts are whole.
std::string plain_words(const std::string& message) {
  const std::string prefix = "Could not convert: ";
  return message.starts_with(prefix) ? message.substr(prefix.size()) + " is not a whole number" : message;
}

[[noreturn]] void refuse_verb(const std::string& word) {
  throw Error(ErrorKind::usage, "unknown verb '" + word + "'" + did_you_mean(word, verb_names()),
              "the verbs are " + verb_list() + "; `atto --help` explains them");
}

void refuse_extras(CLI::App& verb) {
  const std::vector<std::string> extras = verb.remaining();
  if (extras.empty()) return;
  const std::string remedy =
      "`atto " + (verb.get_parent() == nullptr ? "" : verb.get_name() + " ") + "--help` lists the options";
  for (const std::string& word : extras) {
    if (word.size() < 2 || word[0] != '-') continue;
    const std::string option = word.substr(0, word.find('='));
    std::vector<std::string> known;
    for (const CLI::Option* one : verb.get_options())
      for (const std::string& name : one->get_lnames()) known.push_back("--" + name);
    throw Error(ErrorKind::usage, "unknown option '" + option + "'" + did_you_mean(option, known), remedy);
  }
  throw Error(ErrorKind::usage, "'" + extras.front() + "' is one argument too many", remedy);
}

void check_names(const Options& options) {
  const Verb& verb = *find_verb(options.verb);
  if (options.names.size() > 1 && !verb.several)
    throw Error(ErrorKind::usage, "'" + options.names[1] + "' is one argument too many",
                "`atto " + options.verb + " --help` shows how");
  if (options.names.empty() && verb.takes_job)
    throw Error(ErrorKind::usage, "`atto " + options.verb + "` needs the folder of a job",
                "`atto submit` and `atto explore` make it and name it, by default below results/jobs");
  if (options.names.empty() && verb.needs_name)
    throw Error(ErrorKind::usage, "`atto " + options.verb + "` needs the name of a study",
                "`atto list` shows the studies there are");
}

}  // namespace

Options parse_command_line(int argc, const char* const* argv) {
  Options options;
  if (argc > 0) options.program = shell_word(argv[0]);
  options.command = options.program;
  for (int i = 1; i < argc; ++i) options.command += " " + shell_word(argv[i]);

  CLI::App app(
      "Attoscope: an instrument for watching attention emerge.\n"
      "Trains thousands of tiny attention networks and says, with statistics, which phenomena are real.",
      "atto");
  app.footer(kExamples);
  describe_verbs(app, options);
  CLI::App* chosen = nullptr;
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    for (CLI::App* verb : app.get_subcommands()) chosen = verb;
    options.verb = "help";
    options.names.clear();
    options.usage = chosen == nullptr ? app.help() : chosen->help("atto");
    return options;
  } catch (const CLI::ParseError& failure) {
    for (CLI::App* verb : app.get_subcommands()) chosen = verb;
    if (chosen != nullptr) refuse_extras(*chosen);  // a misspelt option is the likelier cause of what is missing
    throw Error(ErrorKind::usage, plain_words(failure.what()),
                "`atto " + (chosen == nullptr ? "" : chosen->get_name() + " ") + "--help` shows how");
  }
  if (options.version) {
    options.verb = "version";
    return options;
  }
  for (CLI::App* verb : app.get_subcommands()) chosen = verb;
  if (const auto extras = app.remaining(); !extras.empty()) {
    if (extras.front()[0] == '-') refuse_extras(app);
    refuse_verb(extras.front());
  }
  if (chosen == nullptr) {
    options.verb = "help";
    options.usage = app.help();
    return options;
  }
  options.verb = chosen->get_name();
  refuse_extras(*chosen);
  for (const CLI::Option* one : chosen->get_options())
    if (one->count() > 0 && !one->get_lnames().empty()) options.given.push_back("--" + one->get_lnames().front());
  check_names(options);
  if (options.verb == "help") {
    options.usage = app.help();
    for (CLI::App* verb : app.get_subcommands({})) {
      if (!options.names.empty() && verb->get_name() == options.names.front()) {
        options.usage = verb->help("atto");
        options.names.clear();
      }
    }
  }
  if (options.verb == "export" && options.output.empty()) options.output = "export";
  return options;
}

}  // namespace atto
