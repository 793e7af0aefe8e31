// [[quantity]] tables: what they may say, and what is said about wrong ones.
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "lab/study/study.h"

namespace atto::read_quantities_test {
namespace {

const std::string kStudy = R"toml([training]
steps = 300

[[observe]]
what = ["loss", "W_E", "layer.0.query", "layer.0.key"]

[sweep.grid]
data.vocab = [4, 8]

[seeds]
count = 1

[[quantity]]
name = "share"
is = "excess / ln(data.vocab)"

[[quantity]]
name = "excess"
is = "loss - best_loss"

[[quantity]]
name = "spectrum"
is = "singular_values(layer.0.query' * layer.0.key)"

[[phenomenon]]
name = "small"
detector = "value"
series = "share"

[[claim]]
id = "little"
statement = "little of the loss is left"
quantity = "excess"
relative_to = "loss"
statistic = "median"
region = [0, 1]
)toml";

Study parse(const std::string& text, const StudyOptions& options = {}) { return parse_study(text, "a.toml", options); }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// "what | remedy" of a study in which `from` stands as `to`.
std::string fault(const std::string& from, const std::string& to) {
  try {
    parse(replaced(kStudy, from, to));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    return error.what() + std::string(" | ") + error.remedy();
  }
  return "no error";
}

TEST(StudyQuantity, ComesAfterWhatItReads) {
  const Study study = parse(kStudy);
  ASSERT_EQ(study.quantities.size(), 3u);
  EXPECT_EQ(study.quantities[0].name, "excess");
  EXPECT_EQ(study.quantities[1].name, "share");
  EXPECT_EQ(study.quantities[1].expression.text(), "excess / ln(data.vocab)");
  EXPECT_EQ(study.quantities[2].name, "spectrum");
  EXPECT_EQ(study.claims[0].quantity, "excess");
}

TEST(StudyQuantity, IsNoPartOfARun) {
  const std::string without = kStudy.substr(0, kStudy.find("[[quantity]]"));
  const Study first = parse(kStudy), second = parse(replaced(kStudy, "loss - best_loss", "2 * loss")),
              bare = parse(without);
  const auto ids = [](const Study& study) {
    std::vector<std::string> all;
    for (const auto& run : expand_runs(study, expand_cells(study))) all.push_back(run.id);
    return all;
  };
  EXPECT_EQ(ids(first), ids(second));
  EXPECT_EQ(ids(first), ids(bare));
}

TEST(StudyQuantity, ReadsTheConstantsOfARun) {
  RunConfig config;
  config.data.task = "copy";
  config.data.vocab = 100;
  EXPECT_EQ(constant_of_run(config, 0.5, "data.vocab"), 100);
  EXPECT_EQ(constant_of_run(config, 0.5, "training.rate"), config.training.rate);
  EXPECT_EQ(constant_of_run(config, 0.5, "best_loss"), 0.5);
  EXPECT_TRUE(std::isnan(*constant_of_run(config, std::nullopt, "best_loss")));
  EXPECT_EQ(constant_of_run(config, 0.5, "data.task"), std::nullopt) << "a word";
  EXPECT_EQ(constant_of_run(config, 0.5, "seeds.init"), std::nullopt) << "differs between the runs of a cell";
  EXPECT_EQ(constant_of_run(config, 0.5, "loss"), std::nullopt);
  config.data.task = "nearest";
  config.data.context = 4;
  EXPECT_DOUBLE_EQ(*constant_of_run(config, 0, "guess_loss"), std::log(3.0));
  EXPECT_DOUBLE_EQ(*constant_of_run(config, 0, "narrow_loss"), std::log(2.0 / 3 * 100));
}

TEST(StudyQuantity, SaysWhereAndWhatIsWrong) {
  EXPECT_EQ(
      fault("loss - best_loss", "loss - best_los"),
      "a.toml:19:14: quantity 'excess': it reads 'best_los', which is nothing that the runs have; "
      "did you mean 'best_loss'? (cell data.vocab=4) | `atto help observables` and `atto help keys` list the names; "
      "functions are in `atto help expressions`");
  // Nothing is proposed that could not be read either: a word, and what differs between the runs of a cell.
  for (const std::string key : {"data.task", "seeds.init"}) {
    const std::string said = fault("loss - best_loss", "loss - " + key.substr(0, key.size() - 1));
    EXPECT_NE(said.find("which is nothing that the runs have"), std::string::npos) << said;
    EXPECT_EQ(said.find(key), std::string::npos) << said;
  }
  EXPECT_EQ(fault("loss - best_loss", "loss + excess"),
            "a.toml:19:7: the quantity 'excess' refers to itself: excess -> excess | a quantity is made of what is "
            "observed, of keys of a run and of other quantities");
  EXPECT_EQ(
      fault("loss - best_loss", "loss - share"),
      "a.toml:15:7: the quantity 'share' refers to itself: share -> excess -> share | a quantity is made of what is "
      "observed, of keys of a run and of other quantities");
  EXPECT_EQ(fault("loss - best_loss", "accuracy"),
            "a.toml:19:7: quantity 'excess': it reads 'accuracy', which the study does not observe "
            "(cell data.vocab=4) | add \"accuracy\" to the `what` of an [[observe]]");
  EXPECT_EQ(fault("layer.0.query' * layer.0.key", "layer.0.query * W_E"),
            "a.toml:23:37: quantity 'spectrum': '*' has [2][2] next to [4][2] (cell data.vocab=4) | the columns of the "
            "first must be the rows of the second; ' transposes, .* goes entry by entry");
  EXPECT_EQ(
      fault("loss - best_loss", "sqt(loss)"),
      "a.toml:19:7: quantity 'excess': unknown function 'sqt'; did you mean 'sqrt'? | `atto help expressions` lists "
      "the functions");
  EXPECT_EQ(fault("loss - best_loss", std::string(20'000, 'a')).substr(0, 90),
            "a.toml:19:7: quantity 'excess': the expression has 20000 characters; at most 1000 are read");
}

TEST(StudyQuantity, HasANameOfItsOwn) {
  EXPECT_EQ(fault("\"excess\"\nis", "\"the excess\"\nis").substr(0, 62),
            "a.toml:18:8: [[quantity]]: 'the excess' is not a name that exp");
  EXPECT_EQ(fault("\"excess\"\nis", "\"a.b\"\nis").substr(0, 32), "a.toml:18:8: [[quantity]]: 'a.b'");
  EXPECT_EQ(fault("\"excess\"\nis", "\"share\"\nis"),
            "a.toml:18:8: [[quantity]]: a second quantity is called 'share' | ");
  EXPECT_EQ(fault("\"spectrum\"", "\"accuracy\""),
            "a.toml:23:7: quantity 'accuracy': 'accuracy' can be measured, so no quantity can be called so (cell "
            "data.vocab=4) | give it another name");
  EXPECT_EQ(fault("\"spectrum\"", "\"best_loss\"").substr(0, 74),
            "a.toml:23:7: quantity 'best_loss': 'best_loss' is a loss that the task kno");
  EXPECT_EQ(fault("\"spectrum\"", "\"excess_loss\""), "no error");
  EXPECT_NE(fault("is = \"loss", "si = \"loss"), "no error");
}

TEST(StudyQuantity, IsOneNumberWhereOneIsAskedFor) {
  EXPECT_EQ(fault("quantity = \"excess\"", "quantity = \"spectrum\""),
            "a.toml:30:1: claim 'little' reads 'spectrum', which is [2] in cell data.vocab=4, not one number | name an "
            "address of that shape, such as 'loss'");
  EXPECT_EQ(fault("series = \"share\"", "series = \"spectrum\"").substr(0, 77),
            "a.toml:25:1: the detector 'value' reads 'spectrum', which is [2] in cell data");
  EXPECT_NE(fault("quantity = \"excess\"", "quantity = \"exess\"").find("did you mean 'excess'?"), std::string::npos);
  EXPECT_EQ(fault("quantity = \"excess\"", "quantity = \"loss\""), "no error") << "the last value of a series";
}

TEST(StudyQuantity, IsCheckedAgainForTheCommandLine) {
  const std::string text = replaced(kStudy, "layer.0.query' * layer.0.key", "layer.0.query[1] * layer.0.key[1]");
  EXPECT_THROW(parse(text), Error) << "a vector has no singular values";
  const std::string row = replaced(kStudy, "singular_values(layer.0.query' * layer.0.key)", "layer.0.query[1]");
  EXPECT_NO_THROW(parse(row));
  StudyOptions narrow;
  narrow.set = {"network.width=1"};
  try {
    parse(row, narrow);
    ADD_FAILURE() << "a network of width 1 has no second row";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, 66),
              "--set: quantity 'spectrum': index 1 is outside of [1][1] (cell dat");
  }
}

}  // namespace
}  // namespace atto::read_quantities_test
