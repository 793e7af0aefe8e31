// [[fit]]: the power laws that a study fits over its cells.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/names.h"
#include "lab/study/parts.h"

namespace atto {
namespace {

// A lone expression needs no name of its own.
constexpr const char* kLoneTerm = "x";

Fit::Term read_term(const TomlDocument& document, const std::string& name, const TomlNode& node) {
  if (node.kind != TomlNode::Kind::scalar || !std::holds_alternative<std::string>(node.scalar))
    document.fail(node.place, "the term '" + name + "' must be an expression in quotes, found " + kind_text(node),
                  "write " + name + " = \"data.context\"");
  Fit::Term term{name, {}};
  try {
    term.expression = number_expression(std::get<std::string>(node.scalar));
  } catch (const ExpressionError& error) {
    document.fail(inside(node, error.position()), "term '" + name + "': " + error.what(), error.remedy());
  }
  for (const Expression::Name& used : term.expression.names()) {
    const Place place = inside(node, used.position);
    if (!run_field(document, {used.name, place, &node}).is_number())
      document.fail(place, "term '" + name + "': " + used.name + " is not a number");
  }
  return term;
}

void read_terms(TomlReader& reader, Fit& fit, std::vector<Place>& places) {
  const TomlNode& node = reader.require("terms");
  if (node.kind == TomlNode::Kind::scalar) {
    fit.terms.push_back(read_term(reader.document(), kLoneTerm, node));
    places.push_back(node.place);
    return;
  }
  if (node.kind != TomlNode::Kind::table)
    reader.fail(node, "terms must be a table of expressions, found " + kind_text(node),
                "write terms = { length = \"data.context\" }");
  if (node.entries.empty()) reader.fail(node, "terms must name at least one");
  for (const TomlEntry& entry : node.entries) {
    if (entry.key.empty() || entry.key.find('.') != std::string::npos)
      reader.document().fail(entry.place, "a term's name has no dots: claims write " + fit.name + ".exponent.NAME");
    fit.terms.push_back(read_term(reader.document(), entry.key, entry.value));
    places.push_back(entry.value.place);
  }
}

void read_expected(TomlReader& reader, Fit& fit) {
  const TomlNode* table = reader.table("expected");
  if (!table) return;
  std::vector<std::string> names;
  for (const Fit::Term& term : fit.terms) names.push_back(term.name);
  for (const TomlEntry& entry : table->entries) {
    if (std::find(names.begin(), names.end(), entry.key) == names.end()) {
      const std::string near = nearest_name(entry.key, names);
      reader.document().fail(entry.place, "the fit '" + fit.name + "' has no term '" + entry.key + "'" +
                                              (near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
    double exponent = 0;
    Fields fields;
    fields.real(entry.key, exponent, -1e6, 1e6, "");
    set_field(reader.document(), fields.at(entry.key), entry.value);
    fit.expected.emplace_back(entry.key, exponent);
  }
}

}  // namespace

double term_value(const Fit::Term& term, const RunConfig& config) {
  return term.expression.number([&](const std::string& key) {
    const Value value = run_schema().at(key).get(config);
    if (const auto* whole = std::get_if<int64_t>(&value)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    return std::numeric_limits<double>::quiet_NaN();
  });
}

std::vector<std::string> fit_quantities(const Fit& fit) {
  std::vector<std::string> names{fit.name + ".constant", fit.name + ".r2"};
  for (const Fit::Term& term : fit.terms) names.push_back(fit.name + ".exponent." + term.name);
  return names;
}

std::vector<Fit> read_fits(const TomlDocument& document, const TomlNode* list, const Study& study,
                           StudyPlaces& places) {
  const std::vector<Phenomenon>& phenomena = study.phenomena;
  std::vector<Fit> fits;
  for (const TomlNode* table : table_list(document, list, "fit")) {
    TomlReader reader(document, *table, "[[fit]]");
    Fit fit;
    fit.name = reader.required_text("name");
    if (fit.name.find('.') != std::string::npos)
      reader.fail(reader.require("name"), "a name has no dots: claims write name.exponent.term");
    const bool taken =
        std::any_of(fits.begin(), fits.end(), [&](const Fit& earlier) { return earlier.name == fit.name; }) ||
        std::any_of(phenomena.begin(), phenomena.end(), [&](const Phenomenon& one) { return one.name == fit.name; });
    if (taken) reader.fail(reader.require("name"), "another fit or phenomenon is called '" + fit.name + "'");
    fit.quantity = reader.required_text("quantity");
    check_quantity(reader, fit.quantity, study);
    places.terms.emplace_back();
    read_terms(reader, fit, places.terms.back());
    places.fit_where.push_back(table->place);
    if (const TomlNode* where = reader.table("where")) {
      fit.where = run_values(document, *where);
      places.fit_where.back() = where->place;
    }
    read_expected(reader, fit);
    reader.finish();
    places.fits.push_back(table->place);
    fits.push_back(std::move(fit));
  }
  return fits;
}

void check_fits(const TomlDocument& document, const Study& study, const std::vector<Cell>& cells,
                const StudyPlaces& places) {
  for (size_t i = 0; i < study.fits.size(); ++i) {
    const Fit& fit = study.fits[i];
    std::vector<const Cell*> chosen;
    for (const Cell& cell : cells)
      if (matches(fit.where, cell.config)) chosen.push_back(&cell);
    if (chosen.empty())
      document.fail(places.fit_where[i],
                    "the fit '" + fit.name + "' speaks of cells that the sweep does not have: " + cell_text(fit.where),
                    "every profile's sweep must contain them");
    for (size_t j = 0; j < fit.terms.size(); ++j) {
      const Fit::Term& term = fit.terms[j];
      double least = std::numeric_limits<double>::infinity(), most = 0;
      for (const Cell* cell : chosen) {
        const double value = term_value(term, cell->config);
        if (!(std::isfinite(value) && value > 0))
          document.fail(places.terms[i][j],
                        "term '" + term.name + "' is " + to_text(value) + " in cell " + cell_text(cell->overrides),
                        "a power law needs terms that are positive and finite; `where` leaves cells out");
        least = std::min(least, value);
        most = std::max(most, value);
      }
      if (most <= least * (1 + 1e-9))
        document.fail(places.terms[i][j],
                      "term '" + term.name + "' is " + to_text(least) + " in every cell of the fit '" + fit.name +
                          "', so it has no exponent",
                      "sweep one of its keys, or leave the term out");
    }
    if (chosen.size() < fit.terms.size() + 2)
      document.fail(places.fits[i],
                    "the fit '" + fit.name + "' has " + std::to_string(fit.terms.size() + 1) + " parameters and only " +
                        std::to_string(chosen.size()) + " cells",
                    "a law needs at least one cell more than it has parameters");
  }
}

}  // namespace atto
