// docs/examples/parts.toml, a study of nothing but the parts that the guides build: read, trained, observed, judged and
// drawn by the lab like any other.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "lab/figures/figure.h"
#include "lab/results/results.h"
#include "lab/store/store_samples.h"
#include "lab/study/study.h"
#include "lab/sweep/scheduler.h"
#include "places.h"

namespace atto {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(in_source("docs/") + path);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class ExampleStudy : public StoreFolder {};

TEST_F(ExampleStudy, IsTrainedObservedJudgedAndDrawn) {
  Study study = read_study(in_source("docs/examples/parts.toml"), {});
  const std::vector<Cell> cells = expand_cells(study);
  const auto runs = expand_runs(study, cells);
  Store store(path(), Store::Mode::write);
  run_all(study, runs, store, {});
  const StudyResult result = collect(study, cells, runs, store);

  // Observed: the last value is that of the final weights.
  const Recording stored = store.load(runs.front().id);
  const Series* norms = stored.find("embedding.norm");
  ASSERT_NE(norms, nullptr);
  const WeightMatrix& table = stored.weights.front();
  ASSERT_EQ(table.name, "W_E");
  double sum = 0;
  for (int64_t row = 0; row < table.rows; ++row) {
    double square = 0;
    for (int64_t i = 0; i < table.columns; ++i) {
      const auto weight = static_cast<double>(table.values[static_cast<size_t>(row * table.columns + i)]);
      square += weight * weight;
    }
    sum += std::sqrt(square);
  }
  EXPECT_NEAR(norms->values.back(), sum / static_cast<double>(table.rows), 1e-6);

  // Judged: every claim has a verdict from all its seeds.
  ASSERT_EQ(result.claims.size(), 3u);
  for (const ClaimResult& claim : result.claims) {
    EXPECT_EQ(claim.verdict.kind, VerdictKind::supported) << claim.claim.id;
    EXPECT_GT(claim.verdict.seeds, 10) << claim.claim.id;
  }

  // Drawn: a tick for every seed.
  ASSERT_EQ(study.figures.size(), 1u);
  EXPECT_EQ(draw_figure(study.figures.front(), result, store).drawing.marks, runs.size());
}

// A page shows the very file that is built here.
TEST(Guides, ShowTheirExamplesAsTheyAre) {
  const std::pair<const char*, const char*> shown[] = {
      {"adding-a-task.md", "seen_task.cpp"},
      {"adding-an-attention-form.md", "manhattan_attention.cpp"},
      {"adding-a-network-part.md", "squared_relu_mlp.cpp"},
      {"adding-an-optimizer.md", "normalized_optimizer.cpp"},
      {"adding-an-observable.md", "embedding_norm_observable.cpp"},
      {"adding-a-detector.md", "overshoot_detector.cpp"},
      {"adding-a-figure.md", "finals_figure.cpp"},
  };
  for (const auto& [page, file] : shown)
    EXPECT_NE(contents(page).find("```cpp\n" + contents(std::string("examples/") + file) + "```"), std::string::npos)
        << page;
  EXPECT_NE(contents("adding-parts.md").find("```cpp\n" + contents("examples/parts.h") + "```"), std::string::npos);
}

}  // namespace
}  // namespace atto
