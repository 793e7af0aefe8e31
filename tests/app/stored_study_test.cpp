// The name of a variant, taken apart into the options that made it.
#include "app/stored_study.h"

#include <gtest/gtest.h>

#include "lab/study/study.h"

namespace atto {
namespace {

TEST(StoredStudy, OptionsComeBackFromTheirVariant) {
  Study study;
  study.profile = "full";
  StudyOptions options;
  options.set = {"network.stack=[\"mlp\", \"attention\"]", "data.vocab=4"};
  options.seeds = 8;
  options.until = Until::decided;
  options.most = 64;
  const StoredVariant variant = read_variant(variant_name(study, options));
  EXPECT_EQ(variant.options,
            " --profile full --set 'network.stack=[\"mlp\", \"attention\"]' --set data.vocab=4"
            " --seeds 8 --until decided --most 64");
  EXPECT_TRUE(variant.refine.empty() && !variant.aim);
  EXPECT_EQ(read_variant("quick").options, "");
  EXPECT_EQ(read_variant("").options, "");
}

TEST(StoredStudy, AnExplorationTellsItsAim) {
  const StoredVariant variant = read_variant("quick training.steps=100 refine=2 explore=contour plateau.present");
  EXPECT_EQ(variant.options, " --set training.steps=100");
  EXPECT_EQ(variant.refine, "2");
  EXPECT_EQ(variant.aim, Aim::contour);
  EXPECT_EQ(variant.quantity, "plateau.present");
}

}  // namespace
}  // namespace atto
