#include "job.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>

#include "base/error.h"
#include "bindings.h"

namespace atto::python {

Store& SharedStore::open() {
  if (!store) throw Error(ErrorKind::store, "the store is closed", "open it again: attoscope.Store(path)");
  return *store;
}

Job::Job(CheckedStudy study, std::shared_ptr<SharedStore> store, int threads, double checkpoint)
    : study_(std::move(study)), store_(std::move(store)) {
  sweep_.threads = threads;
  sweep_.checkpoint_every = checkpoint;
  sweep_.stop = &stop_;
  sweep_.on_progress = [this](const Progress& progress) {
    const std::lock_guard lock(state_);
    progress_ = progress;
  };
  study_.calls->open();
  thread_ = std::thread([this] { work(); });
}

Job::~Job() {
  if (!thread_.joinable()) return;
  abandon();
  thread_.join();
}

void Job::abandon() {
  stop_ = true;
  study_.calls->refuse();
}

void Job::work() {
  try {
    const std::lock_guard using_store(store_->in_use);
    Store& store = store_->open();
    DecideOptions options;
    options.sweep = sweep_;
    options.on_plan = [this](const std::vector<Run>& runs) { study_.runs = runs; };
    options.on_look = [this](const Look& look) {
      const std::lock_guard lock(state_);
      look_ = "look " + std::to_string(look.look) + " of " + std::to_string(look.looks) + ", " +
              std::to_string(look.open.size()) + " claims open";
    };
    Decided decided = train_and_file(study_.study, study_.cells, study_.variant, store, options);
    result_ = std::move(decided.result);
    failures_ = std::move(decided.failures);
  } catch (const HostStopped&) {  // it was abandoned
  } catch (...) {
    failure_ = std::current_exception();
  }
  {
    const std::lock_guard lock(state_);
    over_ = true;
  }
  study_.calls->close();
}

bool Job::wait(double seconds) {
  study_.calls->serve(std::chrono::duration<double>(seconds));
  const std::lock_guard lock(state_);
  return over_;
}

Progress Job::progress() const {
  const std::lock_guard lock(state_);
  return progress_;
}

std::string Job::look_text() const {
  const std::lock_guard lock(state_);
  return look_;
}

std::shared_ptr<Job::Collected> Job::finish() {
  if (thread_.joinable()) thread_.join();
  if (failure_) std::rethrow_exception(failure_);
  auto collected = std::make_shared<Collected>();
  collected->store = store_;
  collected->complete = result_.has_value();
  if (!result_) {  // stopped: what is there
    const std::lock_guard using_store(store_->in_use);
    Store& store = store_->open();
    study_.runs = stored_runs(study_.study, study_.cells, store);
    result_ = collect_with_record(study_.study, study_.cells, study_.runs, store);
  }
  collected->study = study_;
  collected->failures = std::move(failures_);
  collected->result = std::move(*result_);
  result_.reset();
  return collected;
}

void bind_job(nb::module_& module) {
  const auto release = nb::call_guard<nb::gil_scoped_release>();
  nb::class_<SharedStore>(module, "Store")
      .def(
          "__init__",
          [](SharedStore* self, const std::string& path, bool write) {
            new (self) SharedStore(path, write ? Store::Mode::write : Store::Mode::read);
          },
          nb::arg("path"), nb::arg("write") = true, release)
      .def_prop_ro("path", [](SharedStore& self) { return self.open().path(); })
      .def(
          "close",
          [](SharedStore& self) {
            const std::lock_guard using_store(self.in_use);
            self.store.reset();
          },
          release)
      .def(
          "run_ids",
          [](SharedStore& self) {
            const std::lock_guard using_store(self.in_use);
            std::vector<std::string> ids;
            for (const RunSummary& run : self.open().runs()) ids.push_back(run.id);
            return ids;
          },
          release)
      .def(
          "content_digest",
          [](SharedStore& self) {
            const std::lock_guard using_store(self.in_use);
            return self.open().content_digest();
          },
          release);
  nb::class_<Job>(module, "Job")
      .def(nb::init<CheckedStudy, std::shared_ptr<SharedStore>, int, double>(), nb::arg("study"), nb::arg("store"),
           nb::arg("threads"), nb::arg("checkpoint"))
      .def("wait", &Job::wait, release)
      .def("stop", &Job::stop)
      .def("abandon", &Job::abandon)
      .def("progress",
           [](const Job& job) {
             const Progress now = job.progress();
             nb::dict progress;
             progress["total"] = now.total;
             progress["cached"] = now.cached;
             progress["done"] = now.done;
             progress["diverged"] = now.diverged;
             progress["fraction"] = now.steps_fraction;
             progress["seconds"] = now.seconds;
             return progress;
           })
      .def("look_text", &Job::look_text)
      .def("finish", &Job::finish, release);
}

}  // namespace atto::python
