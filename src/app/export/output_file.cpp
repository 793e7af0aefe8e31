#include "app/export/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>

#include "app/random_name.h"
#include "base/error.h"

namespace atto {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "the exported formats are little-endian");

namespace {

constexpr int kAttempts = 100;  // to find a name nobody has; the first does unless somebody works against us

[[noreturn]] void refuse(const fs::path& path, const std::string& reason) {
  throw Error(ErrorKind::resources, "cannot write '" + path.string() + "': " + reason,
              "name a folder you may write to with --output, on a disk with room");
}

// The file that a name leads to. A link to nothing is refused: whoever made it chose where the file would appear.
fs::path follow_links(const fs::path& path) {
  if (!fs::is_symlink(fs::symlink_status(path))) return path;
  std::error_code failed;
  const fs::path target = fs::canonical(path, failed);
  if (failed) refuse(path, "it is a symbolic link that leads nowhere");
  return target;
}

// Some file systems cannot tell, and say so.
bool reaches_disk(int descriptor) { return fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP; }

}  // namespace

OutputFile::OutputFile(fs::path path) : path_(std::move(path)) {
  std::error_code failed;
  if (path_.has_parent_path()) fs::create_directories(path_.parent_path(), failed);
  if (failed) refuse(path_, failed.message());
  switch (fs::status(path_, failed).type()) {  // of what links lead to
    case fs::file_type::directory:
      refuse(path_, "it is a folder");
    case fs::file_type::block:
      refuse(path_, "it is a block device");
    case fs::file_type::socket:
      refuse(path_, "it is a socket");
    case fs::file_type::fifo:
    case fs::file_type::character:
      open_through();
      break;
    default:
      open_part();
  }
}

// The random name and O_EXCL see to it that nobody can put a link or a file of theirs in the way.
void OutputFile::open_part() {
  target_ = follow_links(path_);
  int descriptor = -1;
  for (int attempt = 0; attempt < kAttempts && descriptor < 0; ++attempt) {
    part_ = target_.string() + "." + random_name() + ".part";
    descriptor = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno != EEXIST) break;
  }
  take(descriptor);
}

void OutputFile::open_through() { take(::open(path_.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC)); }

void OutputFile::take(int descriptor) {
  if (descriptor >= 0) stream_.reset(fdopen(descriptor, "wb"));
  if (stream_) return;
  const int problem = errno;
  if (descriptor >= 0) {  // the destructor of an object that was never made does not do it
    ::close(descriptor);
    if (!part_.empty()) ::unlink(part_.c_str());
  }
  refuse(path_, std::strerror(problem));
}

OutputFile::~OutputFile() {
  stream_.reset();
  std::error_code ignored;  // nothing more can be done about it
  if (!part_.empty()) fs::remove(part_, ignored);
}

void OutputFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stream_.get()) != bytes.size()) refuse(path_, std::strerror(errno));
}

void OutputFile::commit() {
  // Without the wait for the disk, a power failure after the renaming could leave an empty file in place of the old
  // one.
  if (std::fflush(stream_.get()) != 0 || (!part_.empty() && !reaches_disk(fileno(stream_.get()))))
    refuse(path_, std::strerror(errno));
  if (std::fclose(stream_.release()) != 0) refuse(path_, std::strerror(errno));
  if (part_.empty()) return;
  std::error_code failed;
  fs::rename(part_, target_, failed);
  if (failed) refuse(path_, failed.message());
  part_.clear();
}

}  // namespace atto
