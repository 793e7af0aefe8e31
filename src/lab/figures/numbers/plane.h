// A matrix of a run as points of a plane: each row (a token, a position) is one.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "lab/figures/figure.h"
#include "observe/recording.h"

namespace atto {

// What the rows of a matrix are, and what each is called.
struct RowNames {
  std::string noun;                // "token", "position", "row"
  std::vector<int64_t> numbers;    // positions count back from the current one: -3, -2, -1, 0
  std::vector<std::string> names;  // the number; "BOS" for the last token where there is one
  std::vector<size_t> by_rank;     // rows in the order in which labels are granted: BOS first, then by number
};
RowNames row_names(const Series& series, const RunConfig& config);

// What spans the plane: the first two columns of the matrix, or the first two principal components of its rows at one
// measurement. `automatic` is the former for matrices of two columns and the latter for wider ones.
enum class Components { automatic, plane, principal };
template <>
struct EnumWords<Components> {
  static constexpr std::array words{"auto", "plane", "principal"};
};

// Does `components` ask for principal components of a matrix of that width?
bool is_principal(Components components, size_t width);

struct PlanePoint {
  double x = 0, y = 0;
};

// How the rows are laid into the plane, the same at every measurement.
class Plane {
 public:
  // Principal components are those at measurement `last`. A matrix of one column is drawn over the number of the row.
  Plane(const Series& series, size_t last, Components components, const RowNames& rows);
  PlanePoint at(size_t measurement, size_t row) const;
  const std::string& x_title() const { return x_title_; }
  const std::string& y_title() const { return y_title_; }
  bool flat() const { return series_.shape[1] > 1; }  // both axes in the same unit

 private:
  const Series& series_;
  std::vector<int64_t> numbers_;
  std::vector<double> origin_, x_axis_, y_axis_;  // [width]
  std::string x_title_, y_title_;
};

// The part of a plane that a panel shows.
class PlaneFrame {
 public:
  void add(PlanePoint point);  // passes over points that are not finite
  // Some room about the points; equal lengths of both axes when `equal`. Call once, after the last point.
  void settle(bool equal);
  bool empty() const { return !(x_.low <= x_.high); }
  // x and y channels over these ranges, for fields "x" and "y".
  Json x_channel(const std::string& title) const { return channel("x", title, x_); }
  Json y_channel(const std::string& title) const { return channel("y", title, y_); }
  // With as few digits as a panel can show.
  PlanePoint rounded(PlanePoint point) const;
  // In thousandths of the axes, and how Vega turns these back into the fields "x" and "y".
  PlanePoint thousandths(PlanePoint point) const;
  Json from_thousandths() const;
  // In pixels of a panel of that size.
  PlanePoint pixels(PlanePoint point, int64_t width, int64_t height) const;

 private:
  struct Range {
    double low = INFINITY, high = -INFINITY;
    double length() const { return high - low; }
  };
  static Json channel(const std::string& field, const std::string& title, const Range& range);
  Range x_, y_;
};

// Index of the last measurement at or before `step` whose numbers are all finite; the number of measurements when there
// is none.
size_t measurement_at(const Series& series, int64_t step);

// The matrix series of a run; nullptr when it has another shape, no rows or no measurement.
const Series* find_matrix(const Recording& recording, const std::string& address);

}  // namespace atto
