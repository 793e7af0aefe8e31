// Claims about two quantities of the same runs: statistic = "correlation" or "coincidence".
#include "lab/study/parts.h"

namespace atto {
namespace {

// A number of a fit may be set against a number of another: the difference of two exponents.
void read_other_fit(TomlReader& reader, const Study& study, Claim& claim) {
  claim.with = reader.required_text("with");
  for (const Fit& fit : study.fits)
    for (const std::string& name : fit_quantities(fit))
      if (name == claim.with && name != claim.quantity) return;
  reader.fail(reader.require("with"), "'" + claim.with + "' is not a number of another fit of this study",
              "write it as law.exponent.TERM, law.constant or law.r2");
}

}  // namespace

void read_pair(TomlReader& reader, const Study& study, Claim& claim) {
  const std::string statistic = to_word(claim.statistic);
  if (claim.statistic == Statistic::fit && reader.find("with")) {
    read_other_fit(reader, study, claim);
    return;
  }
  if (!takes_pairs(claim.statistic)) {
    for (const char* key : {"with", "within"})
      if (const TomlNode* node = reader.find(key))
        reader.fail(*node, std::string(key) + " has no meaning for a " + statistic,
                    "statistic = \"correlation\" and \"coincidence\" speak of two quantities");
    return;
  }
  for (const char* key : {"against", "than", "compare", "paired", "pool", "by", "tune", "relative_to"})
    if (const TomlNode* node = reader.find(key))
      reader.fail(*node, std::string(key) + " has no meaning for a " + statistic + " of two quantities");
  claim.with = reader.required_text("with");
  check_quantity(reader, claim.with, study, "with");
  for (const Fit& fit : study.fits)
    if (claim.with.starts_with(fit.name + "."))
      reader.fail(reader.require("with"), "'" + claim.with + "' is a number of a fit, not of a run");
  if (claim.with == claim.quantity)
    reader.fail(reader.require("with"), "'" + claim.with + "' always goes with itself", "name another quantity");
  if (claim.statistic == Statistic::correlation) {
    if (const TomlNode* node = reader.find("within"))
      reader.fail(*node, "within has no meaning for a correlation", "statistic = \"coincidence\" takes it");
    return;
  }
  Fields fields;
  fields.real("within", claim.within, 0, 10, "");
  reader.apply(fields);
}

}  // namespace atto
