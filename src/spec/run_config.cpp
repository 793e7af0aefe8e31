#include "spec/run_config.h"

namespace atto {

const Schema<RunConfig>& run_schema() {
  static const Schema<RunConfig> schema = Schema<RunConfig>()
                                              .part(&RunConfig::data, data_schema())
                                              .part(&RunConfig::network, network_schema())
                                              .part(&RunConfig::training, training_schema())
                                              .part(&RunConfig::seeds, seed_schema());
  return schema;
}

}  // namespace atto
