// Questions and their answers; whatever is asked, there is one.
#include "live/ask.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>

#include "base/version.h"
#include "lab/results/results_json.h"
#include "lab/results/schema_json.h"
#include "lab/store/store.h"
#include "live/live_samples.h"
#include "live/live_study.h"
#include "live/session.h"
#include "places.h"
#include "theory/gradient_flow.h"
#include "theory/linear_theory.h"

namespace atto {
namespace {

using TrainRun = Run;

Json asked(const Json& request) { return Json::parse(ask(request.dump())); }

std::string error_of(const Json& answer) {
  return answer.contains("error") ? answer["error"]["message"].get<std::string>() : "";
}

TEST(Ask, AboutNamesTheProgram) {
  const Json about = asked({{"ask", "about"}});
  EXPECT_EQ(about["version"], kVersion);
  EXPECT_EQ(about["engine_revision"], kEngineRevision);
  EXPECT_EQ(about["native_bits"], true);
  EXPECT_FALSE(about["target"].get<std::string>().empty());
}

TEST(Ask, SchemaHasEveryKeyWithItsRange) {
  const Json schema = asked({{"ask", "schema"}});
  ASSERT_EQ(schema["keys"].size(), run_schema().all().size());
  const Json& vocab = schema["keys"][1];
  EXPECT_EQ(vocab["key"], "data.vocab");
  EXPECT_EQ(vocab["low"], 2);
  EXPECT_EQ(vocab["high"], 65536);
  EXPECT_EQ(schema["keys"][0]["low"], nullptr);
  EXPECT_EQ(schema["detectors"], detectors_json());
  EXPECT_EQ(schema["statistics"][0], "rate");
  EXPECT_EQ(schema["compares"].size(), 2u);
}

TEST(Ask, StudySaysWhatWillBeTrained) {
  const Json study = asked(live_request("study"));
  EXPECT_EQ(study["title"], "Small");
  EXPECT_EQ(study["seeds"], 3);
  EXPECT_EQ(study["first_seed"], 1);
  ASSERT_EQ(study["cells"].size(), 2u);
  const Json& cell = study["cells"][1];
  EXPECT_EQ(cell["overrides"], Json::parse(R"({"network.width": 3})"));
  EXPECT_EQ(cell["config"]["data.vocab"], 6);
  EXPECT_EQ(cell["steps"], 300);
  EXPECT_EQ(cell["parameters"],
            RunSpec(open_session(live_request("study").dump())->cells()[1].config).parameter_count());
  EXPECT_EQ(cell["references"][0]["name"], "best");
  EXPECT_EQ(cell["series"][0],
            Json::parse(R"({"address": "perplexity", "shape": [], "points": 31, "derived": false})"));
  EXPECT_EQ(cell["series"][2]["shape"], Json::parse("[6, 3]"));
  EXPECT_EQ(cell["series"][4]["derived"], true);
  EXPECT_EQ(study["phenomena"][0]["name"], "plateau");
  EXPECT_EQ(study["phenomena"][0]["quantities"][0]["yes_or_no"], true);
  EXPECT_EQ(study["claims"][0]["id"], "solved");
  EXPECT_EQ(study["claims"][0]["region"], Json::parse(R"(["-inf", 4.0])"));
}

TEST(Ask, OptionsChangeTheStudy) {
  Json request = live_request("study");
  request["options"] = {{"set", {"network.width=4"}}, {"seeds", 7}};
  const Json study = asked(request);
  EXPECT_EQ(study["seeds"], 7);
  ASSERT_EQ(study["cells"].size(), 1u);
  EXPECT_EQ(study["cells"][0]["config"]["network.width"], 4);
}

TEST(Ask, ErrorsHaveTheirPlace) {
  std::string text = kLiveStudy;
  text.replace(text.find("vocab = 6"), 9, "vocab = 1");
  const Json error = asked(live_request("study", text))["error"];
  EXPECT_EQ(error["line"], 5);
  EXPECT_GT(error["column"], 0);
  EXPECT_EQ(error["message"].get<std::string>().find("study.toml"), std::string::npos) << error;
  const Json other = asked({{"ask", "sttudy"}})["error"];
  EXPECT_EQ(other["message"], "there is no question 'sttudy'; did you mean 'study'?");
  EXPECT_EQ(other["line"], nullptr);
}

// What the runs of a session say, as the page hands it to the judge.
Json runs_json(LiveStudy& live) {
  std::map<uint32_t, Json> runs;
  while (!live.ended()) {
    const std::string bytes = encode(live.advance(5));
    const Json news = Json::parse(bytes.substr(bytes.find("{\"runs\"")));
    for (const Json& run : news["runs"]) runs[run["run"]].update(run);
  }
  Json list = Json::array();
  for (auto& [index, run] : runs) {
    run["cell"] = live.runs()[index].cell;
    run["seed"] = live.runs()[index].seed;
    list.push_back(run);
  }
  return list;
}

TEST(Ask, JudgeGivesTheVerdictsOfTheLab) {
  Json request = live_request("judge");
  request["options"] = {{"seeds", 12}};
  const auto live = open_session(request.dump());
  request["runs"] = runs_json(*live);
  const Json judged = asked(request);
  ASSERT_EQ(error_of(judged), "");
  Store store(kInMemory, Store::Mode::write);
  const std::vector<TrainRun> runs = expand_runs(live->study(), live->cells());
  for (const TrainRun& run : runs)
    store.save({{run.id, "{}", 1, 1, record_run(RunSpec(run.config), live->study().observe).recording, 0}});
  const StudyResult stored = collect(live->study(), live->cells(), runs, store);
  EXPECT_EQ(judged["verdicts"], verdicts_json(stored));
  EXPECT_EQ(judged["answers"][0], verdicts_json(stored)[0]["answer"]);
  EXPECT_EQ(judged["complete"], true);
  EXPECT_EQ(judged["cells"][0]["runs"], 12);
  EXPECT_EQ(judged["cells"][1]["observables"][0]["address"], "perplexity");
  EXPECT_EQ(judged["cells"][1]["observables"][0]["median"], stored.cells[1].observables[0].median);
  EXPECT_EQ(judged["cells"][0]["quantities"][0]["name"], "plateau.present");
}

TEST(Ask, JudgeCountsFinishedRunsOnly) {
  Json request = live_request("judge");
  const Json run = {{"cell", 1}, {"seed", 1}, {"finished", false}, {"findings", {{"end.value", {{"value", 0.5}}}}}};
  request["runs"] = {run};
  EXPECT_EQ(asked(request)["verdicts"][0]["seeds"], 0);
  request["interim"] = true;
  EXPECT_EQ(asked(request)["verdicts"][0]["seeds"], 1);
  EXPECT_EQ(asked(request)["complete"], false);
}

TEST(Ask, PredictIsTheTheory) {
  const Regression problem{64, 16, 2, 0.25};
  const Json predicted = asked({{"ask", "predict"},
                                {"length", 64},
                                {"dimension", 16},
                                {"repeat", 2},
                                {"cross", 0.25},
                                {"threshold", 0.5},
                                {"steps", 1000},
                                {"rate", 0.1}});
  EXPECT_EQ(predicted["growth_rate"], growth_rate(problem));
  EXPECT_EQ(predicted["closed_form"], escape_time(problem, 0.5));
  EXPECT_EQ(predicted["flow"], *crossing(problem, 0.5, LossKind::test));
  const Json& curve = predicted["curve"];
  ASSERT_EQ(curve["times"].size(), 200u);
  EXPECT_EQ(curve["times"][199], 1000);
  GradientFlow flow(problem);
  EXPECT_NEAR(curve["test"][199], flow.loss().value(flow.advance_to(100), LossKind::test), 1e-9);
  EXPECT_NEAR(curve["train"][0], 0.5, 1e-12);
}

TEST(Ask, PredictKnowsNetworksWithAScoreForEachPosition) {
  Json request{{"ask", "predict"}, {"length", 64},     {"dimension", 16}, {"repeat", 4},
               {"cross", 0},       {"threshold", 0.2}, {"steps", 200},    {"rate", 1}};
  const Json shared = asked(request);
  request["scores"] = "free";
  const Json free = asked(request);
  EXPECT_EQ(free["flow"], *crossing({64, 16, 4, 0}, 0.2, LossKind::test, GradientFlow::kHorizon, Scores::free));
  EXPECT_GT(free["flow"].get<double>(), 1.5 * shared["flow"].get<double>());
  EXPECT_GT(free["curve"]["test"][199].get<double>(), shared["curve"]["test"][199].get<double>());
  request["scores"] = "some";
  EXPECT_FALSE(error_of(asked(request)).empty());
}

TEST(Ask, ChangeTellsWhatElseHasToChange) {
  Json request = live_request("change");
  request["key"] = "network.width";
  request["value"] = "5";
  EXPECT_EQ(asked(request)["set"], Json::parse(R"({"network.width": 5})"));
  request["key"] = "data.task";
  request["value"] = "recall";
  const Json set = asked(request)["set"];
  EXPECT_EQ(set["data.task"], "recall");
  EXPECT_EQ(set["data.context"], 0);
  request["value"] = "nonsense";
  EXPECT_FALSE(error_of(asked(request)).empty());
  request["key"] = "data.nothing";
  EXPECT_FALSE(error_of(asked(request)).empty());
}

TEST(Ask, NextCellsGoesToTheContour) {
  Json cells = Json::array();
  for (int x = 0; x < 9; ++x) cells.push_back({{"x", x}, {"y", 0}, {"yes", x < 4 ? 0 : 20}, {"runs", x == 4 ? 0 : 20}});
  cells[4]["yes"] = 0;
  const Json next = asked({{"ask", "next_cells"}, {"level", 0.5}, {"count", 2}, {"cells", cells}});
  EXPECT_EQ(next["cells"], Json::parse("[4]")) << "all others are decided";
  EXPECT_EQ(next["decided"][0], "below");
  EXPECT_EQ(next["decided"][4], nullptr);
  EXPECT_EQ(next["decided"][8], "above");
}

TEST(Ask, ReadsNoFiles) {
  std::string text = kLiveStudy;
  text.replace(text.find("vocab = 6\ncontext = 4"), 21, "task = \"table\"\nfile = \"/etc/passwd\"");
  EXPECT_NE(error_of(asked(live_request("study", text))).find("read none"), std::string::npos);
}

TEST(Ask, RefusesWhatIsTooLarge) {
  const auto error = [](const std::string& with, const std::string& text) {
    return error_of(asked(live_request("study", kLiveStudy + with + text)));
  };
  std::string axis = "[";
  for (int i = 2; i < 4000; ++i) axis += std::to_string(i) + ", ";
  axis += "4000]";
  std::string wide = kLiveStudy;
  wide.replace(wide.find("network.width = [2, 3]"), 22, "training.batch = " + axis);
  EXPECT_NE(error_of(asked(live_request("study", wide))).find("cells"), std::string::npos);
  std::string huge = kLiveStudy;  // so many that their product is no number
  const std::string key = "grid = { network.width = [2, 3]";
  std::string grid = "grid = { training.batch = " + axis;
  for (const char* other :
       {"data.vocab", "data.context", "training.steps", "network.width", "network.layers", "network.heads"})
    grid += std::string(", ") + other + " = " + axis;
  huge.replace(huge.find(key), key.size(), grid);
  EXPECT_NE(error_of(asked(live_request("study", huge))), "");
  Json seeds = live_request("study");
  seeds["options"] = {{"seeds", 1'000'000'000}};
  EXPECT_NE(error_of(asked(seeds)).find("seeds"), std::string::npos);
  std::string often = kLiveStudy;
  often.replace(often.find("steps = 300"), 11, "steps = 10000000");
  EXPECT_NE(error_of(asked(live_request("study", often))).find("measurements"), std::string::npos);
  EXPECT_NE(error_of(Json::parse(ask(std::string(100'000, '[')))).find("nests"), std::string::npos);
  EXPECT_NE(error_of(Json::parse(ask(std::string(33'000'000, ' ')))).find("bytes"), std::string::npos);
  EXPECT_NE(error("x = ", std::string(300, '[')), "");
}

TEST(Ask, AnswersAnyBytes) {
  for (const std::string& request :
       {std::string(), std::string("{"), std::string("null"), std::string("[]"), std::string("{\"ask\":5}"),
        std::string("\xff\xfe\x00\x01", 4), std::string("{\"ask\":\"\xff\"}"), std::string("{\"ask\":\"study\"}"),
        std::string("{\"ask\":\"study\",\"text\":7}"), std::string("{\"ask\":\"judge\",\"text\":\"\",\"runs\":7}"),
        std::string("{\"ask\":\"predict\",\"length\":1e300,\"dimension\":1,\"repeat\":1,\"cross\":0}"),
        std::string("{\"ask\":\"next_cells\",\"cells\":[{\"x\":0,\"y\":0,\"yes\":5,\"runs\":2}]}"),
        std::string("{\"ask\":\"next_cells\",\"cells\":[7]}")})
    EXPECT_FALSE(error_of(Json::parse(ask(request))).empty()) << request;
}

RC_GTEST_PROP(Ask, SurvivesRandomBytes, (const std::string& bytes)) { RC_ASSERT(Json::accept(ask(bytes))); }

// A study with some of its bytes changed is a study or an error.
RC_GTEST_PROP(Ask, SurvivesDamagedStudies, (const std::vector<std::pair<uint16_t, char>>& changes)) {
  std::string text = kLiveStudy;
  for (const auto& [place, byte] : changes) text[place % text.size()] = byte;
  Json request = live_request("study", "");
  request["text"] = text;
  RC_ASSERT(Json::accept(ask(request.dump(-1, ' ', false, Json::error_handler_t::replace))));
}

// Every published study can be asked about, or says why not.
TEST(Ask, KnowsEveryPublishedStudy) {
  for (const std::string& name : list_studies(in_source("studies"))) {
    std::ifstream file(in_source("studies/" + name + ".toml"));
    const Json answer = asked({{"ask", "study"},
                               {"name", name},
                               {"text", std::string(std::istreambuf_iterator<char>(file), {})},
                               {"options", {{"seeds", 4}}}});
    const std::string error = error_of(answer);
    if (error.empty()) EXPECT_FALSE(answer["cells"].empty()) << name;
    else EXPECT_TRUE(error.find("watched") != std::string::npos) << name << ": " << error;
  }
}

}  // namespace
}  // namespace atto
