// The cases of the benchmark, as its requests name them.
#pragma once

#include <istream>
#include <string>

#include "spec/run_config.h"

namespace atto::bench {

struct Named {
  std::string part;
  RunConfig config;
};

// Reads PART V D C B: the part that differs from the plain network, vocabulary, width, context, batch.
Named read_case(std::istream& in);

// Reads NAME KEY=VALUE...: a further part, by the keys of a study that differ from the defaults.
void name_part(std::istream& in);

}  // namespace atto::bench
