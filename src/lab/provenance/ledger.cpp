#include "lab/provenance/ledger.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "base/contains.h"
#include "base/error.h"
#include "base/json_library.h"
#include "base/read_file.h"
#include "lab/provenance/history.h"

namespace atto {
namespace {

using Line = nlohmann::ordered_json;

constexpr int kLedgerFormat = 1;
constexpr const char* kHead = "[{\"ledger\": ";  // and the format, on the first line; entries follow, then "]"

[[noreturn]] void throw_unreadable(const std::string& path, size_t line, const std::string& what) {
  throw Error(ErrorKind::config, path + ":" + std::to_string(line) + ": " + what,
              "mend the line, or take the committed file again (git checkout " + path +
                  ") and enter what changed with `atto ledger --write`");
}

bool reads_before(const LedgerEntry& a, const LedgerEntry& b) {
  return std::tie(a.study, a.claim, a.revision) < std::tie(b.study, b.claim, b.revision);
}

LedgerEntry parse_entry(const Line& line) {
  LedgerEntry entry;
  entry.study = line.at("study").get<std::string>();
  entry.claim = line.at("claim").get<std::string>();
  entry.revision = line.at("revision").get<int64_t>();
  entry.question = line.at("question").get<std::string>();
  entry.asks = line.at("asks").get<int64_t>();
  entry.after = line.at("after").get<int64_t>();
  entry.commit = line.value("commit", "");
  entry.reason = line.value("reason", "");
  return entry;
}

std::string entry_text(const LedgerEntry& entry) {
  Line line = {{"study", entry.study},       {"claim", entry.claim}, {"revision", entry.revision},
               {"question", entry.question}, {"asks", entry.asks},   {"after", entry.after}};
  if (!entry.commit.empty()) line["commit"] = entry.commit;
  if (!entry.reason.empty()) line["reason"] = entry.reason;
  std::string text;
  for (const auto& [key, value] : line.items())
    text += (text.empty() ? "{" : ", ") + Line(key).dump() + ": " + value.dump();
  return text + "}";
}

}  // namespace

std::vector<LedgerEntry> Ledger::of(const std::string& study, const std::string& claim) const {
  std::vector<LedgerEntry> found;
  for (const LedgerEntry& one : entries)
    if (one.study == study && one.claim == claim) found.push_back(one);
  return found;
}

std::string ledger_path(const std::string& study_path) {
  return (std::filesystem::path(study_path).parent_path() / "ledger.json").string();
}

Ledger read_ledger(const std::string& path) {
  std::error_code status;
  if (!std::filesystem::exists(path, status)) return {path, {}};
  const std::optional<std::string> text = read_file(path);
  if (!text)
    throw Error(ErrorKind::missing, "cannot read '" + path + "': " + std::strerror(errno ? errno : EISDIR),
                "check the permissions of the file");
  return parse_ledger(*text, path);
}

// Line by line, so that a complaint has one: what is most often wrong here is a merge that left its marks.
Ledger parse_ledger(const std::string& text, const std::string& path) {
  Ledger ledger{path, {}};
  std::istringstream lines(text);
  std::string line;
  size_t number = 0;
  bool ended = false;
  while (std::getline(lines, line)) {
    ++number;
    if (number == 1) {
      if (line != kHead + std::to_string(kLedgerFormat) + "}")
        throw_unreadable(path, number, "this is not a ledger of format " + std::to_string(kLedgerFormat));
      continue;
    }
    if (ended) throw_unreadable(path, number, "the ledger has ended above");
    if (line == "]") {
      ended = true;
      continue;
    }
    if (!line.starts_with(",")) throw_unreadable(path, number, "expected an entry, which begins with a comma, or ]");
    try {
      ledger.entries.push_back(parse_entry(Line::parse(line.substr(1))));
    } catch (const Line::exception& problem) {
      throw_unreadable(path, number, std::string("this is not an entry: ") + problem.what());
    }
    const auto& entries = ledger.entries;
    if (entries.size() > 1 && !reads_before(entries[entries.size() - 2], entries.back()))
      throw_unreadable(path, number, "entries are sorted by study, claim and revision, and none is there twice");
  }
  if (!ended) throw_unreadable(path, number, "the ledger is cut short: it ends with ]");
  return ledger;
}

std::string ledger_text(const Ledger& ledger) {
  std::string text = kHead + std::to_string(kLedgerFormat) + "}\n";
  for (const LedgerEntry& entry : ledger.entries) text += "," + entry_text(entry) + "\n";
  return text + "]\n";
}

int64_t move_claims(Ledger& ledger, const std::vector<const Study*>& studies) {
  std::map<std::string, std::vector<std::string>> homes;  // of each claim: the studies that have it
  std::set<std::string> read;
  for (const Study* study : studies) {
    read.insert(study->name);
    for (const Claim& claim : study->claims) homes[claim.id].push_back(study->name);
  }
  const std::filesystem::path folder = std::filesystem::path(ledger.path).parent_path();
  std::map<std::pair<std::string, std::string>, std::vector<LedgerEntry>> left;  // by claim and its home of now
  std::vector<LedgerEntry> kept;
  for (LedgerEntry& one : ledger.entries) {
    const std::vector<std::string>& now = homes[one.claim];
    const bool lacks =
        read.contains(one.study) ? !contains(now, one.study) : !std::filesystem::exists(folder / (one.study + ".toml"));
    if (!lacks || now.size() != 1) {
      kept.push_back(std::move(one));
      continue;
    }
    if (one.reason.empty()) one.reason = "moved from " + one.study;
    one.study = now.front();
    left[{one.claim, one.study}].push_back(std::move(one));
  }
  for (auto& [claim, entries] : left) {
    auto revision = std::ssize(entries);
    for (LedgerEntry& one : kept)
      if (one.claim == claim.first && one.study == claim.second) one.revision = revision++;
    revision = 0;
    for (LedgerEntry& one : entries) {
      one.revision = revision++;
      kept.push_back(std::move(one));
    }
  }
  ledger.entries = std::move(kept);
  std::sort(ledger.entries.begin(), ledger.entries.end(), reads_before);
  return std::ssize(left);
}

int64_t update_ledger(Ledger& ledger, const Study& study, const Store* store) {
  std::vector<LedgerEntry> added;
  for (const Study& written : *study.written) {
    if (written.profile != kLedgerProfile) continue;
    for (const ClaimHistory& history : claim_histories(written, store)) {
      const std::vector<LedgerEntry> known = ledger.of(study.name, history.present.claim);
      if (!known.empty() && known.back().question == history.present.hash) continue;
      // Of a claim that is new here all that the store saw of it; else what came after the last question known here.
      size_t first = 0;
      if (!known.empty()) {
        first = history.asked.size() - 1;
        while (first > 0 && history.asked[first - 1].hash != known.back().question) --first;
        if (first == 0) first = history.asked.size() - 1;  // the store does not know that one either
      }
      int64_t revision = std::ssize(known), asked_before = known.empty() ? 0 : known.back().asks;
      for (size_t i = first; i < history.asked.size(); ++i) {
        const AskedQuestion& one = history.asked[i];
        added.push_back({study.name, history.present.claim, revision++, one.hash, runs_asked(one.text),
                         std::max(one.runs_before, known.empty() ? 0 : asked_before), "", ""});
      }
    }
  }
  ledger.entries.insert(ledger.entries.end(), added.begin(), added.end());
  std::sort(ledger.entries.begin(), ledger.entries.end(), reads_before);
  return std::ssize(added);
}

}  // namespace atto
