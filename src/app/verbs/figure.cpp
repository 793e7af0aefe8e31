// atto figure: figures of studies as files, for papers and talks.
#include <filesystem>
#include <iostream>
#include <map>

#include "app/export/output_file.h"
#include "app/export/output_name.h"
#include "app/interrupt.h"
#include "app/job.h"
#include "app/open_store.h"
#include "app/render/browser.h"
#include "app/terminal/text.h"
#include "app/verbs/verbs.h"
#include "base/error.h"
#include "base/names.h"
#include "lab/figures/figure.h"
#include "lab/results/json.h"
#include "report/assets.h"

namespace atto {
namespace {

// "sticky-plateau/perplexity" names a study, by name or by path, and its figure; "sticky-plateau" all of its figures.
std::pair<std::string, std::string> split_name(const std::string& name) {
  const size_t slash = name.rfind('/');
  if (slash == std::string::npos || name.ends_with(".toml")) return {name, ""};
  return {name.substr(0, slash), name.substr(slash + 1)};
}

const FigurePlan& find_plan(const Study& study, const std::string& name) {
  std::vector<std::string> names;
  std::string list;
  for (const FigurePlan& plan : study.figures) {
    if (plan.name == name) return plan;
    names.push_back(plan.name);
    list += (list.empty() ? "" : ", ") + plan.name;
  }
  const std::string near = nearest_name(name, names);
  throw Error(
      ErrorKind::usage,
      "'" + study.name + "' has no figure '" + name + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"),
      list.empty() ? "" : "its figures are " + list);
}

constexpr const char* kShowStudy = "`atto show STUDY` tells what there is to draw from";

struct Drawn {
  std::string stem;  // of its file: "sticky-plateau-curves"
  Figure figure;
};

// What is left out is said, with the reason, and nothing at all is an error.
class Omissions {
 public:
  void add(const std::string& figure, const std::string& reason, const std::string& remedy) {
    omitted_.push_back(figure + ": " + reason);
    if (remedy_.empty()) remedy_ = remedy;
  }
  // Call once it is known how many files there will be.
  void say(size_t files) const {
    if (files == 0)
      throw Error(ErrorKind::missing,
                  "there is nothing to write: " + (omitted_.empty() ? "no figure" : omitted_.front()),
                  remedy_.empty() ? "`atto list --json` tells which studies have figures" : remedy_);
    for (const std::string& one : omitted_) std::cerr << "left out: " << one << "\n";
  }

 private:
  std::vector<std::string> omitted_;
  std::string remedy_;  // of the first
};

std::vector<Drawn> draw_named(const Options& options, Omissions& omissions) {
  const Store store = open_store_aloud(options.store, Store::Mode::read);
  std::vector<Drawn> all;
  std::map<std::string, StudyResult> results;  // a study is judged once, however many of its figures are asked for
  for (const std::string& name : options.names) {
    const auto [study, wanted] = split_name(name);
    Job job = prepare(study, options);
    std::vector<FigurePlan> plans;
    if (wanted.empty()) plans = job.study.figures;
    else plans = {find_plan(job.study, wanted)};
    if (!results.contains(study)) results.emplace(study, collect_stored(job, store, options));
    for (const FigurePlan& plan : plans) {
      Drawn drawn{job.study.name + "-" + plan.name, draw_figure(plan, results.at(study), store)};
      if (drawn.figure.spec.is_null()) omissions.add(drawn.stem, drawn.figure.drawing.notice, kShowStudy);
      else all.push_back(std::move(drawn));
    }
  }
  return all;
}

// A specification that looks the same anywhere: with the theme's configuration.
std::string spec_text(const Figure& figure, Theme theme) {
  Json spec = figure.spec;
  spec["config"] = parse_json(assets::look())[to_word(theme)];
  return json_text(spec);
}

struct File {
  std::filesystem::path path;
  FigureFormat format = FigureFormat::svg;
  std::string bytes;
  const Drawn* drawn = nullptr;
};

// `--output x.svg` names the file of a single figure, and so does a device; anything else is a folder.
std::filesystem::path file_path(const Options& options, const std::string& stem, FigureFormat format) {
  const std::string ending = format == FigureFormat::spec ? ".vl.json" : std::string(".") + to_word(format);
  const std::string output = options.output.empty() ? "figures" : options.output;
  if (output.ends_with(ending) || (format == FigureFormat::spec && output.ends_with(".json"))) return output;
  if (is_stream(output)) return output;
  check_ending(output, ending, std::string("--") + to_word(format));
  return std::filesystem::path(output) / (stem + ending);
}

// The files to write, their bytes not yet there.
std::vector<File> plan_files(const std::vector<Drawn>& all, const Options& options, Omissions& omissions) {
  std::vector<File> files;
  for (const Drawn& one : all) {
    for (const FigureFormat format : options.figure.formats()) {
      if (format == FigureFormat::gif && one.figure.drawing.frames.empty()) {
        omissions.add(one.stem, "it does not move, so there is no GIF of it", "--png and --svg draw it");
        continue;
      }
      File file{file_path(options, one.stem, format), format, "", &one};
      for (const File& earlier : files)
        if (earlier.path == file.path)
          throw Error(ErrorKind::usage, "two figures would be written to '" + file.path.string() + "'",
                      "name a folder with --output, or draw them one by one");
      files.push_back(std::move(file));
    }
  }
  omissions.say(files.size());
  return files;
}

// False when the user stopped it.
bool fill(std::vector<File>& files, const FigureOptions& how) {
  std::vector<Rendering> renderings;
  std::vector<File*> rendered;
  for (File& file : files) {
    if (file.format == FigureFormat::spec) {
      file.bytes = spec_text(file.drawn->figure, how.theme);
      continue;
    }
    renderings.push_back({file.drawn->figure.spec, file.drawn->stem, file.format, how.scale, to_word(how.theme)});
    rendered.push_back(&file);
  }
  if (renderings.empty()) return true;
  auto bytes = render(renderings);
  for (size_t i = 0; bytes && i < bytes->size(); ++i) rendered[i]->bytes = std::move((*bytes)[i]);
  return bytes.has_value();
}

constexpr const char* kFigureFooter = R"(Examples
  atto figure sticky-plateau/perplexity --svg --png
  atto figure embedding-branching/trajectories --gif --output talk
  atto figure sticky-plateau/perplexity --spec > curves.vl.json

SVG, PNG and GIF are drawn by a Chromium or Chrome without a window ($ATTO_BROWSER names another); --spec needs none.)";

void describe_figure(VerbOptions& options) {
  FigureOptions& how = options.target().figure;
  options.names("STUDY[/FIGURE]", "a figure of a study, or a study for all of its figures")
      .flag("--svg", how.svg, "write SVG (the default)")
      .flag("--png", how.png, "write PNG")
      .flag("--gif", how.gif, "write an animation of the figures that have one")
      .flag("--spec", how.spec, "write the Vega-Lite specification; one alone goes to standard output")
      .number("--scale", how.scale, 0.5, 8.0, "pixels of a PNG for each of the figure's")
      .choice("--theme", how.theme, "light or dark")
      .study()
      .text("--output", options.target().output, "DIR|FILE", "folder, or the file to write (default: figures)");
}

int figure(const Options& options) {
  check_json_apart(options);
  Omissions omissions;
  const std::vector<Drawn> all = draw_named(options, omissions);
  const bool to_standard_output =
      options.figure.formats() == std::vector{FigureFormat::spec} && options.output.empty() && all.size() == 1;
  if (to_standard_output) {
    std::cout << spec_text(all.front().figure, options.figure.theme);
    return 0;
  }
  std::vector<File> files = plan_files(all, options, omissions);
  watch_signals();
  if (!fill(files, options.figure)) return kInterruptedExit;
  Json list = Json::array();
  for (const File& file : files) {
    OutputFile out(file.path);
    out.write(file.bytes);
    out.commit();
    list.push_back({{"file", file.path.string()}, {"bytes", file.bytes.size()}});
    std::ostream& told = is_standard_output(file.path) ? std::cerr : std::cout;  // apart from the figure
    if (!options.json) told << file.path.string() << " (" << bytes_text(file.bytes.size()) << ")\n";
  }
  if (options.json) std::cout << json_text(list);
  return 0;
}

}  // namespace

Verb figure_verb() {
  return {.help = "Figures of a study as SVG, PNG, GIF or Vega-Lite, for papers and talks",
          .footer = kFigureFooter,
          .several = true,
          .needs_name = true,
          .describe = describe_figure,
          .perform = figure};
}

}  // namespace atto
