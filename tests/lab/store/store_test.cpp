// The store keeps what it is given, bit for bit, and refuses what it cannot use without touching it.
#include "lab/store/store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "lab/store/errors.h"
#include "lab/store/store_samples.h"
#include "places.h"

namespace atto {
namespace {

using Mode = Store::Mode;

double any_double() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return *rc::gen::oneOf(rc::gen::arbitrary<double>(),
                         rc::gen::element(std::nan(""), kInfinity, -kInfinity, -0.0, 5e-324, 1e308));
}

float any_float() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  return *rc::gen::oneOf(rc::gen::arbitrary<float>(),
                         rc::gen::element(std::nanf(""), kInfinity, -kInfinity, -0.0f, 1e-45f));
}

Recording any_recording() {
  Recording recording;
  recording.steps_done = *rc::gen::arbitrary<int64_t>();
  if (*rc::gen::arbitrary<bool>()) recording.diverged_at = *rc::gen::arbitrary<int64_t>();
  recording.stopped_early = *rc::gen::arbitrary<bool>();
  if (*rc::gen::arbitrary<bool>()) recording.best_loss = *rc::gen::arbitrary<double>();
  const int series_count = *rc::gen::inRange(0, 5);
  for (int s = 0; s < series_count; ++s) {
    Series series;
    series.address = std::to_string(s) + *rc::gen::arbitrary<std::string>();
    series.shape = *rc::gen::container<std::vector<int64_t>>(rc::gen::inRange<int64_t>(0, 5));
    series.shape.resize(std::min<size_t>(series.shape.size(), 4));
    series.steps = *rc::gen::arbitrary<std::vector<int64_t>>();
    for (size_t i = 0; i < series.steps.size() * series.block(); ++i)
      series.values.push_back(series.shape.empty() ? any_double() : static_cast<double>(any_float()));
    recording.series.push_back(std::move(series));
  }
  const int weights_count = *rc::gen::inRange(0, 4);
  for (int w = 0; w < weights_count; ++w) {
    WeightMatrix weights{std::to_string(w) + *rc::gen::arbitrary<std::string>(),
                         *rc::gen::inRange<int64_t>(0, 5),
                         *rc::gen::inRange<int64_t>(0, 5),
                         {}};
    for (int64_t i = 0; i < weights.rows * weights.columns; ++i) weights.values.push_back(any_float());
    recording.weights.push_back(std::move(weights));
  }
  return recording;
}

class StoreTest : public StoreFolder {};

TEST_F(StoreTest, KeepsEveryBit) {
  Store writer(path(), Mode::write);
  int64_t number = 0;
  EXPECT_TRUE(rc::check([&] {
    const Recording recording = any_recording();
    const auto letters = rc::gen::container<std::string>(rc::gen::inRange<char>('a', 'z'));  // as ids are made of
    const std::string id = (std::to_string(number++) + *letters).substr(0, 32);
    writer.save({{id, *rc::gen::arbitrary<std::string>(), 1, 2, recording, 0.5}});
    const Store reader(path(), Mode::read);
    RC_ASSERT(reader.has(id));
    RC_ASSERT(same_bits(reader.load(id), recording));
    for (const Series& series : recording.series) {
      const Recording part = reader.load(id, {series.address});
      RC_ASSERT(part.series.size() == 1u && part.weights.empty());
      RC_ASSERT(same_bits(part.series[0], series));
    }
  }));
}

TEST_F(StoreTest, KeepsBigSeriesAndRoundsArraysToSinglePrecision) {
  Recording recording;
  Series maps{"layer.0.attention.pattern", {16, 50, 50}, {0, 10, 20}, std::vector<double>(3 * 16 * 50 * 50)};
  for (size_t i = 0; i < maps.values.size(); ++i) maps.values[i] = 1.0 / static_cast<double>(i + 1);
  recording.series.push_back(maps);
  Store store(path(), Mode::write);
  store.save({{"big", "{}", 1, 1, recording, 1}});
  for (double& value : maps.values) value = static_cast<double>(static_cast<float>(value));
  EXPECT_TRUE(same_bits(store.load("big").series.at(0), maps));
}

TEST_F(StoreTest, ListsRunsVerdictsAndMembership) {
  Store store(path(), Mode::write);
  for (const int64_t number : {2, 1, 3}) save_sample(store, number);
  const auto runs = store.runs();
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0].id, "run1");
  EXPECT_EQ(runs[1].config, R"({"number":2})");
  EXPECT_EQ(runs[1].init_seed, 2);
  EXPECT_EQ(runs[1].data_seed, 4);
  EXPECT_EQ(runs[2].diverged_at, 99);
  EXPECT_EQ(runs[2].engine_revision, kEngineRevision);
  EXPECT_EQ(runs[2].seconds, 0.25);

  store.save_verdicts("plateau", "quick", "[1]");
  store.save_verdicts("plateau", "full", "[2]");
  store.save_verdicts("plateau", "quick", "[3]");
  const auto verdicts = store.verdicts();
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_EQ(verdicts[0].json, "[2]");
  EXPECT_EQ(verdicts[1].json, "[3]");

  store.save_membership("plateau", "quick", {{"", "", "{}", 0, "run1"}, {"", "", "{}", 1, "run9"}});
  store.save_membership("plateau", "quick", {{"", "", R"({"data.vocab":4})", 1, "run2"}, {"", "", "{}", 0, "run1"}});
  store.save_membership("other", "quick", {{"", "", "{}", 0, "run3"}});
  const auto members = store.membership("plateau");
  ASSERT_EQ(members.size(), 2u);
  EXPECT_EQ(members[0].study, "plateau");
  EXPECT_EQ(members[0].profile, "quick");
  EXPECT_EQ(members[0].cell, R"({"data.vocab":4})");
  EXPECT_EQ(members[0].seed, 1);
  EXPECT_EQ(members[1].run_id, "run1");
}

TEST_F(StoreTest, DigestTellsContentAndNotOrderOrTime) {
  const auto digest = [&](const std::string& name, std::initializer_list<int64_t> order, double seconds) {
    Store store(path(name), Mode::write);
    for (const int64_t number : order) store.save({{sample_id(number), "{}", 1, 1, sample_recording(number), seconds}});
    return store.content_digest();
  };
  const std::string one = digest("one", {1, 2, 3}, 1);
  EXPECT_EQ(one.size(), 32u);
  EXPECT_EQ(digest("two", {3, 1, 2, 1}, 2), one);
  EXPECT_NE(digest("three", {1, 2}, 1), one);
  EXPECT_NE(digest("four", {1, 2, 4}, 1), one);

  Store changed(path("five"), Mode::write);
  for (const int64_t number : {1, 2, 3}) {
    Recording recording = sample_recording(number);
    if (number == 2) recording.series[1].values[7] += 0.25;
    changed.save({{sample_id(number), "{}", 1, 1, recording, 1}});
  }
  EXPECT_NE(changed.content_digest(), one);
}

TEST_F(StoreTest, InMemoryItHoldsWhatAFileHolds) {
  Store memory(kInMemory, Mode::write), other(kInMemory, Mode::write), file(path(), Mode::write);
  for (Store* store : {&memory, &file}) store->save({{sample_id(1), "{}", 1, 1, sample_recording(1), 1}});
  EXPECT_EQ(memory.content_digest(), file.content_digest());
  EXPECT_FALSE(other.has(sample_id(1)));  // two of them are two
  EXPECT_FALSE(std::filesystem::exists(kInMemory));
}

TEST_F(StoreTest, RunsOfAnotherEngineAreComputedAnew) {
  { save_sample(*std::make_unique<Store>(path(), Mode::write), 1); }
  SQLite::Database(path(), SQLite::OPEN_READWRITE).exec("UPDATE runs SET engine_revision = engine_revision - 1");
  Store store(path(), Mode::write);
  EXPECT_FALSE(store.has("run1"));
  save_sample(store, 1);
  EXPECT_TRUE(store.has("run1"));
  EXPECT_TRUE(same_bits(store.load("run1"), sample_recording(1)));
  EXPECT_EQ(store.runs().size(), 1u);
}

TEST_F(StoreTest, SaysWhatIsNotThere) {
  EXPECT_EQ(error_of([&] { Store(path("none"), Mode::read); }).kind(), ErrorKind::missing);
  EXPECT_FALSE(std::filesystem::exists(path("none")));
  EXPECT_EQ(error_of([&] { Store("", Mode::write); }).kind(), ErrorKind::missing);
  Store store(path(), Mode::write);
  save_sample(store, 1);
  EXPECT_FALSE(store.has("run2"));
  EXPECT_EQ(error_of([&] { store.load("run2"); }).kind(), ErrorKind::missing);
  const Error error = error_of([&] { store.load("run1", {"perplexity", "entropy"}); });
  EXPECT_EQ(error.kind(), ErrorKind::missing);
  EXPECT_NE(std::string(error.what()).find("'entropy'"), std::string::npos);
}

TEST_F(StoreTest, RefusesRecordingsThatContradictThemselves) {
  Store store(path(), Mode::write);
  Recording twice = sample_recording(1);
  twice.series.push_back(twice.series[0]);
  EXPECT_EQ(error_of([&] { store.save({{"a", "{}", 1, 1, twice, 1}}); }).kind(), ErrorKind::internal);
  Recording misfit = sample_recording(1);
  misfit.series[1].values.pop_back();
  EXPECT_EQ(error_of([&] { store.save({{"a", "{}", 1, 1, misfit, 1}}); }).kind(), ErrorKind::internal);
  EXPECT_TRUE(store.runs().empty());
}

TEST_F(StoreTest, OfRunsSavedTogetherThoseBeforeAFaultyOneAreFiled) {
  std::vector<FinishedRun> runs;
  for (const int64_t number : {1, 2, 3}) runs.push_back({sample_id(number), "{}", 1, 1, sample_recording(number), 1});
  Store whole(path("whole"), Mode::write), store(path(), Mode::write);
  whole.save(runs);
  EXPECT_EQ(whole.runs().size(), 3u);
  whole.save({});
  EXPECT_EQ(whole.runs().size(), 3u);

  runs[1].recording.weights[0].values.pop_back();
  EXPECT_EQ(error_of([&] { store.save(runs); }).kind(), ErrorKind::internal);
  ASSERT_EQ(store.runs().size(), 1u);
  EXPECT_EQ(store.runs()[0].id, "run1");
  EXPECT_TRUE(same_bits(store.load("run1"), sample_recording(1)));
}

TEST_F(StoreTest, MakesItsFolder) {
  Store store(path("deep/er/runs.atto"), Mode::write);
  save_sample(store, 1);
  EXPECT_TRUE(std::filesystem::exists(path("deep/er/runs.atto")));
}

TEST_F(StoreTest, OneWriterAtATime) {
  std::optional<Store> first(std::in_place, path(), Mode::write);
  std::filesystem::create_symlink(path(), path("alias"));
  for (const char* name : {"runs.atto", "alias"}) {
    const Error error = error_of([&] { Store(path(name), Mode::write); });
    EXPECT_EQ(error.kind(), ErrorKind::store);
    EXPECT_NE(std::string(error.what()).find("process " + std::to_string(getpid())), std::string::npos) << error.what();
    EXPECT_FALSE(error.remedy().empty());
  }
  save_sample(*first, 1);
  first.reset();
  EXPECT_TRUE(Store(path("alias"), Mode::write).has("run1"));
}

TEST_F(StoreTest, ReadersWorkBesideTheWriter) {
  Store writer(path(), Mode::write);
  const Store reader(path(), Mode::read);
  EXPECT_TRUE(reader.runs().empty());
  constexpr int64_t kRuns = 40;
  std::thread writing([&] {
    for (int64_t number = 0; number < kRuns; ++number) save_sample(writer, number);
  });
  size_t seen = 0;
  while (seen < kRuns) {
    const auto runs = reader.runs();
    ASSERT_GE(runs.size(), seen);
    for (; seen < runs.size(); ++seen) {
      const int64_t number = runs[seen].init_seed;
      EXPECT_TRUE(same_bits(reader.load(runs[seen].id), sample_recording(number)));
    }
  }
  writing.join();
}

TEST_F(StoreTest, ClosedStoreIsOneFileAndItsLock) {
  { save_sample(*std::make_unique<Store>(path(), Mode::write), 1); }
  EXPECT_TRUE(Store(path(), Mode::read).has("run1"));
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) names.insert(entry.path().filename().string());
  EXPECT_EQ(names, (std::set<std::string>{"runs.atto", "runs.atto.lock"}));
}

// Whoever may write to the folder could otherwise have any file of ours overwritten.
TEST_F(StoreTest, WritesItsLockThroughNoLink) {
  const auto text_of = [&](const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(path(file)).rdbuf();
    return text.str();
  };
  std::ofstream(path("precious.txt")) << "mine";
  const auto refusal = [&] {
    const Error error = error_of([&] { Store(path(), Mode::write); });
    EXPECT_EQ(error.kind(), ErrorKind::store);
    EXPECT_FALSE(std::filesystem::exists(path())) << "no store without a lock";
    return std::string(error.what());
  };
  std::filesystem::create_symlink("precious.txt", path() + ".lock");
  EXPECT_NE(refusal().find("is a symbolic link"), std::string::npos) << refusal();
  std::filesystem::remove(path() + ".lock");
  std::filesystem::create_hard_link(path("precious.txt"), path() + ".lock");
  EXPECT_NE(refusal().find("is not a file of its own"), std::string::npos) << refusal();
  std::filesystem::remove(path() + ".lock");
  ASSERT_EQ(mkfifo((path() + ".lock").c_str(), 0600), 0);
  EXPECT_NE(refusal().find("is not a file of its own"), std::string::npos) << refusal();
  EXPECT_EQ(text_of("precious.txt"), "mine");
}

// What a command prints, or nothing when it fails.
std::optional<std::string> output_of(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::string text;
  for (int c; (c = fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  return pclose(pipe) == 0 ? std::optional(text) : std::nullopt;
}

TEST_F(StoreTest, PythonReadsIt) {
  {
    Store store(path(), Mode::write);
    store.save({{"0123abcd", R"({"data.vocab": 4, "network.width": 2})", 7, 8, sample_recording(1), 1}});
  }
  std::string python;
  for (const char* candidate : {"python3", "/usr/bin/python3"})
    if (python.empty() && output_of(std::string(candidate) + " -c 'import numpy'")) python = candidate;
  if (python.empty()) GTEST_SKIP() << "there is no Python with NumPy";
  const std::string script = python + " " + in_source("docs/examples/read_store.py") + " '" + path() + "'";
  EXPECT_EQ(output_of(script), "0123abcd V=4 d=2 seed=7 101 steps\n");
  EXPECT_EQ(output_of(script + " 01"),
            "perplexity: 3 measurements of shape ()\nembedding: 2 measurements of shape (4, 2)\n"
            "never: 0 measurements of shape ()\nW_E: 4 x 2\nW_Q: 2 x 2\n");
  EXPECT_EQ(output_of(script + " 01 perplexity"), "0 0.33333333\n50 inf\n100 nan\n");
}

// Permissions do not bind root, so the child becomes nobody first.
TEST_F(StoreTest, ReadsInAFolderThatIsNotWritable) {
  std::filesystem::create_directory(path("fixed #?%41"));
  const std::string fixed = path("fixed #?%41/runs.atto");
  { save_sample(*std::make_unique<Store>(fixed, Mode::write), 1); }
  const auto set_mode = [&](mode_t folder, mode_t file) {
    chmod(path("fixed #?%41").c_str(), folder);
    chmod(fixed.c_str(), file);
    chmod((fixed + ".lock").c_str(), file);
  };
  constexpr int kFine = 0, kWrong = 1, kUnreachable = 2;
  const auto as_nobody = [&](auto work) {
    return in_child([&] {
      if (getuid() == 0 && setuid(65534) != 0) return kUnreachable;
      if (access(fixed.c_str(), R_OK) != 0) return kUnreachable;
      return work() ? kFine : kWrong;
    });
  };
  set_mode(0555, 0444);
  const int read = as_nobody([&] { return same_bits(Store(fixed, Mode::read).load("run1"), sample_recording(1)); });
  const int write = as_nobody([&] {
    const Error error = error_of([&] { Store(fixed, Mode::write); });
    return error.kind() == ErrorKind::store && !error.remedy().empty();
  });
  // A writer that was cut off leaves its last runs in a log that cannot be read there: it must not be passed over.
  set_mode(0755, 0644);
  ASSERT_EQ(in_child([&] {
              Store store(fixed, Mode::write);
              save_sample(store, 2);
              _exit(0);  // with the store open
              return 1;
            }),
            0);
  std::filesystem::remove(fixed + "-shm");
  set_mode(0555, 0444);
  const int cut_off = as_nobody([&] {
    try {
      return Store(fixed, Mode::read).has("run2");
    } catch (const Error& error) {
      return error.kind() == ErrorKind::store && !error.remedy().empty();
    }
  });
  set_mode(0755, 0644);
  if (read == kUnreachable) GTEST_SKIP() << "the temporary folder is not open to other users";
  EXPECT_EQ(read, kFine);
  EXPECT_EQ(write, kFine);
  EXPECT_EQ(cut_off, kFine);
}

TEST_F(StoreTest, FullDiskLosesNothing) {
  signal(SIGXFSZ, SIG_IGN);  // then writing beyond the limit fails as it does on a full disk
  const int code = in_child([&] {
    Store store(path(), Mode::write);
    save_sample(store, 0);
    const auto size = std::filesystem::file_size(path() + "-wal");
    const rlimit limit{size + 300'000, size + 300'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    int64_t saved = 1;
    try {
      for (; saved < 1000; ++saved) save_sample(store, saved);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::resources || error.remedy().empty()) return 1;
      if (store.runs().size() != static_cast<size_t>(saved)) return 2;  // goes on reading
      return saved > 1 ? 0 : 3;
    }
    return 4;
  });
  signal(SIGXFSZ, SIG_DFL);
  ASSERT_EQ(code, 0);
  Store store(path(), Mode::write);
  const size_t saved = store.runs().size();
  EXPECT_GT(saved, 1u);
  for (size_t i = 0; i < saved; ++i) {
    const auto number = static_cast<int64_t>(i);
    EXPECT_TRUE(same_bits(store.load(sample_id(number)), sample_recording(number)));
  }
}

TEST(StoreErrors, EveryCauseHasItsMessage) {
  const auto kind = [](int code, int system_error) {
    const Error error =
        error_of([&] { throw_store_error(SQLite::Exception("because", code), "a.atto", system_error); });
    EXPECT_NE(std::string(error.what()).find("a.atto"), std::string::npos);
    EXPECT_FALSE(error.remedy().empty());
    return error.kind();
  };
  EXPECT_EQ(kind(SQLITE_FULL, 0), ErrorKind::resources);
  EXPECT_EQ(kind(SQLITE_IOERR, ENOSPC), ErrorKind::resources);
  EXPECT_EQ(kind(SQLITE_IOERR, EIO), ErrorKind::store);
  EXPECT_EQ(kind(SQLITE_BUSY, 0), ErrorKind::store);
  EXPECT_EQ(kind(SQLITE_CANTOPEN, EACCES), ErrorKind::store);
  EXPECT_EQ(kind(SQLITE_NOMEM, 0), ErrorKind::resources);
  EXPECT_EQ(kind(SQLITE_CORRUPT, 0), ErrorKind::store);
}

}  // namespace
}  // namespace atto
