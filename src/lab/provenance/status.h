// Was a claim's question fixed before anyone could look at its runs? The store knows of the runs of one machine, the
// ledger of those that came with the studies; the worse of the two is shown, and who says so.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/provenance/history.h"
#include "lab/provenance/ledger.h"

namespace atto {

enum class StatusKind { fixed, late, revised, unrecorded, altered };
template <>
struct EnumWords<StatusKind> {
  static constexpr std::array words{"fixed", "late", "revised", "new", "altered"};
};

enum class Witness { none, ledger, store };
template <>
struct EnumWords<Witness> {
  static constexpr std::array words{"", "ledger", "store"};
};

struct Status {
  StatusKind kind = StatusKind::unrecorded;
  int64_t runs = 0;                 // that had been trained when it was first asked (late), or changed (revised)
  Witness witness = Witness::none;  // who says so
  bool since = false;               // revised: what is asked now is not even the last that the witness knows
  std::string reason, commit;       // of the change, where the ledger has them

  bool operator==(const Status&) const = default;
};

// "fixed beforehand", "first recorded after 64 runs", "revised after 64 runs", "revised since the ledger",
// "new, not yet recorded", "changed on the command line"; without and with who says so: "fixed beforehand (ledger)".
std::string status_phrase(const Status& status);
std::string status_text(const Status& status);
// "fixed beforehand", "first recorded after runs", "revised after runs" …: a kind of status, for counts.
const char* phrase(StatusKind kind);

Status ledger_status(const std::vector<LedgerEntry>& entries, const std::string& hash);
Status store_status(const ClaimHistory& history);
// The worse of the two: revised, then late by the ledger, then fixed, then late by the store, then new. The store comes
// late to a question whenever it held runs before that some other study had trained, or is older than its record of
// questions; a ledger that has this very question from the beginning then vouches for it.
Status worse(const Status& ledger, const Status& store);

// Of each claim of the study as it is judged, in order. A claim that the command line changed is `altered`.
std::vector<Status> claim_statuses(const Study& study, const std::vector<Cell>& cells, const Ledger& ledger,
                                   const Store* store);

}  // namespace atto
