// A verdict as a picture: where the claim expects the number, and where the runs put it.
#pragma once

#include <string>

#include "phenomena/claims/verdict.h"

namespace atto {

// An inline SVG: the region as a band, the interval that decides as a line with the estimate as a dot, and where there
// are two intervals, the other as a thinner line. The axis of a ratio is logarithmic. An end that lies beyond the axis
// is an arrow. A hollow dot is a decision that does not stand when the error is shared by all claims of the source.
// Empty without an estimate. Readers of the page find the same numbers next to it as text.
std::string forest_svg(const Claim& claim, const Verdict& verdict);

// What the signs mean, once for all pictures, as HTML.
std::string forest_key_html();

}  // namespace atto
