// What the server knows besides what is being trained: the studies of a folder and the runs of a store.
#pragma once

#include <string>
#include <vector>

#include "lab/results/json.h"
#include "lab/results/results.h"
#include "lab/study/study.h"

namespace atto {

// A study that somebody named or sent, ready to be trained.
struct ChosenStudy {
  Study study;
  std::vector<Cell> cells;
  std::string variant;  // under which the store keeps its results
};

class Library {
 public:
  Library(std::string studies, std::string store) : studies_(std::move(studies)), store_(std::move(store)) {}

  const std::string& store() const { return store_; }

  // {"studies": [as `atto list --json`], "broken": [{"study", "message"}]}
  Json studies() const;
  // {"study", "text"} of a study of the folder; only its name is taken, never a path.
  Json text(const std::string& name) const;
  // {"study": name} or {"text", "name"?}, with "options": {"profile", "set", "seeds", "until", "most"}. A text reads no
  // files. Error as read_study().
  ChosenStudy choose(const Json& request) const;
  // What the store has of a study chosen so: {"study", "profile", "planned", "runs", "cells", "fits", "verdicts",
  // "answers"}; the last four are empty where it has no run.
  Json results(const Json& request) const;
  // {"runs": [{"profile", "cell", "seed", "run", "stored"}]}: those that the store last knew the study to have.
  Json runs(const std::string& study) const;
  // {"run", "config", "steps_done", "diverged_at", "series": [{"address", "shape", "steps", "values"}]}; of series that
  // are not single numbers only those named have values.
  Json run(const std::string& id, const std::vector<std::string>& observables) const;

 private:
  std::string find(const std::string& name) const;

  std::string studies_, store_;
};

// "cells", "fits", "verdicts" and "answers" of a result.
Json result_json(const StudyResult& result);

}  // namespace atto
