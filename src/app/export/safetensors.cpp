#include "app/export/safetensors.h"

#include "app/export/output_file.h"
#include "lab/results/json.h"

namespace atto {

void write_safetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors,
                       const std::vector<std::pair<std::string, std::string>>& metadata) {
  Json header = Json::object();
  header["__metadata__"] = Json::object();
  for (const auto& [key, text] : metadata) header["__metadata__"][key] = text;
  uint64_t offset = 0;
  for (const NamedTensor& tensor : tensors) {
    const uint64_t end = offset + tensor.values.size() * sizeof(float);
    header[tensor.name] = {{"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');  // the data start aligned
  const uint64_t length = text.size();

  OutputFile file(path);
  file.write(raw_bytes(std::span(&length, 1)));
  file.write(text);
  for (const NamedTensor& tensor : tensors) file.write(raw_bytes(std::span(tensor.values)));
  file.commit();
}

}  // namespace atto
