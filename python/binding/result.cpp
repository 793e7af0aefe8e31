#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>

#include "arrays.h"
#include "base/error.h"
#include "bindings.h"
#include "job.h"
#include "lab/figures/figure.h"
#include "lab/results/recordings.h"
#include "lab/results/results_json.h"
#include "report/assets.h"
#include "report/report.h"

namespace atto::python {
namespace {

using Collected = Job::Collected;

// One series of every run, one above the other: where runs end at different steps the rest is NaN.
struct Stack {
  std::vector<int64_t> steps;  // of the run that has most of them
  std::vector<int64_t> shape;
  std::vector<double> values;  // [run][step][shape]
  size_t runs = 0;
};

// Of all cells, or of one.
Stack stack_series(Collected& collected, const std::string& address, std::optional<size_t> only) {
  const auto using_store = use(*collected.store);
  const Store& store = collected.store->open();
  Stack stack;
  std::vector<Series> all;
  if (only && *only >= collected.result.cells.size())
    throw Error(ErrorKind::missing, "there is no cell " + std::to_string(*only), "result.cells lists those there are");
  for (size_t i = 0; i < collected.result.cells.size(); ++i) {
    const CellResult& cell = collected.result.cells[i];
    if (only && i != *only) continue;
    for (const CellRun& run : cell.runs) {
      Recording recording = load_series({collected.result.study, store, cell.cell.config}, run.id, {address});
      all.push_back(std::move(recording.series.at(0)));
      const Series& one = all.back();
      if (one.steps.size() > stack.steps.size()) stack.steps = one.steps;
      if (stack.shape.empty()) stack.shape = one.shape;
      if (one.shape != stack.shape)
        throw Error(ErrorKind::config, "'" + address + "' has another shape in other cells",
                    "take one cell: result.series(\"" + address + "\", cell=0)");
    }
  }
  size_t block = 1;
  for (const int64_t extent : stack.shape) block *= static_cast<size_t>(extent);
  stack.runs = all.size();
  stack.values.assign(all.size() * stack.steps.size() * block, std::numeric_limits<double>::quiet_NaN());
  for (size_t run = 0; run < all.size(); ++run) {
    // Steps that are not those of the longest run are found in it, one by one.
    const Series& one = all[run];
    double* const rows = stack.values.data() + run * stack.steps.size() * block;
    for (size_t i = 0, at = 0; i < one.steps.size(); ++i, ++at) {
      if (at >= stack.steps.size() || stack.steps[at] != one.steps[i])
        at = static_cast<size_t>(std::lower_bound(stack.steps.begin(), stack.steps.end(), one.steps[i]) -
                                 stack.steps.begin());
      if (at < stack.steps.size() && stack.steps[at] == one.steps[i])
        std::copy_n(one.values.data() + i * block, block, rows + at * block);
    }
  }
  return stack;
}

nb::object stacked(Collected& collected, const std::string& address, std::optional<size_t> cell) {
  Stack stack;
  {
    const WithoutGil release;
    stack = stack_series(collected, address, cell);
  }
  std::vector<size_t> shape{stack.runs, stack.steps.size()};
  for (const int64_t extent : stack.shape) shape.push_back(static_cast<size_t>(extent));
  const size_t steps = stack.steps.size();
  return nb::make_tuple(array_of(std::move(stack.steps), {steps}), array_of(std::move(stack.values), shape));
}

// The addresses of what every run of the study has, stored and derived, with their shapes.
std::string series_json(Collected& collected) {
  const auto using_store = use(*collected.store);
  Json list = Json::array();
  for (const CellResult& cell : collected.result.cells) {
    if (cell.runs.empty()) continue;
    const RecordedCell recorded{collected.result.study, collected.store->open(), cell.cell.config};
    for (const Series& one : series_of(recorded, cell.runs.front().id))
      list.push_back({{"address", one.address}, {"shape", one.shape}});
    break;
  }
  return list.dump();
}

// Cell, seed, id, whether it diverged: of every run, in the order of all arrays.
std::string runs_json(const Collected& collected) {
  Json list = Json::array();
  for (size_t i = 0; i < collected.result.cells.size(); ++i)
    for (const CellRun& run : collected.result.cells[i].runs)
      list.push_back({{"cell", i}, {"seed", run.seed}, {"id", run.id}, {"diverged", run.diverged}});
  return list.dump();
}

// What went wrong in parts of one's own.
std::string failures_json(const Collected& collected) {
  Json list = Json::array();
  for (const CellFailure& one : collected.failures) {
    const Cell& cell = collected.study.cells.at(one.cell);
    list.push_back({{"cell", cell_text(cell.overrides)},
                    {"seed", collected.study.study.seeds.first + one.seed},
                    {"part", one.part},
                    {"message", one.message},
                    {"traceback", one.details}});
  }
  const std::lock_guard lock(collected.study.failures->mutex);
  for (const auto& [name, one] : collected.study.failures->first)
    list.push_back(
        {{"cell", ""}, {"seed", one.seed}, {"part", one.part}, {"message", one.message}, {"traceback", one.details}});
  return list.dump();
}

// What each run has of a quantity: the value, whether it is a lower bound, whether the run diverged. NaN is missing.
nb::object outcomes(const Collected& collected, const std::string& quantity) {
  std::vector<double> values;
  std::vector<uint8_t> censored;
  for (const CellResult& cell : collected.result.cells) {
    const Outcomes found = outcomes_of(cell, quantity);
    if (found.size() != cell.runs.size())
      throw Error(ErrorKind::missing, "the study has no quantity '" + quantity + "'",
                  "result.quantities lists what it has");
    for (const auto& one : found) {
      values.push_back(one.value.value_or(std::numeric_limits<double>::quiet_NaN()));
      censored.push_back(one.censored ? 1 : 0);
    }
  }
  const size_t runs = values.size();
  return nb::make_tuple(array_of(std::move(values), {runs}), array_of(std::move(censored), {runs}));
}

std::vector<std::string> quantity_names(const Collected& collected) {
  std::vector<std::string> names;
  for (const CellResult& cell : collected.result.cells)
    for (const QuantitySummary& one : cell.quantities)
      if (std::find(names.begin(), names.end(), one.name) == names.end()) names.push_back(one.name);
  return names;
}

std::string figure_json(Collected& collected, const std::string& name, const std::string& theme) {
  const auto using_store = use(*collected.store);
  for (const FigurePlan& plan : collected.result.study.figures) {
    if (plan.name != name) continue;
    const Figure figure = draw_figure(plan, collected.result, collected.store->open());
    if (figure.spec.is_null()) throw Error(ErrorKind::missing, "there is nothing to draw: " + figure.drawing.notice);
    Json spec = figure.spec;
    spec["config"] = Json::parse(assets::look())[theme];
    return Json{{"spec", spec},
                {"title", plan.title},
                {"caption", figure.drawing.caption},
                {"how", figure.drawing.how},
                {"notice", figure.drawing.notice}}
        .dump();
  }
  throw Error(ErrorKind::missing, "the study has no figure '" + name + "'", "result.figures lists those it has");
}

std::string report_html(Collected& collected) {
  const auto using_store = use(*collected.store);
  Report report;
  const int64_t runs = std::ssize(collected.study.runs);
  report.add({collected.result.study, &collected.result, runs, runs, collected.result.study.name, ""},
             &collected.store->open());
  return report.html();
}

}  // namespace

void bind_result(nb::module_& module) {
  const auto release = nb::call_guard<WithoutGil>();
  nb::class_<Collected>(module, "Collected")
      .def_ro("complete", &Collected::complete)
      .def(
          "verdicts_json", [](const Collected& self) { return verdicts_with_status_json(self.result).dump(); }, release)
      .def(
          "cells_json", [](const Collected& self) { return cells_json(self.result).dump(); }, release)
      .def(
          "fits_json", [](const Collected& self) { return fits_json(self.result).dump(); }, release)
      .def("series_json", &series_json, release)
      .def("runs_json", &runs_json, release)
      .def("failures_json", &failures_json)
      .def("stacked", &stacked, nb::arg("address"), nb::arg("cell").none())
      .def("outcomes", &outcomes)
      .def("quantity_names", &quantity_names)
      .def("figure_json", &figure_json, release)
      .def("report_html", &report_html, release);
  module.def(
      "collect",
      [](CheckedStudy study, std::shared_ptr<SharedStore> store) {
        auto collected = std::make_shared<Collected>();
        const auto using_store = use(*store);
        study.runs = stored_runs(study.study, study.cells, store->open());
        collected->result = collect_with_record(study.study, study.cells, study.runs, store->open());
        collected->complete = has_all_runs(collected->result);
        collected->study = std::move(study);
        collected->store = std::move(store);
        return collected;
      },
      release);
}

}  // namespace atto::python
