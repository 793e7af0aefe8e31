// atto list: the studies, grouped by source; with --long how large they are and what they claim.
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "app/studies.h"
#include "app/terminal/text_table.h"
#include "app/verbs/verbs.h"
#include "base/error.h"
#include "lab/results/outline_json.h"

namespace atto {
namespace {

std::string size_text(const StudyOutline::Profile& size) {
  const std::string most = size.most_seeds > size.fewest_seeds ? "–" + count_text(size.most_seeds) : "";
  return count_text(size.cells) + " × " + count_text(size.fewest_seeds) + most;
}

// A line a study: its name and what it is about, cut where a terminal ends.
std::string short_lines(const std::vector<const StudyOutline*>& studies, size_t name_width, const Terminal& terminal) {
  std::string out;
  for (const StudyOutline* outline : studies) {
    const std::string& name = outline->study.name;
    const size_t room = terminal.width > name_width + 4 ? terminal.width - name_width - 4 : 0;
    out += "  " + styled(pad(name, name_width), Style::bold, terminal) + "  " + cut(outline->study.title, room) + "\n";
  }
  return out;
}

// The publication that a source names, without what follows its address ("https://…, open question 1").
std::string publication(const std::string& source) {
  const size_t address = source.find("http");
  return address == std::string::npos ? source : source.substr(0, source.find_first_of(", ", address));
}

std::string long_table(const std::vector<const StudyOutline*>& studies, const Terminal& terminal) {
  Table table({{"study"}, {"quick: cells × seeds"}, {"full: cells × seeds"}, {"claims", Align::right}});
  for (const StudyOutline* outline : studies) {
    const auto& [study, profiles] = *outline;
    table.row({{study.name, Style::bold},
               size_text(profiles[0]),
               size_text(profiles[1]),
               count_text(static_cast<int64_t>(study.claims.size()))});
    table.note(study.title + study.source.substr(publication(study.source).size()));
    std::string own;
    for (size_t i = 2; i < profiles.size(); ++i)
      own += (own.empty() ? "profile " : ", ") + profiles[i].name + ": " + size_text(profiles[i]);
    table.note(own);
    for (const Claim& claim : study.claims) table.note(claim.id + ": " + claim.statement);
  }
  return table.render(terminal);
}

// Studies of one publication, in the order in which they first appear.
using Group = std::pair<std::string, std::vector<const StudyOutline*>>;
std::vector<Group> by_source(const std::vector<StudyOutline>& studies) {
  std::vector<Group> groups;
  for (const StudyOutline& outline : studies) {
    const std::string source = publication(outline.study.source);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& one) { return one.first == source; });
    if (group == groups.end()) group = groups.insert(groups.end(), {source, {}});
    group->second.push_back(&outline);
  }
  return groups;
}

void print(const std::vector<StudyOutline>& studies, const std::string& folder, const Options& options) {
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  size_t name_width = 0;
  for (const StudyOutline& outline : studies) name_width = std::max(name_width, text_width(outline.study.name));
  for (const auto& [source, group] : by_source(studies)) {
    for (const std::string& line : wrap(source.empty() ? "Without a source" : source, terminal.width))
      std::cout << styled(line, Style::dim, terminal) << "\n";
    std::cout << (options.long_list ? long_table(group, terminal) : short_lines(group, name_width, terminal)) << "\n";
  }
  std::cout << count_text(static_cast<int64_t>(studies.size())) << " in " << folder << ". `atto run STUDY"
            << shared_options_text(options) << "` trains one, `atto reproduce" << shared_options_text(options)
            << "` all of them" << (options.long_list ? "" : "; `atto list --long` shows sizes and claims") << ".\n";
}

void describe_list(VerbOptions& options) {
  options.flag("--long", options.target().long_list, "cells, seeds and claims of each study too");
}

int list(const Options& options) {
  const std::string folder = studies_folder(options);
  std::vector<StudyOutline> studies;
  std::optional<Error> broken;  // one bad file does not hide the others
  for (const std::string& name : list_studies(folder)) {
    try {
      studies.push_back(outline_study(find_study(name, {folder})));
    } catch (const Error& error) {
      if (!broken) broken = error;
    }
  }
  if (options.json) {
    Json all = Json::array();
    for (const StudyOutline& outline : studies) all.push_back(outline_json(outline));
    std::cout << json_text(all);
  } else if (studies.empty() && !broken) {
    throw Error(ErrorKind::missing, "there is no study (*.toml) in '" + folder + "'",
                "name another folder with --studies");
  } else {
    print(studies, folder, options);
  }
  if (broken) throw Error(*broken);
  return 0;
}

}  // namespace

Verb list_verb() {
  return {.help = "The studies, by source", .footer = "", .describe = describe_list, .perform = list};
}

}  // namespace atto
