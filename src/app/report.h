// The report of several studies, written to a file.
#pragma once

#include <string>
#include <vector>

#include "app/job.h"
#include "lab/store.h"

namespace atto {

struct WrittenReport {
  std::string path;
  size_t bytes = 0, studies = 0, figures = 0, claims = 0;
};

// `results[i]` are those of jobs[i], whose runs are the ones asked for, or nothing where the store holds none of them.
// Studies come in the order of their sources. The file is options.output, else report.html beside the store.
struct ReportInput {
  const Job* job = nullptr;
  const StudyResult* result = nullptr;
  int64_t runs = 0;  // in the store
};
WrittenReport write_report(std::vector<ReportInput> inputs, const Store* store, const Options& options,
                           const std::string& output);

// "results/report.html" for the store "results/atto.db".
std::string default_report_path(const std::string& store);

}  // namespace atto
