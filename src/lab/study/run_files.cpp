#include "lab/study/run_files.h"

#include "base/error.h"
#include "lab/study/own_parts.h"

namespace atto {
namespace {

const TomlNode* find_text(const TomlNode& node, const std::string& text) {
  if (node.kind == TomlNode::Kind::scalar) {
    const auto* said = std::get_if<std::string>(&node.scalar);
    return said && *said == text ? &node : nullptr;
  }
  for (const TomlNode& item : node.items)
    if (const TomlNode* found = find_text(item, text)) return found;
  for (const TomlEntry& entry : node.entries)
    if (const TomlNode* found = find_text(entry.value, text)) return found;
  return nullptr;
}

}  // namespace

std::shared_ptr<const NumberFile> NumberFiles::get(const std::string& path) {
  std::shared_ptr<const NumberFile>& file = files_[path];
  if (!file && path.starts_with(kArraysPrefix))
    throw Error(ErrorKind::missing,
                "the arrays '" + path.substr(std::string_view(kArraysPrefix).size()) +
                    "' that the study takes its data from are not here",
                "run it from Python: attoscope.Study.from_toml(text, parts=[task]).run()");
  if (!file && !reads_files_)
    throw Error(ErrorKind::config, "'" + path + "' is a file, and studies that are only watched read none",
                "save the study next to its file and train it with `atto run`");
  if (!file) file = load_number_file(folder_ / path);
  return file;
}

std::vector<std::string> NumberFiles::paths() const {
  std::vector<std::string> paths;
  for (const auto& [path, file] : files_)
    if (file && !path.starts_with(kArraysPrefix)) paths.push_back(path);
  return paths;
}

namespace {

// The content of the file at `path`, which `expected` is the hash of unless it is empty; then it becomes so. The keys
// are those of a study, for messages.
std::shared_ptr<const NumberFile> attached(const std::string& path, std::string& expected, const std::string& hash_key,
                                           NumberFiles& files) {
  try {
    const std::shared_ptr<const NumberFile> content = files.get(path);
    if (!expected.empty() && expected != content->hash)
      throw Error(ErrorKind::config,
                  content->name + " has the content hash " + content->hash + ", but " + hash_key + " says " + expected,
                  "take the file that the study was written for, or change or remove " + hash_key);
    expected = content->hash;
    return content;
  } catch (const Error& error) {
    throw FileError(error, path);
  }
}

}  // namespace

void attach_files(RunConfig& config, NumberFiles& files) {
  DataConfig& data = config.data;
  if (!data.file.empty()) data.content = attached(data.file, data.file_hash, "data.file_hash", files);
  NetworkConfig& network = config.network;
  for (const auto& [name, path] : network.start_file)
    network.start_content[name] = attached(path, network.start_hash[name], "network.start_hash", files);
}

Place place_of_text(const TomlDocument& document, const std::string& text) {
  const TomlNode* found = find_text(document.root, text);
  return found ? found->place : Place{};
}

}  // namespace atto
