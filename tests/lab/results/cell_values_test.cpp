// One number for a cell, its interval, and the keys of a sweep.
#include "lab/results/cell_values.h"

#include <gtest/gtest.h>

#include <cmath>

namespace atto {
namespace {

TEST(CellEstimates, AreTheMedianOrTheShareOfTheSeeds) {
  CellResult cell;
  cell.quantities = {{"thing.present", {{1}, {0}, {1}, {std::nullopt, false, true}}, 0.5},
                     {"thing.step", {{1}, {50, true}, {60, true}, {std::nullopt}}, {}}};
  ObservableSummary& loss = cell.observables.emplace_back();
  loss.address = "loss";
  loss.finals = {{0}, {0}, {1}};  // happens to be 0 or 1, and stays a number
  EXPECT_EQ(cell_value(cell, "thing.present"), 0.5);
  EXPECT_EQ(cell_value(cell, "thing.step"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(cell_value(cell, "loss"), 0);
  EXPECT_FALSE(cell_value(cell, "nothing"));
  EXPECT_EQ(estimate_text(cell_estimate(cell, "thing.step", false)), "> 50 [1, ∞]");
  EXPECT_EQ(samples_text(cell_estimate(cell, "thing.step", false)), "4 seeds, 2 censored, 1 without");
  EXPECT_EQ(estimate_text(cell_estimate(cell, "nothing", true)), "-");
}

TEST(SweptKeys, AreThoseThatDifferIncludingTheBaseValue) {
  std::vector<Cell> cells(3);
  cells[0].overrides = {{"data.vocab", int64_t{20}}, {"network.width", int64_t{2}}};
  cells[0].config.data.vocab = 20;
  cells[0].config.network.width = 2;
  cells[1].overrides = {{"data.vocab", int64_t{5}}, {"network.width", int64_t{2}}};
  cells[1].config.data.vocab = 5;
  cells[1].config.network.width = 2;
  cells[2].overrides = {{"network.width", int64_t{2}}};  // has the vocabulary of the base run
  cells[2].config.data.vocab = 10;
  cells[2].config.network.width = 2;
  const auto keys = swept_keys({&cells[0], &cells[1], &cells[2]});
  ASSERT_EQ(keys.size(), 1u);
  EXPECT_EQ(keys[0].key, "data.vocab");
  EXPECT_EQ(keys[0].values, (std::vector<Value>{int64_t{5}, int64_t{10}, int64_t{20}}));
  EXPECT_EQ(keys[0].index(key_value(cells[2], "data.vocab")), 1u);
  EXPECT_EQ(keys[0].index(int64_t{7}), 3u);
}

}  // namespace
}  // namespace atto
