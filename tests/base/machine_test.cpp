// What a machine or a container has to offer, by what its control groups say.
#include "base/machine.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace atto::machine_test {
namespace {

class QuotaTest : public testing::Test {
 protected:
  QuotaTest()
      : folder_(std::filesystem::path(testing::TempDir()) /
                (std::string("quota-") + testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(folder_);
  }
  ~QuotaTest() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& file, const std::string& text) {
    const std::filesystem::path at = folder_ / file;
    std::filesystem::create_directories(at.parent_path());
    std::ofstream(at) << text;
  }
  std::optional<int> cores(const std::string& groups) { return quota_of_cores(groups, folder_); }

  const std::filesystem::path folder_;
};

TEST_F(QuotaTest, IsRoundedUpToWholeCores) {
  const std::pair<const char*, int> quotas[] = {
      {"100000 100000", 1}, {"150000 100000", 2}, {"200000 100000", 2}, {"1000 100000", 1}, {"9e99 1", 1000000}};
  for (const auto& [text, expected] : quotas) {
    write("box/cpu.max", text);
    EXPECT_EQ(cores("0::/box\n"), expected) << text;
  }
}

TEST_F(QuotaTest, NoneOrNonsenseIsNoLimit) {
  EXPECT_EQ(cores("0::/box\n"), std::nullopt) << "no file";
  for (const char* text : {"max 100000", "", "\n", "abc", "100000", "-1 100000", "0 100000", "100000 0", "nan nan"}) {
    write("box/cpu.max", text);
    EXPECT_EQ(cores("0::/box\n"), std::nullopt) << text;
  }
  EXPECT_EQ(cores(""), std::nullopt);
  EXPECT_EQ(cores("no line of such a file"), std::nullopt);
}

TEST_F(QuotaTest, TheSmallestOfAllGroupsAroundCounts) {
  write("cpu.max", "800000 100000");
  write("outer/cpu.max", "300000 100000");
  write("outer/inner/cpu.max", "max 100000");
  EXPECT_EQ(cores("0::/outer/inner\n"), 3);
  EXPECT_EQ(cores("0::/\n"), 8);
}

TEST_F(QuotaTest, OfTheFirstVersionStandsInTwoFiles) {
  write("cpu,cpuacct/box/cpu.cfs_quota_us", "250000");
  write("cpu,cpuacct/box/cpu.cfs_period_us", "100000");
  EXPECT_EQ(cores("7:memory:/box\n4:cpu,cpuacct:/box\n"), 3);
  EXPECT_EQ(cores("7:memory:/box\n3:cpuset:/box\n"), std::nullopt);
  write("cpu,cpuacct/box/cpu.cfs_quota_us", "-1");
  EXPECT_EQ(cores("4:cpu,cpuacct:/box\n"), std::nullopt);
}

TEST(Cores, AreThoseThatTheProcessIsBoundTo) {
  std::thread([] {  // a thread of its own, whose binding ends with it
    cpu_set_t one, all;
    ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    EXPECT_GE(usable_cores(), 1);
    EXPECT_LE(usable_cores(), CPU_COUNT(&all));
    int first = 0;
    while (!CPU_ISSET(first, &all)) ++first;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(usable_cores(), 1);
  })
      .join();
}

}  // namespace
}  // namespace atto::machine_test
