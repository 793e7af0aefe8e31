#include "base/value.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/schema.h"

namespace atto::value_test {
namespace {

ValueList list(std::vector<Value> items) { return {std::move(items)}; }
Value word(const char* text) { return std::string(text); }

std::string complaint(const std::string& text) {
  try {
    parse_value(text);
  } catch (const Error& error) {
    EXPECT_FALSE(error.remedy().empty());
    return error.what();
  }
  return "no complaint";
}

TEST(Value, ListsAndTablesAreReadAsTomlWritesThem) {
  EXPECT_EQ(parse_value("[\"attention\", 'mlp']"), Value(list({word("attention"), word("mlp")})));
  EXPECT_EQ(parse_value("[attention,mlp, ]"), Value(list({word("attention"), word("mlp")})));
  EXPECT_EQ(parse_value("[]"), Value(ValueList{}));
  EXPECT_EQ(parse_value("[[0, 1e-3], [100, 0.5]]"), Value(list({list({int64_t{0}, 1e-3}), list({int64_t{100}, 0.5})})));
  EXPECT_EQ(parse_value("{W_E = 0.5, \"a b\" = true}"), Value(ValueTable{{{"W_E", 0.5}, {"a b", true}}}));
  EXPECT_EQ(parse_value("[{freeze = [W_Q], from = 10}]"),
            Value(list({ValueTable{{{"freeze", list({word("W_Q")})}, {"from", int64_t{10}}}}})));
}

TEST(Value, TextReadsBack) {
  const Value value = list({word("a"), word("two words"), word("12"), word("true"), 0.1, int64_t{-3}, false,
                            ValueTable{{{"layer.*.query", 2.5}, {"x y", list({})}}}});
  EXPECT_EQ(to_text(value),
            "[a, \"two words\", \"12\", \"true\", 0.1, -3, false, {layer.*.query = 2.5, \"x y\" = []}]");
  EXPECT_EQ(parse_value(to_text(value)), value);
}

TEST(Value, SaysWhatDoesNotFit) {
  EXPECT_EQ(complaint("[a b]"), "cannot read the value '[a b]': a list needs commas and a ']'");
  EXPECT_EQ(complaint("[a"), "cannot read the value '[a': a list needs commas and a ']'");
  EXPECT_EQ(complaint("[a] b"), "cannot read the value '[a] b': 'b' is left over");
  EXPECT_EQ(complaint("{a}"), "cannot read the value '{a}': 'a' has no value");
  EXPECT_EQ(complaint("{a = 1, a = 2}"), "cannot read the value '{a = 1, a = 2}': 'a' is given twice");
  EXPECT_EQ(complaint("[\"a]"), "cannot read the value '[\"a]': a quote is not closed");
  EXPECT_EQ(complaint(""), "cannot read the value '': it ends too early");
  EXPECT_NE(complaint(std::string(1000, '[')).find("nests too deeply"), std::string::npos);
}

struct Change {
  int64_t from = 0;
  double rate = 1;
  std::vector<std::string> freeze;
};
struct Settings {
  std::vector<std::string> stack = {"attention"};
  std::vector<double> shares;
  std::vector<std::pair<double, double>> rates;
  std::map<std::string, double> decay;
  std::map<std::string, std::string> start;
  std::vector<Change> changes;
};

const Schema<Change>& change_schema() {
  static const Schema<Change> schema = Schema<Change>()
                                           .integer("from", &Change::from, 0, 1e12, "first step")
                                           .real("rate", &Change::rate, 0, 10, "factor")
                                           .words("freeze", &Change::freeze, {}, "matrices");
  return schema;
}
const Schema<Settings>& settings_schema() {
  static const Schema<Settings> schema =
      Schema<Settings>()
          .words("stack", &Settings::stack, {"attention", "mlp"}, "layers")
          .numbers("shares", &Settings::shares, 0, 1, "shares")
          .points("rates", &Settings::rates, "rates by step")
          .number_table("decay", &Settings::decay, 0, 1, "decay by matrix")
          .word_table("start", &Settings::start, "start by matrix")
          .list_of("changes", &Settings::changes, change_schema(), "what changes when");
  return schema;
}

TEST(SchemaOfLists, WritesAndReadsTheMembers) {
  Settings settings;
  const Schema<Settings>& schema = settings_schema();
  schema.at("stack").set_text(settings, "[mlp, attention]");
  schema.at("shares").set_text(settings, "[0.5, 1]");
  schema.at("rates").set_text(settings, "[[0, 0.1], [1e3, 0.01]]");
  schema.at("decay").set_text(settings, "{W_E = 0}");
  schema.at("start").set_text(settings, "{W_E = identity}");
  schema.at("changes").set_text(settings, "[{from = 1e2, freeze = [W_Q]}, {rate = 1}]");
  EXPECT_EQ(settings.stack, (std::vector<std::string>{"mlp", "attention"}));
  EXPECT_EQ(settings.shares, (std::vector<double>{0.5, 1}));
  EXPECT_EQ(settings.rates, (std::vector<std::pair<double, double>>{{0, 0.1}, {1000, 0.01}}));
  EXPECT_EQ(settings.decay.at("W_E"), 0);
  EXPECT_EQ(settings.start.at("W_E"), "identity");
  ASSERT_EQ(settings.changes.size(), 2u);
  EXPECT_EQ(settings.changes[0].from, 100);
  EXPECT_EQ(settings.changes[0].freeze, (std::vector<std::string>{"W_Q"}));
  EXPECT_EQ(settings.changes[1].rate, 1);
  for (const SchemaField<Settings>& field : schema.all()) {
    Settings copy;
    field.set(copy, field.get(settings));
    EXPECT_EQ(field.get(copy), field.get(settings)) << field.key;
    EXPECT_EQ(field.initial, field.get(Settings{})) << field.key;
  }
}

// What a table leaves out and what it says anyway are the same, or equal runs would differ in name.
TEST(SchemaOfLists, ARecordForgetsItsDefaults) {
  const SchemaField<Settings>& changes = settings_schema().at("changes");
  EXPECT_EQ(changes.parsed("[{from = 5, rate = 1}]"), changes.parsed("[{from = 5}]"));
  EXPECT_EQ(to_text(changes.parsed("[{from = 5, rate = 1}]")), "[{from = 5}]");
}

TEST(SchemaOfLists, RefusesItemsWithTheirPlace) {
  Settings settings;
  const auto refusal = [&](const char* key, const char* text) -> std::string {
    try {
      settings_schema().at(key).set_text(settings, text);
    } catch (const Error& error) {
      return error.what();
    }
    return "no complaint";
  };
  EXPECT_EQ(refusal("stack", "[attention, mpl]"),
            "stack = \"mpl\" is not allowed: expected one of attention, mlp; did you mean 'mlp'?");
  EXPECT_EQ(refusal("stack", "attention"),
            "stack = \"attention\" is not allowed: expected a list, each one of "
            "attention, mlp");
  EXPECT_EQ(refusal("shares", "[0.5, 2]"), "shares = 2 is not allowed: expected a number from 0 to 1");
  EXPECT_EQ(refusal("rates", "[[1, 2, 3]]"), "rates = [1, 2, 3] is not allowed: expected a list of 2, each a number");
  EXPECT_EQ(refusal("decay", "{W_E = 2}"), "decay.W_E = 2 is not allowed: expected a number from 0 to 1");
  EXPECT_EQ(refusal("changes", "[{form = 2}]"), "unknown key 'form' in changes; did you mean 'from'?");
  EXPECT_EQ(refusal("changes", "[{from = -2}]"),
            "changes.from = -2 is not allowed: expected an integer from 0 to 1e+12");
}

}  // namespace
}  // namespace atto::value_test
