// Every kind of figure, by name. A new one is a file that defines make_<name>_figure() and one line here.
#include "base/error.h"
#include "base/names.h"
#include "lab/figures/figure.h"

#ifdef ATTO_MORE_PARTS
#include ATTO_MORE_PARTS  // a build with parts of its own (docs/adding-parts.md)
#endif
#ifndef ATTO_MORE_FIGURES
#define ATTO_MORE_FIGURES(ENTRY)
#endif

#define ATTO_FIGURES(ENTRY) \
  ENTRY(curves)             \
  ENTRY(trajectories)       \
  ENTRY(points)             \
  ENTRY(attention)          \
  ENTRY(landscape)          \
  ENTRY(distribution)       \
  ENTRY(law)                \
  ENTRY(phase)              \
  ENTRY(summary)            \
  ENTRY(specification)      \
  ENTRY(thresholds)         \
  ATTO_MORE_FIGURES(ENTRY)

namespace atto {

#define DECLARE(name) std::unique_ptr<FigureKind> make_##name##_figure();
ATTO_FIGURES(DECLARE)
#undef DECLARE

namespace {

struct Entry {
  const char* name;
  std::unique_ptr<FigureKind> (*make)();
};

constexpr Entry kKinds[] = {
#define LIST(name) {#name, make_##name##_figure},
    ATTO_FIGURES(LIST)
#undef LIST
};

}  // namespace

std::unique_ptr<FigureKind> make_figure_kind(const std::string& name) {
  for (const Entry& entry : kKinds)
    if (name == entry.name) return entry.make();
  const std::string near = nearest_name(name, figure_kind_names());
  throw Error(ErrorKind::config,
              "unknown kind of figure '" + name + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"),
              "`atto help figures` lists them");
}

std::vector<std::string> figure_kind_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kKinds) names.emplace_back(entry.name);
  return names;
}

}  // namespace atto
