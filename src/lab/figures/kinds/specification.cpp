// The specification curve of a claim: its estimate in every recipe of the multiverse, sorted, with intervals and the
// region; beneath, which choices each recipe makes (Simonsohn, Simmons and Nelson 2020, doi:10.1038/s41562-020-0912-z).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/contains.h"
#include "base/error.h"
#include "lab/figures/figure.h"
#include "lab/figures/vega/inline_data.h"
#include "lab/figures/vega/spec.h"
#include "lab/results/format_text.h"
#include "lab/results/multiverse.h"

namespace atto {
namespace {

constexpr int64_t kCurveWidth = 620, kCurveHeight = 200, kRowHeight = 16;

class Specification final : public FigureKind {
 public:
  std::string help() const override {
    return "a claim in every recipe of the study's [multiverse]: sorted estimates above, choices beneath";
  }
  void describe(FigureSettings& settings) override {
    settings.text("claim", claim_, "id of a claim of the multiverse").choice("scale", scale_, "of the estimate");
  }
  void check(const Study& study, const std::vector<Cell>&) const override {
    if (!study.multiverse || !contains(study.multiverse->claims, claim_))
      throw Error(ErrorKind::config, "'" + claim_ + "' is no claim of the study's multiverse",
                  "name it in multiverse.claims");
  }
  bool shows(const Claim& claim, const Study&) const override { return claim.id == claim_; }
  Drawing draw(const FigureSource& source) const override;

 private:
  std::string claim_;
  Scale scale_ = Scale::linear;
};

// Places of the recipes along the curve: by estimate, those without one last.
std::vector<size_t> order_of(const ClaimRecipes& claim) {
  std::vector<size_t> order(claim.verdicts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto place = [&](size_t i) { return claim.verdicts[i].estimate.value_or(INFINITY); };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return place(a) < place(b); });
  return order;
}

Json curve_view(const Claim& claim, const ClaimRecipes& found, const std::vector<size_t>& order, Scale scale) {
  DataTable table({"recipe", "estimate", "low", "high", "verdict"});
  const auto number = [](std::optional<double> one) { return one.value_or(NAN); };
  for (size_t place = 0; place < order.size(); ++place) {
    const RecipeVerdict& one = found.verdicts[order[place]];
    table.row({static_cast<int64_t>(place + 1), number(one.estimate), number(one.low), number(one.high),
               std::string(to_word(one.kind))});
  }
  const Json x = {{"field", "recipe"}, {"type", "quantitative"}, {"axis", nullptr}};
  const Json y = quantitative("estimate", claim.quantity, scale);
  Json layers = Json::array();
  for (const double edge : {claim.low, claim.high})
    if (std::isfinite(edge))
      layers.push_back({{"mark", {{"type", "rule"}, {"style", "reference"}, {"strokeDash", {5, 4}}}},
                        {"data", {{"values", Json::array({Json{{"edge", edge}}})}}},
                        {"encoding", {{"y", {{"field", "edge"}, {"type", "quantitative"}}}}}});
  const Json color = {{"field", "verdict"}, {"type", "nominal"}, {"title", nullptr}};
  layers.push_back(
      {{"mark", {{"type", "rule"}, {"opacity", 0.5}}},
       {"encoding",
        {{"x", x}, {"y", quantitative("low", claim.quantity, scale)}, {"y2", {{"field", "high"}}}, {"color", color}}}});
  layers.push_back({{"mark", {{"type", "point"}, {"filled", true}, {"size", 22}}},
                    {"encoding", {{"x", x}, {"y", y}, {"color", color}}}});
  return {{"width", kCurveWidth}, {"height", kCurveHeight}, {"data", table.data()}, {"layer", std::move(layers)}};
}

Json choice_view(const std::vector<Overrides>& recipes, const std::vector<size_t>& order, size_t& rows) {
  DataTable table({"recipe", "choice"});
  Json choices = Json::array();  // in the order of the study
  for (size_t place = 0; place < order.size(); ++place) {
    for (const auto& [key, value] : recipes[order[place]])
      table.row({static_cast<int64_t>(place + 1), key_word(key) + " " + to_text(value)});
  }
  std::vector<std::vector<std::string>> by_key(recipes.front().size());
  for (const Overrides& recipe : recipes) {
    for (size_t i = 0; i < recipe.size(); ++i) {
      const std::string label = key_word(recipe[i].first) + " " + to_text(recipe[i].second);
      if (!contains(by_key[i], label)) by_key[i].push_back(label);
    }
  }
  for (const auto& labels : by_key)
    for (const std::string& label : labels) choices.push_back(label);
  rows = table.rows();
  return {{"width", kCurveWidth},
          {"height", kRowHeight * static_cast<int64_t>(choices.size())},
          {"data", table.data()},
          {"mark", {{"type", "tick"}, {"thickness", 2}, {"size", kRowHeight - 5}}},
          {"encoding",
           {{"x", {{"field", "recipe"}, {"type", "quantitative"}, {"title", "recipes, by estimate"}}},
            {"y", {{"field", "choice"}, {"type", "nominal"}, {"sort", choices}, {"title", nullptr}}}}}};
}

Drawing Specification::draw(const FigureSource& source) const {
  const Study& study = source.result.study;
  const std::optional<MultiverseResult> kept = kept_multiverse(study);
  const ClaimRecipes* found = kept ? kept->find(claim_) : nullptr;
  const auto claim =
      std::find_if(study.claims.begin(), study.claims.end(), [&](const Claim& one) { return one.id == claim_; });
  if (found == nullptr || claim == study.claims.end() || found->verdicts.empty())
    return nothing_to_draw("Its recipes were not judged yet: `atto multiverse " + study.name + "` does.");
  const std::vector<size_t> order = order_of(*found);
  Drawing drawing;
  size_t ticks = 0;
  Json choices = choice_view(kept->recipes, order, ticks);
  drawing.spec = {{"vconcat", Json::array({curve_view(*claim, *found, order, scale_), std::move(choices)})},
                  {"spacing", 8},
                  {"resolve", {{"scale", {{"x", "shared"}}}}}};
  drawing.marks = 2 * order.size() + ticks;
  drawing.layout = {.width = kCurveWidth, .height = kCurveHeight, .extra = 150};
  const std::string& stale = found->stale;
  drawing.caption =
      claim->statement + ": " + recipes_text(*found, kept->recipes) + ". " + count_text(kept->seeds, "seed") +
      " in each, judged on " + kept->date + " by `" + kept->command + "` with engine revision " +
      std::to_string(kept->engine_revision) + "." +
      (stale.empty() ? "" : " This is stale: " + stale + ". Judge it again with `" + kept->command + "`.");
  drawing.how =
      "Every recipe is a column. Above is what was found in it with its 95 % interval, and dashed lines are the ends "
      "of "
      "the claim's region; beneath, a mark shows each choice that the recipe makes.";
  return drawing;
}

}  // namespace

std::unique_ptr<FigureKind> make_specification_figure() { return std::make_unique<Specification>(); }

}  // namespace atto
