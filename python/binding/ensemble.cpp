#include "spec/ensemble.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <memory>
#include <thread>

#include "arrays.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/saturating.h"
#include "bindings.h"
#include "lab/results/json.h"
#include "observe/forward_pass.h"
#include "observe/observable.h"
#include "study.h"
#include "without_gil.h"

namespace atto::python {
namespace {

using Tokens = nb::ndarray<const int32_t, nb::c_contig, nb::device::cpu>;

// An ensemble and what is needed to look into it. One thread at a time may use it.
class Runs : public Stoppable {
 public:
  Runs(const std::string& config, const std::vector<std::pair<uint64_t, uint64_t>>& seeds, int threads,
       HostedParts parts)
      : parts_(std::move(parts)),
        ensemble_(fitting(config_of(config, *parts_.parts), seeds.size()), seeds_of(seeds), threads) {}

  // The ensemble, for one caller for as long as this lives.
  class Use {
   public:
    explicit Use(Runs& runs) : runs_(runs) {
      if (runs.busy_.exchange(true))
        throw Error(ErrorKind::usage, "the runs are used by another thread", "wait until it is done: advance() ...");
    }
    ~Use() { runs_.busy_ = false; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    Ensemble& operator*() const { return runs_.ensemble_; }
    Ensemble* operator->() const { return &runs_.ensemble_; }

   private:
    Runs& runs_;
  };
  bool busy() const { return busy_; }

  // Does something with the runs, for whoever uses them, without the lock of Python. Where a task of theirs is Python
  // this thread has to answer it, so another one works; else this one does, and no thread has to start.
  void work(const std::function<void()>& what) {
    stop_ = interpreter_ends();
    const Listed listed(*this);
    if (!parts_.parts->tasks.empty()) return work_hosted(*parts_.calls, stop_, what);
    const WithoutGil release;
    what();
  }
  // Ctrl-C ends it: the runs then stand where they are, and the next call makes up for what is missing.
  void advance(int64_t steps) {
    const Use ensemble(*this);
    const bool hosted = !parts_.parts->tasks.empty();
    if (hosted && takes_every_core()) return advance_serving(steps);
    SignalWatch watch(stop_);
    work([&] {
      ensemble->advance(
          steps, &stop_, hosted ? std::function<void()>() : [&] { watch.look(); });
    });
    watch.rethrow();
  }
  void abandon() override {
    stop_ = true;
    parts_.calls->refuse();
  }
  void wait_until_over() override {}  // the thread that advances is away until it is

  ForwardPass& forward() {
    if (!forward_) forward_.emplace(ensemble_.spec());
    return *forward_;
  }

 private:
  bool takes_every_core() const { return ensemble_.threads() > 1 && ensemble_.threads() >= usable_cores(); }
  // Where a core is left, work() has Python at work there while all others train. Else this thread does both.
  void advance_serving(int64_t steps) {
    stop_ = interpreter_ends();
    const Listed listed(*this);
    std::exception_ptr failure;
    {
      const WithoutGil release;
      ServingThread serving(*parts_.calls, stop_);
      try {
        ensemble_.advance_serving(steps, &stop_, [&](bool idle) { serving.serve(idle); });
      } catch (...) {
        failure = std::current_exception();
      }
      if (serving.interrupt()) failure = serving.interrupt();
    }
    if (failure) std::rethrow_exception(failure);
  }
  static RunConfig fitting(const RunConfig& config, size_t runs) {
    const size_t needed = saturating_product(runs, RunSpec(config).memory().total), left = available_memory();
    if (needed > left)
      throw Error(ErrorKind::resources,
                  std::to_string(runs) + " runs need " + std::to_string(needed >> 20) + " MB of memory, and " +
                      std::to_string(left >> 20) + " MB are left",
                  "take fewer seeds, or a smaller network, data.vocab or training.batch");
    return config;
  }
  static std::vector<SeedConfig> seeds_of(const std::vector<std::pair<uint64_t, uint64_t>>& seeds) {
    std::vector<SeedConfig> all;
    for (const auto& [init, data] : seeds) {
      SeedConfig one;
      one.init = static_cast<int64_t>(init);
      one.data = static_cast<int64_t>(data);
      all.push_back(one);
    }
    return all;
  }

  HostedParts parts_;
  Ensemble ensemble_;
  std::optional<ForwardPass> forward_;
  std::atomic<bool> busy_ = false, stop_ = false;
};

const Matrix& matrix_of(const RunSpec& spec, const std::string& name) {
  if (const Matrix* matrix = spec.find(name)) return *matrix;
  throw Error(ErrorKind::missing, "the network has no matrix '" + name + "'");
}

// A view of a matrix in all runs: [run][row][column], in the arena itself.
nb::object view(nb::handle self, const float* arena, const Ensemble& ensemble, const Matrix& matrix) {
  const size_t shape[] = {ensemble.size(), static_cast<size_t>(matrix.rows), static_cast<size_t>(matrix.columns)};
  const int64_t strides[] = {static_cast<int64_t>(ensemble.stride()), matrix.columns, 1};
  return nb::cast(nb::ndarray<nb::numpy, const float>(arena + matrix.offset, 3, shape, self, strides));
}

nb::object weight(nb::handle self, const std::string& name) {
  const Runs::Use ensemble(nb::cast<Runs&>(self));
  return view(self, ensemble->parameters().data(), *ensemble, matrix_of(ensemble->spec(), name));
}

std::string matrices_json(Runs& self) {
  Json list = Json::array();
  const Runs::Use ensemble(self);
  for (const Matrix& matrix : ensemble->spec().matrices())
    list.push_back({{"name", matrix.name}, {"rows", matrix.rows}, {"columns", matrix.columns}});
  return list.dump();
}

// What goes into the network and comes out of it: positions, tokens (or features of a real-valued input), answers.
std::string sizes_json(Runs& self) {
  const Runs::Use ensemble(self);
  const AttentionSpec* const attention = ensemble->spec().attention();
  if (attention == nullptr)
    throw Error(ErrorKind::usage, "this run has no network of attention", "take network.form = \"attention\"");
  const BatchShape& shape = attention->task.shape;
  return Json{{"context", shape.context},
              {"inputs", shape.vectors() ? shape.inputs : shape.vocabulary},
              {"outputs", shape.vectors() ? shape.outputs : shape.vocabulary},
              {"real", shape.vectors()},
              {"first_asked", shape.first_asked}}
      .dump();
}

void set_weight(Runs& self, size_t run, const std::string& name,
                const nb::ndarray<const float, nb::c_contig, nb::device::cpu>& values) {
  const Runs::Use ensemble(self);
  const Matrix& matrix = matrix_of(ensemble->spec(), name);
  if (values.size() != matrix.size())
    throw Error(ErrorKind::usage, "'" + name + "' has " + std::to_string(matrix.size()) + " numbers, not " +
                                      std::to_string(values.size()));
  std::copy_n(values.data(), matrix.size(), ensemble->change(run).begin() + static_cast<int64_t>(matrix.offset));
}

// Loss and accuracy of each run's batch at its present step.
nb::object batch(Runs& self) {
  const Runs::Use ensemble(self);
  std::vector<double> losses, accuracies;
  self.work([&] {
    ensemble->evaluate_all();
    for (size_t run = 0; run < ensemble->size(); ++run) {
      losses.push_back(ensemble->evaluated(run).loss);
      accuracies.push_back(ensemble->evaluated(run).accuracy);
    }
  });
  return nb::make_tuple(array_of(std::move(losses), {ensemble->size()}),
                        array_of(std::move(accuracies), {ensemble->size()}));
}

nb::object test_losses(Runs& self) {
  const Runs::Use ensemble(self);
  std::vector<double> losses;
  self.work([&] {
    for (size_t run = 0; run < ensemble->size(); ++run) losses.push_back(ensemble->run(run).trainer().test().loss);
  });
  return array_of(std::move(losses), {ensemble->size()});
}

// The gradient of a matrix in all runs, a copy: the next step overwrites it.
nb::object gradient(Runs& self, const std::string& name) {
  const Runs::Use ensemble(self);
  const Matrix& matrix = matrix_of(ensemble->spec(), name);
  std::vector<float> all;
  self.work([&] { ensemble->evaluate_all(); });
  for (size_t run = 0; run < ensemble->size(); ++run) {
    const auto gradients = ensemble->run(run).trainer().gradients().subspan(matrix.offset, matrix.size());
    all.insert(all.end(), gradients.begin(), gradients.end());
  }
  return array_of(std::move(all),
                  {ensemble->size(), static_cast<size_t>(matrix.rows), static_cast<size_t>(matrix.columns)});
}

std::span<const float> parameters_of(const Ensemble& ensemble, size_t run) {
  return ensemble.parameters().subspan(run * ensemble.stride(), ensemble.spec().parameter_count());
}

std::span<const int32_t> span_of(Runs& self, const Tokens& tokens) {
  if (tokens.ndim() != 2 || static_cast<int>(tokens.shape(1)) != self.forward().context())
    throw Error(ErrorKind::usage,
                "tokens have the shape [sequence][" + std::to_string(self.forward().context()) + " positions]");
  return {tokens.data(), tokens.size()};
}

nb::object logits(Runs& self, const Tokens& tokens) {
  const Runs::Use ensemble(self);
  const std::span<const int32_t> sequences = span_of(self, tokens);
  std::vector<float> all;
  {
    const WithoutGil release;
    for (size_t run = 0; run < ensemble->size(); ++run) {
      const std::vector<float> one = self.forward().logits(parameters_of(*ensemble, run), sequences);
      all.insert(all.end(), one.begin(), one.end());
    }
  }
  return array_of(std::move(all), {ensemble->size(), tokens.shape(0), tokens.shape(1),
                                   static_cast<size_t>(self.forward().vocabulary())});
}

nb::object attention(Runs& self, const Tokens& tokens, int layer) {
  const Runs::Use ensemble(self);
  const std::span<const int32_t> sequences = span_of(self, tokens);
  std::vector<float> all;
  {
    const WithoutGil release;
    for (size_t run = 0; run < ensemble->size(); ++run) {
      const std::vector<float> one = self.forward().attention(parameters_of(*ensemble, run), sequences, layer);
      all.insert(all.end(), one.begin(), one.end());
    }
  }
  return array_of(std::move(all), {ensemble->size(), tokens.shape(0), static_cast<size_t>(self.forward().heads(layer)),
                                   tokens.shape(1), tokens.shape(1)});
}

// What an observable shows now, of all runs: [run][shape].
nb::object observe(Runs& self, const std::string& address) {
  const Runs::Use ensemble(self);
  const std::vector<Observable> offered = all_observables(ensemble->spec());
  const auto found =
      std::find_if(offered.begin(), offered.end(), [&](const Observable& one) { return one.address == address; });
  if (found == offered.end())
    throw Error(ErrorKind::missing, "the run has no observable '" + address + "'",
                "run.observables lists those it has");
  std::vector<size_t> shape{ensemble->size()};
  size_t block = 1;
  for (const int64_t extent : found->shape) {
    shape.push_back(static_cast<size_t>(extent));
    block *= static_cast<size_t>(extent);
  }
  std::vector<double> values(ensemble->size() * block);
  self.work([&] {
    for (size_t run = 0; run < ensemble->size(); ++run) {
      LiveRun& live = ensemble->run(run);
      const std::vector<Observable> own = all_observables(live.spec());
      Observer observer(live);
      observer.measure(own[static_cast<size_t>(found - offered.begin())], ensemble->evaluated(run),
                       values.data() + run * block);
    }
  });
  return array_of(std::move(values), shape);
}

std::vector<int64_t> steps_of(Runs& self) {
  const Runs::Use ensemble(self);
  std::vector<int64_t> steps;
  for (size_t run = 0; run < ensemble->size(); ++run) steps.push_back(ensemble->run(run).trainer().step());
  return steps;
}

// What changes in a run as it trains, and the matrices it has: arenas of different networks may be of one length.
struct Kept {
  Snapshot run;
  std::string network;
};

std::string network_of(const RunSpec& spec) {
  std::string text;
  for (const Matrix& matrix : spec.matrices())
    text += matrix.name + " " + std::to_string(matrix.rows) + " " + std::to_string(matrix.columns) + "\n";
  return text;
}

Kept keep(Runs& self, size_t run) {
  const Runs::Use ensemble(self);
  return {ensemble->snapshot(run), network_of(ensemble->spec())};
}

// All runs or, where a snapshot does not fit, none.
void restore(Runs& self, const std::vector<const Kept*>& snapshots) {
  const Runs::Use ensemble(self);
  if (snapshots.size() != ensemble->size())
    throw Error(ErrorKind::usage, "the snapshot is of " + std::to_string(snapshots.size()) +
                                      " runs, the ensemble has " + std::to_string(ensemble->size()));
  for (size_t run = 0; run < snapshots.size(); ++run) {
    const Snapshot own = ensemble->snapshot(run), &given = snapshots[run]->run;
    if (snapshots[run]->network != network_of(ensemble->spec()) || given.step < 0 ||
        given.parameters.size() != own.parameters.size() || given.optimizer.size() != own.optimizer.size() ||
        given.extra.size() != own.extra.size())
      throw Error(ErrorKind::usage, "the snapshot is of a run with another network, optimizer or data",
                  "restore it into an Ensemble or Run of the configuration it was taken from");
  }
  for (size_t run = 0; run < snapshots.size(); ++run) ensemble->restore(run, snapshots[run]->run);
}

}  // namespace

void bind_ensemble(nb::module_& module) {
  using State = std::tuple<int64_t, int64_t, std::vector<float>, std::vector<float>, std::vector<double>, std::string>;
  nb::class_<Kept>(module, "Snapshot")
      .def_prop_ro("step", [](const Kept& self) { return self.run.step; })
      .def("__getstate__",
           [](const Kept& self) {
             const Snapshot& run = self.run;
             return State{run.step, run.calm_steps, run.parameters, run.optimizer, run.extra, self.network};
           })
      .def("__setstate__", [](Kept& self, const State& state) {
        const auto& [step, calm_steps, parameters, optimizer, extra, network] = state;
        new (&self) Kept{Snapshot{step, calm_steps, parameters, optimizer, extra}, network};
      });
  nb::class_<Runs>(module, "Runs")
      .def(
          "__init__",
          [](Runs* self, const std::string& config, const std::vector<std::pair<uint64_t, uint64_t>>& seeds,
             int threads, const nb::list& parts) {
            HostedParts hosted = hosted_parts(parts);
            const WithoutGil release;
            new (self) Runs(config, seeds, threads, std::move(hosted));
          },
          nb::arg("config"), nb::arg("seeds"), nb::arg("threads"), nb::arg("parts"))
      .def_prop_ro("busy", &Runs::busy)
      .def_prop_ro("step", [](Runs& self) { return Runs::Use(self)->step(); })
      .def("steps", &steps_of)
      .def("advance", &Runs::advance)
      .def("matrices_json", &matrices_json)
      .def("sizes_json", &sizes_json)
      .def("weight", [](nb::handle_t<Runs> self, const std::string& name) { return weight(self, name); })
      .def("set_weight", &set_weight)
      .def("batch", &batch)
      .def("test_losses", &test_losses)
      .def("gradient", &gradient)
      .def("logits", &logits)
      .def("attention", &attention)
      .def("observe", &observe)
      .def("snapshot", &keep)
      .def("restore", &restore);
}

}  // namespace atto::python
