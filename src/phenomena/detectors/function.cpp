// `function`: what a function from outside of the program finds in curves (phenomena/detectors/function_detector.h).
#include "base/contains.h"
#include "base/error.h"
#include "phenomena/detectors/function_detector.h"
#include "phenomena/detectors/readings.h"

namespace atto {
namespace {

struct FunctionSettings {
  std::string function, version, hash;
  std::vector<std::string> series;
  std::vector<std::string> quantities, yes_or_no;
};

const Schema<FunctionSettings>& function_schema() {
  static const Schema<FunctionSettings> schema =
      Schema<FunctionSettings>()
          .word("function", &FunctionSettings::function, {}, "name of the function")
          .word("function_version", &FunctionSettings::version, {}, "the version it gives itself")
          .word("function_hash", &FunctionSettings::hash, {}, "hash of its source and of the values it holds on to")
          .words("series", &FunctionSettings::series, {}, "addresses of the curves that it gets")
          .words("quantities", &FunctionSettings::quantities, {}, "what it finds")
          .words("yes_or_no", &FunctionSettings::yes_or_no, {}, "those of them that are true or false");
  return schema;
}

class FunctionDetector final : public Detector {
 public:
  explicit FunctionDetector(const CurveFunctions& functions) : functions_(functions) {}

  void describe(Fields& fields) override { fields.all_of(settings_, function_schema()); }

  void check_settings() const override {
    const PartIdentity said{settings_.function, settings_.version, settings_.hash};
    const auto found = functions_.find(said.name);
    if (found == functions_.end())
      throw Error(ErrorKind::config, "the detector '" + said.name + "' is a function in Python, which is not here",
                  "run the study from Python: attoscope.Study.from_toml(text, parts=[detector]).run()");
    if (found->second->identity() != said)
      throw Error(ErrorKind::config, "the detector '" + said.name + "' is not the one that the study was written for",
                  "take that one, or set function_version and function_hash to those of this one");
    if (settings_.series.empty())
      throw Error(ErrorKind::config, "the detector '" + said.name + "' reads no series", "series = [\"loss\"]");
    if (settings_.quantities.empty())
      throw Error(ErrorKind::config, "the detector '" + said.name + "' finds nothing", "quantities = [\"step\"]");
  }

  SeriesNeeds needs() const override {
    SeriesNeeds needs;
    for (const std::string& address : settings_.series) needs.push_back(SeriesNeed::scalar(address));
    return needs;
  }

  std::vector<QuantityHelp> quantities() const override {
    std::vector<QuantityHelp> all;
    for (const std::string& name : settings_.quantities)
      all.push_back({name, "found by " + settings_.function, contains(settings_.yes_or_no, name)});
    return all;
  }

  Finding detect(const Recording& recording, const RunConfig& config) const override {
    std::vector<const Series*> curves;
    for (const std::string& address : settings_.series) curves.push_back(&require_scalar(recording, address));
    return functions_.at(settings_.function)->detect(curves, recording, config);
  }

 private:
  CurveFunctions functions_;
  FunctionSettings settings_;
};

}  // namespace

std::unique_ptr<Detector> make_function_detector(const CurveFunctions& functions) {
  return std::make_unique<FunctionDetector>(functions);
}

}  // namespace atto
