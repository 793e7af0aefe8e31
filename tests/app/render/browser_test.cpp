// The browser that draws: what it returns is looked at, and neither it nor its folder outlives the program.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "app/program.h"
#include "places.h"

namespace atto::test {
namespace {

namespace fs = std::filesystem;

class BrowserTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    fs::create_directory(folder_ / "scratch");
    ASSERT_EQ(atto({"run", "tiny", "--seeds", "1"}).code, 0);
  }
  // A browser of ours.
  void put_browser(const std::string& script) {
    write("browser", "#!/bin/sh\n" + script);
    chmod((folder_ / "browser").c_str(), 0755);
  }
  std::vector<std::string> environment() const {
    return {"ATTO_BROWSER=" + (folder_ / "browser").string(), "TMPDIR=" + (folder_ / "scratch").string()};
  }
  Outcome draw() { return atto(figure_, environment()); }
  bool scratch_is_empty() const { return fs::is_empty(folder_ / "scratch"); }

  const std::vector<std::string> figure_ = {"figure", "tiny/curves", "--seeds", "1", "--svg"};
};

TEST_F(BrowserTest, WhatItReturnsIsAFileOfItsKind) {
  put_browser("echo '<pre class=\"result\" data-index=\"0\">PHN2Zz48L3N2Zz4=</pre>'");  // <svg></svg>
  EXPECT_EQ(draw().code, 0);
  EXPECT_EQ(read("figures/tiny-curves.svg"), "<svg></svg>");
  fs::remove_all(folder_ / "figures");
  put_browser("echo '<pre class=\"result\" data-index=\"0\">SGVsbG8=</pre>'");
  const Outcome wrong = draw();
  EXPECT_EQ(wrong.code, 4) << wrong.err;
  EXPECT_NE(wrong.err.find("is no svg"), std::string::npos) << wrong.err;
  EXPECT_FALSE(fs::exists(folder_ / "figures"));
  EXPECT_TRUE(scratch_is_empty());
}

TEST_F(BrowserTest, ItsWordsDoNotCommandTheTerminal) {
  put_browser("printf 'gone\\033]0;owned\\007 wrong\\n' >&2; exit 3");
  const Outcome outcome = draw();
  EXPECT_EQ(outcome.code, 4);
  EXPECT_NE(outcome.err.find("gone\\u001b]0;owned\\u0007 wrong"), std::string::npos) << outcome.err;
}

TEST_F(BrowserTest, ItsPageReachesNothingOutside) {
  put_browser("for last; do :; done; cp \"${last#file://}\" page-seen.html");
  draw();
  const std::string page = read("page-seen.html");
  const size_t policy =
      page.find("http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'nonce-");
  ASSERT_NE(policy, std::string::npos);
  EXPECT_LT(policy, page.find("<script"));
  EXPECT_EQ(page.substr(policy, page.find("<script") - policy).find("unsafe-eval"), std::string::npos)
      << "no text becomes code";
  const size_t nonce = page.find("'nonce-", policy) + 7;
  EXPECT_NE(page.find("<script nonce=\"" + page.substr(nonce, page.find('\'', nonce) - nonce) + "\">"),
            std::string::npos);
}

// Starts the program with a browser that waits, sends the signals once it does, and waits for all that they started to
// end: orphans come to this process.
class StoppedBrowserTest : public BrowserTest, public testing::WithParamInterface<std::vector<int>> {};

TEST_P(StoppedBrowserTest, LeavesNoProcessAndNoFolder) {
  const fs::path fifo = folder_ / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  put_browser("sleep 1000 &\necho $$ $! > '" + fifo.string() + "'\nwait\n");
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
  const pid_t program = fork();
  if (program == 0) {
    for (const std::string& entry : environment()) putenv(const_cast<char*>(strdup(entry.c_str())));
    signal(SIGHUP, SIG_DFL);
    if (chdir(folder_.c_str()) != 0) _exit(99);
    const int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    execl(program_path().c_str(), "atto", "figure", "tiny/curves", "--seeds", "1", "--svg", nullptr);
    _exit(98);
  }
  pid_t browser = 0, helper = 0;
  std::ifstream(fifo) >> browser >> helper;  // waits for the browser to be there
  ASSERT_GT(helper, 0);
  for (const int one : GetParam()) kill(program, one);
  int status = 0;
  ASSERT_EQ(waitpid(program, &status, 0), program);
  if (GetParam().front() != SIGKILL) {
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 130);
  }
  while (waitpid(-1, nullptr, 0) > 0) continue;
  prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
  for (const pid_t one : {browser, helper}) {
    EXPECT_EQ(kill(one, 0), -1) << "it still runs";
    EXPECT_EQ(errno, ESRCH);
  }
  EXPECT_TRUE(scratch_is_empty());
}

INSTANTIATE_TEST_SUITE_P(Signals, StoppedBrowserTest,
                         testing::Values(std::vector{SIGINT}, std::vector{SIGTERM, SIGTERM}, std::vector{SIGHUP},
                                         std::vector{SIGKILL}));

}  // namespace
}  // namespace atto::test
