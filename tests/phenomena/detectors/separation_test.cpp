#include <gtest/gtest.h>

#include <cmath>

#include "synthetic.h"

namespace atto::separation_test {
namespace {

using synthetic::value_of;
using List = std::vector<double>;

Finding detect(const List& positions, int64_t context, const List& query, const List& key, int64_t offset = 1,
               const std::string& kernel = "dot") {
  const int64_t width = std::ssize(positions) / context;
  RunConfig config = synthetic::with_vocabulary(30);
  config.data.context = context;
  config.data.offset = offset;
  config.network.kernel = kernel;
  return synthetic::detector("separation")
      ->detect(synthetic::finished({synthetic::snapshots("positions", {context, width}, {positions}),
                                    synthetic::snapshots("layer.0.query", {width, width}, {query}),
                                    synthetic::snapshots("layer.0.key", {width, width}, {key})}),
               config);
}

const List kIdentity = {1, 0, 0, 1}, kMinus = {-1, 0, 0, -1};

// Positions -3, -2, -1, 0 read off the published figure, and the published W_Q W_Kᵀ (rows times columns): W_Q = 1 and
// W_K = M in y = W x give x_iᵀ M x_j.
TEST(Separation, HoldsForThePublishedNetwork) {
  const List positions = {7.3, 3.7, 7.5, 3.3, -1.1, -0.1, 5.6, 7.8}, form = {-0.41, 1.35, 0.19, -2.25};
  const Finding finding = detect(positions, 4, kIdentity, form);
  EXPECT_EQ(value_of(finding, "separates"), 1);
  EXPECT_GT(*value_of(finding, "margin"), 0.8);
  EXPECT_LT(*value_of(finding, "value"), 0);
  EXPECT_EQ(value_of(finding, "mechanism"), 1);
  EXPECT_GT(*value_of(finding, "logit"), 0);
  EXPECT_EQ(value_of(finding, "preferred"), 1);
}

TEST(Separation, ValuesOfAKnownDirection) {
  // The answer on one side of the diagonal axis, all others exactly opposite: s = (1, 1)/√2 exactly.
  const List positions = {1, 1, 2, 2, -3, -3, 0.5, 0.5}, query = {1, 2, 0, 1}, key = {0, -1, 1, -2};
  const Finding finding = detect(positions, 4, query, key);
  // W_Q (1,1) = (3, 1), W_K (1,1) = (-1, -1): product -4, of which unit length takes half.
  EXPECT_NEAR(*value_of(finding, "margin"), 1, 1e-9);
  EXPECT_NEAR(*value_of(finding, "value"), -2, 1e-9);
  EXPECT_NEAR(*value_of(finding, "value_scaled"), -4, 1e-9);
  EXPECT_EQ(value_of(finding, "mechanism"), 1);
  // A key (k, k) gives the query (0.5, 0.5) the score -4 · 0.5 k/√2, for the answer with k = -3, the others 1, 2, 0.5.
  const double unit = 2 / std::sqrt(2);
  EXPECT_NEAR(*value_of(finding, "logit"), unit * (3 + 3.5 / 3), 1e-9);
  EXPECT_NEAR(*value_of(finding, "logit_gap"), unit * 3.5, 1e-9);
}

TEST(Separation, WithAPositiveValueTheMechanismFails) {
  const Finding finding = detect({1, 1, 2, 2, -3, -3, 0.5, 0.5}, 4, kIdentity, kIdentity);
  EXPECT_EQ(value_of(finding, "separates"), 1);
  EXPECT_NEAR(*value_of(finding, "value"), 1, 1e-9);
  EXPECT_EQ(value_of(finding, "mechanism"), 0);
  EXPECT_LT(*value_of(finding, "logit"), 0);
  EXPECT_EQ(value_of(finding, "preferred"), 0);
}

TEST(Separation, OfInterleavedPositionsThereIsNone) {
  const Finding finding = detect({1, 0, -0.5, 1, 1, 0.1, -0.5, -1}, 4, kIdentity, kMinus);
  EXPECT_EQ(value_of(finding, "separates"), 0);
  EXPECT_EQ(value_of(finding, "mechanism"), 0);
  for (const char* name : {"margin", "value", "value_scaled"}) EXPECT_FALSE(value_of(finding, name)) << name;
  EXPECT_TRUE(value_of(finding, "logit"));
}

TEST(Separation, FollowsTheOffset) {
  const List positions = {-1, -1, 2, 2, 3, 3, 0.5, 0.5};  // the first of four stands apart
  EXPECT_EQ(value_of(detect(positions, 4, kIdentity, kMinus, 3), "mechanism"), 1);
  EXPECT_EQ(value_of(detect(positions, 4, kIdentity, kMinus, 1), "mechanism"), 0);
}

TEST(Separation, LengthsDoNotMatterForTheDirection) {
  const Finding equal = detect({1, 0, 0.8, 0.6, -0.6, -0.8, 1, 0.1}, 4, kIdentity, kMinus);
  const Finding scaled = detect({100, 0, 0.8, 0.6, -0.06, -0.08, 5, 0.5}, 4, kIdentity, kMinus);
  EXPECT_NEAR(*value_of(equal, "margin"), *value_of(scaled, "margin"), 1e-9);
}

TEST(Separation, InOneDimensionItIsASign) {
  const Finding finding = detect({1, 2, -1, 3}, 4, {2}, {-3});
  EXPECT_EQ(value_of(finding, "mechanism"), 1);
  EXPECT_NEAR(*value_of(finding, "value"), -6, 1e-12);
  EXPECT_NEAR(*value_of(finding, "logit_gap"), -18 * (-1 - 1), 1e-12);
}

TEST(Separation, APositionAtTheOriginIsOnNoSide) {
  EXPECT_EQ(value_of(detect({0, 0, 1, 1, -1, -1, 1, 1}, 4, kIdentity, kMinus), "separates"), 0);
  EXPECT_EQ(value_of(detect(List(8, 0.0), 4, kIdentity, kMinus), "separates"), 0);
}

TEST(Separation, IsMissingWhereTheQuestionMakesNoSense) {
  const List positions = {1, 1, 2, 2, -3, -3, 0.5, 0.5};
  for (const auto& finding :
       {detect(positions, 4, kIdentity, kMinus, 0), detect(positions, 4, kIdentity, kMinus, 1, "distance"),
        detect({1, 1, 2, NAN, -3, -3, 0.5, 0.5}, 4, kIdentity, kMinus)})
    for (const Quantity& one : finding) EXPECT_FALSE(one.value) << one.name;
}

}  // namespace
}  // namespace atto::separation_test
