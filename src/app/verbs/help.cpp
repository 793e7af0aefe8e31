// atto help: the command line, and every name a study may use, straight from their descriptions.
#include <unistd.h>

#include <iostream>

#include "app/terminal/text_table.h"
#include "app/verbs/verbs.h"
#include "base/error.h"
#include "base/names.h"
#include "kernels/simd/target.h"
#include "lab/figures/figure.h"
#include "lab/results/json.h"
#include "lab/store/store.h"
#include "math/expression/expression.h"
#include "observe/observable.h"

namespace atto {
namespace {

// Of a list of tables, what each of them may hold; of anything else, nothing.
const std::vector<FieldInfo>& members_of_each(const FieldInfo& field) {
  static const std::vector<FieldInfo> none;
  return field.item == nullptr ? none : field.item->members;
}

Json fields_json(const Fields& fields) {
  Json list = Json::array();
  for (const Field& field : fields.all()) list.push_back(to_json(field, field.get()));
  return list;
}

std::string field_table(const Fields& fields, const std::string& title, const Terminal& terminal) {
  Table table({{title}, {"default"}, {"allowed, meaning", Align::left, true}});
  const auto add = [&table](const std::string& key, const FieldInfo& field, const Value& value) {
    const std::string initial = to_text(value);
    table.row({{key, Style::bold}, initial.empty() ? "\"\"" : initial, field.allowed() + ": " + field.help});
  };
  for (const Field& field : fields.all()) {
    add(field.key, field, field.get());
    for (const FieldInfo& member : members_of_each(field)) add("  " + member.key, member, member.initial);
  }
  return table.render(terminal);
}

void help_keys(const Options& options, const Terminal& terminal) {
  RunConfig config;
  Fields fields;
  fields.all_of(config, run_schema());
  if (options.json) std::cout << json_text(fields_json(fields));
  else
    std::cout << "Keys of a run: tables of a study file ([data] vocab = 10), sweep axes, and --set data.vocab=10.\n\n"
              << field_table(fields, "key", terminal);
}

void help_observables(const Options& options, const Terminal& terminal) {
  RunConfig config;
  config.network.positions = PositionKind::learned;  // offers the most
  config.network.unembedding = Tying::free;
  config.training.interventions = {{.freeze = {"W_E"}}};
  Json list = Json::array();
  Table table({{"address"}, {"what it is", Align::left, true}});
  for (const Observable& one : all_observables(RunSpec(config))) {
    if (one.alias) continue;
    list.push_back({{"address", one.address}, {"help", one.help}});
    table.row({{one.address, Style::bold}, one.help});
  }
  if (options.json) std::cout << json_text(list);
  else
    std::cout << "Addresses of a network with learned positions and a free unembedding, and of a run with an "
                 "intervention; a study lists them under [[observe]].\n\n"
              << table.render(terminal)
              << "\nA matrix can also be observed under its name in exports: W_E, blocks.0.attn.W_Q.effective_rank.\n";
}

void help_detectors(const Options& options, const Terminal& terminal) {
  Json list = Json::array();
  std::string text =
      "Detectors look for phenomena in a run; a study names them under [[phenomenon]]. In brackets: settings that a "
      "quantity\n"
      "hangs on, over which the report draws verdicts.\n";
  for (const std::string& name : detector_names()) {
    const auto detector = make_detector(name);
    Fields settings;
    detector->describe(settings);
    Json quantities = Json::object(), cuts = Json::object();
    Table table({{"quantity"}, {"meaning", Align::left, true}});
    const std::string prefix = name + ".";
    for (const QuantityHelp& one : detector->quantities()) {
      quantities[one.name] = one.help;
      std::string settings_named;
      for (const Cut& cut : detector->cuts(one.name)) {
        cuts[one.name].push_back(cut.setting);
        settings_named += (settings_named.empty() ? " [" : ", ") + cut.setting;
      }
      table.row({{prefix + one.name, Style::bold}, one.help + settings_named + (settings_named.empty() ? "" : "]")});
    }
    list.push_back(
        {{"detector", name}, {"settings", fields_json(settings)}, {"quantities", quantities}, {"cuts", cuts}});
    text.append("\n").append(styled(name, Style::bold, terminal)).append("\n\n");
    if (!settings.all().empty()) text.append(field_table(settings, "setting", terminal)).append("\n");
    text += table.render(terminal);
  }
  std::cout << (options.json ? json_text(list) : text);
}

void help_figures(const Options& options, const Terminal& terminal) {
  Json list = Json::array();
  std::string text =
      "Kinds of figure; a study asks for them under [[figure]], each with a `name`, a `kind` and a `title`, and if it "
      "likes\n"
      "`where` (cells), `size` (full, half, third), `note` and `published`.\n";
  for (const std::string& name : figure_kind_names()) {
    const auto kind = make_figure_kind(name);
    FigureSettings settings;
    kind->describe(settings);
    Json keys = Json::array();
    Table table({{"setting"}, {"default"}, {"allowed, meaning", Align::left, true}});
    for (const FigureSettings::Setting& one : settings.all()) {
      keys.push_back({{"key", one.key}, {"allowed", one.allowed}, {"default", one.initial}, {"help", one.help}});
      table.row({{one.key, Style::bold}, one.initial.empty() ? "-" : one.initial, one.allowed + ": " + one.help});
    }
    list.push_back({{"kind", name}, {"help", kind->help()}, {"settings", keys}});
    text.append("\n").append(styled(name, Style::bold, terminal)).append(": " + kind->help() + "\n\n");
    text += table.render(terminal);
  }
  std::cout << (options.json ? json_text(list) : text);
}

void help_expressions(const Options& options, const Terminal& terminal) {
  Json list = Json::array();
  Table table({{"function"}, {"what it gives", Align::left, true}});
  for (const FunctionHelp& one : expression_functions()) {
    list.push_back({{"function", one.usage}, {"help", one.help}});
    table.row({{one.usage, Style::bold}, one.help});
  }
  if (options.json) {
    std::cout << json_text(list);
    return;
  }
  std::cout
      << "Expressions stand in [[quantity]] (`is`), in the terms of a [[fit]], the lines of a [[figure]] and "
         "data.formula."
         "\n\n"
         "  loss - best_loss        layer.0.query' * layer.0.key        singular_values(embedding)[0]\n\n"
         "Operators, the loosest first: c ? a : b, ||, &&, < <= > >= == !=, + -, * / .*, - and ! in front, ^, and ' "
         "behind\n"
         "a matrix for its transpose. * is the product of matrices, of a matrix and a vector, and of a number and\n"
         "anything; everything else goes entry by entry, and so does .* for matrices. Comparisons give 1 or 0.\n"
         "m[1] is a row, m[:, 0] a column, m[1, 2] an entry, v[-1] the last entry, v[0:3] the first three.\n"
         "Names are addresses (`atto help observables`), quantities, numeric keys of a run (`atto help keys`), "
         "best_loss\n"
         "and other reference losses of the task (guess_loss); constants are _pi and _e.\n\n"
      << table.render(terminal);
}

void describe_help(VerbOptions& options) {
  options.names("TOPIC", "keys, observables, expressions, detectors, figures or a verb");
}

int help(const Options& options) {
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  const std::string topic = options.names.empty() ? "" : options.names.front();
  if (topic == "keys") help_keys(options, terminal);
  else if (topic == "observables") help_observables(options, terminal);
  else if (topic == "expressions") help_expressions(options, terminal);
  else if (topic == "detectors") help_detectors(options, terminal);
  else if (topic == "figures") help_figures(options, terminal);
  else if (topic.empty()) std::cout << options.usage;
  else {
    std::vector<std::string> topics = {"keys", "observables", "expressions", "detectors", "figures"};
    for (const std::string& verb : verb_names()) topics.push_back(verb);
    const std::string near = nearest_name(topic, topics);
    throw Error(ErrorKind::usage, "no help on '" + topic + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"),
                "the topics are keys, observables, expressions, detectors, figures and the verbs");
  }
  return 0;
}

}  // namespace

Verb help_verb() {
  return {.help = "Help on a verb, or on: keys, observables, expressions, detectors, figures",
          .footer = "",
          .describe = describe_help,
          .perform = help};
}

int print_version() {
  std::string targets;
  for (const std::string& name : supported_targets()) targets += (targets.empty() ? "" : ", ") + name;
  std::cout << "atto " << kVersion << "\nengine revision " << kEngineRevision << ", store format " << kStoreFormat
            << "\ninstruction set " << active_target() << " (this machine can: " << targets << ")\n";
  return 0;
}

}  // namespace atto
