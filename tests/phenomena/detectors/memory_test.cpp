// What a detector is said to take is what it takes.
#include <gtest/gtest.h>

#include "counted_new.h"
#include "phenomena/detectors/synthetic.h"

namespace atto {
namespace {

TEST(DetectorMemory, OfAllPairsOfTokensIsCounted) {
  constexpr int64_t kTokens = 1000;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> embedding;
  for (int64_t i = 0; i < 2 * kTokens; ++i) embedding.push_back(normal(random));
  const Recording recording = synthetic::finished({synthetic::snapshots("embedding", {kTokens, 2}, {embedding})});
  const RunConfig config = synthetic::with_vocabulary(kTokens);
  for (const char* reach : {"0", "1", "2000"}) {
    const auto detector = synthetic::detector("continuity", {{"reach", reach}});
    const auto said = static_cast<double>(detector->bytes(config));
    const double taken = peak_during([&] { detector->detect(recording, config); });
    EXPECT_GT(taken, 0.8 * said) << reach;
    EXPECT_LT(taken, 1.05 * said) << reach;
  }
}

TEST(DetectorMemory, GrowsWithTheSquareOfTheVocabulary) {
  const auto detector = make_detector("continuity");
  EXPECT_NEAR(static_cast<double>(detector->bytes(synthetic::with_vocabulary(8000))), 1.38e9, 0.01e9);
  EXPECT_EQ(make_detector("plateau")->bytes(synthetic::with_vocabulary(8000)), 0u) << "small next to what it reads";
}

// Its probabilities come from a task made anew, and that of bigrams has a table of all pairs.
TEST(DetectorMemory, OfATasksTablesIsCounted) {
  RunConfig config = synthetic::with_vocabulary(500);
  config.data.task = "bigram";
  EXPECT_GT(make_detector("frequency_geometry")->bytes(config), 500u * 500u * sizeof(float));
}

}  // namespace
}  // namespace atto
