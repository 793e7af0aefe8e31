// What the browser needs of a report, from web/, kept inside the program so that it stands alone.
#pragma once

#include <string_view>

namespace atto::assets {

// The page around a report, with the places {{title}}, {{style}}, {{body}}, {{script}} and {{licences}}. Title and
// licences are text: they are escaped when put in. Its policy allows no other script and style than these.
std::string_view page();
std::string_view style();
// Draws the figures and reacts to the reader; also draws single figures for the command line.
std::string_view script();
// The licence texts of the packages inside the script.
std::string_view licences();
// The playground as a whole page, which stands next to a report; empty in a program that was built without it.
std::string_view playground();
// How figures look, as JSON: {"light": a configuration of Vega-Lite, "dark": another}.
std::string_view look();

}  // namespace atto::assets
