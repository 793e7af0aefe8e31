// atto report: figures, verdicts and numbers of the studies as one HTML file.
#include "app/verbs/report.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "app/export/output_file.h"
#include "app/export/output_name.h"
#include "app/open_store.h"
#include "app/terminal/text.h"
#include "app/verbs/verbs.h"
#include "base/error.h"
#include "lab/results/decide.h"
#include "report/assets.h"
#include "report/report.h"

namespace atto {
namespace {

// The store, or nothing when there is none yet: the report then says so. One that was named must be there.
std::unique_ptr<Store> open_store(const std::string& path) {
  std::error_code ignored;  // what cannot be looked at, the store complains about
  if (path == Options().store && !std::filesystem::exists(path, ignored) && !ignored) {
    std::cerr << "there is no store at " << path << " yet: the report is without results\n";
    return nullptr;
  }
  return std::make_unique<Store>(open_store_aloud(path, Store::Mode::read));
}

// "P.2" before "P.10": runs of digits that stand in the same place count as numbers.
bool comes_before(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const auto digits = [](std::string_view text) {
      return text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
    };
    const std::string_view x = digits(a), y = digits(b);
    if (x.empty() || y.empty()) {
      if (a[0] != b[0]) return a[0] < b[0];
      a.remove_prefix(1);
      b.remove_prefix(1);
      continue;
    }
    if (x.size() != y.size()) return x.size() < y.size();
    if (x != y) return x < y;
    a.remove_prefix(x.size());
    b.remove_prefix(y.size());
  }
  return a.empty() && !b.empty();
}

// As a reader of the sources would go: by source, then by the number of the first claim.
bool reads_before(const Study& a, const Study& b) {
  if (a.source != b.source) return comes_before(a.source, b.source);
  const auto first = [](const Study& study) { return study.claims.empty() ? study.name : study.claims.front().id; };
  return comes_before(first(a), first(b));
}

// "results/report-playground.html" for "results/report.html".
std::filesystem::path playground_path(const std::filesystem::path& report) {
  return report.parent_path() / (report.stem().string() + "-playground.html");
}

void write_file(const std::filesystem::path& path, std::string_view content, const Options& options) {
  const bool can_be_named = options.verb == "report";  // others put it next to the store
  const std::string elsewhere = "`atto report --output FILE" + shared_options_text(options) + "` writes it elsewhere";
  OutputFile file = can_be_named ? OutputFile(path) : OutputFile(path, elsewhere);
  file.write(content);
  file.commit();
}

// A name of a file as an address: what could be taken for another part of it is escaped.
std::string file_reference(const std::string& name) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (kPlain.find(c) != std::string_view::npos) out += c;
    else out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return out;
}

}  // namespace

std::string default_report_path(const std::string& store) {
  return (std::filesystem::path(store).parent_path() / "report.html").string();
}

WrittenReport write_report(std::vector<ReportInput> inputs, const Store* store, const Options& options,
                           const std::string& output) {
  std::stable_sort(inputs.begin(), inputs.end(),
                   [](const ReportInput& a, const ReportInput& b) { return reads_before(a.job->study, b.job->study); });
  const bool alone = assets::playground().empty() || is_stream(output);
  const std::filesystem::path playground = alone ? std::filesystem::path() : playground_path(output);
  Playground live;
  if (!playground.empty()) {
    live.page = file_reference(playground.filename().string());
    if (store)
      for (const RunSummary& one : store->runs()) live.seconds.emplace(one.id, one.seconds);
  }
  Report report(std::move(live));
  if (!store)
    report.notice("There is no store at " + options.store + " yet. `atto reproduce" + shared_options_text(options) +
                  "` trains the studies and fills it.");
  for (const ReportInput& input : inputs) {
    const Study& study = input.job->study;
    StudyReport one{study,
                    input.result,
                    std::ssize(input.job->runs),
                    input.runs,
                    shell_word(input.job->called),
                    study_options_text(study, options)};
    report.add(one, store);
  }
  const std::string html = report.html();
  write_file(output, html, options);
  if (!playground.empty()) write_file(playground, assets::playground(), options);
  return {output, playground.string(), html.size(), inputs.size(), report.figures(), report.claims()};
}

namespace {

constexpr const char* kReportFooter = R"(Examples
  atto report                                      every study, from what the store holds now
  atto report sticky-plateau mine.toml --output mine.html

The file needs nothing else: it opens from disk and asks the network for nothing.)";

void describe_report(VerbOptions& options) {
  options.names("STUDY", "studies or study files (default: all)")
      .study()
      .text("--output", options.target().output, "FILE", "the file to write (default: report.html next to the store)");
}

int report(const Options& options) {
  check_json_apart(options);
  const std::vector<Job> jobs = prepare_all(options);
  const std::unique_ptr<Store> store = open_store(options.store);
  std::vector<std::optional<StudyResult>> results(jobs.size());
  std::vector<ReportInput> inputs;
  for (size_t i = 0; i < jobs.size(); ++i) {
    Job found = jobs[i];
    found.runs = store ? stored_runs(found.study, found.cells, *store) : std::vector<Run>{};
    if (!found.runs.empty()) results[i] = collect_stored(found, *store, options);
    inputs.push_back({&jobs[i], results[i] ? &*results[i] : nullptr, std::ssize(found.runs)});
  }
  const std::string output = options.output.empty() ? default_report_path(options.store) : options.output;
  const WrittenReport written = write_report(std::move(inputs), store.get(), options, output);
  if (options.json) {
    std::cout << json_text(Json{{"report", written.path},
                                {"playground", written.playground.empty() ? Json(nullptr) : Json(written.playground)},
                                {"bytes", written.bytes},
                                {"studies", written.studies},
                                {"figures", written.figures},
                                {"claims", written.claims}});
  } else {
    std::ostream& out = is_standard_output(written.path) ? std::cerr : std::cout;  // apart from the report
    out << written.path << ": " << count_text(static_cast<int64_t>(written.claims), "claim") << ", "
        << count_text(static_cast<int64_t>(written.figures), "figure") << ", " << bytes_text(written.bytes) << "\n";
    if (!written.playground.empty()) out << written.playground << ": where its figures lead, to train them live\n";
  }
  return 0;
}

}  // namespace

Verb report_verb() {
  return {.help = "Claims, figures and numbers of all studies as one HTML file",
          .footer = kReportFooter,
          .several = true,
          .describe = describe_report,
          .perform = report};
}

}  // namespace atto
