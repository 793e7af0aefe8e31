// atto ledger: whether the claims were fixed before their runs; with --write enters what the ledger lacks.
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <map>
#include <memory>

#include "app/export/output_file.h"
#include "app/job.h"
#include "app/open_store.h"
#include "app/terminal/text_table.h"
#include "app/verbs/verbs.h"
#include "lab/results/json.h"

namespace atto {
namespace {

constexpr const char* kLedgerFooter = R"(Examples
  atto ledger                                      every claim of the studies folder
  atto ledger sticky-plateau --json
  atto ledger --write                              enter new and changed claims; commit the file with the studies

The ledger is ledger.json beside the study files. It keeps a hash of what each claim asks under the profile quick, so
that a copy of the studies shows which claims were changed after their runs.)";

struct LedgerLine {
  std::string study, claim;
  Status status;
};

void print_lines(const std::vector<LedgerLine>& lines) {
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  Table table({{"study"}, {"claim"}, {"status", Align::left, true}});
  for (const LedgerLine& one : lines)
    table.row({{one.study, Style::dim}, {one.claim, Style::bold}, status_text(one.status)});
  std::cout << table.render(terminal) << "\n";
  std::map<StatusKind, int64_t> counts;
  for (const LedgerLine& one : lines) ++counts[one.status.kind];
  std::cout << count_text(std::ssize(lines), "claim");
  std::string separator = ": ";
  for (const auto& [kind, count] : counts) {
    std::cout << separator << count_text(count) << " " << phrase(kind);
    separator = "; ";
  }
  std::cout << "\n";
}

void describe_ledger(VerbOptions& options) {
  options.names("STUDY", "studies or study files (default: all)")
      .flag("--write", options.target().write, "enter claims that are new or have changed into the ledger");
}

int ledger(const Options& options) {
  Options quick = options;
  quick.study = {};  // the ledger keeps what the files say
  const std::vector<Job> jobs = prepare_all(quick);
  std::unique_ptr<Store> store;  // without one, nothing was trained here
  if (std::filesystem::exists(options.store))
    store = std::make_unique<Store>(open_store_aloud(options.store, Store::Mode::read));
  std::map<std::string, Ledger> ledgers;  // by path: studies may come from several folders
  for (const Job& job : jobs) {
    const std::string path = ledger_path(job.study.path);
    if (!ledgers.contains(path)) ledgers.emplace(path, read_ledger(path));
  }
  if (options.write) {
    std::map<std::string, int64_t> added, moved;
    for (auto& [path, own] : ledgers) {
      std::vector<const Study*> studies;
      for (const Job& job : jobs)
        if (ledger_path(job.study.path) == path) studies.push_back(&job.study);
      moved[path] = move_claims(own, studies);
    }
    for (const Job& job : jobs) {
      const std::string path = ledger_path(job.study.path);
      added[path] += update_ledger(ledgers.at(path), job.study, store.get());
    }
    for (const auto& [path, count] : added) {
      if (count + moved[path] > 0) {
        OutputFile file(path, "it stands beside the studies: make that folder writable, or name a copy by --studies");
        file.write(ledger_text(ledgers.at(path)));
        file.commit();
      }
      std::cerr << path << ": " << count_text(count) << (count == 1 ? " entry" : " entries") << " added"
                << (moved[path] > 0 ? ", " + count_text(moved[path], "claim") + " moved with its history" : "") << "\n";
    }
  }
  std::vector<LedgerLine> lines;
  for (const Job& job : jobs) {
    const Ledger& own = ledgers.at(ledger_path(job.study.path));
    const std::vector<Status> statuses = claim_statuses(job.study, job.cells, own, store.get());
    for (size_t i = 0; i < statuses.size(); ++i) lines.push_back({job.study.name, job.study.claims[i].id, statuses[i]});
  }
  if (!options.json) {
    print_lines(lines);
    return 0;
  }
  Json all = Json::array();
  for (const LedgerLine& one : lines)
    all.push_back({{"study", one.study},
                   {"claim", one.claim},
                   {"status", to_word(one.status.kind)},
                   {"runs", one.status.runs},
                   {"from", to_word(one.status.witness)},
                   {"commit", one.status.commit},
                   {"text", status_text(one.status)}});
  std::cout << json_text(all);
  return 0;
}

}  // namespace

Verb ledger_verb() {
  return {.help = "Which claims were fixed before their runs, and which were changed after them",
          .footer = kLedgerFooter,
          .several = true,
          .describe = describe_ledger,
          .perform = ledger};
}

}  // namespace atto
