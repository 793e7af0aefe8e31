// Series that are stored, and those that are computed from them.
#include "lab/results/recordings.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "lab/results/results.h"
#include "lab/store/store_samples.h"

namespace atto::recordings_test {
namespace {

class RecordingsTest : public StoreFolder {
 protected:
  RecordingsTest() : store_(path(), Store::Mode::write) {
    study_.name = "derived";
    config_.data.vocab = 8;
    recording_.steps_done = 30;
    recording_.best_loss = 0.5;
    recording_.series = {{"loss", {}, {0, 10, 20, 30}, {4, 3, 2, 1}},
                         {"accuracy", {}, {0, 20, 30}, {0, 0.5, 1}},
                         {"W", {2, 2}, {0, 30}, {1, 0, 0, 2, 3, 0, 0, -4}}};
    save("one", recording_);
  }
  void save(const std::string& id, const Recording& recording) { store_.save({{id, "{}", 1, 1, recording, 0.1}}); }
  void quantity(const std::string& name, const std::string& is) { study_.quantities.push_back({name, Expression(is)}); }
  Recording load(const std::vector<std::string>& addresses) {
    return load_series({study_, store_, config_}, "one", addresses);
  }
  Series series(const std::string& address) { return *load({address}).find(address); }

  Store store_;
  Study study_;
  RunConfig config_;
  Recording recording_;
};

TEST_F(RecordingsTest, AQuantityIsASeries) {
  quantity("excess", "loss - best_loss");
  quantity("share", "excess / data.vocab");
  const Series excess = series("excess");
  EXPECT_EQ(excess.shape, Shape{});
  EXPECT_EQ(excess.steps, (std::vector<int64_t>{0, 10, 20, 30}));
  EXPECT_EQ(excess.values, (std::vector<double>{3.5, 2.5, 1.5, 0.5}));
  EXPECT_EQ(series("share").values, (std::vector<double>{3.5 / 8, 2.5 / 8, 1.5 / 8, 0.5 / 8}));
}

TEST_F(RecordingsTest, ItHasTheStepsThatAllItsInputsHave) {
  quantity("product", "loss * accuracy");
  const Series product = series("product");
  EXPECT_EQ(product.steps, (std::vector<int64_t>{0, 20, 30}));
  EXPECT_EQ(product.values, (std::vector<double>{0, 1, 1}));
  quantity("norm_by_loss", "norm(W) / loss");
  EXPECT_EQ(series("norm_by_loss").steps, (std::vector<int64_t>{0, 30}));
  EXPECT_EQ(series("norm_by_loss").values, (std::vector<double>{std::sqrt(5.0) / 4, 5}));
  quantity("constant", "2 * data.vocab");
  EXPECT_EQ(series("constant").steps, (std::vector<int64_t>{30}));
  EXPECT_EQ(series("constant").values, (std::vector<double>{16}));
}

TEST_F(RecordingsTest, VectorsAndMatricesAreSeriesToo) {
  quantity("spectrum", "singular_values(W)");
  const Series spectrum = series("spectrum");
  EXPECT_EQ(spectrum.shape, Shape{2});
  const std::vector<double> expected{2, 1, 4, 3};
  ASSERT_EQ(spectrum.values.size(), 4u);
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(spectrum.values[i], expected[i], 1e-14);
  EXPECT_EQ(entry_address("spectrum", 1), "spectrum[1]");
  const Series second = series("spectrum[1]");
  EXPECT_EQ(second.shape, Shape{});
  EXPECT_EQ(second.steps, spectrum.steps);
  EXPECT_EQ(second.values, (std::vector<double>{spectrum.values[1], spectrum.values[3]}));
  EXPECT_THROW(series("spectrum[2]"), Error);
  quantity("square", "W * W'");
  EXPECT_EQ(series("square").values, (std::vector<double>{1, 0, 0, 4, 9, 0, 0, 16}));
  const std::vector<Series> all = series_of({study_, store_, config_}, "one");
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[3].address, "spectrum");
  EXPECT_EQ(all[3].shape, Shape{2});
  EXPECT_EQ(all[4].shape, (Shape{2, 2}));
}

TEST_F(RecordingsTest, NothingElseIsLoaded) {
  quantity("excess", "loss - best_loss");
  quantity("share", "excess / 2");
  const Recording recording = load({"share", "accuracy"});
  ASSERT_EQ(recording.series.size(), 2u);
  EXPECT_NE(recording.find("share"), nullptr);
  EXPECT_NE(recording.find("accuracy"), nullptr);
  EXPECT_EQ(recording.best_loss, 0.5);
  EXPECT_THROW(load({"unknown"}), Error);
}

// Claims, fits and divisors speak of quantities and of observables alike.
TEST_F(RecordingsTest, ClaimsSpeakOfTheLastValue) {
  quantity("excess", "loss - best_loss");
  quantity("gone", "ln(loss - 2)");
  for (const double factor : {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0}) {
    Recording other = recording_;
    for (double& value : other.series[0].values) value *= factor;
    save("run" + std::to_string(static_cast<int>(factor)), other);
  }
  Cell cell{{}, config_, 7};
  std::vector<atto::Run> runs;
  for (int64_t seed = 0; seed < 7; ++seed) runs.push_back({0, seed, config_, "run" + std::to_string(seed + 1)});
  for (const auto& [quantity, relative_to] : std::initializer_list<std::pair<const char*, const char*>>{
           {"excess", ""}, {"excess", "loss"}, {"loss", "excess"}, {"excess", "data.vocab"}, {"gone", ""}}) {
    Claim claim;
    claim.id = quantity;
    claim.quantity = quantity;
    claim.relative_to = relative_to;
    claim.low = 0;
    claim.high = 10;
    study_.claims.push_back(claim);
  }
  const StudyResult result = collect(study_, {cell}, runs, store_);
  EXPECT_EQ(result.claims[0].verdict.estimate, 3.5);
  EXPECT_EQ(result.claims[1].verdict.estimate, 0.875);
  EXPECT_EQ(result.claims[2].verdict.estimate, 4 / 3.5);
  EXPECT_EQ(result.claims[3].verdict.estimate, 3.5 / 8);
  EXPECT_EQ(result.claims[4].verdict.missing, 2) << "the logarithms of -1 and 0";
  const ObservableSummary* summary = find_observable(result.cells[0], "excess");
  ASSERT_NE(summary, nullptr);
  EXPECT_EQ(summary->first, 15.5);
  EXPECT_EQ(summary->median, 3.5);
}

}  // namespace
}  // namespace atto::recordings_test
