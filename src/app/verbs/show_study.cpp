// atto show STUDY: the phase diagram or the curves of its cells, and its verdicts.
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "app/job.h"
#include "app/terminal/cell_table.h"
#include "app/terminal/fit_report.h"
#include "app/terminal/phase_diagram.h"
#include "app/terminal/plot.h"
#include "app/terminal/text_table.h"
#include "app/terminal/verdict_table.h"
#include "app/verbs/show.h"
#include "base/error.h"
#include "base/names.h"
#include "lab/results/recordings.h"
#include "lab/results/results_json.h"
#include "lab/results/seed_curve.h"
#include "lab/results/threshold_curve.h"

namespace atto {
namespace {

constexpr size_t kMostPlots = 4;   // of an observable; for more cells each gets a line
constexpr size_t kMostLines = 60;  // more would scroll past
constexpr size_t kLineWidth = 40;  // columns of a curve in a line

// One observable of the stored runs of one cell; none when the cell's network does not have it.
std::vector<Recording> load_cell(const StudyResult& result, const Store& store, size_t cell,
                                 const std::string& address) {
  std::vector<Recording> runs;
  const CellResult& found = result.cells[cell];
  const auto has = [&](const ObservableSummary& one) { return one.address == address; };
  if (std::none_of(found.observables.begin(), found.observables.end(), has)) return runs;
  for (const CellRun& run : found.runs)
    runs.push_back(load_series({result.study, store, found.cell.config}, run.id, {address}));
  return runs;
}

// Perplexity if the study observes it, else its first scalar.
std::vector<std::string> default_observables(const StudyResult& result) {
  std::vector<std::string> first;
  for (const CellResult& cell : result.cells) {
    for (const ObservableSummary& one : cell.observables) {
      if (one.address == "perplexity") return {one.address};
      if (first.empty()) first = {one.address};
    }
  }
  return first;
}

// A run that has recorded the address, which may be a matrix; none when nothing has.
std::string run_with(const StudyResult& result, const Store& store, const std::string& address) {
  for (const CellResult& cell : result.cells) {
    if (cell.runs.empty()) continue;
    const std::string& run = cell.runs.front().id;  // runs of a cell differ in nothing but seeds
    for (const Series& series : series_of({result.study, store, cell.cell.config}, run))
      if (series.address == address) return run;
  }
  return "";
}

void check_observables(const Options& options, const StudyResult& result, const Store& store) {
  std::vector<std::string> known;
  for (const CellResult& cell : result.cells)
    for (const ObservableSummary& one : cell.observables)
      if (std::find(known.begin(), known.end(), one.address) == known.end()) known.push_back(one.address);
  for (const std::string& address : options.observables) {
    if (std::find(known.begin(), known.end(), address) != known.end()) continue;
    const std::string near = nearest_name(address, known);
    const std::string run = run_with(result, store, address);
    throw Error(
        ErrorKind::usage,
        "the study has no scalar observable '" + address + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"),
        run.empty() ? (known.empty() ? "it records no number at all" : "it has " + list_text(known))
                    : "`" + options.program + " show " + run.substr(0, 10) + " --observable " + shell_word(address) +
                          shared_options_text(options) + "` draws maps and embeddings of one run");
  }
}

// The cells that have the observable.
std::vector<size_t> cells_with(const StudyResult& result, const std::string& address) {
  std::vector<size_t> cells;
  for (size_t i = 0; i < result.cells.size(); ++i)
    if (find_observable(result.cells[i], address) != nullptr) cells.push_back(i);
  return cells;
}

std::string tall_plots(const StudyResult& result, const Store& store, const std::string& address,
                       const std::vector<size_t>& cells, const Options& options, const Terminal& terminal) {
  std::string out;
  for (const size_t cell : cells) {
    const std::vector<Recording> runs = load_cell(result, store, cell, address);
    out += styled(address, Style::bold, terminal) + " · " + cell_label(result.cells[cell].cell.overrides) +
           " · median and quartiles of " + count_text(std::ssize(runs), "seed") + "\n" +
           plot_curve(curve_over_seeds(runs, address), {std::min<size_t>(terminal.width, 90), 12}, options.log_scale) +
           "\n";
  }
  return out;
}

// A line a cell: the median's course on a scale that all cells share, from where to where.
std::string curve_lines(const StudyResult& result, const Store& store, const std::string& address,
                        const std::vector<size_t>& cells, const Options& options, const Terminal& terminal) {
  const size_t shown = std::min(cells.size(), kMostLines);
  std::vector<Curve> curves;
  for (size_t i = 0; i < shown; ++i)
    curves.push_back(curve_over_seeds(load_cell(result, store, cells[i], address), address));
  const std::vector<std::string> lines = sparklines(curves, kLineWidth, options.log_scale);
  Table table({{"cell"}, {"first", Align::right}, {"median over training"}, {"last"}, {"seeds", Align::right}});
  for (size_t i = 0; i < shown; ++i) {
    const CellResult& cell = result.cells[cells[i]];
    const std::vector<double>& middle = curves[i].middle;
    table.row({cell_label(cell.cell.overrides), middle.empty() ? "-" : number_text(middle.front()), lines[i],
               middle.empty() ? "-" : number_text(middle.back()), count_text(cell.seeds)});
  }
  std::string out = styled(address, Style::bold, terminal) + " · " + count_text(std::ssize(cells), "cell") +
                    ", all on one scale\n\n" + table.render(terminal) + "\n";
  if (shown < cells.size())
    out += "(" + count_text(std::ssize(cells) - static_cast<int64_t>(shown), "cell") +
           " left out: --set KEY=VALUE picks cells, `atto export` has all)\n\n";
  return out;
}

std::string plots(const StudyResult& result, const Store& store, const std::vector<std::string>& observables,
                  const Options& options, const Terminal& terminal) {
  std::string out;
  for (const std::string& address : observables) {
    const std::vector<size_t> cells = cells_with(result, address);
    const auto draw = cells.size() > kMostPlots ? curve_lines : tall_plots;
    if (!cells.empty()) out += draw(result, store, address, cells, options, terminal);
  }
  return out;
}

Json curves_json(const StudyResult& result, const Store& store, const std::vector<std::string>& observables) {
  Json list = Json::array();
  const auto numbers = [](const std::vector<double>& values) {
    Json array = Json::array();
    for (const double value : values) array.push_back(number_json(value));
    return array;
  };
  for (const std::string& address : observables) {
    for (size_t cell = 0; cell < result.cells.size(); ++cell) {
      const std::vector<Recording> runs = load_cell(result, store, cell, address);
      if (runs.empty()) continue;
      const Curve curve = curve_over_seeds(runs, address);
      list.push_back({{"cell", to_json(result.cells[cell].cell.overrides)},
                      {"observable", address},
                      {"seeds", runs.size()},
                      {"steps", numbers(curve.steps)},
                      {"q25", numbers(curve.low)},
                      {"median", numbers(curve.middle)},
                      {"q75", numbers(curve.high)}});
    }
  }
  return list;
}

Json phase_json(const StudyResult& result, const std::string& quantity) {
  Json list = Json::array();
  for (const CellResult& cell : result.cells) {
    const auto value = cell_value(cell, quantity);
    list.push_back({{"cell", to_json(cell.cell.overrides)},
                    {"seeds", cell.seeds},
                    {"value", value ? number_json(*value) : Json(nullptr)}});
  }
  return {{"quantity", quantity}, {"cells", list}};
}

void add_thresholds(const StudyResult& result, const Store& store, Json& claims) {
  const std::vector<ThresholdCurve> curves = threshold_curves(result, store);
  for (size_t i = 0; i < result.claims.size(); ++i)
    if (Json found = thresholds_json(curves, i); !found.empty()) claims[i]["thresholds"] = std::move(found);
}

std::string thresholds_report(const StudyResult& result, const Store& store, const Terminal& terminal) {
  const std::vector<ThresholdCurve> curves = threshold_curves(result, store);
  if (curves.empty()) return "";
  Table table({{"claim"}, {"own", Align::right}, {"verdicts over the cut", Align::left, true}});
  for (const ThresholdCurve& curve : curves)
    table.row({result.claims[curve.claim].claim.id, short_text(curve.own), threshold_text(curve)});
  return "\n" + styled("Verdicts over the cuts of their detectors", Style::bold, terminal) + "\n\n" +
         table.render(terminal);
}

}  // namespace

void show_study(const Options& options, const Store& store) {
  Job job = prepare(options.names.front(), options);
  const size_t asked = job.runs.size();
  const StudyResult result = collect_stored(job, store, options);
  check_observables(options, result, store);
  const std::string quantity = options.quantity.empty() ? telling_quantity(result) : options.quantity;
  const auto map = phase_diagram(result, quantity);
  // A map stands for the curves of its cells unless they are asked for.
  std::vector<std::string> observables = options.observables;
  if (observables.empty() && !map) observables = default_observables(result);

  if (options.json) {
    Json all = {
        {"study", job.study.name}, {"profile", job.study.profile}, {"runs_asked", asked}, {"runs", job.runs.size()}};
    all["cells"] = cells_json(result);
    all["fits"] = fits_json(result);
    all["claims"] = verdicts_with_status_json(result);
    if (options.thresholds) add_thresholds(result, store, all["claims"]);
    all["curves"] = curves_json(result, store, observables);
    if (map) all["phase_diagram"] = phase_json(result, quantity);
    std::cout << json_text(all);
    return;
  }
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  std::cout << styled(job.study.title, Style::bold, terminal) << "\n"
            << job.study.source << "\n"
            << job.study.profile << " profile, " << count_text(static_cast<int64_t>(job.cells.size()), "cell") << ", "
            << count_text(static_cast<int64_t>(job.runs.size()))
            << (job.runs.size() < asked
                    ? " of " + count_text(static_cast<int64_t>(asked), "run") + " (the rest is not trained yet)"
                    : " runs")
            << "\n\n";
  if (map)
    std::cout << styled(quantity, Style::bold, terminal) << " over the sweep\n\n" << render(*map, terminal) << "\n";
  std::cout << plots(result, store, observables, options, terminal) << diagnosis_report(result.cells, terminal);
  for (const FitResult& fit : result.fits)
    std::cout << fit_report(fit, terminal) << "\n" << fit_plot(fit, terminal) << "\n";
  if (!result.claims.empty())
    std::cout << verdict_table(result.claims, terminal) << "\n" << verdict_counts(result.claims, terminal) << "\n";
  if (options.thresholds) std::cout << thresholds_report(result, store, terminal);
  std::cout << "\nOne run: " << options.program << " show " << job.runs.front().id.substr(0, 10)
            << shared_options_text(options) << "\n";
}

}  // namespace atto
