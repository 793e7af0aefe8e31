// The parts of the report, each as HTML.
#pragma once

#include <string>
#include <vector>

#include "lab/figures/figure.h"
#include "report/report.h"

namespace atto {

// What was found, source by source: what was asked, the answers in sentences, the figure that shows the first of them,
// and every verdict as a mark.
std::string answers_html(const std::vector<ClaimResult>& claims, const std::vector<ClaimPlace>& places);

// Rows of the table of claims; each leads to the figure that shows it. `id` is the study's in the page.
std::string claim_rows(const StudyReport& report, const std::string& id);
// Base run, sweep, seeds and what is observed: everything that is not a default.
std::string setting_html(const Study& study);
// A figure with its caption, the claims it shows, the link to the playground (HTML; may be empty) and the command that
// makes it; or the reason why it is not drawn.
std::string figure_html(const Figure& figure, const StudyReport& report, const std::string& id,
                        const std::string& live);
// Fits, and every cell's final values and findings.
std::string numbers_html(const StudyResult& result);
// What a reader must know before looking: runs that are missing, diverged or alone.
std::string notices_html(const StudyReport& report);

// Ids in the page.
std::string figure_id(const std::string& study_id, const std::string& figure);
std::string claim_id(const std::string& study_id, size_t claim);  // its place in the study

}  // namespace atto
