#include "kernels/simd/target.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "kernels/kernel_testing.h"

namespace atto {
namespace {

TEST(Targets, AreNamedInLowerCaseBestFirst) {
  const RestoreTarget restore;
  const auto targets = supported_targets();
  ASSERT_FALSE(targets.empty());
  for (const std::string& target : targets) {
    EXPECT_TRUE(std::all_of(target.begin(), target.end(), [](unsigned char c) {
      return std::islower(c) || std::isdigit(c) || c == '_';
    })) << target;
    EXPECT_EQ(std::count(targets.begin(), targets.end(), target), 1);
  }
  pin_target("");
  EXPECT_EQ(active_target(), targets.front());
}

TEST(Targets, PinningChangesTheActiveOneAndNotTheList) {
  const RestoreTarget restore;
  const auto targets = supported_targets();
  for (const std::string& target : targets) {
    pin_target(target);
    EXPECT_EQ(active_target(), target);
    EXPECT_EQ(supported_targets(), targets);
    EXPECT_EQ(active_target(), target) << "asking for the list must not unpin";
  }
  pin_target("");
  EXPECT_EQ(active_target(), targets.front());
}

// One that exists elsewhere is refused like one that does not: the kernels would meet instructions nobody knows.
TEST(Targets, OneThatTheProcessorLacksIsRefusedAndTheErrorNamesThoseItHas) {
  const std::vector<std::string> here = supported_targets();
  const std::string before = active_target();
  int lacking = 0;
  for (const char* name : {"avx3", "avx2", "sse4", "neon", "sve", "ppc8"}) {
    if (std::find(here.begin(), here.end(), name) != here.end()) continue;
    ++lacking;
    try {
      pin_target(name);
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos);
      for (const std::string& target : here) EXPECT_NE(error.remedy().find(target), std::string::npos) << target;
    }
    EXPECT_EQ(active_target(), before);
  }
  EXPECT_GT(lacking, 0) << "no processor has all of these";
}

TEST(Targets, AnUnknownOneIsRefusedAndChangesNothing) {
  const RestoreTarget restore;
  const auto targets = supported_targets();
  pin_target(targets.back());
  try {
    pin_target("avx99");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("avx99"), std::string::npos);
    for (const std::string& target : targets) EXPECT_NE(error.remedy().find(target), std::string::npos);
  }
  EXPECT_EQ(active_target(), targets.back());
}

}  // namespace
}  // namespace atto
