// The files of numbers that the runs of a study name: each is read once, with the study, and kept.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "data/files/number_file.h"
#include "lab/study/toml_document.h"
#include "spec/run_config.h"

namespace atto {

class NumberFiles {
 public:
  // Paths are relative to this folder. Arrays that are no files are there from the beginning.
  explicit NumberFiles(std::filesystem::path folder,
                       std::map<std::string, std::shared_ptr<const NumberFile>> arrays = {}, bool reads_files = true)
      : folder_(std::move(folder)), files_(std::move(arrays)), reads_files_(reads_files) {}

  // Throws what load_number_file() throws.
  std::shared_ptr<const NumberFile> get(const std::string& path);
  // Those that were read, without arrays that are no files.
  std::vector<std::string> paths() const;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::shared_ptr<const NumberFile>> files_;
  bool reads_files_;  // false: arrays are all there is
};

// What is wrong with a file that a run names.
struct FileError : Error {
  FileError(const Error& error, std::string named) : Error(error), path(std::move(named)) {}
  std::string path;  // as the study writes it
};

// Gives the run what its files hold, with the hash of it. Throws FileError: of kind missing, or of kind config where a
// file cannot be read or the run says that it should have another content.
void attach_files(RunConfig& config, NumberFiles& files);

// The place of the first text of a document that says so; its beginning where there is none.
Place place_of_text(const TomlDocument& document, const std::string& text);

}  // namespace atto
