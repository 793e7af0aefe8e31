// Links from a report to the playground page next to it, with the settings of a figure.
#pragma once

#include <string>

#include "report/report.h"

namespace atto {

// How many times longer a run takes in a browser than in this program, on one core: the engine in WebAssembly has
// narrower vectors and no fused multiply-add. Measured at vocabularies of 4 to 100 and widths of 2 to 10, it was 5 to
// 12 times.
inline constexpr double kBrowserSlowdown = 8;

// The state of the playground as the fragment of its address, which web/playground reads: "v=1&study=" and the TOML
// text of a study in the base64 of addresses.
std::string playground_fragment(const std::string& toml);

// "<a …>Watch these runs train</a>, about 3 min …": the runs of the figure's cells in the playground. Empty where these
// runs need files, or the figure has no cells. Without a time for their runs it says none.
std::string playground_link(const FigurePlan& plan, const StudyResult& result, const Playground& playground);

}  // namespace atto
