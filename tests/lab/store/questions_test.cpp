// The store's record of questions.
#include <SQLiteCpp/SQLiteCpp.h>

#include "lab/store/store_samples.h"

namespace atto {
namespace {

using Mode = Store::Mode;

class QuestionsTest : public StoreFolder {};

TEST_F(QuestionsTest, KeepTheirOrder) {
  {
    Store store(path(), Mode::write);
    store.save_questions({{"s", "quick", "b", 0, "h1", "{}", 0}, {"s", "quick", "a", 0, "h2", "{\"x\":1}", 0}});
    store.save_questions({{"s", "quick", "b", 0, "h3", "{}", 64}, {"other", "quick", "b", 0, "h4", "{}", 0}});
  }
  const Store store(path(), Mode::read);
  const auto found = store.questions("s");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].claim, "a");
  EXPECT_EQ(found[0].text, "{\"x\":1}");
  EXPECT_EQ(found[1].hash, "h1");
  EXPECT_EQ(found[1].position, 0);
  EXPECT_EQ(found[2].hash, "h3");
  EXPECT_EQ(found[2].position, 1);
  EXPECT_EQ(found[2].runs_before, 64);
  EXPECT_TRUE(store.questions("none").empty());
}

TEST_F(QuestionsTest, AreNoResults) {
  Store store(path(), Mode::write);
  save_sample(store, 1);
  const std::string digest = store.content_digest();
  store.save_questions({{"s", "quick", "a", 0, "h", "{}", 0}});
  EXPECT_EQ(store.content_digest(), digest) << "when something was asked is no result";
}

TEST_F(QuestionsTest, AFlippedBitIsNoticed) {
  {
    Store store(path(), Mode::write);
    store.save_questions({{"s", "quick", "a", 0, "h", "{}", 12}});
  }
  SQLite::Database(path(), SQLite::OPEN_READWRITE).exec("UPDATE questions SET runs_before = 0");
  const Store store(path(), Mode::read);
  EXPECT_EQ(error_of([&] { store.questions("s"); }).kind(), ErrorKind::store);
}

TEST_F(QuestionsTest, FindRunsOfEveryRevision) {
  Store store(path(), Mode::write);
  EXPECT_FALSE(store.has_runs());
  save_sample(store, 1);
  EXPECT_TRUE(store.has_runs());
  const auto held = store.held_configs({sample_id(1), sample_id(2)});
  ASSERT_EQ(held.size(), 1u);
  EXPECT_EQ(held.at(sample_id(1)), "{\"number\":1}");
}

}  // namespace
}  // namespace atto
