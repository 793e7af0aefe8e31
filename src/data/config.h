// What the network sees: the task and its sizes.
#pragma once

#include <cstdint>
#include <string>

#include "numeric/fields.h"

namespace atto {

struct DataConfig {
  std::string task = "copy";
  int64_t vocab = 10;            // V, token kinds
  int64_t context = 4;           // C, tokens in a sequence
  int64_t offset = 0;            // copy: how many positions back the answer stands
  std::string targets = "last";  // which positions are asked: the last, or every one that has an answer
};

// Adds the fields `data.*` bound to `config`.
void describe(Fields& fields, DataConfig& config);

// Relations between fields that no single range can state; throws Error(config).
void validate(const DataConfig& config);

}  // namespace atto
