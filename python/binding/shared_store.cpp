#include "shared_store.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <sys/stat.h>
#include <unistd.h>

#include <condition_variable>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "bindings.h"
#include "without_gil.h"

namespace atto::python {
namespace {

using FileIdentity = std::pair<dev_t, ino_t>;

std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return std::nullopt;
  return FileIdentity{found.st_dev, found.st_ino};
}

std::string place_of(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path place = std::filesystem::weakly_canonical(path, failed);
  return failed ? path : place.string();
}

// The files that this process writes to. A store is closed, destroyed and taken from the list under one lock, so those
// in the list exist; one that nobody has any more is about to go.
struct WrittenFiles {
  struct File {
    SharedStore* store;
    std::weak_ptr<SharedStore> shared;
    std::string place;
  };
  std::mutex lock;
  std::condition_variable gone;
  std::map<FileIdentity, File> files;
};

// Never destroyed, as threads may come by until the very last. A forked process begins with none.
WrittenFiles*& written_files() {
  static auto* all = new WrittenFiles;
  return all;
}

void forget_files() { written_files() = new WrittenFiles; }

void drop(SharedStore* store) {
  WrittenFiles& all = *written_files();
  const std::lock_guard lock(all.lock);
  std::erase_if(all.files, [store](const auto& one) { return one.second.store == store; });
  delete store;
  all.gone.notify_all();
}

}  // namespace

std::shared_ptr<SharedStore> SharedStore::at(const std::string& path, Store::Mode mode) {
  if (mode == Store::Mode::read || path == ":memory:") return std::make_shared<SharedStore>(path, mode);
  WrittenFiles& all = *written_files();
  const std::string place = place_of(path);
  std::shared_ptr<SharedStore> found;  // dropped, where nobody else has it any more, after the lock
  std::unique_lock lock(all.lock);
  for (bool looked = false; !looked;) {
    looked = true;
    const std::optional<FileIdentity> identity = identity_of(path);
    for (const auto& [known, file] : all.files) {
      if (file.store->closed() || (known != identity && file.place != place)) continue;
      found = file.shared.lock();
      if (found && known == identity) return found;
      if (found)
        throw Error(
            ErrorKind::store,
            path + ": the store was moved or deleted while results or stores of this process still have it open",
            "give --store another path, or close those first");
      all.gone.wait(lock);  // it is about to be closed
      looked = false;
      break;
    }
  }
  found.reset(new SharedStore(path, mode), drop);
  if (const auto identity = identity_of(path))
    all.files.insert_or_assign(*identity, WrittenFiles::File{found.get(), found, place});
  return found;
}

SharedStore::SharedStore(const std::string& path, Store::Mode mode)
    : path_(path), process_(getpid()), store_(std::make_unique<Store>(path, mode)), notices_(store_->notices()) {}

SharedStore::~SharedStore() {
  if (process_ != getpid()) static_cast<void>(store_.release());
}

std::vector<std::string> SharedStore::take_notices() {
  const std::lock_guard lock(telling_);
  return std::exchange(notices_, {});
}

void SharedStore::require_own_process() const {
  if (process_ != getpid())
    throw Error(ErrorKind::store, path_ + ": the store was opened by another process",
                "a forked process opens its own: attoscope.Store(path, write=False)");
}

Store& SharedStore::open() {
  require_own_process();
  if (!store_) throw Error(ErrorKind::store, path_ + ": the store is closed", "open it again: attoscope.Store(path)");
  return *store_;
}

void SharedStore::close() {
  store_.reset();
  closed_ = true;  // from here on others may open the file
}

std::unique_lock<std::timed_mutex> use(SharedStore& store) {
  store.require_own_process();  // whose threads alone give it back
  std::unique_lock lock(store.in_use, std::defer_lock);
  while (!lock.try_lock_for(kBetweenLooks)) check_signals();
  return lock;
}

void bind_store(nb::module_& module) {
  const auto release = nb::call_guard<WithoutGil>();
  nb::class_<SharedStore>(module, "Store")
      .def(nb::new_([](const std::string& path, bool write) {
             const WithoutGil free;
             return SharedStore::at(path, write ? Store::Mode::write : Store::Mode::read);
           }),
           nb::arg("path"), nb::arg("write") = true)
      .def_prop_ro("path", &SharedStore::path)
      .def_prop_ro("closed", &SharedStore::closed)
      .def("take_notices", &SharedStore::take_notices)
      .def(
          "close",
          [](SharedStore& self) {
            const auto using_store = use(self);
            self.close();
          },
          release)
      .def(
          "run_ids",
          [](SharedStore& self) {
            const auto using_store = use(self);
            std::vector<std::string> ids;
            for (const RunSummary& run : self.open().runs()) ids.push_back(run.id);
            return ids;
          },
          release)
      .def(
          "content_digest",
          [](SharedStore& self) {
            const auto using_store = use(self);
            return self.open().content_digest();
          },
          release);
  nb::module_::import_("os").attr("register_at_fork")(nb::arg("after_in_child") = nb::cpp_function(&forget_files));
}

}  // namespace atto::python
