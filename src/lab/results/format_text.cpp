#include "lab/results/format_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "math/statistics.h"

namespace atto {

std::string number_text(double number, const char* format) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, number);
  return buffer.data();
}

std::string number_text(double number) {
  if (std::isnan(number)) return "-";
  if (std::isinf(number)) return number > 0 ? "∞" : "-∞";
  const double size = std::abs(number);
  // Whole numbers (steps, counts) stay whole as long as they are readable.
  if (number == std::floor(number) && size < 1e6) return number_text(number == 0 ? 0.0 : number, "%.0f");
  return number_text(number, "%.4g");
}

std::string number_range(double low, double high) {
  const bool from = std::isfinite(low), to = std::isfinite(high);
  if (from && to) return "[" + number_text(low) + ", " + number_text(high) + "]";
  if (from) return "≥ " + number_text(low);
  if (to) return "≤ " + number_text(high);
  return "any";
}

std::string region_text(const Claim& claim) {
  if (!claim.low_open && !claim.high_open) return number_range(claim.low, claim.high);
  const std::string low = claim.low_open ? "> " + number_text(claim.low) : "";
  const std::string high = claim.high_open ? "< " + number_text(claim.high) : "";
  return low + (low.empty() || high.empty() ? "" : " and ") + high;
}

std::string count_text(int64_t count) {
  std::string digits = std::to_string(count);
  const size_t start = count < 0 ? 1 : 0;
  for (size_t place = digits.size(); place > start + 3; place -= 3) digits.insert(place - 3, ",");
  return digits;
}

std::string count_text(int64_t count, std::string_view noun) {
  return count_text(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds < 9.95) return number_text(seconds, "%.1f s");
  const auto whole = std::llround(seconds);
  if (whole < 60) return std::to_string(whole) + " s";
  const auto two = [](long long part) { return (part < 10 ? "0" : "") + std::to_string(part); };
  if (whole < 3600) return std::to_string(whole / 60) + " min " + two(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + two(whole / 60 % 60) + " min";
}

std::string spread_text(double median, double low, double high) {
  const std::string from = number_text(low), to = number_text(high);
  return number_text(median) + (from == to ? "" : " [" + from + ", " + to + "]");
}

std::string key_word(std::string_view key) {
  return std::string(key.substr(key.rfind('.') + 1));  // the whole key when it has no dot: npos + 1 is 0
}

std::string cell_label(const Overrides& overrides) {
  std::string text;
  for (const auto& [key, value] : overrides) {
    text += (text.empty() ? "" : ", ") + key_word(key) + " " + to_text(value);
  }
  return text.empty() ? "all runs" : text;
}

std::string quantity_text(const QuantitySummary& quantity) {
  const std::vector<double> values = ranked_values(quantity.outcomes);
  if (values.empty()) return "-";
  const auto seeds = std::ssize(quantity.outcomes), found = std::ssize(values);
  std::string text;
  if (quantity.fraction) {
    const auto yes = std::count_if(quantity.outcomes.begin(), quantity.outcomes.end(),
                                   [](const Outcome& one) { return one.value == 1.0; });
    text = count_text(yes) + "/" + count_text(found);
  } else {
    text = spread_text(quantile(values, 0.5), quantile(values, 0.25), quantile(values, 0.75));
    if (found < seeds) text += " of " + count_text(found);
  }
  const auto censored = std::count_if(quantity.outcomes.begin(), quantity.outcomes.end(),
                                      [](const Outcome& one) { return one.exists() && one.censored; });
  if (censored > 0) text += ", " + count_text(censored) + " cens.";
  return text;
}

std::string estimate_text(const Verdict& verdict) {
  if (!verdict.estimate) return "-";
  std::string text = number_text(*verdict.estimate);
  const std::optional<double> low = verdict.deciding_low(), high = verdict.deciding_high();
  if (low && high) text += " [" + number_text(*low) + ", " + number_text(*high) + "]";
  return text;
}

std::string reason_text(const Claim& claim, const Verdict& verdict) {
  const bool known = verdict.needed && std::isfinite(*verdict.needed) && *verdict.needed > 1;
  const double rounded = known ? std::round(10 * *verdict.needed) / 10 : 0;
  const std::string times = rounded > 1 ? "about " + number_text(rounded) + " times its seeds" : "a few more seeds";
  switch (verdict.reason) {
    case OpenReason::none:
      return "";
    case OpenReason::few:
      return "too few values";
    case OpenReason::undecidable:
      return "not decidable by these seeds: no outcome of " + count_text(verdict.seeds, "run") + " would support it" +
             (verdict.enough ? ", about " + count_text(*verdict.enough) + " could" : "");
    case OpenReason::cut_off:
      return "cut off: " + count_text(verdict.censored) + " of " + count_text(verdict.seeds, "run") +
             " ended first, which leaves the interval open; longer runs, or the share by a step, would tell";
    case OpenReason::unknown:
      return "unknown values: " + count_text(verdict.missing + verdict.diverged) + " of " +
             count_text(verdict.seeds, "run") + " have none, which leaves the interval open";
    case OpenReason::edge:
      if (verdict.within_margin && claim.margin)
        return "near the edge: within " + number_text(*claim.margin) +
               " of an end of the region, where the claim says that it makes no difference";
      return "near the edge: " + (known ? times + " would be needed" : "no number of seeds would be enough");
    case OpenReason::budget:
      return "budget spent" + (known ? ": " + times + " would decide it" : std::string());
  }
  return "";
}

std::string caveats_text(const Claim& claim, const Verdict& verdict) {
  std::string text = reason_text(claim, verdict);
  const auto append = [&](const std::string& part, const char* separator) {
    if (!part.empty()) text += (text.empty() ? "" : separator) + part;
  };
  std::string counts;
  const auto add = [&](int64_t count, const std::string& what) {
    if (count > 0) counts += (counts.empty() ? "" : ", ") + count_text(count) + " " + what;
  };
  add(verdict.censored, "censored");
  add(verdict.diverged, "diverged");
  add(verdict.missing, "without the quantity");
  add(verdict.outside, "outside the condition");
  append(counts, "; ");
  append(verdict.note, "; ");
  if (verdict.rests_on != RestsOn::ordinary && verdict.anytime_low && verdict.low && verdict.high)
    append("one look alone gives [" + number_text(*verdict.low) + ", " + number_text(*verdict.high) + "]", "; ");
  return text;
}

std::string intervals_text(const std::vector<ClaimResult>& claims) {
  const auto rests_on = [&](RestsOn what) {
    return std::any_of(claims.begin(), claims.end(), [&](const auto& one) { return one.verdict.rests_on == what; });
  };
  const bool anytime = rests_on(RestsOn::anytime), planned = rests_on(RestsOn::planned);
  if (!anytime && !planned) return "";
  const std::string how = std::string(anytime ? "one that holds at every look" : "") +
                          (anytime && planned ? ", or " : "") +
                          (planned ? "one whose error the planned looks share" : "");
  return "Where seeds came until the claims were decided, the interval shown is the one that decides: " + how + ".";
}

std::string short_text(double number) { return number_text(number, "%.3g"); }

std::string interval_text(const Interval& interval) {
  return number_text(interval.estimate) + " [" + number_text(interval.low) + ", " + number_text(interval.high) + "]";
}

std::string runs_text(const PowerLaw& law) {
  std::string text = count_text(law.cells, "cell") + ", " + count_text(law.runs, "run");
  const auto add = [&](int64_t count, const std::string& what) {
    if (count > 0) text += ", " + count_text(count) + " " + what;
  };
  add(law.censored, "censored");
  add(law.diverged, "diverged");
  add(law.missing, "without the quantity");
  add(law.not_positive, "left out (a time of 0 has no logarithm)");
  return text;
}

std::string preferred_text(const PowerLaw& law) {
  if (!law.preferred) return "too few cells to compare it with other laws";
  std::string text = std::string(to_word(*law.preferred)) + " preferred (AICc";
  for (const LawForm& form : law.forms)
    text += std::string(" ") + to_word(form.kind) + " " + (form.aicc ? number_text(*form.aicc) : "-") + ",";
  text.back() = ')';
  if (law.preferred == LawKind::broken_power_law && law.broken)
    text += ": " + law.broken->term + "^" + short_text(law.broken->before) + " up to " + short_text(law.broken->at) +
            ", then ^" + short_text(law.broken->after);
  return text;
}

std::string law_text(const FitResult& fit) {
  std::string text = fit.fit.quantity + " ≈ " + short_text(fit.law.constant.estimate);
  for (const LawExponent& one : fit.law.exponents) text += " · " + one.term + "^" + short_text(one.exponent.estimate);
  return text;
}

}  // namespace atto
