// The order of points around a centre, and how far two such orders are apart.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace atto {

// Indices of the points (x, y) by their angle about (0, 0), counter-clockwise; equal angles by index.
std::vector<int> order_by_angle(std::span<const double> x, std::span<const double> y);

// The fewest exchanges of neighbours on the ring (first and last are neighbours too) that turn one cyclic order of
// 0 .. n-1 into the other, where rotations and the mirror image of an order count as the same.
//
// Exact. With ranks r and r' in the two orders, any motion takes item i to the lifted place L_i = r_i + x_i ≡ r'_i
// (mod n), and items i and j change places at least |⌊(L_j - L_i)/n⌋ - ⌊(r_j - r_i)/n⌋| times. The sum over pairs is
// reached by exchanging neighbours, and it is least for displacements x that differ by at most n (Jerrum, 1985). All of
// these are tried: from x in [0, n) the smallest is raised by n, one item after the other. O(n²).
int64_t cyclic_swaps(std::span<const int> before, std::span<const int> after);

}  // namespace atto
