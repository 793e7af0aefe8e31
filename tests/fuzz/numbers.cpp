// Files of numbers (CSV, NPY, NPZ): any bytes are refused, or are arrays as large as they say.
#include "data/files/number_file.h"
#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace atto;
  fuzz::may_refuse([&] {
    const NumberFile file = parse_number_file(std::string(reinterpret_cast<const char*>(data), size), "numbers");
    fuzz::require(!file.arrays.empty(), "a file that is read holds an array");
    for (const NumberArray& array : file.arrays) {
      size_t count = 1;
      for (const size_t extent : array.shape) count *= extent;
      fuzz::require(count == array.values.size() && count > 0, "an array has as many numbers as its shape says");
      fuzz::require(array.lines.empty() || array.lines.size() == array.shape[0], "every row has a line");
    }
  });
  return 0;
}
