// Who may write to a store. Internal to the store.
#pragma once

#include <string>

namespace atto {

// Makes sure that a writer has a folder to write in.
void prepare_folder(const std::string& store_path);

// A new name is on the disk when its folder is: waits for that. Some file systems cannot tell.
void sync_folder_of(const std::string& path);

// Held by the one writer, as a lock on `<store>.lock`. The kernel drops it with the process, however that ends; the
// file stays, since removing it would let two writers lock two files of the same name. A link, or a file with a second
// name, is refused: it might be somebody's way to have another file overwritten.
class WriterLock {
 public:
  explicit WriterLock(const std::string& store_path);  // Error(store) when somebody else holds it
  ~WriterLock();
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  int file_ = -1;
};

// True while it is certain that nobody writes: it holds the lock itself, for as long as a look takes. Makes no file.
class WriterAbsence {
 public:
  explicit WriterAbsence(const std::string& store_path);
  ~WriterAbsence();
  WriterAbsence(const WriterAbsence&) = delete;
  WriterAbsence& operator=(const WriterAbsence&) = delete;
  explicit operator bool() const { return certain_; }

 private:
  int file_ = -1;
  bool certain_ = false;
};

}  // namespace atto
