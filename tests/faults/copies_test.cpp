// Copies for which there is no memory: an exception, and the value that was to be copied as it was. Under the sanitizers
// this shows variants that destroy a value which they do not have yet.
#include <gtest/gtest.h>

#include <cstring>
#include <new>

#include "app/export/parquet.h"
#include "lab/figures/vega/inline_data.h"
#include "observe/observable.h"
#include "plan.h"

namespace atto::faults {
namespace {

// Lets every allocation of a copy fail, one after the other. The memory of the copy is full of what was there before.
// How many allocations failed.
template <typename T>
int copy_without_memory(const T& original) {
  alignas(T) std::byte place[sizeof(T)];
  for (int64_t at = 1;; ++at) {
    std::memset(place, 0xa5, sizeof place);
    arm(Fault::allocation, at);
    try {
      T* const copy = new (place) T(original);
      disarm();
      copy->~T();
      return static_cast<int>(at) - 1;
    } catch (const std::bad_alloc&) {
      disarm();
    }
  }
}

const std::string kLong(100, 'x');  // longer than a text that needs no memory of its own

TEST(CopiesTest, OfTextsInTables) {
  EXPECT_EQ(copy_without_memory(ParquetValue(kLong)), 1);
  EXPECT_EQ(copy_without_memory(ParquetValue(1.5)), 0);
  EXPECT_EQ(copy_without_memory(std::vector<ParquetValue>{1.5, kLong, int64_t{2}, kLong}), 3);
  EXPECT_EQ(copy_without_memory(DataTable::Entry(kLong)), 1);
}

TEST(CopiesTest, OfWhatIsMeasured) {
  Observable observable{kLong, kLong, {4, 2}, {}};
  EXPECT_EQ(copy_without_memory(observable), 3) << "nothing measures it yet";
  const auto measure = [text = kLong](const auto&, double* out) { *out = static_cast<double>(text.size()); };
  observable.measure = MeasureNetwork(measure);
  EXPECT_EQ(copy_without_memory(observable), 5) << "the function, and the text that it holds";
  observable.measure = MeasureEmergence(measure);
  EXPECT_EQ(copy_without_memory(observable), 5);
  EXPECT_TRUE(std::get<MeasureEmergence>(observable.measure)) << "the original is as it was";
}

TEST(CopiesTest, OfAVariantAreWhatTheyWereMadeFrom) {
  const ParquetValue text(kLong);
  ParquetValue copy(text), other;
  EXPECT_EQ(copy, text);
  other = copy;
  EXPECT_EQ(other, text);
  other = 2.5;
  EXPECT_EQ(std::get<double>(other), 2.5);
  const ParquetValue moved = std::move(copy);
  EXPECT_EQ(moved, text);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(ParquetValue()));
}

}  // namespace
}  // namespace atto::faults
