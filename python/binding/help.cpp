#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "app/options.h"
#include "app/program.h"
#include "bindings.h"
#include "kernels/simd/target.h"
#include "lab/figures/figure.h"
#include "lab/results/json.h"
#include "lab/store/store.h"
#include "observe/observable.h"
#include "phenomena/detectors/detector.h"
#include "spec/run_config.h"

namespace atto::python {
namespace {

const char* type_word(FieldType type) {
  switch (type) {
    case FieldType::flag:
      return "bool";
    case FieldType::integer:
      return "int";
    case FieldType::real:
      return "float";
    case FieldType::word:
      return "str";
    case FieldType::list:
      return "list";
    case FieldType::table:
    case FieldType::record:
      return "dict";
  }
  return "object";
}

Json about(const FieldInfo& field, const Value& initial) {
  return {{"key", field.key},         {"type", type_word(field.type)}, {"allowed", field.allowed()},
          {"choices", field.choices}, {"default", to_json(initial)},   {"help", field.help}};
}

std::string keys_json() {
  Json list = Json::array();
  for (const RunField& field : run_schema().all()) list.push_back(about(field, field.initial));
  return list.dump();
}

std::string seed_keys_json() {
  Json list = Json::array();
  for (const auto& field : seed_plan_schema().all()) list.push_back(about(field, field.initial));
  return list.dump();
}

std::string detectors_json() {
  Json all = Json::object();
  for (const std::string& name : detector_names()) {
    const auto detector = make_detector(name);
    Fields fields;
    detector->describe(fields);
    Json settings = Json::array(), quantities = Json::object();
    for (const Field& field : fields.all()) settings.push_back(about(field, field.get()));
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
  module.def("seed_keys_json", &seed_keys_json);
  module.def("detectors_json", &detectors_json);
  module.def("figure_kinds_json", &figure_kinds_json);
  module.def("run_program", &run, nb::call_guard<nb::gil_scoped_release>());
  module.def("supported_targets", &supported_targets);
  module.def("active_target", &active_target);
  module.def("pin_target", [](const std::string& name) { pin_target(name); });
}

}  // namespace atto::python
