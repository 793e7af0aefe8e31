#include "phenomena/outcomes/basins.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace atto {
namespace {

using List = std::vector<double>;

struct Group {
  int count;
  double centre, spread;  // spread in nats
};

List draw(const std::vector<Group>& groups, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  List values;
  for (const Group& group : groups)
    for (int i = 0; i < group.count; ++i) values.push_back(group.centre * std::exp(group.spread * normal(random)));
  std::shuffle(values.begin(), values.end(), random);
  return values;
}

// Share of sets in which exactly the drawn groups are found.
double found_share(const std::vector<Group>& groups, int sets = 200) {
  std::mt19937_64 random(7);
  int right = 0;
  for (int i = 0; i < sets; ++i) {
    const auto basins = find_basins(draw(groups, random));
    bool same = basins.size() == groups.size();
    for (size_t k = 0; same && k < basins.size(); ++k) same = basins[k].count == groups[k].count;
    right += same;
  }
  return static_cast<double>(right) / sets;
}

TEST(Basins, DescribesEachPart) {
  const auto basins = find_basins(List{89, 30, 31, 88, 33, 90, 32, NAN, 91, INFINITY, 0, -3, 29, 28});
  ASSERT_EQ(basins.size(), 2u);
  EXPECT_EQ(basins[0].count, 6);
  EXPECT_EQ(basins[0].low, 28);
  EXPECT_EQ(basins[0].median, 30.5);
  EXPECT_EQ(basins[0].high, 33);
  EXPECT_EQ(basins[1].count, 4);
  EXPECT_EQ(basins[1].low, 88);
  EXPECT_EQ(basins[1].median, 89.5);
  EXPECT_EQ(basins[1].high, 91);
}

// The error rates the header states.
TEST(Basins, OneKindOfOutcomeIsSeldomTakenForSeveral) {
  for (const double spread : {0.02, 0.1, 0.5}) {
    EXPECT_GE(found_share({{128, 20, spread}}), 0.99) << spread;
    EXPECT_GE(found_share({{32, 20, spread}}), 0.99) << spread;
    EXPECT_GE(found_share({{16, 20, spread}}), 0.98) << spread;
    EXPECT_GE(found_share({{8, 20, spread}}), 0.85) << spread;
  }
}

TEST(Basins, SeparateKindsAreFound) {
  EXPECT_GE(found_share({{8, 20.7, 0.02}, {24, 24.8, 0.02}}), 0.95);  // a perplexity of 21 or of 25
  EXPECT_GE(found_share({{7, 20.7, 0.02}, {1, 24.8, 0.02}}), 0.75);   // one seed in eight
  EXPECT_GE(found_share({{31, 20.7, 0.02}, {1, 24.8, 0.02}}), 0.95);  // one in 32
  EXPECT_GE(found_share({{96, 34, 0.12}, {32, 89, 0.01}}), 0.95);     // a wide one and a narrow one
  EXPECT_GE(found_share({{10, 1, 0.1}, {12, 5, 0.1}, {10, 20, 0.1}}), 0.98);
  EXPECT_GE(found_share({{10, 1, 0.05}, {12, 1.6, 0.05}, {10, 500, 0.05}}),
            0.95);  // near ones are not hidden by a far one
}

TEST(Basins, BroadOutcomesWithoutAGapAreOne) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(0, 1.5);
  int one = 0;
  for (int set = 0; set < 200; ++set) {
    List values;
    for (int i = 0; i < 32; ++i) values.push_back(std::exp(uniform(random)));
    one += find_basins(values).size() == 1;
  }
  EXPECT_GE(one, 198);
}

TEST(Basins, AreRelative) {
  const List values = {1, 1.01, 1.02, 0.99, 3, 3.02, 2.97, 3.01};
  List scaled;
  for (const double value : values) scaled.push_back(1e-6 * value);
  EXPECT_EQ(find_basins(values).size(), 2u);
  EXPECT_EQ(find_basins(scaled).size(), 2u);
}

TEST(Basins, DifferencesBelowTheSeparationDoNotCount) {
  EXPECT_EQ(find_basins(List{1, 1, 1, 1, 1.03, 1.03, 1.03, 1.03}).size(), 1u);
  EXPECT_EQ(find_basins(List{1, 1, 1, 1, 1.03, 1.03, 1.03, 1.03}, {0.02}).size(), 2u);
  EXPECT_EQ(find_basins(List{1, 1, 1, 1, 2, 2, 2, 2}).size(), 2u);  // exact ties
}

TEST(Basins, FewValues) {
  EXPECT_TRUE(find_basins(List{}).empty());
  EXPECT_TRUE(find_basins(List{NAN, -1}).empty());
  const auto lone = find_basins(List{4});
  ASSERT_EQ(lone.size(), 1u);
  EXPECT_EQ(lone[0].count, 1);
  EXPECT_EQ(lone[0].median, 4);
  EXPECT_EQ(find_basins(List{4, 400}).size(), 1u);
  EXPECT_EQ(find_basins(List{1, 10, 100}).size(), 1u);
}

}  // namespace
}  // namespace atto
