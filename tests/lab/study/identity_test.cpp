// Content addresses: what changes them, and what must not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/fields.h"
#include "lab/study/study.h"

namespace atto {
namespace {

const ObservePlan kPlan{{{"perplexity", "accuracy"}, {10, 0, 0, {}}}, {{"embedding"}, {0, 0, 40, {0, 500}}}};

// Any value that fits.
Value another_item(const FieldInfo& info) {
  switch (info.type) {
    case FieldType::flag:
      return true;
    case FieldType::integer:
      return static_cast<int64_t>(info.low + 1);
    case FieldType::real:
      return std::isfinite(info.low) ? info.low + 0.125 : 0.125;
    case FieldType::word:
      return info.choices.empty() ? std::string("another") : info.choices.back();
    case FieldType::list:
      return ValueList{
          std::vector<Value>(static_cast<size_t>(std::max<int64_t>(info.length, 1)), another_item(*info.item))};
    case FieldType::table:
      return ValueTable{{{"W_E", another_item(*info.item)}}};
    case FieldType::record:
      return ValueTable{{{info.members.front().key, another_item(info.members.front())}}};
  }
  return false;
}

// A value of the same field that differs from the present one and is allowed.
Value another_value(const Field& field) {
  const Value now = field.get();
  if (const auto* flag = std::get_if<bool>(&now)) return !*flag;
  if (const auto* whole = std::get_if<int64_t>(&now)) return *whole + 1;
  if (const auto* real = std::get_if<double>(&now)) return *real / 2 + 0.125;
  if (field.type == FieldType::list) return ValueList{{another_item(*field.item)}};
  if (field.type == FieldType::table) return ValueTable{{{"W_E", another_item(*field.item)}}};
  for (const std::string& choice : field.choices)
    if (Value(choice) != now) return choice;
  return std::string("another");
}

TEST(Identity, IsStable) {
  // A change here makes every stored run unreachable. A new field changes it too: put the new id here knowingly, and
  // say in the changelog that runs are computed anew.
  EXPECT_EQ(run_id(RunConfig{}, kPlan), "840e50985486d862238502593f549861");
  const std::string text = canonical_text(RunConfig{}, {{{"loss"}, {}}});
  EXPECT_NE(text.find(R"("data.context":4,"data.)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("observe":[{"address":"loss","at":[],"every":0,"linear":0,"log":0}])"), std::string::npos)
      << text;
}

TEST(Identity, HoldsEveryField) {
  RunConfig config;
  config.training.rate = 0.1 + 0.2;  // needs all 17 digits
  const auto json = nlohmann::json::parse(canonical_text(config, kPlan));
  const Fields fields = Fields().all_of(config, run_schema());
  size_t held = 0;
  for (const Field& field : fields.all()) {
    if (field.identity != FieldInfo::Identity::always) continue;
    ++held;
    ASSERT_TRUE(json.contains(field.key)) << field.key;
    if (field.type == FieldType::real) {
      EXPECT_EQ(json[field.key].get<double>(), std::get<double>(field.get()));
    }
  }
  EXPECT_EQ(json.size(), held + 1) << "keys that came later are not there until they are set";
  EXPECT_EQ(json["observe"].size(), 3u);
}

TEST(Identity, EveryFieldChangesIt) {
  std::set<std::string> ids{run_id(RunConfig{}, kPlan)};
  size_t changed = 0;
  RunConfig reference;
  const size_t count = run_schema().all().size();
  for (size_t i = 0; i < count; ++i) {
    RunConfig config;
    const Field field = Fields().all_of(config, run_schema()).all()[i];
    const Value value = another_value(field);
    if (value == field.get()) continue;
    field.set(value);
    const bool part = field.identity != FieldInfo::Identity::never;
    EXPECT_EQ(ids.insert(run_id(config, kPlan)).second, part) << field.key;
    ++changed;
  }
  EXPECT_EQ(changed, count);
}

TEST(Identity, EveryPartOfThePlanChangesIt) {
  std::vector<ObservePlan> plans(7, kPlan);
  plans[1][0].what.pop_back();
  plans[2][0].when.every = 20;
  plans[3][1].when.log = 41;
  plans[4][1].when.at.push_back(7);
  plans[5][1].when.linear = 3;
  plans[6][1].what[0] = "embedding.effective_dimension";
  std::set<std::string> ids;
  for (const ObservePlan& plan : plans) ids.insert(run_id(RunConfig{}, plan));
  EXPECT_EQ(ids.size(), plans.size());
}

TEST(Identity, GroupingAndOrderOfThePlanDoNot) {
  const ObservePlan same{
      {{"embedding"}, {0, 0, 40, {500, 0, 500}}}, {{"accuracy"}, {10, 0, 0, {}}}, {{"perplexity"}, {10, 0, 0, {}}}};
  EXPECT_EQ(run_id(RunConfig{}, same), run_id(RunConfig{}, kPlan));
}

TEST(Identity, TheSignOfZeroDoesNot) {
  RunConfig config;
  config.training.momentum = -0.0;
  EXPECT_EQ(run_id(config, kPlan), run_id(RunConfig{}, kPlan));
}

TEST(Identity, SpellingAndDefaultsOfTheFileDoNot) {
  const auto first_id = [](const std::string& text) {
    const Study study = parse_study(text, "a.toml", {});
    return expand_runs(study, expand_cells(study)).front().id;
  };
  const std::string plain =
      first_id("[data]\nvocab = 4\ncontext = 5\n[[observe]]\nwhat = [\"perplexity\", \"accuracy\"]\n");
  EXPECT_EQ(plain,
            first_id("title = \"other\"\ndata.context = 5\ndata.vocab = 4\n[training]\nrate = 0.001\nsteps = 3e3\n"
                     "[[observe]]\nwhat = [\"accuracy\"]\n[[observe]]\nwhat = [\"perplexity\"]\n"));
  EXPECT_EQ(plain, first_id("data.context = 5\n[sweep.grid]\n\"data.vocab\" = [4]\n[[observe]]\nwhat = [\"accuracy\", "
                            "\"perplexity\"]\n"));
  EXPECT_NE(plain, first_id("[data]\nvocab = 4\ncontext = 6\n[[observe]]\nwhat = [\"perplexity\", \"accuracy\"]\n"));
}

}  // namespace
}  // namespace atto
