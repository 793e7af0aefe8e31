// From cells to fitted laws, verdicts on them, and diagnoses.
#include <gtest/gtest.h>

#include <cmath>

#include "lab/results/results_json.h"

namespace atto {
namespace {

// The time is 3 · vocab^1.5 · context^-1 exactly, in runs of cells vocab × context.
StudyResult simulated() {
  StudyResult result;
  result.study.name = "simulated";
  Fit fit;
  fit.name = "law";
  fit.quantity = "learnt.step";
  fit.terms = {{"vocabulary", Expression("data.vocab")}, {"length", Expression("2 * data.context")}};
  fit.where = {{"network.width", int64_t{2}}};
  fit.expected = {{"vocabulary", 1.0}};
  result.study.fits = {fit};
  for (const int64_t vocab : {4, 16, 64}) {
    for (const int64_t context : {2, 8, 32}) {
      for (const int64_t width : {2, 3}) {
        CellResult& cell = result.cells.emplace_back();
        cell.cell.overrides = {{"data.vocab", vocab}, {"data.context", context}, {"network.width", width}};
        cell.cell.config.data.vocab = vocab;
        cell.cell.config.data.context = context;
        cell.cell.config.network.width = width;
        const double time = 3 * std::pow(vocab, 1.5) / (2.0 * static_cast<double>(context));
        cell.seeds = 2;
        cell.runs = {{"a", 1, false}, {"b", 2, false}};
        cell.quantities = {{"learnt.step", {{time}, {time * (width == 2 ? 1 : 50)}}, {}}};
      }
    }
  }
  return result;
}

Claim claim(const std::string& quantity, double low, double high) {
  Claim one;
  one.id = quantity;
  one.quantity = quantity;
  one.statistic = Statistic::fit;
  one.low = low;
  one.high = high;
  return one;
}

TEST(ResultFits, TakesTheCellsItNames) {
  const StudyResult result = simulated();
  const FitResult fit = fit_cells(result.study.fits[0], result.cells);
  ASSERT_EQ(fit.law.obstacle, "");
  EXPECT_EQ(fit.law.runs, 18);  // those of width 2
  EXPECT_EQ(fit.law.cells, 9);
  EXPECT_NEAR(fit.law.exponents[0].exponent.estimate, 1.5, 1e-9);
  EXPECT_NEAR(fit.law.exponents[1].exponent.estimate, -1, 1e-9);
  EXPECT_NEAR(fit.law.constant.estimate, 3, 1e-9);
  ASSERT_EQ(fit.diagnoses.size(), 1u);
  EXPECT_EQ(fit.diagnoses[0].name, "off theory");
  EXPECT_NE(fit.diagnoses[0].signature.find("training.optimizer = adam"), std::string::npos);
}

TEST(ResultFits, JudgesEachOfItsNumbers) {
  StudyResult result = simulated();
  result.cells[0].quantities[0].outcomes[0].censored = true;
  result.cells[2].quantities[0].outcomes[0] = {std::nullopt, false, true};
  result.cells[4].quantities[0].outcomes[0] = {0};
  const FitResult fit = fit_cells(result.study.fits[0], result.cells);
  const Verdict exponent = judge_fit(claim("law.exponent.vocabulary", 1.4, 1.6), fit);
  EXPECT_EQ(exponent.kind, VerdictKind::inconclusive) << "two runs without a time could lie anywhere";
  EXPECT_EQ(exponent.reason, OpenReason::unknown);
  EXPECT_EQ(exponent.note, "2 runs without a time could lie anywhere; without them it would be supported");
  EXPECT_EQ(exponent.seeds, 18);
  EXPECT_EQ(exponent.censored, 1);
  EXPECT_EQ(exponent.diverged, 1);
  EXPECT_EQ(exponent.missing, 1);
  EXPECT_EQ(judge_fit(claim("law.exponent.vocabulary", -5, 10), fit).note,
            "2 runs without a time could lie anywhere, which changes nothing");
  result = simulated();
  result.cells[0].quantities[0].outcomes[0].censored = true;
  const FitResult known = fit_cells(result.study.fits[0], result.cells);
  EXPECT_EQ(judge_fit(claim("law.exponent.vocabulary", 1.4, 1.6), known).kind, VerdictKind::supported);
  EXPECT_EQ(judge_fit(claim("law.exponent.length", 0, 1), known).kind, VerdictKind::refuted);
  EXPECT_EQ(judge_fit(claim("law.constant", 2.9, 3.1), known).kind, VerdictKind::supported);
  EXPECT_EQ(judge_fit(claim("law.r2", 0.99, 1), known).kind, VerdictKind::supported);
}

// Runs that are in both fits count once, and numbers of one fit are compared by one bootstrap.
TEST(ResultFits, ComparesNumbersOfOneFit) {
  StudyResult result = simulated();
  for (size_t i = 0; i < result.cells.size(); ++i)
    for (Outcome& time : result.cells[i].quantities[0].outcomes) *time.value *= 1 + 0.1 * static_cast<double>(i % 5);
  const FitResult fit = fit_cells(result.study.fits[0], result.cells);
  Claim more = claim("law.exponent.vocabulary", 0, 10);
  more.with = "law.exponent.length";
  const Verdict verdict = judge_fits(more, fit, fit);
  EXPECT_EQ(verdict.kind, VerdictKind::supported);
  EXPECT_EQ(verdict.seeds, 18) << "not 36";
  EXPECT_EQ(verdict.cells, 9);
  EXPECT_NEAR(*verdict.estimate, fit.law.exponents[0].exponent.estimate - fit.law.exponents[1].exponent.estimate,
              1e-12);
  more.with = "law.exponent.vocabulary";
  EXPECT_EQ(*judge_fits(more, fit, fit).high, 0) << "a number against itself";
  Claim r2 = claim("law.r2", -0.1, 0.1);
  r2.with = "law.r2";
  EXPECT_LT(*judge_fits(r2, fit, fit).low, 0);
  r2.compare = Comparison::ratio;
  const Verdict ratio = judge_fits(r2, fit, fit);
  EXPECT_EQ(*ratio.estimate, 1);
  EXPECT_LT(*ratio.low, 1);
  EXPECT_NEAR(*ratio.low * *ratio.high, 1, 1e-12) << "alike to both sides";
}

// The error of a decision about a fit comes from Student's t: few cells have wide tails.
TEST(ResultFits, TheErrorKnowsHowFewCellsThereAre) {
  Claim positive = claim("law.exponent.vocabulary", 0, 10);
  Verdict verdict;
  verdict.kind = VerdictKind::supported;
  verdict.estimate = 2;
  verdict.low = 1;  // half of the way to the edge
  verdict.high = 3;
  complete_from_interval(positive, {}, 3, verdict);
  EXPECT_NEAR(*verdict.error, 0.0078, 0.0005) << "not 0.00009, which a normal distribution would give";
  complete_from_interval(positive, {}, 1e6, verdict);
  EXPECT_NEAR(*verdict.error, 0.00009, 0.00001);
}

TEST(ResultFits, ALawThatCannotBeFittedIsInconclusiveAndSaysWhy) {
  StudyResult result = simulated();
  for (CellResult& cell : result.cells)
    for (Outcome& time : cell.quantities[0].outcomes) time.censored = true;
  const FitResult fit = fit_cells(result.study.fits[0], result.cells);
  const Verdict verdict = judge_fit(claim("law.r2", 0.99, 1), fit);
  EXPECT_EQ(verdict.kind, VerdictKind::inconclusive);
  EXPECT_FALSE(verdict.estimate || verdict.low || verdict.high);
  EXPECT_EQ(verdict.censored, 18);
  EXPECT_NE(verdict.note.find("18 runs ended too early"), std::string::npos) << verdict.note;
}

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> list;
  for (const auto& [key, value] : object.items()) list.push_back(key);
  return list;
}

TEST(ResultFits, JsonHasTheSameKeysWhetherFittedOrNot) {
  StudyResult result = simulated();
  result.fits = {fit_cells(result.study.fits[0], result.cells)};
  result.claims = {
      {claim("law.exponent.length", -2, 0), "simulated", judge_fit(claim("law.r2", 0, 1), result.fits[0]), {}, {}},
      {Claim{}, "simulated", {}, {}, {}}};
  const Json fits = fits_json(result);
  ASSERT_EQ(fits.size(), 1u);
  for (const char* key : {"name", "quantity", "terms", "constant", "exponents", "r2", "decades", "preferred", "runs",
                          "censored", "diverged", "missing", "obstacle", "diagnosis"})
    EXPECT_TRUE(fits[0].contains(key)) << key;
  EXPECT_EQ(fits[0]["terms"]["length"], "2 * data.context");
  EXPECT_EQ(keys(fits[0]["exponents"]["length"]),
            (std::vector<std::string>{"estimate", "low", "high", "decades", "left_out", "expected"}));
  EXPECT_EQ(fits[0]["exponents"]["vocabulary"]["expected"], 1.0);
  EXPECT_TRUE(fits[0]["exponents"]["length"]["expected"].is_null());

  const Json cells = cells_json(result);
  ASSERT_EQ(cells.size(), 18u);
  EXPECT_EQ(cells[0]["fits"], fits);           // width 2
  EXPECT_EQ(cells[1]["fits"], Json::array());  // width 3: not in the fit
  EXPECT_EQ(cells[0]["diagnosis"], Json::array());
  const Json verdicts = verdicts_json(result);
  EXPECT_EQ(verdicts[0]["fit"], fits[0]);
  EXPECT_TRUE(verdicts[1]["fit"].is_null());
  EXPECT_EQ(keys(verdicts[0]), keys(verdicts[1]));

  for (CellResult& cell : result.cells)
    for (Outcome& time : cell.quantities[0].outcomes) time.censored = true;
  result.fits = {fit_cells(result.study.fits[0], result.cells)};
  const Json none = fits_json(result);
  EXPECT_EQ(keys(none[0]), keys(fits[0]));
  EXPECT_TRUE(none[0]["r2"].is_null());
}

TEST(ResultFits, CellsAreDiagnosedFromWhatTheyObserved) {
  Study study;
  study.phenomena = {{"sticky", make_detector("plateau"), "plateau"}};
  CellResult cell;
  cell.seeds = 4;
  cell.cell.config.data.context = 16;
  cell.quantities = {{"sticky.present", {{0.0}, {0.0}, {0.0}, {0.0}}, 0.0}};
  ObservableSummary entropy, loss, test;
  entropy.address = "layer.0.attention.entropy";
  entropy.first = 0.4 * std::log(16);
  loss.address = "loss";
  loss.first = 2;
  loss.median = 0.1;
  test.address = "loss.test";
  test.first = test.median = 2;
  cell.observables = {entropy, loss, test};
  const std::vector<Diagnosis> found = diagnose_cell(study, cell);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "no plateau");
  EXPECT_NE(found[0].signature.find("0.4 of the entropy"), std::string::npos) << found[0].signature;
  EXPECT_EQ(found[1].name, "shortcut");
}

}  // namespace
}  // namespace atto
