#include "lab/cluster/shared_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "base/error.h"

namespace atto {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void refuse_file(const fs::path& path, int problem) {
  throw Error(ErrorKind::resources, "cannot write '" + path.string() + "': " + std::strerror(problem),
              "is the disk full, or a quota used up, or may you not write there?");
}

// Written under a name that no other process has, then renamed.
class PartFile {
 public:
  explicit PartFile(const fs::path& path) : path_(path) {
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    part_ = path.parent_path() /
            ("." + path.filename().string() + "." + host.data() + "." + std::to_string(getpid()) + ".part");
    file_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0) refuse_file(path, errno);
  }
  ~PartFile() {
    if (file_ >= 0) ::close(file_);
    if (!renamed_) ::unlink(part_.c_str());
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  void write(const char* bytes, size_t size) {
    while (size > 0) {
      const ssize_t done = ::write(file_, bytes, size);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) refuse_file(path_, done < 0 ? errno : ENOSPC);
      bytes += done;
      size -= static_cast<size_t>(done);
    }
  }
  // A file system that writes later tells of a full disk only when it is asked for all of it.
  void rename() {
    if (::fsync(file_) != 0 && errno != EINVAL && errno != ENOTSUP) refuse_file(path_, errno);
    const int closed = ::close(std::exchange(file_, -1));
    if (closed != 0) refuse_file(path_, errno);
    if (::rename(part_.c_str(), path_.c_str()) != 0) refuse_file(path_, errno);
    renamed_ = true;
  }

 private:
  fs::path path_, part_;
  int file_ = -1;
  bool renamed_ = false;
};

}  // namespace

void publish_text(const fs::path& path, const std::string& text) {
  PartFile file(path);
  file.write(text.data(), text.size());
  file.rename();
}

void publish_copy(const fs::path& from, const fs::path& path) {
  std::ifstream source(from, std::ios::binary);
  if (!source) throw Error(ErrorKind::missing, "cannot read '" + from.string() + "'");
  PartFile file(path);
  std::vector<char> buffer(1 << 20);
  while (source) {
    source.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    file.write(buffer.data(), static_cast<size_t>(source.gcount()));
  }
  if (!source.eof()) throw Error(ErrorKind::resources, "cannot read '" + from.string() + "' to its end");
  file.rename();
}

std::string text_of_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw Error(ErrorKind::missing, "cannot read '" + path.string() + "'");
  return text;
}

}  // namespace atto
