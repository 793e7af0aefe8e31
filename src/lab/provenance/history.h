// What the claims of a study have asked over time, as the store saw it.
#pragma once

#include "lab/provenance/question.h"
#include "lab/store/store.h"

namespace atto {

struct AskedQuestion {
  std::string hash, text;
  int64_t runs_before = 0;  // of the claim's runs, those that had been trained when it was first asked
};

struct ClaimHistory {
  Question present;
  std::vector<AskedQuestion> asked;  // in order; the present question is the last
  bool recorded = false;             // the store has seen the present question
};

// One for each claim of the study, which is one of Study::written, in order. A present question that the store has not
// seen comes after the runs that it holds now: those of the claim's cells, and those that its last question spoke of.
// Without a store nothing came before.
std::vector<ClaimHistory> claim_histories(const Study& written, const Store* store);

// Enters what the store has not seen, under every profile of the study's file. Call it before any run is trained. What
// the command line changed is no question of the file's.
void record_questions(const Study& study, Store& store);

}  // namespace atto
