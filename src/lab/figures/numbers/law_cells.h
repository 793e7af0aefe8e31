// The cells of a fitted law as a figure draws them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/figures/numbers/quantities.h"

namespace atto {

struct LawCell {
  std::vector<double> terms;
  double size = 0;       // of the term along the axis
  double predicted = 0;  // by the fitted law; NaN without one
  Estimate time;         // median over seeds
  std::string color, label;
  int64_t group = 0;  // cells of one line
};

struct LawCells {
  std::vector<LawCell> cells;  // in the order of the sweep
  Json color;                  // channel, or null
  bool more_terms = false;     // lines of one colour differ in further terms
  std::string notice;

  std::pair<double, double> predictions() const;  // least and largest
  std::vector<Estimate> times() const;
};

// A line joins the cells that agree in colour and in every term that has no key in common with the one along the axis.
// `color` is a term or a key, or "".
LawCells law_cells(const FitResult& result, const FigureSource& source, size_t against, const std::string& color);

bool share_keys(const Fit::Term& a, const Fit::Term& b);

// The law with the expected exponents (the fitted ones where nothing is expected) through the geometric mean of the
// cells whose median is known; nothing without expectations.
std::optional<PowerLaw> expected_law(const FitResult& result, const LawCells& cells);

// All that is drawn upwards: intervals, the fitted law and the expected one.
std::vector<double> heights(const LawCells& cells, const std::optional<PowerLaw>& expected);
// The axis of measured over fitted times: up and down from 1 alike, far enough for all of them.
Json ratio_axis(const LawCells& cells);

}  // namespace atto
