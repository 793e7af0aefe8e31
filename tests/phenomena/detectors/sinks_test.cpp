#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "synthetic.h"

namespace atto::sinks_test {
namespace {

using synthetic::value_of;
using List = std::vector<double>;

RunConfig zipf(int64_t vocab, double exponent = 1, bool bos = false) {
  RunConfig config = synthetic::with_vocabulary(vocab);
  config.data.task = "unigram";
  config.data.context = 10;
  config.data.exponent = exponent;
  config.data.bos = bos;
  return config;
}

Finding detect(const List& received, const RunConfig& config,
               const std::vector<std::pair<std::string, std::string>>& settings = {}) {
  return synthetic::detector("sinks", settings)
      ->detect(synthetic::finished(
                   {synthetic::snapshots("layer.0.attention.received_by_token", {std::ssize(received)}, {received})}),
               config);
}

TEST(Sinks, OneOccurrenceOfAFrequentTokenAgainstARareOne) {
  List received(100, 0.5);
  received[0] = 2;
  received[1] = 1.5;
  received[2] = 1;
  const Finding finding = detect(received, zipf(100));
  const double frequent = (2 + 1.5 / 2 + 1.0 / 3) / (1 + 1.0 / 2 + 1.0 / 3);
  EXPECT_NEAR(*value_of(finding, "frequent"), frequent, 1e-6);
  EXPECT_NEAR(*value_of(finding, "rare"), 0.5, 1e-6);
  EXPECT_NEAR(*value_of(finding, "ratio"), 2 * frequent, 1e-6);
  EXPECT_EQ(value_of(finding, "present"), 1);
  EXPECT_LT(*value_of(finding, "slope"), 0);
  EXPECT_FALSE(value_of(finding, "bos"));
  EXPECT_FALSE(value_of(finding, "bos_share"));
  EXPECT_EQ(value_of(detect(received, zipf(100), {{"threshold", "4"}}), "present"), 0);
}

// A few tokens that soak up attention for other reasons are sometimes the frequent ones.
TEST(Sinks, MustBeMoreThanChance) {
  List received(14, 0.5);
  for (const size_t token : {0u, 1u, 5u, 8u, 10u}) received[token] = 3;
  const RunConfig config = zipf(14);
  const Finding finding = detect(received, config);
  EXPECT_GT(*value_of(finding, "ratio"), 2);
  EXPECT_GT(*value_of(finding, "p"), 0.05);
  EXPECT_EQ(value_of(finding, "present"), 0);
  EXPECT_EQ(value_of(detect(received, config, {{"significance", "1"}}), "present"), 1);
}

TEST(Sinks, SlopeIsOneForAttentionThatGrowsWithRareness) {
  List received;
  for (int i = 0; i < 50; ++i) received.push_back(0.1 * i);
  EXPECT_NEAR(*value_of(detect(received, zipf(50)), "slope"), 1, 1e-9);
  EXPECT_EQ(value_of(detect(received, zipf(50)), "present"), 0);
}

TEST(Sinks, TokensThatWereNotSeenAreLeftOut) {
  List received(100, 1.0);
  received[0] = 4;
  for (int i = 1; i < 100; i += 2) received[static_cast<size_t>(i)] = NAN;
  const Finding finding = detect(received, zipf(100));
  EXPECT_NEAR(*value_of(finding, "frequent"), (4 + 1.0 / 3) / (1 + 1.0 / 3), 1e-6);
  EXPECT_NEAR(*value_of(finding, "rare"), 1, 1e-9);
  for (size_t i = 10; i < 100; ++i) received[i] = NAN;
  const Finding none = detect(received, zipf(100));
  EXPECT_TRUE(value_of(none, "frequent"));
  for (const char* name : {"rare", "ratio", "present"}) EXPECT_FALSE(value_of(none, name)) << name;
}

TEST(Sinks, BosIsKeptApart) {
  List received(20, 0.1);
  received.push_back(8);
  const Finding finding = detect(received, zipf(20, 1, true));
  EXPECT_EQ(value_of(finding, "bos"), 8);
  EXPECT_NEAR(*value_of(finding, "bos_share"), 0.8, 1e-12);
  EXPECT_NEAR(*value_of(finding, "ratio"), 1, 1e-9);
}

TEST(Sinks, EquallyFrequentTokensHaveNoFrequentOnes) {
  List received(100, 1.0);
  received[0] = 5;
  const Finding finding = detect(received, zipf(100, 0));
  for (const Quantity& one : finding) EXPECT_FALSE(one.value) << one.name;
}

TEST(Sinks, SmallVocabulariesHaveNoRareTokens) {
  const Finding finding = detect(List(10, 1.0), zipf(10));
  EXPECT_FALSE(value_of(finding, "ratio"));
  EXPECT_NEAR(*value_of(detect({3, 1, 1, 1}, zipf(4), {{"top", "1"}, {"rare_from", "1"}}), "ratio"), 3, 1e-9);
}

TEST(Sinks, RefusesGroupsThatOverlapAndSeriesOfAnotherShape) {
  EXPECT_THROW(detect(List(100, 1.0), zipf(100), {{"top", "11"}}), Error);
  const auto matrix =
      synthetic::finished({synthetic::snapshots("layer.0.attention.received_by_token", {2, 2}, {{1, 1, 1, 1}})});
  EXPECT_THROW(synthetic::detector("sinks")->detect(matrix, zipf(4)), Error);
}

}  // namespace
}  // namespace atto::sinks_test
