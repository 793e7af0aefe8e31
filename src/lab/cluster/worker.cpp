#include "lab/cluster/worker.h"

#include <algorithm>

#include "base/error.h"
#include "lab/cluster/shared_file.h"
#include "lab/cluster/task_record.h"
#include "lab/provenance/history.h"
#include "lab/sweep/clock.h"
#include "lab/sweep/shard.h"

namespace atto {
namespace fs = std::filesystem;
namespace {

void remove_store(const fs::path& path) {
  std::error_code ignored;
  for (const char* ending : {"", "-wal", "-shm", ".lock"}) fs::remove(path.string() + ending, ignored);
}

class Worker {
 public:
  Worker(const JobFolder& folder, const WorkerOptions& options) : folder_(folder), options_(options) {
    if (options.task < 1 || options.task > job().tasks)
      throw Error(ErrorKind::usage, "--task " + std::to_string(options.task) + " is out of range",
                  "the job in '" + folder.path().string() + "' has tasks 1 to " + std::to_string(job().tasks));
    if (const auto before = read_record(folder, options.task)) {
      record_ = *before;
      ++record_.attempt;
    }
    record_.state = TaskState::running;
    record_.host = options.host;
    record_.job = options.job;
    record_.message.clear();
  }

  WorkerEnd run() {
    try {
      const WorkerEnd end = train_packs();
      say(end == WorkerEnd::done ? TaskState::done : TaskState::stopped);
      return end;
    } catch (const Error& error) {
      fail(std::string(error.what()) + (error.remedy().empty() ? "" : " (" + error.remedy() + ")"));
      throw;
    } catch (const std::exception& error) {
      fail(error.what());
      throw;
    }
  }

 private:
  const ClusterJob& job() const { return folder_.job(); }

  void say(TaskState state) {
    record_.state = state;
    write_record(folder_, options_.task, record_);
    said_ = Clock::now();
  }

  void fail(std::string why) {
    record_.message = std::move(why);
    try {
      say(TaskState::failed);
    } catch (const Error&) {  // the folder cannot be written to: what failed first is what people should hear of
    }
  }

  WorkerEnd train_packs() {
    say(TaskState::running);
    if (job().engine_revision != kEngineRevision)
      throw Error(ErrorKind::store,
                  "the job was made for engine revision " + std::to_string(job().engine_revision) +
                      ", this program is revision " + std::to_string(kEngineRevision),
                  "let the machines of the cluster have the program that submitted the job, or submit it again");
    const std::vector<bool> there = folder_.published();
    std::vector<int64_t> packs = job().packs_of(options_.task);
    std::erase_if(packs, [&](int64_t pack) { return there[static_cast<size_t>(pack - 1)]; });
    if (packs.empty()) return WorkerEnd::done;

    const Study study = read_study(folder_.study_file().string(), job().options);
    const std::vector<Run> runs = runs_of_job(folder_, study, expand_cells(study));
    const std::vector<int64_t> shards = split_into_shards(runs, job().packs());
    std::error_code failed;
    fs::create_directories(options_.scratch, failed);
    if (failed)
      throw Error(ErrorKind::resources, "cannot make '" + options_.scratch.string() + "': " + failed.message(),
                  "name a folder on a local disk with --scratch");
    for (const int64_t pack : packs) {
      if (stopped()) return WorkerEnd::stopped;
      std::vector<Run> own;
      for (size_t i = 0; i < runs.size(); ++i)
        if (shards[i] == pack) own.push_back(runs[i]);
      if (!train_pack(study, own, pack)) return WorkerEnd::stopped;
    }
    return WorkerEnd::done;
  }

  bool stopped() const { return options_.sweep.stop != nullptr && *options_.sweep.stop; }

  // A store of the pack on the local disk, with all that is known of it.
  Store open_pack(const fs::path& path, const ShardLabel& label) {
    const auto open = [&] {
      Store store(path.string(), Store::Mode::write);
      store.label(label);
      return store;
    };
    const auto open_anyway = [&] {
      try {
        return open();
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::store || !fs::exists(path)) throw;
        remove_store(path);  // a killed worker left it damaged; it is only scratch
        return open();
      }
    };
    Store store = open_anyway();
    if (fs::exists(folder_.partial(label.index))) {
      try {
        store.merge(Store(folder_.partial(label.index).string(), Store::Mode::read));
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::resources) throw;  // otherwise only time is lost: its runs are trained again
      }
    }
    return store;
  }

  // By way of a copy that is closed: the folder may be on a network, where no store can be written to.
  void publish(const Store& store, int64_t pack, const fs::path& path) {
    const fs::path copy = options_.scratch / ("copy-" + std::to_string(pack) + ".db");
    remove_store(copy);
    store.copy_to(copy.string());
    publish_copy(copy, path);
    remove_store(copy);
  }

  // False when it was stopped on the way.
  bool train_pack(const Study& study, const std::vector<Run>& runs, int64_t pack) {
    const fs::path path = options_.scratch / ("pack-" + std::to_string(pack) + ".db");
    const double seconds_before = record_.seconds, cost_before = record_.cost;
    const double cost = job().costs[static_cast<size_t>(pack - 1)];
    SweepResult result;
    record_.pack = pack;
    {
      Store store = open_pack(path, {study.name, job().variant, job().sweep, pack, job().packs(), std::ssize(runs)});
      record_questions(study, store);
      SweepOptions sweep = options_.sweep;
      Clock::time_point published = Clock::now();
      double left = -1;  // of the pack's cost when training began, 0..1; the progress tells of that part only
      sweep.on_progress = [&](const Progress& progress) {
        if (left < 0) left = share_left(progress);
        record_.pack_runs = progress.cached + progress.done;
        record_.pack_share = 1 - left * (1 - progress.steps_fraction);
        record_.seconds = seconds_before + progress.seconds;
        record_.cost = cost_before + cost * left * progress.steps_fraction;
        if (options_.sweep.on_progress) options_.sweep.on_progress(progress);
        if (seconds_since(said_) >= options_.record_every) say(TaskState::running);
        if (seconds_since(published) < options_.publish_every) return;
        publish(store, pack, folder_.partial(pack));
        published = Clock::now();
      };
      result = run_all(study, runs, store, sweep);
      publish(store, pack, result.interrupted ? folder_.partial(pack) : folder_.shard(pack));
    }
    if (!result.failures.empty())
      throw Error(ErrorKind::config, result.failures.front().part + ": " + result.failures.front().message);
    if (result.interrupted) return false;
    std::error_code ignored;  // whoever finds it there finds the whole pack first
    fs::remove(folder_.partial(pack), ignored);
    remove_store(path);
    if (options_.on_pack) options_.on_pack(pack, result.progress);
    return true;
  }

  // By the number of runs: what is in the store was trained before, here or elsewhere.
  static double share_left(const Progress& progress) {
    return 1 - static_cast<double>(progress.cached) / static_cast<double>(std::max<int64_t>(progress.total, 1));
  }

  const JobFolder& folder_;
  const WorkerOptions& options_;
  TaskRecord record_;
  Clock::time_point said_;
};

}  // namespace

WorkerEnd work(const JobFolder& folder, const WorkerOptions& options) { return Worker(folder, options).run(); }

}  // namespace atto
