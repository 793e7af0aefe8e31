#include "lab/sweep/choose_target.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "kernels/kernel_testing.h"
#include "kernels/simd/target.h"

namespace atto::choose_target_test {

const std::vector<std::string> kBoth{"wide", "narrow"};

// A machine on which pieces of work take these times, one after the other; the last one again and again.
class Machine {
 public:
  explicit Machine(std::map<std::string, std::vector<double>> seconds) : seconds_(std::move(seconds)) {}
  double operator()(const std::string& target) {
    const std::vector<double>& times = seconds_.at(target);
    return times.at(std::min(asked[target]++, times.size() - 1));
  }
  std::map<std::string, size_t> asked;

 private:
  std::map<std::string, std::vector<double>> seconds_;
};

TEST(FastestTarget, IsTheOneWhoseBestPieceIsShortest) {
  Machine half_width({{"wide", {1.5}}, {"narrow", {1.0}}});
  EXPECT_EQ(fastest_target(kBoth, std::ref(half_width)), "narrow");
  EXPECT_EQ(half_width.asked["wide"], half_width.asked["narrow"]);
  EXPECT_GT(half_width.asked["wide"], 1u);
  Machine full_width({{"wide", {0.6}}, {"narrow", {1.0}}});
  EXPECT_EQ(fastest_target(kBoth, std::ref(full_width)), "wide");
}

// Other programs slow down some pieces: one that was left alone tells.
TEST(FastestTarget, IsNotChosenByPiecesThatWereDisturbed) {
  Machine disturbed({{"wide", {9, 9, 1.0, 9}}, {"narrow", {1.2}}});
  EXPECT_EQ(fastest_target(kBoth, std::ref(disturbed)), "wide");
}

TEST(FastestTarget, StaysTheFirstUnlessAnotherIsClearlyFaster) {
  Machine alike({{"wide", {1.0}}, {"narrow", {0.98}}});
  EXPECT_EQ(fastest_target(kBoth, std::ref(alike)), "wide");
  Machine faster({{"wide", {1.0}}, {"narrow", {0.96}}});
  EXPECT_EQ(fastest_target(kBoth, std::ref(faster)), "narrow");
}

TEST(DoubtfulTargets, AreThoseOfMachinesWithAvx512ThatNobodyPinned) {
  const RestoreTarget restore;
  const std::vector<std::string> supported = supported_targets();
  pin_target("");
  EXPECT_FALSE(target_is_pinned());
  const bool both = supported.front() == "avx3" && supported.size() > 1 && supported[1] == "avx2";
  EXPECT_EQ(doubtful_targets().size(), both ? 2u : 0u);
  pin_target(supported.front());
  EXPECT_TRUE(target_is_pinned());
  EXPECT_TRUE(doubtful_targets().empty());
}

// What is tried runs on every target, and the choice of one that nobody asked for can be taken back.
TEST(TargetTrial, TimesBothKindsOfNetworksOnEveryTarget) {
  const RestoreTarget restore;
  const std::vector<std::string> supported = supported_targets();
  for (const bool wide : {false, true}) {
    TargetTrial trial(wide);
    const std::string fastest = fastest_target(supported, [&](const std::string& target) {
      prefer_target(target);
      EXPECT_EQ(active_target(), target);
      return trial.seconds();
    });
    EXPECT_NE(std::find(supported.begin(), supported.end(), fastest), supported.end());
  }
  EXPECT_FALSE(target_is_pinned());
  pin_target("");
  EXPECT_EQ(active_target(), supported.front());
}

}  // namespace atto::choose_target_test
