// The parts of a [[claim]]: the groups of cells it speaks of, what it says of them, and the region.
#include <algorithm>
#include <cmath>

#include "base/contains.h"
#include "lab/study/parts.h"

namespace atto {
namespace {

double read_bound(TomlReader& reader, const TomlNode& node, const std::string& key) {
  double bound = 0;
  Fields fields;
  fields.real(key, bound, -INFINITY, INFINITY, "");
  set_field(reader.document(), fields.at(key), node);
  return bound;
}

void read_closed_region(TomlReader& reader, const TomlNode& node, Claim& claim) {
  if (node.kind != TomlNode::Kind::list || node.items.size() != 2)
    reader.fail(node, "region must be a list of two numbers, [low, high]",
                "inf and -inf leave a side open; `above = 0` and `below = 0` leave out the end itself");
  claim.low = read_bound(reader, node.items[0], "region");
  claim.high = read_bound(reader, node.items[1], "region");
}

// `above = 0` is (0, inf): a tie is not above.
void read_open_region(TomlReader& reader, const TomlNode* above, const TomlNode* below, Claim& claim) {
  claim.low = above ? read_bound(reader, *above, "above") : -INFINITY;
  claim.high = below ? read_bound(reader, *below, "below") : INFINITY;
  claim.low_open = above != nullptr;
  claim.high_open = below != nullptr;
}

constexpr const char* kRegionRemedy =
    "write [low, high], the numbers that the claim expects, and inf or -inf for a side that is open";

CellFilter read_filter(TomlReader& reader, const TomlNode& node) { return run_values(reader.document(), node); }

bool is_yes_or_no(const Study& study, const std::string& quantity) {
  for (const Phenomenon& phenomenon : study.phenomena)
    for (const QuantityHelp& one : phenomenon.detector->quantities())
      if (phenomenon.name + "." + one.name == quantity) return one.yes_or_no;
  return false;
}

std::string list_of_conditions(const Study& study) {
  std::string list;
  for (const Phenomenon& phenomenon : study.phenomena)
    for (const QuantityHelp& one : phenomenon.detector->quantities())
      if (one.yes_or_no) list += (list.empty() ? "" : ", ") + phenomenon.name + "." + one.name;
  return list;
}

bool compares(const Study& study, const std::string& derived) {
  return std::any_of(study.quantities.begin(), study.quantities.end(),
                     [&](const DerivedQuantity& one) { return one.name == derived && one.expression.yes_or_no(); });
}

// A number that says neither yes nor no. A count says yes where there is any; so does a [[quantity]] that compares, and
// its value at a step. What the study does not know at all is refused elsewhere.
bool measures(const Study& study, const std::string& quantity) {
  for (const Phenomenon& phenomenon : study.phenomena) {
    for (const QuantityHelp& one : phenomenon.detector->quantities()) {
      if (phenomenon.name + "." + one.name != quantity) continue;
      const SeriesNeeds needs = phenomenon.detector->needs();
      const bool value_of_one = phenomenon.detector_name == "value" && needs.size() == 1;
      return !one.yes_or_no && !phenomenon.detector->counts(one.name) &&
             !(value_of_one && compares(study, needs.front().address));
    }
  }
  const bool derived = std::any_of(study.quantities.begin(), study.quantities.end(),
                                   [&](const DerivedQuantity& one) { return one.name == quantity; });
  const bool observed = std::any_of(study.observe.begin(), study.observe.end(),
                                    [&](const Observation& one) { return contains(one.what, quantity); });
  return (derived || observed) && !compares(study, quantity);
}

// The share of the runs that say yes. Any other number would count as a yes wherever it is not 0.
void require_yes_or_no(TomlReader& reader, const Study& study, const Claim& claim) {
  if (claim.statistic != Statistic::rate || !measures(study, claim.quantity)) return;
  const std::string known = list_of_conditions(study);
  reader.fail(reader.require("statistic"),
              "'" + claim.quantity + "' is a number, and a rate is the share of the runs that say yes",
              "`by = 3000` asks whether a step has come by then, statistic = \"median\" what the number is" +
                  (known.empty() ? "" : "; those of this study that answer yes or no are " + known));
}

}  // namespace

void read_region(TomlReader& reader, Claim& claim) {
  const TomlNode *above = reader.find("above"), *below = reader.find("below");
  const TomlNode* region = above || below ? reader.find("region") : &reader.require("region");
  if (region && (above || below))
    reader.fail(*region, "a claim has either a region or `above` and `below`", "keep one of them");
  const TomlNode& place = region ? *region : above ? *above : *below;
  if (region) read_closed_region(reader, *region, claim);
  else read_open_region(reader, above, below, claim);
  if (const std::string fault = region_fault(claim); !fault.empty()) reader.fail(place, fault, kRegionRemedy);
  if (const TomlNode* margin = reader.find("margin")) {
    claim.margin = read_bound(reader, *margin, "margin");
    if (const std::string fault = region_fault(claim); !fault.empty())
      reader.fail(*margin, fault, "leave it out, or write a distance such as margin = 0.05");
  }
}

void read_groups(TomlReader& reader, Claim& claim, StudyPlaces& places) {
  const Place table = reader.place();
  places.where.push_back(table);
  places.against.push_back(table);
  places.than.push_back(table);
  if (const TomlNode* where = reader.table("where")) {
    claim.where = read_filter(reader, *where);
    places.where.back() = where->place;
  }
  if (const TomlNode* against = reader.table("against")) {
    claim.against = read_filter(reader, *against);
    places.against.back() = against->place;
  }
  if (const TomlNode* than = reader.table("than")) {
    if (!claim.against)
      reader.fail(*than, "than sets one comparison against another, and the first is missing",
                  "say what `where` is compared with: `against`");
    if (claim.statistic == Statistic::rate)
      reader.fail(*than, "there is no difference of differences of rates", "use median or mean");
    TomlReader inner(reader.document(), *than, "than");
    claim.than = Contrast{read_filter(reader, inner.require("where")), read_filter(reader, inner.require("against"))};
    inner.finish();
    places.than.back() = than->place;
  }
  Fields fields;
  fields.choice("compare", claim.compare, "").choice("pool", claim.pool, "");
  reader.apply(fields);
  if (const TomlNode* compare = reader.find("compare"); compare && !claim.against && claim.with.empty())
    reader.fail(*compare, "compare needs a second group of cells: `against`");
  if (const TomlNode* paired = reader.find("paired")) {
    bool value = false;
    Fields own;
    own.flag("paired", value, "");
    set_field(reader.document(), own.at("paired"), *paired);
    if (!claim.against) reader.fail(*paired, "paired needs a second group of cells: `against`");
    if (claim.than && !value)
      reader.fail(*paired, "`than` compares seed by seed",
                  "leave out paired = false, or put two claims in place of one");
    claim.paired = value;
  }
}

void read_condition(TomlReader& reader, const Study& study, Claim& claim) {
  Fields flags;
  flags.flag("headline", claim.headline, "");
  reader.apply(flags);
  claim.given = reader.text("given");
  if (!claim.given.empty() && !is_yes_or_no(study, claim.given)) {
    const std::string known = list_of_conditions(study);
    reader.fail(reader.require("given"), "given = \"" + claim.given + "\" is no quantity that answers yes or no",
                known.empty() ? "no detector of this study has one" : "those of this study are " + known);
  }
  const TomlNode* by = reader.find("by");
  if (!by) return require_yes_or_no(reader, study, claim);
  claim.by = read_bound(reader, *by, "by");
  if (!(*claim.by > 0) || !std::isfinite(*claim.by))
    reader.fail(*by, "by must be a step, a positive number", "by = 3000");
  if (claim.statistic != Statistic::rate)
    reader.fail(*by, "by has no meaning for a " + std::string(to_word(claim.statistic)),
                "statistic = \"rate\" gives the share of runs in which it came by that step");
  if (is_yes_or_no(study, claim.quantity))
    reader.fail(*by, "'" + claim.quantity + "' answers yes or no and has no step", "name the quantity that is a step");
  if (!claim.relative_to.empty())
    reader.fail(*by, "by compares with a step, so the quantity must not be divided", "leave out relative_to");
}

}  // namespace atto
