// [[quantity]]: series that are computed from what runs record.
#include <algorithm>
#include <cmath>

#include "base/contains.h"
#include "base/names.h"
#include "data/regression.h"
#include "lab/study/parts.h"

namespace atto {
namespace {

constexpr const char* kLossWord = "_loss";  // best_loss, guess_loss

// The losses that the task of a run knows without its seed.
std::vector<ReferenceLoss> described_losses(const RunConfig& config) {
  return is_regression(config.data) ? regression_references() : describe_task(config.data).references;
}

void check_quantity_name(TomlReader& reader, const std::string& name, const std::vector<DerivedQuantity>& earlier) {
  const TomlNode& node = reader.require("name");
  const Expression::Name* word = nullptr;
  Expression expression;
  try {
    expression = Expression(name);
    if (expression.names().size() == 1) word = &expression.names().front();
  } catch (const ExpressionError&) {  // said below
  }
  if (!word || word->name != name || name.find('.') != std::string::npos)
    reader.fail(node, "'" + name + "' is not a name that expressions can read",
                "use letters, digits and _, and begin with a letter");
  for (const DerivedQuantity& other : earlier)
    if (other.name == name) reader.fail(node, "a second quantity is called '" + name + "'");
}

// Orders quantities so that each comes after those it reads.
class Ordering {
 public:
  Ordering(const TomlDocument& document, const std::vector<DerivedQuantity>& all, const std::vector<Place>& places)
      : document_(document), all_(all), places_(places), done_(all.size(), false) {}

  std::vector<size_t> order() {
    for (size_t i = 0; i < all_.size(); ++i) visit(i);
    return order_;
  }

 private:
  void visit(size_t i) {
    if (done_[i]) return;
    const auto again = std::find(path_.begin(), path_.end(), i);
    if (again != path_.end()) fail_cycle(static_cast<size_t>(again - path_.begin()));
    path_.push_back(i);
    for (const Expression::Name& name : all_[i].expression.names())
      for (size_t j = 0; j < all_.size(); ++j)
        if (all_[j].name == name.name) visit(j);
    path_.pop_back();
    done_[i] = true;
    order_.push_back(i);
  }

  [[noreturn]] void fail_cycle(size_t first) const {
    std::string circle;
    for (size_t k = first; k < path_.size(); ++k) circle += all_[path_[k]].name + " -> ";
    const DerivedQuantity& start = all_[path_[first]];
    document_.fail(places_[path_[first]], "the quantity '" + start.name + "' refers to itself: " + circle + start.name,
                   "a quantity is made of what is observed, of keys of a run and of other quantities");
  }

  const TomlDocument& document_;
  const std::vector<DerivedQuantity>& all_;
  const std::vector<Place>& places_;
  std::vector<bool> done_;
  std::vector<size_t> path_, order_;
};

// What a name of a quantity's expression is in the runs of an offer.
Shape shape_in(const Offer& offer, const Study& study, const Expression::Name& name) {
  const auto has_name = [&](const Offer::Series& one) { return one.address == name.name; };
  const auto found = std::find_if(offer.series.begin(), offer.series.end(), has_name);
  if (found != offer.series.end()) {
    if (!observes(study, name.name))
      throw ExpressionError("it reads '" + name.name + "', which the study does not observe",
                            "add \"" + name.name + "\" to the `what` of an [[observe]]", name.position);
    return found->shape;
  }
  const RunConfig& config = offer.cells.front()->config;
  if (constant_of_run(config, {}, name.name)) return {};
  std::vector<std::string> known{"best_loss"};
  for (const Offer::Series& one : offer.series) known.push_back(one.address);
  for (const RunField& field : run_schema().all())
    if (field.is_number() && !field.key.starts_with("seeds.")) known.push_back(field.key);
  for (const ReferenceLoss& one : described_losses(config)) known.push_back(one.name + kLossWord);
  throw ExpressionError(
      "it reads '" + name.name + "', which is nothing that the runs have" + did_you_mean(name.name, known),
      "`atto help observables` and `atto help keys` list the names; functions are in `atto help "
      "expressions`",
      name.position);
}

}  // namespace

std::optional<double> constant_of_run(const RunConfig& config, std::optional<double> best_loss,
                                      const std::string& name) {
  if (name == "best_loss") return best_loss.value_or(NAN);
  if (const RunField* field = run_schema().find(name); field && field->is_number() && !name.starts_with("seeds.")) {
    const Value value = field->get(config);
    if (const auto* whole = std::get_if<int64_t>(&value)) return static_cast<double>(*whole);
    return std::get<double>(value);
  }
  if (name.ends_with(kLossWord))
    for (const ReferenceLoss& one : described_losses(config))
      if (one.name + kLossWord == name) return one.loss;
  return std::nullopt;
}

std::vector<DerivedQuantity> read_quantities(const TomlDocument& document, const TomlNode* list, StudyPlaces& places) {
  std::vector<DerivedQuantity> all;
  std::vector<Place> found;
  for (const TomlNode* table : table_list(document, list, "quantity")) {
    TomlReader reader(document, *table, "[[quantity]]");
    DerivedQuantity quantity;
    quantity.name = reader.required_text("name");
    check_quantity_name(reader, quantity.name, all);
    const std::string text = reader.required_text("is");
    const TomlNode& is = reader.require("is");
    try {
      quantity.expression = Expression(text);
    } catch (const ExpressionError& error) {
      document.fail(inside(is, error.position()), "quantity '" + quantity.name + "': " + error.what(), error.remedy());
    }
    reader.finish();
    found.push_back(inside(is, 0));
    all.push_back(std::move(quantity));
  }
  std::vector<DerivedQuantity> ordered;
  for (const size_t i : Ordering(document, all, found).order()) {
    ordered.push_back(all[i]);
    places.quantities.push_back(found[i]);
  }
  return ordered;
}

void add_quantities(const Study& study, std::vector<Offer>& offers, const QuantityFault& fault) {
  for (size_t i = 0; i < study.quantities.size(); ++i) {
    const DerivedQuantity& quantity = study.quantities[i];
    for (Offer& offer : offers) {
      const bool alone = offers.size() == 1 && offer.cells.size() == 1;
      const std::string where = alone ? "" : " (cell " + cell_text(offer.cells.front()->overrides) + ")";
      try {
        for (const Offer::Series& one : offer.series)
          if (one.address == quantity.name)
            throw ExpressionError("'" + quantity.name + "' can be measured, so no quantity can be called so",
                                  "give it another name", 0);
        if (constant_of_run(offer.cells.front()->config, {}, quantity.name))
          throw ExpressionError(
              "'" + quantity.name + "' is a loss that the task knows, so no quantity can be called so",
              "give it another name", 0);
        size_t next = 0;
        const std::vector<Expression::Name>& names = quantity.expression.names();
        Shape shape =
            quantity.expression.shape([&](const std::string&) { return shape_in(offer, study, names[next++]); });
        offer.series.push_back({quantity.name, std::move(shape)});
      } catch (const ExpressionError& error) {
        fault(i, ExpressionError("quantity '" + quantity.name + "': " + error.what() + where, error.remedy(),
                                 error.position()));
      }
    }
  }
}

}  // namespace atto
