// atto list: the studies, how large they are, and what they claim.
#include <unistd.h>

#include <iostream>

#include "app/studies.h"
#include "app/terminal/text_table.h"
#include "app/verbs/verbs.h"
#include "base/error.h"
#include "lab/results/json.h"

namespace atto {
namespace {

struct Size {
  int64_t cells = 0, runs = 0;
  int64_t fewest = 0, most = 0;  // seeds of a cell
};

Size size_of(const Study& study) {
  Size size;
  for (const Cell& cell : expand_cells(study)) {
    size.fewest = size.cells == 0 ? cell.seeds : std::min(size.fewest, cell.seeds);
    size.most = std::max(size.most, cell.seeds);
    size.runs += cell.seeds;
    ++size.cells;
  }
  return size;
}

std::string size_text(const Size& size) {
  const std::string seeds = count_text(size.fewest) + (size.most > size.fewest ? "–" + count_text(size.most) : "");
  return count_text(size.cells) + " × " + seeds;
}

struct Listed {
  Study study;              // as the quick profile reads it
  std::vector<Size> sizes;  // of study.profiles: quick, full, its own
};

Listed read_all_profiles(const std::string& path) {
  Listed listed{read_study(path, {}), {}};
  for (const std::string& profile : listed.study.profiles) {
    StudyOptions options;
    options.profile = profile;
    listed.sizes.push_back(size_of(read_study(path, options)));
  }
  return listed;
}

Json listed_json(const Listed& listed) {
  const Study& study = listed.study;
  Json claims = Json::array(), profiles = Json::object(), figures = Json::array();
  for (const FigurePlan& plan : study.figures) figures.push_back(plan.name);
  for (const Claim& claim : study.claims)
    claims.push_back({{"claim", claim.id},
                      {"statement", claim.statement},
                      {"source", claim.source},
                      {"published", claim.published}});
  for (size_t i = 0; i < listed.sizes.size(); ++i) {
    const Size& size = listed.sizes[i];
    profiles[study.profiles[i]] = {
        {"cells", size.cells}, {"fewest_seeds", size.fewest}, {"most_seeds", size.most}, {"runs", size.runs}};
  }
  return {{"study", study.name}, {"title", study.title}, {"source", study.source}, {"summary", study.summary},
          {"path", study.path},  {"profiles", profiles}, {"claims", claims},       {"figures", figures}};
}

void print(const std::vector<Listed>& studies, const std::string& folder) {
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  Table table({{"study"}, {"quick: cells × seeds"}, {"full: cells × seeds"}, {"claims", Align::right}});
  for (const auto& [study, sizes] : studies) {
    std::string claims, own;
    for (size_t i = 2; i < sizes.size(); ++i)
      own += (own.empty() ? "profile " : ", ") + study.profiles[i] + ": " + size_text(sizes[i]);
    for (const Claim& claim : study.claims) claims += (claims.empty() ? "claims " : ", ") + claim.id;
    table.row({{study.name, Style::bold},
               size_text(sizes[0]),
               size_text(sizes[1]),
               count_text(static_cast<int64_t>(study.claims.size()))});
    table.note(study.title + (study.source.empty() ? "" : " — " + study.source));
    table.note(claims);
    if (!own.empty()) table.note(own);
  }
  std::cout << table.render(terminal) << "\n"
            << count_text(static_cast<int64_t>(studies.size())) << " in " << folder
            << ". `atto run STUDY` trains one, `atto reproduce` all of them.\n";
}

}  // namespace

int list(const Options& options) {
  const std::string folder = studies_folder(options);
  std::vector<Listed> studies;
  std::optional<Error> broken;  // one bad file does not hide the others
  for (const std::string& name : list_studies(folder)) {
    try {
      studies.push_back(read_all_profiles(find_study(name, {folder})));
    } catch (const Error& error) {
      if (!broken) broken = error;
    }
  }
  if (options.json) {
    Json all = Json::array();
    for (const Listed& listed : studies) all.push_back(listed_json(listed));
    std::cout << json_text(all);
  } else if (studies.empty() && !broken) {
    throw Error(ErrorKind::missing, "there is no study (*.toml) in '" + folder + "'",
                "name another folder with --studies");
  } else {
    print(studies, folder);
  }
  if (broken) throw Error(*broken);
  return 0;
}

}  // namespace atto
