#include "lab/study/run_files.h"

#include "base/error.h"

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
  if (!file) file = load_number_file(folder_ / path);
  return file;
}

void attach_files(RunConfig& config, NumberFiles& files) {
  DataConfig& data = config.data;
  if (data.file.empty()) return;
  try {
    data.content = files.get(data.file);
    if (!data.file_hash.empty() && data.file_hash != data.content->hash)
      throw Error(ErrorKind::config,
                  data.content->name + " has the content hash " + data.content->hash + ", but data.file_hash says " +
                      data.file_hash,
                  "take the file that the study was written for, or change or remove data.file_hash");
  } catch (const Error& error) {
    throw FileError(error, data.file);
  }
  data.file_hash = data.content->hash;
}

Place place_of_text(const TomlDocument& document, const std::string& text) {
  const TomlNode* found = find_text(document.root, text);
  return found ? found->place : Place{};
}

}  // namespace atto
