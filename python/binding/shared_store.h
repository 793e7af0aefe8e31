// A store that several Python objects, studies that train and the server share.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "lab/store/store.h"

namespace atto::python {

constexpr std::chrono::milliseconds kBetweenLooks{100};  // for Ctrl-C, and for stop()

// One thread at a time works with it; who does holds `in_use`. It belongs to the process that opened it: SQLite must
// not be used, and not even closed, by a forked one.
class SharedStore : public std::enable_shared_from_this<SharedStore> {
 public:
  // This process writes to a file through one store only, whatever its path is called: a result that still reads from
  // it does not stand in the way of the next run, and neither does the page of the server. Error(store) where another
  // process writes, and where the file was moved while this one has it open. Without Python's lock.
  static std::shared_ptr<SharedStore> at(const std::string& path, Store::Mode mode);

  SharedStore(const std::string& path, Store::Mode mode);
  ~SharedStore();
  SharedStore(const SharedStore&) = delete;
  SharedStore& operator=(const SharedStore&) = delete;

  const std::string& path() const { return path_; }  // also of a closed one
  // Of the opening: what was lost, and what becomes of it. They are told once.
  std::vector<std::string> take_notices();
  // Error(store) once it was closed, and in another process.
  Store& open();
  void close();  // by who has it in use
  bool closed() const { return closed_; }
  void require_own_process() const;  // Error(store) in another one

  std::timed_mutex in_use;

 private:
  std::string path_;
  pid_t process_;
  std::unique_ptr<Store> store_;
  std::atomic<bool> closed_ = false;
  std::mutex telling_;
  std::vector<std::string> notices_;
};

// Waits until nobody else works with the store. Another thread may train into it for hours, so Ctrl-C ends the waiting.
// The caller is without Python's lock.
std::unique_lock<std::timed_mutex> use(SharedStore& store);

}  // namespace atto::python
