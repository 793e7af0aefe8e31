#include "app/export/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
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

// Some file systems cannot tell, and say so.
bool reaches_disk(int descriptor) { return fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP; }

}  // namespace

bool is_standard_output(const fs::path& path) {
  struct stat named {
  }, out{};
  std::error_code ignored;  // what cannot be looked at is none
  return fs::is_symlink(fs::symlink_status(path, ignored)) && ::stat(path.c_str(), &named) == 0 &&
         ::fstat(STDOUT_FILENO, &out) == 0 && named.st_dev == out.st_dev && named.st_ino == out.st_ino;
}

bool is_stream(const fs::path& path) {
  std::error_code ignored;
  const fs::file_type type = fs::status(path, ignored).type();
  return type == fs::file_type::fifo || type == fs::file_type::character || is_standard_output(path);
}

void OutputFile::refuse(const std::string& reason) const {
  throw Error(ErrorKind::resources, "cannot write '" + path_.string() + "': " + reason, remedy_);
}

// The file that the name leads to. A link to nothing is refused: whoever made it chose where the file would appear.
fs::path OutputFile::follow_links() const {
  if (!fs::is_symlink(fs::symlink_status(path_))) return path_;
  std::error_code failed;
  fs::path target = fs::canonical(path_, failed);
  if (failed) refuse("it is a symbolic link that leads nowhere");
  return target;
}

OutputFile::OutputFile(fs::path path, std::string remedy) : path_(std::move(path)), remedy_(std::move(remedy)) {
  std::error_code failed;
  if (path_.has_parent_path()) fs::create_directories(path_.parent_path(), failed);
  if (failed) refuse(failed.message());
  if (is_standard_output(path_)) {  // opened anew, a file would be written from its beginning
    take(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
    return;
  }
  switch (fs::status(path_, failed).type()) {  // of what links lead to
    case fs::file_type::directory:
      refuse("it is a folder");
    case fs::file_type::block:
      refuse("it is a block device");
    case fs::file_type::socket:
      refuse("it is a socket");
    case fs::file_type::fifo:
    case fs::file_type::character:
      open_through();
      break;
    default:
      open_part();
  }
}

// A file without a name goes with the process, however that ends. Where there are none, the file gets its name in
// progress at once.
void OutputFile::open_part() {
  target_ = follow_links();
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : ".";
  const bool can_be_named = ::access("/proc/self/fd", X_OK) == 0;  // later, by commit()
  int descriptor = can_be_named ? ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666) : -1;
  nameless_ = descriptor >= 0;
  if (!can_be_named || (!nameless_ && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)))
    descriptor = with_random_name(
        [](const char* name) { return ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666); });
  take(descriptor);
}

// The random name, and that `make` refuses one that is taken, see to it that nobody can put a link or a file of theirs
// in the way. What `make` returned last; negative where it failed.
template <class Make>
int OutputFile::with_random_name(Make make) {
  int made = -1;
  for (int attempt = 0; attempt < kAttempts && made < 0; ++attempt) {
    fs::path name = target_.string() + "." + random_name() + ".part";
    made = make(name.c_str());
    if (made >= 0) part_ = std::move(name);
    else if (errno != EEXIST) break;
  }
  return made;
}

void OutputFile::open_through() { take(::open(path_.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC)); }

void OutputFile::take(int descriptor) {
  if (descriptor >= 0) stream_.reset(fdopen(descriptor, "wb"));
  if (stream_) return;
  const int problem = errno;
  nameless_ = false;
  if (descriptor >= 0) {  // the destructor of an object that was never made does not do it
    ::close(descriptor);
    if (!part_.empty()) ::unlink(part_.c_str());
  }
  refuse(std::strerror(problem));
}

OutputFile::~OutputFile() {
  stream_.reset();
  std::error_code ignored;  // nothing more can be done about it
  if (!part_.empty()) fs::remove(part_, ignored);
}

void OutputFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stream_.get()) != bytes.size()) refuse(std::strerror(errno));
}

void OutputFile::commit() {
  // Without the wait for the disk, a power failure after the renaming could leave an empty file in place of the old
  // one.
  const bool file = nameless_ || !part_.empty();
  if (std::fflush(stream_.get()) != 0 || (file && !reaches_disk(fileno(stream_.get())))) refuse(std::strerror(errno));
  if (nameless_) {
    const std::string itself = "/proc/self/fd/" + std::to_string(fileno(stream_.get()));
    const int linked = with_random_name(
        [&](const char* name) { return ::linkat(AT_FDCWD, itself.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW); });
    if (linked != 0) refuse(std::strerror(errno));
  }
  if (std::fclose(stream_.release()) != 0) refuse(std::strerror(errno));
  if (part_.empty()) return;
  std::error_code failed;
  fs::rename(part_, target_, failed);
  if (failed) refuse(failed.message());
  part_.clear();
}

}  // namespace atto
