#include "app/studies.h"

#include <cstdlib>
#include <filesystem>

#include "app/terminal/text.h"
#include "base/error.h"

namespace atto {
namespace fs = std::filesystem;
namespace {

bool is_folder(const fs::path& path) {
  std::error_code ignored;  // an unreachable path is no folder
  return fs::is_directory(path, ignored);
}

// Next to the build folder in a source tree, or in share/attoscope/ after an installation.
fs::path folder_beside_program() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (failed) return {};
  const fs::path root = program.parent_path().parent_path();
  const fs::path installed = root / "share" / "attoscope" / "studies";
  return is_folder(installed) ? installed : root / "studies";
}

}  // namespace

std::string studies_folder(const Options& options) {
  if (!options.studies_folder.empty()) return options.studies_folder;  // listing it says what is wrong with it
  if (const char* folder = std::getenv("ATTO_STUDIES"); folder != nullptr && *folder != '\0') return folder;
  if (is_folder("studies")) return "studies";
  if (const fs::path folder = folder_beside_program(); is_folder(folder)) return folder.string();
  throw Error(ErrorKind::missing, "there is no studies folder here", "name it with --studies DIR or in ATTO_STUDIES");
}

std::string study_path(const std::string& name_or_path, const Options& options) {
  const bool is_path = name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".toml");
  if (is_path && is_folder(name_or_path))
    throw Error(ErrorKind::missing, "'" + name_or_path + "' is a folder, not the file of a study",
                "name a file in it, or a study together with --studies " + shell_word(name_or_path));
  return find_study(name_or_path, is_path ? std::vector<std::string>{} : std::vector{studies_folder(options)});
}

}  // namespace atto
