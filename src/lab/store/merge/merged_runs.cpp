#include "lab/store/merge/merged_runs.h"

#include <algorithm>

#include "base/error.h"

namespace atto {
namespace {

// In one transaction: so many runs, or the first that make up so many bytes.
constexpr size_t kRunsTogether = 1000, kBytesTogether = 16 << 20;

}  // namespace

bool RunBatch::full() const {
  return runs.size() >= kRunsTogether ||
         runs.bytes() + series.bytes() + weights.bytes() + timings.bytes() >= kBytesTogether;
}

// One store. It stands at a run, and at the first rows of the other tables that belong to it.
class MergedRuns::Source {
 public:
  Source(Store::State& from, size_t number)
      : from_(from),
        number_(number),
        runs_(from.database, "SELECT * FROM runs INDEXED BY sqlite_autoindex_runs_1 ORDER BY id"),
        series_(from.database, "SELECT * FROM series INDEXED BY sqlite_autoindex_series_1 ORDER BY run_id"),
        weights_(from.database, "SELECT * FROM weights INDEXED BY sqlite_autoindex_weights_1 ORDER BY run_id"),
        timings_(from.database, "SELECT * FROM timings INDEXED BY sqlite_autoindex_timings_1 ORDER BY run_id") {
    for (SourceRows* const rows : {&series_, &weights_, &timings_}) rows->next();
    next();
  }

  bool there() const { return runs_.there(); }  // false after the last run
  const std::string& id() const { return id_; }

  // Moves the run into the batch and goes to the next one.
  void move_into(RunBatch& batch) {
    from_.guarded([&] {
      require_this_revision();
      runs_.verify();
      for (int column = 0; column < 11; ++column)
        if (runs_.is_null(column) && column != 6 && column != 8)  // the step of divergence and the best loss may lack
          RowReader::damaged("run " + id_ + " lacks a value");
      runs_.hold(batch.runs);
      batch.origins.push_back({number_, take(series_, runs_.integer(9), "series", batch.series),
                               take(weights_, runs_.integer(10), "weights", batch.weights)});
      if (!timings_.there() || timings_.text(0) != id_) RowReader::damaged("run " + id_ + " lacks its timing");
      timings_.verify();
      timings_.hold(batch.timings);
      timings_.next();
      next();
    });
  }

 private:
  void next() {
    if (!runs_.next()) {
      for (const SourceRows* const rows : {&series_, &weights_, &timings_})
        if (rows->there()) RowReader::damaged("it has rows of a run that it lacks");
      return;
    }
    if (runs_.text(0) <= id_) RowReader::damaged("an index is out of order");
    id_ = runs_.text(0);
  }

  void require_this_revision() {
    const int64_t revision = runs_.integer(1);
    if (revision == kEngineRevision) return;
    throw Error(ErrorKind::store,
                from_.path + ": run " + id_ + " was computed by engine revision " + std::to_string(revision) +
                    ", this program is revision " + std::to_string(kEngineRevision),
                "train it again with this program before it is merged");
  }

  // The series or matrices of the run; how many.
  size_t take(SourceRows& rows, int64_t count, const char* what, HeldRows& held) {
    positions_.clear();
    if (rows.there() && rows.text(0) < id_)
      RowReader::damaged(std::string("it has ") + what + " of a run that it lacks");
    for (; rows.there() && rows.text(0) == id_; rows.next()) {
      rows.verify();
      rows.hold(held);
      positions_.push_back(rows.integer(1));
    }
    std::sort(positions_.begin(), positions_.end());
    bool whole = std::ssize(positions_) == count;
    for (int64_t i = 0; whole && i < count; ++i) whole = positions_[static_cast<size_t>(i)] == i;
    if (!whole) RowReader::damaged("run " + id_ + " lacks some of its " + what);
    return positions_.size();
  }

  Store::State& from_;
  const size_t number_;
  std::string id_;  // of the run at hand
  std::vector<int64_t> positions_;
  SourceRows runs_, series_, weights_, timings_;
};

MergedRuns::MergedRuns(std::span<Store::State* const> sources) {
  for (Store::State* const source : sources)
    source->guarded([&] { sources_.push_back(std::make_unique<Source>(*source, sources_.size())); });
}

MergedRuns::~MergedRuns() = default;

RunBatch MergedRuns::read() {
  const auto comes_first = [](const std::unique_ptr<Source>& a, const std::unique_ptr<Source>& b) {
    return a->there() && (!b->there() || a->id() < b->id());
  };
  RunBatch batch;
  while (!batch.full()) {
    const auto first = std::min_element(sources_.begin(), sources_.end(), comes_first);
    batch.last = first == sources_.end() || !(*first)->there();
    if (batch.last) break;
    (*first)->move_into(batch);
  }
  return batch;
}

}  // namespace atto
