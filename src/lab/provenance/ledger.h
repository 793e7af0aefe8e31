// The ledger: a file beside the studies, committed with them, that keeps what each claim has asked under the profile
// quick, and how many runs had been trained when it was first asked. A store tells the same of the runs of one machine;
// the ledger travels with the studies, so that a fresh copy of them shows the same.
#pragma once

#include <string>
#include <vector>

#include "lab/provenance/question.h"
#include "lab/store/store.h"

namespace atto {

struct LedgerEntry {
  std::string study, claim;
  int64_t revision = 0;        // 0: the claim's first question
  std::string question;        // its hash; empty where an earlier version of the program asked it
  int64_t asks = 0;            // runs that the question speaks of
  int64_t after = 0;           // of the claim's runs, those that had been trained when it was first asked
  std::string commit, reason;  // of an entry made by people: since when, and what changed
};

struct Ledger {
  std::string path;
  std::vector<LedgerEntry> entries;  // by study, claim and revision

  std::vector<LedgerEntry> of(const std::string& study, const std::string& claim) const;  // by revision
};

inline constexpr const char* kLedgerProfile = "quick";  // whose questions it keeps

// "studies/ledger.json" for a study of that folder.
std::string ledger_path(const std::string& study_path);

// One line an entry, each with all that it needs, so that changes of different claims merge without a conflict. A file
// that is not there has no entries. Error(config) "path:line: what is wrong" with a remedy.
Ledger read_ledger(const std::string& path);
Ledger parse_ledger(const std::string& text, const std::string& path);
std::string ledger_text(const Ledger& ledger);

// Enters the claims of a study that the ledger does not know, or knows with another question. How many runs came before
// is the store's to tell (null: there is none); of a changed question at least those that its last version asked for,
// since it was committed to be run. Returns how many entries came to it.
int64_t update_ledger(Ledger& ledger, const Study& study, const Store* store);

// A claim that stands in another study now takes its entries along, before those it already has there: they are of a
// study that lacks it, and exactly one of `studies` has it. Returns how many claims moved.
int64_t move_claims(Ledger& ledger, const std::vector<const Study*>& studies);

}  // namespace atto
