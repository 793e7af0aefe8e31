#include "spec/ensemble.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <memory>

#include "arrays.h"
#include "base/error.h"
#include "bindings.h"
#include "lab/results/json.h"
#include "observe/forward_pass.h"
#include "observe/observable.h"
#include "study.h"

namespace atto::python {
namespace {

using Tokens = nb::ndarray<const int32_t, nb::c_contig, nb::device::cpu>;

// An ensemble and what is needed to look into it. While it advances nothing else may touch it.
class Runs {
 public:
  Runs(const std::string& config, const std::vector<std::pair<uint64_t, uint64_t>>& seeds, int threads,
       HostedParts parts)
      : parts_(std::move(parts)), ensemble_(config_of(config, *parts_.parts), seeds_of(seeds), threads) {}

  Ensemble& free() {
    if (busy_)
      throw Error(ErrorKind::usage, "the runs are being advanced by another thread", "wait until advance() returns");
    return ensemble_;
  }
  bool busy() const { return busy_; }

  // Does something with the runs on other threads; nobody else may touch them meanwhile.
  void work(const std::function<void(Ensemble&)>& what) {
    Ensemble& ensemble = free();
    busy_ = true;
    const std::unique_ptr<Runs, void (*)(Runs*)> end(this, [](Runs* runs) { runs->busy_ = false; });
    work_hosted(*parts_.calls, stop_, [&] { what(ensemble); });
  }
  // Ctrl-C ends it: the runs then stand where they are, and the next call makes up for what is missing.
  void advance(int64_t steps) {
    work([steps, this](Ensemble& ensemble) { ensemble.advance(steps, &stop_); });
  }

  ForwardPass& forward() {
    if (!forward_) forward_.emplace(ensemble_.spec());
    return *forward_;
  }

 private:
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
  const Ensemble& ensemble = nb::cast<Runs&>(self).free();
  return view(self, ensemble.parameters().data(), ensemble, matrix_of(ensemble.spec(), name));
}

std::string matrices_json(Runs& self) {
  Json list = Json::array();
  for (const Matrix& matrix : self.free().spec().matrices())
    list.push_back({{"name", matrix.name}, {"rows", matrix.rows}, {"columns", matrix.columns}});
  return list.dump();
}

void set_weight(Runs& self, size_t run, const std::string& name,
                const nb::ndarray<const float, nb::c_contig, nb::device::cpu>& values) {
  Ensemble& ensemble = self.free();
  const Matrix& matrix = matrix_of(ensemble.spec(), name);
  if (values.size() != matrix.size())
    throw Error(ErrorKind::usage, "'" + name + "' has " + std::to_string(matrix.size()) + " numbers, not " +
                                      std::to_string(values.size()));
  std::copy_n(values.data(), matrix.size(), ensemble.change(run).begin() + static_cast<int64_t>(matrix.offset));
}

// Loss and accuracy of each run's batch at its present step.
nb::object batch(Runs& self) {
  std::vector<double> losses, accuracies;
  self.work([&](Ensemble& ensemble) {
    ensemble.evaluate_all();
    for (size_t run = 0; run < ensemble.size(); ++run) {
      losses.push_back(ensemble.evaluated(run).loss);
      accuracies.push_back(ensemble.evaluated(run).accuracy);
    }
  });
  const size_t runs = losses.size();
  return nb::make_tuple(array_of(std::move(losses), {runs}), array_of(std::move(accuracies), {runs}));
}

nb::object test_losses(Runs& self) {
  std::vector<double> losses;
  self.work([&](Ensemble& ensemble) {
    for (size_t run = 0; run < ensemble.size(); ++run) losses.push_back(ensemble.run(run).trainer().test().loss);
  });
  const size_t runs = losses.size();
  return array_of(std::move(losses), {runs});
}

// The gradient of a matrix in all runs, a copy: the next step overwrites it.
nb::object gradient(Runs& self, const std::string& name) {
  Ensemble& ensemble = self.free();
  const Matrix& matrix = matrix_of(ensemble.spec(), name);
  std::vector<float> all;
  self.work([](Ensemble& runs) { runs.evaluate_all(); });
  for (size_t run = 0; run < ensemble.size(); ++run) {
    const auto gradients = ensemble.run(run).trainer().gradients().subspan(matrix.offset, matrix.size());
    all.insert(all.end(), gradients.begin(), gradients.end());
  }
  return array_of(std::move(all),
                  {ensemble.size(), static_cast<size_t>(matrix.rows), static_cast<size_t>(matrix.columns)});
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
  const Ensemble& ensemble = self.free();
  const std::span<const int32_t> sequences = span_of(self, tokens);
  std::vector<float> all;
  {
    nb::gil_scoped_release release;
    for (size_t run = 0; run < ensemble.size(); ++run) {
      const std::vector<float> one = self.forward().logits(parameters_of(ensemble, run), sequences);
      all.insert(all.end(), one.begin(), one.end());
    }
  }
  return array_of(std::move(all), {ensemble.size(), tokens.shape(0), tokens.shape(1),
                                   static_cast<size_t>(self.forward().vocabulary())});
}

nb::object attention(Runs& self, const Tokens& tokens, int layer) {
  const Ensemble& ensemble = self.free();
  const std::span<const int32_t> sequences = span_of(self, tokens);
  std::vector<float> all;
  {
    nb::gil_scoped_release release;
    for (size_t run = 0; run < ensemble.size(); ++run) {
      const std::vector<float> one = self.forward().attention(parameters_of(ensemble, run), sequences, layer);
      all.insert(all.end(), one.begin(), one.end());
    }
  }
  return array_of(std::move(all), {ensemble.size(), tokens.shape(0), static_cast<size_t>(self.forward().heads(layer)),
                                   tokens.shape(1), tokens.shape(1)});
}

// What an observable shows now, of all runs: [run][shape].
nb::object observe(Runs& self, const std::string& address) {
  Ensemble& ensemble = self.free();
  const std::vector<Observable> offered = all_observables(ensemble.spec());
  const auto found =
      std::find_if(offered.begin(), offered.end(), [&](const Observable& one) { return one.address == address; });
  if (found == offered.end())
    throw Error(ErrorKind::missing, "the run has no observable '" + address + "'",
                "run.observables lists those it has");
  std::vector<size_t> shape{ensemble.size()};
  size_t block = 1;
  for (const int64_t extent : found->shape) {
    shape.push_back(static_cast<size_t>(extent));
    block *= static_cast<size_t>(extent);
  }
  std::vector<double> values(ensemble.size() * block);
  self.work([&](Ensemble& runs) {
    for (size_t run = 0; run < runs.size(); ++run) {
      LiveRun& live = runs.run(run);
      const std::vector<Observable> own = all_observables(live.spec());
      Observer observer(live);
      observer.measure(own[static_cast<size_t>(found - offered.begin())], runs.evaluated(run),
                       values.data() + run * block);
    }
  });
  return array_of(std::move(values), shape);
}

std::vector<int64_t> steps_of(Runs& self) {
  std::vector<int64_t> steps;
  for (size_t run = 0; run < self.free().size(); ++run) steps.push_back(self.free().run(run).trainer().step());
  return steps;
}

}  // namespace

void bind_ensemble(nb::module_& module) {
  nb::class_<Snapshot>(module, "Snapshot")
      .def_ro("step", &Snapshot::step)
      .def("__getstate__",
           [](const Snapshot& self) {
             return nb::make_tuple(self.step, self.calm_steps, self.parameters, self.optimizer, self.extra);
           })
      .def("__setstate__",
           [](Snapshot& self,
              const std::tuple<int64_t, int64_t, std::vector<float>, std::vector<float>, std::vector<double>>& state) {
             new (&self) Snapshot{std::get<0>(state), std::get<1>(state), std::get<2>(state), std::get<3>(state),
                                  std::get<4>(state)};
           });
  nb::class_<Runs>(module, "Runs")
      .def(
          "__init__",
          [](Runs* self, const std::string& config, const std::vector<std::pair<uint64_t, uint64_t>>& seeds,
             int threads, const nb::list& parts) {
            HostedParts hosted = hosted_parts(parts);
            nb::gil_scoped_release release;
            new (self) Runs(config, seeds, threads, std::move(hosted));
          },
          nb::arg("config"), nb::arg("seeds"), nb::arg("threads"), nb::arg("parts"))
      .def("__len__", [](Runs& self) { return self.free().size(); })
      .def_prop_ro("busy", &Runs::busy)
      .def_prop_ro("step", [](Runs& self) { return self.free().step(); })
      .def("steps", &steps_of)
      .def("advance", &Runs::advance)
      .def("matrices_json", &matrices_json)
      .def("weight", [](nb::handle_t<Runs> self, const std::string& name) { return weight(self, name); })
      .def("set_weight", &set_weight)
      .def("batch", &batch)
      .def("test_losses", &test_losses)
      .def("gradient", &gradient)
      .def("logits", &logits)
      .def("attention", &attention)
      .def("observe", &observe)
      .def("snapshot", [](Runs& self, size_t run) { return self.free().snapshot(run); })
      .def("restore", [](Runs& self, size_t run, const Snapshot& snapshot) { self.free().restore(run, snapshot); });
}

}  // namespace atto::python
