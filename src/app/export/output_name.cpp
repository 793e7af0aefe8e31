#include "app/export/output_name.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "app/export/output_file.h"
#include "base/error.h"

namespace atto {
namespace {

constexpr std::array kEndings = {".csv", ".npz", ".safetensors", ".parquet", ".svg", ".png", ".gif", ".json", ".html"};

std::string lower_case(std::string text) {
  for (char& letter : text)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return text;
}

}  // namespace

void check_ending(const std::string& output, const std::string& ending, const std::string& option) {
  std::error_code ignored;  // what cannot be looked at is refused when it is written
  if (output.ends_with(ending) || std::filesystem::is_directory(output, ignored)) return;
  const std::string name = lower_case(output);
  if (std::none_of(kEndings.begin(), kEndings.end(), [&](const char* one) { return name.ends_with(one); })) return;
  throw Error(ErrorKind::usage, "--output " + output + " does not end as " + option + " does",
              "name a file that ends with " + ending + ", or a folder; or ask for the other format");
}

void require_writable(const std::string& output) {
  std::error_code ignored;  // what cannot be looked at cannot be written either, which the file says
  if (std::filesystem::is_directory(output, ignored) || output.ends_with('/'))
    throw Error(ErrorKind::usage, "--output " + output + " is a folder, and not the name of a file",
                "name a file in it");
  if (is_stream(output)) return;   // opening one may wait, or be noticed at its other end
  const OutputFile probe(output);  // without commit() nothing stays of it
}

void check_json_apart(const Options& options) {
  if (options.json && is_standard_output(options.output))
    throw Error(ErrorKind::usage, "--json and --output " + options.output + " both write to standard output",
                "leave out one of them");
}

}  // namespace atto
