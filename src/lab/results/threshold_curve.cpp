#include "lab/results/threshold_curve.h"

#include <algorithm>
#include <map>

#include "base/contains.h"
#include "lab/provenance/question.h"
#include "lab/results/format_text.h"
#include "lab/results/recordings.h"

namespace atto {
namespace {

const Phenomenon* phenomenon_of(const std::string& quantity, const Study& study) {
  for (const Phenomenon& one : study.phenomena)
    if (quantity.starts_with(one.name + ".")) return &one;
  return nullptr;
}

std::string own_name(const std::string& quantity, const Phenomenon& phenomenon) {
  return quantity.substr(phenomenon.name.size() + 1);
}

std::vector<Cut> cuts_of(const Claim& claim, const Study& study) {
  const bool single =
      claim.statistic == Statistic::rate || claim.statistic == Statistic::median || claim.statistic == Statistic::mean;
  const Phenomenon* phenomenon = phenomenon_of(claim.quantity, study);
  if (!single || !claim.tune.empty() || !phenomenon) return {};
  return phenomenon->detector->cuts(own_name(claim.quantity, *phenomenon));
}

// What a claim reads of a run.
std::vector<std::string> names_of(const Claim& claim) { return {claim.quantity, claim.relative_to, claim.given}; }

// One phenomenon looked for again with other cuts, in the cells of some claims.
class Again {
 public:
  Again(const Phenomenon& phenomenon, const StudyResult& result, const RunSource& source, const Poll& poll, int64_t most)
      : phenomenon_(phenomenon), result_(result), source_(source), poll_(poll), most_(most) {}

  void ask(const Claim& claim, const Cut& cut) {
    for (const double value : cut.values)
      if (value != cut.own && !find(cut.setting, value)) {
        DetectorSettings settings = phenomenon_.settings;
        std::erase_if(settings, [&](const auto& one) { return one.first == cut.setting; });
        settings.emplace_back(cut.setting, Value(value));
        variants_.push_back({cut.setting, value, make_detector(phenomenon_.detector_name, settings), {}});
      }
    for (size_t c = 0; c < result_.cells.size(); ++c)
      if (speaks_of(result_.study, claim, result_.cells[c].cell.config)) asked_[c].push_back({&claim, cut.setting});
  }

  void look() {
    for (const auto& [c, questions] : asked_) look_at(c, questions);
  }

  // What the quantity is in a cell with that cut.
  Outcomes outcomes(size_t cell, const std::string& name, const std::string& setting, double value) const {
    return find(setting, value)->found.at(cell).at(name);
  }

 private:
  struct Question {
    const Claim* claim;
    std::string setting;
  };
  struct Variant {
    std::string setting;
    double value;
    std::unique_ptr<Detector> detector;
    std::map<size_t, std::map<std::string, Outcomes>> found;  // by cell and own name of the quantity
  };

  const Variant* find(const std::string& setting, double value) const {
    for (const Variant& one : variants_)
      if (one.setting == setting && one.value == value) return &one;
    return nullptr;
  }

  // The quantities of the phenomenon that questions about a setting read.
  std::vector<std::string> names_for(const std::vector<Question>& questions, const std::string& setting) const {
    std::vector<std::string> names;
    for (const Question& one : questions) {
      if (one.setting != setting) continue;
      for (const std::string& quantity : names_of(*one.claim))
        if (quantity.starts_with(phenomenon_.name + ".") && !contains(names, own_name(quantity, phenomenon_)))
          names.push_back(own_name(quantity, phenomenon_));
    }
    return names;
  }

  // What the study's own detector found in a run of a cell.
  Finding own_finding(const CellResult& cell, size_t run) const {
    Finding finding;
    for (const QuantityHelp& one : phenomenon_.detector->quantities()) {
      const Outcome& outcome = find_quantity(cell, phenomenon_.name + "." + one.name)->outcomes[run];
      finding.push_back({one.name, outcome.value, outcome.censored});
    }
    return finding;
  }

  void look_at(size_t c, const std::vector<Question>& questions) {
    const CellResult& cell = result_.cells[c];
    std::vector<std::string> addresses;
    for (const SeriesNeed& need : phenomenon_.detector->needs()) addresses.push_back(need.address);
    for (const Question& one : questions)
      for (const std::string& quantity : names_for({one}, one.setting))
        for (const SeriesNeed& need : phenomenon_.detector->needs_for(quantity))
          if (!contains(addresses, need.address)) addresses.push_back(need.address);

    const size_t runs = std::min(cell.runs.size(), static_cast<size_t>(most_));
    for (Variant& variant : variants_)
      for (const std::string& name : names_for(questions, variant.setting)) variant.found[c][name].reserve(runs);
    for (size_t r = 0; r < runs; ++r) {
      poll_();
      const Finding own = own_finding(cell, r);
      std::optional<Recording> recording;  // loaded where a detector has to look again
      for (Variant& variant : variants_) {
        std::optional<Finding> again;
        for (const std::string& name : names_for(questions, variant.setting)) {
          std::optional<Quantity> quantity = variant.detector->decide(own, name, variant.setting, variant.value);
          if (!quantity && !again) {
            if (!recording)
              recording = load_series({result_.study, source_, cell.cell.config}, cell.runs[r].id, addresses);
            again = variant.detector->detect_polling(*recording, cell.cell.config, poll_);
          }
          if (!quantity) quantity = *atto::find(*again, name);
          variant.found[c][name].push_back({quantity->value, quantity->censored, cell.runs[r].diverged});
        }
      }
    }
  }

  const Phenomenon& phenomenon_;
  const StudyResult& result_;
  const RunSource& source_;
  const Poll& poll_;
  int64_t most_;
  std::vector<Variant> variants_;
  std::map<size_t, std::vector<Question>> asked_;  // by cell
};

Outcomes first_of(Outcomes outcomes, int64_t most) {
  if (std::ssize(outcomes) > most) outcomes.resize(static_cast<size_t>(most));
  return outcomes;
}

// The cells of a claim with what they answer at one cut.
std::vector<CellResult> cells_at(const Claim& claim, const StudyResult& result, const Again& again, const Cut& cut,
                                 double value, const Phenomenon& phenomenon, int64_t most) {
  std::vector<CellResult> cells;
  for (size_t c = 0; c < result.cells.size(); ++c) {
    const CellResult& from = result.cells[c];
    if (!speaks_of(result.study, claim, from.cell.config)) continue;
    CellResult cell;
    cell.cell = from.cell;
    cell.seeds = std::min(from.seeds, most);
    cell.runs.assign(from.runs.begin(), from.runs.begin() + cell.seeds);
    for (const std::string& name : names_of(claim)) {
      const bool known = find_quantity(from, name) || find_observable(from, name);
      if (!known || find_quantity(cell, name)) continue;
      const bool moves = value != cut.own && name.starts_with(phenomenon.name + ".");
      cell.quantities.push_back({name,
                                 moves ? again.outcomes(c, own_name(name, phenomenon), cut.setting, value)
                                       : first_of(outcomes_of(from, name), most),
                                 {}});
    }
    cells.push_back(std::move(cell));
  }
  return cells;
}

}  // namespace

bool ThresholdCurve::steady() const {
  return std::all_of(points.begin(), points.end(),
                     [&](const ThresholdPoint& one) { return one.verdict.kind == points.front().verdict.kind; });
}

bool has_cuts(const Claim& claim, const Study& study) { return !cuts_of(claim, study).empty(); }

Verdict judge_cells(const Study& study, const Claim& claim, const std::vector<CellResult>& cells) {
  return judge_claim(study, claim, cells).verdict;
}

std::vector<ThresholdCurve> threshold_curves(const StudyResult& result, const RunSource& source,
                                             const ThresholdOptions& options, const Poll& poll) {
  const Study& study = result.study;
  std::map<const Phenomenon*, Again> looks;
  struct Wanted {
    size_t claim;
    const Phenomenon* phenomenon;
    Cut cut;
  };
  std::vector<Wanted> wanted;
  for (size_t i = 0; i < study.claims.size(); ++i) {
    const Claim& claim = study.claims[i];
    if (!options.claims.empty() && !contains(options.claims, claim.id)) continue;
    for (Cut& cut : cuts_of(claim, study)) {
      const Phenomenon* phenomenon = phenomenon_of(claim.quantity, study);
      auto [again, fresh] = looks.try_emplace(phenomenon, *phenomenon, result, source, poll, options.most_runs);
      again->second.ask(claim, cut);
      wanted.push_back({i, phenomenon, std::move(cut)});
    }
  }
  for (auto& [phenomenon, again] : looks) again.look();

  std::vector<ThresholdCurve> curves;
  for (const Wanted& one : wanted) {
    const Claim& claim = study.claims[one.claim];
    ThresholdCurve curve{one.claim, one.phenomenon->name, one.cut.setting, one.cut.own, one.cut.log, {}, true};
    for (const CellResult& cell : result.cells)
      if (speaks_of(study, claim, cell.cell.config) && cell.seeds > options.most_runs) curve.all_runs = false;
    for (const double value : one.cut.values)
      curve.points.push_back({value, judge_cells(study, claim,
                                                 cells_at(claim, result, looks.at(one.phenomenon), one.cut, value,
                                                          *one.phenomenon, options.most_runs))});
    curves.push_back(std::move(curve));
  }
  return curves;
}

std::string threshold_text(const ThresholdCurve& curve) {
  std::string text = curve.phenomenon + "." + curve.setting;
  for (size_t first = 0, last = 0; first < curve.points.size(); first = last + 1) {
    last = first;
    const VerdictKind kind = curve.points[first].verdict.kind;
    while (last + 1 < curve.points.size() && curve.points[last + 1].verdict.kind == kind) ++last;
    text += (first == 0 ? " " : "; ") + short_text(curve.points[first].cut);
    if (last > first) text += " to " + short_text(curve.points[last].cut);
    text += std::string(": ") + to_word(kind);
  }
  return text;
}

Json thresholds_json(const std::vector<ThresholdCurve>& curves, size_t claim) {
  Json list = Json::array();
  for (const ThresholdCurve& curve : curves) {
    if (curve.claim != claim) continue;
    Json cuts = Json::array();
    for (const ThresholdPoint& point : curve.points)
      cuts.push_back({{"cut", number_json(point.cut)},
                      {"verdict", to_word(point.verdict.kind)},
                      {"estimate", number_json(point.verdict.estimate)},
                      {"low", number_json(point.verdict.deciding_low())},
                      {"high", number_json(point.verdict.deciding_high())},
                      {"seeds", point.verdict.seeds}});
    list.push_back({{"setting", curve.phenomenon + "." + curve.setting},
                    {"own", number_json(curve.own)},
                    {"all_runs", curve.all_runs},
                    {"cuts", std::move(cuts)}});
  }
  return list;
}

}  // namespace atto
