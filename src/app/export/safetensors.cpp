#include "app/export/safetensors.h"

#include "app/export/output_file.h"
#include "lab/results/json.h"

namespace atto {

void write_safetensors(const std::filesystem::path& path, const std::vector<WeightMatrix>& weights,
                       const std::vector<std::pair<std::string, std::string>>& metadata) {
  Json header = Json::object();
  header["__metadata__"] = Json::object();
  for (const auto& [key, text] : metadata) header["__metadata__"][key] = text;
  uint64_t offset = 0;
  for (const WeightMatrix& matrix : weights) {
    const uint64_t end = offset + matrix.values.size() * sizeof(float);
    header[matrix.name] = {{"dtype", "F32"}, {"shape", {matrix.rows, matrix.columns}}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');  // the data start aligned
  const uint64_t length = text.size();

  OutputFile file(path);
  file.write(raw_bytes(std::span(&length, 1)));
  file.write(text);
  for (const WeightMatrix& matrix : weights) file.write(raw_bytes(std::span(matrix.values)));
  file.commit();
}

}  // namespace atto
