// `plateau`: does the perplexity linger at an intermediate level, where, and from when to when? plateau_finder.h
// defines it. Of several plateaus the longest is reported. Where the run ends on it, `end` and `length` are censored.
#include "phenomena/readings.h"

namespace atto {
namespace {

class PlateauDetector final : public Detector {
 public:
  void describe(Fields& fields) override { reader_.describe(fields, "series", ""); }

  std::vector<std::string> needs() const override { return {reader_.series}; }

  std::vector<std::pair<std::string, std::string>> quantities() const override {
    return {{"present", "1 if there is a plateau, else 0"},
            {"level", "median perplexity on it"},
            {"start", "first step on it"},
            {"end", "last step on it; censored when the run ends on it"},
            {"length", "end - start"},
            {"count", "how many plateaus there are"}};
  }

  Finding detect(const Recording& recording, const RunConfig& config) const override {
    const PlateauReader::Reading reading = reader_.read(recording, config);
    if (!reading.readable) return nothing(*this);
    const auto count = static_cast<double>(reading.plateaus.size());
    if (reading.plateaus.empty())
      return {{"present", 0}, {"level", {}}, {"start", {}}, {"end", {}}, {"length", {}}, {"count", 0}};
    const Plateau& longest = reading.plateaus.front();
    return {{"present", 1},
            {"level", longest.level},
            {"start", static_cast<double>(reading.start)},
            {"end", static_cast<double>(reading.end), !longest.left},
            {"length", static_cast<double>(reading.end - reading.start), !longest.left},
            {"count", count}};
  }

 private:
  PlateauReader reader_;
};

}  // namespace

std::unique_ptr<Detector> make_plateau_detector() { return std::make_unique<PlateauDetector>(); }

}  // namespace atto
