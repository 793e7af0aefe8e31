#include "app/verb_options.h"

#include <charconv>
#include <cmath>

namespace atto {
namespace {

// What every verb takes, also one that has no use for it: a script can pass the same words to all of them.
void add_shared_options(CLI::App* verb, Options& options) {
  verb->add_option("--studies", options.studies_folder,
                   "folder of study files (default: $ATTO_STUDIES, ./studies, the installed one)")
      ->type_name("DIR");
  verb->add_option("--store", options.store, "file of finished runs")->capture_default_str()->type_name("PATH");
  verb->add_flag("--json", options.json, "print JSON on standard output and nothing else there");
}

// What picks the runs of a study; `show` and `export` need the same words as `run` to find them again.
void add_study_options(CLI::App* verb, Options& options) {
  verb->add_option("--profile", options.study.profile, "the profile of the study: quick, full or another one it has")
      ->capture_default_str();
  verb->add_option("--set", options.study.set, "change a setting in every cell; may be repeated (see `atto help keys`)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  verb->add_option(
          "--seeds", options.study.seeds,
          "runs per cell, instead of the study's number (" + std::to_string(SeedPlan().count) + " where it gives none)")
      ->type_name("N");
}

// What is wrong with a word for a duration; nothing when it is one.
std::string seconds_problem(const std::string& word) {
  const char* const end = word.data() + word.size();
  double seconds = 0;
  const auto [rest, problem] = std::from_chars(word.data(), end, seconds);
  if (problem == std::errc() && rest == end && seconds >= 0 && std::isfinite(seconds)) return "";
  return "'" + word + "' is not a number of seconds";
}

// How the runs are trained; results do not depend on it.
void add_training_options(CLI::App* verb, Options& options) {
  verb->add_option("--threads", options.threads, "runs trained at the same time (default: one per core)")
      ->type_name("N")
      ->check(CLI::Range(0, 4096));
  verb->add_option("--checkpoint", options.checkpoint,
                   "save a checkpoint of a run after this much training, so a kill costs no more; 0: never")
      ->capture_default_str()
      ->type_name("SECONDS")
      ->check(seconds_problem);
  verb->add_flag("--dry-run", options.dry_run,
                 "train nothing; say what there is to train, how long that takes and how much memory");
}

void add_observables(CLI::App* verb, Options& options, const std::string& help) {
  verb->add_option("--observable", options.observables, help)->type_name("ADDRESS")->allow_extra_args(false);
}

void add_predict(CLI::App& app, Options& options) {
  CLI::App* predict = app.add_subcommand("predict", "How long theory expects a plateau to last, and why");
  PredictOptions& words = options.predict;
  const auto add = [predict](const std::string& name, std::string& word, const std::string& help) {
    return predict->add_option(name, word, help)->type_name("NUMBERS");
  };
  add("--length", words.length, "T, tokens of a sequence, 2 or more")->required();
  add("--dimension", words.dimension, "d, dimension of a token")->required();
  add("--repeat", words.repeat, "B, positions of a sequence that hold the relevant token, below T")
      ->capture_default_str();
  add("--cross", words.cross, "p, probability that it is the token all sequences share; needs d > 1")
      ->capture_default_str();
  add("--threshold", words.threshold, "fraction of the starting loss that ends the plateau")->capture_default_str();
  predict->footer(
      R"(NUMBERS is a number, a list (16,32,64) or a range: 128:4096:x2 multiplies, 0:0.5:+0.1 adds. Several numbers give a
table of all combinations, one gives a report with what dominates and what more repetition would buy.

The task is the paper's toy regression: attend to the one relevant token of T, map it through W*. The loss is that on
data without cross-sample repetition (with --cross 0 also the training loss); time counts steps × learning rate.

Examples
  atto predict --length 512 --dimension 64
  atto predict --length 512 --dimension 64 --repeat 4 --cross 0.1 --threshold 0.1
  atto predict --length 128:4096:x2 --dimension 16,32,64 --json > plateaus.json)");
}

void add_report(CLI::App& app, Options& options) {
  CLI::App* report = app.add_subcommand("report", "Claims, figures and numbers of all studies as one HTML file");
  report->add_option("STUDY", options.names, "studies or study files (default: all)")->type_name("");
  add_study_options(report, options);
  report->add_option("--output", options.output, "the file to write (default: report.html next to the store)")
      ->type_name("FILE");
  report->footer(R"(Examples
  atto report                                      every study, from what the store holds now
  atto report sticky-plateau mine.toml --output mine.html

The file needs nothing else: it opens from disk and asks the network for nothing.)");
}

void add_figure(CLI::App& app, Options& options) {
  CLI::App* figure =
      app.add_subcommand("figure", "Figures of a study as SVG, PNG, GIF or Vega-Lite, for papers and talks");
  figure->add_option("STUDY[/FIGURE]", options.names, "a figure of a study, or a study for all of its figures")
      ->type_name("");
  FigureOptions& how = options.figure;
  figure->add_flag("--svg", how.svg, "write SVG (the default)");
  figure->add_flag("--png", how.png, "write PNG");
  figure->add_flag("--gif", how.gif, "write an animation of the figures that have one");
  figure->add_flag("--spec", how.spec, "write the Vega-Lite specification; one alone goes to standard output");
  figure->add_option("--scale", how.scale, "pixels of a PNG for each of the figure's")
      ->capture_default_str()
      ->check(CLI::Range(0.5, 8.0));
  figure->add_option("--theme", how.theme, "light or dark")
      ->capture_default_str()
      ->check(CLI::IsMember({"light", "dark"}));
  add_study_options(figure, options);
  figure->add_option("--output", options.output, "folder, or the file to write (default: figures)")
      ->type_name("DIR|FILE");
  figure->footer(R"(Examples
  atto figure sticky-plateau/perplexity --svg --png
  atto figure embedding-branching/trajectories --gif --output talk
  atto figure sticky-plateau/perplexity --spec > curves.vl.json

SVG, PNG and GIF are drawn by a Chromium or Chrome without a window ($ATTO_BROWSER names another); --spec needs none.)");
}

}  // namespace

void describe_verbs(CLI::App& app, Options& options) {
  app.add_flag("--version", options.version, "print the version and stop");

  CLI::App* list = app.add_subcommand("list", "The studies, by source");
  list->footer("");
  list->add_flag("--long", options.long_list, "cells, seeds and claims of each study too");

  CLI::App* run = app.add_subcommand("run", "Train the missing runs of one study, then show the results");
  run->add_option("STUDY", options.names, "a study's name or a study file")->type_name("");
  run->footer(R"(Examples
  atto run sticky-plateau                          the quick profile
  atto run sticky-plateau --profile full           more seeds
  atto run sticky-plateau --set training.rate=0.01 --seeds 16
  atto run mine.toml --json > mine.json            cells with per-seed values, for a program)");
  add_study_options(run, options);
  add_training_options(run, options);

  CLI::App* reproduce = app.add_subcommand("reproduce", "Judge the claims of all studies, or of those named");
  reproduce->add_option("STUDY", options.names, "studies or study files (default: all)")->type_name("");
  reproduce->footer(R"(Examples
  atto reproduce                                   every claim, quick profile
  atto reproduce sticky-plateau rank-collapse      these two
  atto reproduce --profile full --json > verdicts.json

A refuted claim is a result: the exit code is 0.)");
  add_study_options(reproduce, options);
  add_training_options(reproduce, options);

  CLI::App* show = app.add_subcommand("show", "What the store holds: an overview, a study's curves, or one run");
  show->add_option("STUDY|RUN_ID", options.names, "a study, a study file, or the beginning of a run's id")
      ->type_name("");
  show->footer(R"(Examples
  atto show                                        what the store holds
  atto show sticky-plateau --log                   curves of each cell, verdicts
  atto show plateau-phase-diagram --quantity plateau.level
  atto show 3f9c21 --observable embedding          one run, by the beginning of its id)");
  add_study_options(show, options);
  add_observables(show, options, "what to draw; may be repeated (default: perplexity)");
  show->add_option("--quantity", options.quantity,
                   "what the map of a two-axis sweep shows (default: the first that differs between cells)")
      ->type_name("NAME");
  show->add_flag("--log", options.log_scale, "draw curves on a logarithmic scale");

  add_report(app, options);
  add_figure(app, options);
  add_predict(app, options);

  CLI::App* exporter = app.add_subcommand("export", "Write runs as CSV, NPZ (curves) or safetensors (weights)");
  exporter->add_option("STUDY|RUN_ID", options.names, "a study, a study file, or the beginning of a run's id")
      ->type_name("");
  exporter->footer(R"(Examples
  atto export sticky-plateau --output data         data/sticky-plateau.csv and its manifest
  atto export sticky-plateau --format npz --observable embedding
  atto export 3f9c21 --format safetensors --output net.safetensors)");
  add_study_options(exporter, options);
  exporter->add_option("--format", options.format, "csv, npz or safetensors")
      ->capture_default_str()
      ->check(CLI::IsMember({"csv", "npz", "safetensors"}));
  exporter->add_option("--output", options.output, "folder, or the file to write")->type_name("DIR|FILE");
  add_observables(exporter, options, "only these; may be repeated (default: every one the format can hold)");

  CLI::App* help = app.add_subcommand("help", "Help on a verb, or on: keys, observables, detectors, figures");
  help->add_option("TOPIC", options.names, "keys, observables, detectors, figures or a verb")->type_name("");
  help->footer("");

  // Words nobody expected are collected, so that the message can name the nearest known one.
  for (CLI::App* verb : app.get_subcommands({})) {
    add_shared_options(verb, options);
    verb->allow_extras();
  }
  app.allow_extras();
  app.require_subcommand(0, 1);  // in `atto help run` the second word is a topic
}

}  // namespace atto
