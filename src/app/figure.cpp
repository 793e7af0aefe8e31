// atto figure: figures of studies as files, for papers and talks.
#include <filesystem>
#include <iostream>
#include <map>

#include "app/browser.h"
#include "app/job.h"
#include "app/output_file.h"
#include "app/text.h"
#include "app/verbs.h"
#include "lab/figures/figure.h"
#include "lab/report/assets.h"
#include "numeric/error.h"

namespace atto {
namespace {

// "sticky-plateau/curves" names a study, by name or by path, and its figure; "sticky-plateau" all of its figures.
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

struct Drawn {
  std::string stem;  // of its file: "sticky-plateau-curves"
  Figure figure;
};

std::vector<Drawn> draw_named(const Options& options) {
  const Store store(options.store, Store::Mode::read);
  std::vector<Drawn> all;
  std::map<std::string, StudyResult> results;  // a study is judged once, however many of its figures are asked for
  for (const std::string& name : options.names) {
    const auto [study, wanted] = split_name(name);
    Job job = prepare(study, options);
    std::vector<FigurePlan> plans;
    if (wanted.empty()) plans = job.study.figures;
    else plans = {find_plan(job.study, wanted)};
    if (!results.contains(study)) results.emplace(study, collect_stored(job, store));
    for (const FigurePlan& plan : plans)
      all.push_back({job.study.name + "-" + plan.name, draw_figure(plan, results.at(study), store)});
  }
  for (const Drawn& one : all)
    if (one.figure.spec.is_null() && all.size() == 1)
      throw Error(ErrorKind::missing, "there is nothing to draw: " + one.figure.drawing.notice);
  std::erase_if(all, [](const Drawn& one) { return one.figure.spec.is_null(); });
  return all;
}

// A specification that looks here as anywhere: with the light theme's configuration.
std::string spec_text(const Figure& figure) {
  Json spec = figure.spec;
  spec["config"] = Json::parse(assets::look())["light"];
  return json_text(spec);
}

struct File {
  std::filesystem::path path;
  std::string bytes;
};

// `atto figure … --output x.svg` names the one file; otherwise it is a folder.
std::filesystem::path file_path(const Options& options, const std::string& stem, const std::string& ending, bool only) {
  const std::filesystem::path output = options.output.empty() ? "figures" : options.output;
  if (only && output.has_extension()) return output;
  return output / (stem + "." + ending);
}

}  // namespace

int figure(const Options& options) {
  std::vector<std::string> formats = options.figure.formats();
  const std::vector<Drawn> all = draw_named(options);
  if (formats == std::vector<std::string>{"spec"} && options.output.empty() && all.size() == 1) {
    std::cout << spec_text(all.front().figure);
    return 0;
  }
  std::vector<File> files;
  std::vector<Rendering> renderings;
  std::vector<size_t> rendered;  // which files they are
  const bool only = all.size() * formats.size() == 1;
  for (const Drawn& one : all) {
    for (const std::string& format : formats) {
      if (format == "gif" && one.figure.drawing.frames.empty()) {
        if (only)
          throw Error(ErrorKind::usage, one.stem + " does not move, so there is no GIF of it", "use --png or --svg");
        continue;
      }
      files.push_back({file_path(options, one.stem, format == "spec" ? "vl.json" : format, only), ""});
      if (format == "spec") {
        files.back().bytes = spec_text(one.figure);
        continue;
      }
      rendered.push_back(files.size() - 1);
      renderings.push_back({one.figure.spec, one.stem, format, options.figure.scale, options.figure.theme});
    }
  }
  if (!renderings.empty()) {
    std::vector<std::string> bytes = render(renderings);
    for (size_t i = 0; i < bytes.size(); ++i) files[rendered[i]].bytes = std::move(bytes[i]);
  }
  Json list = Json::array();
  for (const File& file : files) {
    OutputFile out(file.path);
    out.write(file.bytes);
    out.commit();
    list.push_back({{"file", file.path.string()}, {"bytes", file.bytes.size()}});
    if (!options.json) std::cout << file.path.string() << " (" << bytes_text(file.bytes.size()) << ")\n";
  }
  if (options.json) std::cout << json_text(list);
  return 0;
}

}  // namespace atto
