// Files of numbers that a study names: read once, part of the run's id by their content, and never trusted blindly.
#include "lab/study/run_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "lab/store/store_samples.h"
#include "lab/study/study.h"

namespace atto::run_files_test {
namespace {

class RunFiles : public StoreFolder {
 protected:
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  Study read(const std::string& more = "", const std::string& file = "rows.csv",
             const StudyOptions& options = {}) const {
    const std::string text = "[data]\ntask = \"table\"\nvocab = 3\ncontext = 2\nfile = \"" + file + "\"\n" + more +
                             "\n[training]\nsteps = 10\n[[observe]]\nwhat = [\"loss\"]\n";
    return parse_study(text, (folder_ / "study.toml").string(), options);
  }
  std::string refusal(const std::string& more = "", const std::string& file = "rows.csv",
                      ErrorKind kind = ErrorKind::config) const {
    try {
      read(more, file);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      EXPECT_NE(error.remedy(), "");
      std::string what = error.what();
      for (size_t at = 0; (at = what.find(folder_.string() + "/")) != std::string::npos;)
        what.erase(at, folder_.string().size() + 1);
      return what;
    }
    return "accepted";
  }
  std::string id(const Study& study) const { return expand_runs(study, expand_cells(study)).front().id; }
};

TEST_F(RunFiles, GiveARunItsIdByTheirContent) {
  write("rows.csv", "0,1,2\n1,2,0\n");
  const std::string first = id(read());
  std::filesystem::copy(folder_ / "rows.csv", folder_ / "same.csv");
  EXPECT_EQ(id(read("", "same.csv")), first) << "whatever it is called";
  write("rows.csv", "0,1,2\n1,2,1\n");
  EXPECT_NE(id(read()), first) << "never a silent reuse";
}

TEST_F(RunFiles, AreReadOnce) {
  write("rows.csv", "0,1,2\n1,2,0\n");
  const Study study = read();
  const std::string before = id(study);
  std::filesystem::remove(folder_ / "rows.csv");
  EXPECT_EQ(id(study), before);
  EXPECT_EQ(expand_cells(study).front().config.data.content->arrays[0].values.size(), 6u);
}

TEST_F(RunFiles, CanBeHeldToAContent) {
  write("rows.csv", "0,1,2\n1,2,0\n");
  const std::string hash = expand_cells(read()).front().config.data.file_hash;
  EXPECT_EQ(id(read("file_hash = \"" + hash + "\"")), id(read()));
  write("rows.csv", "0,1,2\n1,2,1\n");
  const std::string other = expand_cells(read()).front().config.data.file_hash;
  EXPECT_EQ(refusal("file_hash = \"" + hash + "\""),
            "study.toml:5:8: rows.csv has the content hash " + other + ", but data.file_hash says " + hash);
}

TEST_F(RunFiles, CanBeSwept) {
  write("rows.csv", "0,1,2\n1,2,0\n");
  write("more.csv", "0,1,2\n1,2,0\n2,2,2\n");
  const Study study = read("[sweep.grid]\ndata.file = [\"rows.csv\", \"more.csv\"]");
  const std::vector<Cell> cells = expand_cells(study);
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_NE(cells[0].config.data.file_hash, cells[1].config.data.file_hash);
  EXPECT_EQ(refusal("[sweep.grid]\ndata.file = [\"rows.csv\", \"gone.csv\"]", "rows.csv", ErrorKind::missing),
            "study.toml:7:26: there is no file gone.csv");
  StudyOptions options;
  options.set = {"data.file=more.csv"};
  EXPECT_EQ(expand_cells(read("", "rows.csv", options)).front().config.data.content->arrays[0].shape[0], 3u);
}

TEST_F(RunFiles, SayWhatIsWrongAndWhere) {
  EXPECT_EQ(refusal("", "gone.csv", ErrorKind::missing), "study.toml:5:8: there is no file gone.csv");
  write("rows.csv", "");
  EXPECT_EQ(refusal(), "study.toml:5:8: rows.csv: the file holds no rows of numbers");
  write("rows.csv", "0,1,2\n1,2\n");
  EXPECT_EQ(refusal(), "study.toml:5:8: rows.csv:2: 2 values, but line 1 has 3");
  write("rows.csv", "0,1,2\n1,3,0\n");
  EXPECT_EQ(refusal(), "study.toml:5:8: rows.csv:2: the token x1 3 is none of the 3 tokens");
  EXPECT_EQ(refusal("", ".", ErrorKind::missing), "study.toml:5:8: there is no file .");
}

}  // namespace
}  // namespace atto::run_files_test
