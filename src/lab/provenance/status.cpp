#include "lab/provenance/status.h"

#include <algorithm>

#include "base/error.h"

namespace atto {
namespace {

std::string runs_phrase(int64_t runs) { return std::to_string(runs) + (runs == 1 ? " run" : " runs"); }

// What is said of a row of questions by how many runs came before each.
Status status_of(const std::vector<int64_t>& runs_before, Witness witness) {
  Status status{StatusKind::fixed, 0, witness, false, "", ""};
  if (runs_before.empty()) return {};
  if (runs_before.front() > 0) {
    status.kind = StatusKind::late;
    status.runs = runs_before.front();
  }
  const int64_t revised = runs_before.size() > 1 ? *std::max_element(runs_before.begin() + 1, runs_before.end()) : 0;
  if (revised > 0) {  // a change before any run was trained is none after a look
    status.kind = StatusKind::revised;
    status.runs = revised;
  }
  return status;
}

int rank(const Status& status) {
  switch (status.kind) {
    case StatusKind::unrecorded:
      return 0;
    case StatusKind::fixed:
      return 2;
    case StatusKind::late:
      return 3;
    case StatusKind::revised:
      return 4;
    case StatusKind::altered:
      return 5;
  }
  return 0;
}

}  // namespace

std::string status_phrase(const Status& status) {
  switch (status.kind) {
    case StatusKind::fixed:
      return "fixed beforehand";
    case StatusKind::late:
      return "first recorded after " + runs_phrase(status.runs);
    case StatusKind::revised:
      if (status.since) return std::string("revised since the ") + to_word(status.witness);
      return "revised after " + runs_phrase(status.runs);
    case StatusKind::unrecorded:
      return "new, not yet recorded";
    case StatusKind::altered:
      return "changed on the command line";
  }
  return "";
}

std::string status_text(const Status& status) {
  const bool named = status.witness != Witness::none && !status.since;
  std::string text = status_phrase(status) + (named ? std::string(" (") + to_word(status.witness) + ")" : "");
  if (!status.reason.empty()) text += ": " + status.reason;
  return text;
}

const char* phrase(StatusKind kind) {
  switch (kind) {
    case StatusKind::fixed:
      return "fixed beforehand";
    case StatusKind::late:
      return "first recorded after runs";
    case StatusKind::revised:
      return "revised after runs";
    case StatusKind::unrecorded:
      return "new, not yet recorded";
    case StatusKind::altered:
      return "changed on the command line";
  }
  return "";
}

Status ledger_status(const std::vector<LedgerEntry>& entries, const std::string& hash) {
  if (entries.empty()) return {};
  if (entries.back().question != hash) {
    Status status{StatusKind::revised, entries.back().asks, Witness::ledger, true, "", ""};
    return status;
  }
  std::vector<int64_t> runs_before;
  for (const LedgerEntry& one : entries) runs_before.push_back(one.after);
  Status status = status_of(runs_before, Witness::ledger);
  for (const LedgerEntry& one : entries) {
    if (one.reason.empty() || status.kind == StatusKind::fixed) continue;
    status.reason += (status.reason.empty() ? "" : "; ") + one.reason;
    status.commit = one.commit;
  }
  return status;
}

Status store_status(const ClaimHistory& history) {
  const bool known = history.recorded || history.asked.size() > 1;
  if (!known) return {};
  std::vector<int64_t> runs_before;
  for (const AskedQuestion& one : history.asked) runs_before.push_back(one.runs_before);
  Status status = status_of(runs_before, Witness::store);
  status.since = !history.recorded && status.kind == StatusKind::revised;
  return status;
}

Status worse(const Status& ledger, const Status& store) {
  if (rank(ledger) != rank(store)) return rank(ledger) > rank(store) ? ledger : store;
  // Both say that it was revised: what changed since the last record, then the one that more runs came before.
  if (ledger.since != store.since) return ledger.since ? ledger : store;
  return store.runs > ledger.runs ? store : ledger;
}

std::vector<Status> claim_statuses(const Study& study, const std::vector<Cell>& cells, const Ledger& ledger,
                                   const Store* store) {
  std::vector<Status> statuses(study.claims.size());
  if (!study.written) return statuses;
  std::vector<ClaimHistory> recorded, judged;
  for (const Study& written : *study.written) {
    if (written.profile == study.profile) judged = claim_histories(written, store);
    if (written.profile != kLedgerProfile) continue;
    try {
      recorded = claim_histories(written, nullptr);
    } catch (const Error&) {  // it was not asked for, and its cells may be no valid runs
    }
  }
  const auto of_claim = [](const std::vector<ClaimHistory>& histories, const std::string& claim) {
    const auto found = std::find_if(histories.begin(), histories.end(),
                                    [&](const ClaimHistory& one) { return one.present.claim == claim; });
    return found == histories.end() ? nullptr : &*found;
  };
  for (size_t i = 0; i < statuses.size(); ++i) {
    const Claim& claim = study.claims[i];
    const ClaimHistory *const file = of_claim(judged, claim.id), *const quick = of_claim(recorded, claim.id);
    if (file == nullptr) continue;
    if (question_hash(question_text(study, cells, claim)) != file->present.hash) {
      statuses[i].kind = StatusKind::altered;
      continue;
    }
    const Status by_ledger =
        quick == nullptr ? Status{} : ledger_status(ledger.of(study.name, claim.id), quick->present.hash);
    statuses[i] = worse(by_ledger, store_status(*file));
  }
  return statuses;
}

}  // namespace atto
