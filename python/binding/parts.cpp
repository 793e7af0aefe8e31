#include "parts.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

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

// [row][column] of any layout as [column][row]; false where a number is no token.
template <class Number>
bool turn(const nb::ndarray<const Number, nb::ndim<2>, nb::device::cpu>& from, int vocabulary,
          std::vector<int32_t>& to) {
  const size_t rows = from.shape(0), columns = from.shape(1);
  const int64_t down = from.stride(0), right = from.stride(1);
  to.resize(rows * columns);
  bool fits = true;
  for (size_t column = 0; column < columns; ++column) {
    const Number* const first = from.data() + static_cast<int64_t>(column) * right;
    int32_t* const out = to.data() + column * rows;
    for (size_t row = 0; row < rows; ++row) {
      const Number number = first[static_cast<int64_t>(row) * down];
      fits &= number >= 0 && number < vocabulary;
      out[row] = static_cast<int32_t>(number);
    }
  }
  return fits;
}

bool take_numbers(const nb::object& rows, int vocabulary, std::vector<int32_t>& to) {
  nb::ndarray<const int32_t, nb::ndim<2>, nb::device::cpu> narrow;
  if (nb::try_cast(rows, narrow, false)) return turn(narrow, vocabulary, to);
  return turn(nb::cast<nb::ndarray<const int64_t, nb::ndim<2>, nb::device::cpu>>(rows), vocabulary, to);
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

  std::future<Block> ask(const BlockRequest& request) override {
    asked_ = true;
    auto block = std::make_shared<Block>();
    std::future<void> made =
        task_->calls().post([task = task_, request, block, reader = number(), settings = settings_, shape = shape_] {
          call_python(task->identity().name, [&] {
            const nb::object pair =
                task->part().attr("block")(reader, settings, request.seed, request.stream, request.number, request.rows,
                                           shape.context, shape.asked(), shape.vocabulary);
            const bool fits = take_numbers(pair[0], shape.vocabulary, block->tokens);
            if (!take_numbers(pair[1], shape.vocabulary, block->answers) || !fits)
              task->part().attr("refuse")(pair[0], pair[1], shape.vocabulary);
          });
        });
    return std::async(std::launch::deferred, [made = std::move(made), block]() mutable {
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
    if (kind == "task") own->tasks[name] = std::make_shared<PythonTask>(part, hosted.calls);
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

void bind_parts(nb::module_& module) {
  module.def("content_hash", [](const nb::bytes& bytes) {
    return content_hash({static_cast<const char*>(bytes.data()), bytes.size()});
  });
}

}  // namespace atto::python
