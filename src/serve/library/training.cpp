#include "serve/library/training.h"

#include "base/error.h"
#include "live/ask.h"

namespace atto {
namespace {

class TrainingStream final : public http::EventStream {
 public:
  explicit TrainingStream(std::shared_ptr<const Training> training) : training_(std::move(training)) {}

  Then append_new(http::Events& events) override {
    if (!training_) {
      events.add("data: null\n\n");
      return Then::end;
    }
    const bool over = training_->over();
    if (const int64_t version = training_->version(); version != seen_) {
      events.add("data: " + training_->state().dump(-1, ' ', false, Json::error_handler_t::replace) + "\n\n");
      seen_ = version;
    }
    return over ? Then::end : Then::wait;
  }

 private:
  std::shared_ptr<const Training> training_;
  int64_t seen_ = -1;
};

class StoreAlone final : public WrittenStore {
 public:
  explicit StoreAlone(const std::string& path) : store_(path, Store::Mode::write) {}
  std::vector<std::string> notices() override { return store_.notices(); }
  Store* take(const std::atomic<bool>& /*stop*/, const std::function<void()>& /*on_wait*/) override { return &store_; }

 private:
  Store store_;
};

}  // namespace

std::unique_ptr<WrittenStore> open_alone(const std::string& path) { return std::make_unique<StoreAlone>(path); }

Training::Training(ChosenStudy chosen, std::unique_ptr<WrittenStore> store, const TrainingOptions& options)
    : chosen_(std::move(chosen)),
      store_(std::move(store)),
      options_(options),
      notices_(store_->notices()),
      thread_([this] { work(); }) {}

Training::~Training() {
  stop();
  thread_.join();
}

void Training::change(const std::function<void()>& set) {
  {
    const std::lock_guard lock(mutex_);
    set();
    ++version_;
  }
  options_.on_news();
}

void Training::train() {
  const size_t told = notices_.size();
  Store* const store = store_->take(
      stop_, [&] { change([&] { notices_.push_back("it begins when what else trains into the store has ended"); }); });
  if (store == nullptr) store_.reset();
  change([&] {
    notices_.resize(told);
    if (store == nullptr) state_ = TrainingState::stopped;
  });
  if (store == nullptr) return;
  DecideOptions decide;
  decide.sweep.threads = options_.threads;
  decide.sweep.checkpoint_every = options_.checkpoint;
  decide.sweep.stop = &stop_;
  decide.sweep.on_progress = [this](const Progress& progress) { change([&] { progress_ = progress; }); };
  decide.on_look = [this](const Look& look) {
    change([&] { look_ = {{"look", look.look}, {"looks", look.looks}, {"open", look.open.size()}}; });
  };
  const Decided decided = train_and_file(chosen_.study, chosen_.cells, chosen_.variant, *store, decide);
  store_.reset();  // others may write before anybody hears of the end
  change([&] {
    progress_ = decided.progress;
    state_ = decided.result ? TrainingState::done : TrainingState::stopped;
  });
}

void Training::work() {
  try {
    train();
  } catch (...) {
    const Json error = parse_json(error_json(std::current_exception()));
    store_.reset();
    change([&] {
      state_ = TrainingState::failed;
      error_ = error["error"];
    });
  }
}

bool Training::over() const {
  const std::lock_guard lock(mutex_);
  return state_ != TrainingState::running;
}

int64_t Training::version() const {
  const std::lock_guard lock(mutex_);
  return version_;
}

Json Training::state() const {
  const std::lock_guard lock(mutex_);
  return {{"study", chosen_.study.name},
          {"profile", chosen_.variant},
          {"state", state_ == TrainingState::running && stop_ ? "stopping" : to_word(state_)},
          {"progress",
           {{"total", progress_.total},
            {"cached", progress_.cached},
            {"done", progress_.done},
            {"diverged", progress_.diverged},
            {"fraction", progress_.steps_fraction},
            {"seconds", progress_.seconds}}},
          {"look", look_},
          {"notices", notices_},
          {"error", error_}};
}

std::shared_ptr<Training> Trainings::current() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

Json Trainings::start(const Library& library, const Json& request) {
  const std::lock_guard one_at_a_time(starting_);
  if (const auto running = current(); running && !running->over())
    throw Error(ErrorKind::store, "another study is being trained", "stop it first, or wait until it is done");
  ChosenStudy chosen = library.choose(request);
  auto training = std::make_shared<Training>(std::move(chosen), options_.open_store(library.store()), options_);
  Json state = training->state();
  const std::lock_guard lock(mutex_);
  last_ = std::move(training);
  return state;
}

Json Trainings::stop() {
  const auto running = current();
  if (running) running->stop();
  return state();
}

Json Trainings::state() const {
  const auto last = current();
  return last ? last->state() : Json(nullptr);
}

void Trainings::stop_and_wait() {
  std::shared_ptr<Training> last;  // dropped after the lock
  const std::lock_guard lock(mutex_);
  last.swap(last_);
}

std::shared_ptr<http::EventStream> Trainings::watch() const { return std::make_shared<TrainingStream>(current()); }

}  // namespace atto
