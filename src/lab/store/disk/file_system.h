// Which file system a store lies on. Internal to the store.
//
// The log of a store is shared memory between its readers and its writer, and its lock is one of the kernel's: over a
// network both are promises that nobody keeps, and a store would be damaged in silence. So none is written there. One
// that is closed, without a log, is a plain file and can be read from anywhere.
#pragma once

#include <string>

namespace atto {

// "NFS", "Lustre": the name of a file system that several machines share, or that a program stands behind; "" for
// others. Of a path that does not exist, that of the nearest folder that does.
std::string shared_file_system(const std::string& path);

// Error(store) with the remedy where no store can be written.
void require_local(const std::string& path);

// What the kernel calls the type of a file system (statfs), or 0. Tests replace it.
using FileSystemType = long (*)(const std::string& path);
FileSystemType exchange_file_system_type(FileSystemType other);

}  // namespace atto
