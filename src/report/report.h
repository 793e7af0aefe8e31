// The report: one HTML file with the answers to each source, the verdict on every claim, and for each study its
// setting, figures and numbers. It opens from disk and asks the network for nothing. The same store gives the same
// bytes.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "lab/figures/figure.h"
#include "lab/results/results.h"
#include "observe/run_source.h"

namespace atto {

// What a report says of one study.
struct StudyReport {
  const Study& study;
  const StudyResult* result = nullptr;  // null when the store holds none of its runs
  int64_t runs_asked = 0, runs = 0;
  std::string called;   // how commands call the study: its name, or the path of its file
  std::string options;  // " --profile full": what the commands below need to find the same runs
};

// Where in the page a claim and what it belongs to can be found.
struct ClaimPlace {
  std::string id;
  std::string study_id, study_title;
  std::string figure_id, figure_title;  // the figure to look at with it; empty where none is drawn
  FigureSize figure_size = FigureSize::full;
};

// The page that trains runs in the browser, and what it needs to say how long that takes.
struct Playground {
  std::string page;                       // its address, as seen from the report
  std::map<std::string, double> seconds;  // that runs took here, by id
};

class Report {
 public:
  // Figures lead to the playground; without a page they do not.
  explicit Report(Playground playground = {}) : playground_(std::move(playground)) {}

  // Draws the study's figures and adds its section; `runs` may be null when there is no result.
  void add(const StudyReport& study, const RunSource* runs);
  // A sentence that stands above everything: there is no store, for instance.
  void notice(const std::string& text) { notices_.push_back(text); }

  std::string html() const;
  size_t figures() const { return figures_; }
  size_t claims() const;

 private:
  std::string unique_id(const std::string& name);
  // The figures of a study, and in `drawn` the names of those that could be drawn.
  std::string figures_html(const StudyReport& report, const RunSource& runs, const std::string& id,
                           std::set<std::string>& drawn);
  void place_claims(const StudyReport& report, const std::string& id, const std::set<std::string>& drawn);

  Playground playground_;
  std::vector<std::string> notices_;
  std::string contents_, claim_rows_, sections_;
  int64_t not_judged_ = 0;  // claims of studies without runs
  std::vector<ClaimResult> judged_;
  std::vector<ClaimPlace> places_;  // of the judged ones
  std::set<std::string> ids_;
  size_t figures_ = 0;
};

}  // namespace atto
