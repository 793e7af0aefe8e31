// atto figure: one figure of a study as a file, for papers and talks.
#include <iostream>

#include "app/job.h"
#include "app/verbs.h"
#include "lab/figures/figure.h"
#include "numeric/error.h"

namespace atto {
namespace {

// "sticky-plateau/curves": the study, by name or by path, and its figure.
std::pair<std::string, std::string> split_name(const std::string& name) {
  const size_t slash = name.rfind('/');
  if (slash == std::string::npos) return {name, ""};
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
  throw Error(ErrorKind::usage,
              "'" + study.name + "' has no figure '" + name + "'" +
                  (near.empty() ? "" : "; did you mean '" + near + "'?"),
              "its figures are " + list);
}

}  // namespace

int figure(const Options& options) {
  const auto [study, name] = split_name(options.names.front());
  const Store store(options.store, Store::Mode::read);
  Job job = prepare(study, options);
  const FigurePlan plan = find_plan(job.study, name);
  const StudyResult result = collect_stored(job, store);
  const Figure drawn = draw_figure(plan, result, store);
  std::cout << json_text(drawn.spec);
  return 0;
}

}  // namespace atto
