// How many dimensions a cloud of points uses.
#pragma once

namespace atto {

// exp(entropy) of the explained-variance ratios of a principal component analysis: rows of the row-major matrix are
// points, columns are centred. 1 for points on a line, at most min(rows - 1, columns); 1 for points that coincide.
double effective_dimension(const float* matrix, int rows, int columns);

}  // namespace atto
