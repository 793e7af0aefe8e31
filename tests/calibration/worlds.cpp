#include "calibration/worlds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace atto::calibration {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

double normal(Random& random) { return std::normal_distribution<double>()(random); }
bool coin(Random& random, double share) { return std::bernoulli_distribution(share)(random); }

Outcome seen(double time, double end) { return time <= end ? Outcome{time} : Outcome{end, true}; }
Outcome yes_or_no(bool yes) { return {yes ? 1.0 : 0.0}; }

// A cell with these keys whose runs have these quantities.
CellResult cell_of(Overrides keys, std::vector<QuantitySummary> quantities) {
  CellResult cell;
  for (const auto& [key, value] : keys) run_schema().at(key).set(cell.cell.config, value);
  cell.cell.overrides = std::move(keys);
  cell.seeds = std::ssize(quantities.front().outcomes);
  for (int64_t seed = 0; seed < cell.seeds; ++seed) cell.runs.push_back({"", seed, false});
  cell.quantities = std::move(quantities);
  return cell;
}

Overrides vocab(int64_t value) { return {{"data.vocab", value}}; }

Claim about(Statistic statistic) {
  Claim claim;
  claim.id = "simulated";
  claim.quantity = "a.value";
  claim.statistic = statistic;
  return claim;
}

Claim against(Statistic statistic, Comparison compare) {
  Claim claim = about(statistic);
  claim.where = vocab(4);
  claim.against = vocab(8);
  claim.compare = compare;
  return claim;
}

using DrawRun = std::function<Outcome(Random&)>;
using DrawPair = std::function<std::pair<Outcome, Outcome>(Random&)>;

// One cell of independent runs.
auto alone(DrawRun draw) {
  return [draw](Random& random, int64_t runs) {
    Outcomes list;
    for (int64_t i = 0; i < runs; ++i) list.push_back(draw(random));
    return std::vector{cell_of(vocab(4), {{"a.value", list, {}}})};
  };
}

// Two cells whose runs of the same seed are drawn together.
auto two_cells(DrawPair draw) {
  return [draw](Random& random, int64_t runs) {
    Outcomes first, second;
    for (int64_t i = 0; i < runs; ++i) {
      const auto [a, b] = draw(random);
      first.push_back(a);
      second.push_back(b);
    }
    return std::vector{cell_of(vocab(4), {{"a.value", first, {}}}), cell_of(vocab(8), {{"a.value", second, {}}})};
  };
}

// Cells whose runs have two quantities. Cells share their seeds: with one luck in all of them they have the same runs.
auto two_quantities(DrawPair draw, int64_t cells, bool one_luck = false) {
  return [draw, cells, one_luck](Random& random, int64_t runs) {
    std::vector<CellResult> list;
    for (int64_t c = 0; c < cells; ++c) {
      Outcomes first, second;
      for (int64_t i = 0; i < runs; ++i) {
        const auto [a, b] = draw(random);
        first.push_back(a);
        second.push_back(b);
      }
      if (one_luck && c > 0) {
        first = list.front().quantities[0].outcomes;
        second = list.front().quantities[1].outcomes;
      }
      list.push_back(cell_of(vocab(4 + c), {{"a.value", first, {}}, {"b.value", second, {}}}));
    }
    return list;
  };
}

double time_of(Random& random, double deviation) { return std::exp(deviation * normal(random)); }

void add_shares(std::vector<World>& all) {
  const auto share = [&](double p, const std::string& what, double missing) {
    all.push_back({"share", what, about(Statistic::rate), p, 16, 128, false, {}, alone([=](Random& random) {
                     const bool yes = coin(random, p);
                     return coin(random, missing) ? Outcome{} : yes_or_no(yes);
                   })});
  };
  share(0.5, "p = 0.5", 0);
  share(0.1, "p = 0.1", 0);
  share(0.97, "p = 0.97", 0);
  share(0.3, "p = 0.3, 3 % of the runs without an answer", 0.03);
  Claim by = about(Statistic::rate);
  by.by = 1.3;
  all.push_back({"share by a step",
                 "one run in ten ends before the step",
                 by,
                 0.5 * std::erfc(-std::log(1.3) / 0.5 / std::numbers::sqrt2),
                 16,
                 128,
                 false,
                 {},
                 alone([](Random& random) { return seen(time_of(random, 0.5), coin(random, 0.1) ? 0.9 : 3); })});
}

void add_medians(std::vector<World>& all) {
  const auto median = [&](const std::string& what, double truth, DrawRun draw) {
    all.push_back({"median", what, about(Statistic::median), truth, 16, 128, false, {}, alone(std::move(draw))});
  };
  median("a third of the runs cut off", 1, [](Random& random) { return seen(time_of(random, 0.5), 1.24); });
  median("slow runs lose the quantity", 1, [](Random& random) {
    const double time = time_of(random, 0.5);
    return coin(random, time > 1.3 ? 0.3 : 0.02) ? Outcome{} : Outcome{time};
  });
  // 55 % at about 1 and 45 % at about 10: the median is the 0.5/0.55 quantile of the first kind, far in its tail.
  median("two kinds of run", std::exp(0.2 * normal_quantile(0.5 / 0.55)),
         [](Random& random) { return Outcome{(coin(random, 0.45) ? 100 : 1) * time_of(random, 0.2)}; });
  Claim mean = about(Statistic::mean);
  all.push_back({"mean", "normal values", mean, 0, 16, 64, false, {}, alone([](Random& random) {
                   return Outcome{normal(random)};
                 })});
  all.push_back(
      {"mean", "skewed values (log-normal, 0.5)", mean, std::exp(0.125), 16, 64, false, {}, alone([](Random& random) {
         return Outcome{time_of(random, 0.5)};
       })});
}

void add_comparisons(std::vector<World>& all) {
  all.push_back(
      {"paired difference of medians",
       "seeds shared, a quarter cut off",
       against(Statistic::median, Comparison::difference),
       0.3,
       16,
       96,
       false,
       {},
       two_cells([](Random& random) {
         const double start = 2 + normal(random);
         return std::pair{seen(start + 0.3 + 0.5 * normal(random), 3.2), seen(start + 0.5 * normal(random), 3.2)};
       })});
  all.push_back(
      {"paired ratio of medians",
       "seeds shared, a quarter cut off",
       against(Statistic::median, Comparison::ratio),
       1.5,
       16,
       96,
       false,
       {},
       two_cells([](Random& random) {
         const double shared = time_of(random, 0.8);
         return std::pair{seen(1.5 * shared * time_of(random, 0.2), 3), seen(shared * time_of(random, 0.2), 3)};
       })});
  all.push_back({"paired difference of shares",
                 "0.7 against 0.54",
                 against(Statistic::rate, Comparison::difference),
                 0.16,
                 16,
                 96,
                 false,
                 {},
                 two_cells([](Random& random) {
                   const double luck = std::uniform_real_distribution<double>()(random);
                   const bool agrees = coin(random, 0.8);
                   const bool second = agrees ? luck < 0.55 : coin(random, 0.5);
                   return std::pair{yes_or_no(luck < 0.7), yes_or_no(second)};
                 })});
  Claim unpaired = against(Statistic::median, Comparison::difference);
  unpaired.paired = false;
  all.push_back({"unpaired difference of medians",
                 "1.5 against 1, a fifth cut off",
                 unpaired,
                 0.5,
                 16,
                 48,
                 true,
                 {},
                 two_cells([](Random& random) {
                   return std::pair{seen(1.5 * time_of(random, 0.3), 1.9), seen(time_of(random, 0.3), 1.9)};
                 })});
  Claim unpaired_ratio = unpaired;
  unpaired_ratio.compare = Comparison::ratio;
  all.push_back({"unpaired ratio of medians",
                 "1.5 against 1, where a third is missing",
                 unpaired_ratio,
                 1.5,
                 16,
                 48,
                 true,
                 {},
                 two_cells([](Random& random) {
                   const Outcome second{time_of(random, 0.3)};
                   return std::pair{Outcome{1.5 * time_of(random, 0.3)}, coin(random, 0.33) ? Outcome{} : second};
                 })});
  Claim rates = against(Statistic::rate, Comparison::difference);
  rates.paired = false;
  const auto independent_rates = [](Random& random) {
    return std::pair{yes_or_no(coin(random, 0.7)), yes_or_no(coin(random, 0.5))};
  };
  all.push_back({"unpaired difference of shares",
                 "0.7 against 0.5",
                 rates,
                 0.2,
                 16,
                 96,
                 false,
                 {},
                 two_cells(independent_rates)});
  Claim ratio = rates;
  ratio.compare = Comparison::ratio;
  all.push_back({"ratio of shares", "0.7 against 0.5", ratio, 1.4, 16, 96, false, {}, two_cells(independent_rates)});
  Claim than = against(Statistic::median, Comparison::difference);
  than.than = Contrast{vocab(16), vocab(32)};
  all.push_back({"difference of differences",
                 "`than`, seeds shared by four cells",
                 than,
                 0.4,
                 16,
                 96,
                 false,
                 {},
                 [](Random& random, int64_t runs) {
                   std::vector<Outcomes> cells(4);
                   for (int64_t i = 0; i < runs; ++i) {
                     const double start = normal(random);
                     const double effects[] = {0.6, 0, 0.2, 0};
                     for (size_t c = 0; c < 4; ++c) cells[c].push_back({start + effects[c] + 0.5 * normal(random)});
                   }
                   std::vector<CellResult> list;
                   for (size_t c = 0; c < 4; ++c)
                     list.push_back(cell_of(vocab(int64_t{4} << c), {{"a.value", cells[c], {}}}));
                   return list;
                 }});
}

void add_conditions(std::vector<World>& all) {
  Claim given = about(Statistic::median);
  given.given = "c.present";
  // Slow runs show it more often; of one run in twenty nobody knows.
  all.push_back({"median with `given`",
                 "two thirds meet it, 5 % unknown",
                 given,
                 1,
                 24,
                 128,
                 false,
                 {},
                 [](Random& random, int64_t runs) {
                   Outcomes values, conditions;
                   for (int64_t i = 0; i < runs; ++i) {
                     const bool inside = coin(random, 0.67);
                     values.push_back({(inside ? 1 : 5) * time_of(random, 0.5)});
                     conditions.push_back(coin(random, 0.05) ? Outcome{} : yes_or_no(inside));
                   }
                   return std::vector{cell_of(vocab(4), {{"a.value", values, {}}, {"c.present", conditions, {}}})};
                 }});
  const auto cells_that_differ = [](double spread) {
    return [spread](Random& random, int64_t runs) {
      std::vector<CellResult> list;
      for (int64_t c = 0; c < 12; ++c) {
        const double centre = spread * normal(random);
        Outcomes values;
        for (int64_t i = 0; i < runs; ++i) values.push_back({centre + 0.5 * normal(random)});
        list.push_back(cell_of(vocab(4 + c), {{"a.value", values, {}}}));
      }
      return list;
    };
  };
  Claim cells = about(Statistic::median);
  cells.pool = Pool::cells;
  all.push_back({"median over cells",
                 "`pool = \"cells\"`, 12 cells that differ",
                 cells,
                 0,
                 16,
                 36,
                 true,
                 {},
                 cells_that_differ(1)});
  // Half of the variance of a run is the luck of its seed, the same in all cells.
  all.push_back({"median over cells",
                 "the same cells, whose seeds have the same luck in all",
                 cells,
                 0,
                 16,
                 36,
                 true,
                 {},
                 [](Random& random, int64_t runs) {
                   std::vector<double> luck;
                   for (int64_t i = 0; i < runs; ++i) luck.push_back(normal(random));
                   std::vector<CellResult> list;
                   for (int64_t c = 0; c < 12; ++c) {
                     const double centre = 0.1 * normal(random);
                     Outcomes values;
                     for (const double one : luck) values.push_back({centre + one + normal(random)});
                     list.push_back(cell_of(vocab(4 + c), {{"a.value", values, {}}}));
                   }
                   return list;
                 }});
  // Luck of two kinds, and the same in all cells: slow seeds are slow everywhere.
  constexpr double kSlow = 0.42;
  all.push_back({"median over cells",
                 "12 cells, two kinds of seed, each the same in all cells",
                 cells,
                 0.1 * std::numbers::sqrt2 * normal_quantile(0.5 / (1 - kSlow)),
                 16,
                 36,
                 true,
                 {},
                 [](Random& random, int64_t runs) {
                   std::vector<double> luck;
                   for (int64_t i = 0; i < runs; ++i)
                     luck.push_back((coin(random, kSlow) ? 10 : 0) + 0.1 * normal(random));
                   std::vector<CellResult> list;
                   for (int64_t c = 0; c < 12; ++c) {
                     Outcomes values;
                     for (const double one : luck) values.push_back({one + 0.1 * normal(random)});
                     list.push_back(cell_of(vocab(4 + c), {{"a.value", values, {}}}));
                   }
                   return list;
                 }});
  Claim shares = about(Statistic::rate);
  shares.pool = Pool::cells;
  all.push_back(
      {"share over cells", "12 cells, p = 0.97", shares, 0.97, 8, 36, false, {}, [](Random& random, int64_t runs) {
         std::vector<CellResult> list;
         for (int64_t c = 0; c < 12; ++c) {
           Outcomes values;
           for (int64_t i = 0; i < runs; ++i) values.push_back(yes_or_no(coin(random, 0.97)));
           list.push_back(cell_of(vocab(4 + c), {{"a.value", values, {}}}));
         }
         return list;
       }});
  all.push_back({"median in every cell",
                 "`pool = \"every\"`, 12 cells alike",
                 about(Statistic::median),
                 0,
                 16,
                 54,
                 false,
                 {},
                 cells_that_differ(0)});
  Claim tuned = about(Statistic::median);
  tuned.tune = "training.rate";
  all.push_back({"tuned median",
                 "the best of four rates that are all the same",
                 tuned,
                 1,
                 24,
                 96,
                 false,
                 {},
                 [](Random& random, int64_t runs) {
                   std::vector<CellResult> list;
                   for (const double rate : {0.01, 0.02, 0.05, 0.1}) {
                     Outcomes values;
                     for (int64_t i = 0; i < runs; ++i) values.push_back({time_of(random, 0.5)});
                     list.push_back(cell_of({{"training.rate", rate}}, {{"a.value", values, {}}}));
                   }
                   return list;
                 }});
}

// Nine cells of two sizes. The second law's exponent of the vocabulary is larger by 0.25.
auto law_cells(double cell_error, double run_error, double end, bool second) {
  return [=](Random& random, int64_t runs) {
    std::vector<CellResult> list;
    for (const int64_t size : {4, 16, 64})
      for (const int64_t context : {2, 8, 32}) {
        const double shared = cell_error * normal(random);
        for (const int64_t width : {2, 3}) {
          if (width == 3 && !second) continue;
          Outcomes times;
          for (int64_t i = 0; i < runs; ++i) {
            const double exponent = width == 3 ? 1.25 : 1.0;
            const double time = 10 * std::pow(static_cast<double>(size), exponent) *
                                std::sqrt(static_cast<double>(context)) * std::exp(shared + run_error * normal(random));
            times.push_back(seen(time, end));
          }
          list.push_back(cell_of({{"data.vocab", size}, {"data.context", context}, {"network.width", width}},
                                 {{"a.value", times, {}}}));
        }
      }
    return list;
  };
}

Fit law(const std::string& name, int64_t width) {
  Fit fit;
  fit.name = name;
  fit.quantity = "a.value";
  fit.terms = {{"vocab", Expression("data.vocab")}, {"context", Expression("data.context")}};
  fit.where = {{"network.width", width}};
  return fit;
}

void add_fits(std::vector<World>& all) {
  Claim exponent = about(Statistic::fit);
  exponent.quantity = "law.exponent.vocab";
  all.push_back({"exponent of a fit",
                 "9 cells, errors of runs",
                 exponent,
                 1,
                 4,
                 9,
                 true,
                 {law("law", 2)},
                 law_cells(0, 0.3, kInf, false)});
  all.push_back({"exponent of a fit",
                 "9 cells, errors of cells and runs",
                 exponent,
                 1,
                 4,
                 9,
                 true,
                 {law("law", 2)},
                 law_cells(0.2, 0.3, kInf, false)});
  all.push_back({"exponent of a fit",
                 "9 cells, a fifth of the runs cut off",
                 exponent,
                 1,
                 4,
                 6,
                 true,
                 {law("law", 2)},
                 law_cells(0, 0.3, 1500, false)});
  Claim with = exponent;
  with.with = "other.exponent.vocab";
  with.compare = Comparison::difference;
  all.push_back({"`with` of two fits",
                 "cells share an error of 0.3",
                 with,
                 -0.25,
                 4,
                 6,
                 true,
                 {law("law", 2), law("other", 3)},
                 law_cells(0.3, 0.2, kInf, true)});
  with.with = "law.exponent.context";
  all.push_back({"`with` of one fit",
                 "two exponents of it",
                 with,
                 0.5,
                 4,
                 6,
                 true,
                 {law("law", 2)},
                 law_cells(0.2, 0.2, kInf, false)});
}

void add_pairs(std::vector<World>& all) {
  Claim correlation = about(Statistic::correlation);
  correlation.with = "b.value";
  const auto related = [](double r) {
    return [r](Random& random) {
      const double x = normal(random);
      return std::pair{std::exp(x), r * x + std::sqrt(1 - r * r) * normal(random)};
    };
  };
  const auto rho = [](double r) { return 6 / std::numbers::pi * std::asin(r / 2); };
  const auto plain = [related](double r) {
    return [draw = related(r)](Random& random) {
      const auto [x, y] = draw(random);
      return std::pair{Outcome{x}, Outcome{y}};
    };
  };
  all.push_back(
      {"correlation", "0.6, one cell", correlation, rho(0.6), 16, 81, false, {}, two_quantities(plain(0.6), 1)});
  all.push_back(
      {"correlation", "0.8, eight cells", correlation, rho(0.8), 8, 18, false, {}, two_quantities(plain(0.8), 8)});
  all.push_back({"correlation",
                 "0.6, eight cells whose seeds have the same luck",
                 correlation,
                 rho(0.6),
                 16,
                 36,
                 false,
                 {},
                 two_quantities(plain(0.6), 8, true)});
  all.push_back({"correlation",
                 "0.95, sixteen cells",
                 correlation,
                 rho(0.95),
                 8,
                 18,
                 false,
                 {},
                 two_quantities(plain(0.95), 16)});
  all.push_back({"correlation",
                 "0.6, a fifth cut off, 3 % missing",
                 correlation,
                 rho(0.6),
                 24,
                 81,
                 false,
                 {},
                 two_quantities(
                     [draw = related(0.6)](Random& random) {
                       const auto [x, y] = draw(random);
                       return std::pair{coin(random, 0.03) ? Outcome{} : seen(x, 2.3), Outcome{y}};
                     },
                     1)});
  Claim coincidence = about(Statistic::coincidence);
  coincidence.with = "b.value";
  coincidence.within = 0.1;
  // Half of the pairs are the same event; the others are independent, and meet with probability q.
  const double reach = std::log(1.1) / (0.3 * std::numbers::sqrt2);
  const double q = std::erf(reach / std::numbers::sqrt2);
  const auto half = [](double missing) {
    return [missing](Random& random) {
      const double a = time_of(random, 0.3), b = coin(random, 0.5) ? a : time_of(random, 0.3);
      return std::pair{coin(random, missing) ? Outcome{} : Outcome{100 * a}, Outcome{100 * b}};
    };
  };
  all.push_back({"coincidence",
                 "half of the pairs the same event",
                 coincidence,
                 0.5 * (1 - q),
                 16,
                 81,
                 false,
                 {},
                 two_quantities(half(0), 1)});
  all.push_back({"coincidence",
                 "the same, 4 % missing, two cells",
                 coincidence,
                 0.5 * (1 - q),
                 16,
                 54,
                 false,
                 {},
                 two_quantities(half(0.04), 2)});
  all.push_back({"coincidence",
                 "half of the pairs, four cells whose seeds have the same luck",
                 coincidence,
                 0.5 * (1 - q),
                 16,
                 54,
                 false,
                 {},
                 two_quantities(half(0), 4, true)});
  // Nearly all shuffled pairs coincide, and in most labs all of them do.
  constexpr double kLater = 0.05;
  all.push_back({"coincidence",
                 "the same event at the same step in 19 runs of 20",
                 coincidence,
                 2 * kLater * (1 - kLater),
                 16,
                 54,
                 false,
                 {},
                 two_quantities(
                     [](Random& random) {
                       const Outcome event{coin(random, kLater) ? 200.0 : 100.0};
                       return std::pair{event, event};
                     },
                     1)});
}

Verdict judged(const World& world, const std::vector<CellResult>& cells, double low, double high, bool until_decided) {
  Study study;
  study.name = "simulated";
  study.fits = world.fits;
  study.seeds.count = until_decided ? world.first : world.most;
  study.seeds.until = until_decided ? Until::decided : Until::count;
  study.seeds.most = world.most;
  std::vector<CellResult> planned = cells;
  for (CellResult& cell : planned) cell.cell.seeds = study.seeds.count;
  Claim claim = world.claim;
  claim.low = low;
  claim.high = high;
  return judge_claim(study, claim, planned).verdict;
}

}  // namespace

std::vector<World> worlds() {
  std::vector<World> list;
  add_shares(list);
  add_medians(list);
  add_comparisons(list);
  add_conditions(list);
  add_fits(list);
  add_pairs(list);
  return list;
}

Rates simulate(const World& world, int64_t from, int64_t to) {
  Rates rates;
  const double just = 1e-9;
  for (int64_t trial = from; trial < to; ++trial) {
    Random random(static_cast<uint64_t>(20261117 + trial));
    const std::vector<CellResult> cells = world.draw(random, world.most);
    const Verdict whole = judged(world, cells, -kInf, kInf, false);
    const Verdict above = judged(world, cells, world.truth + just, kInf, true);
    const Verdict below = judged(world, cells, -kInf, world.truth - just, true);
    ++rates.trials;
    rates.covered += whole.low && *whole.low <= world.truth && world.truth <= *whole.high;
    rates.wrong += above.kind == VerdictKind::supported || below.kind == VerdictKind::supported;
    rates.open += above.kind == VerdictKind::inconclusive && below.kind == VerdictKind::inconclusive;
  }
  return rates;
}

double chance(int64_t trials) { return 3 * std::sqrt(0.05 * 0.95 / static_cast<double>(trials)); }

}  // namespace atto::calibration
