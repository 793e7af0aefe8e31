#include "lab/store/check/aside.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "base/error.h"
#include "lab/store/errors.h"

namespace atto {
namespace {

[[noreturn]] void refuse(const std::string& path, int problem) {
  throw Error(ErrorKind::resources, path + " cannot be written: " + system_message(problem),
              "make room on the disk, or copy the store to a folder where you may write");
}

struct File {
  int descriptor = -1;
  ~File() {
    if (descriptor >= 0) close(descriptor);
  }
};

}  // namespace

std::string name_aside(const std::string& path) {
  for (int number = 1;; ++number)
    if (const std::string name = path + ".damaged-" + std::to_string(number);
        !std::filesystem::exists(std::filesystem::symlink_status(name)))
      return name;
}

std::string copy_aside(const std::string& path) {
  const std::string name = name_aside(path);
  const File from{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (from.descriptor < 0) refuse(path, errno);
  const File to{open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666)};
  if (to.descriptor < 0) refuse(name, errno);
  std::array<char, 65536> buffer;
  for (ssize_t got = 0; (got = read(from.descriptor, buffer.data(), buffer.size())) != 0;) {
    if (got < 0) refuse(name, errno);
    for (ssize_t done = 0; done < got;) {
      const ssize_t written = write(to.descriptor, buffer.data() + done, static_cast<size_t>(got - done));
      if (written < 0) refuse(name, errno);
      done += written;
    }
  }
  if (fsync(to.descriptor) != 0) refuse(name, errno);
  return name;
}

}  // namespace atto
