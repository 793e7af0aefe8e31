// Verdicts in words, on and off the published scope.
#include "phenomena/claims/verdict_words.h"

#include <gtest/gtest.h>

namespace atto {
namespace {

constexpr Provenance kPublished{Origin::published, Scope::published}, kRecipe{Origin::figure, Scope::recipe},
    kScaled{Origin::published, Scope::scaled}, kOurs{Origin::ours, {}};

TEST(VerdictWords, NothingPublishedIsRefutedOffThePublishedScope) {
  EXPECT_EQ(verdict_text(VerdictKind::refuted, kPublished, ""), "refuted");
  EXPECT_EQ(verdict_text(VerdictKind::supported, kPublished, ""), "supported");
  EXPECT_EQ(verdict_text(VerdictKind::refuted, kScaled, "width 32"), "not found at width 32");
  EXPECT_EQ(verdict_text(VerdictKind::supported, kScaled, "width 32"), "found at width 32");
  EXPECT_EQ(verdict_text(VerdictKind::refuted, kRecipe, ""), "not found at the published size, with a guessed recipe");
  EXPECT_EQ(verdict_text(VerdictKind::supported, kRecipe, ""), "found at the published size, with a guessed recipe");
}

TEST(VerdictWords, TheLabsOwnClaimsHaveNoPublishedScope) {
  EXPECT_EQ(verdict_text(VerdictKind::refuted, kOurs, "width 32"), "refuted");
  EXPECT_EQ(verdict_text(VerdictKind::supported, kOurs, ""), "supported");
}

TEST(VerdictWords, WhatIsOpenIsOpenEverywhere) {
  for (const Provenance& one : {kPublished, kRecipe, kScaled, kOurs}) {
    EXPECT_EQ(verdict_text(VerdictKind::inconclusive, one, "width 32"), "inconclusive");
    EXPECT_EQ(verdict_place(VerdictKind::inconclusive, one, "width 32"), "");
  }
}

TEST(VerdictWords, OriginsAndScopesHavePhrases) {
  EXPECT_STREQ(phrase(Origin::figure), "read off a figure");
  EXPECT_STREQ(phrase(Origin::ours), "the lab's own");
  EXPECT_STREQ(phrase(Scope::published), "published size and recipe");
  EXPECT_STREQ(phrase(Scope::recipe), "published size, recipe guessed");
  EXPECT_STREQ(phrase(Scope::scaled), "scaled down");
}

}  // namespace
}  // namespace atto
