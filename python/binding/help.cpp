#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "app/options.h"
#include "app/program.h"
#include "base/version.h"
#include "bindings.h"
#include "lab/figures/figure.h"
#include "lab/results/schema_json.h"
#include "lab/store/store.h"
#include "without_gil.h"

namespace atto::python {
namespace {

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
  module.def("keys_json", [] { return keys_json().dump(); });
  module.def("detectors_json", [] { return detectors_json().dump(); });
  module.def("figure_kinds_json", &figure_kinds_json);
  module.def("run_program", &run, nb::call_guard<WithoutGil>());
}

}  // namespace atto::python
