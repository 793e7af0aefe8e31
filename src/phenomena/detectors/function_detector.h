// A detector from outside of the program: a function of curves. It is in no list of detectors, because it is nothing
// without its function; a study calls it `detector = "function"`.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/host_calls.h"
#include "phenomena/detectors/detector.h"

namespace atto {

inline constexpr const char* kFunctionDetector = "function";

class CurveFunction {
 public:
  virtual ~CurveFunction() = default;
  virtual PartIdentity identity() const = 0;
  virtual Finding detect(const std::vector<const Series*>& curves, const Recording& recording,
                         const RunConfig& config) const = 0;
};

using CurveFunctions = std::map<std::string, std::shared_ptr<const CurveFunction>>;  // by name

// It takes its function from these once its settings have named it.
std::unique_ptr<Detector> make_function_detector(const CurveFunctions& functions);

}  // namespace atto
