// What a name stands for is written to or refused, never replaced by something else.
#include "app/export/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/error.h"

namespace atto {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/atto-output-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path file(const std::string& name) const { return folder_ / name; }
  static void put(const fs::path& path, const std::string& text) {
    OutputFile out(path);
    out.write(text);
    out.commit();
  }
  static std::string read(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  static std::string complaint(const fs::path& path) {
    try {
      put(path, "text");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::resources);
      return error.what();
    }
    return "no complaint";
  }
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

TEST_F(OutputFileTest, ReplacesAFileOnceItIsWhole) {
  put(file("a/b.txt"), "old");
  {
    OutputFile out(file("a/b.txt"));
    out.write("half");
    EXPECT_EQ(read(file("a/b.txt")), "old");
  }
  EXPECT_EQ(read(file("a/b.txt")), "old") << "given up";
  put(file("a/b.txt"), "new");
  EXPECT_EQ(read(file("a/b.txt")), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(file("a")), fs::directory_iterator()), 1) << "no part is left";
}

// Not even where nothing is undone, as when the memory ends in a destructor.
TEST_F(OutputFileTest, AProcessThatEndsInTheMiddleLeavesNothing) {
  const pid_t child = fork();
  if (child == 0) {
    OutputFile out(file("out.txt"));
    out.write("half");
    _exit(files() == 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0) << "it has no name before it is whole";
  EXPECT_EQ(files(), 0u);
}

TEST_F(OutputFileTest, WritesToWhatALinkLeadsToAndKeepsTheLink) {
  put(file("target.txt"), "old");
  fs::create_symlink("target.txt", file("link.txt"));
  put(file("link.txt"), "new");
  EXPECT_TRUE(fs::is_symlink(file("link.txt")));
  EXPECT_EQ(read(file("target.txt")), "new");
  EXPECT_EQ(files(), 2u);
}

// As /dev/stdout with a file behind it: what stands there stays, and other names stand for no stream.
TEST_F(OutputFileTest, WritesWhereStandardOutputStands) {
  const int saved = dup(STDOUT_FILENO), out = open(file("out.txt").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::write(out, "before, ", 8), 8);
  ASSERT_GE(dup2(out, STDOUT_FILENO), 0);
  fs::create_symlink("/proc/self/fd/1", file("stdout"));
  const bool known = is_standard_output(file("stdout")) && is_stream(file("stdout"));
  const bool itself = is_standard_output(file("out.txt")) || is_stream(file("out.txt"));
  put(file("stdout"), "after");
  dup2(saved, STDOUT_FILENO);
  close(saved);
  close(out);
  EXPECT_EQ(read(file("out.txt")), "before, after");
  EXPECT_TRUE(known);
  EXPECT_FALSE(itself) << "a file by its own name is replaced, as ever";
  EXPECT_FALSE(is_stream(file("nothing")));
  EXPECT_TRUE(is_stream("/dev/null"));
}

TEST_F(OutputFileTest, SaysTheRemedyThatFits) {
  fs::create_directory(file("folder"));
  try {
    const OutputFile out(file("folder"), "look elsewhere");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.remedy(), "look elsewhere");
  }
}

TEST_F(OutputFileTest, RefusesALinkToNothingAndAFolder) {
  fs::create_symlink("nowhere.txt", file("link.txt"));
  EXPECT_NE(complaint(file("link.txt")).find("leads nowhere"), std::string::npos) << complaint(file("link.txt"));
  EXPECT_FALSE(fs::exists(file("nowhere.txt")));
  fs::create_directory(file("folder"));
  EXPECT_NE(complaint(file("folder")).find("it is a folder"), std::string::npos) << complaint(file("folder"));
  EXPECT_EQ(files(), 2u);
}

// The name of the file in progress cannot be foreseen, so nothing can wait there.
TEST_F(OutputFileTest, WritesThroughNoLinkAtANameOneCanGuess) {
  put(file("precious.txt"), "mine");
  fs::create_symlink("precious.txt", file("out.txt.part"));
  put(file("out.txt"), "text");
  EXPECT_EQ(read(file("precious.txt")), "mine");
  EXPECT_TRUE(fs::is_symlink(file("out.txt.part")));
  EXPECT_EQ(read(file("out.txt")), "text");
}

TEST_F(OutputFileTest, WritesIntoAFifo) {
  ASSERT_EQ(mkfifo(file("fifo").c_str(), 0600), 0);
  const int reader = open(file("fifo").c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);  // both ends: nobody has to wait
  put(file("fifo"), "through");
  EXPECT_TRUE(fs::is_fifo(file("fifo")));
  char text[16] = {};
  EXPECT_EQ(::read(reader, text, sizeof text), 7);
  EXPECT_STREQ(text, "through");
  close(reader);
  EXPECT_EQ(files(), 1u);
}

// A terminal of our own is a character device that needs no rights; a link in our folder leads to it.
TEST_F(OutputFileTest, WritesIntoACharacterDevice) {
  int master = -1, slave = -1;
  char name[64] = {};
  ASSERT_EQ(openpty(&master, &slave, name, nullptr, nullptr), 0);
  fs::create_symlink(name, file("terminal"));
  put(file("terminal"), "seen");
  EXPECT_TRUE(fs::is_symlink(file("terminal")));
  char text[16] = {};
  EXPECT_EQ(::read(master, text, sizeof text), 4);
  EXPECT_STREQ(text, "seen");
  close(slave);
  close(master);
}

// Copies of /dev/full and of a disk's node, in a folder of our own. Only root may make them.
TEST_F(OutputFileTest, ReplacesNoDeviceNode) {
  if (mknod(file("full").c_str(), S_IFCHR | 0600, makedev(1, 7)) != 0) GTEST_SKIP() << "may not make device nodes";
  EXPECT_NE(complaint(file("full")).find("No space left"), std::string::npos) << complaint(file("full"));
  EXPECT_TRUE(fs::is_character_file(file("full")));
  ASSERT_EQ(mknod(file("disk").c_str(), S_IFBLK | 0600, makedev(7, 250)), 0);
  EXPECT_NE(complaint(file("disk")).find("block device"), std::string::npos) << complaint(file("disk"));
  EXPECT_TRUE(fs::is_block_file(file("disk")));
  EXPECT_EQ(files(), 2u);
}

}  // namespace
}  // namespace atto
