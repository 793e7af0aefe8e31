// Numbers, cells and findings in words, as every reader of the lab sees them: terminal, report and captions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/results/results.h"

namespace atto {

// Four significant digits without noise: "5.003", "0.0002", "1.2e+06", "∞", "-" for NaN.
std::string number_text(double number);
std::string number_text(double number, const char* format);       // as printf would: "0.50" for "%.2f"
std::string number_range(double low, double high);                // "[4, 6]", "≥ 0.5", "≤ 2", "any"
std::string region_text(const Claim& claim);                      // "[4, 6]", "> 0" where the end is left out
std::string spread_text(double median, double low, double high);  // "4.2 [3.9, 5]"
std::string count_text(int64_t count);                            // "1,234,567"
std::string count_text(int64_t count, std::string_view noun);     // "1 run", "12 runs"
std::string duration_text(double seconds);                        // "0.8 s", "2 min 05 s", "3 h 20 min"

// "vocab": the last word of a key, as labels and headings write it.
std::string key_word(std::string_view key);
// "vocab 10, width 2": a cell by the last words of its keys; "all runs" for a study without a sweep.
std::string cell_label(const Overrides& overrides);

// "28/32" for a quantity that answers yes or no, else the median with quartiles; missing and censored values counted.
std::string quantity_text(const QuantitySummary& quantity);

// "0.5 [0.48, 0.52]", with the interval that decides; "-" without an estimate.
std::string estimate_text(const Verdict& verdict);
// Why a claim is open, and where that can be said what would decide it: "budget spent: about 1.4 times its seeds would
// decide it"; "" for one that is decided.
std::string reason_text(const Claim& claim, const Verdict& verdict);
// What the interval alone would hide: "budget spent: ...; 3 censored; one look alone gives [0.52, 0.58]"; or "".
std::string caveats_text(const Claim& claim, const Verdict& verdict);
// Which intervals a table of these verdicts shows, where some are not the ordinary ones of a fixed number of runs; "".
std::string intervals_text(const std::vector<ClaimResult>& claims);

// Of a fitted law: "escape.step ≈ 1.5 · length^0.99", its runs ("25 cells, 125 runs, 3 censored"), how it stands
// against other laws.
std::string law_text(const FitResult& fit);
std::string runs_text(const PowerLaw& law);
std::string preferred_text(const PowerLaw& law);
std::string interval_text(const Interval& interval);  // "0.99 [0.98, 1]"
std::string short_text(double number);                // three digits: a law is not known better

}  // namespace atto
