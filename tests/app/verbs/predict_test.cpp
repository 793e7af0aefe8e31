#include <cmath>

#include "app/program.h"
#include "theory/gradient_flow.h"
#include "theory/linear_theory.h"

namespace atto::test {
namespace {

class PredictTest : public ProgramTest {
 protected:
  std::string text(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "predict");
    const Outcome outcome = atto(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }

  void expect_refused(std::vector<std::string> arguments, const std::string& message) const {
    arguments.insert(arguments.begin(), "predict");
    const Outcome outcome = atto(arguments);
    EXPECT_EQ(outcome.code, 2) << message;
    EXPECT_TRUE(outcome.err.starts_with("error: " + message)) << outcome.err;
    EXPECT_NE(outcome.err.find("\n  → "), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
};

void expect_holds(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in\n" << text;
}

TEST_F(PredictTest, OneProblemIsAListOfOneObject) {
  const Json list = atto_json({"predict", "--length", "512", "--dimension", "64", "--repeat", "4", "--cross", "0.1",
                               "--threshold", "0.3", "--json"});
  ASSERT_EQ(list.size(), 1u);
  const Json& one = list[0];
  EXPECT_EQ(one.at("length"), 512);
  EXPECT_EQ(one.at("dimension"), 64);
  EXPECT_EQ(one.at("repeat"), 4);
  EXPECT_EQ(one.at("cross"), 0.1);
  EXPECT_EQ(one.at("threshold"), 0.3);
  const Regression problem{512, 64, 4, 0.1};
  EXPECT_EQ(one.at("closed_form"), escape_time(problem, 0.3));
  EXPECT_EQ(one.at("flow"), *crossing(problem, 0.3, LossKind::test));
  EXPECT_EQ(one.at("growth_rate"), growth_rate(problem));
}

TEST_F(PredictTest, RangesGiveEveryCombination) {
  const Json list = atto_json({"predict", "--length", "128:2048:x4", "--dimension", "16,32,64", "--json"});
  ASSERT_EQ(list.size(), 9u);
  EXPECT_EQ(list[1].at("length"), 128);
  EXPECT_EQ(list[1].at("dimension"), 32);
  EXPECT_EQ(list[1].at("repeat"), 1);
  EXPECT_EQ(list[1].at("cross"), 0);
  EXPECT_EQ(list[1].at("threshold"), 0.2);
  // The published law, 1.51 T^0.99 d^0.49, is a fit to this.
  for (const Json& one : list) {
    const double law =
        1.51 * std::pow(one.at("length").get<double>(), 0.985) * std::pow(one.at("dimension").get<double>(), 0.488);
    EXPECT_NEAR(one.at("flow").get<double>() / law, 1, 0.03) << one;
  }

  const std::string table = text({"--length", "128:2048:x4", "--dimension", "16,32,64"});
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 1 + 9 + 4) << table;
  expect_holds(table, "gradient flow");
  expect_holds(table, "2,048");
  expect_holds(table, "without cross-sample repetition");
}

TEST_F(PredictTest, AThresholdNeverReachedIsSaid) {
  const Json list = atto_json({"predict", "--length", "16", "--dimension", "4", "--cross", "0.5,1", "--json"});
  ASSERT_EQ(list.size(), 2u);
  EXPECT_TRUE(list[0].at("flow").is_number());
  EXPECT_TRUE(list[1].at("flow").is_null());
  expect_holds(text({"--length", "16", "--dimension", "4", "--cross", "0.5,1"}), "not within 1e+15");
  const std::string report = text({"--length", "16", "--dimension", "4", "--cross", "1"});
  expect_holds(report, "not within 1e+15");
  expect_holds(report, "only the repeated token is ever seen");
  EXPECT_EQ(report.find("nan"), std::string::npos);
}

TEST_F(PredictTest, AReportTellsWhatDominatesAndWhatRepetitionBuys) {
  const std::string long_sequence = text({"--length", "512", "--dimension", "64"});
  expect_holds(long_sequence, "5,319");
  expect_holds(long_sequence, "17,997");
  expect_holds(long_sequence, "Sequence length over repeats dominates.");
  expect_holds(long_sequence, "repeat 2: twice as often in each sequence      2,666  × 0.5013");
  expect_holds(long_sequence, "cross 0.1");
  EXPECT_EQ(long_sequence.find("p²d"), std::string::npos) << "there is no repeated direction";

  expect_holds(text({"--length", "8", "--dimension", "10000"}), "The dimension dominates");
  expect_holds(text({"--length", "512", "--dimension", "64", "--cross", "0.1"}), "the rest drives the growth");
  expect_holds(text({"--length", "512", "--dimension", "64", "--cross", "0.5"}),
               "the repeated direction drives the growth");
  expect_holds(text({"--length", "16", "--dimension", "1000", "--cross", "0.99"}), "d/(1−p) = 100,000");
  expect_holds(text({"--length", "16", "--dimension", "4", "--threshold", "1e-6"}), "in the order of 500,000");
}

TEST_F(PredictTest, OffersOnlyRepetitionThatExists) {
  EXPECT_EQ(text({"--length", "2", "--dimension", "1"}).find("more repetition"), std::string::npos);
  expect_holds(text({"--length", "16", "--dimension", "4", "--repeat", "8", "--cross", "0.95"}), "cross 0.975");
}

TEST_F(PredictTest, NamesTheOptionTheValueAndWhatIsAllowed) {
  expect_refused({"--dimension", "4"}, "--length is required");
  expect_refused({"--length", "1", "--dimension", "4"},
                 "--length = 1 is not allowed: expected an integer from 2 to 1e+09");
  expect_refused({"--length", "8.5", "--dimension", "4"}, "--length = 8.5 is not allowed: expected an integer");
  expect_refused({"--length", "8", "--dimension", "0"}, "--dimension = 0 is not allowed");
  expect_refused({"--length", "8", "--dimension", "4", "--repeat", "2,8"},
                 "--repeat = 8 is not allowed: expected less than length = 8");
  expect_refused({"--length", "8", "--dimension", "4", "--cross", "-0.1"},
                 "--cross = -0.1 is not allowed: expected a number from 0 to 1");
  expect_refused({"--length", "8", "--dimension", "1", "--cross", "0.5"},
                 "--dimension = 1 is not allowed with cross = 0.5");
  expect_refused({"--length", "8", "--dimension", "4", "--threshold", "1"},
                 "--threshold = 1 is not allowed: expected a number above 0 and below 1");
  expect_refused({"--length", "8:x2", "--dimension", "4"}, "--length = 8:x2 is not allowed");
  expect_refused({"--length", "2:1001:+1", "--dimension", "2:1001:+1", "--json"},
                 "these options combine to 1e+06 problems");
  expect_refused({"--length", "8", "--dimension", "4", "--crss", "1"},
                 "unknown option '--crss'; did you mean '--cross'?");
  expect_refused({"tiny", "--length", "8", "--dimension", "4"}, "'tiny' is one argument too many");
}

}  // namespace
}  // namespace atto::test
