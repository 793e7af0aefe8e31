#include "report/assets.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace atto {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

TEST(Assets, ThePageHasAPlaceForEveryPart) {
  for (const char* place : {"{{title}}", "{{style}}", "{{body}}", "{{script}}", "{{licences}}"}) {
    EXPECT_TRUE(contains(assets::page(), place)) << place;
  }
}

TEST(Assets, ThePageAllowsNoScriptOrStyleButItsOwn) {
  const std::string_view page = assets::page();
  const std::string_view policy = page.substr(page.find("Content-Security-Policy"), 600);
  EXPECT_TRUE(contains(policy, "default-src 'none'; script-src 'sha256-"));
  EXPECT_TRUE(contains(policy, "style-src 'sha256-"));
  EXPECT_FALSE(contains(page, "unsafe-"));
}

TEST(Assets, StandWholeInsideTheProgram) {
  EXPECT_GT(assets::script().size(), 100'000u);
  EXPECT_TRUE(contains(assets::script(), "vega"));
  EXPECT_TRUE(contains(assets::style(), "figure"));
  EXPECT_TRUE(contains(assets::licences(), "vega-lite"));
}

TEST(Assets, TheLookHasBothThemes) {
  const auto look = nlohmann::json::parse(assets::look());
  EXPECT_TRUE(look.at("light").is_object());
  EXPECT_TRUE(look.at("dark").is_object());
}

}  // namespace
}  // namespace atto
