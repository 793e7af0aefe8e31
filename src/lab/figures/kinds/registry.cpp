#include <array>

#include "base/error.h"
#include "base/names.h"
#include "lab/figures/kinds/kinds.h"

namespace atto {
namespace {

struct Registered {
  const char *name, *help;
  std::unique_ptr<FigureKind> (*make)();
};

constexpr std::array kKinds{
    Registered{"curves", "observables over training steps: median over seeds, band, every seed on demand", make_curves},
    Registered{"trajectories", "embeddings in the plane on their way through training, animated", make_trajectories},
    Registered{"points", "embeddings in the plane at one moment of training", make_points},
    Registered{"attention", "maps of attention: probe sequences by training steps", make_attention},
    Registered{"landscape", "the reduced loss over w and Δa, with the path of training", make_landscape},
    Registered{"distribution", "a number of every seed, cell by cell, with the basins they fall into",
               make_distribution},
    Registered{"law", "the times of a [[fit]] against its sizes, with the fitted and the expected law", make_law},
    Registered{"phase", "a number over two swept keys as a map, with the line where it crosses a level", make_phase},
    Registered{"summary", "a number against a swept key: median or share over seeds with its interval", make_summary},
};

}  // namespace

std::unique_ptr<FigureKind> make_figure_kind(const std::string& name) {
  std::vector<std::string> names;
  for (const Registered& one : kKinds) {
    if (one.name == name) return one.make();
    names.emplace_back(one.name);
  }
  const std::string near = nearest_name(name, names);
  throw Error(ErrorKind::config,
              "unknown kind of figure '" + name + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"),
              "`atto help figures` lists them");
}

std::vector<std::pair<std::string, std::string>> figure_kinds() {
  std::vector<std::pair<std::string, std::string>> kinds;
  for (const Registered& one : kKinds) kinds.emplace_back(one.name, one.help);
  return kinds;
}

}  // namespace atto
