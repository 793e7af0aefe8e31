// Times the drawing of a batch alone: what a step takes before the network sees anything.
#pragma once

#include <istream>

namespace atto::bench {

// Reads CASE SECONDS; microseconds a batch on a processor, over about so many seconds.
double draw_microseconds(std::istream& in);

}  // namespace atto::bench
