// A fitted law: the measured times of a [[fit]] against one of its terms, with the law that was fitted to them and the
// one that theory expects, and below them what the fitted law leaves over.
#include <algorithm>
#include <cmath>

#include "base/contains.h"
#include "base/error.h"
#include "base/names.h"
#include "lab/figures/figure.h"
#include "lab/figures/numbers/law_cells.h"
#include "lab/figures/vega/axes.h"
#include "lab/figures/vega/spec.h"
#include "lab/results/format_text.h"

namespace atto {

// What the sizes of a law are drawn over.
enum class LawAxis { term, predicted };
template <>
struct EnumWords<LawAxis> {
  static constexpr std::array words{"term", "predicted"};
};

namespace {

constexpr size_t kLongExpression = 32;  // letters; longer ones stand in the caption only
constexpr int64_t kWidth = 460, kHeight = 300, kResidualHeight = 90;
const std::string kNoColor = "none", kFitted = "fitted", kExpected = "expected";

class Law final : public FigureKind {
 public:
  std::string help() const override {
    return "the times of a [[fit]] against its sizes, with the fitted and the expected law";
  }
  void describe(FigureSettings& settings) override {
    settings.text("fit", fit_, "name of the [[fit]] (default: the first)")
        .text("against", against_, "term along the horizontal axis (default: the first)")
        .text("color", color_,
              "term or key that the colours show, or none (default: the next term that is not made of the same keys)")
        .choice("axes", axes_, "horizontally the term, or what the fitted law predicts");
  }
  void check(const Study& study, const std::vector<Cell>& cells) const override;
  bool shows(const Claim& claim, const Study& study) const override {
    const Fit* fit = find_fit(study);
    return fit != nullptr && claim.statistic == Statistic::fit && claim.quantity.starts_with(fit->name + ".");
  }
  Drawing draw(const FigureSource& source) const override;

 private:
  const Fit* find_fit(const Study& study) const;
  // What the settings come to for this fit; empty where a name is not the fit's.
  std::optional<size_t> term_of(const Fit& fit) const;
  std::string color_of(const Fit& fit) const;
  DataTable points(const LawCells& cells, bool predicted) const;
  DataTable lines(const LawCells& cells, bool fitted, const std::optional<PowerLaw>& expected, bool predicted) const;
  Json x_channel(const LawCells& cells, const Fit& fit, bool predicted) const;
  std::string caption(const FitResult& result, const LawCells& cells, bool predicted, bool expected) const;

  std::string fit_, against_, color_;
  LawAxis axes_ = LawAxis::term;
};

const Fit* Law::find_fit(const Study& study) const {
  for (const Fit& one : study.fits)
    if (fit_.empty() || one.name == fit_) return &one;
  return nullptr;
}

std::optional<size_t> Law::term_of(const Fit& fit) const {
  for (size_t i = 0; i < fit.terms.size(); ++i)
    if (against_.empty() || fit.terms[i].name == against_) return i;
  return std::nullopt;
}

std::string Law::color_of(const Fit& fit) const {
  if (!color_.empty()) return color_ == kNoColor ? "" : color_;
  const size_t against = term_of(fit).value_or(0);
  for (size_t i = 0; i < fit.terms.size(); ++i)
    if (i != against && !share_keys(fit.terms[i], fit.terms[against])) return fit.terms[i].name;
  return "";
}

void Law::check(const Study& study, const std::vector<Cell>&) const {
  const auto refusal = [](const std::string& what, const std::string& name, const std::vector<std::string>& known) {
    std::string list;
    for (const std::string& one : known) list += (list.empty() ? "" : ", ") + one;
    const std::string near = nearest_name(name, known);
    return Error(ErrorKind::config, what + " '" + name + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"),
                 list.empty() ? "add a [[fit]]" : "there are " + list);
  };
  std::vector<std::string> fits, terms;
  for (const Fit& one : study.fits) fits.push_back(one.name);
  const Fit* fit = find_fit(study);
  if (fit == nullptr) throw refusal("the study has no fit", fit_, fits);
  for (const Fit::Term& term : fit->terms) terms.push_back(term.name);
  if (!term_of(*fit)) throw refusal("the fit " + fit->name + " has no term", against_, terms);
  const bool known =
      color_.empty() || color_ == kNoColor || contains(terms, color_) || run_schema().find(color_) != nullptr;
  if (!known) throw refusal("neither a term of the fit " + fit->name + " nor a key of a run:", color_, terms);
}

DataTable Law::points(const LawCells& cells, bool predicted) const {
  std::vector<std::string> columns = estimate_columns();
  columns.insert(columns.end(), {"ratio", "ratio_low", "ratio_high"});
  DataTable table(columns);
  for (const LawCell& cell : cells.cells) {
    const double x = predicted ? cell.predicted : cell.size;
    auto row = estimate_row(x, cell.time, true, cell.color, cell.group, cell.label);
    if (row.empty()) continue;
    for (const size_t column : {1, 2, 3}) row.emplace_back(std::get<double>(row[column]) / cell.predicted);
    table.row(row);
  }
  return table;
}

DataTable Law::lines(const LawCells& cells, bool fitted, const std::optional<PowerLaw>& expected,
                     bool predicted) const {
  DataTable table({"x", "value", "law", "color", "group"});
  if (!fitted) return table;
  if (predicted) {
    const auto [low, high] = cells.predictions();
    for (const double end : {low, high}) table.row({end, end, kFitted, std::string(), int64_t{0}});
    return table;
  }
  std::vector<const LawCell*> sorted;
  for (const LawCell& cell : cells.cells) sorted.push_back(&cell);
  std::stable_sort(sorted.begin(), sorted.end(), [](const LawCell* a, const LawCell* b) {
    return std::pair(a->group, a->size) < std::pair(b->group, b->size);
  });
  for (size_t i = 0; i < sorted.size(); ++i) {
    // Along a line the law is straight between sizes; several cells of one size are one point of it.
    if (i > 0 && sorted[i]->group == sorted[i - 1]->group && sorted[i]->size == sorted[i - 1]->size) continue;
    const LawCell& cell = *sorted[i];
    table.row({cell.size, cell.predicted, kFitted, cell.color, cell.group});
    if (expected) table.row({cell.size, expected->predict(cell.terms), kExpected, cell.color, cell.group});
  }
  return table;
}

Json Law::x_channel(const LawCells& cells, const Fit& fit, bool predicted) const {
  std::vector<double> sizes;
  for (const LawCell& cell : cells.cells) sizes.push_back(predicted ? cell.predicted : cell.size);
  const Fit::Term& term = fit.terms[term_of(fit).value_or(0)];
  const std::string expression = term.expression.text();
  const bool shown = expression != term.name && expression.size() <= kLongExpression;
  const std::string title = shown ? term.name + " = " + expression : term.name;
  return size_axis("x", predicted ? "predicted by the fitted law (steps)" : title, Scale::log, sizes);
}

std::string Law::caption(const FitResult& result, const LawCells& cells, bool predicted, bool expected) const {
  const std::vector<Estimate> times = cells.times();
  const bool beyond = std::any_of(times.begin(), times.end(), [](const Estimate& one) { return one.beyond(); });
  std::string text = "Each point a cell: " + estimates_caption(times) + ".";
  if (beyond) text += " Triangles: the median lies beyond the end of the runs, at least there.";
  const PowerLaw& law = result.law;
  if (!law.obstacle.empty()) return text;
  text += " Fitted: " + law_text(result) + " (";
  for (const LawExponent& one : law.exponents) {
    text += "exponent of " + one.term + " " + interval_text(one.exponent);
    for (const auto& [term, exponent] : result.fit.expected)
      if (term == one.term) text += ", expected " + number_text(exponent);
    text += "; ";
  }
  for (const Fit::Term& term : result.fit.terms)
    if (term.expression.text().size() > kLongExpression) text += term.name + " = " + term.expression.text() + "; ";
  text += "R² " + number_text(law.r2.estimate) + "; " + runs_text(law) + ").";
  if (predicted) return text + " On the line measured and predicted time are the same.";
  if (expected) text += " Dashed: the expected exponents, through the geometric mean of the data.";
  if (cells.more_terms) text += " Lines of one colour differ in further terms.";
  return text;
}

Drawing Law::draw(const FigureSource& source) const {
  const Fit* fit = find_fit(source.result.study);
  const FitResult* result = nullptr;
  for (const FitResult& one : source.result.fits)
    if (fit != nullptr && one.fit.name == fit->name) result = &one;
  if (result == nullptr) return nothing_to_draw("the fit is not part of the study as it was read");
  const LawCells cells = law_cells(*result, source, term_of(*fit).value_or(0), color_of(*fit));
  const bool fitted = result->law.obstacle.empty(), predicted = axes_ == LawAxis::predicted;
  if (predicted && !fitted) return nothing_to_draw("there is no law: " + result->law.obstacle);
  const std::optional<PowerLaw> expected = predicted ? std::nullopt : expected_law(*result, cells);
  const DataTable data = points(cells, predicted), law = lines(cells, fitted, expected, predicted);
  if (data.rows() == 0) return nothing_to_draw("no run has a time to draw");

  Drawing drawing;
  const Json x = x_channel(cells, *fit, predicted), color = cells.color;
  const Json y = log_axis("value", number_title(source.result.study, fit->quantity), heights(cells, expected));
  Json upper = x;
  if (fitted) upper["title"] = nullptr;  // the lower panel has it
  Json layers = Json::array();
  if (law.rows() > 0) {
    Json channels = {{"x", upper}, {"y", y}, {"detail", {{"field", "group"}, {"type", "nominal"}}}};
    if (!color.is_null() && !predicted) channels["color"] = color;
    if (expected)
      channels["strokeDash"] = {{"field", "law"},
                                {"type", "nominal"},
                                {"title", "law"},
                                {"legend", {{"symbolSize", 900}}},
                                {"scale", {{"domain", {kFitted, kExpected}}, {"range", {{1, 0}, {5, 4}}}}}};
    Json mark = {{"type", "line"}, {"strokeWidth", 1.2}, {"opacity", 0.8}};
    if (predicted) mark["style"] = "reference";
    layers.push_back({{"data", law.data()}, {"mark", mark}, {"encoding", channels}});
  }
  for (Json& layer : estimate_layers(cells.times(), upper, y, color, false)) layers.push_back(std::move(layer));
  drawing.marks = law.rows() + 2 * data.rows();
  drawing.layout = {.width = kWidth, .height = kHeight};
  std::vector<Json> views{{{"layer", layers}}};
  if (fitted) {
    const Json ratio = ratio_axis(cells);
    Json residuals = Json::array();
    const Json unity = {{"datum", 1}, {"type", "quantitative"}};
    residuals.push_back({{"data", {{"values", {{{"one", 1}}}}}},
                         {"mark", {{"type", "rule"}, {"style", "reference"}, {"description", "1: as the law says"}}},
                         {"encoding", {{"y", unity}}}});
    for (Json& layer : estimate_layers(cells.times(), x, ratio, color, false)) {
      Json& encoding = layer["encoding"];
      if (encoding["y"]["field"] == "low") {
        encoding["y"]["field"] = "ratio_low";
        encoding["y2"]["field"] = "ratio_high";
      }
      residuals.push_back(std::move(layer));
    }
    views.push_back({{"layer", residuals}, {"height", kResidualHeight}});
    drawing.marks += 2 * data.rows() + 1;
  }
  set_views(drawing, std::move(views), 1);
  drawing.spec["data"] = data.data();
  if (fitted) drawing.spec.update({{"align", "each"}, {"spacing", 10}});
  drawing.caption = caption(*result, cells, predicted, expected.has_value());
  drawing.how =
      fitted ? "Both axes are logarithmic, so a power law is a straight line. Below, what the law leaves over: at 1 "
               "the measured time is the fitted one."
             : "Both axes are logarithmic, so a power law is a straight line.";
  drawing.notice = cells.notice;
  if (!fitted) drawing.notice = joined_notices(drawing.notice, "no law is fitted: " + result->law.obstacle);
  return drawing;
}

}  // namespace

std::unique_ptr<FigureKind> make_law_figure() { return std::make_unique<Law>(); }

}  // namespace atto
