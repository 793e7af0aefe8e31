#include "lab/store/lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "lab/store/errors.h"

namespace atto {
namespace {

// The process number that the holder left in the lock file: a hint for the message, nothing relies on it.
std::string holder(int file) {
  std::array<char, 24> text{};
  const ssize_t size = pread(file, text.data(), text.size(), 0);
  std::string number(text.data(), size > 0 ? static_cast<size_t>(size) : 0);
  return number.empty() ? "" : " (process " + number + ")";
}

}  // namespace

void prepare_folder(const std::string& store_path) {
  const std::filesystem::path folder = std::filesystem::path(store_path).parent_path();
  std::error_code error;
  std::vector<std::filesystem::path> missing;
  for (auto one = folder; !one.empty() && !std::filesystem::exists(one, error); one = one.parent_path())
    missing.push_back(one);
  std::filesystem::create_directories(folder, error);
  if (error == std::errc::no_space_on_device) throw_disk_full(store_path);
  if (error == std::errc::not_a_directory || error == std::errc::file_exists)
    throw_not_writable(store_path, "a part of its path is a file, not a folder");
  if (error) throw_not_writable(store_path, "its folder cannot be made (" + error.message() + ")");
  for (const auto& one : missing) sync_folder_of(one.string());
}

void sync_folder_of(const std::string& path) {
  const int folder = open(std::filesystem::path(path).parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  fsync(folder);
  close(folder);
}

WriterLock::WriterLock(const std::string& store_path) {
  const std::string path = store_path + ".lock";
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (file_ < 0) {
    if (errno == ELOOP) throw_not_writable(store_path, "its lock '" + path + "' is a symbolic link");
    if (errno == ENOSPC || errno == EDQUOT) throw_disk_full(store_path);
    throw_not_writable(store_path, "no lock file can be created next to it (" + system_message(errno) + ")");
  }
  // The name can be foreseen and the file is written to, so it must be one that serves for nothing else.
  struct stat found {};
  if (fstat(file_, &found) != 0 || !S_ISREG(found.st_mode) || found.st_nlink > 1) {
    close(file_);
    throw_not_writable(store_path, "its lock '" + path + "' is not a file of its own");
  }
  if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
    const int problem = errno;
    const std::string who = holder(file_);
    close(file_);
    if (problem == EWOULDBLOCK)
      throw Error(ErrorKind::store, store_path + ": another atto is writing to this store" + who,
                  "wait for it to finish, or give --store another path");
    throw_not_writable(store_path, "its file system does not lock files (" + system_message(problem) +
                                       "); a store belongs on a local disk");
  }
  const std::string me = std::to_string(getpid());
  // Only the hint is lost when this fails.
  if (ftruncate(file_, 0) == 0) static_cast<void>(!pwrite(file_, me.data(), me.size(), 0));
}

WriterLock::~WriterLock() { close(file_); }

WriterAbsence::WriterAbsence(const std::string& store_path) {
  file_ = open((store_path + ".lock").c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  certain_ = file_ < 0 ? errno == ENOENT : flock(file_, LOCK_EX | LOCK_NB) == 0;
}

WriterAbsence::~WriterAbsence() {
  if (file_ >= 0) close(file_);
}

}  // namespace atto
