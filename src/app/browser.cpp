#include "app/browser.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "lab/report/assets.h"
#include "lab/report/html.h"
#include "numeric/error.h"

namespace atto {
namespace {

namespace fs = std::filesystem;

// A browser that takes longer, even on a busy machine, hangs.
constexpr std::chrono::seconds kStart{120}, kEach{20};

std::string find_browser() {
  if (const char* named = std::getenv("ATTO_BROWSER"); named != nullptr && *named != '\0') return named;
  const char* path = std::getenv("PATH");
  std::string folders = path == nullptr ? "" : path;
  for (const char* name : {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}) {
    for (size_t from = 0; from <= folders.size();) {
      const size_t to = std::min(folders.find(':', from), folders.size());
      const fs::path file = fs::path(folders.substr(from, to - from)) / name;
      if (access(file.c_str(), X_OK) == 0) return file.string();
      from = to + 1;
    }
  }
  throw Error(
      ErrorKind::missing, "there is no browser to draw the figure with",
      "install Chromium (Debian: apt install chromium) or name one in $ATTO_BROWSER; --spec needs none, and the "
      "report's own buttons save the same files");
}

// A folder for the page and the browser's profile, gone with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "atto-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw Error(ErrorKind::resources, "no folder could be made in " + fs::temp_directory_path().string());
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::vector<std::string> browser_command(const std::string& browser, const fs::path& folder) {
  std::vector<std::string> words{browser,
                                 "--headless",
                                 "--disable-gpu",
                                 "--no-first-run",
                                 "--disable-background-networking",
                                 "--disable-component-update",
                                 "--disable-sync",
                                 "--disable-quic",
                                 "--hide-scrollbars",
                                 "--user-data-dir=" + (folder / "profile").string(),
                                 "--dump-dom",
                                 "file://" + (folder / "page.html").string()};
  if (geteuid() == 0) words.insert(words.begin() + 1, "--no-sandbox");  // the browser refuses root its sandbox
  return words;
}

// What comes through the pipe until its other end closes; nothing when that has not happened after `patience`.
std::optional<std::string> read_all(int pipe, std::chrono::seconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  std::string out;
  std::array<char, 65536> buffer{};
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    pollfd waiting{pipe, POLLIN, 0};
    const int ready = left > 0 ? poll(&waiting, 1, static_cast<int>(left)) : 0;
    if (ready == 0) return std::nullopt;
    if (ready < 0) continue;  // a signal
    const ssize_t count = read(pipe, buffer.data(), buffer.size());
    if (count <= 0) return out;
    out.append(buffer.data(), static_cast<size_t>(count));
  }
}

// Standard output of the command; its complaints are dropped.
std::string output_of(std::vector<std::string> words, std::chrono::seconds patience) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw Error(ErrorKind::resources, "no pipe to the browser could be made");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failure = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::optional<std::string> out;
  int status = 0;
  if (failure == 0) {
    out = read_all(ends[0], patience);
    if (!out) kill(child, SIGKILL);
    waitpid(child, &status, 0);
  }
  close(ends[0]);
  if (failure == 0 && !out)
    throw Error(ErrorKind::internal, "the browser '" + words.front() + "' did not answer", "try again, or try --spec");
  if (failure != 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw Error(ErrorKind::missing, "the browser '" + words.front() + "' could not be run",
                "name another one in $ATTO_BROWSER");
  return *out;
}

std::string decode_base64(std::string_view text) {
  std::string bytes;
  unsigned buffer = 0;
  int bits = 0;
  for (const char c : text) {
    unsigned value = 0;
    if (c >= 'A' && c <= 'Z') value = static_cast<unsigned>(c - 'A');
    else if (c >= 'a' && c <= 'z') value = static_cast<unsigned>(c - 'a') + 26;
    else if (c >= '0' && c <= '9') value = static_cast<unsigned>(c - '0') + 52;
    else if (c == '+') value = 62;
    else if (c == '/') value = 63;
    else continue;  // padding
    buffer = buffer << 6 | value;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(buffer >> bits & 0xFF);
  }
  return bytes;
}

// What stands in <pre class="KIND" data-index="I">…</pre>, or nothing.
std::optional<std::string> find_result(const std::string& page, const std::string& kind, size_t index) {
  const std::string open = "<pre class=\"" + kind + "\" data-index=\"" + std::to_string(index) + "\">";
  const size_t start = page.find(open);
  if (start == std::string::npos) return std::nullopt;
  const size_t from = start + open.size();
  return page.substr(from, page.find("</pre>", from) - from);
}

}  // namespace

std::vector<std::string> render(const std::vector<Rendering>& renderings) {
  const std::string browser = find_browser();
  Json figures = Json::array();
  for (const Rendering& one : renderings)
    figures.push_back({{"spec", one.spec}, {"format", one.format}, {"scale", one.scale}, {"theme", one.theme}});
  const TemporaryFolder folder;
  {
    std::ofstream page(folder.path() / "page.html", std::ios::binary);
    page << "<!doctype html><html><head><meta charset=\"utf-8\"></head><body>"
         << element("script", script_json(Json{{"figures", figures}}.dump()),
                    "type=\"application/json\" id=\"render-job\"")
         << element("script", assets::script()) << "</body></html>";
    if (!page.flush()) throw Error(ErrorKind::resources, "the page could not be written", "is the disk full?");
  }
  const std::string drawn = output_of(browser_command(browser, folder.path()), kStart + kEach * std::ssize(renderings));
  std::vector<std::string> files;
  for (size_t i = 0; i < renderings.size(); ++i) {
    if (const auto bytes = find_result(drawn, "result", i)) {
      files.push_back(decode_base64(*bytes));
      continue;
    }
    const auto failure = find_result(drawn, "failure", i);
    throw Error(ErrorKind::internal,
                "the browser could not draw " + renderings[i].name + (failure ? ": " + *failure : ""),
                "try again; if it persists, report it with the output of --spec");
  }
  return files;
}

}  // namespace atto
