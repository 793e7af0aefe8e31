// The settings of one run: data, network, training and seeds.
#pragma once

#include "base/schema.h"
#include "data/config.h"
#include "network/config.h"
#include "training/config.h"

namespace atto {

// Everything that decides a trajectory. Equal configurations give equal bits.
struct RunConfig {
  DataConfig data;
  NetworkConfig network;
  TrainingConfig training;
  SeedConfig seeds;
};

// Every setting of a run: data.*, network.*, training.*, seeds.*.
using RunField = SchemaField<RunConfig>;
const Schema<RunConfig>& run_schema();

}  // namespace atto
