// The store: one SQLite file of finished runs, addressed by content. docs/store-format.md documents the tables.
//
// One writer at a time (a lock file beside the store tells a second one so), any number of readers. What one call saves
// is one transaction: all of it is there after a kill, or none. One Store belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "observe/checkpoint.h"
#include "observe/recording.h"

namespace atto {

inline constexpr int kStoreFormat = 3;
// Raised whenever the same configuration would give other bits; runs of another revision are computed anew.
inline constexpr int kEngineRevision = 5;

struct RunSummary {
  std::string id;
  int64_t engine_revision = 0;
  std::string config;  // canonical JSON
  int64_t init_seed = 0, data_seed = 0;
  int64_t steps_done = 0;
  std::optional<int64_t> diverged_at;
  double seconds = 0;
};

// A run that is over, as the store files it.
struct FinishedRun {
  std::string id;
  std::string config;  // canonical JSON
  int64_t init_seed = 0, data_seed = 0;
  Recording recording;
  double seconds = 0;  // that its training took
};

// The path of a store that is no file: it lives as long as its Store.
inline constexpr const char* kInMemory = ":memory:";

class Store {
 public:
  enum class Mode { read, write };
  // `write` creates the file (and its folder) when missing. A file that is damaged, cut short, not a store, of another
  // format, not writable or in use by another writer is left as it is: Error(store), Error(missing) when there is
  // nothing to read, Error(resources) on a full disk, each with a remedy.
  Store(const std::string& path, Mode mode);
  ~Store();
  Store(Store&&) noexcept;

  const std::string& path() const;
  // What whoever opened the store should hear of: what was lost, and what becomes of it.
  const std::vector<std::string>& notices() const;
  bool has(const std::string& run_id) const;  // finished, with this engine revision
  // Files runs, each in place of one with the same id of another revision, and drops their checkpoints. They share a
  // transaction, which takes longer than the rows of a small run; when one cannot be filed, those before it are.
  // Scalars keep every bit, the values of other series are rounded to single precision, which is what the engine
  // computes in.
  void save(const std::vector<FinishedRun>& runs);
  // Error(missing) when `has` is false or an address is not there.
  Recording load(const std::string& run_id) const;  // everything
  Recording load(const std::string& run_id,
                 const std::vector<std::string>& addresses) const;  // these series, no weights
  std::vector<RunSummary> runs() const;                             // by id, of every revision

  // The last checkpoint of a run in training. It keeps every bit, and no digest or list of results knows of it. One too
  // large for a blob of SQLite's is passed over: the run then goes on from an earlier one or from its beginning.
  void save_checkpoint(const std::string& run_id, const Checkpoint& checkpoint, double seconds);
  struct StoredCheckpoint {
    Checkpoint checkpoint;
    double seconds = 0;  // that the training took so far
  };
  // Nothing when there is none, when it is damaged or of another engine revision: the run then starts at step 0.
  std::optional<StoredCheckpoint> checkpoint(const std::string& run_id) const;
  std::map<std::string, int64_t> checkpoint_steps() const;  // by run, of this engine revision

  // The last verdicts of a study under a profile, as the JSON `atto reproduce --json` prints; kept for `atto show`.
  void save_verdicts(const std::string& study, const std::string& profile, const std::string& json);
  struct StoredVerdicts {
    std::string study, profile, json;
  };
  std::vector<StoredVerdicts> verdicts() const;  // by study and profile
  // Which runs a study last expanded to, so that `show` and `export` can find them by study, cell and seed.
  struct Membership {
    std::string study, profile, cell;  // cell: JSON object of its overrides
    int64_t seed = 0;
    std::string run_id;
  };
  // Replaces what the study had under this profile; study and profile of the members themselves are not read.
  void save_membership(const std::string& study, const std::string& profile, const std::vector<Membership>& members);
  std::vector<Membership> membership(const std::string& study) const;  // by profile, then in the order saved

  // What the claims of studies have asked, each question with how many of its runs were there when it was first seen.
  struct StoredQuestion {
    std::string study, profile, claim;
    int64_t position = 0;    // 0: the claim's first question; each change of it is one more
    std::string hash, text;  // lab/provenance/question.h
    int64_t runs_before = 0;
  };
  // Each becomes the last of its claim; `position` itself is not read.
  void save_questions(const std::vector<StoredQuestion>& questions);
  std::vector<StoredQuestion> questions(const std::string& study) const;  // by profile, claim and position
  bool has_runs() const;                                                  // any, of whatever engine revision
  // The canonical texts of those of the runs that are there, of whatever engine revision, by id.
  std::map<std::string, std::string> held_configs(const std::vector<std::string>& run_ids) const;

  // What nothing will read again: runs of other engine revisions, and checkpoints of other revisions or of runs that no
  // study asks for any more.
  struct Outdated {
    int64_t runs = 0, checkpoints = 0;
    int64_t bytes = 0;  // of their data
  };
  Outdated outdated() const;
  Outdated prune();  // drops them and gives their space back to the disk; what was dropped

  // 32 hex digits over every row but the timings and the questions, which depend on when they were asked. Equal for two
  // stores with the same content, in whatever order and in however many sittings the runs were made.
  std::string content_digest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace atto
