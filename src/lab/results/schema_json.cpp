#include "lab/results/schema_json.h"

#include "phenomena/detectors/detector.h"
#include "spec/run_config.h"

namespace atto {

Json keys_json() {
  Json list = Json::array();
  for (const RunField& field : run_schema().all()) list.push_back(to_json(field, field.initial));
  return list;
}

Json detectors_json() {
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
  return all;
}

}  // namespace atto
