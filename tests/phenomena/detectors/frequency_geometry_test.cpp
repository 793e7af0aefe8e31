#include <gtest/gtest.h>

#include <cmath>

#include "synthetic.h"

namespace atto::frequency_geometry_test {
namespace {

using synthetic::value_of;
using List = std::vector<double>;

Finding detect(const List& embedding, int64_t vocab, bool bos, double exponent = 1) {
  RunConfig config = synthetic::with_vocabulary(vocab);
  config.data.task = "unigram";
  config.data.context = 10;
  config.data.exponent = exponent;
  config.data.bos = bos;
  const int64_t rows = vocab + (bos ? 1 : 0);
  return synthetic::detector("frequency_geometry")
      ->detect(
          synthetic::finished({synthetic::snapshots("embedding", {rows, std::ssize(embedding) / rows}, {embedding})}),
          config);
}

// Token i at log(i + 1) along (0.6, -0.8), with noise; [BOS] last, at `bos` along the same line.
List along_frequency(int vocab, double noise, unsigned seed, std::optional<double> bos = std::nullopt) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  List points;
  for (int i = 0; i < vocab; ++i) {
    const double place = std::log(i + 1.0);
    points.push_back(3 + 0.6 * place + noise * normal(random));
    points.push_back(1 - 0.8 * place + noise * normal(random));
  }
  if (bos) points.insert(points.end(), {3 + 0.6 * *bos, 1 - 0.8 * *bos});
  return points;
}

TEST(FrequencyGeometry, FindsTheDirectionOfLogFrequency) {
  EXPECT_NEAR(*value_of(detect(along_frequency(100, 0, 1), 100, false), "direction"), 1, 1e-6);
  // Noise of the deviation of log frequency (0.93) across one direction: R about 1/√2.
  double sum = 0;
  for (unsigned seed = 1; seed <= 40; ++seed)
    sum += *value_of(detect(along_frequency(100, 0.93, seed), 100, false), "direction") / 40;
  EXPECT_NEAR(sum, std::sqrt(0.5), 0.05);
}

TEST(FrequencyGeometry, RareTokensNearBosMakeItNegative) {
  const Finding rare_near = detect(along_frequency(100, 0, 1, std::log(100.0)), 100, true);
  EXPECT_NEAR(*value_of(rare_near, "to_bos"), -1, 1e-9);
  EXPECT_NEAR(*value_of(rare_near, "direction"), 1, 1e-6);  // [BOS] itself has no frequency
  EXPECT_NEAR(*value_of(detect(along_frequency(100, 0, 1, 0.0), 100, true), "to_bos"), 1, 1e-9);
  EXPECT_FALSE(value_of(detect(along_frequency(100, 0, 1), 100, false), "to_bos"));
}

TEST(FrequencyGeometry, AtRandomPlacesItIsChance) {
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal;
  double squares = 0, sum = 0;
  for (int trial = 0; trial < 200; ++trial) {
    List points;
    for (int i = 0; i < 2 * 51; ++i) points.push_back(normal(random));
    const Finding finding = detect(points, 50, true);
    squares += std::pow(*value_of(finding, "direction"), 2) / 200;
    sum += *value_of(finding, "to_bos") / 200;
  }
  EXPECT_NEAR(squares, 2.0 / 49, 0.01);
  EXPECT_NEAR(sum, 0, 0.04);
}

TEST(FrequencyGeometry, InOneDimension) {
  List points;
  for (int i = 0; i < 20; ++i) points.push_back(-std::log(i + 1.0));
  EXPECT_NEAR(*value_of(detect(points, 20, false), "direction"), 1, 1e-6);
}

TEST(FrequencyGeometry, IsMissingWhereNothingCanBeSaid) {
  List coincident;
  for (int i = 0; i < 21; ++i) coincident.insert(coincident.end(), {0.1, 0.7});
  const List few = {1, 2, 4, 3, 0, 7};  // three tokens in two dimensions
  const List equal = along_frequency(30, 0.1, 1, 1.0);
  for (const auto& finding : {detect(coincident, 20, true), detect(few, 3, false), detect(equal, 30, true, 0)})
    for (const Quantity& one : finding) EXPECT_FALSE(one.value) << one.name << " = " << *one.value;
}

}  // namespace
}  // namespace atto::frequency_geometry_test
