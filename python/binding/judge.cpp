// A claim judged on numbers from anywhere, by the judge of studies.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "base/error.h"
#include "bindings.h"
#include "lab/results/results_json.h"
#include "without_gil.h"

namespace atto::python {
namespace {

using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// NaN is missing.
Outcomes outcomes_of(const Values& values, const Flags& censored) {
  Outcomes outcomes;
  for (size_t i = 0; i < values.shape(0); ++i) outcomes.push_back({values(i), censored(i)});
  return outcomes;
}

RunAnswers answers_of(const Claim& claim, const Outcomes& outcomes) {
  RunAnswers answers;
  for (const Outcome& one : outcomes) answers.push_back(answer_to(claim, one));
  return answers;
}

// A number, or "inf" and "-inf".
double number_of(const Json& json) {
  return json.is_string() ? (json == "-inf" ? -INFINITY : INFINITY) : json.get<double>();
}

Claim claim_of(const Json& given) {
  Claim claim;
  claim.id = given.at("claim");
  claim.statement = given.at("statement");
  claim.quantity = given.at("quantity");
  Fields words;
  words.choice("statistic", claim.statistic, "").choice("compare", claim.compare, "");
  for (const char* key : {"statistic", "compare"}) words.at(key).set(value_of(given.at(key)));
  claim.low = number_of(given.at("low"));
  claim.high = number_of(given.at("high"));
  claim.low_open = given.at("low_open");
  claim.high_open = given.at("high_open");
  claim.within = given.at("within");
  if (!given.at("by").is_null()) claim.by = number_of(given.at("by"));
  if (!given.at("margin").is_null()) claim.margin = number_of(given.at("margin"));
  return claim;
}

void check(const Claim& claim, bool pairs) {
  const auto refuse = [](const std::string& what, const std::string& remedy) {
    throw Error(ErrorKind::usage, what, remedy);
  };
  const std::string statistic = std::string("a ") + to_word(claim.statistic);
  if (claim.statistic == Statistic::fit)
    refuse("a fit is a law over the cells of a study", "use rate, median, mean, correlation or coincidence");
  if (takes_pairs(claim.statistic) != pairs)
    refuse(pairs ? statistic + " is of one quantity" : statistic + " is of two quantities of the same runs",
           pairs ? "leave with_ out" : "give the second one as with_");
  if (pairs && claim.against) refuse(statistic + " is not compared between groups", "leave against out");
  if (claim.by && claim.statistic != Statistic::rate)
    refuse("by asks for the share of runs in which something came by a step", "use statistic = \"rate\"");
  if (const std::string fault = region_fault(claim); !fault.empty()) refuse(fault, "say region, above or below");
}

std::string judge_arrays(const std::string& claim_json, const Values& values, const Flags& censored,
                         const std::optional<Values>& second, const std::optional<Flags>& second_censored,
                         const std::string& role, bool paired) {
  ClaimResult judged;
  Claim& claim = judged.claim = claim_of(Json::parse(claim_json));
  const bool pairs = role == "with";
  if (role == "against") claim.against.emplace();
  if (pairs) claim.with = claim.quantity + " of the same runs";
  check(claim, pairs);
  const Outcomes first = outcomes_of(values, censored);
  const Outcomes others = second ? outcomes_of(*second, *second_censored) : Outcomes{};
  const WithoutGil release;
  if (pairs) {
    judged.verdict = complete_verdict(claim, PairedEvidence{{{first, others}}, 0});
  } else {
    CellEvidence cell{"", answers_of(claim, first), answers_of(claim, others), claim.against.has_value(), paired};
    judged.verdict = complete_verdict(claim, Evidence{{std::move(cell)}, 0});
  }
  StudyResult result;
  result.claims.push_back(std::move(judged));
  return verdicts_json(result).at(0).dump();
}

}  // namespace

void bind_judge(nb::module_& module) {
  module.def("judge", &judge_arrays, nb::arg("claim"), nb::arg("values"), nb::arg("censored"), nb::arg("second").none(),
             nb::arg("second_censored").none(), nb::arg("role"), nb::arg("paired"));
}

}  // namespace atto::python
