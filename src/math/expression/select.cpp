// Which entries an index selects.
#include <algorithm>

#include "math/expression/syntax.h"

namespace atto {
namespace {

// The entries of one dimension.
std::pair<int64_t, int64_t> chosen_range(const IndexPart& part, int64_t extent, const Shape& shape) {
  const auto outside = [&](int64_t index) {
    return ShapeFault{
        "index " + std::to_string(index) + " is outside of " + shape_text(shape),
        extent == 0 ? "it is empty" : "there are 0 to " + std::to_string(extent - 1) + ", and -1 is the last"};
  };
  const auto from_start = [&](int64_t index) { return index < 0 ? index + extent : index; };
  if (!part.range) {
    const int64_t at = from_start(*part.first);
    if (at < 0 || at >= extent) throw outside(*part.first);
    return {at, at + 1};
  }
  const int64_t first = from_start(part.first.value_or(0)), last = part.last ? from_start(*part.last) : extent;
  if (first < 0 || first > extent) throw outside(*part.first);
  if (last < 0 || last > extent) throw outside(*part.last);
  if (first >= last) throw ShapeFault{"the range of the index is empty", "[0:3] are the entries 0, 1 and 2"};
  return {first, last};
}

}  // namespace

Selection select_entries(const std::vector<IndexPart>& parts, const Shape& shape) {
  if (parts.size() > shape.size())
    throw ShapeFault{"an index of " + std::to_string(parts.size()) + (parts.size() == 1 ? " number" : " numbers") +
                         " stands behind " + shape_text(shape),
                     ""};
  Selection selection{{}, {0}};
  for (size_t d = 0; d < shape.size(); ++d) {
    const IndexPart part = d < parts.size() ? parts[d] : IndexPart{true, {}, {}};
    const auto [first, last] = chosen_range(part, shape[d], shape);
    if (part.range) selection.shape.push_back(last - first);
    std::vector<size_t> finer;
    for (const size_t source : selection.sources)
      for (int64_t i = first; i < last; ++i)
        finer.push_back(source * static_cast<size_t>(shape[d]) + static_cast<size_t>(i));
    selection.sources = std::move(finer);
  }
  return selection;
}

}  // namespace atto
