#include "app/render/browser.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "app/interrupt.h"
#include "app/random_name.h"
#include "app/render/file_kinds.h"
#include "app/render/kept_program.h"
#include "base/error.h"
#include "report/assets.h"
#include "report/html.h"

namespace atto {
namespace {

namespace fs = std::filesystem;

// A browser that takes longer, even on a busy machine, hangs.
constexpr std::chrono::seconds kStart{120}, kEach{20};

bool is_on_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  const std::string folders = path == nullptr ? "" : path;
  for (size_t from = 0; from < folders.size();) {
    const size_t to = std::min(folders.find(':', from), folders.size());
    if (access((fs::path(folders.substr(from, to - from)) / name).c_str(), X_OK) == 0) return true;
    from = to + 1;
  }
  return false;
}

std::string find_browser() {
  if (const char* named = std::getenv("ATTO_BROWSER"); named != nullptr && *named != '\0') return named;
  for (const char* name : {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"})
    if (is_on_path(name)) return name;
  throw Error(
      ErrorKind::missing, "there is no browser to draw the figure with",
      "install Chromium (Debian: apt install chromium) or name one in $ATTO_BROWSER; --spec needs none, and the "
      "report's own buttons save the same files");
}

// file:///… with everything escaped that means something in an address.
std::string file_address(const fs::path& path) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~/",
                             kHex = "0123456789ABCDEF";
  std::string address = "file://";
  for (const char c : path.string()) {
    const auto byte = static_cast<unsigned char>(c);
    if (kPlain.find(c) != std::string_view::npos) address += c;
    else address += {'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  return address;
}

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
                                 file_address(folder / "page.html")};
  if (geteuid() == 0) words.insert(words.begin() + 1, "--no-sandbox");  // the browser refuses root its sandbox
  return words;
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

// The browser prints text as HTML.
std::string unescaped(std::string text) {
  for (const auto& [entity, letter] : {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}})
    for (size_t at = 0; (at = text.find(entity, at)) != std::string::npos; ++at)
      text.replace(at, std::string_view(entity).size(), letter);
  return text;
}

// The page may run our script and nothing else, and reach nothing outside itself: a specification that names an address
// gets nothing from there.
std::string drawing_page(const Json& job) {
  const std::string nonce = random_name();
  const std::string policy = "default-src 'none'; script-src 'nonce-" + nonce +
                             "'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; "
                             "base-uri 'none'; form-action 'none'";
  return "<!doctype html><html><head><meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" content=\"" +
         policy + "\"></head><body>" +
         element("script", script_json(job), "type=\"application/json\" id=\"render-job\"") +
         element("script", assets::script(), "nonce=\"" + nonce + "\"") + "</body></html>";
}

}  // namespace

std::optional<std::vector<std::string>> render(const std::vector<Rendering>& renderings) {
  const std::string browser = find_browser();
  Json figures = Json::array();
  for (const Rendering& one : renderings)
    figures.push_back(
        {{"spec", one.spec}, {"format", to_word(one.format)}, {"scale", one.scale}, {"theme", one.theme}});
  KeptProgram program([&](const fs::path& folder) { return browser_command(browser, folder); });
  {
    std::ofstream page(program.folder() / "page.html", std::ios::binary);
    page << drawing_page({{"figures", figures}});
    if (!page.flush()) throw Error(ErrorKind::resources, "the page could not be written", "is the disk full?");
  }
  const ProgramOutput drawn = program.run(kStart + kEach * std::ssize(renderings), stop_requested());
  if (stop_requested()) return std::nullopt;
  if (drawn.outcome != ProgramOutput::Outcome::ended)
    throw Error(ErrorKind::missing,
                "the browser '" + browser + "' " +
                    (drawn.outcome == ProgramOutput::Outcome::killed ? "did not answer" : "could not be run") +
                    (drawn.last_words.empty() ? "" : ": " + drawn.last_words),
                "name another one in $ATTO_BROWSER; --spec needs none");
  std::vector<std::string> files;
  for (size_t i = 0; i < renderings.size(); ++i) {
    if (const auto bytes = find_result(drawn.out, "result", i)) {
      files.push_back(decode_base64(*bytes));
      if (is_of_kind(files.back(), renderings[i].format)) continue;
      throw Error(ErrorKind::missing,
                  "what the browser '" + browser + "' made of " + renderings[i].name + " is no " +
                      to_word(renderings[i].format),
                  "name another one in $ATTO_BROWSER; --spec needs none");
    }
    const auto failure = find_result(drawn.out, "failure", i);
    if (!failure)  // no page of ours was opened, or none to its end
      throw Error(ErrorKind::missing, "the browser '" + browser + "' drew nothing of " + renderings[i].name,
                  "name a Chromium or Chrome in $ATTO_BROWSER; --spec needs none");
    throw Error(ErrorKind::internal, "the browser could not draw " + renderings[i].name + ": " + unescaped(*failure),
                "try again; if it persists, report it with the output of --spec");
  }
  return files;
}

}  // namespace atto
