// atto show RUN_ID: one run's settings, curves, embeddings and attention maps.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "app/terminal/heat_map.h"
#include "app/terminal/plot.h"
#include "app/terminal/text_table.h"
#include "app/verbs/show.h"
#include "base/error.h"
#include "base/names.h"
#include "lab/results/json.h"
#include "lab/results/seed_curve.h"

namespace atto {
namespace {

constexpr size_t kMostMaps = 4;    // moments at which a map is drawn
constexpr size_t kWidestMap = 48;  // a larger map does not fit a line
constexpr size_t kMostPaths = 64;  // more points would only smear

double value_at(const Series& series, size_t moment, size_t index) {
  return series.values[moment * series.block() + index];
}

bool is_map(const Series& series) {
  return series.shape.size() >= 2 && series.address.find("attention") != std::string::npos;
}

// Rows of a matrix as points: the embedding of each token, the vector of each position.
bool is_point_cloud(const Series& series) {
  return series.shape.size() == 2 && series.shape[1] >= 2 && !is_map(series) && !series.address.starts_with("probe.");
}

// The two coordinates that vary most over points and time; for width 2 simply both.
std::pair<size_t, size_t> widest_coordinates(const Series& series) {
  const auto points = static_cast<size_t>(series.shape[0]), width = static_cast<size_t>(series.shape[1]);
  std::vector<std::pair<double, size_t>> spread;
  for (size_t coordinate = 0; coordinate < width; ++coordinate) {
    double sum = 0, squares = 0, count = 0;
    for (size_t moment = 0; moment < series.steps.size(); ++moment) {
      for (size_t point = 0; point < points; ++point) {
        const double value = value_at(series, moment, point * width + coordinate);
        if (!std::isfinite(value)) continue;
        sum += value;
        squares += value * value;
        ++count;
      }
    }
    spread.emplace_back(count > 0 ? sum * sum / count - squares : 0, coordinate);  // minus the scatter: widest first
  }
  std::sort(spread.begin(), spread.end());
  return std::minmax(spread[0].second, spread[1].second);
}

std::string draw_point_cloud(const Series& series, const Terminal& terminal) {
  const auto points = static_cast<size_t>(series.shape[0]), width = static_cast<size_t>(series.shape[1]);
  const auto [first, second] = widest_coordinates(series);
  std::vector<Path> paths(std::min(points, kMostPaths));
  for (size_t point = 0; point < paths.size(); ++point)
    for (size_t moment = 0; moment < series.steps.size(); ++moment)
      paths[point].emplace_back(value_at(series, moment, point * width + first),
                                value_at(series, moment, point * width + second));
  std::string title = styled(series.address, Style::bold, terminal) + " · way of each row through coordinates " +
                      std::to_string(first) + " and " + std::to_string(second) + ", its number at the end";
  if (points > kMostPaths) title += " (the first " + std::to_string(kMostPaths) + " of " + std::to_string(points) + ")";
  return title + "\n" + plot_paths(paths, {std::min<size_t>(terminal.width, 76), 22}) + "\n";
}

// Maps at a few moments, first and last included. Leading axes (probes, heads) beyond the matrix: the first of each.
std::string draw_maps(const Recording& recording, const Series& series, const Terminal& terminal) {
  const auto rows = static_cast<size_t>(series.shape[series.shape.size() - 2]),
             columns = static_cast<size_t>(series.shape.back());
  std::string out = styled(series.address, Style::bold, terminal) + " · rows attend to columns";
  int64_t maps = 1;
  for (size_t axis = 0; axis + 2 < series.shape.size(); ++axis) maps *= series.shape[axis];
  if (maps > 1) out += " · first of " + std::to_string(maps);
  const Series* tokens = recording.find("probe.tokens");
  if (tokens != nullptr && !tokens->values.empty()) {
    out += " · tokens";
    for (size_t i = 0; i < std::min(columns, tokens->values.size()); ++i) out += " " + number_text(tokens->values[i]);
  }
  out += "\n";
  if (columns > kWidestMap)
    return out + "  (" + std::to_string(rows) + " × " + std::to_string(columns) +
           ": too wide here, see `atto export`)\n\n";
  const size_t moments = series.steps.size(), shown = std::min(moments, kMostMaps);
  for (size_t i = 0; i < shown; ++i) {
    const size_t moment = shown == 1 ? moments - 1 : i * (moments - 1) / (shown - 1);
    out += "  step " + count_text(series.steps[moment]) + "\n" +
           shade_blocks(std::span(series.values).subspan(moment * series.block(), rows * columns), rows, columns);
  }
  return out + "\n";
}

std::string draw(const Recording& recording, const Series& series, const Options& options, const Terminal& terminal) {
  if (series.values.empty()) return "";
  if (is_map(series)) return draw_maps(recording, series, terminal);
  if (is_point_cloud(series)) return draw_point_cloud(series, terminal);
  if (!series.shape.empty()) return "";
  return styled(series.address, Style::bold, terminal) + " · final " + number_text(series.values.back()) + "\n" +
         plot_curve(curve_over_seeds({recording}, series.address), {std::min<size_t>(terminal.width, 90), 10},
                    options.log_scale) +
         "\n";
}

std::vector<std::string> addresses_of(const Recording& recording) {
  std::vector<std::string> addresses;
  for (const Series& series : recording.series) addresses.push_back(series.address);
  return addresses;
}

void check_observables(const std::vector<std::string>& asked, const Recording& recording) {
  for (const std::string& address : asked) {
    if (recording.find(address) != nullptr) continue;
    const std::string near = nearest_name(address, addresses_of(recording));
    throw Error(ErrorKind::usage,
                "the run did not record '" + address + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
}

bool is_asked(const Options& options, const Series& series) {
  const auto& asked = options.observables;
  return asked.empty() || std::find(asked.begin(), asked.end(), series.address) != asked.end();
}

Json series_json(const Series& series) {
  Json values = Json::array();
  for (const double value : series.values) values.push_back(number_json(value));
  return {{"observable", series.address}, {"shape", series.shape}, {"steps", series.steps}, {"values", values}};
}

}  // namespace

void show_run(const Options& options, const Store& store, const RunSummary& run) {
  const Recording recording = store.load(run.id);
  check_observables(options.observables, recording);
  const Json config = config_of(store, run);
  if (options.json) {
    Json series = Json::array();
    for (const Series& one : recording.series)
      if (is_asked(options, one)) series.push_back(series_json(one));
    const Json all = {{"run", run.id},
                      {"config", config},
                      {"steps_done", run.steps_done},
                      {"diverged_at", run.diverged_at ? Json(*run.diverged_at) : Json(nullptr)},
                      {"stopped_early", recording.stopped_early},
                      {"best_loss", recording.best_loss ? number_json(*recording.best_loss) : Json(nullptr)},
                      {"seconds", run.seconds},
                      {"series", series}};
    std::cout << json_text(all);
    return;
  }
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  std::cout << styled("run " + run.id, Style::bold, terminal) << "\n"
            << count_text(run.steps_done, "step") << " in " << duration_text(run.seconds)
            << (recording.stopped_early ? ", ended by its stop condition" : "");
  if (run.diverged_at)
    std::cout << ", " << styled("diverged at step " + count_text(*run.diverged_at), Style::bad, terminal);
  std::cout << "\n\n";
  Table settings({{"key"}, {"value"}});
  for (const auto& [key, value] : config.items())
    if (key != "observe")
      settings.row({{key, Style::dim}, value.is_string() ? value.get<std::string>() : value.dump()});
  std::cout << settings.render(terminal) << "\n";
  for (const Series& series : recording.series)
    if (is_asked(options, series)) std::cout << draw(recording, series, options, terminal);
}

}  // namespace atto
