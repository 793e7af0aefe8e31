#include "lab/figures/vega/spec.h"

#include <gtest/gtest.h>

namespace atto {
namespace {

Json ticks(double low, double high) {
  Json channel = Json::object();
  set_log_ticks(channel, low, high);
  return channel["axis"].value("values", Json());
}

TEST(LogTicks, StandAtPowersOfTenAndBothEnds) {
  EXPECT_EQ(ticks(1, 100), (Json{1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0}));
  EXPECT_EQ(ticks(1, 1000), (Json{1.0, 10.0, 100.0, 1000.0})) << "more than 2.2 decades have room for powers only";
  EXPECT_EQ(ticks(2, 50), (Json{2.0, 5.0, 10.0, 20.0, 50.0}));
  EXPECT_EQ(ticks(1, 1e8), (Json{1.0, 1e2, 1e4, 1e6, 1e8})) << "at most seven decades have a tick each";
  EXPECT_EQ(ticks(1, 1e7).size(), 8u);
  EXPECT_TRUE(ticks(2, 3).is_null()) << "less than half a decade is left to Vega";
}

TEST(LogTicks, SmallNumbersAreWrittenInFull) {
  Json small = Json::object(), large = Json::object();
  set_log_ticks(small, 0.4, 10);
  set_log_ticks(large, 0.5, 10);
  EXPECT_EQ(small["axis"]["format"], "~g");
  EXPECT_EQ(large["axis"]["format"], "~s");
}

}  // namespace
}  // namespace atto
