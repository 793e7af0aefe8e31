// Every detector, by name. A new one is a file that defines make_<name>_detector() and one line here.
#include <algorithm>

#include "base/error.h"
#include "base/names.h"
#include "phenomena/detectors/detector.h"

#ifdef ATTO_MORE_PARTS
#include ATTO_MORE_PARTS  // a build with parts of its own (docs/adding-parts.md)
#endif
#ifndef ATTO_MORE_DETECTORS
#define ATTO_MORE_DETECTORS(ENTRY)
#endif

#define ATTO_DETECTORS(ENTRY) \
  ENTRY(branching)            \
  ENTRY(circle)               \
  ENTRY(collapse)             \
  ENTRY(comovement)           \
  ENTRY(compute)              \
  ENTRY(continuity)           \
  ENTRY(emergence)            \
  ENTRY(frequency_geometry)   \
  ENTRY(grokking)             \
  ENTRY(overfitting)          \
  ENTRY(peak)                 \
  ENTRY(plateau)              \
  ENTRY(power_law)            \
  ENTRY(separation)           \
  ENTRY(sinks)                \
  ENTRY(spikes)               \
  ENTRY(swaps)                \
  ENTRY(value)                \
  ATTO_MORE_DETECTORS(ENTRY)

namespace atto {

#define DECLARE(name) std::unique_ptr<Detector> make_##name##_detector();
ATTO_DETECTORS(DECLARE)
#undef DECLARE

namespace {

struct Entry {
  const char* name;
  std::unique_ptr<Detector> (*make)();
};

constexpr Entry kDetectors[] = {
#define LIST(name) {#name, make_##name##_detector},
    ATTO_DETECTORS(LIST)
#undef LIST
};

}  // namespace

std::unique_ptr<Detector> make_detector(const std::string& name) {
  for (const Entry& entry : kDetectors)
    if (name == entry.name) return entry.make();
  const std::string near = nearest_name(name, detector_names());
  std::string known;
  for (const Entry& entry : kDetectors) known += (known.empty() ? "" : ", ") + std::string(entry.name);
  throw Error(ErrorKind::config,
              "unknown detector '" + name + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"),
              "detectors are: " + known);
}

std::vector<std::string> detector_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kDetectors) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<Detector> make_detector(const std::string& name, const DetectorSettings& settings) {
  std::unique_ptr<Detector> detector = make_detector(name);
  Fields fields;
  detector->describe(fields);
  for (const auto& [key, value] : settings) {
    const Field& field = fields.at(key);
    field.assign(field.read(value));
  }
  return detector;
}

const Quantity* find(const Finding& finding, const std::string& name) {
  const auto found =
      std::find_if(finding.begin(), finding.end(), [&](const Quantity& one) { return one.name == name; });
  return found == finding.end() ? nullptr : &*found;
}

}  // namespace atto
