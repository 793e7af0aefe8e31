#include "lab/store/disk/file_system.h"

#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "base/error.h"

namespace atto {
namespace {

namespace fs = std::filesystem;

struct SharedKind {
  unsigned long type;  // the magic number of statfs(2), 32 bits
  const char* name;
};
constexpr std::array<SharedKind, 12> kShared{{
    {0x6969, "NFS"},
    {0x0BD00BD0, "Lustre"},
    {0x47504653, "GPFS"},
    {0x19830326, "BeeGFS"},
    {0x65735546, "FUSE"},
    {0x00C36400, "Ceph"},
    {0xAAD7AAEA, "PanFS"},
    {0x5346414F, "AFS"},
    {0x517B, "SMB"},
    {0xFF534D42, "CIFS"},
    {0xFE534D42, "SMB 2"},
    {0x01021997, "9P"},
}};

long ask_kernel(const std::string& path) {
  struct statfs found {};
  return statfs(path.c_str(), &found) == 0 ? static_cast<long>(found.f_type) : 0;
}

FileSystemType type_of = ask_kernel;

}  // namespace

FileSystemType exchange_file_system_type(FileSystemType other) { return std::exchange(type_of, other); }

std::string shared_file_system(const std::string& path) {
  fs::path there = fs::absolute(path);
  std::error_code none;
  while (!fs::exists(there, none) && there.has_relative_path()) there = there.parent_path();
  const auto type = static_cast<unsigned long>(type_of(there.string())) & 0xFFFFFFFF;
  const auto* const found =
      std::find_if(kShared.begin(), kShared.end(), [&](const SharedKind& kind) { return kind.type == type; });
  return found == kShared.end() ? "" : found->name;
}

void require_local(const std::string& path) {
  const std::string name = shared_file_system(path);
  if (name.empty()) return;
  throw Error(
      ErrorKind::store,
      path + ": no store can be written on " + name + ", where other machines or programs stand between",
      "train into a local disk (--store /tmp/atto.db) and copy the file when that is done; `atto submit` does so "
      "by itself. A closed store can be read from here");
}

}  // namespace atto
