#include "app/program.h"

#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "places.h"

namespace atto::test {
namespace {

constexpr const char* kTiny = R"(title = "Copying, very small"
source = "a test"
[data]
vocab = 4
[training]
batch = 32
steps = 50
rate = 0.01
[sweep.grid]
network.width = [2, 3]
[seeds]
count = 8
[profile.full.seeds]
count = 10
[[observe]]
what = ["perplexity", "accuracy"]
[[observe]]
what = ["embedding", "layer.0.attention.pattern"]
linear = 5
[[phenomenon]]
detector = "plateau"
[[phenomenon]]
detector = "emergence"
[[phenomenon]]
detector = "value"
name = "final"
series = "perplexity"
[[claim]]
id = "T-holds"
statement = "The perplexity ends between one and the size of the vocabulary."
published = "4"
quantity = "final.value"
statistic = "median"
region = [1, 5]
[[claim]]
id = "T-fails"
statement = "The perplexity ends above a hundred."
quantity = "final.value"
statistic = "median"
region = [100, inf]
where = { network.width = 2 }
)";

constexpr const char* kMap = R"(title = "A map of two axes"
[data]
vocab = 4
[training]
batch = 16
steps = 20
[sweep.grid]
data.context = [2, 3, 4]
network.width = [1, 2]
[seeds]
count = 2
[[observe]]
what = ["perplexity"]
[[phenomenon]]
detector = "plateau"
)";

int exit_code(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string read_all(int descriptor) {
  std::string text;
  char buffer[4096];
  for (ssize_t count = 0; (count = ::read(descriptor, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(count));
  return text;
}

}  // namespace

void ProgramTest::SetUp() {
  std::string pattern = testing::TempDir() + "/atto-app-XXXXXX";
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  folder_ = pattern;
  write("studies/tiny.toml", kTiny);
  write("studies/map.toml", kMap);
}

void ProgramTest::TearDown() { std::filesystem::remove_all(folder_); }

void ProgramTest::write(const std::string& file, const std::string& text) const {
  const auto path = folder_ / file;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::string ProgramTest::read(const std::string& file) const {
  std::ifstream stream(folder_ / file, std::ios::binary);
  EXPECT_TRUE(stream) << "no file " << file;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

pid_t ProgramTest::start(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
                         int out, int err, int in) const {
  std::vector<std::string> words = {program_path()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  unsetenv("ATTO_STUDIES");
  unsetenv("NO_COLOR");
  setenv("TERM", "xterm", 1);
  for (const std::string& entry : environment) {
    const size_t equals = entry.find('=');
    setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
  }
  if (in >= 0 && dup2(in, STDIN_FILENO) < 0) _exit(99);
  if (chdir(folder_.c_str()) != 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0) _exit(99);
  execv(pointers[0], pointers.data());
  _exit(98);
}

Outcome ProgramTest::atto(const std::vector<std::string>& arguments,
                          const std::vector<std::string>& environment) const {
  // Into files, so that neither stream can fill a pipe while the other is read.
  const auto open_file = [&](const char* name) {
    return open((folder_ / name).c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  };
  const int out = open_file("stdout.txt"), err = open_file("stderr.txt");
  Outcome outcome;
  outcome.code = exit_code(start(arguments, environment, out, err));
  close(out);
  close(err);
  outcome.out = read("stdout.txt");
  outcome.err = read("stderr.txt");
  return outcome;
}

std::string ProgramTest::atto_on_terminal(const std::vector<std::string>& arguments,
                                          const std::vector<std::string>& environment) const {
  int master = -1, slave = -1;
  winsize size{};
  size.ws_row = 24;
  size.ws_col = 80;
  EXPECT_EQ(openpty(&master, &slave, nullptr, nullptr, &size), 0);
  fcntl(master, F_SETFD, FD_CLOEXEC);
  const pid_t child = start(arguments, environment, slave, slave);
  close(slave);
  std::string text = read_all(master);  // ends when the child, the last holder of the other end, is gone
  close(master);
  EXPECT_EQ(exit_code(child), 0) << text;
  return text;
}

Outcome ProgramTest::atto_answered(const std::vector<std::string>& arguments, const std::string& answer) const {
  int master = -1, slave = -1;
  EXPECT_EQ(openpty(&master, &slave, nullptr, nullptr, nullptr), 0);
  fcntl(master, F_SETFD, FD_CLOEXEC);
  const std::string line = answer + "\n";  // waits in the terminal until it is read
  EXPECT_EQ(::write(master, line.data(), line.size()), static_cast<ssize_t>(line.size()));
  const pid_t child = start(arguments, {}, slave, slave, slave);
  close(slave);
  Outcome outcome;
  outcome.out = read_all(master);
  close(master);
  outcome.code = exit_code(child);
  return outcome;
}

Outcome ProgramTest::atto_until(const std::vector<std::string>& arguments, const std::string& line,
                                const std::vector<int>& signals) const {
  int out[2], err[2];
  EXPECT_EQ(pipe2(out, O_CLOEXEC), 0);
  EXPECT_EQ(pipe2(err, O_CLOEXEC), 0);
  const pid_t child = start(arguments, {}, out[1], err[1]);
  close(out[1]);
  close(err[1]);
  Outcome outcome;
  for (char letter = 0; outcome.err.find(line) == std::string::npos && ::read(err[0], &letter, 1) == 1;)
    outcome.err += letter;
  for (const int signal : signals) kill(child, signal);
  outcome.err += read_all(err[0]);
  outcome.out = read_all(out[0]);
  close(out[0]);
  close(err[0]);
  outcome.code = exit_code(child);
  return outcome;
}

int ProgramTest::atto_killed_when(const std::vector<std::string>& arguments, const std::function<bool()>& now) const {
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  const pid_t child = start(arguments, {}, nowhere, nowhere);
  close(nowhere);
  siginfo_t ended{};  // si_pid stays 0 while the child runs
  while (ended.si_pid == 0 && !now()) waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT);
  kill(child, SIGKILL);
  return exit_code(child);
}

Json ProgramTest::atto_json(const std::vector<std::string>& arguments) const {
  const Outcome outcome = atto(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << outcome.out;
  return json;
}

}  // namespace atto::test
