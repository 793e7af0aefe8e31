// atto report: figures, verdicts and numbers of the studies as one HTML file.
#include "app/report.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "app/output_file.h"
#include "app/text.h"
#include "app/verbs.h"
#include "lab/report/report.h"
#include "numeric/error.h"

namespace atto {
namespace {

// The store, or nothing when there is none yet: the report then says so.
std::unique_ptr<Store> open_store(const std::string& path) {
  if (!std::filesystem::exists(path)) return nullptr;
  return std::make_unique<Store>(path, Store::Mode::read);
}

}  // namespace

std::string default_report_path(const std::string& store) {
  return (std::filesystem::path(store).parent_path() / "report.html").string();
}

WrittenReport write_report(std::vector<ReportInput> inputs, const Store* store, const Options& options,
                           const std::string& output) {
  std::stable_sort(inputs.begin(), inputs.end(), [](const ReportInput& a, const ReportInput& b) {
    return a.job->study.source < b.job->study.source;
  });
  Report report;
  if (!store)
    report.notice("There is no store at " + options.store + " yet. `atto reproduce` trains the studies and fills it.");
  for (const ReportInput& input : inputs) {
    const Study& study = input.job->study;
    StudyReport one{study,      input.result,      std::ssize(input.job->runs),
                    input.runs, input.job->called, study_options_text(study, options)};
    report.add(one, store);
  }
  const std::string html = report.html();
  OutputFile file(output);
  file.write(html);
  file.commit();
  return {output, html.size(), inputs.size(), report.figures(), report.claims()};
}

int report(const Options& options) {
  const std::vector<Job> jobs = prepare_all(options);
  const std::unique_ptr<Store> store = open_store(options.store);
  std::vector<std::optional<StudyResult>> results(jobs.size());
  std::vector<ReportInput> inputs;
  for (size_t i = 0; i < jobs.size(); ++i) {
    Job found = jobs[i];
    std::erase_if(found.runs, [&](const Run& run) { return !store || !store->has(run.id); });
    if (!found.runs.empty()) results[i] = collect(found.study, found.cells, found.runs, *store);
    inputs.push_back({&jobs[i], results[i] ? &*results[i] : nullptr, std::ssize(found.runs)});
  }
  const std::string output = options.output.empty() ? default_report_path(options.store) : options.output;
  const WrittenReport written = write_report(std::move(inputs), store.get(), options, output);
  if (options.json) {
    std::cout << json_text(Json{{"report", written.path},
                                {"bytes", written.bytes},
                                {"studies", written.studies},
                                {"figures", written.figures},
                                {"claims", written.claims}});
  } else {
    std::cout << written.path << ": " << count_text(static_cast<int64_t>(written.claims), "claim") << ", "
              << count_text(static_cast<int64_t>(written.figures), "figure") << ", " << bytes_text(written.bytes)
              << "\n";
  }
  return 0;
}

}  // namespace atto
