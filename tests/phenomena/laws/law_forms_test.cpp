// Power law, exponential or broken power law, on simulated truth.
#include "phenomena/laws/law_forms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace atto {
namespace {

// ln y = law(x) + noise over lengths 16 .. 4096 and three dimensions, `seeds` runs a cell, cut off at ln y = `end`.
LawComparison compare(const std::function<double(double, double)>& log_law, double noise, uint64_t seed, int seeds = 1,
                      double end = 1e300) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::vector<std::array<double, 2>> x;
  std::vector<double> y;
  std::vector<bool> censored;
  std::vector<size_t> cells;
  size_t cell = 0;
  for (double length = 16; length <= 4096; length *= 2) {
    for (const double dimension : {16.0, 32.0, 64.0}) {
      for (int run = 0; run < seeds; ++run) {
        const double time = log_law(length, dimension) + noise * normal(engine);
        x.push_back({std::log(length), std::log(dimension)});
        y.push_back(std::min(time, end));
        censored.push_back(time > end);
        cells.push_back(cell);
      }
      ++cell;
    }
  }
  Eigen::MatrixXd xs(std::ssize(x), 2);
  for (size_t i = 0; i < x.size(); ++i) xs.row(static_cast<Eigen::Index>(i)) << x[i][0], x[i][1];
  return compare_laws({"length", "dimension"}, xs, Eigen::Map<Eigen::VectorXd>(y.data(), std::ssize(y)), censored,
                      cells);
}

double power(double length, double dimension) { return std::log(1.5 * length * std::sqrt(dimension)); }
double exponential(double length, double dimension) { return 2 + length / 800 + dimension / 30; }
double broken(double length, double dimension) {
  return 1 + std::log(length) + 0.5 * std::log(dimension) + 0.6 * std::max(0.0, std::log(length / 256));
}

TEST(LawForms, APowerLawIsSeldomTakenForSomethingElse) {
  int wrong = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) wrong += compare(power, 0.2, seed).preferred != LawKind::power_law;
  EXPECT_LE(wrong, 12) << "of 400";
}

TEST(LawForms, FindsAnExponential) {
  int found = 0;
  for (uint64_t seed = 1; seed <= 50; ++seed)
    found += compare(exponential, 0.1, seed).preferred == LawKind::exponential;
  EXPECT_GE(found, 48);
}

TEST(LawForms, FindsABreakAndItsPlace) {
  int found = 0;
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    const LawComparison laws = compare(broken, 0.1, seed);
    if (laws.preferred != LawKind::broken_power_law) continue;
    ++found;
    EXPECT_EQ(laws.broken->term, "length");
    EXPECT_NEAR(std::log2(laws.broken->at), 8, 1.5);
    EXPECT_NEAR(laws.broken->before, 1, 0.15);
    EXPECT_NEAR(laws.broken->after, 1.6, 0.15);
  }
  EXPECT_GE(found, 48);
}

// The last sizes are cut off: what is seen of them tells against the slow growth of the first ones' power law.
TEST(LawForms, CensoredCellsTakePart) {
  const LawComparison laws = compare(broken, 0.05, 1, 1, broken(1500, 32));
  EXPECT_EQ(laws.preferred, LawKind::broken_power_law);
  EXPECT_NEAR(laws.broken->after, 1.6, 0.2);
}

// Many seeds do not turn the misfit of one cell into evidence: a cell counts once.
TEST(LawForms, SeedsOfACellAreOneObservation) {
  const LawComparison once = compare(power, 0, 1, 1), often = compare(power, 0, 1, 20);
  for (size_t i = 0; i < once.forms.size(); ++i) EXPECT_NEAR(*once.forms[i].aicc, *often.forms[i].aicc, 1e-6);
}

TEST(LawForms, TooFewCellsAreNotCompared) {
  Eigen::MatrixXd x(4, 1);
  x << 1, 2, 3, 4;
  const Eigen::VectorXd y = x.col(0);
  const LawComparison laws = compare_laws({"x"}, x, y, std::vector<bool>(4), {0, 1, 2, 3});
  EXPECT_FALSE(laws.preferred);
  for (const LawForm& form : laws.forms) EXPECT_FALSE(form.aicc);
}

}  // namespace
}  // namespace atto
