// A web browser without a window draws the figures that go to files: the same page code as in the report, so the same
// look.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/options.h"
#include "lab/results/json.h"

namespace atto {

struct Rendering {
  Json spec;
  std::string name;  // for messages
  FigureFormat format = FigureFormat::svg;
  double scale = 2;  // pixels of a PNG per pixel of the figure
  std::string theme = "light";
};

// The bytes of each file. The browser is $ATTO_BROWSER, else the first Chromium or Chrome on the path: Error(missing)
// with a remedy when there is none or it fails, Error(internal) with its words when it cannot draw a figure. Nothing
// when the user stopped it.
std::optional<std::vector<std::string>> render(const std::vector<Rendering>& renderings);

}  // namespace atto
