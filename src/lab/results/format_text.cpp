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
  if (verdict.low && verdict.high) text += " [" + number_text(*verdict.low) + ", " + number_text(*verdict.high) + "]";
  return text;
}

std::string caveats_text(const Verdict& verdict) {
  std::string text;
  const auto add = [&](int64_t count, const std::string& what) {
    if (count > 0) text += (text.empty() ? "" : ", ") + count_text(count) + " " + what;
  };
  add(verdict.censored, "censored");
  add(verdict.diverged, "diverged");
  add(verdict.missing, "without the quantity");
  add(verdict.outside, "outside the condition");
  if (!verdict.note.empty()) text += (text.empty() ? "" : "; ") + verdict.note;
  return text;
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
