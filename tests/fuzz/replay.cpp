// Gives a fuzzer's function every file of the folders that are named. A file that was a finding fails here again if its
// fault comes back.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

#include "fuzz.h"

int main(int count, char** names) {
  size_t files = 0;
  for (int i = 1; i < count; ++i) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(names[i])) {
      if (!entry.is_regular_file()) continue;
      std::cerr << entry.path().filename().string() << std::endl;  // the last one is the one that failed
      std::ifstream file(entry.path(), std::ios::binary);
      const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
      LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
      ++files;
    }
  }
  std::cout << files << " inputs\n";
  return files > 0 ? 0 : 1;
}
