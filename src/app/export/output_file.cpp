#include "app/export/output_file.h"

#include <bit>
#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace atto {

static_assert(std::endian::native == std::endian::little, "the exported formats are little-endian");

namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& reason) {
  throw Error(ErrorKind::resources, "cannot write '" + path.string() + "': " + reason,
              "name a folder you may write to with --output, on a disk with room");
}

}  // namespace

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)), part_(path_.string() + ".part") {
  std::error_code failed;
  if (path_.has_parent_path()) std::filesystem::create_directories(path_.parent_path(), failed);
  if (failed) refuse(path_, failed.message());
  errno = 0;
  stream_.open(part_, std::ios::binary | std::ios::trunc);
  if (!stream_) refuse(path_, std::strerror(errno));
}

OutputFile::~OutputFile() {
  if (committed_) return;
  stream_.close();
  std::error_code ignored;  // nothing more can be done about it
  std::filesystem::remove(part_, ignored);
}

void OutputFile::write(std::string_view bytes) {
  errno = 0;
  if (!stream_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()))) refuse(path_, std::strerror(errno));
}

void OutputFile::commit() {
  errno = 0;
  stream_.close();
  if (!stream_) refuse(path_, std::strerror(errno));
  std::error_code failed;
  std::filesystem::rename(part_, path_, failed);
  if (failed) refuse(path_, failed.message());
  committed_ = true;
}

}  // namespace atto
