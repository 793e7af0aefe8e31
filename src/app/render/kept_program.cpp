#include "app/render/kept_program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>

#include "app/random_name.h"
#include "app/render/keeper.h"
#include "base/error.h"

namespace atto {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kFolderTries = 100;  // to find a name nobody has
constexpr int kGlance = 20;        // milliseconds between two looks whether to stop

[[noreturn]] void refuse_folder() {
  throw Error(ErrorKind::resources, "there is no folder for temporary files", "name one in $TMPDIR");
}

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

// The next letter, or 0 when the keeper is gone.
char hear(int answers) {
  char word = 0;
  ssize_t got = 0;
  while ((got = read(answers, &word, 1)) < 0 && errno == EINTR) continue;
  return got == 1 ? word : '\0';
}

bool has_news(int answers, int milliseconds) {
  pollfd news{answers, POLLIN, 0};
  return poll(&news, 1, milliseconds) > 0;
}

}  // namespace

KeptProgram::KeptProgram(const Command& command) {
  std::error_code problem;
  const fs::path parent = fs::temp_directory_path(problem);
  if (problem) refuse_folder();
  for (int attempt = 0; attempt < kFolderTries; ++attempt) {
    folder_ = parent / ("atto-" + random_name());
    if (hire_keeper(command(folder_))) return;
  }
  refuse_folder();
}

bool KeptProgram::hire_keeper(const std::vector<std::string>& words) {
  int orders[2], answers[2];
  if (pipe2(orders, O_CLOEXEC) != 0) refuse_folder();
  if (pipe2(answers, O_CLOEXEC) != 0) {
    close(orders[0]);
    close(orders[1]);
    refuse_folder();
  }
  const std::string folder = folder_.string(), out = (folder_ / "out").string(), err = (folder_ / "err").string();
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const KeeperJob job{folder.c_str(), out.c_str(), err.c_str(), arguments.data(), orders[0], answers[1]};
  keeper_ = fork();
  if (keeper_ == 0) keep(job);
  close(orders[0]);
  close(answers[1]);
  orders_ = orders[1];
  answers_ = answers[0];
  const char word = keeper_ > 0 ? hear(answers_) : '\0';
  if (word == keeper::kMade) return true;
  close(orders_);
  close(answers_);
  if (keeper_ > 0) waitpid(keeper_, nullptr, 0);
  if (word != keeper::kTaken) refuse_folder();
  return false;
}

KeptProgram::~KeptProgram() {
  close(orders_);
  waitpid(keeper_, nullptr, 0);
  close(answers_);
}

ProgramOutput KeptProgram::run(std::chrono::seconds patience, const std::atomic<bool>& stop) {
  using enum ProgramOutput::Outcome;
  ProgramOutput result;
  const Clock::time_point deadline = Clock::now() + patience;
  if (write(orders_, &keeper::kStart, 1) != 1) return result;
  while (!has_news(answers_, kGlance)) {
    if (!stop && Clock::now() <= deadline) continue;
    if (write(orders_, &keeper::kKill, 1) != 1) return result;
    break;
  }
  const char word = hear(answers_);
  result.outcome = word == keeper::kEnded ? ended : word == keeper::kKilled ? killed : failed;
  result.out = contents(folder_ / "out");
  result.last_words = last_line(contents(folder_ / "err"));
  return result;
}

}  // namespace atto
