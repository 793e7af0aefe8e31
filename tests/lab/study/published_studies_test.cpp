// The studies in the repository and the example of the guide: they parse under every profile, and keep their promises.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "base/fields.h"
#include "lab/study/study.h"
#include "places.h"

namespace atto::published_studies_test {
namespace {

const std::string kStudies = in_source("studies");
const std::string kExamples = in_source("docs/examples");

StudyOptions profile(const std::string& name) {
  StudyOptions options;
  options.profile = name;
  return options;
}

// Read once: most tests below look at all of them.
const std::vector<Study>& all_studies(const std::string& profile_name) {
  static std::map<std::string, std::vector<Study>> read;
  const auto [place, is_new] = read.try_emplace(profile_name);
  if (is_new)
    for (const std::string& name : list_studies(kStudies))
      place->second.push_back(read_study(find_study(name, {kStudies}), profile(profile_name)));
  return place->second;
}

std::set<std::string> run_ids(const Study& study) {
  std::set<std::string> ids;
  for (const atto::Run& run : expand_runs(study, expand_cells(study))) ids.insert(run.id);
  return ids;
}

// Nobody has to guess whether a claim was published: the top of every study says it, and so does the place of a number
// that is published.
TEST(PublishedStudies, SayWhereTheirClaimsComeFrom) {
  for (const std::string& name : list_studies(kStudies)) {
    std::ifstream file(find_study(name, {kStudies}));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_NE(text.find("\norigin = "), std::string::npos) << name;
  }
  int64_t calibrated = 0;
  for (const Study& study : all_studies("quick")) {
    calibrated += study.calibrated.empty() ? 0 : 1;
    for (const Claim& claim : study.claims)
      EXPECT_EQ(claim.provenance.scope.has_value(), claim.provenance.origin != Origin::ours) << claim.id;
  }
  EXPECT_GT(calibrated, 0);
}

TEST(PublishedStudies, AreAllThere) {
  const std::vector<std::string> names = list_studies(kStudies);
  for (const char* name : {"sticky-plateau",
                           "embedding-branching",
                           "plateau-phase-diagram",
                           "rank-collapse",
                           "plateau-without-noise",
                           "plateau-confusion",
                           "plateau-interventions",
                           "plateau-percolation",
                           "plateau-start",
                           "trap-or-saddle",
                           "similar-content",
                           "similar-content-context",
                           "similar-content-width",
                           "euclidean-kernels",
                           "inverse-distance",
                           "similar-content-moments",
                           "similar-content-structure",
                           "guess-floor",
                           "previous-token",
                           "previous-token-without",
                           "previous-token-sizes",
                           "learning-rate",
                           "frequency-rates",
                           "any-offset",
                           "one-dimensional-positions",
                           "spikes-and-swaps",
                           "frequency-norms",
                           "previous-token-shoulder",
                           "attention-sink",
                           "attention-sink-without-bos",
                           "bigram-attention",
                           "frequency-direction",
                           "bigram-early",
                           "emergence-theory",
                           "in-context-repetition",
                           "cross-sample-repetition",
                           "sgd-follows-flow",
                           "late-phase",
                           "gradient-descent-exponents",
                           "optimizer-exponents",
                           "large-learning-rates",
                           "unstable-direction",
                           "start-elsewhere",
                           "coupled-flow",
                           "transformer-emergence",
                           "transformer-cross-sample",
                           "transformer-depth",
                           "transformer-places",
                           "transformer-optimizers",
                           "attention-forms",
                           "weights-before-attention",
                           "diversity-schedule",
                           "capacity-or-time",
                           "starting-point",
                           "transformer-start",
                           "repetition-order",
                           "transformer-repetition-order",
                           "transformer-norm",
                           "transformer-optimizer-ratio",
                           "transformer-depth-grid",
                           "in-context-limit",
                           "transformer-repeat-limit",
                           "train-and-test-plateau",
                           "compute-or-time",
                           "recall-emergence",
                           "recall-law",
                           "recall-repetition",
                           "recall-patterns",
                           "recall-conditions",
                           "coupled-circuits",
                           "diversity-schedule-recall"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

TEST(PublishedStudies, ClaimsAreDocumentedAndUniqueAcrossStudies) {
  std::set<std::string> ids;
  for (const Study& study : all_studies("quick")) {
    EXPECT_FALSE(study.title.empty() || study.summary.empty()) << study.name;
    EXPECT_FALSE(study.claims.empty()) << study.name;
    for (const Claim& claim : study.claims) {
      EXPECT_TRUE(ids.insert(claim.id).second) << claim.id;
      EXPECT_FALSE(claim.source.empty() || claim.published.empty()) << claim.id;
    }
  }
  for (const char* group :
       {"S1.1-",  "S1.2-", "S1.3-", "S1.4-", "S1.5-", "S1.6-", "S1.7-", "S1.8-", "S1.9-", "S1.10-", "S3.7-",
        "S3.1-",  "S3.2-", "S3.3-", "S3.4-", "S3.5-", "S3.6-", "S4.1-", "S4.2-", "S4.3-", "S4.4-",  "S4.5-",
        "S4.5b-", "S4.6-", "S5.1-", "S5.2-", "S5.3-", "S5.4-", "P.1-",  "P.2-",  "P.2b-", "P.3-",   "P.4-",
        "P.5-",   "P.6-",  "Q4-",   "P.7-",  "P.8-",  "P.9-",  "P.10-", "P.11-", "Q1-",   "Q2-",    "Q5-",
        "Q6-",    "P.12-", "P.13-", "P.14-", "P.15-", "Q3-",   "S4.7-", "S4.8-", "S4.9-", "S4.10-", "S5.5-",
        "S5.6-",  "S5.7-", "S5.8-", "P.16-", "P.17-", "P.18-", "P.19-", "P.20-", "P.21-", "P.22-"})
    EXPECT_TRUE(std::any_of(ids.begin(), ids.end(), [&](const std::string& id) { return id.starts_with(group); }))
        << group;
}

// A flow, and descent of the exact loss from 0, come out the same for every seed.
bool deterministic(const RunConfig& config) {
  return config.training.gradient == GradientKind::expected && config.network.init_scale == 0;
}

// A run of these costs as much as dozens of the posts' networks; their laws are fitted over many cells.
bool transformer(const RunConfig& config) { return config.network.residual; }

// Seeds of all cells of a group: those that a claim can speak of.
int64_t runs_of(const std::vector<Cell>& cells, const CellFilter& group) {
  int64_t runs = 0;
  for (const Cell& cell : cells)
    if (matches(group, cell.config)) runs += cell.seeds;
  return runs;
}

// Every cell has the 6 seeds that a verdict needs. Where runs are cheap, a claim speaks of at least 32 of them, however
// they are spread over its cells (8 for the long contexts), and of 128 in the full profile (16).
TEST(PublishedStudies, HaveEnoughSeeds) {
  for (const char* name : {"quick", "full"}) {
    const bool full = std::string(name) == "full";
    for (const Study& study : all_studies(name)) {
      const std::vector<Cell> cells = expand_cells(study);
      bool cheap = true, longer = false;
      for (const Cell& cell : cells) {
        const bool exact = deterministic(cell.config);
        EXPECT_GE(cell.seeds, exact                              ? 1
                              : full && transformer(cell.config) ? 12
                                                                 : 6)
            << study.name << " " << cell_text(cell.overrides);
        cheap = cheap && !exact && !transformer(cell.config);
        longer = longer || cell.config.data.context >= 100;
      }
      if (!cheap) continue;
      const int64_t least = longer ? (full ? 16 : 8) : (full ? 128 : 32);
      for (const Claim& claim : study.claims) {
        EXPECT_GE(runs_of(cells, claim.where), least) << claim.id;
        if (claim.against) {
          EXPECT_GE(runs_of(cells, *claim.against), least) << claim.id;
        }
      }
    }
  }
}

TEST(PublishedStudies, TheFullProfileContainsTheQuickOne) {
  const std::vector<Study>&quick = all_studies("quick"), &full = all_studies("full");
  for (size_t i = 0; i < quick.size(); ++i) {
    const std::set<std::string> all = run_ids(full[i]);
    for (const std::string& id : run_ids(quick[i])) EXPECT_TRUE(all.contains(id)) << quick[i].name;
  }
}

// The networks of the paper: width 256, batches of 32 and the rate it gives each optimizer.
TEST(PublishedStudies, ThePaperProfileHasThePapersSizes) {
  for (const char* name : {"transformer-cross-sample", "transformer-optimizers"}) {
    for (const Cell& cell : expand_cells(read_study(find_study(name, {kStudies}), profile("paper")))) {
      EXPECT_EQ(cell.config.network.width, 256) << name;
      EXPECT_EQ(cell.config.training.rate, cell.config.training.optimizer == "adam" ? 1e-4 : 5e-3) << name;
      EXPECT_EQ(cell.config.training.batch, 32) << name;
    }
  }
}

TEST(PublishedStudies, ShareTheRunsTheyHaveInCommon) {
  std::map<std::string, std::set<std::string>> ids;
  for (const Study& study : all_studies("quick")) ids[study.name] = run_ids(study);
  const auto shared = [&](const std::string& a, const std::string& b) {
    return std::count_if(ids[a].begin(), ids[a].end(), [&](const std::string& id) { return ids[b].contains(id); });
  };
  EXPECT_GE(shared("plateau-phase-diagram", "rank-collapse"), 8);
  EXPECT_GE(shared("plateau-phase-diagram", "sticky-plateau"), 32);
  EXPECT_GE(shared("similar-content", "similar-content-context"), 32);
  EXPECT_GE(shared("similar-content", "similar-content-width"), 32);
  EXPECT_GE(shared("similar-content-context", "similar-content-moments"), 32);
  EXPECT_GE(shared("previous-token", "previous-token-sizes"), 32);
  EXPECT_GE(shared("previous-token", "any-offset"), 32);
  EXPECT_GE(shared("transformer-emergence", "transformer-places"), 48);
  EXPECT_GE(shared("transformer-emergence", "transformer-cross-sample"), 18);
  EXPECT_GE(shared("transformer-emergence", "transformer-depth"), 18);
  EXPECT_GE(shared("transformer-emergence", "capacity-or-time"), 18);
  EXPECT_GE(shared("previous-token-shoulder", "previous-token"), 128);
  EXPECT_GE(shared("frequency-norms", "frequency-rates"), 96);
  EXPECT_GE(shared("bigram-early", "bigram-attention"), 18);
  EXPECT_GE(shared("transformer-optimizer-ratio", "transformer-optimizers"), 156);
  EXPECT_GE(shared("transformer-depth-grid", "transformer-depth"), 36);
  EXPECT_GE(shared("transformer-repeat-limit", "transformer-emergence"), 36);
  EXPECT_GE(shared("train-and-test-plateau", "transformer-cross-sample"), 80);
  EXPECT_GE(shared("compute-or-time", "capacity-or-time"), 84);
  EXPECT_GE(shared("transformer-norm", "transformer-emergence"), 12);
}

// What a post's studies have in common, apart from the keys a study is about.
struct Recipe {
  std::string source;  // how the source of the post's studies begins
  std::string targets;
  double rate;
  int64_t batch, steps;
};

TEST(PublishedStudies, TheRecipeIsThePublishedOne) {
  const std::vector<Recipe> recipes = {{"Liu, Sparse attention 1", "last", 1e-3, 512, 3000},
                                       {"Liu, Sparse attention 3", "last", 1e-2, 512, 3000},
                                       {"Liu, Sparse attention 4", "last", 1e-2, 512, 3000},
                                       {"Liu, Sparse attention 5", "every", 1e-2, 128, 5000}};
  const std::map<std::string, int64_t> own_steps = {{"euclidean-kernels", 1000},    {"learning-rate", 10000},
                                                    {"spikes-and-swaps", 10000},    {"bigram-attention", 1000},
                                                    {"bigram-early", 1000},         {"frequency-direction", 1500},
                                                    {"plateau-without-noise", 8000}};
  // What else a study sets otherwise for all of its runs, for the reason that its file gives.
  using Settings = std::vector<std::pair<std::string, Value>>;
  const Settings small_batch = {{"training.batch", int64_t{128}}};
  const auto exact = [](int64_t steps) {
    return Settings{{"training.gradient", std::string("expected")}, {"training.steps", steps}};
  };
  const std::map<std::string, Settings> own_settings = {
      {"plateau-percolation", small_batch},
      {"plateau-interventions", exact(5000)},
      {"plateau-confusion", exact(5000)},
      {"plateau-start", exact(5000)},
      {"trap-or-saddle", exact(8000)},
      {"similar-content-structure", small_batch},
      {"inverse-distance",
       {{"training.batch", int64_t{128}}, {"network.kernel_power", 1.0}, {"network.logits_power", 1.0}}},
      {"guess-floor", {{"training.batch", int64_t{128}}, {"training.steps", int64_t{2000}}}}};
  for (const Study& study : all_studies("quick")) {
    if (study.source.starts_with("Zucchet")) continue;  // the theory of emergence has no such recipe
    const auto recipe = std::find_if(recipes.begin(), recipes.end(), [&](const Recipe& one) {
      return study.source.find(one.source) != std::string::npos;
    });
    ASSERT_NE(recipe, recipes.end()) << study.name;
    for (const Cell& cell : expand_cells(study)) {
      RunConfig expected;
      expected.data = cell.config.data;
      expected.data.targets = from_word<Targets>(recipe->targets);
      expected.network.width = cell.config.network.width;
      expected.network.positions = cell.config.network.positions;
      expected.network.kernel = cell.config.network.kernel;
      expected.network.logits = cell.config.network.logits;
      expected.network.unembedding = Tying::tied;
      expected.network.init = InitKind::uniform;
      expected.training.optimizer = "adam";
      expected.training.rate = recipe->rate;
      expected.training.batch = recipe->batch;
      expected.training.steps = own_steps.contains(study.name) ? own_steps.at(study.name) : recipe->steps;
      expected.training.test_samples = cell.config.training.test_samples;
      const Fields fields = Fields().all_of(expected, run_schema());
      if (own_settings.contains(study.name))
        for (const auto& [key, value] : own_settings.at(study.name)) fields.at(key).set(value);
      for (const auto& [key, value] : cell.overrides) fields.at(key).set(value);
      EXPECT_EQ(canonical_text(cell.config, {}), canonical_text(expected, {})) << study.name;
    }
  }
}

// The sizes of the published figures, under every profile.
TEST(PublishedStudies, ContainThePublishedCells) {
  const auto integer = [](const char* key, int64_t value) { return std::pair<std::string, Value>{key, value}; };
  const auto size = [&](int64_t vocab, int64_t width, int64_t context) {
    return CellFilter{integer("data.vocab", vocab), integer("network.width", width), integer("data.context", context)};
  };
  const std::vector<std::pair<std::string, std::vector<CellFilter>>> published = {
      {"similar-content", {size(10, 2, 3), size(100, 2, 3), size(1000, 2, 3)}},
      {"similar-content-context", {size(100, 2, 3), size(100, 2, 4), size(100, 2, 5), size(100, 2, 10)}},
      {"similar-content-width",
       {size(100, 2, 3), size(100, 4, 3), size(100, 5, 3), size(100, 10, 3), size(100, 20, 3)}},
      {"previous-token", {size(30, 2, 4)}},
      {"previous-token-without", {size(30, 2, 4)}},
      {"previous-token-sizes", {size(30, 2, 4), size(30, 2, 10), size(100, 10, 10)}},
      {"learning-rate", {size(30, 2, 4), size(100, 2, 4)}},
      {"attention-sink", {size(100, 2, 10)}},
      {"attention-sink-without-bos", {size(100, 2, 10)}},
      {"bigram-attention", {size(10, 10, 10)}}};
  for (const char* name : {"quick", "full"}) {
    for (const auto& [study_name, filters] : published) {
      const std::vector<Cell> cells = expand_cells(read_study(find_study(study_name, {kStudies}), profile(name)));
      for (const CellFilter& filter : filters)
        EXPECT_TRUE(
            std::any_of(cells.begin(), cells.end(), [&](const Cell& cell) { return matches(filter, cell.config); }))
            << study_name << " " << cell_text(filter);
    }
  }
}

// What the published figures show must be measured, and at the steps they show.
TEST(PublishedStudies, MeasureWhatTheFiguresShow) {
  struct Figure {
    std::string study, address;
    std::vector<int64_t> steps;
  };
  const std::string map = "layer.0.attention.pattern";
  const std::vector<Figure> figures = {{"similar-content", "embedding", {3000}},
                                       {"similar-content-width", "embedding", {3000}},
                                       {"previous-token", "positions", {0, 1000, 2000, 3000}},
                                       {"previous-token-sizes", "positions", {0, 1000, 2000, 3000}},
                                       {"previous-token-sizes", "embedding", {0, 1000, 2000, 3000}},
                                       {"learning-rate", "loss", {6000, 6002, 6004}},
                                       {"learning-rate", "positions", {0, 6000, 6100, 10000}},
                                       {"learning-rate", "embedding", {0, 6000, 6100, 10000}},
                                       {"attention-sink", map, {0, 500, 1000, 2000, 5000}},
                                       {"attention-sink", "embedding", {5000}},
                                       {"attention-sink-without-bos", map, {0, 500, 1000, 2000, 5000}},
                                       {"bigram-attention", map, {0, 100, 200, 500, 1000}}};
  for (const Figure& figure : figures) {
    const Study study = read_study(find_study(figure.study, {kStudies}), profile("quick"));
    std::vector<int64_t> measured;
    for (const Observation& observation : study.observe)
      if (std::count(observation.what.begin(), observation.what.end(), figure.address) > 0)
        measured = observation.when.resolve(study.base.training.steps);
    EXPECT_TRUE(std::includes(measured.begin(), measured.end(), figure.steps.begin(), figure.steps.end()))
        << figure.study << " " << figure.address;
  }
}

// Tuning is fair when all groups of a study choose from the same values of the tuned key.
TEST(PublishedStudies, TunedClaimsHaveTheSameBudget) {
  int tuned = 0;
  for (const Study& study : all_studies("quick")) {
    const std::vector<Cell> cells = expand_cells(study);
    std::set<std::set<std::string>> budgets;
    for (const Claim& claim : study.claims) {
      if (claim.tune.empty()) continue;
      ++tuned;
      for (const CellFilter& filter : {claim.where, claim.against.value_or(claim.where)}) {
        std::set<std::string> values;
        for (const Cell& cell : cells) {
          RunConfig config = cell.config;
          if (matches(filter, config)) values.insert(to_text(run_schema().at(claim.tune).get(config)));
        }
        EXPECT_GE(values.size(), 3u) << claim.id;
        budgets.insert(values);
      }
    }
    EXPECT_LE(budgets.size(), 1u) << study.name;
  }
  EXPECT_GE(tuned, 17);
}

// Studies that were run once for a page are read as long as the page stands.
TEST(PagesOfRuns, HaveStudiesThatCanBeRunAgain) {
  const Study law = read_study(find_study("transformer-law", {in_source("docs/published-size")}), profile("quick"));
  EXPECT_EQ(law.base.network.width, 256);
  const Study floor = read_study(find_study("guess-floor-100", {in_source("docs/full-profiles")}), profile("quick"));
  const std::set<std::string> here = run_ids(floor),
                              all = run_ids(read_study(find_study("guess-floor", {kStudies}), profile("full")));
  EXPECT_EQ(here.size(), 768u);
  EXPECT_TRUE(std::includes(all.begin(), all.end(), here.begin(), here.end())) << "they are runs of the full profile";
}

TEST(GuideExample, IsTheStudyTheGuideDescribes) {
  const std::string path = find_study("position-helps", {kExamples});
  const Study quick = read_study(path, profile("quick"));
  EXPECT_EQ(expand_cells(quick).size(), 4u);
  EXPECT_EQ(expand_runs(quick, expand_cells(quick)).size(), 112u);
  EXPECT_EQ(quick.claims.size(), 3u);
  const Study full = read_study(path, profile("full"));
  EXPECT_EQ(expand_cells(full).size(), 6u);
  EXPECT_EQ(full.base.training.steps, 5000);
}

}  // namespace
}  // namespace atto::published_studies_test
