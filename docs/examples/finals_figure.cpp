// The last value of every seed, a tick each, one line of ticks for each cell.
#include "lab/figures/figure.h"
#include "lab/figures/panels/arrange.h"
#include "lab/figures/vega/axes.h"
#include "lab/figures/vega/inline_data.h"
#include "lab/figures/vega/spec.h"

namespace atto {
namespace {

class Finals final : public FigureKind {
 public:
  std::string help() const override { return "the last value of every seed"; }

  void describe(FigureSettings& settings) override {
    settings.text("observable", observable_, "address whose last value is drawn")
        .panels("panels", panels_, "what gets a panel of its own");
  }

  SeriesNeeds needs() const override { return {SeriesNeed::scalar(observable_)}; }

  Drawing draw(const FigureSource& source) const override {
    Drawing drawing;
    std::vector<Json> views;
    for (const Panel& panel : arrange(panels_, "", source)) {
      DataTable finals({"cell", "final"});
      for (const Member& member : panel.members)
        if (const ObservableSummary* found = find_observable(*member.cell, observable_))
          for (const double value : lower_bounds(found->finals)) finals.row({member.label, value});
      drawing.marks += finals.rows();
      const Json cell = {{"field", "cell"}, {"type", "nominal"}, {"title", nullptr}};
      const Json final_value = quantitative("final", axis_title(observable_));
      views.push_back({{"title", panel.title},
                       {"data", finals.data()},
                       {"mark", "tick"},
                       {"encoding", {{"y", cell}, {"x", final_value}}}});
    }
    if (drawing.marks == 0) return nothing_to_draw(kNoRuns);
    set_views(drawing, std::move(views), 3);
    drawing.caption = "The last value of every seed.";
    return drawing;
  }

 private:
  std::string observable_ = "perplexity";
  Panels panels_;
};

}  // namespace

std::unique_ptr<FigureKind> make_finals_figure() { return std::make_unique<Finals>(); }

}  // namespace atto
