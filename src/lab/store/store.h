// The store: one SQLite file of finished runs, addressed by content. docs/store-format.md documents the tables.
//
// One writer at a time (a lock file beside the store tells a second one so), any number of readers. What one call saves
// is one transaction: all of it is there after a kill, or none. One Store belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/version.h"
#include "observe/checkpoint.h"
#include "observe/recording.h"
#include "observe/run_source.h"

namespace atto {

inline constexpr int kStoreFormat = 3;

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

// Of which sweep a store holds a share: what the shards of one sweep have in common, and which of them this is.
struct ShardLabel {
  std::string study, profile;  // and what the command line changed in it, as in variant_name()
  std::string sweep;           // sweep_hash() of all its runs
  int64_t index = 1, count = 1;
  int64_t runs = 0;  // of this shard

  bool operator==(const ShardLabel&) const = default;
};

// What Store::merge has done.
struct MergeCount {
  int64_t added = 0;        // runs that came in
  int64_t known = 0;        // runs that were there already, with the same bytes
  int64_t checkpoints = 0;  // of runs in training that came in
  bool whole = true;        // false: it was stopped; another merge goes on

  MergeCount& operator+=(const MergeCount& more) {
    added += more.added;
    known += more.known;
    checkpoints += more.checkpoints;
    whole = whole && more.whole;
    return *this;
  }
};

// The path of a store that is no file: it lives as long as its Store.
inline constexpr const char* kInMemory = ":memory:";

class Store : public RunSource {
 public:
  enum class Mode { read, write };
  // `write` creates the file (and its folder) when missing. A file that is damaged, cut short, not a store, of another
  // format, not writable or in use by another writer is left as it is: Error(store), Error(missing) when there is
  // nothing to read, Error(resources) on a full disk, each with a remedy.
  Store(const std::string& path, Mode mode);
  ~Store() override;
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
  Recording load(const std::string& run_id) const override;
  Recording load(const std::string& run_id, const std::vector<std::string>& addresses) const override;
  std::vector<RunSummary> runs() const;  // by id, of every revision

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

  // A store without runs becomes that shard of a sweep. Error(store) where it is another one.
  void label(const ShardLabel& label);
  std::optional<ShardLabel> label() const;

  // Takes over what `from` holds and this store lacks: runs with all that belongs to them, each row compared with its
  // checksum on the way; the furthest checkpoints of runs in training; what was asked before them; and which runs a
  // study came to, where this store does not know more of them. Verdicts stay behind: they follow from the runs. What
  // the store comes to hold does not depend on the order of sources, and merging again changes nothing. Runs come in
  // many to a transaction, so a kill leaves whole ones. Error(store), and none of the batch, where a run is there with
  // other bytes or was computed by another engine revision. `on_progress` hears how many runs of `from` were looked at
  // and stops the merge by returning false. Several sources at once take less time than one after the other; they are
  // all looked at before anything of them comes in.
  MergeCount merge(std::span<const Store> from, const std::function<bool(int64_t)>& on_progress = {});
  MergeCount merge(const Store& from, const std::function<bool(int64_t)>& on_progress = {});

  // The whole store as a file of its own, closed and without a log, at a path where there is nothing yet. Others may go
  // on reading and this one writing.
  void copy_to(const std::string& path) const;

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

  struct State;  // lab/store/state.h: internal to the store

 private:
  std::unique_ptr<State> state_;
};

}  // namespace atto
