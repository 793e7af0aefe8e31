// A detector from outside of the program is taken only where it is the one that the study names.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "phenomena/detectors/function_detector.h"
#include "synthetic.h"

namespace atto::function_test {
namespace {

struct Largest final : CurveFunction {
  PartIdentity identity() const override { return {"largest", "1", "abc"}; }
  Finding detect(const std::vector<const Series*>& curves, const Recording&, const RunConfig&) const override {
    return {{"value", *std::max_element(curves.at(0)->values.begin(), curves.at(0)->values.end())}};
  }
};

std::unique_ptr<Detector> detector(const std::string& name, const std::string& hash) {
  std::unique_ptr<Detector> made = make_function_detector({{"largest", std::make_shared<Largest>()}});
  Fields fields;
  made->describe(fields);
  fields.at("function").set_text(name);
  fields.at("function_version").set_text("1");
  fields.at("function_hash").set_text(hash);
  fields.at("series").set(ValueList{{std::string("loss")}});
  fields.at("quantities").set(ValueList{{std::string("value")}});
  return made;
}

std::string refusal(const std::string& name, const std::string& hash) {
  try {
    detector(name, hash)->check_settings();
    return "accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(FunctionDetector, FindsWhatItsFunctionFinds) {
  const Recording recording = synthetic::finished({synthetic::snapshots("loss", {}, {{1}, {3}, {2}})});
  EXPECT_EQ(refusal("largest", "abc"), "accepted");
  EXPECT_EQ(synthetic::value_of(detector("largest", "abc")->detect(recording, {}), "value"), 3);
}

TEST(FunctionDetector, IsRefusedWithoutItsFunction) {
  EXPECT_EQ(refusal("smallest", "abc"), "the detector 'smallest' is a function in Python, which is not here");
  EXPECT_EQ(refusal("largest", "abd"), "the detector 'largest' is not the one that the study was written for");
}

}  // namespace
}  // namespace atto::function_test
