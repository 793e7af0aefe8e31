// What the numbers among a detector's settings are by default and may be, and which quantities have been revised: a
// verdict rests on both, so neither changes without a word.
#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "phenomena/detectors/detector.h"

namespace atto {
namespace {

struct NumberSetting {
  std::string key;  // with the detector's name before it
  double usual, low, high;

  // Spelt out: the library of the engine for the browser cannot derive them from <=>.
  auto all() const { return std::tie(key, usual, low, high); }
  bool operator==(const NumberSetting& other) const { return all() == other.all(); }
  bool operator<(const NumberSetting& other) const { return all() < other.all(); }
};

void PrintTo(const NumberSetting& one, std::ostream* out) {
  *out << one.key << " = " << one.usual << " from " << one.low << " to " << one.high;
}

std::vector<NumberSetting> number_settings() {
  std::vector<NumberSetting> found;
  for (const std::string& name : detector_names()) {
    const auto detector = make_detector(name);
    Fields fields;
    detector->describe(fields);
    for (const Field& field : fields.all()) {
      const Value usual = field.get();
      if (field.is_number())
        found.push_back(
            {name + "." + field.key,
             field.type == FieldType::integer ? static_cast<double>(std::get<int64_t>(usual)) : std::get<double>(usual),
             field.low, field.high});
    }
  }
  return found;
}

TEST(DetectorSettings, NumbersHaveTheirDefaultsAndLimits) {
  std::vector<NumberSetting> expected = {
      {"branching.threshold", 0.4, 0, 10},
      {"branching.significance", 1, 0, 1},
      {"circle.at", -1, -1, 1e12},
      {"circle.threshold", 0.1, 0, 10},
      {"circle.significance", 0.01, 0, 1},
      {"collapse.smooth", 100, 0, 1e12},
      {"comovement.window", 100, 1, 1e12},
      {"comovement.fall", 0.05, 1e-9, 100},
      {"compute.threshold", 0.1, -1e300, 1e300},
      {"compute.hold", 3, 1, 1e9},
      {"continuity.at", -1, -1, 1e12},
      {"continuity.reach", 0, 0, 1e9},
      {"continuity.components", 0, 0, 1e6},
      {"continuity.threshold", 0.5, 0, 10},
      {"continuity.significance", 0.01, 0, 1},
      {"emergence.threshold", 1.5, -1e300, 1e300},
      {"emergence.hold", 3, 1, 1e9},
      {"emergence.hold_steps", 0, 0, 1e12},
      {"emergence.smooth", 0, 0, 1e12},
      {"frequency_geometry.at", -1, -1, 1e12},
      {"grokking.threshold", 0.5, -1e300, 1e300},
      {"grokking.hold", 3, 1, 1e9},
      {"grokking.hold_steps", 0, 0, 1e12},
      {"grokking.factor", 2, 1, 1e9},
      {"overfitting.tolerance", 0.1, 0, 1e9},
      {"overfitting.smooth", 0, 0, 1e12},
      {"power_law.from", 0, 0, 1e12},
      {"power_law.to", 0, 0, 1e12},
      {"power_law.r2", 0.98, 0, 1},
      {"power_law.bend", 0.3, 0, 1e9},
      {"power_law.decades", 1, 0, 12},
      {"separation.at", -1, -1, 1e12},
      {"sinks.at", -1, -1, 1e12},
      {"sinks.top", 3, 1, 1e9},
      {"sinks.rare_from", 10, 1, 1e9},
      {"sinks.threshold", 2, 0, 1e9},
      {"sinks.significance", 0.05, 0, 1},
      {"spikes.from", 500, 0, 1e12},
      {"spikes.window", 51, 5, 1e6},
      {"spikes.window_steps", 0, 0, 1e12},
      {"spikes.factor", 2, 1, 1e9},
      {"spikes.rise", 0.5, 1e-9, 1e9},
      {"spikes.noise", 7, 0, 1e9},
      {"spikes.longest_steps", 1000, 0, 1e12},
      {"spikes.longest", 1, 0, 1},
      {"swaps.from", 1000, 0, 1e12},
      {"swaps.every", 0, 0, 1e12},
      {"swaps.least", 1, 1, 1e9},
      {"value.step", 0, 0, 1e12},
  };
  const std::vector<NumberSetting> of_plateaus = {
      {"band", 0.15, 0.001, 10},      {"margin", 0.2, 0, 100}, {"contrast", 5, 1, 1e6}, {"lasting", 0.1, 0, 1},
      {"shortest_steps", 0, 0, 1e12}, {"shortest", 0, 0, 1},   {"flat", 0.15, 0, 10},   {"within", 1.5, 1, 1e6},
  };
  for (const NumberSetting& one : of_plateaus) {
    expected.push_back({"plateau." + one.key, one.usual, one.low, one.high});
    for (const char* reader : {"branching", "collapse", "value"})
      expected.push_back({std::string(reader) + ".plateau_" + one.key, one.usual, one.low, one.high});
  }
  std::vector<NumberSetting> found = number_settings();
  std::sort(expected.begin(), expected.end());
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, expected);
}

TEST(DetectorSettings, QuantitiesHaveTheirRevisions) {
  const std::map<std::string, std::set<std::string>> second = {
      {"branching",
       {"pairs_coincide", "splits", "two_stages", "within_to_between", "within_to_between_end", "axis_share", "p"}},
      {"circle", {"on_circle"}},
      {"collapse",
       {"minimum", "minimum_step", "drop", "recovery", "on_plateau", "entry", "flatness", "rise_on_plateau", "exit",
        "leaving", "departure"}},
      {"continuity", {"continuous"}},
      {"emergence", {"emerged"}},
      {"grokking", {"late", "never"}},
      {"overfitting", {"rises", "gapes"}},
      {"plateau", {"present", "level", "start", "end", "length", "count"}},
      {"sinks", {"present"}},
      {"spikes", {"count", "any", "late", "height", "peak", "step"}},
  };
  for (const std::string& name : detector_names()) {
    const auto detector = make_detector(name);
    const auto revised = second.find(name);
    for (const QuantityHelp& quantity : detector->quantities())
      EXPECT_EQ(detector->revision(quantity.name),
                revised != second.end() && revised->second.contains(quantity.name) ? 2 : 1)
          << name << "." << quantity.name;
  }
  EXPECT_EQ(make_detector("value", {{"at", "plateau"}})->revision("value"), 2) << "as plateaus were";
}

}  // namespace
}  // namespace atto
