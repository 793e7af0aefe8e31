// The report of several studies, written to a file.
#pragma once

#include <string>
#include <vector>

#include "app/job.h"
#include "lab/store/store.h"

namespace atto {

struct WrittenReport {
  std::string path;
  std::string playground;  // the page next to it that figures lead to; empty where the program has none
  size_t bytes = 0, studies = 0, figures = 0, claims = 0;
};

struct ReportInput {
  const Job* job = nullptr;             // with the runs that were asked for
  const StudyResult* result = nullptr;  // of those that the store holds; null when it holds none
  int64_t runs = 0;                     // that the store holds
};

// Studies come in the order of their sources and claims; `store` is null when there is none.
WrittenReport write_report(std::vector<ReportInput> inputs, const Store* store, const Options& options,
                           const std::string& output);

// "results/report.html" for the store "results/atto.db".
std::string default_report_path(const std::string& store);

}  // namespace atto
