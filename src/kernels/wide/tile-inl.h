// Products of two matrices of activations in which every block of rows has its own range of columns or of terms, as
// under a causal mask.
//
// Included like simd-inl.h.
#if defined(ATTO_KERNELS_WIDE_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTO_KERNELS_WIDE_TILE_INL_H_
#undef ATTO_KERNELS_WIDE_TILE_INL_H_
#else
#define ATTO_KERNELS_WIDE_TILE_INL_H_
#endif

#include <algorithm>

#include "kernels/wide/panel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atto::HWY_NAMESPACE {

// Rows that share the range of what is computed for them: the same on every target, so that even what is not a number
// spreads alike.
inline constexpr int kRangeRows = 4;

// A matrix whose elements are groups of lanes.
template <class Float>
struct Matrix {
  Float* at;
  size_t row, column;

  Float* operator()(int r, int c) const { return at + r * row + c * column; }
  Matrix transposed() const { return {at, column, row}; }
};
using Input = Matrix<const float>;
using Output = Matrix<float>;

struct Range {
  int first, last;  // first .. last-1
};
HWY_INLINE Range intersection(const Range& a, const Range& b) {
  return {std::max(a.first, b.first), std::min(a.last, b.last)};
}

// What is packed at a time: some terms of kTileRows rows, in blocks that are each [terms][rows of the block], and a
// panel of the other operand.
inline constexpr int kTileRows = 64;
static_assert(kTileRows % kRangeRows == 0);

struct Tile {
  HWY_ALIGN float rows[kTileRows * kPanelTerms * kLanes];
  HWY_ALIGN float panel[kPanelFloats];
};

// Calls go<k>(r) for k rows at a time, in blocks that do not cross those of kRangeRows rows.
template <class Go>
HWY_INLINE void each_row_within(const Range& rows, const Go& go) {
  for (int block = rows.first; block < rows.last; block += kRangeRows)
    each_row_block(std::min(block + kRangeRows, rows.last), go, block);
}

// Packs terms of rows of a into the tile.
HWY_INLINE void pack_rows(const Range& rows, const Range& terms, const Input& a, Tile& tile) {
  const int count = terms.last - terms.first;
  each_row_within(rows, [&]<int kRowCount>(int r) HWY_ATTR {
    pack_panel<kRowCount>(a(r, terms.first), a.row, {1, 0, count, a.column},
                          tile.rows + (r - rows.first) * count * kLanes);
  });
}

// out[r][c] = Σ_t a[r][t] b[c][t] for at most kTileRows rows and the columns `columns(rows)` of each block of rows.
template <class Columns>
HWY_INLINE void dot_products(const Range& rows, const Columns& columns, int terms, const Input& a, const Input& b,
                             const Output& out, Tile& tile) {
  const Range all = columns(rows);
  for (int t = 0; t < terms; t += kPanelTerms) {
    const int count = std::min(kPanelTerms, terms - t);
    pack_rows(rows, {t, t + count}, a, tile);
    const auto add_columns = [&]<int kColumns>(int c) HWY_ATTR {
      pack_panel<kColumns>(b(c, t), b.row, {1, 0, count, b.column}, tile.panel);
      each_row_within(rows, [&]<int kRowCount>(int r) HWY_ATTR {
        const int block = rows.first + (r - rows.first) / kRangeRows * kRangeRows;
        const Range wanted = columns({block, std::min(block + kRangeRows, rows.last)});
        if (wanted.last <= c || wanted.first >= c + kColumns) return;
        multiply_panel<kRowCount, kColumns>(tile.rows + (r - rows.first) * count * kLanes, kLanes, kRowCount * kLanes,
                                            count, tile.panel, out(r, c), out.row, out.column, t == 0);
      });
    };
    each_column_block(all.last, add_columns, all.first);
  }
}

// out[r][c] = Σ_t w[r][t] b[t][c], or += when `add`, for all columns and at most kTileRows rows, over the terms
// `terms(rows)` of each block of rows.
template <class TermsOf>
HWY_INLINE void weighted_tile(const Range& rows, const TermsOf& terms, int columns, const Input& w, const Input& b,
                              const Output& out, bool add, Tile& tile) {
  // Packing rows pays when several panels read them.
  const bool pack = columns > 4 * kPanelColumns;
  const Range all = terms(rows);
  for (int t = all.first; t < all.last; t += kPanelTerms) {
    const Range chunk{t, std::min(t + kPanelTerms, all.last)};
    const int count = chunk.last - t;
    if (pack) pack_rows(rows, chunk, w, tile);
    each_column_block(columns, [&]<int kColumns>(int c) HWY_ATTR {
      pack_panel<kColumns>(b(t, c), b.column, {1, 0, count, b.row}, tile.panel);
      each_row_within(rows, [&]<int kRowCount>(int r) HWY_ATTR {
        const int block = rows.first + (r - rows.first) / kRangeRows * kRangeRows;
        const Range of_block = terms({block, std::min(block + kRangeRows, rows.last)});
        const Range now = intersection(of_block, chunk);
        if (now.first >= now.last) return;
        const float* packed = tile.rows + ((r - rows.first) * count + (now.first - t) * kRowCount) * kLanes;
        multiply_panel<kRowCount, kColumns>(pack ? packed : w(r, now.first), pack ? kLanes : w.row,
                                            pack ? kRowCount * kLanes : w.column, now.last - now.first,
                                            tile.panel + (now.first - t) * kColumns * kLanes, out(r, c), out.row,
                                            out.column, !add && now.first == of_block.first);
      });
    });
  }
}

// The same for any number of rows.
template <class TermsOf>
HWY_INLINE void weighted_sums(const Range& rows, const TermsOf& terms, int columns, const Input& w, const Input& b,
                              const Output& out, bool add, Tile& tile) {
  for (int r = rows.first; r < rows.last; r += kTileRows)
    weighted_tile({r, std::min(r + kTileRows, rows.last)}, terms, columns, w, b, out, add, tile);
}

}  // namespace atto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
