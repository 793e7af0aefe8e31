#include "job.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "base/error.h"
#include "bindings.h"

namespace atto::python {

Job::Job(CheckedStudy study, std::shared_ptr<SharedStore> store, int threads, double checkpoint,
         std::shared_ptr<RemoteSweep> remote)
    : process_(getpid()), study_(std::move(study)), store_(std::move(store)), remote_(std::move(remote)) {
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
  if (process_ != getpid()) {
    thread_.detach();
    return;
  }
  abandon();
  thread_.join();
}

void Job::abandon() {
  stop_ = true;
  if (remote_) remote_->abandon();
  study_.calls->refuse();
}

void Job::work() {
  try {
    train();
  } catch (const HostStopped&) {  // it was abandoned
  } catch (...) {
    failure_ = std::current_exception();
  }
  {
    const std::lock_guard lock(state_);
    over_ = true;
    ended_.notify_all();
  }
  study_.calls->close();
}

void Job::train() {
  std::unique_lock using_store(store_->in_use, std::defer_lock);
  while (!using_store.try_lock_for(kBetweenLooks))
    if (stop_) return;
  if (study_.picked) {
    SweepResult trained = run_all(study_.study, study_.runs, store_->open(), sweep_);
    failures_ = std::move(trained.failures);
    picked_complete_ = !trained.interrupted;
    return;
  }
  DecideOptions options;
  options.sweep = sweep_;
  if (remote_) options.train = [this](auto&... of_sweep) { return remote_->run(of_sweep...); };
  options.on_plan = [this](const std::vector<Run>& runs) { study_.runs = runs; };
  options.on_look = [this](const Look& look) {
    const std::lock_guard lock(state_);
    look_ = "look " + std::to_string(look.look) + " of " + std::to_string(look.looks) + ", " +
            std::to_string(look.open.size()) + " claims open";
  };
  Decided decided = train_and_file(study_.study, study_.cells, study_.variant, store_->open(), options);
  result_ = std::move(decided.result);
  failures_ = std::move(decided.failures);
}

bool Job::wait(double seconds) {
  if (process_ != getpid()) throw Error(ErrorKind::usage, "the runs train in another process");
  study_.calls->serve(std::chrono::duration<double>(seconds));
  const std::lock_guard lock(state_);
  return over_;
}

void Job::wait_until_over() {
  std::unique_lock lock(state_);
  ended_.wait(lock, [this] { return over_; });
}

Progress Job::progress() const {
  const std::lock_guard lock(state_);
  return progress_;
}

std::string Job::look_text() const {
  const std::lock_guard lock(state_);
  return look_;
}

bool has_all_runs(const StudyResult& result) {
  return std::all_of(result.cells.begin(), result.cells.end(),
                     [](const CellResult& cell) { return cell.seeds >= cell.cell.seeds; });
}

std::shared_ptr<Job::Collected> Job::finish() {
  if (thread_.joinable()) thread_.join();
  if (failure_) std::rethrow_exception(failure_);
  auto collected = std::make_shared<Collected>();
  collected->store = store_;
  collected->complete = study_.picked ? picked_complete_ : result_.has_value();
  if (study_.picked) {
    result_.emplace();
  } else if (!result_) {  // stopped: what is there
    const auto using_store = use(*store_);
    Store& store = store_->open();
    study_.runs = stored_runs(study_.study, study_.cells, store);
    result_ = collect_with_record(study_.study, study_.cells, study_.runs, store);
    // Stopped after the last run. What is trained until it is decided may lack looks that nobody knows of.
    collected->complete = study_.study.seeds.until == Until::count && has_all_runs(*result_);
  }
  collected->study = study_;
  collected->failures = std::move(failures_);
  collected->result = std::move(*result_);
  result_.reset();
  return collected;
}

void bind_job(nb::module_& module) {
  const auto release = nb::call_guard<WithoutGil>();
  using Places = std::vector<std::pair<size_t, int64_t>>;
  nb::class_<RemoteSweep>(module, "RemoteSweep")
      .def(
          "__init__",
          [](RemoteSweep* self, double least, double most, int threads) {
            new (self) RemoteSweep({{least, most}, threads});
          },
          nb::arg("least"), nb::arg("most"), nb::arg("threads"))
      .def("take_packs",
           [](RemoteSweep& self) {
             std::vector<Places> packs;
             for (const auto& pack : self.take_packs()) packs.push_back(pairs_of(pack));
             return packs;
           })
      .def(
          "merge",
          [](RemoteSweep& self, const std::string& path, const Places& pack) {
            return pairs_of(self.merge(path, places_of(pack)));
          },
          nb::arg("path"), nb::arg("pack"), release)
      .def("finish", &RemoteSweep::finish);
  nb::class_<Job>(module, "Job")
      .def(nb::init<CheckedStudy, std::shared_ptr<SharedStore>, int, double, std::shared_ptr<RemoteSweep>>(),
           nb::arg("study"), nb::arg("store"), nb::arg("threads"), nb::arg("checkpoint"),
           nb::arg("remote") = nb::none())
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
