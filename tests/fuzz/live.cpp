// Requests of those who watch: any bytes get an answer in JSON.
#include "fuzz.h"
#include "lab/results/json.h"
#include "live/ask.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace atto;
  const std::string answer = ask(std::string(reinterpret_cast<const char*>(data), size));
  fuzz::require(try_parse_json(answer).has_value(), "an answer is JSON: " + answer);
  return 0;
}
