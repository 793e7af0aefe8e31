// What a claim asks, as a text that can be kept and compared: the quantity with everything that makes it (detector,
// fit, expression), the statistic, the runs, and the region. Not how it is worded, named, cited or drawn. Two claims
// with the same text are the same question, so a claim whose text changes after its runs were trained was revised.
#pragma once

#include <string>
#include <vector>

#include "lab/study/study.h"

namespace atto {

struct Question {
  std::string claim;          // its id
  std::string text;           // canonical JSON
  std::string hash;           // of the text
  std::vector<size_t> cells;  // of the study: those that it speaks of, in order
};

// `cells` are expand_cells(study).
std::string question_text(const Study& study, const std::vector<Cell>& cells, const Claim& claim);
std::string question_hash(const std::string& text);
std::vector<Question> questions_of(const Study& study, const std::vector<Cell>& cells);  // in the order of the claims

// Does the claim speak of runs of this configuration, in whatever part?
bool speaks_of(const Study& study, const Claim& claim, const RunConfig& config);
int64_t runs_asked(const std::string& text);  // runs that the question speaks of: the seeds of all its cells

// The runs that a question's text speaks of, and those of a canonical text of a run (lab/study/study.h), seeds apart: a
// run belongs to the question if `settings_of_run` is among `settings_of_question`. Both are texts to be compared only.
std::vector<std::string> settings_of_question(const std::string& text);
std::string settings_of_run(const std::string& canonical_text);

}  // namespace atto
