// The power fails: what was written since the last sync is lost, or a part of it, in any order and in pieces. The store
// opens all the same and holds every run that was reported as saved. `make soak` tries every moment, the tests some.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "lab/store/disk/vfs_shim.h"
#include "lab/store/store_samples.h"

namespace atto::power_loss_test {
namespace {

using Mode = Store::Mode;

// What happened to the files, in order; and what somebody was told.
struct Change {
  enum class Kind { write, truncate, sync, remove, remove_for_good, reported } kind;
  std::string file;
  int64_t at = 0;  // where it was written, or the size it was cut to; of a report the run
  std::string bytes = {};
};

using Random = std::mt19937;

// One file: what the disk has for certain, and what it may have.
struct DiskFile {
  std::optional<std::string> certain;
  std::vector<Change> since;

  static void apply(const Change& change, std::optional<std::string>& content) {
    if (change.kind == Change::Kind::remove) {
      content.reset();
      return;
    }
    if (!content) content.emplace();
    const auto at = static_cast<size_t>(change.at);
    if (change.kind == Change::Kind::truncate) {
      content->resize(at);
    } else {
      if (content->size() < at + change.bytes.size()) content->resize(at + change.bytes.size());
      content->replace(at, change.bytes.size(), change.bytes);
    }
  }
  std::optional<std::string> with_all() const {
    std::optional<std::string> content = certain;
    for (const Change& change : since) apply(change, content);
    return content;
  }
  // Any of the changes, in any order, sector by sector.
  std::optional<std::string> with_some(Random& random) const {
    constexpr size_t kSector = 512;
    std::vector<Change> kept;
    for (const Change& change : since) {
      if (random() % 2 == 0) continue;
      if (change.kind != Change::Kind::write || random() % 4 != 0) {
        kept.push_back(change);
        continue;
      }
      for (size_t at = 0; at < change.bytes.size(); at += kSector)
        if (random() % 2 == 0)
          kept.push_back(
              {change.kind, change.file, change.at + static_cast<int64_t>(at), change.bytes.substr(at, kSector)});
    }
    std::shuffle(kept.begin(), kept.end(), random);
    std::optional<std::string> content = certain;
    for (const Change& change : kept) apply(change, content);
    return content;
  }
};

// The disk after the first so many changes.
class Disk {
 public:
  Disk(const std::vector<Change>& changes, size_t count) {
    for (size_t i = 0; i < count; ++i) take(changes[i]);
  }
  std::map<std::string, DiskFile> files;
  std::set<int64_t> reported;

 private:
  void take(const Change& change) {
    if (change.kind == Change::Kind::reported) {
      reported.insert(change.at);
      return;
    }
    DiskFile& file = files[change.file];
    switch (change.kind) {
      case Change::Kind::sync:
        // A new log or journal is synced with its folder, so that what was removed there before stays removed.
        if (!file.certain)
          for (auto& [name, other] : files) settle_removal(other);
        file.certain = file.with_all();
        if (!file.certain) file.certain.emplace();
        file.since.clear();
        break;
      case Change::Kind::remove_for_good:
        file = {};
        break;
      default:
        settle_removal(file);  // a new file of that name stands in its place
        file.since.push_back(change);
    }
  }
  static void settle_removal(DiskFile& file) {
    if (!file.since.empty() && file.since.back().kind == Change::Kind::remove) file = {};
  }
};

class PowerLossTest : public StoreFolder {
 protected:
  // What a sweep does, in two sittings. All changes of the files are written down.
  std::vector<Change> record() {
    std::vector<Change> changes;
    const std::string prefix = folder_.string() + "/";
    const auto note = [&](Change::Kind kind, const std::string& file, int64_t at = 0, std::string_view bytes = {}) {
      changes.push_back({kind, file.substr(prefix.size()), at, std::string(bytes)});
    };
    DiskWatch watch;
    watch.wrote = [&](const std::string& file, int64_t at, std::string_view bytes) {
      note(Change::Kind::write, file, at, bytes);
    };
    watch.truncated = [&](const std::string& file, int64_t size) { note(Change::Kind::truncate, file, size); };
    watch.synced = [&](const std::string& file) { note(Change::Kind::sync, file); };
    watch.deleted = [&](const std::string& file, bool synced) {
      note(synced ? Change::Kind::remove_for_good : Change::Kind::remove, file);
    };
    const auto report = [&](int64_t run) { changes.push_back({Change::Kind::reported, "", run}); };
    const VfsShim shim(watch);
    {
      Store store(path(), Mode::write);
      store.save({finished(0), finished(1)});
      report(0);
      report(1);
      store.save_checkpoint(sample_id(2), sample_checkpoint(64), 1);
      save_sample(store, 2);
      report(2);
      store.save_membership("study", "quick", {{"", "", "{}", 0, sample_id(0)}});
    }
    Store store(path(), Mode::write);
    for (int64_t run = 3; run < 6; ++run) {
      save_sample(store, run);
      report(run);
    }
    return changes;
  }
  static FinishedRun finished(int64_t run) {
    return {sample_id(run), "{\"number\":" + std::to_string(run) + "}", run, 2 * run, sample_recording(run), 0.25};
  }
  void put(const std::map<std::string, std::optional<std::string>>& contents) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    for (const auto& [name, bytes] : contents)
      if (bytes) write_bytes(path(name), *bytes);
  }
  // Opens what the disk has; true where the store had something to say.
  bool expect_all(const std::set<int64_t>& reported) {
    const Store store(path(), Mode::write);
    for (const RunSummary& run : store.runs())
      EXPECT_TRUE(same_bits(store.load(run.id), sample_recording(run.init_seed))) << run.id;
    for (const int64_t run : reported) EXPECT_TRUE(store.has(sample_id(run))) << "lost: " << sample_id(run);
    return !store.notices().empty();
  }
};

TEST_F(PowerLossTest, KeepsWhatWasReportedAsSaved) {
  const bool soak = std::getenv("ATTO_SOAK") != nullptr;
  const std::vector<Change> changes = record();
  Random random(22);
  int tries = 0, told = 0;
  for (size_t count = 0; count <= changes.size() && !HasFailure(); count += soak ? 1 : 1 + random() % 12) {
    const Disk disk(changes, count);
    const int others = soak ? 8 : 1;
    for (int kind = 0; kind < 2 + others && !HasFailure(); ++kind, ++tries) {
      SCOPED_TRACE("after change " + std::to_string(count) + ", kind " + std::to_string(kind));
      std::map<std::string, std::optional<std::string>> contents;
      for (const auto& [name, file] : disk.files)
        contents[name] = kind == 0 ? file.certain : kind == 1 ? file.with_all() : file.with_some(random);
      put(contents);
      told += expect_all(disk.reported) ? 1 : 0;
    }
  }
  std::cout << tries << " power failures in " << changes.size() << " changes of the files: none lost, " << told
            << " with a word about the log\n";
}

// Counts syncs of SQLite while `work` is done.
template <typename Work>
int64_t syncs_of(Work&& work) {
  int64_t count = 0;
  DiskWatch watch;
  watch.synced = [&](const std::string&) { ++count; };
  const VfsShim shim(watch);
  work();
  return count;
}

// Waiting for the disk is what saving costs, so runs that are saved together wait once.
TEST_F(PowerLossTest, OneSyncForAllThatIsSavedTogether) {
  { const Store store(path(), Mode::write); }
  std::vector<FinishedRun> many;
  for (int64_t run = 0; run < 200; ++run) many.push_back(finished(run));
  const int64_t nothing = syncs_of([&] { const Store store(path(), Mode::write); });
  const int64_t all = syncs_of([&] { Store(path(), Mode::write).save(many); });
  // The first transaction of a log, and moving it into the file, wait for its head, its end and the file.
  EXPECT_LE(all - nothing, 4);
  EXPECT_EQ(syncs_of([&] {
              Store store(path(), Mode::write);
              for (int64_t run = 300; run < 310; ++run) save_sample(store, run);
            }) - syncs_of([&] { save_sample(*std::make_unique<Store>(path(), Mode::write), 310); }),
            9);
  const int64_t merging = syncs_of([&] { Store(path("into.db"), Mode::write).merge(Store(path(), Mode::read)); });
  std::cout << "syncs: 200 runs saved together " << all - nothing << ", 211 runs merged into a new store " << merging
            << "\n";
  EXPECT_LE(merging, 20);
}

// A call costs more than the page it writes, so pages that follow each other are written together.
TEST_F(PowerLossTest, PagesThatFollowEachOtherAreWrittenAsOne) {
  std::map<std::string, std::pair<int64_t, int64_t>> written;  // calls and bytes, by file
  DiskWatch watch;
  watch.wrote = [&](const std::string& file, int64_t, std::string_view bytes) {
    auto& [calls, size] = written[file];
    ++calls;
    size += static_cast<int64_t>(bytes.size());
  };
  constexpr int64_t kPage = 4096;
  std::vector<FinishedRun> many;
  for (int64_t run = 0; run < 200; ++run) many.push_back(finished(run));
  {
    const VfsShim shim(watch);
    Store(path(), Mode::write).save(many);
  }
  for (const std::string& file : {path(), path() + "-wal"}) {
    const auto [calls, size] = written[file];
    EXPECT_GT(size, 30 * kPage) << file;
    EXPECT_LT(calls, size / kPage / 2) << file;
  }
  const Store store(path(), Mode::read);
  for (int64_t run = 0; run < 200; ++run)
    EXPECT_TRUE(same_bits(store.load(sample_id(run)), sample_recording(run))) << run;
}

}  // namespace
}  // namespace atto::power_loss_test
