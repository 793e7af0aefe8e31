// Where claims come from: the keys of the study, of a claim and of a profile, and what is said about wrong ones.
#include <gtest/gtest.h>

#include "base/error.h"
#include "lab/study/study.h"

namespace atto::read_provenance_test {
namespace {

std::string study_text(const std::string& top, const std::string& claim, const std::string& end = "") {
  return top + R"(
[training]
steps = 300
[[observe]]
what = ["perplexity"]
[seeds]
count = 8
[[phenomenon]]
name = "learnt"
detector = "emergence"
[[claim]]
id = "one"
statement = "it is learnt"
)" + claim +
         R"(
quantity = "learnt.emerged"
statistic = "rate"
region = [0.5, 1]
)" + end;
}

Provenance provenance_of(const std::string& top, const std::string& claim, const std::string& end = "",
                         const std::string& profile = "quick") {
  StudyOptions options;
  options.profile = profile;
  return parse_study(study_text(top, claim, end), "a.toml", options).claims.at(0).provenance;
}

Error fault_of(const std::string& top, const std::string& claim, const std::string& end = "") {
  try {
    provenance_of(top, claim, end);
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorKind::internal, "no error");
}

void expect_refused(const Error& error, const std::string& place, const std::string& words) {
  const std::string text = error.what();
  EXPECT_TRUE(text.starts_with(place)) << text;
  EXPECT_NE(text.find(words), std::string::npos) << text;
}

TEST(ReadProvenance, WhatNobodyPublishedIsTheLabsOwn) {
  EXPECT_EQ(provenance_of("", ""), (Provenance{Origin::ours, {}}));
  EXPECT_EQ(provenance_of("scope = \"recipe\"", ""), (Provenance{Origin::ours, {}}));
}

TEST(ReadProvenance, AClaimHasWhatItsStudySaysUnlessItSaysOtherwise) {
  const std::string top = "origin = \"figure\"\nscope = \"recipe\"";
  EXPECT_EQ(provenance_of(top, ""), (Provenance{Origin::figure, Scope::recipe}));
  EXPECT_EQ(provenance_of(top, "origin = \"published\""), (Provenance{Origin::published, Scope::recipe}));
  EXPECT_EQ(provenance_of(top, "scope = \"published\""), (Provenance{Origin::figure, Scope::published}));
  EXPECT_EQ(provenance_of(top, "origin = \"ours\""), (Provenance{Origin::ours, {}}));
}

TEST(ReadProvenance, AProfileMayHaveThePublishedSizes) {
  const std::string top = "origin = \"published\"\nscope = \"scaled\"\nscale = [\"network.width\"]",
                    end = "[profile.paper]\nscope = \"published\"\nset = { network.width = 64 }\n";
  EXPECT_EQ(provenance_of(top, "", end, "quick").scope, Scope::scaled);
  EXPECT_EQ(provenance_of(top, "", end, "full").scope, Scope::scaled);
  EXPECT_EQ(provenance_of(top, "", end, "paper").scope, Scope::published);
  EXPECT_EQ(provenance_of(top, "origin = \"ours\"", end, "paper").scope, std::nullopt);
}

TEST(ReadProvenance, KeepsTheSentenceAboutTheRecipe) {
  const Study study = parse_study(study_text("calibrated = \"It was chosen.\"", ""), "a.toml", {});
  EXPECT_EQ(study.calibrated, "It was chosen.");
}

TEST(ReadProvenance, RefusesUnknownWordsWithTheirPlaceAndTheKnownOnes) {
  expect_refused(fault_of("origin = \"book\"\nscope = \"recipe\"", ""), "a.toml:1:10",
                 "one of published, figure, ours");
  expect_refused(fault_of("", "origin = \"figures\""), "a.toml:14:10", "one of published, figure, ours");
  expect_refused(fault_of("", "origin = \"figure\"\nscope = \"small\""), "a.toml:15:9",
                 "one of published, recipe, scaled");
  expect_refused(fault_of("", "", "[profile.paper]\nscope = \"paper\"\n"), "a.toml:19:9",
                 "one of published, recipe, scaled");
}

TEST(ReadProvenance, RefusesWhatSaysTooLittle) {
  const Error no_scope = fault_of("", "origin = \"figure\"");
  expect_refused(no_scope, "a.toml:14:10", "without a scope");
  EXPECT_NE(no_scope.remedy().find("scope = \"published\""), std::string::npos);
  const Error no_scale = fault_of("", "origin = \"figure\"\nscope = \"scaled\"");
  expect_refused(no_scale, "a.toml:15:9", "without the keys that tell the sizes");
  EXPECT_NE(no_scale.remedy().find("scale = ["), std::string::npos);
  expect_refused(fault_of("origin = \"figure\"\nscope = \"recipe\"", "", "[profile.small]\nscope = \"scaled\"\n"),
                 "a.toml:20:9", "without the keys");
  expect_refused(fault_of("origin = \"figure\"", ""), "a.toml:11", "without a scope");
}

TEST(ReadProvenance, RefusesWhatWouldBeIgnored) {
  expect_refused(fault_of("", "scope = \"recipe\""), "a.toml:14:9", "no meaning for a claim of the lab's own");
  expect_refused(fault_of("scale = [\"network.widht\"]", ""), "a.toml:1:10", "network.width");
}

}  // namespace
}  // namespace atto::read_provenance_test
