// Figures of series of a shape that they cannot draw: refused when the study is read, where the figure stands.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "lab/figures/figure.h"

namespace atto::figure_shapes_test {
namespace {

constexpr const char* kStudy = R"([data]
task = "copy"
context = 3
[training]
steps = 10
[[observe]]
what = ["loss", "perplexity", "embedding", "layer.0.attention.pattern"]
[sweep.grid]
data.vocab = [4, 10]
training.rate = [0.1, 0.01]
)";

// Message and remedy, "" when the study is read.
std::pair<std::string, std::string> complaint(const std::string& kind, const std::string& settings) {
  try {
    parse_study(kStudy + ("[[figure]]\nname = \"one\"\nkind = \"" + kind) + "\"\ntitle = \"One\"\n" + settings,
                "a.toml", {});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    return {error.what(), error.remedy()};
  }
  return {};
}

// The settings of a kind that name a series.
std::vector<std::string> address_settings(const std::string& kind) {
  constexpr std::array kAddresses{"observable", "observables", "right", "typical", "quantity"};
  FigureSettings settings;
  const std::unique_ptr<FigureKind> made = make_figure_kind(kind);
  made->describe(settings);
  std::vector<std::string> keys;
  for (const FigureSettings::Setting& one : settings.all())
    if (std::find(kAddresses.begin(), kAddresses.end(), one.key) != kAddresses.end()) keys.push_back(one.key);
  return keys;
}

// What the setting must not name, and what it needs.
std::pair<std::string, std::string> wrong_for(const std::string& kind, const std::string& key) {
  if (kind == "curves") return {"embedding", "one number or [entries of embedding]"};
  if (key != "observable") return {"embedding", "one number"};
  if (kind == "attention")
    return {"embedding", "[samples][positions][positions] or [samples][heads][positions][positions]"};
  return {"perplexity", "[points][width]"};
}

TEST(FigureShapes, EveryAddressIsRefusedWithAnotherShape) {
  std::vector<std::string> without;  // kinds that name no series
  for (const std::string& kind : figure_kind_names()) {
    const std::vector<std::string> keys = address_settings(kind);
    if (keys.empty()) without.push_back(kind);
    for (const std::string& key : keys) {
      const auto [wrong, need] = wrong_for(kind, key);
      const std::string before = key == "right" ? "observables = \"loss\"\n" : "";
      const auto [message, remedy] = complaint(kind, before + key + " = \"" + wrong + "\"\n");
      EXPECT_TRUE(message.starts_with("a.toml:11:1: the figure 'one': it reads '" + wrong + "', which is "))
          << kind << " " << key << ": " << message;
      EXPECT_TRUE(message.ends_with(" in cell data.vocab=4, training.rate=0.1, not " + need))
          << kind << " " << key << ": " << message;
      EXPECT_TRUE(remedy.starts_with("name an address of that shape, such as '")) << remedy;
    }
  }
  EXPECT_EQ(without, (std::vector<std::string>{"landscape", "law", "specification", "thresholds"}));
}

TEST(FigureShapes, WhatFitsIsDrawn) {
  EXPECT_EQ(complaint("curves", "observables = [\"loss\"]\nright = [\"perplexity\"]\n").first, "");
  EXPECT_EQ(complaint("points", "observable = \"embedding\"\ntypical = \"loss\"\n").first, "");
  EXPECT_EQ(complaint("trajectories", "").first, "");
  EXPECT_EQ(complaint("attention", "").first, "");
  for (const char* kind : {"distribution", "phase", "summary"})
    EXPECT_EQ(complaint(kind, "quantity = \"perplexity\"\n").first, "") << kind;
}

}  // namespace
}  // namespace atto::figure_shapes_test
