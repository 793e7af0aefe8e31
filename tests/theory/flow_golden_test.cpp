// The gradient flow against SciPy's LSODA, from the file tests/golden/make_flow_golden.py wrote.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "places.h"
#include "theory/gradient_flow.h"

namespace atto {
namespace {

using nlohmann::json;

constexpr double kTolerance = 1e-6;

json golden() { return json::parse(std::ifstream(in_source("tests/golden/flow/lsoda.json"))); }

Regression problem_of(const json& entry) {
  return {entry.at("length"), entry.at("dimension"), entry.at("repeat"), entry.at("cross")};
}

void expect_near(double actual, double expected) { EXPECT_NEAR(actual, expected, kTolerance * std::abs(expected)); }

TEST(FlowGolden, CrossingsEqualLsoda) {
  const json file = golden();
  ASSERT_GE(file.at("problems").size(), 25u);
  for (const json& entry : file.at("problems")) {
    SCOPED_TRACE(entry.at("length").dump() + " " + entry.at("dimension").dump() + " " + entry.at("cross").dump());
    for (size_t i = 0; i < file.at("thresholds").size(); ++i) {
      const double threshold = file.at("thresholds").at(i);
      expect_near(*crossing(problem_of(entry), threshold, LossKind::train), entry.at("falls").at("train").at(i));
      expect_near(*crossing(problem_of(entry), threshold, LossKind::test), entry.at("falls").at("test").at(i));
    }
  }
}

TEST(FlowGolden, StatesEqualLsoda) {
  const json file = golden();
  for (const json& entry : file.at("problems")) {
    SCOPED_TRACE(entry.at("length").dump() + " " + entry.at("dimension").dump() + " " + entry.at("cross").dump());
    GradientFlow flow(problem_of(entry));
    ASSERT_GE(entry.at("moments").size(), 5u);
    for (const json& moment : entry.at("moments")) {
      SCOPED_TRACE(moment.at("time").dump());
      const ReducedState state = flow.advance_to(moment.at("time"));
      const json& expected = moment.at("state");
      ASSERT_EQ(expected.size(), flow.loss().directions() + 1);
      for (size_t k = 0; k + 1 < expected.size(); ++k) expect_near(state.w[k], expected.at(k));
      expect_near(state.gap, expected.back());
      expect_near(flow.loss().value(state), moment.at("train"));
      expect_near(flow.loss().value(state, LossKind::test), moment.at("test"));
    }
  }
}

}  // namespace
}  // namespace atto
