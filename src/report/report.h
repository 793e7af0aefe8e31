// The report: one HTML file with the verdicts on every claim, and for each study its setting, figures and numbers.
// It opens from disk and asks the network for nothing. The same store gives the same bytes.
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

class Report {
 public:
  // Draws the study's figures and adds its section; `runs` may be null when there is no result.
  void add(const StudyReport& study, const RunSource* runs);
  // A sentence that stands above everything: there is no store, for instance.
  void notice(const std::string& text) { notices_.push_back(text); }

  std::string html() const;
  size_t figures() const { return figures_; }
  size_t claims() const;

 private:
  std::string unique_id(const std::string& name);

  std::vector<std::string> notices_;
  std::string contents_, claim_rows_, sections_;
  int64_t not_judged_ = 0;  // claims of studies without runs
  std::vector<ClaimResult> judged_;
  std::set<std::string> ids_;
  size_t figures_ = 0;
};

}  // namespace atto
