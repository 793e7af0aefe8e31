#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/error.h"
#include "bindings.h"
#include "data/regression.h"
#include "lab/results/json.h"
#include "phenomena/detectors/detector.h"
#include "study.h"
#include "theory/gradient_flow.h"
#include "theory/linear_theory.h"

namespace atto::python {
namespace {

nb::dict predict(int64_t length, int64_t dimension, int64_t repeat, double cross, double threshold) {
  Regression problem;
  regression_schema().at("length").set(problem, length);
  regression_schema().at("dimension").set(problem, dimension);
  regression_schema().at("repeat").set(problem, repeat);
  regression_schema().at("cross").set(problem, cross);
  validate(problem);
  validate_threshold(threshold);
  nb::dict prediction;
  prediction["growth_rate"] = growth_rate(problem);
  prediction["closed_form"] = escape_time(problem, threshold);
  prediction["flow"] = crossing(problem, threshold, LossKind::test);
  return prediction;
}

// What a detector finds in a curve from anywhere: {"plateau.level": {"value": …, "censored": …}} as JSON.
std::string detect(const std::string& name, const std::string& settings, const std::string& config,
                   const std::vector<std::string>& addresses,
                   const std::vector<nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>>& steps,
                   const std::vector<nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>>& values) {
  DetectorSettings chosen;
  const Json given = parse_json(settings);
  for (const auto& [key, value] : given.items()) chosen.emplace_back(key, value_of(value));
  const std::unique_ptr<Detector> detector = make_detector(name, chosen);
  Recording recording;
  for (size_t i = 0; i < addresses.size(); ++i) {
    if (steps[i].shape(0) != values[i].shape(0))
      throw Error(ErrorKind::usage, "'" + addresses[i] + "' has " + std::to_string(steps[i].shape(0)) + " steps and " +
                                        std::to_string(values[i].shape(0)) + " values");
    Series series{addresses[i], {}, {}, {}};
    series.steps.assign(steps[i].data(), steps[i].data() + steps[i].shape(0));
    series.values.assign(values[i].data(), values[i].data() + values[i].shape(0));
    if (!series.steps.empty()) recording.steps_done = std::max(recording.steps_done, series.steps.back());
    recording.series.push_back(std::move(series));
  }
  RunConfig run = config_of(config);
  run.training.steps = std::max(run.training.steps, recording.steps_done);
  Json found = Json::object();
  for (const Quantity& one : detector->detect(recording, run))
    found[one.name] = {{"value", number_json(one.value)}, {"censored", one.censored}};
  return found.dump();
}

}  // namespace

void bind_analysis(nb::module_& module) {
  module.def("predict", &predict, nb::arg("length"), nb::arg("dimension"), nb::arg("repeat"), nb::arg("cross"),
             nb::arg("threshold"));
  module.def("detect", &detect);
}

}  // namespace atto::python
