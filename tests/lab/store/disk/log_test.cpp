// The log that a killed writer leaves: what it holds is taken over, what cannot be read of it is not passed over.
#include "lab/store/disk/log.h"

#include <gtest/gtest.h>

#include <random>

#include "lab/store/store_samples.h"

namespace atto::log_test {
namespace {

using Mode = Store::Mode;
constexpr int64_t kRuns = 12;
constexpr size_t kHeader = 32, kFrame = 24 + 4096;

class StoreLogTest : public StoreFolder {
 protected:
  // Saves these runs and ends without closing the store.
  void save_and_die(int64_t from, int64_t to) {
    ASSERT_EQ(in_child([&] {
                Store store(path(), Mode::write);
                for (int64_t number = from; number < to; ++number) save_sample(store, number);
                _exit(0);
                return 1;
              }),
              0);
  }
  void remember() {
    file_ = bytes_of(path());
    log_ = bytes_of(log_path(path()));
    ASSERT_GT(log_.size(), 20'000u);
  }
  void put(const std::string& log) {
    std::filesystem::remove(path() + "-shm");
    write_bytes(path(), file_);
    write_bytes(log_path(path()), log);
  }
  size_t readable_runs() {
    const Store store(path(), Mode::read);
    const auto runs = store.runs();
    for (const RunSummary& run : runs)
      EXPECT_TRUE(same_bits(store.load(run.id), sample_recording(run.init_seed))) << run.id;
    return runs.size();
  }

  std::string file_, log_;
};

TEST_F(StoreLogTest, IsTakenOver) {
  save_and_die(0, kRuns);
  remember();
  EXPECT_FALSE(find_log_damage(path()));
  EXPECT_EQ(readable_runs(), static_cast<size_t>(kRuns));
}

// A reader says so and a writer goes on, with a copy of the log beside it; the runs are trained again.
TEST_F(StoreLogTest, AFlippedBitIsNotPassedOver) {
  save_and_die(0, kRuns);
  remember();
  std::mt19937 random(1);
  int refused = 0, tried = 0;
  for (size_t offset = 0; offset < log_.size(); offset += 1 + random() % 4001, ++tried) {
    SCOPED_TRACE(offset);
    std::string bytes = log_;
    bytes[offset] = static_cast<char>(bytes[offset] ^ static_cast<char>(1 << random() % 8));
    put(bytes);
    try {
      EXPECT_EQ(readable_runs(), static_cast<size_t>(kRuns));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::store) << error.what();
      EXPECT_NE(error.remedy().find("atto check --repair"), std::string::npos) << error.remedy();
      EXPECT_TRUE(bytes_of(log_path(path())) == bytes) << "left as it is";
      ++refused;
    }
  }
  EXPECT_EQ(refused, tried) << "every bit of this log counts";
  std::string last = log_;
  last[log_.size() - kFrame + 100] ^= 1;  // in the last page, which ends the last transaction
  put(last);
  EXPECT_EQ(error_of([&] { Store(path(), Mode::read); }).kind(), ErrorKind::store);
  Store store(path(), Mode::write);
  ASSERT_EQ(store.notices().size(), 1u);
  EXPECT_NE(store.notices()[0].find("-wal.damaged-1"), std::string::npos) << store.notices()[0];
  EXPECT_TRUE(bytes_of(log_path(path()) + ".damaged-1") == last);
  EXPECT_EQ(store.runs().size(), static_cast<size_t>(kRuns) - 1);
  save_sample(store, kRuns - 1);
  EXPECT_EQ(readable_runs(), static_cast<size_t>(kRuns)) << "a log in use is no damaged log";
}

// A transaction that was cut off in the middle was never reported as saved.
TEST_F(StoreLogTest, ACutOffTransactionIsNoDamage) {
  save_and_die(0, kRuns);
  remember();
  for (const size_t cut : {log_.size() - kFrame, log_.size() - kFrame - 1000, log_.size() - 1, kHeader + 10, kHeader}) {
    SCOPED_TRACE(cut);
    put(log_.substr(0, cut));
    EXPECT_FALSE(find_log_damage(path()));
    EXPECT_NO_THROW(readable_runs());
  }
}

// What the first of two killed writers left half-way lies behind what the second one saved.
TEST_F(StoreLogTest, TwoKilledWritersAreNoDamage) {
  save_and_die(0, kRuns);
  remember();
  put(log_.substr(0, log_.size() - kFrame));
  save_and_die(kRuns, kRuns + 1);
  EXPECT_FALSE(find_log_damage(path()));
  EXPECT_EQ(readable_runs(), static_cast<size_t>(kRuns)) << "all but the one that was cut off, and the new one";
}

// The file is used again from its start once the log was moved into the store; pages of its last use stay behind.
TEST_F(StoreLogTest, PagesOfAnEarlierUseAreNoDamage) {
  ASSERT_EQ(in_child([&] {
              Store store(path(), Mode::write);
              Recording large = sample_recording(0);
              large.weights[0] = {"W_E", 3'000'000, 4, std::vector<float>(12'000'000, 1.5f)};  // more than 8,000 pages
              store.save({{"large", "{}", 0, 0, large, 1}});
              for (int64_t number = 0; number < 3; ++number) save_sample(store, number);
              _exit(0);
              return 1;
            }),
            0);
  ASSERT_GT(bytes_of(log_path(path())).size(), 30'000'000u);
  EXPECT_FALSE(find_log_damage(path()));
  EXPECT_EQ(Store(path(), Mode::read).runs().size(), 4u);
}

TEST_F(StoreLogTest, ALogThatAWriterIsWritingToIsNotJudged) {
  Store writer(path(), Mode::write);
  for (int64_t number = 0; number < kRuns; ++number) save_sample(writer, number);
  // Looks like a page that is half written.
  const std::string log = bytes_of(log_path(path()));
  std::ofstream(log_path(path()), std::ios::binary | std::ios::app) << log.substr(log.size() - kFrame);
  EXPECT_TRUE(find_log_damage(path()));
  EXPECT_EQ(readable_runs(), static_cast<size_t>(kRuns));
}

}  // namespace
}  // namespace atto::log_test
