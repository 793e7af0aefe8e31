// Stores of earlier programs (tests/stores/README.md), as people meet them: show, export, run, check, prune.
#include "lab/store/old_stores.h"
#include "app/program.h"

namespace atto::test {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class OldStoresTest : public ProgramTest {
 protected:
  template <typename Work>
  void with_each(Work&& work) const {
    for (const std::string& name : old_store_names()) {
      SCOPED_TRACE(name);
      std::filesystem::copy_file(old_store_file(name), folder_ / name);
      work(old_store_rows(name), name);
    }
  }
  std::vector<std::string> with_store(std::vector<std::string> arguments, const std::string& store) const {
    arguments.insert(arguments.end(), {"--store", store});
    return arguments;
  }
};

TEST_F(OldStoresTest, ShowListsThem) {
  with_each([&](const atto::Json& expected, const std::string& store) {
    const bool current = engine_of(expected) == kEngineRevision;
    const Json shown = atto_json(with_store({"show", "--json"}, store));
    EXPECT_EQ(shown.at("runs"), current ? 4 : 0);
    EXPECT_EQ(shown.at("outdated_runs"), current ? 0 : 4);
    const Json& tiny = shown.at("studies").at(0);
    EXPECT_EQ(tiny.at("study"), "tiny");
    EXPECT_EQ(tiny.at("runs_asked"), 4);
    EXPECT_EQ(tiny.at("runs"), current ? 4 : 0);
    EXPECT_EQ(tiny.at("verdicts"), Json({{"inconclusive", 1}}));
    EXPECT_EQ(contains(atto(with_store({"show"}, store)).out, "4 of another engine revision"), !current);
  });
}

TEST_F(OldStoresTest, RunsOfThisEngineAreShownAndExportedAndOthersRefused) {
  with_each([&](const atto::Json& expected, const std::string& store) {
    const atto::Json& row = expected.at("runs")[0];
    const std::string id = row.at("id"), file = store + ".csv";
    const auto show = with_store({"show", id.substr(0, 8), "--json"}, store),
               write = with_store({"export", id, "--format", "csv", "--output", file}, store);
    if (engine_of(expected) != kEngineRevision) {
      for (const auto& arguments : {show, write}) {
        const Outcome refused = atto(arguments);
        EXPECT_EQ(refused.code, 4);
        EXPECT_TRUE(contains(refused.err, "computed by engine revision " + std::to_string(engine_of(expected))))
            << refused.err;
        EXPECT_TRUE(contains(refused.err, "run its study again")) << refused.err;
      }
      EXPECT_FALSE(std::filesystem::exists(folder_ / file));
      return;
    }
    const Json run = atto_json(show);
    EXPECT_EQ(run.at("config"), Json::parse(row.at("config").get<std::string>()));
    const Recording recording = recording_of(row);
    ASSERT_EQ(run.at("series").size(), recording.series.size());
    for (size_t i = 0; i < recording.series.size(); ++i) {
      EXPECT_EQ(run.at("series")[i].at("steps"), Json(recording.series[i].steps));
      EXPECT_EQ(run.at("series")[i].at("values"), Json(recording.series[i].values));
    }
    EXPECT_EQ(atto(write).code, 0);
    EXPECT_TRUE(contains(read(file), id));
  });
}

// A study that an old store knows is trained anew where it has to be, and then shown like any other.
TEST_F(OldStoresTest, ItsStudyIsTrainedAnew) {
  with_each([&](const atto::Json& expected, const std::string& store) {
    const bool current = engine_of(expected) == kEngineRevision;
    const auto arguments = with_store({"run", kOldStores / "tiny.toml", "--json"}, store);
    const Outcome trained = atto(arguments);
    EXPECT_EQ(trained.code, 0) << trained.err;
    EXPECT_TRUE(contains(trained.err, current ? "trained 0 runs, 4 were in the store" : "trained 4 runs"))
        << trained.err;
    EXPECT_EQ(atto_json(with_store({"show", "--json"}, store)).at("runs"), 4);
    EXPECT_EQ(Json::parse(atto(arguments).out), Json::parse(trained.out));
  });
}

// `atto check` finds nothing to mend in them, before and after a writer has brought them up to date.
TEST_F(OldStoresTest, AreWhole) {
  with_each([&](const atto::Json&, const std::string& store) {
    const std::string before = read(store);
    const Json found = atto_json(with_store({"check", "--json"}, store));
    EXPECT_EQ(found.at("whole"), true) << found.dump();
    EXPECT_EQ(found.at("runs"), 4);
    EXPECT_EQ(atto(with_store({"check", "--repair"}, store)).code, 0);
    EXPECT_TRUE(read(store) == before) << "a store that is whole is left alone";
    ASSERT_EQ(atto(with_store({"run", kOldStores / "tiny.toml"}, store)).code, 0);
    EXPECT_EQ(atto_json(with_store({"check", "--json"}, store)).at("whole"), true);
  });
}

// What of them nothing reads any more is dropped; what this engine made stays.
TEST_F(OldStoresTest, ArePruned) {
  with_each([&](const atto::Json& expected, const std::string& store) {
    const bool current = engine_of(expected) == kEngineRevision;
    const Json dropped = atto_json(with_store({"prune", "--yes", "--json"}, store));
    EXPECT_EQ(dropped.at("runs"), current ? 0 : 4);
    EXPECT_EQ(dropped.at("checkpoints"), current ? 0 : expected.at("checkpoints").size());
    const Json shown = atto_json(with_store({"show", "--json"}, store));
    EXPECT_EQ(shown.at("runs"), current ? 4 : 0);
    EXPECT_EQ(shown.at("outdated_runs"), 0);
    EXPECT_EQ(atto_json(with_store({"check", "--json"}, store)).at("whole"), true);
    EXPECT_EQ(atto_json(with_store({"prune", "--json"}, store)).at("runs"), 0) << "nothing is left to ask about";
  });
}

}  // namespace
}  // namespace atto::test
