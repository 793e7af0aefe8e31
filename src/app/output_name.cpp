#include "app/output_name.h"

#include <filesystem>

#include "app/export/output_file.h"
#include "base/error.h"

namespace atto {

namespace fs = std::filesystem;

void require_writable(const std::string& output) {
  std::error_code ignored;  // what cannot be looked at cannot be written either, which the file says
  const fs::file_status status = fs::status(output, ignored);
  if (fs::is_directory(status) || output.ends_with('/'))
    throw Error(ErrorKind::usage, "--output " + output + " is a folder, and not the name of a file",
                "name a file in it");
  // Opening a pipe or a device may wait, or be noticed at its other end.
  if (fs::is_fifo(status) || fs::is_character_file(status)) return;
  const OutputFile probe(output);  // without commit() nothing stays of it
}

}  // namespace atto
