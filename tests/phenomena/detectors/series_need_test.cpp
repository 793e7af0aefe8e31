#include "phenomena/detectors/series_need.h"

#include <gtest/gtest.h>

namespace atto {
namespace {

using Shape = std::vector<int64_t>;

bool fits(const SeriesNeed& need, const Shape& shape, ExtentLengths lengths = {}) { return need.fits(shape, lengths); }

TEST(SeriesNeed, AsksForItsNumberOfDimensions) {
  const std::vector<SeriesNeed> needs{SeriesNeed::scalar("a"), SeriesNeed::vector("a", "x"),
                                      SeriesNeed::matrix("a", "x", "y")};
  for (size_t i = 0; i < needs.size(); ++i)
    for (size_t dimensions = 0; dimensions < 5; ++dimensions)
      EXPECT_EQ(fits(needs[i], Shape(dimensions, 7)), i == dimensions) << i << " " << dimensions;
}

TEST(SeriesNeed, TakesMapsOfOneHeadOrOfSeveralThatAreSquare) {
  const SeriesNeed maps = SeriesNeed::attention_maps("a");
  EXPECT_TRUE(fits(maps, {5, 3, 3}));
  EXPECT_TRUE(fits(maps, {5, 2, 3, 3}));
  EXPECT_FALSE(fits(maps, {5, 3, 4}));
  EXPECT_FALSE(fits(maps, {5, 2, 3, 4}));
  EXPECT_FALSE(fits(maps, {3, 3}));
}

TEST(SeriesNeed, EqualNamesAreEquallyLongAmongAllNeeds) {
  ExtentLengths lengths;
  EXPECT_TRUE(SeriesNeed::matrix("q", "features", "width").fits(Shape{6, 2}, lengths));
  EXPECT_FALSE(SeriesNeed::matrix("k", "features", "width").fits(Shape{5, 2}, lengths));
  EXPECT_FALSE(SeriesNeed::matrix("k", "features", "width").fits(Shape{6, 3}, lengths));
  EXPECT_TRUE(SeriesNeed::matrix("k", "features", "width").fits(Shape{6, 2}, lengths));
  // What did not fit has taught nothing.
  EXPECT_FALSE(SeriesNeed::matrix("p", "positions", "width").fits(Shape{9, 3}, lengths));
  EXPECT_TRUE(SeriesNeed::matrix("p", "positions", "width").fits(Shape{4, 2}, lengths));
}

TEST(SeriesNeed, TokensAreTheVocabularyWithOrWithoutBos) {
  const SeriesNeed need = SeriesNeed::vector("a", "tokens");
  EXPECT_TRUE(fits(need, {10}, lengths_of_tokens(10, false)));
  EXPECT_FALSE(fits(need, {11}, lengths_of_tokens(10, false)));
  EXPECT_TRUE(fits(need, {10}, lengths_of_tokens(10, true)));
  EXPECT_TRUE(fits(need, {11}, lengths_of_tokens(10, true)));
  EXPECT_FALSE(fits(need, {9}, lengths_of_tokens(10, true)));
}

TEST(SeriesNeed, IsWrittenLikeTheShapesItIsComparedWith) {
  EXPECT_EQ(SeriesNeed::scalar("a").text(), "one number");
  EXPECT_EQ(SeriesNeed::matrix("a", "tokens", "width").text(), "[tokens][width]");
  EXPECT_EQ(SeriesNeed::attention_maps("a").text(),
            "[samples][positions][positions] or [samples][heads][positions][positions]");
  EXPECT_EQ(shape_text(Shape{}), "one number");
  EXPECT_EQ(shape_text(Shape{10, 2}), "[10][2]");
}

}  // namespace
}  // namespace atto
