// Study files: finding them by name, reading them.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/error.h"
#include "base/names.h"
#include "base/read_file.h"
#include "lab/study/study.h"

namespace atto {
namespace fs = std::filesystem;
namespace {

std::vector<std::string> names_in(const fs::path& folder, std::error_code& status) {
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder, status), end; !status && entry != end; entry.increment(status))
    if (entry->path().extension() == ".toml") names.push_back(entry->path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

bool is_file(const fs::path& path) {
  std::error_code status;  // an unreachable path is no file
  return fs::exists(path, status) && !fs::is_directory(path, status);
}

// The whole text of a study file.
std::string text_of(const std::string& path) {
  std::error_code status;
  if (fs::is_directory(path, status))
    throw Error(ErrorKind::missing, "'" + path + "' is a folder, not a study", "name a .toml file inside it");
  std::optional<std::string> text = read_file(path);
  if (!text)
    throw Error(ErrorKind::missing, "cannot read '" + path + "': " + std::strerror(errno ? errno : EIO),
                "check the name and the permissions of the file");
  return *std::move(text);
}

}  // namespace

std::vector<std::string> list_studies(const std::string& folder) {
  std::error_code status;
  std::vector<std::string> names = names_in(folder, status);
  if (status)
    throw Error(ErrorKind::missing, "cannot list the studies in '" + folder + "': " + status.message(),
                "run from the project's folder, or name the folder of the studies");
  return names;
}

std::string find_study(const std::string& name_or_path, const std::vector<std::string>& folders) {
  const bool is_path = name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".toml");
  if (is_path && is_file(name_or_path)) return name_or_path;
  const std::string name = is_path ? fs::path(name_or_path).stem().string() : name_or_path;
  std::vector<std::string> names;
  std::string searched;
  for (const std::string& folder : folders) {
    const fs::path candidate = fs::path(folder) / (name + ".toml");
    if (!is_path && !name.empty() && is_file(candidate)) return candidate.string();
    std::error_code status;  // a folder that is not there holds no studies
    for (std::string& known : names_in(folder, status)) names.push_back(std::move(known));
    searched += (searched.empty() ? "" : ", ") + folder;
  }
  const std::string near = nearest_name(name, names);
  throw Error(ErrorKind::missing,
              (is_path ? "there is no file '" : "there is no study '") + name_or_path + "'" +
                  (is_path ? "" : " in " + (searched.empty() ? "any folder" : searched)) +
                  (near.empty() ? "" : "; did you mean '" + near + "'?"),
              "`atto list` shows the studies; a file of your own is given by its path");
}

Study read_study(const std::string& path, const StudyOptions& options) {
  return parse_study(text_of(path), path, options);
}

StudyOutline outline_study(const std::string& path) { return parse_outline(text_of(path), path); }

}  // namespace atto
