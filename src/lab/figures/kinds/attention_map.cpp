// Attention: maps of the attention weights on a few probe sequences, at several moments of training.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/contains.h"
#include "lab/figures/figure.h"
#include "lab/figures/geometry/thin.h"
#include "lab/figures/numbers/attention_maps.h"
#include "lab/figures/panels/typical.h"
#include "lab/figures/vega/inline_data.h"
#include "lab/figures/vega/spec.h"
#include "lab/results/format_text.h"

namespace atto {
namespace {

constexpr size_t kMostMapCells = 4500;  // of all maps together
constexpr size_t kMostMaps = 6;         // side by side
const std::string kTokens = "probe.tokens";

class Attention final : public FigureKind {
 public:
  std::string help() const override { return "maps of attention: probe sequences by training steps"; }
  void describe(FigureSettings& settings) override {
    settings.text("observable", observable_, "address of the maps")
        .integer("samples", samples_, 1, 100, "sequences shown, a row of maps each")
        .steps("steps", steps_, "moments shown, a column each (default: all that were recorded, at most 6)")
        .integer("head", head_, 0, 1e6, "which of a layer's heads, from 0")
        .text("typical", typical_, kTypicalHelp)
        .integer("seed", seed_, 0, 1e12, "number of the seed shown, as captions state it (default: the typical one)");
  }
  SeriesNeeds needs() const override { return with_typical(SeriesNeed::attention_maps(observable_), typical_); }
  // Whatever is said of this layer's attention can be seen in its maps.
  bool shows(const Claim& claim, const Study& study) const override {
    const std::string layer = observable_.substr(0, observable_.rfind('.') + 1);
    const std::vector<std::string> read = read_for(claim, study);
    return std::any_of(read.begin(), read.end(), [&](const std::string& one) { return one.starts_with(layer); });
  }
  Drawing draw(const FigureSource& source) const override;

 private:
  ShownRuns choose(const FigureSource& source) const;
  std::vector<size_t> moments(const Series& series, std::string& notice) const;
  DataTable cells(const Maps& maps, const std::vector<size_t>& moments, size_t samples, size_t block) const;
  DataTable names(const Recording& recording, const Maps& maps, size_t samples, const RunConfig& config) const;

  std::string observable_ = "layer.0.attention.pattern", typical_;
  int64_t samples_ = 5, head_ = 0;
  std::optional<int64_t> seed_;
  std::vector<int64_t> steps_;
};

// The first cell that has runs, and of it the typical seed or the one asked for.
ShownRuns Attention::choose(const FigureSource& source) const {
  std::vector<Panel> panels = arrange({}, "", source);
  if (panels.empty()) return {};
  Panel& panel = panels.front();
  const size_t cells = panel.members.size();
  panel.members.resize(1);
  const Member& member = panel.members.front();
  ShownRuns shown = typical_runs(panels, source, typical_, 1, 1);
  const std::vector<CellRun>& runs = member.cell->runs;
  const auto is_wanted = [&](const CellRun& run) { return run.seed == seed_; };
  const auto wanted = std::find_if(runs.begin(), runs.end(), is_wanted);
  if (wanted != runs.end()) {
    shown.runs = {{member.cell, static_cast<size_t>(wanted - runs.begin()), wanted->seed, ""}};
    shown.caption = "Seed " + std::to_string(wanted->seed) + " of " + seeds_text(panels) + ".";
    shown.notice = "";
  } else if (seed_) {
    shown.notice = joined_notices(shown.notice, "there is no seed " + std::to_string(*seed_) + ", this is another");
  }
  if (cells > 1)
    shown.caption = "The cell " + member.label + ", the first of " + std::to_string(cells) + ". " + shown.caption;
  return shown;
}

// Measurements shown: at the steps asked for or the last ones before them, or spread evenly.
std::vector<size_t> Attention::moments(const Series& series, std::string& notice) const {
  if (steps_.empty()) return evenly(series.steps.size(), kMostMaps);
  std::vector<size_t> chosen;
  for (const int64_t step : steps_) {
    const auto after = std::upper_bound(series.steps.begin(), series.steps.end(), step);
    if (after == series.steps.begin()) continue;
    chosen.push_back(static_cast<size_t>(after - series.steps.begin()) - 1);
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  if (chosen.size() > kMostMaps) {
    notice = joined_notices(notice, "only the first " + std::to_string(kMostMaps) + " of " +
                                        count_text(std::ssize(chosen), "moment") + " asked for are shown");
    chosen.resize(kMostMaps);
  }
  return chosen;
}

// A rectangle for each stretch of keys with the same weight in a query's row: what a causal network must not see is
// one.
DataTable Attention::cells(const Maps& maps, const std::vector<size_t>& moments, size_t samples, size_t block) const {
  DataTable table({"sample", "time", "query", "key", "end", "weight"});
  const size_t side = (maps.length() + block - 1) / block;
  for (size_t sample = 0; sample < samples; ++sample)
    for (size_t time = 0; time < moments.size(); ++time)
      for (size_t query = 0; query < side; ++query)
        for (size_t key = 0; key < side;) {
          const auto rounded = [&](size_t at) {
            return std::round(1000 * maps.largest(moments[time], sample, query, at, block)) / 1000;
          };
          const double weight = rounded(key);
          size_t end = key + 1;
          while (weight == 0 && end < side && rounded(end) == 0) ++end;
          if (std::isfinite(weight))
            table.row({static_cast<int64_t>(sample), static_cast<int64_t>(time), static_cast<int64_t>(query),
                       static_cast<int64_t>(key), static_cast<int64_t>(end), weight});
          key = end;
        }
  return table;
}

// The token at each place of each sequence, under `sample * length + place`.
DataTable Attention::names(const Recording& recording, const Maps& maps, size_t samples,
                           const RunConfig& config) const {
  DataTable table({"place", "token"});
  const Series* tokens = recording.find(kTokens);
  const bool known = tokens && !tokens->steps.empty() && tokens->shape.size() == 2 &&
                     tokens->block() == maps.samples() * maps.length();
  for (size_t place = 0; known && place < samples * maps.length(); ++place) {
    const double token = tokens->values[place];
    const bool bos = config.data.bos && token == static_cast<double>(config.data.vocab);
    table.row({static_cast<int64_t>(place), bos ? std::string("BOS") : number_text(token)});
  }
  return table;
}

Drawing Attention::draw(const FigureSource& source) const {
  const ShownRuns shown = choose(source);
  if (shown.runs.empty()) return nothing_to_draw(shown.notice.empty() ? kNoRuns : shown.notice);
  const ShownRun& run = shown.runs.front();
  std::vector<std::string> addresses{observable_};
  for (const Observation& one : source.result.study.observe)
    if (contains(one.what, kTokens)) addresses.push_back(kTokens);
  const Recording recording = source.load(*run.cell, run.id(), addresses);
  const Series& series = *recording.find(observable_);
  const Maps maps(series, head_);
  if (maps.samples() == 0) return nothing_to_draw("'" + observable_ + "' is not a map of queries and keys");
  Drawing drawing;
  drawing.notice = shown.notice;
  const std::vector<size_t> times = moments(series, drawing.notice);
  if (times.empty()) return nothing_to_draw("no map was measured at these steps");
  if (std::cmp_greater_equal(head_, maps.heads()))
    drawing.notice = joined_notices(
        drawing.notice, "there is no head " + std::to_string(head_) + ", this is head " + std::to_string(maps.head()));
  const size_t samples = std::min(static_cast<size_t>(samples_), maps.samples());
  const auto side = [&](size_t block) { return (maps.length() + block - 1) / block; };
  size_t block = 1;
  while (side(block) * (side(block) + 3) / 2 * samples * times.size() > kMostMapCells && side(block) > 4) ++block;
  if (block > 1)
    drawing.notice =
        joined_notices(drawing.notice, "each square shows the largest weight among " + std::to_string(block) + " × " +
                                           std::to_string(block) + " pairs");
  const DataTable table = cells(maps, times, samples, block);
  if (table.rows() == 0) return nothing_to_draw("the weights measured are not finite");
  drawing.marks = table.rows();

  Json steps = Json::array();
  for (const size_t time : times) steps.push_back(series.steps[time]);
  const auto place = [&](const std::string& field, const std::string& end, bool down) {
    Json scale = {{"domain", {0, side(block)}}, {"nice", false}, {"zero", false}, {"round", true}};
    if (down) scale["reverse"] = true;
    return std::pair<Json, Json>{{{"field", field}, {"type", "quantitative"}, {"scale", scale}, {"axis", nullptr}},
                                 {{"field", end}}};
  };
  Json tooltip = {{{"field", "weight"}, {"type", "quantitative"}, {"title", "attention"}},
                  {{"field", "query"}, {"type", "quantitative"}, {"title", "query"}},
                  {{"field", "key"}, {"type", "quantitative"}, {"title", "key"}}};
  Json transform = {{{"calculate", "datum.query + 1"}, {"as", "query_end"}}};
  const DataTable tokens = names(recording, maps, samples, run.cell->cell.config);
  if (tokens.rows() > 0 && block == 1) {
    for (const std::string whose : {"query", "key"}) {
      const std::string at = whose + "_place";
      std::string token = "datum.sample * " + std::to_string(maps.length());
      token += " + datum." + whose;
      transform.push_back({{"calculate", token}, {"as", at}});
      transform.push_back({{"lookup", at},
                           {"from", {{"data", tokens.data()}, {"key", "place"}, {"fields", {"token"}}}},
                           {"as", {whose + "_token"}}});
      tooltip.push_back({{"field", whose + "_token"}, {"title", "token of the " + whose}});
    }
  }
  const auto [x, x2] = place("key", "end", false);
  const auto [y, y2] = place("query", "query_end", true);
  const Json color = {
      {"field", "weight"}, {"type", "quantitative"}, {"title", "attention"}, {"scale", {{"domain", {0, 1}}}}};
  drawing.layout = {.panels = static_cast<int64_t>(samples * times.size()),
                    .columns = std::ssize(times),
                    .width = 100,
                    .height = 100,
                    .extra = 14,
                    .smallest = 50,
                    .keep_aspect = true};
  const Json row_header = {{"labelExpr", "'sample ' + datum.value"}, {"labelPadding", 4}, {"labelFontSize", 10}};
  // Small, so that maps of 50 pixels have room for "step 5000".
  const Json column_header = {
      {"labelExpr", "'step ' + " + steps.dump() + "[datum.value]"}, {"labelPadding", 4}, {"labelFontSize", 10}};
  drawing.spec = {
      {"data", table.data()},
      {"transform", transform},
      {"facet",
       {{"row", {{"field", "sample"}, {"type", "ordinal"}, {"title", nullptr}, {"header", row_header}}},
        {"column", {{"field", "time"}, {"type", "ordinal"}, {"title", nullptr}, {"header", column_header}}}}},
      {"spacing", 10},
      {"spec",
       {{"width", drawing.layout.width},
        {"height", drawing.layout.height},
        {"mark", {{"type", "rect"}}},
        {"encoding", {{"x", x}, {"x2", x2}, {"y", y}, {"y2", y2}, {"color", color}, {"tooltip", tooltip}}}}}};
  drawing.caption = "Attention of each query (row) to each key (column)" +
                    (maps.heads() > 1 ? " in head " + std::to_string(maps.head()) : std::string()) + " on " +
                    count_text(static_cast<int64_t>(samples), "probe sequence") + ". " + shown.caption;
  drawing.how =
      "In each map a query looks along its row at the tokens up to itself; bright is attention 1, dark is none. "
      "Rows of maps are sequences, the same at every step.";
  return drawing;
}

}  // namespace

std::unique_ptr<FigureKind> make_attention_figure() { return std::make_unique<Attention>(); }

}  // namespace atto
