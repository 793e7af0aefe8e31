#include "base/fields.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>

#include "base/error.h"
#include "base/names.h"

namespace atto {

enum class Sight { causal, full };
template <>
struct EnumWords<Sight> {
  static constexpr std::array words{"causal", "full"};
};

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// One field of each type; `message` runs something that must fail and gives what it said.
class FieldTest : public testing::Test {
 protected:
  FieldTest() {
    fields_.integer("data.vocab", vocab_, 2, 100, "kinds of token")
        .real("training.rate", rate_, 0, 1, "learning rate")
        .choice("network.mask", mask_, "what a position sees")
        .text("study.title", title_, "any text")
        .flag("network.bias", bias_, "whether there are biases")
        .real("claim.low", low_, -kInfinity, kInfinity, "any number");
  }

  template <class Action>
  static std::string message(const Action& action) {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::config);
      return error.what();
    }
    return "nothing was refused";
  }
  std::string refusal(const std::string& key, const Value& value) const {
    return message([&] { fields_.at(key).set(value); });
  }
  std::string text_refusal(const std::string& key, const std::string& text) const {
    return message([&] { fields_.at(key).set_text(text); });
  }

  int64_t vocab_ = 10;
  double rate_ = 0.5, low_ = 0;
  std::string title_;
  Sight mask_ = Sight::causal;
  bool bias_ = false;
  Fields fields_;
};

TEST_F(FieldTest, SetWritesTheVariableAndGetReadsIt) {
  fields_.at("data.vocab").set(int64_t{42});
  fields_.at("training.rate").set(0.25);
  fields_.at("network.mask").set(std::string("full"));
  fields_.at("network.bias").set(true);
  EXPECT_EQ(vocab_, 42);
  EXPECT_EQ(rate_, 0.25);
  EXPECT_EQ(mask_, Sight::full);
  EXPECT_TRUE(bias_);
  EXPECT_EQ(fields_.at("data.vocab").get(), Value(int64_t{42}));
  EXPECT_EQ(fields_.at("training.rate").get(), Value(0.25));
  EXPECT_EQ(fields_.at("network.mask").get(), Value(std::string("full")));
  EXPECT_EQ(fields_.at("network.bias").get(), Value(true));
}

TEST_F(FieldTest, KeepTheOrderOfTheirDescription) {
  ASSERT_EQ(fields_.all().size(), 6u);
  EXPECT_EQ(fields_.all().front().key, "data.vocab");
  EXPECT_EQ(fields_.all().front().help, "kinds of token");
  EXPECT_EQ(fields_.all().back().key, "claim.low");
}

TEST_F(FieldTest, AnIntegerIsTakenForARealButNotTheOtherWayRound) {
  fields_.at("training.rate").set(int64_t{1});
  EXPECT_EQ(rate_, 1.0);
  EXPECT_NE(refusal("data.vocab", 42.0).find("expected an integer from 2 to 100"), std::string::npos);
}

TEST_F(FieldTest, WrongTypesAreRefused) {
  const std::vector<Value> samples{true, int64_t{3}, 0.5, std::string("full")};
  const std::vector<std::pair<std::string, std::vector<bool>>> accepted{
      {"network.bias", {true, false, false, false}},
      {"data.vocab", {false, true, false, false}},
      {"claim.low", {false, true, true, false}},
      {"network.mask", {false, false, false, true}},
  };
  for (const auto& [key, verdicts] : accepted)
    for (size_t i = 0; i < samples.size(); ++i)
      EXPECT_EQ(refusal(key, samples[i]) == "nothing was refused", verdicts[i]) << key << " = " << to_text(samples[i]);
}

TEST_F(FieldTest, RangesIncludeTheirEnds) {
  for (const int64_t inside : {2, 100}) fields_.at("data.vocab").set(inside);
  for (const double inside : {0.0, 1.0}) fields_.at("training.rate").set(inside);
  EXPECT_EQ(refusal("data.vocab", int64_t{1}), "data.vocab = 1 is not allowed: expected an integer from 2 to 100");
  EXPECT_EQ(refusal("data.vocab", int64_t{101}), "data.vocab = 101 is not allowed: expected an integer from 2 to 100");
  EXPECT_EQ(refusal("training.rate", -0.001), "training.rate = -0.001 is not allowed: expected a number from 0 to 1");
  EXPECT_EQ(refusal("training.rate", std::nextafter(1.0, 2.0)).substr(0, 18), "training.rate = 1.");
  EXPECT_EQ(vocab_, 100) << "a refused value must not stick";
  EXPECT_EQ(rate_, 1.0);
}

TEST_F(FieldTest, NanIsNeverInRange) {
  for (const std::string key : {"training.rate", "claim.low"}) {
    EXPECT_NE(refusal(key, kNan), "nothing was refused") << key;
    EXPECT_NE(text_refusal(key, "nan"), "nothing was refused") << key;
  }
  EXPECT_NE(refusal("training.rate", kInfinity), "nothing was refused");
  fields_.at("claim.low").set(-kInfinity);
  EXPECT_EQ(low_, -kInfinity);
}

TEST_F(FieldTest, ChoicesNameTheNearestOne) {
  EXPECT_EQ(refusal("network.mask", std::string("casual")),
            "network.mask = \"casual\" is not allowed: expected one of causal, full; did you mean 'causal'?");
  EXPECT_EQ(refusal("network.mask", std::string("diagonal-blocks")),
            "network.mask = \"diagonal-blocks\" is not allowed: expected one of causal, full");
  fields_.at("study.title").set(std::string("any text at all"));
  EXPECT_EQ(title_, "any text at all");
}

TEST_F(FieldTest, TextIsReadByTheFieldsType) {
  fields_.at("data.vocab").set_text("17");
  EXPECT_EQ(vocab_, 17);
  fields_.at("data.vocab").set_text("1e2");
  EXPECT_EQ(vocab_, 100);
  fields_.at("training.rate").set_text("1e-3");
  EXPECT_EQ(rate_, 1e-3);
  fields_.at("training.rate").set_text("1");
  EXPECT_EQ(rate_, 1);
  fields_.at("claim.low").set_text("-inf");
  EXPECT_EQ(low_, -kInfinity);
  fields_.at("network.bias").set_text("true");
  EXPECT_TRUE(bias_);
  fields_.at("network.bias").set_text("false");
  EXPECT_FALSE(bias_);
  fields_.at("study.title").set_text("17");
  EXPECT_EQ(title_, "17");
}

TEST_F(FieldTest, TextThatIsNoValueIsRefused) {
  for (const std::string text :
       {"", " 17", "17 ", "17x", "1.5", "1e400", "99999999999999999999", "inf", "true", "0x11"})
    EXPECT_NE(text_refusal("data.vocab", text), "nothing was refused") << "'" << text << "'";
  for (const std::string text : {"", "0.1.2", "half", "1e400", "0,5"})
    EXPECT_NE(text_refusal("training.rate", text), "nothing was refused") << "'" << text << "'";
  for (const std::string text : {"", "yes", "1", "True"})
    EXPECT_NE(text_refusal("network.bias", text), "nothing was refused") << "'" << text << "'";
  EXPECT_EQ(text_refusal("data.vocab", "many"),
            "data.vocab = \"many\" is not allowed: expected an integer from 2 to 100");
}

TEST_F(FieldTest, AllowedDescribesTheRange) {
  EXPECT_EQ(fields_.at("data.vocab").allowed(), "an integer from 2 to 100");
  EXPECT_EQ(fields_.at("network.mask").allowed(), "one of causal, full");
  EXPECT_EQ(fields_.at("study.title").allowed(), "text");
  EXPECT_EQ(fields_.at("network.bias").allowed(), "true or false");
  EXPECT_EQ(fields_.at("claim.low").allowed(), "a number");
  double variable = 0;
  Fields half_open;
  half_open.real("a", variable, 1, kInfinity, "").real("b", variable, -kInfinity, 2.5, "");
  EXPECT_EQ(half_open.at("a").allowed(), "a number of at least 1");
  EXPECT_EQ(half_open.at("b").allowed(), "a number of at most 2.5");
}

TEST_F(FieldTest, AnUnknownKeyNamesTheNearest) {
  EXPECT_EQ(fields_.find("data.vocb"), nullptr);
  EXPECT_EQ(message([&] { fields_.at("data.vocb"); }), "unknown key 'data.vocb'; did you mean 'data.vocab'?");
  EXPECT_EQ(message([&] { fields_.at("colour"); }), "unknown key 'colour'");
}

TEST(NearestName, FindsSlipsAndLeavesStrangersAlone) {
  const std::vector<std::string> names{"vocab", "context", "offset", "width"};
  EXPECT_EQ(nearest_name("vocab", names), "vocab");
  EXPECT_EQ(nearest_name("vocb", names), "vocab") << "a letter missing";
  EXPECT_EQ(nearest_name("vvocab", names), "vocab") << "a letter too many";
  EXPECT_EQ(nearest_name("vicab", names), "vocab") << "a letter wrong";
  EXPECT_EQ(nearest_name("widht", names), "width") << "two letters swapped";
  EXPECT_EQ(nearest_name("temperature", names), "");
  EXPECT_EQ(nearest_name("show", {"shot", "slow"}), "shot") << "one letter of four";
  EXPECT_EQ(nearest_name("list", {"limit", "lost-key"}), "") << "half of the word is no slip";
  EXPECT_EQ(nearest_name("x", {"y", "xyz"}), "y") << "one letter is one slip";
  EXPECT_EQ(nearest_name("contxet", {"context"}), "context");
  EXPECT_EQ(nearest_name("anything", {}), "");
}

TEST(ToText, WritesPlainWords) {
  EXPECT_EQ(to_text(true), "true");
  EXPECT_EQ(to_text(false), "false");
  EXPECT_EQ(to_text(int64_t{-9223372036854775807 - 1}), "-9223372036854775808");
  EXPECT_EQ(to_text(0.001), "0.001");
  EXPECT_EQ(to_text(std::string("copy")), "copy");
}

RC_GTEST_PROP(ToText, DoublesSurviveTextBitForBit, ()) {
  double number = std::bit_cast<double>(*rc::gen::arbitrary<uint64_t>());  // any bit pattern
  RC_PRE(!std::isnan(number));
  double read = 0;
  Fields fields;
  fields.real("x", read, -kInfinity, kInfinity, "");
  fields.at("x").set_text(to_text(number));
  RC_ASSERT(read == number);
}

RC_GTEST_PROP(ToText, IntegersSurviveTextForEveryField, (int64_t number)) {
  int64_t read = 0;
  Fields fields;
  fields.integer("x", read, -kInfinity, kInfinity, "");
  fields.at("x").set_text(to_text(number));
  RC_ASSERT(read == number);
}

// Whatever is typed, a field either takes it or refuses it with an Error.
RC_GTEST_PROP(SetText, NeverFailsOtherwise, (const std::string& text)) {
  int64_t whole = 5;
  double real = 5;
  Fields fields;
  fields.integer("whole", whole, 0, 10, "").real("real", real, 0, 10, "");
  for (const Field& field : fields.all()) {
    try {
      field.set_text(text);
    } catch (const Error& error) {
      RC_ASSERT(std::string(error.what()).find(field.key) != std::string::npos);
    }
  }
  RC_ASSERT(whole >= 0 && whole <= 10 && real >= 0 && real <= 10);
}

}  // namespace
}  // namespace atto
