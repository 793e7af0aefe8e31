// Sequences and answers from files.
#include <cmath>
#include <set>

#include "data/data_sets.h"
#include "data/number_files.h"
#include "data/tasks/drawn.h"

namespace atto::table_test {
namespace {

DataConfig table(const std::string& bytes, int64_t vocab = 5, int64_t context = 2) {
  DataConfig config;
  config.task = "table";
  config.vocab = vocab;
  config.context = context;
  give_file(config, bytes);
  return config;
}

using Row = std::pair<std::vector<int32_t>, std::vector<int32_t>>;  // tokens and answers

std::vector<std::pair<Row, float>> rows_of(const Task& task, bool test) {
  const SequenceSet set = task.rows(test);
  BatchMemory memory(task.shape(), 16);
  std::vector<std::pair<Row, float>> rows;
  for (int64_t i = 0; i < set.size(); ++i) {
    memory.batch.samples = 1;
    set.fill(i, memory.batch);
    Row row;
    for (int j = 0; j < task.context(); ++j) row.first.push_back(memory.batch.tokens[j * 16]);
    for (int j = 0; j < task.asked(); ++j) row.second.push_back(memory.batch.targets[j * 16]);
    rows.emplace_back(row, memory.batch.weights[0]);
  }
  return rows;
}

TEST(TableTask, ReadsRowsWithAndWithoutAHeader) {
  const std::vector<std::pair<Row, float>> expected{{{{0, 1}, {4}}, 1.0f}, {{{2, 3}, {0}}, 1.0f}};
  for (const std::string bytes : {"0,1,4\n2,3,0\n", "x0,x1,answer\n0,1,4\n2,3,0\n", "answer,x1,x0\n4,1,0\n0,3,2\n",
                                  "x0,x1,answer1\n0,1,4\n2,3,0\n"}) {
    SCOPED_TRACE(bytes);
    const auto task = make_task(table(bytes));
    EXPECT_EQ(rows_of(*task, false), expected);
    EXPECT_EQ(task->first_asked(), 1);
    EXPECT_EQ(task->spec().rows->test, 0);
  }
}

TEST(TableTask, AsksAtEveryPosition) {
  const std::string bytes = "x0,x1,x2,answer0,answer1,answer2\n0,1,2,1,2,3\n";
  DataConfig config = table(bytes, 5, 3);
  EXPECT_EQ(rows_of(*make_task(config), false).front().first.second, std::vector<int32_t>{3}) << "the last by default";
  config.targets = Targets::every;
  EXPECT_EQ(rows_of(*make_task(config), false).front().first.second, (std::vector<int32_t>{1, 2, 3}));
  DataConfig later = table("0,1,2,2,3\n", 5, 3);
  later.targets = Targets::every;
  EXPECT_EQ(make_task(later)->first_asked(), 1);
}

TEST(TableTask, WeighsAndDividesRows) {
  const auto task = make_task(table("x0,x1,answer,weight,split\n0,0,1,3,train\n1,1,2,1,train\n2,2,3,5,test\n"));
  const std::vector<std::pair<Row, float>> train{{{{0, 0}, {1}}, 1.5f}, {{{1, 1}, {2}}, 0.5f}};
  EXPECT_EQ(rows_of(*task, false), train);
  EXPECT_EQ(rows_of(*task, true), (std::vector<std::pair<Row, float>>{{{{2, 2}, {3}}, 1.0f}}));
  EXPECT_FALSE(task->spec().rows->equal);
  EXPECT_EQ(task->frequencies(), (std::vector<double>{0.75, 0.25, 0, 0, 0}));
  // Draws take the training part by its weights.
  std::vector<int> seen(2);
  for (uint64_t step = 0; step < 40; ++step) {
    const Drawn drawn(make_task(table("x0,x1,answer,weight,split\n0,0,1,3,train\n1,1,2,1,train\n2,2,3,5,test\n")),
                      {1, step, 0}, 64, 64);
    for (int lane = 0; lane < 64; ++lane) ++seen[static_cast<size_t>(drawn.sequence(lane)[0])];
  }
  EXPECT_LT(chi_square(seen, std::vector<double>{0.75, 0.25}), 10.9);
}

TEST(TableTask, ReadsArraysByName) {
  DataConfig config = table("0,1,4\n2,3,0\n");
  auto file = std::make_shared<NumberFile>();
  file->name = "f.npz";
  file->arrays = {{"tokens", {3, 2}, {0, 1, 2, 3, 1, 1}, {}},
                  {"answers", {3}, {4, 0, 1}, {}},
                  {"weights", {3}, {1, 3, 1}, {}},
                  {"test", {3}, {0, 0, 1}, {}}};
  config.content = file;
  const auto task = make_task(config);
  EXPECT_EQ(rows_of(*task, false), (std::vector<std::pair<Row, float>>{{{{0, 1}, {4}}, 0.5f}, {{{2, 3}, {0}}, 1.5f}}));
  EXPECT_EQ(rows_of(*task, true).size(), 1u);
  auto wrong = std::make_shared<NumberFile>(*file);
  wrong->arrays[1].shape = {2};
  config.content = wrong;
  expect_refusal(config, "f.npz: answers has 2 numbers, but there are 3 rows of tokens", "give one entry for each row");
  wrong = std::make_shared<NumberFile>(*file);
  wrong->arrays[0].shape = {2, 3};
  config.content = wrong;
  expect_refusal(config, "f.npz: data.context = 2 wants an array tokens[rows][2], but that in the file has 2 × 3",
                 "save it with numpy.savez(path, tokens=.., answers=..)");
}

TEST(TableTask, BestLossCountsContradictions) {
  EXPECT_EQ(*make_task(table("0,1,4\n2,3,0\n"))->best_loss(), 0);
  // Two of four rows share an input and disagree: half of the rows lose ln 2.
  EXPECT_NEAR(*make_task(table("0,1,4\n0,1,3\n2,3,0\n2,2,0\n"))->best_loss(), 0.5 * std::log(2), 1e-15);
  // With weights 3 : 1 they lose the entropy of that.
  const double entropy = -(0.75 * std::log(0.75) + 0.25 * std::log(0.25));
  EXPECT_NEAR(*make_task(table("x0,x1,answer,weight\n0,1,4,3\n0,1,3,1\n2,3,0,4\n"))->best_loss(), 0.5 * entropy, 1e-15);
  // At position 0 both rows show the same token, so the first answer must be guessed; the second need not.
  DataConfig every = table("0,1,1,2\n0,2,3,4\n");
  every.targets = Targets::every;
  const auto task = make_task(every);
  EXPECT_NEAR(*task->best_loss(), 0.5 * std::log(2), 1e-15);
  EXPECT_NEAR(reference_loss(*task, "best_full"), 0, 1e-15);
  EXPECT_NEAR(reference_loss(*task, "without_context"), std::log(4), 1e-15);
}

TEST(TableTask, IsIndependentOfTiling) { expect_independence_of_tiling(table("0,1,4\n2,3,0\n1,1,1\n4,4,2\n")); }

TEST(TableTask, CanBeSplitOrDrawnFrom) {
  DataConfig config = table("0,0,0\n0,1,1\n0,2,2\n0,3,3\n");
  config.split = 0.5;
  const auto task = make_task(config);
  const DataSets sets = make_sets(config, *task, true, false, 1);
  EXPECT_EQ(sets.train->size(), 2);
  EXPECT_EQ(sets.test->size(), 2);
  config.split = 0;
  config.size = 10;
  EXPECT_EQ(make_sets(config, *make_task(config), true, false, 1).train->size(), 10);
}

TEST(TableTask, RefusesWhatCannotWork) {
  const std::string columns =
      "name the columns x0, x1, .. for the tokens, answer (or answer0, answer1, ..), weight and split, or give "
      "data.context tokens and the answers without a header";
  expect_refusal(table("0,1,4\n2,5,0\n"), "f:2: the token x1 5 is none of the 5 tokens",
                 "tokens are whole numbers from 0 to data.vocab - 1 = 4");
  expect_refusal(table("0,1,-1\n"), "f:1: the answer -1 is none of the 5 tokens",
                 "tokens are whole numbers from 0 to data.vocab - 1 = 4");
  expect_refusal(table("0,1.5,1\n"), "f:1: the token x1 1.5 is none of the 5 tokens",
                 "tokens are whole numbers from 0 to data.vocab - 1 = 4");
  expect_refusal(table("0,1\n"), "f: data.context = 2 wants rows of 2 tokens and an answer, but the file has 1 × 2",
                 columns);
  expect_refusal(table("x0,x2,answer\n0,1,1\n"), "f: data.context = 2, but no column 'x1'", columns);
  expect_refusal(table("x0,x1,x2,answer\n0,1,1,1\n"), "f: nobody knows the column 'x2'", columns);
  expect_refusal(table("x0,x1,x1,answer\n0,1,1,1\n"), "f: two columns are called 'x1'", columns);
  expect_refusal(table("x0,x1\n0,1\n"), "f: the rows have no answers", columns);
  expect_refusal(table("0,1,1,1,1\n"), "f: 3 answers of 2 positions", columns);
  expect_refusal(table("x0,x1,answer,weight\n0,1,1,-2\n"), "f:2: -2 is no weight", "give 0 or more");
  expect_refusal(table("x0,x1,answer,weight\n0,1,1,0\n"), "f: no row of a weight above 0 is left to train on",
                 "mark some rows as train");
  expect_refusal(table("x0,x1,answer,split\n0,1,1,test\n"), "f: no row is left to train on", "mark some rows as train");
  expect_refusal(table("x0,x1,answer,split\n0,1,1,train\n"), "f: no row is left to test on",
                 "mark some rows as test, or leave that column out");
  expect_refusal(table("x0,x1,answer,split\n0,1,1,2\n"), "f:2: 2 is neither train (0) nor test (1)",
                 "write train or test, or 0 or 1");
  DataConfig every = table("0,1,1\n");
  every.targets = Targets::every;
  expect_refusal(every, "f: data.targets = \"every\", but there is one answer in a row",
                 "give an answer for every position, or set data.targets = \"last\"");
  DataConfig split = table("x0,x1,answer,split\n0,1,1,0\n1,1,1,1\n");
  split.split = 0.5;
  expect_refusal(split, "data.split = 0.5, but the file says already which rows are for testing",
                 "leave data.split 0, or take that column out of the file");
}

}  // namespace
}  // namespace atto::table_test
