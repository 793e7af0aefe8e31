// What a look says of the claims that are open.
#include "app/terminal/progress.h"

#include <gtest/gtest.h>

namespace atto::progress_test {
namespace {

TEST(LookText, SaysHowFarOpenClaimsAreAndWhatTheyWouldCost) {
  StudyResult result;
  ClaimResult& one = result.claims.emplace_back();
  one.claim.id = "coin";
  one.claim.low = 0.5;
  one.claim.high = 1;
  one.verdict.estimate = 0.55;
  one.verdict.low = one.verdict.anytime_low = 0.45;
  one.verdict.high = one.verdict.anytime_high = 0.65;
  one.verdict.reason = OpenReason::budget;
  one.verdict.needed = 4;
  result.claims.emplace_back().verdict.kind = VerdictKind::supported;
  Look look{2, 7, result, {&result.claims[0]}, {90.0}, 96};
  EXPECT_EQ(look_text("mine", look),
            "mine: look 2 of at most 7: 1 of 2 claims is open; 96 more runs for it\n"
            "  coin: 0.55 [0.45, 0.65] against [0.5, 1], 0.05 from its end, budget, about 4 times its seeds (1 min 30 "
            "s more) "
            "would decide it");
  look.next_runs = 0;
  EXPECT_TRUE(look_text("mine", look)
                  .starts_with("mine: look 2 of at most 7: 1 of 2 claims is open; the budget is spent\n"
                               "  coin: "));
  look.seconds = {std::nullopt};
  EXPECT_TRUE(look_text("mine", look).ends_with("budget, about 4 times its seeds would decide it"));
  result.claims[0].verdict.reason = OpenReason::undecidable;
  EXPECT_TRUE(
      look_text("mine", look).ends_with(", too few seeds for a decision, about 4 times its seeds would decide it"))
      << look_text("mine", look);
  look.open.push_back(&result.claims[1]);
  look.next_runs = 1;
  EXPECT_TRUE(look_text("mine", look)
                  .starts_with("mine: look 2 of at most 7: 2 of 2 claims are open; 1 more run for "
                               "them\n"));
  look.open.clear();
  look.next_runs = 0;
  EXPECT_EQ(look_text("mine", look), "mine: look 2 of at most 7: no claim is open");
}

}  // namespace
}  // namespace atto::progress_test
