#include "parts.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "base/arena.h"
#include "base/content_hash.h"
#include "base/error.h"
#include "bindings.h"
#include "lab/results/json.h"
#include "without_gil.h"

namespace atto::python {
namespace {

PartIdentity identity_of(const nb::object& part) {
  return {nb::cast<std::string>(part.attr("name")), nb::cast<std::string>(part.attr("version")),
          nb::cast<std::string>(part.attr("hash"))};
}

// A task's function, or generator.
class PythonTask final : public BlockSource, public std::enable_shared_from_this<PythonTask> {
 public:
  PythonTask(const nb::object& part, std::shared_ptr<HostCalls> calls)
      : identity_(identity_of(part)), part_(part), calls_(std::move(calls)) {}

  PartIdentity identity() const override { return identity_; }
  std::unique_ptr<BlockReader> reader(const DataConfig& config, const BatchShape& shape) const override;
  nb::object part() const { return part_.get(); }
  HostCalls& calls() const { return *calls_; }

 private:
  PartIdentity identity_;
  PythonPart part_;
  std::shared_ptr<HostCalls> calls_;
};

// Whole numbers [row][column] as [column][row]; false where one is no token.
template <class Number>
bool take(const nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>& from, int vocabulary, std::vector<int32_t>& to) {
  return take_tokens(NumberRows<Number>{static_cast<const Number*>(from.data()), from.shape(0), from.shape(1),
                                        from.stride(0), from.stride(1)},
                     vocabulary, to);
}

bool take_numbers(const nb::object& rows, int vocabulary, std::vector<int32_t>& to) {
  const auto from = nb::cast<nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>>(rows);
  const bool is_signed = from.dtype().code == static_cast<uint8_t>(nb::dlpack::dtype_code::Int);
  switch (from.dtype().bits) {
    case 8:
      return is_signed ? take<int8_t>(from, vocabulary, to) : take<uint8_t>(from, vocabulary, to);
    case 16:
      return is_signed ? take<int16_t>(from, vocabulary, to) : take<uint16_t>(from, vocabulary, to);
    case 32:
      return is_signed ? take<int32_t>(from, vocabulary, to) : take<uint32_t>(from, vocabulary, to);
    default:
      return is_signed ? take<int64_t>(from, vocabulary, to) : take<uint64_t>(from, vocabulary, to);
  }
}

class PythonReader final : public BlockReader {
 public:
  PythonReader(std::shared_ptr<const PythonTask> task, const DataConfig& config, const BatchShape& shape)
      : task_(std::move(task)), shape_(shape) {
    Json settings = Json::object();
    for (const SchemaField<DataConfig>& field : data_schema().all())
      settings[field.key.substr(field.key.find('.') + 1)] = to_json(field.get(config));
    settings_ = settings.dump();
  }
  // A generator of this run has done its work.
  ~PythonReader() override {
    if (asked_)
      task_->calls().post([task = task_, reader = number()] {
        call_python(task->identity().name, [&] { task->part().attr("forget")(reader); });
      });
  }

  std::future<Block> ask(const BlockRequest& request, Block old) override {
    asked_ = true;
    auto block = std::make_shared<Block>(std::move(old));
    const auto call = [task = task_, request, block, reader = number(), settings = settings_, shape = shape_] {
      call_python(task->identity().name, [&] {
        const nb::object pair = task->part().attr("block")(reader, settings, request.seed, request.stream,
                                                           request.number, request.rows, shape.context, shape.asked());
        const bool fits = take_numbers(pair[0], shape.vocabulary, block->tokens);
        if (!take_numbers(pair[1], shape.vocabulary, block->answers) || !fits)
          task->part().attr("refuse")(pair[0], pair[1], shape.vocabulary);
      });
    };
    // Where this thread would have to answer itself, it does so when the block is needed: others may wait for theirs.
    std::future<void> made;
    if (ServingThread::of(task_->calls()) == nullptr) made = task_->calls().post(call);
    return std::async(std::launch::deferred, [task = task_, call, made = std::move(made), block]() mutable {
      ServingThread* const here = ServingThread::of(task->calls());
      if (!made.valid()) made = here != nullptr ? here->make(call) : task->calls().post(call);
      // Asked for on another thread, from which the run has moved on to the one that answers.
      while (here != nullptr && made.wait_for(std::chrono::seconds(0)) != std::future_status::ready) here->serve(false);
      made.get();
      return std::move(*block);
    });
  }

 private:
  uint64_t number() const { return reinterpret_cast<uintptr_t>(this); }  // no two that live have the same

  std::shared_ptr<const PythonTask> task_;
  BatchShape shape_;
  std::string settings_;
  bool asked_ = false;
};

std::unique_ptr<BlockReader> PythonTask::reader(const DataConfig& config, const BatchShape& shape) const {
  return std::make_unique<PythonReader>(shared_from_this(), config, shape);
}

// What stands between two calls of an observable's function: the weights of all rows, and NumPy's views of them.
class RowsOfWeights {
 public:
  RowsOfWeights(const RunSpec& spec, size_t rows)
      : parameters_(spec.parameter_count()), stride_((parameters_ + 15) / 16 * 16) {
    auto arena = std::make_unique<Arena<float>>(rows * stride_);
    weights_ = arena->data();
    owner_ = nb::capsule(arena.release(), [](void* memory) noexcept { delete static_cast<Arena<float>*>(memory); });
    for (const Matrix& matrix : spec.matrices()) {
      const size_t shape[] = {rows, static_cast<size_t>(matrix.rows), static_cast<size_t>(matrix.columns)};
      const int64_t strides[] = {static_cast<int64_t>(stride_), matrix.columns, 1};
      views_[matrix.name.c_str()] =
          nb::ndarray<nb::numpy, const float>(weights_ + matrix.offset, 3, shape, owner_, strides);
    }
  }
  void show(const WeightMoment& moment) {
    for (size_t row = 0; row < moment.rows.size(); ++row)
      std::copy_n(moment.rows[row], parameters_, weights_ + row * stride_);
  }
  const nb::dict& views() const { return views_; }

 private:
  size_t parameters_, stride_;  // whole vectors, so that every row begins alike
  float* weights_;
  nb::capsule owner_;
  nb::dict views_;
};

class PythonObservable final : public WeightFunction {
 public:
  PythonObservable(const nb::object& part, std::shared_ptr<HostCalls> calls)
      : identity_(identity_of(part)), part_(part), calls_(std::move(calls)) {
    for (const nb::handle extent : nb::cast<nb::list>(part.attr("extents")))
      extents_.push_back(nb::cast<std::string>(extent));
  }

  PartIdentity identity() const override { return identity_; }
  std::vector<int64_t> shape(const RunConfig& config) const override {
    std::vector<int64_t> shape;
    for (const std::string& extent : extents_) {
      const bool number = extent.find_first_not_of("0123456789") == std::string::npos;
      const Value value = number ? Value(int64_t{std::stoll(extent)}) : run_schema().at(extent).get(config);
      if (!std::holds_alternative<int64_t>(value))
        throw Error(ErrorKind::config, "the shape of '" + identity_.name + "' names " + extent + ", no whole number");
      shape.push_back(std::get<int64_t>(value));
    }
    return shape;
  }
  void evaluate(const RunSpec& spec, std::span<const WeightMoment> moments, double* out) const override {
    calls_->make([&] {
      call_python(identity_.name, [&] {
        const nb::object part = part_.get();
        const size_t rows = moments.front().rows.size();
        size_t block = rows;
        nb::list shape;
        shape.append(rows);
        for (const int64_t extent : this->shape(spec.config())) {
          shape.append(extent);
          block *= static_cast<size_t>(extent);
        }
        RowsOfWeights weights(spec, rows);
        const nb::object shown = part.attr("show")(weights.views(), spec.config().network.heads);
        const nb::object measure = part.attr("measure"), wanted = nb::tuple(shape);
        for (const WeightMoment& moment : moments) {
          weights.show(moment);
          const auto values =
              nb::cast<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>(measure(shown, moment.step, wanted));
          out = std::copy_n(values.data(), block, out);
        }
      });
    });
  }

 private:
  PartIdentity identity_;
  std::vector<std::string> extents_;  // numbers, or keys of a run
  PythonPart part_;
  std::shared_ptr<HostCalls> calls_;
};

// One that fails has found nothing: the runs are there, and other detectors go on.
class PythonDetector final : public CurveFunction {
 public:
  PythonDetector(const nb::object& part, std::shared_ptr<HostCalls> calls, std::shared_ptr<DetectorFailures> failures)
      : identity_(identity_of(part)), part_(part), calls_(std::move(calls)), failures_(std::move(failures)) {}

  PartIdentity identity() const override { return identity_; }
  Finding detect(const std::vector<const Series*>& curves, const Recording& recording,
                 const RunConfig& config) const override {
    Finding finding;
    try {
      calls_->make([&] { call_python(identity_.name, [&] { finding = find_in(curves, recording, config); }); });
    } catch (const PartFailure& failure) {
      const std::lock_guard lock(failures_->mutex);
      failures_->first.try_emplace(
          identity_.name, CellFailure{0, config.seeds.init, identity_.name, failure.what(), failure.details()});
    }
    return finding;
  }

 private:
  Finding find_in(const std::vector<const Series*>& curves, const Recording& recording, const RunConfig& config) const {
    nb::list given;
    for (const Series* curve : curves)
      given.append(nb::make_tuple(array_of(std::vector<int64_t>(curve->steps), {curve->steps.size()}),
                                  array_of(std::vector<double>(curve->values), {curve->values.size()})));
    Json settings = Json::object();
    for (const RunField& field : run_schema().all()) settings[field.key] = to_json(field.get(config));
    nb::dict about;
    about["steps_done"] = recording.steps_done;
    about["diverged_at"] = recording.diverged_at ? nb::cast(*recording.diverged_at) : nb::none();
    about["stopped_early"] = recording.stopped_early;
    about["best_loss"] = recording.best_loss ? nb::cast(*recording.best_loss) : nb::none();
    Finding finding;
    for (const nb::handle one : nb::cast<nb::list>(part_.get().attr("find")(given, settings.dump(), about))) {
      Quantity& quantity = finding.emplace_back();
      quantity.name = nb::cast<std::string>(one[0]);
      if (!one[1].is_none()) quantity.value = nb::cast<double>(one[1]);
      quantity.censored = nb::cast<bool>(one[2]);
    }
    return finding;
  }

  PartIdentity identity_;
  PythonPart part_;
  std::shared_ptr<HostCalls> calls_;
  std::shared_ptr<DetectorFailures> failures_;
};

// Arrays as the file that they would be.
std::shared_ptr<const NumberFile> arrays_of(const nb::object& part) {
  auto file = std::make_shared<NumberFile>();
  file->name = nb::cast<std::string>(part.attr("name"));
  for (const auto& [name, values] : nb::cast<nb::dict>(part.attr("arrays"))) {
    const auto array = nb::cast<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>(values);
    NumberArray& one = file->arrays.emplace_back();
    one.name = nb::cast<std::string>(name);
    for (size_t i = 0; i < array.ndim(); ++i) one.shape.push_back(array.shape(i));
    one.values.assign(array.data(), array.data() + array.size());
  }
  file->hash = nb::cast<std::string>(part.attr("hash"));
  return file;
}

}  // namespace

PythonPart::~PythonPart() {
  if (Py_IsInitialized() == 0) {
    reference_.release();  // there is nobody left to give it back to
    return;
  }
  nb::gil_scoped_acquire acquire;
  reference_.reset();
}

nb::object PythonPart::get() const {
  nb::object part = reference_();
  if (part.is_none())
    throw Error(ErrorKind::usage, "a part of the study is gone", "keep the study, or the part, as long as it is used");
  return part;
}

void call_python(const std::string& part, const std::function<void()>& call) {
  nb::gil_scoped_acquire acquire;
  try {
    call();
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw HostInterrupt{std::current_exception()};
    const nb::object told = nb::module_::import_("attoscope._parts").attr("tell")(error.value());
    throw PartFailure(part, nb::cast<std::string>(told[0]), nb::cast<std::string>(told[1]));
  }
}

HostedParts hosted_parts(const nb::list& parts) {
  HostedParts hosted;
  auto own = std::make_shared<OwnParts>();
  for (const nb::handle one : parts) {
    const nb::object part = nb::borrow(one);
    const auto kind = nb::cast<std::string>(part.attr("kind")), name = nb::cast<std::string>(part.attr("name"));
    if (kind == "arrays") own->arrays[kArraysPrefix + name] = arrays_of(part);
    if (kind == "file") {
      const auto bytes = nb::cast<nb::bytes>(part.attr("content"));
      own->arrays[name] =
          std::make_shared<NumberFile>(parse_number_file({static_cast<const char*>(bytes.data()), bytes.size()}, name));
    }
    if (kind == "task") own->tasks[name] = std::make_shared<PythonTask>(part, hosted.calls);
    if (kind == "observable") own->observables[name] = std::make_shared<PythonObservable>(part, hosted.calls);
    if (kind == "detector")
      own->detectors[name] = std::make_shared<PythonDetector>(part, hosted.calls, hosted.failures);
  }
  hosted.parts = std::move(own);
  return hosted;
}

void work_hosted(HostCalls& calls, std::atomic<bool>& stop, const std::function<void()>& work) {
  using namespace std::chrono_literals;
  std::exception_ptr interrupt;
  {
    const WithoutGil release;
    calls.open();
    std::future<void> done = std::async(std::launch::async, [&] {
      const std::unique_ptr<HostCalls, void (*)(HostCalls*)> end(&calls, [](HostCalls* open) { open->close(); });
      work();
    });
    while (done.wait_for(0s) != std::future_status::ready) {
      try {
        calls.serve(50ms);
        check_signals();
      } catch (const nb::python_error&) {
        if (interrupt) calls.refuse();
        interrupt = std::current_exception();
        stop = true;
      }
    }
    try {
      done.get();
    } catch (...) {
      if (!interrupt) interrupt = std::current_exception();
    }
  }
  if (interrupt) std::rethrow_exception(interrupt);
}

namespace {

thread_local ServingThread* serving_thread = nullptr;
constexpr std::chrono::milliseconds kBetweenSignals{100};  // to take the GIL may take its time
constexpr std::chrono::microseconds kBetweenTurns{200};    // whether anybody is left to wait for

}  // namespace

ServingThread::ServingThread(HostCalls& calls, std::atomic<bool>& stop)
    : calls_(calls), stop_(stop), outer_(serving_thread) {
  calls_.open();
  serving_thread = this;
}

ServingThread::~ServingThread() {
  serving_thread = outer_;
  calls_.close();
}

ServingThread* ServingThread::of(const HostCalls& calls) {
  return serving_thread != nullptr && &serving_thread->calls_ == &calls ? serving_thread : nullptr;
}

void ServingThread::interrupted(std::exception_ptr cause) {
  if (interrupt_) {
    calls_.refuse();
    refused_ = true;
  }
  interrupt_ = std::move(cause);
  stop_ = true;
}

void ServingThread::serve(bool idle) {
  try {
    calls_.serve(idle ? std::chrono::duration<double>(kBetweenTurns) : std::chrono::duration<double>::zero());
    const auto now = std::chrono::steady_clock::now();
    if (now - looked_ < kBetweenSignals) return;
    looked_ = now;
    check_signals();
  } catch (const nb::python_error&) {
    interrupted(std::current_exception());
  }
}

std::future<void> ServingThread::make(const HostCalls::Call& call) {
  std::promise<void> answer;
  try {
    if (refused_) throw HostStopped();
    call();
    answer.set_value();
  } catch (const HostInterrupt& interrupt) {
    interrupted(interrupt.cause);
    answer.set_exception(std::make_exception_ptr(HostStopped()));
  } catch (...) {
    answer.set_exception(std::current_exception());
  }
  return answer.get_future();
}

void bind_parts(nb::module_& module) {
  module.def("content_hash", [](const nb::bytes& bytes) {
    return content_hash({static_cast<const char*>(bytes.data()), bytes.size()});
  });
}

}  // namespace atto::python
