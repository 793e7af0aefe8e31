// Shapes as the store writes them, and nothing else.
#include "lab/store/shape.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <limits>

namespace atto {
namespace {

using Extents = std::vector<int64_t>;

TEST(StoredShapes, AreReadAsTheyWereWritten) {
  for (const Extents& shape : {Extents{}, {0}, {7}, {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}})
    EXPECT_EQ(parse_shape(shape_text(shape)), shape) << shape_text(shape);
  EXPECT_EQ(shape_text({4, 2}), "[4,2]");
}

TEST(StoredShapes, NothingElseIsOne) {
  for (const char* text : {"",
                           "[",
                           "]",
                           "4",
                           "4,2]",
                           "44]",
                           "x4]",
                           "[4",
                           "[4x",
                           "[4,",
                           "[4,]",
                           "[,4]",
                           "[4]x",
                           "[4]]",
                           "[4 2]",
                           "[4;2]",
                           "[-1]",
                           "[4,-2]",
                           "[99999999999999999999]",
                           "[]x",
                           "[1,2,3,4,5,6,7,8,9]"})
    EXPECT_THROW(parse_shape(text), SQLite::Exception) << text;
}

TEST(StoredShapes, CountsAreProductsThatDoNotOverflow) {
  EXPECT_NO_THROW(require_count({4, 2}, 3, 24));
  EXPECT_NO_THROW(require_count({}, 3, 3));
  EXPECT_NO_THROW(require_count({4, 0}, 3, 0));
  EXPECT_NO_THROW(require_count({4, 2}, 0, 0)) << "a series that was never measured";
  EXPECT_THROW(require_count({4, 2}, 3, 23), SQLite::Exception);
  EXPECT_THROW(require_count({4, 2}, 1, 0), SQLite::Exception);
  constexpr int64_t kHuge = int64_t{1} << 32, kMost = std::numeric_limits<int64_t>::max();
  for (const Extents& shape : {Extents{kHuge, kHuge}, {kHuge, kHuge, 0}, {0, kHuge, kHuge}, {kMost}, {kMost, 2}})
    EXPECT_THROW(require_count(shape, 0, 0), SQLite::Exception) << shape_text(shape);
}

}  // namespace
}  // namespace atto
