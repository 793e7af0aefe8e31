#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "app/options.h"
#include "app/program.h"
#include "bindings.h"
#include "lab/figures/figure.h"
#include "lab/results/json.h"
#include "lab/store/store.h"
#include "observe/observable.h"
#include "phenomena/detectors/detector.h"
#include "spec/run_config.h"
#include "without_gil.h"

namespace atto::python {
namespace {

std::string keys_json() {
  Json list = Json::array();
  for (const RunField& field : run_schema().all()) list.push_back(to_json(field, field.initial));
  return list.dump();
}

std::string detectors_json() {
  Json all = Json::object();
  for (const std::string& name : detector_names()) {
    const auto detector = make_detector(name);
    Fields fields;
    detector->describe(fields);
    Json settings = Json::array(), quantities = Json::object();
    for (const Field& field : fields.all()) settings.push_back(to_json(field, field.get()));
    for (const QuantityHelp& one : detector->quantities()) quantities[one.name] = one.help;
    all[name] = {{"settings", settings}, {"quantities", quantities}};
  }
  return all.dump();
}

std::string figure_kinds_json() {
  Json all = Json::object();
  for (const std::string& name : figure_kind_names()) {
    const auto kind = make_figure_kind(name);
    FigureSettings settings;
    kind->describe(settings);
    Json keys = Json::array();
    for (const FigureSettings::Setting& one : settings.all())
      keys.push_back({{"key", one.key}, {"allowed", one.allowed}, {"default", one.initial}, {"help", one.help}});
    all[name] = {{"help", kind->help()}, {"settings", keys}};
  }
  return all.dump();
}

int run(const std::vector<std::string>& words) {
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  return run_program(static_cast<int>(arguments.size()), arguments.data());
}

}  // namespace

void bind_help(nb::module_& module) {
  module.attr("version") = kVersion;
  module.attr("engine_revision") = kEngineRevision;
  module.attr("store_format") = kStoreFormat;
  module.def("keys_json", &keys_json);
  module.def("detectors_json", &detectors_json);
  module.def("figure_kinds_json", &figure_kinds_json);
  module.def("run_program", &run, nb::call_guard<WithoutGil>());
}

}  // namespace atto::python
